//! Reads and writes the binary Variant serialization of the Godot and Pandemonium engines,
//! outside of them.
//!
//! It is what `var2bytes`, `put_var`, `store_var` and remote calls put on the wire and into files.
//!
//! # Read a packet
//!
//! [`parse`] checks the bytes once and gives a view of them. It does not allocate, and nothing
//! that is asked of the view afterwards can fail.
//!
//! ```
//! use gdwire::{Dialect, Variant, encode, parse, variant};
//! # let packet = encode(Dialect::GODOT_3, &variant!({"id": 7, "name": "player_one"})).unwrap();
//!
//! let value = parse(Dialect::GODOT_3, &packet)?;
//! let name = value.get("name").and_then(|name| name.as_str());
//! assert_eq!(name, Some("player_one"));
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! # Read a stream
//!
//! ```
//! use gdwire::{Dialect, parse, stream::Framer};
//! use std::io::Read;
//!
//! fn listen(mut stream: impl Read) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut framer = Framer::new();
//!     let mut piece = [0; 4096];
//!     loop {
//!         let count = stream.read(&mut piece)?;
//!         if count == 0 {
//!             return Ok(());
//!         }
//!         framer.push(&piece[..count]);
//!         while let Some(frame) = framer.next_frame()? {
//!             println!("{:?}", parse(Dialect::GODOT_3, frame)?);
//!         }
//!     }
//! }
//! # listen(&[8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0][..]).unwrap();
//! ```
//!
//! # Send a value
//!
//! ```
//! use gdwire::{Dialect, encode, math::Vector3, variant};
//!
//! let packet = encode(Dialect::GODOT_3, &variant!({
//!     "id": 7,
//!     "position": Vector3::new(1.0, 2.0, 3.0),
//! }))?;
//! # assert_eq!(packet.len(), 60);
//! # Ok::<(), gdwire::EncodeError>(())
//! ```
//!
//! # Where to go on
//!
//! - [`VariantRef`] and [`view`]: what a view can tell, without a copy.
//! - [`walk`]: everything in a value in one pass; [`walk::events`] parses on the way.
//! - [`stream`]: values and frames that arrive in pieces.
//! - With the feature `codec`, `codec`: the same for tokio; with `bytes`, `VariantBytes`: a value
//!   that keeps its bytes.
//! - [`mod@encode`]: writing, also without a tree in memory and without an allocator.
//! - [`text`] and, with the feature `json`, `json`: values as text, written and read.
//! - With the features `glam` and `mint`, `interop`: the math types of glam, cgmath and others.
//! - With the feature `serde`, `serde`: your own types, read and written with `from_slice` and
//!   `to_vec`.
//! - With the feature `capture`, `capture`: the packets and datagrams of capture files.
//! - With the feature `net`, `net`: the engines' transports, for who reads along.
//! - [`multiplayer`]: the packets of the engines' remote calls.
//! - [`Variant`] and [`owned`]: values that own what they hold, and the [`variant!`] macro.
//! - [`grammar`]: the nom combinators, for grammars of your own.
//! - [`Dialect`]: which engine's numbers are on the wire; [`detect`] finds out.
//! - [`mod@convert`]: the same value in another dialect.
//!
//! # Hostile input
//!
//! Whatever the bytes are: no function panics, recurses or loops longer than they are, none
//! allocates more than a small multiple of them, and a reader that refuses says where and why.
//! Text is strictly UTF-8, up to the first NUL, where the engines end a string.
//!
//! # Features
//!
//! - `std` (default): writing to streams.
//! - `bytes`: `VariantBytes`, a value that keeps its bytes, with the crate `bytes`.
//! - `capture`: the module `capture`, with the crates `pcap-parser` and `etherparse`.
//! - `cli`: the command-line tool `gdwire`.
//! - `net`: the module `net`, the engines' transports, with the crate `httparse` (in `capture`).
//! - `codec`: the module `codec`, values over tokio's streams and datagrams, with the crate
//!   `tokio-util`.
//! - `glam`, `mint`: the module `interop`, conversions of math types from and to other crates.
//! - `json`: the lossless JSON of Godot 4, with the crate `json-event-parser`.
//! - `serde`: the module `serde`, with the crate of that name.
//! - `alloc`: owned values, `encode`, frames that are put together. Without it the crate needs
//!   neither an allocator nor the standard library.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Promises about input: the tests may break them.
#![warn(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(all(test, not(feature = "std")))]
extern crate std;

#[cfg(feature = "capture")]
pub mod capture;
#[cfg(feature = "codec")]
pub mod codec;
#[cfg(feature = "alloc")]
pub mod convert;
pub mod detect;
mod dialect;
pub mod encode;
mod error;
pub mod grammar;
#[cfg(any(feature = "glam", feature = "mint"))]
pub mod interop;
#[cfg(feature = "json")]
pub mod json;
mod kind;
pub mod math;
pub mod multiplayer;
#[cfg(feature = "net")]
pub mod net;
mod number;
#[cfg(feature = "alloc")]
pub mod owned;
mod parse;
#[cfg(feature = "serde")]
pub mod serde;
#[cfg(feature = "bytes")]
mod shared;
pub mod stream;
pub mod text;
mod trusted;
pub mod view;
pub mod walk;

pub use dialect::{Dialect, MAX_DEPTH};
#[cfg(feature = "alloc")]
pub use encode::encode;
#[cfg(feature = "std")]
pub use encode::encode_to_writer;
pub use encode::{Encode, EncodeError, encode_into, encode_to_slice, encoded_len};
pub use error::{Error, Problem, Reading};
pub use kind::Kind;
pub use number::{Component, F32Le, F64Le, I32Le, I64Le, Real};
#[cfg(feature = "alloc")]
pub use owned::{Array, Dictionary, ElementType, NodePath, Object, Signal, Variant};
pub use parse::{parse, parse_prefix, parse_streaming};
#[cfg(all(feature = "serde", feature = "alloc"))]
pub use serde::to_vec;
#[cfg(all(feature = "serde", feature = "std"))]
pub use serde::to_writer;
#[cfg(feature = "serde")]
pub use serde::{from_slice, from_slice_prefix, to_slice};
#[cfg(feature = "bytes")]
pub use shared::VariantBytes;
pub use view::{VariantRef, View};

/// What the macros of this crate need in the crates that use them.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec;
}

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
