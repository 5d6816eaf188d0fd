//! What is read of Godot 4 projects.

mod arena;
#[path = "../common/mod.rs"]
mod common;
