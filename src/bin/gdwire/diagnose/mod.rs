//! `gdwire diagnose`: says what is wrong with the traffic of a game.
//!
//! Messages, losses and connections come in, and `gdwire::diagnose` judges them. Sentences and a table
//! of connections go out, or JSON.

mod args;
mod diagnoser;
mod findings;
mod help;

pub(crate) use args::DiagnoseArgs as Args;
pub(crate) use diagnoser::run;
pub(crate) use help::{EXAMPLES, HELP};
