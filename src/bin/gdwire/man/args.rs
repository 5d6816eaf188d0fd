//! The options of `gdwire man`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ManArgs {
    /// The folder to write a page for gdwire and each command to; without it, the page for gdwire goes to standard output
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
}
