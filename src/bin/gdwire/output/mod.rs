//! Where results go: standard output or a file.
//!
//! Text and JSON come in as they are; values come in and go out as bytes ([`Encoder`]). A file is
//! replaced once everything is written.

mod encoder;
mod file;
mod replacement;
mod stdout;

pub(crate) use encoder::Encoder;
pub(crate) use file::{commit, open_or_stdout};
#[cfg(feature = "export")]
pub(crate) use replacement::Replacement;
pub(crate) use stdout::{json, text};
