//! A table of the flows' states that stays within the limits: it says which flow to drop next.

use super::{Flow, Limits};
use core::cmp::Reverse;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;
use std::collections::BTreeMap;

/// State that takes memory.
pub(super) trait Held {
    /// How many bytes it takes apart from its own size.
    fn held(&self) -> usize;
}

/// The states of flows, within limits.
pub(super) struct Table<T> {
    flows: LruCache<Flow, Kept<T>, DefaultHashBuilder>,
    count: Count,
}

/// How much memory all states take.
struct Count {
    limits: Limits,
    held: usize,
    /// The flows that hold more than their share: the first one is dropped first.
    heavy: BTreeMap<Rank, Flow>,
    /// How many ranks have been given.
    ranks: u64,
    /// A flow that holds more than one flow may.
    excessive: Option<Flow>,
}

struct Kept<T> {
    value: T,
    held: usize,
    rank: Option<Rank>,
}

/// How much a flow holds, as a power of two, and how early it reached that.
type Rank = (Reverse<u32>, u64);

impl<T: Held> Table<T> {
    /// The overhead of a flow: its place in the list, and two or three in the hash table.
    const PLACE: usize = size_of::<(Flow, Kept<T>)>().saturating_add(80);

    pub(super) fn new(limits: Limits) -> Table<T> {
        let flows = LruCache::unbounded_with_hasher(DefaultHashBuilder::default());
        let heavy = BTreeMap::new();
        Table { flows, count: Count { limits, held: 0, heavy, ranks: 0, excessive: None } }
    }

    /// Works on the state of a flow. If there is none, `make` creates it, unless the flow needs
    /// none.
    pub(super) fn update(
        &mut self,
        flow: Flow,
        make: impl FnOnce() -> Option<T>,
        work: impl FnOnce(&mut T),
    ) {
        let make = || make().map(|value| Kept { value, held: 0, rank: None }).ok_or(());
        let Ok(kept) = self.flows.try_get_or_insert_mut(flow, make) else { return };
        work(&mut kept.value);
        let held = Self::PLACE.saturating_add(kept.value.held());
        self.count.change(flow, (&mut kept.held, &mut kept.rank), held);
    }

    /// Works on the state of a flow, if there is one, without marking it as recently used.
    pub(super) fn amend(&mut self, flow: &Flow, work: impl FnOnce(&mut T)) {
        let Some(kept) = self.flows.peek_mut(flow) else { return };
        work(&mut kept.value);
        let held = Self::PLACE.saturating_add(kept.value.held());
        self.count.change(*flow, (&mut kept.held, &mut kept.rank), held);
    }

    /// Takes out a flow to meet the limits, with `others` more bytes in use elsewhere: a flow that
    /// holds too much, one of those that hold the most, or the least recently used one.
    #[inline]
    pub(super) fn take_excess(&mut self, others: usize) -> Option<(Flow, T)> {
        let Limits { flows, total_bytes, .. } = self.count.limits;
        let is_over = self.count.held.saturating_add(others) > total_bytes;
        if !is_over && self.count.excessive.is_none() && self.flows.len() <= flows {
            return None;
        }
        self.take_first(is_over)
    }

    fn take_first(&mut self, is_over: bool) -> Option<(Flow, T)> {
        if let Some(flow) = self.count.excessive.take()
            && let Some(kept) = self.take(&flow)
        {
            return Some((flow, kept));
        }
        if is_over && let Some((_, &flow)) = self.count.heavy.first_key_value() {
            return self.take(&flow).map(|kept| (flow, kept));
        }
        if self.flows.len() > self.count.limits.flows { self.take_oldest() } else { None }
    }

    /// Takes out the least recently used flow.
    pub(super) fn take_oldest(&mut self) -> Option<(Flow, T)> {
        let flow = self.flows.peek_lru().map(|(flow, _)| *flow)?;
        self.take(&flow).map(|kept| (flow, kept))
    }

    /// Takes out a flow.
    pub(super) fn take(&mut self, flow: &Flow) -> Option<T> {
        let Kept { value, held, rank } = self.flows.pop(flow)?;
        self.count.held = self.count.held.saturating_sub(held);
        if let Some(rank) = rank {
            self.count.heavy.remove(&rank);
        }
        Some(value)
    }

    pub(super) fn get(&self, flow: &Flow) -> Option<&T> {
        self.flows.peek(flow).map(|kept| &kept.value)
    }

    /// How many bytes all states hold.
    pub(super) const fn held(&self) -> usize {
        self.count.held
    }
}

impl Count {
    /// Updates how much a flow holds.
    fn change(&mut self, flow: Flow, (before, rank): (&mut usize, &mut Option<Rank>), held: usize) {
        self.held = self.held.saturating_sub(*before).saturating_add(held);
        *before = held;
        if held > self.limits.flow_bytes {
            self.excessive = Some(flow);
        }
        let is_heavy = held > self.limits.share();
        let power = held.checked_ilog2().filter(|_| is_heavy).map(Reverse);
        if power != rank.map(|(power, _)| power) {
            if let Some(rank) = rank.take() {
                self.heavy.remove(&rank);
            }
            if let Some(power) = power {
                self.ranks = self.ranks.saturating_add(1);
                *rank = Some((power, self.ranks));
                self.heavy.insert((power, self.ranks), flow);
            }
        }
    }
}
