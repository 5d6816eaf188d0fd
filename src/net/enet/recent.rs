//! Remembers which unreliable messages of a channel were seen, so that repeated ones are skipped
//! and missing ones are noticed.

use super::missing::Missing;

/// How many messages are remembered, to distinguish late ones from repeated ones.
const RECENT: usize = 256;

/// The most recent unreliable messages.
#[derive(Debug)]
pub(super) struct Recent<T> {
    keys: Vec<u64>,
    /// The index of the oldest one, once the list is full.
    oldest: usize,
    pub(super) missing: Missing<T>,
}

impl<T: Copy> Recent<T> {
    /// The messages of a channel whose start is not known.
    pub(super) const fn new() -> Recent<T> {
        Recent { keys: Vec::new(), oldest: 0, missing: Missing::after(0) }
    }

    /// The messages of a channel that was observed from its start, where the reliable number is
    /// `number`.
    pub(super) fn from_start(number: u64) -> Recent<T> {
        Recent { missing: Missing::after(key(number, 0)), ..Recent::new() }
    }

    /// Notes a message, given by the number of the reliable message before it and its own number.
    /// Returns whether it is new. `now` and `unread` are those of [`Missing::see`].
    pub(super) fn insert(
        &mut self,
        number: u64,
        sequence: u16,
        now: (u64, T),
        unread: u64,
    ) -> bool {
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
    pub(super) fn heap_bytes(&self) -> usize {
        let keys = self.keys.capacity().saturating_mul(size_of::<u64>());
        keys.saturating_add(self.missing.heap_bytes())
    }
}

fn key(number: u64, sequence: u16) -> u64 {
    number << 16 | u64::from(sequence)
}
