//! The columns that several tables share: the file, the packet and the ends of a connection.

use super::cell::Cell;
use crate::follow::{Origin, Place};
use crate::net::Side;
use crate::packet::Time;
use std::net::SocketAddr;

pub(super) fn time(time: Option<Time>, cell: &mut Cell<'_>) {
    if let Some(time) = time {
        cell.integer(time.as_nanos().div_euclid(1_000));
    }
}

pub(super) fn nanoseconds(time: Option<Time>, cell: &mut Cell<'_>) {
    if let Some(time) = time {
        cell.integer(time.as_nanos());
    }
}

pub(super) fn frame(place: Option<Place>, cell: &mut Cell<'_>) {
    if let Some(place) = place {
        cell.integer(place.frame);
    }
}

pub(super) fn transport(origin: Option<Origin>, cell: &mut Cell<'_>) {
    if let Some(origin) = origin {
        cell.text(origin.transport.name());
    }
}

pub(super) fn connection(origin: Option<Origin>, cell: &mut Cell<'_>) {
    if let Some(origin) = origin.filter(|origin| origin.connection > 0) {
        cell.integer(origin.connection);
    }
}

pub(super) fn address(address: Option<SocketAddr>, cell: &mut Cell<'_>) {
    if let Some(address) = address {
        cell.shown(address.ip());
    }
}

pub(super) fn port(address: Option<SocketAddr>, cell: &mut Cell<'_>) {
    if let Some(address) = address {
        cell.integer(address.port());
    }
}

/// The direction of what one end sends, if it is known which end opened the connection.
pub(super) fn direction(from: Option<Side>, client: Option<Side>, cell: &mut Cell<'_>) {
    if let (Some(from), Some(client)) = (from, client) {
        cell.text(if from == client { "to_server" } else { "to_client" });
    }
}
