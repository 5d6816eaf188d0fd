//! The position of a walk, how it moves to the next event, and how one item of a container is read:
//! a value up to the first value in it, or the name of a property.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

use super::event::{Container, Ended, Event, Slot};
use crate::value::view::{header_of, str_at};
use crate::value::wire::common::{Common, read};
use crate::value::wire::nesting::{Level, LevelRoom, LevelShape, Levels};
use crate::value::wire::step::Outcome;
use crate::value::wire::{Failure, Fault, Filling, Quiet, TextCheck, fail, failure, step};
use crate::value::{DialectLayout, Error, Problem, Reading, VariantRef};
use core::ops::ControlFlow;
use nom::error::{ErrorKind, ParseError};
use nom::{Check, Complete, Emit, OutputM, OutputMode};

/// The position of a walk between two events.
#[derive(Debug)]
pub(super) struct Cursor<'a, 's> {
    pub(super) rest: &'a [u8],
    pub(super) layout: &'static DialectLayout,
    pub(super) max_depth: u16,
    pub(super) text: TextCheck,
    pub(super) level: Level,
    pub(super) stack: Levels<&'s mut LevelRoom>,
}

impl<'a> Cursor<'a, '_> {
    /// The next event. With `VALIDATE`, the bytes are checked on the way; without it, they must
    /// have been checked before.
    // Inlined into the caller's loop, so that the events need not be written to memory. That takes
    // less than half the time.
    #[inline(always)]
    pub(super) fn next<const VALIDATE: bool, OM: OutputMode>(
        &mut self,
    ) -> Result<Option<Event<'a>>, Failure<'a, OM>> {
        if self.level.is_empty() {
            let ended = self.level;
            let Some(level) = self.stack.pop() else { return Ok(None) };
            self.level = level;
            return Ok(Some(Event::End(Ended(ended))));
        }
        if !self.level.is_at_value() {
            let (rest, name) = name::<VALIDATE, OM>(self.layout, self.level, self.rest, self.text)?;
            self.level.take_one();
            self.rest = rest;
            return Ok(Some(Event::Property(name)));
        }
        let slot = slot_of(self.level, self.stack.is_empty());
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
            // SAFETY: the bytes were just read with `VALIDATE`, or belong to a view and are
            // checked.
            let value = unsafe { VariantRef::with_header(self.layout, text, header, bytes) };
            return Ok(Some(Event::Value(slot, value)));
        };
        if !enter::<VALIDATE>(&mut self.stack, self.level, inner, self.max_depth) {
            return Err(too_deep::<OM>(self.rest, inner, self.max_depth));
        }
        self.level = inner;
        // SAFETY: the same. Only the part of a container before its first value is read.
        let start = unsafe { VariantRef::with_header(self.layout, text, header, start) };
        Ok(Some(Event::Begin(slot, Container::new(start, inner))))
    }

    /// Passes every event to `visit`, together with the result so far. If there is an error, it
    /// comes last. The events are the same as those of [`Cursor::next`], but the position of the
    /// walk stays in registers. Returns the last result and the bytes after the value.
    // There is only one call of `visit`, because the compiler does not inline several.
    #[inline(always)]
    pub(super) fn fold_while<const VALIDATE: bool, A, R, E>(
        self,
        mut result: A,
        fail: impl Fn(WalkStop<'a>) -> E,
        mut visit: impl FnMut(A, Result<Event<'a>, E>) -> ControlFlow<R, A>,
    ) -> ControlFlow<R, (A, &'a [u8])> {
        let Cursor { mut rest, layout, max_depth, text: known, mut level, mut stack } = self;
        loop {
            let start = rest;
            let event = 'event: {
                if level.is_empty() {
                    let ended = level;
                    match stack.pop() {
                        Some(around) => level = around,
                        None => return ControlFlow::Continue((result, rest)),
                    }
                    break 'event Ok(Event::End(Ended(ended)));
                }
                if !level.is_at_value() {
                    match name::<VALIDATE, Silent>(layout, level, rest, known) {
                        Ok((after, name)) => {
                            rest = after;
                            level.take_one();
                            break 'event Ok(Event::Property(name));
                        }
                        Err(_) => break 'event Err(fail(WalkStop::Item(start, level))),
                    }
                }
                let slot = slot_of(level, stack.is_empty());
                // On the fast path, all text is plain. So the compiler knows this when it inlines
                // what `visit` does with a string.
                let (header, found) = if VALIDATE || known == TextCheck::Plain {
                    // SAFETY: without `VALIDATE`, the bytes belong to a view and are checked.
                    unsafe { read::<VALIDATE>(layout, start) }
                } else {
                    (0, Common::Other)
                };
                let (header, text, bytes, inner) = match found {
                    Common::Leaf { bytes, rest: after } => {
                        rest = after;
                        (header, TextCheck::Plain, bytes, None)
                    }
                    Common::Container { inner, rest: after } => {
                        rest = after;
                        (header, TextCheck::Plain, start, Some(inner))
                    }
                    Common::Other => match rare_item::<VALIDATE, Silent>(layout, start) {
                        Ok(item) => {
                            rest = item.rest;
                            let text = if VALIDATE { item.text } else { known };
                            (item.header, text, item.bytes, item.inner)
                        }
                        Err(_) => break 'event Err(fail(WalkStop::Item(start, level))),
                    },
                };
                level.take_one();
                let Some(inner) = inner else {
                    // SAFETY: the bytes were just read with `VALIDATE`, or belong to a view and are
                    // checked.
                    let value = unsafe { VariantRef::with_header(layout, text, header, bytes) };
                    break 'event Ok(Event::Value(slot, value));
                };
                if !enter::<VALIDATE>(&mut stack, level, inner, max_depth) {
                    break 'event Err(fail(WalkStop::TooDeep(rest, inner)));
                }
                level = inner;
                // SAFETY: the same. Only the part of a container before its first value is read.
                let start = unsafe { VariantRef::with_header(layout, text, header, start) };
                Ok(Event::Begin(slot, Container::new(start, inner)))
            };
            match visit(result, event) {
                ControlFlow::Continue(next) => result = next,
                ControlFlow::Break(stopped) => return ControlFlow::Break(stopped),
            }
        }
    }
}

/// The reason why a walk stops early.
#[derive(Clone, Copy)]
pub(super) enum WalkStop<'a> {
    /// The next item of a level, at the front of these bytes, cannot be read.
    Item(&'a [u8], Level),
    /// The level that opens before these bytes is nested too deep.
    TooDeep(&'a [u8], Level),
}

impl<'a> WalkStop<'a> {
    /// The error. To find it, the item is read again.
    #[cold]
    #[inline(never)]
    pub(super) fn error(
        self,
        layout: &'static DialectLayout,
        max_depth: u16,
        input: &'a [u8],
    ) -> Error {
        let failure = match self {
            WalkStop::TooDeep(rest, inner) => too_deep::<Reporting>(rest, inner, max_depth),
            WalkStop::Item(start, level) => {
                let failed = if level.is_at_value() {
                    rare_item::<true, Reporting>(layout, start).err()
                } else {
                    name::<true, Reporting>(layout, level, start, TextCheck::Cut).err()
                };
                failed.unwrap_or_else(|| failure::<true, Reporting>(layout, start))
            }
        };
        report(failure, input)
    }
}

/// The role of the next value in its container.
#[inline(always)]
fn slot_of(level: Level, is_root: bool) -> Slot {
    match level.shape() {
        LevelShape::Dictionary if level.is_at_first() => Slot::Key,
        LevelShape::Dictionary => Slot::Value,
        LevelShape::Object => Slot::Property,
        _ if is_root => Slot::Root,
        _ => Slot::Element,
    }
}

/// Pushes the level around `inner`. Returns false if `inner` is nested too deep.
#[inline(always)]
fn enter<const VALIDATE: bool>(
    stack: &mut Levels<&mut LevelRoom>,
    level: Level,
    inner: Level,
    max_depth: u16,
) -> bool {
    // Checked values are never nested deeper than the stack can hold, and nothing is nested in an
    // empty container.
    let is_too_deep = VALIDATE && !inner.is_empty() && stack.is_at(max_depth);
    !is_too_deep && stack.push(level)
}

#[cold]
#[inline(never)]
fn too_deep<'a, OM: OutputMode>(rest: &'a [u8], inner: Level, limit: u16) -> Failure<'a, OM> {
    fail::<OM>(rest, Reading::Body(inner.kind()), Problem::TooDeep { limit })
}

#[cold]
#[inline(never)]
pub(super) fn report<'a>(failure: Failure<'a, Reporting>, input: &'a [u8]) -> Error {
    match failure {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault.in_input(input),
        // A whole buffer is never incomplete.
        nom::Err::Incomplete(_) => {
            Fault::from_error_kind(input, ErrorKind::Complete).in_input(input)
        }
    }
}

pub(super) type Reporting = OutputM<Emit, Emit, Complete>;
pub(super) type Silent = OutputM<Emit, Check, Complete>;

/// A value that contains no other values, or the beginning of a container.
pub(crate) struct WalkItem<'a> {
    /// The bytes after it.
    pub(crate) rest: &'a [u8],
    pub(crate) header: u32,
    /// Whether its text needs to be cut when it is read.
    pub(crate) text: TextCheck,
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
    layout: &'static DialectLayout,
    start: &'a [u8],
) -> Result<WalkItem<'a>, Failure<'a, OM>> {
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
    Ok(WalkItem { rest, header, text, bytes, inner })
}

/// Does the same for a rare value, outside the loops over values.
#[inline(never)]
fn rare_item<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static DialectLayout,
    start: &'a [u8],
) -> Result<WalkItem<'a>, Failure<'a, OM>> {
    item::<VALIDATE, OM>(layout, start)
}

/// Reads the name of a property. The next item of `level` must be a name.
#[cfg(feature = "serde")]
pub(crate) fn property_name<'a, OM: OutputMode>(
    layout: &'static DialectLayout,
    level: Level,
    input: &'a [u8],
) -> Outcome<'a, OM, &'a str> {
    name::<true, OM>(layout, level, input, TextCheck::Cut)
}

/// The result of reading the parts of a value.
struct ContainerParts<'a> {
    rest: &'a [u8],
    text: TextCheck,
    /// The values in it, which are still to be read.
    inner: Option<Level>,
}

/// Reads the parts of a value that are not values themselves: the strings of an array or a node
/// path, an object's class and the count of its properties, the element types of a container.
#[inline(never)]
fn parts<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static DialectLayout,
    mut level: Level,
    mut rest: &'a [u8],
) -> Result<ContainerParts<'a>, Failure<'a, OM>> {
    let mut text = TextCheck::Plain;
    while !level.is_empty() {
        let (after, part) = step::part::<Filling<VALIDATE>, OM>(layout, level, rest)?;
        level.take_one();
        rest = after;
        if part.text == TextCheck::Cut {
            text = part.text;
        }
        match part.inner.shape() {
            LevelShape::Leaf => {}
            LevelShape::Array | LevelShape::Dictionary | LevelShape::Object => {
                return Ok(ContainerParts { rest, text, inner: Some(part.inner) });
            }
            _ => level = part.inner,
        }
    }
    Ok(ContainerParts { rest, text, inner: None })
}

/// Takes the name of a property off the front.
#[inline(never)]
fn name<'a, const VALIDATE: bool, OM: OutputMode>(
    layout: &'static DialectLayout,
    level: Level,
    input: &'a [u8],
    text: TextCheck,
) -> Outcome<'a, OM, &'a str> {
    let (rest, part) = step::part::<Filling<VALIDATE>, OM>(layout, level, input)?;
    let text = if VALIDATE { part.text } else { text };
    // SAFETY: the name was just read with `VALIDATE`, or belongs to a view and is checked.
    Ok((rest, unsafe { str_at(part.bytes, 0, text).0 }))
}
