//! Checks short texts, such as names and chats beyond ASCII, without a branch for each character.

#![expect(
    unsafe_code,
    reason = "it calls functions that need SSE2, which every x86-64 processor has"
)]

use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_max_epu8, _mm_movemask_epi8,
    _mm_set1_epi8,
};

/// Whether `text`, of less than 64 bytes, is UTF-8 without NUL and without a byte order mark.
/// Longer texts are not checked: the result is false.
#[inline(never)]
pub(super) fn is_plain(text: &[u8]) -> bool {
    // SAFETY: SSE2 is a part of x86-64.
    unsafe {
        match text.len() {
            0..16 => is_plain_block::<1>(text),
            16..32 => is_plain_block::<2>(text),
            32..64 => is_plain_block::<4>(text),
            _ => false,
        }
    }
}

/// Does this for a text of less than `16 * N` bytes.
///
/// Each mask has a bit for each byte of the text, the first one lowest. Shifted by one, a mask has the
/// bits of the bytes that follow those.
#[inline]
#[target_feature(enable = "sse2")]
fn is_plain_block<const N: usize>(text: &[u8]) -> bool {
    let mut block = [[0; 16]; N];
    let Some(start) = block.as_flattened_mut().get_mut(..text.len()) else { return false };
    start.copy_from_slice(text);
    let vectors = block.map(bytemuck::cast::<[u8; 16], __m128i>);
    macro_rules! mask {
        (|$bytes:ident| $compared:expr) => {
            vectors.iter().rev().fold(0, |mask: u64, &$bytes| {
                mask << 16 | u64::from(_mm_movemask_epi8($compared).cast_unsigned())
            })
        };
    }
    let of = |byte: u8| _mm_set1_epi8(byte.cast_signed());
    let equal = |byte| mask!(|bytes| _mm_cmpeq_epi8(bytes, of(byte)));
    let from = |byte| mask!(|bytes| _mm_cmpeq_epi8(_mm_max_epu8(bytes, of(byte)), bytes));
    // As signed numbers, the bytes from 0x80 on are the lowest.
    let from_80_to = |end| mask!(|bytes| _mm_cmplt_epi8(bytes, of(end)));

    let continued = from_80_to(0xc0);
    let first = mask!(|bytes| bytes) & !continued;
    // The bytes C0 and C1 begin characters that would fit one byte.
    let mut wrong = mask!(|bytes| _mm_cmpeq_epi8(_mm_and_si128(bytes, of(0xfe)), of(0xc0)));
    wrong |= equal(0) & ((1 << text.len()) - 1);
    let mut expected = first << 1;
    let first_of_3 = from(0xe0);
    if first_of_3 != 0 {
        let first_of_4 = from(0xf0);
        expected |= first_of_3 << 2 | first_of_4 << 3;
        // Characters that would fit two bytes, and surrogates.
        let low = from_80_to(0xa0);
        wrong |= equal(0xe0) << 1 & low | equal(0xed) << 1 & !low;
        if first_of_4 != 0 {
            // Characters that would fit three bytes, and those above U+10FFFF.
            let low = from_80_to(0x90);
            wrong |= equal(0xf0) << 1 & low | equal(0xf4) << 1 & !low | from(0xf5);
        }
        if text.starts_with("\u{feff}".as_bytes()) {
            return false;
        }
    }
    expected == continued && wrong == 0
}
