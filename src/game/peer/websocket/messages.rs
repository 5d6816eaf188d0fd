//! The content of WebSocket messages that is not part of a session's packets: ids, and news about
//! peers.
//!
//! In Godot 4, the first message of a server is the id of the client, and each of the others is a
//! packet. In Godot 3 and Pandemonium, each message has the ids of its sender and receiver. There, a
//! session speaks as over ENet: the ids are in front of each packet, and what the server says about
//! peers is on a channel of its own.

use crate::game::multiplayer::PeerId;
use crate::net::enet::godot::{PeerHeader, SYSTEM_CHANNEL, SystemMessage};
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use alloc::vec::Vec;

/// The channel of all packets but those of [`SYSTEM_CHANNEL`].
const PACKETS: u8 = 1;

/// A message that a client of Godot 3 receives.
pub(super) enum FromServer {
    /// Its own id.
    Id(PeerId),
    /// The server has admitted it.
    Admitted,
    /// The server has left.
    Closed,
    /// A packet for the session, and its channel.
    Packet(u8, Vec<u8>),
}

/// Reads a message of a Godot 3 server.
pub(super) fn from_server(message: &[u8]) -> Option<FromServer> {
    let message = PeerMessage::parse(message)?;
    Some(match message.kind {
        PeerMessageKind::Id(id) => FromServer::Id(id),
        PeerMessageKind::Add(PeerId::SERVER) => FromServer::Admitted,
        PeerMessageKind::Remove(PeerId::SERVER) => FromServer::Closed,
        PeerMessageKind::Add(peer) => notice(SystemMessage::PeerAdded { peer }),
        PeerMessageKind::Remove(peer) => notice(SystemMessage::PeerRemoved { peer }),
        PeerMessageKind::Data(packet) => FromServer::Packet(PACKETS, with_ids(&message, packet)),
    })
}

/// Reads a message of a Godot 3 client: the packet for the session, and its channel.
pub(super) fn from_client(message: &[u8]) -> Option<(u8, Vec<u8>)> {
    let message = PeerMessage::parse(message)?;
    // Only a server sends the others.
    let PeerMessageKind::Data(packet) = message.kind else { return None };
    Some((PACKETS, with_ids(&message, packet)))
}

/// Writes a packet of a Godot 3 session as a message.
pub(super) fn to_message(channel: u8, packet: &[u8]) -> Option<Vec<u8>> {
    let message = if channel == SYSTEM_CHANNEL {
        let kind = match SystemMessage::parse(packet)? {
            SystemMessage::PeerAdded { peer } => PeerMessageKind::Add(peer),
            SystemMessage::PeerRemoved { peer } => PeerMessageKind::Remove(peer),
        };
        PeerMessage::new(kind, PeerId::SERVER, PeerId::EVERYONE)
    } else {
        let (PeerHeader { source, target }, packet) = PeerHeader::split(packet)?;
        PeerMessage::new(PeerMessageKind::Data(packet), source, target)
    };
    Some(message.encode_into(Vec::new()))
}

/// The first messages of a server to a client of Godot 3: its id, and that it is admitted.
pub(super) fn greeting(id: PeerId) -> [Vec<u8>; 2] {
    [PeerMessageKind::Id(id), PeerMessageKind::Add(PeerId::SERVER)].map(|kind| {
        PeerMessage::new(kind, PeerId::SERVER, PeerId::EVERYONE).encode_into(Vec::new())
    })
}

/// The packet that says that a peer has joined or left, as over ENet.
fn notice(message: SystemMessage) -> FromServer {
    FromServer::Packet(SYSTEM_CHANNEL, message.to_bytes().to_vec())
}

/// A packet with the ids of its sender and receiver, as over ENet.
fn with_ids(message: &PeerMessage<'_>, packet: &[u8]) -> Vec<u8> {
    let header = PeerHeader { source: message.source, target: message.target };
    [&header.to_bytes(), packet].concat()
}

#[cfg(test)]
mod tests {
    use super::{FromServer, from_client, from_server, greeting, to_message};
    use crate::game::multiplayer::PeerId;

    #[test]
    fn messages_of_godot_3_are_packets_of_a_session() {
        // A packet from peer 2 to the server.
        let message = [&[0, 2, 0, 0, 0, 1, 0, 0, 0][..], b"hi"].concat();
        let (channel, packet) = from_client(&message).unwrap();
        assert_eq!(packet, [&[2, 0, 0, 0, 1, 0, 0, 0][..], b"hi"].concat());
        assert_eq!(to_message(channel, &packet).unwrap(), message);
        // Peer 7 has joined.
        let message = [1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0];
        let Some(FromServer::Packet(channel, packet)) = from_server(&message) else { panic!() };
        assert_eq!((channel, &packet[..]), (0, &[0, 0, 0, 0, 7, 0, 0, 0][..]));
        assert_eq!(to_message(channel, &packet).unwrap(), message);
        assert!(from_client(&message).is_none(), "only a server sends this");
        let [id, admitted] = greeting(PeerId::new(9));
        assert!(matches!(from_server(&id), Some(FromServer::Id(id)) if id.get() == 9));
        assert!(matches!(from_server(&admitted), Some(FromServer::Admitted)));
        assert!(from_server(&message[..8]).is_none() && to_message(1, &[0; 7]).is_none());
    }
}
