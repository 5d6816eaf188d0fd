//! Splits a stream into frames, and finds the next frame after a gap or in the middle of a stream.
//! Both the length-prefixed frames of TCP and those of WebSocket use it.
//!
//! Pieces of a stream come in, with the gaps between them. A [`FrameSynchronizer`] returns whole
//! frames, and the ranges that belong to no frame. A [`Framing`] says what a frame is.

pub(crate) mod hunt;

use super::Tag;
use super::tcp::{LossReason, Piece};
use alloc::boxed::Box;
use alloc::vec::Vec;
use hunt::{FrameSearch, Hunt};

/// A kind of framing.
pub trait Framing: FrameSearch {
    /// The fields of a header that the receiver of a frame needs.
    type Header: Copy;
    /// Reads the header of a frame at the start of the bytes.
    fn split<'b>(&self, bytes: &'b [u8]) -> HeaderSplit<'b, Self::Header>;
    /// The length of the longest frame, with its header. At most as many bytes are kept.
    fn longest(&self) -> usize;
}

/// The result of splitting bytes at the start of a frame: a whole frame, or the reason why there is
/// none.
pub enum HeaderSplit<'b, H> {
    /// A complete frame: its header, its content, and the bytes after it.
    Frame { header: H, content: &'b [u8], after: &'b [u8] },
    /// The header is cut off: at least this many more bytes are needed.
    CutHeader(usize),
    /// The content is cut off: the frame is complete after this many more bytes.
    CutContent(usize),
    /// An invalid header, and its length.
    Bad(usize, LossReason),
}

/// Receives the frames of a stream, and the ranges that belong to no frame. Together they cover
/// every byte of the stream.
pub trait TakeFrames<T, H> {
    fn frame(&mut self, frame: Frame<'_, T, H>);
    fn lost(&mut self, offset: u64, bytes: u64, reason: LossReason);
}

/// A frame: its offset with the header, the header, its content, and the joined tag of the pieces that
/// it arrived in.
pub struct Frame<'a, T, H> {
    pub offset: u64,
    pub header: H,
    pub content: &'a [u8],
    pub tag: &'a T,
}

/// How many bytes are searched at once. With longer stretches, the bytes after each found frame
/// would be copied repeatedly.
const STRETCH: usize = 1024;

/// While a frame is searched for, how many spans are kept for a buffer of any length, and how many
/// bytes of the buffer each further one stands for.
const SPANS: (usize, usize) = (1024, 16);

#[derive(Clone, Debug)]
pub struct FrameSynchronizer<T> {
    state: SynchronizerState,
    /// The start of a frame, or the bytes that are searched for one.
    buffer: Vec<u8>,
    /// The joined tag of the bytes in the buffer, if they start a frame.
    latest: Option<T>,
    /// The ends and tags of the pieces in the buffer, if it is searched.
    spans: Vec<(usize, T)>,
    /// The offset of the buffer's first byte.
    start: u64,
    /// The search for a frame: most streams never need one.
    hunt: Option<Box<Hunt>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SynchronizerState {
    /// The buffer, or if it is empty the next byte, starts a frame.
    Synchronized,
    /// In a frame with a missing part; the frame ends at this offset.
    Skipping(u64),
    Hunting,
}

impl<T: Tag> FrameSynchronizer<T> {
    pub const fn new() -> FrameSynchronizer<T> {
        FrameSynchronizer {
            state: SynchronizerState::Hunting,
            buffer: Vec::new(),
            latest: None,
            spans: Vec::new(),
            start: 0,
            hunt: None,
        }
    }

    pub fn held_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// How much memory is in use.
    pub fn heap_bytes(&self) -> usize {
        let hunt = self.hunt.as_deref();
        self.buffer.capacity()
            + self.spans.capacity() * size_of::<(usize, T)>()
            + hunt.map_or(0, |hunt| size_of_val(hunt) + hunt.heap_bytes())
    }

    /// The start of an incomplete frame.
    pub fn unfinished(&self) -> &[u8] {
        if self.state == SynchronizerState::Synchronized { &self.buffer } else { &[] }
    }

    /// Drops the start of an incomplete frame and continues after it.
    pub fn pass_unfinished(&mut self) {
        self.start = self.position();
        self.clear();
    }

    /// Forgets all bytes that are kept.
    fn clear(&mut self) {
        self.buffer.clear();
        self.latest = None;
        self.spans = Vec::new();
        self.hunt = None;
    }

    /// The offset of the next byte.
    fn position(&self) -> u64 {
        self.start.saturating_add(self.buffer.len() as u64)
    }

    /// Starts at `offset`, the place of the next piece, where a frame is known to start.
    pub fn begin(&mut self, offset: u64) {
        self.clear();
        self.start = offset;
        self.state = SynchronizerState::Synchronized;
    }

    /// Searches for a frame from `offset` on, the place of the next piece.
    pub fn search_from(&mut self, offset: u64) {
        self.begin(offset);
        self.state = SynchronizerState::Hunting;
    }

    /// Expects that bytes before the first segment are missing.
    pub fn begin_after_gap(&mut self) {
        self.hunt = Some(Box::new(Hunt::after_gap()));
    }

    pub fn push<F: Framing>(
        &mut self,
        piece: Piece<'_, T>,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) {
        match piece {
            Piece::Start => {
                self.finish(framing, sink);
                self.begin(0);
            }
            Piece::Data { tag, offset, payload: bytes } => {
                self.go_on_at(offset, framing, sink);
                self.data(bytes, tag, framing, sink);
            }
            Piece::Gap { offset, bytes, .. } => {
                self.go_on_at(offset, framing, sink);
                self.gap(bytes, framing, sink);
            }
            Piece::Late { bytes } => {
                sink.lost(0, bytes, LossReason::Late);
            }
            Piece::End(_) => self.pause(framing, sink),
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        if self.state != SynchronizerState::Hunting {
            self.hunt = None;
        }
    }

    /// Handles the end of the stream. The end may be forged, so an incomplete frame is kept: if
    /// more bytes follow, it continues there.
    fn pause<F: Framing>(&mut self, framing: &F, sink: &mut impl TakeFrames<T, F::Header>) {
        if self.state == SynchronizerState::Hunting
            && let Some(hunt) = &self.hunt
            && let Some(found) = hunt.finish(&self.buffer, &F::EVIDENCE)
        {
            self.accept(found, framing, sink);
        }
    }

    /// Ends the stream.
    pub fn finish<F: Framing>(&mut self, framing: &F, sink: &mut impl TakeFrames<T, F::Header>) {
        self.decide(framing, sink);
        self.lose(self.buffer.len(), LossReason::Unfinished, sink);
        self.clear();
        self.state = SynchronizerState::Hunting;
    }

    /// Starts again if a piece does not follow the one before it.
    fn go_on_at<F: Framing>(
        &mut self,
        offset: u64,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) {
        if offset != self.position() {
            self.finish(framing, sink);
            self.start = offset;
        }
    }

    fn lose<H>(&mut self, bytes: usize, reason: LossReason, sink: &mut impl TakeFrames<T, H>) {
        if bytes > 0 {
            sink.lost(self.start, bytes as u64, reason);
            self.start += bytes as u64;
        }
    }

    fn data<F: Framing>(
        &mut self,
        bytes: &[u8],
        tag: T,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.state {
                SynchronizerState::Skipping(end) => {
                    let left =
                        usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
                    let skipped = left.min(rest.len());
                    self.lose(skipped, LossReason::Broken, sink);
                    rest = rest.get(skipped..).unwrap_or(&[]);
                    if self.start >= end {
                        self.state = SynchronizerState::Synchronized;
                    }
                }
                SynchronizerState::Synchronized => rest = self.read(rest, &tag, framing, sink),
                SynchronizerState::Hunting => {
                    let (stretch, after) =
                        rest.split_at(rest.len().min(STRETCH).min(framing.longest()));
                    let edges = (rest.len() == bytes.len(), after.is_empty());
                    self.search(stretch, tag, edges, framing, sink);
                    rest = after;
                }
            }
        }
    }

    /// Delivers the frames in `bytes` and keeps the start of an incomplete one. Returns the rest
    /// after an invalid header.
    fn read<'a, F: Framing>(
        &mut self,
        bytes: &'a [u8],
        tag: &T,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) -> &'a [u8] {
        let mut rest = bytes;
        if !self.buffer.is_empty() {
            rest = self.complete(rest, tag, framing, sink);
            if self.state == SynchronizerState::Hunting {
                return rest;
            }
        }
        while !rest.is_empty() {
            match framing.split(rest) {
                HeaderSplit::Frame { header, content, after } => {
                    let offset = self.start;
                    self.start += (rest.len() - after.len()) as u64;
                    sink.frame(Frame { offset, header, content, tag });
                    rest = after;
                }
                HeaderSplit::CutHeader(_) | HeaderSplit::CutContent(_) => {
                    self.buffer.extend_from_slice(rest);
                    self.latest = Some(*tag);
                    return &[];
                }
                HeaderSplit::Bad(header, reason) => {
                    self.lose(header, reason, sink);
                    self.state = SynchronizerState::Hunting;
                    return rest.get(header..).unwrap_or(&[]);
                }
            }
        }
        rest
    }

    /// Delivers the frame whose start is kept, if its rest is at the start of `bytes`. Returns the bytes
    /// after it.
    #[inline(never)]
    fn complete<'a, F: Framing>(
        &mut self,
        bytes: &'a [u8],
        tag: &T,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) -> &'a [u8] {
        let tag = &self.latest.map_or(*tag, |latest| latest.join(*tag));
        let mut rest = bytes;
        loop {
            match framing.split(&self.buffer) {
                HeaderSplit::Frame { header, content, .. } => {
                    let offset = self.start;
                    self.start += self.buffer.len() as u64;
                    sink.frame(Frame { offset, header, content, tag });
                    self.buffer.clear();
                    self.latest = None;
                    return rest;
                }
                HeaderSplit::CutHeader(_) | HeaderSplit::CutContent(_) if rest.is_empty() => {
                    self.latest = Some(*tag);
                    return rest;
                }
                HeaderSplit::CutHeader(more) | HeaderSplit::CutContent(more) => {
                    let frame = self.buffer.len().saturating_add(more);
                    let (more, after) = rest.split_at(more.min(rest.len()));
                    grow(&mut self.buffer, more.len(), frame);
                    self.buffer.extend_from_slice(more);
                    rest = after;
                }
                HeaderSplit::Bad(header, reason) => {
                    self.lose(header, reason, sink);
                    self.state = SynchronizerState::Hunting;
                    self.buffer.drain(..header.min(self.buffer.len()));
                    self.latest = None;
                    self.note(*tag);
                    return rest;
                }
            }
        }
    }

    /// Notes the tag of the last bytes in the buffer, which is searched.
    fn note(&mut self, tag: T) {
        let end = self.buffer.len();
        match self.spans.last_mut() {
            Some((last_end, last)) if *last == tag || *last_end >= end => *last_end = end,
            _ => {
                if self.spans.is_empty() {
                    // Many streams have only one segment.
                    self.spans.reserve_exact(1);
                }
                self.spans.push((end, tag));
            }
        }
        let (few, bytes) = SPANS;
        if self.spans.len() > few.saturating_add(end / bytes) {
            // There are many tiny segments, so each two neighbours now share a joined tag.
            let pairs = self.spans.chunks(2);
            let shared = pairs.filter_map(|pair| {
                Some((pair.last()?.0, pair.iter().map(|(_, tag)| *tag).reduce(T::join)?))
            });
            self.spans = shared.collect();
        }
    }

    /// Searches a stretch of bytes. `edges` says whether it starts and whether it ends a segment.
    fn search<F: Framing>(
        &mut self,
        stretch: &[u8],
        tag: T,
        edges: (bool, bool),
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) {
        self.make_room(stretch.len(), framing.longest(), sink);
        self.buffer.extend_from_slice(stretch);
        self.note(tag);
        let mut added = stretch.len();
        let mut edges = edges;
        while let Some(found) =
            self.hunt.get_or_insert_default().push(&self.buffer, added, edges, framing)
        {
            added = self.accept(found, framing, sink);
            if self.state != SynchronizerState::Hunting {
                return;
            }
            edges.0 = false;
        }
    }

    /// Continues at a frame that was found. Returns how many bytes are left to search, if an
    /// invalid header follows.
    fn accept<F: Framing>(
        &mut self,
        found: usize,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) -> usize {
        self.hunt = None;
        let searched = core::mem::take(&mut self.buffer);
        let spans = core::mem::take(&mut self.spans);
        self.lose(found, LossReason::Unsynchronized, sink);
        self.state = SynchronizerState::Synchronized;
        let mut at = found;
        for (end, tag) in &spans {
            let bytes = searched.get(at..*end).unwrap_or(&[]);
            if self.state == SynchronizerState::Synchronized && !bytes.is_empty() {
                let left = self.read(bytes, tag, framing, sink).len();
                at = end.saturating_sub(left);
            }
            if self.state == SynchronizerState::Hunting {
                self.buffer.extend_from_slice(searched.get(at..*end).unwrap_or(&[]));
                self.note(*tag);
                at = at.max(*end);
            }
        }
        self.buffer.len()
    }

    fn make_room<H>(&mut self, bytes: usize, most: usize, sink: &mut impl TakeFrames<T, H>) {
        let excess = self.buffer.len().saturating_add(bytes).saturating_sub(most);
        if excess > 0 {
            let dropped = excess.max(self.buffer.len().div_ceil(2)).min(self.buffer.len());
            self.lose(dropped, LossReason::Unsynchronized, sink);
            self.buffer.drain(..dropped);
            self.spans.retain(|(end, _)| *end > dropped);
            self.spans.iter_mut().for_each(|(end, _)| *end = end.saturating_sub(dropped));
            if let Some(hunt) = &mut self.hunt {
                hunt.drop_front(dropped);
            }
        }
    }

    /// Ends a search with the bytes that have arrived so far.
    fn decide<F: Framing>(&mut self, framing: &F, sink: &mut impl TakeFrames<T, F::Header>) {
        self.pause(framing, sink);
        if self.state == SynchronizerState::Hunting {
            self.lose(self.buffer.len(), LossReason::Unsynchronized, sink);
            self.clear();
        }
    }

    fn gap<F: Framing>(
        &mut self,
        bytes: u64,
        framing: &F,
        sink: &mut impl TakeFrames<T, F::Header>,
    ) {
        self.decide(framing, sink);
        let position = self.position();
        let frame_end = match self.state {
            SynchronizerState::Skipping(end) => Some(end),
            SynchronizerState::Synchronized => match framing.split(&self.buffer) {
                HeaderSplit::CutContent(more) => Some(position.saturating_add(more as u64)),
                _ => None,
            },
            _ => None,
        };
        self.lose(self.buffer.len(), LossReason::Broken, sink);
        self.clear();
        sink.lost(position, bytes, LossReason::Missing);
        self.start = position.saturating_add(bytes);
        // If the frame's length is known, the next frame starts at its end, unless that is missing
        // too.
        self.state = match frame_end {
            Some(end) if end == self.start => SynchronizerState::Synchronized,
            Some(end) if end > self.start => SynchronizerState::Skipping(end),
            _ => {
                self.hunt = Some(Box::new(Hunt::after_gap()));
                SynchronizerState::Hunting
            }
        };
    }
}

/// The most bytes of memory that an empty buffer keeps.
pub const KEPT: usize = 1 << 10;

/// Makes room for `bytes` more. The capacity at least doubles, but does not exceed `most` unless
/// the bytes need it.
pub fn grow(buffer: &mut Vec<u8>, bytes: usize, most: usize) {
    let needed = buffer.len().saturating_add(bytes);
    if needed > buffer.capacity() {
        let roomy = buffer.len().saturating_mul(2).min(most).max(needed);
        buffer.reserve_exact(roomy.saturating_sub(buffer.len()));
    }
}
