//! Splits GDScript into tokens.

/// A token of GDScript. Comments and white space are skipped, as are line ends in brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// The start of a line that has tokens.
    Line {
        /// The number of tabs and spaces at the start of the line.
        indent: usize,
    },
    /// A name or a keyword.
    Name(&'a str),
    /// The content of a string, with its escape sequences.
    Text(&'a str),
    /// A number.
    Number(&'a str),
    /// Any other character.
    Mark(char),
}

/// The tokens of a script.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    is_line_start: bool,
    /// The number of the line, from 1.
    pub(super) line: u32,
    /// The number of open brackets.
    pub(super) depth: usize,
    /// What is missing or superfluous, and its line.
    pub(super) problem: Option<(u32, &'static str)>,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, is_line_start: true, line: 1, depth: 0, problem: None }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads bytes for as long as `belongs` returns true.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    /// Reads a string, starting at its first quote.
    fn string(&mut self, quote: u8) -> &'a str {
        let triple: &str = if quote == b'"' { "\"\"\"" } else { "'''" };
        let end = if self.rest().starts_with(triple) { 3 } else { 1 };
        self.at += end;
        let (start, line) = (self.at, self.line);
        loop {
            match self.byte() {
                None => {
                    self.problem.get_or_insert((line, "the end of this string"));
                    return self.text.get(start..).unwrap_or("");
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.line += u32::from(self.byte() == Some(b'\n'));
                }
                Some(byte) if byte == quote && (end == 1 || self.rest().starts_with(triple)) => {
                    let inside = self.text.get(start..self.at).unwrap_or("");
                    self.at += end;
                    return inside;
                }
                Some(byte) => self.line += u32::from(byte == b'\n'),
            }
            // After a backslash, `at` may be in the middle of a character. The other bytes of that
            // character are not ASCII, so none is taken for a quote.
            self.at += 1;
        }
    }

    fn mark(&mut self, character: char) -> Token<'a> {
        self.at += character.len_utf8();
        match character {
            '(' | '[' | '{' => self.depth += 1,
            ')' | ']' | '}' if self.depth == 0 => {
                self.problem.get_or_insert((self.line, "a bracket that this one closes"));
            }
            ')' | ']' | '}' => self.depth -= 1,
            _ => {}
        }
        Token::Mark(character)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let mut indent = 0;
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\r') => {
                    indent += self.run(|byte| matches!(byte, b' ' | b'\t' | b'\r')).len();
                }
                Some(b'\n') => {
                    self.at += 1;
                    self.line += 1;
                    self.is_line_start |= self.depth == 0;
                    indent = 0;
                }
                Some(b'#') => drop(self.run(|byte| byte != b'\n')),
                // A backslash continues the line.
                Some(b'\\') => {
                    self.at += 1;
                    self.run(|byte| byte == b'\r');
                    if self.byte() == Some(b'\n') {
                        self.at += 1;
                        self.line += 1;
                    }
                }
                _ => break,
            }
        }
        let first = self.rest().chars().next();
        if first.is_some() && core::mem::take(&mut self.is_line_start) {
            return Some(Token::Line { indent });
        }
        Some(match first {
            None => {
                if self.depth > 0 {
                    self.problem.get_or_insert((self.line, "the closing bracket"));
                }
                return None;
            }
            Some('"') => Token::Text(self.string(b'"')),
            Some('\'') => Token::Text(self.string(b'\'')),
            Some('r') if self.rest().starts_with("r\"") || self.rest().starts_with("r'") => {
                self.at += 1;
                return self.next();
            }
            Some('0'..='9') => {
                Token::Number(self.run(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
            }
            Some('a'..='z' | 'A'..='Z' | '_' | '\u{80}'..) => {
                let belongs =
                    |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128;
                Token::Name(self.run(belongs))
            }
            Some(mark) => self.mark(mark),
        })
    }
}
