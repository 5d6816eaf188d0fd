//! The messages of captures, whatever carried them.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod nodes;
mod read;
mod values;
