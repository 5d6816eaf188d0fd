//! Reads streams that gzip, Zstandard or LZ4 compressed, such as captures.
//!
//! [`Decompressor`] wraps a stream and detects by its first bytes whether it is compressed. A
//! stream that is not compressed is read as it is, so every file can be read through it:
//!
#![cfg_attr(feature = "capture", doc = "```")]
#![cfg_attr(not(feature = "capture"), doc = "```ignore")]
//! use gdwire::capture::PacketReader;
//! use gdwire::compression::Decompressor;
//! # use std::fs::File;
//! # use std::io::Write;
//!
//! # let capture = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-udp.pcapng"))?;
//! # let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
//! # gzip.write_all(&capture)?;
//! # let file = gzip.finish()?;
//! # let file = &file[..]; /*
//! let file = File::open("session.pcapng.gz")?;
//! # */
//! let mut packets = PacketReader::new(Decompressor::new(file));
//! let mut count = 0;
//! while let Some(packet) = packets.next_packet()? {
//!     count += 1;
//! }
//! # assert_eq!(count, 72);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `capture`, `net::enet::Decompressor` decompresses datagrams of ENet in more formats.

mod decompressor;
mod error;
#[cfg(any(feature = "capture", feature = "save"))]
pub(crate) mod fastlz;
mod format;
mod frames;
mod gzip;
mod lz4;
#[cfg(feature = "capture")]
mod packets;
mod source;
mod zstandard;

pub use decompressor::Decompressor;
pub use error::{Error, Problem};
pub use format::Format;
#[cfg(feature = "capture")]
pub(crate) use packets::{Inflate, Zstandard};
