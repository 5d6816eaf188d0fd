//! Where scenes have nodes that packets announce: with remote methods, spawners and synchronizers.
//!
//! Nodes that scripts add are in no scene tree that was read. Their paths end like those of the
//! nodes in the scenes that scripts instantiate: `World/7/Inputs/Sync` in `Inputs/Sync`.

use super::ids::{SceneId, index};
use super::limits;
use super::lists::Lists;
use super::names::Names;
use super::tree::{NodeId, NodeRole, NodeScript, Tree};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

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
    pub(super) fn new(tree: &Tree, lists: &Lists, names: &Names) -> Places {
        let mut places = Places { by_path: BTreeMap::new(), is_complete: true };
        let mut room = (limits::PATH_BYTES, limits::STEPS);
        for (scene, found) in (0..).zip(&tree.scenes) {
            let Some(root) = found.root else { continue };
            for node in (root..found.end).filter(|node| is_announced(tree, lists, *node)) {
                let Some(path) = below(tree, names, (root, node), &mut room) else {
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
    node.role != NodeRole::Other || has_methods()
}

/// The path of a node below a root. None if a limit is reached.
fn below(
    tree: &Tree,
    names: &Names,
    (root, id): (NodeId, NodeId),
    (bytes, steps): &mut (usize, usize),
) -> Option<String> {
    let mut parts = Vec::new();
    let mut at = id;
    while at != root {
        *steps = steps.checked_sub(1)?;
        let node = tree.node(at)?;
        parts.push(names.text(node.name));
        at = node.parent?;
    }
    parts.reverse();
    let path = parts.join("/");
    *bytes = bytes.checked_sub(path.len())?;
    Some(path)
}
