//! Escapes in strings between quotes.

use core::fmt::{self, Write};

/// The characters of a string that are escaped.
#[derive(Clone, Copy)]
pub(super) enum Escapes {
    /// Quotes and backslashes, as the engines do in strings. Line breaks are not escaped.
    Quotes,
    /// Quotes, backslashes, these characters, and the control characters that have a letter, as the
    /// engines do in node paths and packed strings.
    Names(&'static str),
    /// Quotes, backslashes, and all characters that end or disturb a line.
    Line,
}

impl Escapes {
    fn includes(self, character: char) -> bool {
        match (self, character) {
            (_, '"' | '\\') => true,
            (Escapes::Quotes, _) => false,
            (Escapes::Names(others), _) => {
                letter(character).is_some() || others.contains(character)
            }
            // The control characters, Unicode's two line separators, and the characters that
            // change the direction of the text.
            (Escapes::Line, _) => {
                character.is_control()
                    || matches!(
                        character,
                        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                    )
            }
        }
    }
}

/// The letter that spells a control character after a backslash.
const fn letter(character: char) -> Option<char> {
    Some(match character {
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        _ => return None,
    })
}

/// Writes text with escapes.
pub(super) struct Escaping<'o, W> {
    pub(super) out: &'o mut W,
    pub(super) escapes: Escapes,
}

impl<W: Write> Escaping<'_, W> {
    fn escape(&mut self, character: char) -> fmt::Result {
        match (self.escapes, letter(character)) {
            // Godot 3 writes these two escapes, but reads them as plain letters.
            (Escapes::Line, Some('a' | 'v')) => write!(self.out, "\\u{:04x}", u32::from(character)),
            (_, Some(letter)) => write!(self.out, "\\{letter}"),
            (Escapes::Line, None) if !matches!(character, '"' | '\\') => {
                write!(self.out, "\\u{:04x}", u32::from(character))
            }
            (_, None) => write!(self.out, "\\{character}"),
        }
    }
}

impl<W: Write> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut written = 0;
        for (at, character) in text.char_indices() {
            if self.escapes.includes(character) {
                self.out.write_str(text.get(written..at).unwrap_or(""))?;
                self.escape(character)?;
                written = at + character.len_utf8();
            }
        }
        self.out.write_str(text.get(written..).unwrap_or(""))
    }
}
