//! Reads and writes compressed and encrypted saves.
//!
//! [`Saves`] turns the bytes of inputs into their content; [`Out`] turns encoded values into a
//! save. Keys are read from options or from the terminal.

mod keys;
mod packing;
mod prompt;
mod unpacking;

pub(crate) use packing::Out;
pub(crate) use unpacking::{Saves, key_to_encrypt};
