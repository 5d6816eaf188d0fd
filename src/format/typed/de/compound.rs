//! Sequences, maps and math values.

use super::cells::NumberAccess;
use super::{Deserializer, Read, Reporting, cells, names};
use crate::format::typed::error::{Error, Result, mismatch};
use crate::value::walk::property_name;
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::wire::quick;
use crate::value::{Dialect, Kind, View};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

impl<'de> Deserializer<'de> {
    /// Reads the elements of an array.
    #[inline]
    pub(super) fn array<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        self.items(inner, inner.remaining(), false, |items| visitor.visit_seq(items))
    }

    /// Reads the entries of a dictionary, for a map or a struct.
    #[inline]
    fn dictionary<V: Visitor<'de>>(
        &mut self,
        inner: Level,
        of_struct: bool,
        visitor: V,
    ) -> Result<V::Value> {
        self.items(inner, inner.remaining() / 2, of_struct, |items| visitor.visit_map(items))
    }

    /// Reads the items of an array or dictionary.
    #[inline(always)]
    fn items<T>(
        &mut self,
        inner: Level,
        count: u32,
        of_struct: bool,
        visit: impl FnOnce(&mut ItemsAccess<'de>) -> Result<T>,
    ) -> Result<T> {
        self.enter(inner)?;
        let mut items = ItemsAccess::new(self, count, of_struct);
        let mut result = visit(&mut items);
        self.rest = items.rest();
        match result {
            Ok(_) => {
                if let Err(error) = self.leave(inner, items.left()) {
                    result = Err(error);
                }
            }
            Err(error) => result = Err(items.explain(error)),
        }
        result
    }

    /// Reads the properties of an object.
    #[inline(never)]
    fn object<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        self.enter(inner)?;
        let mut properties = PropertiesAccess::new(self, inner);
        let value = visitor.visit_map(&mut properties)?;
        let left = properties.left();
        self.leave(inner, left)?;
        Ok(value)
    }

    /// Reads the content of a container.
    pub(super) fn container<V: Visitor<'de>>(
        &mut self,
        inner: Level,
        visitor: V,
    ) -> Result<V::Value> {
        match inner.shape() {
            LevelShape::Dictionary => self.dictionary(inner, false, visitor),
            LevelShape::Object => self.object(inner, visitor),
            _ => self.array(inner, visitor),
        }
    }

    /// Reads a sequence: an array, or the numbers of a math value or packed array.
    #[inline]
    pub(super) fn sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match quick::array(self.layout, self.rest) {
            Some((elements, rest)) => {
                self.rest = rest;
                self.array(Level::new(Kind::Array, LevelShape::Array, elements), visitor)
            }
            None => self.other_sequence(visitor),
        }
    }

    #[inline(never)]
    fn other_sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Container(_, inner) if inner.shape() == LevelShape::Array => {
                self.array(inner, visitor)
            }
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
            Read::Leaf(value) => cells::visit(value, visitor),
        }
    }

    /// Reads a value as the entries of a map or the fields of a struct.
    #[inline]
    pub(super) fn map<V: Visitor<'de>>(&mut self, of_struct: bool, visitor: V) -> Result<V::Value> {
        let inner = match quick::dictionary(self.layout, self.rest) {
            Some((entries, rest)) => {
                self.rest = rest;
                Level::pairs(Kind::Dictionary, LevelShape::Dictionary, entries)
            }
            None => match self.apart(Deserializer::typed_dictionary)? {
                Some(inner) => inner,
                None => return self.apart(|from| from.other_map(visitor)),
            },
        };
        self.dictionary(inner, of_struct, visitor)
    }

    /// Reads the start of a dictionary with any element types, if the next value is one.
    #[cold]
    #[inline(never)]
    fn typed_dictionary(&mut self) -> Result<Option<Level>> {
        if self.peek() != Kind::Dictionary {
            return Ok(None);
        }
        match self.read()? {
            Read::Container(_, inner) => Ok(Some(inner)),
            Read::Leaf(_) => Ok(None),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_map<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Container(_, inner) if inner.shape() == LevelShape::Object => {
                self.object(inner, visitor)
            }
            Read::Container(_, inner) => self.array(inner, visitor),
            Read::Leaf(value) => match value.view() {
                View::Signal(signal) => names::visit_signal(signal, visitor),
                _ => match NumberAccess::of(value) {
                    Some(numbers) => numbers.visit(visitor),
                    None => Err(mismatch(value, &visitor)),
                },
            },
        }
    }

    /// Reads a math value of this kind, or an array of its numbers.
    #[inline]
    pub(super) fn math<V: Visitor<'de>>(&mut self, kind: Kind, visitor: V) -> Result<V::Value> {
        match quick::numbers(self.layout, kind, self.rest) {
            Some((numbers, rest)) => {
                self.rest = rest;
                cells::visit_narrow(kind, numbers, visitor)
            }
            None => self.apart(|from| from.other_math(kind, visitor)),
        }
    }

    #[inline(never)]
    fn other_math<V: Visitor<'de>>(&mut self, kind: Kind, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) if value.kind() == kind => match NumberAccess::of(value) {
                Some(numbers) => numbers.visit(visitor),
                None => Err(mismatch(value, &visitor)),
            },
            Read::Container(_, inner) if inner.shape() == LevelShape::Array => {
                self.array(inner, visitor)
            }
            Read::Leaf(value) | Read::Container(value, _) => Err(mismatch(value, &kind.name())),
        }
    }

    /// Opens a container.
    #[inline]
    pub(super) fn enter(&mut self, inner: Level) -> Result<()> {
        if self.depth >= self.max_depth && !inner.is_empty() {
            return Err(self.clone().too_deep(inner));
        }
        self.depth += 1;
        Ok(())
    }

    /// Closes a container. Everything in it must have been read.
    #[inline]
    pub(super) fn leave(&mut self, inner: Level, left: u32) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if left == 0 { Ok(()) } else { Err(too_many(inner.kind(), left)) }
    }
}

#[cold]
fn too_many(kind: Kind, left: u32) -> Error {
    Error::wrong_length(format_args!("the {kind} is too long: {left} left over"))
}

/// How many items to reserve room for: at most as many as the remaining bytes can hold.
#[inline]
fn hint(items: u32, rest: &[u8]) -> Option<usize> {
    Some((items as usize).min(rest.len() / 4))
}

/// The part of the latest item that could not be read.
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
struct ItemsAccess<'de> {
    from: Deserializer<'de>,
    first: &'de [u8],
    count: u32,
    left: u32,
    failed: Failed,
}

impl<'de> ItemsAccess<'de> {
    #[inline(always)]
    fn new(from: &Deserializer<'de>, count: u32, of_struct: bool) -> ItemsAccess<'de> {
        ItemsAccess {
            first: from.rest,
            from: Deserializer { of_struct, ..from.clone() },
            count,
            left: count,
            failed: Failed::Nothing,
        }
    }

    #[inline(always)]
    fn left(&self) -> u32 {
        self.left
    }

    #[inline(always)]
    fn rest(&self) -> &'de [u8] {
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
    fn explain(self, error: Error) -> Error {
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

impl<'de> SeqAccess<'de> for &mut ItemsAccess<'de> {
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

impl<'de> MapAccess<'de> for &mut ItemsAccess<'de> {
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
struct PropertiesAccess<'r, 'de> {
    from: &'r mut Deserializer<'de>,
    level: Level,
    name: &'de str,
}

impl<'r, 'de> PropertiesAccess<'r, 'de> {
    fn new(from: &'r mut Deserializer<'de>, level: Level) -> PropertiesAccess<'r, 'de> {
        PropertiesAccess { from, level, name: "" }
    }

    fn left(&self) -> u32 {
        self.level.remaining() / 2
    }
}

impl<'de> MapAccess<'de> for &mut PropertiesAccess<'_, 'de> {
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
