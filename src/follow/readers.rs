//! The readers of one connection. They turn datagrams and segments into messages of the transport.

use super::carried::{Carried, Sink, Whole};
use super::event::{Cause, Reason};
use super::limits::Limits;
use super::place::Place;
use super::{Options, Transport};
use crate::net::{Measures, Side, enet, tcp, websocket};
use crate::packet::{Datagram, Segment, Time};

/// Takes what a stream carries: read as what, who sent it, and the packet that brought it.
pub(super) type StreamSink<'s> = &'s mut dyn FnMut(Transport, Place, Carried<'_>);

/// The same with the end that sent it.
pub(super) type StreamsSink<'s> = &'s mut dyn FnMut(Transport, Side, Place, Carried<'_>);

/// Tells whether bytes are a whole message of a stream.
pub(super) type IsMessage<'m> = &'m dyn Fn(&[u8]) -> bool;

/// The reader of a connection over ENet.
pub(super) struct Enet {
    session: enet::Session<Place>,
    meter: Option<Box<enet::Meter>>,
}

impl Enet {
    pub(super) fn new(options: &Options<'_>) -> Enet {
        let session = enet::Session::new(options.limits.enet());
        Enet { session, meter: options.is_measuring.then(Box::default) }
    }

    /// Reads a datagram.
    ///
    /// # Errors
    ///
    /// If the datagram is not of ENet.
    pub(super) fn datagram(
        &mut self,
        from: Side,
        now: Place,
        datagram: &Datagram<'_>,
        scratch: &mut enet::Scratch,
        sink: Sink<'_>,
    ) -> Result<(), enet::Error> {
        let Datagram { payload, missing, .. } = *datagram;
        self.session.swap_scratch(scratch);
        let sink = &mut |event: enet::Event<'_, Place>| give_enet(event, now, sink);
        let observe = &mut |datagram: &enet::Datagram<'_>| {
            if let Some(meter) = &mut self.meter {
                meter.datagram(from, now.time.map(Time::as_nanos), datagram);
            }
        };
        let result = self.session.receive_observed((from, now), payload, missing, observe, sink);
        self.session.swap_scratch(scratch);
        result
    }

    /// Ends the input: gives what was held back.
    pub(super) fn finish(&mut self, now: Place, sink: Sink<'_>) {
        self.session.finish(&mut |event| give_enet(event, now, sink));
    }

    /// Whether an end has sent something on a channel.
    pub(super) fn has_channel(&self, from: Side, channel: u8) -> bool {
        self.session.has_channel(from, channel)
    }

    /// What was measured of what an end has sent.
    pub(super) fn measures(&self, from: Side) -> Option<&Measures> {
        self.meter.as_ref().map(|meter| meter.measures(from))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let meter = self.meter.as_deref();
        let meter = meter.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
        self.session.heap_bytes().saturating_add(meter)
    }
}

fn give_enet(event: enet::Event<'_, Place>, now: Place, sink: Sink<'_>) {
    match event {
        enet::Event::Message(message) => {
            sink(message.from, message.tag, Carried::Message(Whole::of_enet(&message)));
        }
        enet::Event::Connected(connected) => {
            sink(connected.from, now, Carried::Client(connected.data.cast_signed()));
        }
        enet::Event::Lost(loss) => sink(loss.from, now, Carried::Lost(Cause::Enet(loss))),
        enet::Event::Disconnected { from, .. } => sink(from, now, Carried::Disconnected),
    }
}

/// What a refused datagram is given as: a loss if a limit is the reason.
pub(super) fn refused(from: Side, payload: &[u8], error: enet::Error) -> Carried<'_> {
    if error.problem == enet::Problem::TooMuchWork {
        let (lost, reason) = (enet::Lost::Rest { len: payload.len() }, enet::LossReason::Work);
        let loss = enet::LostMessage { from, channel: None, lost, reason };
        return Carried::Lost(Cause::Enet(loss));
    }
    Carried::Other(payload, Reason::NoEnet(error))
}

/// Splits a stream into messages that follow their length.
pub(super) type Frames = tcp::Frames<Place>;

/// Reads a stream as one direction of a connection over WebSocket.
pub(super) type WebSocket = websocket::Stream<Place>;

/// A reader of one direction of a stream.
pub(super) trait Read {
    /// Reads the next piece; `now` is the last packet.
    fn piece(
        &mut self,
        piece: tcp::Piece<'_, Place>,
        now: Place,
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
    );

    /// Ends the input: gives what was held back.
    fn end(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamSink<'_>);

    fn heap_bytes(&self) -> usize;
}

pub(super) fn frames(limits: &Limits) -> Frames {
    Frames::new(u32::try_from(limits.message()).unwrap_or(u32::MAX))
}

pub(super) fn websocket(limits: &Limits) -> WebSocket {
    // It keeps a message and the frame that comes next.
    WebSocket::new(limits.message() / 2)
}

impl Read for Frames {
    fn piece(
        &mut self,
        piece: tcp::Piece<'_, Place>,
        now: Place,
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
    ) {
        self.push(piece, is_message, &mut |event| give_frame(event, now, sink));
    }

    fn end(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamSink<'_>) {
        self.finish(is_message, &mut |event| give_frame(event, now, sink));
    }

    fn heap_bytes(&self) -> usize {
        self.heap_bytes()
    }
}

impl Read for WebSocket {
    fn piece(
        &mut self,
        piece: tcp::Piece<'_, Place>,
        now: Place,
        _: IsMessage<'_>,
        sink: StreamSink<'_>,
    ) {
        self.push(piece, &mut |event| give_websocket(event, now, sink));
    }

    fn end(&mut self, now: Place, _: IsMessage<'_>, sink: StreamSink<'_>) {
        self.finish(&mut |event| give_websocket(event, now, sink));
    }

    fn heap_bytes(&self) -> usize {
        self.heap_bytes()
    }
}

/// Gives a message with the packet that brought it, other things with the last packet.
fn give_frame(event: tcp::FrameEvent<'_, Place>, now: Place, sink: StreamSink<'_>) {
    let (carried, place) = Carried::of_frame(event);
    sink(Transport::Tcp, place.unwrap_or(now), carried);
}

/// The same for WebSocket.
fn give_websocket(event: websocket::Event<'_, Place>, now: Place, sink: StreamSink<'_>) {
    if let Some((carried, place)) = Carried::of_websocket(event) {
        sink(Transport::WebSocket, place.unwrap_or(now), carried);
    }
}

/// One direction of a TCP connection.
#[derive(Clone)]
struct Direction<R> {
    reassembler: tcp::Reassembler<Place>,
    reader: R,
    /// Whether the stream came to its end.
    is_over: bool,
}

/// Both directions of a TCP connection.
#[derive(Clone)]
pub(super) struct Streams<R> {
    first: Direction<R>,
    second: Direction<R>,
}

impl<R: Read> Streams<R> {
    pub(super) fn new(limits: &Limits, mut reader: impl FnMut() -> R) -> Streams<R> {
        let mut direction = || Direction {
            reassembler: tcp::Reassembler::new(limits.out_of_order()),
            reader: reader(),
            is_over: false,
        };
        Streams { first: direction(), second: direction() }
    }

    /// Reads a segment, and what it acknowledges.
    pub(super) fn segment(
        &mut self,
        from: Side,
        now: Place,
        segment: &Segment<'_>,
        is_message: IsMessage<'_>,
        sink: StreamsSink<'_>,
    ) {
        self.side(from).give(
            now,
            is_message,
            &mut |transport, place, carried| sink(transport, from, place, carried),
            |stream, sink| stream.push(segment.in_stream().with_tag(now), sink),
        );
        if let Some(number) = segment.acknowledgement {
            let from = from.other();
            self.side(from).give(
                now,
                is_message,
                &mut |transport, place, carried| sink(transport, from, place, carried),
                |stream, sink| stream.acknowledged(number, sink),
            );
        }
    }

    /// Ends the input: gives what was held back.
    pub(super) fn finish(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamsSink<'_>) {
        for from in [Side::First, Side::Second] {
            let sink: StreamSink<'_> =
                &mut |transport, place, carried| sink(transport, from, place, carried);
            let direction = self.side(from);
            direction.give(now, is_message, sink, |stream, sink| stream.finish(sink));
            let first = direction.reassembler.first_sequence();
            direction.reader.end(now, is_message, &mut |transport, place, carried| {
                sink(transport, place, carried.in_stream(first));
            });
        }
    }

    /// Whether both directions came to their end, and nothing is held back.
    pub(super) fn is_over(&self) -> bool {
        [&self.first, &self.second].iter().all(|it| it.is_over && it.reassembler.held_bytes() == 0)
    }

    /// The same connection with other readers.
    pub(super) fn with_readers<T>(
        self,
        mut change: impl FnMut(R) -> Option<T>,
    ) -> Option<Streams<T>> {
        let mut direction = |it: Direction<R>| {
            let Direction { reassembler, reader, is_over } = it;
            Some(Direction { reassembler, reader: change(reader)?, is_over })
        };
        Some(Streams { first: direction(self.first)?, second: direction(self.second)? })
    }

    pub(super) fn each_reader(&mut self, mut work: impl FnMut(&mut R)) {
        work(&mut self.first.reader);
        work(&mut self.second.reader);
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let directions = [&self.first, &self.second];
        directions.iter().map(|it| it.heap_bytes()).fold(0, usize::saturating_add)
    }

    fn side(&mut self, from: Side) -> &mut Direction<R> {
        match from {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

impl<R: Read> Direction<R> {
    /// Runs the reassembler, and reads its output.
    fn give(
        &mut self,
        now: Place,
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
        work: impl FnOnce(&mut tcp::Reassembler<Place>, &mut dyn FnMut(tcp::Piece<'_, Place>)),
    ) {
        let Direction { reassembler, reader, is_over } = self;
        let mut first = reassembler.first_sequence();
        work(reassembler, &mut |piece| {
            match piece {
                tcp::Piece::End(_) => *is_over = true,
                tcp::Piece::Start => (*is_over, first) = (false, None),
                tcp::Piece::Data { .. } => *is_over = false,
                _ => {}
            }
            reader.piece(piece, now, is_message, &mut |transport, place, carried| {
                sink(transport, place, carried.in_stream(first));
            });
        });
    }

    fn heap_bytes(&self) -> usize {
        self.reassembler.heap_bytes().saturating_add(self.reader.heap_bytes())
    }
}
