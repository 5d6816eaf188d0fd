//! The headers and messages of the multiplayer peers of Godot 3 and Pandemonium.

use super::Transport;
use super::carried::Whole;
use crate::game::multiplayer::PeerId;
use crate::net::enet::godot::{PeerHeader, SYSTEM_CHANNEL, SystemMessage};
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};

/// The length of a message that the peers themselves send over WebSocket, in bytes: a kind, two
/// ends and an id.
const OWN_LEN: usize = 13;

/// A message of multiplayer peers.
pub(super) struct OfPeers<'b> {
    /// The sender and the receiver; none if the message does not name them.
    pub(super) source: Option<PeerId>,
    pub(super) target: Option<PeerId>,
    pub(super) content: Content<'b>,
}

/// What multiplayer peers send.
pub(super) enum Content<'b> {
    /// What the game sent, up to the end of the message.
    Data(&'b [u8]),
    /// Another peer has joined.
    Added(PeerId),
    /// Another peer has left.
    Removed(PeerId),
    /// The receiver's own id.
    Id(PeerId),
    /// A message of the peers themselves that cannot be read.
    Unknown,
}

/// Reads a message as one of multiplayer peers; none if it cannot be one.
pub(super) fn split<'b>(transport: Transport, message: &Whole<'b>) -> Option<OfPeers<'b>> {
    match transport {
        Transport::Enet if message.channel == Some(SYSTEM_CHANNEL) => {
            let content = match SystemMessage::parse(message.bytes) {
                Some(SystemMessage::PeerAdded { peer }) => Content::Added(peer),
                Some(SystemMessage::PeerRemoved { peer }) => Content::Removed(peer),
                None => Content::Unknown,
            };
            Some(OfPeers { source: None, target: None, content })
        }
        Transport::Enet => {
            let (PeerHeader { source, target }, data) = PeerHeader::split(message.bytes)?;
            let content = Content::Data(data);
            Some(OfPeers { source: Some(source), target: Some(target), content })
        }
        Transport::WebSocket => {
            let PeerMessage { kind, source, target } = PeerMessage::parse(message.bytes)?;
            let content = match kind {
                PeerMessageKind::Data(data) => Content::Data(data),
                PeerMessageKind::Add(peer) => Content::Added(peer),
                PeerMessageKind::Remove(peer) => Content::Removed(peer),
                PeerMessageKind::Id(peer) => Content::Id(peer),
            };
            Some(OfPeers { source: Some(source), target: Some(target), content })
        }
        _ => None,
    }
}

/// The id that Godot 4's server gives a client, if this can be the message with it.
pub(super) fn given_id(transport: Transport, message: &[u8]) -> Option<PeerId> {
    match transport {
        Transport::WebSocket => message.try_into().map(PeerId::from_le_bytes).ok(),
        _ => None,
    }
}

impl OfPeers<'_> {
    /// Whether it most likely comes from multiplayer peers: it is about another peer, or names the
    /// client, whose id is known.
    pub(super) fn is_likely(&self, message: &Whole<'_>, client: Option<PeerId>) -> bool {
        match self.content {
            // The server's own id is never announced.
            Content::Added(id) | Content::Removed(id) | Content::Id(id) => {
                let is_of_server =
                    self.source == Some(PeerId::SERVER) && message.bytes.len() == OWN_LEN;
                id > PeerId::SERVER && (self.source.is_none() || is_of_server)
            }
            Content::Data(_) => {
                let client = client.filter(|id| *id > PeerId::SERVER);
                client.is_some()
                    && (client == self.source
                        || self.source == Some(PeerId::SERVER) && client == self.target)
            }
            Content::Unknown => false,
        }
    }

    /// Whether it is from or for the server.
    pub(super) fn is_of_server(&self) -> bool {
        self.source == Some(PeerId::SERVER) || self.target == Some(PeerId::SERVER)
    }
}
