//! The `as_` functions, and the types of keys and indexes for `get`.

use super::key::sealed;
use super::{
    ArrayRef, DictionaryRef, NodePathRef, ObjectRef, SignalRef, StringsRef, VariantRef, View,
};
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, RealSlice, Rect2, Transform2D, Transform3D,
    Vector2, Vector3, Vector4,
};
use crate::number::{F32Le, F64Le, I32Le, I64Le, Real, native};

impl<'a> VariantRef<'a> {
    /// The element of an array, the value of a string key of a dictionary, or the property of an
    /// object.
    ///
    /// If a key occurs twice, this is the last value, as in the engines.
    ///
    /// ```
    /// # use gdwire::{Dialect, encode, parse, variant};
    /// # let packet = encode(Dialect::GODOT_3, &variant!({ "at": [1, 2] }))?;
    /// let value = parse(Dialect::GODOT_3, &packet)?; // { "at": [1, 2] }
    /// let at = value.get("at").ok_or("no place")?;
    /// assert_eq!(at.get(1).and_then(|y| y.as_i64()), Some(2));
    /// assert!(at.get(2).is_none() && at.get("x").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn get(self, index: impl Index) -> Option<VariantRef<'a>> {
        index.index(self)
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $($kind:ident)|+ => $type:ty;)*) => {
        impl<'a> VariantRef<'a> {$(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name(self) -> Option<$type> {
                match self.view() {
                    $(View::$kind(content))|+ => Some(content),
                    _ => None,
                }
            }
        )*}
    };
}

accessors! {
    /// The content of a bool.
    as_bool Bool => bool;
    /// The content of an int.
    as_i64 Int => i64;
    /// The content of a Vector2i.
    as_vector2i Vector2i => Vector2<i32>;
    /// The content of a Rect2i.
    as_rect2i Rect2i => Rect2<i32>;
    /// The content of a Vector3i.
    as_vector3i Vector3i => Vector3<i32>;
    /// The content of a Vector4i.
    as_vector4i Vector4i => Vector4<i32>;
    /// A path in the scene tree.
    as_node_path NodePath => NodePathRef<'a>;
    /// The id of an RID.
    as_rid Rid => u64;
    /// An object.
    as_object Object => ObjectRef<'a>;
    /// A signal.
    as_signal Signal => SignalRef<'a>;
    /// The entries of a dictionary.
    as_dictionary Dictionary => DictionaryRef<'a>;
    /// The elements of an array, typed or not.
    as_array Array | TypedArray | PackedTypedArray => ArrayRef<'a>;
    /// The content of a byte array.
    as_byte_array PackedByteArray => &'a [u8];
    /// The elements of an array of 32-bit integers, in place.
    as_int32_array PackedInt32Array => &'a [I32Le];
    /// The elements of an array of 64-bit integers, in place.
    as_int64_array PackedInt64Array => &'a [I64Le];
    /// The elements of an array of single-precision floats, in place.
    as_float32_array PackedFloat32Array => &'a [F32Le];
    /// The elements of an array of double-precision floats, in place.
    as_float64_array PackedFloat64Array => &'a [F64Le];
    /// The strings of a packed array.
    as_string_array PackedStringArray => StringsRef<'a>;
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector2_array PackedVector2Array => RealSlice<'a, Vector2<f32>>;
    /// The elements of a packed array, in place.
    as_vector2i_array PackedVector2iArray => &'a [Vector2<I32Le>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector3_array PackedVector3Array => RealSlice<'a, Vector3<f32>>;
    /// The elements of a packed array, in place.
    as_vector3i_array PackedVector3iArray => &'a [Vector3<I32Le>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector4_array PackedVector4Array => RealSlice<'a, Vector4<f32>>;
    /// The elements of a packed array, in place.
    as_vector4i_array PackedVector4iArray => &'a [Vector4<I32Le>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_color_array PackedColorArray => RealSlice<'a, Color<f32>>;
}

macro_rules! real_accessors {
    ($($name:ident $kind:ident;)*) => {
        impl VariantRef<'_> {$(
            #[doc = concat!("The content of a ", stringify!($kind), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[inline]
            #[must_use]
            pub fn $name<R: Real>(self) -> Option<$kind<R>> {
                match self.view() {
                    View::$kind(content) => Some(content.to()),
                    _ => None,
                }
            }
        )*}
    };
}

real_accessors! {
    as_vector2 Vector2;
    as_rect2 Rect2;
    as_vector3 Vector3;
    as_transform2d Transform2D;
    as_vector4 Vector4;
    as_plane Plane;
    as_quaternion Quaternion;
    as_aabb Aabb;
    as_basis Basis;
    as_transform3d Transform3D;
    as_projection Projection;
    as_color Color;
}

impl<'a> VariantRef<'a> {
    /// The content of a string or string name, up to its first NUL as in the engines.
    // This checks only the kind. Looking up a key then takes a third less time than through the
    // view.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        match self.kind() {
            Kind::String | Kind::StringName => Some(self.text_after_header()),
            _ => None,
        }
    }

    /// Whether the value is null, or an object that is null.
    #[must_use]
    pub fn is_nil(self) -> bool {
        matches!(self.view(), View::Nil | View::Object(ObjectRef::Null))
    }

    /// The content of a float, or of an int as the nearest float.
    #[inline]
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.view() {
            View::Float(float) => Some(float),
            View::Int(int) => Some(int as f64),
            _ => None,
        }
    }

    /// The elements of an array of 32-bit integers as a native slice, without a copy. None if the
    /// slice is not aligned to four bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_int32_array(self) -> Option<&'a [i32]> {
        native(self.as_int32_array()?)
    }

    /// The elements of an array of single-precision floats as a native slice, without a copy. None
    /// if the slice is not aligned to four bytes, or if the processor is big-endian.
    #[must_use]
    pub fn as_native_float32_array(self) -> Option<&'a [f32]> {
        native(self.as_float32_array()?)
    }
}

/// The argument of [`VariantRef::get`]: a string for a dictionary or an object, a number for an
/// array.
pub trait Index: sealed::Sealed + Copy + core::fmt::Display {
    /// The value at this index.
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>>;
}

impl Index for &str {
    #[inline]
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>> {
        match value.kind() {
            Kind::Dictionary => DictionaryRef::new(value).get(*self),
            _ => match value.as_object()? {
                ObjectRef::Instance(instance) => instance.get(self),
                _ => None,
            },
        }
    }
}

impl Index for usize {
    fn index<'a>(&self, value: VariantRef<'a>) -> Option<VariantRef<'a>> {
        value.as_array()?.get(*self)
    }
}
