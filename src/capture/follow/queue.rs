//! The events of one packet, queued until the caller takes them, and how they are read then.

use super::{
    Cause, ConnectionNumbers, Content, Decoding, Delivery, Event, Layers, Loss, Message, Order,
    Origin, Other, Peers, Place, Reason, Summary, Trust, is_unlikely, part_of,
};
use crate::game::debugger;
use crate::game::multiplayer::{self, MultiplayerProtocol, Packet, Paths, PeerId};
use crate::net::packet::Error;
use crate::value::{VariantRef, parse};
use core::ops::Range;

/// The range of borrowed bytes: in the packet that was pushed last, or in the queue.
#[derive(Clone, Copy, Debug)]
pub enum Lent {
    Packet(usize, usize),
    Queue(usize, usize),
}

/// An event in the queue.
#[derive(Clone, Copy)]
pub enum QueuedEvent<'q> {
    Message(&'q QueuedMessage),
    Other(&'q QueuedOther),
}

/// A message that is not decoded yet.
#[derive(Clone, Copy)]
pub struct QueuedMessage {
    pub origin: Origin,
    pub place: Place,
    pub bytes: Lent,
    pub delivery: Delivery,
    pub peers: Peers,
    pub decoding: Decoding,
    /// Its content, if the multiplayer peers themselves sent it.
    pub own: Option<PeerNotice>,
}

/// An event other than a message.
#[derive(Clone)]
pub struct QueuedOther {
    source: Option<Origin>,
    place: Place,
    what: QueuedKind,
}

#[derive(Clone)]
pub enum QueuedKind {
    Opened(Box<Summary>),
    Recognized(Box<Summary>),
    Closed(Box<Summary>),
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

/// Events in order. Messages are kept apart from the others: there are many, and they are quick to
/// remove.
#[derive(Default)]
pub struct EventList {
    messages: Vec<QueuedMessage>,
    /// Each with its index among all events.
    others: Vec<(usize, QueuedOther)>,
}

impl EventList {
    #[inline]
    pub const fn len(&self) -> usize {
        self.messages.len().saturating_add(self.others.len())
    }

    /// How many bytes the events take.
    #[inline]
    pub const fn bytes(&self) -> usize {
        let messages = self.messages.len().saturating_mul(size_of::<QueuedMessage>());
        let others = self.others.len().saturating_mul(size_of::<(usize, QueuedOther)>());
        messages.saturating_add(others)
    }

    #[inline]
    pub fn get(&self, place: usize) -> Option<QueuedEvent<'_>> {
        if self.others.is_empty() {
            return self.messages.get(place).map(QueuedEvent::Message);
        }
        match self.others.binary_search_by_key(&place, |(at, _)| *at) {
            Ok(at) => self.others.get(at).map(|(_, other)| QueuedEvent::Other(other)),
            Err(before) => {
                let place = place.checked_sub(before)?;
                self.messages.get(place).map(QueuedEvent::Message)
            }
        }
    }

    /// Adds a message. It is made after there is room for it, so that it is not moved.
    #[inline(always)]
    pub fn push(&mut self, message: impl FnOnce() -> QueuedMessage) {
        enlarge(&mut self.messages, 1);
        self.messages.push(message());
    }

    pub fn push_other(&mut self, other: QueuedOther) {
        let place = self.len();
        enlarge(&mut self.others, 1);
        self.others.push((place, other));
    }

    /// Replaces the numbers of the connections.
    pub fn renumber(&mut self, numbers: &ConnectionNumbers) {
        for message in &mut self.messages {
            message.origin.connection = numbers.of(message.origin.connection);
        }
        for (_, other) in &mut self.others {
            if let Some(source) = &mut other.source {
                source.connection = numbers.of(source.connection);
            }
            if let QueuedKind::Opened(summary)
            | QueuedKind::Recognized(summary)
            | QueuedKind::Closed(summary) = &mut other.what
            {
                summary.connection = numbers.of(summary.connection);
            }
        }
    }

    /// The last event, if it is no message.
    fn last_other(&mut self) -> Option<&mut QueuedOther> {
        let last = self.len().checked_sub(1);
        self.others.last_mut().filter(|(at, _)| Some(*at) == last).map(|(_, other)| other)
    }

    #[inline]
    pub fn clear(&mut self) {
        self.messages.clear();
        if !self.others.is_empty() {
            self.others.clear();
        }
    }
}

/// The events of one packet, first in, first out. It is emptied before the next packet is read.
pub struct Queue {
    /// How many bytes the entries of one packet may take.
    limit: usize,
    /// How many bytes may be added until the queue is emptied, and how many were.
    room: usize,
    used: usize,
    is_full: bool,
    events: EventList,
    next: usize,
    /// The indexes at which the events of closed connections start, and their order.
    starts: Vec<(usize, Order)>,
    bytes: Vec<u8>,
    /// The address in memory of the packet that is being read, and its length.
    packet: (usize, usize),
    now: Place,
}

/// How many bytes of memory are kept for the next packet: for messages, and as many for other events
/// and for bytes.
const KEPT: usize = 64 << 10;

/// How many items of a list are kept.
const fn kept<T>() -> usize {
    KEPT / size_of::<T>()
}

/// Makes room for more: if there are already many, for a quarter more instead of twice as many.
#[inline]
fn enlarge<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity().saturating_sub(items.len()) < more {
        enlarge_full(items, more);
    }
}

#[cold]
fn enlarge_full<T>(items: &mut Vec<T>, more: usize) {
    let is_large = items.len() > kept::<T>();
    if is_large {
        items.reserve_exact(more.max(items.len() / 4));
    } else {
        items.reserve(more);
    }
}

impl Queue {
    /// The most bytes that an event takes.
    const EVENT: usize = {
        let (message, other) = (size_of::<QueuedMessage>(), size_of::<(usize, QueuedOther)>());
        if message > other { message } else { other }
    };

    pub fn new(limit: usize) -> Queue {
        Queue {
            limit,
            room: limit,
            used: 0,
            is_full: false,
            events: EventList::default(),
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
        let EventList { messages, others } = &self.events;
        if messages.capacity() > kept::<QueuedMessage>()
            || others.capacity() > kept::<(usize, QueuedOther)>()
            || self.bytes.capacity() > KEPT
        {
            self.shrink();
        }
        self.packet = (packet.as_ptr().addr(), packet.len());
        self.now = now;
    }

    /// Releases the memory beyond what is kept.
    #[cold]
    fn shrink(&mut self) {
        self.events.messages.shrink_to(kept::<QueuedMessage>());
        self.events.others.shrink_to(kept::<(usize, QueuedOther)>());
        self.bytes.shrink_to(KEPT);
    }

    /// Raises the limit by the entries and bytes that a connection held before and now releases.
    pub fn make_room(&mut self, entries: usize, bytes: usize) {
        let more = entries.saturating_mul(Queue::EVENT).saturating_add(bytes);
        self.room = self.room.saturating_add(more);
        self.is_full = self.used > self.room;
    }

    /// Notes that bytes are added.
    #[inline]
    const fn take(&mut self, bytes: usize) {
        self.used += bytes;
        self.is_full = self.used > self.room;
    }

    #[inline]
    pub fn push(&mut self, source: Option<Origin>, what: QueuedKind) {
        self.push_of(self.now, source, what);
    }

    /// Adds a message.
    #[inline(always)]
    pub fn push_message(&mut self, message: impl FnOnce() -> QueuedMessage) {
        if self.is_full {
            return self.count_lost(Some(message().origin));
        }
        self.events.push(message);
        self.take(size_of::<QueuedMessage>());
    }

    /// Adds an event that belongs to another packet.
    ///
    /// An event that opens, recognizes or closes a connection is added even if the queue is full.
    /// The number of connections bounds how many of these there are.
    pub fn push_of(&mut self, place: Place, source: Option<Origin>, what: QueuedKind) {
        if self.is_full {
            if !what.is_about_connection() {
                return self.count_lost(source);
            }
            self.make_room(1, 0);
        }
        self.events.push_other(QueuedOther { source, place, what });
        self.take(size_of::<(usize, QueuedOther)>());
    }

    #[cold]
    fn count_lost(&mut self, source: Option<Origin>) {
        let last = self.events.last_other().map(|other| &mut other.what);
        if let Some(QueuedKind::Lost { cause: Cause::Queue { count }, .. }) = last {
            *count += 1;
        } else {
            let what = QueuedKind::lost(Cause::Queue { count: 1 });
            self.events.push_other(QueuedOther { source, place: self.now, what });
            self.take(size_of::<(usize, QueuedOther)>());
        }
    }

    /// Keeps bytes until they are taken. Bytes of the packet are not copied.
    #[inline]
    pub fn keep(&mut self, bytes: &[u8]) -> Lent {
        if self.is_full {
            return Lent::Queue(0, 0);
        }
        if let Some(Range { start, end }) = part_of(self.packet, bytes) {
            return Lent::Packet(start, end);
        }
        let start = self.bytes.len();
        enlarge(&mut self.bytes, bytes.len());
        self.bytes.extend_from_slice(bytes);
        self.used += bytes.len();
        Lent::Queue(start, self.bytes.len())
    }

    /// Notes that the events of a connection follow, which is closed.
    pub fn start(&mut self, order: Order) {
        self.starts.push((self.events.len(), order));
    }

    /// The order of an entry; none for those of the packet itself.
    pub fn order(&self, place: usize) -> Option<Order> {
        let start = self.starts.iter().rev().find(|(start, _)| *start <= place)?;
        Some(start.1)
    }

    /// Removes all entries after the caller took them.
    #[inline]
    pub fn end(&mut self) {
        self.events.clear();
        self.starts.clear();
        self.bytes.clear();
        self.next = 0;
        self.room = self.limit;
        self.used = 0;
        self.is_full = false;
    }

    /// The index of the next event.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        let place = self.next;
        if place >= self.events.len() {
            return None;
        }
        self.next = place.saturating_add(1);
        Some(place)
    }

    #[inline]
    pub fn event(&self, place: usize) -> Option<QueuedEvent<'_>> {
        self.events.get(place)
    }

    /// Borrows bytes. `packet` is the packet that was pushed last.
    #[inline]
    pub fn lend<'q>(&'q self, packet: &'q [u8], bytes: Lent) -> &'q [u8] {
        match bytes {
            Lent::Packet(start, end) => packet.get(start..end).unwrap_or(&[]),
            Lent::Queue(start, end) => self.bytes.get(start..end).unwrap_or(&[]),
        }
    }
}

impl QueuedOther {
    /// The range of its bytes, if it has any.
    pub const fn bytes(&self) -> Option<Lent> {
        match self.what {
            QueuedKind::Other(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// The same event, with its bytes somewhere else.
    pub fn with_bytes(&self, bytes: Lent) -> QueuedOther {
        let what = match &self.what {
            QueuedKind::Other(_, reason) => QueuedKind::Other(bytes, *reason),
            what => what.clone(),
        };
        QueuedOther { what, ..*self }
    }

    /// The event, with the bytes that belong to it.
    pub fn read<'e>(&'e self, bytes: &'e [u8]) -> Event<'e> {
        let QueuedOther { source: origin, place, what } = self;
        match what {
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
            QueuedKind::Other(_, reason) => {
                Event::Other(Other { place: *place, origin: *origin, bytes, reason: *reason })
            }
            QueuedKind::Damaged(error) => Event::Damaged(*error),
        }
    }
}

impl QueuedMessage {
    /// Whether it may need the names of its connection.
    #[inline]
    pub const fn has_names(&self) -> bool {
        self.decoding.layers.is_multiplayer
    }

    /// Whether the message can only be a value.
    #[inline]
    pub const fn is_value(&self) -> bool {
        let Layers { is_multiplayer, is_debugger, .. } = self.decoding.layers;
        self.own.is_none() && !is_multiplayer && !is_debugger
    }

    /// The event, with the bytes and the names that belong to it.
    pub fn read<'e>(&self, bytes: &'e [u8], names: Option<&'e Paths>) -> Event<'e> {
        let content = match self.content(bytes) {
            Ok(content) => content,
            Err(reason) => return self.unread(bytes, reason),
        };
        Event::Message(self.with_content(bytes, content, names))
    }

    /// Like [`read`](QueuedMessage::read), for messages that can only be values.
    #[inline(always)]
    pub fn read_value<'e>(&self, bytes: &'e [u8]) -> Option<Event<'e>> {
        let value = match self.value(bytes) {
            Ok(value) => value,
            Err(reason) => return Some(self.unread(bytes, reason)),
        };
        Some(Event::Message(self.with_content(bytes, Content::Value(value), None)))
    }

    /// The message with its content.
    #[inline(always)]
    const fn with_content<'e>(
        &self,
        bytes: &'e [u8],
        content: Content<'e>,
        names: Option<&'e Paths>,
    ) -> Message<'e> {
        Message {
            place: self.place,
            // Field by field: the compiler would collect whole fields elsewhere before it moves them.
            origin: Origin { transport: self.decoding.transport, ..self.origin },
            delivery: self.delivery,
            peers: self.peers,
            dialect: self.decoding.dialect,
            is_decided: self.decoding.is_decided,
            bytes,
            content,
            names,
        }
    }

    /// The message as bytes that cannot be read.
    #[cold]
    const fn unread<'e>(&self, bytes: &'e [u8], reason: Reason) -> Event<'e> {
        Event::Other(Other { place: self.place, origin: Some(self.origin), bytes, reason })
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

    /// Decodes the content of the message.
    pub fn content<'m>(&self, bytes: &'m [u8]) -> Result<Content<'m>, Reason> {
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

#[cfg(test)]
mod tests {
    use super::{EventList, KEPT, Place, Queue, QueuedMessage, QueuedOther, enlarge, kept};

    #[test]
    fn a_list_doubles_until_it_is_large_and_then_grows_by_a_quarter() {
        let large = kept::<u64>() + 4;
        for (len, more, capacity) in [
            (100, 1, 200),
            (large - 4, 1, 2 * (large - 4)),
            (large, 1, large + large / 4),
            (large, large, 2 * large),
        ] {
            let mut items = vec![0_u64; len];
            enlarge(&mut items, more);
            assert_eq!(items.capacity(), capacity, "{len} {more}");
            items.resize(len + more, 0);
            enlarge(&mut items, capacity - len - more);
            assert_eq!(items.capacity(), capacity, "{len} {more}");
        }
    }

    #[test]
    fn the_next_packet_releases_each_list_that_is_large() {
        let grow: [fn(&mut Queue); 3] = [
            |queue| queue.events.messages.reserve(KEPT),
            |queue| queue.events.others.reserve(KEPT),
            |queue| queue.bytes.reserve(2 * KEPT),
        ];
        for grow in grow {
            let mut queue = Queue::new(usize::MAX);
            grow(&mut queue);
            queue.begin(&[], Place::new(1));
            let EventList { messages, others } = &queue.events;
            assert!(messages.capacity() <= kept::<QueuedMessage>());
            assert!(others.capacity() <= kept::<(usize, QueuedOther)>());
            assert!(queue.bytes.capacity() <= KEPT);
        }
    }
}
