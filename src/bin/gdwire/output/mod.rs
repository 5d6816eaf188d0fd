//! Writes results to standard output or a file.
//!
//! Text and JSON are written as they are, and values as bytes ([`Encoder`]). A file is replaced
//! after everything is written.

mod encoder;
mod file;
mod replacement;
mod stdout;

pub(crate) use encoder::Encoder;
pub(crate) use file::{Replaced, commit, open_or_stdout, write};
#[cfg(feature = "export")]
pub(crate) use replacement::Replacement;
pub(crate) use stdout::{json, text};
