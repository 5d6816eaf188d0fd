//! `gdwire diagnose`: says what is wrong with the traffic of a game.
//!
//! Messages, losses and connections come in and are judged by `gdwire::diagnose`; sentences and a table
//! of connections, or JSON, go out.

mod args;
mod diagnoser;
mod findings;
mod help;

pub(crate) use args::DiagnoseArgs as Args;
pub(crate) use diagnoser::run;
pub(crate) use help::{EXAMPLES, HELP};
