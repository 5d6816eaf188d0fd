//! Interns names and paths: each is stored once and is referred to by a number.

use super::limits;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The number of a name, a path or another string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NameId(u32);

impl NameId {
    /// The smallest number.
    pub(super) const FIRST: NameId = NameId(0);
}

/// The interned names, paths and other strings of a project.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    ids: BTreeMap<Box<str>, NameId>,
    texts: Vec<Box<str>>,
    bytes: usize,
}

impl Names {
    /// The number of a string, which is added if it is new.
    pub(super) fn add(&mut self, text: &str) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.bytes += text.len();
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The number of a string, if it was added.
    pub(super) fn get(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    pub(super) fn text(&self, id: NameId) -> &str {
        let index = usize::try_from(id.0).ok();
        index.and_then(|index| self.texts.get(index)).map_or("", |text| &**text)
    }

    /// Whether the limit is reached and no further declaration should be read. The strings of the
    /// current one may still be added.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= limits::NAME_BYTES || self.texts.len() >= limits::NAMES
    }
}
