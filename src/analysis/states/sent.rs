//! The values of properties in one message.

use crate::analysis::stats::{Item, Member, NodeName, StateKind, each_item};
use crate::capture::follow::{Content, Message};
use crate::format::json::Spelling;
use crate::format::json::emit::Emitter;
use crate::game::multiplayer::{Argument, Context, Method, Packet, Writer};
use crate::value::View;
use core::fmt;
use std::io;
use std::net::SocketAddr;

/// A value that a message gives to a property.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SentValue<'v> {
    /// The address of the server to which the connection is. Each server has nodes of its own. None if the
    /// start of the connection was not seen; [`States`](super::States) also knows it from others.
    pub server: Option<SocketAddr>,
    /// The node.
    pub node: NodeName<&'v str>,
    /// Its property.
    pub property: SentProperty<'v>,
    /// The [command](Packet::command) of the packet: `spawn`, `sync`, `delta`, `set` or `call`.
    pub command: &'static str,
    /// The value.
    pub value: Argument<'v>,
}

/// The property that gets a value. `Display` shows its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SentProperty<'v> {
    /// The property, or the method that is called.
    pub member: Member<&'v str>,
    /// The place of the argument, from 0, if the method is called with several.
    pub argument: Option<usize>,
}

impl SentValue<'_> {
    /// The value if it is an int or a float.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self.value.view() {
            View::Int(int) => Some(int as f64),
            View::Float(float) => Some(float),
            _ => None,
        }
    }

    /// Writes the value as JSON.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, spelling: Spelling, out: impl io::Write) -> io::Result<()> {
        Emitter::to_io(out, |json| Writer::new(json, spelling, Context::new()).value(self.value))
    }

    /// Whether the name of the node is the same for all peers.
    pub(crate) const fn is_shared(&self) -> bool {
        matches!(self.node, NodeName::Path(_) | NodeName::Spawned { .. })
    }
}

impl fmt::Display for SentProperty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.member, self.argument) {
            // The places of properties without names differ between the sorts of packets.
            (Member::Property { state, index, name: None }, _) => {
                let state = match state {
                    StateKind::Spawn => "spawn",
                    StateKind::Sync => "sync",
                    StateKind::Delta => "delta",
                };
                write!(f, "{state}#{index}")
            }
            (member, Some(argument)) => write!(f, "{member}[{argument}]"),
            (member, None) => member.fmt(f),
        }
    }
}

/// Passes the values that a message gives to properties to a function: those of spawns, states, sets and
/// calls. For a relay, these are those of the relayed packet.
pub fn each_value(message: &Message<'_>, each: &mut dyn FnMut(&SentValue<'_>)) {
    let Content::Packet(packet) = &message.content else { return };
    let (server, context) = (server(message), message.context());
    let mut arguments = None;
    let inner = match packet {
        Packet::Relay(relay) => relay.packet(),
        packet => *packet,
    };
    if let Packet::Call(call) = &inner {
        arguments = Some(call.arguments);
    }
    each_item(packet, context, message.bytes.len(), &mut |item: Item<&str>, _, value| {
        let Item { node, member } = item;
        let Some(command) = member.command() else { return };
        let mut hand = |argument, value| {
            let property = SentProperty { member, argument };
            each(&SentValue { server, node, property, command, value });
        };
        match (value, arguments) {
            (Some(value), _) => hand(None, value),
            (None, Some(arguments)) if arguments.len() == 1 => {
                arguments.iter().for_each(|value| hand(None, value));
            }
            (None, Some(arguments)) => {
                arguments.iter().enumerate().for_each(|(place, value)| hand(Some(place), value));
            }
            (None, None) => {}
        }
    });
}

/// The server to which the connection of a message is. In a mesh, where peers have no ids, there is none.
pub(super) fn server(message: &Message<'_>) -> Option<SocketAddr> {
    let client = message.peers.source.and(message.origin.client)?;
    let origin = message.origin;
    Some(if origin.from == client { origin.dst() } else { origin.src() })
}

/// The name of a spawned node, as values have it.
pub(super) fn spawned_node(net_id: u32, context: Context<'_>) -> Option<String> {
    let spawned = context.spawned(net_id)?;
    let node = match spawned.path {
        Some(path) => NodeName::Path(path),
        None => NodeName::Spawned { name: spawned.name, spawner: spawned.spawner },
    };
    Some(node.to_string())
}

impl SentProperty<'_> {
    /// The name of the property or method, without the place of an argument.
    #[must_use]
    pub fn name(&self) -> String {
        match self.member {
            Member::Method(name) | Member::Set(name) => name.to_owned(),
            Member::Property { name: Some(name), .. } => name.to_owned(),
            Member::MethodNumber { index, is_own } => Method::Number { index, is_own }.to_string(),
            _ => self.to_string(),
        }
    }
}
