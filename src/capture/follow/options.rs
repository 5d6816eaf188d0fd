//! Options for following connections, and limits on the memory that this takes.

use super::{Share, Transport};
use crate::game::multiplayer;
use crate::net::enet;
use crate::value::Dialect;
use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::sync::Arc;

/// Options for following flows: which ones to read, and how. Everything that is not set is
/// detected.
///
/// ```
/// use gdwire::{Dialect, follow::{Options, Transport}};
///
/// let options = Options::new().with_transport(Transport::Enet).with_dialect(Dialect::GODOT_4);
/// # let _ = options;
/// ```
#[derive(Default)]
pub struct Options<'o> {
    pub(super) transport: Option<Transport>,
    pub(super) dialect: Option<Dialect>,
    pub(super) is_double: bool,
    pub(super) limits: Limits,
    pub(super) is_measuring: bool,
    pub(super) names: Option<Arc<multiplayer::Names>>,
    pub(super) evidence: Arc<multiplayer::Evidence>,
    pub(super) filter: Option<Box<dyn Fn(SocketAddr, SocketAddr) -> bool + Send + 'o>>,
    /// Taken by the follower.
    pub(super) share: Option<Share>,
}

impl<'o> Options<'o> {
    /// Reads all flows and detects everything.
    #[must_use]
    pub fn new() -> Options<'o> {
        Options::default()
    }

    /// Reads all flows over UDP, or all over TCP, as this transport, whichever of them the
    /// transport uses, and skips the other flows.
    #[must_use]
    pub fn with_transport(self, transport: Transport) -> Options<'o> {
        Options { transport: Some(transport), ..self }
    }

    /// Reads all values in this dialect.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Options<'o> {
        Options { dialect: Some(dialect), ..self }
    }

    /// Detects the dialect, for an engine that was built with double-precision reals.
    #[must_use]
    pub fn with_double_reals(self) -> Options<'o> {
        Options { is_double: true, ..self }
    }

    /// Sets the memory limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Options<'o> {
        Options { limits, ..self }
    }

    /// Adds names that no packet contains. They are part of each
    /// [context](super::Message::context).
    #[must_use]
    pub fn with_names(self, names: Arc<multiplayer::Names>) -> Options<'o> {
        Options { names: Some(names), ..self }
    }

    /// Adds evidence about the [names](Options::with_names) that is known already:
    /// [`Follower::evidence`](super::Follower::evidence) returned it after the same packets. If a
    /// recording is read twice, the second pass shows no name that a later packet contradicts.
    ///
    /// ```
    /// use gdwire::capture::Messages;
    /// use gdwire::follow::Options;
    /// use gdwire::multiplayer::Names;
    /// use gdwire::project::Project;
    /// use std::sync::Arc;
    ///
    /// # let root = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/");
    /// let project = Project::open(format!("{root}project/arena"))?;
    /// let names = Arc::new(Names::new().with_project(project));
    /// let file = std::fs::read(format!("{root}captures/godot4-game-enet.pcapng"))?;
    /// let options = || Options::new().with_names(names.clone());
    ///
    /// let mut first = Messages::with_options(&file, options())?;
    /// while first.next_event().is_some() {}
    /// let evidence = first.evidence();
    ///
    /// let mut messages = Messages::with_options(&file, options().with_evidence(evidence))?;
    /// while let Some(event) = messages.next_event() {
    ///     // …
    /// #   let _ = event;
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_evidence(self, evidence: Arc<multiplayer::Evidence>) -> Options<'o> {
        Options { evidence, ..self }
    }

    /// Measures the connections: round-trip times, resends, the sizes of messages, and so on.
    /// [`Direction::measures`](super::Direction::measures) returns the measurements. This takes
    /// some time for each packet, and up to 220 KiB of memory for each connection, which count
    /// towards the limits.
    ///
    /// ```
    /// use gdwire::capture::Messages;
    /// use gdwire::follow::{Event, Options};
    /// use gdwire::net::Side;
    ///
    /// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
    /// let mut messages = Messages::with_options(&file, Options::new().with_measures())?;
    /// let mut medians = Vec::new();
    /// while let Some(event) = messages.next_event() {
    ///     if let Event::Closed(summary) = event {
    ///         let direction = summary.direction(Side::First);
    ///         println!("{} packets, {:?} on the wire", direction.packets, direction.wire);
    ///         if let Some(measures) = direction.measures() {
    ///             medians.extend(measures.round_trips.times.quantile(0.5));
    ///         }
    ///     }
    /// }
    /// // About 14 milliseconds, in microseconds.
    /// assert!((13_500..14_500).contains(&medians[0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_measures(self) -> Options<'o> {
        Options { is_measuring: true, ..self }
    }

    /// Reads only packets for whose source and destination the function returns true.
    #[must_use]
    pub fn with_filter(
        self,
        admits: impl Fn(SocketAddr, SocketAddr) -> bool + Send + 'o,
    ) -> Options<'o> {
        Options { filter: Some(Box::new(admits)), ..self }
    }

    /// Whether a flow cannot have the requested transport.
    pub(super) fn excludes(&self, is_tcp: bool) -> bool {
        self.transport.is_some_and(|transport| transport.is_over_tcp() != is_tcp)
    }

    /// Whether a connection may have a transport.
    pub(super) fn admits_transport(&self, transport: Transport) -> bool {
        self.transport.is_none_or(|named| named == transport)
    }

    pub(super) const fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    #[inline]
    pub(super) fn admits(&self, src: SocketAddr, dst: SocketAddr) -> bool {
        self.filter.as_ref().is_none_or(|admits| admits(src, dst))
    }

    /// Whether a dialect may be chosen.
    pub(super) fn admits_dialect(&self, dialect: Dialect) -> bool {
        match self.dialect {
            Some(named) => dialect.reads_like(named),
            None => !self.is_double || dialect.has_double_reals() || dialect.flags_width(),
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { transport, dialect, is_double, limits, is_measuring, .. } = self;
        debug_fields!(f, Options { transport, dialect, is_double, limits, is_measuring, .. })
    }
}

/// Limits on what a [`Follower`](super::Follower) keeps of connections. State that exceeds a memory
/// limit is dropped and reported as a [`Loss`](super::Loss).
///
/// Everything that following a connection needs counts, with the room that its buffers and tables
/// reserve: packets that wait until it is known what the connection carries, messages and segments
/// that wait for earlier ones, and names. For small pieces and for each connection, what the allocator
/// needs for itself counts, too. The peak of memory is higher by what does not count:
///
/// - the events of one packet, until the next packet is pushed: all messages that this packet
///   releases, and the losses that it reveals. They take up to a quarter more than
///   [`flow_bytes`](Limits::flow_bytes), and what the connection held before;
/// - the table of connections while it grows: it then exists twice, which is up to 7 % of the limit;
/// - up to 128 KiB that are reused from packet to packet;
/// - what the allocator needs for other allocations, up to 5 % of the limit.
///
/// In traffic that releases no more than a few messages with each packet, the peak stays within a tenth
/// of the limit.
///
/// ```
/// use gdwire::follow::{Limits, Options};
///
/// let little = Limits::default().with_flow_bytes(1 << 20).with_total_bytes(8 << 20);
/// let options = Options::new().with_limits(little);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How many connections may be open at the same time. Default: 65,536. When there are more, one
    /// that its ends have closed is given up, otherwise the one that was silent for the longest
    /// time. Connections without messages of the engines are closed first, unless they are at most
    /// an eighth of the limit.
    ///
    /// The later packets of a connection that was given up are not read: each is an
    /// [`Other`](super::Other). The connection is continued, as another one, when there is room, or
    /// after 64 packets during which an open one has sent none. This number doubles each time.
    /// Packets that the ends send again are not returned again, and a stream needs evidence for the
    /// start of its next message, as after missing bytes. A new connection between the same ends is
    /// read at once. Connections that were given up are remembered in up to a sixteenth of
    /// [`total_bytes`](Limits::total_bytes); those that are forgotten count as new.
    pub flows: usize,
    /// How many bytes are kept for one flow. Default: 64 MiB. If a flow needs more, its state is
    /// dropped. This also limits the length of a message: over TCP to a quarter, 16 MiB, over
    /// WebSocket to an eighth, 8 MiB, and over ENet to nearly a half, about 32 MiB. A longer
    /// message is lost.
    pub flow_bytes: usize,
    /// How many bytes are kept for all flows and incomplete IP packets together. Default: 256 MiB.
    /// When more is needed, connections that their ends have closed are given up, then the state of
    /// the flows that use the most, and among those that use about as much, of the one that was
    /// silent for the longest time. A flow that uses no more than its share is never given up:
    /// seven eighths of this limit, divided by [`flows`](Limits::flows).
    pub total_bytes: usize,
    /// After how many messages it is decided what a connection carries, if that is still in doubt.
    /// Default: 64. At least one message is examined.
    pub undecided_messages: u32,
    /// After how many bytes of messages this is decided. Default: 1 MiB.
    pub undecided_bytes: usize,
    /// How long messages wait for this decision in live traffic. Default: half a second. After
    /// that, these messages and later ones are read by the best guess. The guess is corrected if
    /// later messages contradict it. This time passes only with
    /// [`Follower::tick`](super::Follower::tick).
    pub undecided_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            flows: 1 << 16,
            flow_bytes: 64 << 20,
            total_bytes: 256 << 20,
            undecided_messages: 64,
            undecided_bytes: 1 << 20,
            undecided_time: Duration::from_millis(500),
        }
    }
}

impl Limits {
    /// Returns the limits with another value of [`flows`](Limits::flows).
    #[must_use]
    pub const fn with_flows(self, flows: usize) -> Limits {
        Limits { flows, ..self }
    }

    /// Returns the limits with another value of [`flow_bytes`](Limits::flow_bytes).
    #[must_use]
    pub const fn with_flow_bytes(self, flow_bytes: usize) -> Limits {
        Limits { flow_bytes, ..self }
    }

    /// Returns the limits with another value of [`total_bytes`](Limits::total_bytes).
    #[must_use]
    pub const fn with_total_bytes(self, total_bytes: usize) -> Limits {
        Limits { total_bytes, ..self }
    }

    /// Returns the limits with another value of [`undecided_messages`](Limits::undecided_messages).
    #[must_use]
    pub const fn with_undecided_messages(self, undecided_messages: u32) -> Limits {
        Limits { undecided_messages, ..self }
    }

    /// Returns the limits with another value of [`undecided_bytes`](Limits::undecided_bytes).
    #[must_use]
    pub const fn with_undecided_bytes(self, undecided_bytes: usize) -> Limits {
        Limits { undecided_bytes, ..self }
    }

    /// Returns the limits with another value of [`undecided_time`](Limits::undecided_time).
    #[must_use]
    pub const fn with_undecided_time(self, undecided_time: Duration) -> Limits {
        Limits { undecided_time, ..self }
    }

    /// How many messages of a connection are examined.
    pub(super) fn undecided(&self) -> u32 {
        self.undecided_messages.max(1)
    }

    /// How many bytes of one direction of a stream are held back until a gap before them is filled.
    pub(super) const fn out_of_order(&self) -> usize {
        self.flow_bytes / 8
    }

    /// The longest message, in bytes. Up to this many bytes are kept for each direction.
    pub(super) const fn message(&self) -> usize {
        self.flow_bytes / 4
    }

    /// The limits of an ENet session: it holds back fewer than half of the bytes of a flow, so that
    /// waiting messages alone never exceed the limit of the flow.
    pub(super) fn enet(&self) -> enet::SessionLimits {
        enet::SessionLimits::default().with_held_bytes(self.flow_bytes / 32 * 15)
    }

    /// How many names are kept, and how many bytes they have together.
    pub(super) fn names(&self) -> (usize, usize) {
        let bytes = (self.flow_bytes / 16).min(1 << 20);
        (bytes / 64, bytes)
    }

    /// How many bytes are kept for incomplete IP packets.
    pub(super) const fn fragments(&self) -> usize {
        self.total_bytes / 16
    }

    /// How many bytes are kept for flows that were given up because there were too many.
    pub(super) const fn given_up(&self) -> usize {
        self.total_bytes / 16
    }

    /// The share of a flow: how many bytes it may always keep.
    pub(super) fn share(&self) -> usize {
        (self.total_bytes / 8 * 7).checked_div(self.flows).unwrap_or(0)
    }
}
