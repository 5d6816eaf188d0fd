//! The events of one packet, kept until the caller asks for them.

use super::event::{Loss, Origin, Peers, Place, Reason};
use crate::capture::Error;
use crate::capture::survey::Choice;
use crate::multiplayer::Packet;
use crate::net::enet;
use core::ops::Range;

/// Bytes of a message: borrowed from the file if they are contiguous there, else from the queue.
#[derive(Clone, Debug)]
pub(super) enum Lent<'a> {
    File(&'a [u8]),
    Queue(Range<usize>),
}

pub(super) struct Entry<'a> {
    pub(super) source: Option<Origin>,
    pub(super) place: Place,
    pub(super) what: What<'a>,
}

pub(super) enum What<'a> {
    Message(Found<'a>),
    Lost(Loss),
    Other(Lent<'a>, Reason),
    Damaged(Error),
}

/// A message whose content is not yet read.
pub(super) struct Found<'a> {
    pub(super) choice: Choice,
    pub(super) bytes: Lent<'a>,
    pub(super) offset: u64,
    pub(super) channel: Option<u8>,
    pub(super) mode: Option<enet::Mode>,
    pub(super) peers: Peers,
    /// Its packet, if a multiplayer peer sent it on its own behalf.
    pub(super) own: Option<Packet<'static>>,
}

/// First in, first out; emptied before the next packet is read.
pub(super) struct Queue<'a> {
    /// How many bytes it may take.
    limit: usize,
    is_full: bool,
    entries: Vec<Entry<'a>>,
    next: usize,
    bytes: Vec<u8>,
    /// The packet that is being read.
    packet: &'a [u8],
    now: Place,
}

/// How much memory for entries and for bytes is kept for the next packet.
const KEPT: usize = 64 << 10;

impl<'a> Queue<'a> {
    pub(super) const fn new(limit: usize) -> Queue<'a> {
        Queue {
            limit,
            is_full: false,
            entries: Vec::new(),
            next: 0,
            bytes: Vec::new(),
            packet: &[],
            now: Place { frame: 0, time: None },
        }
    }

    /// Forgets all entries; what comes next is of this packet, and may be in it.
    pub(super) fn begin(&mut self, packet: &'a [u8], now: Place) {
        self.is_full = false;
        self.entries.clear();
        self.entries.shrink_to(KEPT / size_of::<Entry<'_>>());
        self.next = 0;
        self.bytes.clear();
        self.bytes.shrink_to(KEPT);
        self.packet = packet;
        self.now = now;
    }

    /// The packet that is being read.
    pub(super) const fn now(&self) -> Place {
        self.now
    }

    #[inline]
    pub(super) fn push(&mut self, source: Option<Origin>, what: What<'a>) {
        self.push_of(self.now, source, what);
    }

    /// The same of what another packet brought.
    #[inline]
    pub(super) fn push_of(&mut self, place: Place, source: Option<Origin>, what: What<'a>) {
        if self.is_full {
            return self.count_lost(source);
        }
        self.entries.push(Entry { source, place, what });
        let entries = self.entries.len().saturating_mul(size_of::<Entry<'_>>());
        self.is_full = entries.saturating_add(self.bytes.len()) > self.limit;
    }

    #[cold]
    fn count_lost(&mut self, source: Option<Origin>) {
        let last = self.entries.last_mut().map(|entry| &mut entry.what);
        if let Some(What::Lost(Loss::Queue { count })) = last {
            *count = count.saturating_add(1);
        } else {
            let what = What::Lost(Loss::Queue { count: 1 });
            self.entries.push(Entry { source, place: self.now, what });
        }
    }

    /// Keeps bytes until they are asked for: if they are of the packet, by their place there.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Lent<'a> {
        if self.is_full {
            return Lent::File(&[]);
        }
        if let Some(bytes) = part_of(self.packet, bytes) {
            return Lent::File(bytes);
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Lent::Queue(start..self.bytes.len())
    }

    /// The place of the next entry.
    pub(super) fn next(&mut self) -> Option<usize> {
        let place = self.next;
        self.entries.get(place)?;
        self.next = place.saturating_add(1);
        Some(place)
    }

    pub(super) fn entry(&self, place: usize) -> Option<&Entry<'a>> {
        self.entries.get(place)
    }

    pub(super) fn lend<'q>(&'q self, bytes: &Lent<'a>) -> &'q [u8] {
        match bytes {
            Lent::File(bytes) => bytes,
            Lent::Queue(range) => self.bytes.get(range.clone()).unwrap_or(&[]),
        }
    }
}

/// The same bytes as a part of the whole, if they are one.
fn part_of<'a>(whole: &'a [u8], part: &[u8]) -> Option<&'a [u8]> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    whole.get(start..start.checked_add(part.len())?)
}
