//! Writes this crate's own types as values of their own kinds, even if an adapter is between a type
//! and the serializer.
//!
//! serde has no kinds for a Vector3 or a node path. Such a type is written as a newtype with a
//! reserved name. Other formats ignore the name and write the content. This crate's serializer
//! recognizes the name. While it writes the content, its `is_human_readable` returns true, as no
//! other format does for the content only. By this, the type recognizes the serializer and writes
//! its content in one of two ways:
//!
//! - [`part`] and [`numbers`]: a variant around its content. The index of the variant gives the
//!   kind of the value;
//! - [`encoded`]: the bytes of the value in every dialect, one after the other. The serializer
//!   takes those of its own dialect and skips the others, which are then never computed.
//!
//! An adapter between the type and the serializer only has to forward its calls.

use super::token;
use crate::value::number::cast;
use crate::value::{Dialect, F32Le, F64Le, I32Le, I64Le, Kind};
use crate::write::encode::{Builder, Encode, EncodeError, Sink, encode_into};
use bytemuck::NoUninit;
use serde::ser::{Error as _, SerializeTupleStruct};
use serde::{Serialize, Serializer};

/// A type that has its own kind in this format, but not in serde.
pub(super) trait Direct {
    /// Answers this crate's serializer, with one of the functions below.
    fn answer<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;

    /// Writes the nearest equivalent in another format.
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Writes a value in any format.
///
/// A human-readable format is never the one of this crate. It gets no newtype, because some such
/// formats would show the newtype.
#[inline]
pub(super) fn serialize<T: Direct + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return value.plain(serializer);
    }
    serializer.serialize_newtype_struct(token::VALUE, &WireContent(value))
}

struct WireContent<'a, T: ?Sized>(&'a T);

impl<T: Direct + ?Sized> Serialize for WireContent<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() {
            true => self.0.answer(serializer),
            false => self.0.plain(serializer),
        }
    }
}

/// Answers with a text or an id of a kind that serde does not have.
#[inline]
pub(super) fn part<T: Serialize + ?Sized, S: Serializer>(
    kind: Kind,
    content: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_variant(token::PART, kind as u32 * TYPES, "", content)
}

/// Answers with the numbers of a math value or packed array.
#[inline]
pub(super) fn numbers<T: NumberType, S: Serializer>(
    kind: Kind,
    numbers: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if cfg!(target_endian = "big") {
        return encoded(&DirectNumbers { kind, numbers }, serializer);
    }
    let index = kind as u32 * TYPES + T::INDEX;
    let bytes = PieceBytes(bytemuck::cast_slice(numbers));
    serializer.serialize_newtype_variant(token::PART, index, "", &bytes)
}

/// The kind in the index of a part.
#[inline]
pub(super) fn kind_of(index: u32) -> Kind {
    Kind::ALL.get((index / TYPES) as usize).copied().unwrap_or(Kind::Nil)
}

/// Writes the numbers of a part.
#[inline]
pub(super) fn put_numbers<S: Sink>(
    builder: &mut Builder<S>,
    index: u32,
    bytes: &[u8],
) -> Result<(), EncodeError> {
    let kind = kind_of(index);
    match index % TYPES {
        u8::INDEX => builder.byte_array(bytes),
        i32::INDEX => builder.integers(kind, cast::<I32Le>(bytes)),
        i64::INDEX => builder.int64_array(cast::<I64Le>(bytes)),
        f32::INDEX => builder.reals(kind, cast::<F32Le>(bytes)),
        _ => builder.reals(kind, cast::<F64Le>(bytes)),
    }
}

/// The number of types of numbers.
const TYPES: u32 = 5;

/// A type of numbers.
pub(super) trait NumberType: NoUninit {
    const INDEX: u32;

    fn put<S: Sink>(
        builder: &mut Builder<S>,
        kind: Kind,
        numbers: &[Self],
    ) -> Result<(), EncodeError>;
}

macro_rules! number {
    ($($index:literal $type:ident => |$builder:ident, $kind:pat_param, $numbers:ident| $put:expr;)*) => {$(
        impl NumberType for $type {
            const INDEX: u32 = $index;

            #[inline]
            fn put<S: Sink>(
                $builder: &mut Builder<S>,
                $kind: Kind,
                $numbers: &[$type],
            ) -> Result<(), EncodeError> {
                $put
            }
        }
    )*};
}

number! {
    0 u8 => |builder, _, bytes| builder.byte_array(bytes);
    1 i32 => |builder, kind, numbers| builder.integers(kind, numbers);
    2 i64 => |builder, _, numbers| builder.int64_array(numbers);
    3 f32 => |builder, kind, numbers| builder.reals(kind, numbers);
    4 f64 => |builder, kind, numbers| builder.reals(kind, numbers);
}

/// A math value or packed array, to be encoded.
struct DirectNumbers<'a, T> {
    kind: Kind,
    numbers: &'a [T],
}

impl<T: NumberType> Encode for DirectNumbers<'_, T> {
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError> {
        T::put(builder, self.kind, self.numbers)
    }
}

/// Answers with the bytes of the value in every dialect.
#[inline]
pub(super) fn encoded<T: Encode + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut offers = serializer.serialize_tuple_struct(token::OFFERS, token::DIALECTS.len())?;
    for dialect in token::DIALECTS {
        offers.serialize_field(&Offer { value, dialect })?;
    }
    offers.end()
}

/// Serializes as the bytes of a value in one dialect.
struct Offer<'a, T: ?Sized> {
    value: &'a T,
    dialect: Dialect,
}

impl<T: Encode + ?Sized> Serialize for Offer<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pieces = serializer.serialize_tuple_struct(token::PIECES, 0)?;
        let mut pieces = TupleSink { pieces, result: Ok(()), waiting: [0; ROOM], len: 0 };
        encode_into(self.dialect, self.value, &mut pieces).map_err(S::Error::custom)?;
        pieces.pass_on(&[]);
        pieces.result?;
        pieces.pieces.end()
    }
}

/// Passes encoded bytes on, many at a time, and keeps the first error.
struct TupleSink<P: SerializeTupleStruct> {
    pieces: P,
    result: Result<(), P::Error>,
    waiting: [u8; ROOM],
    len: usize,
}

/// How many bytes are collected before they are passed on.
const ROOM: usize = 128;

impl<P: SerializeTupleStruct> TupleSink<P> {
    fn pass_on(&mut self, bytes: &[u8]) {
        let waiting = self.waiting.get(..self.len).unwrap_or(&[]);
        self.len = 0;
        for piece in [waiting, bytes] {
            if self.result.is_ok() && !piece.is_empty() {
                self.result = self.pieces.serialize_field(&PieceBytes(piece));
            }
        }
    }
}

impl<P: SerializeTupleStruct> Sink for TupleSink<P> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        match self.waiting.get_mut(self.len..end) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.len = end;
            }
            None => self.pass_on(bytes),
        }
    }
}

/// Serializes as bytes.
struct PieceBytes<'a>(&'a [u8]);

impl Serialize for PieceBytes<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
