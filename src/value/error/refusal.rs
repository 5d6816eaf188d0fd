//! The refusal of a user's own grammar.

use core::fmt;
use nom::error::ErrorKind;

/// The nom parser of your own grammar that refused the input, in
/// [`Problem::Grammar`](crate::Problem::Grammar).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Refusal(pub(crate) ErrorKind);

impl Refusal {
    /// nom's name for the parser.
    #[must_use]
    pub const fn kind(self) -> ErrorKind {
        self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.description())
    }
}
