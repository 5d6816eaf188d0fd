//! `gdwire annotate`: copies a capture with its messages as comments on the packets.
//!
//! Turns messages and losses into comments, which `gdwire::capture::annotate` writes into the copy.

mod args;
mod commenter;
mod help;

pub(crate) use args::AnnotateArgs as Args;
pub(crate) use commenter::run;
pub(crate) use help::{EXAMPLES, HELP};
