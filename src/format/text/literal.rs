//! Views as literals: `Display`, `Debug` and [`VariantRef::display`].

use super::bounded::bounded;
use super::layout::Layout;
use super::write;
use crate::value::VariantRef;
use core::fmt;

/// Shows a value as its engine's literal: see [`VariantRef::display`].
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    value: VariantRef<'a>,
    layout: Layout,
}

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::literal(self.value, self.layout, f)
    }
}

impl<'a> VariantRef<'a> {
    /// The value as the literal of the engine whose dialect it was read as: see [`crate::text`].
    ///
    /// Writing it neither allocates nor recurses.
    #[must_use]
    pub const fn display(&self, layout: Layout) -> Literal<'a> {
        Literal { value: *self, layout }
    }

    /// The value as its engine's `var2str` returns it.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_text(&self) -> alloc::string::String {
        alloc::string::ToString::to_string(&self.display(Layout::Multiline))
    }
}

/// The literal in one line.
impl fmt::Display for VariantRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::literal(*self, Layout::Line, f)
    }
}

/// The literal in one line. Only the beginning of a long literal is shown.
impl fmt::Debug for VariantRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bounded(f, &self.display(Layout::Line))
    }
}
