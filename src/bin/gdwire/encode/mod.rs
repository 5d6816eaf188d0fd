//! `gdwire encode`: turns values written as text or JSON into bytes.
//!
//! Text files come in, which are not inputs of the other commands; the bytes of values go out.

mod args;
mod cursor;
mod encoding;
mod help;

pub(crate) use args::EncodeArgs as Args;
pub(crate) use encoding::run;
pub(crate) use help::{EXAMPLES, HELP};
