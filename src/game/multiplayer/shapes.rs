//! The lists of methods in a project, found by the calls that may be for them.

use super::known::{ConfigId, ListId, ProjectNames};
use super::role::Sent;
use super::sending::{CallShape, Key};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A list of remote methods in a project.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callable {
    pub(super) list: ListId,
    /// Whether only one script has the list.
    pub(super) is_of_one_script: bool,
}

/// The number of a [`Callable`] in [`Shapes`].
pub(super) type CallableId = u32;

/// The lists of remote methods in a project, by the calls that fit them.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    lists: Vec<Callable>,
    by_call: BTreeMap<Key, Vec<CallableId>>,
    /// The properties of synchronizers by how many a sync has.
    by_sync: BTreeMap<usize, Vec<ConfigId>>,
    /// The properties of synchronizers, in descending order of how many may be in a delta, and these
    /// numbers.
    by_delta: Vec<ConfigId>,
    watched: Vec<usize>,
}

/// How many entries there may be. A larger project has no shapes.
const ENTRIES: usize = 1 << 20;

/// The number of lists for one number of a method and one number of arguments that are compared with
/// a call.
const COMPARED: usize = 256;

/// More arguments than this are not told apart.
const COUNTS: usize = 16;

impl Shapes {
    pub(super) fn new(project: &ProjectNames) -> Shapes {
        let lists = project.callable();
        let lists = lists.map(|(list, is_of_one_script)| Callable { list, is_of_one_script });
        let mut shapes = Shapes { lists: lists.collect(), ..Shapes::default() };
        shapes.add_states(project);
        let mut entries = 0_usize;
        for (id, callable) in (0..).zip(&shapes.lists) {
            for (index, counts) in (0..).zip(project.argument_counts(callable.list)) {
                let (first, last) = (*counts.start(), *counts.end());
                for count in first.min(COUNTS)..=last.min(COUNTS) {
                    shapes.by_call.entry((index, count)).or_default().push(id);
                    entries = entries.saturating_add(1);
                }
                if entries > ENTRIES {
                    shapes.by_call.clear();
                    shapes.lists.clear();
                    return shapes;
                }
            }
        }
        shapes
    }

    fn add_states(&mut self, project: &ProjectNames) {
        let count = |config, sent| project.properties(config, sent).count();
        let mut by_delta = Vec::new();
        for config in project.sendable() {
            self.by_sync.entry(count(config, Sent::Always)).or_default().push(config);
            by_delta.push((count(config, Sent::OnChange), config));
        }
        by_delta.sort_by_key(|(count, _)| Reverse(*count));
        (self.watched, self.by_delta) = by_delta.into_iter().unzip();
    }

    /// The properties of synchronizers that may send as many values, or in a delta those with these
    /// places.
    pub(super) fn of_state(&self, values: usize, changed: Option<u64>) -> &[ConfigId] {
        match changed {
            None => self.by_sync.get(&values).map_or(&[], |configs| configs),
            Some(bits) => {
                let least = (u64::BITS - bits.leading_zeros()).max(1);
                let is_enough = |count: &usize| u32::try_from(*count).is_ok_and(|it| it >= least);
                let count = self.watched.partition_point(is_enough);
                self.by_delta.get(..count).unwrap_or(&[])
            }
        }
    }

    pub(super) fn callable(&self, id: CallableId) -> Option<Callable> {
        self.lists.get(usize::try_from(id).ok()?).copied()
    }

    /// The lists that a call fits and that have methods for other calls. None if there are too many
    /// to compare all with the call.
    pub(super) fn of_call(
        &self,
        project: &ProjectNames,
        call: &CallShape,
        others: &[Key],
    ) -> Option<Vec<CallableId>> {
        let at = |(index, count): Key| {
            self.by_call.get(&(index, count.min(COUNTS))).map_or(&[][..], |ids| &**ids)
        };
        let found = at(call.key());
        if found.len() > COMPARED {
            return None;
        }
        let has_others =
            |id: &CallableId| others.iter().all(|key| at(*key).binary_search(id).is_ok());
        let fitting = found.iter().filter(|id| self.fits(project, **id, call) && has_others(id));
        Some(fitting.copied().collect())
    }

    /// Whether a call may be one of a method in a list.
    pub(super) fn fits(&self, project: &ProjectNames, id: CallableId, call: &CallShape) -> bool {
        self.callable(id).is_some_and(|callable| project.fits(callable.list, call))
    }
}
