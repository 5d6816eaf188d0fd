//! Splits C# into tokens.

use super::tokens::{Token, Tokens};

impl<'a> Tokens<'a> {
    /// Moves past one byte, which may end a line.
    fn step(&mut self) {
        self.line += u32::from(self.byte() == Some(b'\n'));
        self.at += 1;
    }

    fn missing(&mut self, line: u32, what: &'static str) {
        self.problem.get_or_insert((line, what));
    }

    fn block_comment(&mut self) {
        let line = self.line;
        while !self.rest_starts_with(b"*/") {
            if self.byte().is_none() {
                return self.missing(line, "the end of this comment");
            }
            self.step();
        }
        self.at += 2;
    }

    /// Like `rest().starts_with`, but `at` may be in the middle of a character.
    fn rest_starts_with(&self, bytes: &[u8]) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(bytes))
    }

    /// Reads a string up to its closing quotes. `holes` is the number of braces that begin an
    /// interpolated expression, or 0 if the string has none.
    fn csharp_string(&mut self, is_verbatim: bool, holes: usize) -> &'a str {
        let line = self.line;
        let quotes = if is_verbatim { 1 } else { self.run(|byte| byte == b'"').len() };
        self.at += usize::from(is_verbatim);
        if quotes == 2 {
            return "";
        }
        let start = self.at;
        let end = loop {
            match self.byte() {
                None => {
                    self.missing(line, "the end of this string");
                    break self.at;
                }
                Some(b'"') => {
                    let at = self.at;
                    let found = self.run(|byte| byte == b'"').len();
                    if quotes == 1 && is_verbatim {
                        // Two quotes are an escaped quote.
                        if found % 2 == 1 {
                            break self.at - 1;
                        }
                    } else if quotes == 1 {
                        self.at = at + 1;
                        break at;
                    } else if found >= quotes {
                        break self.at - quotes;
                    }
                }
                Some(b'\\') if quotes == 1 && !is_verbatim => {
                    self.at += 1;
                    self.step();
                }
                Some(b'{') if holes > 0 => {
                    let braces = self.run(|byte| byte == b'{').len();
                    // Doubled braces are escaped braces.
                    if braces >= holes && (holes > 1 || braces % 2 == 1) {
                        self.hole(quotes);
                    }
                }
                Some(_) => self.step(),
            }
        };
        self.text.get(start..end).unwrap_or("")
    }

    /// Skips an interpolated expression and the strings in it, up to its closing brace.
    fn hole(&mut self, quotes: usize) {
        let mut depth = 1_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' if quotes > 1 && self.rest_starts_with(b"\"\"\"") => return,
                b'"' => {
                    let prefix = self.text.as_bytes().get(self.at.saturating_sub(2)..self.at);
                    let is_verbatim = prefix.is_some_and(|prefix| prefix.contains(&b'@'));
                    self.at += 1;
                    while let Some(byte) = self.byte().filter(|byte| *byte != b'"') {
                        self.at += usize::from(byte == b'\\' && !is_verbatim);
                        self.step();
                    }
                }
                _ => {}
            }
            self.step();
            if depth == 0 {
                return;
            }
        }
    }

    /// The characters `@` and `$` before a string, if a string comes next.
    fn prefix(&self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| matches!(byte, b'@' | b'$')).count();
        rest.get(..length).filter(|_| rest.as_bytes().get(length) == Some(&b'"'))
    }

    /// Reads the next token of C#. Preprocessor lines are skipped.
    pub(super) fn csharp(&mut self) -> Option<Token<'a>> {
        loop {
            match self.byte() {
                Some(b'\n') => {
                    self.step();
                    self.is_line_start = true;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'#') if self.is_line_start => drop(self.run(|byte| byte != b'\n')),
                Some(b'/') if self.rest_starts_with(b"//") => {
                    self.run(|byte| byte != b'\n');
                }
                Some(b'/') if self.rest_starts_with(b"/*") => {
                    self.at += 2;
                    self.block_comment();
                }
                _ => break,
            }
        }
        self.is_line_start = false;
        let first = self.rest().chars().next()?;
        if let Some(prefix) = self.prefix() {
            self.at += prefix.len();
            let holes = prefix.bytes().filter(|byte| *byte == b'$').count();
            return Some(Token::Text(self.csharp_string(prefix.contains('@'), holes)));
        }
        Some(match first {
            '\'' => {
                self.at += 1;
                let start = self.at;
                // The longest spelling of a character is `\U0010ffff`.
                for _ in 0..12 {
                    match self.byte() {
                        None | Some(b'\'' | b'\n') => break,
                        Some(b'\\') => self.at += 2,
                        Some(_) => self.at += 1,
                    }
                }
                let inside = self.text.get(start..self.at).unwrap_or("");
                self.at += usize::from(self.byte() == Some(b'\''));
                while !self.text.is_char_boundary(self.at) && self.at < self.text.len() {
                    self.at += 1;
                }
                Token::Text(inside)
            }
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' | '\u{80}'.. => self.name(),
            mark => {
                self.at += mark.len_utf8();
                Token::Mark(mark)
            }
        })
    }
}
