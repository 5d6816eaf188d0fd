//! Conversions from Rust types into a [`Variant`].

use super::node_path::NodePath;
use super::reals::{RealArray, RealValue};
use super::signal::Signal;
use super::variant::{Array, Dictionary, Instance, Object, Variant};
use crate::kind::numeric_kinds;
use crate::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::number::{Component, Real};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::num::TryFromIntError;

macro_rules! from {
    ($($type:ty => $variant:ident;)*) => {$(
        impl From<$type> for Variant {
            fn from(value: $type) -> Variant {
                Variant::$variant(value.into())
            }
        }
    )*};
}

from! {
    bool => Bool;
    i8 => Int;
    u8 => Int;
    i16 => Int;
    u16 => Int;
    i32 => Int;
    u32 => Int;
    i64 => Int;
    f32 => Float;
    f64 => Float;
    &str => String;
    String => String;
    Cow<'_, str> => String;
    NodePath => NodePath;
    Object => Object;
    Instance => Object;
    Dictionary => Dictionary;
    Vec<Variant> => Array;
    Array => Array;
    Signal => Signal;
    Vec<u8> => PackedByteArray;
    &[u8] => PackedByteArray;
    Vec<String> => PackedStringArray;
}

macro_rules! try_from {
    ($($type:ty)*) => {$(
        /// An int. A number that does not fit in 64 bits with the sign is an error.
        impl TryFrom<$type> for Variant {
            type Error = TryFromIntError;

            fn try_from(value: $type) -> Result<Variant, TryFromIntError> {
                i64::try_from(value).map(Variant::Int)
            }
        }
    )*};
}

try_from! { u64 usize isize }

/// `None` becomes null.
impl<T: Into<Variant>> From<Option<T>> for Variant {
    fn from(value: Option<T>) -> Variant {
        value.map_or(Variant::Nil, Into::into)
    }
}

impl From<()> for Variant {
    fn from((): ()) -> Variant {
        Variant::Nil
    }
}

/// An array of the values.
impl<T: Into<Variant>, const N: usize> From<[T; N]> for Variant {
    fn from(values: [T; N]) -> Variant {
        values.into_iter().collect()
    }
}

/// An array of the values.
impl<T: Into<Variant>> FromIterator<T> for Variant {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Variant {
        Variant::Array(values.into_iter().collect())
    }
}

macro_rules! from_numbers {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        arrays { $($array:ident $native:ident $wire:ident $as_array:ident)* }
    ) => {
        $(
            impl<T: Component<Native: Real>> From<$real<T>> for Variant {
                fn from(value: $real<T>) -> Variant {
                    Variant::$real(RealValue::from(value).into())
                }
            }

            $(
                impl<T: Component<Native: Real>> From<Vec<$real<T>>> for Variant {
                    fn from(values: Vec<$real<T>>) -> Variant {
                        Variant::$reals(RealArray::from(values))
                    }
                }
            )?
        )*

        from! {
            $($type<i32> => $integer; $(Vec<$type<i32>> => $integers;)?)*
            $(Vec<$native> => $array;)*
        }
    };
}

numeric_kinds! { from_numbers }
