//! The names that no packet contains.

use super::known::{
    Basis, KnownNode, KnownRole, ListFit, MethodNames, SceneInstance, SceneSet, Unclear,
};
use super::methods::{Methods, from_root};
use super::packet::{Method, Spawn};
use super::paths::LONGEST;
use super::shapes::{CallKey, CallShape, CallableId, Shapes};
use crate::game::project::{
    ConfigId, DigestMatch, ListId, MadeScenes, NodeRole, Others, Project, ProjectNode, Property,
    PropertySet, RpcConfig, SceneId, SpawnerId, digest,
};
use crate::value::parse;
use crate::write::encode::encode;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The names that no packet contains: those of methods, scenes and properties.
///
/// Godot 4 sends numbers for them. They come from a list of [`Methods`]
/// or from a [`Project`](crate::project::Project), or from both. The list then takes precedence.
///
/// When the engine announces a node, it also sends a digest of the node's methods. The digest
/// decides which names are right: a list with another digest is not used, and of the scripts in a
/// project, the one with this digest is used. Without a digest, the scene tree of the project
/// decides.
///
/// ```
/// use gdwire::multiplayer::{Methods, Names};
///
/// let names = Names::from(Methods::parse("Game/World: set_score, respawn")?);
/// assert_eq!(names.method("Game/World", 1), Some("set_score"));
/// # Ok::<(), gdwire::multiplayer::MethodsError>(())
/// ```
#[derive(Debug, Default)]
pub struct Names {
    methods: Methods,
    project: Option<Project>,
    /// Paths for ids that were not announced.
    nodes: BTreeMap<u32, String>,
    pub(super) shapes: Shapes,
}

/// The digest of a node without remote methods.
pub(super) const NO_METHODS: &str = "d41d8cd98f00b204e9800998ecf8427e";

impl Names {
    /// An empty collection of names.
    #[must_use]
    pub fn new() -> Names {
        Names::default()
    }

    /// Adds a list of methods.
    #[must_use]
    pub fn with_methods(self, methods: Methods) -> Names {
        Names { methods, ..self }
    }

    /// Adds the path of a node whose id was announced before the first packet that is read. It is used
    /// for packets of all peers that have not announced a path for the id: each peer assigns its own
    /// ids, so the name is right only if no other peer uses the id for another node. A leading `/root/`
    /// is left out.
    ///
    /// ```
    /// use gdwire::Dialect;
    /// use gdwire::multiplayer::{Context, MultiplayerProtocol, Names, Paths, PeerId, parse};
    ///
    /// let names = Names::new().with_node(2, "Game/P0");
    /// let paths = Paths::new().with_names(names.into());
    /// let call = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, &[0, 2, 1, 0])?;
    /// let context = Context::new().with_paths(&paths, PeerId::SERVER);
    /// assert_eq!(call.display(context).to_string(), "Game/P0.#1()");
    /// # Ok::<(), gdwire::multiplayer::Error>(())
    /// ```
    #[must_use]
    pub fn with_node(mut self, id: u32, path: &str) -> Names {
        self.nodes.insert(id, from_root(path).to_owned());
        self
    }

    /// The ids and paths that [`Names::with_node`] has added, in the order of the ids.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, &str)> {
        self.nodes.iter().map(|(id, path)| (*id, path.as_str()))
    }

    /// The path that [`Names::with_node`] has for an id.
    pub(super) fn path_of(&self, id: u32) -> Option<&str> {
        self.nodes.get(&id).map(String::as_str)
    }

    /// Adds the names of a project.
    #[must_use]
    pub fn with_project(self, project: Project) -> Names {
        let shapes = Shapes::new(&project);
        Names { project: Some(project), shapes, ..self }
    }

    /// The name of a method of a node's scripts, by the path of the node and the method's number.
    /// Digests are not taken into account.
    #[must_use]
    pub fn method(&self, path: &str, number: u16) -> Option<&str> {
        self.method_in(self.known(path, None, None).methods, number, false)
    }

    /// The number of a method, by the path of the node and the method's name: the reverse of
    /// [`Names::method`].
    ///
    /// ```
    /// use gdwire::multiplayer::{Method, Methods, Names};
    ///
    /// let names = Names::from(Methods::parse("Game/World: set_score, respawn")?);
    /// let number = names.number("Game/World", "respawn");
    /// assert_eq!(number, Some(Method::Number { index: 0, is_own: false }));
    /// # Ok::<(), gdwire::multiplayer::MethodsError>(())
    /// ```
    #[must_use]
    pub fn number(&self, path: &str, method: &str) -> Option<Method<'static>> {
        self.number_in(self.known(path, None, None).methods, method)
    }

    /// The digest of a node's methods, by the path of the node: 32 hexadecimal digits, as in a
    /// *simplify path* packet. Methods that scripts of a project make remote at run time are not in
    /// it. None if the node is not known.
    #[must_use]
    pub fn digest(&self, path: &str) -> Option<String> {
        self.digest_in(self.known(path, None, None).methods)
    }

    pub(super) fn number_in(&self, methods: MethodNames, name: &str) -> Option<Method<'static>> {
        match methods {
            MethodNames::Unknown | MethodNames::OfDigest(_) => None,
            MethodNames::Line(line) => self.methods.number_in(line, name),
            MethodNames::Project(list) => {
                let (index, is_own) = self.project()?.list(list).find(name)?;
                Some(Method::Number { index, is_own })
            }
        }
    }

    pub(super) fn digest_in(&self, methods: MethodNames) -> Option<String> {
        match methods {
            MethodNames::Unknown | MethodNames::OfDigest(_) => None,
            MethodNames::Line(line) => self.methods.digest_in(line),
            MethodNames::Project(list) => Some(self.project()?.list(list).digest()),
        }
    }

    /// Whether a node with these methods may have a digest: they have it, alone or with methods that
    /// scripts make remote at run time. None if the methods are not known.
    pub(super) fn has_digest(&self, methods: MethodNames, digest: &str) -> Option<bool> {
        match methods {
            MethodNames::Project(list) => Some(self.fit(digest, list) == ListFit::Same),
            _ => Some(self.digest_in(methods)? == digest),
        }
    }

    /// The patterns of the list of methods, in its order.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.methods.patterns()
    }

    /// The place of the first of these patterns that matches a path.
    #[doc(hidden)]
    #[must_use]
    pub fn pattern_of(&self, path: &str) -> Option<usize> {
        self.methods.line_of(path)
    }

    /// Whether there are names of a project.
    pub(crate) const fn has_project(&self) -> bool {
        self.project.is_some()
    }

    /// The project, if there is one.
    #[must_use]
    pub const fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The known facts about the node with a path. `digest` was announced for its methods; `around`
    /// is the scene in which it was spawned, and its path there.
    pub(super) fn known(
        &self,
        path: &str,
        digest: Option<&str>,
        around: Option<(SceneInstance, &str)>,
    ) -> KnownNode {
        let inside = around.map(|(instance, rest)| (instance.scene, rest));
        let node = self.node(path, inside);
        let list = node.and_then(|node| node.list);
        let line = self.methods.line_of(path).filter(|line| self.is_right(*line, digest));
        let methods = line.map(MethodNames::Line).or_else(|| {
            let list = match digest {
                Some(digest) => self.list_of_digest(digest, list),
                None => list,
            };
            list.map(MethodNames::Project)
        });
        KnownNode {
            methods: methods.unwrap_or_default(),
            is_proven: digest.is_some(),
            role: node.map(KnownRole::of).unwrap_or_default(),
            instance: around.map(|(instance, _)| instance),
            unclear: Unclear::default(),
        }
    }

    /// The node with a path, or the one at a path in a scene.
    fn node(&self, path: &str, inside: Option<(SceneId, &str)>) -> Option<ProjectNode> {
        let project = self.project()?;
        match inside {
            Some((scene, rest)) => project.node_in(scene, rest),
            None => project.node(path),
        }
    }

    /// The list of methods with a digest. `of_node` is the list that the node has according to the
    /// scenes.
    fn list_of_digest(&self, digest: &str, of_node: Option<ListId>) -> Option<ListId> {
        let project = self.project()?;
        let found = match of_node {
            Some(list) => project.list_of_node(digest, list),
            None => project.list_of_digest(digest),
        };
        match found {
            DigestMatch::Known(list) => Some(list),
            DigestMatch::Ambiguous | DigestMatch::Unknown => None,
        }
    }

    /// The scenes that have a node which is announced with a digest at a path below their roots, each
    /// with the role of the node. None if not all of them are known.
    pub(super) fn places(
        &self,
        below: &str,
        digest: Option<&str>,
    ) -> Option<impl Iterator<Item = (SceneId, KnownRole)>> {
        // Most nodes at a path have the same list, so it is compared with the digest only once.
        let mut last = None;
        let mut fits = move |node: &ProjectNode| match (digest, node.list) {
            // Only spawners and synchronizers are announced without methods.
            (Some(NO_METHODS), _) => node.role != NodeRole::Other,
            (Some(digest), Some(list)) => {
                let fit = last.filter(|(of, _)| *of == list).map(|(_, fit)| fit);
                let fit = fit.unwrap_or_else(|| self.fit(digest, list));
                last = Some((list, fit));
                matches!(fit, ListFit::Same | ListFit::Unclear)
            }
            _ => true,
        };
        let places = self.project()?.places(below)?.filter(move |(_, node)| fits(node));
        Some(places.map(|(scene, node)| (scene, KnownRole::of(node))))
    }

    /// The role of the node at a path below the root of a scene.
    pub(super) fn role_in(&self, scene: SceneId, below: &str) -> KnownRole {
        self.node("", Some((scene, below))).map(KnownRole::of).unwrap_or_default()
    }

    /// Whether a scene has a node at a path below its root.
    #[cfg(feature = "capture")]
    pub(super) fn has_node(&self, scene: SceneId, below: &str) -> bool {
        self.node("", Some((scene, below))).is_some()
    }

    /// The length of the part of a path that leads to a node of the project, in bytes. `inside` is a
    /// scene and the length of the path of its root.
    pub(super) fn known_part(&self, path: &str, inside: Option<(SceneId, usize)>) -> usize {
        let Some(project) = &self.project else { return inside.map_or(0, |(_, root)| root) };
        let Some((scene, root)) = inside else { return project.known_part(path) };
        let below = path.get(root..).unwrap_or("").trim_start_matches('/');
        match project.known_part_in(scene, below) {
            0 => root,
            part => root + 1 + part,
        }
    }

    /// The scenes whose roots have synchronizers, or may have some.
    pub(super) fn synchronized_scenes(&self) -> &[SceneId] {
        self.project().map_or(&[], |project| project.synchronized_scenes())
    }

    /// The scenes of which the function of a spawner may create an instance for a spawn. None if that
    /// is not known, or if it may create nodes without a scene. Those have no synchronizers unless
    /// scripts create synchronizers.
    pub(super) fn made_by(&self, spawner: SpawnerId, spawn: &Spawn<'_>) -> Option<SceneSet> {
        let project = self.project()?;
        let is_synchronized = !spawn.synchronizers.is_empty();
        let is_known = |made: &MadeScenes| match made.others {
            Others::Nothing => true,
            Others::NoScene => is_synchronized && !project.makes_synchronizers(),
            Others::Anything => false,
        };
        let any = project.made_by_function(spawner, None);
        let made = if is_known(&any) && any.scenes.len() == 1 {
            any
        } else {
            // Small values are written in a shorter form than the function gets.
            let argument = spawn.argument.iter().next()?;
            let bytes = encode(argument.dialect(), &argument).ok()?;
            let value = parse(argument.dialect(), &bytes).ok()?;
            project.made_by_function(spawner, Some(&value))
        };
        is_known(&made).then(|| SceneSet::among(made.scenes.into_iter()))
    }

    /// Whether a scene may have been instantiated at run time.
    pub(super) fn can_be_created(&self, scene: SceneId) -> bool {
        self.project().is_none_or(|project| project.can_be_created(scene))
    }

    /// Whether scripts may change which properties the synchronizers of scenes send.
    pub(super) fn may_change_properties(&self) -> bool {
        self.project().is_some_and(Project::changes_properties)
    }

    /// Whether a node with a name, announced with a digest, may be in no scene: scripts create
    /// synchronizers and have this name, or nodes whose script has this digest.
    pub(super) fn may_be_in_code(&self, name: &str, digest: Option<&str>) -> bool {
        let Some(project) = &self.project else { return false };
        let is_synchronizer = project.makes_synchronizers()
            && project.has_word(name)
            && name != "MultiplayerSynchronizer";
        let digest = digest.filter(|digest| *digest != NO_METHODS);
        is_synchronizer || digest.is_some_and(|digest| project.may_be_in_code(digest))
    }

    /// The path of the file of a scene.
    pub(super) fn file_of(&self, scene: SceneId) -> Option<&str> {
        Some(self.project()?.scene(scene).path())
    }

    /// The list of methods that a node has according to the scenes of the project: the node with a
    /// path, or the one at a path in a scene.
    pub(super) fn list_of(&self, path: &str, inside: Option<(SceneId, &str)>) -> Option<ListId> {
        self.node(path, inside)?.list
    }

    /// The names of the methods of a list.
    pub(super) fn methods_of(&self, list: ListId) -> impl Iterator<Item = &str> {
        (0..=u16::MAX).map_while(move |at| self.method_of(list, at))
    }

    /// Whether a list of the project has a digest.
    pub(super) fn fit(&self, digest: &str, list: ListId) -> ListFit {
        let Some(project) = &self.project else { return ListFit::Unclear };
        match project.list_of_node(digest, list) {
            DigestMatch::Known(found) => match self.methods_of(list).eq(self.methods_of(found)) {
                true => ListFit::Same,
                false => ListFit::Other,
            },
            DigestMatch::Ambiguous => ListFit::Unclear,
            DigestMatch::Unknown => ListFit::Unknown,
        }
    }

    /// The lists of methods that a call fits and that have methods for other calls. None if there are
    /// too many.
    pub(super) fn lists_of_call(
        &self,
        call: &CallShape,
        others: &[CallKey],
    ) -> Option<Vec<CallableId>> {
        self.shapes.of_call(self.project()?, call, others)
    }

    /// Whether a call may be one of a method in a list.
    pub(super) fn fits_call(&self, id: CallableId, call: &CallShape) -> bool {
        self.project().is_some_and(|project| self.shapes.fits(project, id, call))
    }

    /// Whether a list of methods has a digest.
    pub(super) fn is_list_of(&self, id: CallableId, digest: &str) -> bool {
        self.shapes.callable(id).is_some_and(|it| self.fit(digest, it.list) == ListFit::Same)
    }

    /// The name of a method of a list of the project.
    pub(super) fn method_of(&self, list: ListId, index: u16) -> Option<&str> {
        self.project()?.list(list).name(index, false)
    }

    /// Whether another role is that of a spawner that spawns the same in the same way.
    pub(super) fn is_same_spawner(&self, spawner: SpawnerId, other: KnownRole) -> bool {
        let KnownRole::Spawner(other) = other else { return false };
        self.project().is_some_and(|project| project.is_same_spawner(spawner, other))
    }

    /// The scenes in the list of a spawner, as far as they could be read.
    pub(super) fn spawned_scenes(&self, spawner: SpawnerId) -> impl Iterator<Item = SceneId> {
        let spawner = self.project().map(|project| project.spawner(spawner));
        let numbers = (0..=u8::MAX).take(spawner.map_or(0, |spawner| spawner.len()));
        numbers.filter_map(move |number| spawner?.scene(number))
    }

    /// Whether scripts may make a client the authority of the root or a synchronizer of a scene.
    pub(super) fn may_be_given_away(&self, scene: SceneId) -> bool {
        self.project().is_some_and(|project| {
            let synchronizers = project.scene(scene).synchronizers().into_iter().flatten();
            let mut paths = core::iter::once("").chain(synchronizers.map(|it| it.path));
            paths.any(|path| project.may_have_other_authority_in(scene, path))
        })
    }

    /// The properties of the synchronizer at the same place of another scene that has as many.
    pub(super) fn same_place(&self, id: SceneSynchronizerId, other: SceneId) -> Option<ConfigId> {
        let SceneSynchronizerId(scene, place) = id;
        let is_like = self.synchronizer_count(scene) == self.synchronizer_count(other);
        is_like.then(|| self.config_of(SceneSynchronizerId(other, place))).flatten()
    }

    /// Whether a line of the list has the announced digest, as far as that is known.
    fn is_right(&self, line: usize, announced: Option<&str>) -> bool {
        let names = |is_own| self.methods.names_in(line, is_own).into_iter().flatten();
        let digest = || digest(names(true).chain(names(false)).map(|name| &**name));
        announced.is_none_or(|announced| digest() == announced)
    }

    /// Whether the names contradict the digest of a node. If they do, returns how many methods they
    /// have for it; `Some(None)` if no script of the project has this digest.
    pub(super) fn contradicted(
        &self,
        path: &str,
        digest: &str,
        around: Option<(SceneInstance, &str)>,
    ) -> Option<Option<usize>> {
        if digest == NO_METHODS {
            return None;
        }
        let count = |methods, is_own| self.methods_in(methods, is_own).unwrap_or(0);
        let counts = |methods| Some(Some(count(methods, true) + count(methods, false)));
        let line = self.methods.line_of(path);
        if let Some(line) = line.filter(|line| !self.is_right(*line, Some(digest))) {
            return counts(MethodNames::Line(line));
        }
        let found = self.project().map(|project| project.list_of_digest(digest));
        if line.is_some() || found.is_some_and(|found| found != DigestMatch::Unknown) {
            return None;
        }
        match self.known(path, None, around).methods {
            MethodNames::Unknown => self.has_project().then_some(None),
            methods => counts(methods),
        }
    }

    pub(super) fn method_in(
        &self,
        methods: MethodNames,
        number: u16,
        is_own: bool,
    ) -> Option<&str> {
        match methods {
            MethodNames::Unknown | MethodNames::OfDigest(_) => None,
            MethodNames::Line(line) => self.methods.name_in(line, number, is_own),
            MethodNames::Project(list) => self.project()?.list(list).name(number, is_own),
        }
    }

    /// How a method of a script is declared.
    pub(super) fn rpc_config(&self, methods: MethodNames, number: u16) -> Option<RpcConfig> {
        match methods {
            MethodNames::Project(list) => self.project()?.list(list).rpc_config(number),
            MethodNames::Unknown | MethodNames::Line(_) | MethodNames::OfDigest(_) => None,
        }
    }

    /// How many methods there are; none if that is not known.
    pub(super) fn methods_in(&self, methods: MethodNames, is_own: bool) -> Option<usize> {
        match methods {
            MethodNames::Unknown | MethodNames::OfDigest(_) => None,
            MethodNames::Line(line) => self.methods.names_in(line, is_own).map(<[_]>::len),
            MethodNames::Project(list) => {
                // Scripts do not show for certain which methods `rpc_config()` makes remote.
                let count = self.project()?.list(list).len(is_own);
                Some(count).filter(|count| !is_own || *count > 0)
            }
        }
    }

    /// An instance of the scene with a number in the list of a spawner.
    pub(super) fn instance(&self, spawner: SpawnerId, number: u8) -> Option<SceneInstance> {
        let scene = self.project()?.spawner(spawner).scene(number)?;
        Some(SceneInstance { scene, basis: Basis::List(spawner, number) })
    }

    /// The path of the scene with a number in the list of a spawner, even if there is no such file.
    pub(super) fn scene_path(&self, spawner: SpawnerId, number: u8) -> Option<&str> {
        self.project()?.spawner(spawner).scene_path(number)
    }

    /// The path of a node that the spawner with the path `path` adds.
    pub(super) fn spawned_path(
        &self,
        spawner: SpawnerId,
        path: &str,
        name: &str,
    ) -> Option<String> {
        let parent = self.project()?.spawner(spawner).spawn_path()?;
        let (mut names, parent): (Vec<&str>, _) = match parent.strip_prefix("/root") {
            Some(parent) => (Vec::new(), parent),
            None => (path.split('/').collect(), parent),
        };
        for step in parent.split('/') {
            match step {
                "" | "." => {}
                ".." => drop(names.pop()?),
                step => names.push(step),
            }
        }
        names.push(name);
        let path = names.join("/");
        (path.len() <= LONGEST).then_some(path)
    }

    /// The number of synchronizers of a scene, if it is known.
    pub(super) fn synchronizer_count(&self, scene: SceneId) -> Option<usize> {
        Some(self.project()?.scene(scene).synchronizers()?.len())
    }

    /// The synchronizers of a spawned scene, in the order of a spawn, if it has `count` of them, as the
    /// packet says.
    pub(super) fn synchronizers(
        &self,
        scene: SceneId,
        count: usize,
    ) -> impl Iterator<Item = SceneSynchronizerId> + Clone + use<> {
        let is_like = self.synchronizer_count(scene) == Some(count);
        (0..if is_like { count } else { 0 }).map(move |place| SceneSynchronizerId(scene, place))
    }

    /// The path of a synchronizer in its scene.
    pub(super) fn synchronizer_path(&self, id: SceneSynchronizerId) -> Option<&str> {
        Some(self.project()?.scene(id.0).synchronizer(id.1)?.path)
    }

    pub(super) fn config_of(&self, id: SceneSynchronizerId) -> Option<ConfigId> {
        self.project()?.scene(id.0).synchronizer(id.1)?.config
    }

    /// The path of the file that has the properties, `res://…`.
    pub(super) fn config_file(&self, config: ConfigId) -> Option<&str> {
        self.project()?.config(config).file()
    }

    /// The properties that a spawn with these synchronizers sends, in order, with the synchronizers'
    /// configurations.
    pub(super) fn spawn_properties(
        &self,
        synchronizers: impl Iterator<Item = SceneSynchronizerId> + Clone,
    ) -> impl Iterator<Item = (ConfigId, Property<'_>)> + Clone {
        let configs = synchronizers.filter_map(|id| self.config_of(id));
        configs.flat_map(|config| {
            self.properties(config, PropertySet::Spawn).map(move |property| (config, property))
        })
    }

    /// The properties that a synchronizer sends at the times `sent`, in order.
    pub(super) fn properties(
        &self,
        config: ConfigId,
        sent: PropertySet,
    ) -> impl Iterator<Item = Property<'_>> + Clone {
        self.project.iter().flat_map(move |project| project.config(config).sent(sent))
    }

    /// The properties in a state of a synchronizer with their places, in order. A delta has only those
    /// that `changed`.
    pub(super) fn sent_properties(
        &self,
        config: ConfigId,
        changed: Option<u64>,
    ) -> impl Iterator<Item = (usize, Property<'_>)> + Clone {
        let sent = if changed.is_some() { PropertySet::OnChange } else { PropertySet::Always };
        let properties = self.properties(config, sent).enumerate();
        properties.filter(move |(place, _)| is_set(changed, *place))
    }
}

/// Whether a state has the property at a place. A delta has it if its bit is set; a sync has all.
fn is_set(changed: Option<u64>, place: usize) -> bool {
    let Some(bits) = changed else { return true };
    let bit = u32::try_from(place).ok().and_then(|place| bits.checked_shr(place));
    bit.is_some_and(|bit| bit & 1 == 1)
}

impl From<Methods> for Names {
    fn from(methods: Methods) -> Names {
        Names::new().with_methods(methods)
    }
}

/// A synchronizer: its scene, and its place among the synchronizers of that scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SceneSynchronizerId(pub(super) SceneId, pub(super) usize);

impl KnownRole {
    /// The role of a node. A synchronizer whose properties are not known has none.
    fn of(node: ProjectNode) -> KnownRole {
        match node.role {
            NodeRole::Spawner(id) => KnownRole::Spawner(id),
            NodeRole::Synchronizer(Some(config)) => KnownRole::Synchronizer(config),
            _ => KnownRole::Other,
        }
    }
}
