//! Checks texts in blocks of 32 bytes, whatever script they are in.
//!
//! Whether bytes are UTF-8 depends on each byte and the three before it. Most rules only concern a
//! byte and the one before it, in particular their upper halves and the lower half of the first. Three
//! tables have the rules that each half may break; a rule is broken if all three agree. This method
//! is described in "Validating UTF-8 In Less Than One Instruction Per Byte" by John Keiser and Daniel
//! Lemire.

#![expect(
    unsafe_code,
    reason = "it calls functions that need AVX2, after a check that it is there"
)]

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si32, _mm256_alignr_epi8, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_subs_epu8, _mm256_testz_si256, _mm256_xor_si256,
};

/// The size of a block.
const BLOCK: usize = 32;
/// The size of a block and the three bytes before it.
const WITH_BEFORE: usize = BLOCK + 3;

/// Whether `input` starts with a text of `length` bytes that is UTF-8 without NUL and without a byte
/// order mark. It is `None` if the processor lacks AVX2.
#[inline(always)]
pub(super) fn is_plain(input: &[u8], length: usize) -> Option<bool> {
    #[cfg(feature = "std")]
    let has_avx2 = std::is_x86_feature_detected!("avx2");
    #[cfg(not(feature = "std"))]
    let has_avx2 = cfg!(target_feature = "avx2");
    // SAFETY: the processor has AVX2.
    has_avx2.then(|| unsafe { is_plain_in_blocks(input, length) })
}

#[target_feature(enable = "avx2")]
fn is_plain_in_blocks(input: &[u8], length: usize) -> bool {
    if length <= BLOCK {
        match input.first_chunk() {
            Some(start) => is_plain_block(start, length),
            None => is_plain_at_end(input, length),
        }
    } else if length < WITH_BEFORE {
        are_plain_blocks::<true>(input, length)
    } else if length <= 2 * BLOCK {
        are_plain_blocks::<false>(input, length)
    } else {
        is_plain_long(input, length)
    }
}

/// Checks a text that is a part of one block.
#[inline]
#[target_feature(enable = "avx2")]
fn is_plain_block(start: &[u8; BLOCK], length: usize) -> bool {
    let outside = from(length);
    let block = load(start);
    let nul = is_zero(_mm256_or_si256(block, outside));
    let block = _mm256_andnot_si256(outside, block);
    if is_ascii(block) {
        return is_nowhere(nul);
    }
    let wrong = _mm256_or_si256(wrong_in_first(block), unfinished(block));
    is_nowhere(_mm256_or_si256(wrong, nul)) && !is_marked(block)
}

/// The same for a text near the end of an input, of which no whole block is left.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn is_plain_at_end(input: &[u8], length: usize) -> bool {
    let mut block = [0; BLOCK];
    let (Some(start), Some(text)) = (block.get_mut(..length), input.get(..length)) else {
        return false;
    };
    start.copy_from_slice(text);
    is_plain_block(&block, length)
}

/// Checks a text that is a part of two blocks, which overlap.
///
/// The second block needs three bytes before it, so it begins at the fourth byte of the text or later.
/// If the text is shorter than this and a block, the second block goes on in the padding
/// (`IS_PADDED`).
#[inline]
#[target_feature(enable = "avx2")]
fn are_plain_blocks<const IS_PADDED: bool>(input: &[u8], length: usize) -> bool {
    let last_at = if IS_PADDED { 0 } else { length.saturating_sub(WITH_BEFORE) };
    let last = input.get(last_at..).and_then(|last| last.first_chunk());
    let (Some(first), Some(last)) = (input.first_chunk(), last) else { return false };
    let [first, mut last_block] = [load(first), block_of(last)];
    let mut least = _mm256_min_epu8(first, last_block);
    if IS_PADDED {
        let outside = from(length.saturating_sub(3));
        least = _mm256_min_epu8(first, _mm256_or_si256(last_block, outside));
        last_block = _mm256_andnot_si256(outside, last_block);
    }
    let nul = is_zero(least);
    if is_ascii(_mm256_or_si256(first, last_block)) {
        return is_nowhere(nul);
    }
    let wrong = _mm256_or_si256(wrong_in_first(first), wrong_in(last_block, last));
    let wrong = _mm256_or_si256(wrong, unfinished(last_block));
    is_nowhere(_mm256_or_si256(wrong, nul)) && !is_marked(first)
}

/// Checks a text of more than two blocks. The last block overlaps with the one before it.
#[target_feature(enable = "avx2")]
fn is_plain_long(input: &[u8], length: usize) -> bool {
    let Some(text) = input.get(..length) else { return false };
    let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) else { return false };
    let [first, last_block] = [load(first), block_of(last)];
    let mut least = _mm256_min_epu8(first, last_block);
    let mut wrong = _mm256_or_si256(wrong_in_first(first), wrong_in(last_block, last));
    wrong = _mm256_or_si256(wrong, unfinished(last_block));

    let mut rest = text.get(BLOCK - 3..).unwrap_or(&[]);
    let mut open = unfinished(first);
    while let Some(pair) = rest.first_chunk::<{ WITH_BEFORE + BLOCK }>() {
        let (Some(one), Some(other)) = (pair.first_chunk(), pair.last_chunk()) else { break };
        let [block, other_block] = [block_of(one), block_of(other)];
        least = _mm256_min_epu8(least, _mm256_min_epu8(block, other_block));
        if is_ascii(_mm256_or_si256(block, other_block)) {
            wrong = _mm256_or_si256(wrong, open);
            open = _mm256_setzero_si256();
        } else {
            wrong = _mm256_or_si256(wrong, wrong_in(block, one));
            wrong = _mm256_or_si256(wrong, wrong_in(other_block, other));
            open = unfinished(other_block);
        }
        rest = rest.get(2 * BLOCK..).unwrap_or(&[]);
    }
    if let Some(one) = rest.first_chunk() {
        let block = block_of(one);
        least = _mm256_min_epu8(least, block);
        wrong = _mm256_or_si256(wrong, wrong_in(block, one));
    }
    is_nowhere(_mm256_or_si256(wrong, is_zero(least))) && !is_marked(first)
}

/// Whether the first block of a text starts with a byte order mark.
#[inline]
#[target_feature(enable = "avx2")]
fn is_marked(first: __m256i) -> bool {
    const MARK: u32 = u32::from_le_bytes(*b"\xef\xbb\xbf\0");
    let start = _mm_cvtsi128_si32(_mm256_castsi256_si128(first)).cast_unsigned();
    start & 0xff_ffff == MARK
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; BLOCK]) -> __m256i {
    bytemuck::cast(*bytes)
}

/// The block that begins `AT` bytes after the start.
#[inline]
#[target_feature(enable = "avx2")]
fn part<const AT: usize>(bytes: &[u8; WITH_BEFORE]) -> __m256i {
    match bytes.get(AT..).and_then(|bytes| bytes.first_chunk()) {
        Some(block) => load(block),
        None => _mm256_setzero_si256(),
    }
}

/// The block after the three bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn block_of(bytes: &[u8; WITH_BEFORE]) -> __m256i {
    part::<3>(bytes)
}

#[inline]
#[target_feature(enable = "avx2")]
fn each(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

/// Sets the bytes of a block from this one on.
#[inline]
#[target_feature(enable = "avx2")]
fn from(length: usize) -> __m256i {
    const PLACES: [u8; BLOCK] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31,
    ];
    _mm256_cmpgt_epi8(load(&PLACES), each((length as u8).wrapping_sub(1)))
}

/// Sets the bytes that are zero.
#[inline]
#[target_feature(enable = "avx2")]
fn is_zero(block: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(block, _mm256_setzero_si256())
}

/// Whether all bytes are zero.
#[inline]
#[target_feature(enable = "avx2")]
fn is_nowhere(found: __m256i) -> bool {
    _mm256_testz_si256(found, found) != 0
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_ascii(block: __m256i) -> bool {
    _mm256_movemask_epi8(block) == 0
}

/// Is not zero if a character that begins in the block does not end in it.
#[inline]
#[target_feature(enable = "avx2")]
fn unfinished(block: __m256i) -> __m256i {
    const MOST: [u8; BLOCK] = {
        let mut most = [0xff; BLOCK];
        most[BLOCK - 3] = 0xef;
        most[BLOCK - 2] = 0xdf;
        most[BLOCK - 1] = 0xbf;
        most
    };
    _mm256_subs_epu8(block, load(&MOST))
}

/// Is not zero if the first block of a text has a byte that cannot follow those before it.
#[inline]
#[target_feature(enable = "avx2")]
fn wrong_in_first(block: __m256i) -> __m256i {
    // Zeros, then the first half of the block.
    let moved = _mm256_permute2x128_si256::<0x08>(block, block);
    wrong_after(
        block,
        _mm256_alignr_epi8::<15>(block, moved),
        _mm256_alignr_epi8::<14>(block, moved),
        _mm256_alignr_epi8::<13>(block, moved),
    )
}

/// The same for `block`, with the bytes before it.
#[inline]
#[target_feature(enable = "avx2")]
fn wrong_in(block: __m256i, with_before: &[u8; WITH_BEFORE]) -> __m256i {
    wrong_after(block, part::<2>(with_before), part::<1>(with_before), part::<0>(with_before))
}

/// The rules that two consecutive bytes can break.
mod rule {
    /// A character goes on after the byte, but not in the next.
    pub(super) const SHORT: u8 = 1 << 0;
    /// A character ended with the byte, but goes on in the next.
    pub(super) const LONG: u8 = 1 << 1;
    /// Three bytes, although two or one would do.
    pub(super) const OVERLONG_3: u8 = 1 << 2;
    /// The character is above U+10FFFF.
    pub(super) const TOO_LARGE: u8 = 1 << 3;
    /// The character is a surrogate.
    pub(super) const SURROGATE: u8 = 1 << 4;
    /// Two bytes, although one would do.
    pub(super) const OVERLONG_2: u8 = 1 << 5;
    /// Four bytes, although three would do; or a first byte above F4.
    pub(super) const OVERLONG_4: u8 = 1 << 6;
    /// Both bytes continue a character. This is no mistake after the first byte of a longer one.
    pub(super) const CONTINUED: u8 = 1 << 7;
    /// The rules for which the lower half of the first byte does not matter.
    pub(super) const ANY: u8 = SHORT | LONG | CONTINUED;
}

/// The same, with the blocks that begin one, two and three bytes earlier.
#[inline]
#[target_feature(enable = "avx2")]
fn wrong_after(block: __m256i, one: __m256i, two: __m256i, three: __m256i) -> __m256i {
    use rule::{
        ANY, CONTINUED, LONG, OVERLONG_2, OVERLONG_3, OVERLONG_4, SHORT, SURROGATE, TOO_LARGE,
    };
    const LARGE: u8 = ANY | TOO_LARGE | OVERLONG_4;
    // By the upper half of the byte before, its lower half, and the upper half of the byte.
    #[rustfmt::skip]
    const UPPER_BEFORE: [u8; 16] = [
        LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG,
        CONTINUED, CONTINUED, CONTINUED, CONTINUED,
        SHORT | OVERLONG_2,
        SHORT,
        SHORT | OVERLONG_3 | SURROGATE,
        SHORT | TOO_LARGE | OVERLONG_4,
    ];
    #[rustfmt::skip]
    const LOWER_BEFORE: [u8; 16] = [
        ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
        ANY | OVERLONG_2,
        ANY, ANY,
        ANY | TOO_LARGE,
        LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE, LARGE,
        LARGE | SURROGATE,
        LARGE, LARGE,
    ];
    const END: u8 = LONG | CONTINUED | OVERLONG_2;
    #[rustfmt::skip]
    const UPPER: [u8; 16] = [
        SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
        END | OVERLONG_3 | OVERLONG_4,
        END | OVERLONG_3 | TOO_LARGE,
        END | SURROGATE | TOO_LARGE,
        END | SURROGATE | TOO_LARGE,
        SHORT, SHORT, SHORT, SHORT,
    ];
    let broken = _mm256_and_si256(
        _mm256_and_si256(
            looked_up(&UPPER_BEFORE, upper(one)),
            looked_up(&LOWER_BEFORE, _mm256_and_si256(one, each(0x0f))),
        ),
        looked_up(&UPPER, upper(block)),
    );
    // The third byte of a character, or the fourth, continues it after another that does. Only then
    // the top bit of these differences is set.
    let third = _mm256_subs_epu8(two, each(0xe0 - 0x80));
    let fourth = _mm256_subs_epu8(three, each(0xf0 - 0x80));
    let continued = _mm256_and_si256(_mm256_or_si256(third, fourth), each(CONTINUED));
    _mm256_xor_si256(broken, continued)
}

/// The upper half of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn upper(block: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_srli_epi16::<4>(block), each(0x0f))
}

/// Looks each byte of `block` up, which must be less than 16.
#[inline]
#[target_feature(enable = "avx2")]
fn looked_up(table: &[u8; 16], block: __m256i) -> __m256i {
    let table: __m128i = bytemuck::cast(*table);
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), block)
}
