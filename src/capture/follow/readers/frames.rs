//! Reads a stream of length-prefixed messages.

use super::streams::{IsMessage, Reader, Sink};
use crate::capture::follow::carried::{Carried, Whole};
use crate::capture::follow::limits::Limits;
use crate::capture::follow::loss::Cause;
use crate::capture::follow::place::Place;
use crate::net::Between;
use crate::net::tcp::{FrameEvent, Frames, Piece};

pub(super) fn reader(limits: &Limits) -> Box<dyn Reader> {
    Box::new(Frames::<Place>::new(u32::try_from(limits.message()).unwrap_or(u32::MAX)))
}

impl Reader for Frames<Place> {
    fn piece(
        &mut self,
        piece: Piece<'_, Place>,
        now: Place,
        is_message: IsMessage<'_>,
        sink: Sink<'_>,
    ) {
        self.push(piece, is_message, &mut |event| give(event, now, sink));
    }

    fn end(&mut self, now: Place, is_message: IsMessage<'_>, sink: Sink<'_>) {
        self.finish(is_message, &mut |event| give(event, now, sink));
    }

    fn resume(&mut self) {
        self.resume();
    }

    fn heap_bytes(&self) -> usize {
        size_of_val(self).saturating_add(self.heap_bytes())
    }

    fn copy(&self) -> Box<dyn Reader> {
        Box::new(self.clone())
    }
}

/// Delivers a message with the packet that carried it, and a loss with the last packet.
fn give(event: FrameEvent<'_, Place>, now: Place, sink: Sink<'_>) {
    match event {
        FrameEvent::Message { offset, payload, tag } => {
            sink(tag, Carried::Message(Whole::new(payload, offset)));
        }
        FrameEvent::Lost { offset, bytes, reason } => {
            let cause = Cause::Stream { offset, bytes, reason };
            sink(now, Carried::Lost(cause, &Between::UNKNOWN));
        }
    }
}
