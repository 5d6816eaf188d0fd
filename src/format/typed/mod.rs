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
#![cfg_attr(not(feature = "alloc"), doc = "[`from_variant`]: #features")]
#![cfg_attr(not(feature = "alloc"), doc = "[`to_variant`]: #features")]
#![cfg_attr(not(feature = "alloc"), doc = "[node_path]: #features")]
#![cfg_attr(
    not(feature = "alloc"),
    allow(
        clippy::result_large_err,
        reason = "without an allocator an error holds its texts itself"
    )
)]

mod de;
mod dialects;
mod direct;
mod error;
mod flat;
mod handles;
pub mod math;
mod message;
#[cfg(feature = "alloc")]
mod owned;
pub mod packed;
mod read;
mod ser;
mod token;
mod variant;
mod write;

pub use de::Deserializer;
pub(crate) use de::{One, transparent, visit_numbers};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "alloc")]
pub use handles::node_path;
pub use handles::{rid, string_name};
#[cfg(feature = "std")]
pub use owned::to_writer;
#[cfg(feature = "alloc")]
pub use owned::{from_variant, to_variant, to_vec};
pub use read::{from_slice, from_slice_prefix, from_view};
pub use write::to_slice;
#[cfg(feature = "codec")]
pub(crate) use write::write;
