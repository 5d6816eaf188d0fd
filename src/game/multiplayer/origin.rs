//! Nodes that scripts have made: what is known about their scenes.

use super::known::{Basis, SceneId, Shared};
use super::scenes::Scenes;
use crate::net::peer::PeerEnd;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The number of an announcement in a connection, from 1; 0 for none. Every reading of the same
/// packets gives them the same numbers.
pub(super) type Ordinal = u32;

/// A node that a script has made.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// Its path, if that is known.
    pub(super) path: Option<Shared<str>>,
    pub(super) scenes: Scenes,
    /// What its scene is known from once only one is left.
    pub(super) basis: Basis,
    /// The announced nodes whose names depend on its scene.
    pub(super) parts: Vec<Part>,
    /// How many announcements were noted when a packet last showed that it is of one of the scenes.
    pub(super) seen: Ordinal,
    /// How many announcements were noted when a node below it was last despawned; else 0.
    pub(super) despawned: Ordinal,
}

/// An announced node, by its sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// A path, by its id.
    Path(PeerEnd, u32),
    /// A spawned node, by its net id.
    Node(PeerEnd, u32),
}

/// The search for the scene on which the names of an announced node depend.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Search {
    /// The node that a script has made, once it is known; else 0.
    pub(super) origin: Ordinal,
    /// How many more states are looked at that may bring nothing new.
    pub(super) left: u8,
    /// The properties that changed in the deltas so far.
    pub(super) seen: u64,
}

impl Search {
    /// A search that has just begun.
    pub(super) const fn new(origin: Ordinal) -> Search {
        /// A scene is usually known from the first state. Later ones may have values of other types.
        const STATES: u8 = 16;
        Search { origin, left: STATES, seen: 0 }
    }

    /// Whether a state may show something new.
    pub(super) const fn is_open(&self, changed: Option<u64>) -> bool {
        let is_new = match changed {
            Some(bits) => bits & !self.seen != 0,
            None => false,
        };
        self.left > 0 || is_new && self.origin > 0
    }

    /// Notes that a state was looked at.
    pub(super) const fn looked(&mut self, changed: Option<u64>) {
        self.left = self.left.saturating_sub(1);
        if let Some(bits) = changed {
            self.seen |= bits;
        }
    }
}

/// What the packets of a connection have shown about the scenes of nodes, by the numbers of the
/// nodes' first announcements.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Conclusions {
    /// The number of the connection.
    pub(super) connection: u64,
    #[expect(clippy::box_collection, reason = "most connections have none, and may be many")]
    by_ordinal: Option<Box<BTreeMap<Ordinal, Conclusion>>>,
}

/// The length of a node's path, and the scenes of which it may be an instance.
pub(super) type Conclusion = (Option<usize>, Box<[SceneId]>);

/// The number of nodes of a connection whose scenes are remembered.
const MOST: usize = 1 << 16;

impl Conclusions {
    pub(super) const fn new() -> Conclusions {
        Conclusions { connection: 0, by_ordinal: None }
    }

    /// Without any conclusion.
    #[cfg(feature = "capture")]
    pub(super) const fn of_same_connection(&self) -> Conclusions {
        Conclusions { connection: self.connection, by_ordinal: None }
    }

    pub(super) fn add(&mut self, ordinal: Ordinal, (path, scenes): (Option<usize>, &Scenes)) {
        let by_ordinal = self.by_ordinal.get_or_insert_default();
        if by_ordinal.len() < MOST || by_ordinal.contains_key(&ordinal) {
            by_ordinal.insert(ordinal, (path, scenes.list().into()));
        }
    }

    pub(super) fn get(&self, ordinal: Ordinal) -> Option<&Conclusion> {
        self.by_ordinal.as_ref()?.get(&ordinal)
    }

    /// The number of nodes.
    #[cfg(feature = "capture")]
    pub(super) fn len(&self) -> usize {
        self.by_ordinal.as_ref().map_or(0, |known| known.len())
    }
}
