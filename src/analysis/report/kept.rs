//! The parts of a capture that a report keeps: the connections with the most traffic, the first
//! messages and losses, and when nodes were spawned.

use crate::analysis::stats::NodeName;
use crate::capture::follow::{Content, Loss, Message, Origin, Place, Summary};
use crate::format::text::cut;
use crate::game::multiplayer::{Packet, PeerId, Spawn};
use crate::net::measure::Series;
use crate::net::{Side, over_time};
use core::fmt;
use std::collections::HashMap;

/// How many connections are kept, and how many of them are plotted separately.
const KEPT: usize = 48;
pub const PLOTTED: usize = 8;

/// Closed connections. Those of games come first, then those with the most bytes.
#[derive(Debug)]
pub struct PlottedConnections {
    kept: Vec<PlottedConnection>,
    /// The packets of the connections that are not kept, over time.
    packets: Series,
    /// The packets and commands that were sent again, in all connections.
    pub resent: Series,
}

#[derive(Debug)]
pub struct PlottedConnection {
    /// The number of the connection.
    pub number: u64,
    is_game: bool,
    bytes: u64,
    directions: [OverTime; 2],
}

/// The traffic that one end has sent, over time.
#[derive(Debug)]
pub struct OverTime {
    pub packets: Series,
    /// The times of round trips, in microseconds.
    pub round_trips: Series,
}

impl Default for PlottedConnections {
    fn default() -> PlottedConnections {
        PlottedConnections { kept: Vec::new(), packets: over_time(), resent: over_time() }
    }
}

impl PlottedConnections {
    /// Takes a connection that is closed.
    pub fn close(&mut self, summary: &Summary) {
        let directions = [Side::First, Side::Second].map(|side| {
            let measures = summary.direction(side).measures();
            if let Some(measures) = measures {
                self.resent.merge(&measures.resent_over_time);
            }
            OverTime {
                packets: measures.map_or_else(over_time, |it| it.packets_over_time.clone()),
                round_trips: measures.map_or_else(over_time, |it| it.round_trips.over_time.clone()),
            }
        });
        let (number, is_game) = (summary.connection(), summary.transport().is_some());
        let kept =
            PlottedConnection { number, is_game, bytes: summary.traffic().bytes, directions };
        let at = self.kept.partition_point(|other| other.rank() >= kept.rank());
        self.kept.insert(at, kept);
        if self.kept.len() > KEPT
            && let Some(last) = self.kept.pop()
        {
            last.directions.iter().for_each(|it| self.packets.merge(&it.packets));
        }
    }

    pub fn plotted(&self) -> impl Iterator<Item = &PlottedConnection> + Clone {
        self.kept.iter().take(PLOTTED)
    }

    pub fn kept(&self) -> &[PlottedConnection] {
        &self.kept
    }

    /// The packets of the connections that are not plotted separately.
    pub fn others(&self) -> Series {
        let mut packets = self.packets.clone();
        let others = self.kept.iter().skip(PLOTTED).flat_map(|it| &it.directions);
        others.for_each(|it| packets.merge(&it.packets));
        packets
    }
}

impl PlottedConnection {
    const fn rank(&self) -> (bool, u64) {
        (self.is_game, self.bytes)
    }

    pub const fn directions(&self) -> &[OverTime; 2] {
        &self.directions
    }

    pub const fn direction(&self, from: Side) -> &OverTime {
        let [first, second] = &self.directions;
        from.of(first, second)
    }
}

/// How many messages are kept, and how many characters of each.
pub const ROWS: usize = 2_000;
pub const CHARACTERS: usize = 160;

/// The command of a message, and that of the packet in it if it is a relay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessageCommand {
    outer: &'static str,
    inner: Option<&'static str>,
}

impl MessageCommand {
    pub fn of(content: &Content<'_>) -> MessageCommand {
        let outer = content.command().unwrap_or("value");
        let inner = match content {
            Content::Packet(Packet::Relay(relay)) => Some(relay.packet().command()),
            _ => None,
        };
        MessageCommand { outer, inner }
    }
}

impl fmt::Display for MessageCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.outer)?;
        self.inner.map_or(Ok(()), |inner| write!(f, ": {inner}"))
    }
}

/// How many losses are kept.
const LOSSES: usize = 500;

#[derive(Default, Debug)]
pub struct FirstLosses {
    pub rows: Vec<Loss>,
    /// How many more losses there are.
    pub further: u64,
}

impl FirstLosses {
    pub fn lost(&mut self, loss: &Loss) {
        if self.rows.len() < LOSSES {
            self.rows.push(*loss);
        } else {
            self.further += 1;
        }
    }
}

#[derive(Default, Debug)]
pub struct FirstMessages {
    pub rows: Vec<ListedMessage>,
}

#[derive(Debug)]
pub struct ListedMessage {
    pub place: Place,
    pub origin: Origin,
    pub command: MessageCommand,
    pub bytes: usize,
    pub text: String,
}

impl FirstMessages {
    pub fn message(&mut self, message: &Message<'_>) {
        if self.rows.len() >= ROWS {
            return;
        }
        let mut text = String::new();
        let shown = cut(&mut text, CHARACTERS, &message.display());
        debug_assert!(shown.is_ok(), "a string takes everything");
        let (place, origin) = (message.place, message.origin);
        let (command, bytes) = (MessageCommand::of(&message.content), message.bytes.len());
        self.rows.push(ListedMessage { place, origin, command, bytes, text });
    }
}

/// How many nodes are kept, and how many characters of their names.
const LIVES: usize = 400;

#[derive(Default, Debug)]
pub struct Timeline {
    pub lives: Vec<Life>,
    /// How many more nodes were spawned.
    pub further: u64,
    /// The indexes in `lives` of the nodes that have not been despawned.
    open: HashMap<Id, usize>,
}

/// The time from the spawn of a node to its despawn, at one receiver.
#[derive(Debug)]
pub struct Life {
    pub connection: u64,
    pub node: String,
    /// The spawn, and the despawn if it was seen.
    pub start: Place,
    pub end: Option<Place>,
}

/// The identity of a spawned node: its connection, the end and the peer that spawned it, and its
/// net id.
type Id = (u64, Side, Option<PeerId>, u32);

impl Timeline {
    pub fn message(&mut self, message: &Message<'_>) {
        let origin = message.origin;
        let id = |net_id| (origin.connection, origin.from, message.peers.source, net_id);
        match &message.content {
            Content::Packet(Packet::Spawn(spawn)) => self.spawn(id(spawn.net_id), spawn, message),
            Content::Packet(Packet::Despawn { net_id }) => self.end(&id(*net_id), message.place),
            _ => {}
        }
    }

    fn spawn(&mut self, id: Id, spawn: &Spawn<'_>, message: &Message<'_>) {
        self.end(&id, message.place);
        if self.lives.len() >= LIVES {
            self.further += 1;
            return;
        }
        let context = message.context();
        let path = context.spawned_path(spawn);
        let name = NodeName::of_spawn(spawn, path.as_deref(), context);
        let mut node = String::new();
        let shown = cut(&mut node, CHARACTERS, &name);
        debug_assert!(shown.is_ok(), "a string takes everything");
        self.open.insert(id, self.lives.len());
        self.lives.push(Life { connection: id.0, node, start: message.place, end: None });
    }

    fn end(&mut self, id: &Id, place: Place) {
        if let Some(life) = self.open.remove(id).and_then(|at| self.lives.get_mut(at)) {
            life.end = Some(place);
        }
    }
}
