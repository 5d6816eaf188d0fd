//! Detects what a connection carries from its first packets.
//!
//! The packets go through the reader of every transport that they can be of, and each reader's
//! finds are kept. Once one of them has evidence enough, it wins: its finds are given, and its
//! reader reads on. Nothing is read twice.
//!
//! Evidence is enough at once if it leaves no doubt: ENet's connect command, the upgrade to
//! WebSocket, a message that is a value in only one dialect. Else it is collected from up to
//! 64 messages.

mod datagrams;
mod kept;
mod looks;
mod streams;

pub(super) use looks::is_unlikely;

use super::carried::{Carried, Sink};
use super::event::Reason;
use super::finding::Finding;
use super::place::Place;
use super::readers::{Enet, Spanned, Streams};
use super::{Options, Transport};
use crate::dialect::Dialect;
use crate::net::{Side, enet, tcp, websocket};
use crate::packet::{Datagram, Segment};
use datagrams::Datagrams;
use kept::{Bytes, Finds};
use streams::Segments;

/// The dialect of a connection if nothing says which.
pub(super) const DEFAULT: Dialect = Dialect::GODOT_4;

/// How many messages are looked at.
const MESSAGES: u32 = 64;

/// The reader that goes on after the race.
pub(super) enum Winner {
    Udp,
    Enet(Box<Enet>),
    /// ENet, of which nothing has been seen.
    NewEnet,
    Tcp(Box<Streams<Spanned<tcp::Frames>>>),
    WebSocket(Box<Streams<Spanned<websocket::Stream>>>),
    /// A stream in which nothing is known.
    Unknown,
}

/// The race for one connection.
pub(super) struct Race {
    bytes: Bytes,
    entrants: Entrants,
}

enum Entrants {
    Datagrams(Box<Datagrams>),
    Segments(Box<Segments>),
}

/// The findings of the winning reader.
pub(super) struct Prize {
    bytes: Bytes,
    finds: Finds,
}

impl Prize {
    /// Gives everything.
    pub(super) fn give(&self, sink: Sink<'_>) {
        self.finds.give(&self.bytes, sink);
    }

    /// How many things it gives, and how many bytes these take.
    pub(super) const fn size(&self) -> (usize, usize) {
        (self.finds.len(), self.bytes.len())
    }
}

/// A segment of a stream whose content is unknown.
pub(super) fn unknown(payload: &[u8], missing: usize) -> Carried<'_> {
    Carried::Other(payload, if missing > 0 { Reason::Cut } else { Reason::UnknownStream })
}

impl Race {
    pub(super) fn new(is_tcp: bool, options: &Options<'_>) -> Race {
        let entrants = if is_tcp {
            Entrants::Segments(Box::new(Segments::new(options)))
        } else {
            Entrants::Datagrams(Box::new(Datagrams::new(options)))
        };
        Race { bytes: Bytes::default(), entrants }
    }

    /// Reads a datagram; whether the race is over.
    pub(super) fn datagram(
        &mut self,
        from: (Side, Place),
        datagram: &Datagram<'_>,
        (scratch, options): (&mut enet::Scratch, &Options<'_>),
    ) -> bool {
        let Entrants::Datagrams(datagrams) = &mut self.entrants else { return true };
        datagrams.datagram(from, datagram, &mut self.bytes, (scratch, options));
        datagrams.is_enough(options)
    }

    /// Reads a segment; whether the race is over.
    pub(super) fn segment(
        &mut self,
        from: (Side, Place),
        segment: &Segment<'_>,
        options: &Options<'_>,
    ) -> bool {
        let Entrants::Segments(segments) = &mut self.entrants else { return true };
        segments.segment(from, segment, &mut self.bytes);
        segments.is_enough(options)
    }

    /// Whether there was a message in it.
    pub(super) fn has_messages(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.has_messages(),
            Entrants::Segments(segments) => segments.messages() > 0,
        }
    }

    /// Whether the ends have closed the connection.
    pub(super) fn is_over(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.is_disconnected(),
            Entrants::Segments(segments) => segments.is_over(),
        }
    }

    /// Ends the input: decides with the messages that are held back.
    pub(super) fn finish(&mut self, now: Place) {
        match &mut self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finish(now, &mut self.bytes),
            Entrants::Segments(segments) => segments.finish(now, &mut self.bytes),
        }
    }

    /// What has the most evidence.
    pub(super) fn finding(&self, options: &Options<'_>) -> Finding {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finding(options),
            Entrants::Segments(segments) => segments.finding(options),
        }
    }

    /// The same if what is held back is looked at as if nothing more came, where that may tell.
    pub(super) fn foresee(&self, now: Place, options: &Options<'_>) -> Finding {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finding(options),
            Entrants::Segments(segments) => segments.foresee(now, options),
        }
    }

    /// Lets one transport win.
    pub(super) fn end(self, transport: Option<Transport>) -> (Prize, Winner) {
        let Race { bytes, entrants } = self;
        let (finds, winner) = match entrants {
            Entrants::Datagrams(datagrams) => datagrams.end(transport),
            Entrants::Segments(segments) => segments.end(transport),
        };
        (Prize { bytes, finds }, winner)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let entrants = match &self.entrants {
            Entrants::Datagrams(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
            Entrants::Segments(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
        };
        self.bytes.heap_bytes().saturating_add(entrants)
    }
}
