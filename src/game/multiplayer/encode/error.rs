//! The error of writing a packet: what does not fit, and in which part.

use crate::game::multiplayer::MultiplayerProtocol;
use crate::game::multiplayer::error::PacketPart;
use crate::write::encode::EncodeError;
use core::fmt;

/// A packet could not be written. The error names the part of the packet and what does not fit.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::math::Vector2;
/// use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder};
///
/// let encoder = PacketEncoder::new(MultiplayerProtocol::Godot3, Dialect::GODOT_3);
/// let arguments = (7, Vector2::new(1, 2));
/// let error = encoder.call(Node::Id(1), Method::Name("move"), &arguments, Vec::new()).unwrap_err();
/// assert_eq!(error.to_string(), "argument 1: godot3 has no Vector2i");
/// ```
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{writing}{problem}")]
#[non_exhaustive]
pub struct PacketEncodeError {
    /// The part of the packet.
    pub writing: PacketPart,
    /// The problem in that part.
    pub problem: PacketEncodeProblem,
}

/// Why a packet cannot be written.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum PacketEncodeProblem {
    /// The engine has no such packet, or its packets have no such part.
    Unsupported {
        /// The command of the packet, such as `spawn`: see [`Packet::COMMANDS`](super::super::Packet::COMMANDS).
        command: &'static str,
        /// The engine.
        protocol: MultiplayerProtocol,
    },
    /// The engine's packets have this part, and it is missing.
    Missing {
        /// The command of the packet.
        command: &'static str,
        /// The engine.
        protocol: MultiplayerProtocol,
    },
    /// A number or a count is too large.
    TooLarge {
        /// The number.
        number: u64,
        /// The largest number that fits.
        limit: u64,
    },
    /// A text contains a NUL, which would end it.
    Nul {
        /// The offset in the text.
        at: usize,
    },
    /// A hash is not written as 32 hexadecimal digits.
    NotHexadecimal,
    /// It is empty, which no engine accepts.
    Empty,
    /// A state in a delta must say which properties changed, and another state must not.
    OtherState {
        /// Whether the packet is a delta.
        is_delta: bool,
    },
    /// A value cannot be encoded.
    Value(EncodeError),
    /// The sink did not take all bytes.
    Sink(EncodeError),
}

impl PacketEncodeProblem {
    #[cold]
    pub(in crate::game::multiplayer) const fn at(self, writing: PacketPart) -> PacketEncodeError {
        PacketEncodeError { writing, problem: self }
    }
}

/// The name of an engine in errors.
const fn engine(protocol: MultiplayerProtocol) -> &'static str {
    match protocol {
        MultiplayerProtocol::Godot3 => "Godot 3",
        MultiplayerProtocol::Godot4 => "Godot 4",
        MultiplayerProtocol::Pandemonium => "Pandemonium",
    }
}

impl fmt::Display for PacketEncodeProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PacketEncodeProblem::Unsupported { command, protocol } => {
                write!(f, " of {command} does not exist in {}", engine(*protocol))
            }
            PacketEncodeProblem::Missing { command, protocol } => {
                write!(f, " is missing: {} needs it in {command}", engine(*protocol))
            }
            PacketEncodeProblem::TooLarge { number, limit } => {
                write!(f, " is {number}, and at most {limit} fits")
            }
            PacketEncodeProblem::Nul { at } => {
                write!(f, " has a NUL at byte {at}, where it would end")
            }
            PacketEncodeProblem::NotHexadecimal => f.write_str(" is not 32 hexadecimal digits"),
            PacketEncodeProblem::Empty => f.write_str(" is empty, which no engine accepts"),
            PacketEncodeProblem::OtherState { is_delta: true } => {
                f.write_str(" of a delta must say which properties changed")
            }
            PacketEncodeProblem::OtherState { is_delta: false } => {
                f.write_str(" of a sync has all properties, not only those that changed")
            }
            PacketEncodeProblem::Value(error) => write!(f, ": {error}"),
            PacketEncodeProblem::Sink(error) => write!(f, ": {error}"),
        }
    }
}
