//! Recognizes packets that open a new connection between the same two ends.
//!
//! Anyone can forge such a packet. It is therefore held back until the new connection is confirmed:
//! until the other end answers the packet, or its sender sends more. Meanwhile, all other packets
//! belong to the open connection.

use super::Arrival;
use crate::net::Side;
use crate::net::enet::{HandshakeCommand, HandshakeReader, session_and_peer};
use crate::net::packet::{TcpSegment, UdpDatagram};
use crate::net::tcp::{FAR, REORDERED};
use core::net::SocketAddr;

/// The most packets that are held back because they may open a connection.
const MOST_HELD: usize = 4;

/// A packet of a flow.
#[derive(Clone, Copy)]
pub enum FlowPacket<'a, 'p> {
    Datagram(&'a UdpDatagram<'p>),
    Segment(&'a TcpSegment<'p>),
}

/// The connection that a packet belongs to.
pub enum PacketOwner {
    /// The open connection.
    Same,
    /// It may open a new connection. It is held back until the new connection is confirmed.
    Held,
    /// A new connection, which the held packet opened. Without a held packet, the packet itself
    /// opens the connection.
    Other(Option<HeldPacket>),
}

/// A packet that is held back.
pub struct HeldPacket {
    pub arrival: Arrival,
    /// Its initial sequence number, or its connect id.
    number: u32,
    headers: Headers,
    payload: Vec<u8>,
}

/// A packet without its payload.
enum Headers {
    Datagram(UdpDatagram<'static>),
    Segment(TcpSegment<'static>),
}

/// The numbers that distinguish the open connection from the next one, and the packets that may
/// open the next one.
#[derive(Default)]
pub struct Opened {
    first: OpenedEnd,
    second: OpenedEnd,
    held: Vec<HeldPacket>,
}

/// The numbers of one end of the open connection.
#[derive(Clone, Copy, Default)]
struct OpenedEnd {
    /// Its initial TCP sequence number, or the connect id that it chose for ENet.
    number: Option<u32>,
    /// Whether the number is certain, because the SYN was seen.
    is_certain: bool,
    /// The TCP sequence number after the last byte that was seen, or the session number and peer id
    /// in its last ENet datagram.
    last: Option<u32>,
}

impl<'p> FlowPacket<'_, 'p> {
    pub const fn is_tcp(self) -> bool {
        matches!(self, FlowPacket::Segment(_))
    }

    /// The sender and the receiver.
    pub const fn ends(&self) -> (&SocketAddr, &SocketAddr) {
        match self {
            FlowPacket::Datagram(UdpDatagram { src, dst, .. })
            | FlowPacket::Segment(TcpSegment { src, dst, .. }) => (src, dst),
        }
    }

    /// The bytes in it that were captured, and the number of the others.
    pub const fn payload(self) -> (&'p [u8], usize) {
        match self {
            FlowPacket::Datagram(UdpDatagram { payload, missing, .. })
            | FlowPacket::Segment(TcpSegment { payload, missing, .. }) => (payload, *missing),
        }
    }

    /// The number of bytes in it, whether they were captured or not.
    pub const fn len(self) -> usize {
        let (payload, missing) = self.payload();
        payload.len().saturating_add(missing)
    }
}

impl HeldPacket {
    fn new(arrival: Arrival, number: u32, packet: FlowPacket<'_, '_>) -> HeldPacket {
        let headers = match packet {
            FlowPacket::Datagram(it) => Headers::Datagram(UdpDatagram { payload: &[], ..*it }),
            FlowPacket::Segment(it) => Headers::Segment(TcpSegment { payload: &[], ..*it }),
        };
        HeldPacket { arrival, number, headers, payload: packet.payload().0.to_vec() }
    }

    /// Runs `work` on the packet.
    pub fn with_packet<R>(&self, work: impl FnOnce(FlowPacket<'_, '_>) -> R) -> R {
        let payload = self.payload.as_slice();
        match self.headers {
            Headers::Datagram(it) => work(FlowPacket::Datagram(&UdpDatagram { payload, ..it })),
            Headers::Segment(it) => work(FlowPacket::Segment(&TcpSegment { payload, ..it })),
        }
    }

    fn segment(&self) -> Option<TcpSegment<'_>> {
        let Headers::Segment(headers) = self.headers else { return None };
        Some(TcpSegment { payload: &self.payload, ..headers })
    }
}

impl Opened {
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        let payloads: usize = self.held.iter().map(|held| held.payload.capacity()).sum();
        payloads + self.held.capacity() * size_of::<HeldPacket>()
    }

    const fn of(&mut self, side: Side) -> &mut OpenedEnd {
        side.of_mut(&mut self.first, &mut self.second)
    }

    /// For each end, the TCP sequence number after the last byte that was seen, or the session number and
    /// peer id in its last ENet datagram.
    pub const fn last(&self) -> [Option<u32>; 2] {
        [self.first.last, self.second.last]
    }

    /// The end that sent a held packet.
    const fn opener(&self, held: &HeldPacket) -> OpenedEnd {
        *held.arrival.from.of(&self.first, &self.second)
    }

    /// Holds a packet back, unless the same one is held already.
    fn hold(&mut self, arrival: &Arrival, number: u32, packet: FlowPacket<'_, '_>) -> PacketOwner {
        let is_same =
            |held: &HeldPacket| held.arrival.from == arrival.from && held.number == number;
        if self.held.iter().any(is_same) {
            return PacketOwner::Held;
        }
        if self.held.len() >= MOST_HELD {
            self.held.remove(0);
        }
        self.held.push(HeldPacket::new(*arrival, number, packet));
        PacketOwner::Held
    }

    /// Takes a held packet, whose connection is the open one from now on.
    fn take(&mut self, at: usize) -> Option<HeldPacket> {
        let Opened { mut held, .. } = core::mem::take(self);
        (at < held.len()).then(|| held.swap_remove(at))
    }
}

/// Up to this many datagrams that were captured before a connect command may belong to its
/// connection.
const OVERTAKING: u64 = 16;

impl Opened {
    /// Decides which connection a datagram belongs to, after `before` datagrams of the open
    /// connection. `has_channel` says whether the sender has used a channel in the open connection.
    pub fn datagram(
        &mut self,
        arrival: &Arrival,
        before: u64,
        datagram: &UdpDatagram<'_>,
        reader: &mut HandshakeReader,
        has_channel: impl Fn(u8) -> bool,
    ) -> PacketOwner {
        let from = arrival.from;
        let session_and_peer = session_and_peer(datagram.payload);
        let is_known = session_and_peer.is_some() && self.held.is_empty();
        if is_known || datagram.missing > 0 {
            return PacketOwner::Same;
        }
        let Some(handshake) = reader.handshake(datagram.payload) else { return PacketOwner::Same };
        let confirmed = self.held.iter().position(|held| {
            if held.arrival.from == from {
                let open = self.opener(held).last;
                let is_first = matches!(handshake, HandshakeCommand::First(it) if has_channel(it));
                return is_first || open.zip(session_and_peer).is_some_and(|(a, b)| a != b);
            }
            handshake == HandshakeCommand::Verify(held.number)
        });
        if let Some(at) = confirmed {
            let held = self.take(at);
            if let Some(held) = &held {
                self.of(held.arrival.from).number = Some(held.number);
            }
            return PacketOwner::Other(held);
        }
        if let HandshakeCommand::Connect(id) = handshake {
            let known = self.of(from).number.or(self.of(from.other()).number);
            if known.map_or(before >= OVERTAKING, |known| known != id) {
                return self.hold(arrival, id, FlowPacket::Datagram(datagram));
            }
            self.of(from).number = Some(id);
        }
        PacketOwner::Same
    }

    /// Notes an ENet datagram of the open connection.
    pub fn note_enet(&mut self, from: Side, payload: &[u8]) {
        if let Some(session_and_peer) = session_and_peer(payload) {
            self.of(from).last = Some(session_and_peer);
        }
    }
}

impl Opened {
    /// Decides which connection a segment belongs to. A repeated SYN does not open a new one, nor
    /// does one that was captured after later segments of its connection. If `is_unknown` is set,
    /// the open connection has no messages to lose, so a SYN is believed at once.
    pub fn segment(
        &mut self,
        arrival: &Arrival,
        segment: &TcpSegment<'_>,
        is_unknown: bool,
    ) -> PacketOwner {
        let from = arrival.from;
        let mut held = self.held.iter();
        if let Some(at) = held.position(|held| self.confirms(held, from, segment)) {
            if segment.is_reset {
                // The other end refuses the connection.
                self.held.remove(at);
                return PacketOwner::Held;
            }
            let held = self.take(at);
            if let Some(held) = &held
                && let Some(syn) = held.segment()
            {
                self.note_segment(held.arrival.from, &syn);
            }
            self.note_segment(from, segment);
            return PacketOwner::Other(held);
        }
        if segment.is_reset || !self.is_other_syn(from, segment) {
            self.note_segment(from, segment);
            return PacketOwner::Same;
        }
        if is_unknown {
            *self = Opened::default();
            self.note_segment(from, segment);
            return PacketOwner::Other(None);
        }
        self.hold(arrival, segment.sequence, FlowPacket::Segment(segment))
    }

    fn is_other_syn(&mut self, from: Side, segment: &TcpSegment<'_>) -> bool {
        let (end, other) = (*self.of(from), *self.of(from.other()));
        if !segment.is_syn {
            return false;
        }
        let answered = segment.acknowledgement.map(|number| number.wrapping_sub(1));
        let is_answer = other.is_certain && answered == other.number;
        end.number.is_some_and(|known| {
            let ahead = known.wrapping_sub(segment.sequence);
            if end.is_certain { ahead > 0 } else { ahead >= REORDERED && !is_answer }
        })
    }

    /// Notes a segment of the open connection.
    fn note_segment(&mut self, from: Side, segment: &TcpSegment<'_>) {
        if segment.is_reset {
            return;
        }
        let TcpSegment { sequence, is_syn, .. } = *segment;
        let next = segment.in_stream().end();
        let end = self.of(from);
        let is_first_syn = is_syn && !end.is_certain;
        if is_first_syn {
            end.number = Some(sequence);
            end.is_certain = true;
        }
        end.number.get_or_insert(sequence.wrapping_sub(1));
        match end.last {
            Some(last) if !is_first_syn && next.wrapping_sub(last) > FAR => {}
            _ => end.last = Some(next),
        }
        // The other end's SYN may be captured later, or not at all.
        if let Some(next) = segment.acknowledgement {
            let other = self.of(from.other());
            other.number.get_or_insert(next.wrapping_sub(1));
            other.last.get_or_insert(next);
        }
    }

    /// Whether a segment confirms a held SYN. The open connection may have sequence numbers close
    /// to those of the SYN, so a segment that continues it is no evidence.
    fn confirms(&self, held: &HeldPacket, from: Side, segment: &TcpSegment<'_>) -> bool {
        let Some(syn) = held.segment() else { return false };
        let start = syn.in_stream().end();
        let open = self.opener(held).last;
        let is_far = |number: u32| open.is_none_or(|last| !is_within(number, last, FAR, FAR));
        if from == held.arrival.from {
            let number = segment.sequence;
            let is_next =
                number == start && open.is_none_or(|last| !is_within(number, last, FAR, REORDERED));
            let is_near = number.wrapping_sub(start) < REORDERED;
            return !segment.is_syn && (is_next || is_near && is_far(number));
        }
        // A SYN and its answer may be captured in either order.
        let answers = |question: &TcpSegment<'_>, answer: &TcpSegment<'_>| {
            answer.is_syn
                && answer.acknowledgement.is_some_and(|number| {
                    let ahead = number.wrapping_sub(question.sequence).wrapping_sub(1);
                    ahead < question.in_stream().sequence_len()
                })
        };
        segment.is_syn && (answers(&syn, segment) || answers(segment, &syn))
            || segment
                .acknowledgement
                .is_some_and(|number| number.wrapping_sub(start) < REORDERED && is_far(number))
    }
}

/// Whether a number is at most `before` before or `after` after another one. Numbers wrap around.
const fn is_within(number: u32, of: u32, before: u32, after: u32) -> bool {
    number.wrapping_sub(of) <= after || of.wrapping_sub(number) <= before
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn numbers_wrap_around() {
        for of in [0, 100, u32::MAX] {
            let found = [-4, -3, -1, 0, 1, 2, 3]
                .map(|ahead| is_within(of.wrapping_add_signed(ahead), of, 3, 2));
            assert_eq!(found, [false, true, true, true, true, true, false], "{of}");
        }
    }
}
