//! The names that are known when a packet is shown: paths by id, methods and properties by number.

use super::packet::{Method, Node, Spawn, State, Synchronizer};
#[cfg(feature = "alloc")]
use super::{
    evidence::Evidence,
    known::{
        Basis, KnownNode, KnownRole, MethodNames, SceneInstance, SceneSet, Unclear, differences,
        named,
    },
    mismatch::{fit_of_spawn, fit_of_state},
    names::Names,
    paths::{Paths, Spawned},
    shapes::Sending,
};
#[cfg(feature = "alloc")]
use crate::game::project::{ConfigId, SceneId, SpawnerId};
use crate::net::peer::{PeerEnd, PeerId};
use core::fmt;
#[cfg(not(feature = "alloc"))]
use core::marker::PhantomData;

/// The names for the numbers in a packet. An empty context has none.
///
/// The ends of a connection are identified by the ids that were passed to
/// [`Paths::note`](super::Paths::note) as senders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    pub(super) ends: PacketEnds,
    relayed: PacketEnds,
    #[cfg(feature = "alloc")]
    pub(super) paths: Option<&'c Paths>,
    /// Whether names are used that packets have contradicted.
    #[cfg(feature = "alloc")]
    is_unchecked: bool,
    /// How the packet was sent.
    #[cfg(feature = "alloc")]
    pub(super) sending: Sending,
    /// The peer to or from which the server passes the packet on, if the header before the packet
    /// names it, as in Godot 3.
    pub(super) relay: Option<PeerId>,
    #[cfg(not(feature = "alloc"))]
    lifetime: PhantomData<&'c ()>,
}

/// The scene of which a node is an instance or a part, and the source of this knowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KnownScene<'c> {
    /// The path of its file, `res://…`.
    pub path: &'c str,
    /// The source of this knowledge.
    pub basis: SceneBasis,
}

/// The source from which the scene of a node is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum SceneBasis {
    /// The scene of the node's spawner: its list has the number in the spawn.
    Scene,
    /// The `spawn_function` of the node's spawner: it creates only this scene, or only this scene
    /// from the argument in the spawn.
    Function,
    /// The structure of the node: only this scene of the project has the nodes, scripts and
    /// properties that packets show.
    Structure,
}

impl SceneBasis {
    /// The name that JSON has: `scene`, `function` or `structure`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SceneBasis::Scene => "scene",
            SceneBasis::Function => "function",
            SceneBasis::Structure => "structure",
        }
    }
}

/// The [name](SceneBasis::name).
impl fmt::Display for SceneBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The path of a synchronizer: that of the spawned node, and the rest below it. `Display` joins them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct SynchronizerPath<'c> {
    /// The path of the spawned node; of a synchronizer that was not spawned, its own path.
    pub node: &'c str,
    /// The path of the synchronizer below that node; empty if `node` is its own path.
    pub below: &'c str,
}

impl fmt::Display for SynchronizerPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SynchronizerPath { node, below } = self;
        f.write_str(node)?;
        if below.is_empty() { Ok(()) } else { write!(f, "/{below}") }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketEnds {
    pub(super) sender: Option<PeerEnd>,
    pub(super) receiver: Option<PeerEnd>,
}

impl<'c> Context<'c> {
    /// A context without names.
    #[must_use]
    pub fn new() -> Context<'c> {
        Context::default()
    }

    /// Adds the paths and spawned nodes that the sender of the packet has announced, and the
    /// [names](Paths::with_names) of methods and properties.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_paths(mut self, paths: &'c Paths, sender: PeerId) -> Context<'c> {
        self.paths = Some(paths);
        self.ends.sender = Some(sender.into());
        self
    }

    /// Adds the paths that the receiver has announced, which Godot 4 confirms by their ids.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_receiver(mut self, receiver: PeerId) -> Context<'c> {
        self.ends.receiver = Some(receiver.into());
        self
    }

    /// Adds the sender and receiver of a relayed packet, which differ from the ends of the
    /// connection.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn with_relayed(mut self, sender: PeerId, receiver: Option<PeerId>) -> Context<'c> {
        let receiver = receiver.map(PeerEnd::from);
        self.relayed = PacketEnds { sender: Some(sender.into()), receiver };
        self
    }

    /// The context of a packet from an end of a connection.
    #[cfg(feature = "alloc")]
    pub(super) fn from_end(paths: &'c Paths, sender: PeerEnd) -> Context<'c> {
        let ends = PacketEnds { sender: Some(sender), receiver: None };
        Context { ends, paths: Some(paths), ..Context::new() }
    }

    /// The context of a packet between two ends; if it is a relay, with the ends of the relayed packet.
    #[cfg(feature = "capture")]
    pub(crate) fn between(
        paths: &'c Paths,
        [sender, receiver]: [PeerEnd; 2],
        relayed: Option<(PeerEnd, Option<PeerEnd>)>,
    ) -> Context<'c> {
        let relayed = relayed.map_or(PacketEnds::default(), |(sender, receiver)| PacketEnds {
            sender: Some(sender),
            receiver,
        });
        let ends = PacketEnds { sender: Some(sender), receiver: Some(receiver) };
        Context { ends, relayed, paths: Some(paths), ..Context::new() }
    }

    /// Adds how the packet was sent.
    #[cfg(feature = "alloc")]
    pub(crate) fn with_sending(mut self, sending: Sending) -> Context<'c> {
        self.sending = sending;
        self
    }

    /// Adds the peer to or from which the server passes the packet on.
    #[cfg(feature = "capture")]
    pub(crate) fn with_relay(mut self, relay: Option<PeerId>) -> Context<'c> {
        self.relay = relay;
        self
    }

    /// The context of the relayed packet: with the ends from [`Context::with_relayed`].
    #[must_use]
    pub fn relayed(mut self) -> Context<'c> {
        self.ends = core::mem::take(&mut self.relayed);
        self
    }

    /// The path of a node, if it is known.
    pub(crate) fn path<'n>(self, node: Node<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match node {
            Node::Path(path) => Some(path),
            Node::Id(id) => self.path_of(self.ends.sender, id),
        }
    }

    /// The path of a node whose id the receiver has announced, if it is known.
    pub(crate) fn confirmed_path<'n>(self, node: Node<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match node {
            Node::Path(path) => Some(path),
            Node::Id(id) => self.path_of(self.ends.receiver, id),
        }
    }

    /// The name of a method of a node, if it is known.
    pub(crate) fn method<'n>(self, node: Node<'n>, method: Method<'n>) -> Option<&'n str>
    where
        'c: 'n,
    {
        match method {
            Method::Name(name) => Some(name),
            Method::Number { index, is_own } => self.name_of(node, index, is_own),
        }
    }
}

#[cfg(feature = "alloc")]
impl<'c> Context<'c> {
    fn path_of(self, end: Option<PeerEnd>, id: u32) -> Option<&'c str> {
        self.paths?.path_from(end?, id)
    }

    /// Names that no packet contains.
    pub(super) fn names(self) -> Option<&'c Names> {
        self.paths?.names.as_deref()
    }

    /// The evidence in packets for and against the names.
    pub(super) fn evidence(self) -> Option<&'c Evidence> {
        self.paths?.evidence().map(|evidence| &**evidence)
    }

    /// The context in which names are used that packets have contradicted.
    pub(super) fn unchecked(mut self) -> Context<'c> {
        self.is_unchecked = true;
        self
    }

    /// Whether the evidence admits something, or is not taken into account.
    fn admits(self, admits: impl FnOnce(&Evidence) -> bool) -> bool {
        self.is_unchecked || self.evidence().is_none_or(admits)
    }

    /// The names and the role of a node in this context.
    pub(super) fn known(self, node: Node<'_>) -> KnownNode {
        let Some(paths) = self.paths else { return KnownNode::default() };
        let known = paths.known_of(self.ends.sender, node);
        match self.evidence() {
            Some(evidence) if !self.is_unchecked => evidence.admitted(known),
            _ => known,
        }
    }

    fn name_of(self, node: Node<'_>, index: u16, is_own: bool) -> Option<&'c str> {
        match self.known(node).methods {
            MethodNames::OfDigest(list) if !is_own => self.evidence()?.method(list, index),
            MethodNames::Unknown if !is_own => self.fitting_method(node, index),
            methods => self.names()?.method_in(methods, index, is_own),
        }
    }

    pub(crate) fn spawned(self, net_id: u32) -> Option<Spawned<'c>> {
        let spawned = self.paths?.spawned_from(self.ends.sender?, net_id)?;
        let is_admitted = spawned.instance.is_none_or(|it| self.admits(|known| known.admits(it)));
        let instance = spawned.instance.filter(|_| is_admitted);
        let synchronizer = spawned.synchronizer.filter(|_| is_admitted);
        Some(Spawned { instance, synchronizer, ..spawned })
    }

    /// The innermost instantiated scene that contains the node at a path, if it is known, and the
    /// rest of the path below the root of that scene.
    pub(crate) fn scene_around<'p>(self, path: &'p str) -> Option<(KnownScene<'c>, &'p str)> {
        let (instance, rest) = self.paths?.scene_around(path)?;
        Some((self.scene(instance)?, rest))
    }

    /// The same, and whether that scene has the node itself. If not, it was added at run time.
    #[cfg(feature = "capture")]
    pub(crate) fn place_in_scene<'p>(
        self,
        path: &'p str,
    ) -> Option<(KnownScene<'c>, &'p str, bool)> {
        let (instance, rest) = self.paths?.scene_around(path)?;
        let has_node = self.names()?.has_node(instance.scene, rest);
        Some((self.scene(instance)?, rest, has_node))
    }

    /// The innermost instantiated scene that contains a node to which a packet refers, if it is known.
    #[cfg(feature = "json")]
    pub(crate) fn scene_of_node(self, node: Node<'_>) -> Option<KnownScene<'c>> {
        self.scene(self.known(node).instance?)
    }

    /// The scene of which a spawned node is an instance, if it is known.
    pub(crate) fn scene_of_spawned(self, net_id: u32) -> Option<KnownScene<'c>> {
        self.scene(self.spawned(net_id)?.instance?)
    }

    fn scene(self, instance: SceneInstance) -> Option<KnownScene<'c>> {
        let basis = match instance.basis {
            Basis::List(..) => SceneBasis::Scene,
            Basis::Function => SceneBasis::Function,
            Basis::Structure => SceneBasis::Structure,
        };
        let path = self.names()?.file_of(instance.scene)?;
        let is_admitted = self.admits(|evidence| evidence.admits(instance));
        is_admitted.then_some(KnownScene { path, basis })
    }

    /// The path of a spawned node.
    pub(super) fn node_of(self, net_id: u32) -> Option<&'c str> {
        self.spawned(net_id)?.path
    }

    /// The name of a spawned node.
    pub(crate) fn spawned_name(self, net_id: u32) -> Option<&'c str> {
        self.spawned(net_id).map(|spawned| spawned.name)
    }

    /// The path and the id of the spawner of a spawn.
    fn spawner(self, spawn: &Spawn<'_>) -> Option<(&'c str, SpawnerId)> {
        let (path, _) = self.paths?.spawner(self.ends.sender?, spawn)?;
        match self.known(Node::Id(spawn.spawner)).role {
            KnownRole::Spawner(id) => Some((path, id)),
            _ => None,
        }
    }

    /// The scene that a spawn instantiates, if it is known.
    pub(super) fn instance(self, spawn: &Spawn<'_>) -> Option<SceneInstance> {
        let instance = self.listed(spawn).or_else(|| {
            let (scenes, basis) = self.scenes_of(spawn)?;
            Some(SceneInstance { scene: scenes.only()?, basis })
        })?;
        self.admits(|evidence| evidence.admits(instance)).then_some(instance)
    }

    /// The scene that a spawn instantiates by its number in the list of its spawner.
    fn listed(self, spawn: &Spawn<'_>) -> Option<SceneInstance> {
        let (_, spawner) = self.spawner(spawn)?;
        self.names()?.instance(spawner, spawn.scene?)
    }

    /// The spawner of a spawn, if its list in the project has no scene with the number of the spawn.
    pub(super) fn beyond_list(self, spawn: &Spawn<'_>) -> Option<SpawnerId> {
        let (_, spawner) = self.spawner(spawn)?;
        let project = self.names()?.project()?;
        let is_beyond = usize::from(spawn.scene?) >= project.spawner(spawner).len();
        (is_beyond && !project.may_change_spawners()).then_some(spawner)
    }

    /// The scenes that a spawn may instantiate if its number does not say it.
    pub(super) fn scenes_of(self, spawn: &Spawn<'_>) -> Option<(SceneSet, Basis)> {
        if !self.is_unchecked && self.beyond_list(spawn).is_some() {
            return None;
        }
        let paths = self.paths?;
        let next = paths.announcements.saturating_add(1);
        Some(paths.scenes_of(self.ends.sender?, spawn, next))
    }

    /// The scene of which a spawn makes an instance, if it is known. A list may have scenes that the project
    /// lacks.
    pub(crate) fn scene_of_spawn(self, spawn: &Spawn<'_>) -> Option<KnownScene<'c>> {
        let names = self.names()?;
        let listed = self.spawner(spawn).zip(spawn.scene).and_then(|((_, spawner), number)| {
            Some((spawner, number, names.scene_path(spawner, number)?))
        });
        let Some((spawner, number, path)) = listed else {
            return self.scene(self.instance(spawn)?);
        };
        let fit = match names.instance(spawner, number) {
            Some(instance) => fit_of_spawn(names, instance.scene, spawn),
            None => None,
        };
        // With fewer synchronizers than the scene has, it may as well be one that has just these. But
        // a node that is named by the id of a client is one that scripts give to that client.
        let is_given = |scene| names.may_be_given_away(scene);
        let is_client = is_like_client_id(spawn.name)
            && names.instance(spawner, number).is_some_and(|instance| is_given(instance.scene));
        let is_other = || {
            let mut scenes = names.spawned_scenes(spawner).filter(|it| !is_client || is_given(*it));
            scenes.any(|other| fit_of_spawn(names, other, spawn) == Some(Ok(())))
        };
        let fits = match fit {
            Some(fit) => fit.is_ok(),
            None => names.instance(spawner, number).is_none() || !is_other(),
        };
        let is_admitted = self.admits(|evidence| {
            evidence.is_same_scene(spawner, number)
                || (fits && evidence.admits_scene(spawner, number))
        });
        is_admitted.then_some(KnownScene { path, basis: SceneBasis::Scene })
    }

    /// The path of the node that a spawn adds.
    pub(crate) fn spawned_path(self, spawn: &Spawn<'_>) -> Option<alloc::string::String> {
        let (path, spawner) = self.spawner(spawn)?;
        let path = self.names()?.spawned_path(spawner, path, spawn.name);
        path.filter(|_| self.evidence().is_none_or(|known| known.admits_place(spawner)))
    }

    /// The names of the properties in a spawn; none if they are not known, or do not fit the values.
    pub(crate) fn spawn_properties(
        self,
        spawn: &Spawn<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        let (names, count) = (self.names()?, spawn.synchronizers.len());
        let kinds = spawn.state.into_iter().map(|value| value.kind());
        let synchronizers = |scene| names.synchronizers_of_spawn(scene, count, &mut kinds.clone());
        let is_right = |scene: SceneId| {
            let mut configs = synchronizers(scene).filter_map(|id| names.config_of(id));
            fit_of_spawn(names, scene, spawn) == Some(Ok(()))
                && self.admits(|evidence| configs.all(|config| evidence.admits_properties(config)))
        };
        let of = |scene| names.spawn_properties(synchronizers(scene)).map(|(_, property)| property);
        let (scene, unclear) = match self.instance(spawn) {
            Some(instance) => (Some(instance.scene).filter(|scene| is_right(*scene))?, 0),
            None if self.listed(spawn).is_some() => return None,
            None => {
                let (scenes, _) = self.scenes_of(spawn)?;
                let (first, others) = scenes.list().split_first()?;
                let mut unclear = 0;
                for other in others {
                    unclear |= differences(of(*first), of(*other))?;
                }
                (Some(*first).filter(|_| scenes.list().iter().all(|it| is_right(*it)))?, unclear)
            }
        };
        let found = of(scene).enumerate();
        Some(found.map(move |(place, property)| named(property.name, place, unclear)))
    }

    /// The path of the synchronizer that sent a state. That of a spawned node is only known from a
    /// [project](super::Names).
    #[must_use]
    pub fn synchronizer_path(self, synchronizer: Synchronizer) -> Option<SynchronizerPath<'c>> {
        let (node, below) = match synchronizer {
            Synchronizer::PathId(id) => (self.path(Node::Id(id))?, ""),
            Synchronizer::NetId(id) => {
                let spawned = self.spawned(id)?;
                (spawned.path?, self.names()?.synchronizer_path(spawned.synchronizer?)?)
            }
        };
        Some(SynchronizerPath { node, below })
    }

    /// The names of the properties in a state; none if they are not known, or do not fit the values.
    pub(crate) fn state_properties(
        self,
        state: &State<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        let names = self.names()?;
        let found = self.synchronizer(state.synchronizer);
        let (config, unclear) =
            found.or_else(|| Some((self.fitting_config(state)?, Unclear::default())))?;
        let unclear = if state.changed.is_some() { unclear.on_change } else { unclear.always };
        let found = names.sent_properties(config, state.changed);
        let found = found.map(move |(place, property)| named(property.name, place, unclear));
        fit_of_state(names, config, state).is_ok().then_some(found)
    }

    /// The properties of a synchronizer, and whether its scene is certain.
    pub(super) fn config_of(self, synchronizer: Synchronizer) -> Option<(ConfigId, bool)> {
        let (config, unclear) = self.synchronizer(synchronizer)?;
        Some((config, unclear == Unclear::default()))
    }

    fn synchronizer(self, synchronizer: Synchronizer) -> Option<(ConfigId, Unclear)> {
        let (config, unclear) = match synchronizer {
            Synchronizer::PathId(id) => match self.known(Node::Id(id)) {
                KnownNode { role: KnownRole::Synchronizer(config), unclear, .. } => {
                    (config, unclear)
                }
                _ => return None,
            },
            Synchronizer::NetId(id) => {
                let spawned = self.spawned(id)?;
                (self.names()?.config_of(spawned.synchronizer?)?, spawned.unclear)
            }
        };
        self.admits(|evidence| evidence.admits_properties(config)).then_some((config, unclear))
    }
}

#[cfg(not(feature = "alloc"))]
impl<'c> Context<'c> {
    fn path_of(self, _: Option<PeerEnd>, _: u32) -> Option<&'c str> {
        None
    }

    fn name_of(self, _: Node<'_>, _: u16, _: bool) -> Option<&'c str> {
        None
    }

    pub(crate) fn script(self, _: Node<'_>) -> Option<&'c str> {
        None
    }

    pub(super) fn node_of(self, _: u32) -> Option<&'c str> {
        None
    }

    pub(super) fn spawned_name(self, _: u32) -> Option<&'c str> {
        None
    }

    pub(super) fn scene_of_spawn(self, _: &Spawn<'_>) -> Option<KnownScene<'c>> {
        None
    }

    pub(crate) fn spawn_properties(
        self,
        _: &Spawn<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        None::<core::iter::Empty<&str>>
    }

    /// The path of the synchronizer that sent a state. Without an allocator, it is not known.
    #[must_use]
    pub fn synchronizer_path(self, _: Synchronizer) -> Option<SynchronizerPath<'c>> {
        None
    }

    pub(crate) fn state_properties(
        self,
        _: &State<'_>,
    ) -> Option<impl Iterator<Item = &'c str> + use<'c>> {
        None::<core::iter::Empty<&str>>
    }
}

/// Whether a name is like the id of a client. Those are random, so few are small.
#[cfg(feature = "alloc")]
fn is_like_client_id(name: &str) -> bool {
    !name.starts_with(['+', '0']) && name.parse().is_ok_and(|id: i32| id > 0xffff)
}
