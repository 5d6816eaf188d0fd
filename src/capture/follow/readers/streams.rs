//! Puts the segments of a TCP connection in order, for the readers of its two streams.

use crate::capture::follow::Transport;
use crate::capture::follow::carried::Carried;
use crate::capture::follow::limits::Limits;
use crate::capture::follow::place::Place;
use crate::net::packet::Segment;
use crate::net::{Between, Side, tcp};

/// Takes what a stream delivers, with the packet that carried it.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(Place, Carried<'_>);

/// As [`Sink`], with the transport whose reader delivers it.
type DirectionSink<'s> = &'s mut dyn FnMut(Transport, Place, Carried<'_>);

/// As [`DirectionSink`], with the end that sent it.
pub(crate) type StreamsSink<'s> = &'s mut dyn FnMut(Transport, Side, Place, Carried<'_>);

/// Tests whether bytes are a whole message of a stream.
pub(crate) type IsMessage<'m> = &'m dyn Fn(&[u8]) -> bool;

/// A reader of one direction of a stream.
pub(in crate::capture::follow) trait Reader: Send + Sync {
    /// Reads the next piece; `now` is the last packet.
    fn piece(
        &mut self,
        piece: tcp::Piece<'_, Place>,
        now: Place,
        is_message: IsMessage<'_>,
        sink: Sink<'_>,
    );

    /// Ends the input: delivers what was held back.
    fn end(&mut self, now: Place, is_message: IsMessage<'_>, sink: Sink<'_>);

    /// Expects the rest of a stream, which may begin within a message.
    fn resume(&mut self) {}

    /// How much memory it takes, with itself.
    fn heap_bytes(&self) -> usize;

    /// The same reader once more, to look ahead.
    fn copy(&self) -> Box<dyn Reader>;
}

/// A transport in streams.
#[derive(Clone, Copy)]
pub(crate) struct InStreams {
    pub(crate) transport: Transport,
    pub(super) reader: fn(&Limits) -> Box<dyn Reader>,
}

impl Clone for Box<dyn Reader> {
    fn clone(&self) -> Box<dyn Reader> {
        self.copy()
    }
}

/// The readers of one direction, each with its transport. Many connections have them at once, so the
/// list has no room for more.
type Readers = Box<[(Transport, Box<dyn Reader>)]>;

/// One direction of a TCP connection.
#[derive(Clone)]
struct Direction {
    reassembler: tcp::Reassembler<Place>,
    readers: Readers,
    /// Whether the stream has ended.
    is_over: bool,
}

/// Both directions of a TCP connection.
#[derive(Clone)]
pub(crate) struct Streams {
    first: Direction,
    second: Direction,
}

impl Streams {
    pub(crate) fn new<T>(limits: &Limits, transports: impl Fn() -> T) -> Streams
    where
        T: Iterator<Item = InStreams>,
    {
        let direction = || Direction {
            reassembler: tcp::Reassembler::new(limits.out_of_order()),
            readers: transports().map(|it| (it.transport, (it.reader)(limits))).collect(),
            is_over: false,
        };
        Streams { first: direction(), second: direction() }
    }

    /// Continues streams whose bytes before a sequence number were delivered earlier.
    pub(crate) fn resume(&mut self, limits: &Limits, seen: [Option<u32>; 2]) {
        for (direction, seen) in [&mut self.first, &mut self.second].into_iter().zip(seen) {
            if let Some(seen) = seen {
                direction.reassembler = tcp::Reassembler::resumed(limits.out_of_order(), seen);
            }
            direction.readers.iter_mut().for_each(|(_, reader)| reader.resume());
        }
    }

    /// Reads a segment, and what it acknowledges.
    pub(crate) fn segment(
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

    /// Ends the input: delivers what was held back.
    pub(crate) fn finish(&mut self, now: Place, is_message: IsMessage<'_>, sink: StreamsSink<'_>) {
        for from in [Side::First, Side::Second] {
            let sink: DirectionSink<'_> =
                &mut |transport, place, carried| sink(transport, from, place, carried);
            let direction = self.side(from);
            direction.give(now, is_message, sink, |stream, sink| stream.finish(sink));
            let first = direction.reassembler.first_sequence();
            for (transport, reader) in &mut direction.readers {
                reader.end(now, is_message, &mut |place, carried| {
                    sink(*transport, place, carried.in_stream(first));
                });
            }
        }
    }

    /// Whether both directions have ended, and nothing is held back.
    pub(crate) fn is_over(&self) -> bool {
        [&self.first, &self.second].iter().all(|it| it.is_over && it.reassembler.held_bytes() == 0)
    }

    /// Keeps only the readers of one transport, and returns whether there are any.
    pub(crate) fn keep(&mut self, transport: Transport) -> bool {
        let directions = [&mut self.first, &mut self.second];
        directions.into_iter().all(|it| {
            let readers = core::mem::take(&mut it.readers).into_iter();
            it.readers = readers.filter(|(of, _)| *of == transport).collect();
            !it.readers.is_empty()
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let directions = [&self.first, &self.second];
        directions.iter().map(|it| it.heap_bytes()).fold(0, usize::saturating_add)
    }

    fn side(&mut self, from: Side) -> &mut Direction {
        from.of_mut(&mut self.first, &mut self.second)
    }
}

impl Direction {
    /// Runs the reassembler, and reads its output.
    fn give(
        &mut self,
        now: Place,
        is_message: IsMessage<'_>,
        sink: DirectionSink<'_>,
        work: impl FnOnce(&mut tcp::Reassembler<Place>, &mut dyn FnMut(tcp::Piece<'_, Place>)),
    ) {
        let Direction { reassembler, readers, is_over } = self;
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
                reader.piece(piece, now, is_message, &mut |place, carried| {
                    let carried = match carried {
                        Carried::Lost(cause, _) => Carried::Lost(cause, between),
                        carried => carried.in_stream(first),
                    };
                    sink(*transport, place, carried);
                });
            }
        });
    }

    fn heap_bytes(&self) -> usize {
        let list = size_of_val(&*self.readers);
        let readers = self.readers.iter().map(|(_, reader)| reader.heap_bytes());
        readers.fold(self.reassembler.heap_bytes().saturating_add(list), usize::saturating_add)
    }
}
