//! Reads the functions and initial values of C#, in the form of those of GDScript: methods of the
//! engine get the names that they have there. Code that is not understood is an error: then nothing
//! is known about the function.

use super::syntax::{Arm, ArmPattern, Expr, ReadCode, ScriptFunction, Statement};
use super::tokens::{ReadTokens, Token, Tokens};
use crate::game::project::ids::{Interner, NameId};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// How many tokens a function or a value may have.
const TOKENS: usize = 1 << 14;
/// How far the reader looks ahead to tell types from expressions.
const AHEAD: usize = 64;

/// A reader of statements and expressions.
pub(super) struct CsParser<'a, 'n> {
    tokens: Vec<Token<'a>>,
    pub(super) at: usize,
    pub(super) names: &'n mut Interner,
    depth: usize,
    /// The variables that the current statement sets in its expressions.
    pub(super) set: Vec<NameId>,
}

/// Reads the parameters and the body of the method whose opening parenthesis ends at `at`.
pub(crate) fn function(text: &str, at: usize, names: &mut Interner) -> Option<ScriptFunction> {
    let mut parser = CsParser::new(text, at, names);
    let parameters = parser.parameters()?;
    while parser.is_word("where") {
        while !matches!(parser.peek()?, Token::Mark('{' | '=')) {
            parser.at += 1;
        }
    }
    parser.body(parameters)
}

/// Reads the initial value of the field or property whose name ends at `at`.
pub(crate) fn initial(text: &str, at: usize, names: &mut Interner) -> Option<Expr> {
    let mut parser = CsParser::new(text, at, names);
    if parser.take_mark('{') {
        // A property that only keeps a value.
        loop {
            match parser.take()? {
                Token::Name("get" | "set" | "init" | "private" | "protected" | "internal")
                | Token::Mark(';') => {}
                Token::Mark('}') => break,
                _ => return None,
            }
        }
    }
    if !parser.take_mark('=') {
        return Some(Expr::Other);
    }
    parser.take_mark('>');
    let value = match parser.take_mark('{') {
        true => parser.initializer()?,
        false => parser.expression()?,
    };
    (parser.set.is_empty() && matches!(parser.peek()?, Token::Mark(';' | ','))).then_some(value)
}

impl<'a> ReadTokens<'a> for CsParser<'a, '_> {
    fn peek(&mut self) -> Option<Token<'a>> {
        self.ahead(0)
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }
}

impl<'a> ReadCode<'a> for CsParser<'a, '_> {
    const DEPTH: usize = 64;

    fn names(&mut self) -> &mut Interner {
        self.names
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn expression(&mut self) -> Option<Expr> {
        self.nested(|parser| {
            let value = parser.binary(0)?;
            if parser.is_mark('?') && parser.ahead(1) != Some(Token::Mark('?')) {
                parser.take();
                let one = parser.expression()?;
                parser.expect(':')?;
                let other = parser.expression()?;
                return Some(Expr::Choice(Box::new([value, one, other])));
            }
            let is_assignment = parser.ahead(2) == Some(Token::Mark('='));
            if is_assignment || !parser.take_marks("??") {
                return Some(value);
            }
            let other = parser.expression()?;
            Some(Expr::OneOf(Vec::from([value, other])))
        })
    }
}

impl<'a, 'n> CsParser<'a, 'n> {
    fn new(text: &'a str, at: usize, names: &'n mut Interner) -> CsParser<'a, 'n> {
        let mut source = Tokens::new(text, Tokens::csharp);
        (source.at, source.is_line_start) = (at, false);
        let (mut tokens, mut depth) = (Vec::new(), 0_usize);
        while let Some(token) = source.take() {
            tokens.push(token);
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth <= 1 => {
                    // An initial value may follow the accessors of a property.
                    tokens.extend(source.peek());
                    if source.peek() != Some(Token::Mark('=')) {
                        break;
                    }
                    source.take();
                    depth = 0;
                }
                Token::Mark('}') => depth -= 1,
                Token::Mark(';') if depth == 0 => break,
                _ => {}
            }
            if tokens.len() > TOKENS {
                tokens.clear();
                break;
            }
        }
        CsParser { tokens, at: 0, names, depth: 0, set: Vec::new() }
    }

    /// The token after this many others.
    pub(super) fn ahead(&self, count: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at.checked_add(count)?).copied()
    }

    /// Takes characters that follow each other, such as `=>`.
    pub(super) fn take_marks(&mut self, marks: &str) -> bool {
        let is_next = marks.chars().enumerate().all(|(n, c)| self.ahead(n) == Some(Token::Mark(c)));
        self.at += if is_next { marks.len() } else { 0 };
        is_next
    }

    /// An expression that is a name of GDScript.
    pub(super) fn named(&mut self, name: &str) -> Box<Expr> {
        Box::new(Expr::Name(self.names.add(name)))
    }

    /// The number of tokens of the type that begins after this many tokens: `int`, `A.B<C>`, `D[]`.
    pub(super) fn type_at(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let Token::Name(word) = self.ahead(at)? else { return None };
            if matches!(word, "new" | "is" | "as" | "in" | "switch" | "return" | "await" | "throw")
            {
                return None;
            }
            at += 1;
            if self.ahead(at) == Some(Token::Mark('<')) {
                at += self.generics_at(at)?;
            }
            if self.ahead(at) != Some(Token::Mark('.')) {
                break;
            }
            at += 1;
        }
        at += usize::from(self.ahead(at) == Some(Token::Mark('?')));
        while self.ahead(at) == Some(Token::Mark('[')) {
            while self.ahead(at + 1) == Some(Token::Mark(',')) {
                at += 1;
            }
            if self.ahead(at + 1) != Some(Token::Mark(']')) {
                return None;
            }
            at += 2;
        }
        Some(at - from)
    }

    /// The number of tokens in `<…>` if only types are in it.
    pub(super) fn generics_at(&self, from: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in from..from + AHEAD {
            match self.ahead(at)? {
                Token::Mark('<') => depth += 1,
                Token::Mark('>') if depth == 1 => return Some(at + 1 - from),
                Token::Mark('>') => depth -= 1,
                Token::Name(_) | Token::Mark('.' | ',' | '[' | ']' | '?') => {}
                _ => return None,
            }
        }
        None
    }

    /// Whether the opening parenthesis that comes next begins the parameters of a lambda.
    pub(super) fn is_lambda(&self) -> bool {
        let mut depth = 0_usize;
        for at in 0..AHEAD {
            match self.ahead(at) {
                Some(Token::Mark('(')) => depth += 1,
                Some(Token::Mark(')')) if depth == 1 => {
                    let after = (self.ahead(at + 1), self.ahead(at + 2));
                    return after == (Some(Token::Mark('=')), Some(Token::Mark('>')));
                }
                Some(Token::Mark(')')) => depth -= 1,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }

    /// Reads parameters after their opening parenthesis.
    pub(super) fn parameters(&mut self) -> Option<Vec<NameId>> {
        let (mut parameters, mut name, mut depth) = (Vec::new(), None, 0_usize);
        loop {
            match self.take()? {
                Token::Name("ref" | "out" | "params") => return None,
                Token::Name(word) => name = Some(word),
                Token::Mark('<' | '[' | '(') => depth += 1,
                Token::Mark('>' | ']') => depth = depth.checked_sub(1)?,
                Token::Mark(')') if depth > 0 => depth -= 1,
                Token::Mark('=') => {
                    self.expression()?;
                }
                Token::Mark(end @ (',' | ')')) if depth == 0 => {
                    match name.take() {
                        Some(name) => parameters.push(self.names.add(name)),
                        None if end == ')' => {}
                        None => return None,
                    }
                    if end == ')' {
                        return Some(parameters);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads a lambda, from its parameters on. One that assigns to variables around it is not
    /// understood, because it may be called at any time.
    pub(super) fn lambda(&mut self) -> Option<Expr> {
        let parameters = match self.take()? {
            Token::Mark('(') => self.parameters()?,
            Token::Name(name) => Vec::from([self.names.add(name)]),
            _ => return None,
        };
        let outer = core::mem::take(&mut self.set);
        let function = self.nested(|parser| parser.body(parameters))?;
        if !self.set.is_empty() || assigns_outside(&function) {
            return None;
        }
        self.set = outer;
        Some(Expr::Function(Box::new(function)))
    }
}

impl CsParser<'_, '_> {
    /// Reads the body of a function or a lambda: a block, or an expression after `=>`.
    pub(super) fn body(&mut self, parameters: Vec<NameId>) -> Option<ScriptFunction> {
        let mut body = Vec::new();
        let is_expression = self.take_marks("=>") && !self.is_mark('{');
        if is_expression {
            self.statement_of_expression(&mut body)?;
            if let Some(Statement::Do(value)) = body.last_mut() {
                let value = core::mem::replace(value, Expr::Other);
                body.pop();
                body.push(Statement::Return(value));
            }
        } else {
            self.expect('{')?;
            self.block(&mut body, false)?;
        }
        Some(ScriptFunction { parameters, body })
    }

    /// Reads statements up to the closing brace. `in_loop` says whether `break` leaves a loop, not a
    /// `switch`.
    fn block(&mut self, block: &mut Vec<Statement>, in_loop: bool) -> Option<()> {
        while !self.take_mark('}') {
            self.nested(|parser| parser.statement(block, in_loop))?;
        }
        Some(())
    }

    /// Reads one statement as a block of its own.
    fn inner(&mut self, in_loop: bool) -> Option<Vec<Statement>> {
        let mut block = Vec::new();
        self.nested(|parser| parser.statement(&mut block, in_loop))?;
        Some(block)
    }

    /// Notes that expressions have set variables.
    fn flush(&mut self, block: &mut Vec<Statement>) {
        for name in core::mem::take(&mut self.set) {
            block.push(Statement::Assign(Expr::Name(name), Expr::Other));
            block.push(Statement::Declare(name, Expr::Other));
        }
    }

    fn end(&mut self) -> Option<()> {
        self.expect(';')
    }

    /// Reads an expression in parentheses.
    fn in_parentheses(&mut self, block: &mut Vec<Statement>) -> Option<Expr> {
        self.expect('(')?;
        let condition = self.expression()?;
        self.flush(block);
        self.take_mark(')').then_some(condition)
    }

    fn statement(&mut self, block: &mut Vec<Statement>, in_loop: bool) -> Option<()> {
        if self.take_mark(';') {
            return Some(());
        }
        if self.take_mark('{') {
            let mut inside = Vec::new();
            self.block(&mut inside, in_loop)?;
            block.push(Statement::If(Vec::from([(Expr::Bool(true), inside)]), Vec::new()));
            return Some(());
        }
        let word = match self.peek()? {
            Token::Name(word) => word,
            _ => "",
        };
        match word {
            "return" | "throw" => {
                self.take();
                let value = match self.is_mark(';') {
                    true => Expr::Nothing,
                    false => self.expression()?,
                };
                self.flush(block);
                // A function that throws fails.
                let value = if word == "throw" { Expr::Nothing } else { value };
                block.push(Statement::Return(value));
                self.end()
            }
            "if" => {
                self.take();
                let condition = self.in_parentheses(block)?;
                let branches = Vec::from([(condition, self.inner(in_loop)?)]);
                let otherwise = match self.take_word("else") {
                    true => self.inner(in_loop)?,
                    false => Vec::new(),
                };
                block.push(Statement::If(branches, otherwise));
                Some(())
            }
            "while" => {
                self.take();
                self.in_parentheses(block)?;
                let body = self.inner(true)?;
                block.push(Statement::Loop(None, body));
                Some(())
            }
            "do" => {
                self.take();
                let body = self.inner(true)?;
                block.push(Statement::Loop(None, body));
                self.take_word("while").then_some(())?;
                self.in_parentheses(block)?;
                self.end()
            }
            "for" => self.count(block),
            "foreach" => {
                self.take();
                self.expect('(')?;
                self.at += self.type_at(0)?;
                let name = self.take_name()?;
                self.take_word("in").then_some(())?;
                let through = self.expression()?;
                self.flush(block);
                self.expect(')')?;
                let body = self.inner(true)?;
                block.push(Statement::Loop(Some((name, through)), body));
                Some(())
            }
            "switch" => self.choices(block),
            "continue" | "break" if word == "continue" || in_loop => {
                self.take();
                block.push(Statement::Leave);
                self.end()
            }
            "break" | "goto" | "try" | "using" | "lock" | "fixed" | "unsafe" | "checked"
            | "unchecked" | "yield" | "await" | "static" | "case" | "default" => None,
            _ => {
                self.take_word("const");
                self.simple(block)
            }
        }
    }

    /// Reads `for`, whose variables are not followed.
    fn count(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        self.take();
        self.expect('(')?;
        let mut before = Vec::new();
        if !self.take_mark(';') {
            self.simple(&mut before)?;
        }
        if !self.is_mark(';') {
            self.expression()?;
        }
        self.end()?;
        let mut after = Vec::new();
        while !self.take_mark(')') {
            self.changed(&mut after)?;
            self.expect_comma(')')?;
        }
        self.flush(&mut before);
        let mut body = self.inner(true)?;
        body.append(&mut after);
        before.push(Statement::Loop(None, body));
        block.push(Statement::If(Vec::from([(Expr::Bool(true), before)]), Vec::new()));
        Some(())
    }

    fn choices(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        self.take();
        let value = self.in_parentheses(block)?;
        self.expect('{')?;
        let (mut arms, mut last) = (Vec::new(), None);
        while !self.take_mark('}') {
            let (mut patterns, mut is_last) = (Vec::new(), false);
            loop {
                if self.take_word("case") {
                    patterns.push(self.pattern()?);
                } else if self.take_word("default") {
                    is_last = true;
                    self.expect(':')?;
                } else {
                    break;
                }
            }
            let mut body = Vec::new();
            self.section(&mut body)?;
            if is_last {
                last = Some(Arm { patterns: Vec::from([ArmPattern::Any]), body });
            } else if patterns.is_empty() {
                return None;
            } else {
                arms.push(Arm { patterns, body });
            }
        }
        arms.extend(last);
        block.push(Statement::Match(value, arms));
        Some(())
    }

    /// Reads the statements of a section, up to the next one.
    fn section(&mut self, body: &mut Vec<Statement>) -> Option<()> {
        loop {
            match self.peek()? {
                Token::Name("case" | "default") | Token::Mark('}') => return Some(()),
                Token::Name("break") => {
                    self.take();
                    self.end()?;
                    let is_end =
                        matches!(self.peek()?, Token::Name("case" | "default") | Token::Mark('}'));
                    return is_end.then_some(());
                }
                Token::Mark('{') => {
                    // The braces of the whole section.
                    self.take();
                    self.nested(|parser| parser.section(body))?;
                    self.expect('}')?;
                }
                _ => self.nested(|parser| parser.statement(body, false))?,
            }
        }
    }

    /// Reads a pattern and its colon.
    fn pattern(&mut self) -> Option<ArmPattern> {
        let is_constant = matches!(self.peek()?, Token::Text(_) | Token::Number(_))
            && self.ahead(1) == Some(Token::Mark(':'));
        if is_constant {
            let pattern = self.expression()?;
            self.expect(':')?;
            return Some(ArmPattern::Value(pattern));
        }
        let mut names = Vec::new();
        loop {
            match self.take()? {
                Token::Mark(':') => return Some(ArmPattern::Other(names)),
                Token::Mark('{' | '}' | ';') => return None,
                Token::Name(name) => names.push(self.names.add(name)),
                _ => {}
            }
        }
    }

    /// Reads a declaration, or an expression or assignment.
    fn simple(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let declared = self.type_at(0).filter(|length| {
            matches!(self.ahead(*length), Some(Token::Name(word))
                if !matches!(word, "is" | "as" | "switch"))
        });
        let Some(length) = declared else {
            self.statement_of_expression(block)?;
            return self.end();
        };
        self.at += length;
        loop {
            let name = self.take_name()?;
            let value = match self.take_mark('=') {
                true if self.take_mark('{') => self.initializer()?,
                true => self.expression()?,
                false => Expr::Other,
            };
            self.flush(block);
            block.push(Statement::Declare(name, value));
            if !self.take_mark(',') {
                return self.end();
            }
        }
    }

    /// Reads an expression or an assignment as a statement.
    pub(super) fn statement_of_expression(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        self.take_word("await");
        self.changed(block)
    }

    fn changed(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let is_counted = self.take_marks("++") || self.take_marks("--");
        let target = self.expression()?;
        if is_counted || self.take_marks("++") || self.take_marks("--") {
            block.push(Statement::Assign(target, Expr::Other));
            return Some(());
        }
        let is_changed = self.take_operators();
        if self.take_marks("??=") {
            self.expression()?;
            self.flush(block);
            block.push(Statement::Assign(target, Expr::Other));
        } else if self.take_mark('=') {
            let value = self.expression()?;
            self.flush(block);
            let value = if is_changed { Expr::Other } else { value };
            block.push(Statement::Assign(target, value));
        } else if is_changed {
            return None;
        } else {
            self.flush(block);
            block.push(Statement::Do(target));
        }
        Some(())
    }
}

/// Whether a function assigns to variables that it does not declare.
pub(super) fn assigns_outside(function: &ScriptFunction) -> bool {
    fn outside(block: &[Statement], known: &mut Vec<NameId>) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Declare(name, _) => {
                known.push(*name);
                false
            }
            Statement::Assign(Expr::Name(name), _) => !known.contains(name),
            other => other.blocks().into_iter().any(|block| outside(block, known)),
        })
    }
    outside(&function.body, &mut function.parameters.clone())
}
