//! Explains messages byte by byte: which bytes are which part of the format, and what they say.
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
//! The number of fields is bounded by [`Detail`], whatever the bytes are.

#[cfg(feature = "capture")]
mod enet;
#[cfg(feature = "capture")]
mod fragments;
#[cfg(feature = "capture")]
mod frame;
mod labels;
#[cfg(feature = "capture")]
mod message;
mod numbers;
mod out;
mod packet;
#[cfg(feature = "capture")]
mod recent;
#[cfg(feature = "capture")]
mod stream;
mod text;
mod value;

#[cfg(feature = "capture")]
pub use recent::Recent;

use crate::dialect::ReadOptions;
#[cfg(feature = "capture")]
use crate::follow::Message;
use crate::multiplayer::{Context, Protocol};
use crate::text::Role;
use core::fmt;
use core::ops::ControlFlow;
use out::{Out, run};

/// Some bytes, and what they are.
///
/// A field without bytes is a heading for the fields after it, or says what is missing at its place.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field<'f> {
    /// The offset of its first byte.
    pub offset: usize,
    /// Its bytes.
    pub bytes: &'f [u8],
    /// How many parts it is inside of.
    pub depth: usize,
    /// What the bytes are, such as `length`.
    pub name: fmt::Arguments<'f>,
    /// What they say, such as `2 bytes`. Control characters are escaped, and long text is cut. Empty
    /// for padding.
    pub value: fmt::Arguments<'f>,
    /// What the value is, for its colour: see [`Palette`](crate::text::Palette).
    pub role: Role,
    /// Whether the bytes can be read. If not, the value says what is wrong.
    pub is_valid: bool,
}

/// How much of a message is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// How many elements of an array, entries of a dictionary, arguments and the like are explained
    /// one by one. One field has the others.
    pub items: usize,
    /// After about this many fields of a message, one field has the rest.
    pub fields: usize,
}

impl Default for Detail {
    /// 8 items and 2,000 fields.
    fn default() -> Detail {
        Detail { items: 8, fields: 2_000 }
    }
}

/// Explains bytes that are one value. `visit` is called with each field, and may stop early.
pub fn value<B>(
    options: impl Into<ReadOptions>,
    bytes: &[u8],
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let options = options.into();
    run(visit, |visit| {
        let mut out = Out::new(bytes, detail, visit);
        value::one(&mut out, options, bytes.len(), 0, format_args!("value"))?;
        out.rest(0, format_args!("bytes after the value"))
    })
}

/// Explains bytes that are one packet of the high-level multiplayer API, with the names of a context.
/// `visit` is called with each field, and may stop early.
pub fn packet<B>(
    protocol: Protocol,
    options: impl Into<ReadOptions>,
    bytes: &[u8],
    context: Context<'_>,
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let options = options.into();
    run(visit, |visit| {
        let mut out = Out::new(bytes, detail, visit);
        packet::one(&mut out, (protocol, options), context, bytes.len())
    })
}

/// Explains a message of a capture: the headers before it in its packet, and the message. `packets`
/// has the packets that were read last; without the message's own, only the message is explained.
/// `visit` is called with each field, and may stop early.
///
/// The fields are in sections, each with bytes and offsets of its own. A section begins with a field
/// without bytes. The first is the packet; for a message in several packets, the first and the last of
/// them, and the numbers of those between. For an ENet message, the first is the one with the beginning
/// of the message. Where the message does not stand in one packet as it is, another section has the bytes in
/// which it does: the message without the mask of WebSocket, the decompressed commands of ENet, or
/// the message that was put together.
#[cfg(feature = "capture")]
pub fn message<B>(
    message: &Message<'_>,
    packets: &Recent,
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    run(visit, |visit| message::one(Out::new(&[], detail, visit), message, packets))
}
