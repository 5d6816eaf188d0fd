//! `gdwire decode`: prints values and remote calls.
//!
//! Turns messages, values and losses into lines of text or JSON. The printer chooses the format:
//! one of the files `bare`, `lines`, `ndjson` and `text`, or `explain` with its `rows`.

mod args;
mod bare;
mod clock;
mod ends;
mod explain;
mod lines;
mod ndjson;
mod printer;
mod rows;
mod style;
mod text;
mod written;

pub(crate) use args::DecodeArgs;
pub(crate) use printer::run;
