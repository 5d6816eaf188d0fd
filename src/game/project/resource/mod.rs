//! The text format of scenes, resources and `project.godot`: sections with attributes, and
//! properties with values.
//!
//! The text of a file comes in. What a project needs of it comes out: the nodes of a scene
//! ([`scene`]), which properties a synchronizer sends ([`replication`]), and the main scene, autoloads and
//! UIDs in `project.godot` ([`settings`]).

mod exported;
mod items;
pub(super) mod replication;
pub(super) mod scene;
pub(super) mod settings;
mod value;
