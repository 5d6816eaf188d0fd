//! Names that no packet contains.
//!
//! Reads the options `--methods` and `--project`, and returns the names of methods, scenes and
//! properties for the messages of captures.

mod project;
mod sources;
