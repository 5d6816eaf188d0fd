//! Puts the segments of one direction of a TCP connection in order.

use super::{End, FAR, GapReason, Piece, REORDERED, Segment};
use crate::net::{Between, taken, tree_bytes};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;

/// How many packets to wait for missing bytes after the other end has acknowledged them. A capture
/// may have packets in another order than that in which they were sent.
const PATIENCE: u32 = 64;

/// A stream without a SYN begins with the lowest of this many first segments.
const FIRST_SEGMENTS: u32 = 4;

/// The largest window of TCP. Bytes that are farther away do not belong to the stream.
const WINDOW: u64 = super::WINDOW as u64;

/// The position of the first segment that is seen, with room before it. Its low 32 bits are zero.
const FIRST_POSITION: u64 = 1 << 32;

/// Puts the segments of one direction of a connection in order.
///
/// Bytes that are in order are borrowed from their segment. Others are held back, up to a limit.
/// Bytes that arrive twice are delivered once: the first copy counts. A stream may be longer than 4
/// GiB, although sequence numbers repeat after that. See [`super`] for an example.
#[derive(Clone, Debug)]
pub struct Reassembler<T = ()> {
    limit: usize,
    state: ReassemblerState,
    /// The sequence number of [`FIRST_POSITION`].
    base: u32,
    /// The sequence number of the SYN.
    initial: Option<u32>,
    /// The position of offset 0.
    origin: u64,
    /// The position of the first byte that has not been delivered.
    next: u64,
    /// The tag of the segment before that.
    last: Option<T>,
    held: Held<T>,
    /// The position up to which the other end has acknowledged.
    acknowledged: u64,
    /// The number of packets since the other end acknowledged the missing bytes.
    waited: u32,
    /// The position up to which missing bytes are known to have been cut off by the capture.
    cut_end: u64,
    end: Option<(u64, End)>,
    is_over: bool,
    /// The sequence number from which on bytes are new, before the first segment.
    resumed: Option<u32>,
    /// The position of that number.
    seen: u64,
}

/// The payload of a segment, at its position in the stream.
#[derive(Clone, Copy)]
struct SegmentPart<'a, T> {
    position: u64,
    payload: &'a [u8],
    /// How many more bytes the payload had that were not captured.
    cut: u64,
    tag: T,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReassemblerState {
    /// Nothing has been seen.
    Idle,
    /// A stream without a SYN, and how many segments of it were seen.
    Beginning(u32),
    Flowing,
}

impl<T> SegmentPart<'_, T> {
    /// The part from a position on.
    fn from(self, position: u64) -> Self {
        let skipped = position.saturating_sub(self.position);
        let payload = self.payload.get(distance(0, skipped)..).unwrap_or(&[]);
        let cut_skipped = skipped.saturating_sub(self.payload.len() as u64);
        let (position, cut) =
            (self.position.saturating_add(skipped), self.cut.saturating_sub(cut_skipped));
        SegmentPart { position, payload, cut, tag: self.tag }
    }
}

impl<T: Copy> Reassembler<T> {
    /// A reassembler that holds back up to `limit` bytes. Each held segment counts 64 bytes more
    /// than it has.
    #[must_use]
    pub const fn new(limit: usize) -> Reassembler<T> {
        Reassembler {
            limit,
            state: ReassemblerState::Idle,
            base: 0,
            initial: None,
            origin: FIRST_POSITION,
            next: FIRST_POSITION,
            last: None,
            held: Held::new(),
            acknowledged: 0,
            waited: 0,
            cut_end: 0,
            end: None,
            is_over: false,
            resumed: None,
            seen: 0,
        }
    }

    /// A reassembler for the rest of a stream, whose bytes before a sequence number were delivered
    /// earlier: they are skipped if they are sent again. The bytes from that number on may be
    /// missing, which is no gap.
    #[must_use]
    pub(crate) fn resumed(limit: usize, number: u32) -> Reassembler<T> {
        Reassembler { resumed: Some(number), ..Reassembler::new(limit) }
    }

    /// How many bytes are held back, including the 64 bytes for each segment.
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        self.held.cost()
    }

    /// About how much memory is in use, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.held.heap_bytes()
    }

    /// The sequence number of the byte at offset 0 of the stream; none until the stream has begun. A
    /// SYN that opens another stream changes it.
    #[must_use]
    pub fn first_sequence(&self) -> Option<u32> {
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
        let ahead = self.origin as u32;
        (self.state == ReassemblerState::Flowing).then(|| self.base.wrapping_add(ahead))
    }

    /// Takes a segment of this direction, and delivers the bytes that are in order now.
    ///
    /// A stream without a SYN begins once four segments have arrived, so that segments that were
    /// captured out of order are put in order.
    pub fn push(&mut self, segment: Segment<'_, T>, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if segment.is_reset {
            self.reset(segment.sequence, sink);
            return;
        }
        let mut sequence = segment.sequence;
        if segment.is_syn {
            self.syn(sequence, sink);
            sequence = sequence.wrapping_add(1);
        }
        let cut = segment.missing as u64;
        let length = (segment.payload.len() as u64).saturating_add(cut);
        if self.state == ReassemblerState::Idle {
            // A keep-alive without payload precedes the next byte.
            if length == 0 && !segment.is_fin {
                return;
            }
            let resumed = self.resumed;
            self.place(sequence);
            self.state = ReassemblerState::Beginning(0);
            let seen = resumed.map(|number| self.position(number));
            // A segment that is farther behind belongs to another stream.
            let seen = seen.filter(|seen| seen.saturating_sub(self.next) <= FAR.into());
            self.seen = seen.unwrap_or(0);
        }
        let position = self.position(sequence);
        if position.saturating_add(length) <= self.seen && length > 0 {
            return;
        }
        if length > 0 {
            let Segment { payload, tag, .. } = segment;
            self.data(SegmentPart { position, payload, cut, tag }, sink);
        }
        let end = position.saturating_add(length);
        let is_next = end >= self.next && end.saturating_sub(self.next) <= WINDOW;
        if segment.is_fin && !self.is_over && is_next {
            self.end = Some((end, End::Fin));
        }
        if let ReassemblerState::Beginning(segments) = &mut self.state {
            *segments = segments.saturating_add(1);
            if *segments >= FIRST_SEGMENTS {
                self.flow(sink);
            }
        } else {
            self.drain(sink);
        }
        self.settle(sink);
    }

    /// Takes the acknowledgement number of a segment of the other direction. The other end has
    /// received everything before that number, so bytes that are missing there will not be sent
    /// again.
    pub fn acknowledged(&mut self, number: u32, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if self.state != ReassemblerState::Flowing || self.is_over {
            return;
        }
        let position = self.position(number);
        if position > self.acknowledged && position.saturating_sub(self.next) <= WINDOW {
            self.acknowledged = position;
        }
        self.settle(sink);
    }

    /// Ends the input: delivers what is held back, and a gap for what is missing before it.
    pub fn finish(&mut self, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if matches!(self.state, ReassemblerState::Beginning(_)) {
            self.flow(sink);
        }
        while let Some(first) = self.held.first_position() {
            self.gap(first, GapReason::Finished, sink);
            self.drain(sink);
        }
        if self.is_over || self.state == ReassemblerState::Idle {
            return;
        }
        let sent = match self.end {
            Some((end, _)) => end,
            // The acknowledgement of an unseen FIN is one more than that of the last byte.
            None if self.acknowledged == self.next.saturating_add(1) => self.next,
            None => self.acknowledged,
        };
        self.gap(sent.max(self.cut_end), GapReason::Finished, sink);
        self.drain(sink);
    }

    /// Starts to map the sequence numbers of a new stream to positions.
    fn place(&mut self, sequence: u32) {
        *self = Reassembler { base: sequence, ..Reassembler::new(self.limit) };
    }

    /// The position of a sequence number. Sequence numbers repeat every 4 GiB, so the position
    /// closest to the next byte is meant.
    fn position(&self, sequence: u32) -> u64 {
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
        let expected = self.base.wrapping_add(self.next as u32);
        let ahead = sequence.wrapping_sub(expected).cast_signed();
        self.next.saturating_add_signed(i64::from(ahead))
    }

    fn syn(&mut self, sequence: u32, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if self.initial == Some(sequence) {
            return;
        }
        let first = self.position(sequence.wrapping_add(1));
        match self.state {
            // Other segments of the stream were captured before the SYN, and none was delivered.
            ReassemblerState::Beginning(_)
                if self
                    .held
                    .first_position()
                    .unwrap_or(self.next)
                    .checked_sub(first)
                    .is_some_and(|ahead| ahead <= WINDOW) =>
            {
                self.initial = Some(sequence);
                self.origin = first;
                self.next = first;
                self.state = ReassemblerState::Flowing;
                sink(Piece::Start);
                self.drain(sink);
            }
            // The SYN was captured after segments that have been delivered.
            ReassemblerState::Flowing
                if self.initial.is_none()
                    && self
                        .origin
                        .checked_sub(first)
                        .is_some_and(|ahead| ahead < REORDERED.into()) =>
            {
                self.initial = Some(sequence);
            }
            _ => {
                self.finish(sink);
                self.place(sequence.wrapping_add(1));
                self.initial = Some(sequence);
                self.state = ReassemblerState::Flowing;
                sink(Piece::Start);
            }
        }
    }

    fn reset(&mut self, sequence: u32, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if self.is_over {
            return;
        }
        if matches!(self.state, ReassemblerState::Beginning(_)) {
            self.flow(sink);
        }
        let position = match self.state {
            ReassemblerState::Flowing => self.position(sequence),
            _ => self.next,
        };
        if position.abs_diff(self.next) <= WINDOW {
            // The RST may follow a FIN, which takes a sequence number but no byte.
            let fin = self.end.filter(|(at, end)| *end == End::Fin && *at < position);
            self.end = fin.or(Some((position, End::Reset)));
            self.drain(sink);
        }
    }

    /// Begins a stream without a SYN.
    fn flow(&mut self, sink: &mut dyn FnMut(Piece<'_, T>)) {
        self.state = ReassemblerState::Flowing;
        self.next = self.held.first_position().unwrap_or(self.next).max(self.seen);
        self.origin = self.next;
        self.drain(sink);
    }

    /// Takes a payload.
    fn data(&mut self, part: SegmentPart<'_, T>, sink: &mut dyn FnMut(Piece<'_, T>)) {
        let part = part.from(self.seen);
        let SegmentPart { position, payload, cut, tag } = part;
        let length = (payload.len() as u64).saturating_add(cut);
        let end = position.saturating_add(length);
        if position.abs_diff(self.next) > WINDOW {
            sink(Piece::Late { bytes: length });
            return;
        }
        if matches!(self.state, ReassemblerState::Beginning(_)) {
            let cost = self.held.most_cost_of(payload);
            if self.held.cost().saturating_add(cost) <= self.limit {
                self.hold(part, sink);
                return;
            }
            self.flow(sink);
        }
        let late = self.origin.min(end).saturating_sub(position);
        // A keep-alive repeats the byte before the next one.
        if late > 1 || (late == 1 && length > 1) {
            sink(Piece::Late { bytes: late });
        }
        if end <= self.next {
            return;
        }
        if self.is_over {
            self.is_over = false;
            self.end = None;
        }
        if position > self.next {
            self.hold(part, sink);
        } else {
            let unseen = payload.get(distance(position, self.next)..).unwrap_or(&[]);
            self.deliver_around_held(unseen, tag, sink);
            if cut > 0 {
                self.cut_end = self.cut_end.max(end);
                self.last = Some(tag);
            }
        }
    }

    fn fits(&self, bytes: &[u8]) -> bool {
        self.held.cost().saturating_add(cost_of(bytes)) <= self.limit
    }

    /// Holds back those bytes after a gap that are not held yet.
    fn hold(&mut self, part: SegmentPart<'_, T>, sink: &mut dyn FnMut(Piece<'_, T>)) {
        let SegmentPart { position, payload, cut, tag } = part;
        let mut at = position;
        let mut rest = payload;
        while let Some((start, part, used)) = self.held.uncovered(at, rest) {
            rest = rest.get(used..).unwrap_or(&[]);
            at += used as u64;
            let cut = if rest.is_empty() { cut } else { 0 };
            while start > self.next && !self.fits(part) && self.state == ReassemblerState::Flowing {
                let first = self.held.first_position().unwrap_or(start).min(start);
                self.gap(first, GapReason::Limit, sink);
                self.drain(sink);
            }
            if start == self.next && self.state == ReassemblerState::Flowing {
                self.deliver(part, tag, sink);
                self.cut_end = if cut > 0 { self.next.saturating_add(cut) } else { self.cut_end };
                self.drain(sink);
            } else {
                self.held.insert(start, part, cut, tag);
            }
        }
        let end = position.saturating_add(payload.len() as u64).saturating_add(cut);
        if payload.is_empty() && position <= self.cut_end {
            self.cut_end = self.cut_end.max(end);
            self.last = Some(tag);
        }
    }

    /// Delivers the next bytes. If bytes of the same places are held already, these are delivered
    /// instead.
    fn deliver_around_held(&mut self, bytes: &[u8], tag: T, sink: &mut dyn FnMut(Piece<'_, T>)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let first = self.held.first_position().unwrap_or(u64::MAX);
            match rest.split_at_checked(distance(self.next, first)) {
                Some((front, covered)) if !covered.is_empty() => {
                    self.deliver(front, tag, sink);
                    let before = self.next;
                    self.deliver_first_held(sink);
                    rest = covered.get(distance(before, self.next)..).unwrap_or(&[]);
                }
                _ => {
                    self.deliver(rest, tag, sink);
                    rest = &[];
                }
            }
        }
    }

    fn deliver_first_held(&mut self, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if let Some((_, piece)) = self.held.pop() {
            self.deliver(&piece.bytes, piece.tag, sink);
            if piece.cut > 0 {
                self.cut_end = self.cut_end.max(self.next.saturating_add(piece.cut));
                self.last = Some(piece.tag);
            }
        }
    }

    fn deliver(&mut self, bytes: &[u8], tag: T, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if !bytes.is_empty() {
            let offset = self.next.saturating_sub(self.origin);
            sink(Piece::Data { tag, offset, payload: bytes });
            self.next += bytes.len() as u64;
            self.last = Some(tag);
            self.waited = 0;
        }
    }

    fn gap(&mut self, to: u64, reason: GapReason, sink: &mut dyn FnMut(Piece<'_, T>)) {
        let bytes = to.saturating_sub(self.next);
        if bytes > 0 {
            let offset = self.next.saturating_sub(self.origin);
            let between = match (reason, self.held.first_tag()) {
                // They are missing at the end of the segment before.
                (GapReason::Cut, _) => Between { after: self.last, before: self.last },
                (_, Some(next)) => Between::new(self.last, *next),
                (_, None) => Between::UNKNOWN,
            };
            sink(Piece::Gap { offset, bytes, reason, between: &between });
            self.next = to;
            self.waited = 0;
        }
    }

    /// Delivers the held bytes that are next, and the end when it is reached.
    fn drain(&mut self, sink: &mut dyn FnMut(Piece<'_, T>)) {
        while self.held.first_position().is_some_and(|first| first <= self.next) {
            self.deliver_first_held(sink);
        }
        if let Some((_, end)) = self.end.take_if(|(at, _)| *at <= self.next) {
            self.is_over = true;
            sink(Piece::End(end));
        }
    }

    /// Gives up missing bytes that are no longer expected. Called once for each packet.
    fn settle(&mut self, sink: &mut dyn FnMut(Piece<'_, T>)) {
        if self.state != ReassemblerState::Flowing {
            return;
        }
        let mut has_counted = false;
        while self.acknowledged > self.next && !self.is_over {
            let held = self.held.first_position().unwrap_or(u64::MAX);
            let end = self.end.map_or(u64::MAX, |(at, _)| at);
            let hole_end = self.acknowledged.min(held).min(end);
            if self.cut_end > self.next {
                self.gap(hole_end.min(self.cut_end), GapReason::Cut, sink);
            } else if !has_counted && self.waited < PATIENCE {
                self.waited = self.waited.saturating_add(1);
                has_counted = true;
            } else if self.waited >= PATIENCE {
                self.gap(hole_end, GapReason::Acknowledged, sink);
            } else {
                return;
            }
            self.drain(sink);
        }
    }
}

/// The cost of a held piece towards the limit, in addition to its bytes. It also bounds the number
/// of small pieces.
const PIECE_COST: usize = 64;

/// Pieces of a stream after a gap, by position. They never overlap.
#[derive(Clone, Debug)]
pub struct Held<T> {
    /// Boxed, because a map reserves room for several entries, but many streams hold a single
    /// piece.
    pieces: BTreeMap<u64, Box<HeldPiece<T>>>,
    cost: usize,
    /// The memory that the allocator takes for the bytes of the pieces.
    taken: usize,
}

#[derive(Clone, Debug)]
pub struct HeldPiece<T> {
    pub bytes: Box<[u8]>,
    /// How many bytes after them were sent but not captured.
    pub cut: u64,
    /// The tag of the segment that carried them.
    pub tag: T,
}

/// The cost of holding `bytes`, towards the limit.
pub const fn cost_of(bytes: &[u8]) -> usize {
    bytes.len().saturating_add(PIECE_COST)
}

impl<T> Held<T> {
    pub const fn new() -> Held<T> {
        Held { pieces: BTreeMap::new(), cost: 0, taken: 0 }
    }

    pub const fn cost(&self) -> usize {
        self.cost
    }

    /// About how much memory is in use. Most pieces are small, so what the allocator needs for itself
    /// counts, too.
    pub fn heap_bytes(&self) -> usize {
        let boxes = self.pieces.len() * taken(size_of::<HeldPiece<T>>());
        self.taken + tree_bytes::<(u64, Box<HeldPiece<T>>)>(self.pieces.len()) + boxes
    }

    /// The most that holding `bytes` can count towards the limit: the held pieces may split them.
    pub fn most_cost_of(&self, bytes: &[u8]) -> usize {
        let parts = self.pieces.len().saturating_add(1);
        bytes.len().saturating_add(parts.saturating_mul(PIECE_COST))
    }

    pub fn first_position(&self) -> Option<u64> {
        self.pieces.first_key_value().map(|(at, _)| *at)
    }

    /// The tag of the first piece.
    pub fn first_tag(&self) -> Option<&T> {
        self.pieces.first_key_value().map(|(_, piece)| &piece.tag)
    }

    /// Removes the first piece.
    pub fn pop(&mut self) -> Option<(u64, HeldPiece<T>)> {
        let (at, piece) = self.pieces.pop_first()?;
        self.cost = self.cost.saturating_sub(cost_of(&piece.bytes));
        self.taken = self.taken.saturating_sub(taken(piece.bytes.len()));
        Some((at, *piece))
    }

    /// The first part that is not held of `bytes`, which start at `position`. Returns the part's
    /// position, the part, and the index in `bytes` at which it ends.
    pub fn uncovered<'a>(&self, position: u64, bytes: &'a [u8]) -> Option<(u64, &'a [u8], usize)> {
        let before = self.pieces.range(..=position).next_back();
        let covered_to = before.map_or(position, |(at, piece)| piece.end(*at)).max(position);
        let mut skip = distance(position, covered_to);
        let mut rest = bytes.get(skip..).filter(|rest| !rest.is_empty())?;
        let mut at = covered_to;
        // Skips held pieces that follow each other without a gap.
        for (&start, piece) in self.pieces.range(at..) {
            if start != at {
                break;
            }
            let length = piece.bytes.len();
            rest = rest.get(length..).filter(|rest| !rest.is_empty())?;
            skip = skip.saturating_add(length);
            at = piece.end(at);
        }
        let end = self.pieces.range(at..).next().map_or(u64::MAX, |(next, _)| *next);
        let part = rest.get(..distance(at, end)).unwrap_or(rest);
        Some((at, part, skip.saturating_add(part.len())))
    }

    /// Adds a piece that does not overlap any other.
    pub fn insert(&mut self, position: u64, bytes: &[u8], cut: u64, tag: T) {
        self.cost = self.cost.saturating_add(cost_of(bytes));
        self.taken = self.taken.saturating_add(taken(bytes.len()));
        let piece = HeldPiece { bytes: bytes.into(), cut, tag };
        self.pieces.insert(position, Box::new(piece));
    }
}

impl<T> HeldPiece<T> {
    fn end(&self, at: u64) -> u64 {
        at.saturating_add(self.bytes.len() as u64)
    }
}

/// The number of bytes between two positions.
pub fn distance(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}
