//! How this crate's own types are written as what they are, and nothing is lost.
//!
//! serde has no kinds for a Vector3 or a node path. Such a type is written as a newtype of a
//! reserved name. To other formats a newtype is what is in it. This crate's serializer knows the
//! name, and then wants the bytes of the value, which the type can only give if it knows that it
//! is asked for them, and in which dialect. Both it learns from `is_human_readable`: of other
//! formats that has one answer, and here the answers, one after the other, are the bits of a
//! [`Greeting`].

use super::dialects;
use crate::dialect::Dialect;
use crate::encode::{Builder, EncodeError, Sink};
use crate::typed::token;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

/// Two bits that differ, the number of a dialect, and how deep its value may be nested.
#[derive(Clone, Copy)]
pub(super) struct Greeting(u32);

/// The bits of a depth: up to 1024.
const DEPTH: u32 = 11;

impl Greeting {
    #[inline]
    pub(super) fn of(dialect: Dialect, depth: u16) -> Greeting {
        let depth = u32::from(depth);
        Greeting(1 | dialects::number(dialect) << 2 | depth << (2 + dialects::BITS))
    }

    /// The next bit and those after it.
    #[inline]
    pub(super) const fn next(self) -> (bool, Greeting) {
        (self.0 & 1 != 0, Greeting(self.0 >> 1))
    }

    /// The dialect and the depth, if it is this crate's serializer that is asked.
    #[inline]
    fn heard<S: Serializer>(serializer: &S) -> Option<(Dialect, u16)> {
        let first = serializer.is_human_readable();
        if serializer.is_human_readable() == first {
            return None;
        }
        let bits = |count: u32| {
            (0..count)
                .fold(0, |bits, place| bits | u32::from(serializer.is_human_readable()) << place)
        };
        let dialect = dialects::of_number(bits(dialects::BITS))?;
        Some((dialect, bits(DEPTH) as u16))
    }
}

/// A type that this crate's serializer writes as an engine's value of its own.
pub(super) trait Direct {
    /// Writes the engine's value.
    fn encode<S: Sink>(&self, builder: &mut Builder<S>) -> Result<(), EncodeError>;

    /// Writes what comes closest in another format.
    fn plain<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// Writes a value in whichever format.
///
/// One for readers is not this crate's, and need not see the newtype, which some spell out.
#[inline]
pub(super) fn serialize<T: Direct + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        return value.plain(serializer);
    }
    serializer.serialize_newtype_struct(token::VALUE, &Content(value))
}

struct Content<'a, T: ?Sized>(&'a T);

impl<T: Direct + ?Sized> Serialize for Content<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((dialect, depth)) = Greeting::heard(&serializer) else {
            return self.0.plain(serializer);
        };
        let mut pieces = Pieces { sequence: serializer.serialize_seq(None)?, result: Ok(()) };
        let mut builder = Builder::with_depth(dialect, &mut pieces, depth);
        let result = self.0.encode(&mut builder).and_then(|()| builder.finish().map(drop));
        result.map_err(S::Error::custom)?;
        pieces.result?;
        pieces.sequence.end()
    }
}

/// Hands encoded bytes on, and keeps the first error of that.
struct Pieces<Q: SerializeSeq> {
    sequence: Q,
    result: Result<(), Q::Error>,
}

impl<Q: SerializeSeq> Sink for Pieces<Q> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        if self.result.is_ok() {
            self.result = self.sequence.serialize_element(&Piece(bytes));
        }
    }
}

struct Piece<'a>(&'a [u8]);

impl Serialize for Piece<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
