//! The errors of packets: what is wrong, where, and in which part.

use core::fmt;

/// The error for a packet of the high-level multiplayer API: the problem, its offset, and the part
/// of the packet.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{MultiplayerProtocol, parse};
///
/// let error = parse(MultiplayerProtocol::Godot3, Dialect::GODOT_3, &[2, 1, 0, 0, 0, b'G']).unwrap_err();
/// assert_eq!(error.to_string(), "byte 5: the path of a node has no NUL at its end");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}: {reading}{problem}")]
#[non_exhaustive]
pub struct Error {
    /// The offset in the packet, in bytes.
    pub offset: usize,
    /// The part of the packet that was being read there.
    pub reading: PacketPart,
    /// The problem in that part.
    pub problem: PacketProblem,
}

/// A part of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PacketPart {
    /// The byte with the kind of packet.
    Command,
    /// The byte with the kind of system message (Godot 4).
    SystemCommand,
    /// The id of a node, or the offset of its path.
    Node,
    /// The path of a node.
    Path,
    /// The hash of a node's methods.
    Md5,
    /// The byte that says whether the hashes of the methods are the same.
    Validity,
    /// The name or number of a method.
    Method,
    /// The name of a property.
    Property,
    /// The number of arguments.
    ArgumentCount,
    /// An argument or value, by its index from 0.
    Argument(u32),
    /// Raw bytes of the game.
    Bytes,
    /// The fields of a spawn before the node's name.
    Spawn,
    /// The name of a spawned node.
    SpawnName,
    /// The net id of a node.
    NetId,
    /// The time of a sync.
    Time,
    /// The synchronizer and the size of a state.
    State,
    /// The id of a peer.
    Peer,
    /// A relayed packet.
    Relayed,
    /// The packet as a whole.
    Packet,
}

/// The problem in a part of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PacketProblem {
    /// The packet ends within this part.
    UnexpectedEnd {
        /// How many bytes this part needs.
        needed: usize,
        /// How many are left.
        available: usize,
    },
    /// The engine has no command or result with this number, or not at this place.
    UnknownCommand {
        /// The number.
        number: u8,
    },
    /// The byte with the kind of packet has bits that no engine sets.
    UnknownFlags {
        /// These bits.
        flags: u8,
    },
    /// The width of a node's id is not 1, 2 or 4 bytes.
    UnknownWidth,
    /// The offset of the path is not within the rest of the packet.
    PathOffset {
        /// The offset, in bytes from the start of the packet.
        offset: u32,
    },
    /// A text is not UTF-8.
    InvalidUtf8,
    /// A text does not end with a NUL.
    Unterminated,
    /// A hash is not written as 32 hexadecimal digits.
    NotHexadecimal,
    /// A value is invalid.
    Value {
        /// The part of the value that was being read.
        reading: crate::Reading,
        /// The problem in that part.
        problem: crate::Problem,
    },
    /// Bytes follow the end of the packet.
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
            PacketProblem::UnexpectedEnd { .. }
                | PacketProblem::Unterminated
                | PacketProblem::Value { problem: crate::Problem::UnexpectedEnd { .. }, .. }
        )
    }
}

impl fmt::Display for PacketPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PacketPart::Argument(place) => return write!(f, "argument {place}"),
            PacketPart::Command => "the command",
            PacketPart::SystemCommand => "the kind of system message",
            PacketPart::Node => "the target of the call",
            PacketPart::Path => "the path of a node",
            PacketPart::Md5 => "the hash of the methods",
            PacketPart::Validity => "the result of the method comparison",
            PacketPart::Method => "the method",
            PacketPart::Property => "the property",
            PacketPart::ArgumentCount => "the number of arguments",
            PacketPart::Bytes => "the raw data",
            PacketPart::Spawn => "the header of a spawn",
            PacketPart::SpawnName => "the name of a spawned node",
            PacketPart::NetId => "a net id",
            PacketPart::Time => "the time of a sync",
            PacketPart::State => "a state",
            PacketPart::Peer => "the id of a peer",
            PacketPart::Relayed => "the relayed packet",
            PacketPart::Packet => "the packet",
        })
    }
}

impl fmt::Display for PacketProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = crate::value::bytes;
        match *self {
            PacketProblem::UnexpectedEnd { needed, available } => {
                let missing = crate::value::MissingBytes { needed, available };
                write!(f, " ends too early: {missing}")
            }
            PacketProblem::UnknownCommand { number } => write!(f, " is {number}, which is unknown"),
            PacketProblem::UnknownFlags { flags } => {
                write!(f, " has the bits {flags:#04x}, which no engine sets")
            }
            PacketProblem::UnknownWidth => f.write_str(" is an id of unknown width"),
            PacketProblem::PathOffset { offset } => {
                write!(f, " has its path at byte {offset}, which is not in the rest of the packet")
            }
            PacketProblem::InvalidUtf8 => f.write_str(" is not UTF-8"),
            PacketProblem::Unterminated => f.write_str(" has no NUL at its end"),
            PacketProblem::NotHexadecimal => f.write_str(" is not 32 hexadecimal digits"),
            PacketProblem::Value { reading, problem } => {
                write!(f, ": {}", crate::Error::new(0, reading, problem).sentence())
            }
            PacketProblem::TrailingBytes { count } => {
                write!(f, " is followed by {count} more {}", bytes(count))
            }
        }
    }
}
