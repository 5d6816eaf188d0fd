//! The table of losses. It has a row for everything that is missing, damaged or unreadable.

use super::column::{
    Column, ColumnType, DisplayText, NextCell, RowSource, TableRows, address, columns,
    community_id, microseconds,
};
use crate::capture::follow::{Cause, Loss, Other, Place};
use std::fmt::Display;

/// Something that is missing from the table of messages, or unreadable.
pub struct LossRow<'r> {
    file: &'r str,
    source: RowSource,
    after: Option<Place>,
    what: &'static str,
    reason: &'static str,
    count: u64,
    offset: Option<u64>,
    bytes: Option<u64>,
    cause: Option<&'r Cause>,
    text: &'r dyn Display,
}

/// The rows of the table of losses.
#[derive(Debug)]
pub struct LossesTable;

impl<'r> LossRow<'r> {
    pub fn lost(file: &'r str, loss: &'r Loss) -> LossRow<'r> {
        let cause = &loss.cause;
        LossRow {
            source: RowSource { place: Some(loss.place), origin: loss.origin },
            after: loss.after,
            count: cause.count(),
            offset: cause.position().map(|lost| lost.start),
            bytes: cause.bytes(),
            cause: Some(cause),
            ..LossRow::new(file, "lost", cause.name(), cause)
        }
    }

    pub fn damaged(
        file: &'r str,
        frame: Option<u64>,
        offset: u64,
        problem: &'r dyn Display,
    ) -> LossRow<'r> {
        LossRow {
            source: RowSource { place: frame.map(Place::new), origin: None },
            offset: Some(offset),
            ..LossRow::new(file, "damaged", "damaged file", problem)
        }
    }

    /// A packet or message that was not decoded; none if there is nothing to decode in it.
    pub fn other(file: &'r str, other: &'r Other<'r>) -> Option<LossRow<'r>> {
        let reason = other.reason.name()?;
        Some(LossRow {
            source: RowSource { place: Some(other.place), origin: other.origin },
            bytes: Some(other.bytes.len() as u64),
            ..LossRow::new(file, "unread", reason, &other.reason)
        })
    }

    /// Something at an offset of a file that is not a capture.
    pub fn unreadable(file: &'r str, offset: u64, text: &'r dyn Display) -> LossRow<'r> {
        LossRow { offset: Some(offset), ..LossRow::new(file, "unread", "not a value", text) }
    }

    /// A cell of the table of messages whose content did not fit.
    pub fn omitted(file: &'r str, place: Option<Place>, text: &'r dyn Display) -> LossRow<'r> {
        let source = RowSource { place, origin: None };
        LossRow { source, ..LossRow::new(file, "omitted", "content too long for a column", text) }
    }

    const fn new(
        file: &'r str,
        what: &'static str,
        reason: &'static str,
        text: &'r dyn Display,
    ) -> LossRow<'r> {
        LossRow {
            file,
            source: RowSource { place: None, origin: None },
            after: None,
            what,
            reason,
            count: 1,
            offset: None,
            bytes: None,
            cause: None,
            text,
        }
    }
}

columns! {
    LossesTable of LossRow:
    "file" Text "the name of the input" = |row| row.file;
    "frame" Integer "the number of the packet that shows the loss: it carried what follows in the channel or stream, if that is known"
        = |row| row.source.frame();
    "time" Time "when that packet was captured, rounded down to microseconds"
        = |row| row.source.time();
    "time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.source.nanoseconds();
    "after_frame" Integer "the number of the packet after which it was sent; null if it belongs to the packet `frame`"
        = |row| row.after.map(|it| it.frame);
    "after_time" Time "when the packet `after_frame` was captured, rounded down to microseconds"
        = |row| row.after.and_then(|it| it.time).map(microseconds);
    "transport" Text "the transport, as `--transport` names it"
        = |row| row.source.transport();
    "src_address" Text "the IP address of the sender of what was lost"
        = |row| row.source.src().map(address);
    "src_port" SmallInteger "the UDP or TCP port of the sender"
        = |row| row.source.src().map(|end| end.port());
    "dst_address" Text "the IP address of the receiver" = |row| row.source.dst().map(address);
    "dst_port" SmallInteger "the UDP or TCP port of the receiver"
        = |row| row.source.dst().map(|end| end.port());
    "connection" Integer "the number of the connection in its file, from 1"
        = |row| row.source.connection();
    "community_id" Text "the Community ID of the connection's flow, as Zeek and Suricata know it"
        = |row| row.source.flow().map(community_id);
    "direction" Text "`to_server` or `to_client`; null if it is not known which end opened the connection"
        = |row| row.source.direction();
    "channel" SmallInteger "the ENet channel" = |row| row.cause.and_then(Cause::channel);
    "mode" Text "how missing ENet messages were sent"
        = |row| row.cause.and_then(Cause::mode).map(|mode| mode.godot_name());
    "what" Text "`lost`: sent, but not in the capture; `damaged`: a damaged place in the file; `unread`: not decoded; `omitted`: left out of another table because of a limit"
        = |row| row.what;
    "reason" Text "the reason, as `gdwire stats` counts it" = |row| row.reason;
    "count" Integer "how often: the number of messages, or 1" = |row| row.count;
    "offset" Integer "the place in bytes: in the stream over TCP and WebSocket, in the file if the file is damaged or not a capture"
        = |row| row.offset;
    "bytes" Integer "how many bytes, if that is known" = |row| row.bytes;
    "text" Text "the whole loss as a sentence" = |row| DisplayText(row.text);
}
