//! The functions that write a type to a slice or a sink.

use super::error::Result;
use super::ser::Serializer;
use crate::value::Dialect;
use crate::write::encode::{Builder, Patch, SliceSink};
use serde::Serialize;

/// Writes a type to a sink, and returns the sink.
#[inline]
pub(crate) fn write<T: Serialize + ?Sized, S: Patch>(
    dialect: Dialect,
    value: &T,
    sink: S,
) -> Result<S> {
    let mut builder = Builder::new(dialect, sink);
    value.serialize(Serializer::new(&mut builder))?;
    Ok(builder.finish()?)
}

/// Writes a type to the start of a slice and returns the number of bytes. Nothing is allocated
/// unless there is an error.
///
/// ```
/// use gdwire::Dialect;
///
/// let mut datagram = [0; 16];
/// let length = gdwire::to_slice(Dialect::GODOT_3, &Some(42), &mut datagram)?;
/// assert_eq!(datagram[..length], [2, 0, 0, 0, 42, 0, 0, 0]);
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`to_vec`](crate::to_vec), and
/// [`EncodeProblem::BufferTooSmall`](crate::encode::EncodeProblem::BufferTooSmall) with the number
/// of bytes that are needed.
pub fn to_slice<T: Serialize + ?Sized>(
    dialect: Dialect,
    value: &T,
    slice: &mut [u8],
) -> Result<usize> {
    Ok(write(dialect, value, SliceSink::new(slice))?.needed())
}
