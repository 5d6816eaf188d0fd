//! What can be wrong with an input.

use super::refusal::Refusal;
use super::words::{Missing, bytes};
use core::fmt;

/// The problem with an input.
///
/// ```
/// use gdwire::{Dialect, parse};
///
/// let error = parse(Dialect::GODOT_3, &[99, 0, 0, 0]).unwrap_err();
/// assert_eq!(error.problem.to_string(), "has type 99, which the dialect does not know");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The input ends too early.
    UnexpectedEnd {
        /// How many bytes this part needs.
        needed: usize,
        /// How many bytes are left.
        available: usize,
    },
    /// The dialect has no type with this number.
    UnknownType {
        /// The low byte of the header, or of the element type.
        number: u8,
    },
    /// A string is not UTF-8. Only the part up to its first NUL is checked; a string ends there.
    InvalidUtf8,
    /// A count or length is 2³¹ or more. Engines read it as a negative number.
    TooLong {
        /// The count or length in the input.
        count: u32,
    },
    /// A value is nested too deep.
    TooDeep {
        /// The largest number of containers that may contain a value.
        limit: u16,
    },
    /// Bytes follow the value.
    TrailingBytes {
        /// How many bytes follow.
        count: usize,
    },
    /// A frame is longer than allowed.
    FrameTooLong {
        /// The length that the frame announces, in bytes.
        len: u32,
        /// The greatest length that is allowed.
        limit: u32,
    },
    /// A parser of your own nom grammar refused the input.
    Grammar(
        /// The parser that refused it.
        Refusal,
    ),
}

/// Writes what is wrong, for a sentence that begins with the [`Reading`](super::Reading).
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnexpectedEnd { needed, available } => {
                write!(f, "ends too early: {}", Missing { needed, available })
            }
            Problem::UnknownType { number } => {
                write!(f, "has type {number}, which the dialect does not know")
            }
            Problem::InvalidUtf8 => f.write_str("is not UTF-8"),
            Problem::TooLong { count } => write!(f, "is {count}, more than a value can hold"),
            Problem::TooDeep { limit } => {
                write!(f, "is nested more than {limit} containers deep")
            }
            Problem::TrailingBytes { count } => {
                write!(f, "is followed by {count} more {}", bytes(count))
            }
            Problem::FrameTooLong { len, limit } => {
                write!(f, "is {len}, more than the limit of {limit}")
            }
            Problem::Grammar(refusal) => write!(f, "failed: {refusal}"),
        }
    }
}
