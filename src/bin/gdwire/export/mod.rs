//! `gdwire export`: writes messages, losses and connections as tables for analysis engines.
//!
//! Turns them into rows with `gdwire::export`, and writes these as Parquet files or as an Arrow
//! stream.

mod args;
mod exporter;
mod help;
mod output;

pub(crate) use args::ExportArgs as Args;
pub(crate) use exporter::run;
pub(crate) use help::{EXAMPLES, HELP};
