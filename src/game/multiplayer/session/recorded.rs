//! Sends packets that another peer sent in a recorded session, with the ids of this session.

use super::event::SessionError;
use super::nodes::Called;
use super::{Session, from_root};
use crate::game::multiplayer::PeerId;
use crate::game::multiplayer::encode::{PacketEncodeError, SpawnedNode};
use crate::game::multiplayer::names::NO_METHODS;
use crate::game::multiplayer::packet::{
    Call, CallWidths, Method, Node, Packet, Set, Spawn, States, Synchronizer,
};
use crate::game::multiplayer::paths::put_name;
use crate::game::project::TransferMode;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A packet that a peer sent in a recorded session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RecordedPacket<'p> {
    /// The packet, without the headers of relays and transports.
    pub packet: Packet<'p>,
    /// Its receivers in the recorded session.
    pub target: PeerId,
    /// The name of the method that it calls, if that is known.
    pub method: Option<&'p str>,
    /// How it was sent, and the transfer channel; none if that is not known.
    pub sending: Option<(TransferMode, u8)>,
}

impl<'p> RecordedPacket<'p> {
    /// A packet to some receivers, of which nothing else is known.
    #[must_use]
    pub const fn new(packet: Packet<'p>, target: PeerId) -> RecordedPacket<'p> {
        RecordedPacket { packet, target, method: None, sending: None }
    }
}

/// The meaning of the ids in the packets of a recorded peer, and the ids that replace them in this
/// session.
#[derive(Clone, Default, Debug)]
pub struct RecordedIds {
    /// The peers of the recording that are in this session.
    peers: BTreeMap<PeerId, PeerId>,
    /// The paths that the recorded peer has announced, with the digests of their methods.
    paths: BTreeMap<u32, (Box<str>, Option<Box<str>>)>,
    digests: BTreeMap<Box<str>, Box<str>>,
    /// The numbers of nodes and synchronizers that it has spawned.
    net_ids: BTreeMap<u32, u32>,
    time: u16,
}

impl RecordedIds {
    /// Ids that stand for nothing yet.
    #[must_use]
    pub fn new() -> RecordedIds {
        RecordedIds::default()
    }

    /// A peer of the recording has this id in this session. It stands for the recorded id in the names of
    /// nodes, such as `7` or `Player1939355133`: an id of less than six digits has to be the whole name.
    pub fn set_peer(&mut self, recorded: PeerId, here: PeerId) {
        self.peers.insert(recorded, here);
    }

    fn target(&self, recorded: PeerId) -> Result<PeerId, SessionError> {
        let peer = PeerId::new(recorded.get().saturating_abs());
        if peer == PeerId::EVERYONE || peer == PeerId::SERVER {
            return Ok(recorded);
        }
        let here = self.peers.get(&peer).ok_or(SessionError::UnknownPeer { peer })?;
        let is_excluded = recorded.get() < 0;
        Ok(if is_excluded { PeerId::new(here.get().saturating_neg()) } else { *here })
    }

    /// The name that a node has here: with the ids of this session for those of peers.
    fn name(&self, recorded: &str) -> String {
        let here =
            |id: i64| self.peers.get(&PeerId::new(id.try_into().ok()?)).map(PeerId::to_string);
        let mut name = String::new();
        put_name(&mut name, recorded, &here);
        name
    }

    /// The path that a node has here, and the recorded digest of its methods.
    fn node(&self, node: Node<'_>) -> Result<(String, Option<&str>), SessionError> {
        let (path, digest) = match node {
            Node::Path(path) => (path, self.digests.get(path)),
            Node::Id(id) => {
                let path = || id.to_string();
                let (path, digest) = self
                    .paths
                    .get(&id)
                    .ok_or_else(|| SessionError::UnknownNode { path: path() })?;
                (&**path, digest.as_ref())
            }
        };
        let names: Vec<_> = from_root(path).split('/').map(|name| self.name(name)).collect();
        Ok((names.join("/"), digest.map(|digest| &**digest)))
    }
}

impl Session {
    /// Sends a packet that a peer sent in a recorded session, with the ids of this session: a call,
    /// a property, raw bytes, spawned nodes or states. Packets that a session sends on its own,
    /// such as to announce paths, are only noted. Returns whether something was sent: states are
    /// not until the other end has confirmed the path of their synchronizer, as in the engine.
    ///
    /// In Godot 4, methods are found by their names, if the names of this session have the node and the
    /// method; otherwise the recorded numbers are sent. Nodes are announced with the recorded digest, unless
    /// this session has other methods for them.
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownPeer`], [`SessionError::UnknownNode`], [`SessionError::UnknownMethod`],
    /// [`SessionError::NoSuchNode`], and [`SessionError::Encode`] for what this engine cannot express.
    pub fn send_recorded(
        &mut self,
        ids: &mut RecordedIds,
        recorded: &RecordedPacket<'_>,
    ) -> Result<bool, SessionError> {
        let (mode, channel) = recorded.sending.unwrap_or((TransferMode::Reliable, 0));
        let target = recorded.target;
        match recorded.packet {
            Packet::SimplifyPath(simplify) => {
                if let Some(md5) = simplify.md5 {
                    ids.digests.insert(simplify.path.into(), md5.into());
                }
                ids.paths.insert(simplify.id, (simplify.path.into(), simplify.md5.map(Box::from)));
                return Ok(false);
            }
            Packet::Call(call) => self.call_recorded(ids, recorded, &call)?,
            Packet::Set(Set { node, property, value }) => {
                let (path, _) = ids.node(node)?;
                let target = ids.target(target)?;
                let value = value.iter().next();
                let value = value.ok_or(SessionError::NoSuchNode)?;
                self.set(target, &path, property, &value, mode)?;
            }
            Packet::Raw(raw) => self.send_bytes(ids.target(target)?, raw.bytes, mode, channel)?,
            Packet::Spawn(spawn) => self.spawn_recorded(ids, target, &spawn)?,
            Packet::Despawn { net_id } => {
                let net_id = *ids.net_ids.get(&net_id).ok_or(SessionError::NoSuchNode)?;
                let bytes = self.encoder.despawn(net_id, Vec::new())?;
                self.send(ids.target(target)?, TransferMode::Reliable, 0, bytes)?;
            }
            Packet::Sync(sync) => return self.states_recorded(ids, target, &sync.states, true),
            Packet::Delta(states) => return self.states_recorded(ids, target, &states, false),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn call_recorded(
        &mut self,
        ids: &RecordedIds,
        recorded: &RecordedPacket<'_>,
        call: &Call<'_>,
    ) -> Result<(), SessionError> {
        let (path, digest) = ids.node(call.node)?;
        let target = ids.target(recorded.target)?;
        let fits = self.fits(&path, digest.unwrap_or_default());
        let named = recorded.method.map(|method| self.method_of(&path, method));
        let mut called = match (named, call.method) {
            (Some(Ok(called)), _) => called,
            // A number means nothing if this session has other methods for the node.
            (named, Method::Number { index, .. }) if fits == Some(false) => {
                let unknown = || SessionError::UnknownMethod { path, method: format!("#{index}") };
                return Err(named.and_then(Result::err).unwrap_or_else(unknown));
            }
            (_, method) => Called { method, mode: TransferMode::Reliable, channel: 0 },
        };
        if let Some((mode, channel)) = recorded.sending {
            (called.mode, called.channel) = (mode, channel);
        }
        let Called { method, mode, channel } = called;
        self.send_about(target, &path, (mode, channel), digest, &|encoder, node, width| {
            let widths = CallWidths { node: width, method: 0 };
            encoder.call_of(node, method, widths, &call.arguments, Vec::new())
        })
    }

    fn spawn_recorded(
        &mut self,
        ids: &mut RecordedIds,
        target: PeerId,
        spawn: &Spawn<'_>,
    ) -> Result<(), SessionError> {
        let target = ids.target(target)?;
        let (path, digest) = ids.node(Node::Id(spawn.spawner))?;
        let peers = self.targets(target);
        let digest = digest.unwrap_or(NO_METHODS);
        let (spawner, _) = self.announce(&path, &peers, Some(digest))?;
        // The other receivers of the same spawn get the same numbers.
        let mut here = |recorded: u32| {
            *ids.net_ids.entry(recorded).or_insert_with(|| self.replication.next_net_id())
        };
        let net_id = here(spawn.net_id);
        let synchronizers: Vec<_> = spawn.synchronizers.iter().map(here).collect();
        let name = ids.name(spawn.name);
        let node = SpawnedNode { spawner, net_id, name: &name, synchronizers: &synchronizers };
        let bytes = match spawn.scene {
            Some(scene) => self.encoder.spawn(&node, scene, &spawn.state, Vec::new()),
            None => self.encoder.spawn_made(&node, &spawn.argument, &spawn.state, Vec::new()),
        }?;
        self.send(target, TransferMode::Reliable, 0, bytes)
    }

    fn states_recorded(
        &mut self,
        ids: &mut RecordedIds,
        target: PeerId,
        states: &States<'_>,
        is_sync: bool,
    ) -> Result<bool, SessionError> {
        let target = ids.target(target)?;
        let peers = self.targets(target);
        ids.time = ids.time.wrapping_add(1);
        let (mut written, mode) = if is_sync {
            (self.encoder.sync(ids.time, Vec::new())?, TransferMode::Unreliable)
        } else {
            (self.encoder.delta(Vec::new())?, TransferMode::Reliable)
        };
        let mut is_empty = true;
        for state in states.iter() {
            let synchronizer = match state.synchronizer {
                Synchronizer::NetId(id) => {
                    Synchronizer::NetId(*ids.net_ids.get(&id).ok_or(SessionError::NoSuchNode)?)
                }
                Synchronizer::PathId(id) => {
                    let (path, digest) = ids.node(Node::Id(id))?;
                    let digest = digest.unwrap_or(NO_METHODS);
                    let (id, confirmed) = self.announce(&path, &peers, Some(digest))?;
                    if peers.is_empty() || confirmed.len() < peers.len() {
                        continue;
                    }
                    Synchronizer::PathId(id)
                }
            };
            let result: Result<(), PacketEncodeError> = match state.changed {
                Some(changed) => written.changed(synchronizer, changed, &state.values),
                None => written.state(synchronizer, &state.values),
            };
            result?;
            is_empty = false;
        }
        if is_empty {
            return Ok(false);
        }
        let bytes = written.finish()?;
        self.send(target, mode, 0, bytes)?;
        Ok(true)
    }
}
