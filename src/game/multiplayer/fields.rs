//! The fields of a packet, as programs see them: in JSON and in expressions.

use super::arguments::{Argument, Arguments};
use super::basis::KnownScene;
use super::context::Context;
use super::packet::{Method, NetIds, Node, Packet, Spawn};
use super::states::{State, States, Synchronizer};
use std::rc::Rc;

/// The content of a field.
#[derive(Clone)]
pub(crate) enum Field<'a> {
    Null,
    Flag(bool),
    Number(i64),
    /// A text, or null.
    Text(Option<&'a str>),
    /// A text that was composed from several parts.
    Shown(String),
    /// An object with the names of properties and their values.
    Properties(Rc<[&'a str]>, Arguments<'a>),
    /// Bytes, as hexadecimal digits.
    Digits(&'a [u8]),
    Values(Values<'a>),
    NetIds(NetIds<'a>),
    /// The indexes of the bits that are set.
    Places(u64),
    States(States<'a>),
    /// The packet in a relay. Its names are those of [`Context::relayed`].
    Relayed(Packet<'a>),
}

/// A list of values.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    Arguments(Arguments<'a>),
    One(Argument<'a>),
}

impl<'a> Values<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = Argument<'a>> {
        let (arguments, one) = match self {
            Values::Arguments(arguments) => (Some(arguments), None),
            Values::One(argument) => (None, Some(argument)),
        };
        arguments.into_iter().flatten().chain(one)
    }
}

/// A function that takes the fields, in the order of the JSON. An error ends the visit.
pub(crate) type Hand<'h, 'a, E> = &'h mut dyn FnMut(&'static str, Field<'a>) -> Result<(), E>;

/// Passes the fields of a packet to a function.
pub(crate) fn packet<'a, E>(
    packet: &Packet<'a>,
    context: Context<'a>,
    hand: Hand<'_, 'a, E>,
) -> Result<(), E> {
    hand("command", Field::Text(Some(packet.command())))?;
    match *packet {
        Packet::Call(call) => {
            let path = context.path(call.node);
            node(call.node, path, hand)?;
            scene(context.scene_of_node(call.node), hand)?;
            if let Some(script) = context.script(call.node) {
                hand("script", Field::Text(Some(script)))?;
            }
            match context.method(call.node, call.method).map_or(call.method, Method::Name) {
                Method::Name(name) => hand("method", Field::Text(Some(name)))?,
                Method::Number { index, .. } => hand("method", Field::Number(index.into()))?,
            }
            if let Method::Number { is_own: true, .. } = call.method {
                hand("own", Field::Flag(true))?;
            }
            hand("args", arguments(call.arguments))
        }
        Packet::Set(set) => {
            node(set.node, context.path(set.node), hand)?;
            hand("method", Field::Text(Some(set.property)))?;
            hand("args", arguments(set.value))
        }
        Packet::SimplifyPath(simplify) => {
            hand("id", Field::Number(simplify.id.into()))?;
            hand("path", Field::Text(Some(simplify.path)))?;
            simplify.md5.map_or(Ok(()), |md5| hand("md5", Field::Text(Some(md5))))
        }
        Packet::ConfirmPath(confirm) => {
            node(confirm.node, context.confirmed_path(confirm.node), hand)?;
            confirm.is_valid.map_or(Ok(()), |is_valid| hand("valid", Field::Flag(is_valid)))
        }
        Packet::Raw(raw) => hand("args", Field::Values(Values::One(raw.argument()))),
        Packet::Spawn(packet) => spawn(&packet, context, hand),
        Packet::Despawn { net_id } => {
            spawned(net_id, context, hand)?;
            match context.node_of(net_id) {
                Some(path) => hand("node", Field::Text(Some(path))),
                None => Ok(()),
            }
        }
        Packet::Sync(sync) => {
            hand("time", Field::Number(sync.time.into()))?;
            hand("states", Field::States(sync.states))
        }
        Packet::Delta(states) => hand("states", Field::States(states)),
        Packet::Relay(relay) => {
            hand("peer", Field::Number(relay.peer().get().into()))?;
            hand("rpc", Field::Relayed(relay.packet()))
        }
        Packet::PeerAdded { peer } | Packet::PeerRemoved { peer } => {
            hand("peer", Field::Number(peer.get().into()))
        }
        Packet::Auth(content) => hand("bytes", Field::Digits(content)),
    }
}

/// Passes the fields of a state to a function.
pub(crate) fn state<'a, E>(
    state: &State<'a>,
    context: Context<'a>,
    hand: Hand<'_, 'a, E>,
) -> Result<(), E> {
    match state.synchronizer {
        Synchronizer::PathId(id) => {
            let path = context.path(Node::Id(id));
            node(Node::Id(id), path, hand)?;
            scene(context.scene_of_node(Node::Id(id)), hand)?;
        }
        Synchronizer::NetId(id) => {
            spawned(id, context, hand)?;
            let spawner = context.spawned(id).and_then(|spawned| spawned.spawner);
            hand("spawner", Field::Text(spawner))?;
            if let Some(path) = context.synchronizer_path(state.synchronizer) {
                hand("path", Field::Shown(path.to_string()))?;
            }
            scene(context.scene_of_spawned(id), hand)?;
        }
    }
    if let Some(bits) = state.changed {
        hand("changed", Field::Places(bits))?;
    }
    hand("args", arguments(state.values))?;
    match context.state_properties(state) {
        Some(names) => hand("properties", Field::Properties(names.collect(), state.values)),
        None => Ok(()),
    }
}

fn spawn<'a, E>(spawn: &Spawn<'a>, context: Context<'a>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    let spawner = Node::Id(spawn.spawner);
    node(spawner, context.path(spawner), hand)?;
    let scene = spawn.scene.map_or(Field::Null, |scene| Field::Number(scene.into()));
    hand("scene", scene)?;
    if let Some(path) = context.scene_path(spawn) {
        hand("scene_path", Field::Text(Some(path)))?;
    }
    if let Some(known) = context.scene_of_spawn(spawn) {
        hand("scene_from", Field::Text(Some(known.basis.name())))?;
    }
    hand("net_id", Field::Number(spawn.net_id.into()))?;
    hand("name", Field::Text(Some(spawn.name)))?;
    if let Some(path) = context.spawned_path(spawn) {
        hand("node", Field::Shown(path))?;
    }
    hand("synchronizers", Field::NetIds(spawn.synchronizers))?;
    hand("args", arguments(spawn.argument))?;
    hand("state", arguments(spawn.state))?;
    match context.spawn_properties(spawn) {
        Some(names) if !spawn.state.is_empty() => {
            hand("properties", Field::Properties(names.collect(), spawn.state))
        }
        _ => Ok(()),
    }
}

/// A node: its id if the packet has it, and its path if it is known.
fn node<'a, E>(node: Node<'a>, path: Option<&'a str>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    if let Node::Id(id) = node {
        hand("id", Field::Number(id.into()))?;
    }
    hand("path", Field::Text(path))
}

fn scene<'a, E>(known: Option<KnownScene<'a>>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    let Some(KnownScene { path, basis }) = known else { return Ok(()) };
    hand("scene_path", Field::Text(Some(path)))?;
    hand("scene_from", Field::Text(Some(basis.name())))
}

fn spawned<'a, E>(net_id: u32, context: Context<'a>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    hand("net_id", Field::Number(net_id.into()))?;
    hand("name", Field::Text(context.spawned_name(net_id)))
}

const fn arguments(arguments: Arguments<'_>) -> Field<'_> {
    Field::Values(Values::Arguments(arguments))
}
