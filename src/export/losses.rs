//! The table of losses. It has a row for everything that is missing, damaged or unreadable.

use super::builder::{Rows, rows};
use super::cell::Cell;
use super::cell::ColumnType::{self, Integer, SmallInteger, Text, Time};
use super::column::Column;
use super::ends;
use crate::follow::{Cause, Loss, Origin, Other, Place};
use crate::net::enet::{Lost, LostMessage};
use crate::stats::reason;
use std::fmt::Display;

/// Something that is missing from the table of messages, or unreadable.
pub(super) struct Row<'r> {
    file: &'r str,
    place: Option<Place>,
    origin: Option<Origin>,
    what: &'static str,
    reason: &'static str,
    count: Option<u64>,
    offset: Option<u64>,
    bytes: Option<u64>,
    enet: Option<&'r LostMessage>,
    text: &'r dyn Display,
}

/// The rows of the table of losses.
#[derive(Debug)]
pub(super) struct Losses;

impl<'r> Row<'r> {
    pub(super) fn lost(file: &'r str, loss: &'r Loss) -> Row<'r> {
        let (reason, count) = reason::lost(&loss.cause);
        let (mut offset, mut bytes, mut enet) = (None, None, None);
        match &loss.cause {
            Cause::Stream { offset: start, bytes: len, .. } => {
                (offset, bytes) = (Some(*start), Some(*len));
            }
            Cause::Cut { missing } => bytes = Some(*missing as u64),
            Cause::Enet(message) => enet = Some(message),
            _ => {}
        }
        Row {
            file,
            place: Some(loss.place),
            origin: loss.origin,
            what: "lost",
            reason,
            count: Some(count),
            offset,
            bytes,
            enet,
            text: &loss.cause,
        }
    }

    pub(super) fn damaged(
        file: &'r str,
        (frame, offset): (Option<u64>, u64),
        problem: &'r dyn Display,
    ) -> Row<'r> {
        let place = frame.map(Place::new);
        Row { place, offset: Some(offset), ..Row::new(file, "damaged", "damaged file", problem) }
    }

    /// A packet or message that was not decoded; none if there is nothing to decode in it.
    pub(super) fn other(file: &'r str, other: &'r Other<'r>) -> Option<Row<'r>> {
        let reason = reason::other(&other.reason)?;
        Some(Row {
            place: Some(other.place),
            origin: other.origin,
            bytes: Some(other.bytes.len() as u64),
            ..Row::new(file, "unread", reason, &other.reason)
        })
    }

    /// Something at an offset of a file that is not a capture.
    pub(super) fn unreadable(file: &'r str, offset: u64, text: &'r dyn Display) -> Row<'r> {
        Row { offset: Some(offset), ..Row::new(file, "unread", "not a value", text) }
    }

    /// A cell of the table of messages whose content did not fit.
    pub(super) fn omitted(file: &'r str, place: Option<Place>, text: &'r dyn Display) -> Row<'r> {
        Row { place, ..Row::new(file, "omitted", "content too long for a column", text) }
    }

    const fn new(
        file: &'r str,
        what: &'static str,
        reason: &'static str,
        text: &'r dyn Display,
    ) -> Row<'r> {
        Row {
            file,
            place: None,
            origin: None,
            what,
            reason,
            count: None,
            offset: None,
            bytes: None,
            enet: None,
            text,
        }
    }

    fn time(&self) -> Option<crate::packet::Time> {
        self.place.and_then(|place| place.time)
    }
}

rows!(Losses, Row);

const COLUMNS: &[Filled] = &[
    column("file", Text, "the name of the input", |row, cell| cell.text(row.file)),
    column(
        "frame",
        Integer,
        "the number of the packet at which the loss was noticed",
        |row, cell| {
            ends::frame(row.place, cell);
        },
    ),
    column(
        "time",
        Time,
        "when that packet was captured, rounded down to microseconds",
        |row, cell| {
            ends::time(row.time(), cell);
        },
    ),
    column(
        "time_ns",
        Integer,
        "the same time in nanoseconds since the start of 1970, UTC, without rounding",
        |row, cell| {
            ends::nanoseconds(row.time(), cell);
        },
    ),
    column("transport", Text, "`udp`, `tcp`, `enet` or `websocket`", |row, cell| {
        ends::transport(row.origin, cell);
    }),
    column("src_address", Text, "the IP address of the sender of what was lost", |row, cell| {
        ends::address(row.origin.map(|it| it.src()), cell);
    }),
    column("src_port", SmallInteger, "the UDP or TCP port of the sender", |row, cell| {
        ends::port(row.origin.map(|it| it.src()), cell);
    }),
    column("dst_address", Text, "the IP address of the receiver", |row, cell| {
        ends::address(row.origin.map(|it| it.dst()), cell);
    }),
    column("dst_port", SmallInteger, "the UDP or TCP port of the receiver", |row, cell| {
        ends::port(row.origin.map(|it| it.dst()), cell);
    }),
    column(
        "connection",
        Integer,
        "the number of the connection in its file, from 1",
        |row, cell| {
            ends::connection(row.origin, cell);
        },
    ),
    column(
        "direction",
        Text,
        "`to_server` or `to_client`; null if it is not known which end opened the connection",
        |row, cell| {
            ends::direction(
                row.origin.map(|it| it.from),
                row.origin.and_then(|it| it.client),
                cell,
            );
        },
    ),
    column("channel", SmallInteger, "the ENet channel", |row, cell| {
        if let Some(channel) = row.enet.and_then(|it| it.channel) {
            cell.integer(channel);
        }
    }),
    column("mode", Text, "how missing ENet messages were sent", |row, cell| {
        if let Some(Lost::Missing { mode, .. }) = row.enet.map(|it| &it.lost) {
            cell.text(mode.godot_name());
        }
    }),
    column(
        "what",
        Text,
        "`lost`: sent, but not in the capture; `damaged`: a damaged place in the file; `unread`: not decoded; `omitted`: left out of another table because of a limit",
        |row, cell| {
            cell.text(row.what);
        },
    ),
    column("reason", Text, "the reason, as `gdwire stats` counts it", |row, cell| {
        cell.text(row.reason)
    }),
    column("count", Integer, "how often: the number of messages, or 1", |row, cell| {
        if let Some(count) = row.count {
            cell.integer(count);
        }
    }),
    column(
        "offset",
        Integer,
        "the place in bytes: in the stream over TCP and WebSocket, in the file if the file is damaged or not a capture",
        |row, cell| {
            if let Some(offset) = row.offset {
                cell.integer(offset);
            }
        },
    ),
    column("bytes", Integer, "how many bytes, if that is known", |row, cell| {
        if let Some(bytes) = row.bytes {
            cell.integer(bytes);
        }
    }),
    column("text", Text, "the whole loss as a sentence", |row, cell| cell.shown(row.text)),
];
