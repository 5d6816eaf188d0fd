//! Splits a stream into frames, and finds the next frame after a gap or in the middle of a stream.
//! Both the length-prefixed frames of TCP and those of WebSocket use it.

pub(crate) mod hunt;

use super::tcp::{Loss, Piece};
use alloc::vec::Vec;
use hunt::{Evidence, Hunt, Look};

/// A kind of framing.
pub(crate) trait Framing {
    /// Splits bytes at a place where a frame starts.
    fn split(&self, bytes: &[u8]) -> Split;
    /// Examines bytes at a place where a frame may start.
    fn look(&self, bytes: &[u8]) -> Look;
    /// How much evidence for a frame is needed.
    const EVIDENCE: Evidence;
}

/// The start of bytes at a place where a frame starts.
pub(crate) enum Split {
    /// A complete frame, and its length with the header.
    Frame(usize),
    /// At least this many more bytes are needed.
    Needed {
        more: usize,
        /// Whether the frame is complete then.
        is_all: bool,
    },
    /// An invalid header, and its length.
    Bad(usize, Loss),
}

/// The next event. Frames and losses follow each other without a hole.
pub(crate) enum Event<'a> {
    Frame { offset: u64, bytes: &'a [u8] },
    Lost { offset: u64, bytes: u64, why: Loss },
}

pub(crate) type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

/// How many bytes are searched at once, so that the bytes after a found frame are not copied again
/// and again.
const STRETCH: usize = 1024;

/// How much buffer memory every flow keeps while its buffer is empty.
pub(crate) const KEPT: usize = 1 << 10;

/// Makes room for `bytes` more. The buffer at least doubles, but stays within `most` if it can.
pub(crate) fn grow(buffer: &mut Vec<u8>, bytes: usize, most: usize) {
    let needed = buffer.len().saturating_add(bytes);
    if needed > buffer.capacity() {
        let roomy = buffer.len().saturating_mul(2).min(most).max(needed);
        buffer.reserve_exact(roomy.saturating_sub(buffer.len()));
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Synchronizer {
    /// The most bytes that are kept.
    limit: usize,
    state: State,
    /// The start of a frame, or the bytes that are searched for one.
    buffer: Vec<u8>,
    /// The offset of the buffer's first byte.
    start: u64,
    hunt: Hunt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The buffer, or if it is empty the next byte, starts a frame.
    Synchronized,
    /// In a frame of which a part is missing; it ends at an offset.
    Skipping(u64),
    Hunting,
}

impl Synchronizer {
    pub(crate) fn new(limit: usize) -> Synchronizer {
        Synchronizer {
            limit: limit.max(1),
            state: State::Hunting,
            buffer: Vec::new(),
            start: 0,
            hunt: Hunt::default(),
        }
    }

    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// How much memory is in use.
    #[cfg(feature = "capture")]
    pub(crate) fn heap_bytes(&self) -> usize {
        self.buffer.capacity().saturating_add(self.hunt.heap_bytes())
    }

    /// The offset of the first byte that is kept.
    #[cfg(feature = "capture")]
    pub(crate) fn kept_from(&self) -> Option<u64> {
        (!self.buffer.is_empty()).then_some(self.start)
    }

    #[cfg(feature = "capture")]
    pub(crate) fn is_searching(&self) -> bool {
        self.state == State::Hunting
    }

    /// The start of an incomplete frame.
    pub(crate) fn unfinished(&self) -> &[u8] {
        if self.state == State::Synchronized { &self.buffer } else { &[] }
    }

    /// Skips the start of an incomplete frame.
    pub(crate) fn pass_unfinished(&mut self) {
        self.start = self.position();
        self.buffer.clear();
    }

    /// The offset of the next byte.
    fn position(&self) -> u64 {
        self.start.saturating_add(self.buffer.len() as u64)
    }

    /// Starts at `offset`, the place of the next piece, where a frame is known to start.
    pub(crate) fn begin(&mut self, offset: u64) {
        self.buffer.clear();
        self.hunt.clear();
        self.start = offset;
        self.state = State::Synchronized;
    }

    /// Searches for a frame from `offset` on, the place of the next piece.
    pub(crate) fn search_from(&mut self, offset: u64) {
        self.begin(offset);
        self.state = State::Hunting;
    }

    pub(crate) fn push<F: Framing>(&mut self, piece: Piece<'_>, framing: &F, sink: Sink<'_>) {
        match piece {
            Piece::Start => {
                self.finish(framing, sink);
                self.begin(0);
            }
            Piece::Data { offset, bytes, .. } => {
                self.go_on_at(offset, framing, sink);
                self.data(bytes, framing, sink);
            }
            Piece::Gap { offset, bytes, .. } => {
                self.go_on_at(offset, framing, sink);
                self.gap(bytes, framing, sink);
            }
            Piece::Late { bytes } => sink(Event::Lost { offset: 0, bytes, why: Loss::Late }),
            Piece::End(_) => self.finish(framing, sink),
        }
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        if self.state != State::Hunting {
            self.hunt.rest();
        }
    }

    /// Ends the stream.
    pub(crate) fn finish<F: Framing>(&mut self, framing: &F, sink: Sink<'_>) {
        self.decide(framing, sink);
        self.lose(self.buffer.len(), Loss::Broken, sink);
        self.buffer.clear();
        self.hunt.clear();
        self.state = State::Hunting;
    }

    /// Starts again if a piece does not follow the one before it.
    fn go_on_at<F: Framing>(&mut self, offset: u64, framing: &F, sink: Sink<'_>) {
        if offset != self.position() {
            self.finish(framing, sink);
            self.start = offset;
        }
    }

    fn lose(&mut self, bytes: usize, why: Loss, sink: Sink<'_>) {
        if bytes > 0 {
            sink(Event::Lost { offset: self.start, bytes: bytes as u64, why });
            self.start = self.start.saturating_add(bytes as u64);
        }
    }

    fn data<F: Framing>(&mut self, bytes: &[u8], framing: &F, sink: Sink<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.state {
                State::Skipping(end) => {
                    let left =
                        usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
                    let skipped = left.min(rest.len());
                    self.lose(skipped, Loss::Broken, sink);
                    rest = rest.get(skipped..).unwrap_or(&[]);
                    if self.start >= end {
                        self.state = State::Synchronized;
                    }
                }
                State::Synchronized => rest = self.read(rest, framing, sink),
                State::Hunting => {
                    let (stretch, after) = rest.split_at(rest.len().min(STRETCH).min(self.limit));
                    let edges = (rest.len() == bytes.len(), after.is_empty());
                    self.search(stretch, edges, framing, sink);
                    rest = after;
                }
            }
        }
    }

    /// Gives the frames in `bytes` and keeps the start of an incomplete one. Returns the rest after
    /// an invalid header.
    fn read<'a, F: Framing>(&mut self, bytes: &'a [u8], framing: &F, sink: Sink<'_>) -> &'a [u8] {
        let mut rest = bytes;
        loop {
            let is_kept = !self.buffer.is_empty();
            match framing.split(if is_kept { &self.buffer } else { rest }) {
                Split::Frame(length) if is_kept => {
                    sink(Event::Frame { offset: self.start, bytes: &self.buffer });
                    self.start = self.start.saturating_add(length as u64);
                    self.buffer.clear();
                }
                Split::Frame(length) => {
                    let (frame, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                    sink(Event::Frame { offset: self.start, bytes: frame });
                    self.start = self.start.saturating_add(frame.len() as u64);
                    rest = after;
                }
                Split::Needed { more, .. } if is_kept && !rest.is_empty() => {
                    let frame = self.buffer.len().saturating_add(more);
                    let (more, after) = rest.split_at(more.min(rest.len()));
                    grow(&mut self.buffer, more.len(), frame);
                    self.buffer.extend_from_slice(more);
                    rest = after;
                }
                Split::Needed { .. } => {
                    self.buffer.extend_from_slice(rest);
                    return &[];
                }
                Split::Bad(header, why) => {
                    // The buffer has nothing but the header.
                    self.lose(header, why, sink);
                    self.buffer.clear();
                    self.state = State::Hunting;
                    return if is_kept { rest } else { rest.get(header..).unwrap_or(&[]) };
                }
            }
            if rest.is_empty() && self.buffer.is_empty() {
                return rest;
            }
        }
    }

    /// Searches a stretch of bytes. `edges` says whether it starts and whether it ends a segment.
    fn search<F: Framing>(
        &mut self,
        stretch: &[u8],
        edges: (bool, bool),
        framing: &F,
        sink: Sink<'_>,
    ) {
        self.make_room(stretch.len(), sink);
        self.buffer.extend_from_slice(stretch);
        let mut added = stretch.len();
        let mut edges = edges;
        let look = |bytes: &[u8]| framing.look(bytes);
        while let Some(found) = self.hunt.push(&self.buffer, added, edges, &F::EVIDENCE, &look) {
            added = self.accept(found, framing, sink);
            if self.state != State::Hunting {
                return;
            }
            edges.0 = false;
        }
    }

    /// Continues where a frame was found. Returns how many bytes are left after an invalid header.
    fn accept<F: Framing>(&mut self, found: usize, framing: &F, sink: Sink<'_>) -> usize {
        self.hunt.clear();
        let searched = core::mem::take(&mut self.buffer);
        self.lose(found, Loss::Unsynchronized, sink);
        self.state = State::Synchronized;
        let left = self.read(searched.get(found..).unwrap_or(&[]), framing, sink);
        self.buffer.extend_from_slice(left);
        left.len()
    }

    fn make_room(&mut self, bytes: usize, sink: Sink<'_>) {
        let excess = self.buffer.len().saturating_add(bytes).saturating_sub(self.limit);
        if excess > 0 {
            let dropped = excess.max(self.buffer.len().div_ceil(2)).min(self.buffer.len());
            self.lose(dropped, Loss::Unsynchronized, sink);
            self.buffer.drain(..dropped);
            self.hunt.drop_front(dropped);
        }
    }

    /// Ends a search with the bytes that are there.
    fn decide<F: Framing>(&mut self, framing: &F, sink: Sink<'_>) {
        if self.state != State::Hunting {
            return;
        }
        if let Some(found) = self.hunt.finish(&self.buffer, &F::EVIDENCE) {
            self.accept(found, framing, sink);
        }
        if self.state == State::Hunting {
            self.lose(self.buffer.len(), Loss::Unsynchronized, sink);
            self.buffer.clear();
            self.hunt.clear();
        }
    }

    fn gap<F: Framing>(&mut self, bytes: u64, framing: &F, sink: Sink<'_>) {
        self.decide(framing, sink);
        let position = self.position();
        let frame_end = match self.state {
            State::Skipping(end) => Some(end),
            State::Synchronized if !self.buffer.is_empty() => match framing.split(&self.buffer) {
                Split::Needed { more, is_all: true } => Some(position.saturating_add(more as u64)),
                _ => None,
            },
            _ => None,
        };
        self.lose(self.buffer.len(), Loss::Broken, sink);
        self.buffer.clear();
        sink(Event::Lost { offset: position, bytes, why: Loss::Missing });
        self.start = position.saturating_add(bytes);
        // If the frame's length is known, the next frame starts at its end, unless that is missing
        // too.
        self.state = match frame_end {
            Some(end) if end == self.start => State::Synchronized,
            Some(end) if end > self.start => State::Skipping(end),
            _ => State::Hunting,
        };
    }
}
