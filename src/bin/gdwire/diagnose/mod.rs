//! `gdwire diagnose`: finds what is wrong with the traffic of a game.
//!
//! Passes messages, losses and connections to `gdwire::diagnose`. Writes its findings as sentences,
//! after a table of the connections, or as JSON.

mod args;
mod diagnoser;
mod findings;
mod help;

pub(crate) use args::DiagnoseArgs as Args;
pub(crate) use diagnoser::run;
pub(crate) use help::{EXAMPLES, HELP};
