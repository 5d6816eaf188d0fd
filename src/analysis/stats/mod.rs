//! Counts what games send: by connection, kind of value, command, node and method, and over time.
//!
//! [`Stats`] takes the events of a [`Follower`](crate::follow::Follower) one by one, in one pass.
//! [`StatsLimits`] bound its memory, so a server can count its own traffic for as long as it runs:
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::stats::Stats;
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! let mut stats = Stats::new();
//! while let Some(event) = messages.next_event() {
//!     stats.event(&event);
//! }
//! let busiest = stats.calls().max_by_key(|(_, usage)| usage.total.bytes);
//! let (item, usage) = busiest.ok_or("no calls")?;
//! println!("{}.{}: {} bytes", item.node, item.member, usage.total.bytes);
//! # assert!(usage.total.count > 0 && stats.messages().count > usage.total.count);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! measuring, also without a new major version.

mod connection;
mod groups;
mod intervals;
mod items;
mod json;

pub use connection::{Connection, Further, Measured};
pub use groups::Group;
pub(crate) use groups::{pattern_of, stem};
pub use intervals::{Interval, Intervals, MethodIntervals};
pub use items::{Item, Member, NodeName, StateKind};
pub(crate) use items::{Sought, each_item};
#[cfg(feature = "report")]
pub(crate) use json::write_amounts;

use crate::capture::follow::{
    ConnectionNumbers, Content, Event, Loss, Message, Other, Reason, Summary,
};
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::{Packet, PeerId};
use crate::net::measure::Histogram;
use crate::net::packet::Time;
use crate::value::{Engine, Error, Kind, VariantRef};
use crate::write::encode::encoded_len;
use connection::CountedConnections;
use core::time::Duration;
use items::{InScene, Items};
use std::collections::BTreeMap;

/// Counts of the traffic.
#[derive(Clone, Debug)]
pub struct Stats {
    messages: Amount,
    sizes: Histogram,
    connections: CountedConnections,
    kinds: BTreeMap<Kind, Amount>,
    engines: Engines,
    commands: BTreeMap<&'static str, Amount>,
    nodes: Items,
    calls: Items,
    properties: Items,
    scenes: SceneNames,
    errors: BTreeMap<&'static str, u64>,
    losses: BTreeMap<&'static str, u64>,
    intervals: Option<Intervals>,
    limits: StatsLimits,
}

/// The engines that wrote the values.
#[derive(Clone, Copy, Default, Debug)]
struct Engines {
    first: Option<Engine>,
    has_others: bool,
}

impl Engines {
    fn add(&mut self, engine: Engine) {
        self.has_others |= *self.first.get_or_insert(engine) != engine;
    }

    fn merge(&mut self, part: Engines) {
        self.has_others |= part.has_others;
        if let Some(engine) = part.first {
            self.add(engine);
        }
    }
}

impl Default for Stats {
    fn default() -> Stats {
        Stats::new()
    }
}

impl Stats {
    /// Empty counts with the default limits.
    #[must_use]
    pub fn new() -> Stats {
        Stats::with_limits(StatsLimits::default())
    }

    /// Empty counts with limits of your own.
    #[must_use]
    pub fn with_limits(limits: StatsLimits) -> Stats {
        Stats {
            messages: Amount::default(),
            sizes: Histogram::new(),
            connections: CountedConnections::default(),
            kinds: BTreeMap::new(),
            engines: Engines::default(),
            commands: BTreeMap::new(),
            nodes: Items::new(&limits),
            calls: Items::new(&limits),
            properties: Items::new(&limits),
            scenes: SceneNames::default(),
            errors: BTreeMap::new(),
            losses: BTreeMap::new(),
            intervals: None,
            limits,
        }
    }

    /// Also counts messages in intervals of a length.
    #[must_use]
    pub fn with_intervals(mut self, length: Duration) -> Stats {
        self.intervals = Some(Intervals::new(length, self.limits.intervals));
        self
    }

    /// Counts an event.
    pub fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Opened(summary) | Event::Recognized(summary) | Event::Closed(summary) => {
                self.connection(summary);
            }
            Event::Message(message) => self.message(message),
            Event::Other(other) => self.other(other),
            Event::Lost(loss) => self.lost(loss),
            Event::Damaged(_) => self.error("damaged file"),
        }
    }

    /// Counts a connection, or updates its counts.
    pub fn connection(&mut self, summary: &Summary) {
        self.connections.update(summary, self.limits.connections);
    }

    /// Begins another capture. Its connections are numbered from 1 again, but are counted
    /// separately from earlier ones.
    pub fn next_capture(&mut self) {
        self.connections.next_capture();
    }

    /// Counts a message.
    pub fn message(&mut self, message: &Message<'_>) {
        self.connections.message(message);
        self.engines.add(message.dialect.engine());
        let bytes = message.bytes.len();
        self.amount(message.place.time, bytes);
        match &message.content {
            Content::Value(value) => self.kinds.entry(value.kind()).or_default().add(bytes),
            Content::Packet(packet) => self.packet(packet, message),
            Content::Debugger(command) => self.debugger(command, message),
        }
    }

    /// Counts a value that is not from the network.
    pub fn value(&mut self, value: VariantRef<'_>) {
        let bytes = value.as_bytes().len();
        self.engines.add(value.dialect().engine());
        self.kinds.entry(value.kind()).or_default().add(bytes);
        self.amount(None, bytes);
    }

    /// Counts a packet or message that was not decoded, by its reason.
    pub fn other(&mut self, other: &Other<'_>) {
        if let Some(reason) = other.reason.name() {
            self.error(reason);
        }
    }

    /// Counts a loss, by what was lost and its time.
    pub fn lost(&mut self, loss: &Loss) {
        let (what, count) = (loss.cause.name(), loss.cause.count());
        add(&mut self.losses, what, count);
        if let Some(intervals) = &mut self.intervals {
            intervals.add_lost(loss.place.time, count);
        }
    }

    /// Counts bytes that are not a value and not from the network.
    pub fn no_value(&mut self, error: &Error) {
        if let Some(reason) = Reason::NoValue(*error).name() {
            self.error(reason);
        }
    }

    /// Counts something else that was not decoded, by its reason.
    pub fn error(&mut self, reason: &'static str) {
        add(&mut self.errors, reason, 1);
    }

    /// Adds the counts of a part of the same capture: those of one of several followers that
    /// [share](crate::follow::Share) it. `numbers` gives the connections the numbers that they have in
    /// these counts, which may have counted the connections themselves.
    ///
    /// The result is that of counting all events in order if it [is complete](Stats::is_complete).
    ///
    /// ```
    /// use gdwire::capture::Capture;
    /// use gdwire::follow::{Batch, ConnectionNumbers, Event, Follower, Options, Share};
    /// use gdwire::stats::Stats;
    /// use std::num::NonZero;
    /// use std::thread;
    ///
    /// # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-game-enet.pcapng"))?;
    /// /// The counts of a share, and the events that open its connections.
    /// fn count(file: &[u8], share: Share) -> (Stats, Batch) {
    ///     let (mut stats, mut opened) = (Stats::new(), Batch::new(1));
    ///     let mut follower = Follower::with_options(Options::new().with_share(share));
    ///     let mut capture = Capture::new(file).into_iter().flatten();
    ///     loop {
    ///         let packet = capture.next().and_then(Result::ok);
    ///         let mut events = match &packet {
    ///             Some(packet) => follower.packet(packet),
    ///             None => follower.finish(),
    ///         };
    ///         while let Some(event) = events.next() {
    ///             stats.event(&event);
    ///             if matches!(event, Event::Opened(_)) {
    ///                 events.keep(&mut opened);
    ///             }
    ///         }
    ///         if packet.is_none() {
    ///             return (stats, opened);
    ///         }
    ///     }
    /// }
    ///
    /// let parts: Vec<_> = thread::scope(|scope| {
    ///     let shares = Share::divide(NonZero::<usize>::MIN.saturating_add(1)).into_iter();
    ///     let threads: Vec<_> =
    ///         shares.map(|share| scope.spawn(|| count(&file, share))).collect();
    ///     threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    /// });
    /// let mut numbers = ConnectionNumbers::new();
    /// numbers.add(parts.iter().map(|(_, opened)| opened));
    /// let mut stats = Stats::new();
    /// parts.iter().for_each(|(part, _)| stats.merge(part, &numbers));
    /// assert!(stats.is_complete() && stats.messages().count > 100);
    /// assert_eq!(stats.connections().next().map(|it| it.summary().connection()), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn merge(&mut self, part: &Stats, numbers: &ConnectionNumbers) {
        let Stats { scenes, nodes, limits, .. } = self;
        let mut scene =
            |number| scenes.number(part.scenes.names.get(number).map_or("", AsRef::as_ref));
        nodes.merge(&part.nodes, &mut scene);
        self.calls.merge(&part.calls, &mut scene);
        self.properties.merge(&part.properties, scene);
        self.connections.merge(&part.connections, numbers, limits.connections);
        self.messages.merge(part.messages);
        self.sizes.merge(&part.sizes);
        self.engines.merge(part.engines);
        merge(&mut self.kinds, &part.kinds, |known, more| known.merge(*more));
        merge(&mut self.commands, &part.commands, |known, more| known.merge(*more));
        for (counts, more) in [(&mut self.errors, &part.errors), (&mut self.losses, &part.losses)] {
            merge(counts, more, |known, more| *known = known.saturating_add(*more));
        }
        if let Some((intervals, more)) = self.intervals.as_mut().zip(part.intervals.as_ref()) {
            intervals.merge(more);
        }
    }

    /// Whether everything has counts of its own, because no limit was reached.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let Amount { count, .. } =
            self.intervals.as_ref().map_or(Amount::default(), |it| it.further_methods());
        let items = [&self.nodes, &self.calls, &self.properties];
        count == 0
            && items.iter().all(|items| items.further.count == 0)
            && self.connections.further.connections == 0
    }

    fn amount(&mut self, time: Option<Time>, bytes: usize) {
        self.messages.add(bytes);
        self.sizes.add(bytes as u64);
        if let Some(intervals) = &mut self.intervals {
            intervals.add(time, bytes);
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, message: &Message<'_>) {
        let bytes = message.bytes.len();
        self.commands.entry(packet.command()).or_default().add(bytes);
        packet.each_argument(&mut |argument| {
            let len = encoded_len(argument.dialect(), &argument).unwrap_or(0);
            self.kinds.entry(argument.kind()).or_default().add(len);
        });
        let (source, context) = (message.peers.source, message.context());
        each_item(packet, context, bytes, &mut |item, bytes, _| {
            let items = match item.member {
                Member::Whole => {
                    let scenes = &mut self.scenes;
                    return self.nodes.add_with_scene(&item, bytes, source, || match item.node {
                        NodeName::Path(path) => {
                            let (scene, below, is_part) = context.place_in_scene(path)?;
                            let (scene, rest) = (scenes.number(scene.path), below.len());
                            Some(InScene { scene, rest, is_part })
                        }
                        _ => None,
                    });
                }
                Member::Property { .. } => &mut self.properties,
                Member::Method(_)
                | Member::MethodNumber { .. }
                | Member::Set(_)
                | Member::Debugger(_) => {
                    if let Some(intervals) = &mut self.intervals {
                        intervals.add_call(message.place.time, &item, bytes);
                    }
                    &mut self.calls
                }
            };
            items.add(&item, bytes, source);
        });
    }

    fn debugger(&mut self, command: &DebuggerCommand<'_>, message: &Message<'_>) {
        let bytes = message.bytes.len();
        self.commands.entry(DebuggerCommand::COMMAND).or_default().add(bytes);
        for argument in command.arguments {
            let len = encoded_len(argument.dialect(), &argument).unwrap_or(0);
            self.kinds.entry(argument.kind()).or_default().add(len);
        }
        let (node, member) = (NodeName::Debugger, Member::Debugger(command.name));
        let item = Item { node, member };
        if let Some(intervals) = &mut self.intervals {
            intervals.add_call(message.place.time, &item, bytes);
        }
        self.calls.add(&item, bytes, message.peers.source);
    }

    /// The time between the first packet and the last; none if it is zero or unknown.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        self.connections.duration()
    }

    /// All messages: values, packets of the multiplayer API, and messages of the remote debugger.
    #[must_use]
    pub const fn messages(&self) -> Amount {
        self.messages
    }

    /// The sizes of the messages, in bytes.
    #[must_use]
    pub const fn sizes(&self) -> &Histogram {
        &self.sizes
    }

    /// The connections, in the order of their numbers.
    pub fn connections(&self) -> impl ExactSizeIterator<Item = &Connection> {
        self.connections.iter()
    }

    /// The connections beyond [`StatsLimits::connections`].
    #[must_use]
    pub const fn further_connections(&self) -> Further {
        self.connections.further
    }

    /// The values and arguments by kind, with the bytes of their plain form.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = (Kind, Amount)> {
        self.kinds.iter().map(|(kind, amount)| (*kind, *amount))
    }

    /// The name of a kind for people: that of the engine that wrote all values, as in their text, or
    /// that of Godot 4 if several engines did.
    #[doc(hidden)]
    #[must_use]
    pub fn kind_name(&self, kind: Kind) -> &'static str {
        match self.engines {
            Engines { first: Some(engine), has_others: false } => kind.name_in(engine),
            _ => kind.name(),
        }
    }

    /// The packets of the multiplayer API by [command](Packet::command), with the bytes of their
    /// messages, and the messages of the remote debugger as [`debugger`](DebuggerCommand::COMMAND).
    pub fn commands(&self) -> impl ExactSizeIterator<Item = (&'static str, Amount)> {
        self.commands.iter().map(|(command, amount)| (*command, *amount))
    }

    /// The nodes, in no order, with the bytes of the messages that call or spawn them, and of their
    /// states in other messages.
    pub fn nodes(&self) -> impl Iterator<Item = (Item<&str>, Usage)> {
        self.nodes.iter()
    }

    /// The path of the scene that has a node, `res://…`, if a spawner or a script has added the scene.
    /// None if it is not known; it needs a [project](crate::multiplayer::Names).
    #[must_use]
    pub fn scene_of(&self, node: NodeName<&str>) -> Option<&str> {
        let place = self.in_scene(node).filter(|place| place.is_part)?;
        self.scenes.names.get(place.scene).map(|scene| &**scene)
    }

    /// The path of the innermost scene around a node that a spawner or a script has added, and the
    /// node's path below its root.
    fn place_of<'n>(&self, node: NodeName<&'n str>) -> Option<(&str, &'n str)> {
        let NodeName::Path(path) = node else { return None };
        let place = self.in_scene(node)?;
        let rest = path.get(path.len().checked_sub(place.rest)?..)?;
        Some((self.scenes.names.get(place.scene)?, rest))
    }

    fn in_scene(&self, node: NodeName<&str>) -> Option<InScene> {
        self.nodes.place(&Item { node, member: Member::Whole })
    }

    /// The nodes beyond [`StatsLimits::items`] or [`StatsLimits::name_bytes`].
    #[must_use]
    pub const fn further_nodes(&self) -> Amount {
        self.nodes.further
    }

    /// The called methods, the properties that `rset` sets and the commands of the remote debugger, in
    /// no order, with the bytes of their messages.
    pub fn calls(&self) -> impl Iterator<Item = (Item<&str>, Usage)> {
        self.calls.iter()
    }

    /// The calls beyond [`StatsLimits::items`] or [`StatsLimits::name_bytes`].
    #[must_use]
    pub const fn further_calls(&self) -> Amount {
        self.calls.further
    }

    /// The properties of spawns and synchronizers, in no order, with the bytes of their values.
    pub fn properties(&self) -> impl Iterator<Item = (Item<&str>, Usage)> {
        self.properties.iter()
    }

    /// The properties beyond [`StatsLimits::items`] or [`StatsLimits::name_bytes`].
    #[must_use]
    pub const fn further_properties(&self) -> Amount {
        self.properties.further
    }

    /// How often something was not decoded, by its reason.
    pub fn errors_by_reason(&self) -> impl ExactSizeIterator<Item = (&'static str, u64)> {
        self.errors.iter().map(|(reason, count)| (*reason, *count))
    }

    /// How often something was lost, by what it was.
    pub fn losses(&self) -> impl ExactSizeIterator<Item = (&'static str, u64)> {
        self.losses.iter().map(|(what, count)| (*what, *count))
    }

    /// The messages over time: see [`Stats::with_intervals`].
    #[must_use]
    pub const fn intervals(&self) -> Option<&Intervals> {
        self.intervals.as_ref()
    }
}

/// The paths of scenes, each stored once.
#[derive(Clone, Default, Debug)]
struct SceneNames {
    names: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, usize>,
}

impl SceneNames {
    fn number(&mut self, scene: &str) -> usize {
        match self.numbers.get(scene) {
            Some(number) => *number,
            None => {
                let number = self.names.len();
                self.names.push(scene.into());
                self.numbers.insert(scene.into(), number);
                number
            }
        }
    }
}

/// Adds the entries of a map to those of another.
fn merge<K: Ord + Copy, V: Default>(
    counts: &mut BTreeMap<K, V>,
    more: &BTreeMap<K, V>,
    add: impl Fn(&mut V, &V),
) {
    more.iter().for_each(|(key, more)| add(counts.entry(*key).or_default(), more));
}

fn add(counts: &mut BTreeMap<&'static str, u64>, name: &'static str, more: u64) {
    let count = counts.entry(name).or_default();
    *count = count.saturating_add(more);
}

/// Limits on the items that [`Stats`](Stats) counts separately. Items beyond a limit are counted
/// together, and reported as further items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StatsLimits {
    /// How many connections have counts of their own. Default: 131,072.
    pub connections: usize,
    /// How many nodes, how many methods and how many properties have counts of their own. Default:
    /// 65,536 each.
    pub items: usize,
    /// How many bytes the names of nodes, those of methods and those of properties may take.
    /// Default: 32 MiB each. A long path is sent only once, but each method of the node takes a
    /// copy.
    pub name_bytes: usize,
    /// How many intervals with messages are kept. Default: 100,000; a day has 86,400 seconds. If
    /// there are more, neighbouring intervals are merged in pairs.
    pub intervals: usize,
}

impl Default for StatsLimits {
    fn default() -> StatsLimits {
        StatsLimits {
            connections: 1 << 17,
            items: 1 << 16,
            name_bytes: 32 << 20,
            intervals: 100_000,
        }
    }
}

impl StatsLimits {
    /// Returns the limits with another value of [`connections`](StatsLimits::connections).
    #[must_use]
    pub const fn with_connections(self, connections: usize) -> StatsLimits {
        StatsLimits { connections, ..self }
    }

    /// Returns the limits with another value of [`items`](StatsLimits::items).
    #[must_use]
    pub const fn with_items(self, items: usize) -> StatsLimits {
        StatsLimits { items, ..self }
    }

    /// Returns the limits with another value of [`name_bytes`](StatsLimits::name_bytes).
    #[must_use]
    pub const fn with_name_bytes(self, name_bytes: usize) -> StatsLimits {
        StatsLimits { name_bytes, ..self }
    }

    /// Returns the limits with another value of [`intervals`](StatsLimits::intervals).
    #[must_use]
    pub const fn with_intervals(self, intervals: usize) -> StatsLimits {
        StatsLimits { intervals, ..self }
    }
}

/// A count of things, and of their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Amount {
    /// How many things.
    pub count: u64,
    /// How many bytes they have together.
    pub bytes: u64,
}

impl Amount {
    /// Adds one thing.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.merge(Amount { count: 1, bytes: bytes as u64 });
    }

    /// Adds other things.
    pub fn merge(&mut self, other: Amount) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// How often something was sent, how many bytes it had, and which side sent it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Usage {
    /// All of it.
    pub total: Amount,
    /// The part that the server sent, which is peer 1.
    pub from_server: Amount,
    /// The part that clients sent. The rest of the total is from peers that the capture does not
    /// name.
    pub from_clients: Amount,
}

impl Usage {
    /// Adds other things.
    pub fn merge(&mut self, other: Usage) {
        self.total.merge(other.total);
        self.from_server.merge(other.from_server);
        self.from_clients.merge(other.from_clients);
    }

    /// Adds a thing that a multiplayer peer sent.
    pub(crate) fn add(&mut self, bytes: usize, source: Option<PeerId>) {
        self.total.add(bytes);
        match source {
            Some(PeerId::SERVER) => self.from_server.add(bytes),
            Some(_) => self.from_clients.add(bytes),
            None => {}
        }
    }
}
