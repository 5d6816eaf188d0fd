//! Messages over time.

use super::count::Amount;
use gdwire::capture::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many intervals with messages are kept; what comes in further ones is counted together.
const INTERVALS: usize = 1 << 16;

/// How many messages there were in each interval of a length.
pub(super) struct Intervals {
    nanoseconds: i64,
    /// By their number from 1970 on.
    amounts: BTreeMap<i64, Amount>,
    /// What is in intervals that were too many.
    pub(super) further: Amount,
}

impl Intervals {
    pub(super) fn new(length: Duration) -> Intervals {
        let nanoseconds = i64::try_from(length.as_nanos()).unwrap_or(i64::MAX).max(1);
        Intervals { nanoseconds, amounts: BTreeMap::new(), further: Amount::default() }
    }

    pub(super) fn add(&mut self, time: Time, bytes: usize) {
        let number = time.nanoseconds().div_euclid(self.nanoseconds);
        if self.amounts.len() >= INTERVALS && !self.amounts.contains_key(&number) {
            self.further.add(bytes);
        } else {
            self.amounts.entry(number).or_default().add(bytes);
        }
    }

    /// When each interval begins, in nanoseconds since 1970 began, and what is in it. Of those
    /// without messages only the ones between two that have some are given, if they are few.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, Amount)> + '_ {
        let first = self.amounts.first_key_value().map_or(0, |(number, _)| *number);
        let last = self.amounts.last_key_value().map_or(-1, |(number, _)| *number);
        let count = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX);
        let is_dense = count < INTERVALS;
        let dense = (first..=last).take_while(move |_| is_dense);
        let sparse = self.amounts.keys().copied().take_while(move |_| !is_dense);
        dense.chain(sparse).map(|number| {
            let amount = self.amounts.get(&number).copied().unwrap_or_default();
            (number.saturating_mul(self.nanoseconds), amount)
        })
    }

    pub(super) fn most(&self) -> u64 {
        self.amounts.values().map(|amount| amount.count).max().unwrap_or(0)
    }
}
