//! Reads the scripts and scenes of a Godot 4 project, to find names for the numbers in packets.
//!
//! Godot 4 sends the methods of remote calls, the scenes of spawned nodes and their properties as
//! numbers. A [`Project`] is read from the project's folder (`Project::open`), or made from the
//! contents of its files, and finds the names:
//!
//! ```
//! use gdwire::project::{DigestMatch, Project};
//!
//! let project = Project::from_files([
//!     ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
//!     ("main.tscn", "[gd_scene format=3]\n\
//!         [ext_resource type=\"Script\" path=\"res://chat.gd\" id=\"1\"]\n\
//!         [node name=\"Main\" type=\"Node\"]\n\
//!         [node name=\"Chat\" type=\"Node\" parent=\".\"]\n\
//!         script = ExtResource(\"1\")\n"),
//!     ("chat.gd", "extends Node\n@rpc(\"any_peer\") func say(text): pass\n@rpc func clear(): pass\n"),
//! ]);
//! assert!(project.problems().is_empty());
//!
//! // A node announces its path and the digest of its methods' names.
//! let DigestMatch::Known(list) = project.list_of_digest("f370dba7cf121edab116d38140347a19") else {
//!     panic!("the game has other scripts")
//! };
//! assert_eq!(project.list(list).name(1, false), Some("say"));
//! assert_eq!(project.list(list).script(), Some("res://chat.gd"));
//!
//! let node = project.node("Main/Chat").expect("the scene has this node");
//! assert_eq!(node.list, Some(list));
//! ```
//!
//! A list of methods is found by its digest, which also proves that it is the right one, or by the
//! node that has it ([`Project::node`]). [`Project::spawner`], [`Project::scene`] and
//! [`Project::config`] name what spawners and synchronizers send. The list of a spawner has the scenes
//! that scripts add to it (`add_spawnable_scene`), if these calls and their order are understood. A
//! spawner that a script makes and names is known as a node of a scene is.
//!
//! These lookups know the nodes of scenes. Nodes that scripts add at run time are found from packets:
//! [`multiplayer::Names`](crate::multiplayer::Names) compares what packets show of a node with the
//! scenes that scripts and spawners can create. Scripts are read but not run. Binary scenes (`.scn`)
//! and resources (`.res`) are not read.
//!
//! Files can be hostile: time and memory are bounded by the size of the files and by limits. All
//! that could not be read is in [`Project::problems`]. Lookups do not allocate.

#[cfg(test)]
#[cfg(feature = "std")]
mod altered;
mod authority;
mod creates;
mod digests;
mod expand;
mod files;
mod ids;
mod limits;
mod lists;
#[cfg(feature = "std")]
mod open;
mod problems;
mod properties;
mod resource;
mod scene;
mod script;
mod tree;
mod view;

pub(crate) use creates::{MadeScenes, Others};
pub(crate) use digests::digest;
pub use ids::{ConfigId, DigestMatch, ListId, SceneId, SpawnerId};
pub use problems::{ProblemKind, ProjectProblem};
pub use script::{RpcConfig, TransferMode};
pub(crate) use view::PropertySet;
pub use view::{Config, MethodList, Parameters, Property, Scene, SceneSynchronizer, Spawner};

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use authority::Authority;
use core::fmt;
use creates::listed::listed;
use creates::{Classes, Functions, MemberReader, Possible, functions, possible};
use digests::{Digests, EMPTY};
use expand::expand;
use files::{FileTarget, ProjectFiles};
use ids::{Interner, NameId, index, number};
use lists::{CHAIN, InUse, Lists, in_use};
use problems::Problems;
use properties::{SentProperties, resolve_properties};
use script::{ClassId, Extends, Scripts};
use tree::{NodeId, NodePlace, NodeScript, Places, Tree, TreeNode, TreeRole, UnknownChildren};

/// The remote methods, spawners and synchronizers in the scripts and scenes of a project.
///
/// See the [module](self).
#[derive(Debug)]
pub struct Project {
    names: Interner,
    problems: Problems,
    scripts: Scripts,
    configs: Vec<SentProperties>,
    lists: Lists,
    digests: Digests,
    /// The files that were read.
    files: Vec<Box<str>>,
    tree: Tree,
    authority: Authority,
    main: Option<SceneId>,
    /// The nodes that are always there, sorted by name.
    autoloads: Vec<(NameId, FileTarget)>,
    /// The scenes by the names of their roots, sorted.
    roots: Vec<(NameId, SceneId)>,
    /// The scenes by the digests of their roots' lists, sorted.
    root_digests: Vec<(u128, SceneId)>,
    in_use: InUse,
    /// The digests of the lists of scripts that nodes have only in code, sorted.
    code_digests: Vec<u128>,
    places: Places,
    /// The scenes whose roots have synchronizers, or may have some.
    synchronized: Vec<SceneId>,
    functions: Functions,
    possible: Possible,
}

/// The facts about a node of a scene that matter for packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProjectNode {
    /// The list of its remote methods according to its script. None if the script or one that it
    /// extends could not be read completely.
    pub list: Option<ListId>,
    /// Whether it spawns or synchronizes other nodes.
    pub role: NodeRole,
}

/// Whether a node spawns or synchronizes other nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NodeRole {
    /// Any other node.
    Other,
    /// A `MultiplayerSpawner`.
    Spawner(SpawnerId),
    /// A `MultiplayerSynchronizer`, with its properties if they are known.
    Synchronizer(Option<ConfigId>),
}

/// A change to spawners and synchronizers that a script may make at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ScriptEffect {
    /// It may create synchronizers that are in no scene.
    MakesSynchronizers,
    /// It may create spawners that are in no scene, or change the lists of spawners.
    ChangesSpawners,
    /// It may change which properties synchronizers send.
    ChangesProperties,
}

impl fmt::Display for ScriptEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScriptEffect::MakesSynchronizers => "may create synchronizers that are in no scene",
            ScriptEffect::ChangesSpawners => "may create spawners or change their lists",
            ScriptEffect::ChangesProperties => "may change which properties synchronizers send",
        })
    }
}

impl Project {
    /// Reads the files of a project. Each has its path relative to the project's folder, with `/`
    /// as the separator, and its content. Only `.gd`, `.cs`, `.tscn`, `.tres` and `.uid` files and
    /// `project.godot` are read, others are ignored. The order of the files does not matter.
    pub fn from_files<P, C>(files: impl IntoIterator<Item = (P, C)>) -> Project
    where
        P: AsRef<str>,
        C: AsRef<[u8]>,
    {
        let mut read = ProjectFiles::default();
        for (path, content) in files {
            read.add(path.as_ref(), content.as_ref());
        }
        let mut lists = Lists::new(&mut read);
        let digests = Digests::new(&mut lists, &read.resources.scripts, &read.names);
        let (main, autoloads) = settings(&mut read);
        let mut tree = expand(&mut read, main);
        let configs = resolve_properties(&mut tree, &read, &lists);
        let in_use = in_use(&read, &tree, &autoloads);
        lists.report_unknown(&mut read, used_scripts(&tree, &autoloads));
        let authority = Authority::new(
            &read.resources.scripts.grants,
            &lists,
            &tree,
            autoload_scripts(&autoloads),
            &read.names,
        );
        let possible = possible(&read, &tree, main, &autoloads);
        let mut reader = MemberReader::new(&mut read, &lists, &tree);
        let functions = functions(&mut reader, &autoloads);
        listed(&mut reader, &autoloads).add_to(&mut tree, &mut read.names);
        read.resources.scripts.sources.texts.clear();
        let files = read.take_paths();
        let places = Places::new(&tree, &lists, &read.names);
        let ProjectFiles { names, problems, resources, .. } = read;
        Project {
            names,
            problems,
            scripts: resources.scripts,
            configs,
            lists,
            digests,
            files,
            tree,
            authority,
            main,
            autoloads,
            roots: Vec::new(),
            root_digests: Vec::new(),
            in_use,
            code_digests: Vec::new(),
            places,
            synchronized: Vec::new(),
            functions,
            possible,
        }
        .with_roots()
    }

    /// Adds the tables of scenes that have roots.
    fn with_roots(mut self) -> Project {
        for (scene, number) in self.tree.scenes.iter().zip(0..) {
            let Some(root) = self.root(SceneId(number)) else { continue };
            let (name, list) = (root.name, self.list_of_script(root.script));
            let list = list.and_then(|ListId(list)| self.digests.lists.get(index(list)));
            self.root_digests.extend(list.map(|list| (list.digest, SceneId(number))));
            self.roots.push((name, SceneId(number)));
            if scene.synchronizers.as_ref().is_none_or(|all| !all.is_empty()) {
                self.synchronized.push(SceneId(number));
            }
        }
        let in_code = self.in_use.only_in_code.iter();
        let lists = in_code.filter_map(|class| self.list_of_script(NodeScript::Class(*class)));
        let lists = lists.filter_map(|ListId(list)| self.digests.lists.get(index(list)));
        self.code_digests = lists.map(|list| list.digest).collect();
        self.code_digests.sort_unstable();
        self.roots.sort_unstable();
        self.root_digests.sort_unstable();
        self
    }

    /// Whether a node that scripts make without a scene may have this digest.
    pub(crate) fn may_be_in_code(&self, md5: &str) -> bool {
        u128::from_str_radix(md5, 16).is_ok_and(|md5| self.code_digests.binary_search(&md5).is_ok())
    }

    fn root(&self, scene: SceneId) -> Option<&TreeNode> {
        self.tree.node(self.tree.scene(scene)?.root?)
    }

    /// The only scene whose root has the methods of this list, without those that were made remote
    /// at run time. None if several have, or if the list has no methods.
    pub(crate) fn only_scene_with(&self, list: ListId) -> Option<SceneId> {
        let list = self.digests.lists.get(index(list.0))?;
        let start = self.root_digests.partition_point(|(digest, _)| *digest < list.digest);
        let of_digest = self.root_digests.get(start..)?.iter();
        let mut scenes = of_digest.take_while(|(digest, _)| *digest == list.digest);
        let (_, scene) = scenes.next().filter(|_| list.methods != EMPTY)?;
        scenes.next().is_none().then_some(*scene)
    }

    /// The lists of remote methods that nodes of the game may have, without those that are made
    /// remote at run time. Each script that a node may have is one item: scripts that are attached
    /// to nodes of scenes, autoloads, and scripts that other scripts may give to nodes that they
    /// create. In case of doubt, a script is among them. Several scripts may have the same methods.
    ///
    /// An item is none if a script that a node may have could not be read completely, so that any
    /// list may be missing. Nodes without a script are not listed.
    pub fn lists_in_use(&self) -> impl Iterator<Item = Option<ListId>> {
        let classes = self.in_use.classes.iter();
        let lists = classes.map(|class| self.list_of_script(NodeScript::Class(*class)));
        lists.chain(self.in_use.has_others.then_some(None))
    }

    /// The scenes of which the `spawn_function` of a spawner creates an instance.
    ///
    /// `argument` is the argument of the function in one packet. If it is given, only the scenes are
    /// listed that the function may create from it. None means an unknown argument: then the result
    /// has all scenes that the function may create.
    ///
    /// A result whose `others` is not [`Others::Anything`] is complete: the node is an instance of
    /// one of the scenes, or, with [`Others::NoScene`], a node that is no instance of any. An empty
    /// result with [`Others::Nothing`] means that the function creates nothing, or refuses the
    /// argument. With [`Others::Anything`], the scenes are possible ones, and any other is, too:
    /// scripts assign no function to the spawner that can be found, or the function is not
    /// understood.
    ///
    /// The spawner may occur in several scenes and copies; the result is for all of them together.
    /// With an argument, the functions are followed for at most 1,000 steps; without one, the result
    /// was found when the project was read.
    pub(crate) fn made_by_function(
        &self,
        spawner: SpawnerId,
        argument: Option<&crate::VariantRef<'_>>,
    ) -> MadeScenes {
        let classes = Classes { scripts: &self.scripts, lists: &self.lists, names: &self.names };
        self.functions.made(classes, spawner, argument)
    }

    /// Whether two spawners have the same list, the same functions, and the same path to the node to
    /// which they add others: one that several scenes inherit, or a copy of it.
    pub(crate) fn is_same_spawner(&self, one: SpawnerId, other: SpawnerId) -> bool {
        let data = |id| {
            let Spawner { scenes, path, .. } = self.spawner(id);
            (scenes, path, self.functions.assigned_to(id))
        };
        one == other || data(one) == data(other)
    }

    /// Whether an instance of the scene may be created at run time: because it is the main scene, an
    /// autoload or in the list of a spawner, or because a script, a resource or a property of a node
    /// names it. True for all scenes if scripts load files whose paths they read from elsewhere. A
    /// scene for which this is false occurs only within scenes that instance or inherit it.
    pub(crate) fn can_be_created(&self, SceneId(scene): SceneId) -> bool {
        self.possible.created.get(index(scene)).copied().unwrap_or(true)
    }

    /// The changes to spawners and synchronizers that scripts may make at run time. Names may be missing
    /// because of them. Each change comes with the path of the first script that may make it, relative to
    /// the project's folder.
    pub fn script_effects(&self) -> impl Iterator<Item = (ScriptEffect, &str)> {
        let Possible { makes_synchronizers, changes_spawners, changes_properties, .. } =
            self.possible;
        let all = [
            (ScriptEffect::MakesSynchronizers, makes_synchronizers),
            (ScriptEffect::ChangesSpawners, changes_spawners),
            (ScriptEffect::ChangesProperties, changes_properties),
        ];
        all.into_iter().filter_map(|(effect, file)| Some((effect, self.names.text(file?))))
    }

    /// Whether a script may create a `MultiplayerSynchronizer` that is in no scene.
    pub(crate) const fn makes_synchronizers(&self) -> bool {
        self.possible.makes_synchronizers.is_some()
    }

    /// Whether the game may have synchronizers that are in none of these scenes: scripts create some,
    /// or a part of the project could not be read.
    pub(crate) fn may_lack_synchronizers(&self) -> bool {
        self.makes_synchronizers() || self.lacks_nodes()
    }

    /// Whether the game may have spawners that no scene of the project has, or spawners whose lists
    /// scripts change.
    pub(crate) fn may_change_spawners(&self) -> bool {
        self.possible.changes_spawners.is_some() || self.lacks_nodes()
    }

    /// Whether a part of the project could not be read that may contain or make nodes. A file that is
    /// missing is none: the game would lack it, too.
    fn lacks_nodes(&self) -> bool {
        let hides_nodes = |problem: &ProjectProblem| {
            use ProblemKind::{Missing, NoSuchNode, SameClassName, UnknownClass};
            !matches!(problem.kind, Missing(_) | NoSuchNode(_) | SameClassName(_) | UnknownClass(_))
        };
        self.possible.has_unread_nodes || self.problems().iter().any(hides_nodes)
    }

    /// Whether a script may change the properties that a synchronizer of a scene sends, or the node
    /// to which they belong.
    pub(crate) const fn changes_properties(&self) -> bool {
        self.possible.changes_properties.is_some()
    }

    /// Whether a script has a function or a string with a name.
    pub(crate) fn has_word(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|name| self.scripts.words.contains(&name))
    }

    /// The paths of the scripts, scenes and other files that were read, relative to the project's
    /// folder.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &str> {
        self.files.iter().map(|path| &**path)
    }

    /// The first 1,000 problems with reading files and resolving references.
    #[must_use]
    pub fn problems(&self) -> &[ProjectProblem] {
        &self.problems.kept
    }

    #[cfg(feature = "std")]
    fn add_problems(&mut self, problems: impl IntoIterator<Item = ProjectProblem>) {
        problems.into_iter().for_each(|problem| self.problems.push(problem));
    }

    /// The number of problems that are not in [`Project::problems`].
    #[must_use]
    pub const fn further_problems(&self) -> u64 {
        self.problems.more
    }

    /// The list of methods with this digest: 32 hexadecimal digits, as in a *simplify path* packet.
    #[must_use]
    pub fn list_of_digest(&self, md5: &str) -> DigestMatch {
        self.find(md5, None)
    }

    /// Like [`Project::list_of_digest`], for a node that has the list `list` according to the
    /// scenes.
    ///
    /// If several lists have the digest, this prefers those of the same script: `list` itself, and
    /// the same list with methods that were made remote at run time.
    #[must_use]
    pub fn list_of_node(&self, md5: &str, list: ListId) -> DigestMatch {
        self.find(md5, self.digests.lists.get(index(list.0)).and_then(|list| list.class))
    }

    fn find(&self, md5: &str, class: Option<ClassId>) -> DigestMatch {
        let is_digest = md5.len() == 32 && md5.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u128::from_str_radix(md5, 16) {
            Ok(digest) if is_digest => self.digests.find(digest, class),
            _ => DigestMatch::Unknown,
        }
    }

    /// A list of methods.
    #[must_use]
    pub fn list(&self, id: ListId) -> MethodList<'_> {
        let list = self.digests.lists.get(index(id.0));
        let class = list.and_then(|list| self.scripts.class(list.class?));
        MethodList {
            names: &self.names,
            script: class.map(|class| class.path),
            signatures: &self.scripts.signatures,
            rpc: list.map_or(&[], |list| self.lists.methods(list.methods)),
            own: list.map_or(&[], |list| &list.own),
        }
    }

    /// The node at a path as in packets, with or without `/root/`: `Main/World`.
    ///
    /// The path begins with the root of the main scene or with an autoload. As games can change
    /// the scene, it may also begin with the root of another scene, if only one has such a node.
    #[must_use]
    pub fn node(&self, path: &str) -> Option<ProjectNode> {
        match self.place(path)? {
            NodePlace::Node(id) => self.tree_node(id),
            NodePlace::Autoload(_, script) => {
                Some(ProjectNode { list: self.list_of_script(script), role: NodeRole::Other })
            }
        }
    }

    /// The scene or autoload of the node at a path: see [`Project::node`].
    fn place(&self, path: &str) -> Option<NodePlace> {
        /// More scenes whose roots have the same name are not searched.
        const SCENES: usize = 256;
        let path = path.strip_prefix("/root/").or_else(|| path.strip_prefix('/')).unwrap_or(path);
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let name = self.names.get(first)?;
        if let Some(id) = self.main_named(name).and_then(|main| self.node_id(main, rest)) {
            return Some(NodePlace::Node(id));
        }
        if let Some(target) = self.autoload_named(name) {
            return self.autoload(name, target, rest);
        }
        let scenes = self.scenes_named(name);
        if scenes.clone().nth(SCENES).is_some() {
            return None;
        }
        let mut found = scenes.filter_map(|scene| self.node_id(scene, rest));
        found.next().filter(|_| found.next().is_none()).map(NodePlace::Node)
    }

    /// Whether the node at a path is not in the project, but a spawner of its scenes may add it, or a node
    /// above it.
    #[cfg(feature = "peer")]
    pub(crate) fn may_spawn(&self, path: &str) -> bool {
        let above = core::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
        let mut known = above.skip(1).map(|above| self.place(above)).skip_while(Option::is_none);
        let Some(Some(NodePlace::Node(parent))) = known.next() else { return false };
        let adds_there = |(node, from): (&TreeNode, NodeId)| {
            let TreeRole::Spawner(spawner) = node.role else { return false };
            let to = self.spawner(spawner).spawn_path();
            let mut steps = usize::MAX;
            let to = to.and_then(|to| self.tree.resolve(from, to, &self.names, &mut steps));
            to == Some(parent)
        };
        self.tree.nodes.iter().zip(0..).any(adds_there)
    }

    /// The main scene, if its root has this name.
    fn main_named(&self, name: NameId) -> Option<SceneId> {
        self.main.filter(|main| self.root(*main).is_some_and(|root| root.name == name))
    }

    fn autoload_named(&self, name: NameId) -> Option<FileTarget> {
        let found = self.autoloads.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        self.autoloads.get(found).map(|(_, target)| *target)
    }

    /// The scenes whose roots have this name.
    fn scenes_named(&self, name: NameId) -> impl Iterator<Item = SceneId> + Clone {
        let start = self.roots.partition_point(|(root, _)| *root < name);
        let roots = self.roots.get(start..).unwrap_or(&[]).iter();
        roots.take_while(move |(root, _)| *root == name).map(|(_, scene)| *scene)
    }

    fn autoload(&self, name: NameId, target: FileTarget, rest: &str) -> Option<NodePlace> {
        let script = match target {
            FileTarget::Scene(scene) => {
                return self.node_id(SceneId(scene), rest).map(NodePlace::Node);
            }
            FileTarget::Script(class) => NodeScript::Class(class),
            _ => NodeScript::Unknown,
        };
        rest.is_empty().then_some(NodePlace::Autoload(name, script))
    }

    /// The node at a path below the root of a scene. An empty path is the root itself.
    #[must_use]
    pub fn node_in(&self, scene: SceneId, relative: &str) -> Option<ProjectNode> {
        self.tree_node(self.node_id(scene, relative)?)
    }

    fn node_id(&self, scene: SceneId, relative: &str) -> Option<NodeId> {
        let root = self.tree.scene(scene)?.root?;
        self.tree.below(root, relative, &self.names)
    }

    /// Whether scripts may make a client the authority of the node at a path as in packets. That is
    /// so for a node that is not in the project if scripts do it at all.
    pub(crate) fn may_have_other_authority(&self, path: &str) -> bool {
        self.authority.may_include(&self.tree, || self.place(path))
    }

    /// The same for the node at a path in a scene, as far as the nodes of the scene decide.
    pub(crate) fn may_have_other_authority_in(&self, scene: SceneId, relative: &str) -> bool {
        let place = || self.node_id(scene, relative).map(NodePlace::Node);
        self.authority.may_include(&self.tree, place)
    }

    /// The scenes that have a node that packets announce at a path below their roots, with the node.
    /// None if not all such scenes are known.
    pub(crate) fn places(
        &self,
        below: &str,
    ) -> Option<impl ExactSizeIterator<Item = (SceneId, ProjectNode)> + Clone> {
        let found = self.places.at(below)?.iter();
        let nothing = ProjectNode { list: None, role: NodeRole::Other };
        Some(found.map(move |(scene, node)| (*scene, self.tree_node(*node).unwrap_or(nothing))))
    }

    /// The length of the part of a path, in bytes, that leads to a node of the main scene, of an
    /// autoload, or of the only scene whose root has the name with which the path begins.
    pub(crate) fn known_part(&self, path: &str) -> usize {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(name) = self.names.get(first) else { return 0 };
        let mut scenes = self.scenes_named(name);
        let scene = match (self.main_named(name), self.autoload_named(name)) {
            (Some(main), _) => main,
            (None, Some(FileTarget::Scene(scene))) => SceneId(scene),
            (None, Some(_)) => return first.len(),
            (None, None) => match (scenes.next(), scenes.next()) {
                (Some(only), None) => only,
                _ => return 0,
            },
        };
        let below = self.known_part_in(scene, rest);
        first.len().saturating_add(if below > 0 { below.saturating_add(1) } else { 0 })
    }

    /// The length of the part of a path below the root of a scene, in bytes, that leads to a node of
    /// the scene.
    pub(crate) fn known_part_in(&self, scene: SceneId, below: &str) -> usize {
        let Some(root) = self.tree.scene(scene).and_then(|scene| scene.root) else { return 0 };
        let (mut node, mut end) = (root, 0_usize);
        for part in below.split('/').filter(|part| !part.is_empty()) {
            let Some(child) = self.tree.below(node, part, &self.names) else { break };
            node = child;
            end = end.saturating_add(part.len()).saturating_add(usize::from(end > 0));
        }
        end
    }

    /// The scenes whose roots have synchronizers, or may have some.
    pub(crate) fn synchronized_scenes(&self) -> &[SceneId] {
        &self.synchronized
    }

    fn tree_node(&self, id: NodeId) -> Option<ProjectNode> {
        let node = self.tree.node(id)?;
        let role = match node.role {
            TreeRole::Other => NodeRole::Other,
            TreeRole::Spawner(spawner) => NodeRole::Spawner(spawner),
            TreeRole::Synchronizer { config, .. } => NodeRole::Synchronizer(config),
        };
        Some(ProjectNode { list: self.list_of_script(node.script), role })
    }

    fn list_of_script(&self, script: NodeScript) -> Option<ListId> {
        match script {
            NodeScript::Nothing => Some(ListId(EMPTY)),
            NodeScript::Class(class) => {
                self.digests.by_class.get(index(class)).copied().flatten().map(ListId)
            }
            NodeScript::Unknown => None,
        }
    }

    /// The main scene, if `project.godot` names one that was read.
    #[must_use]
    pub const fn main_scene(&self) -> Option<SceneId> {
        self.main
    }

    /// A scene.
    #[must_use]
    pub fn scene(&self, id: SceneId) -> Scene<'_> {
        let scene = self.tree.scene(id);
        let root = self.root(id).map(|root| root.name);
        Scene { names: &self.names, tree: &self.tree, scene, root }
    }

    /// A spawner.
    #[must_use]
    pub fn spawner(&self, id: SpawnerId) -> Spawner<'_> {
        let data = self.tree.spawners.get(index(id.0));
        let scenes = data.map_or(&[][..], |data| self.tree.spawnable(data));
        Spawner { names: &self.names, scenes, path: data.and_then(|data| data.path) }
    }

    /// The properties of a synchronizer.
    #[must_use]
    pub fn config(&self, id: ConfigId) -> Config<'_> {
        Config { names: &self.names, config: self.configs.get(index(id.0)) }
    }

    /// The properties of all synchronizers. Empty if a synchronizer may have others: because a part
    /// of a scene or the properties of a synchronizer could not be read, or because scripts make
    /// synchronizers or change them.
    pub(crate) fn sendable(&self) -> impl Iterator<Item = ConfigId> + use<> {
        let is_known =
            |role: &TreeRole| !matches!(role, TreeRole::Synchronizer { config: None, .. });
        let is_unread = |node: &TreeNode| node.unknown == UnknownChildren::Anything;
        let is_certain = !self.changes_properties()
            && self.tree.nodes.iter().all(|node| !is_unread(node) && is_known(&node.role));
        let count = if is_certain { self.configs.len() } else { 0 };
        (0..number(count)).map(ConfigId)
    }
}

/// The classes of the scripts of nodes and autoloads.
fn used_scripts(tree: &Tree, autoloads: &[(NameId, FileTarget)]) -> impl Iterator<Item = ClassId> {
    let of_nodes = tree.nodes.iter().filter_map(|node| match node.script {
        NodeScript::Class(class) => Some(class),
        NodeScript::Nothing | NodeScript::Unknown => None,
    });
    of_nodes.chain(autoload_scripts(autoloads).map(|(_, class)| class))
}

/// The autoloads that are scripts.
fn autoload_scripts(autoloads: &[(NameId, FileTarget)]) -> impl Iterator<Item = (NameId, ClassId)> {
    autoloads.iter().filter_map(|(name, target)| match target {
        FileTarget::Script(class) => Some((*name, *class)),
        _ => None,
    })
}

/// The main scene and the autoloads.
fn settings(files: &mut ProjectFiles) -> (Option<SceneId>, Vec<(NameId, FileTarget)>) {
    const FILE: &str = "project.godot";
    let main = files.settings.main.take();
    let autoloads = core::mem::take(&mut files.settings.autoloads);
    let mut locate = |target: NameId, line: u32| {
        let target = alloc::string::String::from(files.names.text(target));
        files.locate(FILE, line, &target)
    };
    let main = main.and_then(|(target, line)| match locate(target, line) {
        FileTarget::Scene(scene) => Some(SceneId(scene)),
        _ => None,
    });
    let autoloads = autoloads.iter().map(|found| (found.name, locate(found.target, found.line)));
    let mut autoloads: Vec<_> = autoloads.collect();
    autoloads.sort_by_key(|(name, _)| *name);
    autoloads.dedup_by_key(|(name, _)| *name);
    (main, autoloads)
}

impl Project {
    /// The lists of remote methods that nodes may have from their scripts, and whether only one script
    /// has each. Empty if the methods of such a script are not known.
    pub(crate) fn callable(&self) -> Vec<(ListId, bool)> {
        let mut lists: BTreeMap<u32, (ListId, bool)> = BTreeMap::new();
        if self.in_use.has_others {
            return Vec::new();
        }
        for class in &self.in_use.classes {
            let Some(list) = self.digests.by_class.get(index(*class)).copied().flatten() else {
                if self.may_have_methods(*class) {
                    return Vec::new();
                }
                continue;
            };
            let methods = self.digests.lists.get(index(list)).map_or(EMPTY, |list| list.methods);
            let found = lists.entry(methods);
            found.and_modify(|(_, is_only)| *is_only = false).or_insert((ListId(list), true));
        }
        lists.into_values().collect()
    }

    /// Whether a script of which not everything is known may have remote methods. A class that
    /// neither the project nor the engine has is one of an extension of the engine, and has none.
    fn may_have_methods(&self, class: ClassId) -> bool {
        let list = self.lists.classes.get(index(class)).copied().flatten();
        let chain = || self.lists.chain(class).take(CHAIN);
        let is_known = |class: ClassId| {
            let script = self.scripts.class(class).filter(|script| !script.is_damaged);
            script.is_some_and(|script| match script.extends {
                Extends::Path(..) => self.lists.base_of(class).is_some(),
                Extends::Names(_) | Extends::Nothing => true,
            })
        };
        let is_empty = list.is_some_and(|list| list.methods == EMPTY);
        !is_empty || chain().count() == CHAIN || !chain().all(is_known)
    }
}
