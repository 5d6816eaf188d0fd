//! The unsafe building blocks of the crate.

#![allow(unsafe_code)]

use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use bytemuck::{Pod, Zeroable};

/// `Pod` cannot be derived for generic types. It is what a packed array is cast by, in place when
/// reading and in one copy when writing.
macro_rules! pod {
    ($($math:ident)*) => {$(
        // SAFETY: every field is a `T` or, in the end, an array of them, all bits of which may be
        // zero.
        unsafe impl<T: Zeroable> Zeroable for $math<T> {}
        // SAFETY: `repr(C)` lays fields of one alignment out without padding, and each is a `T`
        // or made of `T`s alone, so every bit pattern is valid and every byte is initialized.
        unsafe impl<T: Pod> Pod for $math<T> {}
    )*};
}

pod! {
    Vector2 Vector3 Vector4 Rect2 Transform2D Plane Quaternion Aabb Basis Transform3D Projection
    Color
}

/// Text that the grammar has checked.
///
/// Checking it again for each access made the walk of a small dictionary take 1.8 times as long.
///
/// # Safety
///
/// `text` has to be UTF-8. The grammar, where it checks (`VALIDATE`), refuses a string that is not
/// UTF-8 up to its first NUL, and calls it [`Text::Plain`](crate::grammar::Text) only if all of it
/// is.
#[inline(always)]
pub(crate) unsafe fn checked_str(text: &[u8]) -> &str {
    // SAFETY: the caller's.
    unsafe { core::str::from_utf8_unchecked(text) }
}
