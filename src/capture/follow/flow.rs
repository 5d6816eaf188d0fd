//! Flows: the traffic between two addresses and ports.

use crate::net::Side;
use core::hash::{Hash, Hasher};
use core::net::{IpAddr, SocketAddr};

/// Two ends that send to each other, over UDP or over TCP. Both directions are one flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    is_tcp: bool,
    low: SocketAddr,
    high: SocketAddr,
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
    pub(super) fn of(is_tcp: bool, src: SocketAddr, dst: SocketAddr) -> (Flow, Side) {
        if src <= dst {
            (Flow { is_tcp, low: src, high: dst }, Side::First)
        } else {
            (Flow { is_tcp, low: dst, high: src }, Side::Second)
        }
    }

    /// The two ends, the lower address first.
    #[must_use]
    pub const fn ends(&self) -> (SocketAddr, SocketAddr) {
        (self.low, self.high)
    }

    /// Whether the flow uses TCP; otherwise it uses UDP.
    #[must_use]
    pub const fn is_tcp(&self) -> bool {
        self.is_tcp
    }

    /// The sender and the receiver of what a side sends.
    pub(super) const fn from(&self, side: Side) -> (SocketAddr, SocketAddr) {
        match side {
            Side::First => (self.low, self.high),
            Side::Second => (self.high, self.low),
        }
    }
}
