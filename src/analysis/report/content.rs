//! The content of a report about one capture.

use super::connections::PlottedConnections;
use super::rows::{FirstMessages, command};
use super::timeline::Timeline;
use crate::analysis::diagnose::Diagnosis;
use crate::analysis::stats::Stats;
use crate::capture::follow::{Event, Loss, LossKind, Message, Other, Summary};
use crate::net::measure::Series;
use crate::net::over_time;
use crate::net::packet::Time;
use std::collections::BTreeMap;

/// The content of a report: everything that it has collected about a capture so far.
///
/// Bytes over time, round trips and resends are only known if the follower
/// [measures](crate::follow::Options::with_measures) them.
#[derive(Debug)]
pub struct Report {
    pub(super) stats: Stats,
    pub(super) diagnosis: Diagnosis,
    pub(super) connections: PlottedConnections,
    /// The bytes of the messages of each command. Plain values count as a command, too.
    pub(super) commands: BTreeMap<&'static str, Series>,
    /// Messages that were sent, but not seen.
    pub(super) missing: Series,
    pub(super) timeline: Timeline,
    pub(super) rows: FirstMessages,
}

impl Default for Report {
    fn default() -> Report {
        Report::new()
    }
}

impl Report {
    /// An empty report, before the first event of a capture.
    #[must_use]
    pub fn new() -> Report {
        Report {
            stats: Stats::new(),
            diagnosis: Diagnosis::new(),
            connections: PlottedConnections::default(),
            commands: BTreeMap::new(),
            missing: over_time(),
            timeline: Timeline::default(),
            rows: FirstMessages::default(),
        }
    }

    /// Takes an event.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Opened(summary) | Event::Recognized(summary) | Event::Closed(summary) => {
                self.connection(summary);
            }
            Event::Message(message) => self.message(message),
            Event::Other(other) => self.other(other),
            Event::Lost(loss) => self.lost(loss),
            Event::Damaged(_) => self.stats.event(event),
        }
    }

    /// Takes a connection, or updates it.
    pub fn connection(&mut self, summary: &Summary) {
        self.stats.connection(summary);
        self.diagnosis.connection(summary);
        if summary.closed().is_some() {
            self.connections.close(summary);
        }
    }

    /// Takes a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.stats.message(message);
        self.diagnosis.message(message);
        self.timeline.message(message);
        self.rows.message(message);
        if let Some(time) = message.place.time {
            let series = self.commands.entry(command(&message.content)).or_insert_with(over_time);
            series.add(time.as_nanos(), message.bytes.len() as u64);
        }
    }

    /// Takes a message that was not selected. It is not counted, but the nodes that it spawns are
    /// remembered.
    pub fn note(&mut self, message: &Message<'_>) {
        self.diagnosis.note(message);
        self.timeline.message(message);
    }

    /// Takes a packet or message that was not read.
    pub fn other(&mut self, other: &Other<'_>) {
        self.stats.other(other);
        self.diagnosis.other(other);
    }

    /// Takes a loss.
    pub fn lost(&mut self, loss: &Loss) {
        self.stats.lost(loss);
        self.diagnosis.lost(loss);
        let is_missing = matches!(
            loss.cause.kind(),
            LossKind::Reliable
                | LossKind::Undelivered
                | LossKind::Unreliable
                | LossKind::UnreliablePart
        );
        if let Some(time) = loss.place.time.filter(|_| is_missing) {
            self.missing.add(time.as_nanos(), loss.cause.count());
        }
    }

    /// Notes that a file is damaged.
    pub fn damaged(&mut self) {
        self.stats.error("damaged file");
    }

    /// The counts.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The findings.
    #[must_use]
    pub const fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// When the first packet was captured.
    pub(super) fn start(&self) -> Option<Time> {
        let times = self.stats.connections().filter_map(|it| it.summary().traffic().first);
        times.min_by_key(|time| time.as_nanos())
    }
}
