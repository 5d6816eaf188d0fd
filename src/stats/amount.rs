//! Counts of things, and of their bytes.

/// A count of things, and of their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Amount {
    /// How many things.
    pub count: u64,
    /// How many bytes they have together.
    pub bytes: u64,
}

impl Amount {
    /// Adds one thing.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.merge(Amount { count: 1, bytes: bytes as u64 });
    }

    /// Adds other things.
    pub fn merge(&mut self, other: Amount) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}
