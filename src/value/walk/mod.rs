//! Visits a value and everything in it in one pass, in the order of the bytes.
//!
//! A walk reads every byte once, however deep the value is nested. It neither allocates nor
//! recurses. Use it to print, convert or compare values. The caller provides the stack of open
//! containers and can use it again for the next value.
//!
//! - [`walk`](crate::VariantRef::walk) iterates over the events of a parsed value. [`events`]
//!   iterates over the events of unparsed bytes, and checks them on the way.
//! - Methods that take a closure are faster: `fold`, `for_each`, `sum` and similar methods of both
//!   iterators. [`visit`] and [`VariantRef::visit`](crate::VariantRef::visit) can also stop early.
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

mod cursor;
mod event;

#[cfg(feature = "serde")]
pub(crate) use cursor::{WalkItem, item, property_name};
pub use event::{Container, Ended, Event, Slot};

use super::view::Leaf;
use super::wire::TextCheck;
use super::wire::nesting::{LEVEL_ROOM, Level, LevelRoom, Levels};
use super::{Error, Kind, MAX_DEPTH, ReadOptions, VariantRef};
use core::cell::Cell;
use core::iter::FusedIterator;
use core::ops::ControlFlow;
use cursor::{Cursor, Reporting, Silent, WalkStop, report};

/// Iterates over the events of a parsed value: see [`VariantRef::walk`].
#[derive(Debug)]
pub struct Walk<'a, 's>(Cursor<'a, 's>);

impl<'a> VariantRef<'a> {
    /// Iterates over the value and everything in it, in the order of the bytes.
    #[inline(always)]
    pub fn walk<'s>(self, stack: &'s mut WalkStack) -> Walk<'a, 's> {
        Walk(Cursor {
            rest: self.as_bytes(),
            layout: self.layout(),
            max_depth: MAX_DEPTH,
            text: self.text(),
            level: Level::ROOT,
            stack: Levels::over(&mut stack.0),
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
        // The bytes have been checked, so nothing fails.
        let step = |(), event| match event {
            Ok(event) => match visitor(event) {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(result) => ControlFlow::Break(Some(result)),
            },
            Err(_) => ControlFlow::Break(None),
        };
        match self.walk(stack).0.fold_while::<false, _, _, _>((), |_| (), step) {
            ControlFlow::Break(Some(result)) => ControlFlow::Break(result),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<'a> Iterator for Walk<'a, '_> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        // The bytes have been checked, so nothing fails.
        self.0.next::<false, Silent>().ok().flatten()
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, Event<'a>) -> B>(self, init: B, mut f: F) -> B {
        let step = |result, event| match event {
            Ok(event) => ControlFlow::Continue(f(result, event)),
            Err(_) => ControlFlow::Break(result),
        };
        match self.0.fold_while::<false, _, _, _>(init, |_| (), step) {
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
    // The reason to stop is kept in a cell, so that `fold_while` has less to pass on with each
    // event.
    let stopped = Cell::new(None);
    let step = |(), event| match event {
        Ok(event) => match visitor(event) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(result) => ControlFlow::Break(Some(result)),
        },
        Err(()) => ControlFlow::Break(None),
    };
    match cursor.fold_while::<true, _, _, _>((), |stop| stopped.set(Some(stop)), step) {
        ControlFlow::Continue(((), rest)) => Ok(ControlFlow::Continue(rest)),
        ControlFlow::Break(Some(result)) => Ok(ControlFlow::Break(result)),
        ControlFlow::Break(None) => match stopped.get() {
            Some(stop) => Err(stop.error(layout, max_depth, input)),
            None => Ok(ControlFlow::Continue(&[])),
        },
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
    let cursor = Cursor {
        rest: bytes,
        layout: options.dialect().layout(),
        max_depth: options.depth_limit(),
        text: TextCheck::Cut,
        level: Level::ROOT,
        stack: Levels::over(&mut stack.0),
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
        let stopped = Cell::new(None);
        // One call of `f` only: the compiler inlines no large closure that is called twice.
        let step = |result, event: Result<Event<'a>, ()>| {
            let event = match (event, stopped.get()) {
                (Err(()), Some(stop)) => Err(WalkStop::error(stop, layout, max_depth, input)),
                (Err(()), None) => return ControlFlow::Break(result),
                (Ok(event), _) => Ok(event),
            };
            let is_last = event.is_err();
            let result = f(result, event);
            if is_last { ControlFlow::Break(result) } else { ControlFlow::Continue(result) }
        };
        let fail = |stop| stopped.set(Some(stop));
        match cursor.fold_while::<true, _, _, _>(init, fail, step) {
            ControlFlow::Continue((result, _)) | ControlFlow::Break(result) => result,
        }
    }
}

impl FusedIterator for Events<'_, '_> {}

/// Room for the open containers of a walk. It takes 8 KiB, of which only as much is touched as the
/// value is nested deep.
#[derive(Debug, Clone)]
pub struct WalkStack(LevelRoom);

impl WalkStack {
    /// Creates a stack that any value can use.
    #[inline]
    #[must_use]
    pub const fn new() -> WalkStack {
        WalkStack(LEVEL_ROOM)
    }
}

impl Default for WalkStack {
    fn default() -> WalkStack {
        WalkStack::new()
    }
}

impl PartialEq for VariantRef<'_> {
    fn eq(&self, other: &VariantRef<'_>) -> bool {
        let (mut mine, mut others) = (WalkStack::new(), WalkStack::new());
        let mut others = other.walk(&mut others);
        for event in self.walk(&mut mine) {
            let same = match (event, others.next()) {
                (Event::Value(_, value), Some(Event::Value(_, other))) => {
                    value.kind() == other.kind() && Leaf::of(value) == Leaf::of(other)
                }
                (Event::Begin(_, container), Some(Event::Begin(_, other))) => container == other,
                (Event::Property(name), Some(Event::Property(other))) => name == other,
                (Event::End(_), Some(Event::End(_))) => true,
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }
}
