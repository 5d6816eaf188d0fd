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

mod arguments;
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

pub(crate) use arguments::{from_argument, from_arguments};
pub use de::Deserializer;
pub use error::{Error, Result};
#[cfg(feature = "alloc")]
pub use handles::node_path;
pub use handles::{rid, string_name};

use crate::dialect::{Dialect, ReadOptions};
#[cfg(feature = "alloc")]
use crate::encode::encode;
use crate::encode::{Builder, Patch, SliceSink};
#[cfg(feature = "alloc")]
use crate::owned::Variant;
use crate::view::VariantRef;
#[cfg(feature = "alloc")]
use serde::de::DeserializeOwned;
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

/// Reads a type from a value that has been parsed, or from a part of one.
///
/// ```
/// use gdwire::{Dialect, encode, from_view, parse, variant};
///
/// #[derive(serde::Deserialize)]
/// struct Item<'a> {
///     name: &'a str,
///     count: u32,
/// }
///
/// # let packet = encode(Dialect::GODOT_3, &variant!({
/// #     "kind": "give", "item": { "name": "arrow", "count": 20 },
/// # }))?;
/// let message = parse(Dialect::GODOT_3, &packet)?;
/// if let Some(item) = message.get("item") {
///     let item: Item = from_view(item)?;
///     assert_eq!((item.name, item.count), ("arrow", 20));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The value is not of the type. The offset in the error counts from the start of the value.
pub fn from_view<'de, T: Deserialize<'de>>(value: VariantRef<'de>) -> Result<T> {
    from_slice(value.dialect(), value.as_bytes())
}

/// Reads a type from an owned value.
///
/// ```
/// let scores: Vec<u32> = gdwire::from_variant(&gdwire::variant!([3, 1, 2]))?;
/// assert_eq!(scores, [3, 1, 2]);
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// The type is the same as if it had been read from bytes of the value, so a byte order mark at the
/// start of a string is dropped.
///
/// # Errors
///
/// The value is not of the type, or has a string with a NUL.
#[cfg(feature = "alloc")]
pub fn from_variant<T: DeserializeOwned>(value: &Variant) -> Result<T> {
    let bytes = encode(Dialect::IN_MEMORY, value)?;
    from_slice(Dialect::IN_MEMORY, &bytes).map_err(Error::without_offset)
}

/// Makes an owned value of a type.
///
/// ```
/// let value = gdwire::to_variant(&("arrow", 20))?;
/// assert_eq!(value, gdwire::variant!(["arrow", 20]));
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// The value is the same as if it had been read from bytes of the type, so a byte order mark at the
/// start of a string is dropped.
///
/// # Errors
///
/// An integer needs more than 64 bits, a string has a NUL, or the type's `Serialize` fails.
#[cfg(feature = "alloc")]
pub fn to_variant<T: Serialize + ?Sized>(value: &T) -> Result<Variant> {
    let bytes = to_vec(Dialect::IN_MEMORY, value)?;
    let value = crate::parse(Dialect::IN_MEMORY, &bytes).map_err(Error::wire)?;
    Ok(value.into())
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
    write(dialect, value, alloc::vec::Vec::with_capacity(128))
}

/// Writes the bytes of a value to a sink, and gives the sink back.
#[inline]
pub(crate) fn write<T: Serialize + ?Sized, S: Patch>(
    dialect: Dialect,
    value: &T,
    sink: S,
) -> Result<S> {
    let mut builder = Builder::new(dialect, sink);
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
/// As [`to_vec`], and [`EncodeProblem::BufferTooSmall`](crate::encode::EncodeProblem::BufferTooSmall),
/// which says how many bytes are needed.
pub fn to_slice<T: Serialize + ?Sized>(
    dialect: Dialect,
    value: &T,
    slice: &mut [u8],
) -> Result<usize> {
    Ok(write(dialect, value, SliceSink::new(slice))?.needed())
}
