//! Ids of nodes that were announced before a recording began, and the lists of methods in the project
//! that fit all calls with these ids.

use super::names::Names;
use super::sending::{CallShape, Key};
use super::shapes::CallableId;
use crate::peer::End;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The ids in the packets of one connection that it did not announce, by their senders.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Unannounced {
    nodes: BTreeMap<(End, u32), Candidates>,
    /// How often something was noted.
    version: u64,
}

/// The lists of methods that a node may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Candidates {
    /// Too many to keep. These calls were seen.
    Many(Vec<Key>),
    /// One of these, in ascending order.
    Few(Vec<CallableId>),
}

/// The number of ids that are kept.
const NODES: usize = 1 << 16;
/// The number of lists that are kept for an id.
const FEW: usize = 64;
/// The number of calls that are kept for an id with more lists.
const CALLS: usize = 8;

impl Unannounced {
    /// Nothing, in place of another one with this version.
    #[cfg(feature = "capture")]
    pub(super) fn with_version(version: u64) -> Unannounced {
        Unannounced { version, ..Unannounced::default() }
    }

    #[cfg(feature = "capture")]
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// The number of ids.
    #[cfg(feature = "capture")]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// About how many bytes of memory they take.
    pub(super) fn held_bytes(&self) -> usize {
        self.nodes.len().saturating_mul(128)
    }

    pub(super) fn candidates(&self, sender: End, id: u32) -> Option<&Candidates> {
        self.nodes.get(&(sender, id))
    }

    /// Adds what another connection knows about an id.
    #[cfg(feature = "capture")]
    pub(super) fn insert(&mut self, sender: End, id: u32, candidates: Candidates) {
        self.nodes.insert((sender, id), candidates);
    }

    /// Whether a call shows more about its node.
    pub(super) fn is_clue(&self, names: &Names, node: (End, u32), call: &CallShape) -> bool {
        match self.nodes.get(&node) {
            None => self.nodes.len() < NODES,
            Some(Candidates::Many(seen)) => {
                seen.len() < CALLS && !seen.contains(&(call.index, call.count))
            }
            Some(Candidates::Few(ids)) => ids.iter().any(|id| !names.fits_call(*id, call)),
        }
    }

    /// Notes what a call shows about its node.
    pub(super) fn note(&mut self, names: &Names, node: (End, u32), call: &CallShape) {
        self.version = self.version.wrapping_add(1);
        let candidates = self.nodes.entry(node).or_insert(Candidates::Many(Vec::new()));
        match candidates {
            Candidates::Few(ids) => ids.retain(|id| names.fits_call(*id, call)),
            Candidates::Many(seen) => match names.lists_of_call(call, seen) {
                Some(ids) if ids.len() <= FEW => *candidates = Candidates::Few(ids),
                _ => seen.push((call.index, call.count)),
            },
        }
    }
}
