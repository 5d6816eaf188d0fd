//! The math types.

use super::direct::{self, Direct};
use super::token;
use crate::encode::{Builder, EncodeError, Sink};
use crate::kind::Kind;
use crate::math::{
    Aabb, Basis, Color, Math, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D,
    Vector2, Vector3, Vector4, components,
};
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the numbers of a math value as a flat tuple.
pub(super) fn flat<T: Serialize, S: Serializer>(
    numbers: impl ExactSizeIterator<Item = T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(numbers.len())?;
    for number in numbers {
        tuple.serialize_element(&number)?;
    }
    tuple.end()
}

macro_rules! math {
    ($($write:ident $kind:ident $number:ty => $($type:ident)*;)*) => {$($(
        math!(@one $write $kind $number, $type);
    )*)*};
    (@one $write:ident same $number:ty, $type:ident) => {
        math!(@impl $write $type $number, $type);
    };
    (@one $write:ident $kind:ident $number:ty, $type:ident) => {
        math!(@impl $write $kind $number, $type);
    };
    (@impl $write:ident $kind:ident $number:ty, $type:ident) => {
        impl Direct for $type<$number> {
            #[inline]
            fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
                builder.$write(Kind::$kind, components(self))
            }

            fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                flat(components(self).iter(), serializer)
            }
        }

        /// As its kind; in other formats, as a flat sequence of its numbers.
        impl Serialize for $type<$number> {
            #[inline]
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                direct::serialize(self, serializer)
            }
        }

        /// From its kind; in other formats, from a flat sequence of its numbers.
        impl<'de> Deserialize<'de> for $type<$number> {
            #[inline]
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const NAME: &str = token::of_math(Kind::$kind);
                let numbers = Numbers::new(Kind::$kind);
                // As in [`direct::serialize`].
                if deserializer.is_human_readable() {
                    return deserializer.deserialize_tuple(Numbers::<Self>::COUNT, numbers);
                }
                deserializer.deserialize_newtype_struct(NAME, numbers)
            }
        }
    };
}

math! {
    reals same f32 => Vector2 Vector3 Vector4 Rect2 Transform2D Plane Quaternion Aabb Basis
        Transform3D Projection Color;
    reals same f64 => Vector2 Vector3 Vector4 Rect2 Transform2D Plane Quaternion Aabb Basis
        Transform3D Projection Color;
    integers Vector2i i32 => Vector2;
    integers Vector3i i32 => Vector3;
    integers Vector4i i32 => Vector4;
    integers Rect2i i32 => Rect2;
}

/// Takes the numbers of a math value.
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

    // Other formats come here first, and then to the sequence.
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
