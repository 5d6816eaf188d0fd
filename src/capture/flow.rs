//! Flows, and what is kept for each.

use crate::net::Side;
use core::hash::{Hash, Hasher};
use core::net::{IpAddr, SocketAddr};
use hashbrown::DefaultHashBuilder;
use lru::LruCache;

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

/// How much is kept of flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How many flows are told apart, and how many are followed at once: 65,536. For a further one
    /// the one that was silent longest is forgotten.
    pub flows: usize,
    /// How many bytes one flow may hold back, for what is missing in front of them and for messages
    /// that are not whole: 64 MiB. A longer message is lost.
    pub flow_bytes: usize,
    /// How many bytes all flows may hold back: 256 MiB. Then the flow that was silent longest gives
    /// its own up.
    pub total_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { flows: 1 << 16, flow_bytes: 64 << 20, total_bytes: 256 << 20 }
    }
}

impl Limits {
    /// How many bytes of one direction are held back for what is missing in front of them.
    pub(super) const fn out_of_order(&self) -> usize {
        self.flow_bytes / 8
    }

    /// How long a message may be.
    pub(super) const fn message(&self) -> usize {
        self.flow_bytes / 8 * 3
    }
}

/// Something that holds bytes back.
pub(super) trait Held {
    fn held(&self) -> usize;
}

/// What is kept for each flow, within limits.
pub(super) struct Table<T> {
    flows: LruCache<Flow, T, DefaultHashBuilder>,
    limits: Limits,
    held: usize,
}

impl<T: Held> Table<T> {
    pub(super) fn new(limits: Limits) -> Table<T> {
        Table {
            flows: LruCache::unbounded_with_hasher(DefaultHashBuilder::default()),
            limits,
            held: 0,
        }
    }

    /// Works on what is kept for a flow; `make` makes it if there is none yet and something is to
    /// be kept.
    pub(super) fn update(
        &mut self,
        flow: Flow,
        make: impl FnOnce() -> Option<T>,
        work: impl FnOnce(&mut T),
    ) {
        let Ok(kept) = self.flows.try_get_or_insert_mut(flow, || make().ok_or(())) else { return };
        let before = kept.held();
        work(kept);
        self.held = self.held.saturating_sub(before).saturating_add(kept.held());
    }

    /// The same, if something is kept, and without its becoming the last that was used.
    pub(super) fn amend(&mut self, flow: &Flow, work: impl FnOnce(&mut T)) {
        let Some(kept) = self.flows.peek_mut(flow) else { return };
        let before = kept.held();
        work(kept);
        self.held = self.held.saturating_sub(before).saturating_add(kept.held());
    }

    /// Takes out what is over the limits: what was not used for longest.
    pub(super) fn take_excess(&mut self) -> Option<(Flow, T)> {
        let is_over = self.flows.len() > self.limits.flows || self.held > self.limits.total_bytes;
        if is_over { self.take_oldest() } else { None }
    }

    /// Takes out what was not used for longest.
    pub(super) fn take_oldest(&mut self) -> Option<(Flow, T)> {
        let (flow, kept) = self.flows.pop_lru()?;
        self.held = self.held.saturating_sub(kept.held());
        Some((flow, kept))
    }

    pub(super) fn get(&self, flow: &Flow) -> Option<&T> {
        self.flows.peek(flow)
    }

    /// How many bytes all of them hold.
    pub(super) const fn held(&self) -> usize {
        self.held
    }
}
