//! Node paths, signals and arrays of strings.

use super::super::error::{Error, Result};
use crate::value::NodePathRef;
use crate::value::view::{SignalRef, StringsRef};
use serde::de::value::{BorrowedStrDeserializer, U64Deserializer};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

/// Passes a path to the visitor as text.
pub(super) fn visit_path<'de, V: Visitor<'de>>(
    path: NodePathRef<'de>,
    visitor: V,
) -> Result<V::Value> {
    match plain(path) {
        Some(text) => visitor.visit_borrowed_str(text),
        None => visit_joined(path, visitor),
    }
}

/// Passes a path of several names to the visitor. Its text is not in the input and must be built.
#[cfg(feature = "alloc")]
fn visit_joined<'de, V: Visitor<'de>>(path: NodePathRef<'de>, visitor: V) -> Result<V::Value> {
    visitor.visit_string(alloc::string::ToString::to_string(&path))
}

#[cfg(not(feature = "alloc"))]
fn visit_joined<'de, V: Visitor<'de>>(_: NodePathRef<'de>, _: V) -> Result<V::Value> {
    Err(Error::message("reading a NodePath of several names as text needs the feature alloc"))
}

/// The text of a path that has only one name.
fn plain(path: NodePathRef<'_>) -> Option<&str> {
    let mut names = path.names();
    let only = names.next()?;
    let is_all = !path.is_absolute() && names.next().is_none() && path.subnames().next().is_none();
    is_all.then_some(only)
}

pub(super) fn visit_strings<'de, V: Visitor<'de>>(
    strings: StringsRef<'de>,
    visitor: V,
) -> Result<V::Value> {
    let mut left = Strings { strings: strings.iter(), index: 0 };
    let value = visitor.visit_seq(&mut left)?;
    match left.strings.len() {
        0 => Ok(value),
        left => Err(Error::wrong_length(format_args!("too many strings: {left} left over"))),
    }
}

struct Strings<'de> {
    strings: crate::value::view::StringsIter<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for &mut Strings<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(text) = self.strings.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        let text = BorrowedStrDeserializer::new(text);
        seed.deserialize(text).map(Some).map_err(|error: Error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.strings.len())
    }
}

/// Passes a signal to the visitor as a map of its name and the id of its object.
pub(super) fn visit_signal<'de, V: Visitor<'de>>(
    signal: SignalRef<'de>,
    visitor: V,
) -> Result<V::Value> {
    visitor.visit_map(SignalMap { signal, part: SignalPart::Name })
}

#[derive(Clone, Copy)]
enum SignalPart {
    Name,
    ObjectId,
    None,
}

struct SignalMap<'de> {
    signal: SignalRef<'de>,
    part: SignalPart,
}

impl<'de> MapAccess<'de> for SignalMap<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let key = match self.part {
            SignalPart::Name => "name",
            SignalPart::ObjectId => "object_id",
            SignalPart::None => return Ok(None),
        };
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        if let SignalPart::Name = self.part {
            self.part = SignalPart::ObjectId;
            return seed.deserialize(BorrowedStrDeserializer::new(self.signal.name()));
        }
        self.part = SignalPart::None;
        seed.deserialize(U64Deserializer::new(self.signal.object_id()))
    }
}
