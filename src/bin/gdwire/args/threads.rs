//! The number of threads that work at the same time.

use clap::Args;
use std::num::NonZero;
use std::thread;

/// The number of threads that work at the same time.
#[derive(Args)]
pub(crate) struct Threads {
    /// Read capture files with this many threads [default: one for each core]
    ///
    /// The output is the same for every number. Captures from standard input or an interface, and
    /// those read with --follow, are read with one thread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn count(&self) -> NonZero<usize> {
        self.threads
            .and_then(|threads| NonZero::new(usize::from(threads)))
            .or_else(|| thread::available_parallelism().ok())
            .unwrap_or(NonZero::<usize>::MIN)
    }
}
