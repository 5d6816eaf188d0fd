//! The unsafe building blocks of the crate.

#![allow(unsafe_code)]

use crate::value::math::*;
use bytemuck::{Pod, Zeroable};
use core::borrow::BorrowMut;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Implements `Pod`, which cannot be derived for generic types. With it, packed arrays are cast: in
/// place when reading, in one copy when writing.
macro_rules! pod {
    ($($math:ident)*) => {$(
        // SAFETY: every field consists of `T`s, and all bits of a `T` may be zero.
        unsafe impl<T: Zeroable> Zeroable for $math<T> {}
        // SAFETY: `repr(C)` lays out fields of one alignment without padding, and each field
        // consists of `T`s alone. So every bit pattern is valid and every byte is initialized.
        unsafe impl<T: Pod> Pod for $math<T> {}
    )*};
}

pod! {
    Vector2 Vector3 Vector4 Rect2 Transform2D Plane Quaternion Aabb Basis Transform3D Projection
    Color
}

/// Returns text that the grammar has checked.
///
/// If every access checked the text again, the walk of a small dictionary would take 1.8 times as
/// long.
///
/// # Safety
///
/// `text` must be UTF-8. When the grammar checks text (`VALIDATE`), it refuses a string that is not
/// UTF-8 up to its first NUL. It calls a string [`TextCheck::Plain`](crate::value::wire::TextCheck)
/// only if all of it is UTF-8.
#[inline(always)]
pub(crate) unsafe fn checked_str(text: &[u8]) -> &str {
    // SAFETY: the caller guarantees the same.
    unsafe { core::str::from_utf8_unchecked(text) }
}

/// The word at an offset.
///
/// # Safety
///
/// `bytes` must have at least four bytes from this offset on.
#[inline(always)]
pub(crate) unsafe fn word(bytes: &[u8], offset: usize) -> u32 {
    // SAFETY: the caller guarantees that the four bytes are there. An array of bytes has no
    // alignment.
    u32::from_le_bytes(unsafe { *bytes.get_unchecked(offset..).as_ptr().cast() })
}

/// Two words at an offset, the first one in the lower half.
///
/// # Safety
///
/// `bytes` must have at least eight bytes from this offset on.
#[inline(always)]
pub(crate) unsafe fn words(bytes: &[u8], offset: usize) -> u64 {
    // SAFETY: the same as in `word`.
    u64::from_le_bytes(unsafe { *bytes.get_unchecked(offset..).as_ptr().cast() })
}

/// Splits bytes at an offset.
///
/// # Safety
///
/// `bytes` must have at least this many bytes.
#[inline(always)]
pub(crate) unsafe fn split(bytes: &[u8], offset: usize) -> (&[u8], &[u8]) {
    // SAFETY: the caller guarantees the same.
    unsafe { bytes.split_at_unchecked(offset) }
}

/// The text after a length of four bytes that is at an offset.
///
/// # Safety
///
/// `bytes` must have the length at this offset, and as many bytes after it.
#[inline(always)]
pub(crate) unsafe fn sized(bytes: &[u8], offset: usize) -> &[u8] {
    let start = offset.wrapping_add(4);
    // SAFETY: the caller guarantees both.
    unsafe {
        let length = word(bytes, offset) as usize;
        bytes.get_unchecked(start..start.wrapping_add(length))
    }
}

/// Room for `N` items, which is not cleared: that would take longer than to read a small value.
pub(crate) type Room<T, const N: usize> = [MaybeUninit<T>; N];

/// A stack of at most `N` items in `R`: a [`Room`] of its own, or a borrowed one.
#[derive(Clone, Debug)]
pub(crate) struct Pile<T, const N: usize, R> {
    /// The items below this length are initialized.
    len: usize,
    room: R,
    items: PhantomData<T>,
}

impl<T: Copy, const N: usize> Pile<T, N, Room<T, N>> {
    /// An empty stack.
    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Pile { len: 0, room: [const { MaybeUninit::uninit() }; N], items: PhantomData }
    }
}

impl<'r, T: Copy, const N: usize> Pile<T, N, &'r mut Room<T, N>> {
    /// An empty stack in borrowed room.
    #[inline(always)]
    pub(crate) const fn over(room: &'r mut Room<T, N>) -> Self {
        Pile { len: 0, room, items: PhantomData }
    }
}

impl<T: Copy, const N: usize, R: BorrowMut<Room<T, N>>> Pile<T, N, R> {
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds an item. Returns false if there is no room.
    #[inline(always)]
    pub(crate) fn push(&mut self, item: T) -> bool {
        let Some(place) = self.room.borrow_mut().get_mut(self.len) else { return false };
        place.write(item);
        self.len += 1;
        true
    }

    /// Takes the last item.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the item was below the length, so it is in the room, and `push` wrote it.
        Some(unsafe { self.room.borrow_mut().get_unchecked(self.len).assume_init() })
    }

    /// All items, the first one first.
    pub(crate) fn into_items(self) -> impl Iterator<Item = T> {
        let len = self.len;
        // SAFETY: the items below the length are initialized.
        (0..len).map(move |place| unsafe { self.room.borrow().get_unchecked(place).assume_init() })
    }
}
