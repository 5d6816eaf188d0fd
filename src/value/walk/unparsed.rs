//! Walks bytes that have not been parsed, and checks them on the way.

use super::cursor::{Cursor, Reporting, Stop, report};
use super::event::Event;
use super::stack::WalkStack;
use crate::value::dialect::ReadOptions;
use crate::value::error::Error;
use crate::value::kind::Kind;
#[cfg(doc)]
use crate::value::view::VariantRef;
use crate::value::wire::Text;
use crate::value::wire::nesting::Level;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

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
/// The same as those of [`crate::parse_prefix`]. `visitor` has been called with the events before
/// the error.
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
/// If there is an error, it is the last item. [`Events::rest`] returns the bytes after the value.
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

impl<'a> Iterator for Events<'a, '_> {
    type Item = Result<Event<'a>, Error>;

    #[inline(always)]
    fn next(&mut self) -> Option<Result<Event<'a>, Error>> {
        match self.cursor.next::<true, Reporting>() {
            Ok(event) => event.map(Ok),
            Err(failure) => {
                // End the iteration.
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

/// Passes an error to the closure of a fold. It is outside the loop, so that the compiler need not
/// reserve room for an error in every event.
#[cold]
#[inline(never)]
fn last<'a, B>(mut f: impl FnMut(B, Result<Event<'a>, Error>) -> B, result: B, error: Error) -> B {
    f(result, Err(error))
}

impl FusedIterator for Events<'_, '_> {}
