//! Reads the scripts and scenes of a Godot 4 project, to find names for the numbers in packets.
//!
//! Godot 4 sends the methods of remote calls, the scenes of spawned nodes and their properties as
//! numbers. A [`Project`] is read from the project's folder (`Project::open`), or made from the
//! contents of its files, and finds the names:
//!
//! ```
//! use gdwire::project::{Found, Project};
//!
//! let project = Project::from_files([
//!     ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
//!     ("main.tscn", "[gd_scene format=3]\n\
//!         [ext_resource type=\"Script\" path=\"res://chat.gd\" id=\"1\"]\n\
//!         [node name=\"Main\" type=\"Node\"]\n\
//!         [node name=\"Chat\" type=\"Node\" parent=\".\"]\n\
//!         script = ExtResource(\"1\")\n"),
//!     ("chat.gd", "extends Node\n@rpc(\"any_peer\") func say(text): pass\n@rpc func clear(): pass\n"),
//! ]);
//! assert!(project.problems().is_empty());
//!
//! // A node announces its path and the digest of its methods' names.
//! let Found::Known(list) = project.list_of_digest("f370dba7cf121edab116d38140347a19") else {
//!     panic!("the game has other scripts")
//! };
//! assert_eq!(project.list(list).name(1, false), Some("say"));
//! assert_eq!(project.list(list).script(), Some("res://chat.gd"));
//!
//! let node = project.node("Main/Chat").expect("the scene has this node");
//! assert_eq!(node.list, Some(list));
//! ```
//!
//! A list of methods is found by its digest, which also proves that it is the right one, or by the
//! node that has it ([`Project::node`]). [`Project::spawner`], [`Project::scene`] and
//! [`Project::config`] name what spawners and synchronizers send.
//!
//! These lookups know the nodes of scenes. Nodes that scripts add at run time are found from packets:
//! [`multiplayer::Names`](crate::multiplayer::Names) compares what packets show of a node with the
//! scenes that scripts and spawners can create. Scripts are read but not run. Binary scenes (`.scn`)
//! and resources (`.res`) are not read.
//!
//! Files can be hostile: time and memory are bounded by the size of the files and by limits. All
//! that could not be read is in [`Project::problems`]. Lookups do not allocate.

mod authority;
mod callable;
mod creates;
mod digests;
mod expand;
mod files;
mod ids;
mod in_use;
mod limits;
mod lists;
mod lookup;
mod names;
mod near;
#[cfg(feature = "std")]
mod open;
mod path;
mod places;
mod problems;
mod properties;
mod resource;
mod script;
mod tree;
mod view;

#[allow(unused_imports, reason = "only tests use them so far")]
pub(crate) use creates::made::{Made, Others};
pub(crate) use digests::digest;
pub use ids::{ConfigId, Found, ListId, SceneId, SpawnerId};
pub use lookup::{Node, Project, Role};
pub use problems::{Problem, ProblemKind};
pub use script::{RpcConfig, TransferMode};
pub use view::{Config, List, Parameters, Property, Scene, Spawner, Synchronizer};
