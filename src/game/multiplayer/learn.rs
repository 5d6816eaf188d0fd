//! Notes packets: what they announce, and what they show about the names that the user gave.

use super::context::Context;
use super::evidence::{Fact, Found};
use super::fit::{fit_of_spawn, fit_of_state};
use super::known::{Instance, ListFit, MethodNames, SceneId};
use super::names::Names;
use super::packet::{Call, Method, Node, Packet, SimplifyPath, Spawn, Sync};
use super::paths::Paths;
use super::placed::misplaced;
use super::sending::Sending;
use super::states::{State, Synchronizer};
use crate::net::peer::{PeerEnd, PeerId};
use alloc::vec::Vec;

impl Paths {
    /// Remembers the names that a packet announces, forgets the node that it despawns, and collects
    /// [`Evidence`](super::Evidence) about the names that the user gave. Show a packet before you note
    /// it, so that a despawn is shown with its name. Names of up to 1,024 bytes are kept whole. In a
    /// longer name, its size replaces the middle: `Game/a…(1048576 bytes)…b/c`. A name is announced
    /// once but may be shown with every later packet, so a long name would cost far more than its own
    /// bytes.
    pub fn note(&mut self, sender: PeerId, packet: &Packet<'_>) {
        self.note_from(sender.into(), packet, Sending::default());
    }

    pub(crate) fn note_from(&mut self, sender: PeerEnd, packet: &Packet<'_>, sending: Sending) {
        if self.names.is_some() {
            let facts = packet.evidence(Context::from_end(self, sender));
            self.learn(facts);
            self.search(packet);
            self.note_unannounced(sender, packet, sending);
            self.look(sender, packet);
        }
        match packet {
            Packet::SimplifyPath(simplify) => {
                self.renew(sender, simplify);
                self.doubt(simplify);
                self.announce(sender, packet);
                self.place(sender, simplify);
            }
            Packet::Spawn(spawn) => {
                self.announce(sender, packet);
                self.place_spawned(sender, spawn);
            }
            _ => self.announce(sender, packet),
        }
    }

    /// If a node is announced with other methods than those of its script in the project, searches
    /// the methods that it has in the game.
    fn search(&mut self, packet: &Packet<'_>) {
        let Packet::SimplifyPath(SimplifyPath { path, md5: Some(digest), .. }) = packet else {
            return;
        };
        let (Some(names), Some(evidence)) = (self.names.clone(), self.evidence()) else { return };
        let inside = self.scene_around(path).map(|(instance, rest)| (instance.scene, rest));
        let Some(list) = names.list_in_project(path, inside) else { return };
        if evidence.was_searched(digest) || names.fit(digest, list) != ListFit::Unknown {
            return;
        }
        self.change_evidence(|evidence| {
            evidence.search(digest, |left| {
                let found = names.list_near(digest, list, left)?;
                Some(Found::new(list, names.methods_of(list), found))
            });
        });
    }
}

impl Packet<'_> {
    /// Whether the packet shows something that the evidence in the context does not have yet.
    #[cfg(feature = "capture")]
    pub(crate) fn has_evidence(&self, context: Context<'_>) -> bool {
        !self.evidence(context).is_empty() || self.is_searched(context)
    }

    /// Whether the packet may show more about the scenes of nodes that scripts have made.
    #[cfg(feature = "capture")]
    fn is_searched(&self, context: Context<'_>) -> bool {
        match self {
            Packet::Relay(relay) => relay.packet().is_searched(context.relayed()),
            packet => {
                let paths = context.paths.zip(context.ends.sender);
                paths.is_some_and(|(paths, sender)| paths.is_searched(sender, packet))
            }
        }
    }

    /// What the packet shows that the evidence in the context does not have yet.
    pub(super) fn evidence(&self, context: Context<'_>) -> Vec<Fact> {
        let mut facts = Vec::new();
        let (Some(names), Some(known)) = (context.names(), context.evidence()) else {
            return facts;
        };
        if !names.has_project() {
            return facts;
        }
        let look = Look { context: context.unchecked(), names };
        match self {
            Packet::SimplifyPath(SimplifyPath { path, md5: Some(digest), .. }) => {
                look.announcement(path, digest, &mut facts);
                misplaced(context, (path, digest), &mut facts);
            }
            Packet::Call(call) => look.call(call, &mut facts),
            Packet::Spawn(spawn) => look.spawn(spawn, &mut facts),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().for_each(|state| look.state(&state, &mut facts));
            }
            Packet::Relay(relay) => return relay.packet().evidence(context.relayed()),
            _ => {}
        }
        facts.retain(|fact| !known.has(*fact));
        facts
    }
}

/// Looks for facts in a packet.
struct Look<'c> {
    /// The context, in which names are known that were contradicted before.
    context: Context<'c>,
    names: &'c Names,
}

impl Look<'_> {
    fn announcement(&self, path: &str, digest: &str, facts: &mut Vec<Fact>) {
        let Some(paths) = self.context.paths else { return };
        let around = paths.scene_around(path);
        let inside = around.map(|(instance, rest)| (instance.scene, rest));
        let Some(list) = self.names.list_in_project(path, inside) else { return };
        let fit = |list| self.names.fit(digest, list);
        match (fit(list), around) {
            (ListFit::Unknown, _) => facts.push(Fact::OtherMethods(list)),
            (ListFit::Same, Some((instance, ""))) => {
                if let Some((spawner, number)) = instance.listed()
                    && self.names.only_scene_with(list) == Some(instance.scene)
                {
                    facts.push(Fact::SameScene(spawner, number));
                }
            }
            (ListFit::Other, Some((instance, rest))) => {
                self.other_scene(instance, facts, |scene| {
                    let list = self.names.list_in_scene(scene, rest);
                    list.is_some_and(|list| fit(list) == ListFit::Same)
                });
            }
            _ => {}
        }
    }

    fn call(&self, call: &Call<'_>, facts: &mut Vec<Fact>) {
        let Method::Number { index, is_own } = call.method else { return };
        let known = self.context.known(call.node);
        let MethodNames::Project(list) = known.methods else { return };
        let methods = self.names.methods_in(known.methods, is_own);
        if !known.is_proven && methods.is_some_and(|methods| usize::from(index) >= methods) {
            facts.push(Fact::OtherMethods(list));
        }
    }

    fn spawn(&self, spawn: &Spawn<'_>, facts: &mut Vec<Fact>) {
        let Some(instance) = self.context.instance(spawn) else { return };
        let fit = |scene| fit_of_spawn(self.names, scene, spawn);
        let Some((spawner, _)) = instance.listed() else { return };
        if matches!(fit(instance.scene), Some(Err(_))) {
            self.other_scene(instance, facts, |scene| fit(scene) == Some(Ok(())));
            let has_same_list = !facts.contains(&Fact::OtherScenes(spawner));
            let synchronizers = self.names.synchronizers(instance.scene, spawn.synchronizers.len());
            let configs = synchronizers.filter_map(|id| self.names.config_of(id));
            facts.extend(configs.filter(|_| has_same_list).map(Fact::OtherProperties));
        }
    }

    fn state(&self, state: &State<'_>, facts: &mut Vec<Fact>) {
        let fit = |config| fit_of_state(self.names, config, state);
        let Some((config, is_certain)) = self.context.config_of(state.synchronizer) else { return };
        if !is_certain || fit(config).is_ok() {
            return;
        }
        let (instance, place) = match state.synchronizer {
            Synchronizer::PathId(id) => (self.context.known(Node::Id(id)).instance, None),
            Synchronizer::NetId(id) => {
                let spawned = self.context.spawned(id);
                (spawned.and_then(|it| it.instance), spawned.and_then(|it| it.synchronizer))
            }
        };
        let before = facts.len();
        if let Some(instance) = instance {
            self.other_scene(instance, facts, |scene| {
                let same = place.and_then(|place| self.names.same_place(place, scene));
                same.is_some_and(|config| fit(config).is_ok())
            });
        }
        let added = facts.get(before..).unwrap_or(&[]);
        if !added.iter().any(|fact| matches!(fact, Fact::OtherScenes(_))) {
            facts.push(Fact::OtherProperties(config));
        }
    }

    /// A node is not the scene that its spawner's list has for its number. If it is another scene of
    /// the list, the whole list is another one.
    fn other_scene(
        &self,
        instance: Instance,
        facts: &mut Vec<Fact>,
        mut fits: impl FnMut(SceneId) -> bool,
    ) {
        let Some((spawner, number)) = instance.listed() else { return };
        let is_proven = self.context.evidence();
        if is_proven.is_some_and(|known| known.has(Fact::SameScene(spawner, number))) {
            return;
        }
        let mut others =
            self.names.spawned_scenes(spawner).filter(|other| *other != instance.scene);
        facts.push(match others.any(&mut fits) {
            true => Fact::OtherScenes(spawner),
            false => Fact::OtherScene(spawner, number),
        });
    }
}
