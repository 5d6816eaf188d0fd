//! Finds packets that contradict the names that the user gave.

use super::context::{Context, SynchronizerPath};
use super::evidence::{Fact, MethodChange};
use super::fit::{Misfit, fit_of_spawn, fit_of_state};
use super::known::{Instance, ListFit, SpawnerId};
use super::names::Names;
use super::packet::{Call, Method, Node, Packet, SimplifyPath, Sync};
use super::states::{State, Synchronizer};
use crate::format::text::OneLine;
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
        /// What is wrong with the values.
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
        /// What is wrong with the spawn.
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
            | Mismatch::Place { spawner: path, .. } => path,
            Mismatch::State { file, .. }
            | Mismatch::Spawn { file, .. }
            | Mismatch::Script { scene: file, .. } => file,
        }
    }
}

impl<'c> Packet<'c> {
    /// Whether the packet contradicts the names that the user gave, and how. For a relay, the
    /// relayed packet is checked. Names that earlier packets have contradicted are checked, too.
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
                let list = names.list_in_scene(instance.scene, rest)?;
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
                let instance = context.instance(&spawn)?;
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

/// Where a spawner is in the project: the path of the spawned scene around it, because each instance
/// of that scene has such a spawner, or else its own path.
fn place_of_spawner<'c>(path: &'c str, around: Option<Instance>, names: &'c Names) -> &'c str {
    around.and_then(|it| names.file_of(it.scene)).unwrap_or(path)
}

fn state_mismatch<'c>(
    state: &State<'c>,
    (names, context): (&'c Names, Context<'c>),
    has_other_scenes: &dyn Fn(SpawnerId) -> bool,
) -> Option<Mismatch<'c>> {
    let (config, _) =
        context.config_of(state.synchronizer).filter(|(_, is_certain)| *is_certain)?;
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
    let listed = instance.and_then(Instance::listed);
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
        }
    }
}
