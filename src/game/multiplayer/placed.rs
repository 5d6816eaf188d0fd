//! Compares the paths at which spawned nodes are announced with those that the project gives them.

use super::context::Context;
use super::evidence::Fact;
use super::known::{ListFit, Role, SceneId, SpawnerId};
use super::mismatch::Mismatch;
use super::names::{NO_METHODS, Names};
#[cfg(feature = "capture")]
use super::origin::Origin;
use super::packet::SimplifyPath;
use super::paths::{Paths, Placed};
use super::room::LONGEST;
use alloc::vec::Vec;

/// Adds what the announcement of a node, by its path and digest, shows about the places where spawners
/// put their nodes.
pub(super) fn misplaced(context: Context<'_>, (path, digest): (&str, &str), facts: &mut Vec<Fact>) {
    let (Some(names), Some(paths)) = (context.names(), context.paths) else { return };
    for (end, placed) in same_names(paths, path) {
        if path.get(..end) == Some(&*placed.path) {
            facts.push(Fact::SamePlace(placed.spawner));
        } else if is_elsewhere(names, paths, (path, digest, end), placed) {
            facts.push(Fact::OtherPlace(placed.spawner));
        }
    }
}

impl<'c> Context<'c> {
    /// The spawned node that is announced at another path than that where the project puts it.
    pub(super) fn misplaced(self, announced: &SimplifyPath<'_>) -> Option<&'c Placed> {
        let (names, paths) = (self.names()?, self.paths?);
        let (path, digest) = (announced.path, announced.md5?);
        let is_same = |spawner: SpawnerId| {
            self.evidence().is_some_and(|known| known.has(Fact::SamePlace(spawner)))
        };
        let mut others = same_names(paths, path).filter(|(end, placed)| {
            path.get(..*end) != Some(&*placed.path)
                && !is_same(placed.spawner)
                && is_elsewhere(names, paths, (path, digest, *end), placed)
        });
        others.next().map(|(_, placed)| placed)
    }

    /// How the announcement of a spawned node contradicts the place where the project puts it.
    pub(super) fn other_place(self, announced: &SimplifyPath<'c>) -> Option<Mismatch<'c>> {
        let placed = self.misplaced(announced)?;
        let (spawner, _) = self.paths?.nodes.sites.get(&placed.path)?.spawner.as_ref()?;
        Some(Mismatch::Place { spawner, path: announced.path, expected: &placed.path })
    }
}

#[cfg(feature = "capture")]
impl Paths {
    /// Copies the path of a spawned node and what is known about its scene from another list. Returns
    /// how many bytes of text were added.
    pub(super) fn copy_placed(&mut self, from: &Paths, placed: &Placed) -> usize {
        let Some(site) = from.nodes.sites.get(&placed.path) else { return 0 };
        if let Some(origin) = from.nodes.origins.get(&site.origin) {
            let (path, scenes) = (origin.path.clone(), origin.scenes.clone());
            let origin = Origin { path, scenes, parts: Vec::new(), ..*origin };
            self.nodes.origins.insert(site.origin, origin);
        }
        let (_, name) = placed.path.rsplit_once('/').unwrap_or(("", &placed.path));
        let same_name = self.nodes.by_name.entry(name.into()).or_default();
        if same_name.iter().all(|known| known.path != placed.path) {
            same_name.push(placed.clone());
        }
        match self.nodes.sites.insert(placed.path.clone(), site.clone()) {
            Some(_) => 0,
            None => placed.path.len(),
        }
    }
}

/// The spawned nodes that have the name of a node in a path, each with the length of the path of that
/// node.
fn same_names<'c>(paths: &'c Paths, path: &str) -> impl Iterator<Item = (usize, &'c Placed)> {
    let is_searched = !paths.nodes.by_name.is_empty() && path.len() <= LONGEST;
    let path = if is_searched { path } else { "" };
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.flat_map(move |end| {
        let above = path.get(..end).unwrap_or("");
        let name = above.rsplit_once('/').map_or(above, |(_, name)| name);
        let placed = paths.nodes.by_name.get(name).map_or(&[][..], |placed| placed);
        placed.iter().map(move |placed| (end, placed))
    })
}

/// Whether an announced node is a spawned one, or below it, although the project puts the spawned one
/// somewhere else: nothing else is known at the path, and the node has the methods of the spawned one.
fn is_elsewhere(
    names: &Names,
    paths: &Paths,
    (path, digest, end): (&str, &str, usize),
    placed: &Placed,
) -> bool {
    let Some((root, below)) = path.split_at_checked(end) else { return false };
    let below = below.trim_start_matches('/');
    let Some(site) = paths.nodes.sites.get(&placed.path) else { return false };
    let has_node = |scene: SceneId| match names.list_in_scene(scene, below) {
        _ if digest == NO_METHODS => {
            !below.is_empty() && !matches!(names.role_in(scene, below), Role::Other)
        }
        Some(list) => names.fit(digest, list) == ListFit::Same,
        None => false,
    };
    let has_node = match (site.instance, paths.nodes.origins.get(&site.origin)) {
        (Some(instance), _) => has_node(instance.scene),
        (None, Some(origin)) => origin.scenes.list().iter().any(|scene| has_node(*scene)),
        (None, None) => false,
    };
    has_node && !paths.nodes.sites.contains_key(root) && paths.known_part(names, root) < root.len()
}
