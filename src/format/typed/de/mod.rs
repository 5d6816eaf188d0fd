//! Reads types from bytes, without a tree in between.
//!
//! Input: the bytes of one or more values, and a type's `Deserialize`. Output: the type, or an
//! error with its path and offset.

#![expect(unsafe_code, reason = "it makes views of what it has checked")]

mod cells;
mod compound;
mod names;
mod scalar;

pub(crate) use scalar::{One, transparent, visit_numbers};

use super::error::{Error, Result, mismatch};
use super::token;
use crate::value::view::header_of;
use crate::value::walk::{WalkItem, item};
use crate::value::wire::nesting::{Level, LevelShape};
use crate::value::wire::quick;
use crate::value::{DialectLayout, Kind, Problem, ReadOptions, Reading, VariantRef};
use compound::in_value;
use nom::{Complete, Emit, OutputM};
use scalar::{leaf, uncommon_scalar};
use serde::Deserializer as _;
use serde::de::value::{BorrowedBytesDeserializer, BorrowedStrDeserializer, U32Deserializer};
use serde::de::{Deserialize, DeserializeSeed, EnumAccess, SeqAccess, VariantAccess, Visitor};

/// Reads types from bytes that hold one value after the other.
///
/// [`from_slice`](crate::from_slice) uses it. Use it directly to pass it to code that takes a
/// [`serde::Deserializer`], or to read more than one value:
///
/// ```
/// use gdwire::{Dialect, typed::Deserializer};
/// use serde::Deserialize;
///
/// let bytes = [2, 0, 0, 0, 42, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0];
/// let mut deserializer = Deserializer::from_slice(Dialect::GODOT_3, &bytes);
/// let number = i32::deserialize(&mut deserializer)?;
/// let text = <&str>::deserialize(&mut deserializer)?;
/// assert_eq!((number, text), (42, "hi"));
/// deserializer.end()?;
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
#[derive(Clone)]
pub struct Deserializer<'de> {
    input: &'de [u8],
    rest: &'de [u8],
    layout: &'static DialectLayout,
    /// How many containers are open, and how many may be open.
    depth: u16,
    max_depth: u16,
    /// Whether the keys of the open dictionary are names of fields.
    of_struct: bool,
}

/// A value that contains no other values, or the start of a container.
enum Read<'de> {
    Leaf(VariantRef<'de>),
    Container(VariantRef<'de>, Level),
}

type Reporting = OutputM<Emit, Emit, Complete>;

impl<'de> Deserializer<'de> {
    /// Creates a deserializer that reads values from the front of `bytes`. `options` is a dialect,
    /// or [`ReadOptions`].
    #[inline]
    #[must_use]
    pub fn from_slice(options: impl Into<ReadOptions>, bytes: &'de [u8]) -> Deserializer<'de> {
        let options = options.into();
        Deserializer {
            input: bytes,
            rest: bytes,
            layout: options.dialect().layout(),
            depth: 0,
            max_depth: options.depth_limit(),
            of_struct: false,
        }
    }

    /// The bytes that have not been read yet.
    #[must_use]
    pub const fn rest(&self) -> &'de [u8] {
        self.rest
    }

    /// How many bytes have been read.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.input.len().saturating_sub(self.rest.len())
    }

    /// Checks that all bytes have been read.
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

    /// Reads the first value, and adds its place to errors.
    #[inline]
    pub(crate) fn value<T: Deserialize<'de>>(&mut self) -> Result<T> {
        // The result is changed in place, here and elsewhere. Otherwise, a large type would be
        // moved again.
        let mut result = T::deserialize(&mut *self);
        if let Err(error) = result {
            result = Err(self.locate(error, self.input));
        }
        result
    }

    /// Adds the place of the value that starts at `start` to an error.
    #[cold]
    #[inline(never)]
    pub(crate) fn locate(&self, error: Error, start: &[u8]) -> Error {
        let offset = self.input.len().saturating_sub(start.len());
        error.at(offset, self.layout.kind(header_of(start) as u8))
    }

    #[cold]
    #[inline(never)]
    fn wire(&self, failure: nom::Err<crate::value::wire::Fault<'de>>) -> Error {
        match failure {
            nom::Err::Error(fault) | nom::Err::Failure(fault) => {
                Error::wire(fault.in_input(self.input))
            }
            // This is not reachable: the input is complete.
            nom::Err::Incomplete(_) => Error::message("the input ends too early"),
        }
    }

    /// The kind of the next value.
    #[inline]
    fn peek(&self) -> Kind {
        self.layout.entry(header_of(self.rest)).kind
    }

    /// Reads the next value. If that is a container, it reads only the start.
    #[inline]
    fn read(&mut self) -> Result<Read<'de>> {
        let start = self.rest;
        let found = item::<true, Reporting>(self.layout, start);
        let WalkItem { rest, header, text, bytes, inner } = match found {
            Ok(found) => found,
            Err(failure) => return Err(self.wire(failure)),
        };
        self.rest = rest;
        Ok(match inner {
            // SAFETY: `item` has read these bytes with `VALIDATE`, and found `text`.
            None => {
                Read::Leaf(unsafe { VariantRef::with_header(self.layout, text, header, bytes) })
            }
            Some(inner) => {
                // SAFETY: the same. Only the part of a container before its first value is read.
                let start = unsafe { VariantRef::with_header(self.layout, text, header, start) };
                Read::Container(start, inner)
            }
        })
    }

    /// Skips the next value, without recursion.
    fn skip(&mut self) -> Result<VariantRef<'de>> {
        let left = self.max_depth.saturating_sub(self.depth);
        let options = ReadOptions::new(self.layout.dialect()).with_max_depth(left);
        match crate::parse_prefix(options, self.rest) {
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

    #[cold]
    #[inline(never)]
    fn too_deep(self, inner: Level) -> Error {
        let problem = Problem::TooDeep { limit: self.max_depth };
        let reading = Reading::Body(inner.kind());
        Error::wire(crate::Error::new(self.offset(), reading, problem))
    }

    /// Calls `read` with a copy of the deserializer.
    ///
    /// A variable whose address goes to a function that is not inlined stays in memory. Each value
    /// would then wait until the position after the previous one was stored and loaded again.
    #[inline(always)]
    fn apart<T>(&mut self, read: impl FnOnce(&mut Deserializer<'de>) -> T) -> T {
        let mut copy = self.clone();
        let result = read(&mut copy);
        self.rest = copy.rest;
        result
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

/// Defines methods that ignore all arguments but the visitor.
macro_rules! forward {
    ($($method:ident$(($($ignored:ty),*))?)* => $to:ident) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, $($(_: $ignored,)*)? visitor: V) -> Result<V::Value> {
            self.$to(visitor)
        }
    )*};
}

impl<'de> serde::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => leaf(value, visitor),
            Read::Container(_, inner) => self.container(inner, visitor),
        }
    }

    forward! { deserialize_bool => bool }

    forward! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        => int
    }

    forward! { deserialize_f32 => single }

    forward! { deserialize_f64 => double }

    forward! { deserialize_char deserialize_str deserialize_string => text }

    forward! { deserialize_identifier => name }

    forward! { deserialize_unit deserialize_unit_struct(&'static str) => deserialize_any }

    forward! {
        deserialize_seq deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize)
        => sequence
    }

    forward! { deserialize_byte_buf => deserialize_bytes }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.read()? {
            Read::Leaf(value) => uncommon_scalar(value, visitor),
            Read::Container(_, inner) if inner.shape() == LevelShape::Array => {
                self.array(inner, visitor)
            }
            Read::Container(value, _) => Err(mismatch(value, &visitor)),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(rest) = quick::nil(self.rest) {
            self.rest = rest;
            return visitor.visit_none();
        }
        if self.peek() == Kind::Object && self.apart(Deserializer::is_null_object)? {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if name == token::VALUE {
            let value = self.apart(Deserializer::skip)?;
            return visitor.visit_seq(WholeValue::of(value));
        }
        if let Some(kind) = token::math_kind(name) {
            return self.math(kind, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.map(false, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.map(true, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if matches!(self.peek(), Kind::String | Kind::StringName) {
            let name = self.skip()?.as_str().unwrap_or_default();
            return visitor.visit_enum(BorrowedStrDeserializer::new(name));
        }
        match self.read()? {
            Read::Container(value, inner) if inner.shape() == LevelShape::Dictionary => {
                // Two items: one key and one value.
                if inner.remaining() != 2 {
                    let entries = inner.remaining() / 2;
                    return Err(Error::wrong_length(format_args!(
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
        self.apart(Deserializer::skip)?;
        visitor.visit_unit()
    }
}

/// A variant that is a dictionary with one entry.
struct EnumEntry<'r, 'de>(&'r mut Deserializer<'de>);

/// The content of a variant.
struct EnumContent<'r, 'de> {
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

/// The number of a value's dialect, and the value's bytes.
struct WholeValue<'de> {
    dialect: Option<u32>,
    bytes: Option<&'de [u8]>,
}

impl<'de> WholeValue<'de> {
    fn of(value: VariantRef<'de>) -> WholeValue<'de> {
        WholeValue {
            dialect: Some(token::dialect_number(value.dialect())),
            bytes: Some(value.as_bytes()),
        }
    }
}

impl<'de> SeqAccess<'de> for WholeValue<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if let Some(number) = self.dialect.take() {
            return seed.deserialize(U32Deserializer::new(number)).map(Some);
        }
        match self.bytes.take() {
            Some(bytes) => seed.deserialize(BorrowedBytesDeserializer::new(bytes)).map(Some),
            None => Ok(None),
        }
    }
}
