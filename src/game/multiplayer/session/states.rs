//! The spawns, despawns and states that other peers send: checks them, and turns them into events
//! of the [`Session`].

use super::Session;
use super::event::{ReceivedSpawn, ReceivedStates, Refusal, SessionEvent};
use crate::game::multiplayer::PeerId;
use crate::game::multiplayer::grammar::TOP_BIT;
use crate::game::multiplayer::packet::{Node, Packet, Spawn, States, Synchronizer};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;

impl Session {
    /// Takes a spawned node.
    pub(super) fn spawned(
        &mut self,
        from: PeerId,
        packet: &Packet<'_>,
        spawn: &Spawn<'_>,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        let (net_id, name) = (spawn.net_id, spawn.name);
        let spawner = self.path_of(from, Node::Id(spawn.spawner))?;
        if self.authority(&spawner) != from {
            return Err(Refusal::NotAllowed);
        }
        if !is_node_name(name) {
            return Err(Refusal::InvalidName);
        }
        if self.peers.get(&from).is_some_and(|peer| peer.nodes.contains_key(&net_id)) {
            return Err(Refusal::DuplicateNode { net_id });
        }
        let ids: Vec<_> = spawn.synchronizers.iter().map(|id| id & !TOP_BIT).collect();
        self.note(from, name, ids.len().saturating_add(1), packet)?;
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.synchronizers.extend(&ids);
            peer.nodes.insert(net_id, ids);
        }
        let context = self.context(from);
        let scene = context.scene_of_spawn(spawn).map(|scene| scene.path.to_owned());
        let path = context.spawned_path(spawn);
        let packet = self.received(from, bytes);
        let spawned = ReceivedSpawn { spawner, path, scene, packet };
        self.events.push_back(SessionEvent::Spawned(spawned));
        Ok(())
    }

    /// Takes the removal of a spawned node.
    pub(super) fn despawned(&mut self, from: PeerId, net_id: u32) -> Result<(), Refusal> {
        let name = self.paths.spawned(from, net_id).map(|spawned| spawned.name.to_owned());
        let peer = self.peers.get_mut(&from);
        let Some((peer, name)) = peer.zip(name) else {
            return Err(Refusal::NotSpawned { net_id });
        };
        let ids = peer.nodes.remove(&net_id).ok_or(Refusal::NotSpawned { net_id })?;
        for id in &ids {
            peer.times.remove(id);
            peer.synchronizers.remove(id);
        }
        peer.announcements = peer.announcements.saturating_sub(ids.len().saturating_add(1));
        // Its names are kept until the event is taken: events before it need them.
        self.events.push_back(SessionEvent::Despawned { from, net_id, name });
        Ok(())
    }

    /// Takes the states of synchronizers. `time` is that of a sync.
    pub(super) fn states(
        &mut self,
        from: PeerId,
        time: Option<u16>,
        states: &States<'_>,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        let mut refused = None;
        let accepted: Vec<_> = states
            .iter()
            .map(|state| match self.is_accepted(from, time, state.synchronizer) {
                Ok(is_accepted) => is_accepted,
                Err(reason) => {
                    refused = Some(reason);
                    false
                }
            })
            .collect();
        if accepted.contains(&true) {
            let packet = self.received(from, bytes);
            let states = ReceivedStates { packet, accepted };
            self.events.push_back(SessionEvent::States(states));
        }
        refused.map_or(Ok(()), Err)
    }

    /// Whether a state is accepted. Some that are not are no mistake of the sender.
    fn is_accepted(
        &mut self,
        from: PeerId,
        time: Option<u16>,
        synchronizer: Synchronizer,
    ) -> Result<bool, Refusal> {
        let is_known = match synchronizer {
            // Only the authority of a synchronizer gives its number.
            Synchronizer::NetId(id) => {
                self.peers.get(&from).is_some_and(|peer| peer.synchronizers.contains(&id))
            }
            Synchronizer::PathId(id) => match self.authority_of(from, id) {
                Some(authority) if authority != from => return Err(Refusal::NotAllowed),
                authority => authority.is_some(),
            },
        };
        let Some(time) = time else {
            return if is_known { Ok(true) } else { Err(Refusal::UnknownSynchronizer) };
        };
        // A sync may overtake the spawn or the announcement of its synchronizer.
        let Some(peer) = self.peers.get_mut(&from).filter(|_| is_known) else { return Ok(false) };
        let id = match synchronizer {
            Synchronizer::NetId(id) => id,
            Synchronizer::PathId(id) => id | TOP_BIT,
        };
        let last = peer.times.get(&id).copied();
        // Like the engine, this takes a much smaller time as one after the counter has wrapped.
        let is_old =
            last.is_some_and(|last| time <= last && last.saturating_sub(time) < i16::MAX as u16);
        if !is_old {
            peer.times.insert(id, time);
        }
        Ok(!is_old)
    }

    /// The authority of the node whose path a peer has announced with an id. A packet may name it
    /// thousands of times, so it is looked up once.
    fn authority_of(&mut self, from: PeerId, id: u32) -> Option<PeerId> {
        if let Some(authority) = self.peers.get(&from)?.authorities.get(&id) {
            return Some(*authority);
        }
        let authority = self.authority(self.paths.path(from, id)?);
        self.peers.get_mut(&from)?.authorities.insert(id, authority);
        Some(authority)
    }
}

/// Whether a node can be spawned with a name. The engine makes names with `@`, but no other sign that
/// means something in paths.
pub(super) fn is_node_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['.', ':', '/', '"', '%'])
}
