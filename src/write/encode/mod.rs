//! Writing values: the same bytes that an engine writes for the same value.
//!
//! [`encode`] and similar functions write values that are in memory: Rust types, views and owned
//! values. A [`Builder`] writes a value piece by piece, without having it in memory. [`patch()`]
//! changes one value in a packet and copies the rest.
//!
//! ```
//! use gdwire::{Dialect, encode};
//!
//! let packet = encode(Dialect::GODOT_3, &"hi")?;
//! assert_eq!(packet, [4, 0, 0, 0, 2, 0, 0, 0, b'h', b'i', 0, 0]);
//!
//! let mut datagram = [0; 16];
//! let length = gdwire::encode_to_slice(Dialect::GODOT_3, &42, &mut datagram)?;
//! assert_eq!(datagram[..length], [2, 0, 0, 0, 42, 0, 0, 0]);
//! # Ok::<(), gdwire::EncodeError>(())
//! ```

mod builder;
mod error;
mod packed;
mod patch;
#[cfg(feature = "alloc")]
pub(crate) mod path;
mod sink;
mod value;

pub use builder::Builder;
#[cfg(feature = "serde")]
pub(crate) use builder::{OpenCount, Patch};
#[cfg(feature = "alloc")]
pub(crate) use builder::{Width, changed_by_rounding};
pub use error::{EncodeError, EncodeProblem};
#[cfg(feature = "alloc")]
pub(crate) use packed::Owned;
#[cfg(any(feature = "glam", feature = "serde"))]
pub(crate) use packed::PackedContent;
#[cfg(any(feature = "alloc", feature = "glam"))]
pub(crate) use packed::sealed::Sealed as PackedElement;
pub use packed::{Element, Elements, Packed};
pub use patch::{PatchError, patch, patch_into};
#[cfg(feature = "std")]
pub use sink::WriteSink;
pub use sink::{CountSink, Sink, SliceSink};
pub use value::Encode;

use crate::value::Dialect;
#[cfg(feature = "alloc")]
use crate::value::MAX_DEPTH;
#[cfg(feature = "alloc")]
use path::located;

/// Returns the bytes of a value.
///
/// # Errors
///
/// An [`EncodeError`] if the dialect cannot express the value. It holds the path to the part that
/// cannot be expressed.
#[cfg(feature = "alloc")]
pub fn encode<T: Encode + ?Sized>(
    dialect: Dialect,
    value: &T,
) -> Result<alloc::vec::Vec<u8>, EncodeError> {
    let mut bytes = alloc::vec::Vec::new();
    encode_into(dialect, value, &mut bytes)?;
    Ok(bytes)
}

/// Writes the bytes of a value to a sink, for example to the end of a `Vec<u8>`.
///
/// ```
/// use gdwire::{Dialect, encode_into};
///
/// let mut packet = b"chat".to_vec();
/// encode_into(Dialect::GODOT_3, "hi", &mut packet)?;
/// assert_eq!(packet, *b"chat\x04\0\0\0\x02\0\0\0hi\0\0");
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
///
/// # Errors
///
/// Those of [`encode`]. The sink may then contain a part of the value.
pub fn encode_into<T: Encode + ?Sized, S: Sink>(
    dialect: Dialect,
    value: &T,
    sink: S,
) -> Result<S, EncodeError> {
    let sink = encode_part(dialect, value, sink)?;
    sink.check()?;
    Ok(sink)
}

/// Writes the bytes of a value, even if the sink has no room for them.
pub(crate) fn encode_part<T: Encode + ?Sized, S: Sink>(
    dialect: Dialect,
    value: &T,
    sink: S,
) -> Result<S, EncodeError> {
    let mut builder = Builder::new(dialect, sink);
    #[cfg(feature = "alloc")]
    value.encode(&mut builder).map_err(|error| located(error, dialect, MAX_DEPTH, value))?;
    #[cfg(not(feature = "alloc"))]
    value.encode(&mut builder)?;
    builder.finish_part()
}

/// Writes the bytes of a value to the start of a slice, and returns their number. Nothing is
/// allocated unless there is an error.
///
/// ```
/// use gdwire::{Dialect, EncodeError, encode::EncodeProblem, encode_to_slice};
///
/// let mut datagram = [0; 12];
/// assert_eq!(encode_to_slice(Dialect::GODOT_3, &true, &mut datagram)?, 8);
/// let error = encode_to_slice(Dialect::GODOT_3, "chatter", &mut datagram).unwrap_err();
/// assert_eq!(error.problem(), EncodeProblem::BufferTooSmall { needed: 16, available: 12 });
/// # Ok::<(), EncodeError>(())
/// ```
///
/// # Errors
///
/// Those of [`encode`], and [`BufferTooSmall`](EncodeProblem::BufferTooSmall) with the
/// number of bytes that are needed.
pub fn encode_to_slice<T: Encode + ?Sized>(
    dialect: Dialect,
    value: &T,
    slice: &mut [u8],
) -> Result<usize, EncodeError> {
    Ok(encode_into(dialect, value, SliceSink::new(slice))?.needed())
}

/// Returns the number of bytes that a value takes.
///
/// ```
/// assert_eq!(gdwire::encoded_len(gdwire::Dialect::GODOT_3, "hi")?, 12);
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
///
/// # Errors
///
/// Those of [`encode`].
pub fn encoded_len<T: Encode + ?Sized>(dialect: Dialect, value: &T) -> Result<usize, EncodeError> {
    Ok(encode_into(dialect, value, CountSink::default())?.count())
}

/// Writes a value to a stream, and returns the stream. To write a value with its length before
/// it, use [`write_frame`](crate::stream::write_frame).
///
/// ```
/// use gdwire::{Dialect, encode_to_writer};
///
/// let file = encode_to_writer(Dialect::GODOT_3, "hi", Vec::new())?;
/// assert_eq!(file.len(), 12);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the stream. Errors of [`encode`] have the kind `InvalidInput`.
#[cfg(feature = "std")]
pub fn encode_to_writer<T: Encode + ?Sized, W: std::io::Write>(
    dialect: Dialect,
    value: &T,
    writer: W,
) -> std::io::Result<W> {
    match encode_into(dialect, value, WriteSink::new(writer)) {
        Ok(sink) => sink.finish(),
        Err(error) => Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, error)),
    }
}
