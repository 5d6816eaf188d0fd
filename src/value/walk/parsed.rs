//! Walks values that have been parsed.

use super::cursor::{Cursor, Silent};
use super::event::Event;
use super::stack::WalkStack;
use crate::value::dialect::MAX_DEPTH;
use crate::value::view::VariantRef;
use crate::value::wire::nesting::Level;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

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
            max_depth: MAX_DEPTH,
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
        // The bytes have been checked, so nothing fails.
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
        // The bytes have been checked, so nothing fails.
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
