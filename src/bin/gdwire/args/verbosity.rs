//! How much is printed on standard error.

use clap::Args;

#[derive(Args)]
pub(crate) struct VerbosityArgs {
    /// Print errors, but no warnings and no counts of packets that were not recognized or captured only in part
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print how each flow and file was classified, and how many values it has
    #[arg(long, short)]
    verbose: bool,
}

/// How much is printed on standard error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors, warnings and counts.
    Normal,
    /// Everything.
    Verbose,
}

impl VerbosityArgs {
    pub(crate) const fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
