//! Compares two builds by what they send: what is new, gone, more or less.

use super::Which;
use super::log::MessageLog;
use super::traffic::{Extent, Rate, RecordingCounts, Subject, TrafficRow};
use crate::analysis::stats::{Amount, Member, NodeName, pattern_of};
use core::fmt::Display;
use std::collections::{BTreeMap, BTreeSet};

/// A difference of this many standard errors is more than noise.
pub const ERRORS: f64 = 3.0;

/// Two builds of a game, compared by the bytes and messages that they send per second and client.
#[derive(Clone, Debug)]
pub struct Changes {
    rows: Vec<Change>,
    extents: [Extent; 2],
    further: [Amount; 2],
}

/// The rates of a subject, before and after.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The subject.
    pub subject: Subject,
    /// Its name: of a node or several alike, a transport, a command or a kind of value.
    pub name: String,
    /// How much was sent in both recordings.
    pub amounts: [Amount; 2],
    /// The rates; none if the recordings have no times.
    pub rates: [Option<Rate>; 2],
}

impl Changes {
    /// Compares two recordings.
    pub(super) fn compare(traffics: [&RecordingCounts; 2], logs: [&MessageLog; 2]) -> Changes {
        let [before, after] = traffics;
        let extents = [before.extent(logs[0]), after.extent(logs[1])];
        let mut by_subject: BTreeMap<&Subject, [Option<&TrafficRow>; 2]> = BTreeMap::new();
        for (which, traffic) in Which::BOTH.into_iter().zip(traffics) {
            for row in traffic.rows() {
                *which.of_mut(by_subject.entry(&row.subject).or_default()) = Some(row);
            }
        }
        let mut rows: Vec<_> = by_subject
            .into_iter()
            .map(|(subject, rows)| {
                let nodes = rows.iter().flatten().flat_map(|row| &row.nodes);
                let amount =
                    |row: Option<&TrafficRow>| row.map_or(Amount::default(), |it| it.amount);
                let [one, two] = rows;
                Change {
                    subject: subject.clone(),
                    name: name(subject, nodes),
                    amounts: [amount(one), amount(two)],
                    rates: [before.rate(one, &extents[0]), after.rate(two, &extents[1])],
                }
            })
            .collect();
        // A selection does not apply to packets.
        if before.is_whole && after.is_whole {
            let transports = logs.iter().flat_map(|log| log.wire.keys()).collect::<BTreeSet<_>>();
            rows.extend(transports.into_iter().map(|transport| {
                let [one, two] = [(logs[0], &extents[0]), (logs[1], &extents[1])]
                    .map(|(log, extent)| extent.wire(log.wire.get(transport)));
                Change {
                    subject: Subject::Wire(transport.name()),
                    name: transport.name().to_owned(),
                    amounts: [one.0, two.0],
                    rates: [one.1, two.1],
                }
            }));
        }
        rows.sort_by(|one, other| {
            let rank = (one.level(), other.level());
            rank.0.cmp(&rank.1).then(other.size().total_cmp(&one.size()))
        });
        Changes { rows, extents, further: traffics.map(|traffic| traffic.further) }
    }

    /// A subject of the comparison: packets, all messages, transports, commands, kinds of values, nodes, and
    /// their methods and properties together; of each of these, first what changed most.
    #[must_use]
    pub fn rows(&self) -> &[Change] {
        &self.rows
    }

    /// The rows in groups, by the kind of thing that they compare, each in the order of
    /// [`Changes::rows`].
    pub fn groups(&self) -> impl Iterator<Item = &[Change]> {
        self.rows.chunk_by(|one, other| one.level() == other.level())
    }

    /// The length and the clients of a recording.
    #[must_use]
    pub fn extent(&self, which: Which) -> Extent {
        which.of(self.extents)
    }

    /// The traffic that was not counted separately, in a recording with more than 65,536 nodes,
    /// methods and properties.
    #[must_use]
    pub fn further(&self, which: Which) -> Amount {
        which.of(self.further)
    }
}

impl Change {
    /// The change of the rate, in bytes per second and client; none if the recordings have no times.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        let [before, after] = self.rates;
        Some(after?.bytes - before?.bytes)
    }

    /// Whether only the second recording has it.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.amounts[0].count == 0
    }

    /// Whether only the first recording has it.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        self.amounts[1].count == 0
    }

    /// Whether the rates differ by more than three standard errors of their difference. The errors
    /// come from how much the rates of 16 to 32 equal parts of each recording differ. None if the
    /// recordings are too short for that, or have no times.
    #[must_use]
    pub fn is_beyond_noise(&self) -> Option<bool> {
        Some(self.difference()?.abs() > ERRORS * self.error()?)
    }

    /// The standard error of the difference, in bytes per second and client.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let [before, after] = self.rates;
        Some(before?.error?.hypot(after?.error?))
    }

    /// The kind of the subject, such as `method`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.subject {
            Subject::Total => "total",
            Subject::Wire(_) => "wire",
            Subject::Transport(_) => "transport",
            Subject::Command(_) => "command",
            Subject::Value(_) => "value",
            Subject::Node(_) => "node",
            Subject::Method(..) => "method",
            Subject::Property(..) => "property",
        }
    }

    /// The method or property, and the command of the packets that have it.
    #[must_use]
    pub fn member(&self) -> Option<(String, &'static str)> {
        match &self.subject {
            Subject::Method(_, member) | Subject::Property(_, member) => {
                let name = shown_member(member);
                Some((name, member.command().unwrap_or("call")))
            }
            _ => None,
        }
    }

    const fn level(&self) -> u8 {
        match self.subject {
            Subject::Wire(_) => 0,
            Subject::Total => 1,
            Subject::Transport(_) => 2,
            Subject::Command(_) => 3,
            Subject::Value(_) => 4,
            Subject::Node(_) => 5,
            Subject::Method(..) | Subject::Property(..) => 6,
        }
    }

    /// How much it changed: by its rate, or without times by its bytes.
    fn size(&self) -> f64 {
        let [before, after] = self.amounts;
        self.difference().map_or(before.bytes.abs_diff(after.bytes) as f64, f64::abs)
    }
}

fn shown_member(member: &Member<String>) -> String {
    let node = NodeName::Debugger;
    let item = crate::analysis::stats::Item { node, member: member.clone() };
    item.map(String::as_str).member.to_string()
}

/// The name of a subject with some of its nodes.
fn name<'n>(subject: &Subject, nodes: impl Iterator<Item = &'n NodeName<String>>) -> String {
    let shown = |name: &dyn Display| name.to_string();
    match subject {
        Subject::Total => "all messages".to_owned(),
        Subject::Wire(name)
        | Subject::Transport(name)
        | Subject::Command(name)
        | Subject::Value(name) => shown(name),
        Subject::Node(node) | Subject::Method(node, _) | Subject::Property(node, _) => match node {
            NodeName::Id(_) => "nodes known by id only".to_owned(),
            NodeName::NetId(_) => "nodes spawned earlier".to_owned(),
            _ => {
                let mut nodes: Vec<_> = nodes.map(borrowed).collect();
                nodes.sort_unstable();
                nodes.dedup();
                pattern_of(&nodes)
            }
        },
    }
}

fn borrowed(node: &NodeName<String>) -> NodeName<&str> {
    match node {
        NodeName::Path(path) => NodeName::Path(path),
        NodeName::Spawned { name, spawner } => {
            NodeName::Spawned { name, spawner: spawner.as_deref() }
        }
        NodeName::Id(id) => NodeName::Id(*id),
        NodeName::NetId(id) => NodeName::NetId(*id),
        NodeName::Debugger => NodeName::Debugger,
    }
}
