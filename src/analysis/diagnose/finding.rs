//! Findings. There is one for each kind of problem and each node or method with it.

use super::kind::{FindingKind, Severity};
use super::seen::Seen;
use super::sentence::sentence;
use crate::analysis::stats::{Item, Member, NodeName, stem};
use crate::game::multiplayer::{Context, State};
use hashbrown::{Equivalent, HashMap};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// Something that is wrong, or worth knowing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding<'d> {
    /// The kind of problem.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// How often it was found.
    pub count: u64,
    /// The number of the first packet with it.
    pub first_frame: u64,
    /// The number of the last packet with it.
    pub last_frame: u64,
    /// The node, if it is about one; the first one if it is about several.
    pub node: Option<NodeName<&'d str>>,
    /// All nodes that it is about. Nodes that are alike have one finding: those at the same place in
    /// instances of a scene, and those whose names differ only in numbers and that send the same.
    pub nodes: Vec<NodeName<&'d str>>,
    /// The method, if it is about one.
    pub member: Option<Member<&'d str>>,
    /// A sentence with the numbers.
    pub text: String,
}

/// The subject of a finding: a node or a method, or the whole traffic.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct FindingKey<S> {
    kind: FindingKind,
    item: Option<Item<S>>,
}

impl Equivalent<FindingKey<Box<str>>> for FindingKey<&str> {
    fn equivalent(&self, key: &FindingKey<Box<str>>) -> bool {
        let item = key.item.as_ref().map(|item| item.map(|name| &**name));
        self.kind == key.kind && self.item == item
    }
}

/// The findings so far, in bounded memory. Names come from the network, so the hashes are seeded
/// randomly.
#[derive(Clone, Default, Debug)]
pub(super) struct FindingList {
    seen: HashMap<FindingKey<Box<str>>, (Seen, Option<Kin>), RandomState>,
    name_bytes: usize,
    hasher: RandomState,
}

/// A hash of what nodes have in common that are alike.
type Kin = u64;

/// The key by which nodes are grouped as alike.
#[derive(Clone, Copy)]
pub(super) struct Likeness<'e> {
    pub(super) context: Context<'e>,
    /// The state that the finding is about, if it is about one.
    pub(super) state: Option<&'e State<'e>>,
}

impl Likeness<'_> {
    fn kin(self, node: NodeName<&str>, hasher: &RandomState) -> Option<Kin> {
        let place = match node {
            NodeName::Path(path) => {
                self.context.scene_around(path).map(|(scene, below)| (scene.path, below))
            }
            NodeName::Spawned { .. } => None,
            NodeName::Id(_) | NodeName::NetId(_) | NodeName::Debugger => return None,
        };
        let mut hash = hasher.build_hasher();
        match place {
            Some(place) => place.hash(&mut hash),
            None => {
                stem(node).hash(&mut hash);
                let values = self.state.into_iter().flat_map(|state| state.values);
                values.for_each(|value| value.kind().hash(&mut hash));
            }
        }
        Some(hash.finish())
    }
}

/// How many findings are kept, and how many bytes of names. Findings beyond these limits are
/// counted without their node.
const FINDINGS: usize = 4_096;
const NAME_BYTES: usize = 4 << 20;

impl FindingList {
    /// Adds a finding that concerns no other node that is alike.
    pub(super) fn add(&mut self, kind: FindingKind, item: Option<Item<&str>>, seen: Seen) {
        self.add_with(kind, item, seen, |_| None);
    }

    /// Adds a finding about a node or a method.
    pub(super) fn add_of(
        &mut self,
        kind: FindingKind,
        item: Item<&str>,
        likeness: Likeness<'_>,
        seen: Seen,
    ) {
        self.add_with(kind, Some(item), seen, |hasher| likeness.kin(item.node, hasher));
    }

    /// The scene of a node may become known later, so the function that finds the kin is called the
    /// first time, the second, the fourth and so on.
    fn add_with(
        &mut self,
        kind: FindingKind,
        item: Option<Item<&str>>,
        seen: Seen,
        kin: impl FnOnce(&RandomState) -> Option<Kin>,
    ) {
        let mut key = FindingKey { kind, item };
        if !self.seen.contains_key(&key) {
            let mut names = 0_usize;
            key.item.iter().for_each(|item| {
                item.map(|name| names = names.saturating_add(name.len()));
            });
            let bytes = self.name_bytes.saturating_add(names);
            if self.seen.len() >= FINDINGS || bytes > NAME_BYTES {
                key.item = None;
            } else {
                self.name_bytes = bytes;
            }
        }
        match self.seen.get_mut(&key) {
            Some((known, of_known)) => {
                known.merge(seen);
                if known.times.is_power_of_two() && key.item.is_some() {
                    *of_known = kin(&self.hasher);
                }
            }
            None => {
                let kin = key.item.and_then(|_| kin(&self.hasher));
                let item = key.item.map(|item| item.map(|name| Box::from(*name)));
                self.seen.insert(FindingKey { kind, item }, (seen, kin));
            }
        }
    }

    /// Raises the severity of a finding that is not about a node, if there is one.
    pub(super) fn raise(&mut self, kind: FindingKind, severity: Severity) {
        if let Some((seen, _)) = self.seen.get_mut(&FindingKey::<&str> { kind, item: None }) {
            seen.severity = seen.severity.max(severity);
        }
    }

    /// The findings, in the order of their kinds and names.
    pub(super) fn list(&self) -> Vec<Finding<'_>> {
        self.list_if(|seen| Some(*seen))
    }

    /// The findings for which a function returns numbers, except those that are not about a node.
    pub(super) fn list_of_nodes(&self, judge: impl Fn(&Seen) -> Option<Seen>) -> Vec<Finding<'_>> {
        let mut list = self.list_if(judge);
        list.retain(|finding| finding.node.is_some());
        list
    }

    fn list_if(&self, judge: impl Fn(&Seen) -> Option<Seen>) -> Vec<Finding<'_>> {
        let judged =
            self.seen.iter().filter_map(|(key, (seen, kin))| Some((key, judge(seen)?, *kin)));
        // An entry without a count has only a severity. Nothing was found.
        let judged = judged.filter(|(_, seen, _)| seen.count > 0);
        let mut list: Vec<_> = judged.collect();
        list.sort_by_key(|(key, ..)| *key);
        let mut places = BTreeMap::new();
        let mut groups: Vec<Alike<'_>> = Vec::new();
        for (key, seen, kin) in list {
            let item = key.item.as_ref().map(|item| item.map(|name| &**name));
            let member = item.map(|item| item.member);
            let next = groups.len();
            let place = kin.map_or(next, |kin| {
                *places.entry((key.kind, member, seen.severity, kin)).or_insert(next)
            });
            let node = item.map(|item| item.node);
            match groups.get_mut(place) {
                Some(group) => {
                    group.seen.merge(seen);
                    group.nodes.extend(node);
                }
                None => {
                    let nodes = node.into_iter().collect();
                    groups.push(Alike { kind: key.kind, seen, member, nodes });
                }
            }
        }
        groups.into_iter().map(Alike::finding).collect()
    }
}

/// Findings about nodes that are alike, together.
struct Alike<'d> {
    kind: FindingKind,
    seen: Seen,
    member: Option<Member<&'d str>>,
    nodes: Vec<NodeName<&'d str>>,
}

impl<'d> Alike<'d> {
    fn finding(self) -> Finding<'d> {
        let Alike { kind, seen, member, nodes } = self;
        let member = member.filter(|member| *member != Member::Whole);
        let (first_frame, last_frame) = seen.frames;
        Finding {
            kind,
            severity: seen.severity,
            count: seen.count,
            first_frame,
            last_frame,
            node: nodes.first().copied(),
            member,
            text: sentence(kind, &seen, member, &nodes),
            nodes,
        }
    }
}
