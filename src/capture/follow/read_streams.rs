//! Readers of connections over TCP: the table of transports, and the readers of length-prefixed frames
//! and of WebSocket.

use super::{
    Carried, Cause, Limits, Options, Place, Reason, Sent, TakeCarried, Transport, TransportMessage,
};
use crate::net::packet::TcpSegment;
use crate::net::tcp::{self, Frames, Piece, TakeFrameEvents};
use crate::net::websocket::{Stream, StreamEvent, TakeStreamEvents};
use crate::net::{Between, Side};

/// Receives everything that a stream delivers.
pub type StreamsSink<'s> = &'s mut dyn FnMut(Sent, Carried<'_>);

/// Tests whether bytes are a whole message of a stream.
pub type IsMessage<'m> = &'m dyn Fn(&[u8]) -> bool;

/// The origin of a piece of a stream. A reader gets it with the piece, and passes it on with each
/// find.
#[derive(Clone, Copy)]
pub(super) struct PieceOrigin<'p> {
    transport: Transport,
    from: Side,
    /// The last packet.
    now: Place,
    /// The TCP sequence number of the stream's first byte, if the stream has begun.
    first: Option<u32>,
    /// The packets around the piece, if it is a gap.
    between: &'p Between<Place>,
}

/// A reader of one direction of a stream. Boxed, because most connections have all readers only at first.
#[derive(Clone)]
pub enum StreamReader {
    Frames(Box<Frames<Place>>),
    WebSocket(Box<Stream<Place>>),
}

impl StreamReader {
    /// Reads the next piece. None ends the input: then it delivers what was held back.
    #[inline(always)]
    fn read(
        &mut self,
        piece: Option<Piece<'_, Place>>,
        origin: &PieceOrigin<'_>,
        is_message: IsMessage<'_>,
        sink: &mut (impl TakeCarried + ?Sized),
    ) {
        match self {
            StreamReader::Frames(frames) => {
                frames.read(piece, is_message, &mut PieceSink { origin, sink });
            }
            StreamReader::WebSocket(stream) => {
                stream.read(piece, &mut PieceSink { origin, sink });
            }
        }
    }

    /// Expects the rest of a stream, which may begin within a message.
    fn resume(&mut self) {
        match self {
            StreamReader::Frames(frames) => frames.resume(),
            StreamReader::WebSocket(_) => {}
        }
    }

    /// How much memory it takes, with itself.
    #[inline]
    fn heap_bytes(&self) -> usize {
        match self {
            StreamReader::Frames(frames) => size_of_val(&**frames) + frames.heap_bytes(),
            StreamReader::WebSocket(stream) => size_of_val(&**stream) + stream.heap_bytes(),
        }
    }
}

/// A transport in streams.
#[derive(Clone, Copy)]
pub struct InStreams {
    pub transport: Transport,
    pub reader: fn(&Limits) -> StreamReader,
}

/// The transports over TCP. A transport wins against the later ones only if it finds more messages
/// than they do.
const IN_STREAMS: [InStreams; 2] = [
    InStreams { transport: Transport::WebSocket, reader: websocket_reader },
    InStreams { transport: Transport::Tcp, reader: frame_reader },
];

/// The transports over TCP that a connection may have.
pub fn in_streams(options: &Options<'_>) -> impl Iterator<Item = InStreams> {
    IN_STREAMS.into_iter().filter(|it| options.admits_transport(it.transport))
}

/// The readers of one direction, each with its transport. Many connections have them at once, so the
/// list has no room for more.
type Readers = Box<[(Transport, StreamReader)]>;

/// One direction of a TCP connection.
#[derive(Clone)]
struct StreamReaders {
    reassembler: tcp::Reassembler<Place>,
    readers: Readers,
    /// Whether the stream has ended.
    is_over: bool,
}

/// Both directions of a TCP connection.
#[derive(Clone)]
pub struct Streams {
    first: StreamReaders,
    second: StreamReaders,
}

impl Streams {
    /// The streams of a connection, with the readers of all transports that it may have.
    pub fn new(options: &Options<'_>) -> Streams {
        let limits = &options.limits;
        let direction = || StreamReaders {
            reassembler: tcp::Reassembler::new(limits.out_of_order()),
            readers: in_streams(options).map(|it| (it.transport, (it.reader)(limits))).collect(),
            is_over: false,
        };
        Streams { first: direction(), second: direction() }
    }

    /// Continues streams whose bytes before a sequence number were delivered earlier.
    pub fn resume(&mut self, limits: &Limits, seen: [Option<u32>; 2]) {
        for (direction, seen) in [&mut self.first, &mut self.second].into_iter().zip(seen) {
            if let Some(seen) = seen {
                direction.reassembler = tcp::Reassembler::resumed(limits.out_of_order(), seen);
            }
            direction.readers.iter_mut().for_each(|(_, reader)| reader.resume());
        }
    }

    /// Reads a segment, and what it acknowledges.
    #[inline]
    pub fn segment(
        &mut self,
        from: Side,
        now: Place,
        segment: &TcpSegment<'_>,
        is_message: IsMessage<'_>,
        sink: &mut (impl TakeCarried + ?Sized),
    ) {
        self.side(from).give(from, now, is_message, sink, |stream, sink| {
            stream.push(segment.in_stream().with_tag(now), sink);
        });
        if let Some(number) = segment.acknowledgement {
            let from = from.other();
            self.side(from).give(from, now, is_message, sink, |stream, sink| {
                stream.acknowledged(number, sink);
            });
        }
    }

    /// Ends the input: delivers what was held back.
    pub fn finish(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamsSink<'_>) {
        for from in [Side::First, Side::Second] {
            let direction = self.side(from);
            direction.give(from, now, is_message, sink, |stream, sink| stream.finish(sink));
            let first = direction.reassembler.first_sequence();
            for (transport, reader) in &mut direction.readers {
                let (transport, between) = (*transport, &Between::UNKNOWN);
                let origin = PieceOrigin { transport, from, now, first, between };
                reader.read(None, &origin, is_message, sink);
            }
        }
    }

    /// Whether each direction has ended, and nothing of it is held back.
    pub fn ends(&self) -> [bool; 2] {
        [&self.first, &self.second].map(|it| it.is_over && it.reassembler.held_bytes() == 0)
    }

    /// Keeps only the readers of one transport.
    pub fn keep(&mut self, transport: Transport) {
        for direction in [&mut self.first, &mut self.second] {
            let readers = core::mem::take(&mut direction.readers).into_iter();
            direction.readers = readers.filter(|(of, _)| *of == transport).collect();
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.first.heap_bytes() + self.second.heap_bytes()
    }

    fn side(&mut self, from: Side) -> &mut StreamReaders {
        from.of_mut(&mut self.first, &mut self.second)
    }
}

impl StreamReaders {
    /// Runs the reassembler, and reads its output.
    #[inline]
    fn give(
        &mut self,
        from: Side,
        now: Place,
        is_message: IsMessage<'_>,
        sink: &mut (impl TakeCarried + ?Sized),
        work: impl FnOnce(&mut tcp::Reassembler<Place>, &mut dyn FnMut(tcp::Piece<'_, Place>)),
    ) {
        let StreamReaders { reassembler, readers, is_over } = self;
        let mut first = reassembler.first_sequence();
        work(reassembler, &mut |piece| {
            match piece {
                tcp::Piece::End(_) => *is_over = true,
                tcp::Piece::Start => (*is_over, first) = (false, None),
                tcp::Piece::Data { .. } => *is_over = false,
                _ => {}
            }
            let between = match piece {
                tcp::Piece::Gap { between, .. } => between,
                _ => &Between::UNKNOWN,
            };
            for (transport, reader) in &mut *readers {
                let origin = PieceOrigin { transport: *transport, from, now, first, between };
                reader.read(Some(piece), &origin, is_message, sink);
            }
        });
    }

    fn heap_bytes(&self) -> usize {
        let readers: usize = self.readers.iter().map(|(_, reader)| reader.heap_bytes()).sum();
        size_of_val(&*self.readers) + readers + self.reassembler.heap_bytes()
    }
}

pub fn frame_reader(limits: &Limits) -> StreamReader {
    let limit = u32::try_from(limits.message()).unwrap_or(u32::MAX);
    StreamReader::Frames(Box::new(Frames::new(limit)))
}

pub fn websocket_reader(limits: &Limits) -> StreamReader {
    // The reader keeps a message and the next frame, so each gets half.
    StreamReader::WebSocket(Box::new(Stream::new(limits.message() / 2)))
}

/// Delivers messages and losses. A message is delivered with the packet that carried it, and everything
/// else with the last packet.
struct PieceSink<'p, S: ?Sized> {
    origin: &'p PieceOrigin<'p>,
    sink: &'p mut S,
}

impl<S: TakeCarried + ?Sized> PieceSink<'_, S> {
    #[inline(always)]
    fn message(&mut self, offset: u64, is_text: bool, payload: &[u8], place: Place) {
        let PieceOrigin { transport, from, first, .. } = *self.origin;
        let mut message = TransportMessage::in_stream(payload, offset, first);
        message.delivery.is_text = is_text;
        self.sink.message(Sent { transport, from, place }, message);
    }

    fn other(&mut self, place: Place, carried: Carried<'_>) {
        let PieceOrigin { transport, from, .. } = *self.origin;
        self.sink.other(Sent { transport, from, place }, carried);
    }

    fn lost(&mut self, offset: u64, bytes: u64, reason: tcp::LossReason) {
        let cause = Cause::Stream { offset, bytes, reason };
        self.other(self.origin.now, Carried::Lost(cause, self.origin.between));
    }
}

impl<S: TakeCarried + ?Sized> TakeFrameEvents<Place> for PieceSink<'_, S> {
    #[inline(always)]
    fn message(&mut self, offset: u64, payload: &[u8], tag: Place) {
        self.message(offset, false, payload, tag);
    }

    fn lost(&mut self, offset: u64, bytes: u64, reason: tcp::LossReason) {
        self.lost(offset, bytes, reason);
    }
}

impl<S: TakeCarried + ?Sized> TakeStreamEvents<Place> for PieceSink<'_, S> {
    #[inline(always)]
    fn message(&mut self, offset: u64, is_text: bool, payload: &[u8], tag: Place) {
        self.message(offset, is_text, payload, tag);
    }

    fn other(&mut self, event: StreamEvent<'_, Place>) {
        match event {
            StreamEvent::Message { offset, is_text, payload, tag, .. } => {
                self.message(offset, is_text, payload, tag);
            }
            StreamEvent::Unreadable { payload, tag, problem, .. } => {
                self.other(tag, Carried::Other(payload, Reason::Compressed(problem)));
            }
            StreamEvent::Lost { offset, bytes, reason } => self.lost(offset, bytes, reason),
            StreamEvent::Handshake(_) => self.other(self.origin.now, Carried::Upgraded),
            // Messages do not depend on control frames.
            StreamEvent::Control { .. } => {}
        }
    }
}
