//! A fast path for the typed deserializer, which knows the kind of value that it expects.
//!
//! A function here returns `None` for an unexpected or rarer value. The deserializer then reads the
//! value with [`super::step`], which accepts the same values and reports the errors.

#![expect(unsafe_code, reason = "it makes text of bytes that it has found to be UTF-8")]

use super::content::padded;
use super::utf8::{are_plain_bytes, is_plain};
use crate::value::trusted::checked_str;
use crate::value::{DialectLayout, Kind, TOP_BIT, ValueBody};

/// The word after a header that consists only of the kind's number, and the rest of the input.
#[inline(always)]
fn word(kind: Kind, input: &[u8]) -> Option<(u32, &[u8])> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head);
    // These kinds have the same number in every dialect.
    (head as u32 == kind as u32).then_some(((head >> 32) as u32, rest))
}

/// A bool, and what follows it.
#[inline(always)]
pub(crate) fn bool(input: &[u8]) -> Option<(bool, &[u8])> {
    let (word, rest) = word(Kind::Bool, input)?;
    Some((word != 0, rest))
}

/// An int of 32 bits, and what follows it.
#[inline(always)]
pub(crate) fn int(input: &[u8]) -> Option<(i32, &[u8])> {
    let (word, rest) = word(Kind::Int, input)?;
    Some((word as i32, rest))
}

/// A float of 32 bits, and what follows it.
#[inline(always)]
pub(crate) fn float(input: &[u8]) -> Option<(f32, &[u8])> {
    let (word, rest) = word(Kind::Float, input)?;
    Some((f32::from_bits(word), rest))
}

/// The input after a null.
#[inline(always)]
pub(crate) fn nil(input: &[u8]) -> Option<&[u8]> {
    let (header, rest) = input.split_first_chunk::<4>()?;
    (u32::from_le_bytes(*header) == Kind::Nil as u32).then_some(rest)
}

/// A string of at most 8 bytes of ASCII without a NUL, and what follows it. Nearly every key is
/// such a string.
///
/// This looks at eight bytes after the length. In a dictionary, the last of them may belong to the
/// next value.
#[inline(always)]
pub(crate) fn short_string(input: &[u8]) -> Option<(&str, &[u8])> {
    let (head, _) = input.split_first_chunk::<16>()?;
    let (_, text) = head.split_last_chunk::<8>()?;
    let length = length(head)?;
    if length > 8 || !are_plain_bytes(text, length) {
        return None;
    }
    let rest = input.get(8 + padded(length)..)?;
    // SAFETY: these bytes are ASCII.
    Some((unsafe { checked_str(text.get(..length)?) }, rest))
}

/// The length of a string.
#[inline(always)]
fn length(head: &[u8]) -> Option<usize> {
    let head = u64::from_le_bytes(*head.first_chunk()?);
    // The rotation moves the length to the lower half. If the header is that of a string, the upper
    // half is then zero; otherwise, the number is too large for a length.
    usize::try_from((head ^ Kind::String as u64).rotate_left(32)).ok()
}

/// A string that is UTF-8 without a NUL and a byte order mark, and what follows it.
#[inline(always)]
pub(crate) fn string(input: &[u8]) -> Option<(&str, &[u8])> {
    let text = text(input)?;
    Some((text, input.get(8 + padded(text.len())..)?))
}

/// The text of such a string without the rest, so that the result fits in registers. It is marked
/// cold so that reading a key needs no jump.
#[cold]
#[inline(never)]
fn text(input: &[u8]) -> Option<&str> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let length = length(head)?;
    if length > i32::MAX as usize {
        return None;
    }
    let text = rest.get(..padded(length))?.get(..length)?;
    // SAFETY: the first `length` bytes are UTF-8.
    is_plain(rest, length).then(|| unsafe { checked_str(text) })
}

/// The numbers of a math value of this kind, four bytes each, and what follows it.
#[inline(always)]
pub(crate) fn numbers<'a>(
    layout: &'static DialectLayout,
    kind: Kind,
    input: &'a [u8],
) -> Option<(&'a [u8], &'a [u8])> {
    let ValueBody::Cells(_, cells) = kind.body() else { return None };
    let (bytes, rest) = input.split_at_checked(4 + usize::from(cells) * 4)?;
    let (header, numbers) = bytes.split_first_chunk()?;
    (u32::from_le_bytes(*header) == layout.plain(kind)).then_some((numbers, rest))
}

/// The count of a container without element types, and what follows it.
#[inline(always)]
fn count<'a>(
    layout: &'static DialectLayout,
    kind: Kind,
    input: &'a [u8],
) -> Option<(u32, &'a [u8])> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head);
    let is_plain = head as u32 == layout.plain(kind);
    is_plain.then_some(((head >> 32) as u32 & !TOP_BIT, rest))
}

/// The count of a dictionary without element types, and the input from its first entry on.
#[inline(always)]
pub(crate) fn dictionary<'a>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> Option<(u32, &'a [u8])> {
    count(layout, Kind::Dictionary, input)
}

/// The count of an array without an element type, and the input from its first element on.
#[inline(always)]
pub(crate) fn array<'a>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> Option<(u32, &'a [u8])> {
    count(layout, Kind::Array, input)
}
