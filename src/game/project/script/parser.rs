//! Reads the functions and initial values of GDScript. What is not understood is an error: then
//! nothing is known of the function.

use super::syntax::{Expression, Function};
use super::tokens::{Token, Tokens};
use crate::game::project::names::{NameId, Names};
use alloc::vec::Vec;

/// How deeply expressions and blocks may be nested.
const DEPTH: usize = 96;
/// How many operators may follow each other in an expression.
pub(super) const CHAIN: usize = 32;

/// A reader of statements and expressions.
pub(super) struct Parser<'a, 'n> {
    pub(super) tokens: Tokens<'a>,
    pub(super) names: &'n mut Names,
    /// The indentation of the current block.
    pub(super) indent: usize,
    depth: usize,
}

/// Reads the parameters and the body of the function whose name ends at `at`.
pub(crate) fn function(text: &str, at: usize, names: &mut Names) -> Option<Function> {
    Parser::new(text, at, names).function()
}

/// Reads a value in a scene.
pub(crate) fn scene_value(text: &str, names: &mut Names) -> Option<Expression> {
    let mut parser = Parser::new(text, 0, names);
    let value = parser.expression()?;
    parser.tokens.peek().is_none().then_some(value)
}

/// Reads the initial value of the variable or constant whose name ends at `at`.
pub(crate) fn initial(text: &str, at: usize, names: &mut Names) -> Option<Expression> {
    let mut parser = Parser::new(text, at, names);
    if parser.take_mark(':') && !parser.is_mark('=') {
        parser.skip_type()?;
    }
    let value = match parser.take_mark('=') {
        true => parser.expression()?,
        false => Expression::Nothing,
    };
    // After a colon, functions decide what the value is.
    let end = parser.tokens.peek();
    matches!(end, None | Some(Token::Line { .. } | Token::Mark(';'))).then_some(value)
}

impl<'a, 'n> Parser<'a, 'n> {
    fn new(text: &'a str, at: usize, names: &'n mut Names) -> Parser<'a, 'n> {
        let mut tokens = Tokens::new(text, Tokens::gdscript);
        (tokens.at, tokens.is_line_start) = (at, false);
        Parser { tokens, names, indent: 0, depth: 0 }
    }

    /// Reads something nested, unless it is nested too deeply.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= DEPTH {
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    pub(super) fn is_mark(&mut self, mark: char) -> bool {
        self.tokens.peek() == Some(Token::Mark(mark))
    }

    pub(super) fn take_mark(&mut self, mark: char) -> bool {
        let is_next = self.is_mark(mark);
        if is_next {
            self.tokens.take();
        }
        is_next
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.tokens.peek() == Some(Token::Name(word));
        if is_next {
            self.tokens.take();
        }
        is_next
    }

    pub(super) fn take_name(&mut self) -> Option<NameId> {
        let Some(Token::Name(name)) = self.tokens.peek() else { return None };
        self.tokens.take();
        Some(self.names.add(name))
    }

    /// Skips a type: `int`, `Outer.Inner`, `Array[Node]`.
    pub(super) fn skip_type(&mut self) -> Option<()> {
        self.take_name()?;
        while self.take_mark('.') {
            self.take_name()?;
        }
        if self.take_mark('[') {
            self.skip_brackets()?;
        }
        Some(())
    }

    /// Skips the rest of brackets.
    pub(super) fn skip_brackets(&mut self) -> Option<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.tokens.take()? {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }

    /// Reads a function from its parameters on.
    pub(super) fn function(&mut self) -> Option<Function> {
        let mut parameters = Vec::new();
        if !self.take_mark('(') {
            return None;
        }
        while !self.take_mark(')') {
            while self.take_mark('.') {}
            parameters.push(self.take_name()?);
            if self.take_mark(':') && !self.is_mark('=') {
                self.skip_type()?;
            }
            if self.take_mark('=') {
                self.expression()?;
            }
            if !self.take_mark(',') && !self.is_mark(')') {
                return None;
            }
        }
        if self.take_mark('-') {
            if !self.take_mark('>') {
                return None;
            }
            self.skip_type()?;
        }
        if !self.take_mark(':') {
            return None;
        }
        let body = self.nested(Self::block)?;
        Some(Function { parameters, body })
    }
}
