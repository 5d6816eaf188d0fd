//! What is in containers, one after the other.

use super::super::error::{Error, Result};
use super::{Deserializer, Reporting};
use crate::grammar::nesting::Level;
use crate::walk::property_name;
use serde::Deserializer as _;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};

/// How many items to make room for: no more than there are bytes for.
#[inline]
fn hint(items: u32, rest: &[u8]) -> Option<usize> {
    Some((items as usize).min(rest.len() / 4))
}

/// The elements of an array.
pub(super) struct Values<'r, 'de> {
    from: &'r mut Deserializer<'de>,
    left: u32,
    index: usize,
}

impl<'r, 'de> Values<'r, 'de> {
    #[inline]
    pub(super) fn new(from: &'r mut Deserializer<'de>, count: u32) -> Values<'r, 'de> {
        Values { from, left: count, index: 0 }
    }

    #[inline]
    pub(super) fn left(&self) -> u32 {
        self.left
    }
}

impl<'de> SeqAccess<'de> for &mut Values<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let start = self.from.rest;
        match seed.deserialize(&mut *self.from) {
            Ok(value) => {
                self.index = self.index.saturating_add(1);
                Ok(Some(value))
            }
            Err(error) => Err(self.from.locate(error, start).in_element(self.index)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

/// The entries of a dictionary.
pub(super) struct Entries<'r, 'de> {
    from: &'r mut Deserializer<'de>,
    left: u32,
    /// Where the first key starts: the last one is only needed for an error, and found then.
    first: &'de [u8],
}

impl<'r, 'de> Entries<'r, 'de> {
    #[inline]
    pub(super) fn new(from: &'r mut Deserializer<'de>, count: u32) -> Entries<'r, 'de> {
        Entries { first: from.rest, from, left: count }
    }

    #[inline]
    pub(super) fn left(&self) -> u32 {
        self.left
    }
}

impl<'de> Entries<'_, 'de> {
    /// The key of the value that starts there.
    #[cold]
    #[inline(never)]
    fn key_before(&self, value: &[u8]) -> &'de [u8] {
        let dialect = self.from.layout.dialect();
        let mut key = self.first;
        while let Ok((rest, _)) = crate::parse_prefix(dialect, key) {
            if rest.len() <= value.len() {
                break;
            }
            match crate::parse_prefix(dialect, rest) {
                Ok((next, _)) => key = next,
                Err(_) => break,
            }
        }
        key
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'_, 'de> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let start = self.from.rest;
        match seed.deserialize(&mut *self.from) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(self.from.locate(error, start)),
        }
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let start = self.from.rest;
        match seed.deserialize(&mut *self.from) {
            Ok(value) => Ok(value),
            Err(error) => Err(in_value(self.from, error, self.key_before(start), start)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

/// The error of the value that starts there, behind that key.
#[cold]
#[inline(never)]
fn in_value(from: &Deserializer<'_>, error: Error, key: &[u8], start: &[u8]) -> Error {
    let key = crate::parse_prefix(from.layout.dialect(), key).ok().map(|(_, key)| key);
    from.locate(error, start).in_key(key)
}

/// The properties of an object.
pub(super) struct Properties<'r, 'de> {
    from: &'r mut Deserializer<'de>,
    level: Level,
    name: &'de str,
}

impl<'r, 'de> Properties<'r, 'de> {
    pub(super) fn new(from: &'r mut Deserializer<'de>, level: Level) -> Properties<'r, 'de> {
        Properties { from, level, name: "" }
    }

    pub(super) fn left(&self) -> u32 {
        self.level.remaining() / 2
    }
}

impl<'de> MapAccess<'de> for &mut Properties<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.level.is_empty() {
            return Ok(None);
        }
        let start = self.from.rest;
        match property_name::<Reporting>(self.from.layout, self.level, start) {
            Ok((rest, name)) => {
                self.level.take_one();
                self.from.rest = rest;
                self.name = name;
            }
            Err(failure) => return Err(self.from.wire(failure)),
        }
        seed.deserialize(BorrowedStrDeserializer::new(self.name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.level.take_one();
        let start = self.from.rest;
        seed.deserialize(&mut *self.from)
            .map_err(|error| self.from.locate(error, start).in_field(self.name))
    }

    fn size_hint(&self) -> Option<usize> {
        hint(self.level.remaining() / 2, self.from.rest)
    }
}

/// A variant that is only its name.
pub(super) struct EnumName<'r, 'de>(pub(super) &'r mut Deserializer<'de>);

impl<'de> EnumAccess<'de> for EnumName<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(&mut *self.0)?, self))
    }
}

#[cold]
fn only_a_name(expected: &str) -> Error {
    use serde::de::Error as _;
    Error::invalid_type(Unexpected::UnitVariant, &expected)
}

impl<'de> VariantAccess<'de> for EnumName<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value> {
        Err(only_a_name("newtype variant"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        Err(only_a_name("tuple variant"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        Err(only_a_name("struct variant"))
    }
}

/// A variant that is a dictionary of one entry.
pub(super) struct EnumEntry<'r, 'de>(pub(super) &'r mut Deserializer<'de>);

/// Its content.
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
