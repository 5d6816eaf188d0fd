//! Why the whole run ends early.

use std::io;

/// Why the whole run ends early.
pub(crate) enum Stop {
    /// The results cannot be written.
    Output(io::Error),
    /// The options or the files do not allow the run.
    Usage(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Output(error)
    }
}
