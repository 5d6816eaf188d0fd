//! The nodes that this peer spawns, and the properties that it synchronizes: the half of a
//! [`Session`] that sends.

use super::event::SessionError;
use super::states::is_node_name;
use super::{Session, from_root};
use crate::game::multiplayer::encode::{
    ArgumentEncoder, EncodeArguments, PacketEncodeError, PacketEncoder, SpawnedNode, StateEncoder,
    compressed,
};
use crate::game::multiplayer::known::Shared;
use crate::game::multiplayer::names::NO_METHODS;
use crate::game::multiplayer::packet::{Packet, Synchronizer};
use crate::game::multiplayer::paths::is_at_or_below;
use crate::game::multiplayer::{MultiplayerProtocol, PeerId, parse};
use crate::game::project::{Config, TransferMode};
use crate::write::encode::{CountSink, Encode, Sink};
use crate::write::owned::Variant;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

/// The most bytes of a packet with states, as in the engine.
const SYNC_LIMIT: usize = 1_350;
const DELTA_LIMIT: usize = 65_535;
/// The most properties in a delta: one bit each.
const WATCHED_LIMIT: usize = 64;

/// The properties that a `MultiplayerSynchronizer` sends, and how often.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SyncConfig {
    spawn: Vec<Box<str>>,
    sync: Vec<Box<str>>,
    watched: Vec<Box<str>>,
    interval: Duration,
    delta_interval: Duration,
}

impl SyncConfig {
    /// No properties, and no intervals: states are sent each time that
    /// [`Session::handle_time`] is called.
    #[must_use]
    pub fn new() -> SyncConfig {
        SyncConfig::default()
    }

    /// The properties that are sent with a spawn, in the order of the scene.
    #[must_use]
    pub fn with_spawn<'n>(self, names: impl IntoIterator<Item = &'n str>) -> SyncConfig {
        SyncConfig { spawn: names.into_iter().map(Box::from).collect(), ..self }
    }

    /// The properties that are sent at intervals, in the order of the scene.
    #[must_use]
    pub fn with_sync<'n>(self, names: impl IntoIterator<Item = &'n str>) -> SyncConfig {
        SyncConfig { sync: names.into_iter().map(Box::from).collect(), ..self }
    }

    /// The properties that are sent when they change, in the order of the scene. Those after the
    /// 64th are never sent, because a delta has no bit for them.
    #[must_use]
    pub fn with_watched<'n>(self, names: impl IntoIterator<Item = &'n str>) -> SyncConfig {
        SyncConfig {
            watched: names.into_iter().map(Box::from).take(WATCHED_LIMIT).collect(),
            ..self
        }
    }

    /// The least time between two syncs, and between two deltas: `replication_interval` and
    /// `delta_interval`.
    #[must_use]
    pub fn with_intervals(self, sync: Duration, delta: Duration) -> SyncConfig {
        SyncConfig { interval: sync, delta_interval: delta, ..self }
    }
}

/// The properties and intervals of a synchronizer in a project.
impl From<Config<'_>> for SyncConfig {
    fn from(config: Config<'_>) -> SyncConfig {
        SyncConfig::new()
            .with_spawn(config.spawn().map(|property| property.name))
            .with_sync(config.sync().map(|property| property.name))
            .with_watched(config.watched().map(|property| property.name))
            .with_intervals(config.interval(), config.delta_interval())
    }
}

/// A node to be spawned.
#[derive(Clone, PartialEq, Debug)]
pub struct NewNode {
    origin: NodeOrigin,
    name: Box<str>,
    synchronizers: Vec<SyncConfig>,
}

#[derive(Clone, PartialEq, Debug)]
enum NodeOrigin {
    Scene(u8),
    Custom(Variant),
}

impl NewNode {
    /// A node of a scene in the spawner's list, with a name.
    #[must_use]
    pub fn of_scene(scene: u8, name: &str) -> NewNode {
        NewNode { origin: NodeOrigin::Scene(scene), name: name.into(), synchronizers: Vec::new() }
    }

    /// A node that the spawner's `spawn_function` makes from an argument, with a name.
    #[must_use]
    pub fn custom(argument: Variant, name: &str) -> NewNode {
        let origin = NodeOrigin::Custom(argument);
        NewNode { origin, name: name.into(), synchronizers: Vec::new() }
    }

    /// Adds the next synchronizer of the node, in the order of the scene.
    #[must_use]
    pub fn with_synchronizer(mut self, config: SyncConfig) -> NewNode {
        self.synchronizers.push(config);
        self
    }
}

/// A node that this peer has spawned.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SpawnedHere {
    /// The number of the node in packets.
    pub net_id: u32,
    /// The path of the node, if a project says where the spawner puts its nodes.
    pub path: Option<String>,
    /// Its synchronizers, in their order.
    pub synchronizers: Vec<SyncId>,
}

/// A synchronizer of this peer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SyncId(u32);

/// The state of a session's own nodes: those that it has spawned, and those that it synchronizes.
#[derive(Clone, Default, Debug)]
pub(super) struct Replication {
    last_net_id: u32,
    last_sync_id: u32,
    /// Counts the changes of properties.
    changes: u64,
    nodes: BTreeMap<u32, NodeHere>,
    synchronizers: BTreeMap<SyncId, SynchronizerHere>,
    /// The counter in syncs, for each peer.
    times: BTreeMap<PeerId, u16>,
}

impl Replication {
    pub(super) fn forget(&mut self, peer: PeerId) {
        self.times.remove(&peer);
        for synchronizer in self.synchronizers.values_mut() {
            synchronizer.seen.remove(&peer);
        }
    }

    /// Removes the synchronizers of a scene that are at a path or below it.
    pub(super) fn remove_below(&mut self, path: &str) {
        self.synchronizers.retain(|_, synchronizer| match &synchronizer.target {
            SyncTarget::Path(other) => !is_at_or_below(other, path),
            SyncTarget::NetId(_) => true,
        });
    }

    /// A number for a node or a synchronizer.
    pub(super) const fn next_net_id(&mut self) -> u32 {
        self.last_net_id = self.last_net_id.saturating_add(1);
        self.last_net_id
    }

    fn add(&mut self, synchronizer: SynchronizerHere) -> SyncId {
        self.last_sync_id = self.last_sync_id.saturating_add(1);
        let id = SyncId(self.last_sync_id);
        self.synchronizers.insert(id, synchronizer);
        id
    }

    /// The packet that spawns a node, with the id of its spawner's path.
    fn spawn_packet(
        &self,
        encoder: PacketEncoder,
        spawner: u32,
        net_id: u32,
    ) -> Result<Vec<u8>, SessionError> {
        let node = self.nodes.get(&net_id).ok_or(SessionError::NoSuchNode)?;
        let synchronizers = node.synchronizers.iter().filter_map(|id| self.synchronizers.get(id));
        Ok(node.packet(encoder, spawner, net_id, synchronizers)?)
    }

    /// The packets with the states for a peer. `due` has the synchronizers whose sync is due, and
    /// `known` those that the peer knows.
    fn states(
        &mut self,
        encoder: PacketEncoder,
        peer: PeerId,
        now: Duration,
        due: &[SyncId],
        known: &[(SyncId, Synchronizer)],
    ) -> Result<Vec<(TransferMode, Vec<u8>)>, PacketEncodeError> {
        let time = self.times.entry(peer).or_default();
        *time = time.wrapping_add(1);
        let mut packets =
            Packets { encoder, time: Some(*time), open: None, len: 0, done: Vec::new() };
        for (id, target) in known.iter().filter(|(id, _)| due.binary_search(id).is_ok()) {
            let Some(synchronizer) = self.synchronizers.get(id) else { continue };
            let values = synchronizer.values(&synchronizer.sync);
            packets.add(*target, None, &WrittenValues(values.map(|it| &*it.value).collect()))?;
        }
        packets.close()?;
        packets.time = None;
        for (id, target) in known {
            let Some(synchronizer) = self.synchronizers.get_mut(id) else { continue };
            let Some((bits, values)) = synchronizer.delta(peer, now) else { continue };
            packets.add(*target, Some(bits), &WrittenValues(values))?;
            synchronizer.seen.insert(peer, (self.changes, now));
        }
        packets.close()?;
        Ok(packets.done)
    }
}

/// Packets with states, which are written one after the other.
struct Packets {
    encoder: PacketEncoder,
    /// The time of syncs; none for deltas.
    time: Option<u16>,
    open: Option<StateEncoder<Vec<u8>>>,
    /// The length of the open packet.
    len: usize,
    done: Vec<(TransferMode, Vec<u8>)>,
}

impl Packets {
    fn add(
        &mut self,
        target: Synchronizer,
        changed: Option<u64>,
        values: &WrittenValues<'_>,
    ) -> Result<(), PacketEncodeError> {
        let size = values.len();
        if size == 0 {
            return Ok(());
        }
        let (head, state_head, limit) =
            if changed.is_some() { (1, 16, DELTA_LIMIT) } else { (3, 8, SYNC_LIMIT) };
        let len = state_head + size;
        if self.len.saturating_add(len) > limit {
            self.close()?;
        }
        let mut open = match (self.open.take(), self.time) {
            (Some(open), _) => open,
            (None, time) => {
                self.len = head;
                match time {
                    Some(time) => self.encoder.sync(time, Vec::new())?,
                    None => self.encoder.delta(Vec::new())?,
                }
            }
        };
        match changed {
            Some(changed) => open.changed(target, changed, values)?,
            None => open.state(target, values)?,
        }
        self.len = self.len.saturating_add(len);
        self.open = Some(open);
        Ok(())
    }

    fn close(&mut self) -> Result<(), PacketEncodeError> {
        self.len = 0;
        let Some(open) = self.open.take() else { return Ok(()) };
        let is_sync = self.time.is_some();
        let mode = if is_sync { TransferMode::Unreliable } else { TransferMode::Reliable };
        self.done.push((mode, open.finish()?));
        Ok(())
    }
}

#[derive(Clone, Debug)]
struct NodeHere {
    spawner: Shared<str>,
    name: Box<str>,
    origin: OriginHere,
    synchronizers: Vec<SyncId>,
}

impl NodeHere {
    /// The packet that spawns the node.
    fn packet<'s>(
        &self,
        encoder: PacketEncoder,
        spawner: u32,
        net_id: u32,
        synchronizers: impl Iterator<Item = &'s SynchronizerHere>,
    ) -> Result<Vec<u8>, PacketEncodeError> {
        let (mut ids, mut values) = (Vec::new(), Vec::new());
        for synchronizer in synchronizers {
            if let SyncTarget::NetId(id) = synchronizer.target {
                ids.push(id);
            }
            let of_spawn = synchronizer.values(&synchronizer.spawn);
            values.extend(of_spawn.map(|property| &*property.value));
        }
        let node = SpawnedNode { spawner, net_id, name: &self.name, synchronizers: &ids };
        let state = WrittenValues(values);
        match &self.origin {
            OriginHere::Scene(scene) => encoder.spawn(&node, *scene, &state, Vec::new()),
            OriginHere::Custom(argument) => {
                let argument = WrittenValues([&**argument].to_vec());
                encoder.spawn_made(&node, &argument, &state, Vec::new())
            }
        }
    }
}

#[derive(Clone, Debug)]
enum OriginHere {
    Scene(u8),
    /// The argument as packets have it.
    Custom(Vec<u8>),
}

#[derive(Clone, Debug)]
enum SyncTarget {
    Path(Shared<str>),
    NetId(u32),
}

#[derive(Clone, Debug)]
struct SynchronizerHere {
    target: SyncTarget,
    properties: Vec<PropertyHere>,
    /// The places of the properties that are sent at each occasion.
    spawn: Vec<usize>,
    sync: Vec<usize>,
    watched: Vec<usize>,
    interval: Duration,
    delta_interval: Duration,
    last_sync: Option<Duration>,
    /// The number of changes when each peer last got a delta, and the time.
    seen: BTreeMap<PeerId, (u64, Duration)>,
}

#[derive(Clone, Debug)]
struct PropertyHere {
    name: Box<str>,
    /// The value as packets have it.
    value: Vec<u8>,
    /// The number of the last change.
    changed: u64,
}

/// Null, as packets have it.
const NULL: [u8; 4] = [0; 4];

impl SynchronizerHere {
    fn new(target: SyncTarget, config: &SyncConfig) -> SynchronizerHere {
        let mut made = SynchronizerHere {
            target,
            properties: Vec::new(),
            spawn: Vec::new(),
            sync: Vec::new(),
            watched: Vec::new(),
            interval: config.interval,
            delta_interval: config.delta_interval,
            last_sync: None,
            seen: BTreeMap::new(),
        };
        made.spawn = config.spawn.iter().map(|name| made.place(name)).collect();
        made.sync = config.sync.iter().map(|name| made.place(name)).collect();
        made.watched = config.watched.iter().map(|name| made.place(name)).collect();
        made
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|property| *property.name == *name)
    }

    /// The place of a property, which is added if it is new.
    fn place(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            let value = NULL.to_vec();
            self.properties.push(PropertyHere { name: name.into(), value, changed: 0 });
            self.properties.len().saturating_sub(1)
        })
    }

    fn values<'s>(&'s self, places: &'s [usize]) -> impl Iterator<Item = &'s PropertyHere> {
        places.iter().filter_map(|place| self.properties.get(*place))
    }

    fn len(&self, places: &[usize]) -> usize {
        self.values(places).map(|property| property.value.len()).sum()
    }

    /// Checks that states with a new value of a property can be sent.
    fn check(&self, place: usize, value: &[u8]) -> Result<(), SessionError> {
        let old = self.properties.get(place).map_or(0, |property| property.value.len());
        for (places, limit) in [(&self.sync, SYNC_LIMIT), (&self.watched, DELTA_LIMIT)] {
            if places.contains(&place) {
                let len = self.len(places).saturating_sub(old).saturating_add(value.len());
                // The engine compares the packet, with its header and that of the state.
                let len = len.saturating_add(if limit == SYNC_LIMIT { 11 } else { 17 });
                if len > limit {
                    return Err(SessionError::StateTooLarge { len, limit });
                }
            }
        }
        Ok(())
    }

    /// Sets a property. A value that is the same is no change.
    fn set(&mut self, place: usize, value: Vec<u8>, change: u64) {
        if let Some(property) = self.properties.get_mut(place).filter(|it| it.value != value) {
            property.value = value;
            property.changed = change;
        }
    }

    /// Whether a sync is due. If so, the time is noted.
    fn is_due(&mut self, now: Duration) -> bool {
        let is_early = |last: Duration| now < last.saturating_add(self.interval);
        if self.last_sync.is_some_and(is_early) {
            return false;
        }
        self.last_sync = Some(now);
        true
    }

    /// The bits and values of the properties that have changed for a peer; none if there are none, or
    /// if it is too early.
    fn delta(&self, peer: PeerId, now: Duration) -> Option<(u64, Vec<&[u8]>)> {
        let seen = self.seen.get(&peer);
        if seen.is_some_and(|(_, last)| now < last.saturating_add(self.delta_interval)) {
            return None;
        }
        let (mut bits, mut values) = (0, Vec::new());
        for (bit, property) in (0..).zip(self.values(&self.watched)) {
            if seen.is_none_or(|(change, _)| property.changed > *change) {
                bits |= 1_u64.checked_shl(bit).unwrap_or(0);
                values.push(&*property.value);
            }
        }
        (bits != 0).then_some((bits, values))
    }
}

/// Values as packets have them.
struct WrittenValues<'v>(Vec<&'v [u8]>);

impl WrittenValues<'_> {
    fn len(&self) -> usize {
        self.0.iter().map(|value| value.len()).sum()
    }
}

impl EncodeArguments for WrittenValues<'_> {
    fn encode_arguments<S: Sink>(
        &self,
        encoder: &mut ArgumentEncoder<S>,
    ) -> Result<(), PacketEncodeError> {
        self.0.iter().for_each(|value| encoder.put_compressed(value));
        Ok(())
    }
}

impl Session {
    /// Spawns a node at all peers, and at those that come later. The spawner's path is relative to
    /// the root of the multiplayer API. `values` are properties of the node's synchronizers: a property
    /// that several of them have is set for all. Properties without a value are null.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAuthority`], [`SessionError::InvalidName`], [`SessionError::NameTaken`],
    /// [`SessionError::UnknownProperty`], [`SessionError::StateTooLarge`],
    /// [`SessionError::PacketTooLong`], [`SessionError::NoReplication`], and [`SessionError::Encode`]. Then
    /// nothing is spawned.
    pub fn spawn(
        &mut self,
        spawner: &str,
        node: NewNode,
        values: &[(&str, Variant)],
    ) -> Result<SpawnedHere, SessionError> {
        self.check_authority(spawner)?;
        if !is_node_name(&node.name) {
            return Err(SessionError::InvalidName { name: node.name.into() });
        }
        let spawner = from_root(spawner);
        let is_twin = |it: &NodeHere| it.name == node.name && *it.spawner == *spawner;
        if self.replication.nodes.values().any(is_twin) {
            let (spawner, name) = (spawner.to_owned(), node.name.into());
            return Err(SessionError::NameTaken { spawner, name });
        }
        let dialect = self.options.dialect;
        let origin = match &node.origin {
            NodeOrigin::Scene(scene) => OriginHere::Scene(*scene),
            NodeOrigin::Custom(argument) => OriginHere::Custom(compressed(dialect, argument)?),
        };
        let change = self.replication.changes.saturating_add(1);
        let net_id = self.replication.last_net_id.saturating_add(1);
        let numbers = net_id.saturating_add(1)..;
        let made = numbers.zip(&node.synchronizers);
        let mut made: Vec<_> =
            made.map(|(id, config)| SynchronizerHere::new(SyncTarget::NetId(id), config)).collect();
        for (property, value) in values {
            let value = compressed(dialect, value)?;
            let mut is_found = false;
            for synchronizer in &mut made {
                let Some(place) = synchronizer.find(property) else { continue };
                synchronizer.check(place, &value)?;
                synchronizer.set(place, value.clone(), change);
                is_found = true;
            }
            if !is_found {
                let property = (*property).to_owned();
                return Err(SessionError::UnknownProperty { property });
            }
        }
        let spawner = spawner.into();
        let mut here = NodeHere { spawner, name: node.name, origin, synchronizers: Vec::new() };
        // If it cannot be written or sent, nothing changes.
        let packet = here.packet(self.encoder, 0, net_id, made.iter())?;
        self.check_capacity(0, packet.len())?;
        let replication = &mut self.replication;
        replication.changes = change;
        let count = u32::try_from(made.len()).unwrap_or(u32::MAX);
        replication.last_net_id = net_id.saturating_add(count);
        here.synchronizers = made.into_iter().map(|made| replication.add(made)).collect();
        let synchronizers = here.synchronizers.clone();
        let spawner = here.spawner.clone();
        replication.nodes.insert(net_id, here);
        let peers = self.targets(PeerId::EVERYONE);
        self.spawn_at(&peers, net_id)?;
        self.note_own_spawn(&spawner, net_id)?;
        let path = self.paths.spawned(self.id(), net_id).and_then(|node| node.path);
        Ok(SpawnedHere { net_id, path: path.map(ToOwned::to_owned), synchronizers })
    }

    /// Remembers a node that this peer has spawned, as those of others, so that names are found for
    /// the nodes of its scene.
    fn note_own_spawn(&mut self, spawner: &str, net_id: u32) -> Result<(), SessionError> {
        let (id, _) = self.announce(spawner, &[], Some(NO_METHODS))?;
        let announced = self.encoder.simplify_path(id, spawner, Some(NO_METHODS), Vec::new())?;
        let spawned = self.replication.spawn_packet(self.encoder, id, net_id)?;
        for bytes in [announced, spawned] {
            // A packet that was written can be read.
            if let Ok(packet) = parse(self.options.protocol, self.options.dialect, &bytes) {
                let sender = self.options.id.into();
                self.paths.announce(sender, &packet);
                if let Packet::Spawn(spawn) = &packet {
                    self.paths.place_spawned(sender, spawn);
                }
            }
        }
        Ok(())
    }

    /// Removes a node that this peer has spawned. If a project says where the node is, this includes
    /// [`Session::remove_node`].
    ///
    /// # Errors
    ///
    /// [`SessionError::NoSuchNode`].
    pub fn despawn(&mut self, net_id: u32) -> Result<(), SessionError> {
        let path = self.paths.spawned(self.id(), net_id).and_then(|node| node.path);
        if let Some(path) = path.map(ToOwned::to_owned)
            && self.replication.nodes.contains_key(&net_id)
        {
            self.remove_node(&path);
        }
        self.despawn_alone(net_id)
    }

    fn despawn_alone(&mut self, net_id: u32) -> Result<(), SessionError> {
        let node = self.replication.nodes.remove(&net_id).ok_or(SessionError::NoSuchNode)?;
        for id in node.synchronizers {
            self.replication.synchronizers.remove(&id);
        }
        let bytes = self.encoder.despawn(net_id, Vec::new())?;
        self.paths.announce(self.options.id.into(), &Packet::Despawn { net_id });
        for peer in self.targets(PeerId::EVERYONE) {
            self.send(peer, TransferMode::Reliable, 0, bytes.clone())?;
        }
        Ok(())
    }

    /// Despawns the nodes that this peer has spawned below a path, or with a spawner at it or below it. The
    /// last comes first, as it may be in another one.
    pub(super) fn despawn_below(&mut self, path: &str) {
        let is_below = |(net_id, node): &(&u32, &NodeHere)| {
            let own = self.paths.spawned(self.id(), **net_id).and_then(|node| node.path);
            is_at_or_below(&node.spawner, path)
                || own.is_some_and(|own| own != path && is_at_or_below(own, path))
        };
        let below = self.replication.nodes.iter().rev().filter(is_below);
        let below: Vec<_> = below.map(|(net_id, _)| *net_id).collect();
        for net_id in below {
            // It is there, and such a packet has no limits.
            let _ = self.despawn_alone(net_id);
        }
    }

    /// Adds a synchronizer that was not spawned, by its path relative to the root of the multiplayer
    /// API.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAuthority`] and [`SessionError::NoReplication`].
    pub fn add_synchronizer(
        &mut self,
        path: &str,
        config: &SyncConfig,
    ) -> Result<SyncId, SessionError> {
        self.check_authority(path)?;
        let target = SyncTarget::Path(from_root(path).into());
        Ok(self.replication.add(SynchronizerHere::new(target, config)))
    }

    /// Changes a property of a synchronizer. [`Session::handle_time`] sends it.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoSuchNode`], [`SessionError::UnknownProperty`],
    /// [`SessionError::StateTooLarge`] and [`SessionError::Encode`]. Then the property keeps its value.
    pub fn set_property<T: Encode + ?Sized>(
        &mut self,
        synchronizer: SyncId,
        property: &str,
        value: &T,
    ) -> Result<(), SessionError> {
        let replication = &mut self.replication;
        let synchronizer = replication.synchronizers.get_mut(&synchronizer);
        let synchronizer = synchronizer.ok_or(SessionError::NoSuchNode)?;
        let unknown = || SessionError::UnknownProperty { property: property.to_owned() };
        let place = synchronizer.find(property).ok_or_else(unknown)?;
        let value = compressed(self.options.dialect, value)?;
        synchronizer.check(place, &value)?;
        replication.changes = replication.changes.saturating_add(1);
        synchronizer.set(place, value, replication.changes);
        Ok(())
    }

    pub(super) fn check_authority(&self, path: &str) -> Result<(), SessionError> {
        if self.options.protocol != MultiplayerProtocol::Godot4 {
            return Err(SessionError::NoReplication);
        }
        if self.authority(path) != self.id() {
            return Err(SessionError::NotAuthority { path: path.to_owned() });
        }
        // Whether the path can be announced.
        self.encoder.simplify_path(0, path, Some(NO_METHODS), CountSink::default())?;
        Ok(())
    }

    /// Spawns all nodes at a new peer.
    pub(super) fn spawn_all(&mut self, peer: PeerId) {
        let nodes: Vec<_> = self.replication.nodes.keys().copied().collect();
        for net_id in nodes {
            // It was written before, for other peers or for none.
            let _ = self.spawn_at(&[peer], net_id);
        }
    }

    fn spawn_at(&mut self, peers: &[PeerId], net_id: u32) -> Result<(), SessionError> {
        let node = self.replication.nodes.get(&net_id).ok_or(SessionError::NoSuchNode)?;
        let spawner = node.spawner.clone();
        let (spawner, _) = self.announce(&spawner, peers, Some(NO_METHODS))?;
        let bytes = self.replication.spawn_packet(self.encoder, spawner, net_id)?;
        let send = |peer: &PeerId| self.send(*peer, TransferMode::Reliable, 0, bytes.clone());
        peers.iter().try_for_each(send)
    }

    /// Sends the states that are due.
    pub(super) fn replicate(&mut self, now: Duration) {
        // Most clients have none, and then nothing is allocated for each frame.
        if self.replication.synchronizers.is_empty() {
            return;
        }
        let peers = self.targets(PeerId::EVERYONE);
        let all = self.replication.synchronizers.iter_mut();
        let due: Vec<_> = all.filter_map(|(id, it)| it.is_due(now).then_some(*id)).collect();
        for peer in peers {
            let known = self.known_to(peer);
            let states = self.replication.states(self.encoder, peer, now, &due, &known);
            // The values were written before, and their lengths checked.
            for (mode, bytes) in states.unwrap_or_default() {
                let _ = self.send(peer, mode, 0, bytes);
            }
        }
    }

    /// The synchronizers that a peer knows, because it got their spawn or has confirmed their path.
    /// Other paths are announced.
    fn known_to(&mut self, peer: PeerId) -> Vec<(SyncId, Synchronizer)> {
        let all: Vec<_> = self
            .replication
            .synchronizers
            .iter()
            .map(|(id, synchronizer)| (*id, synchronizer.target.clone()))
            .collect();
        let mut known = Vec::new();
        for (id, target) in all {
            match target {
                SyncTarget::NetId(net_id) => known.push((id, Synchronizer::NetId(net_id))),
                SyncTarget::Path(path) => {
                    let announced = self.announce(&path, &[peer], Some(NO_METHODS));
                    if let Ok((path_id, confirmed)) = announced
                        && confirmed.contains(&peer)
                    {
                        known.push((id, Synchronizer::PathId(path_id)));
                    }
                }
            }
        }
        known
    }
}
