//! Finds packets that contradict the names that the user gave: states and spawns with other values than
//! the properties in the project, and nodes at other places.

use super::arguments::Arguments;
use super::context::{Context, SynchronizerPath};
use super::evidence::{Fact, MethodChange};
use super::known::{KnownRole, ListFit, SceneInstance, SceneSet};
use super::names::{NO_METHODS, Names};
use super::packet::{Call, Method, Node, Packet, SimplifyPath, Spawn, State, Sync, Synchronizer};
use super::paths::{AnnouncedPath, LONGEST, Paths, Placed};
use crate::format::text::OneLine;
use crate::game::project::{ConfigId, Property, SceneId, SpawnerId};
use crate::value::Kind;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::cmp::Ordering;
use core::fmt;

/// How a packet contradicts the [`Names`](super::Names) that the user gave. The names are those of
/// another version of the game, or a list has mistakes. `Display` explains it in a sentence.
///
/// A name that is contradicted is never shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Mismatch<'c> {
    /// A node is announced with the digest of other methods.
    Digest {
        /// The path of the node.
        path: &'c str,
        /// How many methods the names have for it; none if no script of the project has its methods.
        methods: Option<usize>,
        /// How the methods of the game differ, if the digest has shown that. None of these names is
        /// shown otherwise.
        change: Option<MethodChange<'c>>,
    },
    /// A method is called whose number is out of range.
    Method {
        /// The path of the node.
        path: &'c str,
        /// The method.
        method: Method<'c>,
        /// How many methods the names have for it.
        methods: usize,
    },
    /// The values of a state are not those of its synchronizer's properties.
    State {
        /// The path of the synchronizer.
        path: SynchronizerPath<'c>,
        /// The path of the file that has the properties, `res://…`.
        file: &'c str,
        /// If the whole list of scenes of a spawner is not that of the game: the path of the spawner,
        /// or of the spawned scene that contains it.
        spawner: Option<&'c str>,
        /// The way in which the values do not fit.
        misfit: Misfit<'c>,
    },
    /// A spawn has other synchronizers or values than its scene.
    Spawn {
        /// The path of the scene, or of the file that has the contradicted property, `res://…`.
        file: &'c str,
        /// The name of the node.
        name: &'c str,
        /// As in [`Mismatch::State`].
        spawner: Option<&'c str>,
        /// The way in which the spawn does not fit.
        misfit: Misfit<'c>,
    },
    /// A node is announced with the digest of another script of the project than the one that its
    /// scene gives it.
    Script {
        /// The path of the node.
        path: &'c str,
        /// The path of the scene.
        scene: &'c str,
        /// As in [`Mismatch::State`].
        spawner: Option<&'c str>,
    },
    /// A spawned node is announced at another path than its spawner gives it in the project.
    Place {
        /// The path of the spawner.
        spawner: &'c str,
        /// The path of the node, or of a node below it, in the game.
        path: &'c str,
        /// The path of the spawned node in the project.
        expected: &'c str,
    },
    /// No scene of the project fits what packets show of a node that a script has made: the nodes
    /// below it, and the values that they send. Or a node is spawned by a spawner that is in no scene,
    /// or whose list has fewer scenes.
    Scene {
        /// The path of the node; of a spawned one, that of its spawner if it is known.
        path: &'c str,
        /// The name of a spawned node.
        name: Option<&'c str>,
    },
}

impl<'c> Mismatch<'c> {
    /// The part of the project that is contradicted: the path of a file, `res://…`, of a spawner
    /// with other scenes, or of another node. Packets that contradict the same part have one cause.
    #[must_use]
    pub const fn subject(&self) -> &'c str {
        match self {
            Mismatch::Digest { path, .. }
            | Mismatch::Method { path, .. }
            | Mismatch::State { spawner: Some(path), .. }
            | Mismatch::Spawn { spawner: Some(path), .. }
            | Mismatch::Script { spawner: Some(path), .. }
            | Mismatch::Place { spawner: path, .. }
            | Mismatch::Scene { path, .. } => path,
            Mismatch::State { file, .. }
            | Mismatch::Spawn { file, .. }
            | Mismatch::Script { scene: file, .. } => file,
        }
    }
}

impl<'c> Packet<'c> {
    /// Whether the packet contradicts the names that the user gave, and how it does so first. For a
    /// relay, the relayed packet is checked. Names that earlier packets have contradicted are checked,
    /// too.
    #[must_use]
    pub fn mismatch(&self, context: Context<'c>) -> Option<Mismatch<'c>> {
        let (names, context) = (context.names()?, context.unchecked());
        match *self {
            Packet::SimplifyPath(announced @ SimplifyPath { path, md5: Some(digest), .. }) => {
                let paths = context.paths?;
                if let Some(methods) = paths.contradicted(path, digest) {
                    let change = paths.method_change(path, digest);
                    return Some(Mismatch::Digest { path, methods, change });
                }
                if let Some(mismatch) = context.other_place(&announced) {
                    return Some(mismatch);
                }
                let (instance, rest) = paths.scene_around(path)?;
                let (spawner, number) = instance.listed()?;
                let list = names.list_of("", Some((instance.scene, rest)))?;
                let scene = names.scene_path(spawner, number)?;
                let is_other = names.fit(digest, list) == ListFit::Other;
                let of_list = paths.spawner_around(path);
                let of_list = of_list.filter(|_| self.has_other_scenes(spawner, context));
                let spawner = of_list.map(|(path, around)| place_of_spawner(path, around, names));
                is_other.then_some(Mismatch::Script { path, scene, spawner })
            }
            Packet::Call(Call { node, method, .. }) => {
                let Method::Number { index, is_own } = method else { return None };
                let methods = names.methods_in(context.known(node).methods, is_own)?;
                let path = context.path(node)?;
                let is_there = usize::from(index) < methods;
                (!is_there).then_some(Mismatch::Method { path, method, methods })
            }
            Packet::Spawn(spawn) => {
                if context.beyond_list(&spawn).is_some() {
                    let path = context.path(Node::Id(spawn.spawner))?;
                    return Some(Mismatch::Scene { path, name: Some(spawn.name) });
                }
                let Some(instance) = context.instance(&spawn) else {
                    return context.spawn_without_scene(&spawn);
                };
                let (spawner, number) = instance.listed()?;
                let (misfit, config) = fit_of_spawn(names, instance.scene, &spawn)?.err()?;
                let file = config.and_then(|config| names.config_file(config));
                let file = file.or_else(|| names.scene_path(spawner, number))?;
                let path = context.path(Node::Id(spawn.spawner));
                let path = path.filter(|_| self.has_other_scenes(spawner, context));
                let around = context.known(Node::Id(spawn.spawner)).instance;
                let spawner = path.map(|path| place_of_spawner(path, around, names));
                Some(Mismatch::Spawn { file, name: spawn.name, spawner, misfit })
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                let list = |spawner| self.has_other_scenes(spawner, context);
                states.iter().find_map(|state| state_mismatch(&state, (names, context), &list))
            }
            Packet::Relay(relay) => relay.packet().mismatch(context.relayed()),
            _ => None,
        }
    }

    /// Passes everything in the packet that [`mismatch`](Packet::mismatch) is about to a function: a
    /// packet may have the states of several nodes.
    pub fn mismatches(&self, context: Context<'c>, each: &mut dyn FnMut(Mismatch<'c>)) {
        match *self {
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                let Some(names) = context.names() else { return };
                let context = context.unchecked();
                let facts = OnceCell::new();
                let has_other_scenes = |spawner| {
                    let facts = facts.get_or_init(|| BTreeSet::from_iter(self.evidence(context)));
                    let fact = Fact::OtherScenes(spawner);
                    context.evidence().is_some_and(|known| known.has(fact)) || facts.contains(&fact)
                };
                let mismatches = states.iter().filter_map(|state| {
                    state_mismatch(&state, (names, context), &has_other_scenes)
                });
                mismatches.for_each(each);
            }
            Packet::Relay(relay) => relay.packet().mismatches(context.relayed(), each),
            _ => self.mismatch(context).into_iter().for_each(each),
        }
    }
}

impl Packet<'_> {
    /// Whether a spawner has another list of scenes in the game, as this packet or an earlier one
    /// has shown.
    fn has_other_scenes(&self, spawner: SpawnerId, context: Context<'_>) -> bool {
        let fact = Fact::OtherScenes(spawner);
        context.evidence().is_some_and(|known| known.has(fact))
            || self.evidence(context).contains(&fact)
    }
}

/// The place of a spawner in the project: the path of the spawned scene around it, because each
/// instance of that scene has such a spawner, or else its own path.
fn place_of_spawner<'c>(path: &'c str, around: Option<SceneInstance>, names: &'c Names) -> &'c str {
    around.and_then(|it| names.file_of(it.scene)).unwrap_or(path)
}

fn state_mismatch<'c>(
    state: &State<'c>,
    (names, context): (&'c Names, Context<'c>),
    has_other_scenes: &dyn Fn(SpawnerId) -> bool,
) -> Option<Mismatch<'c>> {
    let Some((config, true)) = context.config_of(state.synchronizer) else {
        return context.state_without_scene(state.synchronizer);
    };
    let misfit = fit_of_state(names, config, state).err()?;
    let path = context.synchronizer_path(state.synchronizer)?;
    let (instance, spawner, around) = match state.synchronizer {
        Synchronizer::PathId(id) => {
            let spawner = context.paths?.spawner_around(path.node);
            let around = spawner.and_then(|(_, around)| around);
            (context.known(Node::Id(id)).instance, spawner.map(|(path, _)| path), around)
        }
        Synchronizer::NetId(id) => {
            let spawned = context.spawned(id)?;
            (spawned.instance, spawned.spawner, spawned.around)
        }
    };
    let listed = instance.and_then(SceneInstance::listed);
    let spawner = spawner.filter(|_| listed.is_some_and(|(id, _)| has_other_scenes(id)));
    let spawner = spawner.map(|path| place_of_spawner(path, around, names));
    Some(Mismatch::State { path, file: names.config_file(config)?, spawner, misfit })
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Mismatch::Digest { path, change: Some(change), .. } => {
                write!(f, "in the game, {} {change}; its other methods are the same", OneLine(path))
            }
            Mismatch::Digest { path, methods: Some(0), .. } => {
                write!(f, "{} has methods in the game, but no names were given", OneLine(path))
            }
            Mismatch::Digest { path, methods: Some(n), .. } => {
                let (path, s) = (OneLine(path), if n == 1 { "" } else { "s" });
                write!(f, "{path} has other methods in the game than the {n} name{s} given for it")
            }
            Mismatch::Digest { path, methods: None, .. } => {
                write!(f, "no script of the project has the methods of {}", OneLine(path))
            }
            Mismatch::Method { path, method, methods: n } => {
                let (path, s) = (OneLine(path), if n == 1 { " is" } else { "s are" });
                write!(f, "{method} of {path} is called, but only {n} method{s} named for it")
            }
            Mismatch::State { path: SynchronizerPath { node, below }, file, misfit, .. } => {
                let slash = if below.is_empty() { "" } else { "/" };
                let (node, below, file) = (OneLine(node), OneLine(below), OneLine(file));
                write!(f, "{node}{slash}{below} sends {misfit} in {file}")
            }
            Mismatch::Spawn { file, name, misfit, .. } => {
                let (file, name) = (OneLine(file), OneLine(name));
                write!(f, "{name} is spawned with {misfit} in {file}")
            }
            Mismatch::Place { path, expected, .. } => {
                let (path, expected) = (OneLine(path), OneLine(expected));
                write!(f, "{path} is announced, but the project has that node at {expected}")
            }
            Mismatch::Script { path, scene, .. } => {
                let (path, scene) = (OneLine(path), OneLine(scene));
                write!(f, "{path} has another script than {scene} gives it")
            }
            Mismatch::Scene { path, name: None } => {
                write!(f, "no scene of the project fits the packets of {}", OneLine(path))
            }
            Mismatch::Scene { path, name: Some(name) } => {
                let (path, name) = (OneLine(path), OneLine(name));
                write!(f, "no scene of the project fits the packets of {name}, which {path} spawns")
            }
        }
    }
}

/// How the values of a state or a spawn differ from the properties in the project.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Misfit<'c> {
    /// There are more or fewer.
    Count {
        /// How many values there are.
        values: usize,
        /// How many properties the project has.
        properties: usize,
    },
    /// A value is of another type.
    Kind {
        /// The name of the property in the project.
        property: &'c str,
        /// The type that the project declares.
        declared: Kind,
        /// The type of the value.
        sent: Kind,
    },
    /// Fewer synchronizers are spawned than the scene has, and no such selection of them sends these
    /// values.
    Selection {
        /// How many values there are.
        values: usize,
        /// How many synchronizers are spawned.
        synchronizers: usize,
    },
    /// The spawned node has more synchronizers.
    Synchronizers {
        /// How many it has.
        sent: usize,
        /// How many its scene has.
        here: usize,
    },
}

/// Shows the values that were sent and those that were expected: "3 values, not 2 as".
impl fmt::Display for Misfit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Misfit::Count { values: n, properties } => {
                write!(f, "{n} value{}, not {properties} as", s(n))
            }
            Misfit::Kind { property, declared, sent } => {
                let property = OneLine(property);
                write!(f, "a value of type {sent} for {property}, which has type {declared}")
            }
            Misfit::Selection { values: n, synchronizers: 0 | 1 } => {
                write!(f, "{n} value{}, which no synchronizer sends", s(n))
            }
            Misfit::Selection { values: n, synchronizers } => {
                write!(f, "{n} value{}, which no {synchronizers} synchronizers send", s(n))
            }
            Misfit::Synchronizers { sent: n, here } => {
                write!(f, "{n} synchronizer{}, not {here} as", s(n))
            }
        }
    }
}

/// Whether the values of a state are those of a synchronizer's properties.
pub(super) fn fit_of_state<'n>(
    names: &'n Names,
    config: ConfigId,
    state: &State<'_>,
) -> Result<(), Misfit<'n>> {
    let properties = names.sent_properties(config, state.changed);
    fit(properties.map(|(_, property)| (config, property)), state.values)
        .map_err(|(misfit, _)| misfit)
}

/// Whether a spawn has the synchronizers and values of a scene. None if that is not known: if a
/// part of the scene could not be read, or if other peers have the authority over some of its
/// synchronizers. A value of another type is returned with the properties of its synchronizer.
pub(super) fn fit_of_spawn<'n>(
    names: &'n Names,
    scene: SceneId,
    spawn: &Spawn<'_>,
) -> Option<Result<(), (Misfit<'n>, Option<ConfigId>)>> {
    let (sent, here) = (spawn.synchronizers.len(), names.synchronizer_count(scene)?);
    let all = names.synchronizers(scene, here);
    let is_known = |id| names.config_of(id).is_some();
    let kinds = spawn.state.into_iter().map(|value| value.kind());
    match sent.cmp(&here) {
        Ordering::Greater => Some(Err((Misfit::Synchronizers { sent, here }, None))),
        _ if !all.clone().all(is_known) => None,
        Ordering::Less
            if names.synchronizers_of_spawn(scene, sent, &mut kinds.clone()).next().is_some() =>
        {
            Some(Ok(()))
        }
        Ordering::Less if names.may_select(scene, here, (sent, &kinds.collect::<Vec<_>>())) => None,
        Ordering::Less => {
            let values = spawn.state.len();
            Some(Err((Misfit::Selection { values, synchronizers: sent }, None)))
        }
        Ordering::Equal => Some(fit(names.spawn_properties(all), spawn.state)),
    }
}

/// Whether a state may be that of a synchronizer with these properties, if the game has them in any
/// order. In a project of another version, the scene of a node may have them in another order, and a
/// look-alike of that scene in the order of the game: the scene is not excluded then.
pub(super) fn may_send(names: &Names, config: ConfigId, state: &State<'_>) -> bool {
    names.may_change_properties()
        || match fit_of_state(names, config, state) {
            Err(Misfit::Kind { .. }) => {
                let all = state.changed.map(|_| u64::MAX);
                let properties = names.sent_properties(config, all);
                fit_in_some_order(properties, state.values)
            }
            fit => fit.is_ok(),
        }
}

/// Whether a spawn may be that of a scene, if the game has its properties in any order.
pub(super) fn may_spawn(names: &Names, scene: SceneId, spawn: &Spawn<'_>) -> bool {
    names.may_change_properties()
        || match fit_of_spawn(names, scene, spawn) {
            Some(Err((Misfit::Kind { .. }, _))) => {
                let synchronizers = names.synchronizers(scene, spawn.synchronizers.len());
                let properties = names.spawn_properties(synchronizers);
                fit_in_some_order(properties, spawn.state)
            }
            Some(fit) => fit.is_ok(),
            None => true,
        }
}

/// Whether some order of the properties has the kinds of the values. There may be more properties.
fn fit_in_some_order<'n, T>(
    properties: impl Iterator<Item = (T, Property<'n>)>,
    values: Arguments<'_>,
) -> bool {
    let (mut of_kind, mut of_any) = ([0_isize; Kind::ALL.len()], 0_isize);
    let mut count = |kind: Option<Kind>, change| {
        let found = kind.and_then(|kind| of_kind.get_mut(usize::from(kind as u8)));
        *found.unwrap_or(&mut of_any) += change;
    };
    properties.for_each(|(_, property)| count(property.kind, 1));
    values.into_iter().for_each(|value| count(Some(value.kind()), -1));
    // Values of other kinds than those that are declared are of properties of any kind.
    of_any >= of_kind.iter().map(|left| -left.min(&0)).sum()
}

/// The scenes of which a spawned node may be an instance, by its synchronizers and values.
pub(super) fn scenes_like(names: &Names, spawn: &Spawn<'_>) -> SceneSet {
    /// Among more scenes, none is searched.
    const SEARCHED: usize = 256;
    let all = names.synchronized_scenes();
    if spawn.synchronizers.is_empty() || all.len() > SEARCHED {
        return SceneSet::Any;
    }
    let may_be = |scene| names.can_be_created(scene) && may_spawn(names, scene, spawn);
    SceneSet::among(all.iter().copied().filter(|scene| may_be(*scene)))
}

fn fit<'n>(
    properties: impl Iterator<Item = (ConfigId, Property<'n>)> + Clone,
    values: Arguments<'_>,
) -> Result<(), (Misfit<'n>, Option<ConfigId>)> {
    let count = properties.clone().count();
    if count != values.len() {
        return Err((Misfit::Count { values: values.len(), properties: count }, None));
    }
    let wrong = properties.zip(values).find_map(|((config, property), value)| {
        let (declared, sent) = (property.kind?, value.kind());
        let misfit = Misfit::Kind { property: property.name, declared, sent };
        (declared != sent).then_some((misfit, Some(config)))
    });
    wrong.map_or(Ok(()), Err)
}

/// Adds what the announcement of a node, by its path and digest, shows about the places where spawners
/// put their nodes.
pub(super) fn misplaced(context: Context<'_>, (path, digest): (&str, &str), facts: &mut Vec<Fact>) {
    let (Some(names), Some(paths)) = (context.names(), context.paths) else { return };
    for (end, placed) in same_names(paths, path) {
        if path.get(..end) == Some(&*placed.path) {
            facts.push(Fact::SamePlace(placed.spawner));
        } else if is_elsewhere(names, paths, (path, digest, end), placed) {
            facts.push(Fact::OtherPlace(placed.spawner));
        }
    }
}

impl<'c> Context<'c> {
    /// The spawned node that is announced at another path than that where the project puts it.
    pub(super) fn misplaced(self, announced: &SimplifyPath<'_>) -> Option<&'c Placed> {
        let (names, paths) = (self.names()?, self.paths?);
        let (path, digest) = (announced.path, announced.md5?);
        let is_same = |spawner: SpawnerId| {
            self.evidence().is_some_and(|known| known.has(Fact::SamePlace(spawner)))
        };
        let mut others = same_names(paths, path).filter(|(end, placed)| {
            !is_same(placed.spawner) && is_elsewhere(names, paths, (path, digest, *end), placed)
        });
        others.next().map(|(_, placed)| placed)
    }

    /// How a state contradicts the project if no scene is left for the node that sends it.
    fn state_without_scene(self, synchronizer: Synchronizer) -> Option<Mismatch<'c>> {
        let (paths, sender) = (self.paths?, self.ends.sender?);
        match synchronizer {
            Synchronizer::PathId(id) => {
                let AnnouncedPath { path, search, .. } = paths.announced(sender, id)?;
                let origin = paths.contradicted_origin(*search).and_then(|it| it.path.as_deref());
                let path = origin.or_else(|| search.is_nowhere.then_some(&**path))?;
                self.without_scene(path, None)
            }
            Synchronizer::NetId(id) => {
                let (_, node, _) = paths.node(sender, id)?;
                paths.contradicted_origin(node.search)?;
                self.spawned_without_scene(node.spawner, &node.name)
            }
        }
    }

    /// How a spawn contradicts the project if its scene is not known.
    fn spawn_without_scene(self, spawn: &Spawn<'c>) -> Option<Mismatch<'c>> {
        let (scenes, _) = self.scenes_of(spawn)?;
        if scenes == SceneSet::none() {
            return self.spawned_without_scene(spawn.spawner, spawn.name);
        }
        let announced = self.paths?.announced(self.ends.sender?, spawn.spawner)?;
        let is_told =
            announced.search.is_nowhere && !self.names()?.project()?.may_change_spawners();
        is_told.then_some(Mismatch::Scene { path: &announced.path, name: None })
    }

    fn spawned_without_scene(self, spawner: u32, name: &'c str) -> Option<Mismatch<'c>> {
        match self.path(Node::Id(spawner)) {
            Some(path) => self.without_scene(path, Some(name)),
            None => self.without_scene(name, None),
        }
    }

    fn without_scene(self, path: &'c str, name: Option<&'c str>) -> Option<Mismatch<'c>> {
        let may_be_elsewhere = self.names()?.project()?.may_lack_synchronizers();
        (!may_be_elsewhere).then_some(Mismatch::Scene { path, name })
    }

    /// How the announcement of a spawned node contradicts the place where the project puts it.
    pub(super) fn other_place(self, announced: &SimplifyPath<'c>) -> Option<Mismatch<'c>> {
        let placed = self.misplaced(announced)?;
        let (spawner, _) = self.paths?.nodes.sites.get(&placed.path)?.spawner.as_ref()?;
        Some(Mismatch::Place { spawner, path: announced.path, expected: &placed.path })
    }
}

/// The spawned nodes that have the name of a node in a path, each with the length of the path of that
/// node.
fn same_names<'c>(paths: &'c Paths, path: &str) -> impl Iterator<Item = (usize, &'c Placed)> {
    let is_searched = !paths.nodes.by_name.is_empty() && path.len() <= LONGEST;
    let path = if is_searched { path } else { "" };
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.flat_map(move |end| {
        let above = path.get(..end).unwrap_or("");
        let name = above.rsplit_once('/').map_or(above, |(_, name)| name);
        let placed = paths.nodes.by_name.get(name).map_or(&[][..], |placed| placed);
        placed.iter().map(move |placed| (end, placed))
    })
}

/// Whether an announced node is a spawned one, or below it, although the project puts the spawned one
/// somewhere else: nothing else is known at the path, and the node has the methods of the spawned one.
fn is_elsewhere(
    names: &Names,
    paths: &Paths,
    (path, digest, end): (&str, &str, usize),
    placed: &Placed,
) -> bool {
    let Some((root, below)) = path.split_at_checked(end) else { return false };
    let below = below.trim_start_matches('/');
    let Some(site) = paths.nodes.sites.get(&placed.path) else { return false };
    let has_node = |scene: SceneId| match names.list_of("", Some((scene, below))) {
        _ if digest == NO_METHODS => {
            !below.is_empty() && !matches!(names.role_in(scene, below), KnownRole::Other)
        }
        Some(list) => names.fit(digest, list) == ListFit::Same,
        None => false,
    };
    let has_node = match (site.instance, paths.nodes.origins.get(&site.origin)) {
        (Some(instance), _) => has_node(instance.scene),
        (None, Some(origin)) => origin.scenes.list().iter().any(|scene| has_node(*scene)),
        (None, None) => false,
    };
    has_node && !paths.nodes.sites.contains_key(root) && paths.known_part(names, root) < root.len()
}
