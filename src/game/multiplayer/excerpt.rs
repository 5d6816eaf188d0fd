//! Copies the names to which one packet refers, so that it can be shown somewhere else.

use super::context::Context;
use super::evidence::Fact;
use super::known::{SceneInstance, Shared};
use super::made::{Ordinal, SceneOrigin, SceneSearch};
use super::packet::{Call, ConfirmPath, Node, Packet, Set, Spawn, Sync, Synchronizer};
use super::paths::{AnnouncedPath, NodeSite, Paths, Placed, SpawnRecord, shortened};
use super::unannounced::UnannouncedNode;
use crate::net::peer::PeerEnd;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;

impl Context<'_> {
    /// Copies the names to which a packet of this context refers. Returns how many bytes of text
    /// were added.
    pub(crate) fn copy_names(self, packet: &Packet<'_>, to: &mut Paths) -> usize {
        let before = to.used.bytes;
        self.copy(packet, to);
        to.used.bytes.saturating_sub(before)
    }

    fn copy(self, packet: &Packet<'_>, to: &mut Paths) {
        let Some(from) = self.paths else { return };
        let mut path = |end: Option<PeerEnd>, node: Node<'_>| match (end, node) {
            (None, _) => {}
            (Some(end), Node::Id(id)) => to.copy_path(from, end, id),
            (Some(end), Node::Path(path)) => to.copy_known(from, end, path),
        };
        let sender = self.ends.sender;
        match packet {
            Packet::Call(Call { node, .. }) | Packet::Set(Set { node, .. }) => path(sender, *node),
            Packet::SimplifyPath(announced) => {
                to.copy_scene(from, announced.path);
                if let Some(placed) = self.misplaced(announced) {
                    to.copy_placed(from, placed);
                }
            }
            Packet::ConfirmPath(ConfirmPath { node, .. }) => path(self.ends.receiver, *node),
            Packet::Spawn(Spawn { spawner, .. }) => path(sender, Node::Id(*spawner)),
            Packet::Despawn { net_id } => {
                if let Some(sender) = sender {
                    to.copy_spawned(from, sender, *net_id);
                }
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                let Some(sender) = sender else { return };
                for state in *states {
                    match state.synchronizer {
                        Synchronizer::PathId(id) => {
                            to.copy_other_scene(from, sender, id);
                            to.copy_path(from, sender, id);
                        }
                        Synchronizer::NetId(id) => to.copy_spawned(from, sender, id),
                    }
                    to.copy_configs(from, sender, state.synchronizer);
                }
            }
            Packet::Relay(relay) => self.relayed().copy(&relay.packet(), to),
            _ => {}
        }
    }
}

impl Paths {
    /// Copies the path for an id from another list. Only the text is counted.
    fn copy_path(&mut self, from: &Paths, sender: PeerEnd, id: u32) {
        let Some(announced) = from.announced(sender, id) else {
            return self.copy_unannounced(from, UnannouncedNode::Id(sender, id));
        };
        self.copy_contradicted(from, announced.search);
        let known = self.senders.entry(sender).or_default();
        if known.paths.insert(id, announced.clone()).is_none() {
            self.count(announced.path.len());
        }
    }

    fn count(&mut self, text: usize) {
        self.used.bytes = self.used.bytes.saturating_add(text);
    }

    /// Like `copy_path`, for a node that was not announced.
    fn copy_unannounced(&mut self, from: &Paths, node: UnannouncedNode<'_>) {
        let candidates = from.unannounced.as_ref().and_then(|it| it.candidates(node));
        if let Some((to, candidates)) = self.unannounced.as_mut().zip(candidates) {
            Shared::make_mut(to).insert(node, candidates.clone());
        }
    }

    /// Copies the properties that a synchronizer may have that was not announced.
    fn copy_configs(&mut self, from: &Paths, sender: PeerEnd, synchronizer: Synchronizer) {
        let configs = from.unannounced.as_ref().and_then(|it| it.configs(sender, synchronizer));
        if let Some((to, configs)) = self.unannounced.as_mut().zip(configs) {
            Shared::make_mut(to).insert_configs(sender, synchronizer, configs);
        }
    }

    /// Like `copy_path`, for a node whose path is in the packet.
    fn copy_known(&mut self, from: &Paths, sender: PeerEnd, path: &str) {
        if from.names.is_none() {
            return;
        }
        if !from.is_announced(sender, path) {
            self.copy_unannounced(from, UnannouncedNode::Path(path));
        }
        let known = from.known_of(Some(sender), Node::Path(path));
        let of_sender = self.senders.entry(sender).or_default();
        let path = shortened(path);
        let len = path.len();
        if of_sender.by_path.insert(path.into(), (0, known)).is_none() {
            self.count(len);
        }
    }

    /// Like `copy_path`, for the spawned scene that contains a node that is being announced.
    fn copy_scene(&mut self, from: &Paths, path: &str) {
        let Some((_, rest)) = from.scene_around(path) else { return };
        let end = path.len().saturating_sub(rest.len());
        let around = path.get(..end).map(|around| around.trim_end_matches('/'));
        if let Some((around, site)) = around.and_then(|it| from.nodes.sites.get_key_value(it)) {
            self.copy_site(around, site);
        }
    }

    fn copy_site(&mut self, path: &Shared<str>, site: &NodeSite) {
        if self.nodes.sites.insert(path.clone(), site.clone()).is_none() {
            self.count(path.len());
        }
    }

    /// Like `copy_path`, for the spawned scene that contains the node with an id, if its spawner
    /// has another list of scenes in the game.
    fn copy_other_scene(&mut self, from: &Paths, sender: PeerEnd, id: u32) {
        let Some(AnnouncedPath { path, known, .. }) = from.announced(sender, id) else { return };
        let spawner = known.instance.and_then(SceneInstance::listed);
        let spawner = spawner.map(|(spawner, _)| Fact::OtherScenes(spawner));
        if spawner.zip(from.evidence()).is_some_and(|(fact, evidence)| evidence.has(fact)) {
            self.copy_scene(from, path);
        }
    }

    /// Like `copy_path`, for the names of a spawned node and its spawner.
    fn copy_spawned(&mut self, from: &Paths, sender: PeerEnd, net_id: u32) {
        let Some((id, node, synchronizer)) = from.node(sender, net_id) else { return };
        self.copy_path(from, sender, node.spawner);
        self.copy_contradicted(from, node.search);
        let known = self.senders.entry(sender).or_default();
        if let Some(synchronizer) = synchronizer {
            known.synchronizers.insert(net_id, synchronizer);
        }
        let node = SpawnRecord {
            name: node.name.clone(),
            path: node.path.clone(),
            synchronizers: Box::default(),
            kinds: None,
            ..*node
        };
        let text = node.size().bytes;
        if known.nodes.insert(id, node).is_none() {
            self.count(text);
        }
    }

    /// Copies the path of a spawned node and what is known about its scene from another list.
    fn copy_placed(&mut self, from: &Paths, placed: &Placed) {
        let Some(site) = from.nodes.sites.get(&placed.path) else { return };
        if let Some(origin) = from.nodes.origins.get(&site.origin) {
            self.copy_origin(site.origin, origin);
        }
        let (_, name) = placed.path.rsplit_once('/').unwrap_or(("", &placed.path));
        let same_name = self.nodes.by_name.entry(name.into()).or_default();
        if same_name.iter().all(|known| known.path != placed.path) {
            same_name.push(placed.clone());
        }
        self.copy_site(&placed.path, site);
    }

    /// Like `copy_path`, for a node of which no scene of the project is left.
    fn copy_contradicted(&mut self, from: &Paths, search: SceneSearch) {
        if let Some(origin) = from.contradicted_origin(search) {
            self.copy_origin(search.origin, origin);
        }
    }

    fn copy_origin(&mut self, number: Ordinal, origin: &SceneOrigin) {
        let (path, scenes) = (origin.path.clone(), origin.scenes.clone());
        let text = path.as_ref().map_or(0, |path| path.len());
        let origin = SceneOrigin { path, scenes, parts: BTreeSet::new(), ..*origin };
        if self.nodes.origins.insert(number, origin).is_none() {
            self.count(text);
        }
    }
}
