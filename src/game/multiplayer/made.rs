//! Finds the scenes of nodes that scripts have made: no scene of the project contains these nodes.
//!
//! Each announced node is a part of a scene that was instantiated at the node itself or at one of
//! the nodes above it. The project says which scenes have such a part, and packets exclude scenes
//! until one is left: by the paths below the node, the digests of its scripts, and the number and
//! types of the values that its synchronizers send.

use super::known::{
    Basis, KnownNode, KnownRole, SceneInstance, SceneSet, Shared, Unclear, agreed, agreed_role,
};
use super::mismatch::{may_send, may_spawn, scenes_like};
use super::names::{NO_METHODS, Names};
use super::packet::{Packet, SimplifyPath, Spawn, State, States, Sync, Synchronizer};
use super::paths::{LONGEST, NodeSite, Paths, Size};
use crate::game::project::SceneId;
use crate::net::peer::PeerEnd;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use core::ops::Bound;

/// The number of scenes that are compared with one node. If more have such a part, none is found.
const COMPARED: usize = 256;

/// The number of scenes that are compared with an announced node and those above it together.
const COMPARED_WITH_ALL: usize = 4 * COMPARED;

impl Paths {
    /// The scenes of which a spawned node may be an instance if the list of its spawner does not say
    /// it, and what the scene is known from if only one is left. `ordinal` is the number of the
    /// spawn among the announcements.
    pub(super) fn scenes_of(
        &self,
        sender: PeerEnd,
        spawn: &Spawn<'_>,
        ordinal: Ordinal,
    ) -> (SceneSet, Basis) {
        let Some(names) = self.names.as_deref().filter(|names| names.has_project()) else {
            return (SceneSet::Any, Basis::Structure);
        };
        let spawner = self.spawner(sender, spawn).filter(|_| spawn.scene.is_none());
        let made = spawner.and_then(|(_, id)| names.made_by(id, spawn));
        let basis = match &made {
            Some(made) if made.only().is_some() => Basis::Function,
            _ => Basis::Structure,
        };
        if let Some((_, scenes)) = self.concluded(ordinal) {
            return (SceneSet::Among(scenes.clone()), basis);
        }
        let scenes = match made {
            Some(made) => made.filtered(|scene| may_spawn(names, scene, spawn)),
            None => scenes_like(names, spawn),
        };
        (scenes, basis)
    }

    /// The conclusion of another reading of the same packets about the scene of a node.
    fn concluded(&self, ordinal: Ordinal) -> Option<&SceneConclusion> {
        self.evidence.as_ref()?.conclusion(self.conclusions.connection, ordinal)
    }

    /// The node that a script has made, on which the names of an announced node depend, if packets
    /// have excluded all scenes of the project.
    pub(super) fn contradicted_origin(&self, search: SceneSearch) -> Option<&SceneOrigin> {
        self.nodes.origins.get(&search.origin).filter(|origin| origin.scenes == SceneSet::none())
    }

    /// Whether a packet may show more about the scenes of nodes.
    #[cfg(feature = "capture")]
    pub(super) fn is_searched(&self, sender: PeerEnd, packet: &Packet<'_>) -> bool {
        if self.names.as_ref().is_none_or(|names| !names.has_project()) {
            return false;
        }
        states_of(packet).into_iter().flatten().any(|state| {
            let search = match state.synchronizer {
                Synchronizer::PathId(id) => self.announced(sender, id).map(|it| it.search),
                Synchronizer::NetId(id) => self.node(sender, id).map(|(_, node, _)| node.search),
            };
            search.is_some_and(|search| search.is_open(state.changed))
        })
    }

    /// Forgets the scene of a node that a script has made again: a part of it is announced with
    /// another id.
    pub(super) fn renew(&mut self, sender: PeerEnd, simplify: &SimplifyPath<'_>) {
        let Some(of_sender) = self.senders.get(&sender) else { return };
        let Some((id, _)) = of_sender.by_path.get(simplify.path) else { return };
        let before = of_sender.paths.get(id).filter(|_| *id != simplify.id);
        let Some(origin) = before.and_then(|it| self.nodes.origins.get(&it.search.origin)) else {
            return;
        };
        if let Some(root) = origin.path.clone() {
            self.forget_made(&root);
        }
    }

    /// Forgets the scenes of the nodes that scripts have made at a path and below. It looks at no
    /// other nodes, because every packet may make it necessary.
    fn forget_made(&mut self, root: &str) {
        let (first, end) = (format!("{root}/"), format!("{root}0"));
        let below =
            self.nodes.made.range::<str, _>((Bound::Included(&*first), Bound::Excluded(&*end)));
        let gone: Vec<_> = self.nodes.made.get(root).into_iter().chain(below).cloned().collect();
        for path in gone {
            #[cfg(test)]
            tests::count();
            self.nodes.made.remove(&path);
            if let Some(site) = self.nodes.sites.remove(&path) {
                self.nodes.origins.remove(&site.origin);
            }
            self.release_room(Size::of_text(&path));
        }
    }

    /// Notes that a node is despawned: those around it that scripts have made may be gone, too.
    pub(super) fn doubt_around(&mut self, sender: PeerEnd, net_id: u32) {
        let path = self.node(sender, net_id).and_then(|(_, node, _)| node.path.clone());
        let Some(path) = path else {
            self.despawned = self.announcements;
            return;
        };
        for (end, _) in path.match_indices('/') {
            let site = path.get(..end).and_then(|root| self.nodes.sites.get(root));
            let origin = site.filter(|site| site.is_made()).map(|site| site.origin);
            if let Some(origin) = origin.and_then(|it| self.nodes.origins.get_mut(&it)) {
                origin.despawned = self.announcements;
            }
        }
    }

    /// Forgets the scene of a node that a script has made if another node may be at its path by now:
    /// all nodes were despawned that spawners had added below it, as when a level is changed, and the
    /// part that is announced now may be one of another scene.
    pub(super) fn doubt(&mut self, simplify: &SimplifyPath<'_>) {
        let Some(names) = self.names.clone().filter(|names| names.has_project()) else { return };
        let path = simplify.path;
        if self.nodes.sites.is_empty() || path.len() > LONGEST {
            return;
        }
        for end in path.match_indices('/').map(|(end, _)| end).chain([path.len()]) {
            let Some((root, below)) = path.split_at_checked(end) else { return };
            let Some((number, origin)) = self.doubtful(root) else { continue };
            let below = below.trim_start_matches('/');
            if is_only_in(&names, &origin.scenes, (below, simplify.md5)) {
                let announcements = self.announcements;
                if let Some(origin) = self.nodes.origins.get_mut(&number) {
                    origin.seen = announcements;
                }
            } else if let Some(root) = origin.path.clone() {
                return self.forget_made(&root);
            }
        }
    }

    /// The node at a path that a script has made, if it may be gone by now.
    fn doubtful(&self, root: &str) -> Option<(Ordinal, &SceneOrigin)> {
        let site = self.nodes.sites.get(root).filter(|site| site.is_made())?;
        let origin = self.nodes.origins.get(&site.origin)?;
        let is_doubtful = origin.seen < origin.despawned.max(self.despawned);
        (is_doubtful && !self.has_spawned_below(root)).then_some((site.origin, origin))
    }

    /// Whether a node that a spawner has added is still below a path. If too many other nodes are
    /// there, it is not found.
    fn has_spawned_below(&self, root: &str) -> bool {
        /// The number of nodes that are looked at.
        const MOST: usize = 256;
        let first = alloc::format!("{root}/");
        let from = self.nodes.sites.range::<str, _>((Bound::Included(&*first), Bound::Unbounded));
        let mut below = from.take(MOST).take_while(|(path, _)| path.starts_with(&*first));
        below.any(|(_, site)| !site.is_made())
    }

    /// Finds the scenes of which an announced node may be a part.
    pub(super) fn place(&mut self, sender: PeerEnd, simplify: &SimplifyPath<'_>) {
        let Some(names) = self.names.clone().filter(|names| names.has_project()) else { return };
        let Some(announced) = self.announced(sender, simplify.id) else { return };
        let (path, ordinal, known) = (announced.path.clone(), announced.ordinal, announced.known);
        let around = self.site_around(&path);
        let made = around.filter(|(site, _)| site.is_made()).map(|(site, _)| site.origin);
        let part = self.known_part(&names, &path);
        if part >= path.len() {
            let search = SceneSearch::new(made.unwrap_or(0));
            return self.note_search(sender, simplify.id, search);
        }
        let concluded = match self.concluded(ordinal) {
            Some((Some(end), scenes)) => {
                Some(NodeSource::Made(*end, SceneSet::Among(scenes.clone())))
            }
            _ => None,
        };
        let found =
            concluded.unwrap_or_else(|| self.explained(&names, (&path, part), simplify.md5, None));
        let mut search = SceneSearch::new(0);
        self.note_explained(found, &mut search, (&path, ordinal), (sender, simplify.id));
        self.note_search(sender, simplify.id, search);
        if !matches!(known.role, KnownRole::Other) {
            self.know(sender, simplify.id, known);
        }
    }

    /// The length of the part of a path that leads to a node of a known scene, in bytes.
    pub(super) fn known_part(&self, names: &Names, path: &str) -> usize {
        let inside = self.site_around(path).and_then(|(site, below)| {
            let root = path.len().saturating_sub(below.len());
            let root = if below.is_empty() { root } else { root.saturating_sub(1) };
            Some((site.instance?.scene, root))
        });
        names.known_part(path, inside)
    }

    /// The node above an announced one that a script may have made, and its scenes. The first bytes of
    /// the path, `part`, lead to a node of a known scene. If several nodes come into question, the
    /// outermost is taken: the names of those below it are the same as in its scene, which they are
    /// hardly by chance.
    fn explained(
        &self,
        names: &Names,
        (path, part): (&str, usize),
        digest: Option<&str>,
        state: Option<&State<'_>>,
    ) -> NodeSource {
        let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
        if names.may_be_in_code(name, digest) {
            return NodeSource::Unknown;
        }
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        let (mut contradicted, mut left) = (None, COMPARED_WITH_ALL);
        for end in ends.filter(|end| *end > part) {
            let Some((root, below)) = path.split_at_checked(end) else { continue };
            let below = below.trim_start_matches('/');
            let origin =
                self.nodes.sites.get(root).map(|site| self.nodes.origins.get(&site.origin));
            let before = match origin {
                // Nothing is known of the node, or senders disagree about it.
                Some(None) => continue,
                Some(Some(origin)) => &origin.scenes,
                None => &SceneSet::Any,
            };
            if *before == SceneSet::none() {
                contradicted = contradicted.or(Some(end));
            }
            let fits = |(scene, role): &(SceneId, KnownRole)| {
                before.has(*scene)
                    && names.can_be_created(*scene)
                    && match (state, role) {
                        (Some(state), KnownRole::Synchronizer(config)) => {
                            may_send(names, *config, state)
                        }
                        // The properties of the synchronizer may not be known.
                        (Some(_), KnownRole::Spawner(_)) => false,
                        _ => true,
                    }
            };
            let Some(mut places) = names.places(below, digest) else { return NodeSource::Unknown };
            let found = places.by_ref().take(COMPARED.min(left)).collect::<Vec<_>>();
            left = left.saturating_sub(found.len());
            let scenes = match found {
                few if places.next().is_none() => {
                    #[cfg(test)]
                    few.iter().for_each(|_| tests::count());
                    SceneSet::among(few.iter().filter(|it| fits(it)).map(|(scene, _)| *scene))
                }
                _ => SceneSet::Any,
            };
            match scenes {
                SceneSet::Any => return NodeSource::Unknown,
                scenes if scenes == SceneSet::none() => {}
                scenes => return NodeSource::Made(end, scenes),
            }
        }
        match contradicted.or_else(|| self.mistaken(names, path, digest)) {
            Some(end) => NodeSource::Made(end, SceneSet::none()),
            None => NodeSource::Nowhere,
        }
    }

    /// The length of the path of the spawned node above an announced one that is not of its scene:
    /// only other scenes have the announced one at this path below their roots.
    fn mistaken(&self, names: &Names, path: &str, digest: Option<&str>) -> Option<usize> {
        let (site, below) = self.site_around(path).filter(|(site, _)| !site.is_made())?;
        let end = path.len().checked_sub(below.len())?.checked_sub(1)?;
        let is_found = self.nodes.origins.contains_key(&site.origin);
        (is_found && names.places(below, digest)?.next().is_some()).then_some(end)
    }

    /// Notes the origin that explains an announced node. Returns the number of the origin that was
    /// found.
    fn note_explained(
        &mut self,
        found: NodeSource,
        search: &mut SceneSearch,
        (path, ordinal): (&str, Ordinal),
        (sender, id): (PeerEnd, u32),
    ) -> Option<Ordinal> {
        search.is_nowhere = found == NodeSource::Nowhere;
        let NodeSource::Made(end, scenes) = found else { return None };
        let part = AnnouncedPart::Path(sender, id);
        search.origin = self.narrow_at(path.get(..end)?, ordinal, &scenes, part)?;
        Some(search.origin)
    }

    /// Notes that the node at a path is an instance of one of these scenes, and that the names of an
    /// announced node depend on it. Returns the number of its origin.
    fn narrow_at(
        &mut self,
        root: &str,
        ordinal: Ordinal,
        scenes: &SceneSet,
        part: AnnouncedPart,
    ) -> Option<Ordinal> {
        if let Some(site) = self.nodes.sites.get(root) {
            let origin = site.origin;
            self.nodes.origins.get_mut(&origin)?.parts.insert(part);
            if !self.narrow(origin, scenes) {
                self.refresh(origin, Some(part));
            }
            return Some(origin);
        }
        if !self.take_room(Size::of_text(root)) {
            return None;
        }
        let root: Shared<str> = root.into();
        let site = NodeSite { instance: None, origin: ordinal, spawner: None, count: 0 };
        self.nodes.sites.insert(root.clone(), site);
        self.nodes.made.insert(root.clone());
        let (path, basis) = (Some(root), Basis::Structure);
        let parts = BTreeSet::from([part]);
        let (scenes, seen) = (scenes.clone(), self.announcements);
        self.nodes
            .origins
            .insert(ordinal, SceneOrigin { path, scenes, basis, parts, seen, despawned: 0 });
        self.refresh(ordinal, None);
        Some(ordinal)
    }

    /// Finds the scene of a spawned node if the list of its spawner does not say it.
    pub(super) fn place_spawned(&mut self, sender: PeerEnd, spawn: &Spawn<'_>) {
        if self.names.as_ref().is_none_or(|names| !names.has_project()) {
            return;
        }
        let ordinal = self.announcements;
        let found = self.node(sender, spawn.net_id).filter(|(_, node, _)| node.instance.is_none());
        let Some((_, node, _)) = found else { return };
        let path = node.path.clone();
        let (scenes, basis) = self.scenes_of(sender, spawn, ordinal);
        let site = path.as_ref().and_then(|path| self.nodes.sites.get_mut(path));
        if let Some(site) = site.filter(|site| site.count == 1) {
            site.origin = ordinal;
        }
        let parts = BTreeSet::from([AnnouncedPart::Node(sender, spawn.net_id)]);
        self.nodes.origins.insert(
            ordinal,
            SceneOrigin { path, scenes, basis, parts, seen: ordinal, despawned: 0 },
        );
        if let Some(node) = self.node_mut(sender, spawn.net_id) {
            node.search = SceneSearch::new(ordinal);
        }
        self.refresh(ordinal, None);
    }

    /// Excludes the scenes that do not fit the states of a packet.
    pub(super) fn look(&mut self, sender: PeerEnd, packet: &Packet<'_>) {
        let Some(names) = self.names.clone().filter(|names| names.has_project()) else { return };
        for state in states_of(packet).into_iter().flatten() {
            match state.synchronizer {
                Synchronizer::PathId(id) => self.look_at_path(&names, (sender, id), &state),
                Synchronizer::NetId(id) => self.look_at_node(&names, (sender, id), &state),
            }
        }
    }

    fn look_at_path(&mut self, names: &Names, (sender, id): (PeerEnd, u32), state: &State<'_>) {
        let Some(announced) = self.announced(sender, id) else { return };
        let (path, ordinal, mut search) =
            (announced.path.clone(), announced.ordinal, announced.search);
        let is_open = search.is_open(state.changed);
        search.looked(state.changed);
        if let Some(origin) = self.nodes.origins.get(&search.origin) {
            let root = origin.path.as_ref().map_or(0, |root| root.len());
            let below = path.get(root..).unwrap_or("").trim_start_matches('/');
            let fits = |scene| match names.role_in(scene, below) {
                KnownRole::Synchronizer(config) => may_send(names, config, state),
                KnownRole::Spawner(_) => false,
                KnownRole::Other => true,
            };
            let scenes = origin.scenes.filtered(fits);
            self.note_search(sender, id, search);
            self.narrow(search.origin, &scenes);
        } else if is_open {
            let part = self.known_part(names, &path);
            if part >= path.len() {
                (search.left, search.is_nowhere) = (0, false);
                let known = self.known(&path, None);
                self.know(sender, id, known);
            } else {
                // A node that sends a state is a synchronizer, as if it had no methods.
                let found = self.explained(names, (&path, part), Some(NO_METHODS), Some(state));
                if self.note_explained(found, &mut search, (&path, ordinal), (sender, id)).is_some()
                {
                    self.conclude(search.origin);
                }
            }
            self.note_search(sender, id, search);
        }
    }

    fn look_at_node(&mut self, names: &Names, (sender, id): (PeerEnd, u32), state: &State<'_>) {
        let Some((net_id, node, Some(synchronizer))) = self.node(sender, id) else { return };
        let mut search = node.search;
        let Some(origin) = self.nodes.origins.get(&search.origin) else { return };
        search.looked(state.changed);
        let scenes = origin.scenes.filtered(|scene| {
            let id = node.synchronizer(names, scene, synchronizer.place);
            let config = id.and_then(|id| names.config_of(id));
            config.is_none_or(|config| may_send(names, config, state))
        });
        if let Some(node) = self.node_mut(sender, net_id) {
            node.search = search;
        }
        self.narrow(search.origin, &scenes);
    }

    /// Notes that a node is an instance of one of these scenes. Returns whether that was not known.
    fn narrow(&mut self, origin: Ordinal, scenes: &SceneSet) -> bool {
        let Some(found) = self.nodes.origins.get_mut(&origin) else { return false };
        let narrowed = found.scenes.narrowed(scenes, |_| true);
        if narrowed == found.scenes {
            return false;
        }
        found.scenes = narrowed;
        self.conclude(origin);
        self.refresh(origin, None);
        true
    }

    /// Remembers what packets have shown about a node after its announcement.
    fn conclude(&mut self, origin: Ordinal) {
        let Some(found) = self.nodes.origins.get(&origin) else { return };
        let end = found.path.as_ref().map(|path| path.len());
        self.conclusions.add(origin, (end, &found.scenes));
        self.revision = self.revision.saturating_add(1);
    }

    /// Determines the names that depend on the scene of a node: those of all its parts, or of only one.
    fn refresh(&mut self, origin: Ordinal, only: Option<AnnouncedPart>) {
        let Some(names) = self.names.clone() else { return };
        let Some(found) = self.nodes.origins.get(&origin) else { return };
        let (scenes, basis, path) = (found.scenes.clone(), found.basis, found.path.clone());
        let instance = scenes.only().map(|scene| SceneInstance { scene, basis });
        let parts: Vec<_> = match only {
            Some(part) => Vec::from([part]),
            None => found.parts.iter().copied().collect(),
        };
        if let Some(site) = path.as_ref().and_then(|path| self.nodes.sites.get_mut(path))
            && site.origin == origin
            && site.count <= 1
        {
            site.instance = instance;
        }
        for part in parts {
            #[cfg(test)]
            tests::count();
            match part {
                AnnouncedPart::Path(sender, id) => {
                    let Some(announced) = self.announced(sender, id) else { continue };
                    if announced.search.origin != origin && announced.search.origin != 0 {
                        continue;
                    }
                    let root = path.as_ref().map_or(0, |path| path.len());
                    let below = announced.path.get(root..).unwrap_or("").trim_start_matches('/');
                    let roles = scenes.list().iter().map(|scene| names.role_in(*scene, below));
                    let (role, unclear) = agreed_role(&names, roles);
                    let known = KnownNode { role, instance, unclear, ..announced.known };
                    self.know(sender, id, known);
                }
                AnnouncedPart::Node(sender, id) => {
                    self.know_node(&names, (sender, id), &scenes, instance)
                }
            }
        }
    }

    fn note_search(&mut self, sender: PeerEnd, id: u32, search: SceneSearch) {
        let paths = self.senders.get_mut(&sender).map(|sender| &mut sender.paths);
        if let Some(announced) = paths.and_then(|paths| paths.get_mut(&id)) {
            announced.search = search;
        }
    }

    /// Changes what is known about an announced node.
    fn know(&mut self, sender: PeerEnd, id: u32, known: KnownNode) {
        let Some(sender) = self.senders.get_mut(&sender) else { return };
        let Some(announced) = sender.paths.get_mut(&id) else { return };
        let methods = (announced.known.methods, announced.known.is_proven);
        announced.known = known;
        (announced.known.methods, announced.known.is_proven) = methods;
        if let Some((of_path, found)) = sender.by_path.get_mut(&announced.path)
            && *of_path == id
        {
            *found = announced.known;
        }
    }

    fn know_node(
        &mut self,
        names: &Names,
        (sender, id): (PeerEnd, u32),
        scenes: &SceneSet,
        instance: Option<SceneInstance>,
    ) {
        let Some(sender) = self.senders.get_mut(&sender) else { return };
        let Some(node) = sender.nodes.get_mut(&id) else { return };
        node.instance = instance;
        for net_id in &node.synchronizers {
            let Some(synchronizer) = sender.synchronizers.get_mut(net_id) else { continue };
            let place = synchronizer.place;
            let ids = scenes.list().iter().map(|scene| node.synchronizer(names, *scene, place));
            let first = ids.clone().next().flatten();
            let path = first.and_then(|id| names.synchronizer_path(id));
            let same_path = |id: Option<_>| id.and_then(|id| names.synchronizer_path(id)) == path;
            let configs = ids.clone().map(|id| names.config_of(id?));
            let agreed = agreed(names, configs).filter(|_| ids.clone().all(same_path));
            synchronizer.id = first.filter(|_| agreed.is_some());
            synchronizer.unclear = agreed.map_or(Unclear::default(), |(_, unclear)| unclear);
        }
    }
}

/// The possible origin of an announced node, if none of the scenes that the game is known to have
/// has it.
#[derive(PartialEq, Eq)]
enum NodeSource {
    /// Not known: too many scenes fit, or the node may be made without a scene.
    Unknown,
    /// No scene of the project has such a node.
    Nowhere,
    /// The node whose path has this length may be an instance of one of these scenes. Without any,
    /// packets contradict the project.
    Made(usize, SceneSet),
}

/// Whether a node at a path below the root of one of these scenes, announced with a digest, is in no
/// other scene that may be created at run time.
fn is_only_in(names: &Names, scenes: &SceneSet, (below, digest): (&str, Option<&str>)) -> bool {
    let Some(places) = names.places(below, digest) else { return false };
    let mut others = places.map(|(other, _)| other).filter(|other| !scenes.has(*other));
    let mut compared = others.by_ref().take(COMPARED);
    !compared.any(|other| names.can_be_created(other)) && others.next().is_none()
}

/// The states in a packet that is not a relay.
fn states_of<'a>(packet: &Packet<'a>) -> Option<States<'a>> {
    match packet {
        Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => Some(*states),
        _ => None,
    }
}

/// The number of an announcement in a connection, from 1; 0 for none. Every reading of the same
/// packets gives them the same numbers.
pub(super) type Ordinal = u32;

/// A node that a script has made.
#[derive(Clone, Debug)]
pub(super) struct SceneOrigin {
    /// Its path, if that is known.
    pub(super) path: Option<Shared<str>>,
    pub(super) scenes: SceneSet,
    /// The source from which its scene is known, once only one is left.
    pub(super) basis: Basis,
    /// The announced nodes whose names depend on its scene.
    pub(super) parts: BTreeSet<AnnouncedPart>,
    /// How many announcements were noted when a packet last showed that it is of one of the scenes.
    pub(super) seen: Ordinal,
    /// How many announcements were noted when a node below it was last despawned; else 0.
    pub(super) despawned: Ordinal,
}

/// An announced node, by its sender.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum AnnouncedPart {
    /// A path, by its id.
    Path(PeerEnd, u32),
    /// A spawned node, by its net id.
    Node(PeerEnd, u32),
}

/// The search for the scene on which the names of an announced node depend.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SceneSearch {
    /// The node that a script has made, once it is known; else 0.
    pub(super) origin: Ordinal,
    /// How many more states are looked at that may bring nothing new.
    pub(super) left: u8,
    /// Whether no scene of the project has such a node.
    pub(super) is_nowhere: bool,
    /// The properties that changed in the deltas so far.
    pub(super) seen: u64,
}

impl SceneSearch {
    /// A search that has just begun.
    pub(super) const fn new(origin: Ordinal) -> SceneSearch {
        /// A scene is usually known from the first state. Later ones may have values of other types.
        const STATES: u8 = 16;
        SceneSearch { origin, left: STATES, is_nowhere: false, seen: 0 }
    }

    /// Whether a state may show something new.
    pub(super) const fn is_open(&self, changed: Option<u64>) -> bool {
        let is_new = match changed {
            Some(bits) => bits & !self.seen != 0,
            None => false,
        };
        self.left > 0 || is_new && self.origin > 0
    }

    /// Notes that a state was looked at.
    pub(super) const fn looked(&mut self, changed: Option<u64>) {
        self.left = self.left.saturating_sub(1);
        if let Some(bits) = changed {
            self.seen |= bits;
        }
    }
}

/// Conclusions from the packets of a connection about the scenes of nodes, by the numbers of the
/// nodes' first announcements.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Conclusions {
    /// The number of the connection.
    pub(super) connection: u64,
    #[expect(clippy::box_collection, reason = "most connections have none, and may be many")]
    by_ordinal: Option<Box<BTreeMap<Ordinal, SceneConclusion>>>,
}

/// The length of a node's path, and the scenes of which it may be an instance.
pub(super) type SceneConclusion = (Option<usize>, Box<[SceneId]>);

/// The number of nodes of a connection whose scenes are remembered.
const MOST: usize = 1 << 16;

impl Conclusions {
    pub(super) const fn new() -> Conclusions {
        Conclusions { connection: 0, by_ordinal: None }
    }

    /// An empty collection for the same connection.
    #[cfg(feature = "capture")]
    pub(super) const fn of_same_connection(&self) -> Conclusions {
        Conclusions { connection: self.connection, by_ordinal: None }
    }

    pub(super) fn add(&mut self, ordinal: Ordinal, (path, scenes): (Option<usize>, &SceneSet)) {
        let by_ordinal = self.by_ordinal.get_or_insert_default();
        if by_ordinal.len() < MOST || by_ordinal.contains_key(&ordinal) {
            by_ordinal.insert(ordinal, (path, scenes.list().into()));
        }
    }

    pub(super) fn get(&self, ordinal: Ordinal) -> Option<&SceneConclusion> {
        self.by_ordinal.as_ref()?.get(&ordinal)
    }

    /// The number of nodes.
    #[cfg(feature = "capture")]
    pub(super) fn len(&self) -> usize {
        self.by_ordinal.as_ref().map_or(0, |known| known.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Packet, Paths, SceneSearch, Shared, SimplifyPath, Spawn};
    use crate::game::multiplayer::arguments::Arguments;
    use crate::game::multiplayer::packet::NetIds;
    use crate::game::project::Project;
    use crate::net::peer::PeerId;
    use crate::value::Dialect;
    use alloc::vec::Vec;
    use std::cell::Cell;

    std::thread_local! {
        static LOOKS: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts a node that is looked at.
    pub(super) fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }

    const SCENES: [(&str, &str); 4] = [
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n\
             [ext_resource type=\"PackedScene\" path=\"res://level.tscn\" id=\"1\"]\n\
             [node name=\"Main\" type=\"Node\"]\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             _spawnable_scenes = PackedStringArray(\"res://level.tscn\", \"res://cave.tscn\")\n\
             spawn_path = NodePath(\"../Level\")\n",
        ),
        (
            "level.tscn",
            "[gd_scene format=3]\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\n\
             [node name=\"Level\" type=\"Node\"]\n\
             [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_config = SubResource(\"1\")\n",
        ),
        (
            "cave.tscn",
            "[gd_scene format=3]\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\n\
             [node name=\"Cave\" type=\"Node\"]\n\
             [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_config = SubResource(\"1\")\n",
        ),
    ];

    fn announce(paths: &mut Paths, sender: i32, id: u32, path: &str) {
        let packet = Packet::SimplifyPath(SimplifyPath { id, path, md5: None });
        paths.note(PeerId::new(sender), &packet);
    }

    fn paths() -> Paths {
        let names = Names::new().with_project(Project::from_files(SCENES));
        Paths::new().with_names(Shared::new(names))
    }

    fn looks(run: impl FnOnce()) -> usize {
        LOOKS.set(0);
        run();
        LOOKS.get()
    }

    #[test]
    fn a_search_goes_on_for_16_states_and_for_new_properties() {
        for (origin, is_known) in [(0, false), (3, true)] {
            let mut search = SceneSearch::new(origin);
            for _ in 0..16 {
                assert!(search.is_open(None) && search.is_open(Some(0)));
                search.looked(None);
            }
            assert!(!search.is_open(None) && !search.is_open(Some(0)));
            assert_eq!(search.is_open(Some(0b101)), is_known);
            search.looked(Some(0b101));
            assert!(!search.is_open(Some(0b100)) && !search.is_open(None));
            assert_eq!(search.is_open(Some(0b110)), is_known);
        }
    }

    #[test]
    fn a_part_that_is_announced_again_is_looked_at_once() {
        let mut paths = paths();
        announce(&mut paths, 1, 1, "Main/Spawner");
        let none = Arguments::none(Dialect::GODOT_4.into());
        for net_id in 0..1_000 {
            let name = &*alloc::format!("mob{net_id}");
            let (scene, synchronizers) = (Some(0), NetIds(&[]));
            let spawn = Spawn {
                spawner: 1,
                scene,
                net_id,
                name,
                synchronizers,
                argument: none,
                state: none,
            };
            paths.note(PeerId::SERVER, &Packet::Spawn(spawn));
        }
        assert_eq!(paths.nodes.sites.len(), 1_000);
        let looks = looks(|| {
            for id in (2..4).cycle().take(1_000) {
                announce(&mut paths, 1, id, "Main/Level/Sync");
                assert!(paths.nodes.made.contains("Main/Level"));
            }
        });
        assert!(looks <= 4_000, "{looks}");
    }

    /// No script can create these scenes, so each node above the announced one is compared with all of them.
    #[test]
    fn long_paths_are_compared_with_few_scenes() {
        const DEPTH: usize = 60;
        let mut scene = alloc::string::String::from(
            "[gd_scene format=3]\n[sub_resource type=\"SceneReplicationConfig\" id=\"1\"]\n\
             [node name=\"A\" type=\"Node\"]\n",
        );
        for depth in 0..DEPTH {
            let parent = if depth == 0 { ".".into() } else { ["a"; DEPTH][..depth].join("/") };
            scene += &alloc::format!(
                "[node name=\"a\" type=\"MultiplayerSynchronizer\" parent=\"{parent}\"]\n\
                 replication_config = SubResource(\"1\")\n"
            );
        }
        let others: Vec<_> = (0..50).map(|n| (alloc::format!("s{n}.tscn"), &*scene)).collect();
        let files = SCENES.into_iter().chain(others.iter().map(|(path, text)| (&**path, *text)));
        let names = Names::new().with_project(Project::from_files(files));
        let mut paths = Paths::new().with_names(Shared::new(names));
        let path = ["a"; DEPTH].join("/");
        let looks = looks(|| announce(&mut paths, 1, 1, &alloc::format!("x/{path}")));
        assert!((100..=1_100).contains(&looks), "{looks}");
    }

    #[test]
    fn parts_of_many_senders_are_looked_at_once() {
        let mut paths = paths();
        let looks = looks(|| {
            for sender in (1..=1_000).chain(1..=1_000) {
                announce(&mut paths, sender, 1, "Main/Level/Sync");
            }
        });
        assert!(looks <= 6_000, "{looks}");
        let parts = paths.nodes.origins.values().map(|origin| origin.parts.len());
        assert_eq!(parts.collect::<Vec<_>>(), [1_000]);
    }
}
