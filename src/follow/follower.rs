//! The follower: packets in, events out.

use super::connection::{Connection, Shared};
use super::event::{Content, Event, Loss, Lost, Message, Other, Reason};
use super::flow::Flow;
use super::names::{Names, relayed};
use super::opened::Decompressor;
use super::place::{Origin, Place};
use super::queue::{Entry, Found, Queue, What};
use super::race::is_unlikely;
use super::summary::{Choice, Closed, Summary};
use super::table::{Excess, Table};
use super::{Options, Transport};
use crate::detect::Detector;
use crate::multiplayer::{self, Protocol};
use crate::net::{Side, enet};
use crate::packet::{
    Datagram, Defragmenter, Error, LinkType, LostPacket, Packet, Payload, Segment,
};
use crate::parse::parse;
use core::cell::Cell;
use core::fmt;
use core::net::SocketAddr;
use std::collections::VecDeque;

/// A closed connection is kept until this many packets of other connections have come, because its
/// own packets may be retransmitted or captured late.
const LINGERING: u64 = 64;

/// Follows connections: packets in, messages out.
///
/// Packets are pushed one by one, in the order in which they came: as they were captured
/// ([`packet`](Follower::packet)), as IP packets ([`ip`](Follower::ip)), as UDP datagrams
/// ([`datagram`](Follower::datagram)) or as TCP segments ([`segment`](Follower::segment)). Each push
/// returns the [`Events`] that follow from it. At the end, [`finish`](Follower::finish) returns what
/// was still held back.
///
/// The follower detects what a connection carries from its first packets: see the
/// [module](super). It does no input or output of its own.
///
/// ```
/// use gdwire::follow::{Content, Event, Follower, Place};
/// use gdwire::packet::Datagram;
/// use gdwire::{Dialect, encode, variant};
///
/// let packet = encode(Dialect::GODOT_4, &variant!({"hp": 87, "speed": 1.5}))?;
/// let datagram = Datagram::new("10.0.0.2:5000".parse()?, "10.0.0.1:7000".parse()?, &packet);
///
/// let mut follower = Follower::new();
/// let mut values = Vec::new();
/// let mut take = |event: Event<'_>| {
///     if let Event::Message(message) = event
///         && let Content::Value(value) = message.content
///     {
///         values.push(value.to_string());
///     }
/// };
/// follower.datagram(Place::new(1), &datagram).for_each(&mut take);
/// follower.finish().for_each(&mut take);
/// assert_eq!(values, [r#"{ "hp": 87, "speed": 1.5 }"#]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follower<'o> {
    options: Options<'o>,
    /// None while a fragment is read.
    fragments: Option<Defragmenter>,
    connections: Table<Connection>,
    /// What the messages of the connections are that are recognized.
    common: Detector,
    scratch: enet::Scratch,
    decompressor: Decompressor,
    queue: Queue,
    now: Place,
    /// How many packets were pushed, and connections opened.
    packets: u64,
    opened: u64,
    /// Connections that their ends have closed, and with which packet they were seen last.
    lingering: VecDeque<(u64, Flow)>,
    /// Names of connections that are closed, as long as messages in the queue may need them.
    names: Vec<(u64, Names)>,
    /// What was given last if it has names in it, to be noted once it has been used.
    given: Cell<Option<usize>>,
    /// Whether it was said that there are too many connections.
    is_limit_told: bool,
    finish: Finish,
}

/// How far the end has come.
enum Finish {
    No,
    /// The connections that are still open, the last first.
    Connections(Vec<(u64, Flow)>),
    Done,
}

/// The events that follow from one packet, or from the end of the input.
///
/// Events that are not taken are dropped.
pub struct Events<'f, 'o> {
    follower: &'f mut Follower<'o>,
    packet: &'f [u8],
}

impl Events<'_, '_> {
    /// The next event; none if nothing more follows from the packet.
    #[expect(clippy::should_implement_trait, reason = "an event borrows from this")]
    pub fn next(&mut self) -> Option<Event<'_>> {
        let next = self.follower.next_entry(self.packet)?;
        self.follower.lend(self.packet, next)
    }

    /// Hands on all events.
    pub fn for_each(mut self, mut work: impl FnMut(Event<'_>)) {
        while let Some(event) = self.next() {
            work(event);
        }
    }
}

impl Default for Follower<'_> {
    fn default() -> Self {
        Follower::new()
    }
}

impl<'o> Follower<'o> {
    /// A follower that detects the transport and the dialect.
    #[must_use]
    pub fn new() -> Follower<'o> {
        Follower::with_options(Options::new())
    }

    /// A follower with options: a known transport or dialect, or other limits.
    #[must_use]
    pub fn with_options(options: Options<'o>) -> Follower<'o> {
        Follower {
            fragments: Some(Defragmenter::with_limit(options.limits.fragments())),
            connections: Table::new(options.limits),
            queue: Queue::new(options.limits.flow_bytes),
            options,
            common: Detector::new(),
            scratch: enet::Scratch::default(),
            decompressor: Decompressor::default(),
            now: Place { frame: 0, time: None },
            packets: 0,
            opened: 0,
            lingering: VecDeque::new(),
            names: Vec::new(),
            given: Cell::new(None),
            is_limit_told: false,
            finish: Finish::No,
        }
    }

    /// How many bytes are kept of connections and of IP packets in parts now: no more than
    /// [`Limits::total_bytes`](super::Limits::total_bytes).
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.connections.held().saturating_add(self.held_fragments())
    }

    fn held_fragments(&self) -> usize {
        self.fragments.as_ref().map_or(0, Defragmenter::held_bytes)
    }

    /// Pushes a packet as it was captured.
    pub fn packet<'f>(&'f mut self, packet: &Packet<'f>) -> Events<'f, 'o> {
        self.push_packet(packet);
        Events { packet: packet.data, follower: self }
    }

    /// Pushes an IP packet, which starts with its IPv4 or IPv6 header.
    pub fn ip<'f>(&'f mut self, place: Place, packet: &'f [u8]) -> Events<'f, 'o> {
        let whole = Packet::new(LinkType::RAW, packet).with_frame(place.frame);
        self.push_packet(&Packet { time: place.time, ..whole });
        Events { packet, follower: self }
    }

    /// Pushes a UDP datagram.
    pub fn datagram<'f>(&'f mut self, place: Place, datagram: &Datagram<'f>) -> Events<'f, 'o> {
        self.begin(datagram.payload, place);
        self.read_datagram(datagram);
        self.settle();
        Events { packet: datagram.payload, follower: self }
    }

    /// Pushes a TCP segment.
    pub fn segment<'f>(&'f mut self, place: Place, segment: &Segment<'f>) -> Events<'f, 'o> {
        self.begin(segment.payload, place);
        self.read_segment(segment);
        self.settle();
        Events { packet: segment.payload, follower: self }
    }

    /// Ends the input and returns the events that were held back. After that, the follower starts
    /// anew.
    pub fn finish<'f>(&'f mut self) -> Events<'f, 'o> {
        self.begin_to_finish();
        Events { packet: &[], follower: self }
    }

    pub(crate) fn push_packet(&mut self, packet: &Packet<'_>) {
        self.begin(packet.data, Place { frame: packet.frame, time: packet.time });
        self.read_packet(packet);
        self.settle();
    }

    /// The file that the packets come from is damaged.
    pub(crate) fn push_damage(&mut self, error: Error) {
        self.begin(&[], self.now);
        self.queue.push(None, What::Damaged(error));
    }

    /// Starts to read the next packet: what was in the queue is done with.
    fn begin(&mut self, packet: &[u8], now: Place) {
        self.given.set(None);
        if matches!(self.finish, Finish::Done) {
            self.finish = Finish::No;
        }
        self.now = now;
        self.queue.begin(packet, now);
        self.names.clear();
        self.packets = self.packets.saturating_add(1);
    }

    /// Drops connections that exceed the limits, and those that were closed long enough ago.
    fn settle(&mut self) {
        self.keep_limits();
        self.end_lingering();
    }

    pub(crate) fn begin_to_finish(&mut self) {
        self.begin(&[], self.now);
        let Follower { connections, common, options, now, .. } = self;
        let mut open = Vec::new();
        for (flow, connection) in connections.iter() {
            open.push((connection.summary.connection, *flow));
            if let Some(finding) = connection.foresee(*now, options) {
                common.merge(finding.detection.detector());
            }
        }
        open.sort_unstable_by_key(|(number, _)| core::cmp::Reverse(*number));
        self.finish = Finish::Connections(open);
    }

    /// The place of the next entry in the queue.
    pub(crate) fn next_entry(&mut self, packet: &[u8]) -> Option<usize> {
        self.note_given(packet);
        loop {
            if let Some(next) = self.queue.next() {
                return Some(next);
            }
            self.queue.end();
            self.names.clear();
            if !self.go_on_to_finish() {
                return None;
            }
        }
    }

    /// Gives what the next of the connections holds that are still open.
    fn go_on_to_finish(&mut self) -> bool {
        let Finish::Connections(open) = &mut self.finish else { return false };
        let next = open.pop();
        if let Some((number, flow)) = next {
            // It may have been given up meanwhile.
            if self.connections.get(&flow).is_some_and(|it| it.summary.connection == number)
                && let Some(connection) = self.connections.take(&flow)
            {
                self.close(connection, Closed::Finished);
            }
            return true;
        }
        self.finish = Finish::Done;
        let queue = &mut self.queue;
        if let Some(fragments) = &mut self.fragments {
            fragments.finish(&mut |lost| queue.push(None, What::Lost(Loss::Fragments(lost))));
        }
        self.lingering.clear();
        self.common = Detector::new();
        true
    }

    fn close(&mut self, mut connection: Connection, closed: Closed) -> Summary {
        let is_finishing = matches!(self.finish, Finish::Connections(_));
        let Follower { options, common, scratch, queue, now, .. } = self;
        let shared = &mut Shared { options, common, is_finishing, scratch, queue };
        connection.close(*now, closed, shared);
        let Connection { summary, names, .. } = connection;
        self.names.push((summary.connection, names));
        summary
    }

    /// Gives up what is over the limits.
    fn keep_limits(&mut self) {
        let others = self.held_fragments();
        while let Some((flow, mut connection, excess)) = self.connections.take_excess(others) {
            // What it is then known not to carry need not be kept.
            if connection.is_racing() && excess == Excess::Bytes {
                let is_finishing = matches!(self.finish, Finish::Connections(_));
                let Follower { options, common, scratch, queue, now, .. } = self;
                let shared = &mut Shared { options, common, is_finishing, scratch, queue };
                connection.decide(*now, shared);
                self.connections.insert(flow, connection);
                continue;
            }
            let closed = if connection.is_over() { Closed::ByEnds } else { Closed::Limit };
            let connection = self.close(connection, closed);
            // Datagrams that are messages have nothing to do with each other.
            let known = connection.known().filter(|known| known.transport != Transport::Udp);
            let has_state = known.is_some() && closed == Closed::Limit;
            match (excess, known) {
                (Excess::Bytes, known) => {
                    let transport = match known {
                        Some(known) => known.transport,
                        None if flow.is_tcp() => Transport::Tcp,
                        None => Transport::Udp,
                    };
                    let connection = connection.connection;
                    let origin = Origin { connection, flow, from: Side::First, transport };
                    self.queue.push(Some(origin), What::Lost(Loss::Flow));
                }
                (Excess::Flows, _) if has_state && !self.is_limit_told => {
                    self.is_limit_told = true;
                    let limit = self.options.limits.flows;
                    self.queue.push(None, What::Lost(Loss::Connections { limit }));
                }
                (Excess::Flows, _) => {}
            }
        }
    }

    /// Closes the connections that were closed by their ends and silent since.
    fn end_lingering(&mut self) {
        while let Some(&(since, flow)) = self.lingering.front()
            && since.saturating_add(LINGERING) <= self.packets
        {
            self.lingering.pop_front();
            let is_over = |it: &Connection| it.over_since == Some(since) && it.is_over();
            if self.connections.get(&flow).is_some_and(is_over)
                && let Some(connection) = self.connections.take(&flow)
            {
                self.close(connection, Closed::ByEnds);
            }
        }
    }

    fn read_packet(&mut self, packet: &Packet<'_>) {
        match packet.payload() {
            Payload::Fragment(fragment) if !fragment.is_of_transport() => {
                self.other(packet.data, Reason::OtherProtocol);
            }
            Payload::Fragment(fragment) => {
                let Some(mut fragments) = self.fragments.take() else { return };
                let Follower { queue, options, .. } = self;
                let mut tell = |packet: LostPacket| {
                    let (src, dst) =
                        (SocketAddr::new(packet.src, 0), SocketAddr::new(packet.dst, 0));
                    if options.admits(src, dst) {
                        queue.push(None, What::Lost(Loss::Fragments(packet)));
                    }
                };
                match fragments.push(packet.frame, packet.time, &fragment, &mut tell) {
                    Some(Payload::Udp(datagram)) => self.read_datagram(&datagram),
                    Some(Payload::Tcp(segment)) => self.read_segment(&segment),
                    Some(_) => self.other(packet.data, Reason::OtherProtocol),
                    None => {}
                }
                self.fragments = Some(fragments);
            }
            Payload::Udp(datagram) => self.read_datagram(&datagram),
            Payload::Tcp(segment) => self.read_segment(&segment),
            Payload::Other => self.other(packet.data, Reason::OtherProtocol),
            Payload::Cut => self.other(packet.data, Reason::Cut),
            Payload::Malformed => self.other(packet.data, Reason::Malformed),
            Payload::UnknownLink => {
                let bytes = self.queue.keep(packet.data);
                let reason = Reason::UnknownLink(packet.link_type);
                self.queue.push(None, What::Other(bytes, reason));
            }
        }
    }

    fn other(&mut self, bytes: &[u8], reason: Reason) {
        // Of what has no addresses, nobody knows whether it was meant: what was cut may have been.
        if self.options.is_filtered() && !matches!(reason, Reason::Cut) {
            return;
        }
        let bytes = self.queue.keep(bytes);
        self.queue.push(None, What::Other(bytes, reason));
    }

    fn read_datagram(&mut self, datagram: &Datagram<'_>) {
        let Datagram { src, dst, payload, missing } = *datagram;
        let Some((flow, from)) = self.flow(false, (src, dst), payload, missing) else { return };
        let opens = |connection: &mut Connection, decompressor: &mut Decompressor| {
            let before = connection.summary.traffic.packets;
            connection.opened.datagram((from, before), datagram, decompressor)
        };
        self.read(flow, opens, |connection, now, shared| {
            connection.datagram((from, now), datagram, shared);
        });
    }

    fn read_segment(&mut self, segment: &Segment<'_>) {
        let Segment { src, dst, payload, missing, .. } = *segment;
        let Some((flow, from)) = self.flow(true, (src, dst), payload, missing) else { return };
        let opens =
            |connection: &mut Connection, _: &mut _| connection.opened.segment(from, segment);
        self.read(flow, opens, |connection, now, shared| {
            connection.segment((from, now), segment, shared);
        });
    }

    /// The flow of a packet, if it was asked for.
    fn flow(
        &mut self,
        is_tcp: bool,
        (src, dst): (SocketAddr, SocketAddr),
        payload: &[u8],
        missing: usize,
    ) -> Option<(Flow, Side)> {
        if !self.options.admits(src, dst) {
            return None;
        }
        let (flow, from) = Flow::of(is_tcp, src, dst);
        if !self.options.excludes(&flow) {
            return Some((flow, from));
        }
        // An empty segment is not a message of anyone's.
        if !payload.is_empty() || missing > 0 || !is_tcp {
            let bytes = self.queue.keep(payload);
            let transport = if is_tcp { Transport::Tcp } else { Transport::Udp };
            let origin = Origin { connection: 0, flow, from, transport };
            self.queue.push(Some(origin), What::Other(bytes, Reason::NotAskedFor));
        }
        None
    }

    /// Reads a packet of a flow; `opens` tells whether it opens another connection.
    fn read(
        &mut self,
        flow: Flow,
        opens: impl FnOnce(&mut Connection, &mut Decompressor) -> bool,
        work: impl FnOnce(&mut Connection, Place, &mut Shared<'_, '_>),
    ) {
        let Follower { options, connections, common, scratch, queue, opened, names, .. } = self;
        let options = &*options;
        let decompressor = &mut self.decompressor;
        let (now, packets, lingering) = (self.now, self.packets, &mut self.lingering);
        let number = opened.saturating_add(1);
        let make = || Connection::new(number, flow, now, options);
        connections.update(flow, make, |connection| {
            let is_again = opens(connection, decompressor);
            let is_first = connection.summary.traffic.packets == 0;
            let mut shared = Shared { options, common, is_finishing: false, scratch, queue };
            let is_replaced = !is_first && is_again && connection.has_begun();
            if is_replaced {
                connection.close(now, Closed::Replaced, &mut shared);
                let mut next = Connection::new(number, flow, now, options);
                next.opened = connection.opened;
                let before = core::mem::replace(connection, next);
                names.push((before.summary.connection, before.names));
            }
            if is_first || is_replaced {
                *opened = number;
                let summary = Box::new(connection.summary.clone());
                shared.queue.push(None, What::Opened(summary));
            }
            work(connection, now, &mut shared);
            connection.over_since = connection.is_over().then_some(packets);
            if connection.over_since.is_some() {
                lingering.push_back((packets, flow));
            }
        });
    }

    /// Reads an entry of the queue; `packet` is what was pushed last.
    pub(crate) fn lend<'e>(&'e self, packet: &'e [u8], next: usize) -> Option<Event<'e>> {
        let &Entry { source: origin, place, ref what } = self.queue.entry(next)?;
        Some(match what {
            What::Opened(summary) => Event::Opened(summary),
            What::Recognized(summary) => Event::Recognized(summary),
            What::Closed(summary) => Event::Closed(summary),
            What::Message(found) => {
                let event = self.message(origin?, place, found, packet);
                if let Event::Message(Message { content: Content::Packet(packet), .. }) = &event
                    && packet.is_announcement()
                {
                    self.given.set(Some(next));
                }
                event
            }
            What::Lost(loss) => Event::Lost(Lost { place, origin, loss: *loss }),
            What::Other(bytes, reason) => {
                let bytes = self.queue.lend(packet, bytes);
                Event::Other(Other { place, origin, bytes, reason: *reason })
            }
            What::Damaged(error) => Event::Damaged(*error),
        })
    }

    fn message<'e>(
        &'e self,
        origin: Origin,
        place: Place,
        found: &Found,
        packet: &'e [u8],
    ) -> Event<'e> {
        let bytes = self.queue.lend(packet, &found.bytes);
        let Choice { layers, dialect, .. } = found.choice;
        let content = match read(found, bytes) {
            Ok(content) => content,
            Err(reason) => {
                return Event::Other(Other { place, origin: Some(origin), bytes, reason });
            }
        };
        let names = if layers.is_multiplayer { self.names_of(&origin) } else { None };
        Event::Message(Message {
            place,
            origin,
            offset: found.offset,
            channel: found.channel,
            mode: found.mode,
            peers: found.peers,
            dialect,
            bytes,
            content,
            names,
        })
    }

    fn names_of(&self, origin: &Origin) -> Option<&Names> {
        let open = self.connections.get(&origin.flow);
        if let Some(open) = open.filter(|it| it.summary.connection == origin.connection) {
            return Some(&open.names);
        }
        let mut closed = self.names.iter();
        closed.find(|(number, _)| *number == origin.connection).map(|(_, names)| names)
    }

    /// Keeps the names in what was given last; `packet` is what was pushed last.
    fn note_given(&mut self, packet: &[u8]) {
        let Some(given) = self.given.take() else { return };
        let Follower { queue, connections, names: closed, .. } = self;
        let Some(&Entry { source: Some(source), what: What::Message(ref found), .. }) =
            queue.entry(given)
        else {
            return;
        };
        let bytes = queue.lend(packet, &found.bytes);
        let Ok(Content::Packet(packet)) = read(found, bytes) else { return };
        let mut is_dropped = false;
        let mut note = |names: &mut Names| {
            let (sender, _) = names.ends(found.peers, source.from);
            let before = names.paths.dropped();
            match packet {
                multiplayer::Packet::Relay(relay) => {
                    let (sender, _) = relayed(found.peers, sender, relay.peer());
                    names.paths.note(sender, &relay.packet());
                }
                packet => names.paths.note(sender, &packet),
            }
            is_dropped = names.paths.dropped() > before;
        };
        if let Some((_, names)) = closed.iter_mut().find(|(number, _)| *number == source.connection)
        {
            note(names);
        } else {
            connections.amend(&source.flow, |connection| {
                if connection.summary.connection == source.connection {
                    note(&mut connection.names);
                }
            });
        }
        if is_dropped {
            queue.push(Some(source), What::Lost(Loss::Names));
        }
        self.keep_limits();
    }
}

/// Decodes the content of a message.
fn read<'m>(found: &Found, bytes: &'m [u8]) -> Result<Content<'m>, Reason> {
    let Choice { layers, dialect, is_certain, .. } = found.choice;
    if let Some(own) = found.own {
        return Ok(Content::Packet(own.packet()));
    }
    if layers.is_multiplayer {
        let packet = multiplayer::parse(Protocol::of(dialect), dialect, bytes);
        packet.map(Content::Packet).map_err(Reason::NoPacket)
    } else {
        match parse(dialect, bytes) {
            Ok(_) if !is_certain && is_unlikely(bytes) => Err(Reason::Unlikely),
            value => value.map(Content::Value).map_err(Reason::NoValue),
        }
    }
}

impl Drop for Events<'_, '_> {
    /// What was not asked for may have names in it.
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

impl fmt::Debug for Events<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl fmt::Debug for Follower<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower")
            .field("options", &self.options)
            .field("now", &self.now)
            .field("packets", &self.packets)
            .finish_non_exhaustive()
    }
}
