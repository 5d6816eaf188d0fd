//! The header that Godot 3 puts before the packets of its high-level multiplayer API over
//! WebSocket.
//!
//! ```
//! use gdwire::multiplayer::PeerId;
//! use gdwire::net::websocket::godot::{PeerMessage, PeerMessageKind};
//!
//! let payload = [0, 1, 0, 0, 0, 2, 0, 0, 0, 42];
//! let message = PeerMessage::parse(&payload).ok_or("too short")?;
//! assert_eq!(message.kind, PeerMessageKind::Data(&[42]));
//! assert_eq!((message.source, message.target), (PeerId::SERVER, PeerId::new(2)));
//! assert_eq!(message.encode_into(Vec::new()), payload);
//! # Ok::<(), &str>(())
//! ```
//!
//! Godot 4 has no such header. The server's first packet is the client's peer id, a little-endian
//! `i32`, and all later packets have no header.

use crate::net::peer::PeerId;
use crate::write::encode::Sink;
use core::fmt;

/// A message of Godot 3's `WebSocketMultiplayerPeer`: a `u8` with its kind, the source, the target,
/// and the content. Numbers are little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PeerMessage<'a> {
    /// Its kind and content.
    pub kind: PeerMessageKind<'a>,
    /// The sender.
    pub source: PeerId,
    /// The receiver, or several.
    pub target: PeerId,
}

/// The kind and content of a [`PeerMessage`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PeerMessageKind<'a> {
    /// 0: a packet of the high-level API.
    Data(&'a [u8]),
    /// 1: another peer has joined.
    Add(PeerId),
    /// 2: a peer has left.
    Remove(PeerId),
    /// 3: the receiver's own peer id.
    Id(PeerId),
}

impl<'a> PeerMessage<'a> {
    /// The length of every message but [`PeerMessageKind::Data`], in bytes: a kind, two ends and an
    /// id.
    pub(crate) const NOTICE_LEN: usize = 13;

    /// Reads the payload of a binary message; none if it is too short or of an unknown kind.
    #[must_use]
    pub fn parse(payload: &'a [u8]) -> Option<PeerMessage<'a>> {
        let ([kind], rest) = payload.split_first_chunk()?;
        let (source, rest) = rest.split_first_chunk()?;
        let (target, data) = rest.split_first_chunk()?;
        let id = || data.first_chunk().map(|id| PeerId::from_le_bytes(*id));
        let kind = match kind {
            0 => PeerMessageKind::Data(data),
            1 => PeerMessageKind::Add(id()?),
            2 => PeerMessageKind::Remove(id()?),
            3 => PeerMessageKind::Id(id()?),
            _ => return None,
        };
        let (source, target) = (PeerId::from_le_bytes(*source), PeerId::from_le_bytes(*target));
        Some(PeerMessage { kind, source, target })
    }

    /// Creates a message.
    #[must_use]
    pub const fn new(kind: PeerMessageKind<'a>, source: PeerId, target: PeerId) -> PeerMessage<'a> {
        PeerMessage { kind, source, target }
    }

    /// Writes the payload of a binary message to a sink.
    pub fn encode_into<S: Sink>(&self, mut sink: S) -> S {
        let kind = match self.kind {
            PeerMessageKind::Data(_) => 0,
            PeerMessageKind::Add(_) => 1,
            PeerMessageKind::Remove(_) => 2,
            PeerMessageKind::Id(_) => 3,
        };
        sink.put(&[kind]);
        sink.put(&self.source.to_le_bytes());
        sink.put(&self.target.to_le_bytes());
        match self.kind {
            PeerMessageKind::Data(data) => sink.put(data),
            PeerMessageKind::Add(id) | PeerMessageKind::Remove(id) | PeerMessageKind::Id(id) => {
                sink.put(&id.to_le_bytes());
            }
        }
        sink
    }
}

impl fmt::Debug for PeerMessageKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PeerMessageKind::Data(data) => write!(f, "Data({} bytes)", data.len()),
            PeerMessageKind::Add(id) => f.debug_tuple("Add").field(id).finish(),
            PeerMessageKind::Remove(id) => f.debug_tuple("Remove").field(id).finish(),
            PeerMessageKind::Id(id) => f.debug_tuple("Id").field(id).finish(),
        }
    }
}
