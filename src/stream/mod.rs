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
//! Values that stand back to back without a length are found by a [`Scanner`].

#[cfg(feature = "alloc")]
mod framer;
mod scanner;
mod split;
mod text;

#[cfg(feature = "alloc")]
pub use framer::Framer;
pub use scanner::{Progress, Scanner};
pub use split::{DEFAULT_FRAME_LIMIT, Split, split_frame};
