//! The events of one packet, queued until the caller takes them, and how they are read then.

use super::{
    Cause, ConnectionNames, Content, Decoding, Event, Layers, Loss, Message, Order, Origin, Other,
    Peers, Place, Reason, Summary, TransportMessage, Trust, is_unlikely, part_of,
};
use crate::game::debugger;
use crate::game::multiplayer::{self, MultiplayerProtocol, Packet, PeerId};
use crate::net::packet::Error;
use crate::value::{VariantRef, parse};
use core::ops::Range;

/// Where borrowed bytes are: in the packet that was pushed last, or in the queue.
#[derive(Clone, Debug)]
pub enum Lent {
    Packet(Range<usize>),
    Queue(Range<usize>),
}

#[derive(Clone)]
pub struct QueuedEvent {
    pub(super) source: Option<Origin>,
    pub(super) place: Place,
    pub(super) what: QueuedKind,
}

#[derive(Clone)]
pub enum QueuedKind {
    Opened(Box<Summary>),
    Recognized(Box<Summary>),
    Closed(Box<Summary>),
    Message(UnreadMessage),
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

impl QueuedKind {
    /// A loss at its packet.
    pub const fn lost(cause: Cause) -> QueuedKind {
        QueuedKind::Lost { cause, after: None, is_after_cut: false }
    }

    const fn is_about_connection(&self) -> bool {
        matches!(self, QueuedKind::Opened(_) | QueuedKind::Recognized(_) | QueuedKind::Closed(_))
    }
}

/// A message that is not decoded yet.
#[derive(Clone)]
pub struct UnreadMessage {
    pub decoding: Decoding,
    pub message: TransportMessage<Lent>,
    pub peers: Peers,
    /// Its content, if the multiplayer peers themselves sent it.
    pub own: Option<PeerNotice>,
}

/// A message that the multiplayer peers of Godot 3 themselves send: a peer has joined, or has left.
#[derive(Clone, Copy)]
pub enum PeerNotice {
    Added(PeerId),
    Removed(PeerId),
}

impl PeerNotice {
    pub const fn packet(self) -> Packet<'static> {
        match self {
            PeerNotice::Added(peer) => Packet::PeerAdded { peer },
            PeerNotice::Removed(peer) => Packet::PeerRemoved { peer },
        }
    }
}

/// The events of one packet, first in, first out. It is emptied before the next packet is read.
pub struct Queue {
    /// How many bytes the entries of one packet may take.
    limit: usize,
    /// How many more bytes may be added until the queue is emptied.
    room: usize,
    is_full: bool,
    entries: Vec<QueuedEvent>,
    next: usize,
    /// Where the events of closed connections start, and their order.
    starts: Vec<(usize, Order)>,
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
    pub const fn new(limit: usize) -> Queue {
        Queue {
            limit,
            room: limit,
            is_full: false,
            entries: Vec::new(),
            next: 0,
            starts: Vec::new(),
            bytes: Vec::new(),
            packet: (0, 0),
            now: Place::new(0),
        }
    }

    /// Removes all entries, and starts with the next packet. Bytes that are kept may be a part of
    /// it.
    #[inline]
    pub fn begin(&mut self, packet: &[u8], now: Place) {
        self.end();
        if self.entries.capacity() > KEPT / size_of::<QueuedEvent>() || self.bytes.capacity() > KEPT
        {
            self.shrink();
        }
        self.packet = (packet.as_ptr().addr(), packet.len());
        self.now = now;
    }

    #[cold]
    fn shrink(&mut self) {
        self.entries.shrink_to(KEPT / size_of::<QueuedEvent>());
        self.bytes.shrink_to(KEPT);
    }

    /// Raises the limit by the entries and bytes that a connection held before and now releases.
    pub fn make_room(&mut self, entries: usize, bytes: usize) {
        let more = entries.saturating_mul(size_of::<QueuedEvent>()).saturating_add(bytes);
        self.room = self.room.saturating_add(more);
        self.is_full = self.used() > self.room;
    }

    fn used(&self) -> usize {
        let entries = self.entries.len().saturating_mul(size_of::<QueuedEvent>());
        entries.saturating_add(self.bytes.len())
    }

    #[inline]
    pub fn push(&mut self, source: Option<Origin>, what: QueuedKind) {
        self.push_of(self.now, source, what);
    }

    /// Adds an entry that belongs to another packet.
    ///
    /// An entry that opens, recognizes or closes a connection is added even if the queue is full.
    /// The number of connections bounds how many of these there are.
    #[inline(always)]
    pub fn push_of(&mut self, place: Place, source: Option<Origin>, what: QueuedKind) {
        if self.is_full {
            if !what.is_about_connection() {
                return self.count_lost(source);
            }
            self.make_room(1, 0);
        }
        enlarge(&mut self.entries, 1);
        self.entries.push(QueuedEvent { source, place, what });
        self.is_full = self.used() > self.room;
    }

    #[cold]
    fn count_lost(&mut self, source: Option<Origin>) {
        let last = self.entries.last_mut().map(|entry| &mut entry.what);
        if let Some(QueuedKind::Lost { cause: Cause::Queue { count }, .. }) = last {
            *count += 1;
        } else {
            let what = QueuedKind::lost(Cause::Queue { count: 1 });
            self.entries.push(QueuedEvent { source, place: self.now, what });
        }
    }

    /// Keeps bytes until they are taken. Bytes of the packet are not copied.
    #[inline]
    pub fn keep(&mut self, bytes: &[u8]) -> Lent {
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

    /// Notes that the events of a connection follow, which is closed.
    pub fn start(&mut self, order: Order) {
        self.starts.push((self.entries.len(), order));
    }

    /// The order of an entry; none for those of the packet itself.
    pub fn order(&self, place: usize) -> Option<Order> {
        let start = self.starts.iter().rev().find(|(start, _)| *start <= place)?;
        Some(start.1)
    }

    /// Removes all entries after the caller took them.
    #[inline]
    pub fn end(&mut self) {
        self.entries.clear();
        self.starts.clear();
        self.bytes.clear();
        self.next = 0;
        self.room = self.limit;
        self.is_full = false;
    }

    /// The index of the next entry.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        let place = self.next;
        self.entries.get(place)?;
        self.next = place.saturating_add(1);
        Some(place)
    }

    #[inline]
    pub fn entry(&self, place: usize) -> Option<&QueuedEvent> {
        self.entries.get(place)
    }

    /// Borrows bytes. `packet` is the packet that was pushed last.
    #[inline]
    pub fn lend<'q>(&'q self, packet: &'q [u8], bytes: &Lent) -> &'q [u8] {
        match bytes {
            Lent::Packet(range) => packet.get(range.clone()).unwrap_or(&[]),
            Lent::Queue(range) => self.bytes.get(range.clone()).unwrap_or(&[]),
        }
    }
}

impl QueuedEvent {
    /// Where its bytes are, if it has any.
    pub(super) const fn bytes(&self) -> Option<&Lent> {
        match &self.what {
            QueuedKind::Message(found) => Some(&found.message.bytes),
            QueuedKind::Other(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// The same entry, with its bytes somewhere else.
    pub(super) fn with_bytes(&self, bytes: Lent) -> QueuedEvent {
        let what = match &self.what {
            QueuedKind::Message(found) => {
                let message = TransportMessage { bytes, delivery: found.message.delivery };
                QueuedKind::Message(UnreadMessage { message, ..found.clone() })
            }
            QueuedKind::Other(_, reason) => QueuedKind::Other(bytes, *reason),
            what => what.clone(),
        };
        QueuedEvent { what, ..*self }
    }

    /// The connection whose names its message may need.
    pub(super) const fn names(&self) -> Option<&Origin> {
        match &self.what {
            QueuedKind::Message(found) if found.decoding.layers.is_multiplayer => {
                self.source.as_ref()
            }
            _ => None,
        }
    }

    /// The event, with the bytes and the names that belong to it.
    #[inline]
    pub(super) fn read<'e>(
        &'e self,
        bytes: &'e [u8],
        names: Option<&'e ConnectionNames>,
    ) -> Option<Event<'e>> {
        let QueuedEvent { source: origin, place, what } = self;
        if let QueuedKind::Message(found) = what
            && found.is_value()
            && let Some(origin) = *origin
        {
            return Some(match found.value(bytes).map(Content::Value) {
                Ok(content) => Event::Message(found.message(*place, origin, bytes, content, names)),
                Err(reason) => {
                    Event::Other(Other { place: *place, origin: Some(origin), bytes, reason })
                }
            });
        }
        self.read_any(bytes, names)
    }

    /// As [`read`](QueuedEvent::read), for the less common events.
    #[inline(never)]
    fn read_any<'e>(
        &'e self,
        bytes: &'e [u8],
        names: Option<&'e ConnectionNames>,
    ) -> Option<Event<'e>> {
        let QueuedEvent { source: origin, place, what } = self;
        let other = |reason| Event::Other(Other { place: *place, origin: *origin, bytes, reason });
        Some(match what {
            QueuedKind::Message(found) => match found.read(bytes) {
                Ok(content) => {
                    Event::Message(found.message(*place, (*origin)?, bytes, content, names))
                }
                Err(reason) => other(reason),
            },
            QueuedKind::Opened(summary) => Event::Opened(summary),
            QueuedKind::Recognized(summary) => Event::Recognized(summary),
            QueuedKind::Closed(summary) => Event::Closed(summary),
            QueuedKind::Lost { cause, after, is_after_cut } => Event::Lost(Loss {
                place: *place,
                after: after.as_deref().copied(),
                is_after_cut: *is_after_cut,
                origin: *origin,
                cause: *cause,
            }),
            QueuedKind::Other(_, reason) => other(*reason),
            QueuedKind::Damaged(error) => Event::Damaged(*error),
        })
    }
}

impl UnreadMessage {
    /// Whether the message can only be a value.
    #[inline]
    const fn is_value(&self) -> bool {
        let Layers { is_multiplayer, is_debugger, .. } = self.decoding.layers;
        self.own.is_none() && !is_multiplayer && !is_debugger
    }

    /// Decodes the value in the message.
    #[inline]
    fn value<'m>(&self, bytes: &'m [u8]) -> Result<VariantRef<'m>, Reason> {
        let Decoding { dialect, trust, .. } = self.decoding;
        let value = parse(dialect, bytes).map_err(Reason::NoValue)?;
        if trust != Trust::Everything && (trust == Trust::Nothing || is_unlikely(bytes)) {
            return Err(Reason::Unlikely);
        }
        Ok(value)
    }

    /// The message with its content.
    #[inline(always)]
    const fn message<'m>(
        &self,
        place: Place,
        origin: Origin,
        bytes: &'m [u8],
        content: Content<'m>,
        names: Option<&'m ConnectionNames>,
    ) -> Message<'m> {
        Message {
            place,
            origin,
            delivery: self.message.delivery,
            peers: self.peers,
            dialect: self.decoding.dialect,
            is_decided: self.decoding.is_decided,
            bytes,
            content,
            names,
        }
    }

    /// Decodes the content of the message.
    pub fn read<'m>(&self, bytes: &'m [u8]) -> Result<Content<'m>, Reason> {
        let Decoding { layers, dialect, .. } = self.decoding;
        if let Some(own) = self.own {
            return Ok(Content::Packet(own.packet()));
        }
        if layers.is_multiplayer {
            let packet = multiplayer::parse(MultiplayerProtocol::of(dialect), dialect, bytes);
            return packet.map(Content::Packet).map_err(Reason::NoPacket);
        }
        if layers.is_debugger
            && let Some(command) = debugger::parse(dialect, bytes)
        {
            return Ok(Content::Debugger(command));
        }
        self.value(bytes).map(Content::Value)
    }
}
