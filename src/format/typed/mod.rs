//! Reads and writes your own types as engine values, with the crate [`serde`].
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
//! [`from_slice`] makes one pass over the bytes. It allocates only what the type owns: `&str`,
//! `&[u8]` and [`VariantRef`] borrow from the input.
//!
//! [`from_view`] reads a part of a parsed value, [`from_variant`] reads an owned value, and
//! [`to_variant`] creates one. [`Arguments::to`](crate::multiplayer::Arguments::to) reads the
//! arguments of a remote call.
//!
//! # How types are written
//!
//! | in Rust | on the wire |
//! |---|---|
//! | `bool`, integers, floats | bool, int, float; an integer that does not fit in 64 bits with a sign is an error |
//! | `&str`, `String`, `char` | String |
//! | a struct | Dictionary; the keys are the names of the fields, as Strings |
//! | a map | Dictionary; a key can be any value |
//! | a sequence, tuple or tuple struct | Array |
//! | a newtype | its content |
//! | `Option` | its content, or null |
//! | `()`, a unit struct | null |
//! | bytes (the crate `serde_bytes`) | PackedByteArray |
//! | a variant without content | String, its name |
//! | a variant with content | Dictionary with one entry: the name and the content |
//! | a type of [`crate::math`] over `f32`, `f64` or `i32` | the kind of that name: `Vector3` or `Vector3i` |
//! | `Variant`, [`VariantRef`] | the same value, without any loss |
//! | `Dictionary`, `Array` | Dictionary or Array, with the same element types |
//! | `NodePath` | NodePath |
//! | [`Packed`](crate::Packed) | a packed array |
//!
//! A field can be written as another kind with `#[serde(with = "…")]`. Each of these helpers has a
//! module `option` for fields that are an `Option`, such as `gdwire::typed::math::option`:
//!
//! | helper | on the wire |
//! |---|---|
//! | [`gdwire::typed::packed`](packed) | a packed array |
//! | [`gdwire::typed::math`](math) | a math value, from `[f32; 3]` or a type of glam |
//! | [`gdwire::typed::math::packed`](math) | a packed array of such values |
//! | [`gdwire::typed::string_name`](string_name) | StringName |
//! | [`gdwire::typed::node_path`](node_path) | NodePath |
//! | [`gdwire::typed::rid`](rid) | RID |
//!
//! The bytes are those that the engine writes for the same value.
//!
//! # What else is read
//!
//! Reading also accepts:
//!
//! - a StringName or a NodePath as text (a path of several names needs the feature `alloc`);
//! - a packed array or a math value as a sequence of numbers, and a packed array of vectors as a
//!   sequence of such sequences;
//! - an Array as a struct or a math value, with the elements in the order of the fields;
//! - an object as a struct or map of its properties, and a signal as one of `name` and `object_id`;
//! - an RID or the id of an object as an unsigned integer.
//!
//! A key that occurs twice is an error in a struct. A key that is not text is an unknown field:
//! it is skipped, or an error with `#[serde(deny_unknown_fields)]`.
//!
//! # Width of reals
//!
//! Reals of 64 bits are rounded when they are read into `f32`. `Vector3<f64>` is written with 32 bits
//! if that changes no number, otherwise with 64 bits if the dialect has them, otherwise writing is
//! an error. [`FromVariant`](crate::view::FromVariant) has a table of all conversions, which are the
//! same here.
//!
//! # Depth
//!
//! A type that contains itself recurses once for each level of nesting, up to
//! [`ReadOptions::with_max_depth`]. For the default of 1024, an optimized build needs less than 2 MiB of
//! stack. Set a lower limit for debug builds and small stacks. Values that are skipped or read into
//! `Variant` or [`VariantRef`] do not recurse. A `Variant` that is read from another format does,
//! within the limits of that format.
//!
//! # Flattened fields and untagged enums lose kinds
//!
//! With `#[serde(flatten)]`, and for enums that are `untagged` or have a `tag`, serde first reads
//! the value into a buffer of its own. That buffer only knows the kinds of JSON. So a `Variant` or
//! a map of them gets an Array for a Vector3 and a String for a StringName. A [`VariantRef`] cannot
//! be read at all, and reals of 64 bits are rounded to `f32`. Enums without these attributes lose
//! nothing.
//!
//! To distinguish types by a field and lose nothing, read a view first, and then the type:
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use gdwire::{Variant, VariantRef, from_view};
//! use serde::de::{Deserialize, Deserializer, Error};
//!
//! #[derive(serde::Deserialize, Debug, PartialEq)]
//! struct Set {
//!     property: String,
//!     value: Variant,
//! }
//!
//! #[derive(serde::Deserialize, Debug, PartialEq)]
//! struct Chat {
//!     text: String,
//! }
//!
//! #[derive(Debug, PartialEq)]
//! enum Message {
//!     Set(Set),
//!     Chat(Chat),
//! }
//!
//! impl<'de> Deserialize<'de> for Message {
//!     fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Message, D::Error> {
//!         let value = VariantRef::deserialize(deserializer)?;
//!         let tag = value.get("tag").and_then(|tag| tag.as_str());
//!         match tag {
//!             Some("set") => from_view(value).map(Message::Set).map_err(Error::custom),
//!             Some("chat") => from_view(value).map(Message::Chat).map_err(Error::custom),
//!             _ => Err(Error::custom("the tag is neither set nor chat")),
//!         }
//!     }
//! }
//!
//! # use gdwire::{Dialect, encode, from_slice, math::Vector3, variant};
//! let value = Variant::from(Vector3::new(1.0, 2.0, 3.0));
//! let message = variant!({ "tag": "set", "property": "position", "value": value.clone() });
//! let packet = encode(Dialect::GODOT_4, &message)?;
//! let set = Set { property: "position".into(), value };
//! assert_eq!(from_slice::<Message>(Dialect::GODOT_4, &packet)?, Message::Set(set));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For unknown fields, read the whole value into a `Variant` and the known fields from it with
//! [`from_variant`].
//!
//! # This crate's types in other formats
//!
//! In JSON and similar formats a math value is a flat sequence of its numbers in the order of the
//! wire, and a packed array of vectors is a sequence of such sequences. A node path is text. An
//! object with properties is a map of `class` and `properties`. A `Variant` is written as its
//! nearest equivalent and is read back as a Dictionary, Array, String, int, float, bool, null or
//! PackedByteArray. A [`VariantRef`] can be written in any format, but only be read from bytes of
//! this one.
//!
//! [`ReadOptions::with_max_depth`]: crate::ReadOptions::with_max_depth
//! [`VariantRef`]: crate::VariantRef
#![cfg_attr(
    not(feature = "alloc"),
    allow(
        clippy::result_large_err,
        reason = "without an allocator an error holds its texts itself"
    )
)]

mod de;
mod direct;
mod error;
mod handles;
pub mod math;
pub mod packed;
mod ser;
mod token;
mod variant;

pub use de::Deserializer;
pub(crate) use de::{One, transparent, visit_numbers};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "alloc")]
pub use handles::node_path;
pub use handles::{rid, string_name};

use crate::value::{Dialect, ReadOptions, VariantRef};
use crate::write::encode::{Builder, Patch, SliceSink};
#[cfg(feature = "alloc")]
use crate::{write::encode::encode, write::owned::Variant};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use ser::Serializer;
#[cfg(feature = "alloc")]
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Reads a type from a buffer that holds exactly one value.
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
/// The bytes are not a value, bytes follow the value, or the value does not fit the type: see
/// [`Error`].
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

/// Reads a type from the front of a buffer. Returns the bytes after it, and the type.
///
/// # Errors
///
/// Those of [`from_slice`], except that bytes may follow the value.
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
/// The value does not fit the type. The offset in the error counts from the start of the value.
pub fn from_view<'de, T: Deserialize<'de>>(value: VariantRef<'de>) -> Result<T> {
    from_slice(value.dialect(), value.as_bytes())
}

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

/// Reads a type from an owned value.
///
/// ```
/// let scores: Vec<u32> = gdwire::from_variant(&gdwire::variant!([3, 1, 2]))?;
/// assert_eq!(scores, [3, 1, 2]);
/// # Ok::<(), gdwire::typed::Error>(())
/// ```
///
/// The result is the same as if it had been read from the bytes of the value, so a byte order mark
/// at the start of a string is dropped. Nothing is borrowed from the value: the type needs `String` where
/// it has `&str` for [`from_slice`].
///
/// # Errors
///
/// The value does not fit the type, or has a string with a NUL.
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
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
