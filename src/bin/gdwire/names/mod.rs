//! Names that no packet contains.
//!
//! The options `--methods` and `--project` come in; the names of methods, scenes and properties go out,
//! for the messages of captures.

mod project;
mod sources;
