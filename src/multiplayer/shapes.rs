//! The lists of methods in a project, found by the calls that may be for them.

use super::known::{ListId, ProjectNames};
use super::sending::{CallShape, Key};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

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
}

/// How many entries there may be. A larger project has no shapes.
#[cfg(feature = "project")]
const ENTRIES: usize = 1 << 20;

/// The number of lists for one number of a method and one number of arguments that are compared with
/// a call.
const COMPARED: usize = 256;

/// More arguments than this are not told apart.
const COUNTS: usize = 16;

impl Shapes {
    #[cfg(feature = "project")]
    pub(super) fn new(project: &ProjectNames) -> Shapes {
        let lists = project.callable();
        let lists = lists.map(|(list, is_of_one_script)| Callable { list, is_of_one_script });
        let mut shapes = Shapes { lists: lists.collect(), by_call: BTreeMap::new() };
        let mut entries = 0_usize;
        for (id, callable) in (0..).zip(&shapes.lists) {
            for (index, counts) in (0..).zip(project.argument_counts(callable.list)) {
                let (first, last) = (*counts.start(), *counts.end());
                for count in first.min(COUNTS)..=last.min(COUNTS) {
                    shapes.by_call.entry((index, count)).or_default().push(id);
                    entries = entries.saturating_add(1);
                }
                if entries > ENTRIES {
                    return Shapes::default();
                }
            }
        }
        shapes
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
