//! The flows that are told apart, within a limit.

use super::Traffic;
use super::opened::Opened;
use super::sample::Finding;
use crate::capture::Flow;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;

/// A connection of a flow: the frame that it began with, if another one came after it.
type Place = (Flow, Option<u64>);

type ByUse = LruCache<Place, Known, DefaultHashBuilder>;

/// One in so many may always be without anything of the engines.
const OTHERS: usize = 8;

/// What is known of a connection.
pub(super) struct Known {
    /// The frames that it was first and last seen in.
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) traffic: Traffic,
    pub(super) opened: Opened,
    /// None as long as it is looked at.
    pub(super) finding: Option<Box<Finding>>,
}

/// The flows that are told apart, within a limit. For a further one the one that was silent longest
/// is forgotten: of those without anything of the engines, unless they are few.
pub(super) struct Flows {
    limit: usize,
    /// In which nothing of the engines has been found so far.
    others: ByUse,
    games: ByUse,
    /// How many packets are of flows that were forgotten.
    forgotten: u64,
}

impl Flows {
    pub(super) fn new(limit: usize) -> Flows {
        let by_use = || LruCache::unbounded_with_hasher(DefaultHashBuilder::default());
        Flows { limit, others: by_use(), games: by_use(), forgotten: 0 }
    }

    /// What is known of a flow, which was not silent just now.
    pub(super) fn get(&mut self, flow: Flow) -> Option<&mut Known> {
        let place = (flow, None);
        self.games.get_mut(&place).or_else(|| self.others.get_mut(&place))
    }

    /// Makes room for a flow, and keeps it there, unless there may be none. What is found in one
    /// that is still looked at is asked for before it is forgotten.
    pub(super) fn insert(
        &mut self,
        flow: Flow,
        known: Known,
        mut find: impl FnMut(&Flow) -> Option<Finding>,
    ) {
        while self.others.len().saturating_add(self.games.len()) >= self.limit {
            // What has just begun is among the others, so that these need some room.
            let is_other = self.others.len() > self.limit / OTHERS || self.games.is_empty();
            let forgotten = if is_other { &mut self.others } else { &mut self.games }.pop_lru();
            let Some((place, mut known)) = forgotten else { break };
            // Those that are found to be the engines' go from one list to the other, once each.
            if known.finding.is_none()
                && let (flow, None) = &place
                && let Some(finding) = find(flow)
                && finding.is_of_engines()
            {
                known.finding = Some(Box::new(finding));
                self.games.push(place, known);
            } else {
                self.forgotten = self.forgotten.saturating_add(known.traffic.packets);
            }
        }
        if self.limit > 0 {
            self.others.push((flow, None), known);
        } else {
            self.forgotten = self.forgotten.saturating_add(known.traffic.packets);
        }
    }

    /// Keeps what was found in a flow.
    pub(super) fn found(&mut self, flow: Flow, finding: Finding) {
        let place = (flow, None);
        if let Some(mut known) = self.others.pop(&place) {
            known.finding = Some(Box::new(finding));
            self.put(place, known);
        }
    }

    /// Another connection of the flow begins.
    pub(super) fn close(&mut self, flow: Flow) {
        let place = (flow, None);
        if let Some(known) = self.games.pop(&place).or_else(|| self.others.pop(&place)) {
            self.put((flow, Some(known.first)), known);
        }
    }

    fn put(&mut self, place: Place, known: Known) {
        let is_of_engines = known.finding.as_ref().is_some_and(|it| it.is_of_engines());
        if is_of_engines { &mut self.games } else { &mut self.others }.push(place, known);
    }

    /// All of them, and how many packets are of others.
    pub(super) fn into_all(self) -> (Vec<(Flow, Known)>, u64) {
        let Flows { mut others, mut games, forgotten, .. } = self;
        let mut all = Vec::with_capacity(others.len().saturating_add(games.len()));
        while let Some(((flow, _), known)) = others.pop_lru().or_else(|| games.pop_lru()) {
            all.push((flow, known));
        }
        (all, forgotten)
    }
}
