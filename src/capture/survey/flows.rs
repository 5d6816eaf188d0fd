//! The list of flows that the survey keeps, within the limit.

use super::Traffic;
use super::opened::Opened;
use super::sample::Finding;
use crate::capture::Flow;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;

/// A connection of a flow; with the frame it began with if a later connection followed it.
type Place = (Flow, Option<u64>);

type ByUse = LruCache<Place, Known, DefaultHashBuilder>;

/// The fraction of the list, one in eight, that flows without traffic of the engines always have.
const OTHERS: usize = 8;

/// A connection and what was found out about it.
pub(super) struct Known {
    /// Its first and last frames.
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) traffic: Traffic,
    pub(super) opened: Opened,
    /// None while it is still examined.
    pub(super) finding: Option<Box<Finding>>,
}

/// The flows, within a limit. To make room, the flow that was silent longest is forgotten. Flows
/// without traffic of the engines go first, unless they are few.
pub(super) struct Flows {
    limit: usize,
    /// Flows in which no traffic of the engines has been found so far.
    others: ByUse,
    games: ByUse,
    /// The number of packets of flows that were forgotten.
    forgotten: u64,
}

impl Flows {
    pub(super) fn new(limit: usize) -> Flows {
        let by_use = || LruCache::unbounded_with_hasher(DefaultHashBuilder::default());
        Flows { limit, others: by_use(), games: by_use(), forgotten: 0 }
    }

    /// The entry of a flow that has just sent something.
    pub(super) fn get(&mut self, flow: Flow) -> Option<&mut Known> {
        let place = (flow, None);
        self.games.get_mut(&place).or_else(|| self.others.get_mut(&place))
    }

    /// Adds a flow and makes room for it, unless the limit is zero. `find` decides a flow that is
    /// still examined before it is forgotten.
    pub(super) fn insert(
        &mut self,
        flow: Flow,
        known: Known,
        mut find: impl FnMut(&Flow) -> Option<Finding>,
    ) {
        while self.others.len().saturating_add(self.games.len()) >= self.limit {
            // A new flow starts among the others, so these always need some room.
            let is_other = self.others.len() > self.limit / OTHERS || self.games.is_empty();
            let forgotten = if is_other { &mut self.others } else { &mut self.games }.pop_lru();
            let Some((place, mut known)) = forgotten else { break };
            // A flow that turns out to be the engines' moves to the other list, once.
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

    /// Stores what was found in a flow.
    pub(super) fn found(&mut self, flow: Flow, finding: Finding) {
        let place = (flow, None);
        if let Some(mut known) = self.others.pop(&place) {
            known.finding = Some(Box::new(finding));
            self.put(place, known);
        }
    }

    /// Closes a flow's entry, because another connection of the flow begins.
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

    /// All entries, and the number of packets of forgotten flows.
    pub(super) fn into_all(self) -> (Vec<(Flow, Known)>, u64) {
        let Flows { mut others, mut games, forgotten, .. } = self;
        let mut all = Vec::with_capacity(others.len().saturating_add(games.len()));
        while let Some(((flow, _), known)) = others.pop_lru().or_else(|| games.pop_lru()) {
            all.push((flow, known));
        }
        (all, forgotten)
    }
}
