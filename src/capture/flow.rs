//! Flows, and what is kept for each.

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

/// In few words: every packet is looked up by this.
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
    /// The flow of a packet, and which end of it sent the packet.
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

    /// Whether it is over TCP; else it is over UDP.
    #[must_use]
    pub const fn is_tcp(&self) -> bool {
        self.is_tcp
    }

    /// Who sends and who receives what comes from a side.
    pub(super) const fn from(&self, side: Side) -> (SocketAddr, SocketAddr) {
        match side {
            Side::First => (self.low, self.high),
            Side::Second => (self.high, self.low),
        }
    }
}

/// How much is kept of flows. What comes to be over these limits is given up, and told as a
/// [`Loss`](super::Loss).
///
/// Everything that is kept to read a flow counts: messages and segments that are held back, names,
/// and what is known of the connection. Beside that less than a kilobyte is kept of each flow, for
/// [`Messages::flows`](super::Messages::flows), and what one packet gives, until it is asked for.
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
    /// How many flows are told apart, and how many are followed at once: 65,536. Connections that
    /// come one after the other between the same ends count each. For a further one the one that
    /// was silent longest is forgotten: of those in which nothing of the engines was found, unless
    /// these are no more than an eighth.
    pub flows: usize,
    /// How many bytes are kept of one flow: 64 MiB. A message over TCP may have a quarter of these,
    /// 16 MiB, one over WebSocket an eighth, 8 MiB, and one over ENet not quite a half, about
    /// 32 MiB: a longer one is lost. If it
    /// comes to more in all, what is kept is given up.
    pub flow_bytes: usize,
    /// How many bytes are kept of all flows and of IP packets in parts: 256 MiB. When it comes to
    /// more, what is kept of those flows that keep the most is given up; never that of a flow which
    /// keeps no more than its share.
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

    /// How many bytes of one direction are held back for what is missing in front of them.
    pub(super) const fn out_of_order(&self) -> usize {
        self.flow_bytes / 8
    }

    /// How long a message may be. So many bytes are kept of each direction.
    pub(super) const fn message(&self) -> usize {
        self.flow_bytes / 4
    }

    /// How much is held back of an ENet connection, in both directions.
    pub(super) fn enet(&self) -> enet::Limits {
        enet::Limits::default().with_held_bytes(self.flow_bytes / 2)
    }

    /// How many names are kept, of how many bytes.
    pub(super) fn names(&self) -> (usize, usize) {
        let bytes = (self.flow_bytes / 16).min(1 << 20);
        (bytes / 64, bytes)
    }

    /// How many bytes are kept of IP packets in parts.
    pub(super) const fn fragments(&self) -> usize {
        self.total_bytes / 8
    }

    /// How many bytes every flow may keep.
    pub(super) fn share(&self) -> usize {
        (self.total_bytes / 8 * 7).checked_div(self.flows).unwrap_or(0)
    }
}
