//! Escapes the characters in JSON that a terminal would obey or not show.

use gdwire::text::disturbs_line;
use std::io::{self, Write};

/// Writes JSON with escapes for the characters that JSON allows in strings, but that disturb a line of
/// text. They occur only in strings.
pub(crate) struct JsonEscaping<W> {
    out: W,
    /// The first bytes of a character whose other bytes are not written yet.
    begun: Vec<u8>,
    /// The output with escapes.
    escaped: Vec<u8>,
}

impl<W: Write> JsonEscaping<W> {
    pub(crate) const fn new(out: W) -> JsonEscaping<W> {
        JsonEscaping { out, begun: Vec::new(), escaped: Vec::new() }
    }

    /// Takes a byte of a character that may need an escape. The last byte writes the character.
    fn look(&mut self, byte: u8) -> io::Result<()> {
        self.begun.push(byte);
        if self.begun.first().is_some_and(|first| self.begun.len() < len(*first)) {
            return Ok(());
        }
        match harmful(&self.begun) {
            Some(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(self.escaped, "\\u{unit:04x}")?;
                }
            }
            None => self.escaped.extend_from_slice(&self.begun),
        }
        self.begun.clear();
        Ok(())
    }
}

impl<W: Write> Write for JsonEscaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() && plain(bytes) == bytes.len() {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.escaped.clear();
        let mut rest = bytes;
        while let [first, behind @ ..] = rest {
            if !self.begun.is_empty() || len(*first) > 0 {
                self.look(*first)?;
                rest = behind;
                continue;
            }
            let (plain, behind) = rest.split_at(plain(rest));
            self.escaped.extend_from_slice(plain);
            rest = behind;
        }
        self.out.write_all(&self.escaped)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How many bytes there are before the first that may need an escape.
fn plain(bytes: &[u8]) -> usize {
    const PIECE: usize = 64;
    let needs = |piece: &&[u8]| piece.iter().fold(false, |any, byte| any | (len(*byte) > 0));
    let pieces = bytes.chunks(PIECE).take_while(|piece| !needs(piece)).count();
    let start = pieces.saturating_mul(PIECE).min(bytes.len());
    let rest = bytes.get(start..).unwrap_or(&[]);
    let more = rest.iter().position(|byte| len(*byte) > 0).unwrap_or(rest.len());
    start.saturating_add(more)
}

/// The length in UTF-8 of a character that starts with this byte and may need an escape; 0 for all
/// other bytes.
const fn len(first: u8) -> usize {
    match first {
        0x7f => 1,
        0xc2 | 0xd8 => 2,
        0xe1 | 0xe2 | 0xef => 3,
        0xf3 => 4,
        _ => 0,
    }
}

/// The character, if it needs an escape.
fn harmful(character: &[u8]) -> Option<char> {
    str::from_utf8(character).ok()?.chars().next().filter(|character| disturbs_line(*character))
}

#[cfg(test)]
mod tests {
    use super::JsonEscaping;
    use std::io::Write;

    #[test]
    fn what_terminals_obey_is_escaped_however_it_is_written() {
        let text =
            "\"a\u{7f}\u{9b}31m \u{a0}é€ \u{202e}x\u{2066}“ש盾\u{200b}\u{e0041}👍\"\u{9f}\u{feff}";
        let expected = "\"a\\u007f\\u009b31m \u{a0}é€ \\u202ex\\u2066“ש盾\\u200b\\udb40\\udc41👍\"\
                        \\u009f\\ufeff"
            .as_bytes();
        for size in 1..=text.len() {
            let mut out = JsonEscaping::new(Vec::new());
            for piece in text.as_bytes().chunks(size) {
                out.write_all(piece).unwrap();
            }
            assert_eq!(out.out, expected, "{size}");
        }
    }
}
