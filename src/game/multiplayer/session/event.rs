//! The events and errors of a session.

use crate::game::multiplayer::arguments::Arguments;
use crate::game::multiplayer::packet::{Packet, Spawn, State};
use crate::game::multiplayer::{Error, MultiplayerProtocol, PacketEncodeError, PeerId, parse};
use crate::game::project::TransferMode;
use crate::value::ReadOptions;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A packet that a session wants to send.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Transmit {
    /// The other end of the connection: for a client always the server.
    pub to: PeerId,
    /// How it is sent.
    pub mode: TransferMode,
    /// ENet's channel. Over WebSocket, it has no meaning.
    pub channel: u8,
    /// The content of the ENet packet or the WebSocket message.
    pub bytes: Vec<u8>,
}

/// Something that happened in a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SessionEvent {
    /// A peer has connected and must be authenticated: see
    /// [`Session::send_auth`](super::Session::send_auth).
    Authenticating {
        /// The peer.
        peer: PeerId,
    },
    /// A peer sent data for its authentication.
    Auth {
        /// The peer.
        peer: PeerId,
        /// The bytes that it sent.
        bytes: Vec<u8>,
    },
    /// A peer was not authenticated in time, or left before. Close its connection.
    AuthenticationFailed {
        /// The peer.
        peer: PeerId,
    },
    /// A peer was admitted: from now on, it can be called.
    PeerConnected {
        /// The peer.
        peer: PeerId,
    },
    /// A peer has left. If it is the server, all other peers have left with it.
    PeerDisconnected {
        /// The peer.
        peer: PeerId,
    },
    /// A peer called a method.
    Call(ReceivedCall),
    /// A peer set a property: `rset()` of Godot 3.
    Set(ReceivedCall),
    /// A peer sent raw bytes: `send_bytes()`.
    Bytes {
        /// The sender.
        from: PeerId,
        /// The bytes that it sent.
        bytes: Vec<u8>,
    },
    /// A peer spawned a node.
    Spawned(ReceivedSpawn),
    /// A peer removed a node that it had spawned.
    Despawned {
        /// The sender.
        from: PeerId,
        /// The number that the spawn gave the node.
        net_id: u32,
        /// The node's name.
        name: String,
    },
    /// A peer sent the states of nodes.
    States(ReceivedStates),
    /// The two ends have different methods for a node. Calls of this node may run other methods than
    /// those that were meant.
    Mismatch {
        /// The other peer.
        peer: PeerId,
        /// The path of the node.
        path: String,
    },
    /// A packet was refused.
    Refused {
        /// The sender.
        from: PeerId,
        /// Why it was refused.
        reason: Refusal,
    },
}

/// A call of a method, or a change of a property.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReceivedCall {
    /// The path of the node, relative to the root of the multiplayer API.
    pub path: String,
    /// The name of the method or property. None if only its number is known.
    pub method: Option<String>,
    /// The packet.
    pub packet: ReceivedPacket,
}

impl ReceivedCall {
    /// The sender.
    #[must_use]
    pub const fn from(&self) -> PeerId {
        self.packet.from
    }

    /// The arguments of the call, or the value of the property.
    #[must_use]
    pub fn arguments(&self) -> Arguments<'_> {
        match self.packet.packet() {
            Packet::Call(call) => call.arguments,
            Packet::Set(set) => set.value,
            // There is no other packet in such an event.
            _ => Arguments::none(self.packet.options),
        }
    }
}

/// A spawned node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReceivedSpawn {
    /// The path of the spawner.
    pub spawner: String,
    /// The path of the node, if a project says where the spawner puts its nodes.
    pub path: Option<String>,
    /// The path of its scene, `res://…`, if a project says it.
    pub scene: Option<String>,
    /// The packet.
    pub packet: ReceivedPacket,
}

impl ReceivedSpawn {
    /// The content of the packet. [`Spawn::properties`] has the names of its values.
    #[must_use]
    pub fn spawn(&self) -> Option<Spawn<'_>> {
        match self.packet.packet() {
            Packet::Spawn(spawn) => Some(spawn),
            _ => None,
        }
    }
}

/// The states that synchronizers of a peer sent together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReceivedStates {
    /// The packet.
    pub packet: ReceivedPacket,
    /// Whether each of its states is accepted.
    pub(super) accepted: Vec<bool>,
}

impl ReceivedStates {
    /// The states, without those that the sender may not send, that are older than others, or whose
    /// synchronizer is not known. [`State::properties`] has the names of their values.
    pub fn states(&self) -> impl Iterator<Item = State<'_>> {
        let states = match self.packet.packet() {
            Packet::Sync(sync) => Some(sync.states),
            Packet::Delta(states) => Some(states),
            _ => None,
        };
        let states = states.into_iter().flatten().zip(&self.accepted);
        states.filter(|(_, is_accepted)| **is_accepted).map(|(state, _)| state)
    }

    /// Whether they are properties that have changed, not those that are sent at intervals.
    #[must_use]
    pub fn is_delta(&self) -> bool {
        matches!(self.packet.packet(), Packet::Delta(_))
    }
}

/// A packet that was received and checked.
#[derive(Clone)]
pub struct ReceivedPacket {
    pub(super) from: PeerId,
    pub(super) protocol: MultiplayerProtocol,
    pub(super) options: ReadOptions,
    pub(super) bytes: Vec<u8>,
}

impl ReceivedPacket {
    /// The sender.
    #[must_use]
    pub const fn from(&self) -> PeerId {
        self.from
    }

    /// Its bytes, without the headers of relays and transports.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its content. [`Session::context`](super::Session::context) has the names for it.
    #[must_use]
    pub fn packet(&self) -> Packet<'_> {
        // It was read before, so it can be read again.
        parse(self.protocol, self.options, &self.bytes).unwrap_or(Packet::Auth(&[]))
    }
}

impl fmt::Debug for ReceivedPacket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ReceivedPacket");
        shown.field("from", &self.from).field("packet", &self.packet()).finish()
    }
}

/// Why a session refused a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It cannot be read.
    #[error("the packet cannot be read: {0}")]
    Unreadable(#[from] Error),
    /// It is too short for the header of its transport, or has an unknown kind.
    #[error("the packet has no valid header")]
    Header,
    /// Its sender is not connected.
    #[error("the sender is not connected")]
    NotConnected,
    /// Its sender was not authenticated yet.
    #[error("the sender is not authenticated")]
    NotAuthenticated,
    /// It has data for an authentication, and there is none, or it is over. If the sender waits for an
    /// answer, this peer lacks
    /// [`with_authentication`](super::SessionOptions::with_authentication).
    #[error("the sender wants an authentication, and this peer has none now")]
    UnexpectedAuth,
    /// It names a sender that is not the end of the connection.
    #[error("the packet claims to come from peer {source_peer}")]
    Forged {
        /// The sender that it names.
        source_peer: PeerId,
    },
    /// It concerns a peer that is not connected, or has an id that no peer can have.
    #[error("there is no peer {peer}")]
    UnknownPeer {
        /// The peer.
        peer: PeerId,
    },
    /// Only the server may send this packet, or relaying is switched off.
    #[error("the sender may not send such a packet")]
    NotServer,
    /// The sender has not announced this id.
    #[error("the sender has announced no path with the id {id}")]
    UnknownId {
        /// The id.
        id: u32,
    },
    /// The sender has announced this id before.
    #[error("the sender has announced the id {id} twice")]
    DuplicateId {
        /// The id.
        id: u32,
    },
    /// No names are known for the node.
    #[error("the node is not known")]
    UnknownNode,
    /// The node has no such method.
    #[error("the node has no such method")]
    UnknownMethod,
    /// Only the authority of the node may send this.
    #[error("the sender is not the authority of the node")]
    NotAllowed,
    /// The path that it confirms was not announced to the sender.
    #[error("the packet confirms a path that was not announced")]
    NotAnnounced,
    /// The node that it removes was not spawned by the sender.
    #[error("the sender has spawned no node with the number {net_id}")]
    NotSpawned {
        /// The number of the node.
        net_id: u32,
    },
    /// The sender has spawned another node with this number.
    #[error("the sender has spawned a node with the number {net_id} before")]
    DuplicateNode {
        /// The number of the node.
        net_id: u32,
    },
    /// A spawned node cannot have this name.
    #[error("a node cannot have this name")]
    InvalidName,
    /// The sender has announced no such synchronizer.
    #[error("the synchronizer is not known")]
    UnknownSynchronizer,
    /// The sender has reached a [limit](super::SessionLimits).
    #[error("the sender has announced too many or too long names")]
    TooMuch,
}

/// The reason why a session cannot do what a method requests.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// There is no such peer.
    #[error("there is no peer {peer}")]
    UnknownPeer {
        /// The peer.
        peer: PeerId,
    },
    /// Another peer has this id, or no peer can have it.
    #[error("a new peer cannot have the id {peer}")]
    InvalidPeer {
        /// The id.
        peer: PeerId,
    },
    /// There are as many peers as the limit allows.
    #[error("there are {limit} peers already")]
    TooManyPeers {
        /// The limit.
        limit: usize,
    },
    /// The names do not contain the node.
    #[error("the node {path:?} is not known")]
    UnknownNode {
        /// Its path.
        path: String,
    },
    /// The node has no such method.
    #[error("the node {path:?} has no remote method {method:?}")]
    UnknownMethod {
        /// The path of the node.
        path: String,
        /// The method.
        method: String,
    },
    /// The peer is not being authenticated, or one end has completed that.
    #[error("peer {peer} is not being authenticated")]
    NotAuthenticating {
        /// The peer.
        peer: PeerId,
    },
    /// This peer is not the authority of the spawner or synchronizer.
    #[error("this peer is not the authority of the node {path:?}")]
    NotAuthority {
        /// Its path.
        path: String,
    },
    /// The spawner's list does not have the scene, or its synchronizers are not known.
    #[error("the spawner {spawner:?} has no scene {scene:?} whose synchronizers are known")]
    UnknownScene {
        /// The path of the spawner.
        spawner: String,
        /// The path of the scene.
        scene: String,
    },
    /// A spawned node cannot have this name.
    #[error("a node cannot have the name {name:?}")]
    InvalidName {
        /// The name.
        name: String,
    },
    /// The spawner has a node with this name: games would refuse a second one.
    #[error("the spawner {spawner:?} has spawned a node {name:?} already")]
    NameTaken {
        /// The path of the spawner.
        spawner: String,
        /// The name.
        name: String,
    },
    /// This peer has spawned no such node, or has no such synchronizer.
    #[error("this peer has no such node or synchronizer")]
    NoSuchNode,
    /// The synchronizer sends no such property.
    #[error("the synchronizer has no property {property:?}")]
    UnknownProperty {
        /// The property.
        property: String,
    },
    /// A state is too large, so that the engine would not send it.
    #[error("a state of {len} bytes is too large: at most {limit} are sent")]
    StateTooLarge {
        /// Its length.
        len: usize,
        /// The largest length.
        limit: usize,
    },
    /// Only Godot 4 has spawners and synchronizers.
    #[error("only Godot 4 has spawners and synchronizers")]
    NoReplication,
    /// The packet is longer than the transport takes.
    #[error("a packet of {len} bytes is too long: at most {limit} are sent")]
    PacketTooLong {
        /// Its length.
        len: usize,
        /// The greatest length.
        limit: usize,
    },
    /// The connection has fewer channels.
    #[error("there is no transfer channel {channel}: the highest is {highest}")]
    NoSuchChannel {
        /// The channel.
        channel: u8,
        /// The highest channel that the connection has.
        highest: usize,
    },
    /// The packet cannot be written.
    #[error(transparent)]
    Encode(#[from] PacketEncodeError),
}
