//! What can be wrong with a datagram, and where.

use core::fmt;
use nom::error::{ErrorKind, ParseError};

/// Why a datagram is not one of ENet, or not one that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}: {problem}")]
#[non_exhaustive]
pub struct Error {
    /// Where it is wrong, in bytes from the start of the datagram; if that was compressed, from
    /// the start of what was in it.
    pub offset: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The datagram ends within its header or a command.
    UnexpectedEnd,
    /// There are no commands in it.
    Empty,
    /// It has more bytes than ENet sends or takes.
    TooLong {
        /// How many it has.
        len: usize,
    },
    /// A command of this number, or with these flags, does not exist.
    UnknownCommand {
        /// The command's first byte.
        byte: u8,
    },
    /// A command is on a channel on which it cannot be.
    Channel {
        /// The channel.
        channel: u8,
    },
    /// A command's field is outside of what ENet sends; the number is the field's.
    Field {
        /// The field's name.
        name: &'static str,
        /// What it says.
        number: u32,
    },
    /// The fields of a fragment contradict each other.
    Fragment,
    /// A command wants an acknowledgement, but the datagram does not say when it was sent.
    NoSentTime,
    /// The peer id says that the receiver is not known yet, but the first command is not of those
    /// that open or break off a connection; or the other way round.
    Unassigned,
    /// The datagram is compressed, and was given to who reads those that are not.
    Compressed,
    /// What is compressed is not what ENet's range coder makes.
    UnknownCompression,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnexpectedEnd => {
                f.write_str("the datagram ends within its header or a command")
            }
            Problem::Empty => f.write_str("the datagram has no commands"),
            Problem::TooLong { len } => write!(f, "{len} bytes are too many for a datagram"),
            Problem::UnknownCommand { byte } => {
                write!(f, "no command starts with byte {byte:#04x}")
            }
            Problem::Channel { channel } => {
                write!(f, "the command cannot be on channel {channel}")
            }
            Problem::Field { name, number } => write!(f, "the {name} cannot be {number}"),
            Problem::Fragment => f.write_str("the numbers of the fragment contradict each other"),
            Problem::NoSentTime => {
                f.write_str("a command is to be acknowledged, but there is no sent time")
            }
            Problem::Unassigned => f.write_str("the peer id does not go with the first command"),
            Problem::Compressed => f.write_str("the datagram is compressed"),
            Problem::UnknownCompression => {
                f.write_str("the datagram is compressed, but not by ENet's range coder")
            }
        }
    }
}

/// An error where it happened: the offset is known once the start of the datagram is.
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
