//! One peer of a multiplayer game, without sockets: packets and time go in, packets and events come
//! out.
//!
//! A [`Session`] is a server or a client. It admits peers, announces and confirms paths, calls methods
//! by name, and reports the calls of others. The connections are yours: tell the session when one
//! opens or closes, pass it each packet, and send what [`Session::poll_transmit`] returns.
//!
//! ```
//! use std::sync::Arc;
//! use gdwire::Dialect;
//! use gdwire::multiplayer::{Methods, Names, PeerId};
//! use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
//!
//! let names = Arc::new(Names::from(Methods::parse("Main/World: take_hit respawn")?));
//! let server = SessionOptions::server(Dialect::GODOT_4).with_names(names.clone());
//! let mut server = Session::new(server);
//! let id = PeerId::new(7);
//! let client = SessionOptions::client(Dialect::GODOT_4, id).with_names(names);
//! let mut client = Session::new(client);
//!
//! // The transport has connected both.
//! server.connected(id)?;
//! client.connected(PeerId::SERVER)?;
//!
//! server.call(id, "Main/World", "take_hit", (7, "arrow"))?;
//! while let Some(sent) = server.poll_transmit() {
//!     client.receive(PeerId::SERVER, &sent.bytes, sent.mode, sent.channel);
//! }
//! let mut calls = 0;
//! while let Some(event) = client.poll_event() {
//!     if let SessionEvent::Call(call) = event {
//!         assert_eq!((&*call.path, call.method.as_deref()), ("Main/World", Some("take_hit")));
//!         assert_eq!(call.arguments().to_string(), "7, \"arrow\"");
//!         calls += 1;
//!     }
//! }
//! assert_eq!(calls, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Transports
//!
//! For Godot 4, a session speaks what ENet packets and WebSocket messages contain. Over WebSocket, the
//! server first sends a client its id, in 4 bytes; that belongs to the transport. For Godot 3 and
//! Pandemonium, it speaks what ENet packets contain: the ids of the peers before each packet, and the
//! messages of the system channel.
//!
//! # Memory and time
//!
//! Call [`Session::poll_event`] and [`Session::poll_transmit`] until they return nothing, after
//! each packet. The announcements of other peers are kept within [`SessionLimits`]. A packet that
//! is wrong or that its sender may not send is reported as [`SessionEvent::Refused`], and changes
//! nothing.
//!
//! Time is the [`Duration`] since any moment of your choice. [`Session::handle_time`] drops peers whose
//! authentication takes too long, and sends the states of synchronizers, as the engine does in each
//! frame.
//!
//! # Spawned nodes and states
//!
//! In Godot 4, [`Session::spawn`] adds a node at all peers, also at those that come later.
//! [`Session::set_property`] changes a property of its synchronizers, and [`Session::handle_time`] sends
//! it. Nodes that others spawn, and their states, are events.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::math::Vector2;
//! use gdwire::multiplayer::PeerId;
//! use gdwire::multiplayer::session::{NewNode, Session, SessionEvent, SessionOptions, SyncConfig};
//!
//! let mut server = Session::new(SessionOptions::server(Dialect::GODOT_4));
//! let options = SessionOptions::client(Dialect::GODOT_4, PeerId::new(7));
//! let mut client = Session::new(options.with_unknown_nodes());
//! server.connected(PeerId::new(7))?;
//! client.connected(PeerId::SERVER)?;
//!
//! let config = SyncConfig::new().with_spawn(["name"]).with_sync(["position"]);
//! let node = NewNode::of_scene(0, "mob").with_synchronizer(config);
//! let mob = server.spawn("Main/Spawner", node, &[("name", "Grim".into())])?;
//! server.set_property(mob.synchronizers[0], "position", &Vector2::new(1.0, 2.0))?;
//! server.handle_time(std::time::Duration::from_millis(16));
//! while let Some(sent) = server.poll_transmit() {
//!     client.receive(PeerId::SERVER, &sent.bytes, sent.mode, sent.channel);
//! }
//! let mut shown = Vec::new();
//! while let Some(event) = client.poll_event() {
//!     match event {
//!         SessionEvent::Spawned(spawned) => {
//!             shown.extend(spawned.spawn().map(|spawn| format!("{}: {}", spawn.name, spawn.state)));
//!         }
//!         SessionEvent::States(states) => {
//!             shown.extend(states.states().map(|state| state.values.to_string()));
//!         }
//!         _ => {}
//!     }
//! }
//! assert_eq!(shown, ["mob: \"Grim\"", "Vector2(1, 2)"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Differences from the engine
//!
//! - There is no scene tree. A node is known if the [`Names`](super::Names) contain it, from a project
//!   or a list by hand. Your program says which nodes it spawns and which properties they have. All
//!   peers see all nodes.
//! - A method is remote for all peers unless a project says otherwise. The authority of a node is the
//!   server, or what [`Session::set_authority`] says.
//! - If synchronizers of one spawned scene belong to several peers, the names of the properties that
//!   others send with it are not known.
//! - A packet of Godot 4 that a client relays to all peers but one goes to all but that one.
//! - An end that has completed its authentication still reports data of the other one, and waits until that
//!   one has completed it, too. The engine takes such data for the end of the authentication.

mod event;
mod nodes;
mod options;
mod peers;
mod recorded;
mod replication;
mod scenes;
mod states;

pub use event::{
    ReceivedCall, ReceivedPacket, ReceivedSpawn, ReceivedStates, Refusal, SessionError,
    SessionEvent, Transmit,
};
pub(crate) use options::Capacity;
pub use options::{SessionLimits, SessionOptions};
pub use recorded::{RecordedIds, RecordedPacket};
pub use replication::{NewNode, SpawnedHere, SyncConfig, SyncId};

use super::grammar::TOP_BIT;
use super::known::MethodNames;
use super::names::Names;
use super::packet::{Call, Method, Node, Packet, Set};
use super::paths::is_at_or_below;
use super::{Context, MultiplayerProtocol, PacketEncoder, Paths, PeerId, parse};
use crate::game::project::TransferMode;
use crate::net::peer::PeerEnd;
use crate::value::ReadOptions;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;
use nodes::SentPath;
use peers::{Peer, Pending};
use replication::Replication;

/// One peer of a multiplayer game: see the [module](self).
#[derive(Debug)]
pub struct Session {
    options: SessionOptions,
    capacity: Capacity,
    encoder: PacketEncoder,
    now: Duration,
    /// The peers at the other ends of connections.
    links: BTreeSet<PeerId>,
    /// Those that are being authenticated.
    pending: BTreeMap<PeerId, Pending>,
    /// The admitted peers, including those that are connected only through the server.
    peers: BTreeMap<PeerId, Peer>,
    /// The paths and nodes that other peers have announced.
    paths: Paths,
    /// The peers that have left, and whose names are kept until that event is taken.
    leaving: BTreeSet<PeerId>,
    /// The paths that this peer has announced.
    sent: BTreeMap<Box<str>, SentPath>,
    sent_ids: BTreeMap<u32, Box<str>>,
    last_sent_id: u32,
    /// The authorities of nodes that are not the server.
    authorities: BTreeMap<Box<str>, PeerId>,
    /// The nodes that this peer has spawned, and those that it synchronizes.
    replication: Replication,
    transmits: VecDeque<Transmit>,
    events: VecDeque<SessionEvent>,
}

impl Session {
    /// Starts a session without any connection.
    #[must_use]
    pub fn new(options: SessionOptions) -> Session {
        let limits = options.limits;
        let entries = limits.peers.saturating_mul(limits.announcements);
        let bytes = entries.saturating_mul(limits.path_bytes);
        let paths = Paths::new().with_max_names(entries).with_max_bytes(bytes);
        let paths = match &options.names {
            Some(names) => paths.with_names(names.clone()),
            None => paths,
        };
        Session {
            encoder: PacketEncoder::new(options.protocol, options.dialect),
            options,
            capacity: Capacity::ANY,
            now: Duration::ZERO,
            links: BTreeSet::new(),
            pending: BTreeMap::new(),
            peers: BTreeMap::new(),
            paths,
            leaving: BTreeSet::new(),
            sent: BTreeMap::new(),
            sent_ids: BTreeMap::new(),
            last_sent_id: 0,
            authorities: BTreeMap::new(),
            replication: Replication::default(),
            transmits: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// The protocol that the session speaks.
    #[must_use]
    pub const fn protocol(&self) -> MultiplayerProtocol {
        self.options.protocol
    }

    /// The id of this peer.
    #[must_use]
    pub const fn id(&self) -> PeerId {
        self.options.id
    }

    /// Changes the id of this client: over WebSocket, the server chooses it.
    ///
    /// # Errors
    ///
    /// [`SessionError::InvalidPeer`] if the session is a server or has a connection, or if no client can
    /// have the id.
    pub fn assign_id(&mut self, id: PeerId) -> Result<(), SessionError> {
        if self.is_server() || !self.links.is_empty() || id.get() <= 1 {
            return Err(SessionError::InvalidPeer { peer: id });
        }
        self.options.id = id;
        Ok(())
    }

    /// The longest packet and the highest channel of the connections, which a peer over sockets sets.
    #[cfg(feature = "peer")]
    pub(crate) const fn capacity(&mut self) -> &mut Capacity {
        &mut self.capacity
    }

    /// Whether there is a connection to a peer.
    #[cfg(feature = "peer")]
    pub(crate) fn has_connection(&self, peer: PeerId) -> bool {
        self.links.contains(&peer)
    }

    /// Drops what a peer has sent and no event has reported yet, because its connection is being closed.
    #[cfg(feature = "peer")]
    pub(crate) fn drop_received(&mut self, peer: PeerId) {
        self.events.retain(|event| match event {
            SessionEvent::Auth { peer: from, .. }
            | SessionEvent::Mismatch { peer: from, .. }
            | SessionEvent::Bytes { from, .. }
            | SessionEvent::Despawned { from, .. }
            | SessionEvent::Refused { from, .. } => *from != peer,
            SessionEvent::Call(call) | SessionEvent::Set(call) => call.from() != peer,
            SessionEvent::Spawned(spawned) => spawned.packet.from() != peer,
            SessionEvent::States(states) => states.packet.from() != peer,
            SessionEvent::Authenticating { .. }
            | SessionEvent::AuthenticationFailed { .. }
            | SessionEvent::PeerConnected { .. }
            | SessionEvent::PeerDisconnected { .. } => true,
        });
    }

    /// The admitted peers, in the order of their ids.
    pub fn peers(&self) -> impl ExactSizeIterator<Item = PeerId> {
        self.peers.keys().copied()
    }

    /// The names for the numbers in the packets of a peer.
    #[must_use]
    pub fn context(&self, peer: PeerId) -> Context<'_> {
        Context::new().with_paths(&self.paths, peer).with_receiver(self.id())
    }

    /// The next packet to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.transmits.pop_front()
    }

    /// The next event. Until it is taken, [`Session::context`] has the names of what it removes.
    pub fn poll_event(&mut self) -> Option<SessionEvent> {
        let event = self.events.pop_front()?;
        match event {
            SessionEvent::Despawned { from, net_id, .. } => {
                self.paths.note(from, &Packet::Despawn { net_id });
            }
            // On a client, the others have left with the server.
            SessionEvent::PeerDisconnected { peer } => {
                let is_all = !self.is_server() && peer == PeerId::SERVER;
                let gone = if is_all { core::mem::take(&mut self.leaving) } else { [peer].into() };
                for peer in gone {
                    self.leaving.remove(&peer);
                    if !self.peers.contains_key(&peer) {
                        self.paths.forget(peer);
                    }
                }
            }
            _ => {}
        }
        Some(event)
    }

    /// Makes a peer the authority of the node at a path and of the nodes below it.
    pub fn set_authority(&mut self, path: &str, peer: PeerId) {
        self.authorities.insert(from_root(path).into(), peer);
        self.peers.values_mut().for_each(|peer| peer.authorities.clear());
    }

    /// The authority of a node: that of the node or of the nearest node above it for which one was
    /// set, or else the server.
    #[must_use]
    pub fn authority(&self, path: &str) -> PeerId {
        let mut path = from_root(path);
        loop {
            if let Some(peer) = self.authorities.get(path) {
                return *peer;
            }
            match path.rsplit_once('/') {
                Some((above, _)) => path = above,
                None => return PeerId::SERVER,
            }
        }
    }

    /// Forgets the node at a path and those below it, because the game has no such nodes any more:
    /// the ids of their paths, their authorities, and their synchronizers. Nodes that this peer has spawned
    /// below it, or with a spawner there, are despawned. Without this, a server on which players come and go
    /// keeps what it knows about the nodes of each.
    pub fn remove_node(&mut self, path: &str) {
        let path = from_root(path);
        self.despawn_below(path);
        let is_gone = |other: &str| is_at_or_below(other, path);
        self.sent.retain(|other, _| !is_gone(other));
        self.sent_ids.retain(|_, other| !is_gone(other));
        self.authorities.retain(|other, _| !is_gone(other));
        self.replication.remove_below(path);
        for (sender, id) in self.paths.forget_node(path) {
            let peer = self.peers.iter_mut().find(|(peer, _)| PeerEnd::from(**peer) == sender);
            if let Some((_, peer)) = peer {
                peer.announcements = peer.announcements.saturating_sub(1);
                peer.authorities.remove(&id);
                peer.times.remove(&(id | TOP_BIT));
            }
        }
    }

    /// Takes a packet that has arrived.
    ///
    /// `from` is the other end of the connection, `mode` how the packet was sent, and `channel` ENet's
    /// channel; over WebSocket, give channel 0. A server forwards packets on the same channel and in
    /// the same mode.
    pub fn receive(&mut self, from: PeerId, packet: &[u8], mode: TransferMode, channel: u8) {
        let result = if !self.links.contains(&from) {
            Err(Refusal::NotConnected)
        } else if self.options.protocol == MultiplayerProtocol::Godot4 {
            self.receive_new(from, channel, mode, packet)
        } else {
            self.receive_old(from, channel, mode, packet)
        };
        self.report(from, result);
    }

    /// Reports a packet that was refused.
    fn report(&mut self, from: PeerId, result: Result<(), Refusal>) {
        if let Err(reason) = result {
            self.events.push_back(SessionEvent::Refused { from, reason });
        }
    }

    const fn read_options(&self) -> ReadOptions {
        ReadOptions::new(self.options.dialect)
    }

    fn names(&self) -> Option<&Names> {
        self.options.names.as_deref()
    }

    const fn is_server(&self) -> bool {
        self.options.id.get() == PeerId::SERVER.get()
    }

    /// Reads a packet.
    fn parse<'p>(&self, bytes: &'p [u8]) -> Result<Packet<'p>, Refusal> {
        Ok(parse(self.options.protocol, self.read_options(), bytes)?)
    }

    /// Takes a packet without the headers of relays and transports, and its bytes.
    fn process(&mut self, from: PeerId, packet: &Packet<'_>, bytes: &[u8]) -> Result<(), Refusal> {
        if !self.peers.contains_key(&from) {
            return Err(Refusal::UnknownPeer { peer: from });
        }
        match *packet {
            Packet::SimplifyPath(simplify) => self.announced(from, packet, &simplify),
            Packet::ConfirmPath(confirm) => self.confirmed(from, &confirm),
            Packet::Raw(raw) => {
                let bytes = raw.bytes.to_vec();
                self.events.push_back(SessionEvent::Bytes { from, bytes });
                Ok(())
            }
            Packet::Call(Call { node, .. }) => {
                let path = self.path_of(from, node)?;
                self.called(from, path, packet, bytes)
            }
            Packet::Set(Set { node, property, .. }) => {
                let path = self.path_of(from, node)?;
                let packet = self.received(from, bytes);
                let method = Some(property.to_owned());
                self.events.push_back(SessionEvent::Set(ReceivedCall { path, method, packet }));
                Ok(())
            }
            Packet::Spawn(spawn) => self.spawned(from, packet, &spawn, bytes),
            Packet::Despawn { net_id } => self.despawned(from, net_id),
            Packet::Sync(sync) => self.states(from, Some(sync.time), &sync.states, bytes),
            Packet::Delta(states) => self.states(from, None, &states, bytes),
            // Relays and other system messages are not inside of others, and were read before.
            _ => Err(Refusal::Header),
        }
    }

    fn received(&self, from: PeerId, bytes: &[u8]) -> ReceivedPacket {
        let (protocol, options) = (self.options.protocol, self.read_options());
        ReceivedPacket { from, protocol, options, bytes: bytes.to_vec() }
    }

    /// Takes a call of a method of the node at a path.
    fn called(
        &mut self,
        from: PeerId,
        path: String,
        packet: &Packet<'_>,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        let context = self.context(from);
        let method = match packet.callee(context).map(|callee| callee.method) {
            Some(Method::Name(name)) => Some(name.to_owned()),
            _ => None,
        };
        if method.is_none() && !self.options.accepts_unknown {
            return Err(match self.methods_of(from_root(&path)) {
                MethodNames::Unknown => Refusal::UnknownNode,
                _ => Refusal::UnknownMethod,
            });
        }
        let is_for_all = packet.rpc_config(context).is_none_or(|config| config.any_peer);
        if !is_for_all && self.authority(&path) != from {
            return Err(Refusal::NotAllowed);
        }
        let packet = self.received(from, bytes);
        self.events.push_back(SessionEvent::Call(ReceivedCall { path, method, packet }));
        Ok(())
    }

    /// The path of a node to which a packet of a peer refers.
    fn path_of(&self, from: PeerId, node: Node<'_>) -> Result<String, Refusal> {
        match node {
            Node::Path(path) if path.len() > self.options.limits.path_bytes => {
                Err(Refusal::TooMuch)
            }
            Node::Path(path) => Ok(path.to_owned()),
            Node::Id(id) => {
                let path = self.paths.path(from, id).ok_or(Refusal::UnknownId { id })?;
                Ok(path.to_owned())
            }
        }
    }

    /// Remembers what a packet announces: a name and a number of ids.
    fn note(
        &mut self,
        from: PeerId,
        name: &str,
        ids: usize,
        packet: &Packet<'_>,
    ) -> Result<(), Refusal> {
        let limits = self.options.limits;
        let Some(peer) = self.peers.get_mut(&from) else {
            return Err(Refusal::UnknownPeer { peer: from });
        };
        let announcements = peer.announcements.saturating_add(ids);
        if name.len() > limits.path_bytes || announcements > limits.announcements {
            return Err(Refusal::TooMuch);
        }
        peer.announcements = announcements;
        self.paths.note(from, packet);
        Ok(())
    }

    fn transmit(&mut self, to: PeerId, mode: TransferMode, channel: u8, bytes: Vec<u8>) {
        self.transmits.push_back(Transmit { to, mode, channel, bytes });
    }
}

/// A path relative to the root of the scene tree.
fn from_root(path: &str) -> &str {
    path.strip_prefix("/root/").unwrap_or(path)
}
