//! The flow that something is kept of: from packets to messages.

use super::event::{Loss, Origin, Peers, Reason};
use super::queue::{Found, Queue, What};
use crate::capture::survey::{Choice, Layers};
use crate::capture::table::Held;
use crate::capture::{Datagram, Flow, Limits, Segment, Transport};
use crate::multiplayer::{Packet, Paths};
use crate::net::enet::godot::SystemMessage;
use crate::net::websocket::WebSocketEvent;
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::net::{Side, enet, tcp, websocket};
use crate::parse::parse;

/// What is kept of a flow.
pub(super) struct Connection {
    choice: Choice,
    carrier: Carrier,
    client: Option<Client>,
    /// What the packets of the multiplayer API have named.
    pub(super) paths: Paths,
}

enum Carrier {
    Enet(Box<enet::Session>),
    Tcp(Box<[Direction<tcp::Frames>; 2]>),
    WebSocket(Box<[Direction<websocket::Stream>; 2]>),
}

struct Direction<R> {
    reassembler: tcp::Reassembler,
    reader: R,
}

/// Which end is the client, and its id as a multiplayer peer.
#[derive(Clone, Copy)]
struct Client {
    side: Side,
    id: i32,
}

/// The id of the server as a multiplayer peer.
const SERVER: i32 = 1;

/// Ends that no ids are known of: those of the flow, and whom a packet is relayed between.
const UNKNOWN: [u64; 2] = [1 << 32, 2 << 32];
const UNKNOWN_RELAY: u64 = 4 << 32;

impl Connection {
    /// Nothing yet; none if nothing needs to be kept of such a flow.
    pub(super) fn new(choice: Choice, limits: &Limits) -> Option<Connection> {
        let message = limits.message();
        let reassembler = || tcp::Reassembler::new(limits.out_of_order());
        let carrier = match choice.transport {
            Transport::Udp => return None,
            Transport::Enet => Carrier::Enet(Box::new(enet::Session::new(limits.enet()))),
            Transport::Tcp => {
                let reader = || tcp::Frames::new(u32::try_from(message).unwrap_or(u32::MAX));
                let direction = || Direction { reassembler: reassembler(), reader: reader() };
                Carrier::Tcp(Box::new([direction(), direction()]))
            }
            Transport::WebSocket => {
                // It keeps a message and the frame that comes next.
                let reader = || websocket::Stream::new(message / 2);
                let direction = || Direction { reassembler: reassembler(), reader: reader() };
                Carrier::WebSocket(Box::new([direction(), direction()]))
            }
        };
        let (names, bytes) = limits.names();
        let paths = Paths::with_limits(names, bytes);
        Some(Connection { choice, carrier, client: None, paths })
    }

    pub(super) const fn transport(&self) -> Transport {
        self.choice.transport
    }

    /// Reads a datagram.
    pub(super) fn datagram<'a>(
        &mut self,
        (flow, from): (Flow, Side),
        datagram: &Datagram<'_>,
        scratch: &mut enet::Scratch,
        queue: &mut Queue<'a>,
    ) {
        let Carrier::Enet(session) = &mut self.carrier else { return };
        let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
        let Datagram { payload, missing, .. } = *datagram;
        session.swap_scratch(scratch);
        let result = session.receive_cut(from, payload, missing, &mut |event| output.enet(event));
        session.swap_scratch(scratch);
        if let Err(error) = result {
            let bytes = queue.keep(payload);
            let source = Origin { flow, from, transport: Transport::Enet };
            queue.push(Some(source), What::Other(bytes, Reason::NoEnet(error)));
        }
    }

    /// Reads a segment.
    pub(super) fn segment<'a>(
        &mut self,
        (flow, from): (Flow, Side),
        segment: &Segment<'_>,
        queue: &mut Queue<'a>,
    ) {
        self.stream(flow, from, queue, |stream, sink| stream.push(segment.in_stream(), sink));
        if let Some(number) = segment.acknowledgement {
            self.stream(flow, from.other(), queue, |stream, sink| {
                stream.acknowledged(number, sink);
            });
        }
    }

    /// Nothing comes any more: gives what was held back.
    pub(super) fn finish<'a>(&mut self, flow: Flow, queue: &mut Queue<'a>) {
        if let Carrier::Enet(session) = &mut self.carrier {
            let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
            session.finish(&mut |event| output.enet(event));
            return;
        }
        for from in [Side::First, Side::Second] {
            self.stream(flow, from, queue, |stream, sink| stream.finish(sink));
            let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
            match &mut self.carrier {
                Carrier::Tcp(directions) => {
                    let dialect = output.choice.dialect;
                    let is_message = |bytes: &[u8]| parse(dialect, bytes).is_ok();
                    let reader = &mut of(directions, from).reader;
                    reader.finish(&is_message, &mut |event| output.frame(from, event));
                }
                Carrier::WebSocket(directions) => {
                    let reader = &mut of(directions, from).reader;
                    reader.finish(&mut |event| output.websocket(from, event));
                }
                Carrier::Enet(_) => {}
            }
        }
    }

    fn stream<'a>(
        &mut self,
        flow: Flow,
        from: Side,
        queue: &mut Queue<'a>,
        give: impl FnOnce(&mut tcp::Reassembler, &mut dyn FnMut(tcp::Piece<'_>)),
    ) {
        let choice = self.choice;
        let mut output = Output { flow, choice, client: &mut self.client, queue };
        match &mut self.carrier {
            Carrier::Tcp(directions) => {
                let Direction { reassembler, reader } = of(directions, from);
                let is_message = |bytes: &[u8]| parse(choice.dialect, bytes).is_ok();
                give(reassembler, &mut |piece| {
                    reader.push(piece, &is_message, &mut |event| output.frame(from, event));
                });
            }
            Carrier::WebSocket(directions) => {
                let Direction { reassembler, reader } = of(directions, from);
                give(reassembler, &mut |piece| {
                    reader.push(piece, &mut |event| output.websocket(from, event));
                });
            }
            Carrier::Enet(_) => {}
        }
    }

    /// The numbers by which [`Paths`] knows who sent a message and who gets it.
    pub(super) fn ends(&self, peers: Peers, from: Side) -> (u64, u64) {
        let [first, second] = UNKNOWN;
        let unknown = |side| if side == Side::First { first } else { second };
        let source = peers.source.map_or(unknown(from), end_of);
        let target = peers.target.filter(|target| *target > 0);
        (source, target.map_or(unknown(from.other()), end_of))
    }
}

/// The number by which [`Paths`] knows a peer.
fn end_of(peer: i32) -> u64 {
    peer.cast_unsigned().into()
}

/// Whom a relayed packet goes between, by what is known of the connection and of the relay.
pub(super) fn relayed(peers: Peers, sender: u64, peer: i32) -> (u64, Option<u64>) {
    // From the server it says from whom, to the server for whom.
    match peers.source {
        Some(SERVER) => (end_of(peer), peers.target.map(end_of)),
        Some(_) => (sender, (peer > 0).then(|| end_of(peer))),
        // Nobody knows which: the names are those of this sender and this peer.
        None => (UNKNOWN_RELAY | sender | end_of(peer), None),
    }
}

impl Held for Connection {
    fn held(&self) -> usize {
        fn of<R>(
            directions: &[Direction<R>; 2],
            heap_bytes: impl Fn(&Direction<R>) -> usize,
        ) -> usize {
            directions.iter().map(heap_bytes).fold(size_of_val(directions), usize::saturating_add)
        }
        let held = match &self.carrier {
            Carrier::Enet(session) => size_of_val(&**session).saturating_add(session.heap_bytes()),
            Carrier::Tcp(directions) => of(directions, |Direction { reassembler, reader }| {
                reassembler.heap_bytes().saturating_add(reader.heap_bytes())
            }),
            Carrier::WebSocket(directions) => {
                of(directions, |Direction { reassembler, reader }| {
                    reassembler.heap_bytes().saturating_add(reader.heap_bytes())
                })
            }
        };
        held.saturating_add(self.paths.held_bytes())
    }
}

fn of<R>(directions: &mut [Direction<R>; 2], from: Side) -> &mut Direction<R> {
    let [first, second] = directions;
    match from {
        Side::First => first,
        Side::Second => second,
    }
}

/// Where the messages of a flow go.
struct Output<'c, 'q, 'a> {
    flow: Flow,
    choice: Choice,
    client: &'c mut Option<Client>,
    queue: &'q mut Queue<'a>,
}

impl<'a> Output<'_, '_, 'a> {
    fn push(&mut self, from: Side, what: What<'a>) {
        let transport = self.choice.transport;
        self.queue.push(Some(Origin { flow: self.flow, from, transport }), what);
    }

    /// Between whom something goes that does not say it itself.
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

    fn enet(&mut self, event: enet::Event<'_>) {
        match event {
            enet::Event::Message(message) => self.enet_message(&message),
            enet::Event::Connected(connected) => {
                let id = connected.data.cast_signed();
                *self.client = Some(Client { side: connected.from, id });
            }
            enet::Event::Lost(loss) => self.push(loss.from, What::Lost(Loss::Enet(loss))),
            enet::Event::Disconnected { .. } => {}
        }
    }

    fn enet_message(&mut self, message: &enet::Message<'_>) {
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
        self.push(from, What::Message(found));
    }

    fn frame(&mut self, from: Side, event: tcp::FrameEvent<'_>) {
        match event {
            tcp::FrameEvent::Message { offset, bytes } => {
                let found = self.found(bytes, offset, Peers::default());
                self.push(from, What::Message(found));
            }
            tcp::FrameEvent::Lost { offset, bytes, why } => {
                self.push(from, What::Lost(Loss::Stream { offset, bytes, why }));
            }
        }
    }

    fn websocket(&mut self, from: Side, event: WebSocketEvent<'_>) {
        match event {
            // No packet of the engines' is text; a value may be sent as if it were.
            WebSocketEvent::Message { offset, is_text: true, payload, .. } => {
                let found = self.found(payload, offset, Peers::default());
                let choice = Choice { layers: Layers::default(), ..found.choice };
                self.push(from, What::Message(Found { choice, ..found }));
            }
            WebSocketEvent::Message { offset, payload, .. } => {
                self.websocket_message(from, offset, payload);
            }
            WebSocketEvent::Lost { offset, bytes, why } => {
                self.push(from, What::Lost(Loss::Stream { offset, bytes, why }));
            }
            WebSocketEvent::Handshake(_) | WebSocketEvent::Control { .. } => {}
        }
    }

    fn websocket_message(&mut self, from: Side, offset: u64, payload: &[u8]) {
        let layers = self.choice.layers;
        if layers.has_peers
            && let Some(message) = PeerMessage::read(payload)
        {
            let peers = Peers { source: Some(message.source), target: Some(message.target) };
            let (data, own) = match message.kind {
                PeerMessageKind::Data(data) => (data, None),
                PeerMessageKind::Add(peer) => (payload, Some(Packet::PeerAdded { peer })),
                PeerMessageKind::Remove(peer) => (payload, Some(Packet::PeerRemoved { peer })),
                PeerMessageKind::Id(peer) => return self.peer_id(from, payload, peer),
            };
            let found = self.found(data, offset, peers);
            return self.push(from, What::Message(Found { own, ..found }));
        }
        // Godot 4's server begins with the client's id.
        if layers.is_multiplayer
            && !layers.has_peers
            && self.client.is_none()
            && let Ok(id) = payload.try_into()
        {
            return self.peer_id(from, payload, i32::from_le_bytes(id));
        }
        let peers = self.peers(from);
        let found = self.found(payload, offset, peers);
        self.push(from, What::Message(found));
    }

    /// A server tells a client its id.
    fn peer_id(&mut self, from: Side, payload: &[u8], id: i32) {
        *self.client = Some(Client { side: from.other(), id });
        let bytes = self.queue.keep(payload);
        self.push(from, What::Other(bytes, Reason::PeerId(id)));
    }
}
