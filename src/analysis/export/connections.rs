//! The table of connections. Each connection has two rows, one for what each end has sent.

use super::column::{
    Column, ColumnType, NextCell, TableRows, address, columns, community_id, direction_name, ip,
    microseconds,
};

use crate::analysis::stats::Measured;
use crate::capture::follow::{Closed, Direction, Summary};
use crate::net::Side;
use crate::net::packet::Time;
use std::net::SocketAddr;

/// A row of the table: the traffic that one end of a connection has sent.
pub struct ConnectionRow<'r> {
    file: &'r str,
    summary: &'r Summary,
    from: Side,
    src: SocketAddr,
    dst: SocketAddr,
    direction: &'r Direction,
    measured: Option<Measured>,
}

/// The rows of the table of connections.
#[derive(Debug)]
pub struct ConnectionsTable;

impl<'r> ConnectionRow<'r> {
    /// The rows of a connection, one for each end.
    pub fn both(file: &'r str, summary: &'r Summary) -> [ConnectionRow<'r>; 2] {
        summary.flow().directions().map(|(from, src, dst)| {
            let direction = summary.direction(from);
            let measured = Measured::of(direction);
            ConnectionRow { file, summary, from, src, dst, direction, measured }
        })
    }
}

const fn why_closed(closed: Closed) -> &'static str {
    match closed {
        Closed::ByEnds => "closed",
        Closed::Replaced => "replaced",
        Closed::Limit => "limit",
        Closed::Finished => "end",
    }
}

columns! {
    ConnectionsTable of ConnectionRow:
    "file" Text "the name of the input" = |row| row.file;
    "connection" Integer "the number of the connection in its file, from 1"
        = |row| row.summary.connection();
    "community_id" Text "the Community ID of the connection's flow, as Zeek and Suricata know it"
        = |row| community_id(row.summary.flow());
    "direction" Text "`to_server` or `to_client`; null if it is not known which end opened the connection"
        = |row| direction_name(row.from, row.summary.client());
    "transport" Text "the transport, as `--transport` names it; null if no known message was found"
        = |row| row.summary.transport().map(|it| it.name());
    "src_address" Text "the IP address of this end" = |row| address(row.src);
    "src_port" SmallInteger "the UDP or TCP port of this end" = |row| row.src.port();
    "dst_address" Text "the IP address of the other end" = |row| address(row.dst);
    "dst_port" SmallInteger "the UDP or TCP port of the other end" = |row| row.dst.port();
    "tunnel_src_address" Text "the IP address that sent the tunnel through which the first packet was mirrored; null if it came through none"
        = |row| row.summary.tunnel().map(|(src, _)| ip(src));
    "tunnel_dst_address" Text "the IP address to which the tunnel goes"
        = |row| row.summary.tunnel().map(|(_, dst)| ip(dst));
    "dialect" Text "how the values are encoded" = |row| row.summary.dialect().map(|it| it.name());
    "multiplayer" Flag "whether the messages are packets of the high-level multiplayer API"
        = |row| row.summary.is_multiplayer();
    "first_frame" Integer "the number of the connection's first packet"
        = |row| row.summary.first().frame;
    "last_frame" Integer "the number of its last packet" = |row| row.summary.last().frame;
    "time" Time "when its first packet was captured, rounded down to microseconds"
        = |row| row.summary.traffic().first.map(microseconds);
    "time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.summary.traffic().first.map(Time::as_nanos);
    "end_time" Time "when its last packet was captured, rounded down to microseconds"
        = |row| row.summary.traffic().last.map(microseconds);
    "end_time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.summary.traffic().last.map(Time::as_nanos);
    "closed" Text "why the connection is over: `closed` by its ends, `replaced` by another one between the same ends, `limit` if gdwire stopped following it because of a limit, `end` if the capture ended"
        = |row| row.summary.closed().map(why_closed);
    "packets" Integer "the datagrams or segments that this end has sent"
        = |row| row.direction.packets;
    "payload_bytes" Integer "the bytes of these packets after their UDP or TCP headers"
        = |row| row.direction.payload_bytes;
    "wire_bytes" Integer "the bytes of these packets on the network, headers included"
        = |row| row.direction.wire.map(|wire| wire.bytes);
    "messages" Integer "the messages that the transport carried, readable or not"
        = |row| row.direction.messages;
    "message_bytes" Integer "the bytes of these messages, without headers"
        = |row| row.direction.message_bytes;
    "missing_reliable" Integer "reliable ENet messages that the capture lacks"
        = |row| row.direction.missing.reliable;
    "undelivered" Integer "reliable ENet messages that were not acknowledged before the connection or the capture ended"
        = |row| row.direction.missing.undelivered;
    "missing_unreliable" Integer "unreliable ENet messages that never arrived, in any unreliable mode"
        = |row| row.direction.missing.of_unreliable();
    "missing_parts" Integer "ENet messages of which some fragments are missing"
        = |row| row.direction.missing.incomplete;
    "missing_bytes" Integer "bytes of the stream that are missing, over TCP and WebSocket"
        = |row| row.direction.missing.gap_bytes;
    "resent" Integer "the ENet commands or TCP segments that were sent again; null if resends were not measured"
        = |row| row.measured.map(|it| it.resent);
    "round_trip_us" Integer "the median round-trip time from the capture point to the other end and back, in microseconds; null if none was measured"
        = |row| row.measured.and_then(|it| it.round_trips).map(|times| times.p50);
}
