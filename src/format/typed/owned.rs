//! The functions that need an allocator: they read and create owned values, and write vectors
//! and streams.

use super::error::{Error, Result};
use super::read::from_slice;
use super::write::write;
use crate::value::Dialect;
use crate::write::encode::encode;
use crate::write::owned::Variant;
use alloc::vec::Vec;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a type from an owned value.
///
/// ```
/// let scores: Vec<u32> = gdwire::from_variant(&gdwire::variant!([3, 1, 2]))?;
/// assert_eq!(scores, [3, 1, 2]);
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// The result is the same as if it had been read from the bytes of the value, so a byte order mark
/// at the start of a string is dropped.
///
/// # Errors
///
/// The value does not fit the type, or has a string with a NUL.
pub fn from_variant<T: DeserializeOwned>(value: &Variant) -> Result<T> {
    let bytes = encode(Dialect::IN_MEMORY, value)?;
    from_slice(Dialect::IN_MEMORY, &bytes).map_err(Error::without_offset)
}

/// Creates an owned value from a type.
///
/// ```
/// let value = gdwire::to_variant(&("arrow", 20))?;
/// assert_eq!(value, gdwire::variant!(["arrow", 20]));
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// The result is the same as if it had been read from the bytes that [`to_vec`] writes, so a byte
/// order mark at the start of a string is dropped.
///
/// # Errors
///
/// An integer needs more than 64 bits, a string has a NUL, or the type's `Serialize` fails.
pub fn to_variant<T: Serialize + ?Sized>(value: &T) -> Result<Variant> {
    let bytes = to_vec(Dialect::IN_MEMORY, value)?;
    let value = crate::parse(Dialect::IN_MEMORY, &bytes).map_err(Error::wire)?;
    Ok(value.into())
}

/// Writes a type to a new vector.
///
/// # Errors
///
/// The dialect cannot express the value, or the type's `Serialize` fails: see [`Error`].
#[inline]
pub fn to_vec<T: Serialize + ?Sized>(dialect: Dialect, value: &T) -> Result<Vec<u8>> {
    // Room for a small message, so that its first bytes do not make the vector grow.
    write(dialect, value, Vec::with_capacity(128))
}

/// Writes a type to a stream, with one call of `write_all`.
///
/// # Errors
///
/// The stream fails. Also those of [`to_vec`].
#[cfg(feature = "std")]
pub fn to_writer<T: Serialize + ?Sized, W: std::io::Write>(
    dialect: Dialect,
    value: &T,
    mut writer: W,
) -> Result<()> {
    Ok(writer.write_all(&to_vec(dialect, value)?)?)
}
