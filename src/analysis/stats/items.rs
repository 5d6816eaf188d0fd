//! Counts by name, in bounded memory.

use super::amount::{Amount, Usage};
use super::item::Item;
use super::limits::StatsLimits;
use crate::game::multiplayer::PeerId;
use hashbrown::{Equivalent, HashMap};
use std::hash::RandomState;

/// The counts of items with different names, up to a number of items and of bytes in their names.
///
/// The names come from the network, so the hashes are seeded randomly.
#[derive(Clone, Debug)]
pub(super) struct Items {
    counts: HashMap<Item<Box<str>>, Counted, RandomState>,
    limit: usize,
    /// How many more bytes names may take.
    free: usize,
    /// The items beyond the limits.
    pub(super) further: Amount,
}

/// How often an item was sent, and in which scene its node is.
#[derive(Clone, Copy, Default, Debug)]
struct Counted {
    usage: Usage,
    scene: Option<InScene>,
}

/// The place of a node in a scene.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct InScene {
    /// The number of the scene.
    pub(super) scene: usize,
    /// The bytes at the end of the node's path that are its path below the root of the scene.
    pub(super) rest: usize,
}

impl Equivalent<Item<Box<str>>> for Item<&str> {
    fn equivalent(&self, key: &Item<Box<str>>) -> bool {
        *self == key.map(|name| &**name)
    }
}

impl Items {
    pub(super) fn new(limits: &StatsLimits) -> Items {
        let (counts, further) = (HashMap::default(), Amount::default());
        Items { counts, limit: limits.items, free: limits.name_bytes, further }
    }

    /// Counts an item that a multiplayer peer sent.
    pub(super) fn add(&mut self, item: &Item<&str>, bytes: usize, source: Option<PeerId>) {
        self.add_with_scene(item, bytes, source, || None);
    }

    /// Counts an item that a multiplayer peer sent. Its scene may become known later, so the
    /// function that finds it is called the first time, the second, the fourth and so on.
    pub(super) fn add_with_scene(
        &mut self,
        item: &Item<&str>,
        bytes: usize,
        source: Option<PeerId>,
        scene: impl FnOnce() -> Option<InScene>,
    ) {
        if let Some(counted) = self.counts.get_mut(item) {
            counted.usage.add(bytes, source);
            if counted.usage.total.count.is_power_of_two() {
                counted.scene = scene().or(counted.scene);
            }
            return;
        }
        let mut names = 0_usize;
        item.map(|name| names = names.saturating_add(name.len()));
        match self.free.checked_sub(names) {
            Some(free) if self.counts.len() < self.limit => {
                self.free = free;
                let mut counted = Counted { usage: Usage::default(), scene: scene() };
                counted.usage.add(bytes, source);
                self.counts.insert(item.map(|name| Box::from(*name)), counted);
            }
            _ => self.further.add(bytes),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Item<&str>, Usage)> {
        self.counts.iter().map(|(item, counted)| (item.map(|name| &**name), counted.usage))
    }

    /// The place of an item's node in a scene, if that is known.
    pub(super) fn place(&self, item: &Item<&str>) -> Option<InScene> {
        self.counts.get(item)?.scene
    }
}

#[cfg(test)]
mod tests {
    use super::Items;
    use crate::analysis::stats::{Item, Member, NodeName, StatsLimits};
    use crate::game::multiplayer::PeerId;

    fn item<'n>(node: NodeName<&'n str>, member: Member<&'n str>) -> Item<&'n str> {
        Item { node, member }
    }

    #[test]
    fn names_take_bounded_memory() {
        let path = "a".repeat(60_000);
        let called =
            |index| item(NodeName::Path(&path), Member::MethodNumber { index, is_own: false });
        let mut items = Items::new(&StatsLimits::default());
        for index in 0..1_000 {
            items.add(&called(index), 10, None);
        }
        assert_eq!((items.counts.len(), items.further.count), (559, 441));
        // A known method is still counted.
        items.add(&called(0), 10, Some(PeerId::SERVER));
        assert_eq!((items.counts.len(), items.further.bytes), (559, 4_410));

        let limits = StatsLimits::default();
        let mut items = Items::new(&limits);
        for index in 0..=limits.items {
            items.add(&item(NodeName::Id(7), Member::Method(&index.to_string())), 10, None);
        }
        assert_eq!((items.counts.len(), items.further.count), (limits.items, 1));
    }
}
