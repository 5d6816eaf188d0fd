//! The summary of a connection: its traffic, what it carries, and the evidence for that.

use super::{
    Arrival, Classification, Decision, Decoding, Direction, Flow, Options, Origin, Place, Transport,
};
use crate::net::Side;
use crate::net::packet::Time;
use crate::value::Dialect;
use core::fmt;
use core::net::IpAddr;

/// The traffic of a connection, in both directions together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Traffic {
    /// The number of packets: datagrams or segments. IP fragments count as one packet once they are
    /// reassembled.
    pub packets: u64,
    /// The number of bytes that these carry after their UDP or TCP headers.
    pub bytes: u64,
    /// When the first one was captured.
    pub first: Option<Time>,
    /// When the last one was captured.
    pub last: Option<Time>,
}

impl Traffic {
    /// The mean rate between the first packet and the last; none if the time between them is zero
    /// or unknown.
    #[must_use]
    pub fn bytes_per_second(&self) -> Option<f64> {
        let nanoseconds = self.last?.as_nanos().saturating_sub(self.first?.as_nanos());
        (nanoseconds > 0).then(|| self.bytes as f64 * 1e9 / nanoseconds as f64)
    }
}

/// Why a connection was closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Closed {
    /// Its ends closed it: both ended their TCP stream with a FIN or a RST, or one sent ENet's
    /// disconnect command. If a TCP connection carries nothing known, one RST is enough. This is
    /// reported a minute after its last packet, or at the end of the input, because its packets may
    /// be sent again. A new connection between the same ends closes it at once.
    ByEnds,
    /// Another connection began between the same ends.
    Replaced,
    /// A limit was reached: see [`Limits`](super::Limits).
    Limit,
    /// The input ended.
    Finished,
}

/// A connection: its ends, its transport, and counts of what was sent.
///
/// The events that open, recognize and close the connection contain it. Its `Display` names the two
/// ends and explains how the connection was classified.
#[derive(Clone)]
pub struct Summary {
    pub(super) connection: u64,
    pub(super) flow: Flow,
    /// The frame numbers of its first and its last packet, and the numbers of their files.
    pub(super) frames: [u64; 2],
    pub(super) files: [u32; 2],
    /// When its first and its last packet were captured.
    pub(super) times: [Option<Time>; 2],
    /// Counts of what the first end has sent, and of what the second has.
    pub(super) directions: [Direction; 2],
    /// How its messages are read; none while that is not known, or if it carries nothing known.
    pub(super) decoding: Option<Decoding>,
    /// Why this was chosen. Only the summary in [`Event::Recognized`](super::Event::Recognized) has
    /// it.
    pub(super) classification: Option<Box<Classification>>,
    /// Whether the user named the dialect.
    pub(super) is_named: bool,
    pub(super) closed: Option<Closed>,
    /// The addresses of the tunnel that its first packet came through.
    pub(super) tunnel: Option<Box<(IpAddr, IpAddr)>>,
    /// Whether the engine's handshake was seen.
    pub(super) has_start: bool,
    /// The end that opened the connection, if that was seen.
    pub(super) client: Option<Side>,
    /// ENet: the number of the connection that its connect command has.
    pub(super) connect_id: Option<u32>,
}

impl Summary {
    pub(super) fn new(connection: u64, flow: Flow, first: Place, options: &Options<'_>) -> Summary {
        Summary {
            connection,
            flow,
            frames: [first.frame; 2],
            files: [first.file; 2],
            times: [None; 2],
            directions: [(); 2].map(|()| Direction::new(options.is_measuring)),
            decoding: None,
            classification: None,
            is_named: options.dialect.is_some(),
            closed: None,
            tunnel: None,
            has_start: false,
            client: None,
            connect_id: None,
        }
    }

    /// Counts a packet with the captured bytes of its payload, and the number of its other bytes.
    #[inline(always)]
    pub(super) fn add(&mut self, arrival: &Arrival, payload: &[u8], missing: usize) {
        let Arrival { from, place, wire } = *arrival;
        let ([_, frame], [_, file]) = (&mut self.frames, &mut self.files);
        (*frame, *file) = (place.frame, place.file);
        let [first, last] = &mut self.times;
        if place.time.is_some() {
            *last = place.time;
            if first.is_none() {
                *first = place.time;
            }
        }
        let is_tcp = self.flow.is_tcp();
        let len = payload.len().saturating_add(missing);
        let direction = self.direction_mut(from);
        direction.add((len, wire), place.time, is_tcp);
        if missing > 0 {
            direction.note_cut(place.frame);
        }
    }

    /// The origin of something that an end sends.
    pub(super) fn origin(&self, from: Side) -> Origin {
        let Summary { connection, flow, client, .. } = *self;
        let transport = self.transport().unwrap_or(flow.transport());
        Origin { connection, flow, from, transport, client }
    }

    /// How many packets were seen.
    pub(super) const fn packets(&self) -> u64 {
        let [first, second] = &self.directions;
        first.packets.saturating_add(second.packets)
    }

    pub(super) const fn direction_mut(&mut self, from: Side) -> &mut Direction {
        let [first, second] = &mut self.directions;
        from.of_mut(first, second)
    }

    pub(super) const fn is_measured(&self) -> bool {
        self.directions[0].measures.is_some()
    }

    /// About how much memory the measures and the counts of cut packets take.
    pub(super) fn heap_bytes(&self) -> usize {
        let measures = self.directions.iter().filter_map(|it| it.measures.as_deref());
        let bytes = measures.map(|it| size_of_val(it).saturating_add(it.heap_bytes()));
        let cut = self.directions.iter().filter_map(|it| it.cut.as_deref());
        let tunnel = self.tunnel.as_deref().map(size_of_val);
        bytes.chain(cut.map(size_of_val)).chain(tunnel).sum()
    }

    /// The number of the connection: connections are counted from 1 in the order in which they are
    /// opened.
    #[must_use]
    pub const fn connection(&self) -> u64 {
        self.connection
    }

    /// The two ends. Another connection between the same ends has the same flow and another number.
    #[must_use]
    pub const fn flow(&self) -> Flow {
        self.flow
    }

    /// The connection's first packet.
    #[must_use]
    pub const fn first(&self) -> Place {
        let ([frame, _], [file, _]) = (self.frames, self.files);
        Place { time: self.times[0], ..Place::new(frame).with_file(file) }
    }

    /// The connection's last packet so far.
    #[must_use]
    pub const fn last(&self) -> Place {
        let ([_, frame], [_, file]) = (self.frames, self.files);
        Place { time: self.times[1], ..Place::new(frame).with_file(file) }
    }

    /// The traffic of the connection so far, in both directions together.
    #[must_use]
    pub const fn traffic(&self) -> Traffic {
        let ([a, b], [first, last]) = (&self.directions, self.times);
        let bytes = a.payload_bytes.saturating_add(b.payload_bytes);
        Traffic { packets: self.packets(), bytes, first, last }
    }

    /// The counts of what one end has sent so far. [`Flow::ends`] gives the ends' addresses: the
    /// first one is [`Side::First`].
    #[must_use]
    pub const fn direction(&self, from: Side) -> &Direction {
        let [first, second] = &self.directions;
        from.of(first, second)
    }

    /// The number of messages that the transport carried so far, readable or not.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        let [first, second] = &self.directions;
        first.messages.saturating_add(second.messages)
    }

    /// Why the connection was closed; none while it is open.
    #[must_use]
    pub const fn closed(&self) -> Option<Closed> {
        self.closed
    }

    /// Whether the capture contains the start of the connection: ENet's connect command, or the
    /// message with which a WebSocket server tells a client its peer id. If it does, it contains
    /// everything that the ends announced, unless messages are missing.
    #[must_use]
    pub const fn has_start(&self) -> bool {
        self.has_start
    }

    /// The end that opened the connection, if that was seen: see [`Origin::client`](super::Origin::client).
    #[must_use]
    pub const fn client(&self) -> Option<Side> {
        self.client
    }

    /// The sender and the receiver of the tunnel through which the connection's first packet was
    /// mirrored: see [`CapturedPacket::tunnel`]. [`Summary::flow`] has the addresses inside of it.
    ///
    /// [`CapturedPacket::tunnel`]: crate::packet::CapturedPacket::tunnel
    #[must_use]
    pub fn tunnel(&self) -> Option<(IpAddr, IpAddr)> {
        self.tunnel.as_deref().copied()
    }

    /// ENet: the number by which its ends distinguish the connection from others, if the capture
    /// contains its start. It is the same wherever the connection is captured.
    #[must_use]
    pub const fn connect_id(&self) -> Option<u32> {
        self.connect_id
    }

    /// The same summary of a connection with another number.
    pub(crate) fn with_number(self, connection: u64) -> Summary {
        Summary { connection, ..self }
    }

    /// This summary without the evidence and the measures, which take most of the memory.
    pub(crate) fn brief(&self) -> Summary {
        let directions = self.directions.each_ref().map(Direction::without_measures);
        Summary { directions, classification: None, tunnel: self.tunnel.clone(), ..*self }
    }

    /// How its messages are read, if at least one packet or message fits that.
    pub(super) fn known(&self) -> Option<Decoding> {
        self.decoding.filter(|decoding| decoding.is_sure)
    }

    /// The transport of the messages; none if no known message was found.
    #[must_use]
    pub fn transport(&self) -> Option<Transport> {
        self.known().map(|decoding| decoding.transport)
    }

    /// The dialect of the values; none if no message can be read.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.known().filter(|decoding| decoding.is_read).map(|decoding| decoding.dialect)
    }

    /// Whether the messages are packets of the high-level multiplayer API.
    #[must_use]
    pub fn is_multiplayer(&self) -> bool {
        self.known().is_some_and(|decoding| decoding.layers.is_multiplayer)
    }

    /// Whether the messages are those of the remote debugger.
    #[must_use]
    pub fn is_debugger(&self) -> bool {
        self.known().is_some_and(|decoding| decoding.layers.is_debugger)
    }
}

/// Shows the ends, what was chosen, and why.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.flow.ends();
        write!(f, "{low} and {high}: ")?;
        let Some(decoding) = self.known() else {
            let protocol = if self.flow.is_tcp() { "TCP" } else { "UDP" };
            return write!(f, "{protocol}, no message recognized");
        };
        let Decoding { transport, layers, dialect, is_read, .. } = decoding;
        let classification = self.classification.as_deref();
        if let Some(Classification { fitting, seen, .. }) = classification {
            match transport.evidence() {
                Some(evidence) => write!(f, "{transport}, {fitting} of {seen} {evidence}")?,
                None => write!(f, "{transport}, {seen} messages")?,
            }
        } else {
            transport.fmt(f)?;
        }
        if !is_read {
            return f.write_str("; none of its messages can be read");
        }
        match (layers.is_multiplayer, layers.has_peers) {
            (true, _) => f.write_str("; packets of the multiplayer API")?,
            (false, true) => f.write_str("; values after the ids of source and target")?,
            (false, false) if layers.is_debugger => {
                f.write_str("; messages of the remote debugger")?
            }
            (false, false) => {}
        }
        let Some(Classification { decision: Decision { detection, .. }, .. }) = classification
        else {
            return write!(f, "; {dialect}");
        };
        if self.is_named {
            return write!(f, "; {dialect}, as requested");
        }
        match detection.dialect() {
            Some(_) => {}
            None if detection.best().next().is_none_or(|first| first == dialect) => {
                write!(f, "; {dialect} by default")?;
            }
            None => write!(f, "; {dialect}, as in most of the traffic")?,
        }
        write!(f, "; {detection}")
    }
}

impl fmt::Debug for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { connection, flow, decoding, closed, .. } = self;
        debug_fields!(f, Summary { connection, flow, traffic = self.traffic(), decoding, closed, .. })
    }
}
