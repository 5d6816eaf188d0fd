//! Writes arrays and dictionaries, element by element.

use super::Serializer;
use crate::dialect::{MAX_DEPTH, ReadOptions};
use crate::encode::{Builder, EncodeError, EncodeProblem, Open, Patch};
use crate::error::Problem;
use crate::typed::dialects;
use crate::typed::error::{Error, Result};
use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

/// Writes an array.
pub(in crate::typed) struct Elements<'b, S> {
    builder: &'b mut Builder<S>,
    open: Open,
    index: usize,
    /// The name of the variant, if this is its content.
    variant: Option<&'static str>,
}

impl<'b, S: Patch> Elements<'b, S> {
    #[inline]
    pub(super) fn new(
        builder: &'b mut Builder<S>,
        open: Open,
        variant: Option<&'static str>,
    ) -> Elements<'b, S> {
        Elements { builder, open, index: 0, variant }
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match value.serialize(Serializer::new(self.builder)) {
            Ok(()) => {
                self.index = self.index.saturating_add(1);
                Ok(())
            }
            Err(error) => Err(in_variant(error.in_element(self.index), self.variant)),
        }
    }

    #[inline]
    fn finish(self) -> Result<()> {
        finish(self.builder, self.open, self.variant)
    }
}

#[cold]
fn in_variant(error: Error, variant: Option<&'static str>) -> Error {
    match variant {
        Some(name) => error.in_field(name),
        None => error,
    }
}

/// Closes a container, and the dictionary of its variant if it has one.
#[inline]
fn finish<S: Patch>(
    builder: &mut Builder<S>,
    open: Open,
    variant: Option<&'static str>,
) -> Result<()> {
    builder.end_open(open)?;
    if variant.is_some() {
        builder.end()?;
    }
    Ok(())
}

macro_rules! elements {
    ($($as:ident $method:ident;)*) => {$(
        impl<S: Patch> $as for Elements<'_, S> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleVariant serialize_field;
}

/// Writes a tuple struct, or an answer of a type of this crate: see [`crate::typed::direct`].
pub(in crate::typed) enum Fields<'b, S> {
    /// An ordinary array.
    Elements(Elements<'b, S>),
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
    pub(super) fn offers(builder: &'b mut Builder<S>) -> Fields<'b, S> {
        let before = dialects::number(builder.dialect());
        Fields::Offers { builder, before }
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
    let options = ReadOptions::new(dialect).max_depth(builder.depth_left());
    match crate::parse_prefix(options, bytes) {
        Err(error) if matches!(error.problem, Problem::TooDeep { .. }) => {
            Err(EncodeError::from(EncodeProblem::TooDeep { limit: MAX_DEPTH }).into())
        }
        _ => Ok(()),
    }
}

/// Writes a dictionary.
pub(in crate::typed) struct Entries<'b, S> {
    builder: &'b mut Builder<S>,
    open: Open,
    /// The offset of the latest key.
    key: usize,
    /// The name of the variant, if this is its content.
    variant: Option<&'static str>,
}

impl<'b, S: Patch> Entries<'b, S> {
    #[inline]
    pub(super) fn new(
        builder: &'b mut Builder<S>,
        open: Open,
        variant: Option<&'static str>,
    ) -> Entries<'b, S> {
        Entries { builder, open, key: 0, variant }
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.builder.string(name)?;
        value
            .serialize(Serializer::new(self.builder))
            .map_err(|error| in_variant(error.in_field(name), self.variant))
    }

    #[inline]
    fn finish(self) -> Result<()> {
        finish(self.builder, self.open, self.variant)
    }
}

impl<S: Patch> SerializeMap for Entries<'_, S> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = self.builder.written().len();
        key.serialize(Serializer::new(self.builder))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Serializer::new(self.builder)).map_err(|error| {
            let key = self.builder.written().get(self.key..).unwrap_or(&[]);
            let key = crate::parse_prefix(self.builder.dialect(), key).ok();
            error.in_key(key.map(|(_, key)| key))
        })
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

macro_rules! fields {
    ($($as:ident)*) => {$(
        impl<S: Patch> $as for Entries<'_, S> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<()> {
                self.field(name, value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

fields! { SerializeStruct SerializeStructVariant }
