//! Reads the statements in methods of C#.

use super::cs_parser::Parser;
use super::syntax::{Arm, Expression, Function, Pattern, Statement};
use super::tokens::Token;
use crate::game::project::names::NameId;
use alloc::vec::Vec;

/// What `break` leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Function,
    Loop,
    Switch,
}

impl Parser<'_, '_> {
    /// Reads the body of a function or a lambda: a block, or an expression after `=>`.
    pub(super) fn body(&mut self, parameters: Vec<NameId>) -> Option<Function> {
        let mut body = Vec::new();
        let is_expression = self.take_marks("=>") && !self.is_mark('{');
        if is_expression {
            self.statement_of_expression(&mut body)?;
            if let Some(Statement::Do(value)) = body.last_mut() {
                let value = core::mem::replace(value, Expression::Other);
                body.pop();
                body.push(Statement::Return(value));
            }
        } else {
            if !self.take_mark('{') {
                return None;
            }
            self.block(&mut body, Around::Function)?;
        }
        Some(Function { parameters, body })
    }

    /// Reads statements up to the closing brace.
    fn block(&mut self, block: &mut Vec<Statement>, around: Around) -> Option<()> {
        while !self.take_mark('}') {
            self.nested(|parser| parser.statement(block, around))?;
        }
        Some(())
    }

    /// Reads one statement as a block of its own.
    fn inner(&mut self, around: Around) -> Option<Vec<Statement>> {
        let mut block = Vec::new();
        self.nested(|parser| parser.statement(&mut block, around))?;
        Some(block)
    }

    /// Notes that expressions have set variables.
    fn flush(&mut self, block: &mut Vec<Statement>) {
        for name in core::mem::take(&mut self.set) {
            block.push(Statement::Assign(Expression::Name(name), Expression::Other));
            block.push(Statement::Declare(name, Expression::Other));
        }
    }

    fn end(&mut self) -> Option<()> {
        self.take_mark(';').then_some(())
    }

    /// Reads an expression in parentheses.
    fn in_parentheses(&mut self, block: &mut Vec<Statement>) -> Option<Expression> {
        if !self.take_mark('(') {
            return None;
        }
        let condition = self.expression()?;
        self.flush(block);
        self.take_mark(')').then_some(condition)
    }

    fn statement(&mut self, block: &mut Vec<Statement>, around: Around) -> Option<()> {
        if self.take_mark(';') {
            return Some(());
        }
        if self.take_mark('{') {
            let mut inside = Vec::new();
            self.block(&mut inside, around)?;
            block.push(Statement::If(Vec::from([(Expression::Bool(true), inside)]), Vec::new()));
            return Some(());
        }
        let word = match self.peek()? {
            Token::Name(word) => word,
            _ => "",
        };
        match word {
            "return" => {
                self.take();
                let value = match self.is_mark(';') {
                    true => Expression::Nothing,
                    false => self.expression()?,
                };
                self.flush(block);
                block.push(Statement::Return(value));
                self.end()
            }
            "throw" => {
                self.take();
                if !self.is_mark(';') {
                    self.expression()?;
                }
                self.flush(block);
                block.push(Statement::Return(Expression::Nothing));
                self.end()
            }
            "if" => {
                self.take();
                let condition = self.in_parentheses(block)?;
                let branches = Vec::from([(condition, self.inner(around)?)]);
                let otherwise = match self.take_word("else") {
                    true => self.inner(around)?,
                    false => Vec::new(),
                };
                block.push(Statement::If(branches, otherwise));
                Some(())
            }
            "while" => {
                self.take();
                self.in_parentheses(block)?;
                let body = self.inner(Around::Loop)?;
                block.push(Statement::Loop(None, body));
                Some(())
            }
            "do" => {
                self.take();
                let body = self.inner(Around::Loop)?;
                block.push(Statement::Loop(None, body));
                if !self.take_word("while") {
                    return None;
                }
                self.in_parentheses(block)?;
                self.end()
            }
            "for" => self.count(block),
            "foreach" => {
                self.take();
                if !self.take_mark('(') {
                    return None;
                }
                self.at += self.type_at(0)?;
                let name = self.take_name()?;
                if !self.take_word("in") {
                    return None;
                }
                self.expression()?;
                self.flush(block);
                if !self.take_mark(')') {
                    return None;
                }
                let body = self.inner(Around::Loop)?;
                block.push(Statement::Loop(Some(name), body));
                Some(())
            }
            "switch" => self.choices(block),
            "continue" => {
                self.take();
                self.end()
            }
            "break" if around == Around::Loop => {
                self.take();
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
        if !self.take_mark('(') {
            return None;
        }
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
            if !self.take_mark(',') && !self.is_mark(')') {
                return None;
            }
        }
        self.flush(&mut before);
        let mut body = self.inner(Around::Loop)?;
        body.append(&mut after);
        before.push(Statement::Loop(None, body));
        block.push(Statement::If(Vec::from([(Expression::Bool(true), before)]), Vec::new()));
        Some(())
    }

    fn choices(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        self.take();
        let value = self.in_parentheses(block)?;
        if !self.take_mark('{') {
            return None;
        }
        let (mut arms, mut last) = (Vec::new(), None);
        while !self.take_mark('}') {
            let (mut patterns, mut is_last) = (Vec::new(), false);
            loop {
                if self.take_word("case") {
                    patterns.push(self.pattern()?);
                } else if self.take_word("default") {
                    is_last = true;
                    self.take_mark(':').then_some(())?;
                } else {
                    break;
                }
            }
            let mut body = Vec::new();
            self.section(&mut body)?;
            if is_last {
                last = Some(Arm { patterns: Vec::from([Pattern::Any]), body });
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
                    self.section(body)?;
                    self.take_mark('}').then_some(())?;
                }
                _ => self.nested(|parser| parser.statement(body, Around::Switch))?,
            }
        }
    }

    /// Reads a pattern and its colon.
    fn pattern(&mut self) -> Option<Pattern> {
        let is_constant = matches!(self.peek()?, Token::Text(_) | Token::Number(_))
            && self.ahead(1) == Some(Token::Mark(':'));
        if is_constant {
            let pattern = self.expression()?;
            self.take_mark(':').then_some(())?;
            return Some(Pattern::Value(pattern));
        }
        let mut names = Vec::new();
        loop {
            match self.take()? {
                Token::Mark(':') => return Some(Pattern::Other(names)),
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
                false => Expression::Other,
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
        if self.take_marks("++") || self.take_marks("--") {
            let target = self.expression()?;
            block.push(Statement::Assign(target, Expression::Other));
            return Some(());
        }
        let target = self.expression()?;
        if self.take_marks("++") || self.take_marks("--") {
            block.push(Statement::Assign(target, Expression::Other));
            return Some(());
        }
        let mut is_changed = false;
        while let Some(Token::Mark('+' | '-' | '*' | '/' | '%' | '|' | '&' | '^' | '<' | '>')) =
            self.peek()
        {
            self.take();
            is_changed = true;
        }
        if self.take_marks("??=") {
            self.expression()?;
            self.flush(block);
            block.push(Statement::Assign(target, Expression::Other));
        } else if self.take_mark('=') {
            let value = self.expression()?;
            self.flush(block);
            let value = if is_changed { Expression::Other } else { value };
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
pub(super) fn assigns_outside(function: &Function) -> bool {
    fn outside(block: &[Statement], known: &mut Vec<NameId>) -> bool {
        block.iter().any(|statement| match statement {
            Statement::Declare(name, _) => {
                known.push(*name);
                false
            }
            Statement::Assign(Expression::Name(name), _) => !known.contains(name),
            Statement::If(branches, otherwise) => {
                branches.iter().any(|(_, body)| outside(body, known)) || outside(otherwise, known)
            }
            Statement::Match(_, arms) => arms.iter().any(|arm| outside(&arm.body, known)),
            Statement::Loop(_, body) => outside(body, known),
            _ => false,
        })
    }
    outside(&function.body, &mut function.parameters.clone())
}
