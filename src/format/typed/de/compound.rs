//! Sequences, maps and math values.

use super::super::error::{Error, Result, mismatch};
use super::access::{Items, Properties};
use super::cells::{self, Numbers};
use super::deserializer::{Deserializer, Read};
use super::names;
use crate::value::wire::nesting::{Level, Shape};
use crate::value::wire::quick;
use crate::value::{Kind, View};
use serde::de::Visitor;

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
        visit: impl FnOnce(&mut Items<'de>) -> Result<T>,
    ) -> Result<T> {
        self.enter(inner)?;
        let mut items = Items::new(self, count, of_struct);
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
        let mut properties = Properties::new(self, inner);
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
            Shape::Dictionary => self.dictionary(inner, false, visitor),
            Shape::Object => self.object(inner, visitor),
            _ => self.array(inner, visitor),
        }
    }

    /// Reads a sequence: an array, or the numbers of a math value or packed array.
    #[inline]
    pub(super) fn sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match quick::array(self.layout, self.rest) {
            Some((elements, rest)) => {
                self.rest = rest;
                self.array(Level::new(Kind::Array, Shape::Array, elements), visitor)
            }
            None => self.other_sequence(visitor),
        }
    }

    #[inline(never)]
    fn other_sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Container(_, inner) if inner.shape() == Shape::Array => {
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
                Level::pairs(Kind::Dictionary, Shape::Dictionary, entries)
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
            Read::Container(_, inner) if inner.shape() == Shape::Object => {
                self.object(inner, visitor)
            }
            Read::Container(_, inner) => self.array(inner, visitor),
            Read::Leaf(value) => match value.view() {
                View::Signal(signal) => names::visit_signal(signal, visitor),
                _ => match Numbers::of(value) {
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
            Read::Leaf(value) if value.kind() == kind => match Numbers::of(value) {
                Some(numbers) => numbers.visit(visitor),
                None => Err(mismatch(value, &visitor)),
            },
            Read::Container(_, inner) if inner.shape() == Shape::Array => {
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
        self.depth = self.depth.saturating_add(1);
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
