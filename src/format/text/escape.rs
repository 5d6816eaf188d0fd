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
    /// Only the characters that end or disturb a line: the text is not between quotes.
    #[cfg(feature = "alloc")]
    Unquoted,
}

impl Escapes {
    fn includes(self, character: char) -> bool {
        match (self, character) {
            #[cfg(feature = "alloc")]
            (Escapes::Unquoted, _) => disturbs_line(character),
            (_, '"' | '\\') => true,
            (Escapes::Quotes, _) => false,
            (Escapes::Names(others), _) => {
                letter(character).is_some() || others.contains(character)
            }
            (Escapes::Line, _) => disturbs_line(character),
        }
    }
}

/// Whether a character ends or disturbs a line of text: a terminal interprets it, or a reader
/// cannot see it.
///
/// These are the control characters, Unicode's two line separators, what changes the direction of
/// the text, and what is not visible: spaces without width, joiners, invisible operators, tags, and
/// the like. Variation selectors, which change how an emoji looks, are not among them.
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

impl<W: Write> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(text, self.escapes, self.out)
    }
}

/// Writes text with escapes.
#[inline]
pub(super) fn escape(text: &str, escapes: Escapes, out: &mut impl Write) -> fmt::Result {
    if suspect(text.as_bytes()).is_none() && !matches!(escapes, Escapes::Names(_)) {
        return out.write_str(text);
    }
    escape_each(text, escapes, out)
}

#[inline(never)]
fn escape_each(text: &str, escapes: Escapes, out: &mut impl Write) -> fmt::Result {
    let mut written = 0;
    for (at, character) in text.char_indices() {
        if escapes.includes(character) {
            out.write_str(text.get(written..at).unwrap_or(""))?;
            written = at + character.len_utf8();
            match (escapes, letter(character)) {
                // The engines write these two escapes in names, but read them as plain letters.
                (_, Some('a' | 'v')) => number(character, out),
                (_, Some(letter)) => write!(out, "\\{letter}"),
                (_, None) if disturbs_line(character) => number(character, out),
                (_, None) => write!(out, "\\{character}"),
            }?;
        }
    }
    out.write_str(text.get(written..).unwrap_or(""))
}

fn number(character: char, out: &mut impl Write) -> fmt::Result {
    match u32::from(character) {
        number @ ..=0xffff => write!(out, "\\u{number:04x}"),
        number => write!(out, "\\U{number:06x}"),
    }
}

/// The index of the first byte that may begin a character of [`Escapes::Line`].
#[inline]
pub(crate) fn suspect(text: &[u8]) -> Option<usize> {
    // Pieces of this size are looked at in one step.
    const PIECE: usize = 16;
    let is_plain =
        |byte: &u8| (*byte >= b' ') & (*byte < 0x7f) & (*byte != b'"') & (*byte != b'\\');
    let mut start = 0_usize;
    while let Some(piece) = text.get(start..start.saturating_add(PIECE))
        && piece.iter().fold(true, |all, byte| all & is_plain(byte))
    {
        start += PIECE;
    }
    let rest = text.get(start..).unwrap_or(&[]);
    let is_suspect = |byte: &u8| SUSPECTS.get(usize::from(*byte)) == Some(&true);
    rest.iter().position(is_suspect).map(|at| start.saturating_add(at))
}

/// Whether a character of [`Escapes::Line`] begins with a byte. Other characters can begin with the
/// same byte. Looking a byte up is faster than comparing it.
#[expect(clippy::indexing_slicing, reason = "every byte is a valid index")]
const SUSPECTS: [bool; 256] = {
    let mut suspects = [false; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        suspects[byte as usize] =
            matches!(byte, 0..b' ' | b'"' | b'\\' | 0x7f | 0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3);
        byte += 1;
    }
    suspects
};

/// Text without quotes in one line, with the escapes of [`Layout::Line`](super::Layout::Line).
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, Escapes::Line, f)
    }
}

/// Text without quotes in one line, in which quotes and backslashes stay as they are: what the user wrote.
#[cfg(feature = "alloc")]
pub(crate) struct AsWritten<'a>(pub(crate) &'a str);

#[cfg(feature = "alloc")]
impl fmt::Display for AsWritten<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape(self.0, Escapes::Unquoted, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_is_escaped_is_found() {
        for character in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let text = character.encode_utf8(&mut bytes).as_bytes();
            if Escapes::Line.includes(character) {
                assert_eq!(suspect(text), Some(0), "{character:?}");
            }
        }
        let mut text = *b"a text of forty bytes, and a few more...";
        assert_eq!(suspect(&text), None);
        for place in (0..text.len()).rev() {
            text[place] = b'"';
            assert_eq!(suspect(&text), Some(place));
        }
    }
}
