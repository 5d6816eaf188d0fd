//! The remote methods of scripts, in the order of the files.
//!
//! The text of a script comes in. [`gdscript`] and [`csharp`] read the two languages, and add the
//! classes in it to [`Scripts`]. [`engine`] lists the classes of the engine that scripts extend.

mod classes;
mod cs_runtime;
mod cs_tokens;
pub(super) mod csharp;
pub(super) mod engine;
mod gd_mentions;
mod gd_runtime;
mod gd_tokens;
pub(super) mod gdscript;
mod rpc;
mod signature;
mod tokens;

pub(super) use classes::{Class, ClassId, Extends, Language, Method, Scripts};
pub use rpc::{RpcConfig, TransferMode};
pub(super) use signature::{SignatureId, Signatures};
