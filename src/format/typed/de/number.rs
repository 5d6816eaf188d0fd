//! Reads single numbers, and sequences of numbers of one type.

use super::super::error::{Error, Result};
use crate::value::number::{narrowed, whole};
use core::fmt::Debug;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Deserializes from one number.
pub(crate) struct One<N>(pub(crate) N);

/// The methods of a deserializer that is not human-readable, and that passes itself on as the
/// content of an option or newtype.
macro_rules! transparent {
    () => {
        #[inline]
        fn is_human_readable(&self) -> bool {
            false
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.visit_some(self)
        }

        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            visitor: V,
        ) -> Result<V::Value> {
            visitor.visit_newtype_struct(self)
        }
    };
}

pub(crate) use transparent;

macro_rules! one {
    ($($number:ident $visit:ident $(, $sort:ident $fits:expr)?;)*) => {$(
        impl<'de> serde::Deserializer<'de> for One<$number> {
            type Error = Error;

            transparent! {}

            #[inline]
            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                $(
                    let fits: fn($number) -> bool = $fits;
                    if !fits(self.0) {
                        return Err(does_not_fit(self.0, "f32"));
                    }
                )?
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                $(one!(@$sort self, $fits);)?
                visitor.$visit(self.0)
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit
                unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
    )*};
    (@narrow $self:ident, $fits:expr) => {};
    (@wide $self:ident, $fits:expr) => {
        let fits: fn(i64) -> bool = $fits;
        if !fits($self.0) {
            return Err(does_not_fit($self.0, "f64"));
        }
    };
}

one! {
    u8 visit_u8;
    i32 visit_i32;
    i64 visit_i64, wide |number| whole(number).is_some();
    bool visit_bool;
    f32 visit_f32;
    f64 visit_f64, narrow |number| narrowed(number).is_some();
}

/// The error of a real that would become infinite as an `f32`, or of an int that would become another
/// number as a float.
#[cold]
pub(super) fn does_not_fit(number: impl Debug, target: &str) -> Error {
    Error::out_of_range(format_args!("{number:?} does not fit in {target}"))
}

/// Passes numbers to the visitor as a sequence. It is an error if the visitor does not read all of
/// them.
#[inline]
pub(crate) fn visit_numbers<'de, N, V: Visitor<'de>>(
    numbers: impl ExactSizeIterator<Item = N>,
    visitor: V,
) -> Result<V::Value>
where
    One<N>: serde::Deserializer<'de, Error = Error>,
{
    let mut sequence = Sequence(numbers);
    let value = visitor.visit_seq(&mut sequence)?;
    match sequence.0.len() {
        0 => Ok(value),
        left => Err(too_many(left)),
    }
}

struct Sequence<I>(I);

impl<'de, N, I: ExactSizeIterator<Item = N>> SeqAccess<'de> for &mut Sequence<I>
where
    One<N>: serde::Deserializer<'de, Error = Error>,
{
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.0.next().map(|number| seed.deserialize(One(number))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[cold]
pub(super) fn too_many(left: usize) -> Error {
    Error::wrong_length(format_args!("too many numbers: {left} left over"))
}
