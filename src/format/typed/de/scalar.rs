//! Reads bools, numbers and texts.

use super::{Deserializer, Read, cells, names};
use crate::format::typed::error::{Error, Result, mismatch, unknown_field};
use crate::value::number::{narrowed, whole};
use crate::value::wire::quick;
use crate::value::{Kind, ObjectRef, VariantRef, View};
use core::fmt::Debug;
use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

macro_rules! expected {
    ($($(#[$doc:meta])* $method:ident $visit:ident)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $method<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
            match quick::$method(self.rest) {
                Some((scalar, rest)) => {
                    self.rest = rest;
                    visitor.$visit(scalar.into())
                }
                None => self.apart(|from| from.scalar(visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> {
    expected! {
        /// Reads a bool, a number or a text. A bool takes the fast path.
        bool visit_bool
        /// Reads a bool, a number or a text. An int takes the fast path.
        int visit_i64
    }

    /// Reads a number as an `f32`. A float of four bytes takes the fast path.
    #[inline(always)]
    pub(super) fn single<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.real(true, visitor)
    }

    /// Does the same for an `f64`.
    #[inline(always)]
    pub(super) fn double<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.real(false, visitor)
    }

    #[inline(always)]
    fn real<V: Visitor<'de>>(&mut self, is_single: bool, visitor: V) -> Result<V::Value> {
        match quick::float(self.rest) {
            Some((number, rest)) => {
                self.rest = rest;
                visitor.visit_f32(number)
            }
            None => self.apart(|from| from.other_real(is_single, visitor)),
        }
    }

    #[inline(never)]
    fn other_real<V: Visitor<'de>>(&mut self, is_single: bool, visitor: V) -> Result<V::Value> {
        let value = match self.read()? {
            Read::Leaf(value) => value,
            Read::Container(value, _) => return Err(mismatch(value, &visitor)),
        };
        match value.view() {
            View::Float(number) if is_single && narrowed(number).is_none() => {
                Err(does_not_fit(number, "f32"))
            }
            View::Int(number) if whole(number).is_none() => {
                Err(does_not_fit(number, if is_single { "f32" } else { "f64" }))
            }
            View::Rid(id) | View::Object(ObjectRef::Id(id)) => {
                match i64::try_from(id).ok().and_then(whole) {
                    Some(number) => visitor.visit_f64(number),
                    None => Err(does_not_fit(id, "f64")),
                }
            }
            _ => uncommon_scalar(value, visitor),
        }
    }

    /// Reads a bool, a number or a text.
    #[inline(never)]
    fn scalar<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let value = match self.read()? {
            Read::Leaf(value) => value,
            Read::Container(value, _) => return Err(mismatch(value, &visitor)),
        };
        match value.kind() {
            Kind::Int | Kind::Float | Kind::Bool => scalar(value, visitor),
            _ => uncommon_scalar(value, visitor),
        }
    }

    /// Reads the next value if it is an object that is null. Returns whether it was.
    #[inline(never)]
    pub(super) fn is_null_object(&mut self) -> Result<bool> {
        let mut ahead = self.clone();
        let is_null = matches!(ahead.read()?, Read::Leaf(value) if value.is_nil());
        if is_null {
            self.rest = ahead.rest;
        }
        Ok(is_null)
    }

    /// Reads the next value if it is a string in its usual form.
    #[inline(always)]
    fn quick_string(&mut self) -> Option<&'de str> {
        let found = match quick::short_string(self.rest) {
            None => quick::string(self.rest),
            found => found,
        };
        let (text, rest) = found?;
        self.rest = rest;
        Some(text)
    }

    /// Reads a text.
    #[inline(always)]
    pub(super) fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.quick_string() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.apart(|from| from.other_text(visitor)),
        }
    }

    /// Reads the name of a field or of a variant.
    #[inline(always)]
    pub(super) fn name<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.quick_string() {
            Some(text) => visitor.visit_borrowed_str(text),
            None => self.apart(|from| from.other_name(visitor)),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_name<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        if !self.of_struct
            || matches!(self.peek(), Kind::String | Kind::StringName | Kind::NodePath)
        {
            return self.other_text(visitor);
        }
        let key = self.skip()?;
        // serde takes a number for the index of a field. No field has this index.
        visitor.visit_u64(u64::MAX).map_err(|_: Error| unknown_field(key))
    }

    #[cold]
    #[inline(never)]
    fn other_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => uncommon_scalar(value, visitor),
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }
}

#[inline(always)]
fn scalar<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    match value.view() {
        View::Int(number) => visitor.visit_i64(number),
        View::Float(number) => visitor.visit_f64(number),
        View::Bool(is_true) => visitor.visit_bool(is_true),
        _ => Err(mismatch(value, &visitor)),
    }
}

/// Passes a value that can be a number or a text to the visitor.
#[inline(never)]
pub(super) fn uncommon_scalar<'de, V: Visitor<'de>>(
    value: VariantRef<'de>,
    visitor: V,
) -> Result<V::Value> {
    match value.view() {
        View::String(text) | View::StringName(text) => visitor.visit_borrowed_str(text),
        View::NodePath(path) => names::visit_path(path, visitor),
        View::Rid(id) | View::Object(ObjectRef::Id(id)) => match i64::try_from(id) {
            // As a signed number, like an int: serde takes an unsigned number for the index of a
            // field or a variant.
            Ok(id) => visitor.visit_i64(id),
            Err(_) => visitor.visit_u64(id),
        },
        View::Nil | View::Callable | View::Object(_) => visitor.visit_unit(),
        View::PackedByteArray(bytes) => visitor.visit_borrowed_bytes(bytes),
        _ => scalar(value, visitor),
    }
}

/// Passes a value that contains no other values to the visitor.
pub(super) fn leaf<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    match value.view() {
        View::Signal(signal) => names::visit_signal(signal, visitor),
        View::PackedStringArray(strings) => names::visit_strings(strings, visitor),
        View::PackedByteArray(bytes) => visitor.visit_borrowed_bytes(bytes),
        _ if value.cells().is_some() => cells::visit(value, visitor),
        _ => uncommon_scalar(value, visitor),
    }
}

/// Deserializes from one number.
pub(crate) struct One<N>(pub(crate) N);

/// The methods of a deserializer that is not human-readable, and that passes itself on as the
/// content of an option or newtype.
macro_rules! transparent {
    () => {
        #[inline]
        fn is_human_readable(&self) -> bool {
            false
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.visit_some(self)
        }

        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            visitor: V,
        ) -> Result<V::Value> {
            visitor.visit_newtype_struct(self)
        }
    };
}

pub(crate) use transparent;

macro_rules! one {
    ($($number:ident $visit:ident $(, $sort:ident $fits:expr)?;)*) => {$(
        impl<'de> serde::Deserializer<'de> for One<$number> {
            type Error = Error;

            transparent! {}

            #[inline]
            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                $(
                    let fits: fn($number) -> bool = $fits;
                    if !fits(self.0) {
                        return Err(does_not_fit(self.0, "f32"));
                    }
                )?
                visitor.$visit(self.0)
            }

            #[inline]
            fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                $(one!(@$sort self, $fits);)?
                visitor.$visit(self.0)
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit
                unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
            }
        }
    )*};
    (@narrow $self:ident, $fits:expr) => {};
    (@wide $self:ident, $fits:expr) => {
        let fits: fn(i64) -> bool = $fits;
        if !fits($self.0) {
            return Err(does_not_fit($self.0, "f64"));
        }
    };
}

one! {
    u8 visit_u8;
    i32 visit_i32;
    i64 visit_i64, wide |number| whole(number).is_some();
    bool visit_bool;
    f32 visit_f32;
    f64 visit_f64, narrow |number| narrowed(number).is_some();
}

/// The error of a real that would become infinite as an `f32`, or of an int that would become another
/// number as a float.
#[cold]
fn does_not_fit(number: impl Debug, target: &str) -> Error {
    Error::out_of_range(format_args!("{number:?} does not fit in {target}"))
}

/// Passes numbers to the visitor as a sequence. It is an error if the visitor does not read all of
/// them.
#[inline]
pub(crate) fn visit_numbers<'de, N, V: Visitor<'de>>(
    numbers: impl ExactSizeIterator<Item = N>,
    visitor: V,
) -> Result<V::Value>
where
    One<N>: serde::Deserializer<'de, Error = Error>,
{
    let mut sequence = Sequence(numbers);
    let value = visitor.visit_seq(&mut sequence)?;
    match sequence.0.len() {
        0 => Ok(value),
        left => Err(too_many(left)),
    }
}

struct Sequence<I>(I);

impl<'de, N, I: ExactSizeIterator<Item = N>> SeqAccess<'de> for &mut Sequence<I>
where
    One<N>: serde::Deserializer<'de, Error = Error>,
{
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.0.next().map(|number| seed.deserialize(One(number))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[cold]
pub(super) fn too_many(left: usize) -> Error {
    Error::wrong_length(format_args!("too many numbers: {left} left over"))
}
