//! Numbers for the scenes, lists and other parts of a project: indexes into its tables.

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
pub enum Found {
    /// This list has the digest.
    Known(ListId),
    /// Lists with different names have this digest.
    Ambiguous,
    /// No known list has this digest. The captured game is another version of the project, or makes
    /// methods remote in a way that the scripts do not show.
    Unknown,
}

/// The index in a table for a number.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The number for an index in a table.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
