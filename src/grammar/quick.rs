//! The commonest values at one look, for those who know what they expect.
//!
//! What is not as expected, or anything but the commonest, is nothing here, and is left to
//! [`super::step`], which gives the same for all that is read here, and the errors.

use super::content::{is_plain, padded};
use crate::dialect::{Class, FLAG_64, Layout};
use crate::kind::Kind;
use crate::trusted::checked_str;

/// A bool, an int of 32 bits or a float of 32 bits.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    Bool(bool),
    Int(i32),
    Float(f32),
}

/// A scalar of 32 bits, and what follows it.
#[inline(always)]
pub(crate) fn scalar<'a>(layout: &'static Layout, input: &'a [u8]) -> Option<(Scalar, &'a [u8])> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head);
    let (header, word) = (head as u32, (head >> 32) as u32);
    if header & FLAG_64 != 0 {
        return None;
    }
    let scalar = match layout.entry(header).kind {
        Kind::Int => Scalar::Int(word as i32),
        Kind::Float => Scalar::Float(f32::from_bits(word)),
        Kind::Bool => Scalar::Bool(word != 0),
        _ => return None,
    };
    Some((scalar, rest))
}

/// A string of ASCII without a NUL, and what follows it.
#[inline(always)]
pub(crate) fn string<'a>(layout: &'static Layout, input: &'a [u8]) -> Option<(&'a str, &'a [u8])> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head);
    let length = (head >> 32) as usize;
    if layout.entry(head as u32).kind != Kind::String || length > i32::MAX as usize {
        return None;
    }
    let (content, rest) = rest.split_at_checked(padded(length))?;
    let text = content.get(..length).unwrap_or(content);
    is_plain(content, length).then(|| (checked_str(text), rest))
}

/// The numbers of a math value of that kind, whether they are wide, and what follows it.
#[inline(always)]
pub(crate) fn numbers<'a>(
    layout: &'static Layout,
    kind: Kind,
    input: &'a [u8],
) -> Option<(&'a [u8], bool, &'a [u8])> {
    let (header, rest) = input.split_first_chunk()?;
    let header = u32::from_le_bytes(*header);
    let entry = layout.entry(header);
    if entry.kind != kind || !matches!(kind.body(), crate::kind::Body::Cells(..)) {
        return None;
    }
    let (numbers, rest) = rest.split_at_checked(entry.size(header))?;
    Some((numbers, entry.is_wide(header), rest))
}

/// The count of a dictionary without element types, and its entries and what follows it.
#[inline(always)]
pub(crate) fn dictionary<'a>(layout: &'static Layout, input: &'a [u8]) -> Option<(u32, &'a [u8])> {
    let (head, rest) = input.split_first_chunk::<8>()?;
    let head = u64::from_le_bytes(*head);
    let entry = layout.entry(head as u32);
    let is_plain = entry.class == Class::Dictionary;
    is_plain.then_some(((head >> 32) as u32 & !super::step::TOP_BIT, rest))
}
