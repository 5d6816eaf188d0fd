//! Limits on what is counted separately.

/// Limits on what [`Stats`](super::Stats) counts separately. Items beyond a limit are counted
/// together, and reported as further items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StatsLimits {
    /// How many connections have counts of their own. Default: 131,072.
    pub connections: usize,
    /// How many nodes, how many methods and how many properties have counts of their own. Default:
    /// 65,536 each.
    pub items: usize,
    /// How many bytes the names of nodes, those of methods and those of properties may take.
    /// Default: 32 MiB each. A long path is sent only once, but each method of the node takes a
    /// copy.
    pub name_bytes: usize,
    /// How many intervals with messages are kept. Default: 100,000; a day has 86,400 seconds. If
    /// there are more, neighbouring intervals are merged in pairs.
    pub intervals: usize,
}

impl Default for StatsLimits {
    fn default() -> StatsLimits {
        StatsLimits {
            connections: 1 << 17,
            items: 1 << 16,
            name_bytes: 32 << 20,
            intervals: 100_000,
        }
    }
}

impl StatsLimits {
    /// Returns the limits with another value of [`connections`](StatsLimits::connections).
    #[must_use]
    pub const fn with_connections(self, connections: usize) -> StatsLimits {
        StatsLimits { connections, ..self }
    }

    /// Returns the limits with another value of [`items`](StatsLimits::items).
    #[must_use]
    pub const fn with_items(self, items: usize) -> StatsLimits {
        StatsLimits { items, ..self }
    }

    /// Returns the limits with another value of [`name_bytes`](StatsLimits::name_bytes).
    #[must_use]
    pub const fn with_name_bytes(self, name_bytes: usize) -> StatsLimits {
        StatsLimits { name_bytes, ..self }
    }

    /// Returns the limits with another value of [`intervals`](StatsLimits::intervals).
    #[must_use]
    pub const fn with_intervals(self, intervals: usize) -> StatsLimits {
        StatsLimits { intervals, ..self }
    }
}
