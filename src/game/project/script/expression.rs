//! Reads expressions of GDScript.

use super::parser::{CHAIN, Parser};
use super::syntax::{Expression, Operator};
use super::tokens::Token;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// How strongly the operators bind.
const COMPARISON: u8 = 3;
const UNARY: u8 = 7;

impl Parser<'_, '_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Option<Expression> {
        self.nested(|parser| {
            let value = parser.binary(0)?;
            if !parser.take_word("if") {
                return Some(value);
            }
            let condition = parser.binary(0)?;
            if !parser.take_word("else") {
                return None;
            }
            let other = parser.expression()?;
            Some(Expression::Choice(Box::new([condition, value, other])))
        })
    }

    /// Reads operands and operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Option<Expression> {
        let mut left = self.nested(Self::unary)?;
        for _ in 0..CHAIN {
            if self.take_word("as") {
                self.skip_type()?;
                continue;
            }
            if self.take_word("is") {
                self.take_word("not");
                self.skip_type()?;
                left = Expression::Other;
                continue;
            }
            let Some((operator, strength)) = self.operator(least) else { return Some(left) };
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        None
    }

    /// Takes the next operator if it binds at least as strongly as `least`.
    fn operator(&mut self, least: u8) -> Option<(Operator, u8)> {
        let next = self.tokens.peek()?;
        let second = self.tokens.byte();
        let (operator, strength, length) = match next {
            Token::Name("or") => (Operator::Or, 1, 1),
            Token::Name("and") => (Operator::And, 2, 1),
            Token::Name("in") => (Operator::In, COMPARISON, 1),
            Token::Name("not") => (Operator::Other, COMPARISON, 2),
            Token::Mark(mark) => match (mark, second) {
                ('=', Some(b'=')) => (Operator::Equal, COMPARISON, 2),
                ('!', Some(b'=')) => (Operator::Unequal, COMPARISON, 2),
                ('<', Some(b'=')) => (Operator::LessEqual, COMPARISON, 2),
                ('>', Some(b'=')) => (Operator::GreaterEqual, COMPARISON, 2),
                ('<', Some(b'<')) | ('>', Some(b'>')) => (Operator::Other, 4, 2),
                ('<', _) => (Operator::Less, COMPARISON, 1),
                ('>', _) => (Operator::Greater, COMPARISON, 1),
                ('|', Some(b'|')) => (Operator::Or, 1, 2),
                ('&', Some(b'&')) => (Operator::And, 2, 2),
                // An assignment such as `+=`.
                ('|' | '&' | '^' | '+' | '-' | '*' | '/' | '%', Some(b'=')) => return None,
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
            self.tokens.take();
        }
        Some((operator, strength))
    }

    fn unary(&mut self) -> Option<Expression> {
        match self.tokens.peek()? {
            Token::Name("not") | Token::Mark('!') => {
                self.tokens.take();
                Some(Expression::Not(Box::new(self.binary(COMPARISON)?)))
            }
            Token::Mark('-' | '+' | '~') => {
                let is_minus = self.tokens.take() == Some(Token::Mark('-'));
                Some(match self.binary(UNARY)? {
                    Expression::Int(number) if is_minus => Expression::Int(number.checked_neg()?),
                    _ => Expression::Other,
                })
            }
            Token::Name("await") => {
                self.tokens.take();
                self.nested(Self::unary)?;
                Some(Expression::Other)
            }
            _ => {
                let first = self.primary()?;
                self.postfix(first)
            }
        }
    }

    /// Reads the members, indexes and calls after an expression.
    fn postfix(&mut self, first: Expression) -> Option<Expression> {
        let mut found = first;
        for _ in 0..CHAIN {
            if self.take_mark('.') {
                found = Expression::Member(Box::new(found), self.take_name()?);
            } else if self.take_mark('[') {
                let mut index = self.items(']')?;
                // A type such as `Dictionary[int, Node]` has two.
                found = match (index.pop(), index.is_empty()) {
                    (Some(index), true) => Expression::Index(Box::new([found, index])),
                    _ => Expression::Other,
                };
            } else if self.take_mark('(') {
                found = Expression::Call(Box::new(found), self.items(')')?);
            } else {
                return Some(found);
            }
        }
        None
    }

    /// Reads expressions between commas, up to the closing bracket.
    fn items(&mut self, end: char) -> Option<Vec<Expression>> {
        let mut items = Vec::new();
        while !self.take_mark(end) {
            items.push(self.expression()?);
            if !self.take_mark(',') && !self.is_mark(end) {
                return None;
            }
        }
        Some(items)
    }

    /// Reads the entries of a dictionary, up to the closing brace.
    fn entries(&mut self) -> Option<Vec<(Expression, Expression)>> {
        let mut entries = Vec::new();
        while !self.take_mark('}') {
            let mut key = self.expression()?;
            if self.take_mark('=') {
                // The name itself is the key.
                let Expression::Name(name) = key else { return None };
                key = Expression::Text(self.names.text(name).into());
            } else if !self.take_mark(':') {
                return None;
            }
            entries.push((key, self.expression()?));
            if !self.take_mark(',') && !self.is_mark('}') {
                return None;
            }
        }
        Some(entries)
    }

    fn primary(&mut self) -> Option<Expression> {
        Some(match self.tokens.take()? {
            Token::Name("null") => Expression::Nothing,
            Token::Name("true") => Expression::Bool(true),
            Token::Name("false") => Expression::Bool(false),
            Token::Name("func") => {
                let _ = self.take_name();
                Expression::Function(Box::new(self.function()?))
            }
            // Words that begin no expression.
            Token::Name("if" | "else" | "elif" | "for" | "while" | "match" | "var" | "return") => {
                return None;
            }
            Token::Name(name) => Expression::Name(self.names.add(name)),
            Token::Text(text) => literal(text),
            Token::Number(number) => {
                if self.is_mark('.') {
                    self.tokens.take();
                    if let Some(Token::Number(_)) = self.tokens.peek() {
                        self.tokens.take();
                    }
                    Expression::Other
                } else {
                    number.parse().map_or(Expression::Other, Expression::Int)
                }
            }
            Token::Mark('(') => {
                let inside = self.expression()?;
                if !self.take_mark(')') {
                    return None;
                }
                inside
            }
            Token::Mark('[') => Expression::List(self.items(']')?),
            Token::Mark('{') => Expression::Map(self.entries()?),
            Token::Mark('.') => match self.tokens.take()? {
                Token::Number(_) => Expression::Other,
                _ => return None,
            },
            Token::Mark('&' | '^') => match self.tokens.take()? {
                Token::Text(text) => literal(text),
                _ => return None,
            },
            Token::Mark('$') => self.node_path()?,
            Token::Mark('%') => match self.tokens.take()? {
                Token::Name(name) | Token::Text(name) => {
                    let mut path = String::from("%");
                    path.push_str(name);
                    Expression::Node(path.into())
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Reads a path after `$`.
    fn node_path(&mut self) -> Option<Expression> {
        if let Some(Token::Text(path)) = self.tokens.peek() {
            self.tokens.take();
            return Some(Expression::Node(path.into()));
        }
        let mut path = String::new();
        loop {
            match self.tokens.take()? {
                Token::Name(name) => path.push_str(name),
                Token::Mark('.') if self.take_mark('.') => path.push_str(".."),
                Token::Mark('%') => {
                    path.push('%');
                    let Some(Token::Name(name)) = self.tokens.take() else { return None };
                    path.push_str(name);
                }
                _ => return None,
            }
            if !self.take_mark('/') {
                return Some(Expression::Node(path.into()));
            }
            path.push('/');
        }
    }
}

/// A string, unless it has escape sequences.
fn literal(text: &str) -> Expression {
    if text.contains('\\') { Expression::Other } else { Expression::Text(text.into()) }
}
