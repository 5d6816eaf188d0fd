//! JSON that loses nothing: the spelling of Godot 4's `JSON.from_native`.
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
//! | string, node path | `"s:text"`, `"np:/root/Game"` |
//! | math value, packed array | `{"type":"Vector2","args":[1.5,2.0]}`, strings as they are |
//! | RID | `{"type":"RID"}` |
//! | array | `[…]` |
//! | dictionary | `{"type":"Dictionary","args":[key, value, …]}` |
//! | object | `{"type":"Gradient","props":["offsets", value, …]}` |
//!
//! Types have the names of Godot 4 in every dialect; when reading, those of Godot 3 are taken as
//! well. A basis is spelled by its axes, as the engine's constructor takes them, and not by its
//! rows, as it stands on the wire.
//!
//! Three things the engine does not write so. Numbers have as many digits as it takes to read
//! them back. A component that is no number is the string `"inf"`, `"-inf"` or `"nan"`: the
//! engine writes a bare `inf`, which is no JSON. And an object of which only the id was sent is
//! `{"type":"Object","id":"i:1290"}`, where the engine writes null.

mod build;
mod read;
mod write;

/// What an object with that id is called.
const BY_ID: &str = "Object";

pub use crate::text::{ReadError, ReadProblem};
pub use json_event_parser::{JsonEvent, WriterJsonSerializer};
pub use read::read;
pub use write::{to_string, write, write_events};

use crate::kind::Kind;

/// Where on the wire the component stands that is at this place in JSON, and the reverse: axes
/// there are columns here.
const fn transposed(kind: Kind, place: usize) -> usize {
    match kind {
        Kind::Basis | Kind::Transform3D if place < 9 => place % 3 * 3 + place / 3,
        _ => place,
    }
}
