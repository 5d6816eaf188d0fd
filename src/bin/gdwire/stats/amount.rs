//! Counts of things, and of their bytes.

/// A count of things, and of their bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct Amount {
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl Amount {
    pub(super) fn add(&mut self, bytes: usize) {
        self.merge(Amount { count: 1, bytes: bytes as u64 });
    }

    pub(super) fn merge(&mut self, other: Amount) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Sorts by count, the largest first, and equal counts by name.
pub(super) fn sorted<K: Ord>(amounts: impl IntoIterator<Item = (K, Amount)>) -> Vec<(K, Amount)> {
    let mut amounts: Vec<_> = amounts.into_iter().collect();
    amounts.sort_unstable_by(|one, other| (other.1.count, &one.0).cmp(&(one.1.count, &other.0)));
    amounts
}
