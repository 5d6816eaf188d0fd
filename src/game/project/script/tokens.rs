//! What the tokens of GDScript and C# have in common.

/// A token of a script. Comments and white space are skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// The start of a line that has tokens. Only GDScript has it, and not in brackets.
    Line {
        /// The number of tabs and spaces at the start of the line.
        indent: usize,
    },
    /// A name or a keyword.
    Name(&'a str),
    /// The content of a string or of a character of C#, with its escape sequences.
    Text(&'a str),
    /// A number.
    Number(&'a str),
    /// Any other character.
    Mark(char),
}

/// Reads the next token of a language.
pub(super) type Next<'a> = fn(&mut Tokens<'a>) -> Option<Token<'a>>;

/// The tokens of a script.
pub(super) struct Tokens<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) is_line_start: bool,
    /// The number of the line, from 1.
    pub(super) line: u32,
    /// The number of open brackets. It is counted only in GDScript.
    pub(super) depth: usize,
    /// What is missing or superfluous, and its line.
    pub(super) problem: Option<(u32, &'static str)>,
    next: Next<'a>,
    ahead: Option<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str, next: Next<'a>) -> Tokens<'a> {
        Tokens {
            text,
            at: 0,
            is_line_start: true,
            line: 1,
            depth: 0,
            problem: None,
            next,
            ahead: None,
        }
    }

    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.ahead.take().or_else(|| (self.next)(self))
    }

    pub(super) fn peek(&mut self) -> Option<Token<'a>> {
        if self.ahead.is_none() {
            self.ahead = (self.next)(self);
        }
        self.ahead
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads bytes for as long as `belongs` returns true.
    pub(super) fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// Reads a name.
    pub(super) fn name(&mut self) -> Token<'a> {
        Token::Name(self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128))
    }

    /// Reads a number.
    pub(super) fn number(&mut self) -> Token<'a> {
        Token::Number(self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
    }
}
