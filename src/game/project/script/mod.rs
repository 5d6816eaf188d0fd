//! The remote methods of scripts, in the order of the files.
//!
//! The text of a script comes in. [`gdscript`] and [`csharp`] read the two languages, and add the
//! classes in it to [`Scripts`]. [`engine`] and [`no_nodes`] list the classes of the engine that scripts
//! extend. [`authority`] finds the nodes of which scripts make a client the authority.

mod authority;
mod body;
mod classes;
mod containers;
mod cs_body;
mod cs_effects;
mod cs_expression;
pub(super) mod cs_parser;
mod cs_runtime;
mod cs_tokens;
pub(super) mod csharp;
pub(super) mod engine;
mod expression;
mod gd_effects;
mod gd_mentions;
mod gd_runtime;
mod gd_tokens;
pub(super) mod gdscript;
pub(super) mod no_nodes;
pub(super) mod parser;
mod rpc;
mod signature;
pub(super) mod syntax;
mod tokens;

pub(super) use authority::{Grant, Grants};
pub(super) use classes::{Class, ClassId, Extends, Language, Member, MemberKind, Method, Scripts};
pub(super) use containers::changes_container;
pub use rpc::{RpcConfig, TransferMode};
pub(super) use signature::{SignatureId, Signatures};

/// Whether a script may give a synchronizer other properties than those in a scene. To read them is no
/// change.
pub(super) fn changes_synchronizers(script: &str) -> bool {
    const CALLED: [&str; 10] = [
        "SceneReplicationConfig.new",
        "new SceneReplicationConfig",
        "add_property",
        "AddProperty",
        "remove_property",
        "RemoveProperty",
        "property_set_",
        "PropertySet",
        "set_replication_config",
        "set_root_path",
    ];
    const ASSIGNED: [&str; 4] =
        ["replication_config", "ReplicationConfig", "root_path", "RootPath"];
    let is_assigned = |word: &&str| {
        let mut after = script.split(*word).skip(1).map(str::trim_start);
        // Also by name: `set("replication_config", …)`.
        after.any(|rest| rest.starts_with('"') || rest.starts_with('=') && !rest.starts_with("=="))
    };
    CALLED.iter().any(|word| script.contains(word)) || ASSIGNED.iter().any(is_assigned)
}
