//! Values of properties over time: what spawns, states, sets and calls give to the properties of nodes.
//!
//! [`each_value`] finds the values in one message. [`States`] remembers the last value of each property,
//! so that it knows which values are changes, and what all nodes were like at one time:
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::follow::{Content, Event};
//! use gdwire::states::States;
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-rpc.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! let mut states = States::new();
//! let mut changes = Vec::new();
//! while let Some(event) = messages.next_event() {
//!     if let Event::Message(message) = event {
//!         states.message(&message, &mut |sent, is_change| {
//!             if is_change && sent.node.to_string() == "Game/World" {
//!                 changes.push(format!("{} = {:?}", sent.property, sent.value));
//!             }
//!         });
//!     }
//! }
//! assert!(changes.iter().any(|change| change.starts_with("health = ")));
//! let health = states.iter().find(|kept| kept.node == "Game/World" && kept.property == "health");
//! assert!(health.is_some_and(|kept| kept.value().is_some_and(|value| value.as_f64().is_some())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The property of a call is the name of the method if it has one argument, and otherwise
//! `method[0]`, `method[1]` and so on.
//!
//! # Stability
//!
//! Functions and fields of this module may change with every release, as more becomes worth
//! measuring, also without a new major version.

mod sent;

pub use sent::{SentProperty, SentValue, each_value};

use crate::capture::follow::{Content, Message, Place};
use crate::game::multiplayer::{Context, Packet};
use crate::value::{Dialect, VariantRef, parse};
use crate::write::encode::encode_into;
use core::fmt::Write;
use core::ops::Bound;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The last values of properties, in bounded memory.
#[derive(Clone, Debug)]
pub struct States {
    /// By server, as each has nodes of its own.
    servers: BTreeMap<Option<SocketAddr>, Nodes>,
    /// The first server that is known. Connections whose server is not known count as connections to it.
    first: Option<SocketAddr>,
    /// How many more bytes names and values may take.
    free: usize,
    left_out: u64,
    /// The memory of the names and the bytes that are compared.
    scratch: (String, String, Vec<u8>),
}

/// By node, then by property.
type Nodes = BTreeMap<Box<str>, BTreeMap<Box<str>, Last>>;

/// The last value of a property.
#[derive(Clone, Debug)]
struct Last {
    bytes: Vec<u8>,
    dialect: Dialect,
    place: Place,
    command: &'static str,
}

/// The last value of a property: see [`States::iter`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct KeptValue<'s> {
    /// The server of the game: see [`SentValue::server`].
    pub server: Option<SocketAddr>,
    /// The node.
    pub node: &'s str,
    /// The property.
    pub property: &'s str,
    /// The place in the capture of the last message with a value.
    pub place: Place,
    /// The [command](Packet::command) of that message.
    pub command: &'static str,
    bytes: &'s [u8],
    dialect: Dialect,
}

impl<'s> KeptValue<'s> {
    /// The value.
    #[must_use]
    pub fn value(&self) -> Option<VariantRef<'s>> {
        parse(self.dialect, self.bytes).ok()
    }
}

/// How many bytes each name and value takes besides its content.
const EACH: usize = 96;

/// The most bytes of names and values that are kept by default.
const MOST: usize = 256 << 20;

impl Default for States {
    fn default() -> States {
        States::new()
    }
}

impl States {
    /// No values yet. At most 256 MiB of names and values are kept.
    #[must_use]
    pub fn new() -> States {
        States::with_max_bytes(MOST)
    }

    /// The same with another limit, in bytes.
    #[must_use]
    pub const fn with_max_bytes(limit: usize) -> States {
        let scratch = (String::new(), String::new(), Vec::new());
        States { servers: BTreeMap::new(), first: None, free: limit, left_out: 0, scratch }
    }

    /// Notes the values in a message. Passes each to a function, and whether it differs from the last
    /// value of the property. The values of nodes that are removed are forgotten.
    pub fn message(&mut self, message: &Message<'_>, each: &mut dyn FnMut(&SentValue<'_>, bool)) {
        let Content::Packet(packet) = &message.content else { return };
        let server = self.server(message);
        each_value(message, &mut |sent| {
            let sent = SentValue { server, ..*sent };
            let is_change = self.note(message, &sent);
            each(&sent, is_change);
        });
        self.forget(server, packet, message.context());
    }

    /// The last values, sorted by server, node and property.
    pub fn iter(&self) -> impl Iterator<Item = KeptValue<'_>> {
        let nodes = self.servers.iter().flat_map(|(server, nodes)| {
            nodes.iter().map(|(node, properties)| (*server, node, properties))
        });
        nodes.flat_map(|(server, node, properties)| {
            properties.iter().map(move |(property, last)| KeptValue {
                server,
                // After the first character, the names say whose ids they have.
                node: node.split('\0').next().unwrap_or_default(),
                property,
                place: last.place,
                command: last.command,
                bytes: &last.bytes,
                dialect: last.dialect,
            })
        })
    }

    /// How many values were not kept because of the limit. They count as changes.
    #[must_use]
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The server to which the connection of a message is.
    fn server(&mut self, message: &Message<'_>) -> Option<SocketAddr> {
        let server = sent::server(message);
        if let (None, Some(_)) = (self.first, server) {
            self.first = server;
            if let Some(nodes) = self.servers.remove(&None) {
                self.servers.insert(server, nodes);
            }
        }
        let is_known = |end: &SocketAddr| self.servers.contains_key(&Some(*end));
        let ends = || [message.origin.src(), message.origin.dst()];
        server.or_else(|| ends().into_iter().find(is_known)).or(self.first)
    }

    /// Keeps a value. Returns whether it differs from the last one.
    fn note(&mut self, message: &Message<'_>, sent: &SentValue<'_>) -> bool {
        let (mut node, mut property, mut bytes) = std::mem::take(&mut self.scratch);
        node.clear();
        property.clear();
        bytes.clear();
        // Writing to a string does not fail.
        let _ = write!(node, "{}", sent.node);
        if !sent.is_shared() {
            // Each peer has ids of its own.
            let origin = message.origin;
            let _ = write!(node, "\0{}/{:?}", origin.connection, origin.from);
        }
        let _ = write!(property, "{}", sent.property);
        let dialect = sent.value.dialect();
        let is_change = match encode_into(dialect, &sent.value, bytes) {
            Ok(encoded) => {
                bytes = encoded;
                let place = message.place;
                let command = sent.command;
                let new = Last { bytes: Vec::new(), dialect, place, command };
                self.keep(sent.server, &node, &property, &bytes, new)
            }
            Err(_) => {
                bytes = Vec::new();
                true
            }
        };
        self.scratch = (node, property, bytes);
        is_change
    }

    fn keep(
        &mut self,
        server: Option<SocketAddr>,
        node: &str,
        property: &str,
        bytes: &[u8],
        new: Last,
    ) -> bool {
        let of_node = self.servers.get_mut(&server).and_then(|nodes| nodes.get_mut(node));
        if let Some(last) = of_node.and_then(|of| of.get_mut(property)) {
            let is_change = last.bytes != bytes || last.dialect != new.dialect;
            let free = self.free.saturating_add(last.bytes.len());
            match free.checked_sub(bytes.len()) {
                Some(free) => {
                    self.free = free;
                    last.bytes.clear();
                    last.bytes.extend_from_slice(bytes);
                    (last.dialect, last.place, last.command) =
                        (new.dialect, new.place, new.command);
                }
                None => self.left_out = self.left_out.saturating_add(1),
            }
            return is_change;
        }
        let nodes = self.servers.get(&server);
        let of_server = if nodes.is_some() { 0 } else { EACH };
        let is_known = nodes.is_some_and(|nodes| nodes.contains_key(node));
        let of_node = if is_known { 0 } else { node.len() + EACH };
        let size = of_server + of_node + property.len() + bytes.len() + EACH;
        match self.free.checked_sub(size) {
            Some(free) => {
                self.free = free;
                let nodes = self.servers.entry(server).or_default();
                let of_node = nodes.entry(node.into()).or_default();
                of_node.insert(property.into(), Last { bytes: bytes.to_vec(), ..new });
            }
            None => self.left_out = self.left_out.saturating_add(1),
        }
        true
    }

    /// Forgets a node that is removed, with all nodes below it.
    fn forget(&mut self, server: Option<SocketAddr>, packet: &Packet<'_>, context: Context<'_>) {
        match packet {
            Packet::Relay(relay) => self.forget(server, &relay.packet(), context.relayed()),
            Packet::Despawn { net_id } => {
                let Some(node) = sent::spawned_node(*net_id, context) else { return };
                let Some(nodes) = self.servers.get_mut(&server) else { return };
                let below = format!("{node}/");
                let range = (Bound::Included(&*below), Bound::Unbounded);
                let names = nodes.range::<str, _>(range).map(|(name, _)| name.clone());
                let names = names.take_while(|name| name.starts_with(&below));
                let removed: Vec<_> = std::iter::once(node.into()).chain(names).collect();
                for name in removed {
                    let Some(properties) = nodes.remove(&name) else { continue };
                    let freed = properties.iter().map(|(property, last)| {
                        property.len().saturating_add(last.bytes.len()).saturating_add(EACH)
                    });
                    let freed = freed.fold(name.len().saturating_add(EACH), usize::saturating_add);
                    self.free = self.free.saturating_add(freed);
                }
            }
            _ => {}
        }
    }
}
