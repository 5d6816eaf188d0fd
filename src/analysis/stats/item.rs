//! The things that are counted separately: nodes, and their methods and properties.

use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::{
    Arguments, Context, Method, Node, Packet, Spawned, State, Synchronizer, changed_properties,
};
use core::fmt;

/// A node, or a method or property of it, as far as the capture names them. `S` is the type of the
/// names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Item<S> {
    /// The node.
    pub node: NodeName<S>,
    /// The method or property, or the whole node.
    pub member: Member<S>,
}

/// A node, as far as the capture names it. `Display` shows it on one line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum NodeName<S> {
    /// Its path.
    Path(S),
    /// A node that a spawner has made. Neither the packets nor a project contain its path.
    Spawned {
        /// Its name.
        name: S,
        /// The path of the spawner, if that is in the capture.
        spawner: Option<S>,
    },
    /// The id that the sender has announced for its path. The path is not in the capture. Each peer
    /// assigns its own ids.
    Id(u32),
    /// The remote debugger, which is no node.
    Debugger,
    /// The number of a node or synchronizer whose spawn is not in the capture. Each peer assigns its
    /// own numbers.
    NetId(u32),
}

/// The part of a node that is counted. `Display` shows it on one line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Member<S> {
    /// Everything.
    Whole,
    /// A method that is called, by its name.
    Method(S),
    /// A method that is called, by its number: see [`Method::Number`].
    MethodNumber {
        /// The index.
        index: u16,
        /// Whether it is from `Node.rpc_config()`.
        is_own: bool,
    },
    /// A property that is set, by its name: `rset()` of Godot 3.
    Set(S),
    /// A command of the remote debugger.
    Debugger(S),
    /// A property in the states of a synchronizer (Godot 4).
    Property {
        /// The packets that contain it.
        state: StateKind,
        /// Its place among the properties in such packets, from 0.
        index: u32,
        /// Its name, if that is known.
        name: Option<S>,
    },
}

/// The packets in which properties of nodes are sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum StateKind {
    /// The properties that are sent with a spawn.
    Spawn,
    /// The properties that are sent at intervals.
    Sync,
    /// The properties that are sent when they change.
    Delta,
}

impl<S> Member<S> {
    /// The [command](Packet::command) of the packets, or [`DebuggerCommand::COMMAND`]; none for
    /// [`Member::Whole`].
    #[must_use]
    pub const fn command(&self) -> Option<&'static str> {
        Some(match self {
            Member::Whole => return None,
            Member::Method(_) | Member::MethodNumber { .. } => "call",
            Member::Set(_) => "set",
            Member::Debugger(_) => DebuggerCommand::COMMAND,
            Member::Property { state: StateKind::Spawn, .. } => "spawn",
            Member::Property { state: StateKind::Sync, .. } => "sync",
            Member::Property { state: StateKind::Delta, .. } => "delta",
        })
    }
}

impl<S> Item<S> {
    /// The same item with another type of names.
    pub(crate) fn map<'s, T>(&'s self, mut to: impl FnMut(&'s S) -> T) -> Item<T> {
        let node = match &self.node {
            NodeName::Path(path) => NodeName::Path(to(path)),
            NodeName::Spawned { name, spawner } => {
                NodeName::Spawned { name: to(name), spawner: spawner.as_ref().map(&mut to) }
            }
            NodeName::Debugger => NodeName::Debugger,
            NodeName::Id(id) => NodeName::Id(*id),
            NodeName::NetId(id) => NodeName::NetId(*id),
        };
        let member = match &self.member {
            Member::Whole => Member::Whole,
            Member::Method(name) => Member::Method(to(name)),
            Member::MethodNumber { index, is_own } => {
                Member::MethodNumber { index: *index, is_own: *is_own }
            }
            Member::Set(name) => Member::Set(to(name)),
            Member::Debugger(name) => Member::Debugger(to(name)),
            Member::Property { state, index, name } => {
                let name = name.as_ref().map(to);
                Member::Property { state: *state, index: *index, name }
            }
        };
        Item { node, member }
    }
}

/// Passes the nodes, methods and properties in a packet of `len` bytes to a function, each with the
/// number of bytes that it takes. For a relay, these are the ones in the relayed packet.
pub(crate) fn each_item(
    packet: &Packet<'_>,
    context: Context<'_>,
    len: usize,
    count: &mut dyn FnMut(Item<&str>, usize),
) {
    let (packet, context) = match packet {
        Packet::Relay(relay) => (relay.packet(), context.relayed()),
        packet => (*packet, context),
    };
    match packet {
        Packet::Call(call) => {
            let node = NodeName::of(call.node, context);
            let name = context.method(call.node, call.method);
            let member = match name.map_or(call.method, Method::Name) {
                Method::Name(name) => Member::Method(name),
                Method::Number { index, is_own } => Member::MethodNumber { index, is_own },
            };
            count(Item { node, member: Member::Whole }, len);
            count(Item { node, member }, len);
        }
        Packet::Set(set) => {
            let node = NodeName::of(set.node, context);
            count(Item { node, member: Member::Whole }, len);
            count(Item { node, member: Member::Set(set.property) }, len);
        }
        Packet::Spawn(spawn) => {
            let path = context.spawned_path(&spawn);
            let spawner = context.path(Node::Id(spawn.spawner));
            let of_spawner = NodeName::Spawned { name: spawn.name, spawner };
            let node = path.as_deref().map_or(of_spawner, NodeName::Path);
            count(Item { node, member: Member::Whole }, len);
            let names = context.spawn_properties(&spawn);
            properties((node, StateKind::Spawn), 0.., names, spawn.state, count);
        }
        Packet::Sync(sync) => {
            for state in sync.states {
                each_of_state(&state, context, count);
            }
        }
        Packet::Delta(states) => {
            for state in states {
                each_of_state(&state, context, count);
            }
        }
        _ => {}
    }
}

fn each_of_state(
    state: &State<'_>,
    context: Context<'_>,
    count: &mut dyn FnMut(Item<&str>, usize),
) {
    let node = NodeName::of_state(state, context);
    count(Item { node, member: Member::Whole }, state.len());
    let names = context.state_properties(state);
    match state.changed {
        None => properties((node, StateKind::Sync), 0.., names, state.values, count),
        Some(changed) => {
            let places = changed_properties(changed);
            properties((node, StateKind::Delta), places, names, state.values, count);
        }
    }
}

/// Passes the properties of a state on, with their indexes and, if they are known, their names.
fn properties<'n>(
    (node, state): (NodeName<&'n str>, StateKind),
    indexes: impl Iterator<Item = u32>,
    names: Option<impl Iterator<Item = &'n str>>,
    values: Arguments<'_>,
    count: &mut dyn FnMut(Item<&str>, usize),
) {
    let mut names = names.into_iter().flatten();
    for (index, (_, len)) in indexes.zip(values.with_lengths()) {
        let member = Member::Property { state, index, name: names.next() };
        count(Item { node, member }, len);
    }
}

impl<'n> NodeName<&'n str> {
    fn of(node: Node<'n>, context: Context<'n>) -> NodeName<&'n str> {
        match (context.path(node), node) {
            (Some(path), _) | (None, Node::Path(path)) => NodeName::Path(path),
            (None, Node::Id(id)) => NodeName::Id(id),
        }
    }

    /// The node that a state belongs to: the synchronizer, or the spawned node that has it.
    pub(crate) fn of_state(state: &State<'n>, context: Context<'n>) -> NodeName<&'n str> {
        match state.synchronizer {
            Synchronizer::PathId(id) => NodeName::of(Node::Id(id), context),
            Synchronizer::NetId(id) => match context.spawned(id) {
                Some(Spawned { path: Some(path), .. }) => NodeName::Path(path),
                Some(Spawned { name, spawner, .. }) => NodeName::Spawned { name, spawner },
                None => NodeName::NetId(id),
            },
        }
    }
}

impl fmt::Display for NodeName<&str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A name is shown without control characters.
            NodeName::Path(path) => Method::Name(path).fmt(f),
            NodeName::Spawned { name, spawner } => {
                Method::Name(name).fmt(f)?;
                match spawner {
                    Some(spawner) => write!(f, " (spawned by {})", Method::Name(spawner)),
                    None => Ok(()),
                }
            }
            NodeName::Debugger => f.write_str("debugger"),
            NodeName::Id(id) => write!(f, "#{id}"),
            NodeName::NetId(id) => write!(f, "net#{id}"),
        }
    }
}

impl fmt::Display for Member<&str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Member::Whole => Ok(()),
            Member::Method(name)
            | Member::Set(name)
            | Member::Debugger(name)
            | Member::Property { name: Some(name), .. } => Method::Name(name).fmt(f),
            Member::MethodNumber { index, is_own } => Method::Number { index, is_own }.fmt(f),
            Member::Property { index, .. } => write!(f, "#{index}"),
        }
    }
}
