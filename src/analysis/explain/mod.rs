//! Explains messages byte by byte: which part of the format each byte belongs to, and what it
//! means.
//!
//! [`value()`] explains a value, [`packet()`] a packet of the high-level multiplayer API, and
#![cfg_attr(feature = "capture", doc = "[`message()`]")]
#![cfg_attr(not(feature = "capture"), doc = "`message` (with the feature `capture`)")]
//! a message of a capture with the headers before it. They call a function with one [`Field`] after
//! the other, in the order of the bytes. Together, the fields cover every byte once.
//!
//! ```
//! use core::ops::ControlFlow;
//! use gdwire::Dialect;
//! use gdwire::explain::{Detail, value};
//!
//! let bytes = b"\x12\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hp\0\0\x02\0\0\0\x57\0\0\0"; // {"hp": 87}
//! let mut lines = Vec::new();
//! let _ = value(Dialect::GODOT_3, bytes, Detail::default(), |field| -> ControlFlow<()> {
//!     let indent = "  ".repeat(field.depth);
//!     lines.push(format!("{:2} {indent}{}: {}", field.offset, field.name, field.value));
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(lines, [
//!     " 0 value: Dictionary, type 18",
//!     " 4   count: 1 entry",
//!     " 8   key 0: String, type 4",
//!     "12     length: 2 bytes",
//!     "16     text: \"hp\"",
//!     "18     padding: ",
//!     "20   value 0: int, type 2",
//!     "24     number: 87",
//! ]);
//! ```
//!
//! Bytes that cannot be read are explained up to the first problem. The last field then has the rest,
//! and says what is wrong.
//!
//! [`Detail`] bounds the number of fields, whatever the bytes are.

#[cfg(feature = "capture")]
mod enet;
mod labels;
#[cfg(feature = "capture")]
mod message;
mod out;
mod packet;
#[cfg(feature = "capture")]
mod stream;
mod value;

#[cfg(feature = "capture")]
pub use message::{Recent, message};
pub use packet::packet;
pub use value::value;

use crate::format::text::Role;
use core::fmt;

/// A field: some bytes, with their name and their meaning.
///
/// A field without bytes is a heading for the fields after it, or says what is missing at its place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field<'f> {
    /// The offset of its first byte, in bytes from the start of its section.
    pub offset: usize,
    /// Its bytes.
    pub bytes: &'f [u8],
    /// How many other parts contain it.
    pub depth: usize,
    /// The name of the field, such as `length`.
    pub name: fmt::Arguments<'f>,
    /// The meaning of the bytes, such as `2 bytes`. Control characters are escaped, and long text
    /// is cut. Empty for padding.
    pub value: fmt::Arguments<'f>,
    /// The role of the value, which decides its colour: see [`Palette`](crate::text::Palette).
    pub role: Role,
    /// Whether the bytes can be read. If not, the value says what is wrong.
    pub is_valid: bool,
}

/// How much of a message is explained.
///
/// ```
/// use gdwire::explain::Detail;
///
/// let all = Detail::new().with_items(usize::MAX).with_fields(usize::MAX);
/// assert_eq!((Detail::default().items, all.items), (8, usize::MAX));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Detail {
    /// How many elements of an array, entries of a dictionary, arguments and the like are explained
    /// one by one. The remaining ones are in one field.
    pub items: usize,
    /// After about this many fields, the rest of the bytes is one field.
    pub fields: usize,
}

impl Detail {
    /// 8 items and 2,000 fields.
    #[must_use]
    pub const fn new() -> Detail {
        Detail { items: 8, fields: 2_000 }
    }

    /// Sets [`items`](Detail::items).
    #[must_use]
    pub const fn with_items(self, items: usize) -> Detail {
        Detail { items, ..self }
    }

    /// Sets [`fields`](Detail::fields).
    #[must_use]
    pub const fn with_fields(self, fields: usize) -> Detail {
        Detail { fields, ..self }
    }
}

impl Default for Detail {
    /// Like [`Detail::new`].
    fn default() -> Detail {
        Detail::new()
    }
}
