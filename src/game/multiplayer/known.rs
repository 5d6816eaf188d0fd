//! The names and the role of one node, from sources other than packets.

pub(super) use super::in_project::{
    ConfigId, ListId, ProjectNames, SceneId, SpawnerId, SynchronizerId, digest,
};
pub(super) use super::role::{ListFit, Property};

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
    /// Whether the announced digest proves the methods.
    pub(super) is_proven: bool,
    pub(super) role: Role,
    /// The instantiated scene that contains the node, from which its role and methods without a
    /// digest are known.
    pub(super) instance: Option<Instance>,
    /// The properties whose names are not known, because the node may be of one of several scenes.
    pub(super) unclear: Unclear,
}

/// A scene that was instantiated, and what it is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Instance {
    pub(super) scene: SceneId,
    pub(super) basis: Basis,
}

/// What the scene of a node is known from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Basis {
    /// The number in the list of a spawner.
    List(SpawnerId, u8),
    /// The scripts: the function of a spawner creates only this scene.
    Function,
    /// What packets show of the node: no other scene fits.
    Structure,
}

/// Properties whose names differ between the scenes of which a node may be: one bit for each place.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Unclear {
    pub(super) always: u32,
    pub(super) on_change: u32,
}

impl Instance {
    /// The spawner whose list has the scene, and its number there.
    pub(super) const fn listed(self) -> Option<(SpawnerId, u8)> {
        match self.basis {
            Basis::List(spawner, number) => Some((spawner, number)),
            Basis::Function | Basis::Structure => None,
        }
    }
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
    /// In this list of the [evidence](super::evidence::Evidence), which a digest proves.
    OfDigest(u32),
}
