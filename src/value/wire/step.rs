//! Reads the fixed-size head of one item: a header, a length or a count.
//!
//! A value is read in steps. A step reads at most 16 bytes, such as a header or a length. It
//! returns how long the content after them is, and which level of items opens after the content.
//! This way, the same grammar reads a whole buffer and a stream that is cut anywhere.

use super::content::{ItemContent, padded};
use super::fault::{Emitting, Failure, Fault, Take, U32, fail};
use super::nesting::{Level, LevelShape};
use crate::value::{
    Class, DialectLayout, ELEMENT_TYPES, FLAG_64, FLAG_BY_ID, Kind, Problem, Reading, TOP_BIT,
    ValueBody,
};
use nom::combinator::peek;
use nom::{Mode, OutputMode, PResult, Parser};

/// The flag of a node path for one more subname, which older engines wrote.
const FLAG_PROPERTY: u32 = 2;

/// The result of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemStep {
    /// How many bytes come before the content.
    pub(crate) head: usize,
    pub(crate) content: ItemContent,
    /// The level that opens after the content. Its kind is that of the value. A part of a value has
    /// the kind of that value.
    pub(crate) inner: Level,
}

impl ItemStep {
    #[inline(always)]
    const fn leaf(head: usize, kind: Kind, content: ItemContent) -> ItemStep {
        ItemStep { head, content, inner: Level::leaf(kind) }
    }

    #[inline(always)]
    const fn level(head: usize, inner: Level) -> ItemStep {
        ItemStep { head, content: ItemContent::Skip(0), inner }
    }

    /// The same step, if it follows `bytes` more bytes of the head.
    #[inline(always)]
    const fn after(self, bytes: usize) -> ItemStep {
        ItemStep { head: self.head + bytes, ..self }
    }
}

/// The rest of the input and what was read, or the failure.
pub(crate) type Outcome<'a, OM, T> = Result<(&'a [u8], T), Failure<'a, OM>>;
type Found<'a, OM> = Result<ItemStep, Failure<'a, OM>>;

/// An action on a step that was read at the front of an input.
pub(crate) trait Then {
    /// The result of the action.
    type Output<'a>;

    /// Performs the action on `step`, which was read at the front of `input`.
    fn then<'a, OM: OutputMode>(
        input: &'a [u8],
        step: ItemStep,
    ) -> Outcome<'a, OM, Self::Output<'a>>;
}

/// Reads the next item of a level without its content, for callers that receive the content in
/// pieces.
#[derive(Clone, Copy)]
pub(crate) struct WireItem {
    pub(crate) layout: &'static DialectLayout,
    pub(crate) level: Level,
}

impl<'a> Parser<&'a [u8]> for WireItem {
    type Output = ItemStep;
    type Error = Fault<'a>;

    #[inline(always)]
    fn process<OM: OutputMode>(
        &mut self,
        input: &'a [u8],
    ) -> PResult<OM, &'a [u8], ItemStep, Fault<'a>> {
        let (rest, step) = if self.level.is_at_value() {
            value::<WireItem, OM>(self.layout, input)?
        } else {
            part::<WireItem, OM>(self.layout, self.level, input)?
        };
        Ok((rest, OM::Output::bind(|| step)))
    }
}

impl Then for WireItem {
    type Output<'a> = ItemStep;

    #[inline(always)]
    fn then<'a, OM: OutputMode>(input: &'a [u8], step: ItemStep) -> Outcome<'a, OM, ItemStep> {
        Ok((input.get(step.head..).unwrap_or(&[]), step))
    }
}

/// Reads an item that is a part of a value, not a value itself.
#[inline(never)]
pub(crate) fn part<'a, T: Then, OM: OutputMode>(
    layout: &'static DialectLayout,
    level: Level,
    input: &'a [u8],
) -> Outcome<'a, OM, T::Output<'a>> {
    let kind = level.kind();
    let step = match level.shape() {
        LevelShape::Class => class::<OM>(input)?,
        LevelShape::PropertyCount => {
            let (_, count) = word::<OM>(input, Reading::Count(Kind::Object))?;
            let count = not_negative(count);
            ItemStep::level(4, Level::pairs(Kind::Object, LevelShape::Object, count))
        }
        LevelShape::Types => {
            let types = level.types();
            let inner = types_or_count(kind, types >> 2);
            match types & 0b11 {
                TYPE_NUMBER => {
                    type_number::<OM>(layout, input, kind, u32::MAX)?;
                    ItemStep::level(4, inner)
                }
                _ => ItemStep { inner, ..text::<OM>(input, kind)? },
            }
        }
        LevelShape::ElementClass => {
            let (rest, header) = word::<OM>(input, Reading::Header)?;
            if layout.entry(header).class != Class::Text {
                let number = header as u8;
                return Err(fail::<OM>(input, Reading::Header, Problem::UnknownType { number }));
            }
            let inner = Level::part(kind, LevelShape::ElementCount, 0);
            ItemStep { inner, ..text::<OM>(rest, kind)?.after(4) }
        }
        LevelShape::ElementCount => {
            let (_, count) = word::<OM>(input, Reading::Count(kind))?;
            let count = count & !TOP_BIT;
            let inner = match kind {
                Kind::Dictionary => Level::pairs(kind, LevelShape::Dictionary, count),
                _ => Level::new(kind, LevelShape::Array, count),
            };
            ItemStep::level(4, inner.typed())
        }
        LevelShape::SignalName => ItemStep {
            inner: Level::new(kind, LevelShape::SignalId, 1),
            ..text::<OM>(input, kind)?
        },
        LevelShape::SignalId => ItemStep::leaf(0, kind, ItemContent::Skip(8)),
        _ => text::<OM>(input, kind)?,
    };
    T::then::<OM>(input, step)
}

/// The code of an element type that is written as a type number. The others are written as strings.
const TYPE_NUMBER: u8 = 1;

/// The next part of a typed container: an element type, or the count.
const fn types_or_count(kind: Kind, mut types: u8) -> Level {
    if types != 0 && types & 0b11 == 0 {
        types >>= 2;
    }
    match types {
        0 => Level::part(kind, LevelShape::ElementCount, 0),
        _ => Level::part(kind, LevelShape::Types, types),
    }
}

/// Reads the type number of elements, in the given bits of a word. Returns their kind.
fn type_number<'a, OM: OutputMode>(
    layout: &'static DialectLayout,
    input: &'a [u8],
    kind: Kind,
    bits: u32,
) -> Result<Kind, Failure<'a, OM>> {
    let reading = Reading::ElementType(kind);
    let (_, number) = word::<OM>(input, reading)?;
    match u8::try_from(number & bits).ok().and_then(|number| layout.kind(number)) {
        Some(kind) => Ok(kind),
        None => Err(fail::<OM>(input, reading, Problem::UnknownType { number: number as u8 })),
    }
}

/// Reads an item that is a value: its header and its content.
///
/// Each branch has a call of its own that reads the content. So the compiler can reduce that call
/// to what one sort of value needs. A single call after the branches would test the sort again for
/// each value.
#[inline(always)]
pub(crate) fn value<'a, T: Then, OM: OutputMode>(
    layout: &'static DialectLayout,
    input: &'a [u8],
) -> Outcome<'a, OM, T::Output<'a>> {
    let (rest, header) = word::<OM>(input, Reading::Header)?;
    let entry = layout.entry(header);
    let kind = entry.kind;
    let fixed = |size| T::then::<OM>(input, ItemStep::leaf(4, kind, ItemContent::Skip(size)));
    let words = |words: usize| {
        if header & FLAG_64 == 0 { fixed(words * 4) } else { fixed(entry.size(header)) }
    };
    match entry.class {
        Class::Words1 => words(1),
        Class::Words2 => words(2),
        Class::Words3 => words(3),
        Class::Words4 => words(4),
        Class::Fixed => fixed(entry.size(header)),
        Class::Text => T::then::<OM>(input, text::<OM>(rest, kind)?.after(4)),
        Class::Array | Class::Dictionary
            if header >> ELEMENT_TYPES != 0 && layout.has_typed_containers() =>
        {
            T::then::<OM>(input, typed::<OM>(rest, header, kind)?.after(4))
        }
        Class::Array => {
            let (_, count) = word::<OM>(rest, Reading::Count(kind))?;
            let inner = Level::new(kind, LevelShape::Array, count & !TOP_BIT);
            T::then::<OM>(input, ItemStep::level(8, inner))
        }
        Class::Dictionary => {
            let (_, count) = word::<OM>(rest, Reading::Count(kind))?;
            let inner = Level::pairs(kind, LevelShape::Dictionary, count & !TOP_BIT);
            T::then::<OM>(input, ItemStep::level(8, inner))
        }
        Class::Other => T::then::<OM>(input, unusual::<OM>(layout, rest, header)?.after(4)),
        Class::Unknown => {
            let number = header as u8;
            Err(fail::<OM>(input, Reading::Header, Problem::UnknownType { number }))
        }
    }
}

/// Reads what follows the header of a container that may have element types.
#[inline(never)]
fn typed<'a, OM: OutputMode>(input: &'a [u8], header: u32, kind: Kind) -> Found<'a, OM> {
    let of_both = if kind == Kind::Array { 0b11 } else { 0b1111 };
    let types = (header >> ELEMENT_TYPES) as u8 & of_both;
    if types != 0 {
        return Ok(ItemStep::level(0, types_or_count(kind, types)));
    }
    let (_, count) = word::<OM>(input, Reading::Count(kind))?;
    let count = count & !TOP_BIT;
    let inner = match kind {
        Kind::Array => Level::new(kind, LevelShape::Array, count),
        _ => Level::pairs(kind, LevelShape::Dictionary, count),
    };
    Ok(ItemStep::level(4, inner))
}

/// Reads what follows the header of a value with a rare sort of body.
#[inline(never)]
fn unusual<'a, OM: OutputMode>(
    layout: &'static DialectLayout,
    input: &'a [u8],
    header: u32,
) -> Found<'a, OM> {
    let entry = layout.entry(header);
    let kind = entry.kind;
    match kind.body() {
        ValueBody::TypedArray => {
            // As in a header, the engine only looks at 8 bits of this type number.
            let of = type_number::<OM>(layout, input, kind, 0xff)?;
            let has_class = of == Kind::Object && header & FLAG_BY_ID == 0;
            let next = if has_class { LevelShape::ElementClass } else { LevelShape::ElementCount };
            Ok(ItemStep::level(4, Level::part(kind, next, 0)))
        }
        ValueBody::Signal => Ok(ItemStep::level(0, Level::new(kind, LevelShape::SignalName, 1))),
        ValueBody::Packed(cell, cells) => {
            let size = cell.size(entry.is_wide(header)) * cells;
            packed::<OM>(input, kind, usize::from(size))
        }
        ValueBody::Strings => {
            let (_, count) = word::<OM>(input, Reading::Count(kind))?;
            Ok(ItemStep::level(4, Level::new(kind, LevelShape::Strings, not_negative(count))))
        }
        ValueBody::NodePath => node_path::<OM>(input),
        ValueBody::Object if header & FLAG_BY_ID != 0 => {
            Ok(ItemStep::leaf(0, kind, ItemContent::Skip(8)))
        }
        _ => Ok(ItemStep::level(0, Level::new(kind, LevelShape::Class, 1))),
    }
}

/// A count that the engines loop over with a signed number. If it is negative, they read nothing.
const fn not_negative(count: u32) -> u32 {
    if count & TOP_BIT == 0 { count } else { 0 }
}

#[inline(always)]
fn word<'a, OM: OutputMode>(input: &'a [u8], reading: Reading) -> Outcome<'a, OM, u32> {
    U32(reading).process::<Emitting<OM>>(input)
}

/// Reads the length of a string.
#[inline(always)]
fn text<'a, OM: OutputMode>(input: &'a [u8], kind: Kind) -> Found<'a, OM> {
    let (_, length) = word::<OM>(input, Reading::Length(kind))?;
    let length = signed::<OM>(input, Reading::Length(kind), length)?;
    Ok(ItemStep::leaf(4, kind, ItemContent::Text(length)))
}

/// Reads the name of an object's class. An object with an empty class name is null, and ends after
/// the name.
#[inline(never)]
fn class<'a, OM: OutputMode>(input: &'a [u8]) -> Found<'a, OM> {
    let mut step = text::<OM>(input, Kind::Object)?;
    let ItemContent::Text(length) = step.content else { return Ok(step) };
    let name = input.get(step.head..).unwrap_or(&[]);
    let name = name.get(..length).unwrap_or(name);
    let same = name.iter().zip(NO_NAME).take_while(|(byte, other)| **byte == *other).count();
    if same == length.min(NO_NAME.len()) || name.first() == Some(&0) {
        return Ok(step);
    }
    if same == name.len() {
        // So far, the bytes can be those of an empty name or the start of another name. The rest of
        // the name comes in any case.
        let mut more = Take { count: padded(length), reading: Reading::Text(Kind::Object) };
        more.process::<Emitting<OM>>(name)?;
    }
    step.inner = Level::new(Kind::Object, LevelShape::PropertyCount, 1);
    Ok(step)
}

/// The engines read a string up to its first NUL and drop a byte order mark before it. So a string
/// is empty if it is this, the start of this, or starts with a NUL.
const NO_NAME: [u8; 4] = *b"\xef\xbb\xbf\0";

/// Reads the count of a packed array whose elements have a fixed size.
#[inline(always)]
fn packed<'a, OM: OutputMode>(input: &'a [u8], kind: Kind, size: usize) -> Found<'a, OM> {
    let (_, count) = word::<OM>(input, Reading::Count(kind))?;
    let count = signed::<OM>(input, Reading::Count(kind), count)?;
    let length = count.saturating_mul(size);
    let content =
        if size.is_multiple_of(4) { ItemContent::Skip(length) } else { ItemContent::Bytes(length) };
    Ok(ItemStep::leaf(4, kind, content))
}

#[inline(never)]
fn node_path<'a, OM: OutputMode>(input: &'a [u8]) -> Found<'a, OM> {
    let kind = Kind::NodePath;
    let (rest, names) = word::<OM>(input, Reading::Count(kind))?;
    if names & TOP_BIT == 0 {
        return text::<OM>(input, kind);
    }
    // This takes both words at once, so that a stream asks for both.
    let mut words = peek(Take { count: 8, reading: Reading::Count(kind) });
    words.process::<Emitting<OM>>(rest)?;
    let (rest, subnames) = word::<OM>(rest, Reading::Count(kind))?;
    let (_, flags) = word::<OM>(rest, Reading::Count(kind))?;
    let property = u32::from(flags & FLAG_PROPERTY != 0);
    // The engine's sum wraps around. So does this one, to give the path the same number of names.
    let total = (names & !TOP_BIT).wrapping_add(subnames).wrapping_add(property);
    Ok(ItemStep::level(12, Level::new(kind, LevelShape::Strings, total)))
}

/// A length that the engines read as a signed number.
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
