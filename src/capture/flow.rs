//! Flows (a pair of ends that talk over UDP or TCP), and the memory limits for reading them.

use crate::net::{Side, enet};
use core::hash::{Hash, Hasher};
use core::net::{IpAddr, SocketAddr};

/// Two ends that talk to each other, over UDP or over TCP: one flow in both directions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Flow {
    is_tcp: bool,
    low: SocketAddr,
    high: SocketAddr,
}

/// Hashed in few words, because every packet is looked up by its flow.
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

    /// The two ends, the lesser address first.
    #[must_use]
    pub const fn ends(&self) -> (SocketAddr, SocketAddr) {
        (self.low, self.high)
    }

    /// Whether it is over TCP, otherwise over UDP.
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

/// Limits on the memory that is used for flows. State that exceeds a limit is dropped and reported
/// as a [`Loss`](super::Loss).
///
/// Everything that reading a flow needs counts: messages and segments that are held back, names,
/// and the state of the connection. In addition, [`Messages::flows`](super::Messages::flows) takes
/// less than a kilobyte for each flow, and the events of one packet are kept until they are asked
/// for.
///
/// ```
/// use gdwire::capture::{Limits, Options};
///
/// let little = Limits::default().with_flow_bytes(1 << 20).with_total_bytes(8 << 20);
/// let options = Options::new().limits(little);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How many flows are listed, and how many are followed at once: 65,536. Successive connections
    /// between the same ends count separately. When there are more, the flow that was silent
    /// longest is forgotten. Flows without traffic of the engines go first, unless they are at most
    /// an eighth of all.
    pub flows: usize,
    /// How many bytes are kept for one flow: 64 MiB. If a flow needs more, its state is dropped.
    /// This also limits the length of a message: over TCP to a quarter, 16 MiB, over WebSocket to
    /// an eighth, 8 MiB, and over ENet to not quite a half, about 32 MiB. A longer message is lost.
    pub flow_bytes: usize,
    /// How many bytes are kept for all flows and incomplete IP packets together: 256 MiB. When more
    /// is needed, the state of the flows that use the most is dropped, but never that of a flow
    /// that uses no more than its share.
    pub total_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { flows: 1 << 16, flow_bytes: 64 << 20, total_bytes: 256 << 20 }
    }
}

impl Limits {
    /// The same with other [`flows`](Limits::flows).
    #[must_use]
    pub const fn with_flows(self, flows: usize) -> Limits {
        Limits { flows, ..self }
    }

    /// The same with other [`flow_bytes`](Limits::flow_bytes).
    #[must_use]
    pub const fn with_flow_bytes(self, flow_bytes: usize) -> Limits {
        Limits { flow_bytes, ..self }
    }

    /// The same with other [`total_bytes`](Limits::total_bytes).
    #[must_use]
    pub const fn with_total_bytes(self, total_bytes: usize) -> Limits {
        Limits { total_bytes, ..self }
    }

    /// How many bytes of one direction of a stream are held back until a gap before them is filled.
    pub(super) const fn out_of_order(&self) -> usize {
        self.flow_bytes / 8
    }

    /// The longest message. Up to this many bytes are kept for each direction.
    pub(super) const fn message(&self) -> usize {
        self.flow_bytes / 4
    }

    /// How much of an ENet connection is held back, both directions together.
    pub(super) fn enet(&self) -> enet::Limits {
        enet::Limits::default().with_held_bytes(self.flow_bytes / 2)
    }

    /// How many names are kept, and how many bytes they have together.
    pub(super) fn names(&self) -> (usize, usize) {
        let bytes = (self.flow_bytes / 16).min(1 << 20);
        (bytes / 64, bytes)
    }

    /// How many bytes are kept for incomplete IP packets.
    pub(super) const fn fragments(&self) -> usize {
        self.total_bytes / 8
    }

    /// How many bytes each flow may keep in any case.
    pub(super) fn share(&self) -> usize {
        (self.total_bytes / 8 * 7).checked_div(self.flows).unwrap_or(0)
    }
}
