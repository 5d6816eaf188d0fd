//! Bytes that arrive in pieces.
//!
//! Over TCP, in files and from the remote debugger values come behind their length, and a
//! [`Framer`] finds them:
//!
//! ```
//! use gdwire::{Dialect, parse, stream::Framer};
//!
//! let mut framer = Framer::new();
//! // What one `read` of a socket gave, and what the next one did.
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
//! And they are written so:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use gdwire::{Dialect, encode, stream::write_frame};
//! use std::io::Write;
//!
//! fn send(stream: impl Write) -> Result<(), Box<dyn std::error::Error>> {
//!     write_frame(stream, &encode(Dialect::GODOT_3, "hi")?)?;
//!     Ok(())
//! }
//! # let mut sent = Vec::new();
//! # send(&mut sent)?;
//! # assert_eq!(sent[..8], [12, 0, 0, 0, 4, 0, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Framer`]: frames out of pieces; [`split_frame`]: out of a buffer of the caller's.
//! - [`write_frame`]: bytes as a frame, also those of `to_vec` of the feature `serde`;
//!   [`encode_frame`]: a value, to the end of a buffer.
//! - [`Scanner`]: values that stand back to back without a length.

#[cfg(feature = "alloc")]
mod framer;
mod scanner;
mod split;
mod text;
mod write;

#[cfg(feature = "alloc")]
pub use framer::Framer;
pub use scanner::{Progress, Scanner};
pub use split::{DEFAULT_FRAME_LIMIT, Split, split_frame};
#[cfg(feature = "codec")]
pub(crate) use write::append_frame;
#[cfg(feature = "alloc")]
pub use write::encode_frame;
pub use write::frame_prefix;
#[cfg(feature = "std")]
pub use write::write_frame;
