//! A fast path for the most common values: numbers, short vectors, text, and arrays and
//! dictionaries without element types.
//!
//! The loops that parse, walk and iterate try this first. They leave every other value to
//! [`super::step`]: rare kinds, and values that are malformed or incomplete. `step` accepts the same
//! values from the same table and reports the errors. A test compares the two.

use super::content::padded;
use super::nesting::{Level, LevelShape};
use super::utf8::is_plain_item;
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
pub(crate) fn common<'a, const VALIDATE: bool>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> (u32, Common<'a>) {
    let Some(look) = input.first_chunk::<8>() else { return (0, Common::Other) };
    let [header, word] = look.as_chunks::<4>().0 else { return (0, Common::Other) };
    let header = u32::from_le_bytes(*header);
    let word = u32::from_le_bytes(*word);
    // These kinds have the same numbers in all dialects, and their headers have no flags.
    const STRING: u32 = Kind::String as u32;
    const BOOL: u32 = Kind::Bool as u32;
    const FLOAT: u32 = Kind::Float as u32;
    match header {
        // After inlining, the compiler can use that the header is constant here.
        STRING => return (STRING, text::<VALIDATE>(input, word)),
        BOOL..=FLOAT => return (header, fixed(input, 8)),
        _ => {}
    }
    let entry = layout.entry(header);
    let fixed = |length: usize| match header & FLAG_64 {
        0 => fixed(input, length),
        _ => Common::Other,
    };
    let found = match entry.class {
        Class::Words1 => fixed(8),
        Class::Words2 => fixed(12),
        Class::Words3 => fixed(16),
        Class::Words4 => fixed(20),
        Class::Text => text::<VALIDATE>(input, word),
        // A header with flags may declare element types.
        Class::Array if header >> ELEMENT_TYPES == 0 => {
            let inner = Level::new(entry.kind, LevelShape::Array, word & !TOP_BIT);
            container(input, inner)
        }
        Class::Dictionary if header >> ELEMENT_TYPES == 0 => {
            let inner = Level::pairs(entry.kind, LevelShape::Dictionary, word & !TOP_BIT);
            container(input, inner)
        }
        _ => Common::Other,
    };
    (header, found)
}

#[inline(always)]
fn fixed(input: &[u8], length: usize) -> Common<'_> {
    match input.split_at_checked(length) {
        Some((bytes, rest)) => Common::Leaf { bytes, rest },
        None => Common::Other,
    }
}

#[inline(always)]
fn container(input: &[u8], inner: Level) -> Common<'_> {
    match input.get(8..) {
        Some(rest) => Common::Container { inner, rest },
        None => Common::Other,
    }
}

#[inline(always)]
fn text<const VALIDATE: bool>(input: &[u8], length: u32) -> Common<'_> {
    let length = length as usize;
    let Some((head, after)) = input.split_at_checked(8) else { return Common::Other };
    let padded = padded(length);
    let Some(rest) = after.get(padded..) else { return Common::Other };
    let Some(bytes) = input.get(..head.len() + padded) else { return Common::Other };
    if VALIDATE && !is_plain_item(bytes, after, length) {
        return Common::Other;
    }
    Common::Leaf { bytes, rest }
}
