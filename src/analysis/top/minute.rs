//! The counts of each second of the last minute.

use crate::analysis::stats::Amount;

/// How many seconds are kept: the last minute, the current second, and some that began before.
const KEPT: usize = 64;

/// How many whole seconds a minute has.
const MINUTE: i64 = 60;

/// Counts and bytes of the traffic in each second of the last minute, in bounded memory.
///
/// Seconds are numbered since 1970. A second that is not kept any more has counts of 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minute {
    /// The last second that has counts.
    newest: i64,
    /// The counts and the bytes of each second, at its number modulo [`KEPT`].
    seconds: [(u32, u32); KEPT],
}

impl Default for Minute {
    fn default() -> Minute {
        Minute { newest: i64::MIN / 2, seconds: [(0, 0); KEPT] }
    }
}

impl Minute {
    /// Adds something that was sent in a second. If it is older than all that is kept, the clock was
    /// set back, and a new minute begins.
    pub(crate) fn add(&mut self, second: i64, amount: Amount) {
        let ahead = second.saturating_sub(self.newest);
        if ahead >= KEPT as i64 || ahead <= -(KEPT as i64) {
            self.seconds = [(0, 0); KEPT];
            self.newest = second;
        }
        while self.newest < second {
            self.newest = self.newest.saturating_add(1);
            if let Some(counts) = self.seconds.get_mut(place(self.newest)) {
                *counts = (0, 0);
            }
        }
        let Some((count, bytes)) = self.seconds.get_mut(place(second)) else { return };
        *count = count.saturating_add(u32::try_from(amount.count).unwrap_or(u32::MAX));
        *bytes = bytes.saturating_add(u32::try_from(amount.bytes).unwrap_or(u32::MAX));
    }

    /// Adds all counts of another minute.
    pub(crate) fn merge(&mut self, other: &Minute) {
        for second in other.newest.saturating_sub(KEPT as i64 - 1)..=other.newest {
            let amount = other.at(second);
            if amount.count > 0 {
                self.add(second, amount);
            }
        }
    }

    /// The traffic in a second.
    #[must_use]
    pub fn at(&self, second: i64) -> Amount {
        let age = self.newest.saturating_sub(second);
        if !(0..KEPT as i64).contains(&age) {
            return Amount::default();
        }
        let (count, bytes) = self.seconds.get(place(second)).copied().unwrap_or_default();
        Amount { count: count.into(), bytes: bytes.into() }
    }

    /// The traffic in the minute before a second begins.
    #[must_use]
    pub fn sum(&self, end: i64) -> Amount {
        let mut sum = Amount::default();
        for second in end.saturating_sub(MINUTE)..end {
            sum.merge(self.at(second));
        }
        sum
    }

    /// The bytes of the minute before a second begins, in this many bars of equal length, the oldest
    /// first. If 60 is not divisible by their number, there are fewer.
    ///
    /// The bars begin at multiples of their length. So the last bar may be shorter, and the bars do
    /// not change from second to second, but move.
    #[must_use]
    pub fn graph(&self, end: i64, bars: usize) -> Vec<u64> {
        let bars = i64::try_from(bars).unwrap_or(MINUTE).clamp(1, MINUTE);
        let length = MINUTE.saturating_add(bars.saturating_sub(1)) / bars;
        let bars = MINUTE / length;
        let last = end.saturating_sub(1).div_euclid(length);
        let bar = |number: i64| {
            let start = number.saturating_mul(length);
            let seconds = start..start.saturating_add(length).min(end);
            seconds.fold(0_u64, |sum, second| sum.saturating_add(self.at(second).bytes))
        };
        (last.saturating_sub(bars.saturating_sub(1))..=last).map(bar).collect()
    }
}

/// The index of a second.
const fn place(second: i64) -> usize {
    second.rem_euclid(KEPT as i64) as usize
}

#[cfg(test)]
mod tests {
    use super::Minute;
    use crate::analysis::stats::Amount;

    fn of(seconds: &[(i64, u64)]) -> Minute {
        let mut minute = Minute::default();
        for (second, bytes) in seconds {
            minute.add(*second, Amount { count: 1, bytes: *bytes });
        }
        minute
    }

    #[test]
    fn seconds_are_forgotten_after_a_minute() {
        let minute = of(&[(100, 5), (101, 6), (101, 1), (100, 2)]);
        let bytes = |minute: &Minute, second| minute.at(second).bytes;
        assert_eq!([99, 100, 101, 102].map(|second| bytes(&minute, second)), [0, 7, 7, 0]);
        assert_eq!(minute.sum(101), Amount { count: 2, bytes: 7 });
        assert_eq!(minute.sum(161), Amount { count: 2, bytes: 7 });
        assert_eq!(minute.sum(162), Amount::default());
        let minute = of(&[(100, 5), (163, 1)]);
        assert_eq!([100, 163].map(|second| bytes(&minute, second)), [5, 1]);
        let minute = of(&[(100, 5), (164, 1)]);
        assert_eq!([100, 164].map(|second| bytes(&minute, second)), [0, 1]);
        let minute = of(&[(i64::MAX, 5), (i64::MIN, 6), (7, 1)]);
        assert_eq!([i64::MAX, i64::MIN, 7].map(|second| bytes(&minute, second)), [0, 0, 1]);
    }

    #[test]
    fn merged_minutes_have_the_counts_of_both() {
        let mut minute = of(&[(100, 5), (120, 1)]);
        minute.merge(&of(&[(100, 2), (130, 9)]));
        assert_eq!([100, 120, 130].map(|second| minute.at(second).bytes), [7, 1, 9]);
        assert_eq!(minute.sum(131), Amount { count: 4, bytes: 17 });
    }

    #[test]
    fn bars_start_at_multiples_of_their_length() {
        let minute = of(&[(114, 1), (115, 2), (119, 4), (120, 8), (121, 16)]);
        assert_eq!(minute.graph(122, 60)[58..], [8, 16]);
        assert_eq!(minute.graph(122, 12)[9..], [1, 6, 24]);
        assert_eq!(minute.graph(121, 12)[9..], [1, 6, 8]);
        assert_eq!(minute.graph(120, 12)[9..], [0, 1, 6]);
        let lengths = [1, 7, 10, 12, 60, 100].map(|bars| minute.graph(122, bars).len());
        assert_eq!(lengths, [1, 6, 10, 12, 60, 60]);
    }
}
