//! `gdwire stats`: counts what captures and value files contain.
//!
//! `gdwire::stats` counts messages, values and losses; the counts are written as tables or JSON.

mod args;
mod counter;
mod help;
mod intervals;
mod table;

pub(crate) use args::StatsArgs as Args;
pub(crate) use counter::run;
pub(crate) use help::{EXAMPLES, HELP};
