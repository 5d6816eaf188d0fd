//! The race for a connection over TCP: its streams carry one of the transports, or something
//! unknown.

use super::{Backlog, BacklogBytes, Contender, Readings, Remaining, is_value};
use crate::capture::follow::{
    Carried, Classification, ConnectionState, Layers, Options, Place, Sent, Streams, StreamsSink,
    Transport, Trust, in_streams,
};
use crate::game::debugger::DebuggerClues;
use crate::net::Side;
use crate::net::packet::TcpSegment;

/// If the start of a stream was not captured, a message that only the debugger sends is expected
/// among this many messages.
const MANY_MESSAGES: u32 = 32;

/// If no messages are found, this many bytes of a stream are examined.
const STREAM_BYTES: u64 = 256 << 10;

pub struct SegmentRace {
    bytes: u64,
    streams: Streams,
    /// The segments as they were captured, which are delivered if no transport is recognized. None
    /// once one is.
    unknown: Option<Backlog>,
    contenders: StreamContenders,
}

/// The contenders for the streams of a connection, and the evidence so far.
struct StreamContenders {
    /// One contender for each transport, in the order of preference.
    found: Vec<Contender>,
    /// The transport whose handshake was seen.
    upgraded: Option<Transport>,
    debugger: DebuggerEvidence,
}

/// The evidence that the frames of the two ends are those of a remote debugger.
#[derive(Default)]
struct DebuggerEvidence {
    evidence: [DebuggerClues; 2],
    /// Whether the start of a stream was seen.
    has_start: bool,
}

impl DebuggerEvidence {
    fn look(&mut self, from: Side, carried: &Carried<'_>, readings: &mut Readings) {
        let Carried::Message(message) = carried else { return };
        let [first, second] = &mut self.evidence;
        let evidence = if from == Side::First { first } else { second };
        evidence.frame(message.bytes);
        if let DebuggerClues::Found { in_frames: true } = evidence {
            readings.exclude_debugger_arrays();
        }
    }

    fn is_found(&self) -> bool {
        self.evidence.iter().any(|it| matches!(it, DebuggerClues::Found { .. }))
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

impl StreamContenders {
    fn take(
        &mut self,
        Sent { transport, from, place }: Sent,
        carried: Carried<'_>,
        bytes: &mut BacklogBytes,
    ) {
        if matches!(carried, Carried::Upgraded) {
            self.upgraded = Some(transport);
        }
        let Some(found) = self.found.iter_mut().find(|it| it.transport == transport) else {
            return;
        };
        if transport.has_debugger() {
            self.debugger.look(from, &carried, &mut found.readings);
        }
        found.take(from, place, carried, bytes);
    }

    /// The only transport that is possible, or whose reader has found messages. A transport with a
    /// handshake that was not seen may have found them by chance.
    fn only(&self, options: &Options<'_>) -> Option<&Contender> {
        if let Some(known) = self.upgraded.or(options.transport) {
            return self.found.iter().find(|it| it.transport == known);
        }
        let mut with_messages = self.found.iter().filter(|it| it.readings.messages() > 0);
        let only = with_messages.next().filter(|it| !it.transport.has_handshake());
        only.filter(|_| with_messages.next().is_none())
    }

    /// Whether no more messages need to be examined to recognize a debugger.
    fn is_settled(&self, transport: Transport, messages: u32) -> bool {
        !transport.has_debugger() || self.debugger.is_settled(messages)
    }
}

impl SegmentRace {
    pub fn new(options: &Options<'_>) -> SegmentRace {
        // Many connections have the list at once, so it has no room for more.
        let found: Box<[_]> = in_streams(options).map(|it| Contender::new(it.transport)).collect();
        SegmentRace {
            bytes: 0,
            streams: Streams::new(options),
            unknown: options.transport.is_none().then(Backlog::default),
            contenders: StreamContenders {
                found: found.into_vec(),
                upgraded: None,
                debugger: DebuggerEvidence::default(),
            },
        }
    }

    /// Continues a connection that was given up.
    pub fn resumed(options: &Options<'_>, seen: [Option<u32>; 2]) -> SegmentRace {
        let mut segments = SegmentRace::new(options);
        segments.streams.resume(&options.limits, seen);
        segments
    }

    pub fn segment(
        &mut self,
        (from, now): (Side, Place),
        segment: &TcpSegment<'_>,
        bytes: &mut BacklogBytes,
    ) {
        let TcpSegment { payload, missing, .. } = *segment;
        self.bytes += payload.len() as u64;
        let SegmentRace { streams, contenders, unknown, .. } = self;
        contenders.debugger.has_start |= segment.is_syn;
        if let Some(unknown) = unknown
            && (!payload.is_empty() || missing > 0)
        {
            bytes.push(payload);
            unknown.push(from, now, Carried::of_unknown(payload, missing), bytes);
        }
        let before = contenders.upgraded;
        // The code that reads streams exists once for all sinks but that of a connection.
        let take: StreamsSink<'_> = &mut |sent, carried| {
            contenders.take(sent, carried, bytes);
        };
        streams.segment(from, now, segment, &is_value, take);
        bytes.end();
        if let (None, Some(upgraded)) = (before, contenders.upgraded) {
            *unknown = None;
            contenders.found.retain(|it| it.transport == upgraded);
            streams.keep(upgraded);
        }
    }

    /// The largest number of messages that a reader has found.
    pub fn messages(&self) -> u32 {
        self.contenders.found.iter().map(|it| it.readings.carried()).max().unwrap_or(0)
    }

    /// Whether the evidence suffices to end the race.
    pub fn is_enough(&self, options: &Options<'_>) -> bool {
        let (messages, contenders) = (self.messages(), &self.contenders);
        let is_certain = |only: &Contender| {
            (contenders.upgraded.is_some() || !only.transport.has_handshake())
                && only.readings.is_certain(options)
                && contenders.is_settled(only.transport, messages)
        };
        messages >= options.limits.undecided()
            || messages == 0 && self.bytes >= STREAM_BYTES
            || options.dialect.is_some()
                && options.transport.is_some_and(|named| {
                    !named.has_handshake() && contenders.is_settled(named, messages)
                })
            || contenders.only(options).is_some_and(is_certain)
    }

    /// The possible readings of the connection, if only one transport has found messages.
    pub fn remaining(&self, options: &Options<'_>) -> Option<Remaining> {
        let StreamContenders { debugger, .. } = &self.contenders;
        let Contender { transport, readings, .. } = self.contenders.only(options)?;
        let (layers, dialects) = readings.readers(options)?;
        let has_debugger = transport.has_debugger();
        if has_debugger && debugger.is_pending() {
            return None;
        }
        let is_debugger = has_debugger && debugger.is_found();
        Some(Remaining::new(*transport, (Layers { is_debugger, ..layers }, dialects)))
    }

    /// Whether only one transport is possible, with or without a debugger.
    pub fn is_transport_known(&self) -> bool {
        self.unknown.is_none() && !self.contenders.debugger.is_pending()
    }

    /// The backlog of a transport; without a transport, the segments as they are.
    pub fn backlog(&self, transport: Option<Transport>) -> Option<&Backlog> {
        let Some(transport) = transport else { return self.unknown.as_ref() };
        let found = self.contenders.found.iter().find(|it| it.transport == transport);
        found.map(|it| &it.backlog)
    }

    pub fn is_over(&self) -> bool {
        self.streams.ends() == [true; 2]
    }

    /// Ends the input: decides with the messages that are held back.
    pub fn finish(&mut self, now: Place, bytes: &mut BacklogBytes) {
        let SegmentRace { streams, contenders, .. } = self;
        streams.finish(now, &is_value, &mut |sent, carried| {
            contenders.take(sent, carried, bytes);
        });
    }

    /// The transport with the most evidence, if the input ended now and no reader held anything back.
    pub fn foresee(&self, now: Place, options: &Options<'_>) -> Classification {
        if self.messages() > 0 {
            return self.classification(options);
        }
        let mut readings: Vec<_> =
            self.readings().map(|(of, readings)| (of, readings.clone())).collect();
        self.streams.clone().finish(now, &is_value, &mut |sent, carried| {
            let transport = sent.transport;
            if let Some((_, readings)) = readings.iter_mut().find(|(of, _)| *of == transport) {
                readings.examine(transport, &carried);
            }
        });
        let readings = readings.iter().map(|(of, readings)| (*of, readings));
        classification(readings, self.contenders.upgraded, false, options)
    }

    fn readings(&self) -> impl Iterator<Item = (Transport, &Readings)> + Clone {
        self.contenders.found.iter().map(|it| (it.transport, &it.readings))
    }

    /// The transport with the most evidence.
    pub fn classification(&self, options: &Options<'_>) -> Classification {
        let StreamContenders { upgraded, debugger, .. } = &self.contenders;
        classification(self.readings(), *upgraded, debugger.is_found(), options)
    }

    /// Returns what the winner has found, and its reader.
    pub fn end(self, transport: Option<Transport>) -> (Backlog, ConnectionState) {
        let SegmentRace { mut streams, unknown, contenders, .. } = self;
        let Some(transport) = transport else {
            return (unknown.unwrap_or_default(), ConnectionState::Unknown(streams.ends()));
        };
        streams.keep(transport);
        let found = contenders.found.into_iter().find(|it| it.transport == transport);
        let backlog = found.map(|it| it.backlog).unwrap_or_default();
        (backlog, ConnectionState::Streams(Box::new(streams)))
    }

    pub fn heap_bytes(&self) -> usize {
        let StreamContenders { found, .. } = &self.contenders;
        let list = found.capacity().saturating_mul(size_of::<Contender>());
        let found = found.iter().map(Contender::heap_bytes);
        let unknown = self.unknown.as_ref().map(Backlog::heap_bytes);
        found.chain(unknown).chain([list, self.streams.heap_bytes()]).sum()
    }
}

/// The transport with the most evidence, from the statistics of what each reader has found.
fn classification<'l>(
    readings: impl Iterator<Item = (Transport, &'l Readings)> + Clone,
    upgraded: Option<Transport>,
    is_debugger: bool,
    options: &Options<'_>,
) -> Classification {
    // The reader of a transport has to find more messages than those of the transports after it.
    let is_best = |place: usize, readings_of_it: &Readings| {
        let mut after = readings.clone().skip(place.saturating_add(1));
        after.all(|(_, other)| readings_of_it.carried() > other.carried())
    };
    let best = || {
        let mut likely = readings.clone().enumerate().filter(|(place, (transport, readings))| {
            is_likely(*transport, readings, options) && is_best(*place, readings)
        });
        likely.next().map(|(_, (transport, _))| transport)
    };
    let transport = options.transport.or(upgraded).or_else(best);
    let none = Readings::default();
    let of_it = readings.clone().find(|(of, _)| Some(*of) == transport);
    // If nothing is recognized, the last transport shows how values would be read.
    let readings = of_it.or_else(|| readings.last()).map_or(&none, |(_, readings)| readings);
    let mut decision = readings.decide(options);
    if transport.is_some_and(Transport::has_handshake) {
        let trust = decision.trust(readings.messages(), options.transport == transport);
        let seen = readings.carried();
        return Classification { transport, decision, fitting: seen, trust, seen };
    }
    decision.layers.is_debugger = is_debugger && transport.is_none_or(Transport::has_debugger);
    let (fitting, seen) = (readings.values(options), readings.messages());
    Classification { transport, decision, fitting, trust: Trust::Everything, seen }
}

/// Whether what the reader of a transport has found is unlikely to be there by chance.
fn is_likely(transport: Transport, readings: &Readings, options: &Options<'_>) -> bool {
    if transport.has_handshake() {
        // Without the handshake, random bytes may look like frames.
        return readings.decide(options).read > 0 || readings.has_compressed();
    }
    let values = readings.values(options);
    values > 0 && values.saturating_mul(2) >= readings.messages()
}
