//! Your own types, read and written as the engines' values, with the crate [`serde`].
//!
//! ```
//! use gdwire::{Dialect, math::Vector3};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, Debug, PartialEq)]
//! struct State<'a> {
//!     #[serde(borrow)]
//!     name: &'a str,
//!     position: Vector3<f32>,
//!     hp: i32,
//!     target: Option<u32>,
//!     #[serde(with = "gdwire::typed::packed")]
//!     cooldowns: [f32; 3],
//! }
//!
//! let state = State {
//!     name: "player_one",
//!     position: Vector3::new(1.0, 2.0, 3.0),
//!     hp: 87,
//!     target: None,
//!     cooldowns: [0.0, 1.5, 30.0],
//! };
//! let packet = gdwire::to_vec(Dialect::GODOT_3, &state)?;
//! assert_eq!(gdwire::from_slice::<State>(Dialect::GODOT_3, &packet)?, state);
//! # Ok::<(), gdwire::typed::Error>(())
//! ```
//!
//! Reading takes one pass over the bytes, and allocates only what the type owns: `&str`, `&[u8]`
//! and [`VariantRef`](crate::VariantRef) are borrowed from the input.
//!
//! # What becomes what
//!
//! | in Rust | on the wire |
//! |---|---|
//! | `bool`, integers, floats | bool, int, float; an integer that needs more than 64 bits is an error |
//! | `&str`, `String`, `char` | String |
//! | structs | Dictionary with the names as keys, Strings |
//! | maps | Dictionary, whose keys are whatever they are |
//! | sequences, tuples, tuple structs | Array |
//! | newtypes | what is in them |
//! | `Option` | null, or what is in it |
//! | `()`, unit structs | null |
//! | bytes (the crate `serde_bytes`) | PackedByteArray |
//! | variants without content | String, their name |
//! | variants with content | Dictionary of one entry: the name and the content |
//! | [`crate::math`] of `f32`, `f64` or `i32` | the kind of their name, `Vector3` or `Vector3i` |
//! | `Variant`, [`VariantRef`](crate::VariantRef) | the value that it is, nothing of which is lost |
//! | `Dictionary`, `Array` | Dictionary and Array, of the same types |
//! | `NodePath` | NodePath |
//! | `#[serde(with = "gdwire::typed::packed")]` | a packed array: see [`packed`] |
//! | `#[serde(with = "gdwire::typed::math")]` | glam's types as the kinds: see [`math`] |
//! | `#[serde(with = "gdwire::typed::string_name")]` and so on | see [`string_name`], [`node_path`], [`rid`] |
//!
//! What is written is byte for byte what the engine writes for such a value. What is read may
//! also be:
//!
//! - a StringName or a NodePath for a text (a path of several names needs an allocator for it);
//! - a packed array or a math value for a sequence of numbers; an array of vectors is a sequence
//!   of sequences of numbers;
//! - an Array for a struct or a math value, its elements in the order of the fields;
//! - an object with its properties for a struct or map, and a signal for one of `name` and
//!   `object_id`;
//! - an RID or the id of an object for an unsigned integer.
//!
//! A key that comes twice is an error in a struct, as serde has it. A key of a struct that is no
//! text is an unknown field: it is skipped, unless there is `#[serde(deny_unknown_fields)]`.
//!
//! A type that contains itself recurses as deep as the value goes, which is up to
//! [`ReadOptions::max_depth`]. In an optimized build 2 MiB of stack are enough for the 1024 that
//! it is at first; without optimization, or on a smaller stack, set a smaller one. What is ignored,
//! and the types `Variant` and [`VariantRef`](crate::VariantRef), are read without recursion; a
//! `Variant` from another format is not, and that format says how deep it may be.
//!
//! # The crate's types in other formats
//!
//! In JSON and the like math values are flat sequences of their numbers, in the order of the
//! wire; arrays of them are sequences of such; node paths are texts; a `Variant` is what comes
//! closest, and read back it is a Dictionary, Array, String, int, float, bool, null or
//! PackedByteArray. An object with properties is a map of `class` and `properties`. A
//! [`VariantRef`](crate::VariantRef) can be written in any format, but read only from values of
//! this one.
//!
//! With `#[serde(flatten)]`, and in enums that are untagged or tagged internally, serde keeps
//! values in a form of its own before it knows where they belong. There a math value is a
//! sequence, and a `Variant` is read as from JSON.

#![cfg_attr(
    not(feature = "alloc"),
    allow(clippy::result_large_err, reason = "without an allocator an error has its texts in it")
)]

mod de;
mod dialects;
mod direct;
mod error;
mod handles;
pub mod math;
mod message;
pub mod packed;
mod ser;
mod token;
mod variant;

pub use de::Deserializer;
pub use error::{Error, Result};
#[cfg(feature = "alloc")]
pub use handles::node_path;
pub use handles::{rid, string_name};

use crate::dialect::{Dialect, ReadOptions};
use crate::encode::{Builder, SliceSink};
use serde::{Deserialize, Serialize};

/// Reads a type from a buffer that is one value and nothing else.
///
/// ```
/// use gdwire::Dialect;
///
/// let packet = [19, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0];
/// let pair: (u8, u8) = gdwire::from_slice(Dialect::GODOT_3, &packet)?;
/// assert_eq!(pair, (1, 2));
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// # Errors
///
/// Whatever is wrong with the bytes, and a value that is not of the type: see [`Error`].
#[inline]
pub fn from_slice<'de, T: Deserialize<'de>>(
    options: impl Into<ReadOptions>,
    bytes: &'de [u8],
) -> Result<T> {
    let mut deserializer = Deserializer::from_slice(options, bytes);
    let mut result = deserializer.value();
    if result.is_ok()
        && let Err(error) = deserializer.end()
    {
        result = Err(error);
    }
    result
}

/// Reads a type from the front of a buffer: what follows it, and the value.
///
/// # Errors
///
/// As [`from_slice`].
#[inline]
pub fn from_slice_prefix<'de, T: Deserialize<'de>>(
    options: impl Into<ReadOptions>,
    bytes: &'de [u8],
) -> Result<(&'de [u8], T)> {
    let mut deserializer = Deserializer::from_slice(options, bytes);
    let value = deserializer.value()?;
    Ok((deserializer.rest(), value))
}

/// The bytes of a value.
///
/// # Errors
///
/// What the dialect cannot express, and what the value's `Serialize` says: see [`Error`].
#[cfg(feature = "alloc")]
#[inline]
pub fn to_vec<T: Serialize + ?Sized>(dialect: Dialect, value: &T) -> Result<alloc::vec::Vec<u8>> {
    // Room for a small message, so that it does not grow from the first bytes on.
    let mut builder = Builder::new(dialect, alloc::vec::Vec::with_capacity(128));
    value.serialize(ser::Serializer::new(&mut builder))?;
    Ok(builder.finish()?)
}

/// Writes the bytes of a value to a stream, all at once.
///
/// # Errors
///
/// Those of the stream, and as [`to_vec`].
#[cfg(feature = "std")]
pub fn to_writer<W: std::io::Write, T: Serialize + ?Sized>(
    dialect: Dialect,
    mut writer: W,
    value: &T,
) -> Result<()> {
    Ok(writer.write_all(&to_vec(dialect, value)?)?)
}

/// Writes the bytes of a value to the start of a slice: how many they are. Nothing is allocated.
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
/// As [`to_vec`], and [`EncodeProblem::BufferTooSmall`](crate::encode::EncodeProblem::BufferTooSmall), which says how many bytes are needed.
pub fn to_slice<T: Serialize + ?Sized>(
    dialect: Dialect,
    value: &T,
    slice: &mut [u8],
) -> Result<usize> {
    let mut builder = Builder::new(dialect, SliceSink::new(slice));
    value.serialize(ser::Serializer::new(&mut builder))?;
    Ok(builder.finish()?.needed())
}
