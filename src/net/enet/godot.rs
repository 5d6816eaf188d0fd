//! The header that Godot 3 and Pandemonium put in front of their packets over ENet, and the
//! messages of their system channel. Godot 4 has neither.
//!
//! ```
//! use gdwire::multiplayer::PeerId;
//! use gdwire::net::enet::godot::PeerHeader;
//!
//! // From the server to everybody.
//! let packet = [1, 0, 0, 0, 0, 0, 0, 0, 4, b'h', b'i'];
//! let (header, packet) = PeerHeader::split(&packet).ok_or("too short")?;
//! assert_eq!((header.source, header.target), (PeerId::SERVER, PeerId::EVERYONE));
//! assert_eq!(packet, b"\x04hi");
//! assert_eq!(header.to_bytes(), [1, 0, 0, 0, 0, 0, 0, 0]);
//! # Ok::<(), &str>(())
//! ```

use crate::net::peer::PeerId;

/// The channel of the engine's own messages.
pub const SYSTEM_CHANNEL: u8 = 0;

/// The sender and the receiver of a packet: the first 8 bytes of every packet on the other
/// channels.
///
/// A server forwards packets between its clients with these bytes unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PeerHeader {
    /// The sender.
    pub source: PeerId,
    /// The receiver, or several.
    pub target: PeerId,
}

impl PeerHeader {
    /// Splits a packet into its header and what the game sent; none if it has fewer than 8 bytes.
    #[must_use]
    pub fn split(packet: &[u8]) -> Option<(PeerHeader, &[u8])> {
        let (source, rest) = packet.split_first_chunk()?;
        let (target, rest) = rest.split_first_chunk()?;
        let (source, target) = (PeerId::from_le_bytes(*source), PeerId::from_le_bytes(*target));
        Some((PeerHeader { source, target }, rest))
    }

    /// The header as it stands before a packet.
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 8] {
        pair(self.source.to_le_bytes(), self.target.to_le_bytes())
    }
}

/// A message from the server's engine to the clients, on [`SYSTEM_CHANNEL`].
///
/// ```
/// use gdwire::multiplayer::PeerId;
/// use gdwire::net::enet::godot::SystemMessage;
///
/// let message = SystemMessage::parse(&[0, 0, 0, 0, 7, 0, 0, 0]);
/// assert_eq!(message, Some(SystemMessage::PeerAdded { peer: PeerId::new(7) }));
/// assert_eq!(message.map(|message| message.to_bytes()), Some([0, 0, 0, 0, 7, 0, 0, 0]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SystemMessage {
    /// 0: another client has joined.
    PeerAdded {
        /// Its id.
        peer: PeerId,
    },
    /// 1: another client has left.
    PeerRemoved {
        /// Its id.
        peer: PeerId,
    },
}

impl SystemMessage {
    /// Reads a message; none if it is neither of these.
    #[must_use]
    pub fn parse(message: &[u8]) -> Option<SystemMessage> {
        let (kind, rest) = message.split_first_chunk()?;
        let peer = PeerId::from_le_bytes(rest.try_into().ok()?);
        match u32::from_le_bytes(*kind) {
            0 => Some(SystemMessage::PeerAdded { peer }),
            1 => Some(SystemMessage::PeerRemoved { peer }),
            _ => None,
        }
    }

    /// The bytes of the message.
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 8] {
        match self {
            SystemMessage::PeerAdded { peer } => pair([0; 4], peer.to_le_bytes()),
            SystemMessage::PeerRemoved { peer } => pair([1, 0, 0, 0], peer.to_le_bytes()),
        }
    }
}

/// Two numbers, one after the other.
const fn pair([a, b, c, d]: [u8; 4], [e, f, g, h]: [u8; 4]) -> [u8; 8] {
    [a, b, c, d, e, f, g, h]
}
