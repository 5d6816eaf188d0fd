//! The bytes of an IP packet that arrives in fragments. They take only as much memory as has
//! arrived, wherever in the packet they belong.

use super::payload::Fragment;
use core::ops::Range;

/// The fragments of a packet so far.
#[derive(Default)]
pub(super) struct Pieces {
    /// The bytes that have arrived, each once, in the order of arrival.
    bytes: Vec<u8>,
    /// Where they belong in the packet, sorted by that place.
    pieces: Vec<Piece>,
    /// The length of the packet's payload, in bytes, once its last fragment has arrived.
    len: Option<usize>,
}

/// A part of a packet's payload.
struct Piece {
    part: Range<usize>,
    /// The index of its first byte in [`Pieces::bytes`].
    at: usize,
}

impl Pieces {
    /// How many bytes have arrived.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// How many pieces there are. Bytes that arrive in order extend the last piece.
    pub(super) const fn count(&self) -> usize {
        self.pieces.len()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.len == Some(self.bytes.len())
    }

    pub(super) const fn heap_bytes(&self) -> usize {
        let pieces = self.pieces.capacity().saturating_mul(size_of::<Piece>());
        pieces.saturating_add(self.bytes.capacity())
    }

    /// Writes the bytes in the order of the packet.
    pub(super) fn write(&self, whole: &mut Vec<u8>) {
        whole.clear();
        self.pieces.iter().for_each(|piece| whole.extend_from_slice(self.bytes_of(piece)));
    }

    /// Whether a fragment's bytes equal those that have arrived for the same places.
    pub(super) fn agree(&self, fragment: &Fragment<'_>) -> bool {
        let new = part_of(fragment);
        self.pieces.iter().all(|piece| {
            let both = new.start.max(piece.part.start)..new.end.min(piece.part.end);
            let within = |whole: &Range<usize>| {
                both.start.saturating_sub(whole.start)..both.end.saturating_sub(whole.start)
            };
            let known = self.bytes_of(piece).get(within(&piece.part));
            both.is_empty() || known.is_some() && known == fragment.payload.get(within(&new))
        })
    }

    fn bytes_of(&self, piece: &Piece) -> &[u8] {
        let end = piece.at.saturating_add(piece.part.len());
        self.bytes.get(piece.at..end).unwrap_or(&[])
    }

    /// Adds a fragment whose bytes agree with those that have arrived. Returns false if it cannot
    /// belong to this packet.
    pub(super) fn add(&mut self, fragment: &Fragment<'_>) -> bool {
        let Range { start, end } = part_of(fragment);
        let known_end = self.pieces.last().map_or(0, |last| last.part.end);
        let is_of_packet = if fragment.is_last {
            known_end <= end && self.len.is_none_or(|len| len == end)
        } else {
            fragment.payload.len().is_multiple_of(8) && self.len.is_none_or(|len| end <= len)
        };
        if fragment.missing > 0 || end > usize::from(u16::MAX) || !is_of_packet {
            return false;
        }
        if fragment.is_last {
            self.len = Some(end);
        }
        // Only what is new is kept: the bytes before each known piece, and those after the last
        // one.
        let mut from = start;
        let mut next = self.pieces.partition_point(|piece| piece.part.end <= start);
        while from < end {
            let known = self.pieces.get(next).map_or(end..end, |piece| piece.part.clone());
            let to = known.start.min(end);
            if from < to {
                let within = from.saturating_sub(start)..to.saturating_sub(start);
                next = self.insert(next, from..to, fragment.payload.get(within).unwrap_or(&[]));
            }
            from = known.end;
            next = next.saturating_add(1);
        }
        true
    }

    /// Inserts bytes before the piece with the index `next`, or extends the piece before it.
    /// Returns the index of the piece after the bytes.
    fn insert(&mut self, next: usize, part: Range<usize>, bytes: &[u8]) -> usize {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        if let Some(before) = next.checked_sub(1).and_then(|before| self.pieces.get_mut(before))
            && before.part.end == part.start
            && before.at.saturating_add(before.part.len()) == at
        {
            before.part.end = part.end;
            return next;
        }
        self.pieces.insert(next, Piece { part, at });
        next.saturating_add(1)
    }
}

/// The range of the packet's payload that a fragment covers.
fn part_of(fragment: &Fragment<'_>) -> Range<usize> {
    let start = usize::from(fragment.offset);
    start..start.saturating_add(fragment.payload.len())
}
