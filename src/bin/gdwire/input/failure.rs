//! Why reading an input ends early.

use std::io;

/// Why reading an input ends early.
pub(crate) enum Failure {
    Output(io::Error),
    Input(io::Error),
    /// The sink has received as many messages as `--limit` allows.
    Enough,
}
