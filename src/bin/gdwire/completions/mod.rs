//! `gdwire completions`: writes the completion script of a shell.
//!
//! The definition of the command line comes in; a script goes out.

mod args;
mod help;
mod script;

pub(crate) use args::CompletionsArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use script::run;
