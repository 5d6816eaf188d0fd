//! A fast path for the most common values: numbers, short vectors, text, and arrays and
//! dictionaries without element types.
//!
//! The loops that parse, walk and iterate try this first. They leave every other value to
//! [`super::step`]: rare kinds, and values that are malformed or incomplete. `step` accepts the same
//! values from the same table and reports the errors. A test compares the two.

#![expect(unsafe_code, reason = "it reads values again that it has checked")]

use super::content::padded;
use super::nesting::{Level, LevelShape};
use super::utf8::is_plain_item;
use crate::value::trusted::{split, word};
use crate::value::{Class, DialectLayout, ELEMENT_TYPES, FLAG_64, Kind, TOP_BIT};

/// A value that was found at the front of an input.
pub(crate) enum Common<'a> {
    /// A value that contains no other values. If text is checked, the value's text is plain.
    Leaf {
        /// The bytes of the value, from its header to its end.
        bytes: &'a [u8],
        rest: &'a [u8],
    },
    /// An array or a dictionary without element types.
    Container {
        /// The values in it.
        inner: Level,
        rest: &'a [u8],
    },
    /// Anything else.
    Other,
}

/// Reads the header at the front of an input, and the value if it is one of the most common. The
/// header is 0 if the input is too short for the fast path.
#[inline(always)]
pub(crate) fn common<'a>(layout: &'static DialectLayout, input: &'a [u8]) -> (u32, Common<'a>) {
    // SAFETY: with `VALIDATE`, this works for all bytes.
    unsafe { read::<true>(layout, input) }
}

/// Does the same for a value that has been checked, without a look at the length of the input.
///
/// # Safety
///
/// The input must start with a whole value that was read with `VALIDATE` and this layout.
#[inline(always)]
pub(crate) unsafe fn checked_common<'a>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> (u32, Common<'a>) {
    // SAFETY: the caller guarantees the same.
    unsafe { read::<false>(layout, input) }
}

/// # Safety
///
/// Without `VALIDATE`, the same as for [`checked_common`].
#[inline(always)]
pub(crate) unsafe fn read<'a, const VALIDATE: bool>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> (u32, Common<'a>) {
    let (header, second) = if VALIDATE {
        let Some(look) = input.first_chunk::<8>() else { return (0, Common::Other) };
        let [header, second] = look.as_chunks::<4>().0 else { return (0, Common::Other) };
        (u32::from_le_bytes(*header), u32::from_le_bytes(*second))
    } else {
        // SAFETY: every value has a header.
        (unsafe { word(input, 0) }, 0)
    };
    // The word after the header. Only a null has none.
    // SAFETY: the values below have this word.
    let second = || if VALIDATE { second } else { unsafe { word(input, 4) } };
    // SAFETY: the callers pass the length of the value at the front.
    let fixed = |length: usize| unsafe { fixed::<VALIDATE>(input, length) };
    // These kinds have the same numbers in all dialects, and their headers have no flags.
    const STRING: u32 = Kind::String as u32;
    const BOOL: u32 = Kind::Bool as u32;
    const FLOAT: u32 = Kind::Float as u32;
    match header {
        // After inlining, the compiler can use that the header is constant here.
        // SAFETY: this is a string.
        STRING => return (STRING, unsafe { text::<VALIDATE>(input, second()) }),
        BOOL..=FLOAT => return (header, fixed(8)),
        _ => {}
    }
    let entry = layout.entry(header);
    let words = |words: usize| match header & FLAG_64 {
        0 => fixed(4 + words * 4),
        _ => Common::Other,
    };
    let found = match entry.class {
        Class::Words1 => words(1),
        Class::Words2 => words(2),
        Class::Words3 => words(3),
        Class::Words4 => words(4),
        // SAFETY: this is a string.
        Class::Text => unsafe { text::<VALIDATE>(input, second()) },
        // A header with flags may declare element types.
        Class::Array if header >> ELEMENT_TYPES == 0 => {
            container(Level::new(Kind::Array, LevelShape::Array, second() & !TOP_BIT), fixed(8))
        }
        Class::Dictionary if header >> ELEMENT_TYPES == 0 => {
            let inner = Level::pairs(Kind::Dictionary, LevelShape::Dictionary, second() & !TOP_BIT);
            container(inner, fixed(8))
        }
        _ => Common::Other,
    };
    (header, found)
}

/// # Safety
///
/// Without `VALIDATE`, the input must have this length at least.
#[inline(always)]
unsafe fn fixed<const VALIDATE: bool>(input: &[u8], length: usize) -> Common<'_> {
    let parts = if VALIDATE {
        input.split_at_checked(length)
    } else {
        // SAFETY: the caller guarantees the length.
        Some(unsafe { split(input, length) })
    };
    match parts {
        Some((bytes, rest)) => Common::Leaf { bytes, rest },
        None => Common::Other,
    }
}

/// The container with these values in it, if its count was found.
#[inline(always)]
fn container(inner: Level, head: Common<'_>) -> Common<'_> {
    match head {
        Common::Leaf { rest, .. } => Common::Container { inner, rest },
        other => other,
    }
}

/// # Safety
///
/// Without `VALIDATE`, the input must start with a header and a string of this length.
#[inline(always)]
unsafe fn text<const VALIDATE: bool>(input: &[u8], length: u32) -> Common<'_> {
    let length = length as usize;
    if !VALIDATE {
        // SAFETY: the caller guarantees that the string and its padding are there.
        return unsafe { fixed::<false>(input, 8 + padded(length)) };
    }
    let Some((head, after)) = input.split_at_checked(8) else { return Common::Other };
    let padded = padded(length);
    let Some(rest) = after.get(padded..) else { return Common::Other };
    let Some(bytes) = input.get(..head.len() + padded) else { return Common::Other };
    if !is_plain_item(bytes, after, length) {
        return Common::Other;
    }
    Common::Leaf { bytes, rest }
}
