//! The race for a connection over TCP: its streams carry one of the transports, or something
//! unknown.

use super::early::Remaining;
use super::found::Found;
use super::kept::{Bytes, Finds};
use super::looks::{Decision, Looks, is_value};
use super::winner::Winner;
use crate::capture::follow::carried::Carried;
use crate::capture::follow::finding::{Finding, Layers, Trust};
use crate::capture::follow::place::Place;
use crate::capture::follow::readers::{Streams, in_streams, streams};
use crate::capture::follow::{Options, Transport};
use crate::game::debugger::Evidence;
use crate::net::Side;
use crate::net::packet::Segment;

/// If the start of a stream was not captured, a message that only the debugger sends is expected
/// among this many messages.
const MANY_MESSAGES: u32 = 32;

/// If no messages are found, this many bytes of a stream are examined.
const STREAM_BYTES: u64 = 256 << 10;

pub(super) struct Segments {
    bytes: u64,
    streams: Streams,
    /// The segments as they were captured, which are delivered if no transport is recognized. None
    /// once one is.
    unknown: Option<Finds>,
    entrants: Entrants,
}

/// What was found in the streams so far.
struct Entrants {
    /// What the reader of each transport has found, in the order of preference.
    found: Vec<Found>,
    /// The transport whose handshake was seen.
    upgraded: Option<Transport>,
    debugger: Debugger,
}

/// The evidence that the frames of the two ends are those of a remote debugger.
#[derive(Default)]
struct Debugger {
    evidence: [Evidence; 2],
    /// Whether the start of a stream was seen.
    has_start: bool,
}

impl Debugger {
    fn look(&mut self, from: Side, carried: &Carried<'_>, looks: &mut Looks) {
        let Carried::Message(message) = carried else { return };
        let [first, second] = &mut self.evidence;
        let evidence = if from == Side::First { first } else { second };
        evidence.frame(message.bytes);
        if let Evidence::Found { in_frames: true } = evidence {
            looks.exclude_debugger_arrays();
        }
    }

    fn is_found(&self) -> bool {
        self.evidence.iter().any(|it| matches!(it, Evidence::Found { .. }))
    }

    /// Whether the next frames may complete the evidence.
    fn is_pending(&self) -> bool {
        !self.is_found() && self.evidence.iter().any(|it| it.is_pending())
    }

    /// Whether no more messages need to be examined. A debugger starts with a message that
    /// identifies it, but the capture may start later.
    fn is_settled(&self, messages: u32) -> bool {
        let is_other = self.has_start && messages > 0 || messages >= MANY_MESSAGES;
        self.is_found() || is_other && !self.is_pending()
    }
}

impl Entrants {
    fn take(
        &mut self,
        transport: Transport,
        from: Side,
        place: Place,
        carried: Carried<'_>,
        bytes: &mut Bytes,
    ) {
        if matches!(carried, Carried::Upgraded) {
            self.upgraded = Some(transport);
        }
        let Some(found) = self.found.iter_mut().find(|it| it.transport == transport) else {
            return;
        };
        if transport.has_debugger() {
            self.debugger.look(from, &carried, &mut found.looks);
        }
        found.take(from, place, carried, bytes);
    }

    /// The only transport that is possible, or whose reader has found messages. A transport with a
    /// handshake that was not seen may have found them by chance.
    fn only(&self, options: &Options<'_>) -> Option<&Found> {
        if let Some(known) = self.upgraded.or(options.transport) {
            return self.found.iter().find(|it| it.transport == known);
        }
        let mut with_messages = self.found.iter().filter(|it| it.looks.messages() > 0);
        let only = with_messages.next().filter(|it| !it.transport.has_handshake());
        only.filter(|_| with_messages.next().is_none())
    }

    /// Whether no more messages need to be examined to recognize a debugger.
    fn is_settled(&self, transport: Transport, messages: u32) -> bool {
        !transport.has_debugger() || self.debugger.is_settled(messages)
    }
}

impl Segments {
    pub(super) fn new(options: &Options<'_>) -> Segments {
        // Many connections have the list at once, so it has no room for more.
        let found: Box<[_]> = in_streams(options).map(|it| Found::new(it.transport)).collect();
        Segments {
            bytes: 0,
            streams: streams(options),
            unknown: options.transport.is_none().then(Finds::default),
            entrants: Entrants {
                found: found.into_vec(),
                upgraded: None,
                debugger: Debugger::default(),
            },
        }
    }

    /// Continues a connection that was given up.
    pub(super) fn resumed(options: &Options<'_>, seen: [Option<u32>; 2]) -> Segments {
        let mut segments = Segments::new(options);
        segments.streams.resume(&options.limits, seen);
        segments
    }

    pub(super) fn segment(
        &mut self,
        (from, now): (Side, Place),
        segment: &Segment<'_>,
        bytes: &mut Bytes,
    ) {
        let Segment { payload, missing, .. } = *segment;
        self.bytes = self.bytes.saturating_add(payload.len() as u64);
        let Segments { streams, entrants, unknown, .. } = self;
        entrants.debugger.has_start |= segment.is_syn;
        if let Some(unknown) = unknown
            && (!payload.is_empty() || missing > 0)
        {
            bytes.push(payload);
            unknown.push(from, now, Carried::of_unknown(payload, missing), bytes);
        }
        let before = entrants.upgraded;
        streams.segment(from, now, segment, &is_value, &mut |transport, from, place, carried| {
            entrants.take(transport, from, place, carried, bytes);
        });
        bytes.end();
        if let (None, Some(upgraded)) = (before, entrants.upgraded) {
            *unknown = None;
            entrants.found.retain(|it| it.transport == upgraded);
            streams.keep(upgraded);
        }
    }

    /// The largest number of messages that a reader has found.
    pub(super) fn messages(&self) -> u32 {
        self.entrants.found.iter().map(|it| it.looks.carried()).max().unwrap_or(0)
    }

    /// Whether the evidence suffices to end the race.
    pub(super) fn is_enough(&self, options: &Options<'_>) -> bool {
        let (messages, entrants) = (self.messages(), &self.entrants);
        let is_certain = |only: &Found| {
            (entrants.upgraded.is_some() || !only.transport.has_handshake())
                && only.looks.is_certain(options)
                && entrants.is_settled(only.transport, messages)
        };
        messages >= options.limits.undecided()
            || messages == 0 && self.bytes >= STREAM_BYTES
            || options.dialect.is_some()
                && options.transport.is_some_and(|named| {
                    !named.has_handshake() && entrants.is_settled(named, messages)
                })
            || entrants.only(options).is_some_and(is_certain)
    }

    /// What the connection can still be, if only one transport has found messages.
    pub(super) fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let Entrants { debugger, .. } = &self.entrants;
        let Found { transport, looks, .. } = self.entrants.only(options)?;
        let (layers, dialects) = looks.readers(options)?;
        let has_debugger = transport.has_debugger();
        if has_debugger && debugger.is_pending() {
            return None;
        }
        let is_debugger = has_debugger && debugger.is_found();
        Some(Remaining::new(*transport, (Layers { is_debugger, ..layers }, dialects)))
    }

    /// Whether only one transport is possible, with or without a debugger.
    pub(super) fn is_transport_known(&self) -> bool {
        self.unknown.is_none() && !self.entrants.debugger.is_pending()
    }

    /// The finds of a transport; without a transport, the segments as they are.
    pub(super) fn finds(&self, transport: Option<Transport>) -> Option<&Finds> {
        let Some(transport) = transport else { return self.unknown.as_ref() };
        let found = self.entrants.found.iter().find(|it| it.transport == transport);
        found.map(|it| &it.finds)
    }

    pub(super) fn is_over(&self) -> bool {
        self.streams.is_over()
    }

    /// Ends the input: decides with the messages that are held back.
    pub(super) fn finish(&mut self, now: Place, bytes: &mut Bytes) {
        let Segments { streams, entrants, .. } = self;
        streams.finish(now, &is_value, &mut |transport, from, place, carried| {
            entrants.take(transport, from, place, carried, bytes);
        });
    }

    /// The transport with the most evidence, if the input ended now and no reader held anything back.
    pub(super) fn foresee(&self, now: Place, options: &Options<'_>) -> Finding {
        if self.messages() > 0 {
            return self.finding(options);
        }
        let mut looks: Vec<_> = self.looks().map(|(of, looks)| (of, looks.clone())).collect();
        self.streams.clone().finish(now, &is_value, &mut |transport, _, _, carried| {
            if let Some((_, looks)) = looks.iter_mut().find(|(of, _)| *of == transport) {
                looks.look_at(transport, &carried);
            }
        });
        let looks = looks.iter().map(|(of, looks)| (*of, looks));
        finding(looks, (self.entrants.upgraded, false), options)
    }

    fn looks(&self) -> impl Iterator<Item = (Transport, &Looks)> + Clone {
        self.entrants.found.iter().map(|it| (it.transport, &it.looks))
    }

    /// The transport with the most evidence.
    pub(super) fn finding(&self, options: &Options<'_>) -> Finding {
        let Entrants { upgraded, debugger, .. } = &self.entrants;
        finding(self.looks(), (*upgraded, debugger.is_found()), options)
    }

    /// Returns what the winner has found, and its reader.
    pub(super) fn end(self, transport: Option<Transport>) -> (Finds, Winner) {
        let Segments { mut streams, unknown, entrants, .. } = self;
        let Some(transport) = transport else {
            return (unknown.unwrap_or_default(), Winner::Unknown);
        };
        let found = entrants.found.into_iter().find(|it| it.transport == transport);
        let finds = found.map(|it| it.finds).unwrap_or_default();
        if streams.keep(transport) {
            (finds, Winner::Streams(Box::new(streams)))
        } else {
            (finds, Winner::Unknown)
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let Entrants { found, .. } = &self.entrants;
        let list = found.capacity().saturating_mul(size_of::<Found>());
        let found = found.iter().map(Found::heap_bytes).fold(list, usize::saturating_add);
        let unknown = self.unknown.as_ref().map_or(0, Finds::heap_bytes);
        found.saturating_add(unknown).saturating_add(self.streams.heap_bytes())
    }
}

/// The transport with the most evidence, from the statistics of what each reader has found.
fn finding<'l>(
    looks: impl Iterator<Item = (Transport, &'l Looks)> + Clone,
    (upgraded, is_debugger): (Option<Transport>, bool),
    options: &Options<'_>,
) -> Finding {
    // The reader of a transport has to find more messages than those of the transports after it.
    let is_best = |place: usize, looks_of_it: &Looks| {
        let mut after = looks.clone().skip(place.saturating_add(1));
        after.all(|(_, other)| looks_of_it.carried() > other.carried())
    };
    let best = || {
        let mut likely = looks.clone().enumerate().filter(|(place, (transport, looks))| {
            is_likely(*transport, looks, options) && is_best(*place, looks)
        });
        likely.next().map(|(_, (transport, _))| transport)
    };
    let transport = options.transport.or(upgraded).or_else(best);
    let none = Looks::default();
    let of_it = looks.clone().find(|(of, _)| Some(*of) == transport);
    // If nothing is recognized, the last transport shows how values would be read.
    let looks = of_it.or_else(|| looks.last()).map_or(&none, |(_, looks)| looks);
    let Decision { layers, detection, read, tied } = looks.decide(options);
    if transport.is_some_and(Transport::has_handshake) {
        let trust = match Trust::of(read, looks.messages()) {
            Trust::Nothing if options.transport == transport => Trust::Written,
            trust => trust,
        };
        let (fitting, seen) = (looks.carried(), looks.carried());
        return Finding { transport, layers, detection, fitting, trust, seen, read, tied };
    }
    let has_debugger = transport.is_none_or(Transport::has_debugger);
    let layers = Layers { is_debugger: is_debugger && has_debugger, ..layers };
    let fitting = looks.values(options);
    let (seen, trust) = (looks.messages(), Trust::Everything);
    Finding { transport, layers, detection, fitting, trust, seen, read, tied }
}

/// Whether what the reader of a transport has found is unlikely to be there by chance.
fn is_likely(transport: Transport, looks: &Looks, options: &Options<'_>) -> bool {
    if transport.has_handshake() {
        // Without the handshake, random bytes may look like frames.
        return looks.decide(options).read > 0 || looks.has_compressed();
    }
    let values = looks.values(options);
    values > 0 && values.saturating_mul(2) >= looks.messages()
}
