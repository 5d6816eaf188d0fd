//! Reads the functions and initial values of C#, in the form of those of GDScript: methods of the
//! engine get the names that they have there. What is not understood is an error: then nothing is
//! known of the function.

use super::syntax::{Expression, Function};
use super::tokens::{Token, Tokens};
use crate::game::project::names::{NameId, Names};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// How deeply expressions and blocks may be nested.
const DEPTH: usize = 64;
/// How many tokens a function or a value may have.
const TOKENS: usize = 1 << 14;
/// How far the reader looks ahead to tell types from expressions.
const AHEAD: usize = 64;

/// A reader of statements and expressions.
pub(super) struct Parser<'a, 'n> {
    tokens: Vec<Token<'a>>,
    pub(super) at: usize,
    pub(super) names: &'n mut Names,
    depth: usize,
    /// The variables that the current statement sets in its expressions.
    pub(super) set: Vec<NameId>,
}

/// Reads the parameters and the body of the method whose opening parenthesis ends at `at`.
pub(crate) fn function(text: &str, at: usize, names: &mut Names) -> Option<Function> {
    let mut parser = Parser::new(text, at, names);
    let parameters = parser.parameters()?;
    while parser.is_word("where") {
        while !matches!(parser.peek()?, Token::Mark('{' | '=')) {
            parser.at += 1;
        }
    }
    parser.body(parameters)
}

/// Reads the initial value of the field or property whose name ends at `at`.
pub(crate) fn initial(text: &str, at: usize, names: &mut Names) -> Option<Expression> {
    let mut parser = Parser::new(text, at, names);
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
        return Some(Expression::Other);
    }
    parser.take_mark('>');
    let value = match parser.take_mark('{') {
        true => parser.initializer()?,
        false => parser.expression()?,
    };
    (parser.set.is_empty() && matches!(parser.peek()?, Token::Mark(';' | ','))).then_some(value)
}

impl<'a, 'n> Parser<'a, 'n> {
    fn new(text: &'a str, at: usize, names: &'n mut Names) -> Parser<'a, 'n> {
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
        Parser { tokens, at: 0, names, depth: 0, set: Vec::new() }
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

    /// The token after so many others.
    pub(super) fn ahead(&self, count: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at.checked_add(count)?).copied()
    }

    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.ahead(0)
    }

    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.peek() == Some(Token::Mark(mark))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.peek() == Some(Token::Name(word))
    }

    pub(super) fn take_mark(&mut self, mark: char) -> bool {
        let is_next = self.is_mark(mark);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes characters that follow each other, such as `=>`.
    pub(super) fn take_marks(&mut self, marks: &str) -> bool {
        let is_next = marks.chars().enumerate().all(|(n, c)| self.ahead(n) == Some(Token::Mark(c)));
        self.at += if is_next { marks.len() } else { 0 };
        is_next
    }

    pub(super) fn take_name(&mut self) -> Option<NameId> {
        let Token::Name(name) = self.take()? else { return None };
        Some(self.names.add(name))
    }

    /// An expression that is a name of GDScript.
    pub(super) fn named(&mut self, name: &str) -> Box<Expression> {
        Box::new(Expression::Name(self.names.add(name)))
    }

    /// The number of tokens of the type that begins after so many tokens: `int`, `A.B<C>`, `D[]`.
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
    pub(super) fn lambda(&mut self) -> Option<Expression> {
        let parameters = match self.take()? {
            Token::Mark('(') => self.parameters()?,
            Token::Name(name) => Vec::from([self.names.add(name)]),
            _ => return None,
        };
        let outer = core::mem::take(&mut self.set);
        let function = self.nested(|parser| parser.body(parameters))?;
        if !self.set.is_empty() || super::cs_body::assigns_outside(&function) {
            return None;
        }
        self.set = outer;
        Some(Expression::Function(Box::new(function)))
    }
}
