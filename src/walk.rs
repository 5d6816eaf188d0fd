//! Visits a value and everything in it in one pass, in the order of the bytes.
//!
//! A walk reads every byte once, however deep the value is nested. It neither allocates nor
//! recurses. Use it to print, convert or compare values. The caller provides the stack of open
//! containers and can use it again for the next value.
//!
//! - [`VariantRef::walk`] iterates over the events of a parsed value. [`events`] iterates over the
//!   events of unparsed bytes, and checks them on the way.
//! - Methods that take a closure are faster: `fold`, `for_each`, `sum` and similar methods of both
//!   iterators. [`visit`] and [`VariantRef::visit`] can also stop early.
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

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use crate::dialect::{Layout, ReadOptions};
use crate::error::{Error, Problem, Reading};
use crate::grammar::common::{Common, common};
use crate::grammar::content::Filling;
use crate::grammar::nesting::{Level, Shape, Stack};
use crate::grammar::step::{self, ELEMENT_TYPES, Outcome, TOP_BIT};
use crate::grammar::{Failure, Quiet, Text, fail, failure};
use crate::kind::Kind;
use crate::view::{ElementTypeRef, InstanceRef, ObjectRef, VariantRef, View, header_of, str_at};
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;
use nom::error::{ErrorKind, ParseError};
use nom::{Check, Complete, Emit, OutputM, OutputMode};

/// The open containers of a walk. It has 8 KiB; most of that is only used for values nested deeper
/// than 16 containers.
#[derive(Debug, Clone)]
pub struct WalkStack(Stack);

impl WalkStack {
    /// Creates a stack that any value can use.
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

/// An event of a walk.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A value that is not a container.
    Value(Place, VariantRef<'a>),
    /// The start of a container. Its content follows, then [`Event::End`].
    Begin(Place, Container<'a>),
    /// The name of an object's property. Its value follows.
    Property(&'a str),
    /// The end of the innermost open container.
    End(Ended),
}

/// The kind of a container that ends.
#[derive(Clone, Copy)]
pub struct Ended(Level);

impl Ended {
    /// The kind of the container: an array, a dictionary or an object.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.0.kind()
    }

    /// Whether the container has element types, as [`Container::is_typed`] at its start.
    #[inline]
    #[must_use]
    pub const fn is_typed(self) -> bool {
        self.0.is_typed()
    }
}

/// Two are equal if the containers have the same kind and are both typed or both untyped.
impl PartialEq for Ended {
    fn eq(&self, other: &Ended) -> bool {
        self.kind() == other.kind() && self.is_typed() == other.is_typed()
    }
}

impl Eq for Ended {}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ended").field(&self.kind()).finish()
    }
}

/// The role of a value in its container.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Place {
    /// The walked value itself.
    Root,
    /// An element of an array.
    Element,
    /// A key of a dictionary. Its value follows.
    Key,
    /// The value of the preceding key.
    Value,
    /// The value of the preceding property name.
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
    /// The kind of the container: an array, a dictionary or an object.
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
            // Without flags it has no element types.
            Kind::Array | Kind::Dictionary if self.start.header() >> ELEMENT_TYPES == 0 => {
                self.start.count() & !TOP_BIT as usize
            }
            _ => self.len_behind_parts(),
        }
    }

    /// The length of a container whose count does not directly follow its header.
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

    /// Whether the container is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The declared type of an array's elements, or of a dictionary's keys and values.
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

    /// Whether its header names element types, even if they allow any value. [`Ended::is_typed`]
    /// returns the same.
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
        let place = place(self.level, self.stack);
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
            // SAFETY: read with `VALIDATE` by now, or of a view, whose bytes are checked.
            let value = unsafe { VariantRef::with_header(self.layout, text, header, bytes) };
            return Ok(Some(Event::Value(place, value)));
        };
        if !enter::<VALIDATE>(self.stack, self.level, inner, self.max_depth) {
            return Err(too_deep::<OM>(self.rest, inner, self.max_depth));
        }
        self.level = inner;
        // SAFETY: the same. A container is asked for what is before the values in it, no more.
        let start = unsafe { VariantRef::with_header(self.layout, text, header, start) };
        Ok(Some(Event::Begin(place, Container { start })))
    }

    /// Gives every event to `visit`, with the result so far, and what is wrong as the last: the
    /// same events as those of [`Cursor::next`], but with the place of the walk in registers. The
    /// result is the last one, and what follows the value.
    // There is one call of `visit`, as the compiler does not inline several.
    #[inline(always)]
    fn fold_while<const VALIDATE: bool, A, R>(
        self,
        mut result: A,
        mut visit: impl FnMut(A, Result<Event<'a>, Stop<'a>>) -> ControlFlow<R, A>,
    ) -> ControlFlow<R, (A, &'a [u8])> {
        if !VALIDATE && self.text == Text::Cut {
            return self.fold_cut(result, visit);
        }
        let Cursor { mut rest, layout, max_depth, mut level, stack, .. } = self;
        loop {
            let start = rest;
            let event = 'event: {
                if level.is_empty() {
                    let ended = level;
                    match stack.leave() {
                        Some(around) => level = around,
                        None => return ControlFlow::Continue((result, rest)),
                    }
                    break 'event Ok(Event::End(Ended(ended)));
                }
                if !level.is_at_value() {
                    match name::<VALIDATE, Silent>(layout, level, rest, Text::Plain) {
                        Ok((after, name)) => {
                            rest = after;
                            level.take_one();
                            break 'event Ok(Event::Property(name));
                        }
                        Err(_) => break 'event Err(Stop::Item(start, level)),
                    }
                }
                let place = place(level, stack);
                let (header, found) = common::<VALIDATE>(layout, start);
                let (header, text, bytes, inner) = match found {
                    Common::Leaf { bytes, rest: after } => {
                        rest = after;
                        (header, Text::Plain, bytes, None)
                    }
                    Common::Container { inner, rest: after } => {
                        rest = after;
                        (header, Text::Plain, start, Some(inner))
                    }
                    Common::Other => match rare_item::<VALIDATE, Silent>(layout, start) {
                        Ok(item) => {
                            rest = item.rest;
                            let text = if VALIDATE { item.text } else { Text::Plain };
                            (item.header, text, item.bytes, item.inner)
                        }
                        Err(_) => break 'event Err(Stop::Item(start, level)),
                    },
                };
                level.take_one();
                let Some(inner) = inner else {
                    // SAFETY: read with `VALIDATE` by now, or of a view, whose bytes are checked.
                    let value = unsafe { VariantRef::with_header(layout, text, header, bytes) };
                    break 'event Ok(Event::Value(place, value));
                };
                if !enter::<VALIDATE>(stack, level, inner, max_depth) {
                    break 'event Err(Stop::TooDeep(rest, inner));
                }
                level = inner;
                // SAFETY: the same. A container is asked for what is before the values in it.
                let start = unsafe { VariantRef::with_header(layout, text, header, start) };
                Ok(Event::Begin(place, Container { start }))
            };
            match visit(result, event) {
                ControlFlow::Continue(next) => result = next,
                ControlFlow::Break(stopped) => return ControlFlow::Break(stopped),
            }
        }
    }

    /// Does the same for a parsed value with text that is not plain, which few values have. So the
    /// loop of [`Cursor::fold_while`] knows without a look that all text is plain.
    #[cold]
    #[inline(never)]
    fn fold_cut<A, R>(
        mut self,
        mut result: A,
        mut visit: impl FnMut(A, Result<Event<'a>, Stop<'a>>) -> ControlFlow<R, A>,
    ) -> ControlFlow<R, (A, &'a [u8])> {
        // The bytes have been checked, and so nothing fails.
        while let Ok(Some(event)) = self.next::<false, Silent>() {
            match visit(result, Ok(event)) {
                ControlFlow::Continue(next) => result = next,
                ControlFlow::Break(stopped) => return ControlFlow::Break(stopped),
            }
        }
        ControlFlow::Continue((result, self.rest))
    }
}

/// The reason why a walk stops early.
#[derive(Clone, Copy)]
enum Stop<'a> {
    /// With the next item of a level, at the front of these bytes.
    Item(&'a [u8], Level),
    /// A level that opens before these bytes is nested too deep.
    TooDeep(&'a [u8], Level),
}

impl<'a> Stop<'a> {
    /// The error, for which the item is read again.
    #[cold]
    #[inline(never)]
    fn error(self, layout: &'static Layout, max_depth: u16, input: &'a [u8]) -> Error {
        let failure = match self {
            Stop::TooDeep(rest, inner) => too_deep::<Reporting>(rest, inner, max_depth),
            Stop::Item(start, level) => {
                let failed = if level.is_at_value() {
                    rare_item::<true, Reporting>(layout, start).err()
                } else {
                    name::<true, Reporting>(layout, level, start, Text::Cut).err()
                };
                failed.unwrap_or_else(|| failure::<true, Reporting>(layout, start))
            }
        };
        report(failure, input)
    }
}

/// Where in its container the next value stands.
#[inline(always)]
fn place(level: Level, stack: &Stack) -> Place {
    match level.shape() {
        Shape::Dictionary if level.is_at_first() => Place::Key,
        Shape::Dictionary => Place::Value,
        Shape::Object => Place::Property,
        _ if stack.is_empty() => Place::Root,
        _ => Place::Element,
    }
}

/// Puts the level around `inner` aside; false if `inner` is too deep.
#[inline(always)]
fn enter<const VALIDATE: bool>(
    stack: &mut Stack,
    level: Level,
    inner: Level,
    max_depth: u16,
) -> bool {
    // What has been checked is no deeper than the stack holds, and in an empty container nothing
    // is deeper.
    let is_too_deep = VALIDATE && !inner.is_empty() && stack.is_at(max_depth);
    !is_too_deep && stack.push(level)
}

#[cold]
#[inline(never)]
fn too_deep<'a, OM: OutputMode>(rest: &'a [u8], inner: Level, limit: u16) -> Failure<'a, OM> {
    fail::<OM>(rest, Reading::Body(inner.kind()), Problem::TooDeep { limit })
}

/// A value with no values in it, or the beginning of a container.
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

/// The same for a value that few have, apart from the loops over values.
#[inline(never)]
fn rare_item<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static Layout,
    start: &'a [u8],
) -> Result<Item<'a>, Failure<'a, OM>> {
    item::<VALIDATE, OM>(layout, start)
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
    // SAFETY: the name was read with `VALIDATE` by now, or is of a view, whose bytes are checked.
    Ok((rest, unsafe { str_at(part.bytes, 0, text).0 }))
}

/// Iterates over the events of a parsed value: see [`VariantRef::walk`].
#[derive(Debug)]
pub struct Walk<'a, 's>(Cursor<'a, 's>);

impl<'a> VariantRef<'a> {
    /// Iterates over the value and everything in it, in the order of the bytes.
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

    /// Calls `visitor` with each event that [`VariantRef::walk`] returns. `visitor` may stop early.
    ///
    /// ```
    /// # use core::ops::ControlFlow;
    /// # use gdwire::{Dialect, parse, walk::{Event, WalkStack}};
    /// # let bytes = b"\x13\0\0\0\x02\0\0\0\x02\0\0\0\x07\0\0\0\x04\0\0\0\x02\0\0\0hi\0\0";
    /// let value = parse(Dialect::GODOT_3, bytes)?; // [7, "hi"]
    /// let found = value.visit(&mut WalkStack::new(), |event| match event {
    ///     Event::Value(_, value) if value.as_str().is_some() => ControlFlow::Break(value),
    ///     _ => ControlFlow::Continue(()),
    /// });
    /// assert_eq!(found.break_value().and_then(|text| text.as_str()), Some("hi"));
    /// # Ok::<(), gdwire::Error>(())
    /// ```
    #[inline(always)]
    pub fn visit<B>(
        &self,
        stack: &mut WalkStack,
        mut visitor: impl FnMut(Event<'a>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        // The bytes have been checked, and so nothing fails.
        let step = |(), event| match event {
            Ok(event) => match visitor(event) {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(result) => ControlFlow::Break(Some(result)),
            },
            Err(_) => ControlFlow::Break(None),
        };
        match self.walk(stack).0.fold_while::<false, _, _>((), step) {
            ControlFlow::Break(Some(result)) => ControlFlow::Break(result),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<'a> Iterator for Walk<'a, '_> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        // The bytes have been checked, and so nothing fails.
        self.0.next::<false, Silent>().ok().flatten()
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Event<'a>) -> B>(self, init: B, mut f: F) -> B {
        let step = |result, event| match event {
            Ok(event) => ControlFlow::Continue(f(result, event)),
            Err(_) => ControlFlow::Break(result),
        };
        match self.0.fold_while::<false, _, _>(init, step) {
            ControlFlow::Continue((result, _)) | ControlFlow::Break(result) => result,
        }
    }
}

impl FusedIterator for Walk<'_, '_> {}

/// Iterates over the events of bytes and parses them on the way: see [`events`].
#[derive(Debug)]
pub struct Events<'a, 's> {
    cursor: Cursor<'a, 's>,
    input: &'a [u8],
}

/// Parses one value at the front of `bytes` and calls `visitor` with each of its events. `visitor`
/// may stop early. This is the fastest way to read bytes once.
///
/// Returns the bytes after the value, or the result with which `visitor` stopped. If it stopped,
/// the bytes after that event were not checked.
///
/// ```
/// use core::ops::ControlFlow;
/// use gdwire::{Dialect, walk::{Event, WalkStack, visit}};
///
/// // Find the first text in [7, "hi"].
/// let bytes = b"\x13\0\0\0\x02\0\0\0\x02\0\0\0\x07\0\0\0\x04\0\0\0\x02\0\0\0hi\0\0";
/// let found = visit(Dialect::GODOT_3, bytes, &mut WalkStack::new(), |event| match event {
///     Event::Value(_, value) => value.as_str().map_or(ControlFlow::Continue(()), ControlFlow::Break),
///     _ => ControlFlow::Continue(()),
/// })?;
/// assert_eq!(found, ControlFlow::Break("hi"));
/// # Ok::<(), gdwire::Error>(())
/// ```
///
/// # Errors
///
/// The same as of [`crate::parse_prefix`]. `visitor` was called with the events before the error.
#[inline(always)]
pub fn visit<'a, B>(
    options: impl Into<ReadOptions>,
    bytes: &'a [u8],
    stack: &mut WalkStack,
    mut visitor: impl FnMut(Event<'a>) -> ControlFlow<B>,
) -> Result<ControlFlow<B, &'a [u8]>, Error> {
    let Events { cursor, input } = events(options, bytes, stack);
    let (layout, max_depth) = (cursor.layout, cursor.max_depth);
    let step = |(), event| match event {
        Ok(event) => match visitor(event) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(result) => ControlFlow::Break(Ok(result)),
        },
        Err(stop) => ControlFlow::Break(Err(stop)),
    };
    match cursor.fold_while::<true, _, _>((), step) {
        ControlFlow::Continue(((), rest)) => Ok(ControlFlow::Continue(rest)),
        ControlFlow::Break(Ok(result)) => Ok(ControlFlow::Break(result)),
        ControlFlow::Break(Err(stop)) => Err(stop.error(layout, max_depth, input)),
    }
}

/// Parses one value at the front of `bytes` and walks it in the same pass. It returns the same
/// events as [`crate::parse_prefix`] followed by [`VariantRef::walk`], in less time.
///
/// An error is the last item. [`Events::rest`] returns the bytes after the value.
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
fn report<'a>(failure: Failure<'a, Reporting>, input: &'a [u8]) -> Error {
    match failure {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault.in_input(input),
        // A whole buffer is not incomplete.
        nom::Err::Incomplete(_) => Error::from_error_kind(input, ErrorKind::Complete),
    }
}

type Reporting = OutputM<Emit, Emit, Complete>;
type Silent = OutputM<Emit, Check, Complete>;

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
                Some(Err(report(failure, self.input)))
            }
        }
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Result<Event<'a>, Error>) -> B>(self, init: B, mut f: F) -> B {
        let Events { cursor, input } = self;
        let (layout, max_depth) = (cursor.layout, cursor.max_depth);
        let step = |result, event: Result<_, Stop<'a>>| match event {
            Ok(event) => ControlFlow::Continue(f(result, Ok(event))),
            Err(stop) => ControlFlow::Break((result, stop)),
        };
        match cursor.fold_while::<true, _, _>(init, step) {
            ControlFlow::Continue((result, _)) => result,
            ControlFlow::Break((result, stop)) => {
                last(f, result, stop.error(layout, max_depth, input))
            }
        }
    }
}

/// Gives an error to the closure of a fold. Apart from the loop, so that the compiler need not
/// keep room for an error where an event is.
#[cold]
#[inline(never)]
fn last<'a, B>(mut f: impl FnMut(B, Result<Event<'a>, Error>) -> B, result: B, error: Error) -> B {
    f(result, Err(error))
}

impl FusedIterator for Events<'_, '_> {}
