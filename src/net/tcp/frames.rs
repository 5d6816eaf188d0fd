//! Messages behind their length.

use super::Piece;
use crate::net::sync::hunt::{Evidence, Look};
use crate::net::sync::{Event, Framing, Split, Synchronizer};
use crate::stream::{Split as FrameSplit, split_frame};
use core::fmt;

/// The length in front of a message is a `u32`.
const HEADER: usize = 4;

/// Takes the messages that come behind their length out of one direction of a connection.
///
/// A message inside of one piece is lent from it; one that spans pieces comes from a buffer that
/// is used again. Behind a gap, and in a stream that was seen from its middle on, the next message
/// is found again by what the messages of the stream are like. See [`super`] for an example.
#[derive(Clone, Debug)]
pub struct Frames {
    limit: u32,
    synchronizer: Synchronizer,
}

/// What comes next in a stream of messages. Together the events are the whole stream: every byte
/// is in a message, in the 4 bytes in front of one, or in what was lost.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum FrameEvent<'a> {
    /// A message.
    Message {
        /// Where its content is in the stream, behind the length.
        offset: u64,
        /// The content.
        bytes: &'a [u8],
    },
    /// Bytes that are not given as a message.
    Lost {
        /// Where they are in the stream.
        offset: u64,
        /// How many.
        bytes: u64,
        /// Why.
        why: Loss,
    },
}

/// Why bytes of a stream are not given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// The capture does not have them: a [`Piece::Gap`].
    Missing,
    /// Another part of their message is missing, or the stream ended in it.
    Broken,
    /// It is not certain where in them a message starts.
    Unsynchronized,
    /// A length that exceeds the limit. What follows it is searched for the next message.
    TooLong {
        /// What it says.
        length: u64,
        /// The most that is taken.
        limit: u64,
    },
    /// A header that the protocol does not have. What follows it is searched for the next message.
    Malformed,
    /// They came too late: a [`Piece::Late`]. They have no place in the stream, and are given
    /// with the offset 0.
    Late,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Missing => f.write_str("not in the capture"),
            Loss::Broken => f.write_str("of a message of which another part is missing"),
            Loss::Unsynchronized => f.write_str("it is not certain where a message starts in them"),
            Loss::TooLong { length, limit } => {
                write!(f, "a message of {length} bytes; {limit} are allowed")
            }
            Loss::Malformed => f.write_str("a header that the protocol does not have"),
            Loss::Late => f.write_str("they came too late"),
        }
    }
}

/// A `u32` with the length, and a message.
struct LengthPrefixed<'m> {
    limit: u32,
    is_message: &'m dyn Fn(&[u8]) -> bool,
}

impl Framing for LengthPrefixed<'_> {
    /// Numbers that a value often has in a row may read as a small frame: the array `[8, 5]` ends
    /// like the frame of the value 5. A null, `04000000 00000000`, speaks for nothing.
    const EVIDENCE: Evidence = Evidence {
        whole_segments: (1, 24),
        at_the_end: (1, 12),
        to_segment_end: (2, 32),
        anywhere: (4, 64),
        first: 36,
    };

    fn split(&self, bytes: &[u8]) -> Split {
        match split_frame(bytes, self.limit) {
            Ok(FrameSplit::Frame { frame, .. }) => Split::Frame(frame.len().saturating_add(HEADER)),
            Ok(FrameSplit::Needed(more)) => Split::Needed { more, is_all: bytes.len() >= HEADER },
            Err(_) => {
                let length = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
                let (length, limit) = (length.into(), self.limit.into());
                Split::Bad(HEADER, Loss::TooLong { length, limit })
            }
        }
    }

    fn look(&self, bytes: &[u8]) -> Look {
        // What is evidence is a value: no shorter than its type, and padded.
        let length =
            bytes.first_chunk().map_or(HEADER, |length| u32::from_le_bytes(*length) as usize);
        if length == 0 || !length.is_multiple_of(4) {
            return Look::No;
        }
        match split_frame(bytes, self.limit) {
            Ok(FrameSplit::Frame { frame, .. }) if (self.is_message)(frame) => {
                let length = frame.len().saturating_add(HEADER);
                let weight = u32::try_from(length).unwrap_or(u32::MAX);
                Look::Frame { length, weight: if length > 8 { weight } else { 0 } }
            }
            Ok(FrameSplit::Needed(more)) => Look::Needed(bytes.len().saturating_add(more)),
            _ => Look::No,
        }
    }
}

impl Frames {
    /// Takes messages of up to `limit` bytes; [`crate::stream::DEFAULT_FRAME_LIMIT`] is one.
    #[must_use]
    pub fn new(limit: u32) -> Frames {
        let most = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(HEADER);
        Frames { limit, synchronizer: Synchronizer::new(most) }
    }

    /// How many bytes are kept: no more than the limit and the 4 bytes of a length.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.synchronizer.buffered()
    }

    /// How much memory is taken.
    #[cfg(feature = "capture")]
    pub(crate) fn heap_bytes(&self) -> usize {
        self.synchronizer.heap_bytes()
    }

    /// From where on bytes of the stream are kept.
    #[cfg(feature = "capture")]
    pub(crate) fn kept_from(&self) -> Option<u64> {
        self.synchronizer.kept_from()
    }

    /// Whether it is searched for a message: one may be found in what came long before.
    #[cfg(feature = "capture")]
    pub(crate) fn is_searching(&self) -> bool {
        self.synchronizer.is_searching()
    }

    /// Takes what a [`super::Reassembler`] gives next.
    ///
    /// `is_message` tells whether bytes are a whole message of this stream. It is asked where it
    /// is not known where a message starts; once that is known, what comes behind a length is
    /// given whatever it is.
    pub fn push(
        &mut self,
        piece: Piece<'_>,
        is_message: &dyn Fn(&[u8]) -> bool,
        sink: &mut dyn FnMut(FrameEvent<'_>),
    ) {
        let framing = LengthPrefixed { limit: self.limit, is_message };
        self.synchronizer.push(piece, &framing, &mut |event| sink(FrameEvent::of(event)));
    }

    /// Ends the input: what is kept is given, or lost.
    pub fn finish(
        &mut self,
        is_message: &dyn Fn(&[u8]) -> bool,
        sink: &mut dyn FnMut(FrameEvent<'_>),
    ) {
        let framing = LengthPrefixed { limit: self.limit, is_message };
        self.synchronizer.finish(&framing, &mut |event| sink(FrameEvent::of(event)));
    }
}

impl<'a> FrameEvent<'a> {
    fn of(event: Event<'a>) -> FrameEvent<'a> {
        match event {
            Event::Frame { offset, bytes } => FrameEvent::Message {
                offset: offset.saturating_add(HEADER as u64),
                bytes: bytes.get(HEADER..).unwrap_or(&[]),
            },
            Event::Lost { offset, bytes, why } => FrameEvent::Lost { offset, bytes, why },
        }
    }
}

impl fmt::Debug for FrameEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameEvent::Message { offset, bytes } => f
                .debug_struct("Message")
                .field("offset", offset)
                .field("len", &bytes.len())
                .finish(),
            FrameEvent::Lost { offset, bytes, why } => f
                .debug_struct("Lost")
                .field("offset", offset)
                .field("bytes", bytes)
                .field("why", why)
                .finish(),
        }
    }
}
