//! Values as the engine's literals, as `var2str` writes and `str2var` reads them.
//!
//! ```
//! use gdwire::{Dialect, parse, text::Layout};
//!
//! let bytes = [
//!     18, 0, 0, 0, 1, 0, 0, 0, // a dictionary of one entry
//!     4, 0, 0, 0, 3, 0, 0, 0, b'p', b'o', b's', 0, // "pos"
//!     5, 0, 0, 0, 0, 0, 192, 63, 0, 0, 0, 64, // Vector2( 1.5, 2 )
//! ];
//! let value = parse(Dialect::GODOT_3, &bytes)?;
//! assert_eq!(value.display(Layout::Multiline).to_string(), "{\n\"pos\": Vector2( 1.5, 2 )\n}");
//! assert_eq!(value.display(Layout::Line).to_string(), r#"{ "pos": Vector2( 1.5, 2 ) }"#);
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! A view is written in the spelling of the engine whose dialect it was read as, an owned value in
//! the spelling of Godot 4. The spelling differs from the engine's where the engine loses
//! something:
//!
//! - Numbers have as many digits as are needed to read them back (Godot 3 and Pandemonium write
//!   six), and negative zero keeps its sign.
//! - In Godot 3, infinities are numbers that are too large, such as `-1e99999`: all versions read these,
//!   and none reads `-inf`, which Godot 3.2 writes.
//! - Names have no `\a` and `\v`, which the engines write but do not read.
//! - An RID is `RID(  )`, or `RID(7)` with an id (Godot 3 and Pandemonium write nothing).
//! - A signal of an object is `Signal(1290, "pressed")`, and an object that was sent as its id is
//!   `EncodedObjectAsID(1290)`.
//! - The type of a container's elements is in quotes if it is a script,
//!   `Array[Resource("res://a.gd")]([])`, or a class that has the name of a type,
//!   `Array[Object("int")]([])`.
//!
//! Entries of dictionaries stay in the order of the wire.
//!
//! Three things cannot be expressed in the engines' syntax, and are lost when a literal is read:
//!
//! - Names in a node path that are empty or contain slashes or colons are read as other names.
//! - All NaNs are read as the same NaN.
//! - Reals have no width. They are written in the width of the dialect: see
//!   [`RealValue`](crate::owned::RealValue).
#![cfg_attr(
    feature = "alloc",
    doc = "\n[`parse()`] reads a value back, in the spelling of any of the engines."
)]

mod base64;
mod bounded;
#[cfg(feature = "alloc")]
mod construct;
pub(crate) mod decimal;
#[cfg(feature = "alloc")]
mod error;
mod error_path;
pub(crate) mod escape;
pub(crate) mod gather;
mod layout;
mod literal;
#[cfg(feature = "alloc")]
pub(crate) mod number;
#[cfg(feature = "alloc")]
mod open;
#[cfg(feature = "alloc")]
mod owned;
pub(crate) mod pieces;
#[cfg(feature = "alloc")]
mod read;
#[cfg(feature = "alloc")]
mod scan;
pub(crate) mod show;
mod spelling;
mod write;

pub(crate) use bounded::bounded;
#[cfg(feature = "cli")]
pub(crate) use bounded::cut;
#[cfg(feature = "alloc")]
pub use error::{ParseError, ParseProblem};
pub use error_path::ErrorPath;
pub(crate) use escape::OneLine;
pub use escape::disturbs_line;
pub use layout::Layout;
pub use literal::Literal;
pub use pieces::{Palette, Role};
#[cfg(feature = "alloc")]
pub use read::{parse, parse_prefix};
#[cfg(feature = "cli")]
pub use show::cells;
pub use show::{Show, Shown};
pub(crate) use write::byte_array;
#[cfg(feature = "alloc")]
pub(crate) use write::real;
