//! The ids of multiplayer peers.

use core::fmt;

/// The id of a peer in the high-level multiplayer API, as packets contain it.
///
/// The server is 1. Clients have random ids above 1. As the receiver of a packet, 0 stands for all
/// peers, and a negative id for all peers but the one with the positive id.
///
/// ```
/// use gdwire::multiplayer::PeerId;
///
/// let client = PeerId::new(7);
/// assert!(client != PeerId::SERVER);
/// assert_eq!((client.get(), client.to_string()), (7, "7".to_string()));
/// assert_eq!((i32::from(client), PeerId::from(7)), (7, client));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct PeerId(i32);

impl PeerId {
    /// The server.
    pub const SERVER: PeerId = PeerId(1);
    /// As a receiver: all peers.
    pub const EVERYONE: PeerId = PeerId(0);

    /// The peer with this id.
    #[must_use]
    pub const fn new(id: i32) -> PeerId {
        PeerId(id)
    }

    /// The id as a number.
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// Reads an id as packets contain it.
    pub(crate) const fn from_le_bytes(bytes: [u8; 4]) -> PeerId {
        PeerId(i32::from_le_bytes(bytes))
    }

    /// The id as packets contain it.
    pub(crate) const fn to_le_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<i32> for PeerId {
    fn from(id: i32) -> PeerId {
        PeerId(id)
    }
}

impl From<PeerId> for i32 {
    fn from(id: PeerId) -> i32 {
        id.0
    }
}

/// An end of a connection, whose packets announce names: a peer, or an end whose id is not known.
/// The ids of peers have 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PeerEnd(u64);

impl From<PeerId> for PeerEnd {
    fn from(peer: PeerId) -> PeerEnd {
        PeerEnd(peer.get().cast_unsigned().into())
    }
}

#[cfg(feature = "capture")]
impl PeerEnd {
    /// The ends of a connection whose ids are not known.
    pub const UNKNOWN: [PeerEnd; 2] = [PeerEnd(1 << 32), PeerEnd(2 << 32)];

    /// The sender of packets that this end relays for a peer, or to it: it is not known which.
    pub fn relayed(self, peer: PeerId) -> PeerEnd {
        PeerEnd(4 << 32 | self.0 | PeerEnd::from(peer).0)
    }
}
