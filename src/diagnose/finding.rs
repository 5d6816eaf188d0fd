//! Findings. There is one for each kind of problem and each node or method with it.

use super::kind::{FindingKind, Severity};
use super::seen::Seen;
use super::sentence::sentence;
use crate::stats::{Item, Member, NodeName};
use hashbrown::{Equivalent, HashMap};
use std::hash::RandomState;

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
    /// The node, if it is about one.
    pub node: Option<NodeName<&'d str>>,
    /// The method, if it is about one.
    pub member: Option<Member<&'d str>>,
    /// A sentence with the numbers.
    pub text: String,
}

/// What a finding is about: a node or a method, or the whole traffic.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Key<S> {
    kind: FindingKind,
    item: Option<Item<S>>,
}

impl Equivalent<Key<Box<str>>> for Key<&str> {
    fn equivalent(&self, key: &Key<Box<str>>) -> bool {
        let item = key.item.as_ref().map(|item| item.map(|name| &**name));
        self.kind == key.kind && self.item == item
    }
}

/// The findings so far, in bounded memory. Names come from the network, so the hashes are seeded
/// randomly.
#[derive(Clone, Default, Debug)]
pub(super) struct Findings {
    seen: HashMap<Key<Box<str>>, Seen, RandomState>,
    name_bytes: usize,
}

/// How many findings are kept, and how many bytes of names. Findings beyond these limits are
/// counted without their node.
const FINDINGS: usize = 4_096;
const NAME_BYTES: usize = 4 << 20;

impl Findings {
    pub(super) fn add(&mut self, kind: FindingKind, item: Option<Item<&str>>, seen: Seen) {
        let mut key = Key { kind, item };
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
            Some(known) => known.merge(seen),
            None => {
                let item = key.item.map(|item| item.map(|name| Box::from(*name)));
                self.seen.insert(Key { kind, item }, seen);
            }
        }
    }

    /// Raises the severity of a finding that is not about a node, if there is one.
    pub(super) fn raise(&mut self, kind: FindingKind, severity: Severity) {
        if let Some(seen) = self.seen.get_mut(&Key::<&str> { kind, item: None }) {
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
        let judged = self.seen.iter().filter_map(|(key, seen)| Some((key, judge(seen)?)));
        // An entry without a count has only a severity. Nothing was found.
        let judged = judged.filter(|(_, seen)| seen.count > 0);
        let mut list: Vec<_> = judged.collect();
        list.sort_by_key(|(key, _)| *key);
        let findings = list.into_iter().map(|(key, seen)| {
            let item = key.item.as_ref().map(|item| item.map(|name| &**name));
            Finding::of(key.kind, &seen, item)
        });
        findings.collect()
    }
}

impl<'d> Finding<'d> {
    pub(super) fn of(kind: FindingKind, seen: &Seen, item: Option<Item<&'d str>>) -> Finding<'d> {
        let (first_frame, last_frame) = seen.frames;
        Finding {
            kind,
            severity: seen.severity,
            count: seen.count,
            first_frame,
            last_frame,
            node: item.map(|item| item.node),
            member: item.map(|item| item.member).filter(|member| *member != Member::Whole),
            text: sentence(kind, seen, item),
        }
    }
}
