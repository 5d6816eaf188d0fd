//! The messages of one recording, each as a few numbers, by connection and sender.

use crate::capture::follow::{Message, Summary, Transport};
use crate::net::Side;
use crate::net::enet::Mode;
use crate::net::measure::Series;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// The messages and connections of a recording.
#[derive(Clone, Debug)]
pub struct MessageLog {
    pub connections: Vec<LoggedConnection>,
    places: HashMap<u64, usize, RandomState>,
    limits: LogLimits,
    logged: usize,
    /// How many more messages there are, and how many connections.
    pub further_messages: u64,
    pub further_connections: u64,
    /// The times of the first packet and of the last, in nanoseconds. If messages were left out, the
    /// log ends with the last one in it.
    span: Option<(i64, i64)>,
    /// The packets of games and their bytes on the wire over time, by transport.
    pub wire: BTreeMap<Transport, Series>,
}

/// How many messages and connections a log has at most.
#[derive(Clone, Copy, Debug)]
pub struct LogLimits {
    pub messages: usize,
    pub connections: usize,
}

/// A connection, and the messages of its two ends.
#[derive(Clone, Debug)]
pub struct LoggedConnection {
    pub summary: Summary,
    pub transport: Option<Transport>,
    pub messages: [Vec<LoggedMessage>; 2],
    /// The measures of the two ends, once the connection is closed.
    pub network: [NetworkCounts; 2],
}

/// The delays, losses and duplicates of the packets of one end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NetworkCounts {
    /// The commands or segments that were sent again.
    pub resent: u64,
    /// Those that are in the recording twice, although they were sent once.
    pub doubled: u64,
}

/// The channel and the mode of a message over ENet, which orders messages among those with the same.
/// Other transports have one lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Lane {
    /// None for unsequenced messages: all channels share their order.
    channel: Option<u8>,
    mode: Option<Mode>,
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct LoggedMessage {
    /// A hash of its bytes, and of how they were sent.
    pub content: u64,
    /// When it was captured, in nanoseconds; [`i64::MIN`] if that is not known.
    time: i64,
    /// Its number in its channel or stream, if it has one.
    pub number: Option<u32>,
    /// Its order is kept among the messages of this lane only.
    pub lane: Lane,
    /// The lower bits of its frame number.
    frame: u32,
}

impl Lane {
    fn of(message: &Message<'_>) -> Lane {
        let mode = message.delivery.mode;
        let channel = message.delivery.channel.filter(|_| mode != Some(Mode::Unsequenced));
        Lane { channel, mode }
    }

    pub fn is_reliable(self) -> bool {
        self.mode == Some(Mode::Reliable)
    }
}

impl LoggedMessage {
    #[cfg(test)]
    pub const fn new(content: u64, time: i64, number: Option<u32>) -> LoggedMessage {
        LoggedMessage { content, time, number, lane: Lane { channel: None, mode: None }, frame: 0 }
    }

    pub fn time(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// Orders the messages of a recording as they were captured.
    pub const fn frame(&self) -> u32 {
        self.frame
    }

    /// Whether it was captured before another of the same recording.
    pub const fn is_before(&self, other: LoggedMessage) -> bool {
        other.frame.wrapping_sub(self.frame).cast_signed() > 0
    }
}

impl LoggedConnection {
    pub const fn messages(&self, from: Side) -> &Vec<LoggedMessage> {
        let [first, second] = &self.messages;
        from.of(first, second)
    }

    pub const fn network(&self, from: Side) -> NetworkCounts {
        let [first, second] = &self.network;
        *from.of(first, second)
    }

    /// Whether messages have the numbers that their sender gave them. Those of a TCP stream differ on
    /// the two sides of a proxy.
    pub fn is_numbered(&self) -> bool {
        self.transport.is_some_and(|transport| !transport.is_over_tcp())
    }
}

impl MessageLog {
    pub fn new(limits: LogLimits) -> MessageLog {
        MessageLog {
            connections: Vec::new(),
            places: HashMap::default(),
            limits,
            logged: 0,
            further_messages: 0,
            further_connections: 0,
            span: None,
            wire: BTreeMap::new(),
        }
    }

    /// Takes a connection, or updates it.
    pub fn connection(&mut self, summary: &Summary) {
        let traffic = summary.traffic();
        if self.further_messages == 0
            && let Some((first, last)) = traffic.first.zip(traffic.last)
        {
            self.cover(first.as_nanos());
            self.cover(last.as_nanos());
        }
        let network = [Side::First, Side::Second].map(|side| {
            let measures = summary.direction(side).measures();
            measures.map_or_else(NetworkCounts::default, |it| NetworkCounts {
                resent: it.resent.saturating_add(it.resent_unseen),
                doubled: it.doubled,
            })
        });
        if let Some(transport) = summary.transport().filter(|_| summary.closed().is_some()) {
            for (side, ..) in summary.flow().directions() {
                let Some(measures) = summary.direction(side).measures() else { continue };
                match self.wire.get_mut(&transport) {
                    Some(known) => known.merge(&measures.packets_over_time),
                    None => drop(self.wire.insert(transport, measures.packets_over_time.clone())),
                }
            }
        }
        let at = self.places.get(&summary.connection()).copied();
        if let Some(known) = at.and_then(|at| self.connections.get_mut(at)) {
            known.transport = summary.transport().or(known.transport);
            (known.summary, known.network) = (summary.brief(), network);
        } else if self.connections.len() < self.limits.connections {
            self.places.insert(summary.connection(), self.connections.len());
            self.connections.push(LoggedConnection {
                summary: summary.brief(),
                transport: summary.transport(),
                messages: [Vec::new(), Vec::new()],
                network,
            });
        } else if summary.closed().is_some() {
            self.further_connections += 1;
        }
    }

    /// Takes a message.
    pub fn message(&mut self, message: &Message<'_>, hasher: &RandomState) {
        let at = self.places.get(&message.origin.connection).copied();
        let Some(connection) = at.and_then(|at| self.connections.get_mut(at)) else { return };
        if self.logged >= self.limits.messages {
            self.further_messages += 1;
            return;
        }
        self.logged += 1;
        let time = message.place.time.map(|time| time.as_nanos());
        connection.transport.get_or_insert(message.origin.transport);
        let [first, second] = &mut connection.messages;
        message.origin.from.of_mut(first, second).push(LoggedMessage {
            content: content(message, hasher),
            time: time.unwrap_or(i64::MIN),
            number: message.delivery.sequence,
            lane: Lane::of(message),
            // The order of frames is known from the lower bits, too.
            frame: message.place.frame as u32,
        });
        if let Some(time) = time {
            self.cover(time);
        }
    }

    fn cover(&mut self, time: i64) {
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
    }

    /// The times of the first packet and of the last, in nanoseconds.
    pub const fn span(&self) -> Option<(i64, i64)> {
        self.span
    }

    /// The times of the first packet and of the last of games, in nanoseconds.
    pub fn game_span(&self) -> Option<(i64, i64)> {
        let games = self.connections.iter().filter(|it| it.transport.is_some());
        let spans = games.filter_map(|it| {
            let traffic = it.summary.traffic();
            Some((traffic.first?.as_nanos(), traffic.last?.as_nanos()))
        });
        spans.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
    }

    /// The place of a connection among the connections.
    pub fn place(&self, connection: u64) -> Option<usize> {
        self.places.get(&connection).copied()
    }
}

/// A hash of the bytes of a message, and of how they were sent: the same wherever it is captured.
pub fn content(message: &Message<'_>, hasher: &RandomState) -> u64 {
    let mut state = hasher.build_hasher();
    message.delivery.channel.hash(&mut state);
    message.delivery.mode.hash(&mut state);
    message.delivery.is_text.hash(&mut state);
    message.bytes.hash(&mut state);
    state.finish()
}
