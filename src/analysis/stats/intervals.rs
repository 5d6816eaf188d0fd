//! Counts messages in intervals of time: all of them, and the calls of each method.

use super::{Amount, Item, Member};
use crate::net::packet::Time;
use core::fmt::Write;
use core::time::Duration;
use std::collections::BTreeMap;

/// The messages in each interval of time. All intervals have the same length.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// The requested length, in nanoseconds.
    requested: i64,
    /// The actual length, in nanoseconds. It is longer than the requested one if that gave too many
    /// intervals.
    length: i64,
    /// The greatest number of intervals.
    limit: usize,
    /// The messages in each interval and the number of those that were lost, by the number of the
    /// interval since 1970.
    amounts: BTreeMap<i64, (Amount, u64)>,
    /// Messages without a time.
    untimed: Amount,
    /// The calls in each interval, by command and method: `call`, a zero byte, and the name.
    methods: BTreeMap<Box<str>, MethodAmounts>,
    /// How many intervals all methods have together.
    cells: usize,
    /// The calls of methods beyond the limit.
    further: Amount,
    /// The memory of the name that is looked up.
    scratch: String,
}

/// The calls of a method.
#[derive(Clone, Default, Debug)]
struct MethodAmounts {
    total: Amount,
    amounts: BTreeMap<i64, Amount>,
}

/// When a method was called: see [`Intervals::methods`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MethodIntervals<'i> {
    /// The name of the method, of the property that `rset()` sets, or of the debugger's command. A method
    /// without a known name has the node and its number: `Game/World #7`.
    pub method: &'i str,
    /// The [command](Member::command) of the packets.
    pub command: &'i str,
    /// All calls.
    pub total: Amount,
    amounts: &'i BTreeMap<i64, Amount>,
    length: i64,
    decimals: u8,
}

impl MethodIntervals<'_> {
    /// The intervals with calls, in order of time: the start of each, and the calls.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Time, Amount)> + '_ {
        self.amounts.iter().map(|(number, amount)| {
            (Time::from_nanos(number.saturating_mul(self.length), self.decimals), *amount)
        })
    }
}

/// The most methods that are counted by interval.
const METHODS: usize = 4_096;

/// The most bytes of the name of such a method.
const NAME: usize = 512;

/// The most intervals that all methods have together. If there are more, intervals are merged in pairs.
const CELLS: usize = 400_000;

/// An interval with messages or losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Interval {
    /// How many intervals without messages and losses are between the previous interval and this one.
    pub empty: u64,
    /// Its start.
    pub start: Time,
    /// Its messages.
    pub amount: Amount,
    /// How many messages, or parts of streams, were lost. A loss belongs to the interval of its
    /// [place](crate::follow::Loss::place).
    pub lost: u64,
}

impl Intervals {
    pub(super) fn new(length: Duration, limit: usize) -> Intervals {
        let length = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX).max(1);
        let (amounts, untimed) = (BTreeMap::new(), Amount::default());
        Intervals {
            requested: length,
            length,
            limit: limit.max(2),
            amounts,
            untimed,
            methods: BTreeMap::new(),
            cells: 0,
            further: Amount::default(),
            scratch: String::new(),
        }
    }

    pub(super) fn add(&mut self, time: Option<Time>, bytes: usize) {
        let Some(time) = time else { return self.untimed.add(bytes) };
        self.at(time).0.add(bytes);
        self.keep_limit();
    }

    pub(super) fn add_lost(&mut self, time: Option<Time>, count: u64) {
        if let Some(time) = time {
            let (_, lost) = self.at(time);
            *lost = lost.saturating_add(count);
            self.keep_limit();
        }
    }

    /// Counts a call, a set or a command of the debugger.
    pub(super) fn add_call(&mut self, time: Option<Time>, item: &Item<&str>, bytes: usize) {
        let (Some(time), Some(command)) = (time, item.member.command()) else { return };
        let mut key = core::mem::take(&mut self.scratch);
        key.clear();
        // Writing to a string does not fail.
        let _ = match item.member {
            Member::MethodNumber { .. } => write!(key, "{command}\0{} {}", item.node, item.member),
            _ => write!(key, "{command}\0{}", item.member),
        };
        if key.len() > NAME || self.methods.len() >= METHODS && !self.methods.contains_key(&*key) {
            self.further.add(bytes);
        } else {
            let number = time.as_nanos().div_euclid(self.length);
            let counts = match self.methods.get_mut(&*key) {
                Some(counts) => counts,
                None => self.methods.entry(key.as_str().into()).or_default(),
            };
            counts.total.add(bytes);
            let before = counts.amounts.len();
            counts.amounts.entry(number).or_default().add(bytes);
            self.cells = self.cells.saturating_add(counts.amounts.len().saturating_sub(before));
            self.keep_limit();
        }
        self.scratch = key;
    }

    /// Adds the counts of others with the same requested length.
    pub(super) fn merge(&mut self, other: &Intervals) {
        while self.length < other.length {
            self.merge_pairs();
        }
        let (length, own) = (other.length, self.length);
        let number = |number: i64| number.saturating_mul(length).div_euclid(own);
        self.untimed.merge(other.untimed);
        self.further.merge(other.further);
        for (at, (amount, more)) in &other.amounts {
            let (known, lost) = self.amounts.entry(number(*at)).or_default();
            known.merge(*amount);
            *lost = lost.saturating_add(*more);
        }
        for (key, counts) in &other.methods {
            if self.methods.len() >= METHODS && !self.methods.contains_key(key) {
                self.further.merge(counts.total);
                continue;
            }
            let known = self.methods.entry(key.clone()).or_default();
            known.total.merge(counts.total);
            let before = known.amounts.len();
            for (at, amount) in &counts.amounts {
                known.amounts.entry(number(*at)).or_default().merge(*amount);
            }
            self.cells = self.cells.saturating_add(known.amounts.len().saturating_sub(before));
        }
        self.keep_limit();
    }

    /// The interval of a time.
    fn at(&mut self, time: Time) -> &mut (Amount, u64) {
        self.amounts.entry(time.as_nanos().div_euclid(self.length)).or_default()
    }

    fn keep_limit(&mut self) {
        while (self.amounts.len() > self.limit || self.cells > CELLS) && self.length < i64::MAX / 2
        {
            self.merge_pairs();
        }
    }

    /// Makes the intervals twice as long.
    fn merge_pairs(&mut self) {
        self.length = self.length.saturating_mul(2);
        for (number, (amount, more)) in core::mem::take(&mut self.amounts) {
            let (merged, lost) = self.amounts.entry(number.div_euclid(2)).or_default();
            merged.merge(amount);
            *lost = lost.saturating_add(more);
        }
        self.cells = 0;
        for counts in self.methods.values_mut() {
            for (number, amount) in core::mem::take(&mut counts.amounts) {
                counts.amounts.entry(number.div_euclid(2)).or_default().merge(amount);
            }
            self.cells = self.cells.saturating_add(counts.amounts.len());
        }
    }

    /// When each method was called, in no order. The intervals have the same length as those of
    /// [`Intervals::iter`].
    pub fn methods(&self) -> impl ExactSizeIterator<Item = MethodIntervals<'_>> {
        let (length, decimals) = (self.length, self.decimals());
        self.methods.iter().map(move |(key, MethodAmounts { total, amounts })| {
            let (command, method) = key.split_once('\0').unwrap_or_default();
            MethodIntervals { method, command, total: *total, amounts, length, decimals }
        })
    }

    /// The calls of methods that are not counted by interval, because there are too many methods or
    /// their names are too long.
    #[must_use]
    pub const fn further_methods(&self) -> Amount {
        self.further
    }

    /// The length of each interval.
    #[must_use]
    pub const fn length(&self) -> Duration {
        Duration::from_nanos(self.length.unsigned_abs())
    }

    /// The requested length. It is shorter than [`Intervals::length`] if it gave more intervals than
    /// [`StatsLimits::intervals`](super::StatsLimits::intervals).
    #[must_use]
    pub const fn requested(&self) -> Duration {
        Duration::from_nanos(self.requested.unsigned_abs())
    }

    /// How many decimals of a second the starts of the intervals need: 0, 3, 6 or 9.
    #[must_use]
    pub const fn decimals(&self) -> u8 {
        match self.length {
            length if length % 1_000_000_000 == 0 => 0,
            length if length % 1_000_000 == 0 => 3,
            length if length % 1_000 == 0 => 6,
            _ => 9,
        }
    }

    /// The intervals with messages or losses, in order of time.
    pub fn iter(&self) -> impl Iterator<Item = Interval> + '_ {
        let mut next = None;
        self.amounts.iter().map(move |(&number, &(amount, lost))| {
            let empty = next.map_or(0, |next: i64| number.abs_diff(next));
            next = Some(number.saturating_add(1));
            let start = number.saturating_mul(self.length);
            Interval { empty, start: Time::from_nanos(start, self.decimals()), amount, lost }
        })
    }

    /// The messages without a time.
    #[must_use]
    pub const fn untimed(&self) -> Amount {
        self.untimed
    }
}
