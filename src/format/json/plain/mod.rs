//! The plain form of values: what a program expects in JSON, without the types of the engine. See the
//! table in [`crate::json`].
//!
//! Views come in. `write` writes them as JSON, and `access` gives expressions the same values part by
//! part.

#[cfg(feature = "capture")]
mod access;
mod leaf;
mod write;

#[cfg(feature = "capture")]
pub(crate) use access::{List, Map, Plain};
pub(super) use write::write;
