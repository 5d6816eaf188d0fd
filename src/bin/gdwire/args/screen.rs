//! The options for the colours and the width of results.

use clap::{Args, ValueEnum};

/// The smallest width that lines can be fitted to, in columns.
pub(crate) const LEAST: u16 = 20;

#[derive(Args)]
pub(crate) struct ScreenArgs {
    /// When to use colors; NO_COLOR and CLICOLOR_FORCE decide for auto, then whether the output is a terminal
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Fit lines to N columns [default: the width of the terminal; in pipes and files, lines are whole]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(i64::from(LEAST)..))]
    pub(crate) width: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also in pipes and files, for example for 'less -R'
    Always,
    /// Not even on a terminal
    Never,
}
