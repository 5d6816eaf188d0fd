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
mod measure;
mod reassembler;

use super::Between;
use core::fmt;
pub(crate) use frames::TakeFrameEvents;
pub use frames::{FrameEvent, Frames};
pub use measure::Meter;
pub use reassembler::Reassembler;

/// The largest window, in bytes. Bytes that are farther away do not belong to the stream.
const WINDOW: u32 = 1 << 30;

/// A segment that was captured before the SYN of its stream is less than this many bytes after the
/// SYN.
pub(crate) const REORDERED: u32 = 1 << 16;

/// How far sequence numbers jump at most where the capture lacks segments, or where bytes are sent
/// again. A number that is farther away belongs to another stream.
pub(crate) const FAR: u32 = 1 << 20;

/// A segment of one direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segment<'a, T = ()> {
    /// The sequence number of the payload's first byte, or of the SYN.
    pub sequence: u32,
    /// Whether it opens the stream: SYN.
    pub is_syn: bool,
    /// Whether it ends the stream: FIN.
    pub is_fin: bool,
    /// Whether it aborts the connection: RST. Its payload does not belong to the stream.
    pub is_reset: bool,
    /// The captured part of its payload.
    pub payload: &'a [u8],
    /// How many bytes at the end of the payload were not captured.
    pub missing: usize,
    /// The caller's tag, which the messages in it get.
    pub tag: T,
}

impl<'a> Segment<'a> {
    /// A segment without flags and without a tag that was captured completely.
    #[must_use]
    pub const fn new(sequence: u32, payload: &'a [u8]) -> Segment<'a> {
        let (is_syn, is_fin, is_reset) = (false, false, false);
        Segment { sequence, is_syn, is_fin, is_reset, payload, missing: 0, tag: () }
    }
}

impl<T> Segment<'_, T> {
    /// How many sequence numbers it takes: one for each byte of its payload, for a SYN and for a
    /// FIN.
    pub(crate) const fn sequence_len(&self) -> u32 {
        let bytes = self.payload.len().wrapping_add(self.missing);
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
        let bytes = bytes as u32;
        bytes.wrapping_add(self.is_syn as u32).wrapping_add(self.is_fin as u32)
    }

    /// The sequence number after it.
    pub(crate) const fn end(&self) -> u32 {
        self.sequence.wrapping_add(self.sequence_len())
    }
}

impl<'a, T: Copy> Segment<'a, T> {
    /// This segment, with the flag SYN: it opens the stream.
    #[must_use]
    pub const fn with_syn(self) -> Segment<'a, T> {
        Segment { is_syn: true, ..self }
    }

    /// This segment, with the flag FIN: it ends the stream.
    #[must_use]
    pub const fn with_fin(self) -> Segment<'a, T> {
        Segment { is_fin: true, ..self }
    }

    /// This segment, with the flag RST: it aborts the connection.
    #[must_use]
    pub const fn with_reset(self) -> Segment<'a, T> {
        Segment { is_reset: true, ..self }
    }

    /// This segment, with a number of bytes at the end of the payload that were not captured.
    #[must_use]
    pub const fn with_missing(self, missing: usize) -> Segment<'a, T> {
        Segment { missing, ..self }
    }

    /// This segment, with a tag of the caller's choice, for example the number of its packet.
    #[must_use]
    pub const fn with_tag<U: Copy>(self, tag: U) -> Segment<'a, U> {
        let Segment { sequence, is_syn, is_fin, is_reset, payload, missing, .. } = self;
        Segment { sequence, is_syn, is_fin, is_reset, payload, missing, tag }
    }
}

impl<T: fmt::Debug> fmt::Debug for Segment<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Segment { sequence, is_syn, is_fin, is_reset, payload, missing, tag, .. } = self;
        debug_fields!(f, Segment {
            sequence, is_syn, is_fin, is_reset, len = payload.len(), missing, tag
        })
    }
}

/// The next piece of a stream, from a [`Reassembler`].
///
/// Offsets count from the stream's first byte, or from the first one that was seen if the capture
/// began later. [`Piece::Data`] and [`Piece::Gap`] together cover every byte of the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece<'a, T = ()> {
    /// A SYN was seen: a stream begins here, at offset 0, and the stream before it is over. If the
    /// first piece of all is not a `Start`, the stream is seen from its middle on.
    Start,
    /// Bytes of the stream: one segment, or a part of one.
    Data {
        /// The tag of that segment. It is not always the latest one, because a segment may be held
        /// back.
        tag: T,
        /// Their offset in the stream.
        offset: u64,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Bytes of the stream that were not captured, or were captured too late.
    Gap {
        /// Their offset in the stream.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// Why they are no longer waited for.
        reason: GapReason,
        /// The segments with the bytes before and after them.
        between: &'a Between<T>,
    },
    /// Bytes before offset 0, or so far from the stream that they cannot belong to it.
    Late {
        /// How many bytes.
        bytes: u64,
    },
    /// The stream is over, unless more of it follows: its end may be forged.
    End(End),
}

impl<T: fmt::Debug> fmt::Debug for Piece<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Start => f.write_str("Start"),
            Piece::Data { tag, offset, payload } => {
                debug_fields!(f, Data { tag, offset, len = payload.len() })
            }
            Piece::Gap { offset, bytes, reason, between } => {
                debug_fields!(f, Gap { offset, bytes, reason, between })
            }
            Piece::Late { bytes } => f.debug_struct("Late").field("bytes", bytes).finish(),
            Piece::End(end) => f.debug_tuple("End").field(end).finish(),
        }
    }
}

/// Why the bytes of a gap are no longer waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GapReason {
    /// The other end acknowledged them, and they were not seen for some packets after that.
    Acknowledged,
    /// The capture has only the start of their segment, and the other end acknowledged it.
    Cut,
    /// The limit for segments that are held back was reached.
    Limit,
    /// The input ended, or another stream began.
    Finished,
}

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// With a FIN: the sender had nothing more to send.
    Fin,
    /// With a RST: the sender aborted the connection.
    Reset,
}

/// Why bytes of a stream are not delivered as a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LossReason {
    /// The capture does not have them: a [`Piece::Gap`].
    Missing,
    /// Another part of their message is missing.
    Broken,
    /// The stream, or the capture, ended within their message.
    Unfinished,
    /// They follow a gap, and it is not certain where the next message starts.
    Unsynchronized,
    /// The length of a message exceeds the limit. The next message is searched for after it.
    TooLong {
        /// The length, in bytes. A compressed message is decompressed up to the limit, so it may be
        /// longer.
        len: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A header is invalid. The next message is searched for after it.
    Malformed,
    /// They were captured too late: a [`Piece::Late`]. They no longer have a
    /// place in the stream, so their offset is given as 0.
    Late,
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossReason::Missing => f.write_str("not seen"),
            LossReason::Broken => f.write_str("another part of their message is missing"),
            LossReason::Unfinished => f.write_str("an incomplete message at the end of the stream"),
            LossReason::Unsynchronized => {
                f.write_str("skipped, because it is not certain where the next message starts")
            }
            LossReason::TooLong { len, limit } => {
                write!(f, "a message of {len} bytes exceeds the limit of {limit}")
            }
            LossReason::Malformed => f.write_str("the header is invalid"),
            LossReason::Late => f.write_str("seen too late"),
        }
    }
}
