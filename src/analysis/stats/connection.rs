//! Counts by connection.

use super::amount::Amount;
use crate::capture::follow::{Message, Summary, Transport};
use crate::net::Side;
use crate::net::measure::Spread;
use crate::net::packet::Time;
use crate::value::Dialect;
use core::time::Duration;
use std::collections::BTreeMap;

/// A connection and its messages.
#[derive(Clone, Debug)]
pub struct Connection {
    summary: Summary,
    transport: Option<Transport>,
    dialect: Option<Dialect>,
    messages: [Amount; 2],
    measured: [Option<Measured>; 2],
}

/// The measurements of what one end has sent. They are known once the connection is closed, if the
/// follower [measures](crate::follow::Options::with_measures).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// How many commands of ENet or segments of TCP were sent again.
    pub resent: u64,
    /// ENet: how many acknowledgements it sent. TCP: how many segments had nothing but an
    /// acknowledgement.
    pub acknowledgements: u64,
    /// The sizes of its messages, in bytes; none if it sent no messages.
    pub sizes: Option<Spread>,
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
pub(super) struct Connections {
    by_number: BTreeMap<(u64, u64), Connection>,
    pub(super) further: Further,
    capture: u64,
    /// When the first and the last packet of the further connections were captured, in nanoseconds.
    times: Option<(i64, i64)>,
}

impl Connection {
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

    /// The messages of one end that were counted. [`Flow::ends`](crate::follow::Flow::ends) gives the
    /// addresses of the ends.
    #[must_use]
    pub const fn messages(&self, from: Side) -> Amount {
        let [first, second] = &self.messages;
        *from.of(first, second)
    }
}

impl Connection {
    /// The measurements of what one end has sent.
    #[must_use]
    pub const fn measured(&self, from: Side) -> Option<Measured> {
        let [first, second] = &self.measured;
        *from.of(first, second)
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

impl Connections {
    pub(super) fn update(&mut self, summary: &Summary, limit: usize) {
        let number = (self.capture, summary.connection());
        let is_full = self.by_number.len() >= limit;
        if let Some(connection) = self.by_number.get_mut(&number) {
            connection.summary = summary.brief();
            connection.measured = measured(summary);
            connection.transport = summary.transport().or(connection.transport);
            connection.dialect = summary.dialect().or(connection.dialect);
        } else if !is_full {
            let (transport, dialect) = (summary.transport(), summary.dialect());
            let measured = measured(summary);
            let (summary, messages) = (summary.brief(), [Amount::default(); 2]);
            let connection = Connection { summary, transport, dialect, messages, measured };
            self.by_number.insert(number, connection);
        } else if summary.closed().is_some() {
            let traffic = summary.traffic();
            let Further { connections, packets, bytes } = &mut self.further;
            *connections = connections.saturating_add(1);
            *packets = packets.saturating_add(traffic.packets);
            *bytes = bytes.saturating_add(traffic.bytes);
            self.times = union(self.times, traffic.first.zip(traffic.last));
        }
    }

    pub(super) fn message(&mut self, message: &Message<'_>) {
        let number = (self.capture, message.origin.connection);
        let Some(connection) = self.by_number.get_mut(&number) else { return };
        let [first, second] = &mut connection.messages;
        let messages = if message.origin.from == Side::First { first } else { second };
        messages.add(message.bytes.len());
        // A connection may have been recognized after its last summary.
        connection.transport.get_or_insert(message.origin.transport);
        connection.dialect.get_or_insert(message.dialect);
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Connection> {
        self.by_number.values()
    }

    pub(super) const fn next_capture(&mut self) {
        self.capture = self.capture.saturating_add(1);
    }

    /// The time between the first packet and the last.
    pub(super) fn duration(&self) -> Option<Duration> {
        let times = self.iter().map(|connection| connection.summary.traffic());
        let times = times.map(|traffic| traffic.first.zip(traffic.last));
        let (first, last) = times.fold(self.times, union)?;
        let nanoseconds = u64::try_from(last.saturating_sub(first)).ok()?;
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }
}

fn measured(summary: &Summary) -> [Option<Measured>; 2] {
    [Side::First, Side::Second].map(|side| {
        let measures = summary.direction(side).measures()?;
        let resent = measures.resent.saturating_add(measures.resent_unseen);
        let (acknowledgements, sizes) = (measures.acknowledgements, measures.sizes.spread());
        Some(Measured { resent, acknowledgements, sizes })
    })
}

/// The shortest span of time that contains both.
fn union(span: Option<(i64, i64)>, other: Option<(Time, Time)>) -> Option<(i64, i64)> {
    let Some((first, last)) = other else { return span };
    let (first, last) = (first.as_nanos(), last.as_nanos());
    Some(span.map_or((first, last), |(from, to)| (from.min(first), to.max(last))))
}
