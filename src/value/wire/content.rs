//! The content of an item, which follows its fixed-size head: bytes to skip, or text to check.

use core::ffi::CStr;

/// Bytes of a known length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// Whole 4-byte words with any content.
    Skip(usize),
    /// Bytes with any content, then padding.
    Bytes(usize),
    /// A string, then padding.
    Text(usize),
}

/// Rounds `length`, which has at most 31 bits, up to a multiple of four.
#[inline(always)]
pub(crate) const fn padded(length: usize) -> usize {
    length.wrapping_add(3) & !3
}

/// Whether the strings of a value can be used as they are.
///
/// It has the size of a register, because views are passed in whole registers. A smaller flag would
/// be written alone and read together with its neighbours, which stalls the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Text {
    /// The engines read every string to its end.
    Plain,
    /// A string may contain a NUL, which ends it early, or start with a byte order mark. The
    /// engines drop that mark, and the NUL with everything after it.
    Cut,
}

const ONES: u64 = u64::MAX / 0xff;
const TOPS: u64 = ONES << 7;

/// Sets the top bit of each byte of the word that is zero or above 127. It may also set the top bit
/// of the byte above a zero.
#[inline(always)]
const fn suspect(word: u64) -> u64 {
    (word | word.wrapping_sub(ONES)) & TOPS
}

/// Whether `input` starts with a text of `length` bytes of ASCII without NUL, as nearly every key
/// is. The result may wrongly be false, which only costs time.
#[inline(always)]
pub(crate) fn is_plain(input: &[u8], length: usize) -> bool {
    let Some(first) = input.first_chunk() else { return are_plain(input, length) };
    let first = suspect(u64::from_le_bytes(*first));
    match length {
        0 => true,
        // The bytes after the text do not count.
        1..=8 => first << (64 - 8 * length) == 0,
        9..=16 => {
            let last = input.get(length - 8..length).and_then(|last| last.first_chunk());
            let Some(last) = last else { return false };
            first | suspect(u64::from_le_bytes(*last)) == 0
        }
        _ => are_plain(input, length),
    }
}

/// Does the same for other lengths, and for short texts at the end of an input.
#[inline(never)]
fn are_plain(input: &[u8], length: usize) -> bool {
    let (words, last) = input.get(..length).unwrap_or(input).as_chunks();
    let last = last.iter().all(|byte| (1..0x80).contains(byte));
    last && words.iter().fold(0, |seen, word| seen | suspect(u64::from_le_bytes(*word))) == 0
}

/// Whether the first `length` bytes, at most 8, are ASCII without NUL. The result may wrongly be
/// false, which only costs time.
#[cfg(feature = "serde")]
#[inline(always)]
pub(crate) fn are_plain_bytes(bytes: &[u8; 8], length: usize) -> bool {
    /// For each length, the top bits of that many bytes.
    const OF: [u64; 9] = [
        0,
        TOPS >> 56,
        TOPS >> 48,
        TOPS >> 40,
        TOPS >> 32,
        TOPS >> 24,
        TOPS >> 16,
        TOPS >> 8,
        TOPS,
    ];
    // The borrow from a zero only affects the bytes after it.
    let suspect = suspect(u64::from_le_bytes(*bytes));
    OF.get(length).is_some_and(|tops| suspect & tops == 0)
}

/// From this length on, `simdutf8` is faster than the standard library: 3.6 times for 150 bytes, 9
/// times for 15,000. It does not report where a text is ill-formed, so the standard library is
/// still needed.
#[cfg(feature = "std")]
const LONG: usize = 64;

/// Checks that a string is UTF-8 up to its first NUL. Returns what is known about the string, or
/// the offset of the first ill-formed byte.
pub(crate) fn check_text(bytes: &[u8]) -> Result<Text, usize> {
    let text = until_nul(bytes);
    #[cfg(feature = "std")]
    if text.len() >= LONG && simdutf8::basic::from_utf8(text).is_ok() {
        let is_whole = without_mark(text).len() == bytes.len();
        return Ok(if is_whole { Text::Plain } else { Text::Cut });
    }
    match core::str::from_utf8(text) {
        Ok(_) if without_mark(text).len() == bytes.len() => Ok(Text::Plain),
        Ok(_) => Ok(Text::Cut),
        Err(error) => Err(error.valid_up_to()),
    }
}

/// Removes a leading byte order mark, as the engines do.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// The bytes before the first NUL. The engines read a string only up to there.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    // This function of the standard library searches a word at a time.
    CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes)
}
