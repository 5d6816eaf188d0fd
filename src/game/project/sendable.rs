//! The properties that synchronizers of a project may send.

use super::ids::{ConfigId, number};
use super::lookup::Project;
use super::tree::{NodeId, NodeRole, NodeScript, TreeNode};

impl Project {
    /// The properties of all synchronizers. Empty if a synchronizer may have others: because a part
    /// of a scene or the properties of a synchronizer could not be read, or because scripts make
    /// synchronizers or change them.
    pub(crate) fn sendable(&self) -> impl Iterator<Item = ConfigId> + use<> {
        let is_known =
            |role: &NodeRole| !matches!(role, NodeRole::Synchronizer { config: None, .. });
        // An imported model has no synchronizers.
        let is_open = |node: NodeId| self.tree.node(node).is_some_and(|node| node.is_open);
        let is_unread = |node: &TreeNode| {
            let is_unknown = node.is_open && node.script == NodeScript::Unknown;
            is_unknown && !node.parent.is_some_and(is_open)
        };
        let is_certain = !self.scripts.changes_synchronizers
            && self.tree.nodes.iter().all(|node| !is_unread(node) && is_known(&node.role));
        let count = if is_certain { self.configs.len() } else { 0 };
        (0..number(count)).map(ConfigId)
    }
}
