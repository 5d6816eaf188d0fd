//! The options of `gdwire annotate`.

use crate::args::{NamesArgs, ReadingArgs, SelectionArgs, VerbosityArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct AnnotateArgs {
    /// The capture to copy
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the copy to this file, which is replaced once the copy is complete; - is standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Also comment on unrecognized packets and unreadable messages, with size and reason
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) names: NamesArgs,
    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,
}
