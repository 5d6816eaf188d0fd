//! `gdwire completions`: writes the completion script of a shell.
//!
//! Turns the definition of the command line into a script.

mod args;
mod help;
mod script;

pub(crate) use args::CompletionsArgs as Args;
pub(crate) use help::{EXAMPLES, HELP};
pub(crate) use script::run;
