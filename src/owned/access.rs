//! Reads the content of owned values by type.

use super::node_path::NodePath;
use super::reals::RealArray;
use super::signal::Signal;
use super::variant::{Array, Dictionary, Object, Variant};
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::number::Real;
use alloc::string::String;

impl Variant {
    /// Whether the value is null, or an object that is null.
    #[must_use]
    pub const fn is_nil(&self) -> bool {
        matches!(self, Variant::Nil | Variant::Object(Object::Null))
    }

    /// Takes the value out and leaves null in its place.
    #[must_use]
    pub fn take(&mut self) -> Variant {
        core::mem::take(self)
    }

    /// The content of a float, or of an int as the nearest float.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self {
            Variant::Float(content) => Some(*content),
            Variant::Int(content) => Some(*content as f64),
            _ => None,
        }
    }

    /// The content of a string or string name.
    #[must_use]
    pub const fn as_str(&self) -> Option<&str> {
        match self {
            Variant::String(content) | Variant::StringName(content) => Some(content.as_str()),
            _ => None,
        }
    }

    /// The elements of an array, typed or not.
    #[must_use]
    pub const fn as_array(&self) -> Option<&Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// The entries of a dictionary.
    #[must_use]
    pub const fn as_dictionary(&self) -> Option<&Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }

    /// A mutable reference to the elements of an array, typed or not.
    pub const fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Variant::Array(array)
            | Variant::TypedArray(array)
            | Variant::PackedTypedArray(array) => Some(array),
            _ => None,
        }
    }

    /// A mutable reference to the entries of a dictionary.
    pub const fn as_dictionary_mut(&mut self) -> Option<&mut Dictionary> {
        match self {
            Variant::Dictionary(entries) => Some(entries),
            _ => None,
        }
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(content),
                    _ => None,
                }
            }
        )*}
    };
}

accessors! {
    /// A path in the scene tree.
    as_node_path NodePath => &NodePath;
    /// An object.
    as_object Object => &Object;
    /// A signal.
    as_signal Signal => &Signal;
    /// The content of a byte array.
    as_byte_array PackedByteArray => &[u8];
    /// The elements of an array of 32-bit integers.
    as_int32_array PackedInt32Array => &[i32];
    /// The elements of an array of 64-bit integers.
    as_int64_array PackedInt64Array => &[i64];
    /// The elements of an array of single-precision floats.
    as_float32_array PackedFloat32Array => &[f32];
    /// The elements of an array of double-precision floats.
    as_float64_array PackedFloat64Array => &[f64];
    /// The strings of a packed array.
    as_string_array PackedStringArray => &[String];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector2_array PackedVector2Array => &RealArray<Vector2<f32>>;
    /// The elements of a packed array.
    as_vector2i_array PackedVector2iArray => &[Vector2<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector3_array PackedVector3Array => &RealArray<Vector3<f32>>;
    /// The elements of a packed array.
    as_vector3i_array PackedVector3iArray => &[Vector3<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_vector4_array PackedVector4Array => &RealArray<Vector4<f32>>;
    /// The elements of a packed array.
    as_vector4i_array PackedVector4iArray => &[Vector4<i32>];
    /// The elements of a packed array, with components of `f32` or `f64`.
    as_color_array PackedColorArray => &RealArray<Color<f32>>;
}

macro_rules! copied {
    ($($(#[$doc:meta])* $name:ident $kind:ident => $type:ty;)*) => {
        impl Variant {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(&self) -> Option<$type> {
                match self {
                    Variant::$kind(content) => Some(*content),
                    _ => None,
                }
            }
        )*}
    };
}

copied! {
    /// The content of a bool.
    as_bool Bool => bool;
    /// The content of an int.
    as_i64 Int => i64;
    /// The id of an RID.
    as_rid Rid => u64;
    /// The content of a Vector2i.
    as_vector2i Vector2i => Vector2<i32>;
    /// The content of a Rect2i.
    as_rect2i Rect2i => Rect2<i32>;
    /// The content of a Vector3i.
    as_vector3i Vector3i => Vector3<i32>;
    /// The content of a Vector4i.
    as_vector4i Vector4i => Vector4<i32>;
}

macro_rules! real_accessors {
    ($($name:ident $kind:ident;)*) => {
        impl Variant {$(
            #[doc = concat!("The content of a ", stringify!($kind), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[must_use]
            pub fn $name<R: Real>(&self) -> Option<$kind<R>> {
                match self {
                    Variant::$kind(content) => Some(content.to()),
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
