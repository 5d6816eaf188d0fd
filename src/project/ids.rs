//! The numbers by which tables refer to what a project has.

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

/// The methods of a node, as far as a digest shows them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Found {
    /// The node has this list.
    Known(ListId),
    /// Lists with different names have this digest.
    Ambiguous,
    /// No script of the project has this digest. The game that was captured is another version, or
    /// makes methods remote in a way that its scripts do not show.
    Unknown,
}

/// The place of something in its table.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The number of something by its place in its table.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
