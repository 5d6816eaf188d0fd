//! Counts messages in intervals of time.

use super::amount::Amount;
use gdwire::capture::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many messages there were in each interval of a length.
pub(super) struct Intervals {
    /// The requested length, in nanoseconds.
    asked: i64,
    /// The length that they have. It is longer than the requested one if that gave too many.
    length: i64,
    /// The greatest number of intervals.
    limit: usize,
    /// The intervals with messages, by their number since 1970.
    amounts: BTreeMap<i64, Amount>,
    /// Messages without a time.
    pub(super) untimed: Amount,
}

impl Intervals {
    pub(super) fn new(length: Duration, limit: usize) -> Intervals {
        let length = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX).max(1);
        let (amounts, untimed) = (BTreeMap::new(), Amount::default());
        Intervals { asked: length, length, limit, amounts, untimed }
    }

    pub(super) fn add(&mut self, time: Option<Time>, bytes: usize) {
        let Some(time) = time else { return self.untimed.add(bytes) };
        let number = time.nanoseconds().div_euclid(self.length);
        self.amounts.entry(number).or_default().add(bytes);
        self.keep_limit();
    }

    fn keep_limit(&mut self) {
        while self.amounts.len() > self.limit && self.length < i64::MAX / 2 {
            self.join_pairs();
        }
    }

    /// Makes the intervals twice as long.
    fn join_pairs(&mut self) {
        self.length = self.length.saturating_mul(2);
        for (number, amount) in std::mem::take(&mut self.amounts) {
            self.amounts.entry(number.div_euclid(2)).or_default().merge(amount);
        }
    }

    /// How long each is, in nanoseconds.
    pub(super) const fn length(&self) -> i64 {
        self.length
    }

    /// The requested length, if the intervals have another.
    pub(super) fn asked(&self) -> Option<i64> {
        (self.asked != self.length).then_some(self.asked)
    }

    /// How many decimals of a second the starts of the intervals need.
    pub(super) const fn decimals(&self) -> usize {
        match self.length {
            length if length % 1_000_000_000 == 0 => 0,
            length if length % 1_000_000 == 0 => 3,
            length if length % 1_000 == 0 => 6,
            _ => 9,
        }
    }

    /// The intervals with messages. For each: how many empty intervals come before it, its start in
    /// nanoseconds since 1970, and its messages.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, i64, Amount)> + '_ {
        let mut next = None;
        self.amounts.iter().map(move |(&number, &amount)| {
            let empty = next.map_or(0, |next: i64| number.abs_diff(next));
            next = Some(number.saturating_add(1));
            (empty, number.saturating_mul(self.length), amount)
        })
    }

    pub(super) fn most(&self) -> u64 {
        self.amounts.values().map(|amount| amount.count).max().unwrap_or(0)
    }
}
