//! Access to the lists, scenes, spawners and synchronizers of a project by number.

use super::digests::digest;
use super::ids::{ConfigId, Interner, NameId, SceneId};
use super::properties::SentProperties;
use super::script::{RemoteMethod, RpcConfig, Signatures};
use super::tree::{ScenePart, SceneTree, Spawnable, Tree, TreeRole};
use crate::value::Kind;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

/// The remote methods of a node, in the order of their numbers.
///
/// There are two lists: that of the script, and the methods that `Node.rpc_config()` made remote at
/// run time, whose numbers have the top bit set. Methods of the second kind are only known if the
/// list was found by its digest.
#[derive(Clone, Copy)]
pub struct MethodList<'p> {
    pub(super) names: &'p Interner,
    pub(super) script: Option<NameId>,
    pub(super) signatures: &'p Signatures,
    pub(super) rpc: &'p [RemoteMethod],
    pub(super) own: &'p [NameId],
}

impl<'p> MethodList<'p> {
    /// The path of the script, `res://…`. None if several scripts have these methods, and for the
    /// list of nodes without a script.
    #[must_use]
    pub fn script(&self) -> Option<&'p str> {
        self.script.map(|script| self.names.text(script))
    }

    /// The number of methods of the script, or of those made remote at run time if `is_own`.
    #[must_use]
    pub const fn len(&self, is_own: bool) -> usize {
        if is_own { self.own.len() } else { self.rpc.len() }
    }

    /// Whether it has no methods of either kind.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.own.is_empty() && self.rpc.is_empty()
    }

    /// The name of a method by its index, and whether it was made remote at run time.
    #[must_use]
    pub fn name(&self, index: u16, is_own: bool) -> Option<&'p str> {
        let index = usize::from(index);
        let name = if is_own {
            self.own.get(index).copied()
        } else {
            self.rpc.get(index).map(|method| method.name)
        };
        name.map(|name| self.names.text(name))
    }

    /// The index of a method, and whether it was made remote at run time. If both lists have the
    /// method, it is the index in that of the script, as in the engine.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(u16, bool)> {
        let find = |is_own| {
            let count = u16::try_from(self.len(is_own)).unwrap_or(u16::MAX);
            let index = (0..count).find(|index| self.name(*index, is_own) == Some(name))?;
            Some((index, is_own))
        };
        find(false).or_else(|| find(true))
    }

    /// The digest of the list: 32 hexadecimal digits, as in a *simplify path* packet.
    #[must_use]
    pub fn digest(&self) -> String {
        let own = self.own.iter().copied();
        let names = own.chain(self.rpc.iter().map(|method| method.name));
        digest(names.map(|name| self.names.text(name)))
    }

    /// How a method of the script is declared. None if there is no such method, or if several
    /// scripts with these methods declare it differently.
    #[must_use]
    pub fn rpc_config(&self, index: u16) -> Option<RpcConfig> {
        self.rpc.get(usize::from(index))?.rpc
    }

    /// The parameters of a method of the script. None if there is no such method, if its parameters
    /// could not be read, or if several scripts with these methods declare them differently.
    #[must_use]
    pub fn parameters(&self, index: u16) -> Option<Parameters<'p>> {
        let signature = self.signatures.get(self.rpc.get(usize::from(index))?.parameters?)?;
        Some(Parameters {
            required: signature.required,
            is_variadic: signature.is_variadic,
            kinds: &signature.kinds,
        })
    }
}

impl fmt::Debug for MethodList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rpc = self.rpc.iter().map(|method| self.names.text(method.name));
        let own = self.own.iter().map(|name| self.names.text(*name));
        f.debug_list().entries(own.chain(rpc)).finish()
    }
}

/// The parameters of a remote method, as the script declares them.
///
/// The engine ignores a call with fewer arguments than [`required`](Parameters::required), and one
/// with more than there are [`kinds`](Parameters::kinds), unless the method takes any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameters<'p> {
    /// The number of arguments that a call must have. In C#, that is the number of all parameters:
    /// default values are not used for remote calls.
    pub required: usize,
    /// Whether a call may have any further arguments, after those of the declared parameters:
    /// `...rest` in GDScript.
    pub is_variadic: bool,
    /// The kind that the script declares for each parameter, `...rest` excepted. None if it declares
    /// none, or a class or enumeration. An argument of a call may have another kind, if the engine
    /// converts that to the declared one: an int may be sent for a float.
    pub kinds: &'p [Option<Kind>],
}

/// A scene.
#[derive(Clone, Copy)]
pub struct Scene<'p> {
    pub(super) names: &'p Interner,
    pub(super) tree: &'p Tree,
    pub(super) scene: Option<&'p SceneTree>,
    pub(super) root: Option<NameId>,
}

impl<'p> Scene<'p> {
    /// The path of its file, `res://…`.
    #[must_use]
    pub fn path(&self) -> &'p str {
        self.scene.map_or("", |scene| self.names.text(scene.path))
    }

    /// The name of its root; none if the file has no nodes.
    #[must_use]
    pub fn root_name(&self) -> Option<&'p str> {
        self.root.map(|root| self.names.text(root))
    }

    /// The synchronizers of the root, in the order in which the engine numbers them in a spawn:
    /// parents before children, siblings in their order. Synchronizers of other nodes of the scene
    /// are not among them. None if a part of the scene could not be read.
    #[must_use]
    pub fn synchronizers(
        &self,
    ) -> Option<impl ExactSizeIterator<Item = SceneSynchronizer<'p>> + use<'p>> {
        let scene = *self;
        let found = self.scene?.synchronizers.as_ref()?.iter();
        Some(found.map(move |part| scene.part(part)))
    }

    /// One of the [synchronizers](Scene::synchronizers), by its place.
    #[must_use]
    pub fn synchronizer(&self, place: usize) -> Option<SceneSynchronizer<'p>> {
        Some(self.part(self.scene?.synchronizers.as_ref()?.get(place)?))
    }

    fn part(&self, (path, node): &ScenePart) -> SceneSynchronizer<'p> {
        let config = match self.tree.node(*node).map(|node| node.role) {
            Some(TreeRole::Synchronizer { config, .. }) => config,
            _ => None,
        };
        SceneSynchronizer { path: self.names.text(*path), config }
    }
}

impl fmt::Debug for Scene<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scene").field(&self.path()).finish()
    }
}

/// A `MultiplayerSynchronizer` of a scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SceneSynchronizer<'p> {
    /// Its path below the root of the scene.
    pub path: &'p str,
    /// Its properties, if they are known.
    pub config: Option<ConfigId>,
}

/// A `MultiplayerSpawner`.
#[derive(Clone, Copy)]
pub struct Spawner<'p> {
    pub(super) names: &'p Interner,
    pub(super) scenes: &'p [Spawnable],
    pub(super) path: Option<NameId>,
}

impl<'p> Spawner<'p> {
    /// The number of scenes that it spawns.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.scenes.len()
    }

    /// Whether it spawns no scenes of a list. It may still spawn nodes with its `spawn_function`.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scenes.is_empty()
    }

    /// The scene with this number, if it could be read.
    #[must_use]
    pub fn scene(&self, number: u8) -> Option<SceneId> {
        self.scenes.get(usize::from(number))?.1
    }

    /// The path of the scene with this number, `res://…`. It is known even if the scene is not.
    #[must_use]
    pub fn scene_path(&self, number: u8) -> Option<&'p str> {
        let (path, _) = self.scenes.get(usize::from(number))?;
        Some(self.names.text(*path))
    }

    /// The number of a scene, by its path `res://…`: the first, if the list has it several times.
    #[must_use]
    pub fn number_of(&self, path: &str) -> Option<u8> {
        let is_path = |(name, _): &Spawnable| self.names.text(*name) == path;
        u8::try_from(self.scenes.iter().position(is_path)?).ok()
    }

    /// The path from the spawner to the node to which spawned nodes are added, such as `../Actors`.
    /// It may also be an absolute path that begins with `/root/`. None if the spawner has no such
    /// path, or if a unique name in it was not found.
    #[must_use]
    pub fn spawn_path(&self) -> Option<&'p str> {
        self.path.map(|path| self.names.text(path)).filter(|path| !path.is_empty())
    }
}

impl fmt::Debug for Spawner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.scenes.iter().map(|(path, _)| self.names.text(*path))).finish()
    }
}

/// The properties that a `MultiplayerSynchronizer` sends: `position` is a property of its root,
/// `Turret:rotation` one of a child of its root.
#[derive(Clone, Copy)]
pub struct Config<'p> {
    pub(super) names: &'p Interner,
    pub(super) config: Option<&'p SentProperties>,
}

/// A property that a synchronizer sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Property<'p> {
    /// Its name: see [`Config`].
    pub name: &'p str,
    /// The kind of its values, if a script or the engine declares it: `var title := "none"`, or
    /// `position` of a `Node2D`.
    pub kind: Option<Kind>,
}

/// When the values of properties are sent.
#[derive(Clone, Copy)]
pub(crate) enum PropertySet {
    /// With a spawn.
    Spawn,
    /// At intervals: in a sync.
    Always,
    /// When they change: in a delta.
    OnChange,
}

impl<'p> Config<'p> {
    /// The path of the file that has the properties, `res://…`.
    pub(crate) fn file(&self) -> Option<&'p str> {
        self.config.map(|config| self.names.text(config.file))
    }

    /// The properties that are sent at some times, in their order.
    pub(crate) fn sent(
        &self,
        set: PropertySet,
    ) -> impl ExactSizeIterator<Item = Property<'p>> + Clone + use<'p> {
        let names = self.names;
        let declared = self.config.map_or(&[][..], |config| match set {
            PropertySet::Spawn => &config.spawn,
            PropertySet::Always => &config.sync,
            PropertySet::OnChange => &config.watched,
        });
        declared.iter().map(|(name, kind)| Property { name: names.text(*name), kind: *kind })
    }

    /// The properties in a spawn, in their order.
    pub fn spawn(&self) -> impl ExactSizeIterator<Item = Property<'p>> + Clone + use<'p> {
        self.sent(PropertySet::Spawn)
    }

    /// The properties in a sync state, in their order. A sync state always has all of them.
    pub fn sync(&self) -> impl ExactSizeIterator<Item = Property<'p>> + Clone + use<'p> {
        self.sent(PropertySet::Always)
    }

    /// The properties in a delta, which has only those that have changed. The first one is the
    /// lowest bit.
    pub fn watched(&self) -> impl ExactSizeIterator<Item = Property<'p>> + Clone + use<'p> {
        self.sent(PropertySet::OnChange)
    }

    /// The least time between two syncs: `replication_interval`. Zero means that each frame has one.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.config.map_or(Duration::ZERO, |config| config.intervals[0])
    }

    /// The least time between two deltas: `delta_interval`.
    #[must_use]
    pub fn delta_interval(&self) -> Duration {
        self.config.map_or(Duration::ZERO, |config| config.intervals[1])
    }
}

impl fmt::Debug for Config<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |set| self.sent(set).map(|it| it.name).collect::<Vec<_>>();
        f.debug_struct("Config")
            .field("spawn", &names(PropertySet::Spawn))
            .field("sync", &names(PropertySet::Always))
            .field("watched", &names(PropertySet::OnChange))
            .finish()
    }
}
