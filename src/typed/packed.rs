//! For `#[serde(with = "gdwire::typed::packed")]`: reads and writes sequences as packed arrays.
//!
//! ```
//! use gdwire::{Dialect, Kind, math::Vector3};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Mesh {
//!     #[serde(with = "gdwire::typed::packed")]
//!     vertices: Vec<Vector3<f32>>,
//!     #[serde(with = "gdwire::typed::packed")]
//!     indices: Vec<i32>,
//! }
//!
//! let mesh = Mesh { vertices: vec![Vector3::new(1.0, 2.0, 3.0)], indices: vec![0] };
//! let bytes = gdwire::to_vec(Dialect::GODOT_4, &mesh)?;
//! let value = gdwire::parse(Dialect::GODOT_4, &bytes)?;
//! let kind_of = |name| value.get(name).map(|array| array.kind());
//! assert_eq!(kind_of("vertices"), Some(Kind::PackedVector3Array));
//! assert_eq!(kind_of("indices"), Some(Kind::PackedInt32Array));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An Array of such elements is read, too. In other formats the field is a sequence, or bytes.

use super::direct::{self, Direct};
use super::flat::Flat;
use crate::encode::{Builder, Encode, EncodeError, Sink};
use crate::kind::Kind;
use crate::math::{Color, Vector2, Vector3, Vector4};
use serde::{Deserialize, Deserializer, Serializer};

/// Writes a packed array. The type of the elements determines its kind.
///
/// # Errors
///
/// The format fails, or the dialect has no such packed array.
#[inline]
pub fn serialize<T: Packed + ?Sized, S: Serializer>(
    values: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    direct::serialize(&Values(values.elements()), serializer)
}

/// Reads a packed array, or an array of such elements.
///
/// # Errors
///
/// The format fails.
#[inline]
pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    super::handles::inner(deserializer)
}

super::handles::option! { "packed", T, [Packed], [Deserialize<'de>] }

/// A collection that can be written as a packed array: a slice, array or vector of an [`Element`].
pub trait Packed {
    /// The type of the elements.
    type Element: Element;

    /// The elements in order.
    fn elements(&self) -> &[Self::Element];
}

impl<T: Element> Packed for [T] {
    type Element = T;

    fn elements(&self) -> &[T] {
        self
    }
}

impl<T: Element, const N: usize> Packed for [T; N] {
    type Element = T;

    fn elements(&self) -> &[T] {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T: Element> Packed for alloc::vec::Vec<T> {
    type Element = T;

    fn elements(&self) -> &[T] {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T: Packed + ?Sized> Packed for alloc::boxed::Box<T> {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        (**self).elements()
    }
}

impl<T: Packed + ?Sized> Packed for &T {
    type Element = T::Element;

    fn elements(&self) -> &[T::Element] {
        (**self).elements()
    }
}

/// A type whose values can be elements of a packed array: `u8`, `i32`, `i64`, `f32`, `f64`, `&str`,
/// `String`, `Cow<str>`, vectors of `f32`, `f64` or `i32`, arrays of two to four such numbers, and
/// colours of `f32` or `f64`.
pub trait Element: sealed::Sealed {}

impl<T: sealed::Sealed> Element for T {}

mod sealed {
    use super::Serializer;

    pub trait Sealed: Sized {
        fn answer<S: Serializer>(values: &[Self], serializer: S) -> Result<S::Ok, S::Error>;

        fn plain<S: Serializer>(values: &[Self], serializer: S) -> Result<S::Ok, S::Error>;
    }
}

use sealed::Sealed;

struct Values<'a, T>(&'a [T]);

impl<T: Sealed> Direct for Values<'_, T> {
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::answer(self.0, serializer)
    }

    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::plain(self.0, serializer)
    }
}
macro_rules! elements {
    ($($type:ty: |$values:ident, $serializer:ident| $answer:expr, $plain:expr;)*) => {$(
        impl Sealed for $type {
            fn answer<S: Serializer>(
                $values: &[$type],
                $serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $answer
            }

            fn plain<S: Serializer>($values: &[$type], $serializer: S) -> Result<S::Ok, S::Error> {
                $plain
            }
        }
    )*};
}

elements! {
    u8: |bytes, serializer| direct::numbers(Kind::PackedByteArray, bytes, serializer),
        // Most human-readable formats cannot express bytes.
        if serializer.is_human_readable() {
            serializer.collect_seq(bytes)
        } else {
            serializer.serialize_bytes(bytes)
        };
}

macro_rules! numbers {
    ($($number:ident $kind:ident;)*) => { elements! {$(
        $number: |values, serializer| direct::numbers(Kind::$kind, values, serializer),
            serializer.collect_seq(values);
    )*} };
}

numbers! {
    i32 PackedInt32Array;
    i64 PackedInt64Array;
    f32 PackedFloat32Array;
    f64 PackedFloat64Array;
}

macro_rules! texts {
    ($($text:ty;)*) => { elements! {$(
        $text: |texts, serializer| direct::encoded(&Texts(texts), serializer),
            serializer.collect_seq(texts);
    )*} };
}

texts! { &str; }

#[cfg(feature = "alloc")]
texts! { alloc::string::String; alloc::borrow::Cow<'_, str>; }

struct Texts<'a, T>(&'a [T]);

impl<T: AsRef<str>> Encode for Texts<'_, T> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        builder.string_array(self.0)
    }
}

macro_rules! vectors {
    ($($number:ident { $($vector:ty: $kind:ident),* })*) => { elements! {$($(
        $vector: |values, serializer| direct::numbers(
                Kind::$kind,
                bytemuck::cast_slice::<_, $number>(values),
                serializer,
            ),
            serializer.collect_seq(values.iter().map(|value| {
                Flat(bytemuck::cast_slice::<_, $number>(core::slice::from_ref(value)))
            }));
    )*)*} };
}

vectors! {
    f32 {
        Vector2<f32>: PackedVector2Array, [f32; 2]: PackedVector2Array,
        Vector3<f32>: PackedVector3Array, [f32; 3]: PackedVector3Array,
        Vector4<f32>: PackedVector4Array, [f32; 4]: PackedVector4Array,
        Color<f32>: PackedColorArray
    }
    f64 {
        Vector2<f64>: PackedVector2Array, [f64; 2]: PackedVector2Array,
        Vector3<f64>: PackedVector3Array, [f64; 3]: PackedVector3Array,
        Vector4<f64>: PackedVector4Array, [f64; 4]: PackedVector4Array,
        Color<f64>: PackedColorArray
    }
    i32 {
        Vector2<i32>: PackedVector2iArray, [i32; 2]: PackedVector2iArray,
        Vector3<i32>: PackedVector3iArray, [i32; 3]: PackedVector3iArray,
        Vector4<i32>: PackedVector4iArray, [i32; 4]: PackedVector4iArray
    }
}
