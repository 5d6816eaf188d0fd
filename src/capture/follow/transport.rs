//! The transports, what they deliver, and the headers of multiplayer peers in their messages.

use super::{Cause, Place, Reason};
use crate::game::multiplayer::PeerId;
use crate::net::enet::Mode;
use crate::net::enet::godot::{PeerHeader, SYSTEM_CHANNEL, SystemMessage};
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::net::{Between, Side};
use core::fmt;
use core::ops::Range;

/// The transport of a flow's messages.
///
/// ```
/// use gdwire::follow::Transport;
///
/// assert_eq!(Transport::from_name("enet"), Some(Transport::Enet));
/// assert!(Transport::WebSocket.is_over_tcp());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Transport {
    /// UDP: each datagram is a message.
    Udp,
    /// TCP: each message follows its length.
    Tcp,
    /// ENet, over UDP.
    Enet,
    /// WebSocket, over TCP.
    WebSocket,
}

/// The constant properties of a transport.
struct Facts {
    name: &'static str,
    description: &'static str,
    is_over_tcp: bool,
    /// The units that are counted to recognize it, as in "3 of 4 datagrams are values". None if it
    /// is recognized by a handshake.
    evidence: Option<&'static str>,
    /// Whether the high-level multiplayer API uses it.
    has_multiplayer: bool,
    /// Whether the remote debugger uses it.
    has_debugger: bool,
}

impl Transport {
    /// All transports.
    pub const ALL: &'static [Transport] =
        &[Transport::Udp, Transport::Tcp, Transport::Enet, Transport::WebSocket];

    const fn facts(self) -> Facts {
        match self {
            Transport::Udp => Facts {
                name: "udp",
                description: "One value in each datagram (PacketPeerUDP)",
                is_over_tcp: false,
                evidence: Some("datagrams are values"),
                has_multiplayer: false,
                has_debugger: false,
            },
            Transport::Tcp => Facts {
                name: "tcp",
                description: "Values, each after its length (StreamPeer, PacketPeerStream)",
                is_over_tcp: true,
                evidence: Some("messages are values"),
                has_multiplayer: false,
                has_debugger: true,
            },
            Transport::Enet => Facts {
                name: "enet",
                description: "ENet (ENetMultiplayerPeer, NetworkedMultiplayerENet)",
                is_over_tcp: false,
                evidence: Some("datagrams are ENet"),
                has_multiplayer: true,
                has_debugger: false,
            },
            Transport::WebSocket => Facts {
                name: "websocket",
                description: "WebSocket (WebSocketPeer, WebSocketMultiplayerPeer)",
                is_over_tcp: true,
                evidence: None,
                has_multiplayer: true,
                has_debugger: false,
            },
        }
    }

    /// The name in lower case, as on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The transport with a [`name`](Transport::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Transport> {
        Transport::ALL.iter().copied().find(|transport| transport.name() == name)
    }

    /// A line for users: the content that it carries, and the classes of the engine that use it.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.facts().description
    }

    /// Whether it runs over TCP, otherwise over UDP.
    #[must_use]
    pub const fn is_over_tcp(self) -> bool {
        self.facts().is_over_tcp
    }

    pub(super) const fn evidence(self) -> Option<&'static str> {
        self.facts().evidence
    }

    /// Whether it is recognized by a handshake. If the handshake was not seen, random bytes may
    /// look like this transport.
    pub(super) const fn has_handshake(self) -> bool {
        self.facts().evidence.is_none()
    }

    pub(super) const fn has_multiplayer(self) -> bool {
        self.facts().has_multiplayer
    }

    pub(super) const fn has_debugger(self) -> bool {
        self.facts().has_debugger
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The next thing that a transport delivers.
pub(super) enum Carried<'b> {
    Message(TransportMessage<&'b [u8]>),
    /// A message whose last bytes were not captured.
    Cut {
        bytes: &'b [u8],
        missing: usize,
    },
    /// The sender opens the connection as a client, with its id as a multiplayer peer.
    Client(PeerId, u32),
    /// The connection certainly is WebSocket.
    Upgraded,
    /// The sender ends the connection.
    Disconnected,
    /// Something that is lost, and between which packets it was sent.
    Lost(Cause, &'b Between<Place>),
    /// Bytes that do not belong to the transport.
    Other(&'b [u8], Reason),
}

/// A whole message of a transport, before it is decoded. Its bytes are borrowed, or the place where
/// they are kept.
#[derive(Clone, Copy)]
pub(super) struct TransportMessage<B> {
    pub bytes: B,
    pub delivery: Delivery,
}

/// How a transport carried a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// The offset at which the [bytes](super::Message::bytes) of the message start.
    ///
    /// - UDP and ENet: the offset in the datagram of [`Message::place`](super::Message::place), after
    ///   decompression. If an ENet message arrived in fragments, it is where that datagram's fragment
    ///   starts.
    /// - TCP: the offset in the stream, counted from the first byte that was seen.
    /// - WebSocket: the offset in the stream of the message's first frame.
    pub offset: u64,
    /// A number that distinguishes the message from others of its stream or channel, also in a
    /// capture from another place of the network.
    ///
    /// - TCP and WebSocket: the TCP sequence number of the byte at that offset, Wireshark's
    ///   `tcp.seq_raw`. In a stream whose start was not captured, the first messages have none.
    /// - ENet: its [sequence numbers](crate::net::enet::SessionMessage::number).
    /// - UDP: none.
    pub sequence: Option<u32>,
    /// The ENet channel.
    pub channel: Option<u8>,
    /// How it was sent over ENet.
    pub mode: Option<Mode>,
    /// Whether its sender marked it as text, over WebSocket.
    pub is_text: bool,
}

/// The origin of something that a transport delivers: the transport, the end that sent it, and the
/// packet that carried it.
#[derive(Clone, Copy)]
pub struct Sent {
    pub transport: Transport,
    pub from: Side,
    pub place: Place,
}

/// Receives everything that a transport delivers. Messages have a function of their own, because
/// there are many. A closure receives both.
pub trait TakeCarried {
    fn message(&mut self, sent: Sent, message: TransportMessage<&[u8]>);

    /// Receives everything except messages.
    fn other(&mut self, sent: Sent, carried: Carried<'_>);
}

impl<F: FnMut(Sent, Carried<'_>) + ?Sized> TakeCarried for F {
    fn message(&mut self, sent: Sent, message: TransportMessage<&[u8]>) {
        self(sent, Carried::Message(message));
    }

    fn other(&mut self, sent: Sent, carried: Carried<'_>) {
        self(sent, carried);
    }
}

/// Takes what the transport delivers, with the end that sent it and the packet that carried it.
pub type CarriedSink<'s> = &'s mut dyn FnMut(Side, Place, Carried<'_>);

impl<B> TransportMessage<B> {
    /// A message of which nothing else is known.
    pub const fn new(bytes: B, offset: u64) -> TransportMessage<B> {
        TransportMessage::in_stream(bytes, offset, None)
    }

    /// A message of a TCP stream. `first` is the sequence number of the stream's first byte, if that
    /// is known.
    #[inline]
    pub const fn in_stream(bytes: B, offset: u64, first: Option<u32>) -> TransportMessage<B> {
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
        let sequence = match first {
            Some(first) => Some(first.wrapping_add(offset as u32)),
            None => None,
        };
        let delivery = Delivery { offset, sequence, channel: None, mode: None, is_text: false };
        TransportMessage { bytes, delivery }
    }
}

impl<'b> Carried<'b> {
    /// A segment of a stream whose content is unknown.
    pub const fn of_unknown(payload: &'b [u8], missing: usize) -> Carried<'b> {
        Carried::Other(payload, if missing > 0 { Reason::Cut } else { Reason::UnknownStream })
    }
}

/// The range of bytes within a region of memory, which is given by its address and length; none if
/// they are outside of it.
pub fn part_of((address, len): (usize, usize), part: &[u8]) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(address)?;
    let end = start.checked_add(part.len())?;
    (end <= len).then_some(start..end)
}

/// A message of multiplayer peers.
pub struct OfPeers<'b> {
    /// The sender and the receiver; none if the message does not name them.
    pub source: Option<PeerId>,
    pub target: Option<PeerId>,
    pub content: PeerContent<'b>,
}

/// The content of a message between multiplayer peers.
pub enum PeerContent<'b> {
    /// A packet of the game, up to the end of the message.
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

/// The id that Godot 4's server gives a client, if this can be the message with it.
pub fn given_id(transport: Transport, message: &[u8]) -> Option<PeerId> {
    match transport {
        Transport::WebSocket => message.try_into().map(PeerId::from_le_bytes).ok(),
        _ => None,
    }
}

impl<'b> OfPeers<'b> {
    /// Reads a message as one of multiplayer peers; none if it cannot be one.
    pub fn read(transport: Transport, message: &TransportMessage<&'b [u8]>) -> Option<OfPeers<'b>> {
        match transport {
            Transport::Enet if message.delivery.channel == Some(SYSTEM_CHANNEL) => {
                let content = match SystemMessage::parse(message.bytes) {
                    Some(SystemMessage::PeerAdded { peer }) => PeerContent::Added(peer),
                    Some(SystemMessage::PeerRemoved { peer }) => PeerContent::Removed(peer),
                    None => PeerContent::Unknown,
                };
                Some(OfPeers { source: None, target: None, content })
            }
            Transport::Enet => {
                let (PeerHeader { source, target }, data) = PeerHeader::split(message.bytes)?;
                let content = PeerContent::Data(data);
                Some(OfPeers { source: Some(source), target: Some(target), content })
            }
            Transport::WebSocket => {
                let PeerMessage { kind, source, target } = PeerMessage::parse(message.bytes)?;
                let content = match kind {
                    PeerMessageKind::Data(data) => PeerContent::Data(data),
                    PeerMessageKind::Add(peer) => PeerContent::Added(peer),
                    PeerMessageKind::Remove(peer) => PeerContent::Removed(peer),
                    PeerMessageKind::Id(peer) => PeerContent::Id(peer),
                };
                Some(OfPeers { source: Some(source), target: Some(target), content })
            }
            _ => None,
        }
    }

    /// Whether it most likely comes from multiplayer peers: it is about another peer, or names the
    /// client, whose id is known.
    pub fn is_likely(&self, message: &TransportMessage<&[u8]>, client: Option<PeerId>) -> bool {
        match self.content {
            // The server's own id is never announced.
            PeerContent::Added(id) | PeerContent::Removed(id) | PeerContent::Id(id) => {
                let is_of_server = self.source == Some(PeerId::SERVER)
                    && message.bytes.len() == PeerMessage::NOTICE_LEN;
                id > PeerId::SERVER && (self.source.is_none() || is_of_server)
            }
            PeerContent::Data(_) => {
                let client = client.filter(|id| *id > PeerId::SERVER);
                client.is_some()
                    && (client == self.source
                        || self.source == Some(PeerId::SERVER) && client == self.target)
            }
            PeerContent::Unknown => false,
        }
    }

    /// Whether it is from or for the server.
    pub fn is_of_server(&self) -> bool {
        self.source == Some(PeerId::SERVER) || self.target == Some(PeerId::SERVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_peers_send_names_a_peer_that_can_be_theirs() {
        let [server, one, other] = [PeerId::SERVER, PeerId::new(7), PeerId::new(9)];
        let is_likely = |content, source, target, len, client| {
            let message = TransportMessage::new(&[0; 20][..len], 0);
            OfPeers { source, target, content }.is_likely(&message, client)
        };
        for content in [PeerContent::Added, PeerContent::Removed, PeerContent::Id] {
            for (source, len, is_notice) in [
                (None, 8, true),
                (Some(server), PeerMessage::NOTICE_LEN, true),
                (Some(server), 12, false),
                (Some(server), 14, false),
                (Some(one), PeerMessage::NOTICE_LEN, false),
            ] {
                assert_eq!(is_likely(content(one), source, None, len, None), is_notice);
                // The server's own id is never announced.
                assert!(!is_likely(content(server), source, None, len, None));
                assert!(!is_likely(content(PeerId::EVERYONE), source, None, len, None));
            }
        }
        for (source, target, client, is_of_client) in [
            (Some(one), Some(server), Some(one), true),
            (Some(server), Some(one), Some(one), true),
            (Some(other), Some(one), Some(one), false),
            (Some(other), Some(server), Some(one), false),
            (Some(server), Some(other), Some(one), false),
            (Some(server), Some(one), Some(server), false),
            (None, None, None, false),
        ] {
            assert_eq!(is_likely(PeerContent::Data(b""), source, target, 9, client), is_of_client);
        }
        assert!(!is_likely(PeerContent::Unknown, Some(one), Some(one), 9, Some(one)));
    }
}
