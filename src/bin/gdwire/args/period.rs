//! The options that select messages by time.

use super::moment::Moment;
use clap::Args;

/// The options that select messages by time. `convert` lacks them, because its `--to` names an
/// engine.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Period {
    /// Select messages from this time on, such as 2026-11-21T07:55:51Z, 07:55:51, or 5s after the first packet
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Moment>,
    /// Select messages before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<Moment>,
}
