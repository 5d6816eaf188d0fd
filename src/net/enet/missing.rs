//! Finds messages that are missing among those that are sent only once: unreliable and unsequenced
//! ones.

use crate::net::Between;
use std::collections::VecDeque;
use std::ops::Range;

/// The most gaps that are kept apart. Further gaps are merged into the last one.
const GAPS: usize = 128;

/// The sequence numbers of messages that are sent only once.
#[derive(Debug)]
pub(super) struct Missing<T> {
    /// The highest number so far; 0 before the first one that was seen.
    newest: u64,
    /// The number of the datagram with it.
    seen: u64,
    /// The tag of that datagram.
    tag: Option<T>,
    /// In the order of their numbers.
    gaps: VecDeque<Gap<T>>,
}

/// Missing numbers. They are not lost yet: datagrams may arrive in another order.
#[derive(Debug)]
struct Gap<T> {
    /// The range that the missing numbers are in. In a merged gap, not all numbers of the range are
    /// missing.
    numbers: Range<u64>,
    count: u64,
    /// The number of the datagram that showed that the last of them are missing.
    since: u64,
    between: Between<T>,
}

impl<T: Copy> Missing<T> {
    /// A series of messages, the first of which follows `number`; 0 if its start is not known.
    pub(super) const fn after(number: u64) -> Missing<T> {
        Missing { newest: number, seen: 0, tag: None, gaps: VecDeque::new() }
    }

    /// The highest number so far; 0 before the first one.
    pub(super) const fn newest(&self) -> u64 {
        self.newest
    }

    /// Notes a message that was not seen before, in the datagram `now` with a tag. Numbers below
    /// `least` are not missing. The datagram before `unread` was the last one that could not be
    /// read in full. It may have had the numbers that seem to be missing around it.
    pub(super) fn see(&mut self, number: u64, least: u64, (now, tag): (u64, T), unread: u64) {
        if number <= self.newest {
            return self.fill(number);
        }
        if self.newest > 0 && self.seen >= unread {
            self.open(self.newest.saturating_add(1).max(least)..number, (now, tag));
        }
        (self.newest, self.seen, self.tag) = (number, now, Some(tag));
    }

    fn open(&mut self, numbers: Range<u64>, (since, tag): (u64, T)) {
        let count = numbers.end.saturating_sub(numbers.start);
        let is_full = self.gaps.len() >= GAPS;
        match self.gaps.back_mut() {
            _ if count == 0 => {}
            Some(last) if is_full => {
                (last.numbers.end, last.since) = (numbers.end, since);
                last.count = last.count.saturating_add(count);
                last.between.before = Some(tag);
            }
            _ => {
                let between = Between::new(self.tag, tag);
                self.gaps.push_back(Gap { numbers, count, since, between });
            }
        }
    }

    /// Notes a message that arrived late.
    fn fill(&mut self, number: u64) {
        let at = self.gaps.partition_point(|gap| gap.numbers.end <= number);
        if let Some(gap) = self.gaps.get_mut(at)
            && gap.numbers.contains(&number)
        {
            gap.count = gap.count.saturating_sub(1);
        }
    }

    /// Removes the oldest gap that was noticed before a datagram. Returns how many messages are
    /// lost, and what is around them.
    pub(super) fn overdue(&mut self, before: u64) -> Option<(u32, Between<T>)> {
        while self.gaps.front().is_some_and(|gap| gap.since < before) {
            let Gap { count, between, .. } = self.gaps.pop_front()?;
            if count > 0 {
                return Some((u32::try_from(count).unwrap_or(u32::MAX), between));
            }
        }
        None
    }

    /// About how much memory is in use.
    pub(super) fn heap_bytes(&self) -> usize {
        self.gaps.capacity().saturating_mul(size_of::<Gap<T>>())
    }
}
