//! Collects the data for plots of a capture, and writes them as an HTML page.
//!
//! A [`Report`] takes the events of one capture, as [`Stats`] and [`Diagnosis`] do. It keeps both,
//! and the changes over time, in bounded memory. A [`Page`] is one file of HTML with one or several
//! reports. It works offline: it loads nothing. A browser runs only the page's own scripts,
//! whatever names the capture contains.
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::follow::Options;
//! use gdwire::report::{Page, Report};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
//! let mut messages = Messages::with_options(&file, Options::new().with_measures())?;
//! let mut report = Report::new();
//! while let Some(event) = messages.next_event() {
//!     report.event(&event);
//! }
//! let mut page = Page::new(Vec::new())?;
//! page.add("game.pcapng", "game.pcapng", &report)?;
//! let html = page.finish()?;
//! assert!(html.len() < 1_000_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Plots
//!
//! The page draws with [uPlot](https://github.com/leeoniya/uPlot) 1.6.32, which is part of this
//! crate under its own licence, MIT. uPlot has 50 kB and no dependencies, has been maintained for
//! years, draws thousands of points without delay, and zooms by dragging. Larger libraries would
//! make every report several times as large.
//!
//! # Limits
//!
//! In addition to [`Stats`] and [`Diagnosis`], a report keeps 2,000 messages with 160 characters
//! each, 500 losses, 400 spawned nodes, and 48 connections with at most 256 intervals of time. 8 connections
//! are plotted separately, and the rest together. It keeps 2,000 changes of each of 256 numeric properties,
//! and the page has 10,000 of those of the 64 properties that changed most. 20 methods have a row of their
//! own in the plot of the calls. If a list is longer, the page says so.
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! measuring, also without a new major version.
//!
//! [`Stats`]: crate::stats::Stats
//! [`Diagnosis`]: crate::diagnose::Diagnosis

mod json;
mod kept;
mod methods;
mod numbers;
mod page;

pub use page::Page;

use super::diagnose::Diagnosis;
use super::stats::{Stats, StatsLimits};
use crate::capture::follow::{
    ConnectionNumbers, Content, Event, Loss, LossKind, Message, Other, Summary,
};
use crate::net::measure::Series;
use crate::net::packet::Time;
use crate::net::{INTERVAL, INTERVALS, over_time};
use kept::{FirstLosses, FirstMessages, MessageCommand, PlottedConnections, ROWS, Timeline};
use numbers::ChangingNumbers;
use std::collections::BTreeMap;

/// The content of a report: everything that it has collected about a capture so far.
///
/// Bytes over time, round trips and resends are only known if the follower
/// [measures](crate::follow::Options::with_measures) them.
#[derive(Debug)]
pub struct Report {
    counts: ReportCounts,
    connections: PlottedConnections,
    /// Messages that were sent, but not seen.
    missing: Series,
    timeline: Timeline,
    numbers: ChangingNumbers,
    rows: FirstMessages,
    losses: FirstLosses,
}

/// The part of a report that does not depend on the order of messages of different connections, so that
/// several threads can [count](Report::counts) it.
#[derive(Clone, Debug)]
pub struct ReportCounts {
    stats: Stats,
    diagnosis: Diagnosis,
    /// The bytes of the messages of each command. Plain values count as a command, too, and relays
    /// count by the packets in them.
    commands: BTreeMap<MessageCommand, Series>,
}

impl ReportCounts {
    fn new(diagnosis: Diagnosis) -> ReportCounts {
        let stats = Stats::with_limits(StatsLimits::default().with_intervals(INTERVALS))
            .with_intervals(INTERVAL);
        ReportCounts { stats, diagnosis, commands: BTreeMap::new() }
    }

    /// Empty counts for one of several followers that [share](crate::follow::Share) the capture.
    ///
    /// Pass them its messages, payloads and connections. Pass the losses and the connections of all
    /// followers to the report, in their [order](crate::follow::Order), and those messages that
    /// [`Report::is_in_order`] names, to [`Report::in_order`]. [Merge](ReportCounts::merge) the counts at
    /// the end.
    #[must_use]
    pub fn part(&self) -> ReportCounts {
        ReportCounts::new(self.diagnosis.part())
    }

    /// Adds what a [part](ReportCounts::part) has counted. `numbers` gives the connections the numbers
    /// that they have in this report. The result is that of one thread if it
    /// [is complete](ReportCounts::is_complete).
    pub fn merge(&mut self, part: ReportCounts, numbers: &ConnectionNumbers) {
        self.stats.merge(&part.stats, numbers);
        self.diagnosis.merge(part.diagnosis, numbers);
        for (command, series) in &part.commands {
            self.commands.entry(*command).or_insert_with(over_time).merge(series);
        }
    }

    /// Whether no limit was reached that depends on the order of events.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.stats.is_complete() && self.diagnosis.is_complete()
    }

    /// The counts of the traffic.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Takes a connection, or updates it.
    pub fn connection(&mut self, summary: &Summary) {
        self.stats.connection(summary);
        self.diagnosis.close(summary);
    }

    /// Takes a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.stats.message(message);
        self.diagnosis.message(message);
        if let Some(time) = message.place.time {
            let command = MessageCommand::of(&message.content);
            let series = self.commands.entry(command).or_insert_with(over_time);
            series.add(time.as_nanos(), message.bytes.len() as u64);
        }
    }

    /// Takes a message that was not selected. It is not counted, but the nodes that it spawns are
    /// remembered.
    pub fn note(&mut self, message: &Message<'_>) {
        self.diagnosis.note(message);
    }

    /// Takes a packet or message that was not read.
    pub fn other(&mut self, other: &Other<'_>) {
        self.stats.other(other);
        self.diagnosis.other(other);
    }
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
            counts: ReportCounts::new(Diagnosis::new()),
            connections: PlottedConnections::default(),
            missing: over_time(),
            timeline: Timeline::default(),
            numbers: ChangingNumbers::default(),
            rows: FirstMessages::default(),
            losses: FirstLosses::default(),
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
            Event::Damaged(_) => self.damaged(),
        }
    }

    /// Takes a connection, or updates it.
    pub fn connection(&mut self, summary: &Summary) {
        self.counts.stats.connection(summary);
        self.counts.diagnosis.connection(summary);
        if summary.closed().is_some() {
            self.connections.close(summary);
        }
    }

    /// Takes a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.counts.message(message);
        self.in_order(message, true);
    }

    /// Takes a message that was not selected. It is not counted, but the nodes that it spawns and the
    /// values that it has are remembered.
    pub fn note(&mut self, message: &Message<'_>) {
        self.counts.note(message);
        self.in_order(message, false);
    }

    /// Takes a message that was counted elsewhere, in the order of all messages. `is_selected` is whether
    /// it was selected.
    pub fn in_order(&mut self, message: &Message<'_>, is_selected: bool) {
        self.timeline.message(message);
        if is_selected {
            self.numbers.message(message);
            self.rows.message(message);
        } else {
            self.numbers.skip(message);
        }
    }

    /// Whether a report needs this message in the order of all messages, if it is one of a part's
    /// messages after `before` others.
    #[must_use]
    pub const fn is_in_order(message: &Message<'_>, before: u64) -> bool {
        // Packets have the values of nodes, and remove them.
        matches!(message.content, Content::Packet(_)) || before < ROWS as u64
    }

    /// The counts for which the order of messages does not matter: see [`ReportCounts::part`].
    #[must_use]
    pub const fn counts(&self) -> &ReportCounts {
        &self.counts
    }

    /// Replaces the counts that do not depend on the order of messages.
    pub fn set_counts(&mut self, counts: ReportCounts) {
        self.counts = counts;
    }

    /// Takes a packet or message that was not read.
    pub fn other(&mut self, other: &Other<'_>) {
        self.counts.other(other);
    }

    /// Takes a loss.
    pub fn lost(&mut self, loss: &Loss) {
        self.counts.stats.lost(loss);
        self.counts.diagnosis.lost(loss);
        self.losses.lost(loss);
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
        self.counts.stats.error("damaged file");
    }

    /// The counts.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.counts.stats
    }

    /// The findings.
    #[must_use]
    pub const fn diagnosis(&self) -> &Diagnosis {
        &self.counts.diagnosis
    }

    /// When the first packet was captured.
    fn start(&self) -> Option<Time> {
        let times = self.counts.stats.connections().filter_map(|it| it.summary().traffic().first);
        times.min_by_key(|time| time.as_nanos())
    }
}
