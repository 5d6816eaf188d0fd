//! The role of a node in the multiplayer API, and when its properties are sent.

/// When the values of properties are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sent {
    /// With a spawn.
    Spawn,
    /// At intervals: in a sync.
    Always,
    /// When they change: in a delta.
    OnChange,
}

/// The role of a node in the multiplayer API.
#[derive(Clone, Copy, Default, Debug)]
#[cfg_attr(not(feature = "project"), expect(dead_code, reason = "only a project has them"))]
pub(super) enum Role<Spawner, Synchronizer> {
    #[default]
    Other,
    Spawner(Spawner),
    Synchronizer(Synchronizer),
}
