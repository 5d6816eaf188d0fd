//! Reads the content of owned values by type.

use super::node_path::NodePath;
use super::reals::RealArray;
use super::signal::Signal;
use super::variant::{Array, Dictionary, Object, Variant};
use crate::value::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::value::{Real, numeric_kinds};
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
    /// The strings of a packed array.
    as_string_array PackedStringArray => &[String];
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
    /// The id of a RID.
    as_rid Rid => u64;
}

macro_rules! numeric_accessors {
    (
        reals { $($real:ident ($one:ident $as_real:ident)
            ($($reals:ident $many:ident $as_reals:ident)?))* }
        integers { $($integer:ident $type:ident ($int:ident $as_integer:ident)
            ($($integers:ident $ints:ident $as_integers:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        impl Variant {$(
            #[doc = concat!("The content of a ", stringify!($real), ", of `f32` (rounded to the nearest) or `f64` (exact).")]
            #[must_use]
            pub fn $as_real<R: Real>(&self) -> Option<$real<R>> {
                match self {
                    Variant::$real(content) => Some(content.to()),
                    _ => None,
                }
            }
        )*}

        copied! {$(
            #[doc = concat!("The content of a ", stringify!($integer), ".")]
            $as_integer $integer => $type<i32>;
        )*}

        accessors! {
            $($(
                /// The elements of a packed array, with components of `f32` or `f64`.
                $as_reals $reals => &RealArray<$real<f32>>;
            )?)*
            $($(
                /// The elements of a packed array.
                $as_integers $integers => &[$type<i32>];
            )?)*
            $(
                #[doc = concat!("The elements of a ", stringify!($array), ".")]
                $as_array $array => &[$native];
            )*
        }
    };
}

numeric_kinds! { numeric_accessors }
