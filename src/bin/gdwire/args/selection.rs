//! The options that select messages, together.

use super::filters::Filters;
use super::period::Period;
use clap::Args;

/// The options that select messages, for every command that does not need `--to` for something else.
#[derive(Args)]
pub(crate) struct SelectionArgs {
    #[command(flatten)]
    pub(crate) filters: Filters,
    #[command(flatten)]
    pub(crate) period: Period,
}
