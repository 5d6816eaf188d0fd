//! What a packet says.

use super::arguments::{Argument, Arguments, Form};
use super::context::Context;
use super::{Protocol, replication};
use crate::dialect::Dialect;
use crate::parse::parse;
use crate::view::VariantRef;
use core::fmt;
use core::iter::FusedIterator;

/// A packet of the high-level multiplayer API: see [`parse`](super::parse).
///
/// [`Packet::display`] shows it in one line. What a packet refers to by numbers, earlier packets
/// have named: a [`Context`](super::Context) has those names.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Packet<'a> {
    /// A method of a node is to be called: `rpc()`.
    Call(Call<'a>),
    /// A property of a node is to be set: `rset()` of Godot 3.
    Set(Set<'a>),
    /// An id for the path of a node, for use in the sender's later packets.
    SimplifyPath(SimplifyPath<'a>),
    /// The answer to that: from now on the id may be used alone.
    ConfirmPath(ConfirmPath<'a>),
    /// What `send_bytes()` sends.
    Raw(Raw<'a>),
    /// A `MultiplayerSpawner` made a node.
    Spawn(Spawn<'a>),
    /// A spawned node is gone.
    Despawn {
        /// The number that its spawn gave it.
        net_id: u32,
    },
    /// Properties that `MultiplayerSynchronizer`s send again and again.
    Sync(Sync<'a>),
    /// Properties that `MultiplayerSynchronizer`s send when they change.
    Delta(States<'a>),
    /// A packet from one client to others, by way of the server.
    Relay(Relay<'a>),
    /// The server tells a client of another one.
    PeerAdded {
        /// The other client's id.
        peer: i32,
    },
    /// The server tells a client that another one is gone.
    PeerRemoved {
        /// The other client's id.
        peer: i32,
    },
    /// The bytes of `send_auth()`; none say that the sender is content.
    Auth(&'a [u8]),
}

/// A call of a node's method.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The node.
    pub node: Node<'a>,
    /// Its method.
    pub method: Method<'a>,
    /// What the method gets.
    pub arguments: Arguments<'a>,
}

/// A change of a node's property.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Set<'a> {
    /// The node.
    pub node: Node<'a>,
    /// The name of its property.
    pub property: &'a str,
    /// The new value: exactly one.
    pub value: Arguments<'a>,
}

/// How a packet says which node it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Node<'a> {
    /// The path is in the packet, relative to the root of the multiplayer API.
    Path(&'a str),
    /// An id that the sender has given the path.
    Id(u32),
}

/// How a call says which method it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Method<'a> {
    /// Its name.
    Name(&'a str),
    /// Its place, from 0, in a sorted list of the methods that can be called from afar. On the
    /// wire the top bit of 16 tells which list.
    Number {
        /// The place.
        index: u16,
        /// Whether the list is of what `Node.rpc_config()` set, not of the node's script.
        is_own: bool,
    },
}

/// What a packet calls or sets, by the names that are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Callee<'a> {
    /// The path of the node; none if only its id is known.
    pub path: Option<&'a str>,
    /// The method or property.
    pub method: Method<'a>,
}

/// An id for a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SimplifyPath<'a> {
    /// The id.
    pub id: u32,
    /// The path, relative to the root of the multiplayer API.
    pub path: &'a str,
    /// The MD5 of the names of the node's methods, in 32 hexadecimal digits: Godot 4's.
    pub md5: Option<&'a str>,
}

/// The answer to a [`SimplifyPath`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConfirmPath<'a> {
    /// The node: the id is that of the one who gets this packet. Godot 3 and the first versions of
    /// Godot 4 send the path.
    pub node: Node<'a>,
    /// Whether both ends have the same methods. Godot 3 does not look.
    pub is_valid: Option<bool>,
}

/// Bytes of the game's own.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Raw<'a> {
    /// The bytes: at least one.
    pub bytes: &'a [u8],
    pub(super) dialect: Dialect,
}

impl<'a> Raw<'a> {
    /// The bytes as the byte array that the game sent and gets.
    #[must_use]
    pub const fn argument(&self) -> Argument<'a> {
        Argument::new(Form::Bytes(self.bytes), self.dialect)
    }

    /// The value that the bytes are, if they are one from the first to the last.
    #[must_use]
    pub fn as_value(&self) -> Option<VariantRef<'a>> {
        parse(self.dialect, self.bytes).ok()
    }
}

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raw").field("len", &self.bytes.len()).finish()
    }
}

/// A spawned node.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Spawn<'a> {
    /// The id of the spawner's path.
    pub spawner: u32,
    /// The place of the node's scene in the spawner's list; none if `spawn()` made the node from
    /// an argument.
    pub scene: Option<u8>,
    /// The number that later packets call the node.
    pub net_id: u32,
    /// The node's name.
    pub name: &'a str,
    /// The numbers that later packets call the node's synchronizers.
    pub synchronizers: NetIds<'a>,
    /// The argument of `spawn()`: one, or none if there is a scene.
    pub argument: Arguments<'a>,
    /// The values of the properties that the synchronizers send with a spawn.
    pub state: Arguments<'a>,
}

/// Net ids, four bytes each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NetIds<'a>(pub(super) &'a [[u8; 4]]);

impl<'a> NetIds<'a> {
    /// How many.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.0.iter().map(|id| u32::from_le_bytes(*id))
    }
}

impl fmt::Debug for NetIds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(16)).finish()
    }
}

/// The states of one moment.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sync<'a> {
    /// The sender's count of moments, which wraps around: an older state is ignored.
    pub time: u16,
    /// The states: at least one.
    pub states: States<'a>,
}

/// States, as an iterator gives them.
#[derive(Clone, Copy)]
pub struct States<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) is_delta: bool,
}

/// The properties that one synchronizer sends.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct State<'a> {
    /// The synchronizer.
    pub synchronizer: Synchronizer,
    /// Of a delta which properties changed, of those that are watched: a bit for each, from the
    /// lowest.
    pub changed: Option<u64>,
    /// The values of the properties.
    pub values: Arguments<'a>,
}

/// How a state says whose it is. On the wire the top bit of 32 tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Synchronizer {
    /// The id of its path.
    PathId(u32),
    /// The number that a spawn gave it.
    NetId(u32),
}

impl<'a> States<'a> {
    /// The states in order.
    #[must_use]
    pub const fn iter(&self) -> StatesIter<'a> {
        StatesIter(*self)
    }
}

impl<'a> IntoIterator for States<'a> {
    type Item = State<'a>;
    type IntoIter = StatesIter<'a>;

    fn into_iter(self) -> StatesIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for States<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().take(8)).finish()
    }
}

/// The states of a packet: see [`States::iter`].
#[derive(Clone, Copy, Debug)]
pub struct StatesIter<'a>(States<'a>);

impl<'a> Iterator for StatesIter<'a> {
    type Item = State<'a>;

    fn next(&mut self) -> Option<State<'a>> {
        if self.0.bytes.is_empty() {
            return None;
        }
        let (rest, state) = match replication::state(self.0.dialect, self.0.is_delta, self.0.bytes)
        {
            Ok((rest, state)) => (rest, Some(state)),
            // The states were read before.
            Err(_) => (&[][..], None),
        };
        self.0.bytes = rest;
        state
    }
}

impl FusedIterator for StatesIter<'_> {}

/// A packet between clients.
#[derive(Clone, Copy)]
pub struct Relay<'a> {
    pub(super) peer: i32,
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
}

impl<'a> Relay<'a> {
    /// To the server: for whom, 0 for all, negative for all but that one. From the server: from
    /// whom.
    #[must_use]
    pub const fn peer(&self) -> i32 {
        self.peer
    }

    /// The bytes of the packet that is relayed.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The packet that is relayed. It is no relay, nor another message of the system.
    #[must_use]
    pub fn packet(&self) -> Packet<'a> {
        match super::parse(Protocol::Godot4, self.dialect, self.bytes) {
            Ok(packet) => packet,
            // It was read before.
            Err(_) => Packet::Raw(Raw { bytes: self.bytes, dialect: self.dialect }),
        }
    }
}

impl fmt::Debug for Relay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("peer", &self.peer).field("len", &self.bytes.len()).finish()
    }
}

impl<'a> Packet<'a> {
    /// Hands on every value in the packet: of a relay those of the packet that it relays.
    pub fn each_argument(&self, hand: &mut dyn FnMut(Argument<'a>)) {
        match self {
            Packet::Call(call) => call.arguments.iter().for_each(hand),
            Packet::Set(set) => set.value.iter().for_each(hand),
            Packet::Raw(raw) => hand(raw.argument()),
            Packet::Spawn(spawn) => spawn.argument.iter().chain(spawn.state).for_each(hand),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().flat_map(|state| state.values).for_each(hand);
            }
            // A relay has none in it.
            Packet::Relay(relay) => match relay.packet() {
                Packet::Relay(_) => {}
                packet => packet.each_argument(hand),
            },
            _ => {}
        }
    }

    /// Which method it calls or which property it sets, if it does; of a relay, what the packet
    /// does that it relays.
    #[must_use]
    pub fn callee(&self, context: Context<'a>) -> Option<Callee<'a>> {
        match self {
            Packet::Call(Call { node, method, .. }) => {
                let path = context.path(*node);
                let method = context.method(path, *method).map_or(*method, Method::Name);
                Some(Callee { path, method })
            }
            Packet::Set(Set { node, property, .. }) => {
                Some(Callee { path: context.path(*node), method: Method::Name(property) })
            }
            Packet::Relay(relay) => match relay.packet() {
                // There is none in a relay.
                Packet::Relay(_) => None,
                packet => packet.callee(context.relayed()),
            },
            _ => None,
        }
    }

    /// Whether [`Paths`](super::Paths) may learn from it.
    #[cfg(feature = "capture")]
    pub(crate) const fn is_announcement(&self) -> bool {
        matches!(
            self,
            Packet::SimplifyPath(_) | Packet::Spawn(_) | Packet::Despawn { .. } | Packet::Relay(_)
        )
    }

    /// What the packet is called in JSON, `simplify_path`.
    #[must_use]
    pub const fn command(&self) -> &'static str {
        match self {
            Packet::Call(_) => "call",
            Packet::Set(_) => "set",
            Packet::SimplifyPath(_) => "simplify_path",
            Packet::ConfirmPath(_) => "confirm_path",
            Packet::Raw(_) => "raw",
            Packet::Spawn(_) => "spawn",
            Packet::Despawn { .. } => "despawn",
            Packet::Sync(_) => "sync",
            Packet::Delta(_) => "delta",
            Packet::Relay(_) => "relay",
            Packet::PeerAdded { .. } => "peer_added",
            Packet::PeerRemoved { .. } => "peer_removed",
            Packet::Auth(_) => "auth",
        }
    }
}
