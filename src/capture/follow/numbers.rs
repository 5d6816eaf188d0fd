//! The numbers of connections that several followers follow together.

use super::{Batch, Event};

/// The numbers of the connections of all followers that [share](super::Share) a capture.
///
/// Such followers number their connections in the order of the capture, but with gaps. This gives
/// each connection the number that a single follower gives it: 1, 2, 3 and so on.
///
/// [Keep](super::Events::keep) the events [`Event::Opened`] in batches, and pass these to
/// [`add`](ConnectionNumbers::add). Each time, all followers must have read the same packets. Then
/// [`Batch::renumber`] replaces the numbers in a batch. The analyses replace theirs when they are
/// merged: see [`Stats::merge`](crate::stats::Stats::merge).
#[derive(Clone, Default, Debug)]
pub struct ConnectionNumbers {
    /// In ascending order.
    opened: Vec<u64>,
}

impl ConnectionNumbers {
    /// No connections yet. All numbers stay as they are.
    #[must_use]
    pub const fn new() -> ConnectionNumbers {
        ConnectionNumbers { opened: Vec::new() }
    }

    /// Adds the connections that were opened in these batches.
    pub fn add<'b>(&mut self, batches: impl IntoIterator<Item = &'b Batch>) {
        let before = self.opened.len();
        for event in batches.into_iter().flat_map(Batch::iter) {
            if let Event::Opened(summary) = event {
                self.opened.push(summary.connection());
            }
        }
        if let Some(new) = self.opened.get_mut(before..) {
            new.sort_unstable();
        }
    }

    /// The number that a single follower gives a connection.
    #[must_use]
    pub fn of(&self, number: u64) -> u64 {
        match self.opened.binary_search(&number) {
            Ok(place) => (place as u64).saturating_add(1),
            Err(_) => number,
        }
    }
}
