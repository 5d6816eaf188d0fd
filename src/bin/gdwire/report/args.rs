//! The options of `gdwire report`.

use crate::args::{InputArgs, NamesArgs, SelectionArgs, VerbosityArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(mut_arg("input", |arg| arg.default_value("capture").hide(true)))]
#[command(mut_arg("files", |arg| arg.help("Captures; - is standard input")))]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    /// Write the page to this file instead of standard output
    ///
    /// The file is replaced after all inputs were read. If an input cannot be read, the file stays
    /// as it was.
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}
