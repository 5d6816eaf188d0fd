//! Puts scenes together with the scenes that they instance or inherit, each after those that it needs.
//! Out comes one tree of nodes with their scripts, spawners and synchronizers.

use super::files::{FileTarget, ProjectFiles};
use super::ids::{NameId, SceneId, SpawnerId, VisitState, index, number};
use super::limits;
use super::problems::{ProblemKind, short};
use super::scene::{FileNode, FileNodeKind, ResourceRef, SceneFile};
use super::tree::{
    NodeId, NodeScript, ScenePart, SceneTree, SpawnerData, SynchronizerData, Tree, TreeNode,
    TreeRole, UnknownChildren,
};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;

/// Puts all scenes together, each after those that it needs.
pub(crate) fn expand(files: &mut ProjectFiles, first: Option<SceneId>) -> Tree {
    let scenes = core::mem::take(&mut files.scenes);
    let mut tree = Tree::default();
    for scene in &scenes {
        let path = format!("res://{}", files.names.text(scene.file));
        let path = files.names.add(&path);
        tree.scenes.push(SceneTree { path, root: None, end: 0, synchronizers: None });
    }
    let targets: Vec<Vec<FileTarget>> = scenes.iter().map(|scene| targets(files, scene)).collect();
    let mut states = alloc::vec![VisitState::New; scenes.len()];
    let mut room =
        SceneBudget { moves: limits::MOVES, steps: limits::STEPS, path_bytes: limits::PATH_BYTES };
    // The main scene is expanded first, so a limit affects the other scenes.
    let first = first.map(|SceneId(scene)| scene);
    for scene in first.into_iter().chain(0..number(scenes.len())) {
        let mut open = Vec::from([(scene, 0_usize)]);
        while let Some((scene, next)) = open.pop() {
            let (Some(file), Some(targets)) = (scenes.get(index(scene)), targets.get(index(scene)))
            else {
                continue;
            };
            let Some(state) = states.get_mut(index(scene)) else { continue };
            if *state == VisitState::Done {
                continue;
            }
            *state = VisitState::Open;
            let rest = file.nodes.iter().enumerate().skip(next);
            let mut needed = rest.filter_map(|(place, node)| {
                Some((place + 1, node.line, instanced(node, targets)?))
            });
            let missing =
                needed.find(|(_, _, other)| states.get(index(*other)) != Some(&VisitState::Done));
            match missing {
                Some((next, line, other)) => {
                    open.push((scene, next));
                    if states.get(index(other)) == Some(&VisitState::Open) {
                        let path = files.names.text(file.file);
                        files.problems.add(path, line, ProblemKind::Circular);
                    } else {
                        open.push((other, 0));
                    }
                }
                None => {
                    SceneBuilder::new(files, &mut tree, &mut room, file, targets).build(scene);
                    if let Some(state) = states.get_mut(index(scene)) {
                        *state = VisitState::Done;
                    }
                }
            }
        }
    }
    tree
}

/// The targets of a scene's references. A reference is only followed if a node uses it, and only
/// once.
fn targets(files: &mut ProjectFiles, scene: &SceneFile) -> Vec<FileTarget> {
    let mut targets = alloc::vec![None; scene.references.len()];
    for node in &scene.nodes {
        let instance = match node.kind {
            FileNodeKind::Instance(source) => Some(source),
            _ => None,
        };
        for source in [instance, node.script, node.config].into_iter().flatten() {
            if let ResourceRef::File(place) = source
                && let (Some(target @ None), Some(reference)) =
                    (targets.get_mut(place), scene.references.get(place))
            {
                *target = Some(files.follow(scene.file, *reference));
            }
        }
    }
    targets.into_iter().map(|target| target.unwrap_or(FileTarget::Unknown)).collect()
}

/// The entries of a sorted table for the nodes of a scene.
fn entries_of<'t>(
    table: &'t [(NodeId, NameId, u32)],
    scene: &Range<NodeId>,
) -> impl Iterator<Item = &'t (NodeId, NameId, u32)> + use<'t> {
    let start = table.partition_point(|(node, ..)| *node < scene.start);
    let end = scene.end;
    table.get(start..).unwrap_or(&[]).iter().take_while(move |(node, ..)| *node < end)
}

/// The scene that a node instances.
fn instanced(node: &FileNode, targets: &[FileTarget]) -> Option<u32> {
    match node.kind {
        FileNodeKind::Instance(ResourceRef::File(place)) => match targets.get(place) {
            Some(FileTarget::Scene(scene)) => Some(*scene),
            _ => None,
        },
        _ => None,
    }
}

/// The rest of the limits, for all scenes together.
struct SceneBudget {
    moves: usize,
    steps: usize,
    path_bytes: usize,
}

/// Puts one scene together.
struct SceneBuilder<'b> {
    files: &'b mut ProjectFiles,
    tree: &'b mut Tree,
    room: &'b mut SceneBudget,
    file: &'b SceneFile,
    targets: &'b [FileTarget],
    /// The nodes of this scene by parent and name.
    children: BTreeMap<(NodeId, NameId), NodeId>,
    /// The nodes with a unique name (`%Name`), by owner and name.
    unique: BTreeMap<(NodeId, NameId), NodeId>,
    /// The values of variables, by node and name.
    set: BTreeMap<(NodeId, NameId), u32>,
    /// The spawners that this scene adds or changes.
    spawners: Vec<(NodeId, SpawnerId)>,
    /// Whether all nodes of the scene and their order are known.
    is_whole: bool,
}

impl<'b> SceneBuilder<'b> {
    fn new(
        files: &'b mut ProjectFiles,
        tree: &'b mut Tree,
        room: &'b mut SceneBudget,
        file: &'b SceneFile,
        targets: &'b [FileTarget],
    ) -> SceneBuilder<'b> {
        SceneBuilder {
            files,
            tree,
            room,
            file,
            targets,
            children: BTreeMap::new(),
            unique: BTreeMap::new(),
            set: BTreeMap::new(),
            spawners: Vec::new(),
            is_whole: !file.is_damaged,
        }
    }

    fn build(mut self, scene: u32) {
        // Once the limit for moving nodes is reached, their order is not known.
        self.is_whole &= self.room.moves > 0;
        let root = self.tree.next();
        for (place, node) in self.file.nodes.iter().enumerate() {
            if self.tree.nodes.len() >= limits::NODES {
                self.report(node.line, ProblemKind::Limit("1,048,576 nodes in all scenes"));
                self.is_whole = false;
                break;
            }
            if self.files.names.text(node.name).is_empty() {
                self.is_whole = false;
                continue;
            }
            let parent = match node.parent {
                None if place == 0 => None,
                Some(parent) if place > 0 => match self.parent(root, parent) {
                    Some(parent) => Some(parent),
                    None => {
                        let path = short(self.files.names.text(parent));
                        self.report(node.line, ProblemKind::NoSuchNode(path));
                        self.is_whole = false;
                        continue;
                    }
                },
                _ => {
                    self.report(node.line, ProblemKind::Syntax("one root, before all other nodes"));
                    continue;
                }
            };
            self.add(root, parent, node);
        }
        self.tree.children.extend(self.children.iter().map(|((a, name), b)| (*a, *name, *b)));
        self.tree.unique.extend(self.unique.iter().map(|((a, name), b)| (*a, *name, *b)));
        self.tree.set.extend(self.set.iter().map(|((a, name), b)| (*a, *name, *b)));
        let root = (self.tree.next() > root).then_some(root);
        self.resolve_spawners();
        let whole = root.filter(|_| self.is_whole);
        let mut synchronizers = whole.and_then(|root| self.synchronizers(root));
        if self.room.steps == 0 || (synchronizers.is_none() && whole.is_some()) {
            synchronizers = None;
            self.report(1, ProblemKind::Limit("16 MiB of paths, or 16,777,216 names in them"));
        }
        let end = self.tree.next();
        if let Some(tree) = self.tree.scenes.get_mut(index(scene)) {
            *tree = SceneTree { path: tree.path, root, end, synchronizers };
        }
    }

    fn report(&mut self, line: u32, problem: ProblemKind) {
        let file = self.files.names.text(self.file.file);
        self.files.problems.add(file, line, problem);
    }

    /// The node at the path of a parent. The nodes of imported scenes are not known, so those on
    /// the path are added.
    fn parent(&mut self, root: NodeId, path: NameId) -> Option<NodeId> {
        let path = String::from(self.files.names.text(path));
        let mut node = (self.tree.next() > root).then_some(root)?;
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            let name = self.files.names.add(part);
            node = match self.children.get(&(node, name)) {
                Some(child) => *child,
                None => self.add_unknown(root, node, name)?,
            };
        }
        Some(node)
    }

    /// Adds a node of an imported model, or of a scene that was not read.
    fn add_unknown(&mut self, root: NodeId, parent: NodeId, name: NameId) -> Option<NodeId> {
        let unknown = self.tree.node(parent)?.unknown;
        if unknown == UnknownChildren::Nothing || self.tree.nodes.len() >= limits::NODES {
            return None;
        }
        let node = self.push(root, Some(parent), name);
        self.open(node, unknown)?;
        Some(node)
    }

    /// Makes a new node one that may have children that are not known.
    fn open(&mut self, node: NodeId, unknown: UnknownChildren) -> Option<()> {
        let new = self.tree.nodes.get_mut(index(node))?;
        new.unknown = unknown;
        if unknown == UnknownChildren::Anything {
            new.script = NodeScript::Unknown;
        }
        Some(())
    }

    fn add(&mut self, root: NodeId, parent: Option<NodeId>, node: &FileNode) {
        let known = parent.and_then(|parent| self.children.get(&(parent, node.name)).copied());
        let id = match (node.kind, known, parent) {
            (FileNodeKind::Changed, Some(known), _) => Some(known),
            (FileNodeKind::Changed, None, Some(parent)) => {
                let unknown = self.add_unknown(root, parent, node.name);
                if unknown.is_none() {
                    let name = short(self.files.names.text(node.name));
                    self.report(node.line, ProblemKind::NoSuchNode(name));
                }
                unknown
            }
            (FileNodeKind::Instance(source), ..) => self.instance(root, parent, node, source),
            _ => Some(self.push(root, parent, node.name)),
        };
        let Some(id) = id else { return };
        self.change(id, node);
        if let (Some(place), Some(parent)) = (node.index, parent) {
            self.move_child(parent, id, node.line, place);
        }
    }

    /// Adds a node without a script, a role or children.
    fn push(&mut self, root: NodeId, parent: Option<NodeId>, name: NameId) -> NodeId {
        let id = self.tree.next();
        self.tree.nodes.push(TreeNode {
            name,
            parent,
            owner: root,
            children: Vec::new(),
            class: None,
            script: NodeScript::Nothing,
            role: TreeRole::Other,
            unknown: UnknownChildren::Nothing,
        });
        self.attach(parent, name, id);
        id
    }

    fn attach(&mut self, parent: Option<NodeId>, name: NameId, id: NodeId) {
        if let Some(parent) = parent {
            self.children.entry((parent, name)).or_insert(id);
            if let Some(parent) = self.tree.nodes.get_mut(index(parent)) {
                parent.children.push(id);
            }
        }
    }

    /// Adds an instance of a scene, or one node if the scene is not known.
    fn instance(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
        node: &FileNode,
        source: ResourceRef,
    ) -> Option<NodeId> {
        let target = match source {
            ResourceRef::File(place) => self.targets.get(place).copied(),
            _ => None,
        };
        let found = match target {
            Some(FileTarget::Scene(scene)) => self.tree.scenes.get(index(scene)),
            _ => None,
        };
        if let Some((start, end)) = found.and_then(|scene| Some((scene.root?, scene.end))) {
            let is_whole = found.is_some_and(|scene| scene.synchronizers.is_some());
            if self.tree.nodes.len() + index(end - start) <= limits::NODES {
                self.is_whole &= is_whole;
                return self.copy(root, parent, node.name, start..end);
            }
            self.report(node.line, ProblemKind::Limit("1,048,576 nodes in all scenes"));
        }
        let is_model = target == Some(FileTarget::Model);
        self.is_whole &= is_model;
        let id = self.push(root, parent, node.name);
        self.open(id, if is_model { UnknownChildren::OfModel } else { UnknownChildren::Anything })?;
        Some(id)
    }

    /// Copies the nodes of another scene.
    fn copy(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
        name: NameId,
        scene: Range<NodeId>,
    ) -> Option<NodeId> {
        let id = self.tree.next();
        let moved = |node: NodeId| node - scene.start + id;
        for node in scene.clone() {
            let mut node = self.tree.node(node)?.clone();
            node.parent = node.parent.map(moved);
            node.owner = moved(node.owner);
            node.children.iter_mut().for_each(|child| *child = moved(*child));
            self.tree.nodes.push(node);
        }
        let new = self.tree.nodes.get_mut(index(id))?;
        (new.name, new.parent, new.owner) = (name, parent, root);
        for (table, copy) in
            [(&self.tree.children, &mut self.children), (&self.tree.unique, &mut self.unique)]
        {
            let entries = entries_of(table, &scene);
            copy.extend(entries.map(|(node, name, found)| ((moved(*node), *name), moved(*found))));
        }
        let set = entries_of(&self.tree.set, &scene);
        self.set.extend(set.map(|(node, name, value)| ((moved(*node), *name), *value)));
        self.attach(parent, name, id);
        Some(id)
    }

    fn move_child(&mut self, parent: NodeId, child: NodeId, line: u32, place: usize) {
        let Some(parent) = self.tree.nodes.get_mut(index(parent)) else { return };
        let count = parent.children.len();
        if place + 1 >= count || self.room.moves == 0 {
            return;
        }
        let from = parent.children.iter().rposition(|other| *other == child);
        let Some(from) = from.filter(|from| *from != place) else { return };
        self.room.moves = self.room.moves.saturating_sub(count - from.min(place));
        if self.room.moves == 0 {
            self.is_whole = false;
            return self.report(line, ProblemKind::Limit("268,435,456 steps to reorder nodes"));
        }
        parent.children.remove(from);
        parent.children.insert(place, child);
    }
}

impl SceneBuilder<'_> {
    /// Applies the properties of a node.
    fn change(&mut self, id: NodeId, node: &FileNode) {
        let script = node.script.map(|source| match source {
            ResourceRef::Null => NodeScript::Nothing,
            ResourceRef::Class(class) => NodeScript::Class(class),
            ResourceRef::File(place) => match self.targets.get(place) {
                Some(FileTarget::Script(class)) => NodeScript::Class(*class),
                _ => NodeScript::Unknown,
            },
            ResourceRef::Config(_) | ResourceRef::Unknown => NodeScript::Unknown,
        });
        for (name, value) in &node.values {
            self.set.insert((id, *name), number(self.tree.values.len()));
            self.tree.values.push(value.clone());
        }
        let Some(new) = self.tree.nodes.get_mut(index(id)) else { return };
        new.script = script.unwrap_or(new.script);
        new.class = node.class.or(new.class);
        let (owner, role) = (new.owner, new.role);
        match node.is_unique {
            Some(true) => drop(self.unique.insert((owner, node.name), id)),
            Some(false) => drop(self.unique.remove(&(owner, node.name))),
            None => {}
        }
        let role = match (node.kind, role) {
            (FileNodeKind::Spawner, _) => {
                self.spawner(id, node, SpawnerData { scenes: None, path: None })
            }
            (_, TreeRole::Spawner(SpawnerId(spawner)))
                if node.spawnable.is_some() || node.spawn_path.is_some() =>
            {
                let Some(data) = self.tree.spawners.get(index(spawner)).copied() else { return };
                self.spawner(id, node, data)
            }
            (FileNodeKind::Synchronizer, _) => {
                let root_path = self.files.names.add("..");
                let intervals = [Duration::ZERO; 2];
                self.synchronizer(
                    node,
                    SynchronizerData { has_config: false, config: None, root_path, intervals },
                )
            }
            (_, TreeRole::Synchronizer { data, .. })
                if node.config.is_some()
                    || node.root_path.is_some()
                    || node.intervals != [None; 2] =>
            {
                let Some(data) = self.tree.synchronizers.get(index(data)).copied() else { return };
                self.synchronizer(node, data)
            }
            (_, role) => role,
        };
        if let Some(new) = self.tree.nodes.get_mut(index(id)) {
            new.role = role;
        }
    }

    fn spawner(&mut self, id: NodeId, node: &FileNode, mut data: SpawnerData) -> TreeRole {
        if let Some(scenes) = &node.spawnable {
            let file = String::from(self.files.names.text(self.file.file));
            let scene = |name: &NameId| {
                let path = String::from(self.files.names.text(*name));
                let FileTarget::Scene(scene) = self.files.locate(&file, node.line, &path) else {
                    return (*name, None);
                };
                let path = self.tree.scene(SceneId(scene)).map_or(*name, |scene| scene.path);
                (path, Some(SceneId(scene)))
            };
            let list = scenes.iter().map(scene).collect();
            data.scenes = Some(number(self.tree.spawnable.len()));
            self.tree.spawnable.push(list);
        }
        data.path = node.spawn_path.or(data.path);
        let spawner = SpawnerId(number(self.tree.spawners.len()));
        self.tree.spawners.push(data);
        self.spawners.push((id, spawner));
        TreeRole::Spawner(spawner)
    }

    fn synchronizer(&mut self, node: &FileNode, mut data: SynchronizerData) -> TreeRole {
        if let Some(source) = node.config {
            data.has_config = true;
            data.config = match source {
                ResourceRef::Config(config) => Some(config),
                ResourceRef::File(place) => match self.targets.get(place) {
                    Some(FileTarget::Config(config)) => Some(*config),
                    _ => None,
                },
                _ => None,
            };
        }
        data.root_path = node.root_path.unwrap_or(data.root_path);
        for (interval, new) in data.intervals.iter_mut().zip(node.intervals) {
            *interval = new.unwrap_or(*interval);
        }
        let id = number(self.tree.synchronizers.len());
        self.tree.synchronizers.push(data);
        TreeRole::Synchronizer { data: id, config: None }
    }

    /// Replaces unique names (`%Name`) in the paths of spawners, because outside this scene they
    /// mean other nodes.
    fn resolve_spawners(&mut self) {
        for (node, SpawnerId(spawner)) in core::mem::take(&mut self.spawners) {
            let Some(data) = self.tree.spawners.get(index(spawner)) else { continue };
            let Some(path) = data.path else { continue };
            let text = self.files.names.text(path);
            if !text.contains('%') {
                continue;
            }
            let found = self.tree.resolve(node, text, &self.files.names, &mut self.room.steps);
            let path =
                found.and_then(|to| self.between(node, to)).map(|p| self.files.names.add(&p));
            if let Some(data) = self.tree.spawners.get_mut(index(spawner)) {
                data.path = path;
            }
        }
    }

    /// The path from one node to another.
    fn between(&mut self, from: NodeId, to: NodeId) -> Option<String> {
        let path = self.tree.between(from, to, &self.files.names, &mut self.room.steps)?;
        self.room.path_bytes = self.room.path_bytes.checked_sub(path.len())?;
        Some(path)
    }

    /// The synchronizers of the root, in the order in which the engine numbers them: parents before
    /// children, siblings in their order.
    fn synchronizers(&mut self, root: NodeId) -> Option<Box<[ScenePart]>> {
        let mut found = Vec::new();
        let mut open = Vec::from([root]);
        while let Some(id) = open.pop() {
            let node = self.tree.node(id)?;
            open.extend(node.children.iter().rev());
            let TreeRole::Synchronizer { data, .. } = node.role else { continue };
            let data = *self.tree.synchronizers.get(index(data))?;
            let names = &self.files.names;
            let path = names.text(data.root_path);
            if self.tree.resolve(id, path, names, &mut self.room.steps) == Some(root) {
                let path = self.between(root, id)?;
                found.push((self.files.names.add(&path), id));
            }
        }
        Some(found.into())
    }
}
