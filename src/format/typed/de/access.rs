//! The elements, entries and properties of containers.

use super::super::error::{Error, Result};
use super::deserializer::{Deserializer, Reporting};
use crate::value::Dialect;
use crate::value::walk::property_name;
use crate::value::wire::nesting::Level;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

/// How many items to reserve room for: at most as many as the remaining bytes can hold.
#[inline]
fn hint(items: u32, rest: &[u8]) -> Option<usize> {
    Some((items as usize).min(rest.len() / 4))
}

/// Which part of the latest item failed to be read.
#[derive(Clone, Copy)]
enum Failed {
    Nothing,
    Element,
    Key,
    Value,
}

/// The bytes after this many values.
fn after(dialect: Dialect, mut bytes: &[u8], values: u64) -> Option<&[u8]> {
    for _ in 0..values {
        (bytes, _) = crate::parse_prefix(dialect, bytes).ok()?;
    }
    Some(bytes)
}

/// The elements of an array, or the entries of a dictionary.
///
/// Only errors need the place of an item. It is searched for when one occurs, so it costs nothing
/// when there are no errors.
pub(super) struct Items<'de> {
    from: Deserializer<'de>,
    first: &'de [u8],
    count: u32,
    left: u32,
    failed: Failed,
}

impl<'de> Items<'de> {
    #[inline(always)]
    pub(super) fn new(from: &Deserializer<'de>, count: u32, of_struct: bool) -> Items<'de> {
        Items {
            first: from.rest,
            from: Deserializer { of_struct, ..from.clone() },
            count,
            left: count,
            failed: Failed::Nothing,
        }
    }

    #[inline(always)]
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    #[inline(always)]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.from.rest
    }

    /// Counts the next item. Returns `false` at the end.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        self.failed = Failed::Nothing;
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return false,
        }
        true
    }

    /// Reads an element, a key or a value. If that fails, sets `failed` to the part that failed.
    #[inline(always)]
    fn read<T: DeserializeSeed<'de>>(&mut self, part: Failed, seed: T) -> Result<T::Value> {
        let failed = &mut self.failed;
        self.from.apart(|from| seed.deserialize(from)).inspect_err(|_| *failed = part)
    }

    /// Adds the place of the item to its error.
    #[cold]
    #[inline(never)]
    pub(super) fn explain(self, error: Error) -> Error {
        let dialect = self.from.layout.dialect();
        let index = self.count.saturating_sub(self.left).saturating_sub(1);
        let before = u64::from(index).saturating_mul(match self.failed {
            Failed::Nothing | Failed::Element => 1,
            Failed::Key | Failed::Value => 2,
        });
        let Some(start) = after(dialect, self.first, before) else { return error };
        match self.failed {
            Failed::Nothing => error,
            Failed::Element => self.from.locate(error, start).in_element(index as usize),
            Failed::Key => self.from.locate(error, start),
            Failed::Value => match after(dialect, start, 1) {
                Some(value) => in_value(&self.from, error, start, value),
                None => error,
            },
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.advance() {
            return Ok(None);
        }
        self.read(Failed::Element, seed).map(Some)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

impl<'de> MapAccess<'de> for &mut Items<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.advance() {
            return Ok(None);
        }
        self.read(Failed::Key, seed).map(Some)
    }

    #[inline(always)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.read(Failed::Value, seed)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

/// Adds the place of a value and its key to an error.
#[cold]
#[inline(never)]
pub(super) fn in_value(from: &Deserializer<'_>, error: Error, key: &[u8], start: &[u8]) -> Error {
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
