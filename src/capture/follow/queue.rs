//! The events of one packet, queued until the caller takes them.

use super::carried::part_of;
use super::choice::Choice;
use super::event::Reason;
use super::loss::Cause;
use super::place::{Origin, Peers, Place};
use super::summary::Summary;
use crate::game::multiplayer::{Packet, PeerId};
use crate::net::enet;
use crate::net::packet::Error;
use core::ops::Range;

/// Where borrowed bytes are: in the packet that was pushed last, or in the queue.
#[derive(Clone, Debug)]
pub(super) enum Lent {
    Packet(Range<usize>),
    Queue(Range<usize>),
}

#[derive(Clone)]
pub(super) struct Entry {
    pub(super) source: Option<Origin>,
    pub(super) place: Place,
    pub(super) what: What,
}

#[derive(Clone)]
pub(super) enum What {
    Opened(Box<Summary>),
    Recognized(Box<Summary>),
    Closed(Box<Summary>),
    Message(Found),
    /// A loss, the packet after which it was sent, and whether its sender's packets were captured
    /// only in part before.
    Lost {
        cause: Cause,
        after: Option<Box<Place>>,
        is_after_cut: bool,
    },
    Other(Lent, Reason),
    Damaged(Error),
}

impl What {
    /// A loss at its packet.
    pub(super) const fn lost(cause: Cause) -> What {
        What::Lost { cause, after: None, is_after_cut: false }
    }

    const fn is_about_connection(&self) -> bool {
        matches!(self, What::Opened(_) | What::Recognized(_) | What::Closed(_))
    }
}

/// A message that is not decoded yet.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) choice: Choice,
    pub(super) bytes: Lent,
    pub(super) offset: u64,
    pub(super) sequence: Option<u32>,
    pub(super) channel: Option<u8>,
    pub(super) mode: Option<enet::Mode>,
    pub(super) peers: Peers,
    /// Its content, if the multiplayer peers themselves sent it.
    pub(super) own: Option<Own>,
}

/// A message that the multiplayer peers of Godot 3 themselves send: a peer has joined, or has left.
#[derive(Clone, Copy)]
pub(super) enum Own {
    Added(PeerId),
    Removed(PeerId),
}

impl Own {
    pub(super) const fn packet(self) -> Packet<'static> {
        match self {
            Own::Added(peer) => Packet::PeerAdded { peer },
            Own::Removed(peer) => Packet::PeerRemoved { peer },
        }
    }
}

/// The events of one packet, first in, first out. It is emptied before the next packet is read.
pub(super) struct Queue {
    /// How many bytes the entries of one packet may take.
    limit: usize,
    /// How many more bytes may be added until the queue is emptied.
    room: usize,
    is_full: bool,
    entries: Vec<Entry>,
    next: usize,
    bytes: Vec<u8>,
    /// Where the packet that is being read is in memory, and its length.
    packet: (usize, usize),
    now: Place,
}

/// How many bytes of memory are kept for the next packet: for entries, and as many for bytes.
const KEPT: usize = 64 << 10;

/// Makes room for more: if there are already many, for a quarter more instead of twice as many.
#[inline]
fn enlarge<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity().saturating_sub(items.len()) < more {
        enlarge_full(items, more);
    }
}

#[cold]
fn enlarge_full<T>(items: &mut Vec<T>, more: usize) {
    let is_large = items.len() > KEPT / size_of::<T>().max(1);
    if is_large {
        items.reserve_exact(more.max(items.len() / 4));
    } else {
        items.reserve(more);
    }
}

impl Queue {
    pub(super) const fn new(limit: usize) -> Queue {
        Queue {
            limit,
            room: limit,
            is_full: false,
            entries: Vec::new(),
            next: 0,
            bytes: Vec::new(),
            packet: (0, 0),
            now: Place::new(0),
        }
    }

    /// Removes all entries, and starts with the next packet. Bytes that are kept may be a part of
    /// it.
    pub(super) fn begin(&mut self, packet: &[u8], now: Place) {
        self.end();
        self.entries.shrink_to(KEPT / size_of::<Entry>());
        self.bytes.shrink_to(KEPT);
        self.packet = (packet.as_ptr().addr(), packet.len());
        self.now = now;
    }

    /// Raises the limit by the entries and bytes that a connection held before and now releases.
    pub(super) fn make_room(&mut self, entries: usize, bytes: usize) {
        let more = entries.saturating_mul(size_of::<Entry>()).saturating_add(bytes);
        self.room = self.room.saturating_add(more);
        self.is_full = self.used() > self.room;
    }

    fn used(&self) -> usize {
        let entries = self.entries.len().saturating_mul(size_of::<Entry>());
        entries.saturating_add(self.bytes.len())
    }

    #[inline]
    pub(super) fn push(&mut self, source: Option<Origin>, what: What) {
        self.push_of(self.now, source, what);
    }

    /// Adds an entry that belongs to another packet.
    ///
    /// An entry that opens, recognizes or closes a connection is added even if the queue is full.
    /// The number of connections bounds how many of these there are.
    #[inline(always)]
    pub(super) fn push_of(&mut self, place: Place, source: Option<Origin>, what: What) {
        if self.is_full {
            if !what.is_about_connection() {
                return self.count_lost(source);
            }
            self.make_room(1, 0);
        }
        enlarge(&mut self.entries, 1);
        self.entries.push(Entry { source, place, what });
        self.is_full = self.used() > self.room;
    }

    #[cold]
    fn count_lost(&mut self, source: Option<Origin>) {
        let last = self.entries.last_mut().map(|entry| &mut entry.what);
        if let Some(What::Lost { cause: Cause::Queue { count }, .. }) = last {
            *count = count.saturating_add(1);
        } else {
            let what = What::lost(Cause::Queue { count: 1 });
            self.entries.push(Entry { source, place: self.now, what });
        }
    }

    /// Keeps bytes until they are taken. Bytes of the packet are not copied.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Lent {
        if self.is_full {
            return Lent::Queue(0..0);
        }
        if let Some(range) = part_of(self.packet, bytes) {
            return Lent::Packet(range);
        }
        let start = self.bytes.len();
        enlarge(&mut self.bytes, bytes.len());
        self.bytes.extend_from_slice(bytes);
        Lent::Queue(start..self.bytes.len())
    }

    /// Removes all entries after the caller took them.
    pub(super) fn end(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.next = 0;
        self.room = self.limit;
        self.is_full = false;
    }

    /// The index of the next entry.
    pub(super) fn next(&mut self) -> Option<usize> {
        let place = self.next;
        self.entries.get(place)?;
        self.next = place.saturating_add(1);
        Some(place)
    }

    pub(super) fn entry(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// Borrows bytes. `packet` is the packet that was pushed last.
    pub(super) fn lend<'q>(&'q self, packet: &'q [u8], bytes: &Lent) -> &'q [u8] {
        match bytes {
            Lent::Packet(range) => packet.get(range.clone()).unwrap_or(&[]),
            Lent::Queue(range) => self.bytes.get(range.clone()).unwrap_or(&[]),
        }
    }
}
