//! The options of `gdwire stats`.

use crate::args::units::time;
use crate::args::{InputArgs, NamesArgs, SaveArgs, ScreenArgs, SelectionArgs, VerbosityArgs};
use clap::{Args, ValueEnum};
use std::time::Duration;

#[derive(Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) saves: SaveArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: StatsFormat,
    /// Also count messages per interval of this length, such as 1s, 500ms or 1m
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) interval: Option<Duration>,
    /// Count all inputs together instead of each by itself
    #[arg(long)]
    pub(crate) total: bool,
    /// Sort the rows of tables by this
    #[arg(long, value_enum, default_value_t, value_name = "COLUMN")]
    pub(crate) sort: Sort,
    /// Show this many rows of each table
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) top: usize,
    /// Give each node a row of its own, also those that are alike
    #[arg(long)]
    pub(crate) nodes: bool,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum StatsFormat {
    /// Aligned tables
    #[default]
    Table,
    /// One JSON object per file
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Sort {
    /// The bytes, most first
    #[default]
    Bytes,
    /// The number of packets, messages or values, most first
    Count,
    /// The bytes per second, most first
    Rate,
    /// The names, in alphabetical order
    Name,
}
