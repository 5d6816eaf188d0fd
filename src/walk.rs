//! One pass over a value and everything in it, in the order of the bytes.
//!
//! A walk reads every byte once whatever the nesting, and neither allocates nor recurses. What
//! prints, converts or compares values is built on it. The stack of open containers is the
//! caller's, to be used again for the next value.
//!
//! ```
//! use gdwire::{Dialect, parse, walk::{Event, WalkStack}};
//!
//! // [1, [2, 3]]
//! let bytes = [
//!     19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0,
//!     0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! let mut stack = WalkStack::new();
//! let mut sum = 0;
//! for event in value.walk(&mut stack) {
//!     if let Event::Value(_, leaf) = event {
//!         sum += leaf.as_i64().unwrap_or(0);
//!     }
//! }
//! assert_eq!(sum, 6);
//! # Ok::<(), gdwire::Error>(())
//! ```

use crate::dialect::{Layout, ReadOptions};
use crate::error::{Error, Problem, Reading};
use crate::grammar::content::Filling;
use crate::grammar::nesting::{Level, Shape, Stack};
use crate::grammar::step::{self, Outcome, TOP_BIT};
use crate::grammar::{Failure, Quiet, Text, fail, failure};
use crate::kind::Kind;
use crate::view::{ElementTypeRef, InstanceRef, ObjectRef, VariantRef, View, header_of, str_at};
use core::fmt;
use core::iter::FusedIterator;
use nom::{Check, Complete, Emit, OutputM, OutputMode};

/// The open containers of a walk, 8 KiB of which most is only touched for values nested deeper
/// than 16 containers.
#[derive(Debug, Clone)]
pub struct WalkStack(Stack);

impl WalkStack {
    /// A stack for any value.
    #[inline]
    #[must_use]
    pub const fn new() -> WalkStack {
        WalkStack(Stack::new())
    }
}

impl Default for WalkStack {
    fn default() -> WalkStack {
        WalkStack::new()
    }
}

/// What a walk comes across.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A value with no values in it.
    Value(Place, VariantRef<'a>),
    /// A container; what is in it follows, even if that is nothing.
    Begin(Place, Container<'a>),
    /// The name of an object's property, whose value follows.
    Property(&'a str),
    /// The end of the innermost open container.
    End(Ended),
}

/// The container that ends.
#[derive(Clone, Copy)]
pub struct Ended(Level);

impl Ended {
    /// An array, a dictionary or an object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.0.kind()
    }

    /// Whether its elements have to be of a type: [`Container::is_typed`] of its beginning.
    #[inline]
    #[must_use]
    pub const fn is_typed(self) -> bool {
        self.0.is_typed()
    }
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ended").field(&self.kind()).finish()
    }
}

/// Where in its container a value stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// Not in a container: it is what was walked.
    Root,
    /// An element of an array.
    Element,
    /// A key of a dictionary; its value is the next at this depth.
    Key,
    /// The value of the key before it.
    Value,
    /// The value of the property that was named before it.
    Property,
}

/// A container that begins.
///
/// Made of the same parts as a [`VariantRef`], so that an event of either sort can be handed on
/// in registers.
#[derive(Clone, Copy)]
pub struct Container<'a> {
    /// The bytes from the container's header on; where it ends is not known yet.
    start: VariantRef<'a>,
}

impl<'a> Container<'a> {
    /// An array, a dictionary or an object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.start.kind()
    }

    /// How many elements, entries or properties follow.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array | Kind::Dictionary if !self.is_typed() => {
                self.start.count() & !TOP_BIT as usize
            }
            _ => self.len_behind_parts(),
        }
    }

    /// The length of a container whose count is not behind its header.
    #[inline(never)]
    fn len_behind_parts(&self) -> usize {
        match self.start.view() {
            View::Object(ObjectRef::Instance(instance)) => instance.len(),
            View::Dictionary(dictionary) => dictionary.len(),
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                array.len()
            }
            _ => 0,
        }
    }

    /// How many bytes are left of the value that is walked, from the container's header on.
    #[cfg(feature = "alloc")]
    pub(crate) const fn bytes_left(&self) -> usize {
        self.start.as_bytes().len()
    }

    /// Whether it ends at once.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// What the elements of an array have to be, or the keys and the values of a dictionary.
    #[must_use]
    pub fn element_types(self) -> [ElementTypeRef<'a>; 2] {
        match self.start.view() {
            View::Dictionary(dictionary) => [dictionary.key_type(), dictionary.value_type()],
            View::Array(array) | View::TypedArray(array) | View::PackedTypedArray(array) => {
                [array.element_type(), ElementTypeRef::Any]
            }
            _ => [ElementTypeRef::Any; 2],
        }
    }

    /// Whether its header names element types, be they any type at all: what its
    /// [`Event::End`] says, too.
    #[must_use]
    pub fn is_typed(self) -> bool {
        self.start.names_element_types()
    }

    /// The class of an object; empty for other containers.
    #[must_use]
    pub fn class(self) -> &'a str {
        self.instance().map_or("", |instance| instance.class())
    }

    fn instance(&self) -> Option<InstanceRef<'a>> {
        match self.start.view() {
            View::Object(ObjectRef::Instance(instance)) => Some(instance),
            _ => None,
        }
    }
}

impl fmt::Debug for Container<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("kind", &self.kind())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl PartialEq for Container<'_> {
    fn eq(&self, other: &Container<'_>) -> bool {
        self.kind() == other.kind()
            && self.len() == other.len()
            && self.class() == other.class()
            && self.element_types() == other.element_types()
    }
}

/// The place of a walk between two events.
#[derive(Debug)]
struct Cursor<'a, 's> {
    rest: &'a [u8],
    layout: &'static Layout,
    max_depth: u16,
    text: Text,
    level: Level,
    stack: &'s mut Stack,
}

impl<'a> Cursor<'a, '_> {
    /// The next event. With `VALIDATE` the bytes are checked on the way, otherwise they have
    /// been.
    // Inlined into the caller's loop, the events need not be written to memory, which takes less
    // than half the time.
    #[inline(always)]
    fn next<const VALIDATE: bool, OM: OutputMode>(
        &mut self,
    ) -> Result<Option<Event<'a>>, Failure<'a, OM>> {
        if self.level.is_empty() {
            let ended = self.level;
            let Some(level) = self.stack.leave() else { return Ok(None) };
            self.level = level;
            return Ok(Some(Event::End(Ended(ended))));
        }
        if !self.level.is_at_value() {
            let (rest, name) = name::<VALIDATE, OM>(self.layout, self.level, self.rest, self.text)?;
            self.level.take_one();
            self.rest = rest;
            return Ok(Some(Event::Property(name)));
        }
        let place = match self.level.shape() {
            Shape::Dictionary if self.level.is_at_first() => Place::Key,
            Shape::Dictionary => Place::Value,
            Shape::Object => Place::Property,
            _ if self.stack.is_empty() => Place::Root,
            _ => Place::Element,
        };
        let start = self.rest;
        self.level.take_one();
        let Ok((mut rest, filled)) =
            step::value::<Filling<VALIDATE>, Quiet<OM>>(self.layout, start)
        else {
            return Err(failure::<VALIDATE, OM>(self.layout, start));
        };
        let header = header_of(start);
        let mut bytes = filled.bytes;
        let mut text = if VALIDATE { filled.text } else { self.text };
        let container = if filled.inner.is_leaf() {
            None
        } else if filled.inner.is_of_values() {
            Some(filled.inner)
        } else {
            let parts = parts::<VALIDATE, OM>(self.layout, filled.inner, rest)?;
            rest = parts.rest;
            if VALIDATE {
                text = parts.text;
            }
            let length = start.len().saturating_sub(rest.len());
            bytes = start.get(..length).unwrap_or(start);
            parts.inner
        };
        self.rest = rest;
        let Some(inner) = container else {
            let value = VariantRef::with_header(self.layout, text, header, bytes);
            return Ok(Some(Event::Value(place, value)));
        };
        self.enter::<VALIDATE, OM>(inner)?;
        let start = VariantRef::with_header(self.layout, text, header, start);
        Ok(Some(Event::Begin(place, Container { start })))
    }

    #[inline(always)]
    fn enter<const VALIDATE: bool, OM: OutputMode>(
        &mut self,
        inner: Level,
    ) -> Result<(), Failure<'a, OM>> {
        // What has been checked is no deeper than the stack holds, and in an empty container
        // nothing is deeper.
        let is_too_deep = VALIDATE && !inner.is_empty() && self.stack.is_at(self.max_depth);
        if is_too_deep || !self.stack.push(self.level) {
            let problem = Problem::TooDeep { limit: self.max_depth };
            return Err(fail::<OM>(self.rest, Reading::Body(inner.kind()), problem));
        }
        self.level = inner;
        Ok(())
    }
}

/// A value with no values in it, or the beginning of a container.
#[cfg(feature = "serde")]
pub(crate) struct Item<'a> {
    /// What follows.
    pub(crate) rest: &'a [u8],
    pub(crate) header: u32,
    /// What was learned of its text.
    pub(crate) text: Text,
    /// From its header to its end, or to the first value in it.
    pub(crate) bytes: &'a [u8],
    /// Of a container, the values in it.
    pub(crate) inner: Option<Level>,
}

/// Reads a value up to the first value in it. With `VALIDATE` the bytes are checked on the way.
///
/// [`Cursor::next`] does the same in place: handed on in this structure, events took a third
/// longer.
#[cfg(feature = "serde")]
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

/// Reads the name of a property, where one is due.
#[cfg(feature = "serde")]
pub(crate) fn property_name<'a, OM: OutputMode>(
    layout: &'static Layout,
    level: Level,
    input: &'a [u8],
) -> Outcome<'a, OM, &'a str> {
    name::<true, OM>(layout, level, input, Text::Cut)
}

/// What was read of a value of several parts.
struct Parts<'a> {
    rest: &'a [u8],
    text: Text,
    /// The values in it, which are still to be read.
    inner: Option<Level>,
}

/// Reads the parts of a value that are no values: the strings of an array or a node path, an
/// object's class and the count of its properties, the element types of a container.
#[inline(never)]
fn parts<'a, const VALIDATE: bool, OM: OutputMode>(
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
fn name<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    level: Level,
    input: &'a [u8],
    text: Text,
) -> Outcome<'a, OM, &'a str> {
    let (rest, part) = step::part::<Filling<VALIDATE>, OM>(layout, level, input)?;
    let text = if VALIDATE { part.text } else { text };
    Ok((rest, str_at(part.bytes, 0, text).0))
}

/// The events of a value that has been parsed: see [`VariantRef::walk`].
#[derive(Debug)]
pub struct Walk<'a, 's>(Cursor<'a, 's>);

impl<'a> VariantRef<'a> {
    /// The value and everything in it, in the order of the bytes.
    #[inline(always)]
    pub fn walk<'s>(self, stack: &'s mut WalkStack) -> Walk<'a, 's> {
        stack.0.clear();
        Walk(Cursor {
            rest: self.as_bytes(),
            layout: self.layout(),
            max_depth: crate::MAX_DEPTH,
            text: self.text(),
            level: Level::ROOT,
            stack: &mut stack.0,
        })
    }
}

impl<'a> Iterator for Walk<'a, '_> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        // The bytes have been checked, and so nothing fails.
        self.0.next::<false, OutputM<Emit, Check, Complete>>().ok().flatten()
    }
}

impl FusedIterator for Walk<'_, '_> {}

/// The events of bytes that are parsed on the way: see [`events`].
#[derive(Debug)]
pub struct Events<'a, 's> {
    cursor: Cursor<'a, 's>,
    input: &'a [u8],
}

/// Parses one value from the front of `bytes` and walks it, both in one pass: what
/// [`crate::parse_prefix`] and [`VariantRef::walk`] give together, in less time.
///
/// An error ends the events; those before it have been given by then. What follows the value is
/// left in [`Events::rest`].
#[inline(always)]
pub fn events<'a, 's>(
    options: impl Into<ReadOptions>,
    bytes: &'a [u8],
    stack: &'s mut WalkStack,
) -> Events<'a, 's> {
    let options = options.into();
    stack.0.clear();
    let cursor = Cursor {
        rest: bytes,
        layout: options.dialect().layout(),
        max_depth: options.depth_limit(),
        text: Text::Cut,
        level: Level::ROOT,
        stack: &mut stack.0,
    };
    Events { cursor, input: bytes }
}

impl<'a> Events<'a, '_> {
    /// The bytes that have not been read.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.cursor.rest
    }
}

#[cold]
#[inline(never)]
fn report<'a>(failure: Failure<'a, Reporting>, input: &'a [u8]) -> Option<Error> {
    match failure {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => Some(fault.in_input(input)),
        nom::Err::Incomplete(_) => None,
    }
}

type Reporting = OutputM<Emit, Emit, Complete>;

impl<'a> Iterator for Events<'a, '_> {
    type Item = Result<Event<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Result<Event<'a>, Error>> {
        match self.cursor.next::<true, Reporting>() {
            Ok(event) => event.map(Ok),
            Err(failure) => {
                // Ends the events.
                self.cursor.stack.clear();
                self.cursor.level = Level::leaf(Kind::Nil);
                report(failure, self.input).map(Err)
            }
        }
    }
}

impl FusedIterator for Events<'_, '_> {}
