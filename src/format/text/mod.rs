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
    doc = "\n[`parse()`] reads a value back, in the spelling of any of the engines. [`parse_for`] also compares \
           the keys of dictionaries as one of them: those of Godot 3 and Pandemonium may be equal in Godot 4."
)]

mod base64;
pub(crate) mod decimal;
#[cfg(feature = "alloc")]
mod error;
mod error_path;
pub(crate) mod escape;
pub(crate) mod gather;
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

#[cfg(feature = "alloc")]
pub use error::{ParseError, ParseProblem};
pub use error_path::ErrorPath;
#[cfg(feature = "alloc")]
pub(crate) use escape::AsWritten;
pub(crate) use escape::OneLine;
pub use escape::disturbs_line;
pub use pieces::{Palette, Role};
#[cfg(feature = "alloc")]
pub use read::{parse, parse_for, parse_prefix, parse_prefix_for};
#[cfg(feature = "json")]
pub(crate) use scan::{
    collect_numbers, is_numeric, lone_surrogate, non_finite, parse_component, parse_real,
};
#[cfg(feature = "cli")]
pub use show::cells;
pub use show::{Show, Shown};
pub(crate) use write::byte_array;
#[cfg(feature = "alloc")]
pub(crate) use write::real;

use crate::value::VariantRef;
use core::fmt::{self, Write};

/// How a literal is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Layout {
    /// The layout of the engine: every entry of a dictionary is on its own line, and line breaks in
    /// strings are written as they are.
    #[default]
    Multiline,
    /// Every value is on exactly one line. Control characters in strings are escaped.
    Line,
}

/// Shows a value as its engine's literal: see [`VariantRef::display`].
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    value: VariantRef<'a>,
    layout: Layout,
}

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::literal(self.value, self.layout, f)
    }
}

impl<'a> VariantRef<'a> {
    /// The value as the literal of the engine whose dialect it was read as: see [`crate::text`].
    ///
    /// Writing it neither allocates nor recurses.
    #[must_use]
    pub const fn display(&self, layout: Layout) -> Literal<'a> {
        Literal { value: *self, layout }
    }

    /// The value as its engine's `var2str` returns it.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_text(&self) -> alloc::string::String {
        alloc::string::ToString::to_string(&self.display(Layout::Multiline))
    }
}

/// The literal in one line.
impl fmt::Display for VariantRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::literal(*self, Layout::Line, f)
    }
}

/// The literal in one line. Only the beginning of a long literal is shown.
impl fmt::Debug for VariantRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bounded(f, &self.display(Layout::Line))
    }
}

/// The number of characters that `Debug` shows of a view.
const DEBUG_LIMIT: usize = 300;

/// Writes a text, or only its beginning if it is long.
pub(crate) fn bounded(f: &mut fmt::Formatter<'_>, shown: &impl fmt::Display) -> fmt::Result {
    cut(f, DEBUG_LIMIT, shown)
}

/// Writes a text. If it has more than `limit` characters, writes only these and an ellipsis.
pub(crate) fn cut(out: &mut impl Write, limit: usize, shown: &impl fmt::Display) -> fmt::Result {
    let mut bounded = Bounded { out, left: limit, is_cut: false };
    match write!(bounded, "{shown}") {
        Err(fmt::Error) if bounded.is_cut => out.write_char('…'),
        result => result,
    }
}

/// Passes on a limited number of characters, then fails.
struct Bounded<'o, W> {
    out: &'o mut W,
    left: usize,
    is_cut: bool,
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            Some((end, _)) => {
                self.is_cut = true;
                self.out.write_str(text.get(..end).unwrap_or(""))?;
                Err(fmt::Error)
            }
            None => {
                self.left -= text.chars().count();
                self.out.write_str(text)
            }
        }
    }
}
