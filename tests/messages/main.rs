//! The messages of captures, whatever carried them.

mod build;
mod calls;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod memory;
mod nodes;
mod read;
mod values;
