//! One connection whose transport and dialect are not known yet.

use super::datagrams::Datagrams;
use super::early::Remaining;
use super::kept::{Bytes, Finds, Prize};
use super::streams::Segments;
use super::winner::Winner;
use crate::capture::follow::carried::{Carried, Sink};
use crate::capture::follow::finding::Finding;
use crate::capture::follow::given_up::Rest;
use crate::capture::follow::place::Place;
use crate::capture::follow::{Options, Transport};
use crate::net::packet::{Datagram, Segment, Time};
use crate::net::{Side, enet};
use core::time::Duration;

/// How many segments without payload are kept before readers are made for them.
const MOST_OPENING: usize = 4;

/// The race for one connection.
pub(crate) struct Race {
    bytes: Bytes,
    entrants: Entrants,
    given: Given,
    /// Since when something waits.
    waiting_since: Option<Time>,
    /// Whether something has waited for too long.
    is_late: bool,
}

/// What was delivered before the end of the race.
#[derive(Clone, Copy, Default)]
struct Given {
    /// The transport whose finds were delivered last, how many of them, and the packet in which the
    /// last one was found.
    transport: Option<Transport>,
    finds: usize,
    packet: u32,
    /// How many dialects were possible when they did not agree on the next find. The find is not
    /// compared again until fewer are; 0 if all agreed.
    in_doubt: usize,
}

impl Given {
    /// The index of the next find of a transport to deliver. What another transport has found in
    /// packets that were delivered already is skipped: it is another reading of the same bytes.
    fn next(&self, transport: Option<Transport>, finds: &Finds) -> usize {
        if transport == self.transport && self.finds > 0 {
            self.finds
        } else {
            finds.found_by(self.packet)
        }
    }
}

enum Entrants {
    Datagrams(Box<Datagrams>),
    /// The segments without payload at the start of the connection. Many connections have no
    /// others, so no readers are made.
    Opening(Vec<Bare>),
    Segments(Box<Segments>),
}

/// What is kept of a segment without payload that does not end the stream.
struct Bare {
    from: Side,
    place: Place,
    sequence: u32,
    acknowledgement: Option<u32>,
    is_syn: bool,
}

impl Race {
    /// A race for a flow over UDP whose datagrams so far were not recognized.
    pub(crate) fn again(options: &Options<'_>) -> Race {
        let mut race = Race::new(false, options);
        race.entrants = Entrants::Datagrams(Box::new(Datagrams::new(true, options)));
        race
    }

    /// A race for a flow that was given up and continues.
    pub(crate) fn resumed(rest: &Rest, is_tcp: bool, options: &Options<'_>) -> Race {
        let entrants = match rest {
            Rest::Datagrams { is_known: false } => return Race::again(options),
            Rest::Enet { progress, .. } => {
                Entrants::Datagrams(Box::new(Datagrams::resumed(options, progress)))
            }
            Rest::Segments { seen } => {
                Entrants::Segments(Box::new(Segments::resumed(options, *seen)))
            }
            Rest::Datagrams { is_known: true } | Rest::Unreadable { .. } => {
                return Race::new(is_tcp, options);
            }
        };
        Race { entrants, ..Race::new(is_tcp, options) }
    }

    pub(crate) fn new(is_tcp: bool, options: &Options<'_>) -> Race {
        let entrants = if is_tcp && options.transport.is_none() {
            Entrants::Opening(Vec::new())
        } else if is_tcp {
            Entrants::Segments(Box::new(Segments::new(options)))
        } else {
            Entrants::Datagrams(Box::new(Datagrams::new(false, options)))
        };
        let (bytes, given) = (Bytes::default(), Given::default());
        Race { bytes, entrants, given, waiting_since: None, is_late: false }
    }

    /// Reads a datagram. Returns whether the race is over.
    pub(crate) fn datagram(
        &mut self,
        from: (Side, Place),
        datagram: &Datagram<'_>,
        (scratch, options): (&mut enet::Scratch, &Options<'_>),
    ) -> bool {
        let Entrants::Datagrams(datagrams) = &mut self.entrants else { return true };
        self.bytes.begin();
        datagrams.datagram(from, datagram, &mut self.bytes, (scratch, options));
        datagrams.is_enough(options) || self.is_full(options)
    }

    /// Reads a segment. Returns whether the race is over.
    pub(crate) fn segment(
        &mut self,
        from: (Side, Place),
        segment: &Segment<'_>,
        options: &Options<'_>,
    ) -> bool {
        if let Entrants::Opening(opening) = &mut self.entrants {
            let Segment { src, dst, sequence, acknowledgement, is_syn, .. } = *segment;
            let Segment { payload, missing, is_fin, is_reset, .. } = *segment;
            let is_bare = payload.is_empty() && missing == 0 && !is_fin && !is_reset;
            if is_bare && opening.len() < MOST_OPENING {
                // Many connections have only one segment.
                opening.reserve_exact(1);
                let (from, place) = from;
                opening.push(Bare { from, place, sequence, acknowledgement, is_syn });
                return false;
            }
            let mut segments = Box::new(Segments::new(options));
            for bare in opening {
                let Bare { sequence, acknowledgement, is_syn, .. } = *bare;
                let (src, dst) = if bare.from == from.0 { (src, dst) } else { (dst, src) };
                let (is_fin, is_reset, payload, missing) = (false, false, &[], 0);
                let segment = Segment {
                    src,
                    dst,
                    sequence,
                    acknowledgement,
                    is_syn,
                    is_fin,
                    is_reset,
                    payload,
                    missing,
                };
                segments.segment((bare.from, bare.place), &segment, &mut self.bytes);
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
    pub(crate) fn is_waiting(&self) -> bool {
        let waits = |transport| {
            let finds = self.finds(transport);
            finds.is_some_and(|finds| self.given.next(transport, finds) < finds.len())
        };
        !self.is_late
            && [None].into_iter().chain(Transport::ALL.iter().copied().map(Some)).any(waits)
    }

    /// Whether something has waited for too long.
    pub(crate) fn is_late(&mut self, now: Time, longest: Duration) -> bool {
        // The clock may have been set back.
        let since = self.waiting_since.map_or(now, |since| since.min(now));
        self.waiting_since = Some(since);
        self.is_late |= now.since(since) >= longest;
        self.is_late
    }

    /// The best guess, if readable messages do not wait for a decision.
    pub(crate) fn guess(&self, options: &Options<'_>) -> Option<Finding> {
        let is_transport_known = match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.is_transport_known(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.is_transport_known(),
        };
        let is_named = is_transport_known && options.dialect.is_some();
        if !self.is_late && !is_named {
            return None;
        }
        let finding = self.finding(options);
        (finding.transport.is_some() && finding.read > 0).then_some(finding)
    }

    /// What the connection can still be, and for how many of the next finds that makes no
    /// difference.
    pub(crate) fn agreed(&mut self, options: &Options<'_>) -> Option<(Remaining, usize)> {
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
        let finds = self.finds(transport)?;
        let next = self.given.next(transport, finds);
        let is_agreed = |carried: &Carried<'_>| match carried {
            Carried::Message(message) => remaining.agrees_on(message),
            Carried::Client(_) => true,
            _ => false,
        };
        let carried = finds.from(next, &self.bytes).map(|(_, _, carried)| carried);
        let agreed = carried.take_while(is_agreed).count();
        let is_all = next.saturating_add(agreed) == finds.len();
        self.given.in_doubt = if is_all { 0 } else { count };
        (agreed > 0).then_some((remaining, agreed))
    }

    /// Delivers the next `count` finds of a transport.
    pub(crate) fn give(&mut self, transport: Transport, count: usize, sink: Sink<'_>) {
        let transport = Some(transport);
        let Some(finds) = self.finds(transport) else { return };
        let next = self.given.next(transport, finds);
        for (from, place, carried) in finds.from(next, &self.bytes).take(count) {
            sink(from, place, carried);
        }
        let given = next.saturating_add(count).min(finds.len());
        let packet = finds.packet_of_last(given);
        self.given = Given { transport, finds: given, packet, ..self.given };
        if !self.is_waiting() {
            self.waiting_since = None;
        }
    }

    /// How many bytes of packets and messages are kept.
    pub(crate) const fn kept_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The finds of a transport; without a transport, what is delivered if the connection carries
    /// nothing known.
    fn finds(&self, transport: Option<Transport>) -> Option<&Finds> {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finds(transport),
            Entrants::Opening(_) => None,
            Entrants::Segments(segments) => segments.finds(transport),
        }
    }

    /// Whether a reader has found a message.
    pub(crate) fn has_messages(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.has_messages(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.messages() > 0,
        }
    }

    /// Whether the ends have closed the connection.
    pub(crate) fn is_over(&self) -> bool {
        match &self.entrants {
            Entrants::Datagrams(_) => self.disconnected().is_some(),
            Entrants::Opening(_) => false,
            Entrants::Segments(segments) => segments.is_over(),
        }
    }

    /// Whether an end has sent something on a channel.
    pub(crate) fn has_channel(&self, from: Side, channel: u8) -> bool {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.has_channel(from, channel),
            Entrants::Opening(_) | Entrants::Segments(_) => false,
        }
    }

    /// How far a connection over ENet is.
    pub(crate) fn progress(&self) -> Option<enet::Progress> {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.progress(),
            Entrants::Opening(_) | Entrants::Segments(_) => None,
        }
    }

    /// The end that has sent ENet's disconnect command, and nothing since.
    pub(crate) fn disconnected(&self) -> Option<Side> {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.disconnected(),
            Entrants::Opening(_) | Entrants::Segments(_) => None,
        }
    }

    /// Ends the input: decides with the messages that are held back.
    pub(crate) fn finish(&mut self, now: Place) {
        match &mut self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finish(now, &mut self.bytes),
            Entrants::Opening(_) => {}
            Entrants::Segments(segments) => segments.finish(now, &mut self.bytes),
        }
    }

    /// The transport with the most evidence.
    pub(crate) fn finding(&self, options: &Options<'_>) -> Finding {
        match &self.entrants {
            Entrants::Datagrams(datagrams) => datagrams.finding(options),
            Entrants::Opening(_) => Finding::nothing(),
            Entrants::Segments(segments) => segments.finding(options),
        }
    }

    /// The finding if the input ended now and no reader held anything back.
    pub(crate) fn foresee(&self, now: Place, options: &Options<'_>) -> Finding {
        match &self.entrants {
            Entrants::Segments(segments) => segments.foresee(now, options),
            _ => self.finding(options),
        }
    }

    /// Ends the race: a transport wins, or none.
    pub(crate) fn end(
        self,
        transport: Option<Transport>,
        options: &Options<'_>,
    ) -> (Prize, Winner) {
        let Race { bytes, entrants, given, .. } = self;
        let (finds, winner) = match entrants {
            Entrants::Datagrams(datagrams) => datagrams.end(transport, options),
            Entrants::Opening(_) => (Finds::default(), Winner::Unknown),
            Entrants::Segments(segments) => segments.end(transport),
        };
        let next = given.next(transport, &finds);
        (Prize { bytes, finds, next }, winner)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let entrants = match &self.entrants {
            Entrants::Datagrams(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
            Entrants::Opening(it) => it.capacity().saturating_mul(size_of::<Bare>()),
            Entrants::Segments(it) => size_of_val(&**it).saturating_add(it.heap_bytes()),
        };
        self.bytes.heap_bytes().saturating_add(entrants)
    }
}
