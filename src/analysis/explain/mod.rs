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
mod body;
#[cfg(feature = "capture")]
mod enet;
mod field;
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
mod peers;
#[cfg(feature = "capture")]
mod recent;
#[cfg(feature = "capture")]
mod stream;
mod text;
mod value;

pub use field::{Detail, Field};
#[cfg(feature = "capture")]
pub use message::message;
pub use packet::packet;
#[cfg(feature = "capture")]
pub use recent::Recent;
pub use value::value;
