//! Numbers for the parts of a project: indexes into its tables. Names and paths are stored once, and
//! have numbers, too.

use super::limits;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A list of methods: see [`Project::list`](super::Project::list).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListId(pub(super) u32);

/// A scene: see [`Project::scene`](super::Project::scene).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SceneId(pub(super) u32);

/// A `MultiplayerSpawner`: see [`Project::spawner`](super::Project::spawner).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpawnerId(pub(super) u32);

/// The properties of a `MultiplayerSynchronizer`: see [`Project::config`](super::Project::config).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConfigId(pub(super) u32);

/// The number of a class of a script.
pub(super) type ClassId = u32;

/// The result of looking for a list of methods by its digest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DigestMatch {
    /// This list has the digest.
    Known(ListId),
    /// Lists with different names have this digest.
    Ambiguous,
    /// No known list has this digest. The captured game is another version of the project, or makes
    /// methods remote in a way that the scripts do not show.
    Unknown,
}

/// The progress with a class or scene that may need others before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VisitState {
    New,
    Open,
    Done,
}

/// The index in a table for a number.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The number for an index in a table.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The number of a name, a path or another string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NameId(pub(super) u32);

impl NameId {
    /// The smallest number.
    pub(super) const FIRST: NameId = NameId(0);
}

/// The interned names, paths and other strings of a project.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    ids: BTreeMap<Box<str>, NameId>,
    texts: Vec<Box<str>>,
    bytes: usize,
}

impl Interner {
    /// The number of a string, which is added if it is new.
    pub(super) fn add(&mut self, text: &str) -> NameId {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = NameId(number(self.texts.len()));
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
        self.texts.get(index(id.0)).map_or("", |text| &**text)
    }

    /// Whether the limit is reached and no further declaration should be read. The strings of the
    /// current one may still be added.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= limits::NAME_BYTES || self.texts.len() >= limits::NAMES
    }
}
