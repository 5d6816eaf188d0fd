//! The parts of the format that an error can name.

use super::words::Article;
use crate::value::kind::Kind;
use core::fmt;

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
