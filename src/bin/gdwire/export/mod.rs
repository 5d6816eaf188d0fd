//! `gdwire export`: writes messages, losses and connections as tables for analysis engines.
//!
//! They come in and become rows of `gdwire::export`; Parquet files or an Arrow stream go out.

mod args;
mod exporter;
mod help;
mod output;

pub(crate) use args::ExportArgs as Args;
pub(crate) use exporter::run;
pub(crate) use help::{EXAMPLES, HELP};
