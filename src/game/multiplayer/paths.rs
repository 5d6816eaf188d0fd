//! Remembers the node paths and spawned nodes that packets announce, within limits.

use super::evidence::{Evidence, Fact, MethodChange};
use super::known::{KnownNode, KnownRole, MethodNames, SceneInstance, Shared, Unclear};
use super::made::{Conclusions, Ordinal, SceneOrigin, SceneSearch};
use super::names::{Names, SceneSynchronizerId};
use super::packet::{Node, Packet, Spawn};
use super::unannounced::Unannounced;
use crate::game::project::{SceneId, SpawnerId};
use crate::net::peer::{PeerEnd, PeerId};
use crate::value::Kind;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Bound, Deref, DerefMut};

/// The default limit on the number of names.
const DEFAULT_ENTRIES: usize = 1 << 16;
/// The default limit on the bytes of names: 4 MiB.
const DEFAULT_BYTES: usize = 4 << 20;

/// The paths and spawned nodes that packets have announced, by their sender.
///
/// Ids of paths and nodes count per sender, so each packet is noted for the peer that sent it. If you
/// do not know the ids of the peers, give each end of the connection an id of your choice. Relayed
/// packets have to be noted separately, for their sender: [`Paths::note`] does not look into a relay.
///
/// Memory is bounded: when the limits are reached, further announcements are counted but not kept.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{Paths, PeerId, MultiplayerProtocol, parse};
///
/// let packet = parse(MultiplayerProtocol::Godot3, Dialect::GODOT_3, b"\x02\x01\0\0\0Game/Chat\0")?;
/// let mut paths = Paths::new();
/// paths.note(PeerId::SERVER, &packet);
/// assert_eq!(paths.path(PeerId::SERVER, 1), Some("Game/Chat"));
/// assert_eq!(paths.path(PeerId::new(7), 1), None);
/// # Ok::<(), gdwire::multiplayer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Paths {
    /// Names that no packet contains.
    pub(super) names: Option<Shared<Names>>,
    /// The evidence in packets for and against these names.
    pub(super) evidence: Option<Shared<Evidence>>,
    pub(super) senders: BTreeMap<PeerEnd, Sender>,
    /// The ids that were announced before the recording began.
    pub(super) unannounced: Option<Shared<Unannounced>>,
    /// The nodes whose paths are known from packets or projects.
    pub(super) nodes: PlacedNodes,
    /// Conclusions from packets about the scenes of these nodes, for another reading of the same
    /// packets.
    pub(super) conclusions: Conclusions,
    /// How many announcements were noted.
    pub(super) announcements: Ordinal,
    /// How many of them when a node without a known path was last despawned; else 0.
    pub(super) despawned: Ordinal,
    /// How often the scene of a node became known after its announcement.
    pub(super) revision: u32,
    pub(super) used: Size,
    limit: Size,
    dropped: u64,
}

/// Nodes whose paths are known. Most connections have none, so it takes the room of a pointer.
#[derive(Clone, Default, Debug)]
pub(super) struct PlacedNodes(Option<Box<NodeTables>>);

#[derive(Clone, Default, Debug)]
pub(super) struct NodeTables {
    /// The nodes that were spawned at known paths, and those that scripts have made.
    pub(super) sites: BTreeMap<Shared<str>, NodeSite>,
    /// The paths of those of them that only scripts have made.
    pub(super) made: BTreeSet<Shared<str>>,
    /// The paths of spawned nodes by their names. If many nodes have the same name, some are missing.
    pub(super) by_name: BTreeMap<Shared<str>, Vec<Placed>>,
    /// The nodes that scripts have made, by the number of the announcement that showed them first.
    pub(super) origins: BTreeMap<Ordinal, SceneOrigin>,
}

impl Deref for PlacedNodes {
    type Target = NodeTables;

    fn deref(&self) -> &NodeTables {
        const NONE: &NodeTables = &NodeTables {
            sites: BTreeMap::new(),
            made: BTreeSet::new(),
            by_name: BTreeMap::new(),
            origins: BTreeMap::new(),
        };
        self.0.as_deref().unwrap_or(NONE)
    }
}

impl DerefMut for PlacedNodes {
    fn deref_mut(&mut self) -> &mut NodeTables {
        self.0.get_or_insert_default()
    }
}

/// Whether a node is the one at a path, or below it.
pub(super) fn is_at_or_below(node: &str, path: &str) -> bool {
    node.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Writes the name of a node with others in place of the ids of peers. A name may be an id or contain some.
/// Nearly all ids that engines choose have six digits or more; a shorter number in a name may be anything.
pub(crate) fn put_name(text: &mut String, name: &str, other: &dyn Fn(i64) -> Option<String>) {
    const LONG: usize = 6;
    let mut rest = name;
    while !rest.is_empty() {
        let from_digits = rest.trim_start_matches(|it: char| !it.is_ascii_digit());
        let after = from_digits.trim_start_matches(|it: char| it.is_ascii_digit());
        let digits = from_digits.strip_suffix(after).unwrap_or_default();
        text.push_str(rest.strip_suffix(from_digits).unwrap_or_default());
        let is_id = digits.len() >= LONG || digits.len() == name.len();
        match digits.parse().ok().filter(|_| is_id).and_then(other) {
            Some(other) => text.push_str(&other),
            None => text.push_str(digits),
        }
        rest = after;
    }
}

/// The announcements of one sender.
#[derive(Clone, Debug, Default)]
pub(super) struct Sender {
    pub(super) paths: BTreeMap<u32, AnnouncedPath>,
    /// For packets that contain a path instead of its id: the ids of the paths, and what is known
    /// about them.
    pub(super) by_path: BTreeMap<Shared<str>, (u32, KnownNode)>,
    pub(super) nodes: BTreeMap<u32, SpawnRecord>,
    /// The spawned node of each synchronizer, and the synchronizer in the node's scene.
    pub(super) synchronizers: BTreeMap<u32, SpawnedSynchronizer>,
}

/// An announced path.
#[derive(Clone, Debug)]
pub(super) struct AnnouncedPath {
    pub(super) path: Shared<str>,
    pub(super) known: KnownNode,
    /// The number of the announcement.
    pub(super) ordinal: Ordinal,
    pub(super) search: SceneSearch,
}

/// The synchronizer of a spawned node.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpawnedSynchronizer {
    /// The net id of the spawned node.
    pub(super) node: u32,
    /// Its place among the synchronizers in the spawn.
    pub(super) place: u32,
    pub(super) id: Option<SceneSynchronizerId>,
    pub(super) unclear: Unclear,
}

/// The path of a node that was spawned, or that a script has made.
#[derive(Clone, Debug)]
pub(super) struct NodeSite {
    /// The scene of the node. None if it is not known, or if senders spawned different ones.
    pub(super) instance: Option<SceneInstance>,
    /// The number of its origin, if a script has made it.
    pub(super) origin: Ordinal,
    /// The path of the spawner, and the spawned scene that contains it. None if it was not spawned.
    pub(super) spawner: Option<(Shared<str>, Option<SceneInstance>)>,
    /// How many senders have spawned a node there.
    pub(super) count: usize,
}

impl NodeSite {
    /// Whether a script has made the node, without a spawner.
    pub(super) const fn is_made(&self) -> bool {
        self.count == 0
    }
}

/// The path of a spawned node according to the project, and its spawner.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) spawner: SpawnerId,
    pub(super) path: Shared<str>,
}

/// The number of spawned nodes with the same name whose paths are kept.
const SAME_NAME: usize = 4;

/// How many kinds of values are kept of a spawn.
const KINDS: usize = 255;

#[derive(Clone, Debug)]
pub(super) struct SpawnRecord {
    pub(super) spawner: u32,
    pub(super) name: Shared<str>,
    /// Its path, if it is known where its spawner puts nodes.
    pub(super) path: Option<Shared<str>>,
    /// Its scene, if it is known.
    pub(super) instance: Option<SceneInstance>,
    pub(super) search: SceneSearch,
    pub(super) synchronizers: Box<[u32]>,
    /// The kinds of the values in the spawn, if they are not too many.
    pub(super) kinds: Option<Box<[Kind]>>,
}

/// A spawned node, by the names in its spawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Spawned<'p> {
    /// The node's name.
    pub name: &'p str,
    /// The path of its spawner, if that is known.
    pub spawner: Option<&'p str>,
    /// The path of the node. The wire does not say where a spawner puts its nodes: this is known if
    /// the [names](Paths::with_names) have a project, the spawner is in it, and no announcement shows
    /// that its nodes are somewhere else.
    pub path: Option<&'p str>,
    /// Its scene, if it is known.
    pub(super) instance: Option<SceneInstance>,
    /// The scene that contains its spawner, if that was spawned.
    pub(super) around: Option<SceneInstance>,
    /// The synchronizer that has the net id, if it is known.
    pub(super) synchronizer: Option<SceneSynchronizerId>,
    /// The properties of the synchronizer whose names are not known.
    pub(super) unclear: Unclear,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::new()
    }
}

impl Paths {
    /// An empty list with room for 65,536 names that have up to 4 MiB together.
    #[must_use]
    pub const fn new() -> Paths {
        Paths {
            names: None,
            evidence: None,
            senders: BTreeMap::new(),
            unannounced: None,
            nodes: PlacedNodes(None),
            conclusions: Conclusions::new(),
            announcements: 0,
            despawned: 0,
            revision: 0,
            used: Size { entries: 0, bytes: 0 },
            limit: Size { entries: DEFAULT_ENTRIES, bytes: DEFAULT_BYTES },
            dropped: 0,
        }
    }

    /// Limits the number of announced names that are kept. Those that exceed it are counted as
    /// [dropped](Paths::dropped).
    #[must_use]
    pub const fn with_max_names(mut self, names: usize) -> Paths {
        self.limit.entries = names;
        self
    }

    /// Limits the bytes that all announced names have together.
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Paths {
        self.limit.bytes = bytes;
        self
    }

    /// Adds names that no packet contains, such as those of methods. They are looked up when a path
    /// is announced, so add them before the first packet is noted.
    #[must_use]
    pub fn with_names(self, names: Shared<Names>) -> Paths {
        let evidence = Some(Shared::new(Evidence::default()));
        Paths { names: Some(names), evidence, ..self }
    }

    /// Adds the evidence of other packets about the names.
    #[must_use]
    pub fn with_evidence(self, evidence: Shared<Evidence>) -> Paths {
        Paths { evidence: Some(evidence), ..self }
    }

    /// The evidence in packets for and against the names; none if there are no names.
    #[must_use]
    pub const fn evidence(&self) -> Option<&Shared<Evidence>> {
        self.evidence.as_ref()
    }

    /// Replaces the evidence in packets about the names.
    #[cfg(feature = "capture")]
    pub(crate) fn set_evidence(&mut self, evidence: Shared<Evidence>) {
        self.evidence = Some(evidence);
    }

    /// An empty list with the same names and evidence.
    #[cfg(feature = "capture")]
    pub(crate) fn empty(&self) -> Paths {
        let version = self.unannounced_version();
        let like = || Shared::new(Unannounced::with_version(version));
        Paths {
            names: self.names.clone(),
            evidence: self.evidence.clone(),
            unannounced: (version > 0).then(like),
            conclusions: self.conclusions.of_same_connection(),
            announcements: self.announcements,
            revision: self.revision,
            ..Paths::new()
        }
    }

    #[cfg(feature = "capture")]
    fn unannounced_version(&self) -> u64 {
        self.unannounced.as_ref().map_or(0, |known| known.version())
    }

    /// Adds what the evidence has about the nodes of the connection with a number.
    #[cfg(feature = "capture")]
    pub(crate) fn with_connection(mut self, connection: u64) -> Paths {
        self.conclusions.connection = connection;
        self.unannounced =
            self.evidence.as_ref().and_then(|it| it.unannounced(connection)).cloned();
        self
    }

    /// An empty list that only keeps the evidence about nodes.
    #[cfg(feature = "capture")]
    pub(crate) fn only_learned(&self) -> Paths {
        let (unannounced, conclusions) = (self.unannounced.clone(), self.conclusions.clone());
        Paths { unannounced, conclusions, ..Paths::new() }
    }

    /// The number of nodes about which packets have shown something.
    #[cfg(feature = "capture")]
    pub(crate) fn learned(&self) -> usize {
        let ids = self.unannounced.as_ref().map_or(0, |known| known.len());
        ids + self.conclusions.len()
    }

    /// Whether another list has the same evidence.
    #[cfg(feature = "capture")]
    pub(crate) fn is_like(&self, other: &Paths) -> bool {
        if self.unannounced_version() != other.unannounced_version()
            || self.revision != other.revision
        {
            return false;
        }
        match (&self.evidence, &other.evidence) {
            (Some(one), Some(other)) => Shared::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Remembers the names that a packet announces, and forgets the node that it despawns.
    pub(super) fn announce(&mut self, sender: PeerEnd, packet: &Packet<'_>) {
        self.announcements = self.announcements.saturating_add(u32::from(packet.is_announcement()));
        match packet {
            Packet::SimplifyPath(simplify) => {
                self.remove_path(sender, simplify.id);
                let text = shortened(simplify.path);
                if !self.take_room(Size::of_text(&text)) {
                    return;
                }
                let known = self.known(&text, simplify.md5);
                let path: Shared<str> = text.into();
                let has_names = self.names.is_some();
                let ordinal = self.announcements;
                let sender = self.senders.entry(sender).or_default();
                if has_names {
                    sender.by_path.insert(path.clone(), (simplify.id, known));
                }
                let search = SceneSearch::default();
                sender.paths.insert(simplify.id, AnnouncedPath { path, known, ordinal, search });
            }
            Packet::Spawn(spawn) => self.note_spawn(sender, spawn),
            Packet::Despawn { net_id } => {
                self.doubt_around(sender, *net_id);
                self.remove_node(sender, *net_id);
            }
            _ => {}
        }
    }

    /// Remembers what a packet shows about the names.
    pub(super) fn learn(&mut self, facts: Vec<Fact>) {
        if !facts.is_empty() {
            self.change_evidence(|evidence| evidence.add(facts));
        }
    }

    pub(super) fn change_evidence(&mut self, change: impl FnOnce(&mut Evidence)) {
        if let Some(evidence) = &mut self.evidence {
            change(Shared::make_mut(evidence));
        }
    }

    fn note_spawn(&mut self, sender: PeerEnd, spawn: &Spawn<'_>) {
        self.remove_node(sender, spawn.net_id);
        let name = shortened(spawn.name);
        let spawner = self.spawner(sender, spawn).zip(self.names.as_deref());
        let instance = spawner.and_then(|((_, id), names)| names.instance(id, spawn.scene?));
        let path = spawner.and_then(|((path, id), names)| names.spawned_path(id, path, &name));
        let path: Option<Shared<str>> = path.map(Into::into);
        let placed = path.clone().zip(spawner.map(|((_, id), _)| id));
        let kinds = || spawn.state.into_iter().map(|value| value.kind());
        let kept = self.names.is_some() && spawn.state.len() <= KINDS;
        let kept: Option<Box<[Kind]>> = kept.then(|| kinds().collect());
        let counts = (spawn.synchronizers.len(), kept.as_ref().map_or(0, |kinds| kinds.len()));
        if !self.take_room(Size::of_node(&name, path.as_deref(), counts)) {
            return;
        }
        let spawner = self.known_path(sender, spawn.spawner);
        let spawner = spawner.map(|(path, known)| (path.into(), known.instance));
        if let Some((path, spawner)) = path.as_ref().zip(spawner) {
            let new = || NodeSite { instance, origin: 0, spawner: Some(spawner), count: 0 };
            self.nodes.made.remove(path);
            let site = self.nodes.sites.entry(path.clone()).or_insert_with(new);
            site.count += 1;
            site.instance = site.instance.filter(|known| Some(*known) == instance);
        }
        let names = self.names.as_deref().zip(instance).into_iter();
        let count = spawn.synchronizers.len();
        let mut synchronizers = names
            .flat_map(|(names, it)| names.synchronizers_of_spawn(it.scene, count, &mut kinds()));
        let known = self.senders.entry(sender).or_default();
        for (place, id) in (0..).zip(spawn.synchronizers.iter()) {
            let (node, unclear) = (spawn.net_id, Unclear::default());
            let synchronizer =
                SpawnedSynchronizer { node, place, id: synchronizers.next(), unclear };
            known.synchronizers.insert(id, synchronizer);
        }
        let synchronizers = spawn.synchronizers.iter().collect();
        let name: Shared<str> = name.into();
        let (spawner, search) = (spawn.spawner, SceneSearch::default());
        let kinds = kept;
        let node = SpawnRecord {
            spawner,
            name: name.clone(),
            path,
            instance,
            search,
            synchronizers,
            kinds,
        };
        known.nodes.insert(spawn.net_id, node);
        if let Some((path, spawner)) = placed {
            let same_name = self.nodes.by_name.entry(name).or_insert_with(|| Vec::with_capacity(1));
            if same_name.len() < SAME_NAME {
                same_name.push(Placed { spawner, path });
            }
        }
    }

    /// The path and the id of the spawner of a spawn, if the project has the spawner. Evidence is
    /// not taken into account.
    pub(super) fn spawner(&self, sender: PeerEnd, spawn: &Spawn<'_>) -> Option<(&str, SpawnerId)> {
        let (path, known) = self.known_path(sender, spawn.spawner)?;
        match known.role {
            KnownRole::Spawner(id) => Some((path, id)),
            _ => None,
        }
    }

    /// Removes the names of a sender whose connection has ended.
    pub fn forget(&mut self, sender: PeerId) {
        let Some(known) = self.senders.remove(&sender.into()) else { return };
        for announced in known.paths.values() {
            self.used.subtract(Size::of_text(&announced.path));
        }
        for node in known.nodes.into_values() {
            self.release(&node);
        }
    }

    /// The path that a sender has announced for an id.
    #[must_use]
    pub fn path(&self, sender: PeerId, id: u32) -> Option<&str> {
        self.path_from(sender.into(), id)
    }

    pub(super) fn path_from(&self, sender: PeerEnd, id: u32) -> Option<&str> {
        match self.announced(sender, id) {
            Some(announced) => Some(&announced.path),
            None => self.names.as_deref()?.path_of(id),
        }
    }

    /// The path that belongs to an id, and what is known about the node.
    fn known_path(&self, sender: PeerEnd, id: u32) -> Option<(&str, KnownNode)> {
        match self.announced(sender, id) {
            Some(announced) => Some((&announced.path, announced.known)),
            None => {
                let path = self.path_from(sender, id)?;
                Some((path, self.known(path, None)))
            }
        }
    }

    pub(super) fn announced(&self, sender: PeerEnd, id: u32) -> Option<&AnnouncedPath> {
        self.senders.get(&sender)?.paths.get(&id)
    }

    /// The spawned node of a sender that has this net id, or whose synchronizer has it.
    #[must_use]
    pub fn spawned(&self, sender: PeerId, net_id: u32) -> Option<Spawned<'_>> {
        self.spawned_from(sender.into(), net_id)
    }

    pub(super) fn spawned_from(&self, sender: PeerEnd, net_id: u32) -> Option<Spawned<'_>> {
        let (_, node, synchronizer) = self.node(sender, net_id)?;
        let unclear = synchronizer.map_or(Unclear::default(), |it| it.unclear);
        let synchronizer = synchronizer.and_then(|it| it.id);
        let spawner = self.known_path(sender, node.spawner);
        let is_there = match (spawner.map(|(_, known)| known.role), self.evidence()) {
            (Some(KnownRole::Spawner(id)), Some(evidence)) => evidence.admits_place(id),
            _ => true,
        };
        Some(Spawned {
            name: &node.name,
            spawner: spawner.map(|(path, _)| path),
            around: spawner.and_then(|(_, known)| known.instance),
            path: node.path.as_deref().filter(|_| is_there),
            instance: node.instance,
            synchronizer,
            unclear,
        })
    }

    /// The net id of the spawned node, the node, and its synchronizer if the given net id is that
    /// of a synchronizer.
    pub(super) fn node(
        &self,
        sender: PeerEnd,
        net_id: u32,
    ) -> Option<(u32, &SpawnRecord, Option<SpawnedSynchronizer>)> {
        let known = self.senders.get(&sender)?;
        if let Some(node) = known.nodes.get(&net_id) {
            return Some((net_id, node, None));
        }
        let synchronizer = *known.synchronizers.get(&net_id)?;
        Some((synchronizer.node, known.nodes.get(&synchronizer.node)?, Some(synchronizer)))
    }

    /// The names and the role of a node to which a packet of this sender refers. Evidence is not
    /// taken into account.
    pub(super) fn known_of(&self, sender: Option<PeerEnd>, node: Node<'_>) -> KnownNode {
        let of_sender = sender.and_then(|sender| self.senders.get(&sender));
        let known = match node {
            Node::Id(id) => of_sender.and_then(|it| it.paths.get(&id)).map(|it| it.known),
            Node::Path(path) => {
                of_sender.and_then(|it| it.by_path.get(&*shortened(path))).map(|it| it.1)
            }
        };
        known.unwrap_or_else(|| match node {
            Node::Path(path) => self.known(path, None),
            Node::Id(id) => match self.names.as_deref().and_then(|names| names.path_of(id)) {
                Some(path) => self.known(path, None),
                None => KnownNode::default(),
            },
        })
    }

    /// Whether a sender has announced a path. An excerpt has paths with the id 0 that were not.
    pub(super) fn is_announced(&self, sender: PeerEnd, path: &str) -> bool {
        let of_sender = self.senders.get(&sender);
        let announced = of_sender.and_then(|it| it.by_path.get(&*shortened(path)));
        announced.is_some_and(|(id, _)| *id != 0)
    }

    /// The names and the role of the node with a path.
    pub(super) fn known(&self, path: &str, digest: Option<&str>) -> KnownNode {
        let Some(names) = self.names.as_deref() else { return KnownNode::default() };
        let known = names.known(path, digest, self.scene_around(path));
        let of_digest = || self.evidence()?.methods_of(digest?);
        match known.methods {
            MethodNames::Unknown => KnownNode { methods: of_digest().unwrap_or_default(), ..known },
            _ => known,
        }
    }

    /// How the names contradict the digest with which a node is announced: see
    /// [`Names::contradicted`].
    pub(super) fn contradicted(&self, path: &str, digest: &str) -> Option<Option<usize>> {
        self.names.as_deref()?.contradicted(path, digest, self.scene_around(path))
    }

    /// How the methods of a node in the game differ from those that the project has for it, if a
    /// search has found those with the digest.
    pub(super) fn method_change(&self, path: &str, digest: &str) -> Option<MethodChange<'_>> {
        let inside = self.scene_around(path).map(|(instance, rest)| (instance.scene, rest));
        let list = self.names.as_deref()?.list_of(path, inside)?;
        self.evidence()?.change_of(digest, list)
    }

    /// The innermost spawned scene that contains a path, and the rest of the path.
    pub(super) fn scene_around<'p>(&self, path: &'p str) -> Option<(SceneInstance, &'p str)> {
        let (site, rest) = self.site_around(path)?;
        Some((site.instance?, rest))
    }

    /// The path of the spawner of that scene, and the spawned scene that contains the spawner.
    pub(super) fn spawner_around(&self, path: &str) -> Option<(&str, Option<SceneInstance>)> {
        let (site, _) = self.site_around(path)?;
        let (path, around) = site.spawner.as_ref()?;
        Some((path, *around))
    }

    pub(super) fn site_around<'p>(&self, path: &'p str) -> Option<(&NodeSite, &'p str)> {
        if self.nodes.sites.is_empty() || path.len() > LONGEST {
            return None;
        }
        let ends = path.rmatch_indices('/').map(|(end, _)| end);
        core::iter::once(path.len()).chain(ends).find_map(|end| {
            let site =
                self.nodes.sites.get(path.get(..end)?).filter(|site| site.instance.is_some())?;
            Some((site, path.get(end..)?.trim_start_matches('/')))
        })
    }

    /// How many announcements were not kept because the limits were reached.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// About how many bytes of memory the names take.
    #[must_use]
    #[inline]
    pub fn held_bytes(&self) -> usize {
        // A tree takes up to about twice the size of its content, and its first node some more.
        let entries =
            self.used.entries.saturating_mul(if self.names.is_some() { 224 } else { 112 });
        let senders = self.senders.len().saturating_mul(1_024);
        let placed = self.nodes.by_name.len().saturating_mul(160);
        let unannounced = self.unannounced.as_ref().map_or(0, |known| known.held_bytes());
        let others = senders.saturating_add(placed).saturating_add(unannounced);
        self.used.bytes.saturating_add(entries).saturating_add(others)
    }

    fn remove_path(&mut self, sender: PeerEnd, id: u32) {
        let Some(known) = self.senders.get_mut(&sender) else { return };
        if let Some(AnnouncedPath { path, .. }) = known.paths.remove(&id) {
            self.used.subtract(Size::of_text(&path));
            if known.by_path.get(&path).is_some_and(|(of_path, _)| *of_path == id) {
                known.by_path.remove(&path);
            }
        }
        self.drop_empty(sender);
    }

    /// Removes the announcements of the node at a path and of the nodes below it, if there are names.
    /// Returns their senders and ids.
    pub(super) fn forget_node(&mut self, path: &str) -> Vec<(PeerEnd, u32)> {
        let mut found = Vec::new();
        for (sender, known) in &self.senders {
            // Only paths that begin with a path are below it.
            let from = known.by_path.range::<str, _>((Bound::Included(path), Bound::Unbounded));
            let like = from.take_while(|(other, _)| other.starts_with(path));
            let gone = like.filter(|(other, _)| is_at_or_below(other, path));
            found.extend(gone.map(|(_, (id, _))| (*sender, *id)));
        }
        for (sender, id) in &found {
            self.remove_path(*sender, *id);
        }
        found
    }

    fn remove_node(&mut self, sender: PeerEnd, net_id: u32) {
        let known = self.senders.get_mut(&sender);
        if let Some(node) = known.and_then(|known| known.despawn(net_id)) {
            self.release(&node);
        }
        self.drop_empty(sender);
    }

    /// Frees the room of a spawned node.
    fn release(&mut self, node: &SpawnRecord) {
        self.used.subtract(node.size());
        self.nodes.origins.remove(&node.search.origin);
        let Some(path) = &node.path else { return };
        if let Some(same_name) = self.nodes.by_name.get_mut(&node.name) {
            let place = same_name.iter().position(|placed| placed.path == *path);
            place.map(|place| same_name.swap_remove(place));
            if same_name.is_empty() {
                self.nodes.by_name.remove(&node.name);
            }
        }
        if let Some(site) = self.nodes.sites.get_mut(path) {
            site.count = site.count.saturating_sub(1);
            if site.count == 0 {
                self.nodes.sites.remove(path);
            }
        }
    }

    fn drop_empty(&mut self, sender: PeerEnd) {
        let known = self.senders.get(&sender);
        if known.is_some_and(|known| known.paths.is_empty() && known.nodes.is_empty()) {
            self.senders.remove(&sender);
        }
    }

    pub(super) fn node_mut(&mut self, sender: PeerEnd, net_id: u32) -> Option<&mut SpawnRecord> {
        self.senders.get_mut(&sender)?.nodes.get_mut(&net_id)
    }

    pub(super) fn release_room(&mut self, size: Size) {
        self.used.subtract(size);
    }

    /// Reserves room for a name. Returns whether there is enough.
    pub(super) fn take_room(&mut self, size: Size) -> bool {
        let mut used = self.used;
        used.add(size);
        if used.entries > self.limit.entries || used.bytes > self.limit.bytes {
            self.dropped += 1;
            return false;
        }
        self.used = used;
        true
    }
}

impl SpawnRecord {
    pub(super) fn size(&self) -> Size {
        let counts = (self.synchronizers.len(), self.kinds.as_ref().map_or(0, |kinds| kinds.len()));
        Size::of_node(&self.name, self.path.as_deref(), counts)
    }

    /// The synchronizer at this place of the spawn, if the node is an instance of a scene.
    pub(super) fn synchronizer(
        &self,
        names: &Names,
        scene: SceneId,
        place: u32,
    ) -> Option<SceneSynchronizerId> {
        let (count, place) = (self.synchronizers.len(), usize::try_from(place).ok()?);
        match &self.kinds {
            Some(kinds) => {
                names.synchronizers_of_spawn(scene, count, &mut kinds.iter().copied()).nth(place)
            }
            None => names.synchronizers(scene, count).nth(place),
        }
    }
}

impl Sender {
    fn despawn(&mut self, net_id: u32) -> Option<SpawnRecord> {
        let node = self.nodes.remove(&net_id)?;
        for id in &node.synchronizers {
            // The id may belong to another node by now.
            if self.synchronizers.get(id).is_some_and(|it| it.node == net_id) {
                self.synchronizers.remove(id);
            }
        }
        Some(node)
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    pub(super) entries: usize,
    pub(super) bytes: usize,
}

impl Size {
    pub(super) fn of_text(text: &str) -> Size {
        Size { entries: 1, bytes: text.len() }
    }

    /// A node has this many synchronizers and kept kinds of values.
    pub(super) fn of_node(
        name: &str,
        path: Option<&str>,
        (synchronizers, kinds): (usize, usize),
    ) -> Size {
        let text = name.len().saturating_add(path.map_or(0, str::len)).saturating_add(kinds);
        Size {
            entries: synchronizers.saturating_add(1 + usize::from(path.is_some())),
            bytes: synchronizers.saturating_mul(4).saturating_add(text),
        }
    }

    pub(super) fn add(&mut self, other: Size) {
        self.entries = self.entries.saturating_add(other.entries);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    pub(super) fn subtract(&mut self, other: Size) {
        self.entries = self.entries.saturating_sub(other.entries);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

/// The longest name that is kept whole, in bytes.
pub(super) const LONGEST: usize = 1_024;

/// The name if it has up to [`LONGEST`] bytes; the beginning, the size and the end of a longer one.
pub(super) fn shortened(name: &str) -> Cow<'_, str> {
    /// How much of a longer name is kept at each end.
    const PART: usize = 490;
    if name.len() <= LONGEST {
        return Cow::Borrowed(name);
    }
    let is_boundary = |at: &usize| name.is_char_boundary(*at);
    let front = (0..=PART).rev().find(is_boundary).unwrap_or(0);
    let back = (name.len().saturating_sub(PART)..=name.len()).find(is_boundary);
    let front = name.get(..front).unwrap_or("");
    let back = back.and_then(|back| name.get(back..)).unwrap_or("");
    Cow::Owned(format!("{front}…({} bytes)…{back}", name.len()))
}
