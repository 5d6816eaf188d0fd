//! Counts what a recording sends, by transport, command, node, method and property, and how evenly.

use super::log::MessageLog;
use crate::analysis::stats::{Amount, Item, Member, NodeName, Sought, each_item, stem};
use crate::capture::follow::{Content, Message};
use crate::game::debugger::DebuggerCommand;
use crate::net::measure::Series;
use hashbrown::HashMap;
use std::hash::RandomState;

/// How many parts of equal length a recording has at most. There are at least half as many.
const PARTS: usize = 32;

/// The length of a part at first, in nanoseconds: a sixteenth of a second.
const SHORTEST: i64 = 62_500_000;

/// With fewer parts, nothing is said about noise.
const LEAST_PARTS: f64 = 4.0;

/// How many rows, and nodes and members of nodes, are counted separately, and how many bytes their
/// names may take.
const ROWS: usize = 1 << 16;
const NAMES: usize = 32 << 20;

/// How many nodes of a row are remembered, to show what their paths have in common.
const NODES: usize = 4;

/// A thing that is counted separately. Nodes whose names differ only in numbers count together.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Subject {
    /// All messages.
    Total,
    /// The packets of games over a transport, with the bytes of their frames.
    Wire(&'static str),
    /// The messages over a transport.
    Transport(&'static str),
    /// The packets of the multiplayer API with a command, or the messages of the debugger.
    Command(&'static str),
    /// The plain values of a kind.
    Value(&'static str),
    /// Nodes.
    Node(NodeName<String>),
    /// A method of nodes, or a property that `rset()` sets.
    Method(NodeName<String>, Member<String>),
    /// A property of nodes in spawns and states.
    Property(NodeName<String>, Member<String>),
}

/// The counts of a recording.
#[derive(Clone, Debug)]
pub struct RecordingCounts {
    items: HashMap<Item<Box<str>>, usize, RandomState>,
    places: HashMap<Subject, usize, RandomState>,
    rows: Vec<TrafficRow>,
    /// The traffic that was not counted separately because of the limits.
    pub further: Amount,
    /// How many more bytes names may take.
    free: usize,
    /// When the first part begins, and how long each is, in nanoseconds.
    start: Option<i64>,
    length: i64,
    /// The period that is compared, in nanoseconds; none for the whole recording.
    period: [Option<i64>; 2],
    /// Whether all messages are counted, and not only selected ones.
    pub is_whole: bool,
}

/// The counts of a subject.
#[derive(Clone, Debug)]
pub struct TrafficRow {
    pub subject: Subject,
    /// Some of its nodes.
    pub nodes: Vec<NodeName<String>>,
    pub amount: Amount,
    /// The bytes of each part.
    parts: Vec<u64>,
}

/// How much is sent in a second by each client, and how uncertain that is.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct Rate {
    /// Messages, states or values.
    pub messages: f64,
    /// Bytes.
    pub bytes: f64,
    /// The standard error of the bytes, from how much they differ from part to part of the
    /// recording. None if there are too few parts.
    pub error: Option<f64>,
}

/// The length of a recording, and how many clients were connected on average.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct Extent {
    /// The time between the first packet and the last, in seconds; none if it is zero or unknown.
    pub seconds: Option<f64>,
    /// The sum of the times for which the connections of games were open, divided by that time. At
    /// least one, if there are connections.
    pub clients: f64,
    /// The connections of games.
    pub connections: u64,
    /// The packets of these connections.
    pub packets: u64,
    /// The bytes of these packets on the wire, headers included.
    pub wire_bytes: u64,
}

impl Default for RecordingCounts {
    fn default() -> RecordingCounts {
        RecordingCounts {
            items: HashMap::default(),
            places: HashMap::default(),
            rows: Vec::new(),
            further: Amount::default(),
            free: NAMES,
            start: None,
            length: SHORTEST,
            period: [None; 2],
            is_whole: true,
        }
    }
}

impl RecordingCounts {
    /// Counts a message.
    pub fn message(&mut self, message: &Message<'_>) {
        let part = message.place.time.map(|time| self.part(time.as_nanos()));
        let bytes = message.bytes.len();
        self.add(Subject::Total, bytes, part);
        self.add(Subject::Transport(message.origin.transport.name()), bytes, part);
        match &message.content {
            Content::Value(value) => self.add(Subject::Value(value.kind().name()), bytes, part),
            Content::Packet(packet) => {
                self.add(Subject::Command(packet.command()), bytes, part);
                each_item(packet, message.context(), bytes, &mut |item, bytes, _| {
                    self.item(&item, bytes, part);
                });
            }
            Content::Debugger(command) => {
                self.add(Subject::Command(DebuggerCommand::COMMAND), bytes, part);
                let (node, member) = (NodeName::Debugger, Member::Debugger(command.name));
                self.item(&Item { node, member }, bytes, part);
            }
        }
    }

    /// The part of a time. If there are too many parts, each becomes twice as long.
    fn part(&mut self, time: i64) -> usize {
        let since = time.saturating_sub(*self.start.get_or_insert(time)).max(0);
        while since / self.length >= PARTS as i64 {
            self.length = self.length.saturating_mul(2);
            for row in &mut self.rows {
                let pairs = row.parts.chunks(2);
                row.parts =
                    pairs.map(|pair| pair.iter().copied().fold(0, u64::saturating_add)).collect();
            }
        }
        usize::try_from(since / self.length).unwrap_or(0)
    }

    fn item(&mut self, item: &Item<&str>, bytes: usize, part: Option<usize>) {
        if let Some(row) = self.items.get(&Sought(item)).and_then(|at| self.rows.get_mut(*at)) {
            return row.add(bytes, part);
        }
        let mut names = 0_usize;
        item.map(|name| names = names.saturating_add(name.len()));
        let free = self.free.checked_sub(names).filter(|_| self.items.len() < ROWS);
        let Some(free) = free else { return self.further.add(bytes) };
        self.free = free;
        let node = match item.node {
            // Each peer assigns its own numbers, so they do not identify nodes.
            NodeName::Id(_) => NodeName::Id(0),
            NodeName::NetId(_) => NodeName::NetId(0),
            node => stem(node),
        };
        let own = Item { node: item.node, member: item.member }.map(|name| String::from(*name));
        let member = match own.member {
            // The place of a property may change if its name does not.
            Member::Property { state, name: name @ Some(_), .. } => {
                Member::Property { state, index: 0, name }
            }
            member => member,
        };
        let subject = match member {
            Member::Whole => Subject::Node(node),
            Member::Property { .. } => Subject::Property(node, member),
            _ => Subject::Method(node, member),
        };
        let at = self.row(subject);
        self.items.insert(item.map(|name| Box::from(*name)), at);
        if let Some(row) = self.rows.get_mut(at) {
            if row.nodes.len() < NODES && !row.nodes.contains(&own.node) {
                row.nodes.push(own.node);
            }
            row.add(bytes, part);
        }
    }

    fn add(&mut self, subject: Subject, bytes: usize, part: Option<usize>) {
        let at = self.row(subject);
        if let Some(row) = self.rows.get_mut(at) {
            row.add(bytes, part);
        }
    }

    /// The place of the row of a subject.
    fn row(&mut self, subject: Subject) -> usize {
        if let Some(at) = self.places.get(&subject) {
            return *at;
        }
        let at = self.rows.len();
        self.places.insert(subject.clone(), at);
        let (nodes, amount, parts) = (Vec::new(), Amount::default(), Vec::new());
        self.rows.push(TrafficRow { subject, nodes, amount, parts });
        at
    }

    /// Compares only a period of the recording, in nanoseconds: only its messages were taken.
    pub const fn limit_to(&mut self, period: [Option<i64>; 2]) {
        self.period = period;
    }

    /// How many messages were counted.
    pub fn messages(&self) -> u64 {
        let total = self.places.get(&Subject::Total).and_then(|at| self.rows.get(*at));
        total.map_or(0, |row| row.amount.count)
    }

    pub fn rows(&self) -> &[TrafficRow] {
        &self.rows
    }

    /// The length of the recording and its clients, from its connections.
    pub fn extent(&self, log: &MessageLog) -> Extent {
        let within = |(first, last): (i64, i64)| {
            let [from, to] = self.period;
            let last = last.min(to.unwrap_or(i64::MAX));
            last.saturating_sub(first.max(from.unwrap_or(i64::MIN))).max(0) as f64 / 1e9
        };
        let games = || log.connections.iter().filter(|it| it.transport.is_some());
        let open: f64 = games()
            .filter_map(|it| {
                let traffic = it.summary.traffic();
                Some(within((traffic.first?.as_nanos(), traffic.last?.as_nanos())))
            })
            .sum();
        let seconds = log.game_span().map(within).filter(|seconds| *seconds > 0.0);
        let connections = games().count() as u64;
        let average = seconds.map_or(0.0, |seconds| open / seconds);
        Extent {
            seconds,
            clients: if connections > 0 { average.max(1.0) } else { 0.0 },
            connections,
            packets: games().map(|it| it.summary.traffic().packets).fold(0, u64::saturating_add),
            wire_bytes: games()
                .flat_map(|it| it.summary.flow().directions().map(|(side, ..)| (it, side)))
                .filter_map(|(it, side)| it.summary.direction(side).wire)
                .fold(0, |sum, wire| sum.saturating_add(wire.bytes)),
        }
    }

    /// How much of a row is sent in a second by each client; none if the times are not known.
    pub fn rate(&self, row: Option<&TrafficRow>, extent: &Extent) -> Option<Rate> {
        let (amount, parts) = row.map_or((Amount::default(), &[][..]), |it| (it.amount, &it.parts));
        extent.rate(amount, parts.iter().copied(), self.length)
    }
}

impl Extent {
    /// The rate of something, and its standard error from the bytes in parts of the recording, each
    /// of some nanoseconds. None if the times are not known.
    fn rate(
        &self,
        amount: Amount,
        parts: impl Iterator<Item = u64>,
        nanoseconds: i64,
    ) -> Option<Rate> {
        let whole = self.seconds? * self.clients;
        let per = |count: u64| count as f64 / whole;
        let seconds = nanoseconds as f64 / 1e9;
        // The last part may not be whole.
        let count = (self.seconds? / seconds).floor();
        let (mut sum, mut squares) = (0.0, 0.0);
        for bytes in parts.take(count as usize) {
            let rate = bytes as f64 / (seconds * self.clients);
            sum += rate;
            squares += rate * rate;
        }
        let mean = sum / count;
        let variance = ((squares - count * mean * mean) / (count - 1.0)).max(0.0);
        // Even if the rate never changes, the recording may begin just before or after a message.
        let edge = per(amount.bytes) / amount.count.max(1) as f64;
        let error = (variance / count + edge * edge).sqrt();
        let error = (count >= LEAST_PARTS).then_some(error);
        Some(Rate { messages: per(amount.count), bytes: per(amount.bytes), error })
    }

    /// The packets of games and their rate, from the bytes of their frames over time.
    pub(super) fn wire(&self, series: Option<&Series>) -> (Amount, Option<Rate>) {
        let mut amount = Amount::default();
        let Some(series) = series else { return (amount, self.rate(amount, [].into_iter(), 1)) };
        let mut few = Series::new(series.length(), PARTS);
        few.merge(series);
        for (_, point) in few.iter() {
            amount.merge(Amount { count: point.count, bytes: point.sum });
        }
        let nanoseconds = i64::try_from(few.length().as_nanos()).unwrap_or(i64::MAX);
        let parts = few.iter().map(|(_, point)| point.sum);
        (amount, self.rate(amount, parts, nanoseconds))
    }
}

impl TrafficRow {
    fn add(&mut self, bytes: usize, part: Option<usize>) {
        self.amount.add(bytes);
        let Some(part) = part else { return };
        if self.parts.len() <= part {
            self.parts.resize(part.saturating_add(1), 0);
        }
        if let Some(sum) = self.parts.get_mut(part) {
            *sum = sum.saturating_add(bytes as u64);
        }
    }
}
