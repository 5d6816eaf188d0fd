//! Ids of nodes that were announced before a recording began, and the lists of methods in the project
//! that fit all calls with these ids.

use super::fit::fit_of_state;
use super::known::ConfigId;
use super::names::Names;
use super::sending::{CallShape, Key};
use super::shapes::CallableId;
use super::states::{State, Synchronizer};
use crate::net::peer::PeerEnd;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The ids in the packets of one connection that it did not announce, by their senders.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Unannounced {
    nodes: BTreeMap<(PeerEnd, u32), Candidates>,
    /// The properties that synchronizers may have: empty if none fit, none if too many fit.
    synchronizers: BTreeMap<(PeerEnd, Id), Option<Vec<ConfigId>>>,
    /// How often something was noted.
    version: u64,
}

/// The id of a synchronizer: whether it is a net id, and its number.
type Id = (bool, u32);

const fn id(synchronizer: Synchronizer) -> Id {
    match synchronizer {
        Synchronizer::PathId(id) => (false, id),
        Synchronizer::NetId(id) => (true, id),
    }
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
/// The number of configurations that are compared with a state, and that are kept for an id.
const COMPARED: usize = 64;
const CONFIGS: usize = 16;
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
        self.nodes.len().saturating_add(self.synchronizers.len())
    }

    /// About how many bytes of memory they take.
    pub(super) fn held_bytes(&self) -> usize {
        self.nodes.len().saturating_add(self.synchronizers.len()).saturating_mul(128)
    }

    pub(super) fn candidates(&self, sender: PeerEnd, id: u32) -> Option<&Candidates> {
        self.nodes.get(&(sender, id))
    }

    /// Adds what another connection knows about an id.
    #[cfg(feature = "capture")]
    pub(super) fn insert(&mut self, sender: PeerEnd, id: u32, candidates: Candidates) {
        self.nodes.insert((sender, id), candidates);
    }

    /// The properties that a synchronizer may have; none if too many fit.
    pub(super) fn configs(
        &self,
        sender: PeerEnd,
        synchronizer: Synchronizer,
    ) -> Option<&[ConfigId]> {
        self.synchronizers.get(&(sender, id(synchronizer)))?.as_deref()
    }

    /// Adds what another connection knows about a synchronizer.
    #[cfg(feature = "capture")]
    pub(super) fn insert_configs(
        &mut self,
        sender: PeerEnd,
        of: Synchronizer,
        configs: &[ConfigId],
    ) {
        self.synchronizers.insert((sender, id(of)), Some(configs.to_vec()));
    }

    /// Whether a state shows more about its synchronizer.
    pub(super) fn is_clue_of_state(
        &self,
        names: &Names,
        sender: PeerEnd,
        state: &State<'_>,
    ) -> bool {
        match self.synchronizers.get(&(sender, id(state.synchronizer))) {
            None => self.synchronizers.len() < NODES,
            Some(None) => false,
            Some(Some(configs)) => {
                configs.iter().any(|config| fit_of_state(names, *config, state).is_err())
            }
        }
    }

    /// Notes what a state shows about its synchronizer.
    pub(super) fn note_state(&mut self, names: &Names, sender: PeerEnd, state: &State<'_>) {
        self.version = self.version.wrapping_add(1);
        let fits = |config: &ConfigId| fit_of_state(names, *config, state).is_ok();
        let known = self.synchronizers.entry((sender, id(state.synchronizer)));
        let new = || {
            let all = names.configs_of_state(state.values.len(), state.changed);
            let few = Some(all).filter(|all| all.len() <= COMPARED)?;
            let fitting: Vec<ConfigId> = few.iter().copied().filter(fits).collect();
            Some(fitting).filter(|fitting| fitting.len() <= CONFIGS)
        };
        if let Some(configs) = known.or_insert_with(new) {
            configs.retain(fits);
        }
    }

    /// Whether a call shows more about its node.
    pub(super) fn is_clue(&self, names: &Names, node: (PeerEnd, u32), call: &CallShape) -> bool {
        match self.nodes.get(&node) {
            None => self.nodes.len() < NODES,
            Some(Candidates::Many(seen)) => {
                seen.len() < CALLS && !seen.contains(&(call.index, call.count))
            }
            Some(Candidates::Few(ids)) => ids.iter().any(|id| !names.fits_call(*id, call)),
        }
    }

    /// Notes what a call shows about its node.
    pub(super) fn note(&mut self, names: &Names, node: (PeerEnd, u32), call: &CallShape) {
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
