//! scaffold
#![cfg_attr(not(feature = "std"), no_std)]
#[cfg(feature = "alloc")]
extern crate alloc;

mod dialect;
pub mod encode;
mod error;
pub mod grammar;
mod kind;
pub mod math;
mod number;
#[cfg(feature = "alloc")]
pub mod owned;
pub mod view;
pub mod walk;

pub use dialect::{Dialect, MAX_DEPTH};
#[cfg(feature = "alloc")]
pub use encode::encode;
#[cfg(feature = "std")]
pub use encode::encode_to_writer;
pub use encode::{EncodeError, encode_into, encode_to_slice, encoded_len};
pub use error::{Error, Problem, Reading};
pub use kind::Kind;
pub use number::{Component, F32Le, F64Le, I32Le, Real};
#[cfg(feature = "alloc")]
pub use owned::{Dictionary, NodePath, Object, Variant};
pub use view::{VariantRef, View};

use nom::Parser;

/// Reads one value from the front of a buffer: the rest and the value.
pub fn parse_prefix(dialect: Dialect, bytes: &[u8]) -> Result<(&[u8], VariantRef<'_>), Error> {
    match grammar::value(dialect).parse_complete(bytes) {
        Ok(read) => Ok(read),
        Err(nom::Err::Error(error) | nom::Err::Failure(error)) => Err(error),
        Err(nom::Err::Incomplete(_)) => Err(Error::new(
            bytes.len(),
            Reading::Header,
            Problem::UnexpectedEnd { needed: 1, available: 0 },
        )),
    }
}

/// whole
pub fn parse(dialect: Dialect, bytes: &[u8]) -> Result<VariantRef<'_>, Error> {
    let (rest, value) = parse_prefix(dialect, bytes)?;
    if rest.is_empty() {
        return Ok(value);
    }
    Err(Error::new(
        bytes.len() - rest.len(),
        Reading::End,
        Problem::TrailingBytes { count: rest.len() },
    ))
}

/// What the macros of this crate need in the crates that use them.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec;
}
