//! Slices and vectors that are written as packed arrays.

use super::{Builder, Encode, EncodeError, Sink};
use crate::value::math::{Color, Vector2, Vector3, Vector4};
use crate::value::{AccessError, FromVariant, Kind, VariantRef, numeric_kinds};
#[cfg(feature = "alloc")]
use crate::value::{Component, Real};
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use sealed::Sealed;

/// Elements that are a packed array.
///
/// A Rust slice, array or vector is an Array. In this wrapper, it is the packed array whose kind
/// follows from the type of the elements. That holds for [`encode()`](crate::encode()), for
/// [`Variant`](crate::Variant) and the macro [`variant!`](crate::variant!), and for serde.
///
/// | elements | packed array |
/// |---|---|
/// | `u8` | PackedByteArray |
/// | `i32`, `i64` | PackedInt32Array, PackedInt64Array |
/// | `f32`, `f64` | PackedFloat32Array, PackedFloat64Array |
/// | `&str`, `String`, `Cow<str>` | PackedStringArray |
/// | `Vector2<f32>`, `Vector2<f64>`, `[f32; 2]`, `[f64; 2]`; the same with three and four numbers | PackedVector2Array, and so on |
/// | `Vector2<i32>`, `[i32; 2]`; the same with three and four numbers | PackedVector2iArray, and so on |
/// | `Color<f32>`, `Color<f64>` | PackedColorArray |
/// | with the feature `glam`, its vectors such as `Vec3` | the same as for this crate's vectors |
///
#[cfg_attr(feature = "alloc", doc = "```")]
#[cfg_attr(not(feature = "alloc"), doc = "```ignore")]
/// use gdwire::{Dialect, Kind, Packed, Variant, encode, parse, variant};
///
/// let chunk = variant!({ "tiles": Packed([1_u8, 2, 3]), "neighbours": [7, 8] });
/// assert_eq!(chunk["tiles"], Variant::PackedByteArray(vec![1, 2, 3]));
/// assert_eq!(chunk["neighbours"].kind(), Kind::Array);
///
/// let packet = encode(Dialect::GODOT_4, &Packed(&[0.5_f32, 1.0]))?;
/// let value = parse(Dialect::GODOT_4, &packet)?;
/// assert_eq!(value.kind(), Kind::PackedFloat32Array);
/// // Reading needs no wrapper.
/// assert_eq!(value.to::<Vec<f32>>()?, [0.5, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Packed<T>(pub T);

impl<T: Elements> Encode for Packed<T> {
    #[inline]
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        T::Element::content(self.0.elements()).encode(builder)
    }
}

/// Reads what the type in the wrapper reads: a packed array, or an Array of such elements.
impl<'a, T: FromVariant<'a>> FromVariant<'a> for Packed<T> {
    fn from_variant(value: VariantRef<'a>) -> Result<Packed<T>, AccessError> {
        T::from_variant(value).map(Packed)
    }
}

/// A collection that can be [`Packed`]: a slice, array or vector of an [`Element`].
pub trait Elements {
    /// The type of the elements.
    type Element: Element;

    /// The elements in order.
    fn elements(&self) -> &[Self::Element];

    /// The elements in order. A vector is moved, other collections are copied.
    #[cfg(feature = "alloc")]
    fn into_vec(self) -> Vec<Self::Element>
    where
        Self: Sized,
    {
        self.elements().to_vec()
    }
}

impl<T: Element> Elements for [T] {
    type Element = T;

    #[inline]
    fn elements(&self) -> &[T] {
        self
    }
}

impl<T: Element, const N: usize> Elements for [T; N] {
    type Element = T;

    #[inline]
    fn elements(&self) -> &[T] {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T: Element> Elements for Vec<T> {
    type Element = T;

    #[inline]
    fn elements(&self) -> &[T] {
        self
    }

    fn into_vec(self) -> Vec<T> {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T: Elements + ?Sized> Elements for Box<T> {
    type Element = T::Element;

    #[inline]
    fn elements(&self) -> &[T::Element] {
        (**self).elements()
    }
}

impl<T: Elements + ?Sized> Elements for &T {
    type Element = T::Element;

    #[inline]
    fn elements(&self) -> &[T::Element] {
        (**self).elements()
    }
}

/// A type whose values can be elements of a packed array: see the table of [`Packed`].
pub trait Element: Sealed {}

impl<T: Sealed> Element for T {}

/// The elements of a packed array as the numbers or texts that they consist of.
#[derive(Clone, Copy, Debug)]
pub enum PackedContent<'a> {
    Bytes(&'a [u8]),
    I32(Kind, &'a [i32]),
    I64(&'a [i64]),
    F32(Kind, &'a [f32]),
    F64(Kind, &'a [f64]),
    Texts(Texts<'a>),
}

/// Texts in one of the types that Rust has for them.
#[derive(Clone, Copy, Debug)]
pub enum Texts<'a> {
    Borrowed(&'a [&'a str]),
    #[cfg(feature = "alloc")]
    Owned(&'a [String]),
    #[cfg(feature = "alloc")]
    Either(&'a [Cow<'a, str>]),
}

impl<'a> Texts<'a> {
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = &'a str> {
        let count = match self {
            Texts::Borrowed(texts) => texts.len(),
            #[cfg(feature = "alloc")]
            Texts::Owned(texts) => texts.len(),
            #[cfg(feature = "alloc")]
            Texts::Either(texts) => texts.len(),
        };
        let text = move |index| match self {
            Texts::Borrowed(texts) => texts.get(index).copied(),
            #[cfg(feature = "alloc")]
            Texts::Owned(texts) => texts.get(index).map(String::as_str),
            #[cfg(feature = "alloc")]
            Texts::Either(texts) => texts.get(index).map(AsRef::as_ref),
        };
        (0..count).map(move |index| text(index).unwrap_or_default())
    }
}

impl Encode for PackedContent<'_> {
    #[inline]
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        match *self {
            PackedContent::Bytes(bytes) => builder.byte_array(bytes),
            PackedContent::I32(kind, numbers) => builder.integers(kind, numbers),
            PackedContent::I64(numbers) => builder.int64_array(numbers),
            PackedContent::F32(kind, numbers) => builder.reals(kind, numbers),
            PackedContent::F64(kind, numbers) => builder.reals(kind, numbers),
            PackedContent::Texts(texts) => builder.string_array(texts.iter()),
        }
    }
}

pub(crate) mod sealed {
    use super::PackedContent;

    pub trait Sealed: Clone {
        fn content(elements: &[Self]) -> PackedContent<'_>;

        /// Moves the elements into an owned packed array.
        #[cfg(feature = "alloc")]
        fn own<O: super::Owned>(elements: super::Vec<Self>) -> O;
    }
}

macro_rules! elements {
    ($($type:ty: |$elements:ident| $content:expr, $own:expr;)*) => {$(
        impl Sealed for $type {
            #[inline]
            fn content<'c>($elements: &'c [$type]) -> PackedContent<'c> {
                $content
            }

            #[cfg(feature = "alloc")]
            fn own<O: Owned>($elements: Vec<$type>) -> O {
                $own
            }
        }
    )*};
}

elements! {
    u8: |bytes| PackedContent::Bytes(bytes), O::byte_array(bytes);
    i32: |numbers| PackedContent::I32(Kind::PackedInt32Array, numbers), O::int32_array(numbers);
    i64: |numbers| PackedContent::I64(numbers), O::int64_array(numbers);
    f32: |numbers| PackedContent::F32(Kind::PackedFloat32Array, numbers), O::float32_array(numbers);
    f64: |numbers| PackedContent::F64(Kind::PackedFloat64Array, numbers), O::float64_array(numbers);
    &'_ str: |texts| PackedContent::Texts(Texts::Borrowed(texts)),
        O::string_array(texts.into_iter().map(String::from).collect());
}

#[cfg(feature = "alloc")]
elements! {
    String: |texts| PackedContent::Texts(Texts::Owned(texts)), O::string_array(texts);
    Cow<'_, str>: |texts| PackedContent::Texts(Texts::Either(texts)),
        O::string_array(texts.into_iter().map(Cow::into_owned).collect());
}

macro_rules! numeric {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        /// An owned value that can be any packed array. The types of owned values are built on this
        /// module, so it does not name them.
        #[cfg(feature = "alloc")]
        pub trait Owned {
            fn byte_array(bytes: Vec<u8>) -> Self;
            fn int32_array(numbers: Vec<i32>) -> Self;
            fn int64_array(numbers: Vec<i64>) -> Self;
            fn float32_array(numbers: Vec<f32>) -> Self;
            fn float64_array(numbers: Vec<f64>) -> Self;
            fn string_array(texts: Vec<String>) -> Self;
            $($(fn $many<T: Component<Native: Real>>(values: Vec<$real<T>>) -> Self;)?)*
            $($(fn $ints(values: Vec<$type<i32>>) -> Self;)?)*
        }

        elements! {
            $($(
                $real<f32>: |values| PackedContent::F32(Kind::$reals, bytemuck::cast_slice(values)),
                    O::$many(values);
                $real<f64>: |values| PackedContent::F64(Kind::$reals, bytemuck::cast_slice(values)),
                    O::$many(values);
            )?)*
            $($(
                $type<i32>: |values| PackedContent::I32(Kind::$integers, bytemuck::cast_slice(values)),
                    O::$ints(values);
            )?)*
        }
    };
}

numeric_kinds! { numeric }

/// Arrays of numbers, which stand for vectors.
macro_rules! arrays {
    ($($vector:ident $length:literal $number:ident;)*) => { elements! {$(
        [$number; $length]: |values| <$vector<$number>>::content(bytemuck::cast_slice(values)),
            <$vector<$number>>::own(values.into_iter().map($vector::from).collect());
    )*} };
}

arrays! {
    Vector2 2 f32;
    Vector2 2 f64;
    Vector2 2 i32;
    Vector3 3 f32;
    Vector3 3 f64;
    Vector3 3 i32;
    Vector4 4 f32;
    Vector4 4 f64;
    Vector4 4 i32;
}
