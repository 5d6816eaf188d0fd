//! The error of reading bytes: the problem, its offset, and the part of the format.

use super::problem::Problem;
use super::reading::Reading;
use super::words::Missing;
use core::fmt;

/// An error in the bytes of a value: what is wrong, at which byte, and what was being read there.
///
/// An input always leads to the same error, whether it is read at once, in pieces, or by a
/// combinator in a larger grammar. `Display` writes a sentence:
///
/// ```
/// use gdwire::{Dialect, parse};
///
/// let error = parse(Dialect::GODOT_3, &[2, 0, 0, 0, 7]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "byte 4: the input ends inside the number of an int: 4 bytes are needed, 1 is left"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("byte {offset}: {}", Sentence { reading: *.reading, problem: *.problem })]
#[non_exhaustive]
pub struct Error {
    /// The offset of the problem, in bytes from the start of the input.
    pub offset: usize,
    /// The part of the format that was being read there.
    pub reading: Reading,
    /// The problem with that part.
    pub problem: Problem,
}

impl Error {
    pub(crate) const fn new(offset: usize, reading: Reading, problem: Problem) -> Error {
        Error { offset, reading, problem }
    }

    /// The message without the offset.
    pub(crate) const fn sentence(&self) -> impl fmt::Display + use<> {
        Sentence { reading: self.reading, problem: self.problem }
    }

    /// The same error for an input with `bytes` more bytes at the front.
    #[must_use]
    pub const fn shifted(mut self, bytes: usize) -> Error {
        self.offset = self.offset.saturating_add(bytes);
        self
    }

    /// Whether more bytes could have made the input valid.
    #[must_use]
    pub const fn is_unexpected_end(&self) -> bool {
        matches!(self.problem, Problem::UnexpectedEnd { .. })
    }
}

struct Sentence {
    reading: Reading,
    problem: Problem,
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sentence { reading, problem } = self;
        match problem {
            Problem::UnexpectedEnd { needed, available } => {
                let missing = Missing { needed: *needed, available: *available };
                write!(f, "the input ends inside {reading}: {missing}")
            }
            _ => write!(f, "{reading} {problem}"),
        }
    }
}
