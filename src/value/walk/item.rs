//! Reads one item of a container: a value up to the first value in it, or the name of a property.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use crate::value::dialect::Layout;
use crate::value::view::{header_of, str_at};
use crate::value::wire::nesting::{Level, Shape};
use crate::value::wire::step::{self, Outcome};
use crate::value::wire::{Failure, Filling, Quiet, Text, failure};
use nom::OutputMode;

/// A value that contains no other values, or the beginning of a container.
pub(crate) struct Item<'a> {
    /// The bytes after it.
    pub(crate) rest: &'a [u8],
    pub(crate) header: u32,
    /// Whether its text needs to be cut when it is read.
    pub(crate) text: Text,
    /// Its bytes, from its header to its end or to the first value in it.
    pub(crate) bytes: &'a [u8],
    /// The values in it, if it is a container.
    pub(crate) inner: Option<Level>,
}

/// Reads a value up to the first value in it. With `VALIDATE` the bytes are checked on the way.
///
/// `Cursor::next` does the same in place. If it called this function and passed the structure on,
/// events would take a third longer.
#[inline(always)]
pub(crate) fn item<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    start: &'a [u8],
) -> Result<Item<'a>, Failure<'a, OM>> {
    let Ok((mut rest, filled)) = step::value::<Filling<VALIDATE>, Quiet<OM>>(layout, start) else {
        return Err(failure::<VALIDATE, OM>(layout, start));
    };
    let header = header_of(start);
    let mut bytes = filled.bytes;
    let mut text = filled.text;
    let inner = if filled.inner.is_leaf() {
        None
    } else if filled.inner.is_of_values() {
        Some(filled.inner)
    } else {
        let parts = parts::<VALIDATE, OM>(layout, filled.inner, rest)?;
        rest = parts.rest;
        text = parts.text;
        let length = start.len().saturating_sub(rest.len());
        bytes = start.get(..length).unwrap_or(start);
        parts.inner
    };
    Ok(Item { rest, header, text, bytes, inner })
}

/// Does the same for a rare value, outside the loops over values.
#[inline(never)]
pub(super) fn rare_item<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    start: &'a [u8],
) -> Result<Item<'a>, Failure<'a, OM>> {
    item::<VALIDATE, OM>(layout, start)
}

/// Reads the name of a property. The next item of `level` must be a name.
#[cfg(feature = "serde")]
pub(crate) fn property_name<'a, OM: OutputMode>(
    layout: &'static Layout,
    level: Level,
    input: &'a [u8],
) -> Outcome<'a, OM, &'a str> {
    name::<true, OM>(layout, level, input, Text::Cut)
}

/// The result of reading the parts of a value.
pub(super) struct Parts<'a> {
    pub(super) rest: &'a [u8],
    pub(super) text: Text,
    /// The values in it, which are still to be read.
    pub(super) inner: Option<Level>,
}

/// Reads the parts of a value that are not values themselves: the strings of an array or a node
/// path, an object's class and the count of its properties, the element types of a container.
#[inline(never)]
pub(super) fn parts<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    mut level: Level,
    mut rest: &'a [u8],
) -> Result<Parts<'a>, Failure<'a, OM>> {
    let mut text = Text::Plain;
    while !level.is_empty() {
        let (after, part) = step::part::<Filling<VALIDATE>, OM>(layout, level, rest)?;
        level.take_one();
        rest = after;
        if part.text == Text::Cut {
            text = part.text;
        }
        match part.inner.shape() {
            Shape::Leaf => {}
            Shape::Array | Shape::Dictionary | Shape::Object => {
                return Ok(Parts { rest, text, inner: Some(part.inner) });
            }
            _ => level = part.inner,
        }
    }
    Ok(Parts { rest, text, inner: None })
}

/// Takes the name of a property off the front.
#[inline(never)]
pub(super) fn name<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    level: Level,
    input: &'a [u8],
    text: Text,
) -> Outcome<'a, OM, &'a str> {
    let (rest, part) = step::part::<Filling<VALIDATE>, OM>(layout, level, input)?;
    let text = if VALIDATE { part.text } else { text };
    // SAFETY: the name was just read with `VALIDATE`, or belongs to a view and is checked.
    Ok((rest, unsafe { str_at(part.bytes, 0, text).0 }))
}
