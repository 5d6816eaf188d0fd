//! Messages and losses that the readers in a race have found, kept until one of the readers wins.

use super::Readings;
use crate::capture::follow::{
    Carried, CarriedSink, Cause, Place, Reason, Transport, TransportMessage, part_of,
};
use crate::game::multiplayer::PeerId;
use crate::net::{Between, Side, taken};
use core::ops::Range;

/// The bytes that a race keeps: the payloads of the packets, and messages that are not a part of
/// one payload.
#[derive(Default)]
pub struct BacklogBytes {
    bytes: Vec<u8>,
    /// The address and length of the payload that is being read, and where its copy starts in
    /// `bytes`.
    payload: (usize, usize),
    start: usize,
    /// How many packets were read.
    packets: u32,
}

impl BacklogBytes {
    /// Counts the packet that is read next.
    pub const fn begin(&mut self) {
        self.packets = self.packets.saturating_add(1);
    }

    /// Keeps the payload of the packet that is read next.
    pub fn push(&mut self, payload: &[u8]) {
        self.payload = (0, 0);
        self.start = self.keep(payload).start;
        self.payload = (payload.as_ptr().addr(), payload.len());
    }

    /// Ends the packet: bytes that are kept later are not a part of it.
    pub const fn end(&mut self) {
        self.payload = (0, 0);
    }

    /// Keeps bytes. A part of the payload is not copied again.
    fn keep(&mut self, bytes: &[u8]) -> Range<usize> {
        if let Some(Range { start, end }) = part_of(self.payload, bytes) {
            return self.start.saturating_add(start)..self.start.saturating_add(end);
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    fn get(&self, range: &Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or(&[])
    }

    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub const fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Something that a reader has found.
struct BacklogItem {
    from: Side,
    /// The number of the race's packet in which it was found.
    packet: u32,
    place: Place,
    what: Stored,
}

enum Stored {
    Message(TransportMessage<Range<usize>>),
    Cut { bytes: Range<usize>, missing: usize },
    Client(PeerId, u32),
    Lost(Box<Cause>, Option<Box<Between<Place>>>),
    Other(Range<usize>, Box<Reason>),
}

/// The finds of one reader, in the order in which they are returned.
#[derive(Default)]
pub struct Backlog {
    items: Vec<BacklogItem>,
    /// How many bytes the boxes in `items` take, with what the allocator needs for itself.
    boxed: usize,
}

impl Backlog {
    pub fn push(
        &mut self,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut BacklogBytes,
    ) {
        self.boxed = self.boxed.saturating_add(match &carried {
            Carried::Lost(_, between) if **between == Between::UNKNOWN => taken(size_of::<Cause>()),
            Carried::Lost(..) => {
                taken(size_of::<Cause>()).saturating_add(taken(size_of::<Between<Place>>()))
            }
            Carried::Other(..) => taken(size_of::<Reason>()),
            _ => 0,
        });
        let what = match carried {
            Carried::Message(TransportMessage { bytes: whole, delivery }) => {
                Stored::Message(TransportMessage { bytes: bytes.keep(whole), delivery })
            }
            Carried::Cut { bytes: part, missing } => {
                Stored::Cut { bytes: bytes.keep(part), missing }
            }
            Carried::Client(id, connect_id) => Stored::Client(id, connect_id),
            Carried::Lost(cause, between) => {
                let is_known = *between != Between::UNKNOWN;
                Stored::Lost(Box::new(cause), is_known.then(|| Box::new(*between)))
            }
            Carried::Other(other, reason) => Stored::Other(bytes.keep(other), Box::new(reason)),
            Carried::Upgraded | Carried::Disconnected => return,
        };
        if self.items.is_empty() {
            // Many connections have only one packet.
            self.items.reserve_exact(1);
        }
        self.items.push(BacklogItem { from, packet: bytes.packets, place, what });
    }

    /// The items from the index `first` on, in their order.
    pub fn from<'b>(
        &'b self,
        first: usize,
        bytes: &'b BacklogBytes,
    ) -> impl Iterator<Item = (Side, Place, Carried<'b>)> {
        let items = self.items.get(first..).unwrap_or(&[]).iter();
        items.map(|it| (it.from, it.place, it.what.carried(bytes)))
    }

    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// The number of items in the first `packets` packets of the race.
    pub fn found_by(&self, packets: u32) -> usize {
        self.items.partition_point(|it| it.packet <= packets)
    }

    /// The number of the packet in which the last of the first `count` items was found.
    pub fn packet_of_last(&self, count: usize) -> u32 {
        let last = count.checked_sub(1).and_then(|last| self.items.get(last));
        last.map(|last| last.packet).unwrap_or_default()
    }

    pub fn heap_bytes(&self) -> usize {
        let items = self.items.capacity().saturating_mul(size_of::<BacklogItem>());
        items.saturating_add(self.boxed)
    }
}

impl Stored {
    fn carried<'b>(&'b self, bytes: &'b BacklogBytes) -> Carried<'b> {
        match self {
            Stored::Message(TransportMessage { bytes: range, delivery }) => {
                Carried::Message(TransportMessage { bytes: bytes.get(range), delivery: *delivery })
            }
            Stored::Cut { bytes: range, missing } => {
                Carried::Cut { bytes: bytes.get(range), missing: *missing }
            }
            Stored::Client(id, connect_id) => Carried::Client(*id, *connect_id),
            Stored::Lost(cause, between) => {
                Carried::Lost(**cause, between.as_deref().unwrap_or(&Between::UNKNOWN))
            }
            Stored::Other(range, reason) => Carried::Other(bytes.get(range), **reason),
        }
    }
}

/// The backlog of the winning reader.
pub struct Prize {
    pub bytes: BacklogBytes,
    pub backlog: Backlog,
    /// The index of the first item that was not delivered yet.
    pub next: usize,
}

impl Prize {
    /// Delivers everything that was not delivered yet.
    pub fn give(&self, sink: CarriedSink<'_>) {
        for (from, place, carried) in self.backlog.from(self.next, &self.bytes) {
            sink(from, place, carried);
        }
    }

    /// How many items are to be delivered, and how many bytes were kept.
    pub const fn size(&self) -> (usize, usize) {
        (self.backlog.len().saturating_sub(self.next), self.bytes.len())
    }
}

/// A transport in the race: the finds of its reader, and the statistics of the messages among them.
pub struct Contender {
    pub transport: Transport,
    pub readings: Readings,
    pub backlog: Backlog,
}

impl Contender {
    pub fn new(transport: Transport) -> Contender {
        Contender { transport, readings: Readings::default(), backlog: Backlog::default() }
    }

    /// Examines what the reader delivers, and keeps it.
    pub fn take(
        &mut self,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut BacklogBytes,
    ) {
        self.readings.examine(self.transport, &carried);
        self.backlog.push(from, place, carried, bytes);
    }

    pub fn heap_bytes(&self) -> usize {
        self.readings.heap_bytes().saturating_add(self.backlog.heap_bytes())
    }
}
