//! Real engines, and analysis engines, read what this crate writes.

mod common;
mod engine;
#[cfg(feature = "export")]
mod tables;
