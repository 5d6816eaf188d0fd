//! Reads TCP as a passive observer: segments in, the bytes of the stream and its messages out.
//!
//! A [`Reassembler`] puts the segments of one direction of a connection in order. [`Frames`] splits
//! its output into length-prefixed messages, as `PacketPeerStream`, `StreamPeer.put_var` and the
//! remote debugger send them:
//!
//! ```
//! use gdwire::net::tcp::{FrameEvent, Frames, Reassembler, Segment};
//! use gdwire::{Dialect, parse, stream::DEFAULT_FRAME_LIMIT};
//!
//! let segments = [
//!     Segment::new(99, &[]).with_syn(),
//!     Segment::new(108, &[42, 0, 0, 0]), // overtook the next one
//!     Segment::new(100, &[8, 0, 0, 0, 2, 0, 0, 0]),
//! ];
//! let mut stream = Reassembler::new(1 << 20);
//! let mut frames = Frames::new(DEFAULT_FRAME_LIMIT);
//! let is_message = |bytes: &[u8]| parse(Dialect::GODOT_3, bytes).is_ok();
//! let mut values = Vec::new();
//! for segment in segments {
//!     stream.push(segment, &mut |piece| {
//!         frames.push(piece, &is_message, &mut |event| match event {
//!             FrameEvent::Message { payload, .. } => values.push(parse(Dialect::GODOT_3, payload).ok().and_then(|value| value.as_i64())),
//!             lost => println!("{lost:?}"),
//!         });
//!     });
//! }
//! assert_eq!(values, [Some(42)]);
//! ```
//!
//! A segment may have a tag, for example the number of its packet or the time of its capture:
//! [`Segment::with_tag`]. A message has the [joined](crate::net::Tag) tag of the segments that
//! carried it.
//!
//! Every loss is reported: bytes that the capture does not have are a [`Piece::Gap`], and each byte
//! of the stream belongs to a message, to a message's length, or to a [`FrameEvent::Lost`].

mod frames;
mod held;
mod loss;
mod measure;
mod piece;
mod reassembler;
mod segment;

pub use frames::{FrameEvent, Frames};
pub use loss::LossReason;
pub use measure::Meter;
pub use piece::{End, GapReason, Piece};
pub use reassembler::Reassembler;
pub use segment::Segment;
