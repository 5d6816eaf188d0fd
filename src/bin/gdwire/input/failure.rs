//! Why reading an input ends early.

use std::io;

/// Why reading a file ends early.
pub(crate) enum Failure {
    Output(io::Error),
    Input(io::Error),
    /// As many messages as the user asked for are handed on.
    Enough,
}
