//! Finds the nodes of which a script may make a client the authority.

use super::ids::{Interner, NameId};
use super::limits;
use super::lists::Lists;
use super::script::{ClassId, Grant, Grants};
use super::tree::{NodeId, NodePlace, NodeScript, Tree};
use alloc::collections::{BTreeMap, BTreeSet};

/// The nodes of which scripts may make a client the authority.
#[derive(Debug, Default)]
pub(super) struct Authority {
    extent: GrantExtent,
    /// The nodes of scenes, and whether their children get the authority, too.
    nodes: BTreeMap<NodeId, bool>,
    /// The autoloads that are scripts.
    autoloads: BTreeSet<NameId>,
}

/// How many nodes scripts may give to clients.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum GrantExtent {
    #[default]
    None,
    /// Known nodes, and nodes that scripts create.
    Some,
    /// Possibly any node.
    Any,
}

impl Authority {
    /// Finds the nodes in scenes, and those of the autoloads that are scripts.
    pub(super) fn new(
        grants: &Grants,
        lists: &Lists,
        tree: &Tree,
        autoloads: impl Iterator<Item = (NameId, ClassId)>,
        names: &Interner,
    ) -> Authority {
        let mut found = Authority::default();
        if grants.is_any {
            found.extent = GrantExtent::Any;
        }
        if grants.is_any || grants.of_scripts.is_empty() {
            return found;
        }
        found.extent = GrantExtent::Some;
        let mut search = GrantSearch { grants, lists, steps: limits::STEPS, used: BTreeSet::new() };
        let is_own = |grant: &Grant| names.text(grant.path).is_empty();
        let of_nodes = (0..tree.next()).try_for_each(|id| {
            let Some(NodeScript::Class(class)) = tree.node(id).map(|node| node.script) else {
                return Some(());
            };
            search.each(class, &mut |grant, steps| {
                let node = if is_own(grant) {
                    id
                } else {
                    tree.resolve(id, names.text(grant.path), names, steps)?
                };
                *found.nodes.entry(node).or_default() |= grant.is_recursive;
                Some(())
            })
        });
        let mut autoloads = autoloads;
        let of_autoloads = autoloads.try_for_each(|(name, class)| {
            search.each(class, &mut |grant, _| {
                found.autoloads.insert(name);
                is_own(grant).then_some(())
            })
        });
        // The paths of a script that no known node has lead somewhere else.
        let mut unused = (0..).zip(&grants.of_scripts).filter(|(at, _)| !search.used.contains(at));
        let is_lost = unused.any(|(_, grants)| !grants.iter().all(is_own));
        if of_nodes.is_none() || of_autoloads.is_none() || is_lost {
            found.extent = GrantExtent::Any;
        }
        found
    }

    /// Whether scripts may make a client the authority of a node. That is so for a node that has no
    /// place in the project if scripts do it at all.
    pub(super) fn may_include(
        &self,
        tree: &Tree,
        place: impl FnOnce() -> Option<NodePlace>,
    ) -> bool {
        match self.extent {
            GrantExtent::None => false,
            GrantExtent::Any => true,
            GrantExtent::Some => place().is_none_or(|place| match place {
                NodePlace::Node(node) => self.is_granted(tree, node),
                NodePlace::Autoload(name, _) => self.autoloads.contains(&name),
            }),
        }
    }

    fn is_granted(&self, tree: &Tree, node: NodeId) -> bool {
        let above = core::iter::successors(Some(node), |id| tree.node(*id)?.parent);
        self.nodes.contains_key(&node)
            || above.skip(1).any(|above| self.nodes.get(&above) == Some(&true))
    }
}

struct GrantSearch<'s> {
    grants: &'s Grants,
    lists: &'s Lists,
    steps: usize,
    /// The scripts that nodes have.
    used: BTreeSet<usize>,
}

impl GrantSearch<'_> {
    /// Passes what a class and those that it extends do to a function, with the number of steps
    /// that are left. Returns none if the function does, or if no steps are left.
    fn each(
        &mut self,
        class: ClassId,
        hand: &mut impl FnMut(&Grant, &mut usize) -> Option<()>,
    ) -> Option<()> {
        for class in self.lists.chain(class) {
            self.steps = self.steps.checked_sub(1)?;
            for script in self.grants.of_classes.get(&class).into_iter().flatten() {
                self.used.insert(*script);
                for grant in self.grants.of_scripts.get(*script).into_iter().flatten() {
                    self.steps = self.steps.checked_sub(1)?;
                    hand(grant, &mut self.steps)?;
                }
            }
        }
        Some(())
    }
}
