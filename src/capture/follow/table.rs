//! A table with the state of each flow. It enforces the limits on flows and memory.

use super::{Flow, Followed, FollowedConnection, Limits};
use core::cmp::Reverse;
use hashbrown::DefaultHashBuilder;
use lru::LruCache;
use std::collections::BTreeMap;

/// The state of each flow, within limits.
pub struct FlowTable {
    /// Flows that carry messages, and flows that have shown none so far.
    useful: ByUse,
    others: ByUse,
    count: MemoryCount,
}

type ByUse = LruCache<Flow, TrackedFlow, DefaultHashBuilder>;

/// The memory of all flows together.
struct MemoryCount {
    limits: Limits,
    held: usize,
    /// The flows that hold more than their share, in the order in which they are given up.
    heavy: BTreeMap<Rank, Flow>,
    /// How often any flow was used or changed so far.
    uses: u64,
    /// A flow that exceeds the limit for one flow.
    excessive: Option<Flow>,
}

struct TrackedFlow {
    value: FollowedConnection,
    held: usize,
    rank: Option<Rank>,
    /// The number of its last use.
    used: u64,
}

/// Why a flow is given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// It holds too much, or all flows together do and it is among those that hold the most.
    Bytes,
    /// More flows are open than the limit allows.
    Flows,
}

/// Flows without messages are given up first if they are more than the limit divided by this.
const OTHERS: usize = 8;

/// The order in which flows are given up. Flows that are not settled come first, because they can
/// release memory without a loss; then those that hold the most, by powers of two; then those that were
/// not used for the longest time. The last number is that of a use, which may not be the last one.
type Rank = (bool, Reverse<u32>, u64);

impl FlowTable {
    /// The memory that each flow takes: its entry in the list, and two or three in the hash table.
    const PLACE: usize = size_of::<(Flow, TrackedFlow)>().saturating_add(80);

    pub fn new(limits: Limits) -> FlowTable {
        let by_use = || LruCache::unbounded_with_hasher(DefaultHashBuilder::default());
        let heavy = BTreeMap::new();
        let count = MemoryCount { limits, held: 0, heavy, uses: 0, excessive: None };
        FlowTable { useful: by_use(), others: by_use(), count }
    }

    /// Among the flows that carry messages, the one that was used last. Most packets belong to the same
    /// flow as the one before, so most need no lookup. Call [`note_last`](FlowTable::note_last) after a
    /// use.
    #[inline]
    pub fn last_mut(&mut self) -> Option<(&Flow, &mut FollowedConnection)> {
        self.useful.iter_mut().next().map(|(flow, kept)| (flow, &mut kept.value))
    }

    /// Notes a use of the flow that was used last.
    #[inline]
    pub fn note_last(&mut self) {
        let FlowTable { useful, count, .. } = self;
        if let Some((flow, kept)) = useful.iter_mut().next() {
            count.change(flow, kept, Self::PLACE);
            kept.used = count.uses;
        }
    }

    /// Runs `work` on the state of a flow, which `make` creates if there is none.
    pub fn update(
        &mut self,
        flow: Flow,
        make: impl FnOnce() -> FollowedConnection,
        work: impl FnOnce(&mut FollowedConnection),
    ) {
        let FlowTable { useful, others, count } = self;
        if let Some(kept) = useful.get_mut(&flow) {
            work(&mut kept.value);
            count.change(&flow, kept, Self::PLACE);
            kept.used = count.uses;
            return;
        }
        let make = || TrackedFlow { value: make(), held: 0, rank: None, used: 0 };
        let kept = others.get_or_insert_mut(flow, make);
        work(&mut kept.value);
        count.change(&flow, kept, Self::PLACE);
        kept.used = count.uses;
        if kept.value.is_of_use()
            && let Some(kept) = others.pop(&flow)
        {
            useful.push(flow, kept);
        }
    }

    /// Inserts the state of a flow again after it was taken out.
    pub fn insert(&mut self, flow: Flow, value: FollowedConnection) {
        self.update(flow, || value, |_| {});
    }

    /// Runs `work` on the state of a flow, if there is one. This does not count as a use of the
    /// flow.
    pub fn amend(&mut self, flow: &Flow, work: impl FnOnce(&mut FollowedConnection)) {
        let FlowTable { useful, others, count } = self;
        let Some(kept) = useful.peek_mut(flow).or_else(|| others.peek_mut(flow)) else { return };
        work(&mut kept.value);
        count.change(flow, kept, Self::PLACE);
    }

    /// Takes out a flow if a limit is exceeded; `others` is how many bytes are held in addition to
    /// the flows. It is the flow that exceeds its own limit, one of those that hold the most, or
    /// the one that was not used for the longest time.
    pub fn take_excess(&mut self, others: usize) -> Option<(Flow, FollowedConnection, Excess)> {
        let Limits { flows, total_bytes, .. } = self.count.limits;
        if let Some(flow) = self.count.excessive.take()
            && let Some(value) = self.take(&flow)
        {
            return Some((flow, value, Excess::Bytes));
        }
        if self.count.held.saturating_add(others) > total_bytes
            && let Some(flow) = self.heaviest()
        {
            return self.take(&flow).map(|value| (flow, value, Excess::Bytes));
        }
        if self.len() <= flows {
            return None;
        }
        let flow = self.oldest().map(|(flow, _)| *flow)?;
        self.take(&flow).map(|value| (flow, value, Excess::Flows))
    }

    /// Among the flows that hold the most, the one that was not used for the longest time.
    fn heaviest(&mut self) -> Option<Flow> {
        loop {
            let (&rank, &flow) = self.count.heavy.first_key_value()?;
            let (is_settled, power, number) = rank;
            let kept = self.useful.peek_mut(&flow).or_else(|| self.others.peek_mut(&flow))?;
            if kept.used <= number {
                return Some(flow);
            }
            // It was used since, so it comes after those that were not. Each use leads here once.
            let rank_now = (is_settled, power, kept.used);
            kept.rank = Some(rank_now);
            self.count.heavy.remove(&rank);
            self.count.heavy.insert(rank_now, flow);
        }
    }

    /// The flow that is given up first if there are too many.
    fn oldest(&self) -> Option<(&Flow, &TrackedFlow)> {
        // Flows without messages go first, unless they are few, because new flows are among them.
        let has_many = self.others.len() > self.count.limits.flows / OTHERS;
        if has_many { &self.others } else { &self.useful }.peek_lru()
    }

    /// The state of the table, which decides whether another flow gets room. `has_closed` says
    /// whether some connections are closed, which make room for others.
    pub fn followed(&self, has_closed: bool) -> Followed {
        Followed {
            is_full: !has_closed && self.len() >= self.count.limits.flows,
            uses: self.count.uses,
            oldest: self.oldest().map(|(_, kept)| kept.used),
        }
    }

    /// Whether [`take_excess`](FlowTable::take_excess) may take out a flow.
    #[inline]
    pub fn has_excess(&self, others: usize) -> bool {
        self.count.excessive.is_some() || self.is_too_large(1, others)
    }

    /// Whether there are too many flows, or they hold too many bytes together with `others`. The
    /// limits are those of all tables together, and `tables` is how many there are.
    #[inline]
    pub fn is_too_large(&self, tables: usize, others: usize) -> bool {
        let Limits { flows, total_bytes, .. } = self.count.limits;
        let held = self.count.held.saturating_add(others);
        held.saturating_mul(tables) > total_bytes || self.len().saturating_mul(tables) > flows
    }

    fn len(&self) -> usize {
        self.useful.len().saturating_add(self.others.len())
    }

    /// The state of all flows, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Flow, &FollowedConnection)> {
        self.useful.iter().chain(self.others.iter()).map(|(flow, kept)| (flow, &kept.value))
    }

    /// The state of all flows, in no particular order, to change something that takes no memory of
    /// its own.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut FollowedConnection> {
        let all = self.useful.iter_mut().chain(self.others.iter_mut());
        all.map(|(_, kept)| &mut kept.value)
    }

    /// Takes out a flow.
    pub fn take(&mut self, flow: &Flow) -> Option<FollowedConnection> {
        let kept = self.useful.pop(flow).or_else(|| self.others.pop(flow));
        let TrackedFlow { value, held, rank, .. } = kept?;
        self.count.held = self.count.held.saturating_sub(held);
        if let Some(rank) = rank {
            self.count.heavy.remove(&rank);
        }
        Some(value)
    }

    /// The state of a flow.
    pub fn get(&self, flow: &Flow) -> Option<&FollowedConnection> {
        let kept = self.useful.peek(flow).or_else(|| self.others.peek(flow));
        kept.map(|kept| &kept.value)
    }

    /// How many bytes all flows hold together.
    pub const fn held(&self) -> usize {
        self.count.held
    }
}

impl MemoryCount {
    /// How many bytes an entry of `heavy` takes: the nodes of the tree are at least half full.
    const HEAVY_PLACE: usize = 2 * size_of::<(Rank, Flow)>();

    /// Notes how much a flow holds now. `place` is how many bytes its entry in the table takes.
    #[inline]
    fn change(&mut self, flow: &Flow, kept: &mut TrackedFlow, place: usize) {
        self.uses += 1;
        let held = place.saturating_add(kept.value.held());
        // Most packets change nothing.
        if held != kept.held || kept.rank.is_some() {
            self.set(flow, kept, held);
        }
    }

    #[inline(never)]
    fn set(&mut self, flow: &Flow, kept: &mut TrackedFlow, mut held: usize) {
        let is_heavy = held > self.limits.share();
        if is_heavy {
            held = held.saturating_add(MemoryCount::HEAVY_PLACE);
        }
        self.held = self.held.saturating_sub(kept.held).saturating_add(held);
        kept.held = held;
        if held > self.limits.flow_bytes {
            self.excessive = Some(*flow);
        }
        let is_settled = kept.value.is_settled();
        let power = held.checked_ilog2().filter(|_| is_heavy);
        let power = power.map(|power| (is_settled, Reverse(power)));
        if power != kept.rank.map(|(is_settled, power, _)| (is_settled, power)) {
            if let Some(rank) = kept.rank.take() {
                self.heavy.remove(&rank);
            }
            if let Some((is_settled, power)) = power {
                let rank = (is_settled, power, self.uses);
                kept.rank = Some(rank);
                self.heavy.insert(rank, *flow);
            }
        }
    }
}
