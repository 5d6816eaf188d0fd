//! Writes types as bytes.
//!
//! Input: a type's `Serialize`, and a builder. Output: the bytes in the builder's sink, or an
//! error with its path.

use super::error::{Error, Result};
use super::{direct, token};
use crate::value::{Kind, MAX_DEPTH, Problem, ReadOptions};
use crate::write::encode::{Builder, EncodeError, EncodeProblem, OpenCount, Patch};
use core::fmt::Display;
use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

/// Writes one value with a builder.
pub(crate) struct Serializer<'b, S> {
    builder: &'b mut Builder<S>,
    asking: Asking,
}

/// The question that the serializer asks a type, if any: see [`crate::typed::direct`].
#[derive(Clone, Copy)]
enum Asking {
    /// Nothing. The type can be any type.
    Nothing,
    /// The whole value.
    Value,
    /// The content of the value. The index gives the value's kind.
    Part(u32),
}

impl<'b, S: Patch> Serializer<'b, S> {
    #[inline]
    pub(crate) fn new(builder: &'b mut Builder<S>) -> Serializer<'b, S> {
        Serializer { builder, asking: Asking::Nothing }
    }

    #[inline]
    fn asking(builder: &'b mut Builder<S>) -> Serializer<'b, S> {
        Serializer { builder, asking: Asking::Value }
    }

    /// The kind of the value whose content comes next.
    #[inline]
    fn part(&self) -> Option<Kind> {
        match self.asking {
            Asking::Part(index) => Some(direct::kind_of(index)),
            Asking::Nothing | Asking::Value => None,
        }
    }

    /// Starts the dictionary of a variant with its name.
    #[inline]
    fn variant(&mut self, name: &'static str) -> Result<()> {
        self.builder.begin_dictionary(1)?;
        Ok(self.builder.string(name)?)
    }

    /// Starts a variant and the array or dictionary in it.
    fn container_of(
        mut self,
        name: &'static str,
        kind: Kind,
        len: usize,
    ) -> Result<ContainerWriter<'b, S>> {
        self.variant(name)?;
        ContainerWriter::new(self.builder, kind, Some(len), Some(name))
    }
}

/// Writes an array or a dictionary.
pub(crate) struct ContainerWriter<'b, S> {
    builder: &'b mut Builder<S>,
    open: OpenCount,
    /// In an array, the index of the next element. In a map, the offset of the latest key.
    place: usize,
    /// The name of the variant, if this is its content.
    variant: Option<&'static str>,
}

impl<'b, S: Patch> ContainerWriter<'b, S> {
    #[inline(always)]
    fn new(
        builder: &'b mut Builder<S>,
        kind: Kind,
        len: Option<usize>,
        variant: Option<&'static str>,
    ) -> Result<ContainerWriter<'b, S>> {
        let open = builder.begin_open(kind, len)?;
        Ok(ContainerWriter { builder, open, place: 0, variant })
    }
}

/// Writes a tuple struct, or an answer of a type of this crate: see [`crate::typed::direct`].
pub(crate) enum Fields<'b, S> {
    /// An ordinary array.
    Elements(ContainerWriter<'b, S>),
    /// A value in every dialect. Only one of them is written.
    Offers {
        builder: &'b mut Builder<S>,
        /// How many values come before the one that is written. The number wraps around after that
        /// one.
        before: u32,
    },
    /// The bytes of a value.
    Pieces(&'b mut Builder<S>),
}

impl<'b, S: Patch> Fields<'b, S> {
    #[inline]
    fn offers(builder: &'b mut Builder<S>) -> Fields<'b, S> {
        let before = token::dialect_number(builder.dialect());
        Fields::Offers { builder, before }
    }
}

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
    type SerializeSeq = ContainerWriter<'b, S>;
    type SerializeTuple = ContainerWriter<'b, S>;
    type SerializeTupleStruct = Fields<'b, S>;
    type SerializeTupleVariant = ContainerWriter<'b, S>;
    type SerializeMap = ContainerWriter<'b, S>;
    type SerializeStruct = ContainerWriter<'b, S>;
    type SerializeStructVariant = ContainerWriter<'b, S>;

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
    fn serialize_seq(self, len: Option<usize>) -> Result<ContainerWriter<'b, S>> {
        ContainerWriter::new(self.builder, Kind::Array, len, None)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<ContainerWriter<'b, S>> {
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
    ) -> Result<ContainerWriter<'b, S>> {
        self.container_of(variant, Kind::Array, len)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<ContainerWriter<'b, S>> {
        ContainerWriter::new(self.builder, Kind::Dictionary, len, None)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<ContainerWriter<'b, S>> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ContainerWriter<'b, S>> {
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

impl<S: Patch> ContainerWriter<'_, S> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(Serializer::new(self.builder)) {
            Ok(()) => {
                self.place += 1;
                Ok(())
            }
            Err(error) => Err(in_variant(error.in_element(self.place), self.variant)),
        }
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.builder.string(name)?;
        value
            .serialize(Serializer::new(self.builder))
            .map_err(|error| in_variant(error.in_field(name), self.variant))
    }

    /// Closes the container, and the dictionary of its variant if it has one.
    #[inline]
    fn finish(self) -> Result<()> {
        self.builder.end_open(self.open)?;
        if self.variant.is_some() {
            self.builder.end()?;
        }
        Ok(())
    }
}

#[cold]
fn in_variant(error: Error, variant: Option<&'static str>) -> Error {
    match variant {
        Some(name) => error.in_field(name),
        None => error,
    }
}

macro_rules! container {
    ($($as:ident $method:ident($($name:ident: $type:ty)?) => $to:ident;)*) => {$(
        impl<S: Patch> $as for ContainerWriter<'_, S> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: $type,)?
                value: &T,
            ) -> Result<()> {
                self.$to($($name,)? value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

container! {
    SerializeSeq serialize_element() => element;
    SerializeTuple serialize_element() => element;
    SerializeTupleVariant serialize_field() => element;
    SerializeStruct serialize_field(name: &'static str) => field;
    SerializeStructVariant serialize_field(name: &'static str) => field;
}

impl<S: Patch> SerializeMap for ContainerWriter<'_, S> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.place = self.builder.written().len();
        key.serialize(Serializer::new(self.builder))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Serializer::new(self.builder)).map_err(|error| {
            let key = self.builder.written().get(self.place..).unwrap_or(&[]);
            let key = crate::parse_prefix(self.builder.dialect(), key).ok();
            error.in_key(key.map(|(_, key)| key))
        })
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

impl<S: Patch> SerializeTupleStruct for Fields<'_, S> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Fields::Elements(elements) => elements.element(value),
            Fields::Offers { builder, before } => {
                let is_taken = *before == 0;
                *before = before.wrapping_sub(1);
                if is_taken { take(builder, value) } else { Ok(()) }
            }
            Fields::Pieces(builder) => value.serialize(Serializer::asking(builder)),
        }
    }

    #[inline]
    fn end(self) -> Result<()> {
        match self {
            Fields::Elements(elements) => elements.finish(),
            Fields::Offers { .. } | Fields::Pieces(_) => Ok(()),
        }
    }
}

/// Writes an offered value. The value does not know how many containers are around it, so this
/// checks its depth.
#[inline]
fn take<T: Serialize + ?Sized, S: Patch>(builder: &mut Builder<S>, value: &T) -> Result<()> {
    let start = builder.written().len();
    value.serialize(Serializer::asking(builder))?;
    // Each level of nesting takes at least eight bytes.
    let length = builder.written().len().saturating_sub(start);
    if length / 8 <= builder.depth_left().into() {
        return Ok(());
    }
    check_depth(builder, start)
}

#[cold]
fn check_depth<S: Patch>(builder: &Builder<S>, start: usize) -> Result<()> {
    let dialect = builder.dialect();
    let bytes = builder.written().get(start..).unwrap_or(&[]);
    let options = ReadOptions::new(dialect).with_max_depth(builder.depth_left());
    match crate::parse_prefix(options, bytes) {
        Err(error) if matches!(error.problem, Problem::TooDeep { .. }) => {
            Err(EncodeError::from(EncodeProblem::TooDeep { limit: MAX_DEPTH }).into())
        }
        _ => Ok(()),
    }
}
