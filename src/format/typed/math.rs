//! For `#[serde(with = "gdwire::typed::math")]`: reads and writes other types as the engine's math
//! types.
//!
//! `[f32; 3]` and other arrays of two to four numbers stand for vectors. With the feature `glam`,
//! the types of glam can be used. Your own types can implement [`Counterpart`].
//!
#![cfg_attr(feature = "glam", doc = "```")]
#![cfg_attr(not(feature = "glam"), doc = "```ignore")]
//! use gdwire::{Dialect, math::Vector3};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct ValueBody {
//!     #[serde(with = "gdwire::typed::math")]
//!     position: glam::Vec3,
//!     #[serde(with = "gdwire::typed::math::packed")]
//!     path: Vec<glam::Vec3>,
//! }
//!
//! let body = ValueBody { position: glam::Vec3::X, path: vec![glam::Vec3::X, glam::Vec3::Y] };
//! let bytes = gdwire::to_vec(Dialect::GODOT_4, &body)?;
//! let value = gdwire::parse(Dialect::GODOT_4, &bytes)?;
//! let position = value.get("position").and_then(|position| position.as_vector3());
//! assert_eq!(position, Some(Vector3::new(1.0, 0.0, 0.0)));
//! let path = value.get("path").and_then(|path| path.as_vector3_array());
//! assert_eq!(path.and_then(|path| path.get(1)), Some(Vector3::new(0.0, 1.0, 0.0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The types of [`crate::math`] themselves need no such attribute. In other formats, the field is a
//! sequence of numbers, as they are. Without the attribute, glam's own feature `serde` writes an
//! Array.

use super::direct::{self, Direct};
use super::packed::flat;
use super::token;
use crate::value::math::*;
use crate::value::{Kind, numeric_kinds};
use core::fmt;
use core::marker::PhantomData;
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type that converts from and to one of the engine's math types.
pub trait Counterpart: Copy {
    /// The math type of the engine.
    type Math: From<Self> + Into<Self> + Serialize + DeserializeOwned;
}

macro_rules! arrays {
    ($($number:ident)*) => {$(
        impl Counterpart for [$number; 2] {
            type Math = Vector2<$number>;
        }

        impl Counterpart for [$number; 3] {
            type Math = Vector3<$number>;
        }

        impl Counterpart for [$number; 4] {
            type Math = Vector4<$number>;
        }
    )*};
}

arrays! { f32 f64 i32 }

/// Writes the engine's math value.
///
/// # Errors
///
/// The format fails.
#[inline]
pub fn serialize<T: Counterpart, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    T::Math::from(*value).serialize(serializer)
}

/// Reads the engine's math value, or an array of its numbers.
///
/// # Errors
///
/// The format fails.
#[inline]
pub fn deserialize<'de, T: Counterpart, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::Math::deserialize(deserializer).map(Into::into)
}

super::handles::option! { "math", T, [Counterpart], [Counterpart] }

/// For `#[serde(with = "gdwire::typed::math::packed")]`: reads and writes a `Vec` of such types as
/// a packed array.
#[cfg(feature = "alloc")]
pub mod packed {
    use super::{Counterpart, Deserialize, Deserializer, Serializer};
    use crate::write::encode::Element;
    use alloc::vec::Vec;

    /// Converts the values and writes them as a packed array.
    ///
    /// # Errors
    ///
    /// The format fails, or the dialect has no such packed array.
    pub fn serialize<T, S>(values: &[T], serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Counterpart<Math: Element>,
        S: Serializer,
    {
        let values: Vec<T::Math> = values.iter().copied().map(T::Math::from).collect();
        crate::format::typed::packed::serialize(&values, serializer)
    }

    /// Reads a packed array of the engine's math values, or an array of them.
    ///
    /// # Errors
    ///
    /// The format fails.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: Counterpart<Math: Element>,
        D: Deserializer<'de>,
    {
        let values: Vec<T::Math> = crate::format::typed::packed::deserialize(deserializer)?;
        Ok(values.into_iter().map(Into::into).collect())
    }

    crate::format::typed::handles::option! {
        "math::packed", Vec<T>, [Counterpart<Math: Element>], [Counterpart<Math: Element>]
    }
}

macro_rules! math {
    ($($number:ident { $($type:ident $kind:ident),* })*) => {$($(
        impl Direct for $type<$number> {
            #[inline]
            fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::numbers(Kind::$kind, components(self), serializer)
            }

            fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                flat(components(self).iter(), serializer)
            }
        }

        /// Writes the kind with this name. In other formats, writes a flat sequence of the numbers.
        impl Serialize for $type<$number> {
            #[inline]
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::serialize(self, serializer)
            }
        }

        /// Reads the kind with this name. From other formats, reads a flat sequence of the numbers.
        impl<'de> Deserialize<'de> for $type<$number> {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const NAME: &str = token::of_math(Kind::$kind);
                let numbers = Numbers::new(Kind::$kind);
                // Human-readable formats get no newtype: see [`direct::serialize`].
                if deserializer.is_human_readable() {
                    return deserializer.deserialize_tuple(Numbers::<Self>::COUNT, numbers);
                }
                deserializer.deserialize_newtype_struct(NAME, numbers)
            }
        }
    )*)*};
}

macro_rules! numeric {
    (
        reals { $($real:ident $one:tt $many:tt)* }
        integers { $($kind:ident $integer:ident $int:tt $ints:tt)* }
        $($arrays:tt)*
    ) => {
        math! {
            f32 { $($real $real),* }
            f64 { $($real $real),* }
            i32 { $($integer $kind),* }
        }
    };
}

numeric_kinds! { numeric }

/// Reads a math value from its numbers.
struct Numbers<M> {
    kind: Kind,
    of: PhantomData<fn() -> M>,
}

impl<M: Math> Numbers<M> {
    const COUNT: usize = size_of::<M>() / size_of::<M::Component>();

    #[inline]
    const fn new(kind: Kind) -> Numbers<M> {
        Numbers { kind, of: PhantomData }
    }
}

impl<'de, M: Math<Component: Deserialize<'de>>> Visitor<'de> for Numbers<M> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} numbers of a {}", Numbers::<M>::COUNT, self.kind)
    }

    // Other formats call this for the newtype, and then call `visit_seq`.
    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<M, D::Error> {
        deserializer.deserialize_tuple(Numbers::<M>::COUNT, self)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<M, A::Error> {
        let mut value = M::zeroed();
        let components: &mut [M::Component] =
            bytemuck::cast_slice_mut(core::slice::from_mut(&mut value));
        for (place, component) in components.iter_mut().enumerate() {
            match numbers.next_element()? {
                Some(number) => *component = number,
                None => return Err(A::Error::invalid_length(place, &self)),
            }
        }
        Ok(value)
    }
}
