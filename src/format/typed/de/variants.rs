//! Reads the variants of enums that have content.

use super::super::error::{Error, Result};
use super::access::in_value;
use super::deserializer::Deserializer;
use serde::Deserializer as _;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

/// A variant that is a dictionary with one entry.
pub(super) struct EnumEntry<'r, 'de>(pub(super) &'r mut Deserializer<'de>);

/// The content of a variant.
pub(super) struct EnumContent<'r, 'de> {
    from: &'r mut Deserializer<'de>,
    name: &'de [u8],
}

impl<'r, 'de> EnumAccess<'de> for EnumEntry<'r, 'de> {
    type Error = Error;
    type Variant = EnumContent<'r, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, EnumContent<'r, 'de>)> {
        let name = self.0.rest;
        let variant = seed.deserialize(&mut *self.0).map_err(|error| self.0.locate(error, name))?;
        Ok((variant, EnumContent { from: self.0, name }))
    }
}

impl<'de> EnumContent<'_, 'de> {
    fn read<T>(self, read: impl FnOnce(&mut Deserializer<'de>) -> Result<T>) -> Result<T> {
        let start = self.from.rest;
        read(self.from).map_err(|error| in_value(self.from, error, self.name, start))
    }
}

impl<'de> VariantAccess<'de> for EnumContent<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        self.read(|from| <() as serde::Deserialize<'de>>::deserialize(from))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        self.read(|from| seed.deserialize(from))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.read(|from| from.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.read(|from| from.deserialize_struct("", fields, visitor))
    }
}
