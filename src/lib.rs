//! Reads and writes the binary Variant serialization of the Godot and Pandemonium engines,
//! outside of them.
//!
//! It is what `var2bytes`, `put_var`, `store_var` and remote calls put on the wire and into files.
//!
//! # Read one packet
//!
//! [`parse`] checks the bytes once and gives a view of them. It does not allocate, and nothing
//! that is asked of the view afterwards can fail.
//!
//! ```
//! use gdwire::{Dialect, parse};
//!
//! let packet = b"\x12\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hp\0\0\x02\0\0\0\x57\0\0\0"; // {"hp": 87}
//! let value = parse(Dialect::GODOT_3, packet)?;
//! assert_eq!(value.get("hp").and_then(|hp| hp.as_i64()), Some(87));
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! # Read a stream
//!
//! On a `TcpStream`, and in a file that `store_var` wrote, each value stands behind its length.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, parse, stream::FrameReader};
//!
//! let stream = &[8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0][..]; // or a `TcpStream`
//! let mut frames = FrameReader::new(stream);
//! while let Some(frame) = frames.next_frame()? {
//!     println!("{:?}", parse(Dialect::GODOT_3, frame)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Send a value
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, encode, math::Vector3, stream::write_frame, variant};
//!
//! let state = variant!({ "id": 7, "position": Vector3::new(1.0, 2.0, 3.0) });
//! let packet = encode(Dialect::GODOT_3, &state)?; // for a datagram
//!
//! let mut stream = Vec::new(); // or a `TcpStream`
//! write_frame(&mut stream, &packet)?;
//! # assert_eq!((packet.len(), stream.len()), (60, 64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # And with a feature
//!
//! Your own types, as with `serde_json`: see [`typed`].
//!
#![cfg_attr(all(feature = "serde", feature = "alloc"), doc = "```")]
#![cfg_attr(not(all(feature = "serde", feature = "alloc")), doc = "```ignore")]
//! # use gdwire::Dialect;
//! # #[derive(serde::Serialize, serde::Deserialize)]
//! # struct State { hp: i32 }
//! # let state = State { hp: 87 };
//! let packet = gdwire::to_vec(Dialect::GODOT_3, &state)?;
//! let state: State = gdwire::from_slice(Dialect::GODOT_3, &packet)?;
//! # assert_eq!(state.hp, 87);
//! # Ok::<(), gdwire::typed::Error>(())
//! ```
//!
//! Values over tokio's streams and datagrams: see [`codec`].
//!
#![cfg_attr(feature = "codec", doc = "```")]
#![cfg_attr(not(feature = "codec"), doc = "```ignore")]
//! # use futures_util::StreamExt;
//! # use gdwire::{Dialect, codec::{CodecError, ValueCodec}};
//! # async fn listen(stream: tokio::net::TcpStream) -> Result<(), CodecError> {
//! let mut values = tokio_util::codec::Framed::new(stream, ValueCodec::new(Dialect::GODOT_3));
//! while let Some(value) = values.next().await { println!("{:?}", value?.view()); }
//! # Ok(())
//! # }
//! ```
//!
//! Everything that is said in a capture file, whatever carried it: see [`capture`].
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! # use gdwire::capture::{Error, Messages};
//! # fn listen(file: &[u8]) -> Result<(), Error> {
//! let mut messages = Messages::new(&file)?;
//! while let Some(event) = messages.next_event() { println!("{event:?}"); }
//! # Ok(())
//! # }
//! ```
//!
//! # Where to go on
//!
//! - [`Dialect`]: which engine's numbers are on the wire; [`detect`] finds out.
//! - [`VariantRef`] and [`view`]: what a view can tell, without a copy.
//! - [`Variant`] and [`owned`]: values that own what they hold, and the [`variant!`] macro.
//! - [`walk`]: everything in a value in one pass; [`walk::events`] parses on the way.
//! - [`mod@encode`]: writing, also without a tree in memory and without an allocator.
//! - [`stream`]: values and frames that arrive in pieces.
//! - [`text`]: the engine's own literals, written and read.
//! - [`mod@convert`]: the same value in another dialect.
//! - [`multiplayer`]: the packets of the engines' remote calls.
//! - [`grammar`]: the nom combinators, for grammars of your own.
//!
//! # Features
//!
//! | feature | gives | with the crate |
//! |---|---|---|
//! | `std` (default) | reading and writing streams | |
//! | `alloc` (in `std`) | owned values, [`encode`](encode()), frames that are put together, reading literals | |
//! | `bytes` | [`VariantBytes`], a value that keeps its bytes | `bytes` 1 |
//! | `capture` | [`capture`], the packets, datagrams and messages of capture files | |
//! | `codec` | [`codec`], values over tokio's streams and datagrams | `tokio-util` 0.7 |
//! | `glam` | [`interop`], math types from and to glam's, arrays of them in place | `glam` 0.34 |
//! | `json` | [`json`], the native JSON of Godot 4, written and read | `json-event-parser` 0.2 |
//! | `mint` | [`interop`], math types from and to `mint`'s, and so nalgebra's and others | `mint` 0.5 |
//! | `net` (in `capture`) | [`net`], the engines' transports, for who reads along | |
//! | `serde` | [`typed`], your own types, with [`from_slice`] and [`to_vec`] | `serde` 1 |
//! | `cli` | the command-line tool `gdwire` | |
//!
//! Without any the crate needs neither an allocator nor the standard library. The crates named are
//! those whose types are in the interface of the feature; without a feature there are only those of
//! nom 8, and the marker traits of bytemuck 1.
//!
//! # Hostile input
//!
//! Whatever the bytes are: no function panics, none that reads them recurses or loops longer than
//! they are or allocates more than a small multiple of them, and a reader that refuses says where
//! and why. Text is strictly UTF-8, up to the first NUL, where the engines end a string.
//!
//! What recurses is what follows values in memory, as deep as they are nested: to clone, compare,
//! print and drop a [`Variant`], and to read with serde a type of your own that contains itself.
//! [`MAX_DEPTH`], 1024, bounds that for what comes from the wire. For the former the 2 MiB that a
//! thread has are enough in every build, for the latter in an optimized one: without optimization,
//! or on a smaller stack, read with a [`ReadOptions::max_depth`] of a few hundred. How deep a [`Variant`] from
//! another format may be, that format's reader says.
//!
#![cfg_attr(feature = "serde", doc = "[`typed`]: crate::typed")]
#![cfg_attr(not(feature = "serde"), doc = "[`typed`]: #features")]
#![cfg_attr(feature = "codec", doc = "[`codec`]: crate::codec")]
#![cfg_attr(not(feature = "codec"), doc = "[`codec`]: #features")]
#![cfg_attr(feature = "capture", doc = "[`capture`]: crate::capture")]
#![cfg_attr(not(feature = "capture"), doc = "[`capture`]: #features")]
#![cfg_attr(feature = "json", doc = "[`json`]: crate::json")]
#![cfg_attr(not(feature = "json"), doc = "[`json`]: #features")]
#![cfg_attr(feature = "net", doc = "[`net`]: crate::net")]
#![cfg_attr(not(feature = "net"), doc = "[`net`]: #features")]
#![cfg_attr(feature = "bytes", doc = "[`VariantBytes`]: crate::VariantBytes")]
#![cfg_attr(not(feature = "bytes"), doc = "[`VariantBytes`]: #features")]
#![cfg_attr(any(feature = "glam", feature = "mint"), doc = "[`interop`]: crate::interop")]
#![cfg_attr(not(any(feature = "glam", feature = "mint")), doc = "[`interop`]: #features")]
#![cfg_attr(feature = "serde", doc = "[`from_slice`]: crate::from_slice")]
#![cfg_attr(not(feature = "serde"), doc = "[`from_slice`]: #features")]
#![cfg_attr(all(feature = "serde", feature = "alloc"), doc = "[`to_vec`]: crate::to_vec")]
#![cfg_attr(not(all(feature = "serde", feature = "alloc")), doc = "[`to_vec`]: #features")]
#![cfg_attr(
    not(feature = "std"),
    allow(rustdoc::broken_intra_doc_links, reason = "what is linked may be left out")
)]
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
#[cfg(feature = "bytes")]
mod shared;
pub mod stream;
pub mod text;
mod trusted;
#[cfg(feature = "serde")]
pub mod typed;
pub mod view;
pub mod walk;

pub use dialect::{Dialect, MAX_DEPTH, ReadOptions};
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
#[cfg(feature = "bytes")]
pub use shared::VariantBytes;
#[cfg(all(feature = "serde", feature = "alloc"))]
pub use typed::to_vec;
#[cfg(all(feature = "serde", feature = "std"))]
pub use typed::to_writer;
#[cfg(feature = "serde")]
pub use typed::{from_slice, from_slice_prefix, to_slice};
pub use view::{VariantRef, View};

/// What the macros of this crate need in the crates that use them.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec;
}

#[cfg(all(
    doctest,
    feature = "capture",
    feature = "codec",
    feature = "glam",
    feature = "mint",
    feature = "serde"
))]
#[doc = include_str!("../README.md")]
struct Readme;
