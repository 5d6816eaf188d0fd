//! What can be wrong with a packet, and where.

use core::fmt;

/// What is wrong with a packet of the high-level multiplayer API, where, and what was being read
/// there.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{Protocol, parse};
///
/// let error = parse(Protocol::Godot3, Dialect::GODOT_3, &[2, 1, 0, 0, 0, b'G']).unwrap_err();
/// assert_eq!(error.to_string(), "byte 5: the path of a node has no NUL at its end");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}: {reading}{problem}")]
#[non_exhaustive]
pub struct Error {
    /// Where, in bytes from the start of the packet.
    pub offset: usize,
    /// What was being read there.
    pub reading: Reading,
    /// What is wrong with it.
    pub problem: Problem,
}

/// The part of a packet that was being read when a problem showed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reading {
    /// The byte that says which packet it is.
    Command,
    /// The byte that says which message of the system it is.
    SystemCommand,
    /// The id of a node, or where its path stands.
    Node,
    /// The path of a node.
    Path,
    /// The hash of a node's methods.
    Md5,
    /// Whether the hashes of the methods were the same.
    Validity,
    /// The name or number of a method.
    Method,
    /// The name of a property.
    Property,
    /// How many arguments there are.
    ArgumentCount,
    /// An argument or value, by its place from 0.
    Argument(u32),
    /// Bytes of the game's own.
    Bytes,
    /// What is spawned, before its name.
    Spawn,
    /// The name of a spawned node.
    SpawnName,
    /// The net id of a node.
    NetId,
    /// The time of a sync.
    Time,
    /// What a state belongs to, and its size.
    State,
    /// The id of a peer.
    Peer,
    /// A packet that is relayed.
    Relayed,
}

/// What is wrong with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The packet ends before what it announces.
    UnexpectedEnd {
        /// How many bytes this part needs.
        needed: usize,
        /// How many there are.
        available: usize,
    },
    /// There is no command of this number, or not here.
    UnknownCommand {
        /// The number.
        number: u8,
    },
    /// The width of a node's id is none of the three that there are.
    UnknownWidth,
    /// The path is said to be where it cannot be.
    PathOffset {
        /// Where it is said to be, in bytes from the start of the packet.
        offset: u32,
    },
    /// A text is not UTF-8.
    InvalidUtf8,
    /// A text does not end with a NUL.
    Unterminated,
    /// A hash is not written in hexadecimal digits.
    NotHexadecimal,
    /// A value is wrong.
    Value {
        /// The part of the value that was being read.
        reading: crate::Reading,
        /// What is wrong with it.
        problem: crate::Problem,
    },
    /// Bytes follow that belong to nothing.
    TrailingBytes {
        /// How many.
        count: usize,
    },
}

impl Error {
    /// Whether more bytes could have made the packet valid.
    #[must_use]
    pub const fn is_unexpected_end(&self) -> bool {
        matches!(
            self.problem,
            Problem::UnexpectedEnd { .. }
                | Problem::Unterminated
                | Problem::Value { problem: crate::Problem::UnexpectedEnd { .. }, .. }
        )
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reading::Argument(place) => return write!(f, "argument {place}"),
            Reading::Command => "the command",
            Reading::SystemCommand => "the command of the system",
            Reading::Node => "the target of the call",
            Reading::Path => "the path of a node",
            Reading::Md5 => "the hash of the methods",
            Reading::Validity => "the result of the comparison",
            Reading::Method => "the method",
            Reading::Property => "the property",
            Reading::ArgumentCount => "the count of arguments",
            Reading::Bytes => "the content",
            Reading::Spawn => "the head of a spawn",
            Reading::SpawnName => "the name of a spawned node",
            Reading::NetId => "a net id",
            Reading::Time => "the time of a sync",
            Reading::State => "a state",
            Reading::Peer => "the id of a peer",
            Reading::Relayed => "the relayed packet",
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = crate::error::bytes;
        match *self {
            Problem::UnexpectedEnd { needed, available } => {
                let are = if available == 1 { "is" } else { "are" };
                write!(f, " needs {needed} {}, but {available} {are} left", bytes(needed))
            }
            Problem::UnknownCommand { number } => write!(f, " is {number}, which is unknown here"),
            Problem::UnknownWidth => f.write_str(" is an id of unknown width"),
            Problem::PathOffset { offset } => {
                write!(f, " has its path at byte {offset}, where it cannot be")
            }
            Problem::InvalidUtf8 => f.write_str(" is not UTF-8"),
            Problem::Unterminated => f.write_str(" has no NUL at its end"),
            Problem::NotHexadecimal => f.write_str(" is not 32 hexadecimal digits"),
            Problem::Value { reading, problem } => {
                write!(f, ": {}", crate::Error::new(0, reading, problem).sentence())
            }
            Problem::TrailingBytes { count } => {
                write!(f, " is followed by {count} more {}", bytes(count))
            }
        }
    }
}
