//! Live rates of a game's traffic: how many messages and bytes a second each method, property,
//! node, connection and command has, over the last minute. `gdwire top` shows them.
//!
//! [`Top`] takes the events of a [`Follower`](crate::follow::Follower) one by one. It has no clock:
//! [`Top::advance`] says what time it is, so a recording can be replayed at any speed.
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::top::{Top, TopBy, TopQuery};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! let mut top = Top::new();
//! while let Some(event) = messages.next_event() {
//!     top.event(&event);
//! }
//! let rows = top.rows(&TopQuery::new(TopBy::Method));
//! let busiest = rows.first().ok_or("no calls")?;
//! println!("{}: {} bytes in the last minute", busiest.name, busiest.last_minute().bytes);
//! # assert!(busiest.last_minute().count > 0 && busiest.samples().count() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`TopLimits`] bound the memory: if there are too many rows, the quietest are dropped, and
//! [`Top::dropped`] says how many.

mod links;
mod minute;
mod rows;
mod table;

pub use links::{Link, Occurrences};
pub use minute::Minute;
pub use rows::{TopBy, TopKey, TopQuery, TopRow, TopSort};
pub use table::{Dropped, Sample};

use crate::analysis::stats::{Amount, Item, Member, NodeName, Sought, each_item};
use crate::capture::follow::{Content, Event, Loss, Message, Summary};
use crate::format::text::Layout;
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::Packet;
use crate::net::packet::Time;
use core::time::Duration;
use links::is_of_network;
use table::{KeyTable, SeenPart, write_cut};

/// The name of the command of plain values.
const VALUE: &str = "value";

const SECOND: i64 = 1_000_000_000;

/// Counts the present traffic by method, property, node, connection and command.
#[derive(Clone, Debug)]
pub struct Top {
    /// The current second, since 1970; none before the first time.
    second: Option<i64>,
    /// How many messages were counted.
    messages: u64,
    minute: Minute,
    lost: Occurrences,
    resent: Occurrences,
    methods: KeyTable<Item<Box<str>>>,
    properties: KeyTable<Item<Box<str>>>,
    nodes: KeyTable<Item<Box<str>>>,
    /// By the number of their capture and their number in it.
    connections: KeyTable<(u64, u64)>,
    commands: KeyTable<&'static str>,
    capture: u64,
    /// The text of the message that is counted, kept for its memory.
    text: String,
}

impl Default for Top {
    fn default() -> Top {
        Top::new()
    }
}

impl Top {
    /// Empty counts with the default limits.
    #[must_use]
    pub fn new() -> Top {
        Top::with_limits(TopLimits::default())
    }

    /// Empty counts with limits of your own.
    #[must_use]
    pub fn with_limits(limits: TopLimits) -> Top {
        let limits = [limits.rows.max(1), limits.name_bytes, limits.samples.max(1)];
        Top {
            second: None,
            messages: 0,
            minute: Minute::default(),
            lost: Occurrences::default(),
            resent: Occurrences::default(),
            methods: KeyTable::new(limits),
            properties: KeyTable::new(limits),
            nodes: KeyTable::new(limits),
            connections: KeyTable::new(limits),
            commands: KeyTable::new(limits),
            capture: 0,
            text: String::new(),
        }
    }

    /// Counts an event.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(message) => self.message(message),
            Event::Lost(loss) => self.lost(loss),
            Event::Closed(summary) => self.measured(summary),
            _ => {}
        }
    }

    /// Lets time pass. The messages themselves do so, too, but not while there are none.
    ///
    /// A time that is more than a minute before the current one begins a new minute: the clock of
    /// the capture was set back, or it is another capture.
    pub fn advance(&mut self, now: Time) {
        let second = second_of(now);
        let is_back = |current: i64| second < current.saturating_sub(60);
        if self.second.is_none_or(|current| second > current || is_back(current)) {
            self.second = Some(second);
        }
    }

    /// The current second, since 1970; none before the first time. It is not over, so its counts are
    /// not complete.
    #[must_use]
    pub const fn second(&self) -> Option<i64> {
        self.second
    }

    /// The current second for something that was sent at a time.
    fn second_at(&mut self, time: Option<Time>) -> i64 {
        if let Some(second) = time.map(second_of) {
            let current = self.second.unwrap_or(second).max(second);
            self.second = Some(current);
            return second;
        }
        self.second.unwrap_or(0)
    }

    /// Begins another capture, whose connections are numbered from 1 again.
    pub const fn next_capture(&mut self) {
        self.capture = self.capture.saturating_add(1);
    }

    /// Counts a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.messages = self.messages.saturating_add(1);
        let second = self.second_at(message.place.time);
        let bytes = message.bytes.len();
        self.minute.add(second, Amount { count: 1, bytes: bytes as u64 });
        let mut text = core::mem::take(&mut self.text);
        text.clear();
        write_cut(&message.display(), &mut text);
        let whole = SeenPart { number: self.messages, message, second, bytes, text: &text };
        let command = message.content.command().unwrap_or(VALUE);
        self.commands.add(&command, 0, || command, whole);
        let connection = (self.capture, message.origin.connection);
        self.connections.add(&connection, 0, || connection, whole);
        if let Some(counted) = self.connections.get_mut(&connection) {
            let link = counted.link.get_or_insert_with(|| Box::new(Link::of(message)));
            link.client = message.origin.client.or(link.client);
        }
        match &message.content {
            Content::Packet(packet) => self.packet(packet, whole),
            Content::Debugger(DebuggerCommand { name, .. }) => {
                let item = Item { node: NodeName::Debugger, member: Member::Debugger(*name) };
                add(&mut self.methods, &item, whole);
            }
            Content::Value(_) => {}
        }
        self.text = text;
    }

    fn packet(&mut self, packet: &Packet<'_>, whole: SeenPart<'_>) {
        let Top { methods, properties, nodes, .. } = self;
        let message = whole.message;
        let len = message.bytes.len();
        each_item(packet, message.context(), len, &mut |item, bytes, value| {
            let part = SeenPart { bytes, ..whole };
            match item.member {
                Member::Whole => add(nodes, &item, part),
                Member::Property { .. } | Member::Set(_) => match value {
                    Some(value) => {
                        let text = &value.display(Layout::Line);
                        add(properties, &item, SeenPart { text, ..part });
                    }
                    None => add(properties, &item, part),
                },
                Member::Method(_) | Member::MethodNumber { .. } | Member::Debugger(_) => {
                    add(methods, &item, part);
                }
            }
        });
    }

    /// Counts a loss, if the network is its cause: messages that are only missing in the capture
    /// are not counted.
    pub fn lost(&mut self, loss: &Loss) {
        if !is_of_network(loss.cause.kind()) {
            return;
        }
        let second = self.second_at(loss.place.time);
        let count = loss.cause.count();
        self.lost.add(second, count);
        let Some(origin) = loss.origin else { return };
        if let Some(link) = self.link(origin.connection) {
            link.lost.add(second, count);
        }
    }

    /// Takes the measurements of a connection so far: see
    /// [`Follower::connections`](crate::follow::Follower::connections) and
    /// [`Options::with_measures`](crate::follow::Options::with_measures). Call it about once a
    /// second.
    pub fn measured(&mut self, summary: &Summary) {
        let second = self.second.unwrap_or(0);
        if let Some(link) = self.link(summary.connection()) {
            let resent = link.measure(summary, second);
            self.resent.add(second, resent);
        }
    }

    fn link(&mut self, connection: u64) -> Option<&mut Link> {
        let counted = self.connections.get_mut(&(self.capture, connection))?;
        counted.link.as_deref_mut()
    }

    /// How many messages were counted.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// All messages of the last minute.
    #[must_use]
    pub const fn minute(&self) -> &Minute {
        &self.minute
    }

    /// The messages that the network lost.
    #[must_use]
    pub const fn losses(&self) -> &Occurrences {
        &self.lost
    }

    /// The commands and segments that were sent again.
    #[must_use]
    pub const fn resent(&self) -> &Occurrences {
        &self.resent
    }

    /// The connections with messages that are open.
    pub fn open_links(&self) -> impl Iterator<Item = &Link> {
        let links = self.connections.iter().filter_map(|(_, counted)| counted.link.as_deref());
        links.filter(|link| !link.is_closed)
    }

    /// The shortest and the longest round trip of the open connections.
    #[must_use]
    pub fn round_trips(&self) -> Option<(Duration, Duration)> {
        let times = self.open_links().filter_map(|link| link.round_trip);
        times.fold(None, |all, time| {
            let (shortest, longest) = all.unwrap_or((time, time));
            Some((shortest.min(time), longest.max(time)))
        })
    }

    /// The rows that were dropped because there were too many.
    #[must_use]
    pub const fn dropped(&self, by: TopBy) -> Dropped {
        match by {
            TopBy::Method => self.methods.dropped,
            TopBy::Property => self.properties.dropped,
            TopBy::Node => self.nodes.dropped,
            TopBy::Connection => self.connections.dropped,
            TopBy::Command => self.commands.dropped,
        }
    }
}

/// Counts a part of a message.
fn add(table: &mut KeyTable<Item<Box<str>>>, item: &Item<&str>, part: SeenPart<'_>) {
    let mut names = 0_usize;
    item.map(|name| names = names.saturating_add(name.len()));
    table.add(&Sought(item), names, || item.map(|name| Box::from(*name)), part);
}

const fn second_of(time: Time) -> i64 {
    time.as_nanos().div_euclid(SECOND)
}

/// Limits on the memory of [`Top`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TopLimits {
    /// How many methods, properties, nodes and connections have counts of their own. Default: 4,096
    /// each. If there are more, the quietest quarter is dropped.
    pub rows: usize,
    /// How many bytes the names of methods, those of properties and those of nodes may take. Default:
    /// 2 MiB each.
    pub name_bytes: usize,
    /// How many of the last messages or values are kept for each row, as text of up to 160 bytes.
    /// Default: 16.
    pub samples: usize,
}

impl Default for TopLimits {
    fn default() -> TopLimits {
        TopLimits { rows: 4_096, name_bytes: 2 << 20, samples: 16 }
    }
}

impl TopLimits {
    /// Returns the limits with another value of [`rows`](TopLimits::rows).
    #[must_use]
    pub const fn with_rows(self, rows: usize) -> TopLimits {
        TopLimits { rows, ..self }
    }

    /// Returns the limits with another value of [`name_bytes`](TopLimits::name_bytes).
    #[must_use]
    pub const fn with_name_bytes(self, name_bytes: usize) -> TopLimits {
        TopLimits { name_bytes, ..self }
    }

    /// Returns the limits with another value of [`samples`](TopLimits::samples).
    #[must_use]
    pub const fn with_samples(self, samples: usize) -> TopLimits {
        TopLimits { samples, ..self }
    }
}
