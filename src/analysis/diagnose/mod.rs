//! Finds what is wrong with the traffic of a game: loss, slow round trips, calls that cannot have
//! arrived, methods that differ, states that are not needed, and values that should not be sent.
//!
//! [`Diagnosis`] takes the events of a [`Follower`](crate::follow::Follower) one by one, in one pass
//! and in bounded memory. [`FindingKind`] lists what it finds. Round-trip times, resends and the
//! order of messages are only known if the follower [measures](crate::follow::Options::with_measures) them.
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::follow::Options;
//! use gdwire::diagnose::{Diagnosis, Severity};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
//! let mut messages = Messages::with_options(&file, Options::new().with_measures())?;
//! let mut diagnosis = Diagnosis::new();
//! while let Some(event) = messages.next_event() {
//!     diagnosis.event(&event);
//! }
//! for finding in diagnosis.findings() {
//!     println!("{}: {}", finding.severity, finding.text);
//! }
//! assert!(diagnosis.worst() < Some(Severity::Warning));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Findings about a whole connection are reported when it is closed: those about its measures, and
//! those about ids that its ends never announced.
//!
//! # Memory
//!
//! A diagnosis keeps about 32 MiB for the nodes of open connections, 4,096 findings, 4,096 methods
//! and 4,096 nodes with names of 4 MiB each, and the measures of the first 65,536 connections, of
//! which 1,024 with round-trip times over time. Findings beyond these limits are counted without
//! their node, or reported as [`FindingKind::LimitReached`].
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! measuring, also without a new major version.

mod ends;
mod engines;
mod finding;
mod kind;
mod transport;
mod values;

pub use engines::EngineVersions;
pub use finding::Finding;
pub use kind::{FindingKind, Severity};

use super::stats::{Connection, Item, Measured, Member, NodeName, each_item};
use crate::capture::follow::{
    ConnectionNumbers, Content, Direction, Event, Loss, LossKind, Message, Other, Place, Reason,
    Summary,
};
use crate::format::json::object::{Json, write_object};
use crate::game::multiplayer::{
    Callee, Form, Method, Mismatch, MultiplayerProtocol, Packet, PeerId,
};
use crate::net::Side;
use crate::net::measure::{Series, Spread};
use crate::net::packet::Time;
use crate::value::walk::WalkStack;
use ends::EndStates;
use finding::{FindingList, Likeness, Seen};
use std::collections::BTreeMap;
use std::{fmt, io};
use values::{ValueExaminer, ValueFaults};

/// How many connections are listed.
const CONNECTIONS: usize = 1 << 16;

/// The number of connections whose round trips are kept over time.
const OVER_TIME: usize = 1 << 10;

/// How often the state of a node has to repeat to be a finding.
const REPEATS: u64 = 20;

/// How many calls a method has to have to be a flood.
const FLOOD: u64 = 500;

/// The findings in the traffic so far.
#[derive(Clone, Default, Debug)]
pub struct Diagnosis {
    findings: FindingList,
    /// The sync states of each node, and how many of them repeat the one before.
    repeats: FindingList,
    /// The calls of each method, and their bytes.
    calls: FindingList,
    ends: EndStates,
    /// The versions of the engine that each end of a connection can have, by its packets.
    engines: BTreeMap<(u64, Side), EngineVersions>,
    stack: WalkStack,
    values: ValueExaminer,
    connections: Vec<Connection>,
    further_connections: u64,
    messages: u64,
    message_bytes: u64,
}

impl Diagnosis {
    /// A diagnosis that has seen nothing.
    #[must_use]
    pub fn new() -> Diagnosis {
        Diagnosis::default()
    }

    /// Looks at an event.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Closed(summary) => self.connection(summary),
            Event::Message(message) => self.message(message),
            Event::Other(other) => self.other(other),
            Event::Lost(loss) => self.lost(loss),
            Event::Opened(_) | Event::Recognized(_) | Event::Damaged(_) => {}
        }
    }

    /// An empty diagnosis for a part of this capture: what one of several followers that
    /// [share](crate::follow::Share) it reads.
    ///
    /// Pass it the messages and payloads of that follower, and to [`Diagnosis::close`] the connections
    /// that are closed. Pass the losses and the closed connections of all followers to this diagnosis, in
    /// their [order](crate::follow::Order), and [merge](Diagnosis::merge) the parts at the end.
    #[must_use]
    pub fn part(&self) -> Diagnosis {
        Diagnosis {
            findings: self.findings.part(),
            repeats: self.repeats.part(),
            calls: self.calls.part(),
            ends: self.ends.part(),
            ..Diagnosis::default()
        }
    }

    /// Adds what a [part](Diagnosis::part) has found. `numbers` gives the connections the numbers that
    /// they have in this diagnosis. The result is that of looking at all events in order if it
    /// [is complete](Diagnosis::is_complete).
    pub fn merge(&mut self, part: Diagnosis, numbers: &ConnectionNumbers) {
        self.findings.merge(&part.findings);
        self.repeats.merge(&part.repeats);
        self.calls.merge(&part.calls);
        self.ends.merge(part.ends, numbers);
        self.engines.extend(
            part.engines.into_iter().map(|((number, side), it)| ((numbers.of(number), side), it)),
        );
        self.messages = self.messages.saturating_add(part.messages);
        self.message_bytes = self.message_bytes.saturating_add(part.message_bytes);
    }

    /// Whether no limit was reached that depends on the order of events. Further connections are no such
    /// limit.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let lists = [&self.findings, &self.repeats, &self.calls];
        let has_room = self.engines.len() < 2 * CONNECTIONS && self.ends.is_complete();
        has_room && lists.iter().all(|list| !list.is_full)
    }

    /// Judges a closed connection by its messages. [`Diagnosis::connection`] does this, too.
    pub fn close(&mut self, summary: &Summary) {
        if summary.closed().is_none() {
            return;
        }
        self.ends.close(summary, &mut self.findings);
        let [first, second] =
            [Side::First, Side::Second].map(|side| self.engine(summary.connection(), side));
        if let Some((first, second)) = first.zip(second).filter(|(one, other)| !one.meets(*other)) {
            let seen = Seen::once(Severity::Error, summary.last());
            let seen = Seen { most: first.packed(), of: second.packed(), ..seen };
            self.findings.add(FindingKind::EnginesDiffer, None, seen);
        }
    }

    /// Looks at a connection. It is judged when it is closed.
    pub fn connection(&mut self, summary: &Summary) {
        if summary.closed().is_none() {
            return;
        }
        self.close(summary);
        transport::judge(summary, &mut self.findings);
        if self.connections.len() < CONNECTIONS {
            let is_kept = self.connections.len() < OVER_TIME;
            self.connections.push(Connection::new(summary, is_kept));
        } else {
            self.further_connections += 1;
            let seen = Seen::once(Severity::Warning, summary.last());
            self.findings.add(FindingKind::LimitReached, None, seen);
        }
    }

    /// The versions of Godot 4 that an end of a connection can have, by its packets; none if it has
    /// sent no packets of Godot 4.
    #[must_use]
    pub fn engine(&self, connection: u64, side: Side) -> Option<EngineVersions> {
        self.engines.get(&(connection, side)).copied()
    }

    /// Looks at a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.messages += 1;
        self.message_bytes += message.bytes.len() as u64;
        match &message.content {
            Content::Value(value) => {
                let mut counts = ValueFaults::default();
                self.values.look(*value, &mut counts);
                blame(&mut self.findings, counts, None, message.place);
            }
            Content::Packet(packet) => self.packet(packet, message),
            // A debugger may show any value.
            Content::Debugger(_) => {}
        }
    }

    /// Notes what a message announces or confirms, but looks for nothing in it: for messages that were
    /// not selected.
    pub fn note(&mut self, message: &Message<'_>) {
        match &message.content {
            Content::Packet(packet @ (Packet::Spawn(_) | Packet::Despawn { .. })) => {
                self.ends.packet(packet, message, &mut self.findings, &mut self.repeats);
            }
            Content::Packet(Packet::ConfirmPath(confirm)) => {
                self.ends.confirmed(confirm.node, message);
            }
            _ => {}
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, message: &Message<'_>) {
        let (bytes, place) = (message.bytes.len(), message.place);
        let end = (message.origin.connection, message.origin.from);
        if MultiplayerProtocol::of(message.dialect) == MultiplayerProtocol::Godot4
            && (self.engines.len() < 2 * CONNECTIONS || self.engines.contains_key(&end))
        {
            self.engines.entry(end).or_default().note(packet, &mut self.stack);
        }
        let likeness = Likeness { context: message.context(), state: None };
        let dropped = self.ends.dropped;
        self.ends.packet(packet, message, &mut self.findings, &mut self.repeats);
        let count = self.ends.dropped.saturating_sub(dropped);
        if count > 0 {
            let seen = Seen { count, ..Seen::once(Severity::Warning, place) };
            self.findings.add(FindingKind::LimitReached, None, seen);
        }
        packet.mismatches(message.context(), &mut |mismatch| {
            let (kind, item, severity) = match mismatch {
                Mismatch::Method { path, method: Method::Number { index, is_own }, .. } => {
                    let member = Member::MethodNumber { index, is_own };
                    let item = Item { node: NodeName::Path(path), member };
                    (FindingKind::MethodOutOfRange, item, Severity::Error)
                }
                _ => {
                    let node = NodeName::Path(mismatch.subject());
                    let item = Item { node, member: Member::Whole };
                    (FindingKind::OtherVersion, item, Severity::Warning)
                }
            };
            self.findings.add_of(kind, item, likeness, Seen::once(severity, place));
        });
        self.refused(packet, message);
        let mut counts = ValueFaults::default();
        packet.each_argument(&mut |argument| {
            if let Form::Value(value) = argument.form() {
                self.values.look(value, &mut counts);
            }
        });
        // Findings about a value belong to the method, or to the first node in the packet.
        let is_call = match packet {
            Packet::Relay(relay) => matches!(relay.packet(), Packet::Call(_) | Packet::Set(_)),
            packet => matches!(packet, Packet::Call(_) | Packet::Set(_)),
        };
        let Diagnosis { findings, calls, .. } = self;
        let mut rest = Some(counts);
        each_item(packet, message.context(), bytes, &mut |item, _, _| {
            if item.member.command() == Some("call") {
                let bytes = (bytes as u64, 0);
                let seen = Seen { bytes, ..Seen::once(Severity::Warning, place) };
                calls.add_of(FindingKind::Flood, item, likeness, seen);
            }
            if (item.member != Member::Whole) == is_call
                && let Some(counts) = rest.take()
            {
                blame(findings, counts, Some((item, likeness)), place);
            }
        });
        if let Some(counts) = rest {
            blame(findings, counts, None, place);
        }
    }

    /// Finds calls that the receiver refuses because the caller is not the authority of the node.
    fn refused(&mut self, packet: &Packet<'_>, message: &Message<'_>) {
        let is_relayed = matches!(packet, Packet::Relay(_));
        let is_from_client =
            is_relayed || message.peers.source.is_some_and(|it| it != PeerId::SERVER);
        let context = message.context();
        if !is_from_client || !packet.is_refused_from_clients(context) {
            return;
        }
        let Some(Callee { path: Some(path), method: Method::Name(name) }) = packet.callee(context)
        else {
            return;
        };
        let item = Item { node: NodeName::Path(path), member: Member::Method(name) };
        let seen = Seen::once(Severity::Warning, message.place);
        let likeness = Likeness { context, state: None };
        self.findings.add_of(FindingKind::RefusedCall, item, likeness, seen);
    }

    /// Looks at a packet or message that was not read.
    pub fn other(&mut self, other: &Other<'_>) {
        let is_message =
            matches!(other.reason, Reason::NoValue(_) | Reason::NoPacket(_) | Reason::NoEnet(_));
        if let Some(origin) = other.origin.filter(|_| is_message) {
            self.ends.unreadable(origin.connection, origin.from, other.place);
            return;
        }
        let kind = match other.reason {
            Reason::Cut => FindingKind::CapturedInPart,
            Reason::Compressed(_) => FindingKind::Compressed,
            _ => return,
        };
        self.findings.add(kind, None, Seen::once(Severity::Warning, other.place));
    }

    /// Looks at a loss.
    pub fn lost(&mut self, loss: &Loss) {
        let mut count = loss.cause.count();
        let (kind, severity) = match loss.cause.kind() {
            // Consequences of missing bytes or of packets that were captured only in part, which are
            // a finding already.
            LossKind::Consequence => return,
            // Nothing is wrong: they are from before the first packet.
            LossKind::Earlier => return,
            LossKind::Reliable | LossKind::Unreliable | LossKind::UnreliablePart
                if loss.is_after_cut =>
            {
                return;
            }
            LossKind::CapturedInPart => (FindingKind::CapturedInPart, Severity::Warning),
            LossKind::LimitReached => {
                count = 1;
                (FindingKind::LimitReached, Severity::Warning)
            }
            LossKind::Reliable => (FindingKind::ReliableMissing, Severity::Warning),
            LossKind::Undelivered => (FindingKind::NotDelivered, Severity::Warning),
            // A large share of them raises the severity when the connection is closed.
            LossKind::Unreliable | LossKind::UnreliablePart => {
                (FindingKind::UnreliableMissing, Severity::Info)
            }
            LossKind::Unfinished => (FindingKind::UnfinishedMessage, Severity::Info),
        };
        self.findings.add(kind, None, Seen { count, ..Seen::once(severity, loss.place) });
    }

    /// The findings so far, the worst first.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding<'_>> {
        let mut list = self.findings.list();
        list.extend(self.repeats.list_of_nodes(|seen| {
            (seen.count >= REPEATS && seen.count.saturating_mul(2) > seen.of).then_some(*seen)
        }));
        list.extend(self.calls.list_of_nodes(|seen| {
            let (bytes, _) = seen.bytes;
            let is_flood = seen.count >= FLOOD && bytes.saturating_mul(2) > self.message_bytes;
            let bytes = (bytes, self.message_bytes);
            is_flood.then_some(Seen { of: self.messages, bytes, ..*seen })
        }));
        list.sort_by(|one, other| {
            let order = (other.severity, one.kind, other.count);
            order.cmp(&(one.severity, other.kind, one.count))
        });
        list
    }

    /// The severity of the worst finding; none if nothing was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings().first().map(|finding| finding.severity)
    }

    /// The closed connections, in the order in which they were closed: up to 65,536.
    #[must_use]
    pub fn connections(&self) -> &[Connection] {
        &self.connections
    }

    /// How many more connections were closed.
    #[must_use]
    pub const fn further_connections(&self) -> u64 {
        self.further_connections
    }
}

/// Adds findings about the values of a message.
fn blame(
    findings: &mut FindingList,
    counts: ValueFaults,
    item: Option<(Item<&str>, Likeness<'_>)>,
    place: Place,
) {
    for (kind, count) in counts.each() {
        let seen = Seen { count, ..Seen::once(Severity::Warning, place) };
        match item {
            Some((item, likeness)) => findings.add_of(kind, item, likeness, seen),
            None => findings.add(kind, None, seen),
        }
    }
}

impl Diagnosis {
    /// Writes the diagnosis as one JSON object, with `file` as its name.
    ///
    /// The page [diagnose](crate::docs::diagnose) describes the fields.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, file: &str, out: impl io::Write) -> io::Result<()> {
        write_object(out, |json| {
            json.text("file", Some(file))?;
            json.list("connections", self.connections(), |json, connection| {
                let summary = connection.summary();
                json.shown("community_id", summary.flow().community_id())?;
                json.text("transport", connection.transport().map(|transport| transport.name()))?;
                json.list("directions", summary.flow().directions(), |json, (side, src, dst)| {
                    json.shown("src", src)?;
                    json.shown("dst", dst)?;
                    let engine = self.engine(summary.connection(), side);
                    let engine = engine.filter(|engine| !engine.is_any());
                    json.text("engine", engine.map(|it| it.to_string()).as_deref())?;
                    let measured = connection.measured(side).unwrap_or_default();
                    write_measured(json, summary.direction(side), &measured)?;
                    write_over_time(json, connection.round_trips_over_time(side))
                })
            })?;
            json.number("further_connections", self.further_connections())?;
            json.list("findings", self.findings(), |json, finding| write_finding(json, &finding))
        })
    }
}

fn write_measured(json: &mut Json<'_>, direction: &Direction, measured: &Measured) -> fmt::Result {
    json.number("packets", direction.packets)?;
    json.number("messages", direction.messages)?;
    json.number("reliable", measured.reliable)?;
    json.number("resent", measured.resent)?;
    json.number("missing_unreliable", direction.missing.of_unreliable())?;
    json.number("missing_reliable", direction.missing.of_reliable())?;
    json.number("out_of_order", measured.out_of_order)?;
    let Some(times) = measured.round_trips else { return json.text("rtt_ms", None) };
    json.nested("rtt_ms", |json| {
        let mut times = Spread::NAMES.into_iter().zip(times.values());
        times.try_for_each(|(key, time)| milliseconds(json, key, time as f64))
    })
}

fn write_over_time(json: &mut Json<'_>, times: Option<&Series>) -> fmt::Result {
    let points = times.into_iter().flat_map(Series::iter);
    json.list("rtt_over_time", points, |json, (start, point)| {
        json.shown("from", Time::from_nanos(start, 9))?;
        json.number("count", point.count)?;
        milliseconds(json, "min_ms", point.min as f64)?;
        milliseconds(json, "mean_ms", point.mean())?;
        milliseconds(json, "max_ms", point.max as f64)
    })
}

/// Writes a time that is given in microseconds.
fn milliseconds(json: &mut Json<'_>, key: &str, time: f64) -> fmt::Result {
    json.real(key, Some(time / 1e3), 3)
}

fn write_finding(json: &mut Json<'_>, finding: &Finding<'_>) -> fmt::Result {
    json.text("kind", Some(finding.kind.name()))?;
    json.text("severity", Some(finding.severity.name()))?;
    json.number("count", finding.count)?;
    json.number("first_frame", finding.first_frame)?;
    json.number("last_frame", finding.last_frame)?;
    match finding.node {
        Some(NodeName::Path(path)) => json.text("path", Some(path))?,
        Some(node) => {
            json.text("path", None)?;
            json.shown("node", node)?;
        }
        None => json.text("path", None)?,
    }
    let nodes: Vec<String> = finding.nodes.iter().map(ToString::to_string).collect();
    json.texts("nodes", nodes.iter().map(String::as_str))?;
    match finding.member {
        Some(Member::MethodNumber { index, is_own: false }) => json.number("method", index)?,
        Some(member) => json.shown("method", member)?,
        None => json.text("method", None)?,
    }
    json.text("text", Some(&finding.text))
}
