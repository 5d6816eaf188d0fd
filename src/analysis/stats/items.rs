//! The things that are counted separately: nodes, and their methods and properties. [`Items`] counts
//! them in bounded memory.

use super::{Amount, StatsLimits, Usage};
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::{
    Argument, Arguments, Context, Method, Node, Packet, PeerId, Spawn, Spawned, State,
    Synchronizer, changed_properties,
};
use core::fmt;
use hashbrown::{Equivalent, HashMap};
use std::hash::RandomState;

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

/// Takes an item, how many bytes it takes, and the value of a property.
type Count<'c> = &'c mut dyn FnMut(Item<&str>, usize, Option<Argument<'_>>);

/// Passes the nodes, methods and properties in a packet of `len` bytes to a function, each with the
/// number of bytes that it takes. For a relay, these are the ones in the relayed packet.
pub fn each_item(packet: &Packet<'_>, context: Context<'_>, len: usize, count: Count<'_>) {
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
            count(Item { node, member: Member::Whole }, len, None);
            count(Item { node, member }, len, None);
        }
        Packet::Set(set) => {
            let node = NodeName::of(set.node, context);
            count(Item { node, member: Member::Whole }, len, None);
            let value = set.value.iter().next();
            count(Item { node, member: Member::Set(set.property) }, len, value);
        }
        Packet::Spawn(spawn) => {
            let path = context.spawned_path(&spawn);
            let node = NodeName::of_spawn(&spawn, path.as_deref(), context);
            count(Item { node, member: Member::Whole }, len, None);
            let names = context.spawn_properties(&spawn);
            properties(node, StateKind::Spawn, 0.., names, spawn.state, count);
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

fn each_of_state(state: &State<'_>, context: Context<'_>, count: Count<'_>) {
    let node = NodeName::of_state(state, context);
    count(Item { node, member: Member::Whole }, state.len(), None);
    let names = context.state_properties(state);
    match state.changed {
        None => properties(node, StateKind::Sync, 0.., names, state.values, count),
        Some(changed) => {
            let places = changed_properties(changed);
            properties(node, StateKind::Delta, places, names, state.values, count);
        }
    }
}

/// Passes the properties of a state on, with their indexes and, if they are known, their names.
fn properties<'n>(
    node: NodeName<&'n str>,
    state: StateKind,
    indexes: impl Iterator<Item = u32>,
    names: Option<impl Iterator<Item = &'n str>>,
    values: Arguments<'_>,
    count: Count<'_>,
) {
    let mut names = names.into_iter().flatten();
    for (index, (value, len)) in indexes.zip(values.with_lengths()) {
        let member = Member::Property { state, index, name: names.next() };
        count(Item { node, member }, len, Some(value));
    }
}

impl<'n> NodeName<&'n str> {
    /// Its path or, of a spawned node whose path is not known, its name.
    #[must_use]
    pub const fn path(&self) -> Option<&'n str> {
        match self {
            NodeName::Path(path) | NodeName::Spawned { name: path, .. } => Some(path),
            _ => None,
        }
    }

    fn of(node: Node<'n>, context: Context<'n>) -> NodeName<&'n str> {
        match (context.path(node), node) {
            (Some(path), _) | (None, Node::Path(path)) => NodeName::Path(path),
            (None, Node::Id(id)) => NodeName::Id(id),
        }
    }

    /// The node that a packet spawns, with its [path](Context::spawned_path) if that is known.
    pub(crate) fn of_spawn(
        spawn: &Spawn<'n>,
        path: Option<&'n str>,
        context: Context<'n>,
    ) -> NodeName<&'n str> {
        let spawner = context.path(Node::Id(spawn.spawner));
        path.map_or(NodeName::Spawned { name: spawn.name, spawner }, NodeName::Path)
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

/// The counts of items with different names, up to a number of items and of bytes in their names.
///
/// The names come from the network, so the hashes are seeded randomly.
#[derive(Clone, Debug)]
pub struct Items {
    counts: HashMap<Item<Box<str>>, ItemCount, RandomState>,
    limit: usize,
    /// How many more bytes names may take.
    free: usize,
    /// The items beyond the limits.
    pub further: Amount,
}

/// How often an item was sent, and in which scene its node is.
#[derive(Clone, Copy, Default, Debug)]
struct ItemCount {
    usage: Usage,
    scene: Option<InScene>,
}

/// The place of a node in a scene.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InScene {
    /// The number of the scene.
    pub scene: usize,
    /// The bytes at the end of the node's path that are its path below the root of the scene.
    pub rest: usize,
    /// Whether the scene has the node: a script may have added it below a node of the scene.
    pub is_part: bool,
}

/// An item that is looked up among owned ones. It has the same hash.
#[derive(Hash)]
pub struct Sought<'i, 'n>(pub &'i Item<&'n str>);

impl Equivalent<Item<Box<str>>> for Sought<'_, '_> {
    fn equivalent(&self, key: &Item<Box<str>>) -> bool {
        *self.0 == key.map(|name| &**name)
    }
}

impl Items {
    pub fn new(limits: &StatsLimits) -> Items {
        let (counts, further) = (HashMap::default(), Amount::default());
        Items { counts, limit: limits.items, free: limits.name_bytes, further }
    }

    /// Counts an item that a multiplayer peer sent.
    pub fn add(&mut self, item: &Item<&str>, bytes: usize, source: Option<PeerId>) {
        self.add_with_scene(item, bytes, source, || None);
    }

    /// Counts an item that a multiplayer peer sent. Its scene may become known later, so the
    /// function that finds it is called the first time, the second, the fourth and so on.
    pub fn add_with_scene(
        &mut self,
        item: &Item<&str>,
        bytes: usize,
        source: Option<PeerId>,
        scene: impl FnOnce() -> Option<InScene>,
    ) {
        if let Some(counted) = self.counts.get_mut(&Sought(item)) {
            counted.usage.add(bytes, source);
            if counted.usage.total.count.is_power_of_two() {
                counted.scene = scene().or(counted.scene);
            }
            return;
        }
        match self.entry(item) {
            Some(counted) => {
                counted.scene = scene();
                counted.usage.add(bytes, source);
            }
            None => self.further.add(bytes),
        }
    }

    /// The counts of an item, which may be new; none if a limit excludes it.
    fn entry(&mut self, item: &Item<&str>) -> Option<&mut ItemCount> {
        if !self.counts.contains_key(&Sought(item)) {
            let mut names = 0_usize;
            item.map(|name| names = names.saturating_add(name.len()));
            let free = self.free.checked_sub(names).filter(|_| self.counts.len() < self.limit)?;
            self.free = free;
            self.counts.insert(item.map(|name| Box::from(*name)), ItemCount::default());
        }
        self.counts.get_mut(&Sought(item))
    }

    /// Adds the counts of others. `scene` gives the number that one of their scenes has here.
    pub fn merge(&mut self, other: &Items, mut scene: impl FnMut(usize) -> usize) {
        self.further.merge(other.further);
        for (item, counted) in &other.counts {
            let place = counted.scene.map(|at| InScene { scene: scene(at.scene), ..at });
            let item = item.map(|name| &**name);
            match self.entry(&item) {
                Some(known) => {
                    known.usage.merge(counted.usage);
                    known.scene = known.scene.or(place);
                }
                None => self.further.merge(counted.usage.total),
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Item<&str>, Usage)> {
        self.counts.iter().map(|(item, counted)| (item.map(|name| &**name), counted.usage))
    }

    /// The place of an item's node in a scene, if that is known.
    pub fn place(&self, item: &Item<&str>) -> Option<InScene> {
        self.counts.get(&Sought(item))?.scene
    }
}

#[cfg(test)]
mod tests {
    use super::Items;
    use crate::analysis::stats::{Item, Member, NodeName, StatsLimits};
    use crate::game::multiplayer::PeerId;

    fn item<'n>(node: NodeName<&'n str>, member: Member<&'n str>) -> Item<&'n str> {
        Item { node, member }
    }

    #[test]
    fn names_take_bounded_memory() {
        let path = "a".repeat(60_000);
        let called =
            |index| item(NodeName::Path(&path), Member::MethodNumber { index, is_own: false });
        let mut items = Items::new(&StatsLimits::default());
        for index in 0..1_000 {
            items.add(&called(index), 10, None);
        }
        assert_eq!((items.counts.len(), items.further.count), (559, 441));
        // A known method is still counted.
        items.add(&called(0), 10, Some(PeerId::SERVER));
        assert_eq!((items.counts.len(), items.further.bytes), (559, 4_410));

        let limits = StatsLimits::default();
        let mut items = Items::new(&limits);
        for index in 0..=limits.items {
            items.add(&item(NodeName::Id(7), Member::Method(&index.to_string())), 10, None);
        }
        assert_eq!((items.counts.len(), items.further.count), (limits.items, 1));
    }
}
