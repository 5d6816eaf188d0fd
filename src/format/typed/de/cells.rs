//! Reads math values and packed arrays as sequences of numbers or of vectors.

use super::super::error::{Error, Result, mismatch};
use super::super::token;
use super::names;
use super::scalar::{One, too_many, visit_numbers};
use crate::value::number::cast;
use crate::value::{
    Cell, Cells, Component, F32Le, F64Le, I32Le, Kind, ValueBody, VariantRef, View,
};
use core::slice;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Passes a math value or packed array to the visitor as a sequence.
pub(super) fn visit<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    let each = match value.kind().body() {
        ValueBody::Packed(_, each) => usize::from(each),
        ValueBody::Cells(..) => return numbers(value, visitor),
        _ => {
            return match value.view() {
                View::PackedStringArray(strings) => names::visit_strings(strings, visitor),
                _ => Err(mismatch(value, &visitor)),
            };
        }
    };
    if each > 1 {
        return groups(value, each, visitor);
    }
    match value.cells() {
        Some(Cells::Bytes(bytes)) => visit_numbers(bytes.iter().copied(), visitor),
        Some(Cells::I32(cells)) => native_numbers(cells, visitor),
        Some(Cells::I64(cells)) => native_numbers(cells, visitor),
        Some(Cells::F32(cells)) => native_numbers(cells, visitor),
        Some(Cells::F64(cells)) => native_numbers(cells, visitor),
        None => Err(mismatch(value, &visitor)),
    }
}

fn numbers<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    match NumberAccess::of(value) {
        Some(numbers) => numbers.visit(visitor),
        None => Err(mismatch(value, &visitor)),
    }
}

/// Numbers of any type.
///
/// The type of the numbers is not a type parameter, because then the code that reads a user's type
/// would exist three times.
#[derive(Clone)]
pub(super) struct NumberAccess<'de>(Iter<'de>);

#[derive(Clone)]
enum Iter<'de> {
    I32(slice::Iter<'de, I32Le>),
    F32(slice::Iter<'de, F32Le>),
    F64(slice::Iter<'de, F64Le>),
}

impl<'de> NumberAccess<'de> {
    /// The numbers of a math value.
    #[inline]
    pub(super) fn of(value: VariantRef<'de>) -> Option<NumberAccess<'de>> {
        match value.kind().body() {
            ValueBody::Cells(..) => NumberAccess::from(value.cells()?),
            _ => None,
        }
    }

    #[inline]
    fn from(cells: Cells<'de>) -> Option<NumberAccess<'de>> {
        Some(NumberAccess(match cells {
            Cells::I32(cells) => Iter::I32(cells.iter()),
            Cells::F32(cells) => Iter::F32(cells.iter()),
            Cells::F64(cells) => Iter::F64(cells.iter()),
            Cells::Bytes(_) | Cells::I64(_) => return None,
        }))
    }

    fn len(&self) -> usize {
        match &self.0 {
            Iter::I32(cells) => cells.len(),
            Iter::F32(cells) => cells.len(),
            Iter::F64(cells) => cells.len(),
        }
    }

    /// Passes all numbers to the visitor.
    #[inline]
    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        match self.len() {
            0 => Ok(value),
            left => Err(too_many(left)),
        }
    }
}

impl<'de> SeqAccess<'de> for &mut NumberAccess<'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        macro_rules! next {
            ($cells:expr) => {
                match $cells.next() {
                    Some(cell) => seed.deserialize(One(cell.get())).map(Some),
                    None => Ok(None),
                }
            };
        }
        match &mut self.0 {
            Iter::F32(cells) => next!(cells),
            Iter::F64(cells) => next!(cells),
            Iter::I32(cells) => next!(cells),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}

/// Passes the numbers of a math value to the visitor. They have four bytes each.
#[inline]
pub(super) fn visit_narrow<'de, V: Visitor<'de>>(
    kind: Kind,
    bytes: &'de [u8],
    visitor: V,
) -> Result<V::Value> {
    match kind.body() {
        ValueBody::Cells(Cell::I32, _) => native_numbers(cast::<I32Le>(bytes), visitor),
        _ => native_numbers(cast::<F32Le>(bytes), visitor),
    }
}

#[inline]
fn native_numbers<'de, T: Component, V: Visitor<'de>>(
    cells: &'de [T],
    visitor: V,
) -> Result<V::Value>
where
    One<T::Native>: serde::Deserializer<'de, Error = Error>,
{
    visit_numbers(cells.iter().map(|cell| cell.get()), visitor)
}

/// Passes a packed array of vectors or colours to the visitor.
fn groups<'de, V: Visitor<'de>>(
    value: VariantRef<'de>,
    each: usize,
    visitor: V,
) -> Result<V::Value> {
    let numbers = value.cells().and_then(NumberAccess::from);
    let mut groups = match (numbers, value.kind().element()) {
        (Some(numbers), Some(kind)) => GroupsAccess { numbers, each, kind, index: 0 },
        _ => return Err(mismatch(value, &visitor)),
    };
    let value = visitor.visit_seq(&mut groups)?;
    match groups.numbers.len() / each.max(1) {
        0 => Ok(value),
        left => Err(Error::wrong_length(format_args!("too many elements: {left} left over"))),
    }
}

struct GroupsAccess<'de> {
    numbers: NumberAccess<'de>,
    each: usize,
    kind: Kind,
    index: usize,
}

impl<'de> SeqAccess<'de> for &mut GroupsAccess<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        macro_rules! split {
            ($cells:expr, $iter:ident) => {{
                let Some((one, rest)) = $cells.as_slice().split_at_checked(self.each) else {
                    return Ok(None);
                };
                *$cells = rest.iter();
                NumberAccess(Iter::$iter(one.iter()))
            }};
        }
        let numbers = match &mut self.numbers.0 {
            Iter::I32(cells) => split!(cells, I32),
            Iter::F32(cells) => split!(cells, F32),
            Iter::F64(cells) => split!(cells, F64),
        };
        let index = self.index;
        self.index = index.saturating_add(1);
        let group = GroupAccess { numbers, kind: self.kind };
        seed.deserialize(group).map(Some).map_err(|error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.numbers.len() / self.each.max(1))
    }
}

/// One element of a packed array.
struct GroupAccess<'de> {
    numbers: NumberAccess<'de>,
    kind: Kind,
}

impl<'de> serde::Deserializer<'de> for GroupAccess<'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.numbers.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        use serde::de::{Error as _, Unexpected};
        match token::math_kind(name) {
            Some(kind) if kind != self.kind => {
                Err(Error::invalid_type(Unexpected::Other(self.kind.name()), &kind.name()))
            }
            Some(_) => self.numbers.visit(visitor),
            None => visitor.visit_newtype_struct(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
