//! Reads the statements in functions of GDScript.

use super::parser::Parser;
use super::syntax::{Arm, Expression, Pattern, Statement};
use super::tokens::Token;
use alloc::vec::Vec;

impl Parser<'_, '_> {
    /// Reads a block after its colon: the rest of the line, or the lines that are indented further.
    pub(super) fn block(&mut self) -> Option<Vec<Statement>> {
        let mut block = Vec::new();
        let Some(Token::Line { indent }) = self.tokens.peek() else {
            self.line(&mut block)?;
            return Some(block);
        };
        if indent <= self.indent {
            return Some(block);
        }
        let outer = core::mem::replace(&mut self.indent, indent);
        while let Some(Token::Line { indent }) = self.tokens.peek() {
            if indent != self.indent {
                break;
            }
            self.tokens.take();
            self.line(&mut block)?;
        }
        let is_whole = match self.tokens.peek() {
            Some(Token::Line { indent }) => indent < self.indent,
            _ => true,
        };
        self.indent = outer;
        is_whole.then_some(block)
    }

    /// Reads the statements in a line.
    fn line(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        loop {
            match self.tokens.peek() {
                // In brackets, a function ends with them, or with a comma.
                None | Some(Token::Line { .. } | Token::Mark(')' | ']' | '}' | ',')) => {
                    return Some(());
                }
                Some(Token::Mark(';')) => drop(self.tokens.take()),
                Some(_) => {
                    self.nested(|parser| parser.statement(block))?;
                    let end = self.tokens.peek();
                    let is_end = matches!(
                        end,
                        None | Some(Token::Line { .. } | Token::Mark(';' | ')' | ']' | '}' | ','))
                    );
                    if !is_end {
                        return None;
                    }
                }
            }
        }
    }

    fn statement(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let Token::Name(word) = self.tokens.peek()? else {
            if self.take_mark('@') {
                self.take_name()?;
                if self.take_mark('(') {
                    self.skip_brackets()?;
                }
                return Some(());
            }
            return self.simple(block);
        };
        match word {
            "pass" | "break" | "continue" | "breakpoint" => drop(self.tokens.take()),
            "return" => {
                self.tokens.take();
                let value = match self.tokens.peek() {
                    None | Some(Token::Line { .. } | Token::Mark(';' | ')' | ']' | '}' | ',')) => {
                        Expression::Nothing
                    }
                    _ => self.expression()?,
                };
                block.push(Statement::Return(value));
            }
            "var" | "const" => {
                self.tokens.take();
                let name = self.take_name()?;
                if self.take_mark(':') && !self.is_mark('=') {
                    self.skip_type()?;
                }
                let value = match self.take_mark('=') {
                    true => self.expression()?,
                    false => Expression::Nothing,
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
                self.tokens.take();
                if !self.take_mark(':') {
                    return None;
                }
                let found = self.block()?;
                let Some(Statement::If(_, otherwise)) = block.last_mut() else { return None };
                *otherwise = found;
            }
            "while" => {
                let (_, body) = self.branch()?;
                block.push(Statement::Loop(None, body));
            }
            "for" => {
                self.tokens.take();
                let name = self.take_name()?;
                if self.take_mark(':') {
                    self.skip_type()?;
                }
                if !self.take_word("in") {
                    return None;
                }
                self.expression()?;
                if !self.take_mark(':') {
                    return None;
                }
                block.push(Statement::Loop(Some(name), self.block()?));
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
    fn branch(&mut self) -> Option<(Expression, Vec<Statement>)> {
        self.tokens.take();
        let condition = self.expression()?;
        if !self.take_mark(':') {
            return None;
        }
        Some((condition, self.block()?))
    }

    /// Reads an expression or an assignment.
    fn simple(&mut self, block: &mut Vec<Statement>) -> Option<()> {
        let target = self.expression()?;
        let mut is_changed = false;
        while let Some(Token::Mark('+' | '-' | '*' | '/' | '%' | '|' | '&' | '^' | '<' | '>')) =
            self.tokens.peek()
        {
            self.tokens.take();
            is_changed = true;
        }
        if self.take_mark('=') {
            let value = self.expression()?;
            let value = if is_changed { Expression::Other } else { value };
            block.push(Statement::Assign(target, value));
        } else if is_changed {
            return None;
        } else {
            block.push(Statement::Do(target));
        }
        Some(())
    }

    fn choices(&mut self) -> Option<Statement> {
        self.tokens.take();
        let value = self.expression()?;
        if !self.take_mark(':') {
            return None;
        }
        let Some(Token::Line { indent }) = self.tokens.peek() else { return None };
        if indent <= self.indent {
            return None;
        }
        let outer = core::mem::replace(&mut self.indent, indent);
        let mut arms = Vec::new();
        while self.tokens.peek() == Some(Token::Line { indent }) {
            self.tokens.take();
            let mut patterns = Vec::new();
            loop {
                patterns.push(self.pattern()?);
                if !self.take_mark(',') {
                    break;
                }
            }
            if self.take_word("when") {
                self.expression()?;
                patterns.push(Pattern::Other(Vec::new()));
                // With a condition, no pattern is certain to match.
                for pattern in &mut patterns {
                    if !matches!(pattern, Pattern::Other(_)) {
                        *pattern = Pattern::Other(Vec::new());
                    }
                }
            }
            if !self.take_mark(':') {
                return None;
            }
            arms.push(Arm { patterns, body: self.block()? });
        }
        self.indent = outer;
        Some(Statement::Match(value, arms))
    }

    fn pattern(&mut self) -> Option<Pattern> {
        match self.tokens.peek()? {
            Token::Name("_") => {
                self.tokens.take();
                Some(Pattern::Any)
            }
            Token::Name("var") => {
                self.tokens.take();
                Some(Pattern::Other(Vec::from([self.take_name()?])))
            }
            Token::Mark('[' | '{') => {
                self.tokens.take();
                let (mut depth, mut names) = (1_usize, Vec::new());
                while depth > 0 {
                    match self.tokens.take()? {
                        Token::Mark('(' | '[' | '{') => depth += 1,
                        Token::Mark(')' | ']' | '}') => depth -= 1,
                        Token::Name("var") => names.push(self.take_name()?),
                        _ => {}
                    }
                }
                Some(Pattern::Other(names))
            }
            _ => Some(Pattern::Value(self.expression()?)),
        }
    }
}
