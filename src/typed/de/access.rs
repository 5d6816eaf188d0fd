//! The elements, entries and properties of containers.

use super::super::error::{Error, Result};
use super::{Deserializer, Reporting};
use crate::dialect::Dialect;
use crate::grammar::nesting::Level;
use crate::walk::property_name;
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
    Key,
    Value,
}

/// The bytes after this many values.
fn behind(dialect: Dialect, mut bytes: &[u8], values: u64) -> Option<&[u8]> {
    for _ in 0..values {
        (bytes, _) = crate::parse_prefix(dialect, bytes).ok()?;
    }
    Some(bytes)
}

/// The elements of an array.
/// The place of an element is only needed for errors. It is searched for when an error occurs.
pub(super) struct Values<'de> {
    from: Deserializer<'de>,
    first: &'de [u8],
    count: u32,
    left: u32,
    failed: Failed,
}

impl<'de> Values<'de> {
    #[inline]
    pub(super) fn new(from: &Deserializer<'de>, count: u32) -> Values<'de> {
        Values { first: from.rest, from: from.clone(), count, left: count, failed: Failed::Nothing }
    }

    #[inline]
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.from.rest
    }

    /// Adds the place of the element to its error.
    #[cold]
    #[inline(never)]
    pub(super) fn explain(self, error: Error) -> Error {
        let index = self.count.saturating_sub(self.left).saturating_sub(1);
        match self.failed {
            Failed::Nothing => error,
            Failed::Key | Failed::Value => {
                let dialect = self.from.layout.dialect();
                let error = match behind(dialect, self.first, index.into()) {
                    Some(start) => self.from.locate(error, start),
                    None => error,
                };
                error.in_element(index as usize)
            }
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Values<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.failed = Failed::Nothing;
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        read(&mut self.from, &mut self.failed, Failed::Value, seed).map(Some)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

/// The entries of a dictionary.
///
/// The place of an entry is only needed for errors. It is searched for when an error occurs.
pub(super) struct Entries<'de> {
    from: Deserializer<'de>,
    first: &'de [u8],
    count: u32,
    left: u32,
    failed: Failed,
}

impl<'de> Entries<'de> {
    #[inline(always)]
    pub(super) fn new(from: &Deserializer<'de>, count: u32, of_struct: bool) -> Entries<'de> {
        Entries {
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

    /// Adds the place of the key or value to its error.
    #[cold]
    #[inline(never)]
    pub(super) fn explain(self, error: Error) -> Error {
        let dialect = self.from.layout.dialect();
        let before = u64::from(self.count.saturating_sub(self.left).saturating_sub(1));
        let Some(key) = behind(dialect, self.first, before.saturating_mul(2)) else { return error };
        match self.failed {
            Failed::Nothing => error,
            Failed::Key => self.from.locate(error, key),
            Failed::Value => match behind(dialect, key, 1) {
                Some(value) => in_value(&self.from, error, key, value),
                None => error,
            },
        }
    }
}

impl<'de> MapAccess<'de> for &mut Entries<'de> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.failed = Failed::Nothing;
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        read(&mut self.from, &mut self.failed, Failed::Key, seed).map(Some)
    }

    #[inline(always)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        read(&mut self.from, &mut self.failed, Failed::Value, seed)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        hint(self.left, self.from.rest)
    }
}

/// Reads a key or a value. If that fails, sets `failed` to the part that failed.
#[inline(always)]
fn read<'de, T: DeserializeSeed<'de>>(
    from: &mut Deserializer<'de>,
    failed: &mut Failed,
    what: Failed,
    seed: T,
) -> Result<T::Value> {
    from.apart(|from| seed.deserialize(from)).inspect_err(|_| *failed = what)
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
