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
            (Escapes::Line, _) => disturbs_line(character),
        }
    }
}

/// Whether a character ends or disturbs a line of text: a terminal obeys it, or a reader cannot see
/// that it is there.
///
/// These are the control characters, Unicode's two line separators, what changes the direction of the
/// text, and what is not visible: spaces without width, joiners, invisible operators, tags, and
/// the like. Variation selectors, which change how an emoji looks, are none of them.
///
/// ```
/// use gdwire::text::disturbs_line;
///
/// assert!(['\n', '\u{1b}', '\u{200b}', '\u{202e}', '\u{feff}', '\u{e0041}'].into_iter().all(disturbs_line));
/// assert!(!['a', 'é', 'ש', '\u{a0}', '👍'].into_iter().any(disturbs_line));
/// ```
#[must_use]
pub const fn disturbs_line(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
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
    fn number(&mut self, character: char) -> fmt::Result {
        match u32::from(character) {
            number @ ..=0xffff => write!(self.out, "\\u{number:04x}"),
            number => write!(self.out, "\\U{number:06x}"),
        }
    }

    fn escape(&mut self, character: char) -> fmt::Result {
        match (self.escapes, letter(character)) {
            // Godot 3 writes these two escapes, but reads them as plain letters.
            (Escapes::Line, Some('a' | 'v')) => self.number(character),
            (_, Some(letter)) => write!(self.out, "\\{letter}"),
            (Escapes::Line, None) if !matches!(character, '"' | '\\') => self.number(character),
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
