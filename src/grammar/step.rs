//! One item of a level: the part of it that has a fixed size.
//!
//! A value is read in steps. A step reads a header or a length, at most 16 bytes, and tells what
//! content of which length follows and which level of items opens after that. So the same
//! grammar serves a whole buffer and a stream that is cut anywhere.

use super::content::Content;
use super::nesting::{Level, Shape};
use super::{Emitting, Failure, Fault, Take, U32, fail};
use crate::dialect::{Class, Entry, FLAG_64, Layout};
use crate::error::{Problem, Reading};
use crate::kind::{Body, Kind};
use nom::combinator::peek;
use nom::{Mode, OutputMode, PResult, Parser};

/// The top bit of a count: "shared" of a container, the new form of a node path.
pub(crate) const TOP_BIT: u32 = 1 << 31;
/// A header's flag of an object that is its instance id.
pub(crate) const FLAG_BY_ID: u32 = 1 << 16;
/// A node path's flag for one more subname, which older engines wrote.
const FLAG_PROPERTY: u32 = 2;

/// What a step found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) content: Content,
    /// What opens after the content. Its kind is that of the value read, or of the value that
    /// the part read belongs to.
    pub(crate) inner: Level,
}

impl Step {
    #[inline(always)]
    const fn leaf(kind: Kind, content: Content) -> Step {
        Step { content, inner: Level::leaf(kind) }
    }

    #[inline(always)]
    const fn level(inner: Level) -> Step {
        Step { content: Content::Skip(0), inner }
    }
}

/// Reads the next item of a level.
#[derive(Clone, Copy)]
pub(crate) struct Item {
    pub(crate) layout: &'static Layout,
    pub(crate) level: Level,
}

impl<'a> Parser<&'a [u8]> for Item {
    type Output = Step;
    type Error = Fault<'a>;

    #[inline(always)]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], Step, Fault<'a>> {
        let (rest, step) = if self.level.is_at_value() {
            self.value::<OM>(input)?
        } else {
            self.part::<OM>(input)?
        };
        Ok((rest, OM::Output::bind(|| step)))
    }
}

type Outcome<'a, OM, T> = PResult<Emitting<OM>, &'a [u8], T, Fault<'a>>;

impl Item {
    /// An item that is no value of its own.
    #[inline(never)]
    fn part<'a, OM: OutputMode>(&self, input: &'a [u8]) -> Outcome<'a, OM, Step> {
        match self.level.shape() {
            Shape::Class => class::<OM>(input),
            Shape::PropertyCount => {
                let mut count = U32(Reading::Count(Kind::Object));
                let (rest, count) = count.process::<Emitting<OM>>(input)?;
                let count = not_negative(count);
                Ok((rest, Step::level(Level::pairs(Kind::Object, Shape::Object, count))))
            }
            _ => text::<OM>(input, self.level.kind()),
        }
    }

    /// An item that is a value: its header and what of its body has a fixed size.
    #[inline(always)]
    pub(crate) fn value<'a, OM: OutputMode>(&self, input: &'a [u8]) -> Outcome<'a, OM, Step> {
        let (rest, header) = U32(Reading::Header).process::<Emitting<OM>>(input)?;
        let entry = self.layout.entry(header);
        let kind = entry.kind;
        let words = |words: usize| Ok((rest, Step::leaf(kind, Content::Skip(words * 4))));
        match entry.class {
            Class::Words0 => words(0),
            Class::Words1 => words(1),
            Class::Words2 => words(2),
            Class::Words3 => words(3),
            Class::Words4 => words(4),
            Class::Words6 => words(6),
            Class::Words8 => words(8),
            Class::Words9 => words(9),
            Class::Words12 => words(12),
            Class::Words16 => words(16),
            Class::Words18 => words(18),
            Class::Words24 => words(24),
            Class::Number => {
                if header & FLAG_64 == 0 {
                    words(1)
                } else {
                    words(2)
                }
            }
            Class::Text => text::<OM>(rest, kind),
            Class::Array => {
                let (rest, count) = U32(Reading::Count(kind)).process::<Emitting<OM>>(rest)?;
                Ok((rest, Step::level(Level::new(kind, Shape::Array, count & !TOP_BIT))))
            }
            Class::Dictionary => {
                let (rest, count) = U32(Reading::Count(kind)).process::<Emitting<OM>>(rest)?;
                Ok((rest, Step::level(Level::pairs(kind, Shape::Dictionary, count & !TOP_BIT))))
            }
            Class::Unknown => {
                let number = (header & 0xff) as u8;
                Err(fail::<OM>(input, Reading::Header, Problem::UnknownType { number }))
            }
            _ => {
                let (rest, step) = self.unusual::<OM>(rest, header, entry)?;
                Ok((rest, step))
            }
        }
    }

    /// The bodies that few values have.
    #[inline(never)]
    fn unusual<'a, OM: OutputMode>(
        &self,
        input: &'a [u8],
        header: u32,
        entry: Entry,
    ) -> Outcome<'a, OM, Step> {
        let kind = entry.kind;
        match kind.body() {
            Body::Packed(cell, cells) => {
                let size = cell.size(entry.is_wide(header)) * cells;
                packed::<OM>(input, kind, usize::from(size))
            }
            Body::Strings => {
                let (rest, count) = U32(Reading::Count(kind)).process::<Emitting<OM>>(input)?;
                Ok((rest, Step::level(Level::new(kind, Shape::Strings, not_negative(count)))))
            }
            Body::NodePath => node_path::<OM>(input),
            Body::Object if header & FLAG_BY_ID != 0 => {
                Ok((input, Step::leaf(kind, Content::Skip(8))))
            }
            _ => Ok((input, Step::level(Level::new(kind, Shape::Class, 1)))),
        }
    }
}

/// A count that the engines loop over with a signed number: they read nothing for a negative one.
const fn not_negative(count: u32) -> u32 {
    if count & TOP_BIT == 0 { count } else { 0 }
}

/// The length of a string.
#[inline(always)]
fn text<'a, OM: OutputMode>(input: &'a [u8], kind: Kind) -> Outcome<'a, OM, Step> {
    let (rest, length) = U32(Reading::Length(kind)).process::<Emitting<OM>>(input)?;
    let length = signed::<OM>(input, Reading::Length(kind), length)?;
    Ok((rest, Step::leaf(kind, Content::Text(length))))
}

/// The name of an object's class. Without one, and the first NUL ends it, the object is null.
#[inline(never)]
fn class<'a, OM: OutputMode>(input: &'a [u8]) -> Outcome<'a, OM, Step> {
    let (rest, mut step) = text::<OM>(input, Kind::Object)?;
    if let Content::Text(1..) = step.content {
        let first = Take { count: 1, reading: Reading::Text(Kind::Object) };
        let (rest, first) = peek(first).process::<Emitting<OM>>(rest)?;
        if first != [0] {
            step.inner = Level::new(Kind::Object, Shape::PropertyCount, 1);
        }
        return Ok((rest, step));
    }
    Ok((rest, step))
}

/// The count of a packed array, whose elements have a fixed size.
#[inline(always)]
fn packed<'a, OM: OutputMode>(input: &'a [u8], kind: Kind, size: usize) -> Outcome<'a, OM, Step> {
    let (rest, count) = U32(Reading::Count(kind)).process::<Emitting<OM>>(input)?;
    let count = signed::<OM>(input, Reading::Count(kind), count)?;
    let length = count.saturating_mul(size);
    let content = if size % 4 == 0 { Content::Skip(length) } else { Content::Bytes(length) };
    Ok((rest, Step::leaf(kind, content)))
}

#[inline(never)]
fn node_path<'a, OM: OutputMode>(input: &'a [u8]) -> Outcome<'a, OM, Step> {
    let kind = Kind::NodePath;
    let word = || U32(Reading::Count(kind));
    let (rest, names) = word().process::<Emitting<OM>>(input)?;
    if names & TOP_BIT == 0 {
        return text::<OM>(input, kind);
    }
    // Both words at once, so that a stream asks for both.
    peek(Take { count: 8, reading: Reading::Count(kind) }).process::<Emitting<OM>>(rest)?;
    let (rest, (subnames, flags)) = (word(), word()).process::<Emitting<OM>>(rest)?;
    let property = u32::from(flags & FLAG_PROPERTY != 0);
    // The engine's sum wraps around, and so the path has the names that it would read.
    let total = (names & !TOP_BIT).wrapping_add(subnames).wrapping_add(property);
    Ok((rest, Step::level(Level::new(kind, Shape::Strings, total))))
}

/// A length that the engines take for a signed number.
#[inline(always)]
fn signed<'a, OM: OutputMode>(
    at: &'a [u8],
    reading: Reading,
    count: u32,
) -> Result<usize, Failure<'a, OM>> {
    if count & TOP_BIT != 0 {
        return Err(fail::<OM>(at, reading, Problem::TooLong { count }));
    }
    Ok(count as usize)
}
