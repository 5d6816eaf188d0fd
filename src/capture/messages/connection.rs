//! The state of one flow: takes its packets and gives its messages.

use super::arrivals::{Arrivals, Spans};
use super::event::{Origin, Peers, Place, Reason};
use super::output::{Client, Output, SERVER};
use super::queue::{Queue, What};
use crate::capture::survey::Choice;
use crate::capture::table::Held;
use crate::capture::{Datagram, Flow, Limits, Segment, Transport};
use crate::multiplayer::Paths;
use crate::net::{Side, enet, tcp, websocket};
use crate::parse::parse;

/// The state of one flow.
pub(super) struct Connection {
    choice: Choice,
    carrier: Carrier,
    client: Option<Client>,
    /// The names that packets of the multiplayer API have announced.
    pub(super) paths: Paths,
}

enum Carrier {
    Enet(Box<Enet>),
    Tcp(Box<[Direction<tcp::Frames>; 2]>),
    WebSocket(Box<[Direction<websocket::Stream>; 2]>),
}

struct Enet {
    session: enet::Session,
    arrivals: Arrivals,
}

struct Direction<R> {
    reassembler: tcp::Reassembler,
    arrivals: Arrivals,
    reader: R,
    spans: Spans,
}

/// Numbers for ends whose peer ids are unknown: the two of a flow, and those of a relayed packet.
const UNKNOWN: [u64; 2] = [1 << 32, 2 << 32];
const UNKNOWN_RELAY: u64 = 4 << 32;

impl Connection {
    /// The state of a new flow; none if such a flow needs no state.
    pub(super) fn new(choice: Choice, limits: &Limits) -> Option<Connection> {
        let message = limits.message();
        let carrier = match choice.transport {
            Transport::Udp => return None,
            Transport::Enet => {
                let session = enet::Session::new(limits.enet());
                Carrier::Enet(Box::new(Enet { session, arrivals: Arrivals::default() }))
            }
            Transport::Tcp => {
                let reader = || tcp::Frames::new(u32::try_from(message).unwrap_or(u32::MAX));
                let direction = || Direction::new(limits, reader());
                Carrier::Tcp(Box::new([direction(), direction()]))
            }
            Transport::WebSocket => {
                // It keeps a message and the next frame.
                let reader = || websocket::Stream::new(message / 2);
                let direction = || Direction::new(limits, reader());
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
        let Carrier::Enet(enet) = &mut self.carrier else { return };
        let Enet { session, arrivals } = &mut **enet;
        let now = (session.datagrams(), queue.now());
        let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
        let Datagram { payload, missing, .. } = *datagram;
        session.swap_scratch(scratch);
        let result = session.receive_cut(from, payload, missing, &mut |event| {
            output.enet(event, &|datagram| arrivals.of(datagram, now));
        });
        session.swap_scratch(scratch);
        if session.buffered() > 0 {
            arrivals.note(now, session.held_datagrams());
        } else {
            arrivals.clear();
        }
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

    /// Ends the flow and gives what was held back.
    pub(super) fn finish<'a>(&mut self, flow: Flow, queue: &mut Queue<'a>) {
        if let Carrier::Enet(enet) = &mut self.carrier {
            let Enet { session, arrivals } = &mut **enet;
            let now = (session.datagrams(), queue.now());
            let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
            session.finish(&mut |event| {
                output.enet(event, &|datagram| arrivals.of(datagram, now));
            });
            return;
        }
        for from in [Side::First, Side::Second] {
            self.stream(flow, from, queue, |stream, sink| stream.finish(sink));
            let mut output = Output { flow, choice: self.choice, client: &mut self.client, queue };
            match &mut self.carrier {
                Carrier::Tcp(directions) => {
                    let dialect = output.choice.dialect;
                    let is_message = |bytes: &[u8]| parse(dialect, bytes).is_ok();
                    let Direction { reader, spans, .. } = of(directions, from);
                    reader.finish(&is_message, &mut |event| output.frame(from, event, spans));
                }
                Carrier::WebSocket(directions) => {
                    let Direction { reader, spans, .. } = of(directions, from);
                    reader.finish(&mut |event| output.websocket(from, event, spans));
                }
                Carrier::Enet(_) => {}
            }
        }
    }

    /// Works on the reassembler of one direction and reads what it gives.
    fn stream<'a>(
        &mut self,
        flow: Flow,
        from: Side,
        queue: &mut Queue<'a>,
        give: impl FnOnce(&mut tcp::Reassembler, &mut dyn FnMut(tcp::Piece<'_>)),
    ) {
        let choice = self.choice;
        let now = queue.now();
        let mut output = Output { flow, choice, client: &mut self.client, queue };
        match &mut self.carrier {
            Carrier::Tcp(directions) => {
                let is_message = |bytes: &[u8]| parse(choice.dialect, bytes).is_ok();
                of(directions, from).give(now, give, |reader, spans, piece, place| {
                    spans.add(piece, place, reader.is_searching());
                    reader.push(piece, &is_message, &mut |event| output.frame(from, event, spans));
                    spans.forget_before(reader.kept_from());
                });
            }
            Carrier::WebSocket(directions) => {
                of(directions, from).give(now, give, |reader, spans, piece, place| {
                    spans.add(piece, place, reader.is_searching());
                    reader.push(piece, &mut |event| output.websocket(from, event, spans));
                    spans.forget_before(reader.kept_from());
                });
            }
            Carrier::Enet(_) => {}
        }
    }

    /// The numbers under which [`Paths`] keeps the sender and the receiver of a message.
    pub(super) fn ends(&self, peers: Peers, from: Side) -> (u64, u64) {
        let [first, second] = UNKNOWN;
        let unknown = |side| if side == Side::First { first } else { second };
        let source = peers.source.map_or(unknown(from), end_of);
        let target = peers.target.filter(|target| *target > 0);
        (source, target.map_or(unknown(from.other()), end_of))
    }
}

impl<R> Direction<R> {
    fn new(limits: &Limits, reader: R) -> Direction<R> {
        let reassembler = tcp::Reassembler::new(limits.out_of_order());
        Direction { reassembler, arrivals: Arrivals::default(), reader, spans: Spans::default() }
    }

    /// Works on the reassembler and passes each piece to `read`, with the packet that brought it.
    fn give(
        &mut self,
        now: Place,
        give: impl FnOnce(&mut tcp::Reassembler, &mut dyn FnMut(tcp::Piece<'_>)),
        mut read: impl FnMut(&mut R, &mut Spans, tcp::Piece<'_>, Place),
    ) {
        let Direction { reassembler, arrivals, reader, spans } = self;
        let now = (reassembler.segments(), now);
        give(reassembler, &mut |piece| {
            let place = match piece {
                tcp::Piece::Data { segment, .. } => arrivals.of(segment, now),
                _ => now.1,
            };
            read(reader, spans, piece, place);
        });
        if reassembler.buffered() == 0 {
            arrivals.clear();
        } else if reassembler.segments() > now.0 {
            arrivals.note(now, reassembler.held_segments());
        }
    }

    /// How much memory is in use, apart from the reader.
    fn heap_bytes(&self) -> usize {
        let Direction { reassembler, arrivals, spans, .. } = self;
        let packets = arrivals.heap_bytes().saturating_add(spans.heap_bytes());
        reassembler.heap_bytes().saturating_add(packets)
    }
}

/// The number under which [`Paths`] keeps a peer.
fn end_of(peer: i32) -> u64 {
    peer.cast_unsigned().into()
}

/// The sender and the receiver of a relayed packet, from the peers of the connection and the peer
/// that the relay names.
pub(super) fn relayed(peers: Peers, sender: u64, peer: i32) -> (u64, Option<u64>) {
    // A relay from the server names the sender, one to the server names the receiver.
    match peers.source {
        Some(SERVER) => (end_of(peer), peers.target.map(end_of)),
        Some(_) => (sender, (peer > 0).then(|| end_of(peer))),
        // The direction is unknown: names belong to this sender and this peer together.
        None => (UNKNOWN_RELAY | sender | end_of(peer), None),
    }
}

impl Held for Connection {
    fn held(&self) -> usize {
        fn of<R>(directions: &[Direction<R>; 2], of_reader: impl Fn(&R) -> usize) -> usize {
            let heap_bytes =
                |it: &Direction<R>| it.heap_bytes().saturating_add(of_reader(&it.reader));
            directions.iter().map(heap_bytes).fold(size_of_val(directions), usize::saturating_add)
        }
        let held = match &self.carrier {
            Carrier::Enet(enet) => {
                let Enet { session, arrivals } = &**enet;
                let held = session.heap_bytes().saturating_add(arrivals.heap_bytes());
                size_of::<Enet>().saturating_add(held)
            }
            Carrier::Tcp(directions) => of(directions, tcp::Frames::heap_bytes),
            Carrier::WebSocket(directions) => of(directions, websocket::Stream::heap_bytes),
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
