//! Reads a whole packet.

use super::error::{Error, Problem, Reading};
use super::grammar;
use super::packet::{Packet, Raw, Relay};
use super::protocol::Protocol;
use crate::value::ReadOptions;

/// Reads and checks a packet up to its last byte.
///
/// It does not allocate, and the methods of the packet cannot fail afterwards.
///
/// # Errors
///
/// The first problem of the packet or of a value in it.
pub fn parse(
    protocol: Protocol,
    options: impl Into<ReadOptions>,
    packet: &[u8],
) -> Result<Packet<'_>, Error> {
    let options = options.into();
    let parsed = match protocol {
        Protocol::Godot3 => grammar::godot_3(options, packet),
        Protocol::Godot4 => grammar::godot_4(options, packet),
        Protocol::Pandemonium => grammar::pandemonium(options, packet),
    };
    match parsed {
        Ok((_, parsed)) => Ok(parsed),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault.in_packet(packet)),
        Err(nom::Err::Incomplete(_)) => {
            let problem = Problem::UnexpectedEnd { needed: 1, available: 0 };
            Err(Error { offset: packet.len(), reading: Reading::Command, problem })
        }
    }
}

impl<'a> Relay<'a> {
    /// The relayed packet. It is never a relay or another system message.
    #[must_use]
    pub fn packet(&self) -> Packet<'a> {
        match grammar::direct(self.options, self.bytes) {
            Ok((_, packet)) => packet,
            // It was checked before.
            Err(_) => Packet::Raw(Raw { bytes: self.bytes, options: self.options }),
        }
    }
}
