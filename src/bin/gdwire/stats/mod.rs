//! `gdwire stats`: counts what captures and value files contain.
//!
//! Messages, values and losses come in and are counted by `gdwire::stats`; tables or JSON go out.

mod args;
mod counter;
mod help;
mod intervals;
mod table;

pub(crate) use args::StatsArgs as Args;
pub(crate) use counter::run;
pub(crate) use help::{EXAMPLES, HELP};
