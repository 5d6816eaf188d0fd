//! Values that are handed over as bytes: see [`crate::typed::direct`].

use crate::encode::{Builder, Patch};
use crate::typed::direct::Greeting;
use crate::typed::error::{Error, Result};
use core::cell::Cell;
use core::fmt::Display;
use serde::Serialize;
use serde::ser::{Impossible, SerializeSeq};

/// Takes the bytes of one value, in pieces.
pub(super) struct Encoded<'b, S> {
    builder: &'b mut Builder<S>,
    greeting: Cell<Greeting>,
}

impl<'b, S: Patch> Encoded<'b, S> {
    #[inline]
    pub(super) fn new(builder: &'b mut Builder<S>) -> Encoded<'b, S> {
        let greeting = Cell::new(Greeting::of(builder.dialect(), builder.depth_left()));
        Encoded { builder, greeting }
    }
}

#[cold]
fn refused<T>() -> Result<T> {
    Err(Error::message("only values of this crate can have the name of its values"))
}

macro_rules! refuse {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, _: $type) -> Result<()> {
            refused()
        }
    )*};
}

impl<'b, S: Patch> serde::Serializer for Encoded<'b, S> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Encoded<'b, S>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    #[inline]
    fn is_human_readable(&self) -> bool {
        let (bit, rest) = self.greeting.get().next();
        self.greeting.set(rest);
        bit
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Encoded<'b, S>> {
        self.builder.begin_encoded()?;
        Ok(self)
    }

    #[inline]
    fn serialize_bytes(self, piece: &[u8]) -> Result<()> {
        self.builder.put_encoded(piece);
        Ok(())
    }

    refuse! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_unit_struct(&'static str);
    }

    fn serialize_none(self) -> Result<()> {
        refused()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<()> {
        refused()
    }

    fn serialize_unit(self) -> Result<()> {
        refused()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<()> {
        refused()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<()> {
        refused()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        refused()
    }

    fn serialize_tuple(self, _: usize) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>> {
        refused()
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<()> {
        refused()
    }
}

impl<S: Patch> SerializeSeq for Encoded<'_, S> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, piece: &T) -> Result<()> {
        let greeting = self.greeting.clone();
        piece.serialize(Encoded { builder: &mut *self.builder, greeting })
    }

    #[inline]
    fn end(self) -> Result<()> {
        Ok(())
    }
}
