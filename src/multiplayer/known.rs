//! The names and the role of one node, from sources other than packets.

#[cfg(feature = "project")]
pub(super) use super::in_project::{
    ConfigId, ListId, ProjectNames, SceneId, SpawnerId, SynchronizerId, digest,
};
#[cfg(not(feature = "project"))]
pub(super) use super::no_project::{
    ConfigId, ListId, ProjectNames, SceneId, SpawnerId, SynchronizerId, digest,
};

/// A reference-counted pointer: `Arc`, or `Rc` if the target has no atomic pointers.
#[cfg(not(target_has_atomic = "ptr"))]
pub(super) use alloc::rc::Rc as Shared;
#[cfg(target_has_atomic = "ptr")]
pub(super) use alloc::sync::Arc as Shared;

/// The role of a node. Spawners and synchronizers are referred to by their ids.
pub(super) type Role = super::role::Role<SpawnerId, ConfigId>;

/// What is known about a node.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Known {
    pub(super) methods: MethodNames,
    pub(super) role: Role,
}

/// Where the names of a node's methods are.
#[derive(Clone, Copy, Default, Debug)]
pub(super) enum MethodNames {
    #[default]
    Unknown,
    /// In this line of a list of methods.
    Line(usize),
    /// In this list of a project.
    Project(ListId),
}
