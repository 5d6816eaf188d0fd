//! Reads the arguments of a remote call into your own types.
#![cfg_attr(
    not(feature = "alloc"),
    allow(
        clippy::result_large_err,
        reason = "without an allocator an error holds its texts itself"
    )
)]

use super::arguments::{Argument, Arguments, ArgumentsIter, Form};
use crate::format::typed::{Deserializer, Error, One, Result, transparent, visit_numbers};
use core::marker::PhantomData;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

impl<'a> Argument<'a> {
    /// The value as a type of your own.
    ///
    /// # Errors
    ///
    /// The value is not of the type.
    pub fn to<T: Deserialize<'a>>(self) -> Result<T> {
        read(self, PhantomData).map_err(Error::without_offset)
    }
}

impl<'a> Arguments<'a> {
    /// The arguments as a tuple, as a struct with a field for each of them, or as a sequence.
    ///
    /// ```
    /// use gdwire::math::Vector3;
    /// use gdwire::multiplayer::Call;
    ///
    /// fn on_shoot(call: &Call<'_>) -> Result<(), gdwire::typed::Error> {
    ///     let (at, weapon): (Vector3<f32>, &str) = call.arguments.to()?;
    ///     println!("{weapon} fired at {at:?}");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// There are more or fewer arguments than the type takes, or one of them is not of its type.
    /// The path in the error starts with the index of the argument.
    pub fn to<T: Deserialize<'a>>(self) -> Result<T> {
        T::deserialize(All(self.iter())).map_err(Error::without_offset)
    }
}

fn read<'de, T: DeserializeSeed<'de>>(argument: Argument<'de>, seed: T) -> Result<T::Value> {
    match argument.form() {
        Form::Value(value) => {
            let bytes = value.as_bytes();
            let mut deserializer = Deserializer::from_slice(value.dialect(), bytes);
            let result = seed.deserialize(&mut deserializer);
            result.map_err(|error| deserializer.locate(error, bytes))
        }
        Form::Bool(content) => seed.deserialize(One(content)),
        Form::Int(content) => seed.deserialize(One(content)),
        Form::Bytes(content) => seed.deserialize(BareBytes(content)),
    }
}

/// The arguments as a sequence.
struct All<'de>(ArgumentsIter<'de>);

impl<'de> serde::Deserializer<'de> for All<'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut elements = ArgumentElements { arguments: self.0, index: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.arguments.len() {
            0 => Ok(value),
            left => Err(Error::wrong_length(format_args!(
                "expected {} {}, found {}",
                elements.index,
                if elements.index == 1 { "argument" } else { "arguments" },
                elements.index.saturating_add(left)
            ))),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.0.len() {
            0 => visitor.visit_unit(),
            count => Err(Error::wrong_length(format_args!("expected no arguments, found {count}"))),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct ArgumentElements<'de> {
    arguments: ArgumentsIter<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for &mut ArgumentElements<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(argument) = self.arguments.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        read(argument, seed).map(Some).map_err(|error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.arguments.len())
    }
}

/// A byte array whose content is on the wire without header and length.
struct BareBytes<'de>(&'de [u8]);

impl<'de> serde::Deserializer<'de> for BareBytes<'de> {
    type Error = Error;

    transparent! {}

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_borrowed_bytes(self.0)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit_numbers(self.0.iter().copied(), visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        visit_numbers(self.0.iter().copied(), visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple_struct map struct enum identifier ignored_any
    }
}
