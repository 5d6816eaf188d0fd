//! The origin of an event: its packet, its connection with the two ends, and its sender and receiver
//! as multiplayer peers.

use super::{Transport, Wire};
use crate::game::multiplayer::PeerId;
use crate::net::packet::{CapturedPacket, Time};
use crate::net::{Side, Tag};
use core::fmt;
use core::hash::{Hash, Hasher};
use core::net::{IpAddr, SocketAddr};
use data_encoding::BASE64;
use etherparse::IpNumber;
use sha1::{Digest, Sha1};

/// The packet that an event belongs to.
///
/// For a message, it is the packet that carried the last of its bytes. For a loss, it is the packet
/// that shows it: see [`Loss::place`](super::Loss::place).
///
/// Messages are returned in the order of their stream or channel. A message that waited for earlier
/// ones is therefore returned after messages of later packets. If packets were lost, sent again or
/// captured in another order, frame numbers and times may decrease.
///
/// ```
/// use gdwire::follow::Place;
/// use gdwire::packet::Time;
///
/// // Packet 7, captured 1.5 seconds after 1970, with a clock of microseconds.
/// let place = Place::new(7).with_time(Time::from_nanos(1_500_000_000, 6));
/// assert_eq!((place.frame, place.first_frame()), (7, 7));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The packet's number in the capture, counted from 1, as Wireshark's `frame.number`. If
    /// several files are read as one capture, the numbers continue from file to file, as after
    /// `mergecap -a`.
    pub frame: u64,
    /// The number of its file, from 0, if several files are read as one capture.
    pub file: u32,
    /// When it was captured.
    pub time: Option<Time>,
    /// How many packets the first packet of the message is before this one. The difference takes
    /// fewer bytes than the number would.
    pub(super) since: u32,
    /// How many bytes its frames had on the network; 0 if that is not known.
    pub(super) wire: u32,
}

impl Place {
    /// The place of a packet.
    pub(super) const fn of(packet: &CapturedPacket<'_>) -> Place {
        let CapturedPacket { frame, file, time, .. } = *packet;
        Place { time, ..Place::new(frame).with_file(file) }
    }

    /// The place of a packet with a frame number.
    #[must_use]
    pub const fn new(frame: u64) -> Place {
        Place { frame, file: 0, time: None, since: 0, wire: 0 }
    }

    /// The same packet with the number of its file.
    #[must_use]
    pub const fn with_file(self, file: u32) -> Place {
        Place { file, ..self }
    }

    /// The same packet with the time at which it arrived.
    #[must_use]
    pub const fn with_time(self, time: Time) -> Place {
        Place { time: Some(time), ..self }
    }

    /// The number of the first packet that carried a part of the message: [`Place::frame`], unless
    /// the message arrived in several packets.
    #[must_use]
    pub const fn first_frame(&self) -> u64 {
        self.frame.saturating_sub(self.since as u64)
    }

    /// How many bytes the frames of the message had on the network, headers included. None if its
    /// packets were pushed without their frames. A frame with several messages counts for each of
    /// them.
    #[must_use]
    pub const fn wire_bytes(&self) -> Option<u32> {
        if self.wire == 0 { None } else { Some(self.wire) }
    }

    /// The same place with the bytes of its frames.
    pub(super) fn with_wire(self, wire: Wire) -> Place {
        Place { wire: u32::try_from(wire.bytes).unwrap_or(u32::MAX), ..self }
    }

    /// The same place with the number of the first packet that carried a part of the message.
    pub(super) fn with_first_frame(self, first: u64) -> Place {
        let since = u32::try_from(self.frame.saturating_sub(first)).unwrap_or(u32::MAX);
        Place { since, ..self }
    }

    /// The fields that identify and order packets.
    const fn number(self) -> (u64, u32, Option<Time>) {
        (self.frame, self.file, self.time)
    }

    /// Whether both are the same packet.
    pub(super) fn is_same_packet(self, other: Place) -> bool {
        self.number() == other.number()
    }
}

/// The joined place of two packets of a message: that of the last packet, with the frames of both.
impl Tag for Place {
    fn join(self, other: Place) -> Place {
        let last = if self.number() > other.number() { self } else { other };
        let last = last.with_first_frame(self.first_frame().min(other.first_frame()));
        if self.is_same_packet(other) {
            return Place { wire: self.wire.max(other.wire), ..last };
        }
        Place { wire: self.wire.saturating_add(other.wire), ..last }
    }
}

/// How a packet arrived.
#[derive(Clone, Copy)]
pub struct Arrival {
    pub from: Side,
    pub place: Place,
    /// The frames that carried it; no frames if it was pushed without them.
    pub wire: Wire,
}

/// The transport, sender and receiver of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Origin {
    /// The number of the connection; 0 if the event belongs to none.
    pub connection: u64,
    /// The transport; UDP or TCP if nothing above these was recognized.
    pub transport: Transport,
    /// The flow.
    pub flow: Flow,
    /// The end of the flow that sent it.
    pub from: Side,
    /// The end that opened the connection, if the packets so far show that: it sent the first SYN
    /// of TCP or ENet's connect command, or the other end addressed it as the server of a
    /// multiplayer game does.
    pub client: Option<Side>,
}

impl Origin {
    /// The sender's address and port.
    #[must_use]
    pub const fn src(&self) -> SocketAddr {
        self.flow.from(self.from).0
    }

    /// The receiver's address and port.
    #[must_use]
    pub const fn dst(&self) -> SocketAddr {
        self.flow.from(self.from).1
    }
}

/// The sender and receiver of a message as multiplayer peers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
#[non_exhaustive]
pub struct Peers {
    /// The sender.
    pub source: Option<PeerId>,
    /// The receiver, or several.
    pub target: Option<PeerId>,
}

/// Two ends that send to each other, over UDP or over TCP. Both directions are one flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    is_tcp: bool,
    low: SocketAddr,
    high: SocketAddr,
}

/// The name of a flow that other tools for network traffic share: see [`Flow::community_id`]. Its
/// `Display` computes it, and writes it as they do: `1:` and a hash in base64, 30 characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CommunityId(Flow);

impl fmt::Display for CommunityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flow { is_tcp, low, high } = self.0;
        let mut hash = Sha1::new_with_prefix([0; 2]);
        for end in [low, high] {
            match end.ip() {
                IpAddr::V4(address) => hash.update(address.octets()),
                IpAddr::V6(address) => hash.update(address.octets()),
            }
        }
        let protocol = if is_tcp { IpNumber::TCP } else { IpNumber::UDP };
        hash.update([protocol.0, 0]);
        for end in [low, high] {
            hash.update(end.port().to_be_bytes());
        }
        write!(f, "1:{}", BASE64.encode_display(&hash.finalize()))
    }
}

/// Hashes few words, because every packet is looked up by its flow.
impl Hash for Flow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match (self.low.ip(), self.high.ip()) {
            (IpAddr::V4(low), IpAddr::V4(high)) => {
                state.write_u64(u64::from(low.to_bits()) << 32 | u64::from(high.to_bits()));
            }
            (low, high) => [low, high].hash(state),
        }
        let ports = u64::from(self.low.port()) << 16 | u64::from(self.high.port());
        state.write_u64(ports << 1 | u64::from(self.is_tcp));
    }
}

impl Flow {
    /// The flow of a packet, and the end that sent the packet.
    ///
    /// Not inlined, because otherwise the compiler copies each field of an address on its own.
    #[inline(never)]
    pub(super) fn of(is_tcp: bool, src: &SocketAddr, dst: &SocketAddr) -> (Flow, Side) {
        let is_ordered = match (src, dst) {
            // As the comparison of socket addresses, with fewer steps.
            (SocketAddr::V4(src), SocketAddr::V4(dst)) => {
                (src.ip().to_bits(), src.port()) <= (dst.ip().to_bits(), dst.port())
            }
            _ => src <= dst,
        };
        if is_ordered {
            (Flow { is_tcp, low: *src, high: *dst }, Side::First)
        } else {
            (Flow { is_tcp, low: *dst, high: *src }, Side::Second)
        }
    }

    /// The end that sent a packet, if the packet belongs to the flow.
    #[inline]
    pub(super) fn sender(&self, is_tcp: bool, src: &SocketAddr, dst: &SocketAddr) -> Option<Side> {
        let Flow { low, high, .. } = self;
        if self.is_tcp != is_tcp {
            None
        } else if (low, high) == (src, dst) {
            Some(Side::First)
        } else {
            ((high, low) == (src, dst)).then_some(Side::Second)
        }
    }

    /// The two ends, the lower address first.
    #[must_use]
    pub const fn ends(&self) -> (SocketAddr, SocketAddr) {
        (self.low, self.high)
    }

    /// Both directions: the end that sends, its address, and that of the receiver.
    #[must_use]
    pub const fn directions(&self) -> [(Side, SocketAddr, SocketAddr); 2] {
        [(Side::First, self.low, self.high), (Side::Second, self.high, self.low)]
    }

    /// The [Community ID] of the flow, which Zeek, Suricata and the Elastic Common Schema also give it:
    /// version 1, with the seed 0.
    ///
    /// [Community ID]: https://github.com/corelight/community-id-spec
    #[must_use]
    pub const fn community_id(&self) -> CommunityId {
        CommunityId(*self)
    }

    /// Whether the flow uses TCP; otherwise it uses UDP.
    #[must_use]
    pub const fn is_tcp(&self) -> bool {
        self.is_tcp
    }

    /// The transport of the flow if nothing above UDP or TCP is recognized.
    pub(super) const fn transport(&self) -> Transport {
        if self.is_tcp { Transport::Tcp } else { Transport::Udp }
    }

    /// The sender and the receiver of what a side sends.
    pub(super) const fn from(&self, side: Side) -> (SocketAddr, SocketAddr) {
        match side {
            Side::First => (self.low, self.high),
            Side::Second => (self.high, self.low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::hash::BuildHasher;
    use std::collections::{BTreeSet, HashSet};
    use std::hash::RandomState;

    /// Flows that were given up are known by their hashes alone.
    #[test]
    fn flows_have_different_hashes() {
        let ips: [IpAddr; 4] = ["10.0.0.1", "10.0.0.2", "::1", "::2"].map(|ip| ip.parse().unwrap());
        let ends: Vec<_> =
            ips.into_iter().flat_map(|ip| [2, 3].map(|port| SocketAddr::new(ip, port))).collect();
        let pairs = ends.iter().flat_map(|src| ends.iter().map(move |dst| (src, dst)));
        let flows =
            pairs.flat_map(|(src, dst)| [false, true].map(|is_tcp| Flow::of(is_tcp, src, dst).0));
        let flows: BTreeSet<_> = flows.collect();
        let hasher = RandomState::new();
        let hashes: HashSet<_> = flows.iter().map(|flow| hasher.hash_one(flow)).collect();
        assert_eq!((flows.len(), hashes.len()), (72, 72));
    }
}
