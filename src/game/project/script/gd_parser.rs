//! Reads the functions and initial values of GDScript. Code that is not understood is an error:
//! then nothing is known about the function.

use super::syntax::{Arm, ArmPattern, Expr, Operator, ReadCode, ScriptFunction, Statement};
use super::tokens::{ReadTokens, Token, Tokens};
use crate::game::project::ids::Interner;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// How many operators may follow each other in an expression.
pub(super) const CHAIN: usize = 32;

/// A reader of statements and expressions.
pub(super) struct GdParser<'a, 'n> {
    pub(super) tokens: Tokens<'a>,
    pub(super) names: &'n mut Interner,
    /// The indentation of the current block.
    pub(super) indent: usize,
    depth: usize,
}

/// Reads the parameters and the body of the function whose name ends at `at`.
pub(crate) fn function(text: &str, at: usize, names: &mut Interner) -> Option<ScriptFunction> {
    GdParser::new(text, at, names).function()
}

/// Reads a value in a scene.
pub(crate) fn scene_value(text: &str, names: &mut Interner) -> Option<Expr> {
    let mut parser = GdParser::new(text, 0, names);
    let value = parser.expression()?;
    parser.peek().is_none().then_some(value)
}

/// Reads the initial value of the variable or constant whose name ends at `at`.
pub(crate) fn initial(text: &str, at: usize, names: &mut Interner) -> Option<Expr> {
    let mut parser = GdParser::new(text, at, names);
    if parser.take_mark(':') && !parser.is_mark('=') {
        parser.skip_type()?;
    }
    let value = match parser.take_mark('=') {
        true => parser.expression()?,
        false => Expr::Nothing,
    };
    // After a colon, functions decide what the value is.
    let end = parser.peek();
    matches!(end, None | Some(Token::Line { .. } | Token::Mark(';'))).then_some(value)
}

impl<'a> ReadTokens<'a> for GdParser<'a, '_> {
    fn peek(&mut self) -> Option<Token<'a>> {
        self.tokens.peek()
    }

    fn take(&mut self) -> Option<Token<'a>> {
        self.tokens.take()
    }
}

impl<'a> ReadCode<'a> for GdParser<'a, '_> {
    const DEPTH: usize = 96;

    fn names(&mut self) -> &mut Interner {
        self.names
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn expression(&mut self) -> Option<Expr> {
        self.nested(|parser| {
            let value = parser.binary(0)?;
            if !parser.take_word("if") {
                return Some(value);
            }
            let condition = parser.binary(0)?;
            parser.take_word("else").then_some(())?;
            let other = parser.expression()?;
            Some(Expr::Choice(Box::new([condition, value, other])))
        })
    }
}

impl<'a, 'n> GdParser<'a, 'n> {
    fn new(text: &'a str, at: usize, names: &'n mut Interner) -> GdParser<'a, 'n> {
        let mut tokens = Tokens::new(text, Tokens::gdscript);
        (tokens.at, tokens.is_line_start) = (at, false);
        GdParser { tokens, names, indent: 0, depth: 0 }
    }

    /// Skips a type: `int`, `Outer.Inner`, `Array[Node]`.
    pub(super) fn skip_type(&mut self) -> Option<()> {
        self.take_name()?;
        while self.take_mark('.') {
            self.take_name()?;
        }
        if self.take_mark('[') {
            self.skip_brackets().then_some(())?;
        }
        Some(())
    }

    /// Reads a function from its parameters on.
    pub(super) fn function(&mut self) -> Option<ScriptFunction> {
        let mut parameters = Vec::new();
        self.expect('(')?;
        while !self.take_mark(')') {
            while self.take_mark('.') {}
            parameters.push(self.take_name()?);
            if self.take_mark(':') && !self.is_mark('=') {
                self.skip_type()?;
            }
            if self.take_mark('=') {
                self.expression()?;
            }
            self.expect_comma(')')?;
        }
        if self.take_mark('-') {
            self.expect('>')?;
            self.skip_type()?;
        }
        self.expect(':')?;
        let body = self.nested(Self::block)?;
        Some(ScriptFunction { parameters, body })
    }
}

impl GdParser<'_, '_> {
    /// Reads a block after its colon: the rest of the line, or the lines that are indented further.
    pub(super) fn block(&mut self) -> Option<Vec<Statement>> {
        let mut block = Vec::new();
        let Some(Token::Line { indent }) = self.peek() else {
            self.line(&mut block)?;
            return Some(block);
        };
        if indent <= self.indent {
            return Some(block);
        }
        let outer = core::mem::replace(&mut self.indent, indent);
        while let Some(Token::Line { indent }) = self.peek() {
            if indent != self.indent {
                break;
            }
            self.take();
            self.line(&mut block)?;
        }
        let is_whole = match self.peek() {
            Some(Token::Line { indent }) => indent < self.indent,
            _ => true,
        };
        self.indent = outer;
        is_whole.then_some(block)
    }

    /// Whether a statement ends here. In brackets, a function ends with them, or with a comma.
    fn is_end(&mut self) -> bool {
        matches!(
            self.peek(),
            None | Some(Token::Line { .. } | Token::Mark(';' | ')' | ']' | '}' | ','))
        )
    }

    /// Reads the statements in a line.
    fn line(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        loop {
            if self.is_end() {
                if !self.take_mark(';') {
                    return Some(());
                }
            } else {
                self.nested(|parser| parser.statement(block))?;
                self.is_end().then_some(())?;
            }
        }
    }

    fn statement(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let Token::Name(word) = self.peek()? else {
            if self.take_mark('@') {
                self.take_name()?;
                if self.take_mark('(') {
                    self.skip_brackets().then_some(())?;
                }
                return Some(());
            }
            return self.simple(block);
        };
        match word {
            "pass" | "breakpoint" => drop(self.take()),
            "break" | "continue" => {
                self.take();
                block.push(Statement::Leave);
            }
            "return" => {
                self.take();
                let value = match self.is_end() {
                    true => Expr::Nothing,
                    false => self.expression()?,
                };
                block.push(Statement::Return(value));
            }
            "var" | "const" => {
                self.take();
                let name = self.take_name()?;
                if self.take_mark(':') && !self.is_mark('=') {
                    self.skip_type()?;
                }
                let value = match self.take_mark('=') {
                    true => self.expression()?,
                    false => Expr::Nothing,
                };
                block.push(Statement::Declare(name, value));
            }
            "if" => {
                let branch = self.branch()?;
                block.push(Statement::If(Vec::from([branch]), Vec::new()));
            }
            "elif" => {
                let branch = self.branch()?;
                let Some(Statement::If(branches, _)) = block.last_mut() else { return None };
                branches.push(branch);
            }
            "else" => {
                self.take();
                self.expect(':')?;
                let found = self.block()?;
                let Some(Statement::If(_, otherwise)) = block.last_mut() else { return None };
                *otherwise = found;
            }
            "while" => {
                let (_, body) = self.branch()?;
                block.push(Statement::Loop(None, body));
            }
            "for" => {
                self.take();
                let name = self.take_name()?;
                if self.take_mark(':') {
                    self.skip_type()?;
                }
                self.take_word("in").then_some(())?;
                let through = self.expression()?;
                self.expect(':')?;
                block.push(Statement::Loop(Some((name, through)), self.block()?));
            }
            "match" => {
                let found = self.choices()?;
                block.push(found);
            }
            _ => self.simple(block)?,
        }
        Some(())
    }

    /// Reads a word, a condition and the block after them.
    fn branch(&mut self) -> Option<(Expr, Vec<Statement>)> {
        self.take();
        let condition = self.expression()?;
        self.expect(':')?;
        Some((condition, self.block()?))
    }

    /// Reads an expression or an assignment.
    fn simple(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let target = self.expression()?;
        let is_changed = self.take_operators();
        if self.take_mark('=') {
            let value = self.expression()?;
            let value = if is_changed { Expr::Other } else { value };
            block.push(Statement::Assign(target, value));
        } else if is_changed {
            return None;
        } else {
            block.push(Statement::Do(target));
        }
        Some(())
    }

    fn choices(&mut self) -> Option<Statement> {
        self.take();
        let value = self.expression()?;
        self.expect(':')?;
        let Some(Token::Line { indent }) = self.peek() else { return None };
        if indent <= self.indent {
            return None;
        }
        let outer = core::mem::replace(&mut self.indent, indent);
        let mut arms = Vec::new();
        while self.peek() == Some(Token::Line { indent }) {
            self.take();
            let mut patterns = Vec::new();
            loop {
                patterns.push(self.pattern()?);
                if !self.take_mark(',') {
                    break;
                }
            }
            if self.take_word("when") {
                self.expression()?;
                patterns.push(ArmPattern::Other(Vec::new()));
                // With a condition, no pattern is certain to match.
                for pattern in &mut patterns {
                    if !matches!(pattern, ArmPattern::Other(_)) {
                        *pattern = ArmPattern::Other(Vec::new());
                    }
                }
            }
            self.expect(':')?;
            arms.push(Arm { patterns, body: self.block()? });
        }
        self.indent = outer;
        Some(Statement::Match(value, arms))
    }

    fn pattern(&mut self) -> Option<ArmPattern> {
        match self.peek()? {
            Token::Name("_") => {
                self.take();
                Some(ArmPattern::Any)
            }
            Token::Name("var") => {
                self.take();
                Some(ArmPattern::Other(Vec::from([self.take_name()?])))
            }
            Token::Mark('[' | '{') => {
                self.take();
                let (mut depth, mut names) = (1_usize, Vec::new());
                while depth > 0 {
                    match self.take()? {
                        Token::Mark('(' | '[' | '{') => depth += 1,
                        Token::Mark(')' | ']' | '}') => depth -= 1,
                        Token::Name("var") => names.push(self.take_name()?),
                        _ => {}
                    }
                }
                Some(ArmPattern::Other(names))
            }
            _ => Some(ArmPattern::Value(self.expression()?)),
        }
    }
}

/// How strongly the operators bind.
const COMPARISON: u8 = 3;
const UNARY: u8 = 7;

impl GdParser<'_, '_> {
    /// Reads operands and operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.nested(Self::unary)?;
        for _ in 0..CHAIN {
            if self.take_word("as") {
                self.skip_type()?;
                continue;
            }
            if self.take_word("is") {
                self.take_word("not");
                self.skip_type()?;
                left = Expr::Other;
                continue;
            }
            let Some((operator, strength)) = self.operator(least) else { return Some(left) };
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            left = Expr::Binary(operator, Box::new([left, right]));
        }
        None
    }

    /// Takes the next operator if it binds at least as strongly as `least`.
    fn operator(&mut self, least: u8) -> Option<(Operator, u8)> {
        let next = self.peek()?;
        let mut after = self.tokens.rest().bytes();
        let (second, third) = (after.next(), after.next());
        let (operator, strength, length) = match next {
            Token::Name("or") => (Operator::Or, 1, 1),
            Token::Name("and") => (Operator::And, 2, 1),
            Token::Name("in") => (Operator::In, COMPARISON, 1),
            Token::Name("not") => (Operator::Other, COMPARISON, 2),
            Token::Mark(mark) => match (mark, second) {
                // An assignment such as `+=`.
                ('|' | '&' | '^' | '+' | '-' | '*' | '/' | '%', Some(b'=')) => return None,
                ('<', Some(b'<')) | ('>', Some(b'>')) | ('*', Some(b'*'))
                    if third == Some(b'=') =>
                {
                    return None;
                }
                ('=', Some(b'=')) => (Operator::Equal, COMPARISON, 2),
                ('!', Some(b'=')) => (Operator::Unequal, COMPARISON, 2),
                ('<', Some(b'=')) => (Operator::LessEqual, COMPARISON, 2),
                ('>', Some(b'=')) => (Operator::GreaterEqual, COMPARISON, 2),
                ('<', Some(b'<')) | ('>', Some(b'>')) => (Operator::Other, 4, 2),
                ('<', _) => (Operator::Less, COMPARISON, 1),
                ('>', _) => (Operator::Greater, COMPARISON, 1),
                ('|', Some(b'|')) => (Operator::Or, 1, 2),
                ('&', Some(b'&')) => (Operator::And, 2, 2),
                ('|' | '&' | '^', _) => (Operator::Other, 4, 1),
                ('+', _) => (Operator::Add, 5, 1),
                ('-', _) => (Operator::Other, 5, 1),
                ('%', _) => (Operator::Remainder, 6, 1),
                ('*', Some(b'*')) => (Operator::Other, 8, 2),
                ('*' | '/', _) => (Operator::Other, 6, 1),
                _ => return None,
            },
            _ => return None,
        };
        if strength < least {
            return None;
        }
        for _ in 0..length {
            self.take();
        }
        Some((operator, strength))
    }

    fn unary(&mut self) -> Option<Expr> {
        match self.peek()? {
            Token::Name("not") | Token::Mark('!') => {
                self.take();
                Some(Expr::Not(Box::new(self.binary(COMPARISON)?)))
            }
            Token::Mark('-' | '+' | '~') => {
                let is_minus = self.take() == Some(Token::Mark('-'));
                Some(match self.binary(UNARY)? {
                    Expr::Int(number) if is_minus => Expr::Int(number.checked_neg()?),
                    _ => Expr::Other,
                })
            }
            Token::Name("await") => {
                self.take();
                self.nested(Self::unary)?;
                Some(Expr::Other)
            }
            _ => {
                let first = self.primary()?;
                self.postfix(first)
            }
        }
    }

    /// Reads the members, indexes and calls after an expression.
    fn postfix(&mut self, first: Expr) -> Option<Expr> {
        let mut found = first;
        for _ in 0..CHAIN {
            if self.take_mark('.') {
                found = Expr::Member(Box::new(found), self.take_name()?);
            } else if self.take_mark('[') {
                let mut index = self.items(']')?;
                // A type such as `Dictionary[int, Node]` has two.
                found = match (index.pop(), index.is_empty()) {
                    (Some(index), true) => Expr::Index(Box::new([found, index])),
                    _ => Expr::Other,
                };
            } else if self.take_mark('(') {
                found = Expr::Call(Box::new(found), self.items(')')?);
            } else {
                return Some(found);
            }
        }
        None
    }

    /// Reads the entries of a dictionary, up to the closing brace.
    fn entries(&mut self) -> Option<Vec<(Expr, Expr)>> {
        let mut entries = Vec::new();
        while !self.take_mark('}') {
            let mut key = self.expression()?;
            if self.take_mark('=') {
                // The name itself is the key.
                let Expr::Name(name) = key else { return None };
                key = Expr::Text(self.names.text(name).into());
            } else {
                self.expect(':')?;
            }
            entries.push((key, self.expression()?));
            self.expect_comma('}')?;
        }
        Some(entries)
    }

    fn primary(&mut self) -> Option<Expr> {
        Some(match self.take()? {
            Token::Name("null") => Expr::Nothing,
            Token::Name("true") => Expr::Bool(true),
            Token::Name("false") => Expr::Bool(false),
            Token::Name("func") => {
                let _ = self.take_name();
                Expr::Function(Box::new(self.function()?))
            }
            // Words that begin no expression.
            Token::Name("if" | "else" | "elif" | "for" | "while" | "match" | "var" | "return") => {
                return None;
            }
            Token::Name(name) => Expr::Name(self.names.add(name)),
            Token::Text(text) => literal(text),
            Token::Number(number) => {
                if self.is_mark('.') {
                    self.take();
                    if let Some(Token::Number(_)) = self.peek() {
                        self.take();
                    }
                    Expr::Other
                } else {
                    number.parse().map_or(Expr::Other, Expr::Int)
                }
            }
            Token::Mark('(') => {
                let inside = self.expression()?;
                self.expect(')')?;
                inside
            }
            Token::Mark('[') => Expr::List(self.items(']')?),
            Token::Mark('{') => Expr::Map(self.entries()?),
            Token::Mark('.') => match self.take()? {
                Token::Number(_) => Expr::Other,
                _ => return None,
            },
            Token::Mark('&' | '^') => match self.take()? {
                Token::Text(text) => literal(text),
                _ => return None,
            },
            Token::Mark('$') => self.node_path()?,
            Token::Mark('%') => match self.take()? {
                Token::Name(name) | Token::Text(name) => {
                    let mut path = String::from("%");
                    path.push_str(name);
                    Expr::Node(path.into())
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Reads a path after `$`.
    fn node_path(&mut self) -> Option<Expr> {
        if let Some(Token::Text(path)) = self.peek() {
            self.take();
            return Some(Expr::Node(path.into()));
        }
        let mut path = String::new();
        loop {
            match self.take()? {
                Token::Name(name) => path.push_str(name),
                Token::Mark('.') if self.take_mark('.') => path.push_str(".."),
                Token::Mark('%') => {
                    path.push('%');
                    let Some(Token::Name(name)) = self.take() else { return None };
                    path.push_str(name);
                }
                _ => return None,
            }
            if !self.take_mark('/') {
                return Some(Expr::Node(path.into()));
            }
            path.push('/');
        }
    }
}

/// A string, unless it has escape sequences.
fn literal(text: &str) -> Expr {
    if text.contains('\\') { Expr::Other } else { Expr::Text(text.into()) }
}
