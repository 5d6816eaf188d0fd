//! Strings in packets, and packed arrays of strings.

#![expect(unsafe_code, reason = "it reads text of checked bytes, which is not checked again")]

use crate::value::trusted::checked_str;
use crate::value::wire::TextCheck;
use crate::value::wire::{
    content::padded,
    utf8::{until_nul, without_mark},
};
use core::iter::FusedIterator;

/// The string whose length is at `offset`, and the offset after its padding. `knowledge` determines
/// whether a NUL may end the string early.
///
/// # Safety
///
/// If there are bytes at `offset`, the grammar must have read and checked a string there, and must
/// have found `knowledge`. Passing [`TextCheck::Cut`] instead of what was found is always safe.
#[inline(always)]
pub(crate) unsafe fn str_at(bytes: &[u8], offset: usize, knowledge: TextCheck) -> (&str, usize) {
    let start = offset.saturating_add(4);
    let Some((head, text)) = bytes.split_at_checked(start) else { return ("", bytes.len()) };
    let length = head.last_chunk().map_or(0, |length| u32::from_le_bytes(*length)) as usize;
    let end = start.saturating_add(padded(length));
    let text = text.get(..length).unwrap_or(text);
    let text = if knowledge == TextCheck::Plain { text } else { without_mark(until_nul(text)) };
    // SAFETY: the grammar has checked the string up to its first NUL, and all of it if it is plain.
    // A byte order mark is a whole character.
    (unsafe { checked_str(text) }, end)
}

/// The strings of a packed array.
#[derive(Clone, Copy)]
pub struct StringsRef<'a> {
    bytes: &'a [u8],
    len: u32,
    knowledge: TextCheck,
}

impl<'a> StringsRef<'a> {
    /// The strings in `bytes`, which starts with their count.
    ///
    /// # Safety
    ///
    /// The grammar must have read and checked these strings, and must have found `knowledge`.
    #[inline]
    pub(crate) unsafe fn new(bytes: &'a [u8], knowledge: TextCheck) -> StringsRef<'a> {
        let (len, bytes) = match bytes.split_first_chunk() {
            Some((count, bytes)) => (i32::from_le_bytes(*count), bytes),
            None => (0, bytes),
        };
        // The engines read nothing for a negative count.
        StringsRef { bytes, len: u32::try_from(len).unwrap_or(0), knowledge }
    }

    /// Creates `len` strings that follow each other in `bytes`.
    ///
    /// # Safety
    ///
    /// The same as for [`StringsRef::new`].
    #[inline]
    pub(crate) const unsafe fn of(
        bytes: &'a [u8],
        len: u32,
        knowledge: TextCheck,
    ) -> StringsRef<'a> {
        StringsRef { bytes, len, knowledge }
    }

    /// The first `len` strings.
    #[inline]
    pub(crate) fn first(self, len: usize) -> StringsRef<'a> {
        StringsRef { len: u32::try_from(len).map_or(self.len, |len| len.min(self.len)), ..self }
    }

    /// How many strings there are.
    #[inline]
    #[must_use]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The strings in order.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> StringsIter<'a> {
        StringsIter { strings: self, offset: 0 }
    }

    /// One string. This skips the strings before it one by one.
    #[must_use]
    pub fn get(self, index: usize) -> Option<&'a str> {
        self.iter().nth(index)
    }
}

impl<'a> IntoIterator for StringsRef<'a> {
    type Item = &'a str;
    type IntoIter = StringsIter<'a>;

    fn into_iter(self) -> StringsIter<'a> {
        self.iter()
    }
}

impl PartialEq for StringsRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for StringsRef<'_> {}

impl core::fmt::Debug for StringsRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Iterates over the strings of a packed array.
#[derive(Clone, Debug)]
pub struct StringsIter<'a> {
    strings: StringsRef<'a>,
    offset: usize,
}

impl<'a> Iterator for StringsIter<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        self.strings.len = self.strings.len.checked_sub(1)?;
        // SAFETY: a string begins here, because fewer than all strings have been read.
        let (text, end) =
            unsafe { str_at(self.strings.bytes, self.offset, self.strings.knowledge) };
        self.offset = end;
        Some(text)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.strings.len(), Some(self.strings.len()))
    }
}

impl ExactSizeIterator for StringsIter<'_> {}
impl FusedIterator for StringsIter<'_> {}
