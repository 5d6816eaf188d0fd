//! The lists of remote methods that nodes of a project may have.

use super::digests::EMPTY;
use super::ids::{ListId, index};
use super::lookup::Project;
use super::script::{ClassId, Extends};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A script that extends as many scripts may extend itself.
const CHAIN: usize = 64;

impl Project {
    /// The lists of remote methods that nodes may have from their scripts, and whether only one script
    /// has each. Empty if the methods of such a script are not known.
    pub(crate) fn callable(&self) -> Vec<(ListId, bool)> {
        let mut lists: BTreeMap<u32, (ListId, bool)> = BTreeMap::new();
        if self.in_use.has_others {
            return Vec::new();
        }
        for class in &self.in_use.classes {
            let Some(list) = self.digests.by_class.get(index(*class)).copied().flatten() else {
                if self.may_have_methods(*class) {
                    return Vec::new();
                }
                continue;
            };
            let methods = self.digests.lists.get(index(list)).map_or(EMPTY, |list| list.methods);
            if methods != EMPTY {
                let found = lists.entry(methods);
                found.and_modify(|(_, is_only)| *is_only = false).or_insert((ListId(list), true));
            }
        }
        lists.into_values().collect()
    }

    /// Whether a script of which not everything is known may have remote methods. A class that
    /// neither the project nor the engine has is one of an extension of the engine, and has none.
    fn may_have_methods(&self, class: ClassId) -> bool {
        let list = self.lists.classes.get(index(class)).copied().flatten();
        let base = |class: &ClassId| self.lists.bases.get(index(*class)).copied().flatten();
        let chain = || core::iter::successors(Some(class), base).take(CHAIN);
        let is_known = |class: ClassId| {
            let script = self.scripts.class(class).filter(|script| !script.is_damaged);
            script.is_some_and(|script| match script.extends {
                Extends::Path(..) => base(&class).is_some(),
                Extends::Names(_) | Extends::Nothing => true,
            })
        };
        let is_empty = list.is_some_and(|list| list.methods == EMPTY);
        !is_empty || chain().count() == CHAIN || !chain().all(is_known)
    }
}
