//! The state of one connection. It reads the connection's packets and fills the queue of events.

use super::carried::Carried;
use super::finding::Finding;
use super::flow::Flow;
use super::names::Names;
use super::opened::Opened;
use super::output::{Client, Output};
use super::place::{Origin, Place};
use super::queue::{Queue, What};
use super::race::{DEFAULT, Race, Winner, unknown};
use super::readers::{Enet, Spanned, Streams, refused};
use super::summary::{Choice, Closed, Summary};
use super::table::Held;
use super::{Options, Transport};
use crate::detect::Detector;
use crate::dialect::Dialect;
use crate::net::{Side, enet, tcp, websocket};
use crate::packet::{Datagram, Segment};
use crate::parse::parse;

/// State that all connections share.
pub(super) struct Shared<'s, 'o> {
    pub(super) options: &'s Options<'o>,
    /// What the messages of the connections are that are recognized.
    pub(super) common: &'s mut Detector,
    /// Whether `common` has been told of all connections.
    pub(super) is_finishing: bool,
    /// The sessions of ENet share this, as only one is at work.
    pub(super) scratch: &'s mut enet::Scratch,
    pub(super) queue: &'s mut Queue,
}

/// The state of a connection.
pub(super) struct Connection {
    pub(super) summary: Summary,
    pub(super) opened: Opened,
    /// With which packet of the follower it was last seen after its ends had closed it.
    pub(super) over_since: Option<u64>,
    state: State,
    client: Option<Client>,
    pub(super) names: Names,
}

enum State {
    /// It is not known yet what the connection carries.
    Race(Race),
    /// Every datagram is a message.
    Udp,
    Enet {
        reader: Box<Enet>,
        is_disconnected: bool,
    },
    Tcp(Box<Streams<Spanned<tcp::Frames>>>),
    WebSocket(Box<Streams<Spanned<websocket::Stream>>>),
    /// A stream in which nothing is known; which ends have sent a FIN, or whether one sent a RST.
    Unknown(Ends),
}

#[derive(Clone, Copy, Default)]
struct Ends {
    first: bool,
    second: bool,
}

impl Connection {
    pub(super) fn new(number: u64, flow: Flow, now: Place, options: &Options<'_>) -> Connection {
        Connection {
            summary: Summary::new(number, flow, now, options.dialect.is_some()),
            opened: Opened::default(),
            over_since: None,
            state: State::Race(Race::new(flow.is_tcp(), options)),
            client: None,
            names: Names::new(&options.limits),
        }
    }

    /// Reads a datagram.
    pub(super) fn datagram(
        &mut self,
        (from, now): (Side, Place),
        datagram: &Datagram<'_>,
        shared: &mut Shared<'_, '_>,
    ) {
        let Datagram { payload, missing, .. } = *datagram;
        self.summary.add(now, payload.len().saturating_add(missing));
        if let State::Race(race) = &mut self.state {
            let with = (&mut *shared.scratch, shared.options);
            if race.datagram((from, now), datagram, with) {
                self.decide(now, shared);
            }
            return;
        }
        let Some(choice) = self.summary.choice else { return };
        let Connection { summary, client, state, .. } = self;
        let mut output = Output { summary, choice, client, queue: shared.queue };
        let State::Enet { reader, is_disconnected } = state else {
            let message = super::carried::Whole::new(payload, 0);
            let carried = match missing {
                0 => Carried::Message(message),
                _ => Carried::Cut { bytes: payload, missing },
            };
            return output.take(from, now, carried);
        };
        let scratch = &mut *shared.scratch;
        let result = reader.datagram(from, now, datagram, scratch, &mut |from, place, carried| {
            *is_disconnected |= matches!(carried, Carried::Disconnected);
            output.take(from, place, carried);
        });
        if let Err(error) = result {
            output.take(from, now, refused(payload, error));
        }
    }

    /// Reads a segment.
    pub(super) fn segment(
        &mut self,
        (from, now): (Side, Place),
        segment: &Segment<'_>,
        shared: &mut Shared<'_, '_>,
    ) {
        let Segment { payload, missing, .. } = *segment;
        self.summary.add(now, payload.len().saturating_add(missing));
        if let State::Race(race) = &mut self.state {
            if race.segment((from, now), segment, shared.options) {
                self.decide(now, shared);
            }
            return;
        }
        if let State::Unknown(ends) = &mut self.state {
            ends.note(from, segment);
            // An empty segment is not a message of anyone's.
            if !payload.is_empty() || missing > 0 {
                self.give_unknown(from, now, unknown(payload, missing), shared.queue);
            }
            return;
        }
        let Some(choice) = self.summary.choice else { return };
        let Connection { summary, client, state, .. } = self;
        let mut output = Output { summary, choice, client, queue: shared.queue };
        let sink = &mut |_, from, place, carried: Carried<'_>| output.take(from, place, carried);
        let is_message = &|bytes: &[u8]| parse(choice.dialect, bytes).is_ok();
        match state {
            State::Tcp(streams) => streams.segment(from, now, segment, is_message, sink),
            State::WebSocket(streams) => streams.segment(from, now, segment, is_message, sink),
            _ => {}
        }
    }

    /// Whether it is not known yet what the connection carries.
    pub(super) const fn is_racing(&self) -> bool {
        matches!(self.state, State::Race(_))
    }

    /// Whether another connection may begin: of nothing, nothing is lost if it is taken for the
    /// same.
    pub(super) fn has_begun(&self) -> bool {
        match &self.state {
            State::Race(race) if !self.summary.flow.is_tcp() => race.has_messages(),
            _ => !self.summary.flow.is_tcp() || self.summary.traffic.bytes > 0,
        }
    }

    /// Whether its ends have closed it.
    pub(super) fn is_over(&self) -> bool {
        match &self.state {
            State::Race(race) => race.is_over(),
            State::Udp => false,
            State::Enet { is_disconnected, .. } => *is_disconnected,
            State::Tcp(streams) => streams.is_over(),
            State::WebSocket(streams) => streams.is_over(),
            State::Unknown(ends) => ends.first && ends.second,
        }
    }

    /// Decides what the connection carries by what was seen of it so far, and gives what was kept.
    pub(super) fn decide(&mut self, now: Place, shared: &mut Shared<'_, '_>) {
        let State::Race(race) = &mut self.state else { return };
        let finding = race.foresee(now, shared.options);
        self.end_race(finding, shared);
    }

    fn end_race(&mut self, finding: Finding, shared: &mut Shared<'_, '_>) {
        let after = State::Unknown(Ends::default());
        let State::Race(race) = core::mem::replace(&mut self.state, after) else { return };
        if !shared.is_finishing {
            shared.common.merge(finding.detection.detector());
        }
        let options = shared.options;
        let choice = choose(&finding, common_dialect(shared.common, options), options);
        let is_over = race.is_over();
        let (prize, winner) = race.end(finding.transport);
        let is_disconnected = is_over;
        self.state = match winner {
            Winner::Udp => State::Udp,
            Winner::Enet(reader) => State::Enet { reader, is_disconnected },
            Winner::NewEnet => {
                let reader = Box::new(Enet::new(&options.limits));
                State::Enet { reader, is_disconnected }
            }
            Winner::Tcp(streams) => State::Tcp(streams),
            Winner::WebSocket(streams) => State::WebSocket(streams),
            Winner::Unknown => State::Unknown(Ends { first: is_over, second: is_over }),
        };
        self.summary.choice = choice;
        let (count, bytes) = prize.size();
        shared.queue.make_room(count.saturating_add(1), bytes);
        if self.summary.known().is_some() {
            let finding = Some(Box::new(finding));
            let summary = Box::new(Summary { finding, ..self.summary.clone() });
            shared.queue.push(None, What::Recognized(summary));
        }
        let Some(choice) = choice else {
            prize.give(&mut |from, place, carried| {
                self.give_unknown(from, place, carried, shared.queue);
            });
            return;
        };
        let Connection { summary, client, .. } = self;
        let mut output = Output { summary, choice, client, queue: shared.queue };
        prize.give(&mut |from, place, carried| output.take(from, place, carried));
    }

    fn give_unknown(&self, from: Side, place: Place, carried: Carried<'_>, queue: &mut Queue) {
        let Carried::Other(bytes, reason) = carried else { return };
        let Summary { connection, flow, .. } = self.summary;
        let transport = if flow.is_tcp() { Transport::Tcp } else { Transport::Udp };
        let bytes = queue.keep(bytes);
        let origin = Origin { connection, flow, from, transport };
        queue.push_of(place, Some(origin), What::Other(bytes, reason));
    }

    /// What the connection carries, as far as can be seen; none if that is known.
    pub(super) fn foresee(&self, now: Place, options: &Options<'_>) -> Option<Finding> {
        let State::Race(race) = &self.state else { return None };
        Some(race.foresee(now, options))
    }

    /// Ends the input: gives what was held back, and reports that the connection is closed.
    pub(super) fn close(&mut self, now: Place, closed: Closed, shared: &mut Shared<'_, '_>) {
        if let State::Race(race) = &mut self.state {
            race.finish(now);
            let finding = race.finding(shared.options);
            self.end_race(finding, shared);
        }
        if let Some(choice) = self.summary.choice {
            let Connection { summary, client, state, .. } = self;
            let mut output = Output { summary, choice, client, queue: shared.queue };
            let is_message = &|bytes: &[u8]| parse(choice.dialect, bytes).is_ok();
            let sink =
                &mut |_, from, place, carried: Carried<'_>| output.take(from, place, carried);
            match state {
                State::Enet { reader, .. } => {
                    reader.finish(now, &mut |from, place, carried| {
                        sink(Transport::Enet, from, place, carried);
                    });
                }
                State::Tcp(streams) => streams.finish(now, is_message, sink),
                State::WebSocket(streams) => streams.finish(now, is_message, sink),
                State::Race(_) | State::Udp | State::Unknown(_) => {}
            }
        }
        self.summary.closed = Some(closed);
        let summary = Box::new(self.summary.clone());
        shared.queue.make_room(1, 0);
        shared.queue.push_of(self.summary.last(), None, What::Closed(summary));
    }
}

impl Ends {
    fn note(&mut self, from: Side, segment: &Segment<'_>) {
        self.first |= segment.is_reset || segment.is_fin && from == Side::First;
        self.second |= segment.is_reset || segment.is_fin && from == Side::Second;
    }
}

/// The dialect that fits all connections best.
fn common_dialect(common: &Detector, options: &Options<'_>) -> Option<Dialect> {
    common.detection_among(|dialect| options.admits_dialect(dialect)).best().next()
}

/// Chooses the dialect of a connection. Where the connection fits several, the others decide.
fn choose(finding: &Finding, common: Option<Dialect>, options: &Options<'_>) -> Option<Choice> {
    let Finding { transport, layers, ref detection, fitting, is_certain, .. } = *finding;
    let mut dialect = detection.best().next().unwrap_or(DEFAULT);
    if let Some(common) = common {
        let is_possible = if layers.has_peers {
            common.engine().has_peer_headers()
        } else {
            !layers.is_multiplayer || common.engine() == dialect.engine()
        };
        if is_possible && !common.differs_only_in_width(dialect) && detection.is_best(common) {
            dialect = common;
        }
    }
    if options.is_double {
        dialect = dialect.with_double_reals();
    }
    let dialect = options.dialect.unwrap_or(dialect);
    let (is_sure, is_read) = (fitting > 0, finding.read > 0);
    Some(Choice { transport: transport?, layers, dialect, is_sure, is_read, is_certain })
}

impl Held for Connection {
    fn held(&self) -> usize {
        let state = match &self.state {
            State::Race(race) => race.heap_bytes(),
            State::Enet { reader, .. } => size_of::<Enet>().saturating_add(reader.heap_bytes()),
            State::Tcp(streams) => size_of_val(&**streams).saturating_add(streams.heap_bytes()),
            State::WebSocket(streams) => {
                size_of_val(&**streams).saturating_add(streams.heap_bytes())
            }
            State::Udp | State::Unknown(_) => 0,
        };
        state.saturating_add(self.names.paths.held_bytes())
    }

    fn is_of_use(&self) -> bool {
        self.summary.known().is_some()
    }

    fn is_settled(&self) -> bool {
        !self.is_racing()
    }
}
