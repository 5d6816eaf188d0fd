//! Base64, in which Pandemonium spells byte arrays: the standard alphabet with padding.
//!
//! It is written here so that the core of the crate needs no dependency for it.

use core::fmt::{self, Display, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Shows bytes in base64.
pub(super) struct Base64<'a>(pub(super) &'a [u8]);

impl Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chunks(3).try_for_each(|group| {
            let bits = bits(group.iter().map(|byte| u32::from(*byte)), 8, 3);
            for place in 0..4 {
                let digit = (bits >> (18 - 6 * place)) as usize % ALPHABET.len();
                let letter = ALPHABET.get(digit).filter(|_| place <= group.len());
                f.write_char(letter.map_or('=', |letter| char::from(*letter)))?;
            }
            Ok(())
        })
    }
}

/// The bytes of a text in base64. Its padding may be missing. `None` if the text is not base64.
#[cfg(feature = "alloc")]
pub(super) fn decode(text: &str) -> Option<alloc::vec::Vec<u8>> {
    let digits = match text.len() % 4 {
        0 => text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text),
        _ => text,
    };
    let mut decoded = alloc::vec::Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.as_bytes().chunks(4) {
        let mut values = [0; 4];
        for (value, letter) in values.iter_mut().zip(group) {
            *value = value_of(*letter)?;
        }
        let [_, bytes @ ..] = bits(values.into_iter(), 6, 4).to_be_bytes();
        // A single letter is less than a byte. Bits after the last byte would be lost, so they must
        // be zero.
        let whole = group.len().checked_sub(1).filter(|whole| *whole > 0)?;
        let (bytes, lost) = bytes.split_at_checked(whole)?;
        if lost.iter().any(|byte| *byte != 0) {
            return None;
        }
        decoded.extend_from_slice(bytes);
    }
    Some(decoded)
}

/// Joins numbers of `width` bits each. Missing numbers count as zero.
fn bits(numbers: impl Iterator<Item = u32>, width: u32, count: usize) -> u32 {
    let padded = numbers.chain(core::iter::repeat(0)).take(count);
    padded.fold(0, |bits, number| bits << width | number)
}

#[cfg(feature = "alloc")]
fn value_of(letter: u8) -> Option<u32> {
    let (first, value) = match letter {
        b'A'..=b'Z' => (b'A', 0),
        b'a'..=b'z' => (b'a', 26),
        b'0'..=b'9' => (b'0', 52),
        b'+' => return Some(62),
        b'/' => return Some(63),
        _ => return None,
    };
    Some(u32::from(letter - first) + value)
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    #[test]
    fn known_texts_are_written_and_read() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff\xfe\xfd\xfb\xf0", "//79+/A="),
        ] {
            assert_eq!(Base64(bytes).to_string(), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes));
        }
        let all: Vec<u8> = (0..=255).collect();
        for end in 0..all.len() {
            assert_eq!(decode(&Base64(&all[..end]).to_string()).as_deref(), Some(&all[..end]));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["A", "AAAAA", "A===", "====", "AA=A", "AB==", "AAB=", "AA-_", "AAé", "AA ="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
