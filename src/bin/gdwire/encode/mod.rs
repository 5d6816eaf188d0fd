//! `gdwire encode`: turns values written as text or JSON into bytes.
//!
//! Reads text files, which other commands do not read, and writes the bytes of the values.

mod args;
mod cursor;
mod encoding;
mod help;

pub(crate) use args::EncodeArgs as Args;
pub(crate) use encoding::run;
pub(crate) use help::{EXAMPLES, HELP};
