//! Counts of a part of a capture, made in a thread of its own.

use super::amount::Amount;
use super::count::{Callee, Carried, Counts};
use super::interval::Intervals;
use crate::methods::context;
use crate::sink::{Made, Part};
use gdwire::capture::{Message, Other};
use gdwire::multiplayer::Methods;
use std::collections::HashMap;
use std::sync::Arc;

/// How many bytes the names of the called methods may take before the part ends.
const NAMES: usize = 1 << 20;

/// The counts of messages that follow each other.
pub(super) struct PartCounts {
    methods: Option<Arc<Methods>>,
    /// All but connections and calls.
    counts: Counts,
    /// By the numbers of the connections.
    connections: HashMap<u64, Carried>,
    calls: HashMap<Callee, Calls>,
    names: usize,
}

struct Calls {
    /// How many others were called before it for the first time.
    rank: usize,
    packets: Amount,
}

impl PartCounts {
    pub(super) fn new(intervals: Option<Intervals>, methods: Option<Arc<Methods>>) -> PartCounts {
        let (connections, calls) = (HashMap::new(), HashMap::new());
        PartCounts { methods, counts: Counts::new(intervals), connections, calls, names: 0 }
    }

    /// Adds everything to the counts of the capture so far.
    pub(super) fn add_to(self, counts: &mut Counts) {
        counts.merge(self.counts);
        for (connection, carried) in self.connections {
            counts.carried(connection, carried);
        }
        // If there are too many methods, those have counts of their own that were called first.
        let mut calls: Vec<_> = self.calls.into_iter().collect();
        calls.sort_unstable_by_key(|(_, calls)| calls.rank);
        for (callee, calls) in calls {
            counts.call(callee, calls.packets);
        }
    }
}

impl Part for PartCounts {
    fn message(&mut self, message: &Message<'_>) -> bool {
        if self.names > NAMES {
            return false;
        }
        let carried = self.connections.entry(message.origin.connection);
        let one = Carried::of(message);
        carried
            .and_modify(|carried| carried.messages = carried.messages.saturating_add(1))
            .or_insert(one);
        let context = context(message, self.methods.as_deref());
        if let Some(callee) = self.counts.content(message, context) {
            let rank = self.calls.len();
            let names = callee.len();
            let calls = self.calls.entry(callee).or_insert_with(|| {
                self.names = self.names.saturating_add(names);
                Calls { rank, packets: Amount::default() }
            });
            calls.packets.add(message.bytes.len());
        }
        true
    }

    fn other(&mut self, other: &Other<'_>) -> bool {
        self.counts.other(other);
        true
    }

    fn finish(self: Box<Self>) -> Made {
        self
    }
}
