//! Counts messages in intervals of time.

use super::Amount;
use crate::net::packet::Time;
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
}

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
        Intervals { requested: length, length, limit: limit.max(2), amounts, untimed }
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

    /// The interval of a time.
    fn at(&mut self, time: Time) -> &mut (Amount, u64) {
        self.amounts.entry(time.as_nanos().div_euclid(self.length)).or_default()
    }

    fn keep_limit(&mut self) {
        while self.amounts.len() > self.limit && self.length < i64::MAX / 2 {
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
