//! Detects what a connection carries from its first packets.
//!
//! [`Race`] passes the packets of one connection to the readers of all transports that are
//! possible, and keeps the findings of each reader. The first transport with enough evidence wins:
//! the race returns the findings of its reader, and the reader itself, which continues. Nothing is
//! read twice.
//!
//! Evidence is enough at once if it leaves no doubt: ENet's connect command, the upgrade to
//! WebSocket, a message that is a value in only one dialect. Short datagrams may be values by chance,
//! so without another transport around them, some are needed. Otherwise, evidence is collected up
//! to a limit of messages, bytes and, in live traffic, time.
//!
//! A message need not wait for the end of the race if all dialects that are still possible read it
//! alike. Once the time is over, or if transport and dialect are known, no readable message waits:
//! the best guess so far reads it, and the race continues in order to correct the guess.

mod backlog;
mod datagrams;
mod readings;
mod streams;

pub(super) use readings::{Remaining, is_unlikely, is_value};

use super::{
    Carried, CarriedSink, Classification, ConnectionState, Options, Place, Rest, Transport,
};
use crate::net::packet::{TcpSegment, Time, UdpDatagram};
use crate::net::{Side, enet};
use backlog::{Backlog, BacklogBytes, Contender, Prize};
use core::time::Duration;
use datagrams::DatagramRace;
use readings::Readings;
use streams::SegmentRace;

/// How many segments without payload are kept before readers are made for them.
const MOST_OPENING: usize = 4;

/// The race for one connection.
pub struct Race {
    bytes: BacklogBytes,
    entrants: Entrants,
    given: Given,
    /// The time since which something waits; none after something was delivered.
    waiting_since: Option<Time>,
    /// Whether something has waited for too long.
    is_late: bool,
}

/// The messages that were delivered before the end of the race.
#[derive(Clone, Copy, Default)]
struct Given {
    /// The transport whose backlog was delivered last, how many items of it, and the packet in which
    /// the last one was found.
    transport: Option<Transport>,
    backlog: usize,
    packet: u32,
    /// How many dialects were possible when they did not agree on the next find. The find is not
    /// compared again until fewer are; 0 if all agreed.
    in_doubt: usize,
}

impl Given {
    /// The index of the next find of a transport to deliver. The finds of another transport in
    /// packets that were delivered already are skipped: they are another reading of the same bytes.
    fn next(&self, transport: Option<Transport>, backlog: &Backlog) -> usize {
        if transport == self.transport { self.backlog } else { backlog.found_by(self.packet) }
    }
}

enum Entrants {
    Datagrams(Box<DatagramRace>),
    /// The segments without payload at the start of the connection. Many connections have no
    /// others, so no readers are made.
    Opening(Vec<EmptySegment>),
    Segments(Box<SegmentRace>),
}

/// The kept fields of a segment without payload that does not end the stream.
struct EmptySegment {
    from: Side,
    place: Place,
    sequence: u32,
    acknowledgement: Option<u32>,
    is_syn: bool,
}

impl Race {
    /// A race for a flow over UDP whose datagrams so far were not recognized.
    pub fn again(options: &Options<'_>) -> Race {
        Race::of(Entrants::Datagrams(Box::new(DatagramRace::new(true, options))))
    }

    /// A race for a new flow; with `rest`, for one that was given up and continues.
    pub fn new(is_tcp: bool, rest: Option<&Rest>, options: &Options<'_>) -> Race {
        Race::of(match rest {
            Some(Rest::Datagrams { is_known: false }) => return Race::again(options),
            Some(Rest::Enet { progress, .. }) => {
                Entrants::Datagrams(Box::new(DatagramRace::resumed(options, progress)))
            }
            Some(Rest::Segments { seen }) => {
                Entrants::Segments(Box::new(SegmentRace::resumed(options, *seen)))
            }
            _ if !is_tcp => Entrants::Datagrams(Box::new(DatagramRace::new(false, options))),
            _ if options.transport.is_none() => Entrants::Opening(Vec::new()),
            _ => Entrants::Segments(Box::new(SegmentRace::new(options))),
        })
    }

    fn of(entrants: Entrants) -> Race {
        let (bytes, given) = (BacklogBytes::default(), Given::default());
        Race { bytes, entrants, given, waiting_since: None, is_late: false }
    }

    /// Reads a datagram. Returns whether the race is over.
    pub fn datagram(
        &mut self,
        from: Side,
        now: Place,
        datagram: &UdpDatagram<'_>,
        scratch: &mut enet::Scratch,
        options: &Options<'_>,
    ) -> bool {
        let Entrants::Datagrams(datagrams) = &mut self.entrants else { return true };
        self.bytes.begin();
        datagrams.datagram(from, now, datagram, &mut self.bytes, scratch, options);
        datagrams.is_enough(options) || self.is_full(options)
    }

    /// Reads a segment. Returns whether the race is over.
    pub fn segment(
        &mut self,
        from: (Side, Place),
        segment: &TcpSegment<'_>,
        options: &Options<'_>,
    ) -> bool {
        if let Entrants::Opening(opening) = &mut self.entrants {
            let TcpSegment { payload, missing, is_fin, is_reset, .. } = *segment;
            let is_empty = payload.is_empty() && missing == 0 && !is_fin && !is_reset;
            if is_empty && opening.len() < MOST_OPENING {
                // Many connections have only one segment.
                opening.reserve_exact(1);
                let TcpSegment { sequence, acknowledgement, is_syn, .. } = *segment;
                let (from, place) = from;
                opening.push(EmptySegment { from, place, sequence, acknowledgement, is_syn });
                return false;
            }
            let mut segments = Box::new(SegmentRace::new(options));
            for EmptySegment { from, place, sequence, acknowledgement, is_syn } in opening.drain(..)
            {
                // The ends of the flow do not matter to the race.
                let (is_fin, is_reset, payload, missing) = (false, false, &[], 0);
                let empty = TcpSegment { is_fin, is_reset, payload, missing, ..*segment };
                let empty = TcpSegment { sequence, acknowledgement, is_syn, ..empty };
                segments.segment((from, place), &empty, &mut self.bytes);
            }
            self.entrants = Entrants::Segments(segments);
        }
        let Entrants::Segments(segments) = &mut self.entrants else { return true };
        self.bytes.begin();
        segments.segment(from, segment, &mut self.bytes);
        segments.is_enough(options) || self.is_full(options)
    }

    /// Whether messages were found, and as many bytes were kept as the limit allows.
    fn is_full(&self, options: &Options<'_>) -> bool {
        self.bytes.len() >= options.limits.undecided_bytes && self.has_messages()
    }

    /// Whether something waits that has not waited for too long.
    pub fn is_waiting(&self) -> bool {
        let waits = |transport| {
            let backlog = self.backlog(transport);
            backlog.is_some_and(|backlog| self.given.next(transport, backlog) < backlog.len())
        };
        !self.is_late
            && [None].into_iter().chain(Transport::ALL.iter().copied().map(Some)).any(waits)
    }

    /// Whether something has waited for too long.
    pub fn is_late(&mut self, now: Time, longest: Duration) -> bool {
        // The clock may have been set back.
        let since = self.waiting_since.map_or(now, |since| since.min(now));
        self.waiting_since = Some(since);
        self.is_late |= now.since(since) >= longest;
        self.is_late
    }

    /// The best guess, if readable messages do not wait for a decision.
    pub fn guess(&self, options: &Options<'_>) -> Option<Classification> {
        let is_transport_known = match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.is_transport_known(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.is_transport_known(),
        };
        let is_named = is_transport_known && options.dialect.is_some();
        if !self.is_late && !is_named {
            return None;
        }
        let classification = self.classification(options);
        (classification.transport.is_some() && classification.decision.read > 0)
            .then_some(classification)
    }

    /// The possible readings of the connection, and the number of next items that all of them read
    /// alike.
    pub fn agreed(&mut self, options: &Options<'_>) -> Option<(Remaining, usize)> {
        let remaining = match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.remaining(options),
            Entrants::Opening(_) => None,
            Entrants::Segments(segments) => segments.remaining(options),
        }?;
        let count = remaining.dialects.len();
        if count == self.given.in_doubt {
            return None;
        }
        let transport = Some(remaining.transport);
        let backlog = self.backlog(transport)?;
        let next = self.given.next(transport, backlog);
        let is_agreed = |carried: &Carried<'_>| match carried {
            Carried::Message(message) => remaining.agrees_on(message),
            Carried::Client(..) => true,
            _ => false,
        };
        let carried = backlog.from(next, &self.bytes).map(|(_, _, carried)| carried);
        let agreed = carried.take_while(is_agreed).count();
        let is_all = next.saturating_add(agreed) == backlog.len();
        self.given.in_doubt = if is_all { 0 } else { count };
        (agreed > 0).then_some((remaining, agreed))
    }

    /// Delivers the next `count` items in the backlog of a transport.
    pub fn give(&mut self, transport: Transport, count: usize, sink: CarriedSink<'_>) {
        let transport = Some(transport);
        let Some(backlog) = self.backlog(transport) else { return };
        let next = self.given.next(transport, backlog);
        for (from, place, carried) in backlog.from(next, &self.bytes).take(count) {
            sink(from, place, carried);
        }
        let given = next.saturating_add(count).min(backlog.len());
        let packet = backlog.packet_of_last(given);
        self.given = Given { transport, backlog: given, packet, ..self.given };
        self.waiting_since = None;
    }

    /// How many bytes of packets and messages are kept.
    pub const fn kept_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The backlog of a transport; without a transport, what is delivered if the connection carries
    /// nothing known.
    fn backlog(&self, transport: Option<Transport>) -> Option<&Backlog> {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.backlog(transport),
            Entrants::Opening(_) => None,
            Entrants::Segments(segments) => segments.backlog(transport),
        }
    }

    /// Whether a reader has found a message.
    pub fn has_messages(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.has_messages(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.messages() > 0,
        }
    }

    /// Whether the ends have closed the connection.
    pub fn is_over(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.is_over(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.is_over(),
        }
    }

    /// Whether an end has sent something on a channel.
    pub fn has_channel(&self, from: Side, channel: u8) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.has_channel(from, channel),
            Entrants::Opening(_) | Entrants::Segments(_) => false,
        }
    }

    /// How far a connection over ENet is.
    pub fn progress(&self) -> Option<enet::SessionProgress> {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.progress(),
            Entrants::Opening(_) | Entrants::Segments(_) => None,
        }
    }

    /// Ends the input: decides with the messages that are held back.
    pub fn finish(&mut self, now: Place) {
        match &mut self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finish(now, &mut self.bytes),
            Entrants::Opening(_) => {}
            Entrants::Segments(segments) => segments.finish(now, &mut self.bytes),
        }
    }

    /// The transport with the most evidence.
    pub fn classification(&self, options: &Options<'_>) -> Classification {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.classification(options),
            Entrants::Opening(_) => Classification::nothing(),
            Entrants::Segments(segments) => segments.classification(options),
        }
    }

    /// The finding if the input ended now and no reader held anything back.
    pub fn foresee(&self, now: Place, options: &Options<'_>) -> Classification {
        match &self.entrants {
            Entrants::Segments(segments) => segments.foresee(now, options),
            _ => self.classification(options),
        }
    }

    /// Ends the race: a transport wins, or none. Returns how the connection continues.
    pub fn end(
        self,
        transport: Option<Transport>,
        options: &Options<'_>,
    ) -> (Prize, ConnectionState) {
        let Race { bytes, entrants, given, .. } = self;
        let (backlog, state) = match entrants {
            Entrants::Datagrams(datagrams) => datagrams.end(transport, options),
            Entrants::Opening(_) => (Backlog::default(), ConnectionState::Unknown([false; 2])),
            Entrants::Segments(segments) => segments.end(transport),
        };
        let next = given.next(transport, &backlog);
        (Prize { bytes, backlog, next }, state)
    }

    pub fn heap_bytes(&self) -> usize {
        let entrants = match &self.entrants {
            Entrants::Datagrams(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
            Entrants::Opening(it) => it.capacity().saturating_mul(size_of::<EmptySegment>()),
            Entrants::Segments(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
        };
        self.bytes.heap_bytes().saturating_add(entrants)
    }
}
