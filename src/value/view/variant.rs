//! The view of one value: its bytes, its header and its dialect.

#![expect(unsafe_code, reason = "it declares what the grammar must have checked")]

use crate::value::dialect::{Dialect, Layout};
use crate::value::kind::Kind;
use crate::value::wire::Text;

/// A view of a value in the bytes of the input.
///
/// It is `Copy` and has 32 bytes. [`VariantRef::view`] returns the content to match on. The `as_`
/// functions return the content as one type, or `None`.
///
/// Two views are equal if they show the same value, even if padding, flags or the widths of numbers
/// differ.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct VariantRef<'a> {
    bytes: &'a [u8],
    layout: &'static Layout,
    /// The header in the lower half, and what is known about the strings in the upper half. Both
    /// are in one register, and are available without a look at the bytes and their length.
    head: u64,
}

impl<'a> VariantRef<'a> {
    /// Creates the view of bytes that are one whole value.
    ///
    /// # Safety
    ///
    /// The grammar must have read `bytes` with this `layout` from the header on, must have checked
    /// the text in them, and must have found `text`. Only the strings must be valid: bytes that end
    /// early, or go on after the value, are safe.
    #[inline(always)]
    pub(crate) const unsafe fn validated(
        layout: &'static Layout,
        text: Text,
        bytes: &'a [u8],
    ) -> VariantRef<'a> {
        // SAFETY: the caller guarantees the same, and the header is that of the bytes.
        unsafe { VariantRef::with_header(layout, text, header_of(bytes), bytes) }
    }

    /// Does the same for a header that is already known.
    ///
    /// # Safety
    ///
    /// The same as for [`VariantRef::validated`]. Also, `bytes` must start with `header`.
    #[inline(always)]
    pub(crate) const unsafe fn with_header(
        layout: &'static Layout,
        text: Text,
        header: u32,
        bytes: &'a [u8],
    ) -> VariantRef<'a> {
        VariantRef { bytes, layout, head: (text as u64) << 32 | header as u64 }
    }

    /// The kind of the value.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        self.layout.entry(self.header()).kind
    }

    /// The value's own bytes in the input, header and padding included.
    #[inline]
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The dialect in which the value was read.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        self.layout.dialect()
    }

    /// Whether its numbers have eight bytes: an int or float with flag 64, or the reals of a
    /// double-precision engine.
    #[inline]
    #[must_use]
    pub fn is_wide(self) -> bool {
        let header = self.header();
        self.layout.entry(header).is_wide(header)
    }

    #[inline]
    pub(crate) fn layout(&self) -> &'static Layout {
        self.layout
    }

    #[inline]
    pub(crate) const fn text(&self) -> Text {
        if self.head >> 32 == Text::Plain as u64 { Text::Plain } else { Text::Cut }
    }

    /// The bytes from that offset on.
    #[inline]
    pub(crate) fn from(&self, offset: usize) -> &'a [u8] {
        self.bytes.get(offset..).unwrap_or(&[])
    }

    #[inline]
    pub(super) fn word<const SIZE: usize>(&self, offset: usize) -> [u8; SIZE] {
        match self.from(offset).first_chunk() {
            Some(word) => *word,
            None => [0; SIZE],
        }
    }

    #[inline(always)]
    pub(crate) const fn header(&self) -> u32 {
        self.head as u32
    }

    /// The `u32` after the header.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        u32::from_le_bytes(self.word(4)) as usize
    }

    /// The instance id of an object.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        u64::from_le_bytes(self.word(4))
    }
}

/// The header that a value starts with.
#[inline(always)]
pub(crate) const fn header_of(bytes: &[u8]) -> u32 {
    match bytes.first_chunk() {
        Some(header) => u32::from_le_bytes(*header),
        None => 0,
    }
}
