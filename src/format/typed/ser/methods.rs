//! The methods that serde calls.

use super::super::error::{Error, Result};
use super::super::{direct, token};
use super::serializer::{Asking, Container, Fields, Serializer};
use crate::value::Kind;
use crate::write::encode::Patch;
use core::fmt::Display;
use serde::Serialize;

macro_rules! scalars {
    ($($method:ident($type:ty) => $to:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<()> {
            Ok(self.builder.$to(value.into())?)
        }
    )*};
}

#[cold]
fn too_large(number: impl Display) -> Error {
    Error::out_of_range(format_args!("the integer {number} does not fit in 64 bits with a sign"))
}

impl<'b, S: Patch> serde::Serializer for Serializer<'b, S> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Container<'b, S>;
    type SerializeTuple = Container<'b, S>;
    type SerializeTupleStruct = Fields<'b, S>;
    type SerializeTupleVariant = Container<'b, S>;
    type SerializeMap = Container<'b, S>;
    type SerializeStruct = Container<'b, S>;
    type SerializeStructVariant = Container<'b, S>;

    scalars! {
        serialize_bool(bool) => bool;
        serialize_i8(i8) => int;
        serialize_i16(i16) => int;
        serialize_i32(i32) => int;
        serialize_i64(i64) => int;
        serialize_u8(u8) => int;
        serialize_u16(u16) => int;
        serialize_u32(u32) => int;
        serialize_f32(f32) => float;
        serialize_f64(f64) => float;
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        if self.part() == Some(Kind::Rid) {
            return Ok(self.builder.rid(value)?);
        }
        self.serialize_i64(i64::try_from(value).map_err(|_| too_large(value))?)
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.serialize_i64(i64::try_from(value).map_err(|_| too_large(value))?)
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.serialize_i64(i64::try_from(value).map_err(|_| too_large(value))?)
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<()> {
        match self.part() {
            Some(Kind::StringName) => self.builder.string_name(value)?,
            Some(Kind::NodePath) => self.builder.node_path(value)?,
            _ => self.builder.string(value)?,
        }
        Ok(())
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match self.asking {
            Asking::Nothing => self.builder.byte_array(value)?,
            Asking::Value => self.builder.put_encoded(value),
            Asking::Part(index) => direct::put_numbers(self.builder, index, value)?,
        }
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        Ok(self.builder.nil()?)
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        Ok(self.builder.nil()?)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        Ok(self.builder.nil()?)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        Ok(self.builder.string(variant)?)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == token::VALUE {
            return value.serialize(Serializer::asking(self.builder));
        }
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        if name == token::PART {
            return value.serialize(Serializer { asking: Asking::Part(index), ..self });
        }
        self.variant(variant)?;
        value.serialize(Serializer::new(self.builder)).map_err(|error| error.in_field(variant))?;
        Ok(self.builder.end()?)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Container<'b, S>> {
        Container::new(self.builder, Kind::Array, len, None)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Container<'b, S>> {
        self.serialize_seq(Some(len))
    }

    #[inline]
    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Fields<'b, S>> {
        Ok(match name {
            token::OFFERS => Fields::offers(self.builder),
            token::PIECES => {
                self.builder.begin_encoded()?;
                Fields::Pieces(self.builder)
            }
            _ => Fields::Elements(self.serialize_seq(Some(len))?),
        })
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Container<'b, S>> {
        self.container_of(variant, Kind::Array, len)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Container<'b, S>> {
        Container::new(self.builder, Kind::Dictionary, len, None)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Container<'b, S>> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Container<'b, S>> {
        self.container_of(variant, Kind::Dictionary, len)
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        Ok(self.builder.string_of(value)?)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        matches!(self.asking, Asking::Value)
    }
}
