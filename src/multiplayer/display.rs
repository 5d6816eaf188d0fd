//! Shows packets in one line, for people.

use super::arguments::Arguments;
use super::context::{Context, SynchronizerPath};
use super::packet::{
    Call, ConfirmPath, Method, Node, Packet, Relay, Set, Spawn, State, States, Synchronizer,
};
use crate::text::{self, Layout, OneLine};
use core::fmt::{self, Display, Formatter, Write};

/// How many raw bytes are shown.
const SHOWN_BYTES: usize = 32;

/// Shows a packet in one line: see [`Packet::display`].
#[derive(Clone, Copy, Debug)]
pub struct PacketLine<'a> {
    packet: Packet<'a>,
    context: Context<'a>,
}

impl<'a> Packet<'a> {
    /// The packet in one line, with the names of the context. Values are literals of their engine,
    /// and control characters in names are escaped.
    ///
    /// | packet | line |
    /// |---|---|
    /// | call | `Game/Chat.say("hi", true)` |
    /// | set | `Game/World.health = -38.5` |
    /// | node without a known path | `#3.say("hi")` |
    /// | method without a known name | `Game/Chat.#7("hi")`; from `rpc_config()`: `Game/Chat.own#0()` |
    /// | paths | `simplify path 1 = Game/Chat`, `confirm path Game/Chat` |
    /// | bytes | `raw 2 bytes 63f0`, `raw true` if they are a value, `auth 2 bytes 63f0` |
    /// | spawned nodes | `spawn mob_0 by Game/Spawner, net#1, synchronizers net#2, argument 64`, `despawn mob_0` |
    /// | states | `sync 5: Game/World [1.5, "clear"]; mob_0 [true]`, `delta: mob_0 {0: 100}` |
    /// | with a project | `spawn mob_0 by Game/Spawner, …, scene res://mob.tscn, state {hp: 100}`, `sync 6: Game/mob_0/Sync {position: Vector2( 1, 2 )}` |
    /// | relayed packet | `relay to all: …`, `relay to or from 123: …` |
    /// | peers | `peer added 123`, `peer removed 123` |
    #[must_use]
    pub const fn display(&self, context: Context<'a>) -> PacketLine<'a> {
        PacketLine { packet: *self, context }
    }
}

/// Like [`Packet::display`] without a context.
impl Display for Packet<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        line(self, Context::new(), f)
    }
}

/// The line, shortened if it is long.
impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        text::bounded(f, self)
    }
}

impl Display for PacketLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        line(&self.packet, self.context, f)
    }
}

fn line(packet: &Packet<'_>, context: Context<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    let Packet::Relay(relay) = packet else { return direct(packet, context, f) };
    match relay.peer() {
        0 => f.write_str("relay to all: ")?,
        peer @ 1.. => write!(f, "relay to or from {peer}: ")?,
        peer => write!(f, "relay to all but {}: ", peer.unsigned_abs())?,
    }
    direct(&relay.packet(), context.relayed(), f)
}

/// Shows a packet that is not a relay.
fn direct(packet: &Packet<'_>, context: Context<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    match packet {
        Packet::Call(Call { node, method, arguments }) => {
            let path = context.path(*node);
            show_node(path, *node, f)?;
            let method = context.method(*node, *method).map_or(*method, Method::Name);
            write!(f, ".{method}({arguments})")
        }
        Packet::Set(Set { node, property, value }) => {
            show_node(context.path(*node), *node, f)?;
            write!(f, ".{} = {value}", OneLine(property))
        }
        Packet::SimplifyPath(simplify) => {
            write!(f, "simplify path {} = {}", simplify.id, OneLine(simplify.path))
        }
        Packet::ConfirmPath(ConfirmPath { node, is_valid }) => {
            f.write_str("confirm path ")?;
            show_node(context.confirmed_path(*node), *node, f)?;
            f.write_str(if *is_valid == Some(false) { ", other methods" } else { "" })
        }
        Packet::Raw(raw) => match raw.as_value() {
            Some(value) => write!(f, "raw {}", value.display(Layout::Line)),
            None => show_bytes("raw", raw.bytes, f),
        },
        Packet::Auth(bytes) => show_bytes("auth", bytes, f),
        Packet::Spawn(spawn) => show_spawn(spawn, context, f),
        Packet::Despawn { net_id } => {
            f.write_str("despawn ")?;
            match context.node_of(*net_id) {
                Some(path) => OneLine(path).fmt(f),
                None => show_spawned(*net_id, context, f),
            }
        }
        Packet::Sync(sync) => {
            write!(f, "sync {}: ", sync.time)?;
            show_states(sync.states, context, f)
        }
        Packet::Delta(states) => {
            f.write_str("delta: ")?;
            show_states(*states, context, f)
        }
        Packet::PeerAdded { peer } => write!(f, "peer added {peer}"),
        Packet::PeerRemoved { peer } => write!(f, "peer removed {peer}"),
        Packet::Relay(Relay { peer, .. }) => write!(f, "relay {peer}"),
    }
}

/// Shows a method: its name, `#7` for a number, or `own#7` for a number from `rpc_config()`.
impl Display for Method<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Method::Name(name) => OneLine(name).fmt(f),
            Method::Number { index, is_own: false } => write!(f, "#{index}"),
            Method::Number { index, is_own: true } => write!(f, "own#{index}"),
        }
    }
}

fn show_node(path: Option<&str>, node: Node<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    match (path, node) {
        (Some(path), _) | (None, Node::Path(path)) => OneLine(path).fmt(f),
        (None, Node::Id(id)) => write!(f, "#{id}"),
    }
}

fn show_spawned(net_id: u32, context: Context<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    match context.spawned_name(net_id) {
        Some(name) => OneLine(name).fmt(f),
        None => write!(f, "net#{net_id}"),
    }
}

fn show_bytes(command: &str, bytes: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    let unit = crate::error::bytes(bytes.len());
    write!(f, "{command} {} {unit}", bytes.len())?;
    for (place, byte) in bytes.iter().take(SHOWN_BYTES).enumerate() {
        write!(f, "{}{byte:02x}", if place == 0 { " " } else { "" })?;
    }
    f.write_str(if bytes.len() > SHOWN_BYTES { "…" } else { "" })
}

fn show_spawn(spawn: &Spawn<'_>, context: Context<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "spawn {} by ", OneLine(spawn.name))?;
    let spawner = Node::Id(spawn.spawner);
    show_node(context.path(spawner), spawner, f)?;
    write!(f, ", net#{}", spawn.net_id)?;
    for (place, id) in spawn.synchronizers.iter().enumerate() {
        write!(f, "{}net#{id}", if place == 0 { ", synchronizers " } else { " " })?;
    }
    match (context.scene_path(spawn), spawn.scene) {
        (Some(path), _) => write!(f, ", scene {}", OneLine(path))?,
        (None, Some(scene)) => write!(f, ", scene {scene}")?,
        (None, None) => write!(f, ", argument {}", spawn.argument)?,
    }
    match context.spawn_properties(spawn) {
        _ if spawn.state.is_empty() => Ok(()),
        Some(names) => {
            f.write_str(", state ")?;
            show_properties(names.map(Property::Name), spawn.state, f)
        }
        None => write!(f, ", state [{}]", spawn.state),
    }
}

fn show_states(states: States<'_>, context: Context<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    for (place, state) in states.iter().enumerate() {
        let State { synchronizer, changed, values } = state;
        if place > 0 {
            f.write_str("; ")?;
        }
        match (context.synchronizer_path(synchronizer), synchronizer) {
            (Some(SynchronizerPath { node, below: "" }), _) => OneLine(node).fmt(f)?,
            (Some(SynchronizerPath { node, below }), _) => {
                write!(f, "{}/{}", OneLine(node), OneLine(below))?;
            }
            (None, Synchronizer::PathId(id)) => show_node(None, Node::Id(id), f)?,
            (None, Synchronizer::NetId(id)) => show_spawned(id, context, f)?,
        }
        f.write_char(' ')?;
        match (context.state_properties(&state), changed) {
            (Some(names), _) => show_properties(names.map(Property::Name), values, f)?,
            (None, Some(bits)) => show_properties(places(bits).map(Property::Place), values, f)?,
            (None, None) => write!(f, "[{values}]")?,
        }
    }
    Ok(())
}

/// A property: its name, or its place among the synchronizer's watched properties.
enum Property<'p> {
    Name(&'p str),
    Place(u32),
}

/// Shows values by their properties.
fn show_properties<'p>(
    mut properties: impl Iterator<Item = Property<'p>>,
    values: Arguments<'_>,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    f.write_char('{')?;
    for (number, value) in values.iter().enumerate() {
        f.write_str(if number == 0 { "" } else { ", " })?;
        match properties.next() {
            Some(Property::Name(name)) => write!(f, "{}: ", OneLine(name))?,
            Some(Property::Place(place)) => write!(f, "{place}: ")?,
            None => f.write_str("?: ")?,
        }
        value.display(Layout::Line).fmt(f)?;
    }
    f.write_char('}')
}

/// The indexes of the bits that are set, from the lowest.
pub(crate) fn places(bits: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |place| bits >> place & 1 == 1)
}
