//! The packets of the multiplayer API and their fields.

use super::arguments::{Argument, ArgumentCount, ArgumentPacking, Arguments, Form, arguments};
use super::error::PacketPart;
use super::grammar::{Parsed, TOP_BIT, bytes, le_u32, take};
use crate::net::peer::PeerId;
use crate::value::{ReadOptions, VariantRef, parse};
use core::fmt;
use core::iter::FusedIterator;
use nom::Parser;
use nom::combinator::map;

/// A packet of the high-level multiplayer API: see [`parse`](crate::game::multiplayer).
///
/// [`Packet::display`] shows it in one line. Packets refer to nodes and methods by numbers. A
/// [`Context`](super::Context) has the names for these numbers, which earlier packets or the game's
/// project contain.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Packet<'a> {
    /// Calls a method of a node: `rpc()`.
    Call(Call<'a>),
    /// Sets a property of a node: `rset()` of Godot 3.
    Set(Set<'a>),
    /// Announces an id for the path of a node, which the sender's later packets use.
    SimplifyPath(SimplifyPath<'a>),
    /// Confirms an announced path: from now on the id alone may be used.
    ConfirmPath(ConfirmPath<'a>),
    /// Raw bytes: `send_bytes()`.
    Raw(Raw<'a>),
    /// A `MultiplayerSpawner` has spawned a node.
    Spawn(Spawn<'a>),
    /// A spawned node has been removed.
    Despawn {
        /// The number that the spawn gave the node.
        net_id: u32,
    },
    /// Properties that `MultiplayerSynchronizer`s send at intervals.
    Sync(Sync<'a>),
    /// Properties that `MultiplayerSynchronizer`s send when they change.
    Delta(States<'a>),
    /// A packet from one client to others, which the server forwards.
    Relay(Relay<'a>),
    /// The server tells a client that another one has joined.
    PeerAdded {
        /// The other client's id.
        peer: PeerId,
    },
    /// The server tells a client that another one has left.
    PeerRemoved {
        /// The other client's id.
        peer: PeerId,
    },
    /// The bytes of `send_auth()`. No bytes mean that the sender has completed the authentication.
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
    /// The arguments of the call.
    pub arguments: Arguments<'a>,
    pub(super) widths: CallWidths,
}

/// The number of bytes of a node's id and of a method's number in a call of Godot 4. The engine
/// sometimes writes more than the numbers need.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct CallWidths {
    pub(super) node: u8,
    pub(super) method: u8,
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

/// How a packet refers to a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Node<'a> {
    /// The path is in the packet, relative to the root of the multiplayer API.
    Path(&'a str),
    /// The id that the sender has announced for the path.
    Id(u32),
}

/// How a call refers to a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Method<'a> {
    /// Its name.
    Name(&'a str),
    /// Its index, from 0, in one of two sorted lists of remote methods. On the wire, the top bit of
    /// 16 says which list.
    Number {
        /// The index.
        index: u16,
        /// Whether it is the list of methods from `Node.rpc_config()` instead of the script's list.
        is_own: bool,
    },
}

/// The method that a packet calls or the property that it sets, with the known names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Callee<'a> {
    /// The path of the node; none if only an id is known.
    pub path: Option<&'a str>,
    /// The method or property.
    pub method: Method<'a>,
}

/// The announcement of an id for a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SimplifyPath<'a> {
    /// The id.
    pub id: u32,
    /// The path, relative to the root of the multiplayer API.
    pub path: &'a str,
    /// The MD5 of the names of the node's methods in 32 hexadecimal digits. Only Godot 4 has it.
    pub md5: Option<&'a str>,
}

/// The confirmation of a [`SimplifyPath`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ConfirmPath<'a> {
    /// The node, by the id that the receiver of this packet has announced. Godot 3, Pandemonium and
    /// the first versions of Godot 4 send the path instead.
    pub node: Node<'a>,
    /// Whether both ends have the same methods. Godot 3 and Pandemonium do not check.
    pub is_valid: Option<bool>,
}

/// Raw bytes of the game.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Raw<'a> {
    /// The bytes: at least one.
    pub bytes: &'a [u8],
    pub(super) options: ReadOptions,
}

impl<'a> Raw<'a> {
    /// The bytes as an argument: the byte array that the game sent.
    #[must_use]
    pub const fn argument(&self) -> Argument<'a> {
        Argument::new(Form::Bytes(self.bytes), self.options)
    }

    /// The bytes read as a value, if all of them together are one.
    #[must_use]
    pub fn as_value(&self) -> Option<VariantRef<'a>> {
        parse(self.options, self.bytes).ok()
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
    /// The index of the node's scene in the spawner's list; none if `spawn()` made the node from an
    /// argument.
    pub scene: Option<u8>,
    /// The number of the node in later packets.
    pub net_id: u32,
    /// The node's name.
    pub name: &'a str,
    /// The numbers of the node's synchronizers in later packets.
    pub synchronizers: NetIds<'a>,
    /// The argument of `spawn()`; empty if the packet has a scene.
    pub argument: Arguments<'a>,
    /// The values of the properties that are sent with a spawn.
    pub state: Arguments<'a>,
}

/// The net ids in a spawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NetIds<'a>(pub(super) &'a [[u8; 4]]);

impl<'a> NetIds<'a> {
    /// The number of ids.
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

/// The states that synchronizers sent at one time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sync<'a> {
    /// The sender's counter, which wraps around. Receivers ignore older states.
    pub time: u16,
    /// The states: at least one.
    pub states: States<'a>,
}

/// A packet between clients, which the server forwards.
#[derive(Clone, Copy)]
pub struct Relay<'a> {
    pub(super) peer: PeerId,
    pub(super) bytes: &'a [u8],
    pub(super) options: ReadOptions,
}

impl<'a> Relay<'a> {
    /// In a packet to the server, the receiver or receivers. In a packet from the server, the sender.
    #[must_use]
    pub const fn peer(&self) -> PeerId {
        self.peer
    }

    /// The bytes of the relayed packet.
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl fmt::Debug for Relay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("peer", &self.peer).field("len", &self.bytes.len()).finish()
    }
}

impl<'a> Packet<'a> {
    /// Whether [`Paths`](super::Paths) may learn names from it.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_announcement(&self) -> bool {
        matches!(
            self,
            Packet::SimplifyPath(_) | Packet::Spawn(_) | Packet::Despawn { .. } | Packet::Relay(_)
        )
    }

    /// Every name that [`Packet::command`] returns.
    pub const COMMANDS: &'static [&'static str] = &[
        "call",
        "set",
        "simplify_path",
        "confirm_path",
        "raw",
        "spawn",
        "despawn",
        "sync",
        "delta",
        "relay",
        "peer_added",
        "peer_removed",
        "auth",
    ];

    /// The packet's name in JSON, such as `simplify_path`.
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

/// A list of states.
#[derive(Clone, Copy)]
pub struct States<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) options: ReadOptions,
    pub(super) is_delta: bool,
}

/// The properties that one synchronizer sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct State<'a> {
    /// The synchronizer.
    pub synchronizer: Synchronizer,
    /// In a delta, which of the watched properties changed: one bit each, from the lowest.
    pub changed: Option<u64>,
    /// The values of the properties.
    pub values: Arguments<'a>,
}

impl State<'_> {
    /// The number of its bytes in the packet.
    #[cfg(feature = "capture")]
    pub(crate) const fn len(&self) -> usize {
        // The synchronizer and the size take 4 bytes each, the changed properties 8.
        let header = if self.changed.is_some() { 16 } else { 8 };
        self.values.bytes.len().saturating_add(header)
    }
}

/// How a state refers to its synchronizer. On the wire, the top bit of 32 says which way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
        let (rest, state) = match state(self.0.options, self.0.is_delta, self.0.bytes) {
            Ok((rest, state)) => (rest, Some(state)),
            // The states were checked before.
            Err(_) => (&[][..], None),
        };
        self.0.bytes = rest;
        state
    }
}

impl FusedIterator for StatesIter<'_> {}

/// At least one state, up to the end of the input.
pub(super) fn states<'a>(
    options: ReadOptions,
    is_delta: bool,
    input: &'a [u8],
) -> Parsed<'a, States<'a>> {
    let (mut rest, _) = state(options, is_delta, input)?;
    while !rest.is_empty() {
        (rest, _) = state(options, is_delta, rest)?;
    }
    Ok((rest, States { bytes: input, options, is_delta }))
}

fn state<'a>(options: ReadOptions, is_delta: bool, input: &'a [u8]) -> Parsed<'a, State<'a>> {
    let (input, id) = le_u32(PacketPart::State).parse(input)?;
    let synchronizer = match id & TOP_BIT {
        0 => Synchronizer::NetId(id),
        _ => Synchronizer::PathId(id & !TOP_BIT),
    };
    let (input, changed) = if is_delta {
        map(bytes(PacketPart::State), |bits| Some(u64::from_le_bytes(bits))).parse(input)?
    } else {
        (input, None)
    };
    let (input, size) = le_u32(PacketPart::State).parse(input)?;
    let (rest, values) = take(size as usize, PacketPart::State).parse(input)?;
    let (_, values) =
        arguments(ArgumentPacking::Compressed, options, ArgumentCount::ToEnd, values)?;
    Ok((rest, State { synchronizer, changed, values }))
}
