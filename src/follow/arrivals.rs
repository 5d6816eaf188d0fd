//! Remembers which packets brought the bytes of messages that are held back.

use super::place::Place;
use crate::net::tcp::Piece;
use std::collections::VecDeque;

/// The packets of datagrams or segments, by number, for as long as something that they brought is
/// held back.
#[derive(Clone, Default)]
pub(super) struct Arrivals {
    /// In order of their numbers.
    places: Vec<(u64, Place)>,
    /// At this length, entries that are no longer needed are removed.
    full: usize,
}

/// The capacity that is kept, and the length up to which no entries are removed.
const FEW: usize = 16;

impl Arrivals {
    /// The packet of the datagram or segment with a number; `now` is the one being read.
    #[inline]
    pub(super) fn of(&self, number: u64, now: (u64, Place)) -> Place {
        if number == now.0 {
            return now.1;
        }
        let found = self.places.binary_search_by_key(&number, |(number, _)| *number);
        found.ok().and_then(|at| self.places.get(at)).map_or(now.1, |(_, place)| *place)
    }

    /// Removes all entries: nothing is held back.
    #[inline]
    pub(super) fn clear(&mut self) {
        if !self.places.is_empty() {
            self.places.clear();
            self.places.shrink_to(FEW);
            self.full = 0;
        }
    }

    /// Adds the datagram or segment that was read last, of which something may be held back. `held`
    /// gives the numbers of all of which something is held back.
    pub(super) fn note(&mut self, now: (u64, Place), held: impl Iterator<Item = u64>) {
        if self.places.is_empty() {
            // In many flows only the first packet is held back.
            self.places.reserve_exact(1);
        }
        self.places.push(now);
        if self.places.len() > self.full.max(FEW) {
            let mut needed: Vec<u64> = held.collect();
            needed.sort_unstable();
            self.places.retain(|(number, _)| needed.binary_search(number).is_ok());
            // Removal then costs little for each packet, however much is held.
            self.full = self.places.len().saturating_mul(2).saturating_add(needed.len() / 8);
            self.places.shrink_to(self.full);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.places.capacity().saturating_mul(size_of::<(u64, Place)>())
    }
}

/// The packets of a stream's latest bytes, in which messages that are not yet given may end.
#[derive(Clone)]
pub(super) struct Spans {
    /// The end of each packet's bytes. They start where those of the packet before end.
    spans: VecDeque<(u64, Place)>,
}

impl Spans {
    pub(super) const fn new() -> Spans {
        Spans { spans: VecDeque::new() }
    }

    /// Adds the next bytes of the stream. Unless messages are still searched for in earlier bytes,
    /// packets that cannot be the last one of a message are removed.
    #[inline]
    pub(super) fn add(&mut self, piece: Piece<'_>, place: Place, is_searching: bool) {
        let Piece::Data { offset, bytes, .. } = piece else { return };
        let end = offset.saturating_add(bytes.len() as u64);
        while let Some((_, last)) = self.spans.back()
            && (last.frame == place.frame || !is_searching && last.frame < place.frame)
        {
            self.spans.pop_back();
        }
        self.spans.push_back((end, place));
    }

    /// The latest of the packets that brought some bytes of the stream.
    #[inline]
    pub(super) fn last(&self, start: u64, end: u64) -> Option<Place> {
        let first = self.spans.partition_point(|(to, _)| *to <= start);
        let mut last: Option<Place> = None;
        for (to, place) in self.spans.iter().skip(first) {
            if last.is_none_or(|last| last.frame < place.frame) {
                last = Some(*place);
            }
            if *to >= end {
                break;
            }
        }
        last
    }

    /// Removes packets whose bytes the reader no longer keeps.
    #[inline]
    pub(super) fn forget_before(&mut self, kept_from: Option<u64>) {
        let Some(kept_from) = kept_from else {
            self.spans.clear();
            self.spans.shrink_to(FEW);
            return;
        };
        while self.spans.front().is_some_and(|(end, _)| *end <= kept_from) {
            self.spans.pop_front();
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.spans.capacity().saturating_mul(size_of::<(u64, Place)>())
    }
}
