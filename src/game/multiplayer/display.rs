//! Shows packets in one line, for people.

use super::arguments::{Argument, Arguments, Form};
use super::context::{Context, KnownScene, SynchronizerPath};
use super::packet::{
    Call, ConfirmPath, Method, Node, Packet, Relay, Set, Spawn, State, States, Synchronizer,
};
use crate::format::text::pieces::{InPieces, Role, TextPieces};
use crate::format::text::{self, OneLine, Show};
use crate::net::peer::PeerId;
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
    /// | the same, if only one script of a project fits all its calls | `#3 (chat.gd).say("hi")` |
    /// | method without a known name | `Game/Chat.#7("hi")`; from `rpc_config()`: `Game/Chat.own#0()` |
    /// | paths | `simplify path 1 = Game/Chat`, `confirm path Game/Chat` |
    /// | bytes | `raw 2 bytes 63f0`, `raw true` if they are a value, `auth 2 bytes 63f0` |
    /// | spawned nodes | `spawn mob_0 by Game/Spawner, net#1, synchronizers net#2, argument 64`, `despawn mob_0` |
    /// | states | `sync 5: Game/World [1.5, "clear"]; mob_0 [true]`, `delta: mob_0 {0: 100}` |
    /// | with a project | `spawn mob_0 by Game/Spawner, …, scene res://mob.tscn, state {hp: 100}`, `sync 6: Game/mob_0/Sync {position: Vector2( 1, 2 )}` |
    /// | property that several possible scenes call differently | `sync 6: Game/mob_0/Sync {position: Vector2( 1, 2 ), #1: 100}`: its place, from 0 |
    /// | relayed packet | `relay to all: …`, `relay to or from 123: …`; for Godot 3, only with the context of a message in a capture |
    /// | peers | `peer added 123`, `peer removed 123` |
    #[must_use]
    pub const fn display(&self, context: Context<'a>) -> PacketLine<'a> {
        PacketLine { packet: *self, context }
    }
}

/// Shows a packet to people: see [`Packet::show`].
#[derive(Clone, Copy, Debug)]
pub struct ShownPacket<'a, 'p> {
    line: PacketLine<'a>,
    show: Show<'p>,
}

impl<'a> Packet<'a> {
    /// The packet as [`Packet::display`] shows it, in colours, fitted to a width, or over several
    /// lines.
    #[must_use]
    pub const fn show<'p>(&self, context: Context<'a>, show: Show<'p>) -> ShownPacket<'a, 'p> {
        ShownPacket { line: self.display(context), show }
    }
}

impl Display for ShownPacket<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.show.write(&self.line, f)
    }
}

/// Like [`Packet::display`] without a context.
impl Display for Packet<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.display(Context::new()).fmt(f)
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
        Show::new().write(self, f)
    }
}

impl InPieces for PacketLine<'_> {
    fn pieces(&self, to: &mut impl TextPieces) -> fmt::Result {
        if let Packet::Relay(relay) = &self.packet {
            relay_pieces(relay.peer(), to)?;
            return direct(&relay.packet(), self.context.relayed(), to);
        }
        if let Some(peer) = self.context.relay {
            relay_pieces(peer, to)?;
        }
        direct(&self.packet, self.context, to)
    }
}

fn relay_pieces(peer: PeerId, to: &mut impl TextPieces) -> fmt::Result {
    match peer.get() {
        0 => to.word(Role::Command, "relay to all")?,
        peer @ 1.. => to.word(Role::Command, format_args!("relay to or from {peer}"))?,
        peer => {
            let but = peer.unsigned_abs();
            to.word(Role::Command, format_args!("relay to all but {but}"))?;
        }
    }
    to.word(Role::Plain, ": ")
}

/// Passes on the pieces of a packet that is not a relay.
fn direct(packet: &Packet<'_>, context: Context<'_>, to: &mut impl TextPieces) -> fmt::Result {
    match packet {
        Packet::Call(Call { node, method, arguments, .. }) => {
            node_pieces(context.path(*node), *node, to)?;
            script_pieces(context.script(*node), to)?;
            to.word(Role::Plain, '.')?;
            match context.method(*node, *method).map_or(*method, Method::Name) {
                Method::Name(name) => to.name(Role::Method, name)?,
                number => to.word(Role::Method, number)?,
            }
            values(["(", ")"], *arguments, to)
        }
        Packet::Set(Set { node, property, value }) => {
            node_pieces(context.path(*node), *node, to)?;
            to.word(Role::Plain, '.')?;
            to.name(Role::Key, property)?;
            to.word(Role::Plain, " = ")?;
            values(["", ""], *value, to)
        }
        Packet::SimplifyPath(simplify) => {
            to.word(Role::Command, "simplify path")?;
            to.word(Role::Plain, format_args!(" {} = ", simplify.id))?;
            to.name(Role::Path, simplify.path)
        }
        Packet::ConfirmPath(ConfirmPath { node, is_valid }) => {
            to.word(Role::Command, "confirm path")?;
            to.word(Role::Plain, ' ')?;
            node_pieces(context.confirmed_path(*node), *node, to)?;
            to.word(Role::Plain, if *is_valid == Some(false) { ", other methods" } else { "" })
        }
        Packet::Raw(raw) => match raw.as_value() {
            Some(value) => {
                to.word(Role::Command, "raw")?;
                to.word(Role::Plain, ' ')?;
                to.value(value)
            }
            None => bytes("raw", raw.bytes, to),
        },
        Packet::Auth(content) => bytes("auth", content, to),
        Packet::Spawn(spawn) => spawn_pieces(spawn, context, to),
        Packet::Despawn { net_id } => {
            to.word(Role::Command, "despawn")?;
            to.word(Role::Plain, ' ')?;
            spawned(*net_id, context, to)
        }
        Packet::Sync(sync) => {
            to.word(Role::Command, "sync")?;
            to.word(Role::Plain, format_args!(" {}: ", sync.time))?;
            states(sync.states, context, to)
        }
        Packet::Delta(changes) => {
            to.word(Role::Command, "delta")?;
            to.word(Role::Plain, ": ")?;
            states(*changes, context, to)
        }
        Packet::PeerAdded { peer } => to.word(Role::Command, format_args!("peer added {peer}")),
        Packet::PeerRemoved { peer } => to.word(Role::Command, format_args!("peer removed {peer}")),
        // A relay never contains another one.
        Packet::Relay(Relay { peer, .. }) => to.word(Role::Command, format_args!("relay {peer}")),
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

fn node_pieces(path: Option<&str>, node: Node<'_>, to: &mut impl TextPieces) -> fmt::Result {
    match (path, node) {
        (Some(path), _) | (None, Node::Path(path)) => to.path(path, ""),
        (None, Node::Id(id)) => to.word(Role::Path, format_args!("#{id}")),
    }
}

/// Passes on the name of a script's file, in place of the path of a node with this script.
fn script_pieces(script: Option<&str>, to: &mut impl TextPieces) -> fmt::Result {
    let Some(script) = script else { return Ok(()) };
    to.word(Role::Plain, " (")?;
    to.name(Role::Path, script.rsplit_once('/').map_or(script, |(_, file)| file))?;
    to.word(Role::Plain, ')')
}

fn spawned(net_id: u32, context: Context<'_>, to: &mut impl TextPieces) -> fmt::Result {
    match (context.node_of(net_id), context.spawned_name(net_id)) {
        (Some(path), _) => to.path(path, ""),
        (None, Some(name)) => to.name(Role::Path, name),
        (None, None) => to.word(Role::Path, format_args!("net#{net_id}")),
    }
}

fn bytes(command: &str, bytes: &[u8], to: &mut impl TextPieces) -> fmt::Result {
    to.word(Role::Command, command)?;
    let unit = crate::value::bytes(bytes.len());
    to.word(Role::Plain, format_args!(" {} {unit}", bytes.len()))?;
    if bytes.is_empty() { Ok(()) } else { to.word(Role::Number, Beginning(bytes)) }
}

/// Shows the first `SHOWN_BYTES` bytes in hex, and "…" if there are more.
struct Beginning<'a>(&'a [u8]);

impl Display for Beginning<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char(' ')?;
        self.0.iter().take(SHOWN_BYTES).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(if self.0.len() > SHOWN_BYTES { "…" } else { "" })
    }
}

/// Passes on an argument or the value of a property.
fn value(argument: &Argument<'_>, to: &mut impl TextPieces) -> fmt::Result {
    match argument.form() {
        Form::Value(value) => to.value(value),
        Form::Bool(content) => to.word(Role::Constant, content),
        Form::Int(content) => to.word(Role::Number, content),
        Form::Bytes(content) => to.bytes(content, argument.dialect()),
    }
}

/// Passes on values without names.
pub(crate) fn values(
    brackets: [&str; 2],
    arguments: Arguments<'_>,
    to: &mut impl TextPieces,
) -> fmt::Result {
    let mut all = arguments.iter();
    if let (["", ""], Some(only), true) = (brackets, all.next(), all.len() == 0) {
        return value(&only, to);
    }
    to.list(brackets, arguments.len(), |to| {
        arguments.iter().try_for_each(|argument| {
            to.item(", ")?;
            value(&argument, to)
        })
    })
}

fn spawn_pieces(spawn: &Spawn<'_>, context: Context<'_>, to: &mut impl TextPieces) -> fmt::Result {
    to.word(Role::Command, "spawn")?;
    to.word(Role::Plain, ' ')?;
    to.name(Role::Path, spawn.name)?;
    to.word(Role::Plain, " by ")?;
    let spawner = Node::Id(spawn.spawner);
    node_pieces(context.path(spawner), spawner, to)?;
    to.word(Role::Plain, format_args!(", net#{}", spawn.net_id))?;
    if !spawn.synchronizers.is_empty() {
        to.word(Role::Plain, ", synchronizers ")?;
    }
    for (place, id) in spawn.synchronizers.iter().enumerate() {
        let space = if place == 0 { "" } else { " " };
        to.word(Role::Plain, format_args!("{space}net#{id}"))?;
    }
    match (context.scene_of_spawn(spawn), spawn.scene) {
        (Some(KnownScene { path, .. }), _) => {
            to.word(Role::Plain, ", scene ")?;
            to.name(Role::String, path)?;
        }
        (None, Some(scene)) => to.word(Role::Plain, format_args!(", scene {scene}"))?,
        (None, None) => {}
    }
    if spawn.scene.is_none() {
        to.word(Role::Plain, ", argument ")?;
        values(["", ""], spawn.argument, to)?;
    }
    if spawn.state.is_empty() {
        return Ok(());
    }
    to.word(Role::Plain, ", state ")?;
    match context.spawn_properties(spawn) {
        Some(names) => properties(names.map(PropertyKey::Name), spawn.state, to),
        None => values(["[", "]"], spawn.state, to),
    }
}

fn states(states: States<'_>, context: Context<'_>, to: &mut impl TextPieces) -> fmt::Result {
    let mut all = states.iter();
    if let (Some(only), None) = (all.next(), all.next()) {
        return one_state(&only, context, to);
    }
    to.list(["", ""], states.iter().count(), |to| {
        states.iter().try_for_each(|state| {
            to.item("; ")?;
            one_state(&state, context, to)
        })
    })
}

fn one_state(state: &State<'_>, context: Context<'_>, to: &mut impl TextPieces) -> fmt::Result {
    let State { synchronizer, changed, values: content } = *state;
    match (context.synchronizer_path(synchronizer), synchronizer) {
        (Some(SynchronizerPath { node, below }), _) => {
            to.path(node, below)?;
        }
        (None, Synchronizer::PathId(id)) => node_pieces(None, Node::Id(id), to)?,
        (None, Synchronizer::NetId(id)) => spawned(id, context, to)?,
    }
    to.word(Role::Plain, ' ')?;
    match (context.state_properties(state), changed) {
        (Some(names), _) => properties(names.map(PropertyKey::Name), content, to),
        (None, Some(bits)) => properties(places(bits).map(PropertyKey::Place), content, to),
        (None, None) => values(["[", "]"], content, to),
    }
}

/// A property: its name, or its place among the synchronizer's watched properties.
enum PropertyKey<'p> {
    Name(&'p str),
    Place(u32),
}

/// Passes on values with the names of their properties.
fn properties<'p>(
    mut properties: impl Iterator<Item = PropertyKey<'p>>,
    values: Arguments<'_>,
    to: &mut impl TextPieces,
) -> fmt::Result {
    to.list(["{", "}"], values.len(), |to| {
        values.iter().try_for_each(|argument| {
            to.item(", ")?;
            match properties.next() {
                Some(PropertyKey::Name(name)) => to.name(Role::Key, name)?,
                Some(PropertyKey::Place(place)) => to.word(Role::Key, place)?,
                None => to.word(Role::Key, '?')?,
            }
            to.word(Role::Plain, ": ")?;
            value(&argument, to)
        })
    })
}

/// The indexes of the bits that are set, from the lowest.
pub(crate) fn places(bits: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |place| bits >> place & 1 == 1)
}
