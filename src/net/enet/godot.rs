//! What Godot 3 and Pandemonium put in front of their packets, and say on the channel that is
//! their own. Godot 4 adds nothing.
//!
//! ```
//! use gdwire::net::enet::godot::PeerHeader;
//!
//! // From the server to everybody.
//! let packet = [1, 0, 0, 0, 0, 0, 0, 0, 4, b'h', b'i'];
//! let (header, packet) = PeerHeader::split(&packet).ok_or("too short")?;
//! assert_eq!((header.source, header.target), (1, 0));
//! assert_eq!(packet, b"\x04hi");
//! # Ok::<(), &str>(())
//! ```

/// The channel on which the engine's own messages are.
pub const SYSTEM_CHANNEL: u8 = 0;

/// Who sent a packet, and for whom: the first 8 bytes of every packet on the other channels.
///
/// A server passes packets between its clients on with these bytes as they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PeerHeader {
    /// The id of the peer; 1 is the server.
    pub source: u32,
    /// The id of the peer; 0 is everybody, a negative one everybody but that peer.
    pub target: i32,
}

impl PeerHeader {
    /// Splits a packet into this and what the game sent; none if it has fewer than 8 bytes.
    #[must_use]
    pub fn split(packet: &[u8]) -> Option<(PeerHeader, &[u8])> {
        let (source, rest) = packet.split_first_chunk()?;
        let (target, rest) = rest.split_first_chunk()?;
        let source = u32::from_le_bytes(*source);
        Some((PeerHeader { source, target: i32::from_le_bytes(*target) }, rest))
    }
}

/// A message of a server's engine to its clients, on [`SYSTEM_CHANNEL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SystemMessage {
    /// 0: another client has come.
    PeerAdded {
        /// Its id.
        peer: u32,
    },
    /// 1: another client has gone.
    PeerRemoved {
        /// Its id.
        peer: u32,
    },
}

impl SystemMessage {
    /// Reads a whole message; none if it is neither.
    #[must_use]
    pub fn parse(message: &[u8]) -> Option<SystemMessage> {
        let (kind, rest) = message.split_first_chunk()?;
        let peer = u32::from_le_bytes(rest.try_into().ok()?);
        match u32::from_le_bytes(*kind) {
            0 => Some(SystemMessage::PeerAdded { peer }),
            1 => Some(SystemMessage::PeerRemoved { peer }),
            _ => None,
        }
    }
}
