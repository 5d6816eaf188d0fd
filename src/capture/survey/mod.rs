//! The first pass over a capture: finds the transport and the dialect of each flow's messages.

mod first;
mod flows;
mod layers;
mod opened;
mod sample;

pub(super) use layers::Layers;
pub(super) use sample::is_unlikely;

use super::{Flow, Options, Time, Transport};
use crate::detect::Detector;
use crate::dialect::Dialect;
use core::fmt;
use core::ops::{Range, RangeInclusive};
use first::FirstLook;
use flows::Known;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use sample::Finding;

/// How the messages of a flow are read: the result of the survey.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) transport: Transport,
    pub(super) layers: Layers,
    pub(super) dialect: Dialect,
    /// Whether anything in the flow could be read like this.
    pub(super) is_sure: bool,
    /// Whether everything that reads as a value is one, even if no engine writes it like that.
    pub(super) is_certain: bool,
}

/// The flows of a capture, and how each is read.
pub(super) struct Survey {
    /// The range in `connections` for each flow.
    places: HashMap<Flow, Range<usize>>,
    /// Sorted by flow, and within a flow by the first packet.
    connections: Vec<Surveying>,
    /// Indexes of `connections`, sorted by the first packet.
    order: Vec<usize>,
    /// The frames that start a further connection of a flow, the last one first.
    renewals: Vec<(u64, Flow)>,
    /// The number of packets of flows that were forgotten.
    forgotten: u64,
}

/// A connection of a flow.
struct Surveying {
    flow: Flow,
    first: u64,
    last: u64,
    traffic: Traffic,
    /// None if no message was recognized.
    choice: Option<Choice>,
    finding: Box<Finding>,
}

/// The amount of traffic of a flow, both directions together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Traffic {
    /// The number of datagrams or segments. A fragmented IP packet counts once.
    pub packets: u64,
    /// The number of bytes after their UDP or TCP headers.
    pub bytes: u64,
    /// When the first one was captured.
    pub first: Option<Time>,
    /// When the last one was captured.
    pub last: Option<Time>,
}

impl Traffic {
    fn add(&mut self, time: Option<Time>, len: usize) {
        self.packets = self.packets.saturating_add(1);
        self.bytes = self.bytes.saturating_add(len as u64);
        self.first = self.first.or(time);
        self.last = time.or(self.last);
    }

    /// The mean rate between the first packet and the last one; none if no time lies between them.
    #[must_use]
    pub fn bytes_per_second(&self) -> Option<f64> {
        let nanoseconds = self.last?.nanoseconds().saturating_sub(self.first?.nanoseconds());
        (nanoseconds > 0).then(|| self.bytes as f64 * 1e9 / nanoseconds as f64)
    }
}

impl Survey {
    /// Examines the first packets of every flow.
    pub(super) fn of(file: &[u8], options: &Options<'_>) -> Survey {
        let (mut all, forgotten) = FirstLook::at(file, options).into_all();
        all.sort_unstable_by_key(|(flow, known)| (*flow, known.first));
        let common = common_dialect(&all, options);
        let (mut places, mut renewals) = (HashMap::<_, Range<usize>>::new(), Vec::new());
        let mut connections = Vec::with_capacity(all.len());
        for (flow, known) in all {
            let Known { first, last, traffic, finding: Some(finding), .. } = known else {
                continue;
            };
            let place = connections.len();
            match places.entry(flow) {
                Entry::Vacant(entry) => {
                    entry.insert(place..place.saturating_add(1));
                }
                Entry::Occupied(mut entry) => {
                    entry.get_mut().end = place.saturating_add(1);
                    renewals.push((first, flow));
                }
            }
            let choice = choose(&finding, common, options);
            connections.push(Surveying { flow, first, last, traffic, choice, finding });
        }
        renewals.sort_unstable_by_key(|(first, _)| core::cmp::Reverse(*first));
        let mut order: Vec<_> = (0..connections.len()).collect();
        order.sort_unstable_by_key(|at| connections.get(*at).map(|it| it.first));
        Survey { places, connections, order, renewals, forgotten }
    }

    /// How a frame of a flow is read, or `Some(None)` if no message was recognized in the flow;
    /// none if the flow was forgotten.
    pub(super) fn choice(&self, flow: &Flow, frame: u64) -> Option<Option<Choice>> {
        let connections = self.connections.get(self.places.get(flow)?.clone())?;
        let place = connections.partition_point(|it| it.first <= frame).checked_sub(1)?;
        let connection = connections.get(place)?;
        (frame <= connection.last).then_some(connection.choice)
    }

    /// The flow of which a further connection starts with a frame. Frames have to be asked for in
    /// order, and each answer is given once.
    pub(super) fn renewed(&mut self, frame: u64) -> Option<Flow> {
        let (_, flow) = self.renewals.pop_if(|(first, _)| *first <= frame)?;
        Some(flow)
    }

    /// The number of packets of flows that were forgotten.
    pub(super) const fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn flows(&self, is_named: bool) -> impl Iterator<Item = Surveyed<'_>> + '_ {
        self.order.iter().filter_map(move |at| {
            let connection = self.connections.get(*at)?;
            Some(Surveyed { connection, is_named })
        })
    }
}

/// The dialect that a flow is read with if nothing in the capture says which.
const DEFAULT: Dialect = Dialect::GODOT_4;

/// The dialect that fits the whole capture best.
fn common_dialect(all: &[(Flow, Known)], options: &Options<'_>) -> Option<Dialect> {
    let mut detector = Detector::new();
    for finding in all.iter().filter_map(|(_, known)| known.finding.as_deref()) {
        detector.merge(finding.detection.detector());
    }
    detector.detection_among(|dialect| options.admits_dialect(dialect)).best().next()
}

/// Chooses the dialect of a flow. Where the flow fits several, the rest of the capture decides.
fn choose(finding: &Finding, common: Option<Dialect>, options: &Options<'_>) -> Option<Choice> {
    let Finding { transport, layers, ref detection, fitting, is_certain, .. } = *finding;
    let mut dialect = detection.best().next().unwrap_or(DEFAULT);
    if let Some(common) = common {
        let is_possible = if layers.has_peers {
            common.engine().has_peer_headers()
        } else {
            !layers.is_multiplayer || common.engine() == dialect.engine()
        };
        if is_possible && !common.differs_only_in_width(dialect) && detection.is_best(common) {
            dialect = common;
        }
    }
    if options.is_double {
        dialect = dialect.with_double_reals();
    }
    let dialect = options.dialect.unwrap_or(dialect);
    let is_sure = fitting > 0;
    Some(Choice { transport: transport?, layers, dialect, is_sure, is_certain })
}

/// A connection of a flow, how its messages are read, and why: see
/// [`Messages::flows`](super::Messages::flows). `Display` explains the choice.
#[derive(Clone, Copy)]
pub struct Surveyed<'s> {
    connection: &'s Surveying,
    is_named: bool,
}

impl Surveyed<'_> {
    /// The flow.
    #[must_use]
    pub const fn flow(&self) -> Flow {
        self.connection.flow
    }

    /// The numbers of its first and last packets. Those of another connection between the same ends
    /// come after them.
    #[must_use]
    pub const fn frames(&self) -> RangeInclusive<u64> {
        self.connection.first..=self.connection.last
    }

    /// The amount of its traffic in the capture.
    #[must_use]
    pub const fn traffic(&self) -> Traffic {
        self.connection.traffic
    }

    /// How its messages are read, if anything could be read.
    fn known(&self) -> Option<Choice> {
        self.connection.choice.filter(|choice| choice.is_sure)
    }

    /// The transport of its messages; none if no message was recognized in the packets that the
    /// survey examined.
    #[must_use]
    pub fn transport(&self) -> Option<Transport> {
        self.known().map(|choice| choice.transport)
    }

    /// The dialect that its values are read in; none if the survey could not read any message.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.known().filter(|_| self.connection.finding.read > 0).map(|choice| choice.dialect)
    }

    /// Whether its messages are packets of the high-level multiplayer API.
    #[must_use]
    pub fn is_multiplayer(&self) -> bool {
        self.known().is_some_and(|choice| choice.layers.is_multiplayer)
    }
}

/// The choice and the reasons for it, in one line.
impl fmt::Display for Surveyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flow = self.connection.flow;
        let (low, high) = flow.ends();
        write!(f, "{low} and {high}: ")?;
        let Finding { fitting, seen, read, ref detection, .. } = *self.connection.finding;
        let Some(Choice { transport, layers, dialect, .. }) = self.known() else {
            let protocol = if flow.is_tcp() { "TCP" } else { "UDP" };
            return write!(f, "{protocol}, no message recognized");
        };
        match transport {
            Transport::Udp => write!(f, "udp, {fitting} of {seen} datagrams are values")?,
            Transport::Enet => write!(f, "enet, {fitting} of {seen} datagrams are ENet")?,
            Transport::Tcp => write!(f, "tcp, {fitting} of {seen} messages are values")?,
            Transport::WebSocket => write!(f, "websocket, {seen} messages")?,
        }
        if read == 0 {
            return f.write_str("; none of its messages can be read");
        }
        match (layers.is_multiplayer, layers.has_peers) {
            (true, _) => f.write_str("; packets of the multiplayer API")?,
            (false, true) => f.write_str("; values after the ids of source and target")?,
            (false, false) => {}
        }
        if self.is_named {
            return write!(f, "; {dialect}, as requested");
        }
        match detection.dialect() {
            Some(_) => {}
            None if detection.best().next().is_none_or(|first| first == dialect) => {
                write!(f, "; {dialect} by default")?;
            }
            None => write!(f, "; {dialect}, as in most of the capture")?,
        }
        write!(f, "; {detection}")
    }
}

impl fmt::Debug for Surveyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Surveying { flow, choice, .. } = self.connection;
        f.debug_struct("Surveyed").field("flow", flow).field("choice", choice).finish()
    }
}
