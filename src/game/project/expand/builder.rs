//! Adds the nodes of one scene, and copies those of the scenes that it instances.

use crate::game::project::files::{Files, Target};
use crate::game::project::ids::{SpawnerId, index};
use crate::game::project::limits;
use crate::game::project::names::NameId;
use crate::game::project::problems::{ProblemKind, short};
use crate::game::project::resource::scene::{FileNode, FileNodeKind, SceneFile, Source};
use crate::game::project::tree::{NodeId, NodeRole, NodeScript, SceneTree, Tree, TreeNode};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// What is left of the limits for all scenes together.
pub(super) struct Room {
    pub(super) moves: usize,
    pub(super) steps: usize,
    pub(super) path_bytes: usize,
}

/// Puts one scene together.
pub(super) struct Builder<'b> {
    pub(super) files: &'b mut Files,
    pub(super) tree: &'b mut Tree,
    pub(super) room: &'b mut Room,
    pub(super) file: &'b SceneFile,
    pub(super) targets: &'b [Target],
    /// The nodes of this scene by parent and name.
    pub(super) children: BTreeMap<(NodeId, NameId), NodeId>,
    /// The nodes with a unique name (`%Name`), by owner and name.
    pub(super) unique: BTreeMap<(NodeId, NameId), NodeId>,
    /// The values of variables, by node and name.
    pub(super) set: BTreeMap<(NodeId, NameId), u32>,
    /// The spawners that this scene adds or changes.
    pub(super) spawners: Vec<(NodeId, SpawnerId)>,
    /// Whether all nodes of the scene and their order are known.
    pub(super) is_whole: bool,
}

impl<'b> Builder<'b> {
    pub(super) fn new(
        files: &'b mut Files,
        tree: &'b mut Tree,
        room: &'b mut Room,
        file: &'b SceneFile,
        targets: &'b [Target],
    ) -> Builder<'b> {
        Builder {
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

    pub(super) fn build(mut self, scene: u32) {
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

    /// Adds a node of an imported scene.
    fn add_unknown(&mut self, root: NodeId, parent: NodeId, name: NameId) -> Option<NodeId> {
        if !self.tree.node(parent)?.is_open || self.tree.nodes.len() >= limits::NODES {
            return None;
        }
        let node = self.push(root, Some(parent), name);
        let new = self.tree.nodes.get_mut(index(node))?;
        (new.script, new.is_open) = (NodeScript::Unknown, true);
        Some(node)
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
            role: NodeRole::Other,
            is_open: false,
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
        source: Source,
    ) -> Option<NodeId> {
        let target = match source {
            Source::File(place) => self.targets.get(place).copied(),
            _ => None,
        };
        let found = match target {
            Some(Target::Scene(scene)) => self.tree.scenes.get(index(scene)),
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
        let is_model = target == Some(Target::Model);
        self.is_whole &= is_model;
        let id = self.push(root, parent, node.name);
        let new = self.tree.nodes.get_mut(index(id))?;
        new.is_open = true;
        if !is_model {
            new.script = NodeScript::Unknown;
        }
        Some(id)
    }

    /// Copies the nodes of another scene.
    fn copy(
        &mut self,
        root: NodeId,
        parent: Option<NodeId>,
        name: NameId,
        scene: core::ops::Range<NodeId>,
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
            let start = table.partition_point(|(node, ..)| *node < scene.start);
            let entries = table.get(start..).unwrap_or(&[]).iter();
            let entries = entries.take_while(|(node, ..)| *node < scene.end);
            copy.extend(entries.map(|(node, name, found)| ((moved(*node), *name), moved(*found))));
        }
        let start = self.tree.set.partition_point(|(node, ..)| *node < scene.start);
        let set = self.tree.set.get(start..).unwrap_or(&[]).iter();
        let set = set.take_while(|(node, ..)| *node < scene.end);
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
