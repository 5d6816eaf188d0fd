//! Sequence numbers that were seen: they show which commands are repeated, and which messages are
//! missing among the unreliable and unsequenced ones, which are sent only once.

use super::BASE;
use crate::net::Between;
use std::collections::VecDeque;
use std::ops::Range;

/// The most gaps that are kept apart. Further gaps are merged into the last one.
const GAPS: usize = 128;

/// The sequence numbers of messages that are sent only once.
#[derive(Debug)]
pub struct MissingNumbers<T> {
    /// The highest number so far; 0 before the first one that was seen.
    newest: u64,
    /// The number of the datagram with it.
    seen: u64,
    /// The tag of that datagram.
    tag: Option<T>,
    /// In the order of their numbers.
    gaps: VecDeque<NumberGap<T>>,
}

/// Missing numbers. They are not lost yet: datagrams may arrive in another order.
#[derive(Debug)]
struct NumberGap<T> {
    /// The range that the missing numbers are in. In a merged gap, not all numbers of the range are
    /// missing.
    numbers: Range<u64>,
    count: u64,
    /// The number of the datagram that showed that the last of them are missing.
    since: u64,
    between: Between<T>,
}

impl<T: Copy> MissingNumbers<T> {
    /// A series of messages, the first of which follows `number`; 0 if its start is not known.
    pub const fn after(number: u64) -> MissingNumbers<T> {
        MissingNumbers { newest: number, seen: 0, tag: None, gaps: VecDeque::new() }
    }

    /// The highest number so far; 0 before the first one.
    pub const fn newest(&self) -> u64 {
        self.newest
    }

    /// Notes a message that was not seen before, in the datagram `now` with a tag. Numbers below
    /// `least` are not missing. The datagram before `unread` was the last one that could not be
    /// read in full. It may have had the numbers that seem to be missing around it.
    pub fn see(&mut self, number: u64, least: u64, (now, tag): (u64, T), unread: u64) {
        if number <= self.newest {
            return self.fill(number);
        }
        if self.newest > 0 && self.seen >= unread {
            self.open(self.newest.saturating_add(1).max(least)..number, now, tag);
        }
        (self.newest, self.seen, self.tag) = (number, now, Some(tag));
    }

    fn open(&mut self, numbers: Range<u64>, since: u64, tag: T) {
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
                self.gaps.push_back(NumberGap { numbers, count, since, between });
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
    pub fn overdue(&mut self, before: u64) -> Option<(u32, Between<T>)> {
        while let Some(&NumberGap { count, between, .. }) =
            self.gaps.front().filter(|gap| gap.since < before)
        {
            self.gaps.pop_front();
            if count > 0 {
                return Some((u32::try_from(count).unwrap_or(u32::MAX), between));
            }
        }
        None
    }

    /// About how much memory is in use.
    pub fn heap_bytes(&self) -> usize {
        self.gaps.capacity().saturating_mul(size_of::<NumberGap<T>>())
    }
}

/// How many messages are remembered, to distinguish late ones from repeated ones.
const RECENT: usize = 256;

/// The most recent unreliable messages.
#[derive(Debug)]
pub struct RecentUnreliable<T> {
    keys: Vec<u64>,
    /// The index of the oldest one, once the list is full.
    oldest: usize,
    pub missing: MissingNumbers<T>,
}

impl<T: Copy> RecentUnreliable<T> {
    /// The messages of a channel whose start is not known.
    pub const fn new() -> RecentUnreliable<T> {
        RecentUnreliable { keys: Vec::new(), oldest: 0, missing: MissingNumbers::after(0) }
    }

    /// The messages of a channel that was observed from its start, where the reliable number is
    /// `number`.
    pub fn from_start(number: u64) -> RecentUnreliable<T> {
        RecentUnreliable {
            missing: MissingNumbers::after(key(number, 0)),
            ..RecentUnreliable::new()
        }
    }

    /// Notes a message, given by the number of the reliable message before it and its own number.
    /// Returns whether it is new. `now` and `unread` are those of [`MissingNumbers::see`].
    pub fn insert(&mut self, number: u64, sequence: u16, now: (u64, T), unread: u64) -> bool {
        let key_of = key(number, sequence);
        if key_of <= self.missing.newest() && self.keys.contains(&key_of) {
            return false;
        }
        // After each reliable message, ENet counts from 1. How many unreliable messages preceded the
        // reliable one is not known.
        self.missing.see(key_of, key(number, 1), now, unread);
        if self.keys.len() < RECENT {
            self.keys.push(key_of);
        } else if let Some(oldest) = self.keys.get_mut(self.oldest) {
            *oldest = key_of;
            self.oldest = self.oldest.saturating_add(1) % RECENT;
        }
        true
    }

    /// About how much memory is in use.
    pub fn heap_bytes(&self) -> usize {
        let keys = self.keys.capacity().saturating_mul(size_of::<u64>());
        keys.saturating_add(self.missing.heap_bytes())
    }
}

fn key(number: u64, sequence: u16) -> u64 {
    number << 16 | u64::from(sequence)
}

/// The last 1,024 message numbers up to the highest one seen; ENet remembers as many.
#[derive(Debug)]
pub struct UnsequencedWindow<T> {
    /// A bit for each group of the window, at its number modulo `GROUPS`.
    seen: [u64; WORDS],
    pub missing: MissingNumbers<T>,
}

const WORDS: usize = 16;
const GROUPS: u16 = 64 * WORDS as u16;

/// A number this far ahead may also be an old one, whose message ENet drops. So it does not show
/// that the numbers before it are missing.
const AHEAD: u16 = 32 * GROUPS;

impl<T: Copy> UnsequencedWindow<T> {
    /// A window without messages. If the connection was observed from its start, its first message
    /// has the number 1.
    pub const fn new(is_from_start: bool) -> UnsequencedWindow<T> {
        let missing = MissingNumbers::after(if is_from_start { BASE } else { 0 });
        UnsequencedWindow { seen: [0; WORDS], missing }
    }

    /// About how much memory is in use, with the window itself.
    pub fn heap_bytes(&self) -> usize {
        self.missing.heap_bytes().saturating_add(size_of_val(self))
    }

    /// Notes a message. Returns whether it is new. `now` and `unread` are those of [`MissingNumbers::see`].
    pub fn insert(&mut self, group: u16, now: (u64, T), unread: u64) -> bool {
        let (mut number, mut least) = (BASE.saturating_add(group.into()), 0);
        let newest = self.missing.newest();
        if newest > 0 {
            // The low 16 bits.
            let behind = (newest as u16).wrapping_sub(group);
            if behind < GROUPS {
                number = newest.saturating_sub(behind.into());
            } else {
                // ENet would drop a number that is far behind. In a capture, it is more likely that
                // the numbers in between were not captured.
                let ahead = behind.wrapping_neg();
                number = newest.saturating_add(ahead.into());
                if ahead < GROUPS {
                    self.clear((newest as u16).wrapping_add(1), ahead);
                } else {
                    self.seen = [0; WORDS];
                }
                if ahead >= AHEAD {
                    least = number;
                }
            }
        }
        let (word, bit) = place(group);
        let Some(word) = self.seen.get_mut(word) else { return true };
        let is_new = *word >> bit & 1 == 0;
        *word |= 1 << bit;
        if is_new {
            self.missing.see(number, least, now, unread);
        }
        is_new
    }

    /// Forgets groups that follow each other, a word at a time.
    fn clear(&mut self, start: u16, count: u16) {
        let mut done = 0;
        while done < count {
            let (word, bit) = place(start.wrapping_add(done));
            let bits = count.saturating_sub(done).min(64_u16.saturating_sub(bit));
            if let Some(word) = self.seen.get_mut(word) {
                *word &= !(u64::MAX >> 64_u16.saturating_sub(bits) << bit);
            }
            done = done.saturating_add(bits);
        }
    }
}

/// The word and the bit of a group.
fn place(group: u16) -> (usize, u16) {
    let at = group % GROUPS;
    (usize::from(at / 64), at % 64)
}

/// The highest sequence number of a series and which of the 127 before it were seen.
#[derive(Clone, Copy, Default, Debug)]
pub struct SeenNumbers {
    newest: u16,
    /// A bit for each number: the lowest for the newest number, the next for the one before it.
    seen: u128,
}

/// How a sequence number relates to those that arrived before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberOrder {
    /// Higher than all before.
    New,
    /// Lower, but not seen before. `next` is the next higher number that was seen, and `behind` is
    /// how far `next` is below the newest number.
    Late { next: u16, behind: u16 },
    /// Seen before.
    Again,
    /// Too low to know whether it was seen.
    Old,
}

impl SeenNumbers {
    /// Notes a number. Numbers wrap around.
    pub const fn note(&mut self, number: u16) -> NumberOrder {
        let ahead = number.wrapping_sub(self.newest).cast_signed();
        if self.seen == 0 || ahead > 0 {
            let kept = match self.seen.checked_shl(ahead.unsigned_abs() as u32) {
                Some(kept) => kept,
                None => 0,
            };
            *self = SeenNumbers { newest: number, seen: kept | 1 };
            return NumberOrder::New;
        }
        let Some(bit) = 1_u128.checked_shl(ahead.unsigned_abs() as u32) else {
            return NumberOrder::Old;
        };
        if self.seen & bit != 0 {
            return NumberOrder::Again;
        }
        // The lowest bit is always set.
        let higher = self.seen & (bit - 1);
        let behind = 127_u32.saturating_sub(higher.leading_zeros()) as u16;
        self.seen |= bit;
        NumberOrder::Late { next: self.newest.wrapping_sub(behind), behind }
    }
}
