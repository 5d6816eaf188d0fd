//! Reads a stream as one direction of a connection over WebSocket.

use super::streams::{IsMessage, Reader, Sink};
use crate::capture::follow::carried::{Carried, Whole};
use crate::capture::follow::event::Reason;
use crate::capture::follow::limits::Limits;
use crate::capture::follow::loss::Cause;
use crate::capture::follow::place::Place;
use crate::net::Between;
use crate::net::tcp::Piece;
use crate::net::websocket::{Event, Stream};

pub(super) fn reader(limits: &Limits) -> Box<dyn Reader> {
    // The reader keeps a message and the next frame, so each gets half.
    Box::new(Stream::<Place>::new(limits.message() / 2))
}

impl Reader for Stream<Place> {
    fn piece(&mut self, piece: Piece<'_, Place>, now: Place, _: IsMessage<'_>, sink: Sink<'_>) {
        self.push(piece, &mut |event| give(event, now, sink));
    }

    fn end(&mut self, now: Place, _: IsMessage<'_>, sink: Sink<'_>) {
        self.finish(&mut |event| give(event, now, sink));
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(self).saturating_add(self.heap_bytes())
    }

    fn copy(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// Delivers a message with the packet that carried it, and everything else with the last packet.
fn give(event: Event<'_, Place>, now: Place, sink: Sink<'_>) {
    match event {
        Event::Message { offset, is_text, payload, tag, .. } => {
            sink(tag, Carried::Message(Whole { is_text, ..Whole::new(payload, offset) }));
        }
        Event::Unreadable { payload, tag, problem, .. } => {
            sink(tag, Carried::Other(payload, Reason::Compressed(problem)));
        }
        Event::Lost { offset, bytes, reason } => {
            let cause = Cause::Stream { offset, bytes, reason };
            sink(now, Carried::Lost(cause, &Between::UNKNOWN));
        }
        Event::Handshake(_) => sink(now, Carried::Upgraded),
        // Messages do not depend on control frames.
        Event::Control { .. } => {}
    }
}
