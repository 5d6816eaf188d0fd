//! TCP as an observer sees it: segments in, the bytes of the stream out, and the messages in them.
//!
//! A [`Reassembler`] puts one direction of a connection in order, and [`Frames`] takes from it the
//! messages that come behind their length, as `PacketPeerStream`, `StreamPeer.put_var` and the
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
//!             FrameEvent::Message { bytes, .. } => values.push(parse(Dialect::GODOT_3, bytes).ok().and_then(|value| value.as_i64())),
//!             lost => println!("{lost:?}"),
//!         });
//!     });
//! }
//! assert_eq!(values, [Some(42)]);
//! ```
//!
//! Nothing is lost without a word: what the capture does not have is a [`Piece::Gap`], and every
//! byte of the stream is in a message with its length, or in a [`FrameEvent::Lost`].

mod frames;
mod held;
mod reassembler;

pub use frames::{FrameEvent, Frames, Loss};
pub use reassembler::Reassembler;

use core::fmt;

/// One segment of one direction of a connection.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Segment<'a> {
    /// The sequence number of the payload's first byte, or of the SYN.
    pub sequence: u32,
    /// Whether it opens the stream.
    pub is_syn: bool,
    /// Whether it ends the stream.
    pub is_fin: bool,
    /// Whether it aborts the connection. Its payload is not of the stream.
    pub is_reset: bool,
    /// Its payload, as far as it was captured.
    pub payload: &'a [u8],
    /// How many bytes of the payload, at its end, were not captured.
    pub missing: usize,
}

impl<'a> Segment<'a> {
    /// A segment without flags, of which everything was captured.
    #[must_use]
    pub const fn new(sequence: u32, payload: &'a [u8]) -> Segment<'a> {
        Segment { sequence, is_syn: false, is_fin: false, is_reset: false, payload, missing: 0 }
    }

    /// The same with the flag SYN: it opens the stream.
    #[must_use]
    pub const fn with_syn(self) -> Segment<'a> {
        Segment { is_syn: true, ..self }
    }

    /// The same with the flag FIN: it ends the stream.
    #[must_use]
    pub const fn with_fin(self) -> Segment<'a> {
        Segment { is_fin: true, ..self }
    }

    /// The same with the flag RST: it aborts the connection.
    #[must_use]
    pub const fn with_reset(self) -> Segment<'a> {
        Segment { is_reset: true, ..self }
    }

    /// The same with so many bytes behind the payload that were not captured.
    #[must_use]
    pub const fn with_missing(self, missing: usize) -> Segment<'a> {
        Segment { missing, ..self }
    }
}

impl fmt::Debug for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment")
            .field("sequence", &self.sequence)
            .field("is_syn", &self.is_syn)
            .field("is_fin", &self.is_fin)
            .field("is_reset", &self.is_reset)
            .field("len", &self.payload.len())
            .field("missing", &self.missing)
            .finish()
    }
}

/// What comes next in a stream.
///
/// Offsets count from the stream's first byte, or from the first one that was seen if the
/// capture began later. [`Piece::Data`] and [`Piece::Gap`] follow each other without a hole.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// A SYN was seen: a stream begins here, at offset 0, and the one before it is over. Without
    /// one, what comes first is from the middle of a stream.
    Start,
    /// Bytes of the stream. Each piece is of one segment, whole or a part of it.
    Data {
        /// The number of that segment, counted from 0 in the order in which they were given to the
        /// [`Reassembler`]. Not always the one given last: a segment may have been held. Nothing
        /// else looks at it: bytes of a stream that comes in order may all have the same.
        segment: u64,
        /// Where they are in the stream.
        offset: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// Bytes of the stream that the capture does not have, or has too late.
    Gap {
        /// Where they are in the stream.
        offset: u64,
        /// How many.
        bytes: u64,
        /// How it is known that they do not come any more.
        reason: GapReason,
    },
    /// Bytes that came too late to be put in front of what was given first, or lie so far behind
    /// that they cannot be of this stream.
    Late {
        /// How many.
        bytes: u64,
    },
    /// The stream is over.
    End(End),
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Start => f.write_str("Start"),
            Piece::Data { segment, offset, bytes } => f
                .debug_struct("Data")
                .field("segment", segment)
                .field("offset", offset)
                .field("len", &bytes.len())
                .finish(),
            Piece::Gap { offset, bytes, reason } => f
                .debug_struct("Gap")
                .field("offset", offset)
                .field("bytes", bytes)
                .field("reason", reason)
                .finish(),
            Piece::Late { bytes } => f.debug_struct("Late").field("bytes", bytes).finish(),
            Piece::End(end) => f.debug_tuple("End").field(end).finish(),
        }
    }
}

/// How it is known that the bytes of a gap do not come any more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GapReason {
    /// The other end has acknowledged them, and a good while later they have not been seen.
    Acknowledged,
    /// The capture has only the start of the segment, and the other end has acknowledged it.
    Cut,
    /// As much as the limit allows was held back for them.
    Limit,
    /// The input ended, or another stream began.
    Finished,
}

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// By a FIN: the sender had no more to send.
    Fin,
    /// By a RST: the sender gave the connection up.
    Reset,
}
