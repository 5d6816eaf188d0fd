//! Names what is counted: nodes, and their methods and properties.

use crate::multiplayer::{Call, Context, Method, Node, Packet, Set};
use core::fmt;

/// A node and its method or property, as far as the capture names them. `S` is the type of the
/// names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Item<S> {
    /// The node.
    pub node: NodeName<S>,
    /// Its method or property.
    pub member: Member<S>,
    /// The command of the packets, as in [`Packet::command`]. For a relay, that of the relayed
    /// packet.
    pub command: &'static str,
}

/// A node, as far as the capture names it. `Display` shows it on one line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum NodeName<S> {
    /// Its path.
    Path(S),
    /// The id that the sender has announced for its path. The path is not in the capture. Each peer
    /// assigns its own ids.
    Id(u32),
}

/// A method or a property. `Display` shows it on one line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Member<S> {
    /// A method or property, by its name.
    Name(S),
    /// A method, by its number: see [`Method::Number`].
    Number {
        /// The index.
        index: u16,
        /// Whether it is from `Node.rpc_config()`.
        is_own: bool,
    },
}

impl<S> Item<S> {
    /// The same item with another type of names.
    pub(super) fn map<'s, T>(&'s self, mut name: impl FnMut(&'s S) -> T) -> Item<T> {
        let node = match &self.node {
            NodeName::Path(path) => NodeName::Path(name(path)),
            NodeName::Id(id) => NodeName::Id(*id),
        };
        let member = match &self.member {
            Member::Name(text) => Member::Name(name(text)),
            Member::Number { index, is_own } => Member::Number { index: *index, is_own: *is_own },
        };
        Item { node, member, command: self.command }
    }
}

impl<'n> Item<&'n str> {
    /// What a packet calls or sets. For a relay, what the relayed packet does.
    pub(super) fn called(packet: &Packet<'n>, context: Context<'n>) -> Option<Item<&'n str>> {
        let callee = packet.callee(context)?;
        let inner = match packet {
            Packet::Relay(relay) => relay.packet(),
            packet => *packet,
        };
        let id = match inner {
            Packet::Call(Call { node: Node::Id(id), .. })
            | Packet::Set(Set { node: Node::Id(id), .. }) => Some(id),
            _ => None,
        };
        let node = match callee.path {
            Some(path) => NodeName::Path(path),
            None => NodeName::Id(id?),
        };
        let member = match callee.method {
            Method::Number { index, is_own } => Member::Number { index, is_own },
            Method::Name(name) => Member::Name(name),
        };
        Some(Item { node, member, command: inner.command() })
    }
}

impl fmt::Display for NodeName<&str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A name is shown without control characters.
            NodeName::Path(path) => Method::Name(path).fmt(f),
            NodeName::Id(id) => write!(f, "#{id}"),
        }
    }
}

impl fmt::Display for Member<&str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Member::Name(name) => Method::Name(name).fmt(f),
            Member::Number { index, is_own } => Method::Number { index, is_own }.fmt(f),
        }
    }
}
