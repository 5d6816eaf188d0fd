//! Options for following connections.

use super::{Flow, Limits, Transport};
use crate::game::multiplayer;
use crate::value::dialect::Dialect;
use core::fmt;
use core::net::SocketAddr;
use std::sync::Arc;

/// Which flows to read, and how. Everything that is not set is detected.
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

    /// Adds what is known already about the [names](Options::with_names): what
    /// [`Follower::evidence`](super::Follower::evidence) returned after the same packets. Whoever
    /// reads a recording twice sees no name in the second pass that a later packet contradicts.
    ///
    /// ```
    /// use gdwire::capture::{Messages, Options};
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
    /// use gdwire::capture::{Event, Messages, Options};
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
    pub(super) fn excludes(&self, flow: &Flow) -> bool {
        self.transport.is_some_and(|transport| transport.is_over_tcp() != flow.is_tcp())
    }

    /// Whether a connection may have a transport.
    pub(super) fn admits_transport(&self, transport: Transport) -> bool {
        self.transport.is_none_or(|named| named == transport)
    }

    pub(super) const fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

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
