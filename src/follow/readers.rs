//! The readers of one connection. They turn datagrams and segments into messages of the transport.

use super::Transport;
use super::arrivals::{Arrivals, Spans};
use super::carried::{Carried, Sink, Whole};
use super::event::{Loss, Reason};
use super::limits::Limits;
use super::place::Place;
use crate::net::{Side, enet, tcp, websocket};
use crate::packet::{Datagram, Segment};

/// Takes what a stream carries: read as what, who sent it, and the packet that brought it.
pub(super) type StreamSink<'s> = &'s mut dyn FnMut(Transport, Place, Carried<'_>);

/// The same with the end that sent it.
pub(super) type StreamsSink<'s> = &'s mut dyn FnMut(Transport, Side, Place, Carried<'_>);

/// Tells whether bytes are a whole message of a stream.
pub(super) type IsMessage<'m> = &'m dyn Fn(&[u8]) -> bool;

/// A session of ENet, and the packets that brought what it holds.
pub(super) struct Enet {
    session: enet::Session,
    arrivals: Arrivals,
}

impl Enet {
    pub(super) fn new(limits: &Limits) -> Enet {
        Enet { session: enet::Session::new(limits.enet()), arrivals: Arrivals::default() }
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
        let Enet { session, arrivals } = self;
        let Datagram { payload, missing, .. } = *datagram;
        let number = session.datagrams();
        session.swap_scratch(scratch);
        let result = session.receive_cut(from, payload, missing, &mut |event| {
            give_enet(event, now, &|datagram| arrivals.of(datagram, (number, now)), sink);
        });
        session.swap_scratch(scratch);
        if session.buffered() > 0 {
            arrivals.note((number, now), session.held_datagrams());
        } else {
            arrivals.clear();
        }
        result
    }

    /// Ends the input: gives what was held back.
    pub(super) fn finish(&mut self, now: Place, sink: Sink<'_>) {
        let Enet { session, arrivals } = self;
        let number = session.datagrams();
        session.finish(&mut |event| {
            give_enet(event, now, &|datagram| arrivals.of(datagram, (number, now)), sink);
        });
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.session.heap_bytes().saturating_add(self.arrivals.heap_bytes())
    }
}

/// `place_of` tells which packet a datagram was in.
fn give_enet(event: enet::Event<'_>, now: Place, place_of: &dyn Fn(u64) -> Place, sink: Sink<'_>) {
    match event {
        enet::Event::Message(message) => {
            let place = place_of(message.datagram);
            sink(message.from, place, Carried::Message(Whole::of_enet(&message)));
        }
        enet::Event::Connected(connected) => {
            sink(connected.from, now, Carried::Client(connected.data.cast_signed()));
        }
        enet::Event::Lost(loss) => sink(loss.from, now, Carried::Lost(Loss::Enet(loss))),
        enet::Event::Disconnected { from, .. } => sink(from, now, Carried::Disconnected),
    }
}

/// What a refused datagram is given as.
pub(super) fn refused(payload: &[u8], error: enet::Error) -> Carried<'_> {
    Carried::Other(payload, Reason::NoEnet(error))
}

/// A reader of one direction of a stream.
pub(super) trait Read {
    /// Reads the next piece, which came with the packet at `place`; `now` is the last packet.
    fn piece(
        &mut self,
        piece: tcp::Piece<'_>,
        places: (Place, Place),
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
    );

    /// Ends the input: gives what was held back.
    fn finish(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamSink<'_>);

    fn heap_bytes(&self) -> usize;
}

/// A reader, and the packets that brought the bytes in which messages may still end.
#[derive(Clone)]
pub(super) struct Spanned<R> {
    reader: R,
    spans: Spans,
}

impl<R> Spanned<R> {
    const fn new(reader: R) -> Spanned<R> {
        Spanned { reader, spans: Spans::new() }
    }
}

impl Spanned<tcp::Frames> {
    pub(super) fn frames(limits: &Limits) -> Spanned<tcp::Frames> {
        Spanned::new(tcp::Frames::new(u32::try_from(limits.message()).unwrap_or(u32::MAX)))
    }
}

impl Spanned<websocket::Stream> {
    pub(super) fn websocket(limits: &Limits) -> Spanned<websocket::Stream> {
        // It keeps a message and the frame that comes next.
        Spanned::new(websocket::Stream::new(limits.message() / 2))
    }
}

impl Read for Spanned<tcp::Frames> {
    fn piece(
        &mut self,
        piece: tcp::Piece<'_>,
        (place, now): (Place, Place),
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
    ) {
        let Spanned { reader, spans } = self;
        let sink = &mut |place, carried: Carried<'_>| sink(Transport::Tcp, place, carried);
        spans.add(piece, place, reader.is_searching());
        reader
            .push(piece, is_message, &mut |event| give(Carried::of_frame(event), spans, now, sink));
        spans.forget_before(reader.kept_from());
    }

    fn finish(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamSink<'_>) {
        let Spanned { reader, spans } = self;
        let sink = &mut |place, carried: Carried<'_>| sink(Transport::Tcp, place, carried);
        reader.finish(is_message, &mut |event| give(Carried::of_frame(event), spans, now, sink));
    }

    fn heap_bytes(&self) -> usize {
        self.reader.heap_bytes().saturating_add(self.spans.heap_bytes())
    }
}

impl Read for Spanned<websocket::Stream> {
    fn piece(
        &mut self,
        piece: tcp::Piece<'_>,
        (place, now): (Place, Place),
        _: IsMessage<'_>,
        sink: StreamSink<'_>,
    ) {
        let Spanned { reader, spans } = self;
        let sink = &mut |place, carried: Carried<'_>| sink(Transport::WebSocket, place, carried);
        spans.add(piece, place, reader.is_searching());
        reader.push(piece, &mut |event| {
            if let Some(carried) = Carried::of_websocket(event) {
                give(carried, spans, now, sink);
            }
        });
        spans.forget_before(reader.kept_from());
    }

    fn finish(&mut self, now: Place, _: IsMessage<'_>, sink: StreamSink<'_>) {
        let Spanned { reader, spans } = self;
        let sink = &mut |place, carried: Carried<'_>| sink(Transport::WebSocket, place, carried);
        reader.finish(&mut |event| {
            if let Some(carried) = Carried::of_websocket(event) {
                give(carried, spans, now, sink);
            }
        });
    }

    fn heap_bytes(&self) -> usize {
        self.reader.heap_bytes().saturating_add(self.spans.heap_bytes())
    }
}

/// Gives a message with the last of the packets that brought it, other things with the last packet.
fn give(
    (carried, bytes): (Carried<'_>, Option<(u64, u64)>),
    spans: &Spans,
    now: Place,
    sink: &mut dyn FnMut(Place, Carried<'_>),
) {
    let place = bytes.and_then(|(start, end)| spans.last(start, end));
    sink(place.unwrap_or(now), carried);
}

/// One direction of a TCP connection.
#[derive(Clone)]
struct Direction<R> {
    reassembler: tcp::Reassembler,
    arrivals: Arrivals,
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
            arrivals: Arrivals::default(),
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
            |stream, sink| stream.push(segment.in_stream(), sink),
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
            direction.reader.finish(now, is_message, sink);
        }
    }

    /// Whether both directions came to their end, and nothing is held back.
    pub(super) fn is_over(&self) -> bool {
        [&self.first, &self.second].iter().all(|it| it.is_over && it.reassembler.buffered() == 0)
    }

    /// The same connection with other readers.
    pub(super) fn with_readers<T>(
        self,
        mut change: impl FnMut(R) -> Option<T>,
    ) -> Option<Streams<T>> {
        let mut direction = |it: Direction<R>| {
            let Direction { reassembler, arrivals, reader, is_over } = it;
            Some(Direction { reassembler, arrivals, reader: change(reader)?, is_over })
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
    /// Runs the reassembler, and reads its output together with the packet that brought it.
    fn give(
        &mut self,
        now: Place,
        is_message: IsMessage<'_>,
        sink: StreamSink<'_>,
        work: impl FnOnce(&mut tcp::Reassembler, &mut dyn FnMut(tcp::Piece<'_>)),
    ) {
        let Direction { reassembler, arrivals, reader, is_over } = self;
        let numbered = (reassembler.segments(), now);
        work(reassembler, &mut |piece| {
            let place = match piece {
                tcp::Piece::Data { segment, .. } => arrivals.of(segment, numbered),
                _ => now,
            };
            match piece {
                tcp::Piece::End(_) => *is_over = true,
                tcp::Piece::Data { .. } | tcp::Piece::Start => *is_over = false,
                _ => {}
            }
            reader.piece(piece, (place, now), is_message, sink);
        });
        if reassembler.buffered() == 0 {
            arrivals.clear();
        } else if reassembler.segments() > numbered.0 {
            arrivals.note(numbered, reassembler.held_segments());
        }
    }

    fn heap_bytes(&self) -> usize {
        let Direction { reassembler, arrivals, reader, .. } = self;
        let held = reassembler.heap_bytes().saturating_add(arrivals.heap_bytes());
        held.saturating_add(reader.heap_bytes())
    }
}
