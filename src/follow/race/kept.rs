//! The messages that each reader in a race has found, kept until one reader wins.

use crate::follow::carried::{Carried, Whole, part_of};
use crate::follow::event::{Loss, Reason};
use crate::follow::place::Place;
use crate::net::Side;
use crate::net::enet::Mode;
use core::ops::Range;

/// The bytes that a race keeps: the packets' payloads, and messages that do not stand in one packet
/// as they are.
#[derive(Default)]
pub(super) struct Bytes {
    bytes: Vec<u8>,
    /// Where the payload that is being read is in memory, and where its copy starts here.
    payload: (usize, usize),
    start: usize,
}

impl Bytes {
    /// Keeps the payload of the packet that is read next.
    pub(super) fn push(&mut self, payload: &[u8]) {
        self.payload = (0, 0);
        self.start = self.keep(payload).start;
        self.payload = (payload.as_ptr().addr(), payload.len());
    }

    /// The packet was read: nothing more stands in it.
    pub(super) const fn end(&mut self) {
        self.payload = (0, 0);
    }

    /// Keeps bytes, by their place in the payload if they are a part of it.
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

/// What a transport gave.
struct Kept {
    from: Side,
    place: Place,
    what: What,
}

enum What {
    Message { bytes: Range<usize>, offset: u64, lane: Option<(u8, Mode)>, is_text: bool },
    Cut { bytes: Range<usize>, missing: usize },
    Client(i32),
    Lost(Box<Loss>),
    Other(Range<usize>, Box<Reason>),
}

/// The findings of one reader, in the order in which they are returned.
#[derive(Default)]
pub(super) struct Finds {
    finds: Vec<Kept>,
    /// How many bytes the boxes in them take.
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
            Carried::Lost(_) => size_of::<Loss>(),
            Carried::Other(..) => size_of::<Reason>(),
            _ => 0,
        });
        let what = match carried {
            Carried::Message(message) => What::Message {
                bytes: bytes.keep(message.bytes),
                offset: message.offset,
                lane: message.channel.zip(message.mode),
                is_text: message.is_text,
            },
            Carried::Cut { bytes: part, missing } => What::Cut { bytes: bytes.keep(part), missing },
            Carried::Client(id) => What::Client(id),
            Carried::Lost(loss) => What::Lost(Box::new(loss)),
            Carried::Other(other, reason) => What::Other(bytes.keep(other), Box::new(reason)),
            Carried::Upgraded | Carried::Disconnected => return,
        };
        if self.finds.is_empty() {
            // Of many connections only one packet is seen.
            self.finds.reserve_exact(1);
        }
        self.finds.push(Kept { from, place, what });
    }

    /// Gives everything.
    pub(super) fn give(&self, bytes: &Bytes, sink: &mut dyn FnMut(Side, Place, Carried<'_>)) {
        for Kept { from, place, what } in &self.finds {
            let carried = match what {
                What::Message { bytes: range, offset, lane, is_text } => {
                    let (channel, mode) = lane.unzip();
                    let bytes = bytes.get(range);
                    let (offset, is_text) = (*offset, *is_text);
                    Carried::Message(Whole { bytes, offset, channel, mode, is_text })
                }
                What::Cut { bytes: range, missing } => {
                    Carried::Cut { bytes: bytes.get(range), missing: *missing }
                }
                What::Client(id) => Carried::Client(*id),
                What::Lost(loss) => Carried::Lost(**loss),
                What::Other(range, reason) => Carried::Other(bytes.get(range), **reason),
            };
            sink(*from, *place, carried);
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.finds.len()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let finds = self.finds.capacity().saturating_mul(size_of::<Kept>());
        finds.saturating_add(self.boxed)
    }
}
