//! The options of `gdwire completions`.

use clap::Args;
use clap_complete::Shell;

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to write the script for
    pub(crate) shell: Shell,
}
