//! Recognizes packets that open a new connection between the same two ends.
//!
//! Anyone can forge such a packet. It is therefore held back until the new connection is confirmed:
//! until the other end answers the packet, or its sender sends more. Meanwhile, all other packets
//! belong to the open connection.

mod datagrams;
mod segments;

pub(super) use datagrams::{Decompressor, peer_and_session};

use super::place::Arrival;
use crate::net::Side;
use crate::net::packet::{Datagram, Segment};

/// The most packets that are held back because they may open a connection.
const MOST_HELD: usize = 4;

/// A packet of a flow.
#[derive(Clone, Copy)]
pub(super) enum Pushed<'p> {
    Datagram(Datagram<'p>),
    Segment(Segment<'p>),
}

/// The connection that a packet belongs to.
pub(super) enum Opening {
    /// The open connection.
    Same,
    /// It may open a new connection. It is held back until the new connection is confirmed.
    Held,
    /// A new connection, which the held packet opened. Without a held packet, the packet itself
    /// opens the connection.
    Other(Option<Held>),
}

/// A packet that is held back.
pub(super) struct Held {
    pub(super) arrival: Arrival,
    /// Its initial sequence number, or its connect id.
    number: u32,
    /// The packet without its payload.
    packet: Pushed<'static>,
    payload: Vec<u8>,
}

/// What distinguishes the open connection from the next one, and the packets that may open the next
/// one.
#[derive(Default)]
pub(super) struct Opened {
    first: End,
    second: End,
    held: Vec<Held>,
}

/// What is known about one end of the open connection.
#[derive(Clone, Copy, Default)]
struct End {
    /// Its initial TCP sequence number, or the connect id that it chose for ENet.
    number: Option<u32>,
    /// Whether the number is certain, because the SYN was seen.
    is_certain: bool,
    /// The TCP sequence number after the last byte that was seen, or the peer id and session number
    /// in its last ENet datagram.
    last: Option<u32>,
}

impl Pushed<'_> {
    /// The number of bytes in it, whether they were captured or not.
    pub(super) const fn len(&self) -> usize {
        match self {
            Pushed::Datagram(Datagram { payload, missing, .. })
            | Pushed::Segment(Segment { payload, missing, .. }) => {
                payload.len().saturating_add(*missing)
            }
        }
    }
}

impl Held {
    fn new(arrival: Arrival, number: u32, packet: Pushed<'_>) -> Held {
        let (packet, payload) = match packet {
            Pushed::Datagram(it) => {
                (Pushed::Datagram(Datagram { payload: &[], ..it }), it.payload.to_vec())
            }
            Pushed::Segment(it) => {
                (Pushed::Segment(Segment { payload: &[], ..it }), it.payload.to_vec())
            }
        };
        Held { arrival, number, packet, payload }
    }

    pub(super) fn packet(&self) -> Pushed<'_> {
        let payload = self.payload.as_slice();
        match self.packet {
            Pushed::Datagram(it) => Pushed::Datagram(Datagram { payload, ..it }),
            Pushed::Segment(it) => Pushed::Segment(Segment { payload, ..it }),
        }
    }
}

impl Opened {
    pub(super) fn heap_bytes(&self) -> usize {
        let payloads = self.held.iter().map(|held| held.payload.capacity());
        let places = self.held.capacity().saturating_mul(size_of::<Held>());
        payloads.fold(places, usize::saturating_add)
    }

    const fn of(&mut self, side: Side) -> &mut End {
        side.of_mut(&mut self.first, &mut self.second)
    }

    /// For each end, the TCP sequence number after the last byte that was seen, or the peer id and
    /// session number in its last ENet datagram.
    pub(super) const fn last(&self) -> [Option<u32>; 2] {
        [self.first.last, self.second.last]
    }

    /// The end that sent a held packet.
    const fn opener(&self, held: &Held) -> End {
        *held.arrival.from.of(&self.first, &self.second)
    }

    /// Holds a packet back, unless the same one is held already.
    fn hold(&mut self, arrival: &Arrival, number: u32, packet: Pushed<'_>) -> Opening {
        let is_same = |held: &Held| held.arrival.from == arrival.from && held.number == number;
        if self.held.iter().any(is_same) {
            return Opening::Held;
        }
        if self.held.len() >= MOST_HELD {
            self.held.remove(0);
        }
        self.held.push(Held::new(*arrival, number, packet));
        Opening::Held
    }

    /// Takes a held packet, whose connection is the open one from now on.
    fn take(&mut self, at: usize) -> Option<Held> {
        let Opened { mut held, .. } = core::mem::take(self);
        (at < held.len()).then(|| held.swap_remove(at))
    }
}
