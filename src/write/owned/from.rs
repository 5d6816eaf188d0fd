//! Conversions from Rust types into a [`Variant`].

use super::node_path::NodePath;
use super::reals::{RealArray, RealValue};
use super::signal::Signal;
use super::variant::{Array, Dictionary, Instance, Object, Variant};
use crate::value::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use crate::value::{Component, Real, numeric_kinds};
use crate::write::encode::{Elements, Owned, Packed, PackedElement};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
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
    Array => Array;
    Signal => Signal;
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

/// An array of the values, even of bytes. [`Packed`] makes a packed array.
impl<T: Into<Variant>> From<Vec<T>> for Variant {
    fn from(values: Vec<T>) -> Variant {
        values.into_iter().collect()
    }
}

/// An array of the values.
impl<T: Into<Variant>, const N: usize> From<[T; N]> for Variant {
    fn from(values: [T; N]) -> Variant {
        values.into_iter().collect()
    }
}

macro_rules! borrowed {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        /// An array of copies of the values.
        impl<T: Into<Variant> + Clone $($generics)*> From<$type> for Variant {
            fn from(values: $type) -> Variant {
                values.iter().cloned().collect()
            }
        }
    )*};
}

borrowed! {
    [] &[T];
    [, const N: usize] &[T; N];
    [] &Vec<T>;
}

/// An array of the values.
impl<T: Into<Variant>> FromIterator<T> for Variant {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Variant {
        Variant::Array(values.into_iter().collect())
    }
}

macro_rules! tuples {
    ($($($type:ident $field:ident)*;)*) => {$(
        /// An array of the fields.
        impl<$($type: Into<Variant>),*> From<($($type,)*)> for Variant {
            fn from(($($field,)*): ($($type,)*)) -> Variant {
                Variant::Array(Vec::from([$($field.into()),*]).into())
            }
        }
    )*};
}

tuples! {
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
    A a B b C c D d E e F f G g H h I i;
    A a B b C c D d E e F f G g H h I i J j;
    A a B b C c D d E e F f G g H h I i J j K k;
    A a B b C c D d E e F f G g H h I i J j K k L l;
}

/// A dictionary in the order of the keys.
impl<K: Into<Variant>, V: Into<Variant>> From<BTreeMap<K, V>> for Variant {
    fn from(map: BTreeMap<K, V>) -> Variant {
        Variant::Dictionary(map.into_iter().collect())
    }
}

/// A dictionary in the order of the map, which differs from one run of a program to the next.
#[cfg(feature = "std")]
impl<K: Into<Variant>, V: Into<Variant>, H> From<std::collections::HashMap<K, V, H>> for Variant {
    fn from(map: std::collections::HashMap<K, V, H>) -> Variant {
        Variant::Dictionary(map.into_iter().collect())
    }
}

/// A packed array.
impl<T: Elements> From<Packed<T>> for Variant {
    fn from(packed: Packed<T>) -> Variant {
        PackedElement::own(packed.0.into_vec())
    }
}

macro_rules! from_numbers {
    (
        reals { $($real:ident $one:tt ($($reals:ident $many:ident $as_many:ident)?))* }
        integers { $($integer:ident $type:ident $int:tt
            ($($integers:ident $ints:ident $as_ints:ident)?))* }
        $($arrays:tt)*
    ) => {
        $(
            impl<T: Component<Native: Real>> From<$real<T>> for Variant {
                fn from(value: $real<T>) -> Variant {
                    Variant::$real(RealValue::from(value).into())
                }
            }
        )*

        from! {
            $($type<i32> => $integer;)*
        }

        impl Owned for Variant {
            fn byte_array(bytes: Vec<u8>) -> Variant {
                Variant::PackedByteArray(bytes)
            }

            fn int32_array(numbers: Vec<i32>) -> Variant {
                Variant::PackedInt32Array(numbers)
            }

            fn int64_array(numbers: Vec<i64>) -> Variant {
                Variant::PackedInt64Array(numbers)
            }

            fn float32_array(numbers: Vec<f32>) -> Variant {
                Variant::PackedFloat32Array(numbers)
            }

            fn float64_array(numbers: Vec<f64>) -> Variant {
                Variant::PackedFloat64Array(numbers)
            }

            fn string_array(texts: Vec<String>) -> Variant {
                Variant::PackedStringArray(texts)
            }

            $($(
                fn $many<T: Component<Native: Real>>(values: Vec<$real<T>>) -> Variant {
                    Variant::$reals(RealArray::from(values))
                }
            )?)*

            $($(
                fn $ints(values: Vec<$type<i32>>) -> Variant {
                    Variant::$integers(values)
                }
            )?)*
        }
    };
}

numeric_kinds! { from_numbers }
