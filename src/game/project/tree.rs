//! The nodes of scenes, including those of instanced scenes, and the paths of those that packets
//! announce.

use super::ids::{ConfigId, Interner, NameId, SceneId, SpawnerId, index, number};
use super::limits;
use super::lists::Lists;
use super::script::ClassId;
use super::script::syntax::Expr;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

/// The number of a node in [`Tree`].
pub(super) type NodeId = u32;

/// A node of a scene.
#[derive(Clone, Debug)]
pub(super) struct TreeNode {
    pub(super) name: NameId,
    /// The parent; none for the root.
    pub(super) parent: Option<NodeId>,
    /// The root of the scene whose file adds the node. For the root of an instanced scene, that is
    /// the root of the scene that instances it.
    pub(super) owner: NodeId,
    pub(super) children: Vec<NodeId>,
    /// The engine's class, if it is known.
    pub(super) class: Option<NameId>,
    pub(super) script: NodeScript,
    pub(super) role: TreeRole,
    /// The children that are not known.
    pub(super) unknown: UnknownChildren,
}

/// The children that a node may have in addition to those in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnknownChildren {
    /// There are no others.
    Nothing,
    /// Those of an imported model: they have neither scripts nor synchronizers.
    OfModel,
    /// Those of a scene that was not read.
    Anything,
}

/// The script of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeScript {
    Nothing,
    Class(ClassId),
    /// A script that could not be read.
    Unknown,
}

/// The role of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TreeRole {
    Other,
    Spawner(SpawnerId),
    Synchronizer {
        /// An index into the synchronizers.
        data: u32,
        /// Its properties, once all scenes have been put together.
        config: Option<ConfigId>,
    },
}

/// The origin of the node at a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodePlace {
    /// A node of a scene.
    Node(NodeId),
    /// An autoload that is no scene, by its name.
    Autoload(NameId, NodeScript),
}

/// A `MultiplayerSpawner`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpawnerData {
    /// An index into the lists of spawnable scenes; none if it has no list.
    pub(super) scenes: Option<u32>,
    /// The path of the node to which spawned nodes are added.
    pub(super) path: Option<NameId>,
}

/// A step by which a script changes the list of a spawner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListStep {
    /// A scene is added at the end.
    Add(SceneId),
    /// All scenes are removed.
    Clear,
}

/// The path of a scene, and the scene if it was read.
pub(super) type Spawnable = (NameId, Option<SceneId>);

/// A `MultiplayerSynchronizer`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SynchronizerData {
    /// Whether it has a configuration. It sends nothing without one.
    pub(super) has_config: bool,
    /// An index into the configurations of the files, if it could be read.
    pub(super) config: Option<u32>,
    /// The path of the node whose properties are synchronized.
    pub(super) root_path: NameId,
    /// `replication_interval` and `delta_interval`.
    pub(super) intervals: [Duration; 2],
}

/// A scene, including the scenes that it instances.
#[derive(Debug)]
pub(super) struct SceneTree {
    /// The path, `res://…`.
    pub(super) path: NameId,
    pub(super) root: Option<NodeId>,
    /// The number after that of the scene's last node.
    pub(super) end: NodeId,
    /// The synchronizers of its root, in the order in which the engine starts them; none if a part
    /// of the scene is not known.
    pub(super) synchronizers: Option<Box<[ScenePart]>>,
}

/// A synchronizer, and its path below the root of the scene.
pub(super) type ScenePart = (NameId, NodeId);

/// The nodes of all scenes.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<TreeNode>,
    /// Each parent, the name of a child and the child, sorted.
    pub(super) children: Vec<(NodeId, NameId, NodeId)>,
    /// The nodes with a unique name, by owner and name, sorted.
    pub(super) unique: Vec<(NodeId, NameId, NodeId)>,
    pub(super) scenes: Vec<SceneTree>,
    pub(super) spawners: Vec<SpawnerData>,
    /// The lists of scenes that spawners spawn.
    pub(super) spawnable: Vec<Box<[Spawnable]>>,
    pub(super) synchronizers: Vec<SynchronizerData>,
    /// Values that scenes set for variables of scripts.
    pub(super) values: Vec<Expr>,
    /// The nodes, the names of their variables, and the indexes of the values, sorted.
    pub(super) set: Vec<(NodeId, NameId, u32)>,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> Option<&TreeNode> {
        self.nodes.get(index(id))
    }

    pub(super) fn scene(&self, id: SceneId) -> Option<&SceneTree> {
        self.scenes.get(index(id.0))
    }

    /// The number of the next node that is added.
    pub(super) fn next(&self) -> NodeId {
        number(self.nodes.len())
    }

    /// The scenes that a spawner spawns.
    pub(super) fn spawnable(&self, spawner: &SpawnerData) -> &[Spawnable] {
        spawner.scenes.and_then(|list| self.spawnable.get(index(list))).map_or(&[], |list| list)
    }

    /// Changes the list of a spawner.
    pub(super) fn change_list(&mut self, SpawnerId(id): SpawnerId, steps: &[ListStep]) {
        let Some(data) = self.spawners.get(index(id)) else { return };
        let mut list = self.spawnable(data).to_vec();
        for step in steps {
            match step {
                ListStep::Clear => list.clear(),
                ListStep::Add(id) => {
                    list.extend(self.scene(*id).map(|scene| (scene.path, Some(*id))));
                }
            }
        }
        let place = number(self.spawnable.len());
        self.spawnable.push(list.into());
        if let Some(data) = self.spawners.get_mut(index(id)) {
            data.scenes = Some(place);
        }
    }

    /// Adds spawners that scripts make: their parents, names, and paths to the nodes to which they add
    /// others. Those whose parent has a child with this name are left out. Returns their ids.
    pub(super) fn add_spawners(
        &mut self,
        spawners: &[(NodeId, NameId, Option<NameId>)],
    ) -> Vec<Option<SpawnerId>> {
        let mut added = BTreeSet::new();
        let ids = spawners.iter().map(|(parent, name, path)| {
            let is_new = self.child(*parent, *name).is_none() && added.insert((*parent, *name));
            let id = self.next();
            let above = self.nodes.get_mut(index(*parent))?;
            if !is_new || index(id) >= limits::NODES {
                return None;
            }
            above.children.push(id);
            let spawner = SpawnerId(number(self.spawners.len()));
            self.spawners.push(SpawnerData { scenes: None, path: *path });
            self.nodes.push(TreeNode {
                name: *name,
                parent: Some(*parent),
                owner: id,
                children: Vec::new(),
                class: None,
                script: NodeScript::Nothing,
                role: TreeRole::Spawner(spawner),
                unknown: UnknownChildren::Nothing,
            });
            Some((spawner, (*parent, *name, id)))
        });
        let ids: Vec<_> = ids.collect();
        self.children.extend(ids.iter().flatten().map(|(_, child)| *child));
        self.children.sort_unstable();
        ids.into_iter().map(|id| id.map(|(spawner, _)| spawner)).collect()
    }

    fn child(&self, parent: NodeId, name: NameId) -> Option<NodeId> {
        find(&self.children, parent, name)
    }

    /// The descendant of a node at a path.
    pub(super) fn below(&self, from: NodeId, path: &str, names: &Interner) -> Option<NodeId> {
        let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
        parts.try_fold(from, |node, part| self.child(node, names.get(part)?))
    }

    /// The node to which a path leads, as the engine resolves it. `steps` limits the parts of all
    /// paths.
    pub(super) fn resolve(
        &self,
        from: NodeId,
        path: &str,
        names: &Interner,
        steps: &mut usize,
    ) -> Option<NodeId> {
        if path.is_empty() || path.starts_with('/') {
            return None;
        }
        path.split('/').try_fold(from, |id, part| {
            *steps = steps.checked_sub(1)?;
            let node = self.node(id)?;
            match part {
                "" | "." => Some(id),
                ".." => node.parent,
                part => match part.strip_prefix('%') {
                    Some(name) => {
                        let name = names.get(name)?;
                        let outer = || find(&self.unique, node.owner, name);
                        find(&self.unique, id, name).or_else(outer)
                    }
                    None => self.child(id, names.get(part)?),
                },
            }
        })
    }

    /// A node and its ancestors, from the node to the root. `steps` limits their number.
    pub(super) fn upwards(&self, from: NodeId, steps: &mut usize) -> Option<Vec<NodeId>> {
        let mut above = Vec::from([from]);
        let mut node = self.node(from)?;
        while let Some(parent) = node.parent {
            *steps = steps.checked_sub(1)?;
            above.push(parent);
            node = self.node(parent)?;
        }
        Some(above)
    }

    /// The path from one node to another.
    pub(super) fn between(
        &self,
        from: NodeId,
        to: NodeId,
        names: &Interner,
        steps: &mut usize,
    ) -> Option<String> {
        let mut from = self.upwards(from, steps)?;
        let mut to = self.upwards(to, steps)?;
        while from.last().is_some() && from.last() == to.last() {
            from.pop();
            to.pop();
        }
        let up = from.iter().map(|_| "..");
        let down = to.iter().rev().filter_map(|node| self.node(*node));
        let path: Vec<&str> = up.chain(down.map(|node| names.text(node.name))).collect();
        Some(if path.is_empty() { String::from(".") } else { path.join("/") })
    }
}

/// The node of an entry of a sorted table.
fn find(table: &[(NodeId, NameId, NodeId)], node: NodeId, name: NameId) -> Option<NodeId> {
    let place = table.binary_search_by_key(&(node, name), |(node, name, _)| (*node, *name)).ok()?;
    table.get(place).map(|(_, _, found)| *found)
}

/// The nodes that packets announce, by their paths below the roots of their scenes. The path of a
/// root is empty.
#[derive(Debug, Default)]
pub(super) struct Places {
    by_path: BTreeMap<Box<str>, Vec<(SceneId, NodeId)>>,
    /// Whether all such nodes are here.
    is_complete: bool,
}

impl Places {
    /// Finds the nodes in all scenes.
    pub(super) fn new(tree: &Tree, lists: &Lists, names: &Interner) -> Places {
        let mut places = Places { by_path: BTreeMap::new(), is_complete: true };
        let mut room = (limits::PATH_BYTES, limits::STEPS);
        for (scene, found) in (0..).zip(&tree.scenes) {
            let Some(root) = found.root else { continue };
            for node in (root..found.end).filter(|node| is_announced(tree, lists, *node)) {
                let Some(path) = below(tree, names, node, &mut room) else {
                    places.is_complete = false;
                    return places;
                };
                places.by_path.entry(path.into()).or_default().push((SceneId(scene), node));
            }
        }
        places
    }

    /// The nodes at a path below the roots of their scenes. None if not all are known.
    pub(super) fn at(&self, below: &str) -> Option<&[(SceneId, NodeId)]> {
        self.is_complete.then(|| self.by_path.get(below).map_or(&[][..], |found| found))
    }
}

/// Whether packets may announce a node.
fn is_announced(tree: &Tree, lists: &Lists, id: NodeId) -> bool {
    let Some(node) = tree.node(id) else { return false };
    let has_methods = || match node.script {
        NodeScript::Nothing => false,
        NodeScript::Unknown => true,
        NodeScript::Class(class) => {
            let list = lists.classes.get(index(class)).copied().flatten();
            list.is_none_or(|list| !list.is_certain || list.methods != 0 || list.runtime != 0)
        }
    };
    let has_role = match node.role {
        TreeRole::Other => false,
        TreeRole::Spawner(_) => true,
        TreeRole::Synchronizer { data, .. } => {
            tree.synchronizers.get(index(data)).is_none_or(|data| data.has_config)
        }
    };
    has_role || has_methods()
}

/// The path of a node below the root of its scene. None if a limit is reached.
fn below(
    tree: &Tree,
    names: &Interner,
    node: NodeId,
    (bytes, steps): &mut (usize, usize),
) -> Option<String> {
    let mut above = tree.upwards(node, steps)?;
    above.pop();
    let parts = above.iter().rev().filter_map(|node| tree.node(*node));
    let path = parts.map(|node| names.text(node.name)).collect::<Vec<_>>().join("/");
    *bytes = bytes.checked_sub(path.len())?;
    Some(path)
}
