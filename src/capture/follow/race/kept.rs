//! Keeps what each reader in a race has found until one reader wins.

use crate::capture::follow::carried::{Carried, Sink, Whole, part_of};
use crate::capture::follow::event::Reason;
use crate::capture::follow::loss::Cause;
use crate::capture::follow::place::Place;
use crate::game::multiplayer::PeerId;
use crate::net::enet::Mode;
use crate::net::{Between, Side, taken};
use core::ops::Range;

/// The bytes that a race keeps: the payloads of the packets, and messages that are not a part of
/// one payload.
#[derive(Default)]
pub(super) struct Bytes {
    bytes: Vec<u8>,
    /// The address and length of the payload that is being read, and where its copy starts in
    /// `bytes`.
    payload: (usize, usize),
    start: usize,
    /// How many packets were read.
    packets: u32,
}

impl Bytes {
    /// Counts the packet that is read next.
    pub(super) const fn begin(&mut self) {
        self.packets = self.packets.saturating_add(1);
    }

    /// Keeps the payload of the packet that is read next.
    pub(super) fn push(&mut self, payload: &[u8]) {
        self.payload = (0, 0);
        self.start = self.keep(payload).start;
        self.payload = (payload.as_ptr().addr(), payload.len());
    }

    /// Ends the packet: bytes that are kept later are not a part of it.
    pub(super) const fn end(&mut self) {
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

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) const fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Something that a reader has found.
struct Kept {
    from: Side,
    /// The number of the race's packet in which it was found.
    packet: u32,
    place: Place,
    what: What,
}

enum What {
    Message {
        bytes: Range<usize>,
        offset: u64,
        sequence: Option<u32>,
        lane: Option<(u8, Mode)>,
        is_text: bool,
    },
    Cut {
        bytes: Range<usize>,
        missing: usize,
    },
    Client(PeerId),
    Lost(Box<Cause>, Option<Box<Between<Place>>>),
    Other(Range<usize>, Box<Reason>),
}

/// The findings of one reader, in the order in which they are returned.
#[derive(Default)]
pub(super) struct Finds {
    finds: Vec<Kept>,
    /// How many bytes the boxes in `finds` take, with what the allocator needs for itself.
    boxed: usize,
}

impl Finds {
    pub(super) fn push(
        &mut self,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut Bytes,
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
            Carried::Message(message) => What::Message {
                bytes: bytes.keep(message.bytes),
                offset: message.offset,
                sequence: message.sequence,
                lane: message.channel.zip(message.mode),
                is_text: message.is_text,
            },
            Carried::Cut { bytes: part, missing } => What::Cut { bytes: bytes.keep(part), missing },
            Carried::Client(id) => What::Client(id),
            Carried::Lost(cause, between) => {
                let is_known = *between != Between::UNKNOWN;
                What::Lost(Box::new(cause), is_known.then(|| Box::new(*between)))
            }
            Carried::Other(other, reason) => What::Other(bytes.keep(other), Box::new(reason)),
            Carried::Upgraded | Carried::Disconnected => return,
        };
        if self.finds.is_empty() {
            // Many connections have only one packet.
            self.finds.reserve_exact(1);
        }
        self.finds.push(Kept { from, packet: bytes.packets, place, what });
    }

    /// The finds from the index `first` on, in their order.
    pub(super) fn from<'b>(
        &'b self,
        first: usize,
        bytes: &'b Bytes,
    ) -> impl Iterator<Item = (Side, Place, Carried<'b>)> {
        let finds = self.finds.get(first..).unwrap_or(&[]).iter();
        finds.map(|it| (it.from, it.place, it.what.carried(bytes)))
    }

    pub(super) const fn len(&self) -> usize {
        self.finds.len()
    }

    /// The number of finds in the first `packets` packets of the race.
    pub(super) fn found_by(&self, packets: u32) -> usize {
        self.finds.partition_point(|it| it.packet <= packets)
    }

    /// The number of the packet in which the last of the first `count` finds was found.
    pub(super) fn packet_of_last(&self, count: usize) -> u32 {
        let last = count.checked_sub(1).and_then(|last| self.finds.get(last));
        last.map_or(0, |last| last.packet)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let finds = self.finds.capacity().saturating_mul(size_of::<Kept>());
        finds.saturating_add(self.boxed)
    }
}

impl What {
    fn carried<'b>(&'b self, bytes: &'b Bytes) -> Carried<'b> {
        match self {
            What::Message { bytes: range, offset, sequence, lane, is_text } => {
                let (channel, mode) = lane.unzip();
                let (offset, sequence, is_text) = (*offset, *sequence, *is_text);
                let bytes = bytes.get(range);
                Carried::Message(Whole { bytes, offset, sequence, channel, mode, is_text })
            }
            What::Cut { bytes: range, missing } => {
                Carried::Cut { bytes: bytes.get(range), missing: *missing }
            }
            What::Client(id) => Carried::Client(*id),
            What::Lost(cause, between) => {
                Carried::Lost(**cause, between.as_deref().unwrap_or(&Between::UNKNOWN))
            }
            What::Other(range, reason) => Carried::Other(bytes.get(range), **reason),
        }
    }
}

/// The findings of the winning reader.
pub(crate) struct Prize {
    pub(super) bytes: Bytes,
    pub(super) finds: Finds,
    /// The index of the first find that was not delivered yet.
    pub(super) next: usize,
}

impl Prize {
    /// Delivers everything that was not delivered yet.
    pub(crate) fn give(&self, sink: Sink<'_>) {
        for (from, place, carried) in self.finds.from(self.next, &self.bytes) {
            sink(from, place, carried);
        }
    }

    /// How many finds are to be delivered, and how many bytes were kept.
    pub(crate) const fn size(&self) -> (usize, usize) {
        (self.finds.len().saturating_sub(self.next), self.bytes.len())
    }
}
