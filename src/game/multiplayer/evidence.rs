//! Evidence in packets for and against the names that the user gave: which ones are proven, and
//! which ones are contradicted and no longer used.

use super::context::Context;
use super::known::{Basis, KnownNode, KnownRole, ListFit, MethodNames, SceneInstance, Shared};
use super::made::{Conclusions, Ordinal, SceneConclusion};
use super::mismatch::{fit_of_spawn, fit_of_state, misplaced};
use super::names::Names;
use super::packet::{Call, Method, Node, Packet, SimplifyPath, Spawn, State, Sync, Synchronizer};
use super::paths::Paths;
use super::shapes::Sending;
use super::unannounced::Unannounced;
use crate::format::text::OneLine;
use crate::game::project::{ConfigId, ListId, SceneId, SpawnerId};
use crate::net::peer::{PeerEnd, PeerId};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

/// The evidence in packets for and against [`Names`](super::Names).
///
/// The names of a project may be those of another version of the game. Packets contradict them
/// then: a state has values of other types than the properties of its node, or a node has other
/// methods. From then on, no name is used that depends on the same part of the project. [`Paths`]
/// collects the evidence in the packets that it notes.
///
/// To know it from the start, read a recording twice: see
#[cfg_attr(
    feature = "capture",
    doc = "[`Options::with_evidence`](crate::follow::Options::with_evidence)."
)]
#[cfg_attr(not(feature = "capture"), doc = "`follow::Options::with_evidence`.")]
///
/// [`Paths`]: super::Paths
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Evidence {
    facts: BTreeSet<Fact>,
    /// The methods of scripts in the game that have others in the project, with their digests.
    /// None if they could not be found.
    lists: Vec<(Box<str>, Option<FoundMethods>)>,
    /// How many digests were computed to find such lists.
    tried: usize,
    /// The evidence in calls with ids that were not announced, by the numbers of their connections.
    unannounced: Shared<BTreeMap<u64, Shared<Unannounced>>>,
    /// The scenes of nodes that scripts have made, by the numbers of the connections.
    scenes: Shared<BTreeMap<u64, Conclusions>>,
}

/// How the methods of a node in the game differ from those in the project. `Display` lists them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MethodChange<'c> {
    /// Methods of the project that the game does not have.
    pub gone: [Option<&'c str>; 2],
    /// The method that only the game has.
    pub new: Option<&'c str>,
}

impl fmt::Display for MethodChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MethodChange { gone: [first, second], new } = *self;
        match (new, first) {
            (Some(new), Some(gone)) => {
                write!(f, "has {} instead of {}", OneLine(new), OneLine(gone))?;
            }
            (Some(new), None) => write!(f, "also has {}", OneLine(new))?,
            (None, Some(gone)) => write!(f, "does not have {}", OneLine(gone))?,
            (None, None) => f.write_str("has the same methods")?,
        }
        second.map_or(Ok(()), |second| write!(f, " and {}", OneLine(second)))
    }
}

/// The methods of a script in the game, and how they differ from those in the project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FoundMethods {
    names: Box<[Box<str>]>,
    /// The list in the project.
    list: ListId,
    gone: Vec<Box<str>>,
    new: Option<Box<str>>,
}

impl FoundMethods {
    pub(super) fn new<'n>(
        list: ListId,
        in_project: impl Iterator<Item = &'n str>,
        names: Box<[Box<str>]>,
    ) -> FoundMethods {
        let in_project: BTreeSet<&str> = in_project.collect();
        let new = names.iter().find(|name| !in_project.contains(&***name)).cloned();
        let in_game: BTreeSet<&str> = names.iter().map(|name| &**name).collect();
        let gone = in_project.difference(&in_game).map(|name| Box::from(*name)).collect();
        FoundMethods { names, list, gone, new }
    }
}

/// The number of digests that are computed to find methods.
const TRIED: usize = 1 << 18;

/// The number of unknown digests for which methods are searched.
const LISTS: usize = 1 << 10;

/// A fact about the names that packets have shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fact {
    /// The script with this list has other methods in the game.
    OtherMethods(ListId),
    /// The synchronizers with these properties have others in the game.
    OtherProperties(ConfigId),
    /// The scene with this number of a spawner is another one in the game.
    OtherScene(SpawnerId, u8),
    /// The spawner has another list of scenes in the game.
    OtherScenes(SpawnerId),
    /// The scene with this number of a spawner is that of the game: its root has the methods that no
    /// other scene's root has.
    SameScene(SpawnerId, u8),
    /// The spawner puts its nodes somewhere else in the game.
    OtherPlace(SpawnerId),
    /// The spawner puts its nodes where the project says.
    SamePlace(SpawnerId),
}

impl Fact {
    /// Whether the project is that of another version of the game.
    const fn is_contradiction(self) -> bool {
        matches!(self, Fact::OtherProperties(_) | Fact::OtherScene(..) | Fact::OtherScenes(_))
    }
}

impl Evidence {
    /// Whether the packets have shown nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
            && self.lists.is_empty()
            && self.unannounced.is_empty()
            && self.scenes.is_empty()
    }

    /// Searches the methods with a digest, which was not done before: the function gets the number of
    /// digests that may still be computed, and subtracts from it.
    fn search(&mut self, digest: &str, find: impl FnOnce(&mut usize) -> Option<FoundMethods>) {
        let mut left = TRIED.saturating_sub(self.tried);
        self.lists.push((digest.into(), find(&mut left)));
        self.tried = TRIED.saturating_sub(left);
    }

    /// Whether a digest needs no search: it was searched already, or the limit of searches is reached.
    pub(super) fn was_searched(&self, digest: &str) -> bool {
        self.lists.len() >= LISTS || self.lists.iter().any(|(known, _)| **known == *digest)
    }

    /// The methods with a digest that no script of the project has.
    pub(super) fn methods_of(&self, digest: &str) -> Option<MethodNames> {
        let is_of = |(known, found): &(Box<str>, Option<FoundMethods>)| {
            **known == *digest && found.is_some()
        };
        let place = self.lists.iter().position(is_of)?;
        u32::try_from(place).ok().map(MethodNames::OfDigest)
    }

    /// The name of a method in such a list.
    pub(super) fn method(&self, list: u32, number: u16) -> Option<&str> {
        let (_, found) = self.lists.get(usize::try_from(list).ok()?)?;
        found.as_ref()?.names.get(usize::from(number)).map(|name| &**name)
    }

    /// How the methods with a digest differ from those of a list in the project.
    pub(super) fn change_of(&self, digest: &str, list: ListId) -> Option<MethodChange<'_>> {
        let found = self.lists.iter().find(|(known, _)| **known == *digest)?.1.as_ref()?;
        let mut gone = found.gone.iter().map(|name| &**name);
        let change = MethodChange { gone: [gone.next(), gone.next()], new: found.new.as_deref() };
        (found.list == list).then_some(change)
    }

    /// The evidence in the calls of a connection about ids that it did not announce.
    #[cfg(feature = "capture")]
    pub(super) fn unannounced(&self, connection: u64) -> Option<&Shared<Unannounced>> {
        self.unannounced.get(&connection)
    }

    /// The same evidence, with what the packets of several connections have shown about nodes. Each
    /// connection has its number.
    #[cfg(feature = "capture")]
    pub(crate) fn with_learned<'p>(
        &self,
        connections: impl Iterator<Item = (u64, &'p Paths)>,
    ) -> Evidence {
        let mut evidence = self.clone();
        let unannounced = Shared::make_mut(&mut evidence.unannounced);
        let scenes = Shared::make_mut(&mut evidence.scenes);
        for (number, Paths { unannounced: known, conclusions, .. }) in connections {
            unannounced.extend(known.clone().map(|known| (number, known)));
            if conclusions.len() > 0 {
                scenes.insert(conclusions.connection, conclusions.clone());
            }
        }
        evidence
    }

    /// Whether a script has other methods in the game, so that the project is another version of it.
    pub(super) fn has_other_methods(&self) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::OtherMethods(_)))
    }

    /// Whether a synchronizer has other properties in the game, so that the project is another version
    /// of it.
    pub(super) fn has_other_properties(&self) -> bool {
        self.facts.iter().any(|fact| matches!(fact, Fact::OtherProperties(_)))
    }

    pub(super) fn has(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    pub(super) fn add(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.facts.extend(facts);
    }

    /// Whether the number of a spawner still stands for the scene in its list.
    pub(super) fn admits_scene(&self, spawner: SpawnerId, number: u8) -> bool {
        self.is_same_scene(spawner, number)
            || !(self.has(Fact::OtherScene(spawner, number))
                || self.has(Fact::OtherScenes(spawner)))
    }

    /// Whether the spawner still puts its nodes where the project says.
    pub(super) fn admits_place(&self, spawner: SpawnerId) -> bool {
        !self.has(Fact::OtherPlace(spawner)) || self.has(Fact::SamePlace(spawner))
    }

    pub(super) fn is_same_scene(&self, spawner: SpawnerId, number: u8) -> bool {
        self.has(Fact::SameScene(spawner, number))
    }

    /// Whether the scene of a node is still known.
    pub(super) fn admits(&self, instance: SceneInstance) -> bool {
        match instance.basis {
            Basis::List(spawner, number) => self.admits_scene(spawner, number),
            Basis::Function => true,
            // In another version of the project, another scene may have fitted.
            Basis::Structure => !self.hides_structure(),
        }
    }

    /// Whether packets contradict the project, so that no scene is known from structure.
    pub(super) fn hides_structure(&self) -> bool {
        self.facts.iter().any(|fact| fact.is_contradiction())
    }

    /// The conclusion of another reading of the same packets about the scene of a node.
    pub(super) fn conclusion(&self, connection: u64, ordinal: Ordinal) -> Option<&SceneConclusion> {
        self.scenes.get(&connection)?.get(ordinal)
    }

    pub(super) fn admits_properties(&self, config: ConfigId) -> bool {
        !self.has(Fact::OtherProperties(config))
    }

    /// The facts about a node that packets have not contradicted.
    pub(super) fn admitted(&self, known: KnownNode) -> KnownNode {
        let is_there = known.instance.is_none_or(|instance| self.admits(instance));
        let methods = match known.methods {
            MethodNames::Project(list)
                if !known.is_proven && (!is_there || self.has(Fact::OtherMethods(list))) =>
            {
                MethodNames::Unknown
            }
            methods => methods,
        };
        let role = match known.role {
            KnownRole::Synchronizer(config) if !self.admits_properties(config) => KnownRole::Other,
            role if is_there => role,
            _ => KnownRole::Other,
        };
        KnownNode { methods, role, ..known }
    }
}

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
        let Some(list) = names.list_of(path, inside) else { return };
        if evidence.was_searched(digest) || names.fit(digest, list) != ListFit::Unknown {
            return;
        }
        self.change_evidence(|evidence| {
            evidence.search(digest, |left| {
                let found = names.project()?.list_near(digest, list, left)?;
                Some(FoundMethods::new(list, names.methods_of(list), found))
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

    /// The facts in the packet that the evidence in the context does not have yet.
    pub(super) fn evidence(&self, context: Context<'_>) -> Vec<Fact> {
        let mut facts = Vec::new();
        let (Some(names), Some(known)) = (context.names(), context.evidence()) else {
            return facts;
        };
        if !names.has_project() {
            return facts;
        }
        let look = FactSearch { context: context.unchecked(), names };
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
struct FactSearch<'c> {
    /// The context, in which names are known that were contradicted before.
    context: Context<'c>,
    names: &'c Names,
}

impl FactSearch<'_> {
    fn announcement(&self, path: &str, digest: &str, facts: &mut Vec<Fact>) {
        let Some(paths) = self.context.paths else { return };
        let around = paths.scene_around(path);
        let inside = around.map(|(instance, rest)| (instance.scene, rest));
        let Some(list) = self.names.list_of(path, inside) else { return };
        let fit = |list| self.names.fit(digest, list);
        match (fit(list), around) {
            (ListFit::Unknown, _) => facts.push(Fact::OtherMethods(list)),
            (ListFit::Same, Some((instance, ""))) => {
                if let Some((spawner, number)) = instance.listed()
                    && let Some(project) = self.names.project()
                    && project.only_scene_with(list) == Some(instance.scene)
                {
                    facts.push(Fact::SameScene(spawner, number));
                }
            }
            (ListFit::Other, Some((instance, rest))) => {
                facts.extend(self.other_scene(instance, |scene| {
                    let list = self.names.list_of("", Some((scene, rest)));
                    list.is_some_and(|list| fit(list) == ListFit::Same)
                }));
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
        facts.extend(self.context.beyond_list(spawn).map(Fact::OtherScenes));
        let Some(instance) = self.context.instance(spawn) else { return };
        let fit = |scene| fit_of_spawn(self.names, scene, spawn);
        let Some((spawner, _)) = instance.listed() else { return };
        if matches!(fit(instance.scene), Some(Err(_))) {
            let count = spawn.synchronizers.len();
            let other = self.other_scene(instance, |scene| {
                self.names.synchronizer_count(scene) == Some(count) && fit(scene) == Some(Ok(()))
            });
            facts.extend(other);
            let has_same_list = other != Some(Fact::OtherScenes(spawner));
            let synchronizers = self.names.synchronizers(instance.scene, count);
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
        let other = instance.and_then(|instance| {
            self.other_scene(instance, |scene| {
                let same = place.and_then(|place| self.names.same_place(place, scene));
                same.is_some_and(|config| fit(config).is_ok())
            })
        });
        facts.extend(other);
        if !matches!(other, Some(Fact::OtherScenes(_))) {
            facts.push(Fact::OtherProperties(config));
        }
    }

    /// A node is not the scene that its spawner's list has for its number. If it is another scene of
    /// the list, the whole list is another one.
    fn other_scene(
        &self,
        instance: SceneInstance,
        fits: impl FnMut(SceneId) -> bool,
    ) -> Option<Fact> {
        let (spawner, number) = instance.listed()?;
        let is_proven = self.context.evidence();
        if is_proven.is_some_and(|known| known.is_same_scene(spawner, number)) {
            return None;
        }
        let mut others =
            self.names.spawned_scenes(spawner).filter(|other| *other != instance.scene);
        Some(match others.any(fits) {
            true => Fact::OtherScenes(spawner),
            false => Fact::OtherScene(spawner, number),
        })
    }
}
