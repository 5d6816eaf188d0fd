//! Lossless JSON, in the spelling of Godot 4's `JSON.from_native`.
//!
//! ```
//! use gdwire::{Dialect, json, parse};
//!
//! let bytes = [
//!     18, 0, 0, 0, 1, 0, 0, 0, // a dictionary of one entry
//!     4, 0, 0, 0, 3, 0, 0, 0, b'p', b'o', b's', 0, // "pos"
//!     5, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 64, // Vector2( 1.5, 2 )
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! let text = json::to_string(value);
//! assert_eq!(
//!     text,
//!     r#"{"type":"Dictionary","args":["s:pos",{"type":"Vector2","args":[1.5,2.0]}]}"#
//! );
//! assert_eq!(gdwire::encode(Dialect::GODOT_3, &json::read(&text)?)?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | value | JSON |
//! |---|---|
//! | null, bool | `null`, `true` |
//! | int, float | `"i:42"`, `"f:1.5"` |
//! | string, string name, node path | `"s:text"`, `"sn:text"`, `"np:/root/Game"` |
//! | math value, packed array | `{"type":"Vector2","args":[1.5,2.0]}`, strings as they are |
//! | RID, callable, signal | `{"type":"RID"}` |
//! | array | `[…]` |
//! | array of a type | `{"type":"Array","elem_type":"int","args":[…]}` |
//! | dictionary | `{"type":"Dictionary","args":[key, value, …]}`, with `key_type` and `value_type` |
//! | object | `{"type":"Gradient","props":["offsets", value, …]}` |
//!
//! Types have the names of Godot 4 in every dialect. The reader also takes the names of the other
//! engines. A basis is written by its axes, as the engine's constructor takes them, and not by its
//! rows, as on the wire. The type of a container's elements is the name of the type or class, or
//! the path of the script. Where that is ambiguous, it is `class:int` or `script:a.gd`.
//!
//! As in the engine's literals, names in a node path that are empty or contain slashes or colons
//! are read as other names, all NaNs are read as the same NaN, and reals have no width.
//!
//! The engine writes some things differently:
//!
//! - Numbers have as many digits as are needed to read them back.
//! - A component that is infinite or NaN is the string `"inf"`, `"-inf"` or `"nan"`. The engine
//!   writes a bare `inf`, which is not JSON.
//! - References to objects keep the id: `{"type":"Object","id":"i:1290"}`,
//!   `{"type":"RID","id":"i:7"}`, `{"type":"Signal","name":"pressed","id":"i:1290"}`.
//! - Typed arrays of Pandemonium are `{"type":"TypedArray","elem_type":"int","args":[…]}`, or
//!   `PackedTypedArray`.

mod build;
mod element_type;
#[cfg(feature = "capture")]
mod object;
#[cfg(feature = "expression")]
pub(crate) mod plain;
mod read;
mod write;

/// The type name of an object that is only an id.
const BY_ID: &str = "Object";

pub use crate::text::{ReadError, ReadProblem};
#[cfg(feature = "capture")]
pub(crate) use object::Json;
pub use read::read;
pub(crate) use write::write_events;
pub use write::{to_string, write};

use crate::kind::Kind;

/// Converts the place of a component in JSON to its place on the wire, and back. JSON lists the
/// axes of a basis, which are columns on the wire.
const fn transposed(kind: Kind, place: usize) -> usize {
    match kind {
        Kind::Basis | Kind::Transform3D if place < 9 => place % 3 * 3 + place / 3,
        _ => place,
    }
}
