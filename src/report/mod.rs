//! Collects what plots of a capture need, and writes it as a page of HTML.
//!
//! A [`Report`] takes the events of one capture, as [`Stats`] and [`Diagnosis`] do. It keeps both,
//! and beside them what changes over time, in bounded memory. A [`Page`] is one file of HTML with
//! one or several reports. It works from disk: it loads nothing, and a browser runs nothing in it but its own
//! scripts, whatever the names in the capture are.
//!
//! ```
//! use gdwire::capture::{Messages, Options};
//! use gdwire::report::{Page, Report};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
//! let mut messages = Messages::with_options(&file, Options::new().measure())?;
//! let mut report = Report::new();
//! while let Some(event) = messages.next_event() {
//!     report.event(&event);
//! }
//! let mut page = Page::begin(Vec::new())?;
//! page.add("game.pcapng", "game.pcapng", &report)?;
//! let html = page.finish()?;
//! assert!(html.len() < 1_000_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Plots
//!
//! The page draws with [uPlot](https://github.com/leeoniya/uPlot) 1.6.32, which is part of this
//! crate under its own licence, MIT. uPlot is 50 kB, depends on nothing, has been kept for years,
//! draws thousands of points without delay, and zooms by dragging. Larger libraries would make every
//! report several times as large.
//!
//! # Limits
//!
//! Beside [`Stats`] and [`Diagnosis`], a report keeps 2,000 messages with 160 characters each, 400
//! spawned nodes, and 48 connections with at most 256 intervals of time. Of these, 8 are plotted by
//! themselves, and the rest together. Where a list is longer, the page says so.

mod connections;
mod grid;
mod json;
mod page;
mod rows;
mod timeline;

pub use page::Page;

use crate::debugger::Command;
use crate::diagnose::{self, Diagnosis, FindingKind};
use crate::follow::{Content, Event, Loss, Message, Other, Summary};
use crate::measure::Series;
use crate::net::over_time;
use crate::packet::Time;
use crate::stats::Stats;
use connections::Connections;
use rows::Rows;
use std::collections::BTreeMap;
use timeline::Timeline;

/// The content of a report: everything that was seen of a capture so far.
///
/// Bytes over time, round trips and resends are only known if the follower
/// [measures](crate::follow::Options::measure) them.
#[derive(Debug)]
pub struct Report {
    stats: Stats,
    diagnosis: Diagnosis,
    connections: Connections,
    /// The bytes of the messages of each command. Values are a command, too.
    commands: BTreeMap<&'static str, Series>,
    /// Messages that were sent, but not seen.
    missing: Series,
    timeline: Timeline,
    rows: Rows,
}

impl Default for Report {
    fn default() -> Report {
        Report::new()
    }
}

impl Report {
    /// A report of a capture of which nothing was seen yet.
    #[must_use]
    pub fn new() -> Report {
        Report {
            stats: Stats::new(),
            diagnosis: Diagnosis::new(),
            connections: Connections::default(),
            commands: BTreeMap::new(),
            missing: over_time(),
            timeline: Timeline::default(),
            rows: Rows::default(),
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

    /// Takes a connection, or what is new of it.
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

    /// Takes a message that was not selected. It is not counted, but the nodes that it spawns are known.
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
        self.stats.lost(&loss.cause);
        self.diagnosis.lost(loss);
        let missing = [FindingKind::ReliableMissing, FindingKind::UnreliableMissing];
        if let Some((kind, count)) = diagnose::lost(&loss.cause)
            && let Some(time) = loss.place.time
            && missing.contains(&kind)
        {
            self.missing.add(time.as_nanos(), count);
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

    /// What is wrong.
    #[must_use]
    pub const fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// When the first packet was captured.
    fn start(&self) -> Option<Time> {
        let times = self.stats.connections().filter_map(|it| it.summary().traffic().first);
        times.min_by_key(|time| time.as_nanos())
    }
}

/// The name of what a message carries.
fn command(content: &Content<'_>) -> &'static str {
    match content {
        Content::Packet(packet) => packet.command(),
        Content::Debugger(_) => Command::COMMAND,
        Content::Value(_) => "value",
    }
}
