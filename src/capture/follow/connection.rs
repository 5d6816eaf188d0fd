//! The state of one connection. It reads the connection's packets and fills the queue of events.

use super::{
    Arrival, Carried, Classification, Client, Closed, DatagramReader, DebuggerFrames, Decoding,
    DialectEvidence, Flow, FlowPacket, Opened, Options, Output, PacketOwner, Place, Queue,
    QueuedKind, Race, Remaining, Rest, Sent, Streams, Summary, TakeCarried, TransportMessage,
    connection_names, is_unlikely, is_value,
};
use crate::game::multiplayer::Paths;
use crate::net::packet::{TcpSegment, Time, UdpDatagram};
use crate::net::{Measures, Side, enet, tcp};
use crate::value::parse;
use std::collections::BTreeSet;

/// How long a connection that its ends have closed is kept after its last packet, in nanoseconds:
/// its last packets may be sent again or captured late. TCP keeps such a connection for 60 seconds
/// on Linux, and ENet repeats a disconnect command for up to 30 seconds.
const LINGERING: i64 = 60_000_000_000;

/// A connection that its ends have closed, and that is kept for its late packets. The order is that in
/// which they are closed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lingering {
    /// The time up to which it is kept at least, in nanoseconds. Later packets of the connection
    /// extend this.
    pub until: i64,
    pub connection: u64,
    pub flow: Flow,
}

/// State that all connections share.
pub struct Shared<'s, 'o> {
    pub options: &'s Options<'o>,
    /// The evidence for dialects from all recognized connections.
    pub common: &'s mut DialectEvidence,
    /// Whether `common` has the evidence of all connections.
    pub is_finishing: bool,
    /// Buffers that all ENet sessions share, because only one of them works at a time.
    pub scratch: &'s mut enet::Scratch,
    pub queue: &'s mut Queue,
}

/// The state of a connection.
pub struct FollowedConnection {
    pub summary: Summary,
    pub opened: Opened,
    /// Whether the follower remembers that its ends have closed it. They may have continued it
    /// since.
    pub is_lingering: bool,
    state: ConnectionState,
    client: Option<Client>,
    debugger: DebuggerFrames,
    pub names: Paths,
    /// The meter of a TCP connection, if connections are measured.
    meter: Option<Box<tcp::Meter>>,
}

/// How its packets are read.
pub enum ConnectionState {
    /// It is not known yet what the connection carries.
    Race(Box<Race>),
    /// Every datagram is a message.
    Udp,
    /// A transport over UDP that has a reader.
    Datagrams {
        reader: DatagramReader,
        /// The end that has sent a disconnect command, and nothing since.
        disconnected: Option<Side>,
    },
    Streams(Box<Streams>),
    /// A TCP connection that carries nothing known, and which ends have closed it.
    Unknown([bool; 2]),
}

impl FollowedConnection {
    /// A connection; with `rest`, the rest of one that was given up.
    pub fn new(
        number: u64,
        flow: Flow,
        rest: Option<&Rest>,
        now: Place,
        options: &Options<'_>,
    ) -> FollowedConnection {
        FollowedConnection {
            summary: Summary::new(number, flow, now, options),
            opened: Opened::default(),
            is_lingering: false,
            state: ConnectionState::Race(Box::new(Race::new(flow.is_tcp(), rest, options))),
            client: None,
            debugger: DebuggerFrames::new(options.limits.message()),
            meter: (flow.is_tcp() && options.is_measuring).then(Box::default),
            names: connection_names(options, number),
        }
    }

    /// How far the connection is, if it is over ENet.
    pub fn progress(&self) -> Option<enet::SessionProgress> {
        match &self.state {
            ConnectionState::Race(race) => race.progress(),
            ConnectionState::Datagrams { reader, .. } => reader.progress(),
            ConnectionState::Udp | ConnectionState::Streams(_) | ConnectionState::Unknown(_) => {
                None
            }
        }
    }

    /// Decides which connection a packet belongs to: this one, or a new one between the same ends.
    #[inline]
    pub fn opens(
        &mut self,
        arrival: &Arrival,
        packet: FlowPacket<'_, '_>,
        handshakes: &mut enet::HandshakeReader,
    ) -> PacketOwner {
        match packet {
            FlowPacket::Datagram(datagram) => {
                let before = self.summary.packets();
                let FollowedConnection { opened, state, .. } = self;
                let has_channel = |channel| match &*state {
                    ConnectionState::Datagrams { reader, .. } => {
                        reader.has_channel(arrival.from, channel)
                    }
                    ConnectionState::Race(race) => race.has_channel(arrival.from, channel),
                    _ => false,
                };
                opened.datagram(arrival, before, datagram, handshakes, has_channel)
            }
            FlowPacket::Segment(segment) => {
                let is_unknown = matches!(self.state, ConnectionState::Unknown(_));
                self.opened.segment(arrival, segment, is_unknown)
            }
        }
    }

    /// Reads a packet.
    #[inline]
    pub fn packet(
        &mut self,
        arrival: &Arrival,
        packet: FlowPacket<'_, '_>,
        shared: &mut Shared<'_, '_>,
    ) {
        match packet {
            FlowPacket::Datagram(datagram) => self.datagram(arrival, datagram, shared),
            FlowPacket::Segment(segment) => self.segment(arrival, segment, shared),
        }
    }

    /// Reads a datagram.
    fn datagram(
        &mut self,
        arrival: &Arrival,
        datagram: &UdpDatagram<'_>,
        shared: &mut Shared<'_, '_>,
    ) {
        let (Arrival { from, place: now, .. }, UdpDatagram { payload, missing, .. }) =
            (*arrival, *datagram);
        self.summary.add(arrival, payload, missing);
        if self.may_begin(payload) {
            self.state = ConnectionState::Race(Box::new(Race::again(shared.options)));
        }
        if let ConnectionState::Race(race) = &mut self.state {
            if race.datagram(from, now, datagram, shared.scratch, shared.options) {
                return self.decide(now, shared);
            }
            return self.give_early(shared);
        }
        let Some(decoding) = self.summary.decoding else { return };
        let FollowedConnection { summary, client, debugger, state, opened, .. } = self;
        let mut output = Output { summary, decoding, client, debugger, queue: shared.queue };
        let ConnectionState::Datagrams { reader, disconnected } = state else {
            let sent = output.sent(from, now);
            return match missing {
                0 => output.message(sent, TransportMessage::new(payload, 0)),
                _ => output.other(sent, Carried::Cut { bytes: payload, missing }),
            };
        };
        let mut output = DatagramOutput { output, disconnected, now };
        let result = reader.datagram(from, now, datagram, shared.scratch, &mut output);
        let DatagramOutput { mut output, .. } = output;
        match result {
            Ok(()) => opened.note_enet(from, payload),
            Err(refused) => output.take(from, now, refused.carried),
        }
    }

    /// Reads a segment.
    fn segment(
        &mut self,
        arrival: &Arrival,
        segment: &TcpSegment<'_>,
        shared: &mut Shared<'_, '_>,
    ) {
        let (Arrival { from, place: now, .. }, TcpSegment { payload, missing, .. }) =
            (*arrival, *segment);
        self.summary.add(arrival, payload, missing);
        if segment.is_syn {
            let is_answer = segment.acknowledgement.is_some();
            self.summary.client.get_or_insert(if is_answer { from.other() } else { from });
        }
        if let Some(meter) = &mut self.meter {
            let time = now.time.map(Time::as_nanos);
            meter.segment(from, time, &segment.in_stream(), segment.acknowledgement);
        }
        if let ConnectionState::Race(race) = &mut self.state {
            if race.segment((from, now), segment, shared.options) {
                return self.decide(now, shared);
            }
            return self.give_early(shared);
        }
        if let ConnectionState::Unknown(ends) = &mut self.state {
            for (end, is_closed) in [Side::First, Side::Second].into_iter().zip(ends) {
                *is_closed |= segment.is_reset || segment.is_fin && end == from;
            }
            // An empty segment contains no message.
            if !payload.is_empty() || missing > 0 {
                self.give_unknown(from, now, Carried::of_unknown(payload, missing), shared.queue);
            }
            return;
        }
        let Some(decoding) = self.summary.decoding else { return };
        let FollowedConnection { summary, client, debugger, state, .. } = self;
        let mut output = Output { summary, decoding, client, debugger, queue: shared.queue };
        let is_message = &|bytes: &[u8]| parse(decoding.dialect, bytes).is_ok();
        if let ConnectionState::Streams(streams) = state {
            streams.segment(from, now, segment, is_message, &mut output);
        }
    }

    /// Whether a datagram may be the first message of a flow that was not recognized so far. A few
    /// may be values by chance.
    fn may_begin(&self, payload: &[u8]) -> bool {
        matches!(self.state, ConnectionState::Udp)
            && self.summary.known().is_none()
            && is_value(payload)
            && !is_unlikely(payload)
    }

    /// Whether it is not known yet what the connection carries.
    pub const fn is_racing(&self) -> bool {
        matches!(self.state, ConnectionState::Race(_))
    }

    /// Whether the connection has had content. If not, a new connection between the same ends
    /// continues this one.
    pub fn has_begun(&self) -> bool {
        match &self.state {
            ConnectionState::Race(race) if !self.summary.flow.is_tcp() => race.has_messages(),
            _ => !self.summary.flow.is_tcp() || self.summary.traffic().bytes > 0,
        }
    }

    /// Notes it among the connections that their ends have closed, if they have.
    #[inline]
    pub fn note_end(&mut self, lingering: &mut BTreeSet<Lingering>) {
        if !self.is_lingering && self.is_over() {
            self.is_lingering = true;
            lingering.insert(self.linger());
        }
    }

    /// The entry that the follower keeps if the ends have closed the connection.
    pub fn linger(&self) -> Lingering {
        let Summary { connection, flow, .. } = self.summary;
        Lingering { connection, flow, until: self.lingers_until() }
    }

    /// The time up to which it is kept if it is over. Without times, it is kept until there are too
    /// many.
    pub fn lingers_until(&self) -> i64 {
        let last = self.summary.last().time;
        last.map_or(i64::MAX, |last| last.as_nanos().saturating_add(LINGERING))
    }

    /// Whether it has this number, and its ends have closed it.
    pub fn is_lingering_as(&self, number: u64) -> bool {
        self.summary.connection == number && self.is_over()
    }

    /// Whether its ends have closed it.
    #[inline]
    pub fn is_over(&self) -> bool {
        match &self.state {
            ConnectionState::Race(race) => race.is_over(),
            ConnectionState::Udp => false,
            ConnectionState::Datagrams { disconnected, .. } => disconnected.is_some(),
            ConnectionState::Streams(streams) => streams.ends() == [true; 2],
            ConnectionState::Unknown(ends) => *ends == [true; 2],
        }
    }

    /// Whether messages wait until it is known what the connection carries.
    pub fn is_waiting(&self) -> bool {
        matches!(&self.state, ConnectionState::Race(race) if race.is_waiting())
    }

    /// Delivers the messages that have waited for too long.
    pub fn tick(&mut self, now: Time, shared: &mut Shared<'_, '_>) {
        let ConnectionState::Race(race) = &mut self.state else { return };
        if race.is_late(now, shared.options.limits.undecided_time) {
            self.give_early(shared);
        }
    }

    /// Delivers messages that need not wait for the decision about what the connection carries.
    fn give_early(&mut self, shared: &mut Shared<'_, '_>) {
        let FollowedConnection {
            summary,
            client,
            debugger,
            state: ConnectionState::Race(race),
            ..
        } = self
        else {
            return;
        };
        let Shared { options, common, queue, .. } = shared;
        let (decoding, count) = if let Some(classification) = race.guess(options) {
            let classification = classification.among(common);
            let Some(decoding) = Decoding::of(&classification, common, options) else { return };
            let decoding = Decoding { is_decided: false, ..decoding };
            recognize(summary, decoding, classification, queue);
            (decoding, usize::MAX)
        } else if let Some((remaining, count)) = race.agreed(options) {
            let Remaining { transport, layers, dialects, .. } = remaining;
            (Decoding::among(&dialects, transport, layers, common, options), count)
        } else {
            return;
        };
        queue.make_room(count, race.kept_bytes());
        let mut output = Output { summary, decoding, client, debugger, queue };
        race.give(decoding.transport, count, &mut |from, place, carried| {
            output.take(from, place, carried);
        });
    }

    /// Decides from what was seen so far what the connection carries, and delivers what was kept.
    pub fn decide(&mut self, now: Place, shared: &mut Shared<'_, '_>) {
        let ConnectionState::Race(race) = &mut self.state else { return };
        let classification = race.foresee(now, shared.options);
        self.end_race(classification, shared);
    }

    fn end_race(&mut self, classification: Classification, shared: &mut Shared<'_, '_>) {
        let after = ConnectionState::Unknown([false; 2]);
        let ConnectionState::Race(race) = core::mem::replace(&mut self.state, after) else {
            return;
        };
        let classification = classification.among(shared.common);
        if !shared.is_finishing {
            shared.common.note(&classification);
        }
        let options = shared.options;
        let decoding = Decoding::of(&classification, shared.common, options);
        let (prize, state) = race.end(classification.transport, options);
        self.state = state;
        let (count, bytes) = prize.size();
        shared.queue.make_room(count, bytes);
        let Some(decoding) = decoding else {
            self.summary.decoding = None;
            prize.give(&mut |from, place, carried| {
                self.give_unknown(from, place, carried, shared.queue);
            });
            return;
        };
        let FollowedConnection { summary, client, debugger, .. } = self;
        recognize(summary, decoding, classification, shared.queue);
        let mut output = Output { summary, decoding, client, debugger, queue: shared.queue };
        prize.give(&mut |from, place, carried| output.take(from, place, carried));
    }

    fn give_unknown(&self, from: Side, place: Place, carried: Carried<'_>, queue: &mut Queue) {
        let Carried::Other(bytes, reason) = carried else { return };
        let (origin, bytes) = (self.summary.origin(from), queue.keep(bytes));
        queue.push_of(place, Some(origin), QueuedKind::Other(bytes, reason));
    }

    /// The classification that the connection would get if the input ended now; none if it has one
    /// already.
    pub fn foresee(&self, now: Place, options: &Options<'_>) -> Option<Classification> {
        let ConnectionState::Race(race) = &self.state else { return None };
        Some(race.foresee(now, options))
    }

    /// Ends the input: delivers what was held back, and reports that the connection is closed.
    pub fn close(&mut self, now: Place, closed: Closed, shared: &mut Shared<'_, '_>) {
        if let ConnectionState::Race(race) = &mut self.state {
            race.finish(now);
            let classification = race.classification(shared.options);
            self.end_race(classification, shared);
        }
        if let Some(decoding) = self.summary.decoding {
            let FollowedConnection { summary, client, debugger, state, .. } = self;
            let mut output = Output { summary, decoding, client, debugger, queue: shared.queue };
            let is_message = &|bytes: &[u8]| parse(decoding.dialect, bytes).is_ok();
            match state {
                ConnectionState::Datagrams { reader, .. } => {
                    reader.finish(now, &mut output);
                }
                ConnectionState::Streams(streams) => {
                    streams.finish(now, is_message, &mut |Sent { from, place, .. }, carried| {
                        output.take(from, place, carried);
                    });
                }
                ConnectionState::Race(_) | ConnectionState::Udp | ConnectionState::Unknown(_) => {}
            }
            output.finish_debugger(Side::First);
            output.finish_debugger(Side::Second);
        }
        self.summary.closed = Some(closed);
        let summary = Box::new(self.summarized());
        shared.queue.push_of(self.summary.last(), None, QueuedKind::Closed(summary));
    }
}

/// The output of a connection over UDP, which notes whether an end has disconnected.
struct DatagramOutput<'d, 'c> {
    output: Output<'c>,
    disconnected: &'d mut Option<Side>,
    now: Place,
}

impl TakeCarried for DatagramOutput<'_, '_> {
    #[inline(always)]
    fn message(&mut self, sent: Sent, message: TransportMessage<&[u8]>) {
        // The disconnect command was forged: its sender continues to send.
        if *self.disconnected == Some(sent.from) && sent.place.is_same_packet(self.now) {
            *self.disconnected = None;
        }
        self.output.message(sent, message);
    }

    fn other(&mut self, sent: Sent, carried: Carried<'_>) {
        if matches!(carried, Carried::Disconnected) {
            *self.disconnected = Some(sent.from);
        }
        self.output.other(sent, carried);
    }
}

/// Notes what a connection carries. Reports it if it differs from what was reported before.
fn recognize(
    summary: &mut Summary,
    decoding: Decoding,
    classification: Classification,
    queue: &mut Queue,
) {
    let is_known = summary.known().is_some_and(|known| known.reads_like(&decoding));
    summary.decoding = Some(decoding);
    if !is_known && summary.known().is_some() {
        let classification = Some(Box::new(classification));
        let summary = Box::new(Summary { classification, ..summary.clone() });
        queue.push(None, QueuedKind::Recognized(summary));
    }
}

/// The overhead of the allocator for the boxes and lists of a connection: 16 bytes each.
const OF_ALLOCATOR: usize = 7 * 16;

impl FollowedConnection {
    /// How much memory it takes, in bytes, in addition to itself.
    pub fn held(&self) -> usize {
        let state = match &self.state {
            ConnectionState::Race(race) => size_of_val(&**race) + race.heap_bytes(),
            ConnectionState::Datagrams { reader, .. } => reader.heap_bytes(),
            ConnectionState::Streams(streams) => size_of_val(&**streams) + streams.heap_bytes(),
            ConnectionState::Udp | ConnectionState::Unknown(_) => 0,
        };
        let held = state
            + self.names.held_bytes()
            + self.debugger.heap_bytes()
            + self.opened.heap_bytes()
            + OF_ALLOCATOR;
        if self.summary.is_measured() { held + self.measured_bytes() } else { held }
    }

    /// Whether those that return false are given up before it.
    pub fn is_of_use(&self) -> bool {
        self.summary.known().is_some()
    }

    /// Whether it cannot release memory without a loss.
    pub const fn is_settled(&self) -> bool {
        !self.is_racing()
    }

    /// The summary of the connection, with the measurements so far.
    pub fn summarized(&self) -> Summary {
        let mut summary = self.summary.clone();
        for from in [Side::First, Side::Second] {
            let measured = match (&self.state, &self.meter) {
                (ConnectionState::Datagrams { reader, .. }, _) => reader.measures(from),
                (_, meter) => meter.as_ref().map(|meter| meter.measures(from)),
            };
            if let Some(measures) = &mut summary.direction_mut(from).measures
                && let Some(measured) = measured
            {
                let sizes = core::mem::take(&mut measures.sizes);
                let packets_over_time = measures.packets_over_time.clone();
                **measures = Measures { sizes, packets_over_time, ..measured.clone() };
            }
        }
        summary
    }

    /// About how many bytes the measurements take, except those of a reader for datagrams, which
    /// counts them itself.
    pub fn measured_bytes(&self) -> usize {
        let meter = self.meter.as_deref();
        let meter = meter.map_or(0, |it| size_of_val(it).saturating_add(it.heap_bytes()));
        meter.saturating_add(self.summary.heap_bytes())
    }
}
