//! Finds messages that are missing among those that are sent only once: unreliable and unsequenced
//! ones.

use std::ops::Range;

/// The most gaps that are kept apart. Further gaps are merged into the last one.
const GAPS: usize = 16;

/// The sequence numbers of messages that are sent only once.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// The highest number so far; 0 before the first one that was seen.
    newest: u64,
    /// The number of the datagram with it.
    seen: u64,
    gaps: Vec<Gap>,
}

/// Missing numbers. They are not lost yet: datagrams may arrive in another order.
#[derive(Debug)]
struct Gap {
    /// The range that the missing numbers are in. In a merged gap, not all numbers of the range are
    /// missing.
    numbers: Range<u64>,
    count: u64,
    /// The number of the datagram that showed that the last of them are missing.
    since: u64,
}

impl Missing {
    /// A series of messages, the first of which follows `number`.
    pub(super) const fn after(number: u64) -> Missing {
        Missing { newest: number, seen: 0, gaps: Vec::new() }
    }

    /// The highest number so far; 0 before the first one.
    pub(super) const fn newest(&self) -> u64 {
        self.newest
    }

    /// Notes a message that was not seen before, in the datagram `now`. Numbers below `least` are
    /// not missing. The datagram before `unread` was the last one that could not be read in full.
    /// It may have had the numbers that seem to be missing around it.
    pub(super) fn see(&mut self, number: u64, least: u64, now: u64, unread: u64) {
        if number <= self.newest {
            return self.fill(number);
        }
        if self.newest > 0 && self.seen >= unread {
            self.open(self.newest.saturating_add(1).max(least)..number, now);
        }
        (self.newest, self.seen) = (number, now);
    }

    fn open(&mut self, numbers: Range<u64>, since: u64) {
        let count = numbers.end.saturating_sub(numbers.start);
        let is_full = self.gaps.len() >= GAPS;
        match self.gaps.last_mut() {
            _ if count == 0 => {}
            Some(last) if is_full => {
                (last.numbers.end, last.since) = (numbers.end, since);
                last.count = last.count.saturating_add(count);
            }
            _ => self.gaps.push(Gap { numbers, count, since }),
        }
    }

    /// Notes a message that arrived late.
    fn fill(&mut self, number: u64) {
        let gap = self.gaps.iter_mut().find(|gap| gap.numbers.contains(&number));
        if let Some(gap) = gap {
            gap.count = gap.count.saturating_sub(1);
        }
    }

    /// Removes the oldest gap that was noticed before a datagram. Returns how many messages are
    /// lost.
    pub(super) fn overdue(&mut self, before: u64) -> Option<u32> {
        while self.gaps.first().is_some_and(|gap| gap.since < before) {
            let count = self.gaps.remove(0).count;
            if count > 0 {
                return Some(u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
        None
    }

    /// About how much memory is in use.
    pub(super) fn heap_bytes(&self) -> usize {
        self.gaps.capacity().saturating_mul(size_of::<Gap>())
    }
}
