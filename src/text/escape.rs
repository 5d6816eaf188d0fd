//! Strings between quotes.

use core::fmt::{self, Write};

/// Which characters of a string do not stand for themselves.
#[derive(Clone, Copy)]
pub(super) enum Escapes {
    /// Quotes and backslashes: what the engines do in strings, which may go over several lines.
    Quotes,
    /// Those, the control characters that have a letter, and these: what the engines do in node
    /// paths and packed strings.
    Names(&'static str),
    /// Quotes, backslashes and whatever ends or disturbs a line.
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
            // Beside the control characters the two that Unicode made to separate lines, and those
            // that turn the direction of what follows.
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

/// The letter that stands for a control character.
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

/// Writes what is written to it with escapes.
pub(super) struct Escaping<'o, W> {
    pub(super) out: &'o mut W,
    pub(super) escapes: Escapes,
}

impl<W: Write> Escaping<'_, W> {
    fn escape(&mut self, character: char) -> fmt::Result {
        match (self.escapes, letter(character)) {
            // Godot 3 writes these two escapes and reads them as plain letters.
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
