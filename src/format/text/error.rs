//! Errors in literals and JSON, with their place.

use crate::value::Kind;
use alloc::boxed::Box;
use core::fmt;

/// An error in a literal or in JSON, and its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
#[non_exhaustive]
pub struct ParseError {
    /// The offset in bytes from the start of the text.
    pub offset: usize,
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
    /// The kind of error at that place.
    pub problem: ParseProblem,
}

impl ParseError {
    /// Creates the error for a problem at this offset of the text.
    pub(crate) fn new(text: &[u8], offset: usize, problem: ParseProblem) -> ParseError {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let in_line = before.get(line_start..).unwrap_or(&[]);
        ParseError {
            offset,
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            // The bytes of a character after its first have this pattern.
            column: 1 + in_line.iter().filter(|byte| **byte & 0xc0 != 0x80).count(),
            problem,
        }
    }
}

/// A problem in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseProblem {
    /// Something else was expected.
    Expected(
        /// A description of the expected token.
        &'static str,
    ),
    /// No type that the crate knows has this name.
    UnknownType,
    /// The number does not fit into an element of this kind, or into an int or a float.
    OutOfRange {
        /// The kind of the value that the number is for.
        kind: Kind,
    },
    /// A math value, or a packed array of them, has the wrong number of components.
    Count {
        /// The kind of the value.
        kind: Kind,
        /// How many components a math value, or one element of the array, needs.
        needed: usize,
        /// How many components there are.
        found: usize,
    },
    /// Half of a surrogate pair, which is not a character.
    LoneSurrogate,
    /// The value is nested deeper than any engine reads.
    TooDeep {
        /// The largest number of containers around a value.
        limit: u16,
    },
    /// The text is not JSON.
    Json(
        /// The message of the JSON parser.
        Box<str>,
    ),
}

impl fmt::Display for ParseProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseProblem::Expected(what) => write!(f, "expected {what}"),
            ParseProblem::UnknownType => f.write_str("there is no type with this name"),
            ParseProblem::OutOfRange { kind } => {
                write!(f, "the number is out of the range of {kind}")
            }
            ParseProblem::Count { kind, needed, found } => {
                let components = if *needed == 1 { "component" } else { "components" };
                let each = if kind.name().starts_with("Packed") { " for each element" } else { "" };
                write!(f, "{kind} needs {needed} {components}{each}, but has {found}")
            }
            ParseProblem::LoneSurrogate => {
                f.write_str("half of a surrogate pair is not a character")
            }
            ParseProblem::TooDeep { limit } => {
                write!(f, "the value is nested deeper than {limit} containers")
            }
            ParseProblem::Json(message) => write!(f, "not JSON: {message}"),
        }
    }
}
