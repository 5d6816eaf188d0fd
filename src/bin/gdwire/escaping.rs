//! JSON that is safe on terminals.

use std::io::{self, Write};

/// Writes JSON with escapes for what its grammar does not forbid in strings, but what terminals
/// obey: delete, the control characters from U+0080 on, and those that turn the direction of text.
/// None of them is anywhere but in strings.
pub(crate) struct JsonEscaping<W> {
    out: W,
    /// The beginning of a character whose end is yet to be written.
    begun: Vec<u8>,
}

impl<W: Write> JsonEscaping<W> {
    pub(crate) const fn new(out: W) -> JsonEscaping<W> {
        JsonEscaping { out, begun: Vec::new() }
    }

    /// Writes the character that was begun once its end is there.
    fn end_character(&mut self, byte: u8) -> io::Result<()> {
        self.begun.push(byte);
        let Some(first) = self.begun.first() else { return Ok(()) };
        if self.begun.len() < len(*first) {
            return Ok(());
        }
        match harmful(&self.begun) {
            Some(code) => write!(self.out, "\\u{code:04x}")?,
            None => self.out.write_all(&self.begun)?,
        }
        self.begun.clear();
        Ok(())
    }
}

impl<W: Write> Write for JsonEscaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let [first, behind @ ..] = rest {
            if !self.begun.is_empty() || len(*first) > 0 {
                self.end_character(*first)?;
                rest = behind;
                continue;
            }
            let plain = rest.iter().position(|byte| len(*byte) > 0).unwrap_or(rest.len());
            let (plain, behind) = rest.split_at(plain);
            self.out.write_all(plain)?;
            rest = behind;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How long a character of UTF-8 is, if its first byte is one of those that need a look; else 0.
const fn len(first: u8) -> usize {
    match first {
        0x7f => 1,
        0xc2 => 2,
        0xe2 => 3,
        _ => 0,
    }
}

/// The number of a character, if it is to be escaped.
fn harmful(character: &[u8]) -> Option<u32> {
    let character = str::from_utf8(character).ok()?.chars().next()?;
    matches!(
        character,
        '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
    .then_some(character.into())
}

#[cfg(test)]
mod tests {
    use super::JsonEscaping;
    use std::io::Write;

    #[test]
    fn what_terminals_obey_is_escaped_however_it_is_written() {
        let text = "\"a\u{7f}\u{9b}31m \u{a0}é€ \u{202e}x\u{2066}“ש\u{2028}\"\u{9f}";
        let expected =
            "\"a\\u007f\\u009b31m \u{a0}é€ \\u202ex\\u2066“ש\u{2028}\"\\u009f".as_bytes();
        for size in 1..=text.len() {
            let mut out = JsonEscaping::new(Vec::new());
            for piece in text.as_bytes().chunks(size) {
                out.write_all(piece).unwrap();
            }
            assert_eq!(out.out, expected, "{size}");
        }
    }
}
