//! Splits GDScript into tokens.

use super::tokens::{Token, Tokens};

impl<'a> Tokens<'a> {
    /// Reads a string, starting at its first quote.
    fn gdscript_string(&mut self, quote: u8) -> &'a str {
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

    fn gdscript_mark(&mut self, character: char) -> Token<'a> {
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

    /// Reads the next token of GDScript. Line ends in brackets are skipped.
    pub(super) fn gdscript(&mut self) -> Option<Token<'a>> {
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
            Some('"') => Token::Text(self.gdscript_string(b'"')),
            Some('\'') => Token::Text(self.gdscript_string(b'\'')),
            Some('r') if self.rest().starts_with("r\"") || self.rest().starts_with("r'") => {
                self.at += 1;
                return self.gdscript();
            }
            Some('0'..='9') => self.number(),
            Some('a'..='z' | 'A'..='Z' | '_' | '\u{80}'..) => self.name(),
            Some(mark) => self.gdscript_mark(mark),
        })
    }
}
