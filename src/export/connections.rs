//! The table of connections. Each connection has two rows, one for what each end has sent.

use super::builder::{Rows, rows};
use super::cell::Cell;
use super::cell::ColumnType::{self, Flag, Integer, SmallInteger, Text, Time};
use super::column::Column;
use super::ends;
use crate::follow::{Closed, Direction, Summary};
use crate::net::Side;
use std::net::SocketAddr;

/// What one end of a connection has sent.
pub(super) struct Row<'r> {
    pub(super) file: &'r str,
    pub(super) summary: &'r Summary,
    pub(super) from: Side,
}

/// The rows of the table of connections.
#[derive(Debug)]
pub(super) struct Connections;

impl<'r> Row<'r> {
    const fn direction(&self) -> &'r Direction {
        self.summary.direction(self.from)
    }

    const fn ends(&self) -> (SocketAddr, SocketAddr) {
        let (first, second) = self.summary.flow().ends();
        match self.from {
            Side::First => (first, second),
            Side::Second => (second, first),
        }
    }

    fn src(&self) -> Option<SocketAddr> {
        Some(self.ends().0)
    }

    fn dst(&self) -> Option<SocketAddr> {
        Some(self.ends().1)
    }
}

rows!(Connections, Row);

const COLUMNS: &[Filled] = &[
    column("file", Text, "the name of the input", |row, cell| cell.text(row.file)),
    column(
        "connection",
        Integer,
        "the number of the connection in its file, from 1",
        |row, cell| {
            cell.integer(row.summary.connection());
        },
    ),
    column(
        "direction",
        Text,
        "`to_server` or `to_client`; null if it is not known which end opened the connection",
        |row, cell| {
            ends::direction(Some(row.from), row.summary.client(), cell);
        },
    ),
    column(
        "transport",
        Text,
        "`udp`, `tcp`, `enet` or `websocket`; null if no known message was found",
        |row, cell| {
            if let Some(transport) = row.summary.transport() {
                cell.text(transport.name());
            }
        },
    ),
    column("src_address", Text, "the IP address of this end", |row, cell| {
        ends::address(row.src(), cell)
    }),
    column("src_port", SmallInteger, "the UDP or TCP port of this end", |row, cell| {
        ends::port(row.src(), cell)
    }),
    column("dst_address", Text, "the IP address of the other end", |row, cell| {
        ends::address(row.dst(), cell)
    }),
    column("dst_port", SmallInteger, "the UDP or TCP port of the other end", |row, cell| {
        ends::port(row.dst(), cell)
    }),
    column("dialect", Text, "how the values are encoded", |row, cell| {
        if let Some(dialect) = row.summary.dialect() {
            cell.text(dialect.name());
        }
    }),
    column(
        "multiplayer",
        Flag,
        "whether the messages are packets of the high-level multiplayer API",
        |row, cell| {
            cell.flag(row.summary.is_multiplayer());
        },
    ),
    column("first_frame", Integer, "the number of the connection's first packet", |row, cell| {
        cell.integer(row.summary.first().frame);
    }),
    column("last_frame", Integer, "the number of its last packet", |row, cell| {
        cell.integer(row.summary.last().frame);
    }),
    column(
        "time",
        Time,
        "when its first packet was captured, rounded down to microseconds",
        |row, cell| {
            ends::time(row.summary.traffic().first, cell);
        },
    ),
    column(
        "time_ns",
        Integer,
        "the same time in nanoseconds since the start of 1970, UTC, without rounding",
        |row, cell| {
            ends::nanoseconds(row.summary.traffic().first, cell);
        },
    ),
    column(
        "end_time",
        Time,
        "when its last packet was captured, rounded down to microseconds",
        |row, cell| {
            ends::time(row.summary.traffic().last, cell);
        },
    ),
    column(
        "end_time_ns",
        Integer,
        "the same time in nanoseconds since the start of 1970, UTC, without rounding",
        |row, cell| {
            ends::nanoseconds(row.summary.traffic().last, cell);
        },
    ),
    column(
        "closed",
        Text,
        "why the connection is over: `closed` by its ends, `replaced` by another one between the same ends, `limit` if gdwire stopped following it because of a limit, `end` if the capture ended",
        |row, cell| {
            if let Some(closed) = row.summary.closed() {
                cell.text(match closed {
                    Closed::ByEnds => "closed",
                    Closed::Replaced => "replaced",
                    Closed::Limit => "limit",
                    Closed::Finished => "end",
                });
            }
        },
    ),
    column("packets", Integer, "the datagrams or segments that this end has sent", |row, cell| {
        cell.integer(row.direction().packets);
    }),
    column(
        "payload_bytes",
        Integer,
        "the bytes of these packets after their UDP or TCP headers",
        |row, cell| {
            cell.integer(row.direction().payload_bytes);
        },
    ),
    column(
        "wire_bytes",
        Integer,
        "the bytes of these packets on the network, headers included",
        |row, cell| {
            if let Some(wire) = row.direction().wire {
                cell.integer(wire.bytes);
            }
        },
    ),
    column(
        "messages",
        Integer,
        "the messages that the transport carried, readable or not",
        |row, cell| {
            cell.integer(row.direction().messages);
        },
    ),
    column("message_bytes", Integer, "the bytes of these messages", |row, cell| {
        cell.integer(row.direction().message_bytes);
    }),
    column(
        "missing_reliable",
        Integer,
        "reliable ENet messages that the capture lacks",
        |row, cell| {
            cell.integer(row.direction().missing.reliable);
        },
    ),
    column(
        "missing_unreliable",
        Integer,
        "unreliable ENet messages that never arrived, in any unreliable mode",
        |row, cell| {
            let missing = row.direction().missing;
            cell.integer(missing.unreliable.saturating_add(missing.unsequenced));
        },
    ),
    column(
        "missing_parts",
        Integer,
        "ENet messages of which some fragments are missing",
        |row, cell| {
            cell.integer(row.direction().missing.incomplete);
        },
    ),
    column(
        "missing_bytes",
        Integer,
        "bytes of the stream that are missing, over TCP and WebSocket",
        |row, cell| {
            cell.integer(row.direction().missing.gap_bytes);
        },
    ),
    column(
        "resent",
        Integer,
        "the ENet commands or TCP segments that were sent again; null if resends were not measured",
        |row, cell| {
            if let Some(measures) = row.direction().measures() {
                cell.integer(measures.resent.saturating_add(measures.resent_unseen));
            }
        },
    ),
    column(
        "round_trip_us",
        Integer,
        "the median round-trip time from the capture point to the other end and back, in microseconds; null if none was measured",
        |row, cell| {
            let measures = row.direction().measures();
            if let Some(spread) = measures.and_then(|it| it.round_trips.times.spread()) {
                cell.integer(spread.p50);
            }
        },
    ),
];
