//! Writes arrays and dictionaries, element by element.

use super::serializer::{Container, Fields, Serializer};
use crate::format::typed::error::{Error, Result};
use crate::value::{MAX_DEPTH, Problem, ReadOptions};
use crate::write::encode::{Builder, EncodeError, EncodeProblem, Patch};
use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

impl<S: Patch> Container<'_, S> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(Serializer::new(self.builder)) {
            Ok(()) => {
                self.place = self.place.saturating_add(1);
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
        impl<S: Patch> $as for Container<'_, S> {
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

impl<S: Patch> SerializeMap for Container<'_, S> {
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
