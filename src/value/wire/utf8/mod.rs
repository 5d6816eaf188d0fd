//! Checks that text is UTF-8, and finds out whether the engines read it to its end.
//!
//! Most texts are short and plain ASCII, so [`is_plain`] looks for these first, with a few
//! instructions in the loops over values. Other texts are checked in blocks: with AVX2 if the
//! processor has it, otherwise with SSE2, and on other processors by `simdutf8` and the standard
//! library. [`check_text`] also handles the texts that none of these accepts.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

use core::ffi::CStr;

/// Whether the strings of a value can be used as they are.
///
/// It has the size of a register, because views are passed in whole registers. A smaller flag would
/// be written alone and read together with its neighbours, which stalls the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum TextCheck {
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

/// Does the same as [`is_plain`] for a text with the bytes before it: `item` ends with the text and its
/// padding, and begins with at least 8 other bytes.
///
/// The last 8 bytes of the item are always there. If they contain the whole text, as they do for
/// nearly every key, nothing else has to be read.
#[inline(always)]
pub(crate) fn is_plain_item(item: &[u8], input: &[u8], length: usize) -> bool {
    /// For each length, the top bits of the bytes of the text, which padding follows.
    const OF: [u64; 9] = [
        0,
        0x80 << 32,
        0x8080 << 32,
        0x80_8080 << 32,
        0x8080_8080 << 32,
        TOPS >> 24,
        TOPS >> 16,
        TOPS >> 8,
        TOPS,
    ];
    match (OF.get(length), item.last_chunk()) {
        (Some(tops), Some(last)) => {
            let word = u64::from_le_bytes(*last);
            (word | word.wrapping_sub(ONES)) & tops == 0 || is_plain_block(input, length)
        }
        _ => is_plain(input, length),
    }
}

/// Whether `input` starts with a text of `length` bytes that is [`TextCheck::Plain`]. The result may
/// wrongly be false, which only costs time.
#[inline(always)]
pub(crate) fn is_plain(input: &[u8], length: usize) -> bool {
    let Some(first) = input.first_chunk() else { return is_plain_block(input, length) };
    let first = suspect(u64::from_le_bytes(*first));
    // Nearly every key is ASCII of at most 16 bytes.
    let is_ascii = match length {
        0 => true,
        // The bytes after the text do not count.
        1..=8 => first << (64 - 8 * length) == 0,
        9..=16 => {
            let last = input.get(length - 8..length).and_then(|last| last.first_chunk());
            last.is_some_and(|last| first | suspect(u64::from_le_bytes(*last)) == 0)
        }
        _ => false,
    };
    is_ascii || is_plain_block(input, length)
}

/// Does the same for longer texts, for texts beyond ASCII, and for short texts at the end of an
/// input.
#[inline(never)]
fn is_plain_block(input: &[u8], length: usize) -> bool {
    // The engines read a length as an `i32`.
    if length > i32::MAX as usize {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(is_plain) = avx2::is_plain(input, length) {
        return is_plain;
    }
    let Some(text) = input.get(..length) else { return false };
    let (words, last) = text.as_chunks();
    let words = words.iter().fold(0, |seen, word| seen | suspect(u64::from_le_bytes(*word)));
    if words == 0 && last.iter().all(|byte| (1..0x80).contains(byte)) {
        return true;
    }
    #[cfg(target_arch = "x86_64")]
    return sse2::is_plain(text);
    #[cfg(not(target_arch = "x86_64"))]
    false
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
pub(crate) fn check_text(bytes: &[u8]) -> Result<TextCheck, usize> {
    if is_plain_block(bytes, bytes.len()) {
        return Ok(TextCheck::Plain);
    }
    let text = until_nul(bytes);
    #[cfg(feature = "std")]
    if text.len() >= LONG && simdutf8::basic::from_utf8(text).is_ok() {
        let is_whole = without_mark(text).len() == bytes.len();
        return Ok(if is_whole { TextCheck::Plain } else { TextCheck::Cut });
    }
    match core::str::from_utf8(text) {
        Ok(_) if without_mark(text).len() == bytes.len() => Ok(TextCheck::Plain),
        Ok(_) => Ok(TextCheck::Cut),
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
