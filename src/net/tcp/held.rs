//! Segments that arrived out of order, kept until the gap before them is filled.

use crate::net::{taken, tree_bytes};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;

/// What a held piece counts towards the limit in addition to its bytes. This also bounds the number
/// of small pieces.
const PIECE_COST: usize = 64;

/// Pieces of a stream after a gap, by position. They never overlap.
#[derive(Clone, Debug)]
pub(super) struct Held<T> {
    /// Boxed, because a map reserves room for several entries, but many streams hold a single
    /// piece.
    pieces: BTreeMap<u64, Box<HeldPiece<T>>>,
    cost: usize,
    /// What the allocator takes for the bytes of the pieces.
    taken: usize,
}

#[derive(Clone, Debug)]
pub(super) struct HeldPiece<T> {
    pub(super) bytes: Box<[u8]>,
    /// How many bytes after them were sent but not captured.
    pub(super) cut: u64,
    /// The tag of the segment that carried them.
    pub(super) tag: T,
}

/// What holding `bytes` counts towards the limit.
pub(super) const fn cost_of(bytes: &[u8]) -> usize {
    bytes.len().saturating_add(PIECE_COST)
}

impl<T> Held<T> {
    pub(super) const fn new() -> Held<T> {
        Held { pieces: BTreeMap::new(), cost: 0, taken: 0 }
    }

    pub(super) const fn cost(&self) -> usize {
        self.cost
    }

    /// About how much memory is in use. Most pieces are small, so what the allocator needs for itself
    /// counts, too.
    pub(super) fn heap_bytes(&self) -> usize {
        let boxes = self.pieces.len().saturating_mul(taken(size_of::<HeldPiece<T>>()));
        let pieces = tree_bytes::<(u64, Box<HeldPiece<T>>)>(self.pieces.len());
        self.taken.saturating_add(pieces).saturating_add(boxes)
    }

    /// The most that holding `bytes` can count towards the limit: the held pieces may split them.
    pub(super) fn most_cost_of(&self, bytes: &[u8]) -> usize {
        let parts = self.pieces.len().saturating_add(1);
        bytes.len().saturating_add(parts.saturating_mul(PIECE_COST))
    }

    pub(super) fn first_position(&self) -> Option<u64> {
        self.pieces.first_key_value().map(|(at, _)| *at)
    }

    /// The tag of the first piece.
    pub(super) fn first_tag(&self) -> Option<&T> {
        self.pieces.first_key_value().map(|(_, piece)| &piece.tag)
    }

    /// Removes the first piece.
    pub(super) fn pop(&mut self) -> Option<(u64, HeldPiece<T>)> {
        let (at, piece) = self.pieces.pop_first()?;
        self.cost = self.cost.saturating_sub(cost_of(&piece.bytes));
        self.taken = self.taken.saturating_sub(taken(piece.bytes.len()));
        Some((at, *piece))
    }

    /// The first part that is not held of `bytes`, which start at `position`. Returns the part's
    /// position, the part, and the index in `bytes` at which it ends.
    pub(super) fn uncovered<'a>(
        &self,
        position: u64,
        bytes: &'a [u8],
    ) -> Option<(u64, &'a [u8], usize)> {
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
    pub(super) fn insert(&mut self, position: u64, bytes: &[u8], cut: u64, tag: T) {
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
pub(super) fn distance(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}
