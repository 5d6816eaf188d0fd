//! Counts by connection.

use super::Amount;
use crate::capture::follow::{ConnectionNumbers, Direction, Message, Summary, Transport};
use crate::net::Side;
use crate::net::measure::{Series, Spread};
use crate::net::packet::Time;
use crate::value::Dialect;
use core::time::Duration;
use std::collections::BTreeMap;

/// A connection: its traffic, its messages and its measurements.
#[derive(Clone, Debug)]
pub struct Connection {
    summary: Summary,
    transport: Option<Transport>,
    dialect: Option<Dialect>,
    messages: [Amount; 2],
    measured: [Option<Measured>; 2],
    round_trips: [Option<Box<Series>>; 2],
}

/// The measurements of the packets that one end has sent. They are known once the connection is
/// closed, if the follower [measures](crate::follow::Options::with_measures).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// How many commands of ENet or segments of TCP had to be acknowledged, each counted once.
    pub reliable: u64,
    /// How many of them were sent again.
    pub resent: u64,
    /// How many messages or segments arrived after later ones.
    pub out_of_order: u64,
    /// ENet: how many acknowledgements it sent. TCP: how many segments had nothing but an
    /// acknowledgement.
    pub acknowledgements: u64,
    /// The sizes of its messages, in bytes; none if it sent no messages.
    pub sizes: Option<Spread>,
    /// The times of round trips from the capture point, in microseconds; none if none was measured.
    pub round_trips: Option<Spread>,
}

impl Measured {
    pub(crate) fn of(direction: &Direction) -> Option<Measured> {
        let measures = direction.measures()?;
        Some(Measured {
            reliable: measures.reliable,
            resent: measures.resent.saturating_add(measures.resent_unseen),
            out_of_order: measures.out_of_order,
            acknowledgements: measures.acknowledgements,
            sizes: measures.sizes.spread(),
            round_trips: measures.round_trips.times.spread(),
        })
    }
}

/// The connections beyond a limit, which are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Further {
    /// How many connections.
    pub connections: u64,
    /// How many packets they have.
    pub packets: u64,
    /// How many bytes these carry after their UDP or TCP headers.
    pub bytes: u64,
}

/// The connections, by the number of their capture and by their number in that capture.
#[derive(Clone, Default, Debug)]
pub struct CountedConnections {
    by_number: BTreeMap<(u64, u64), Connection>,
    pub further: Further,
    capture: u64,
    /// When the first and the last packet of the further connections were captured, in nanoseconds.
    times: Option<(i64, i64)>,
}

impl Connection {
    /// A connection without messages. `has_series` says whether round trips over time are kept, which
    /// take up to 20 KiB.
    pub(crate) fn new(summary: &Summary, has_series: bool) -> Connection {
        let directions = [Side::First, Side::Second].map(|side| summary.direction(side));
        Connection {
            summary: summary.brief(),
            transport: summary.transport(),
            dialect: summary.dialect(),
            messages: [Amount::default(); 2],
            measured: directions.map(Measured::of),
            round_trips: directions.map(|direction| {
                let measures = direction.measures().filter(|_| has_series)?;
                Some(Box::new(measures.round_trips.over_time.clone()))
            }),
        }
    }

    /// The newest summary of the connection from the follower.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The transport of the messages; `None` if no known message was found.
    #[must_use]
    pub const fn transport(&self) -> Option<Transport> {
        self.transport
    }

    /// The dialect of the values; none if no message can be read.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// The messages of one end that [`Stats`](super::Stats) counted.
    /// [`Flow::ends`](crate::follow::Flow::ends) gives the addresses of the ends.
    #[must_use]
    pub const fn messages(&self, from: Side) -> Amount {
        let [first, second] = &self.messages;
        *from.of(first, second)
    }

    /// The measurements of the packets that one end has sent.
    #[must_use]
    pub const fn measured(&self, from: Side) -> Option<Measured> {
        let [first, second] = &self.measured;
        *from.of(first, second)
    }

    /// The times of the round trips from the capture point for what one end has sent, in
    /// microseconds, over time. Only a [`Diagnosis`](crate::diagnose::Diagnosis) keeps them, for the
    /// first 1,024 connections.
    #[must_use]
    pub fn round_trips_over_time(&self, from: Side) -> Option<&Series> {
        let [first, second] = &self.round_trips;
        from.of(first, second).as_deref()
    }

    /// The share of headers (link, IP, and UDP or TCP) in the bytes on the wire that one end sent,
    /// from 0 to 1. None if the packets were pushed without their frames.
    #[must_use]
    pub fn header_share(&self, from: Side) -> Option<f64> {
        let direction = self.summary.direction(from);
        let wire = direction.wire.filter(|wire| wire.bytes > 0)?;
        let headers = wire.bytes.saturating_sub(direction.payload_bytes);
        Some(headers as f64 / wire.bytes as f64)
    }
}

impl CountedConnections {
    pub fn update(&mut self, summary: &Summary, limit: usize) {
        let number = (self.capture, summary.connection());
        let is_full = self.by_number.len() >= limit;
        if let Some(connection) = self.by_number.get_mut(&number) {
            *connection = Connection {
                transport: summary.transport().or(connection.transport),
                dialect: summary.dialect().or(connection.dialect),
                messages: connection.messages,
                ..Connection::new(summary, false)
            };
        } else if !is_full {
            self.by_number.insert(number, Connection::new(summary, false));
        } else if summary.closed().is_some() {
            let traffic = summary.traffic();
            let Further { connections, packets, bytes } = &mut self.further;
            *connections += 1;
            *packets = packets.saturating_add(traffic.packets);
            *bytes = bytes.saturating_add(traffic.bytes);
            self.times = union(self.times, traffic.first.zip(traffic.last));
        }
    }

    pub fn message(&mut self, message: &Message<'_>) {
        let number = (self.capture, message.origin.connection);
        let Some(connection) = self.by_number.get_mut(&number) else { return };
        let [first, second] = &mut connection.messages;
        let messages = if message.origin.from == Side::First { first } else { second };
        messages.add(message.bytes.len());
        // A connection may have been recognized after its last summary.
        connection.transport.get_or_insert(message.origin.transport);
        connection.dialect.get_or_insert(message.dialect);
    }

    /// Adds the connections of a part of the present capture, or their messages if they are known.
    pub fn merge(&mut self, part: &CountedConnections, numbers: &ConnectionNumbers, limit: usize) {
        let Further { connections, packets, bytes } = part.further;
        self.further.connections = self.further.connections.saturating_add(connections);
        self.further.packets = self.further.packets.saturating_add(packets);
        self.further.bytes = self.further.bytes.saturating_add(bytes);
        if let Some((first, last)) = part.times {
            let (from, to) = self.times.unwrap_or((first, last));
            self.times = Some((from.min(first), to.max(last)));
        }
        for ((_, number), more) in &part.by_number {
            let number = numbers.of(*number);
            let at = (self.capture, number);
            if !self.by_number.contains_key(&at) {
                self.update(&more.summary.brief().with_number(number), limit);
            }
            let Some(known) = self.by_number.get_mut(&at) else { continue };
            known.transport = known.transport.or(more.transport);
            known.dialect = known.dialect.or(more.dialect);
            for (known, more) in known.messages.iter_mut().zip(more.messages) {
                known.merge(more);
            }
            for (known, more) in known.measured.iter_mut().zip(more.measured) {
                *known = known.or(more);
            }
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Connection> {
        self.by_number.values()
    }

    pub const fn next_capture(&mut self) {
        self.capture += 1;
    }

    /// The time between the first packet and the last.
    pub fn duration(&self) -> Option<Duration> {
        let times = self.iter().map(|connection| connection.summary.traffic());
        let times = times.map(|traffic| traffic.first.zip(traffic.last));
        let (first, last) = times.fold(self.times, union)?;
        let nanoseconds = u64::try_from(last.saturating_sub(first)).ok()?;
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }
}

/// The shortest span of time that contains both.
fn union(span: Option<(i64, i64)>, other: Option<(Time, Time)>) -> Option<(i64, i64)> {
    let Some((first, last)) = other else { return span };
    let (first, last) = (first.as_nanos(), last.as_nanos());
    Some(span.map_or((first, last), |(from, to)| (from.min(first), to.max(last))))
}
