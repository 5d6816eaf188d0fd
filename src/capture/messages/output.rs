//! Turns what the transports give into entries of the queue, with the multiplayer peers resolved.

use super::arrivals::Spans;
use super::event::{Loss, Origin, Peers, Place, Reason};
use super::queue::{Found, Queue, What};
use crate::capture::Flow;
use crate::capture::survey::{Choice, Layers};
use crate::multiplayer::Packet;
use crate::net::enet::godot::SystemMessage;
use crate::net::websocket::WebSocketEvent;
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::net::{Side, enet, tcp};

/// The id of the server as a multiplayer peer.
pub(super) const SERVER: i32 = 1;

/// The size of the length in front of a message over TCP, in bytes.
const LENGTH: u64 = 4;

/// The end that is the client, and its id as a multiplayer peer.
#[derive(Clone, Copy)]
pub(super) struct Client {
    side: Side,
    id: i32,
}

/// Writes the messages of one flow into the queue.
pub(super) struct Output<'c, 'q, 'a> {
    pub(super) flow: Flow,
    pub(super) choice: Choice,
    pub(super) client: &'c mut Option<Client>,
    pub(super) queue: &'q mut Queue<'a>,
}

impl<'a> Output<'_, '_, 'a> {
    fn push(&mut self, from: Side, place: Place, what: What<'a>) {
        let transport = self.choice.transport;
        self.queue.push_of(place, Some(Origin { flow: self.flow, from, transport }), what);
    }

    fn lost(&mut self, from: Side, loss: Loss) {
        self.push(from, self.queue.now(), What::Lost(loss));
    }

    /// The peers of a message that does not name them itself.
    fn peers(&self, from: Side) -> Peers {
        let Some(client) = *self.client else { return Peers::default() };
        let (source, target) =
            if client.side == from { (client.id, SERVER) } else { (SERVER, client.id) };
        Peers { source: Some(source), target: Some(target) }
    }

    fn found(&mut self, bytes: &[u8], offset: u64, peers: Peers) -> Found<'a> {
        let bytes = self.queue.keep(bytes);
        let choice = self.choice;
        Found { choice, bytes, offset, channel: None, mode: None, peers, own: None }
    }

    /// `place_of` gives the packet of a datagram.
    pub(super) fn enet(&mut self, event: enet::Event<'_>, place_of: &dyn Fn(u64) -> Place) {
        match event {
            enet::Event::Message(message) => {
                self.enet_message(place_of(message.datagram), &message);
            }
            enet::Event::Connected(connected) => {
                let id = connected.data.cast_signed();
                *self.client = Some(Client { side: connected.from, id });
            }
            enet::Event::Lost(loss) => self.lost(loss.from, Loss::Enet(loss)),
            enet::Event::Disconnected { .. } => {}
        }
    }

    fn enet_message(&mut self, place: Place, message: &enet::Message<'_>) {
        let enet::Message { from, channel, mode, payload, .. } = *message;
        let offset = message.offset as u64;
        let has_peers = self.choice.layers.has_peers;
        let header = has_peers && channel != enet::godot::SYSTEM_CHANNEL;
        let mut found = match enet::godot::PeerHeader::split(payload) {
            Some((header_of, rest)) if header => {
                let peers = Peers {
                    source: Some(header_of.source.cast_signed()),
                    target: Some(header_of.target),
                };
                let skipped = payload.len().saturating_sub(rest.len()) as u64;
                self.found(rest, offset.saturating_add(skipped), peers)
            }
            _ => {
                let peers = self.peers(from);
                self.found(payload, offset, peers)
            }
        };
        if has_peers && !header {
            found.own = match SystemMessage::parse(payload) {
                Some(SystemMessage::PeerAdded { peer }) => {
                    Some(Packet::PeerAdded { peer: peer.cast_signed() })
                }
                Some(SystemMessage::PeerRemoved { peer }) => {
                    Some(Packet::PeerRemoved { peer: peer.cast_signed() })
                }
                _ => None,
            };
        }
        (found.channel, found.mode) = (Some(channel), Some(mode));
        self.push(from, place, What::Message(found));
    }

    pub(super) fn frame(&mut self, from: Side, event: tcp::FrameEvent<'_>, spans: &Spans) {
        match event {
            tcp::FrameEvent::Message { offset, bytes } => {
                let start = offset.saturating_sub(LENGTH);
                let end = offset.saturating_add(bytes.len() as u64);
                let place = spans.last(start, end).unwrap_or(self.queue.now());
                let found = self.found(bytes, offset, Peers::default());
                self.push(from, place, What::Message(found));
            }
            tcp::FrameEvent::Lost { offset, bytes, why } => {
                self.lost(from, Loss::Stream { offset, bytes, why });
            }
        }
    }

    pub(super) fn websocket(&mut self, from: Side, event: WebSocketEvent<'_>, spans: &Spans) {
        match event {
            // The engines do not send packets as text, but a game may send a value that way.
            WebSocketEvent::Message { offset, end, is_text: true, payload, .. } => {
                let place = spans.last(offset, end).unwrap_or(self.queue.now());
                let found = self.found(payload, offset, Peers::default());
                let choice = Choice { layers: Layers::default(), ..found.choice };
                self.push(from, place, What::Message(Found { choice, ..found }));
            }
            WebSocketEvent::Message { offset, end, payload, .. } => {
                let place = spans.last(offset, end).unwrap_or(self.queue.now());
                self.websocket_message((from, place), offset, payload);
            }
            WebSocketEvent::Lost { offset, bytes, why } => {
                self.lost(from, Loss::Stream { offset, bytes, why });
            }
            WebSocketEvent::Handshake(_) | WebSocketEvent::Control { .. } => {}
        }
    }

    fn websocket_message(&mut self, (from, place): (Side, Place), offset: u64, payload: &[u8]) {
        let layers = self.choice.layers;
        if layers.has_peers
            && let Some(message) = PeerMessage::read(payload)
        {
            let peers = Peers { source: Some(message.source), target: Some(message.target) };
            let (data, own) = match message.kind {
                PeerMessageKind::Data(data) => (data, None),
                PeerMessageKind::Add(peer) => (payload, Some(Packet::PeerAdded { peer })),
                PeerMessageKind::Remove(peer) => (payload, Some(Packet::PeerRemoved { peer })),
                PeerMessageKind::Id(peer) => return self.peer_id(from, place, payload, peer),
            };
            let found = self.found(data, offset, peers);
            return self.push(from, place, What::Message(Found { own, ..found }));
        }
        // A Godot 4 server first sends the client's id.
        if layers.is_multiplayer
            && !layers.has_peers
            && self.client.is_none()
            && let Ok(id) = payload.try_into()
        {
            return self.peer_id(from, place, payload, i32::from_le_bytes(id));
        }
        let peers = self.peers(from);
        let found = self.found(payload, offset, peers);
        self.push(from, place, What::Message(found));
    }

    /// A server tells a client its id.
    fn peer_id(&mut self, from: Side, place: Place, payload: &[u8], id: i32) {
        *self.client = Some(Client { side: from.other(), id });
        let bytes = self.queue.keep(payload);
        self.push(from, place, What::Other(bytes, Reason::PeerId(id)));
    }
}
