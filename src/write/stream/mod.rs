//! Reads and writes the frames of streams: values that follow their length.
//!
//! Over TCP, in files and from the remote debugger, the length of each value precedes it. Both
//! together are a frame. A [`FrameReader`] reads frames, [`write_frame`] writes them:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, encode, parse, stream::{FrameReader, write_frame}, variant};
//! use std::io::{Read, Write};
//!
//! fn answer(game: impl Read, mut out: impl Write) -> Result<(), Box<dyn std::error::Error>> {
//!     let mut frames = FrameReader::new(game);
//!     while let Some(frame) = frames.next_frame()? {
//!         let value = parse(Dialect::GODOT_3, frame)?;
//!         let name = value.get("name").and_then(|name| name.as_str()).unwrap_or("you");
//!         write_frame(&mut out, &encode(Dialect::GODOT_3, &variant!({ "hello": name }))?)?;
//!     }
//!     Ok(())
//! }
//! # let (mut asked, mut answered) = (Vec::new(), Vec::new());
//! # write_frame(&mut asked, &encode(Dialect::GODOT_3, &variant!({ "name": "player_one" }))?)?;
//! # answer(&asked[..], &mut answered)?;
//! # let mut frames = FrameReader::new(&answered[..]);
//! # let frame = frames.next_frame()?.ok_or("no answer")?;
//! # let name = parse(Dialect::GODOT_3, frame)?.get("hello").and_then(|name| name.as_str());
//! # assert_eq!(name, Some("player_one"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If your program reads the stream itself, push each piece that arrives to a [`Framer`]:
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use gdwire::{Dialect, parse, stream::Framer};
//!
//! let mut framer = Framer::new();
//! // The pieces that two calls of `read` on a socket returned.
//! for piece in [&[8, 0, 0, 0, 2, 0][..], &[0, 0, 42, 0, 0, 0, 8, 0]] {
//!     framer.push(piece);
//!     while let Some(frame) = framer.next_frame()? {
//!         assert_eq!(parse(Dialect::GODOT_3, frame)?.as_i64(), Some(42));
//!     }
//! }
//! assert_eq!(framer.needed(), 2);
//! # Ok::<(), gdwire::Error>(())
//! ```
//!
//! - [`FrameReader`] reads frames from a stream, [`Framer`] from pieces, and [`split_frame`] from
//!   your own buffer.
//! - [`write_frame`] writes encoded bytes as a frame, such as those of [`crate::encode()`] or
//!   `to_vec`. [`encode_frame`] appends a value as a frame to a buffer.
//! - [`Scanner`] finds the ends of values that follow each other without a length.

#[cfg(feature = "alloc")]
mod framer;
#[cfg(feature = "std")]
mod reader;
mod scanner;
mod split;
mod text;
mod write;

#[cfg(feature = "alloc")]
pub use framer::Framer;
#[cfg(feature = "std")]
pub use reader::FrameReader;
pub use scanner::{Progress, Scanner};
#[cfg(feature = "std")]
pub(crate) use split::cut_off;
pub use split::{DEFAULT_FRAME_LIMIT, Split, split_frame};
#[cfg(feature = "codec")]
pub(crate) use write::append_frame;
#[cfg(feature = "alloc")]
pub use write::encode_frame;
pub use write::frame_prefix;
#[cfg(feature = "std")]
pub use write::write_frame;
