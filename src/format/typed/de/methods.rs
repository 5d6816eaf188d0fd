//! The methods that serde calls.

use super::super::error::{Error, Result, mismatch};
use super::super::token;
use super::deserializer::{Deserializer, Read};
use super::raw;
use super::scalar::{leaf, uncommon_scalar};
use super::variants::EnumEntry;
use crate::value::Kind;
use crate::value::wire::nesting::Shape;
use crate::value::wire::quick;
use serde::de::Visitor;
use serde::de::value::BorrowedStrDeserializer;

/// Defines methods that ignore all arguments but the visitor.
macro_rules! forward {
    ($($method:ident$(($($ignored:ty),*))?)* => $to:ident) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, $($(_: $ignored,)*)? visitor: V) -> Result<V::Value> {
            self.$to(visitor)
        }
    )*};
}

impl<'de> serde::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => leaf(value, visitor),
            Read::Container(_, inner) => self.container(inner, visitor),
        }
    }

    forward! { deserialize_bool => bool }

    forward! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        => int
    }

    forward! { deserialize_f32 => single }

    forward! { deserialize_f64 => double }

    forward! { deserialize_char deserialize_str deserialize_string => text }

    forward! { deserialize_identifier => name }

    forward! { deserialize_unit deserialize_unit_struct(&'static str) => deserialize_any }

    forward! {
        deserialize_seq deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize)
        => sequence
    }

    forward! { deserialize_byte_buf => deserialize_bytes }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => uncommon_scalar(value, visitor),
            Read::Container(_, inner) if inner.shape() == Shape::Array => {
                self.array(inner, visitor)
            }
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(rest) = quick::nil(self.rest) {
            self.rest = rest;
            return visitor.visit_none();
        }
        if self.peek() == Kind::Object && self.apart(Deserializer::is_null_object)? {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == token::VALUE {
            let value = self.apart(Deserializer::skip)?;
            return visitor.visit_seq(raw::Parts::of(value));
        }
        if let Some(kind) = token::math_kind(name) {
            return self.math(kind, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.map(false, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.map(true, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if matches!(self.peek(), Kind::String | Kind::StringName) {
            let name = self.skip()?.as_str().unwrap_or_default();
            return visitor.visit_enum(BorrowedStrDeserializer::new(name));
        }
        match self.read()? {
            Read::Container(value, inner) if inner.shape() == Shape::Dictionary => {
                // Two items: one key and one value.
                if inner.remaining() != 2 {
                    let entries = inner.remaining() / 2;
                    return Err(Error::wrong_length(format_args!(
                        "expected the name of a variant or a dictionary of one entry, found a {} of {entries}",
                        value.kind()
                    )));
                }
                self.enter(inner)?;
                let value = visitor.visit_enum(EnumEntry(&mut *self))?;
                self.leave(inner, 0)?;
                Ok(value)
            }
            Read::Leaf(value) | Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.apart(Deserializer::skip)?;
        visitor.visit_unit()
    }
}
