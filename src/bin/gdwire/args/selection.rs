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

impl SelectionArgs {
    /// Whether only some of the messages are selected.
    pub(crate) fn is_used(&self) -> bool {
        let SelectionArgs { filters, period } = self;
        let has_period = period.from.is_some() || period.to.is_some();
        has_period || filters.has_places() || filters.has_contents() || filters.limit.is_some()
    }
}
