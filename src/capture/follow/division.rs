//! Divides the connections of a capture among several followers, which threads can run at the same
//! time.

use super::{Classification, Decision, Flow, Options};
use crate::net::packet::{
    CapturedPacket, Payload, TcpSegment, UdpDatagram, is_tunnel_port, usual_header,
};
use crate::value::detect::Detector;
use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::num::NonZero;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use hashbrown::DefaultHashBuilder;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A share of the connections of a capture, for one of several followers.
///
/// Each follower with a share is given all packets of the capture, in the same order. It reads those
/// of its own connections, which takes most of the time, and skips the others. Together the
/// followers return the events that one follower without a share returns, and [`Order`] tells in
/// which order. Only the numbers of connections differ: they increase, but not by one.
///
/// Followers with shares of one division depend on each other, because the evidence from all
/// connections decides about the dialect of those that do not show it. One may therefore wait until
/// the others have read as many packets. So each needs a thread of its own. This is for captures, not
/// for live traffic, and cannot be combined with [`Options::with_names`], because what one connection
/// shows about names counts for all.
///
/// ```
/// use gdwire::capture::Capture;
/// use gdwire::follow::{Event, Follower, Options, Order, Share};
/// use std::num::NonZero;
/// use std::thread;
///
/// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-tcp.pcapng"))?;
/// /// The messages of a share, and their order.
/// fn messages(file: &[u8], share: Share) -> Vec<(Order, String)> {
///     let mut found = Vec::new();
///     let mut follower = Follower::with_options(Options::new().with_share(share));
///     let mut capture = Capture::new(file).into_iter().flatten();
///     loop {
///         let packet = capture.next().and_then(Result::ok);
///         let mut events = match &packet {
///             Some(packet) => follower.packet(packet),
///             None => follower.finish(),
///         };
///         while let Some(event) = events.next() {
///             if let Event::Message(message) = event {
///                 let text = format!("{:?}", message.content);
///                 found.push((events.order(), text));
///             }
///         }
///         drop(events);
///         // Otherwise, a single follower has to read the capture.
///         assert!(follower.exceeds_share().is_none());
///         if packet.is_none() {
///             return found;
///         }
///     }
/// }
///
/// let mut all = thread::scope(|scope| {
///     let shares = Share::divide(NonZero::<usize>::MIN.saturating_add(1));
///     let threads: Vec<_> =
///         shares.into_iter().map(|share| scope.spawn(|| messages(&file, share))).collect();
///     threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
/// });
/// // Events with the same order stay in the order in which they were returned.
/// all.sort_by_key(|(order, _)| *order);
/// assert_eq!(all.len(), 72);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Share {
    number: usize,
    dealt: DealtFlows,
    evidence: Arc<CommonEvidence>,
}

/// The division of flows into shares. The flows are dealt in turn, so that few flows are divided
/// evenly, too. All followers see the same packets, so each deals in the same way.
#[derive(Default)]
struct DealtFlows {
    /// The number of a flow's share, by the flow's mixed bits.
    shares: HashMap<u64, usize, DefaultHashBuilder>,
    next: usize,
}

/// The most flows that are dealt. More flows are divided evenly enough by their bits.
const DEALT: usize = 1 << 12;

impl DealtFlows {
    /// The share that a flow belongs to.
    fn share_of(&mut self, mixed: u64, count: usize) -> usize {
        if let Some(share) = self.shares.get(&mixed) {
            return *share;
        }
        if self.shares.len() >= DEALT {
            // The upper half of the product, which is less than the count.
            return ((u128::from(mixed) * count as u128) >> 64) as usize;
        }
        let share = self.next;
        self.next = if share + 1 < count { share + 1 } else { 0 };
        self.shares.insert(mixed, share);
        share
    }
}

impl Share {
    /// Divides the connections into this many shares.
    #[must_use]
    pub fn divide(count: NonZero<usize>) -> Vec<Share> {
        let evidence = Arc::new(CommonEvidence {
            positions: (0..count.get()).map(|_| PacketNumber::default()).collect(),
            state: Mutex::new(EvidenceState {
                waiting: vec![Order::START; count.get()],
                ..EvidenceState::default()
            }),
        });
        let share =
            |number| Share { number, dealt: DealtFlows::default(), evidence: evidence.clone() };
        (0..count.get()).map(share).collect()
    }

    /// How many shares there are.
    pub(super) fn count(&self) -> usize {
        self.evidence.positions.len()
    }

    /// Whether it is the share with the packets that belong to no connection.
    pub(super) const fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Whether a flow belongs to the share.
    pub(super) fn has_flow(&mut self, flow: &Flow) -> bool {
        let (low, high) = flow.ends();
        self.has(mixed(flow.is_tcp(), end(low), end(high)))
    }

    /// Whether the follower with this share reads a packet. All read the fragments of IP packets,
    /// because they do not show their flow.
    pub(super) fn has_packet(&mut self, packet: &CapturedPacket<'_>) -> bool {
        if let Some(mixed) = glance(packet) {
            return self.has(mixed);
        }
        match packet.payload() {
            Payload::Udp(UdpDatagram { src, dst, .. }) => {
                self.has_flow(&Flow::of(false, &src, &dst).0)
            }
            Payload::Tcp(TcpSegment { src, dst, .. }) => {
                self.has_flow(&Flow::of(true, &src, &dst).0)
            }
            Payload::Fragment(_) => true,
            _ => self.is_first(),
        }
    }

    fn has(&mut self, mixed: u64) -> bool {
        let count = self.count();
        self.dealt.share_of(mixed, count) == self.number
    }

    /// Notes that everything before this place has been read.
    #[inline]
    pub(super) fn advance(&self, packets: u64) {
        if let Some(position) = self.evidence.positions.get(self.number) {
            position.packets.store(packets, Ordering::Release);
        }
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Share { number, .. } = self;
        debug_fields!(f, Share { number, count = self.count(), .. })
    }
}

impl Drop for Share {
    /// The others do not wait for a follower that is gone.
    fn drop(&mut self) {
        self.advance(u64::MAX);
        self.evidence.wait_at(self.number, Order::END);
    }
}

/// The position of an event among the events of all followers that share a capture: see [`Share`].
///
/// It orders the events by packets, then those of connections that a packet has outlived, then those
/// of the end of the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Order {
    packet: u64,
    /// For the events of a connection that is closed: when it might have been closed first, and its
    /// number.
    until: i64,
    connection: u64,
}

impl Order {
    const START: Order = Order { packet: 0, until: i64::MIN, connection: 0 };
    const END: Order = Order { packet: u64::MAX, until: i64::MAX, connection: u64::MAX };

    /// The events of a packet with its number.
    pub(super) const fn of_packet(packet: u64) -> Order {
        Order { packet, ..Order::START }
    }

    /// The events of a connection that is closed because it was silent.
    pub(super) const fn of_silent(packet: u64, until: i64, connection: u64) -> Order {
        Order { packet, until, connection }
    }

    /// The events of a connection that is closed at the end of the input.
    pub(super) const fn of_open(connection: u64) -> Order {
        Order { packet: u64::MAX, until: 0, connection }
    }

    /// The last events of the input.
    pub(super) const LAST: Order = Order { packet: u64::MAX, until: i64::MAX, connection: 0 };

    /// The end of the input, when the evidence of connections that are still open is collected.
    const COLLECTING: Order = Order { packet: u64::MAX, until: i64::MIN, connection: 0 };
}

/// The evidence for dialects from all recognized connections: of one follower, or of all that share
/// a capture.
pub enum DialectEvidence {
    Own(Detector),
    Shared {
        share: Share,
        /// The position that the follower has reached.
        at: Order,
    },
}

impl DialectEvidence {
    pub fn new(share: Option<Share>) -> DialectEvidence {
        match share {
            Some(share) => DialectEvidence::Shared { share, at: Order::START },
            None => DialectEvidence::Own(Detector::new()),
        }
    }

    pub const fn share(&self) -> Option<&Share> {
        match self {
            DialectEvidence::Own(_) => None,
            DialectEvidence::Shared { share, .. } => Some(share),
        }
    }

    pub const fn share_mut(&mut self) -> Option<&mut Share> {
        match self {
            DialectEvidence::Own(_) => None,
            DialectEvidence::Shared { share, .. } => Some(share),
        }
    }

    /// Continues with a packet, or with a connection that it has outlived.
    #[inline]
    pub fn begin(&mut self, order: Order) {
        if let DialectEvidence::Shared { share, at } = self {
            *at = order;
            share.advance(order.packet);
        }
    }

    /// Begins to collect the evidence of all open connections.
    pub fn begin_to_collect(&mut self) {
        if let DialectEvidence::Shared { at, .. } = self {
            *at = Order::COLLECTING;
        }
    }

    /// The evidence of all open connections was added.
    pub fn collected(&mut self) {
        if let DialectEvidence::Shared { share, .. } = self {
            share.advance(u64::MAX);
        }
    }

    /// Starts again without evidence. Followers that share a capture read only one.
    pub fn clear(&mut self) {
        if let DialectEvidence::Own(detector) = self {
            *detector = Detector::new();
        }
    }

    /// Adds the evidence of a connection, unless its messages can be read in two ways.
    pub fn note(&mut self, classification: &Classification) {
        let Decision { detection, tied: None, .. } = &classification.decision else { return };
        let more = detection.detector();
        match self {
            DialectEvidence::Own(detector) => detector.merge(more),
            DialectEvidence::Shared { share, at } => share.evidence.merge(share.number, *at, more),
        }
    }

    /// Passes the evidence so far to a function.
    pub fn with<T>(&self, work: impl FnOnce(&Detector) -> T) -> T {
        match self {
            DialectEvidence::Own(detector) => work(detector),
            DialectEvidence::Shared { share, at } => {
                work(&share.evidence.before(share.number, *at))
            }
        }
    }
}

/// The evidence that followers share.
struct CommonEvidence {
    /// For each follower, how many packets it has begun to read.
    positions: Box<[PacketNumber]>,
    state: Mutex<EvidenceState>,
}

/// A number in a cache line of its own, because each follower changes its number with each packet.
#[derive(Default)]
#[repr(align(128))]
struct PacketNumber {
    packets: AtomicU64,
}

#[derive(Default)]
struct EvidenceState {
    /// For each follower, its place when it last requested evidence: it has added everything before
    /// that.
    waiting: Vec<Order>,
    /// The evidence that all followers may use, and later evidence with its place.
    old: Detector,
    recent: Vec<(Order, Detector)>,
    /// How much of it was too recent when what all followers may use was joined last.
    kept: usize,
    /// The evidence of the connections that are open at the end. Each of them asks for all of it.
    last: Detector,
}

/// The least number of detectors that are collected before the old ones among them are joined. If many were
/// too recent the last time, twice their number is collected.
const RECENT: usize = 256;

/// A follower that waits for others looks this often, and then with pauses.
const LOOKS: u32 = 256;
const PAUSE: Duration = Duration::from_micros(50);

impl CommonEvidence {
    fn lock(&self) -> MutexGuard<'_, EvidenceState> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a follower adds nothing more before this place.
    fn wait_at(&self, number: usize, order: Order) {
        if let Some(waiting) = self.lock().waiting.get_mut(number) {
            *waiting = order;
        }
    }

    /// The first place at which a follower may still add evidence, except for one of them.
    fn first_besides(&self, state: &EvidenceState, number: usize) -> Order {
        let positions = self.positions.iter().zip(&state.waiting).enumerate();
        let others = positions.filter(|(other, _)| *other != number);
        let at = others.map(|(_, (position, waiting))| {
            let packets = position.packets.load(Ordering::Acquire);
            (*waiting).max(Order::of_packet(packets))
        });
        at.min().unwrap_or(Order::END)
    }

    fn merge(&self, number: usize, order: Order, more: &Detector) {
        let mut state = self.lock();
        if order == Order::COLLECTING {
            return state.last.merge(more);
        }
        state.recent.push((order, more.clone()));
        if state.recent.len() >= RECENT.max(state.kept.saturating_mul(2)) {
            let first = self.first_besides(&state, number).min(order);
            let EvidenceState { old, recent, kept, .. } = &mut *state;
            recent.retain(|(order, detector)| {
                let is_old = *order < first;
                if is_old {
                    old.merge(detector);
                }
                !is_old
            });
            *kept = recent.len();
        }
    }

    /// The evidence from before a place. Waits until the other followers have added theirs.
    fn before(&self, number: usize, order: Order) -> Detector {
        self.wait_at(number, order);
        let mut looks = 0_u32;
        loop {
            let state = self.lock();
            if self.first_besides(&state, number) >= order {
                let mut all = state.old.clone();
                let recent = state.recent.iter();
                // Evidence that the follower itself has added at this place counts, too.
                recent.filter(|(at, _)| *at <= order).for_each(|(_, more)| all.merge(more));
                if order >= Order::COLLECTING {
                    all.merge(&state.last);
                }
                return all;
            }
            drop(state);
            looks += 1;
            if looks < LOOKS {
                thread::yield_now();
            } else {
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Mixes the bits of a flow's ends, which may be in any order.
const fn mixed(is_tcp: bool, one: u64, other: u64) -> u64 {
    let (low, high) = if one <= other { (one, other) } else { (other, one) };
    // The finalizer of MurmurHash3, over both ends.
    let mut bits = low ^ high.rotate_left(32) ^ is_tcp as u64;
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits ^= high;
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ (bits >> 33)
}

/// The bits of an end.
fn end(address: SocketAddr) -> u64 {
    let port = u64::from(address.port());
    match address.ip() {
        IpAddr::V4(ip) => u64::from(ip.to_bits()) << 16 | port,
        IpAddr::V6(ip) => {
            let bits = ip.to_bits();
            ((bits >> 64) as u64 ^ bits as u64).rotate_left(16) ^ port
        }
    }
}

/// The mixed bits of the flow of a common packet: UDP or TCP after an IPv4 header without options.
/// Others have to be read with all headers. If such a packet is malformed, any follower can report it.
#[inline]
fn glance(packet: &CapturedPacket<'_>) -> Option<u64> {
    let (header, rest) = usual_header(packet.link_type, packet.data)?;
    let [.., protocol @ (6 | 17), _, _, a, b, c, d, e, f, g, h] = *header else { return None };
    let [i, j, k, l] = *rest.first_chunk()?;
    // A tunnel does not show its flow.
    if is_tunnel_port(u16::from_be_bytes([k, l])) {
        return None;
    }
    let source = u64::from_be_bytes([0, 0, a, b, c, d, i, j]);
    let destination = u64::from_be_bytes([0, 0, e, f, g, h, k, l]);
    Some(mixed(protocol == 6, source, destination))
}

impl Options<'_> {
    /// Reads only a share of the connections: see [`Share`].
    #[must_use]
    pub fn with_share(self, share: Share) -> Self {
        Options { share: Some(share), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, encode};

    #[test]
    fn the_evidence_of_open_connections_is_joined_at_once() {
        let mut more = Detector::new();
        more.payload(&encode(Dialect::GODOT_3, &true).unwrap());
        let shares = Share::divide(NonZero::<usize>::MIN.saturating_add(1));
        let evidence = shares[0].evidence.clone();
        evidence.merge(0, Order::of_packet(1), &more);
        for number in (0..1_000).map(|number| number % 2) {
            evidence.merge(number, Order::COLLECTING, &more);
        }
        assert_eq!(evidence.lock().recent.len(), 1);
        drop(shares);
        let payloads = |order| evidence.before(0, order).detection().payloads();
        assert_eq!([Order::of_packet(2), Order::COLLECTING].map(payloads), [1, 1_001]);
    }
}
