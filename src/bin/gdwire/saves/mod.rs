//! Compressed and encrypted saves.
//!
//! The bytes of inputs come in and their content goes out ([`Saves`]); or encoded values come in and a
//! save goes out ([`Out`]). Keys come from options, or from the terminal.

mod keys;
mod packing;
mod prompt;
mod unpacking;

pub(crate) use packing::Out;
pub(crate) use unpacking::{Saves, key_to_encrypt};
