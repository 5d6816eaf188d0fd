//! Bytes to types, without a tree in between.

mod access;
mod cells;
mod names;
mod raw;

use super::error::{Error, Result, mismatch};
use super::token;
use crate::dialect::{Dialect, Layout};
use crate::error::{Problem, Reading};
use crate::grammar::nesting::{Level, Shape};
use crate::grammar::quick::{self, Scalar};
use crate::kind::Kind;
use crate::view::{ObjectRef, VariantRef, View, header_of};
use crate::walk::{Item, item};
use access::{Entries, EnumEntry, EnumName, Properties, Values};
use cells::Numbers;
use nom::{Complete, Emit, OutputM};
use serde::de::{Deserialize, Expected, Visitor};
use serde::forward_to_deserialize_any;

/// Reads types from bytes in which values stand one after the other.
///
/// What [`super::from_slice`] is made of, to be handed to what takes a
/// [`serde::Deserializer`], or to read more than one value:
///
/// ```
/// use gdwire::{Dialect, serde::Deserializer};
/// use serde::Deserialize;
///
/// let bytes = [2, 0, 0, 0, 42, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
/// let mut deserializer = Deserializer::from_slice(Dialect::GODOT_3, &bytes);
/// let number = i32::deserialize(&mut deserializer)?;
/// let text = <&str>::deserialize(&mut deserializer)?;
/// assert_eq!((number, text), (42, "hi"));
/// deserializer.end()?;
/// # Ok::<(), gdwire::serde::Error>(())
/// ```
#[derive(Clone)]
pub struct Deserializer<'de> {
    input: &'de [u8],
    rest: &'de [u8],
    layout: &'static Layout,
    /// How many containers are open, and how many may be.
    depth: u16,
    max_depth: u16,
}

/// A value without values in it, or what begins a container.
enum Read<'de> {
    Leaf(VariantRef<'de>),
    Container(VariantRef<'de>, Level),
}

type Reporting = OutputM<Emit, Emit, Complete>;

impl<'de> Deserializer<'de> {
    /// Reads values of `dialect` from the front of `bytes`.
    #[inline]
    #[must_use]
    pub fn from_slice(dialect: Dialect, bytes: &'de [u8]) -> Deserializer<'de> {
        Deserializer {
            input: bytes,
            rest: bytes,
            layout: dialect.layout(),
            depth: 0,
            max_depth: dialect.max_depth(),
        }
    }

    /// The bytes that have not been read.
    #[must_use]
    pub const fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// How many bytes have been read.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.input.len().saturating_sub(self.rest.len())
    }

    /// Makes sure that there is nothing more.
    ///
    /// # Errors
    ///
    /// [`Problem::TrailingBytes`].
    #[inline]
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let problem = Problem::TrailingBytes { count: self.rest.len() };
        Err(Error::wire(crate::Error::new(self.offset(), Reading::End, problem)))
    }

    /// Reads one value, and gives errors their place.
    #[inline]
    pub(super) fn value<T: Deserialize<'de>>(&mut self) -> Result<T> {
        let start = self.rest;
        T::deserialize(&mut *self).map_err(|error| self.locate(error, start))
    }

    /// The error of the value that starts there.
    #[cold]
    #[inline(never)]
    fn locate(&self, error: Error, start: &[u8]) -> Error {
        let offset = self.input.len().saturating_sub(start.len());
        error.at(offset, self.layout.kind(header_of(start) as u8))
    }

    #[cold]
    #[inline(never)]
    fn wire(&self, failure: nom::Err<crate::grammar::Fault<'de>>) -> Error {
        match failure {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => {
                Error::wire(fault.in_input(self.input))
            }
            // All of the input is there.
            nom::Err::Incomplete(_) => Error::message("the input ends too early"),
        }
    }

    /// The next value's kind.
    #[inline]
    fn peek(&self) -> Kind {
        self.layout.entry(header_of(self.rest)).kind
    }

    /// Reads the next value up to the first value in it.
    #[inline]
    fn read(&mut self) -> Result<Read<'de>> {
        let start = self.rest;
        let found = item::<true, Reporting>(self.layout, start);
        let Item { rest, header, text, bytes, inner } = match found {
            Ok(found) => found,
            Err(failure) => return Err(self.wire(failure)),
        };
        self.rest = rest;
        Ok(match inner {
            None => Read::Leaf(VariantRef::with_header(self.layout, text, header, bytes)),
            Some(inner) => {
                Read::Container(VariantRef::with_header(self.layout, text, header, start), inner)
            }
        })
    }

    /// Reads over the next value, however deep it is.
    fn skip(&mut self) -> Result<VariantRef<'de>> {
        let left = self.max_depth.saturating_sub(self.depth);
        let dialect = self.layout.dialect().with_max_depth(left);
        match crate::parse_prefix(dialect, self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                Ok(value)
            }
            Err(mut error) => {
                if let Problem::TooDeep { limit } = &mut error.problem {
                    *limit = self.max_depth;
                }
                Err(Error::wire(error.shifted(self.offset())))
            }
        }
    }

    /// Opens a container.
    #[inline]
    fn enter(&mut self, inner: Level) -> Result<()> {
        if self.depth >= self.max_depth && !inner.is_empty() {
            let problem = Problem::TooDeep { limit: self.max_depth };
            let reading = Reading::Body(inner.kind());
            return Err(Error::wire(crate::Error::new(self.offset(), reading, problem)));
        }
        self.depth = self.depth.saturating_add(1);
        Ok(())
    }

    /// Closes it: everything in it must have been read.
    #[inline]
    fn leave(&mut self, inner: Level, left: u32) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if left == 0 { Ok(()) } else { Err(too_many(inner.kind(), left)) }
    }

    #[inline]
    fn array<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        self.enter(inner)?;
        let mut values = Values::new(self, inner.remaining());
        let value = visitor.visit_seq(&mut values)?;
        let left = values.left();
        self.leave(inner, left)?;
        Ok(value)
    }

    #[inline(always)]
    fn dictionary<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        self.enter(inner)?;
        let mut entries = Entries::new(self, inner.remaining() / 2);
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left();
        self.leave(inner, left)?;
        Ok(value)
    }

    #[inline(never)]
    fn object<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        self.enter(inner)?;
        let mut properties = Properties::new(self, inner);
        let value = visitor.visit_map(&mut properties)?;
        let left = properties.left();
        self.leave(inner, left)?;
        Ok(value)
    }

    fn container<V: Visitor<'de>>(&mut self, inner: Level, visitor: V) -> Result<V::Value> {
        match inner.shape() {
            Shape::Dictionary => self.dictionary(inner, visitor),
            Shape::Object => self.object(inner, visitor),
            _ => self.array(inner, visitor),
        }
    }

    /// Reads a bool, a number or a text.
    #[inline(always)]
    fn scalar<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let Some((scalar, rest)) = quick::scalar(self.layout, self.rest) else {
            return self.other_scalar(visitor);
        };
        self.rest = rest;
        match scalar {
            Scalar::Bool(is_true) => visitor.visit_bool(is_true),
            Scalar::Int(number) => visitor.visit_i64(number.into()),
            Scalar::Float(number) => visitor.visit_f64(number.into()),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_scalar<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let value = match self.read()? {
            Read::Leaf(value) => value,
            Read::Container(value, _) => return Err(mismatch(value, &visitor)),
        };
        match value.kind() {
            Kind::Int | Kind::Float | Kind::Bool => scalar(value, visitor),
            _ => uncommon_scalar(value, visitor),
        }
    }

    /// Reads a text.
    #[inline(always)]
    fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match quick::string(self.layout, self.rest) {
            Some((text, rest)) => {
                self.rest = rest;
                visitor.visit_borrowed_str(text)
            }
            None => self.other_text(visitor),
        }
    }

    #[cold]
    #[inline(never)]
    fn other_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => uncommon_scalar(value, visitor),
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    /// Reads a sequence: an array, or the numbers of a math value or packed array.
    #[inline]
    fn sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Container(_, inner) if inner.shape() == Shape::Array => {
                self.array(inner, visitor)
            }
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
            Read::Leaf(value) => cells::visit(value, visitor),
        }
    }

    /// Reads a math value of that kind, from which an array of numbers is not told apart.
    #[inline]
    fn math<V: Visitor<'de>>(&mut self, kind: Kind, visitor: V) -> Result<V::Value> {
        match quick::numbers(self.layout, kind, self.rest) {
            Some((numbers, false, rest)) => {
                self.rest = rest;
                cells::visit_narrow(kind, numbers, visitor)
            }
            _ => self.other_math(kind, visitor),
        }
    }

    #[cold]
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
            Read::Leaf(value) | Read::Container(value, _) => Err(mismatch(value, &Named(kind))),
        }
    }

    /// Reads what can be taken for the fields of a struct.
    #[cold]
    #[inline(never)]
    fn other_map<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Container(_, inner) => self.container(inner, visitor),
            Read::Leaf(value) => match value.view() {
                View::Signal(signal) => names::visit_signal(signal, visitor),
                _ => match Numbers::of(value) {
                    Some(numbers) => numbers.visit(visitor),
                    None => Err(mismatch(value, &visitor)),
                },
            },
        }
    }
}

struct Named(Kind);

impl Expected for Named {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.0.name())
    }
}

#[cold]
fn too_many(kind: Kind, left: u32) -> Error {
    Error::message(format_args!("the {kind} has {left} more than expected"))
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

/// What can be taken for a number or a text.
#[inline(never)]
fn uncommon_scalar<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    match value.view() {
        View::String(text) | View::StringName(text) => visitor.visit_borrowed_str(text),
        View::NodePath(path) => names::visit_path(path, visitor),
        View::Rid(id) | View::Object(ObjectRef::Id(id)) => visitor.visit_u64(id),
        View::Nil | View::Callable | View::Object(_) => visitor.visit_unit(),
        View::PackedByteArray(bytes) => visitor.visit_borrowed_bytes(bytes),
        _ => scalar(value, visitor),
    }
}

/// Any value without values in it.
fn leaf<'de, V: Visitor<'de>>(value: VariantRef<'de>, visitor: V) -> Result<V::Value> {
    match value.view() {
        View::Signal(signal) => names::visit_signal(signal, visitor),
        View::PackedStringArray(strings) => names::visit_strings(strings, visitor),
        View::PackedByteArray(bytes) => visitor.visit_borrowed_bytes(bytes),
        _ if value.cells().is_some() => cells::visit(value, visitor),
        _ => uncommon_scalar(value, visitor),
    }
}

macro_rules! forward {
    ($($method:ident)* => $to:ident) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.$to(visitor)
        }
    )*};
}

impl<'de> serde::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => leaf(value, visitor),
            Read::Container(_, inner) => self.container(inner, visitor),
        }
    }

    forward! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
        => scalar
    }

    forward! {
        deserialize_char deserialize_str deserialize_string deserialize_identifier => text
    }

    forward_to_deserialize_any! { unit }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => uncommon_scalar(value, visitor),
            Read::Container(_, inner) if inner.shape() == Shape::Array => {
                self.array(inner, visitor)
            }
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if !matches!(self.peek(), Kind::Nil | Kind::Object) {
            return visitor.visit_some(self);
        }
        let mut ahead = self.clone();
        match ahead.read()? {
            Read::Leaf(value) if value.is_nil() => {
                *self = ahead;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == token::VALUE {
            let value = self.skip()?;
            return visitor.visit_seq(raw::Parts::of(value));
        }
        if let Some(kind) = token::math_kind(name) {
            return self.math(kind, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.sequence(visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.sequence(visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.sequence(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some((entries, rest)) = quick::dictionary(self.layout, self.rest) {
            self.rest = rest;
            let inner = Level::pairs(Kind::Dictionary, Shape::Dictionary, entries);
            return self.dictionary(inner, visitor);
        }
        self.other_map(visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if matches!(self.peek(), Kind::String | Kind::StringName) {
            return visitor.visit_enum(EnumName(self));
        }
        match self.read()? {
            Read::Container(value, inner) if inner.shape() == Shape::Dictionary => {
                // A key and its value.
                if inner.remaining() != 2 {
                    let entries = inner.remaining() / 2;
                    return Err(Error::message(format_args!(
                        "expected the name of a variant or a dictionary of one entry, found a {} of {entries}",
                        value.kind()
                    )));
                }
                self.enter(inner)?;
                let value = visitor.visit_enum(EnumEntry(&mut *self))?;
                self.leave(inner, 0)?;
                Ok(value)
            }
            Read::Leaf(value) | Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }
}

impl core::fmt::Debug for Deserializer<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Deserializer")
            .field("dialect", &self.layout.dialect())
            .field("offset", &self.offset())
            .field("left", &self.rest.len())
            .finish_non_exhaustive()
    }
}
