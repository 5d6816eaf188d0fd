//! Counts by connection.

use crate::dialect::Dialect;
use crate::follow::{Message, Summary, Transport};
use std::collections::BTreeMap;

/// A connection and its messages.
#[derive(Clone, Debug)]
pub struct Connection {
    summary: Summary,
    transport: Option<Transport>,
    dialect: Option<Dialect>,
    messages: u64,
}

/// Connections that are counted together.
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

/// The connections by their numbers.
#[derive(Clone, Default, Debug)]
pub(super) struct Connections {
    by_number: BTreeMap<u64, Connection>,
    pub(super) further: Further,
}

impl Connection {
    /// What the follower has reported of the connection last.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What carries the messages; none if no known message was found.
    #[must_use]
    pub const fn transport(&self) -> Option<Transport> {
        self.transport
    }

    /// The dialect of the values; none if no message can be read.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// How many messages were counted.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }
}

impl Connections {
    pub(super) fn update(&mut self, summary: &Summary, limit: usize) {
        let number = summary.connection();
        let is_full = self.by_number.len() >= limit;
        if let Some(connection) = self.by_number.get_mut(&number) {
            connection.summary = summary.clone();
            connection.transport = summary.transport().or(connection.transport);
            connection.dialect = summary.dialect().or(connection.dialect);
        } else if !is_full {
            let (transport, dialect) = (summary.transport(), summary.dialect());
            let summary = summary.clone();
            self.by_number.insert(number, Connection { summary, transport, dialect, messages: 0 });
        } else if summary.closed().is_some() {
            let traffic = summary.traffic();
            let Further { connections, packets, bytes } = &mut self.further;
            *connections = connections.saturating_add(1);
            *packets = packets.saturating_add(traffic.packets);
            *bytes = bytes.saturating_add(traffic.bytes);
        }
    }

    pub(super) fn message(&mut self, message: &Message<'_>) {
        let Some(connection) = self.by_number.get_mut(&message.origin.connection) else { return };
        connection.messages = connection.messages.saturating_add(1);
        // A connection may be recognized only by a late message.
        connection.transport.get_or_insert(message.origin.transport);
        connection.dialect.get_or_insert(message.dialect);
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Connection> {
        self.by_number.values()
    }
}
