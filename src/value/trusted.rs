//! The unsafe building blocks of the crate.

#![allow(unsafe_code)]

use crate::value::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use bytemuck::{Pod, Zeroable};

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
/// `text` must be UTF-8. Where the grammar checks text (`VALIDATE`), it refuses a string that is
/// not UTF-8 up to its first NUL. It calls a string [`TextCheck::Plain`](crate::value::wire::TextCheck) only if
/// all of it is UTF-8.
#[inline(always)]
pub(crate) unsafe fn checked_str(text: &[u8]) -> &str {
    // SAFETY: the caller guarantees the same.
    unsafe { core::str::from_utf8_unchecked(text) }
}
