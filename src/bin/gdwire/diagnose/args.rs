//! The options of `gdwire diagnose`.

use crate::args::{InputArgs, NamesArgs, ScreenArgs, SelectionArgs, VerbosityArgs};
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct DiagnoseArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// The format of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: DiagnoseFormat,
    /// Show this many nodes or methods of each kind of finding, and this many connections
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DiagnoseFormat {
    /// Sentences for people
    #[default]
    Text,
    /// One JSON object per file
    Json,
}
