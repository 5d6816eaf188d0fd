//! Splits a TCP stream into length-prefixed messages.

use super::{LossReason, Piece};
use crate::net::Tag;
use crate::net::sync::hunt::{ChainEvidence, FrameLook, FrameSearch};
use crate::net::sync::{Frame, FrameSynchronizer, Framing, HeaderSplit, TakeFrames};
use crate::write::stream::{Split as FrameSplit, split_frame};
use core::fmt;

/// The length of a message is a `u32` before it.
const HEADER: usize = 4;

/// The length before a null.
const NULL: [u8; HEADER] = [4, 0, 0, 0];

/// The types of null, booleans, integers and reals are the first ones in all dialects.
const LAST_NUMBER: u8 = 3;
const LONGEST_NUMBER: u32 = 12;

/// All types have smaller numbers.
const TYPES: u8 = 64;

/// Splits one direction of a connection into length-prefixed messages.
///
/// A message within one piece is borrowed from it. A message that spans several pieces is
/// reassembled in a buffer that is reused. After a gap, and in a stream that is seen from its
/// middle on, the next message is searched for: a place is accepted if several valid messages
/// follow each other from there. See [`super`] for an example.
#[derive(Clone, Debug)]
pub struct Frames<T = ()> {
    limit: u32,
    synchronizer: FrameSynchronizer<T>,
}

/// The next event in a stream of messages. The events cover the whole stream: each byte belongs to
/// a message, to the 4 bytes of its length, or to a loss.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameEvent<'a, T = ()> {
    /// A message.
    Message {
        /// The offset of its content in the stream, after the length.
        offset: u64,
        /// The content.
        payload: &'a [u8],
        /// The [joined](crate::net::Tag) tag of the segments that carried it.
        tag: T,
    },
    /// Bytes that could not be delivered as a message.
    Lost {
        /// Their offset in the stream.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// Why they could not be delivered.
        reason: LossReason,
    },
}

/// Takes the events of a stream. Messages have a function of their own, because there are many. A
/// closure takes everything.
pub(crate) trait TakeFrameEvents<T> {
    fn message(&mut self, offset: u64, payload: &[u8], tag: T);
    fn lost(&mut self, offset: u64, bytes: u64, reason: LossReason);
}

impl<T, F: FnMut(FrameEvent<'_, T>) + ?Sized> TakeFrameEvents<T> for F {
    fn message(&mut self, offset: u64, payload: &[u8], tag: T) {
        self(FrameEvent::Message { offset, payload, tag });
    }

    fn lost(&mut self, offset: u64, bytes: u64, reason: LossReason) {
        self(FrameEvent::Lost { offset, bytes, reason });
    }
}

/// Passes on the messages in frames.
struct FrameSink<'s, S: ?Sized>(&'s mut S);

impl<T: Tag, S: TakeFrameEvents<T> + ?Sized> TakeFrames<T, ()> for FrameSink<'_, S> {
    #[inline(always)]
    fn frame(&mut self, Frame { offset, content, tag, .. }: Frame<'_, T, ()>) {
        self.0.message(offset + HEADER as u64, content, *tag);
    }

    fn lost(&mut self, offset: u64, bytes: u64, reason: LossReason) {
        self.0.lost(offset, bytes, reason);
    }
}

/// The framing: a `u32` with the length, and a message.
struct LengthPrefixed<'m> {
    limit: u32,
    is_message: &'m dyn Fn(&[u8]) -> bool,
}

impl Framing for LengthPrefixed<'_> {
    type Header = ();

    fn longest(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX).saturating_add(HEADER)
    }

    fn split<'b>(&self, bytes: &'b [u8]) -> HeaderSplit<'b, ()> {
        match split_frame(bytes, self.limit) {
            Ok(FrameSplit::Frame { frame, rest }) => {
                HeaderSplit::Frame { header: (), content: frame, after: rest }
            }
            Ok(FrameSplit::Needed(more)) if bytes.len() < HEADER => HeaderSplit::CutHeader(more),
            Ok(FrameSplit::Needed(more)) => HeaderSplit::CutContent(more),
            Err(_) => {
                let length = bytes.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
                let (length, limit) = (length.into(), self.limit.into());
                HeaderSplit::Bad(HEADER, LossReason::TooLong { len: length, limit })
            }
        }
    }
}

/// Searches for frames with values. Only values are evidence for a frame.
impl FrameSearch for LengthPrefixed<'_> {
    /// Bytes within a value may read as a small frame: the array `[8, 5]` ends like the frame of
    /// the value 5. A null, `04000000 00000000`, is no evidence at all.
    const EVIDENCE: ChainEvidence = ChainEvidence {
        whole_segments: (1, 24),
        at_the_end: (1, 12),
        to_segment_end: (2, 32),
        anywhere: (4, 64),
        first: 36,
    };

    fn next_start(&self, bytes: &[u8]) -> Option<usize> {
        let may_start = |at: &usize| {
            bytes.get(*at..).is_some_and(|rest| !rest.starts_with(&NULL) && self.may_be_frame(rest))
        };
        (0..bytes.len()).find(may_start)
    }

    fn look(&self, bytes: &[u8], limit: usize) -> FrameLook {
        if !self.may_be_frame(bytes) {
            return FrameLook::No(None);
        }
        match split_frame(bytes, self.limit) {
            Ok(FrameSplit::Frame { frame, .. }) if frame.len() > limit => FrameLook::No(None),
            Ok(FrameSplit::Frame { frame, .. }) if !(self.is_message)(frame) => {
                FrameLook::No(Some(frame.len()))
            }
            Ok(FrameSplit::Frame { frame, .. }) => {
                let length = frame.len().saturating_add(HEADER);
                let weight = u32::try_from(length).unwrap_or(u32::MAX);
                FrameLook::Frame { length, weight: if length > 8 { weight } else { 0 } }
            }
            Ok(FrameSplit::Needed(more)) => FrameLook::Needed(bytes.len().saturating_add(more)),
            Err(_) => FrameLook::No(None),
        }
    }

    /// The engines send the length of a message in a segment of its own. If that segment is missing,
    /// the message may look like a frame: the type number of a vector of ints is the length of an
    /// int.
    fn may_be_content(&self, frames: &[u8]) -> bool {
        Self::COMPARED.contains(&frames.len()) && (self.is_message)(frames)
    }
}

impl LengthPrefixed<'_> {
    /// The lengths of values that may be mistaken for frames. In longer ones, more numbers would have
    /// to agree by chance. Shorter ones are an empty text, which is rarer than a null.
    const COMPARED: core::ops::RangeInclusive<usize> = 12..=20;

    /// Whether bytes may start a frame with a value: a length, and a type that can have this
    /// length.
    fn may_be_frame(&self, bytes: &[u8]) -> bool {
        let Some((length, value)) = bytes.split_first_chunk() else { return true };
        let length = u32::from_le_bytes(*length);
        let goes_with_length = |kind: &u8| match *kind {
            ..=LAST_NUMBER => length <= LONGEST_NUMBER,
            kind => kind < TYPES,
        };
        length > 0
            && length.is_multiple_of(4)
            && length <= self.limit
            && value.first().is_none_or(goes_with_length)
    }
}

impl<T: Tag> Frames<T> {
    /// Accepts messages of up to `limit` bytes, for example [`crate::stream::DEFAULT_FRAME_LIMIT`].
    #[must_use]
    pub fn new(limit: u32) -> Frames<T> {
        Frames { limit, synchronizer: FrameSynchronizer::new() }
    }

    /// Expects the rest of a stream, which may begin within a message.
    pub(crate) fn resume(&mut self) {
        self.synchronizer.begin_after_gap();
    }

    /// How many bytes are kept: at most the limit, and 4 bytes for a length.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.synchronizer.held_bytes()
    }

    /// About how much memory is in use, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.synchronizer.heap_bytes()
    }

    /// Takes the next piece from a [`super::Reassembler`].
    ///
    /// `is_message` says whether bytes are a complete message of this stream. It is called only
    /// while the start of the next message is not known. Once it is known, the bytes after a length
    /// are delivered as a message, whatever they are.
    pub fn push(
        &mut self,
        piece: Piece<'_, T>,
        is_message: &dyn Fn(&[u8]) -> bool,
        sink: &mut dyn FnMut(FrameEvent<'_, T>),
    ) {
        self.read(Some(piece), is_message, sink);
    }

    /// Ends the input: delivers what is kept, or reports it as lost.
    pub fn finish(
        &mut self,
        is_message: &dyn Fn(&[u8]) -> bool,
        sink: &mut dyn FnMut(FrameEvent<'_, T>),
    ) {
        self.read(None, is_message, sink);
    }

    /// Takes the next piece, or ends the input.
    pub(crate) fn read(
        &mut self,
        piece: Option<Piece<'_, T>>,
        is_message: &dyn Fn(&[u8]) -> bool,
        sink: &mut (impl TakeFrameEvents<T> + ?Sized),
    ) {
        let framing = LengthPrefixed { limit: self.limit, is_message };
        let take = &mut FrameSink(sink);
        match piece {
            Some(piece) => self.synchronizer.push(piece, &framing, take),
            None => self.synchronizer.finish(&framing, take),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for FrameEvent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameEvent::Message { offset, payload, tag } => {
                debug_fields!(f, Message { offset, len = payload.len(), tag })
            }
            FrameEvent::Lost { offset, bytes, reason } => {
                debug_fields!(f, Lost { offset, bytes, reason })
            }
        }
    }
}
