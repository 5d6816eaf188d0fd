//! Counts of things, and of their bytes.

use crate::game::multiplayer::PeerId;

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

/// How often something was sent, how many bytes it had, and which side sent it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Usage {
    /// All of it.
    pub total: Amount,
    /// The part that the server sent, which is peer 1.
    pub from_server: Amount,
    /// The part that clients sent. The rest of the total is from peers that the capture does not
    /// name.
    pub from_clients: Amount,
}

impl Usage {
    /// Adds other things.
    pub fn merge(&mut self, other: Usage) {
        self.total.merge(other.total);
        self.from_server.merge(other.from_server);
        self.from_clients.merge(other.from_clients);
    }

    /// Adds a thing that a multiplayer peer sent.
    pub(super) fn add(&mut self, bytes: usize, source: Option<PeerId>) {
        self.total.add(bytes);
        match source {
            Some(PeerId::SERVER) => self.from_server.add(bytes),
            Some(_) => self.from_clients.add(bytes),
            None => {}
        }
    }
}
