//! The errors of datagrams that are not ENet, or not readable.

use core::fmt;
use nom::error::{ErrorKind, ParseError};

/// Why a datagram is not ENet, or cannot be read, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}: {problem}")]
#[non_exhaustive]
pub struct Error {
    /// The offset in the datagram, in bytes; in a compressed datagram, the offset after
    /// decompression.
    pub offset: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// A problem in a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The datagram ends within its header or a command.
    UnexpectedEnd,
    /// The datagram has no commands.
    Empty,
    /// The datagram has more bytes than ENet sends or accepts.
    TooLong {
        /// How many bytes it has.
        len: usize,
    },
    /// No command has this number and these flags.
    UnknownCommand {
        /// The command's first byte.
        byte: u8,
    },
    /// A command is on a channel that its kind does not use.
    Channel {
        /// The channel.
        channel: u8,
    },
    /// A field of a command has a value that ENet never sends.
    Field {
        /// The field's name.
        name: &'static str,
        /// The field's value.
        number: u32,
    },
    /// The fields of a fragment contradict each other.
    Fragment,
    /// A command has to be acknowledged, but the datagram has no sent time.
    NoSentTime,
    /// The receiver's peer id does not fit the first command: only commands that open or break off
    /// a connection are sent to a receiver without a peer id.
    Unassigned,
    /// The datagram is compressed, and was read by a function that does not decompress.
    Compressed,
    /// The datagram is compressed in an unknown way. Without the feature `compression`, only ENet's
    /// range coder is known.
    UnknownCompression,
    /// The datagram takes much more work to decompress than its length allows. A
    /// [`Session`](super::Session) has this limit; ENet's own datagrams do not reach it.
    TooMuchWork,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnexpectedEnd => {
                f.write_str("the datagram ends within its header or a command")
            }
            Problem::Empty => f.write_str("the datagram has no commands"),
            Problem::TooLong { len } => write!(f, "a datagram of {len} bytes is too long for ENet"),
            Problem::UnknownCommand { byte } => {
                write!(f, "no command starts with byte {byte:#04x}")
            }
            Problem::Channel { channel } => {
                write!(f, "the command is not allowed on channel {channel}")
            }
            Problem::Field { name, number } => write!(f, "the {name} cannot be {number}"),
            Problem::Fragment => f.write_str("the fields of the fragment contradict each other"),
            Problem::NoSentTime => {
                f.write_str("a command has to be acknowledged, but the datagram has no sent time")
            }
            Problem::Unassigned => {
                f.write_str("the receiver's peer id does not fit the first command")
            }
            Problem::Compressed => f.write_str("the datagram is compressed"),
            Problem::UnknownCompression => {
                f.write_str("the datagram is compressed in an unknown way")
            }
            Problem::TooMuchWork => {
                f.write_str("the datagram takes too much work to decompress for its length")
            }
        }
    }
}

/// An error and the rest of the input: its offset follows from the start of the datagram.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Fault<'a> {
    pub(super) at: &'a [u8],
    pub(super) problem: Problem,
}

impl Fault<'_> {
    pub(super) fn in_datagram(self, datagram: &[u8]) -> Error {
        let offset = datagram.len().saturating_sub(self.at.len());
        Error { offset, problem: self.problem }
    }
}

impl<'a> ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], _: ErrorKind) -> Fault<'a> {
        Fault { at, problem: Problem::UnexpectedEnd }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: Fault<'a>) -> Fault<'a> {
        first
    }
}
