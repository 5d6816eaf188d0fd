//! The role of a node in the multiplayer API, and when its properties are sent.

use crate::value::Kind;

/// A property that a synchronizer sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Property<'p> {
    pub(super) name: &'p str,
    /// The kind of its values, if that is declared.
    pub(super) kind: Option<Kind>,
}

/// Whether a list of methods has the digest that was announced for a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListFit {
    /// It has: alone, or with methods that were made remote at run time.
    Same,
    /// Another script of the project has it.
    Other,
    /// No script of the project has it.
    Unknown,
    /// That cannot be said, because several scripts have it.
    Unclear,
}

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
pub(super) enum Role<Spawner, Synchronizer> {
    #[default]
    Other,
    Spawner(Spawner),
    Synchronizer(Synchronizer),
}
