//! The columns that several tables share: the time of a packet, and the ends of a connection.

use super::cell::{Content, DisplayText};
use crate::capture::follow::Origin;
use crate::net::Side;
use crate::net::packet::Time;
use std::net::SocketAddr;

pub(super) const fn microseconds(time: Time) -> i64 {
    time.as_nanos().div_euclid(1_000)
}

pub(super) fn connection(origin: Origin) -> Option<u64> {
    Some(origin.connection).filter(|connection| *connection > 0)
}

pub(super) fn address(end: SocketAddr) -> impl Content {
    DisplayText(end.ip())
}

/// The direction of what one end sends, if it is known which end opened the connection.
pub(super) fn direction(from: Side, client: Option<Side>) -> Option<&'static str> {
    client.map(|client| if from == client { "to_server" } else { "to_client" })
}
