//! The error of reading bytes: what is wrong, at which byte, and in which part of the format.
//!
//! Readers put an [`Error`] together from a [`Problem`], the [`Reading`] at which it was met, and an
//! offset. `Display` makes a sentence of them. A [`Refusal`] comes from a grammar of your own.

use super::Kind;
use core::fmt;
use nom::error::ErrorKind;

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
                let missing = MissingBytes { needed: *needed, available: *available };
                write!(f, "the input ends inside {reading}: {missing}")
            }
            _ => write!(f, "{reading} {problem}"),
        }
    }
}

/// The part of the format in which a problem was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reading {
    /// The header of a value, with its type.
    Header,
    /// The content of a value of fixed size, after its header.
    Body(Kind),
    /// The number of elements, entries, names or properties.
    Count(Kind),
    /// The type of a container's elements.
    ElementType(Kind),
    /// The elements of a packed array.
    Elements(Kind),
    /// The length of a string.
    Length(Kind),
    /// The bytes of a string with their padding.
    Text(Kind),
    /// The length of a frame.
    FrameLength,
    /// The bytes of a frame.
    Frame,
    /// The end of the input after a value.
    End,
    /// A part of your own nom grammar around values.
    Other,
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reading::Header => f.write_str("the header of a value"),
            Reading::Body(kind @ (Kind::Int | Kind::Float)) => {
                write!(f, "the number of {}", Article(kind))
            }
            Reading::Body(kind) => write!(f, "the content of {}", Article(kind)),
            Reading::Count(kind) => write!(f, "the count of {}", Article(kind)),
            Reading::ElementType(kind) => write!(f, "the element type of {}", Article(kind)),
            Reading::Elements(kind) => write!(f, "the elements of {}", Article(kind)),
            Reading::Length(kind) => write!(f, "the length of a string of {}", Article(kind)),
            Reading::Text(kind) => write!(f, "the text of {}", Article(kind)),
            Reading::FrameLength => f.write_str("the length of a frame"),
            Reading::Frame => f.write_str("the content of a frame"),
            Reading::End => f.write_str("the end of the value"),
            Reading::Other => f.write_str("the surrounding grammar"),
        }
    }
}

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

/// Writes what is wrong, for a sentence that begins with the [`Reading`].
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnexpectedEnd { needed, available } => {
                write!(f, "ends too early: {}", MissingBytes { needed, available })
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

/// "an int", "a Vector2".
pub(crate) struct Article(pub(crate) Kind);

impl fmt::Display for Article {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.name();
        let vowel =
            matches!(self.0, Kind::Int | Kind::Aabb | Kind::Object | Kind::Array | Kind::Rid);
        write!(f, "{} {name}", if vowel { "an" } else { "a" })
    }
}

/// "1 byte", "2 bytes".
pub(crate) fn bytes(count: usize) -> &'static str {
    if count == 1 { "byte" } else { "bytes" }
}

/// "4 bytes are needed, 1 is left".
pub(crate) struct MissingBytes {
    pub(crate) needed: usize,
    pub(crate) available: usize,
}

impl fmt::Display for MissingBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = |count| if count == 1 { "is" } else { "are" };
        let MissingBytes { needed, available } = *self;
        let (unit, verb) = (bytes(needed), are(needed));
        write!(f, "{needed} {unit} {verb} needed, {available} {} left", are(available))
    }
}
