//! Finds the scenes of nodes that scripts have made: no scene of the project contains these nodes.
//!
//! Each announced node is a part of a scene that was instantiated at the node itself or at one of
//! the nodes above it. The project says which scenes have such a part, and packets exclude scenes
//! until one is left: by the paths below the node, the digests of its scripts, and the number and
//! types of the values that its synchronizers send.

use super::agreement::agreed;
use super::fit::{may_send, may_spawn, scenes_like};
use super::known::{Basis, Instance, Known, Role, SceneId, Shared, Unclear};
use super::names::Names;
use super::origin::{Ordinal, Origin, Part, Search};
use super::packet::{Packet, SimplifyPath, Spawn, Sync};
use super::paths::{Paths, Site};
use super::room::{LONGEST, Size};
use super::scenes::Scenes;
use super::states::{State, States, Synchronizer};
use crate::net::peer::PeerEnd;
use alloc::vec::Vec;
use core::ops::Bound;

/// The number of scenes that are compared with one node. If more have such a part, none is found.
const COMPARED: usize = 256;

impl Paths {
    /// The scenes of which a spawned node may be an instance if the list of its spawner does not say
    /// it, and what the scene is known from if only one is left. `ordinal` is the number of the
    /// spawn among the announcements.
    pub(super) fn scenes_of(
        &self,
        sender: PeerEnd,
        spawn: &Spawn<'_>,
        ordinal: Ordinal,
    ) -> (Scenes, Basis) {
        let Some(names) = self.names.as_deref().filter(|names| names.has_project()) else {
            return (Scenes::Any, Basis::Structure);
        };
        let spawner = self.spawner(sender, spawn).filter(|_| spawn.scene.is_none());
        let made = spawner.and_then(|(_, id)| names.made_by(id, spawn));
        let basis = match &made {
            Some(made) if made.only().is_some() => Basis::Function,
            _ => Basis::Structure,
        };
        if let Some((_, scenes)) = self.concluded(ordinal) {
            return (Scenes::Among(scenes.clone()), basis);
        }
        let scenes = match made {
            Some(made) => made.filtered(|scene| may_spawn(names, scene, spawn)),
            None => scenes_like(names, spawn),
        };
        (scenes, basis)
    }

    /// What another reading of the same packets has shown about the scene of a node.
    fn concluded(&self, ordinal: Ordinal) -> Option<&super::origin::Conclusion> {
        self.evidence.as_ref()?.conclusion(self.conclusions.connection, ordinal)
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
        let Some(root) = origin.path.clone() else { return };
        if self.nodes.sites.get(&root).is_some_and(Site::is_made) {
            self.forget_made(&root);
        }
    }

    /// Forgets the scenes of the nodes that scripts have made at a path and below.
    fn forget_made(&mut self, root: &Shared<str>) {
        let is_below =
            |path: &str| path.strip_prefix(&**root).is_some_and(|it| it.starts_with('/'));
        let from = self.nodes.sites.range(root.clone()..);
        let from = from.take_while(|(path, _)| path.starts_with(&**root));
        let gone = from.filter(|(path, site)| (*path == root || is_below(path)) && site.is_made());
        let gone: Vec<_> = gone.map(|(path, site)| (path.clone(), site.origin)).collect();
        for (path, origin) in gone {
            self.nodes.sites.remove(&path);
            self.nodes.origins.remove(&origin);
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
    fn doubtful(&self, root: &str) -> Option<(Ordinal, &Origin)> {
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
            return self.note_search(
                sender,
                simplify.id,
                Search { left: 0, ..Search::new(made.unwrap_or(0)) },
            );
        }
        let concluded = match self.concluded(ordinal) {
            Some((Some(end), scenes)) => Some((*end, Scenes::Among(scenes.clone()))),
            _ => None,
        };
        let found = concluded.or_else(|| self.explained(&names, (&path, part), simplify.md5, None));
        let part = Part::Path(sender, simplify.id);
        let origin = found.and_then(|(end, scenes)| {
            let root = path.get(..end)?;
            self.narrow_at(root, ordinal, &scenes, part)
        });
        self.note_search(sender, simplify.id, Search::new(origin.unwrap_or(0)));
        if !matches!(known.role, Role::Other) {
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

    /// The length of the path of a node above an announced one that a script may have made, and the
    /// scenes of which it may be an instance. The first bytes of the path, `part`, lead to a node of
    /// a known scene. If several nodes come into question, the outermost is taken: the names of those
    /// below it are the same as in its scene, which they are hardly by chance.
    fn explained(
        &self,
        names: &Names,
        (path, part): (&str, usize),
        digest: Option<&str>,
        state: Option<&State<'_>>,
    ) -> Option<(usize, Scenes)> {
        let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
        if names.may_be_in_code(name) {
            return None;
        }
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends.filter(|end| *end > part) {
            let (root, below) = (path.get(..end)?, path.get(end..)?.trim_start_matches('/'));
            let origin =
                self.nodes.sites.get(root).map(|site| self.nodes.origins.get(&site.origin));
            let before = match origin {
                // Nothing is known of the node, or senders disagree about it.
                Some(None) => continue,
                Some(Some(origin)) => &origin.scenes,
                None => &Scenes::Any,
            };
            let fits = |(scene, role): &(SceneId, Role)| {
                before.has(*scene)
                    && names.can_be_created(*scene)
                    && match (state, role) {
                        (Some(state), Role::Synchronizer(config)) => {
                            may_send(names, *config, state)
                        }
                        // The properties of the synchronizer may not be known.
                        (Some(_), Role::Spawner(_)) => false,
                        _ => true,
                    }
            };
            let mut places = names.places(below, digest)?;
            let scenes = match places.by_ref().take(COMPARED).collect::<Vec<_>>() {
                few if places.next().is_none() => {
                    Scenes::among(few.iter().filter(|it| fits(it)).map(|(scene, _)| *scene))
                }
                _ => Scenes::Any,
            };
            match scenes {
                Scenes::Any => return None,
                scenes if scenes == Scenes::none() => {}
                scenes => return Some((end, scenes)),
            }
        }
        None
    }

    /// Notes that the node at a path is an instance of one of these scenes, and that the names of an
    /// announced node depend on it. Returns the number of its origin.
    fn narrow_at(
        &mut self,
        root: &str,
        ordinal: Ordinal,
        scenes: &Scenes,
        part: Part,
    ) -> Option<Ordinal> {
        if let Some(site) = self.nodes.sites.get(root) {
            let origin = site.origin;
            self.nodes.origins.get_mut(&origin)?.parts.push(part);
            if !self.narrow(origin, scenes) {
                self.refresh(origin);
            }
            return Some(origin);
        }
        if !self.take_room(Size::of_text(root)) {
            return None;
        }
        let root: Shared<str> = root.into();
        let site = Site { instance: None, origin: ordinal, spawner: None, count: 0 };
        self.nodes.sites.insert(root.clone(), site);
        let (path, basis) = (Some(root), Basis::Structure);
        let parts = Vec::from([part]);
        let (scenes, seen) = (scenes.clone(), self.announcements);
        self.nodes
            .origins
            .insert(ordinal, Origin { path, scenes, basis, parts, seen, despawned: 0 });
        self.refresh(ordinal);
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
        let parts = Vec::from([Part::Node(sender, spawn.net_id)]);
        self.nodes
            .origins
            .insert(ordinal, Origin { path, scenes, basis, parts, seen: ordinal, despawned: 0 });
        if let Some(node) = self.node_mut(sender, spawn.net_id) {
            node.search = Search::new(ordinal);
        }
        self.refresh(ordinal);
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
                Role::Synchronizer(config) => may_send(names, config, state),
                Role::Spawner(_) => false,
                Role::Other => true,
            };
            let scenes = origin.scenes.filtered(fits);
            self.note_search(sender, id, search);
            self.narrow(search.origin, &scenes);
        } else if is_open {
            let part = self.known_part(names, &path);
            if part >= path.len() {
                search.left = 0;
                let known = self.known(&path, None);
                self.know(sender, id, known);
            } else if let Some((end, scenes)) =
                self.explained(names, (&path, part), None, Some(state))
            {
                let root = path.get(..end).unwrap_or("");
                let origin = self.narrow_at(root, ordinal, &scenes, Part::Path(sender, id));
                search.origin = origin.unwrap_or(0);
                if let Some(origin) = origin {
                    self.conclude(origin);
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
        let count = node.synchronizers.len();
        let place = usize::try_from(synchronizer.place).unwrap_or(usize::MAX);
        let scenes = origin.scenes.filtered(|scene| {
            let id = names.synchronizers(scene, count).nth(place);
            let config = id.and_then(|id| names.config_of(id));
            config.is_none_or(|config| may_send(names, config, state))
        });
        if let Some(node) = self.node_mut(sender, net_id) {
            node.search = search;
        }
        self.narrow(search.origin, &scenes);
    }

    /// Notes that a node is an instance of one of these scenes. Returns whether that was not known.
    fn narrow(&mut self, origin: Ordinal, scenes: &Scenes) -> bool {
        let Some(found) = self.nodes.origins.get_mut(&origin) else { return false };
        let narrowed = found.scenes.narrowed(scenes, |_| true);
        if narrowed == found.scenes {
            return false;
        }
        found.scenes = narrowed;
        self.conclude(origin);
        self.refresh(origin);
        true
    }

    /// Remembers what packets have shown about a node after its announcement.
    fn conclude(&mut self, origin: Ordinal) {
        let Some(found) = self.nodes.origins.get(&origin) else { return };
        let end = found.path.as_ref().map(|path| path.len());
        self.conclusions.add(origin, (end, &found.scenes));
        self.revision = self.revision.saturating_add(1);
    }

    /// Determines the names that depend on the scene of a node.
    fn refresh(&mut self, origin: Ordinal) {
        let Some(names) = self.names.clone() else { return };
        let Some(found) = self.nodes.origins.get(&origin) else { return };
        let (scenes, basis, path) = (found.scenes.clone(), found.basis, found.path.clone());
        let instance = scenes.only().map(|scene| Instance { scene, basis });
        let parts = found.parts.clone();
        if let Some(site) = path.as_ref().and_then(|path| self.nodes.sites.get_mut(path))
            && site.origin == origin
            && site.count <= 1
        {
            site.instance = instance;
        }
        for part in parts {
            match part {
                Part::Path(sender, id) => {
                    let Some(announced) = self.announced(sender, id) else { continue };
                    if announced.search.origin != origin && announced.search.origin != 0 {
                        continue;
                    }
                    let root = path.as_ref().map_or(0, |path| path.len());
                    let below = announced.path.get(root..).unwrap_or("").trim_start_matches('/');
                    let known = known_in(&names, &scenes, below, announced.known, instance);
                    self.know(sender, id, known);
                }
                Part::Node(sender, id) => self.know_node(&names, (sender, id), &scenes, instance),
            }
        }
    }

    fn note_search(&mut self, sender: PeerEnd, id: u32, search: Search) {
        let paths = self.senders.get_mut(&sender).map(|sender| &mut sender.paths);
        if let Some(announced) = paths.and_then(|paths| paths.get_mut(&id)) {
            announced.search = search;
        }
    }

    /// Changes what is known about an announced node.
    fn know(&mut self, sender: PeerEnd, id: u32, known: Known) {
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
        scenes: &Scenes,
        instance: Option<Instance>,
    ) {
        let Some(sender) = self.senders.get_mut(&sender) else { return };
        let Some(node) = sender.nodes.get_mut(&id) else { return };
        node.instance = instance;
        let count = node.synchronizers.len();
        for net_id in &node.synchronizers {
            let Some(synchronizer) = sender.synchronizers.get_mut(net_id) else { continue };
            let place = usize::try_from(synchronizer.place).unwrap_or(usize::MAX);
            let ids =
                scenes.list().iter().map(|scene| names.synchronizers(*scene, count).nth(place));
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

/// Whether a node at a path below the root of one of these scenes, announced with a digest, is in no
/// other scene that may be created at run time.
fn is_only_in(names: &Names, scenes: &Scenes, (below, digest): (&str, Option<&str>)) -> bool {
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

/// What is known about a node below one of which scenes are known.
fn known_in(
    names: &Names,
    scenes: &Scenes,
    below: &str,
    before: Known,
    instance: Option<Instance>,
) -> Known {
    let (role, unclear) = if let Some(Instance { scene, .. }) = instance {
        (names.role_in(scene, below), Unclear::default())
    } else {
        let configs = scenes.list().iter().map(|scene| match names.role_in(*scene, below) {
            Role::Synchronizer(config) => Some(config),
            _ => None,
        });
        match agreed(names, configs) {
            Some((config, unclear)) => (Role::Synchronizer(config), unclear),
            None => (Role::Other, Unclear::default()),
        }
    };
    Known { role, instance, unclear, ..before }
}
