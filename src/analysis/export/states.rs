//! The table of states, one row for each value that a property gets.

use super::column::{
    Column, ColumnType, DisplayText, NextCell, RowSource, TableRows, columns, json,
};
use crate::analysis::states::SentValue;
use crate::capture::follow::Message;
use crate::format::json::Spelling;
use crate::game::multiplayer::{Context, PeerId, Writer};

/// A value that a message gives to a property.
pub struct StateRow<'r> {
    file: &'r str,
    source: RowSource,
    message: &'r Message<'r>,
    sent: &'r SentValue<'r>,
}

/// The rows of the table of states.
#[derive(Debug)]
pub struct StatesTable;

impl<'r> StateRow<'r> {
    pub fn new(file: &'r str, message: &'r Message<'r>, sent: &'r SentValue<'r>) -> StateRow<'r> {
        let source = RowSource { place: Some(message.place), origin: Some(message.origin) };
        StateRow { file, source, message, sent }
    }
}

columns! {
    StatesTable of StateRow:
    "file" Text "the name of the input" = |row| row.file;
    "frame" Integer "the number of the last packet of the message with the value"
        = |row| row.source.frame();
    "time" Time "when that packet was captured, rounded down to microseconds"
        = |row| row.source.time();
    "time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.source.nanoseconds();
    "transport" Text "the transport, as `--transport` names it" = |row| row.source.transport();
    "connection" Integer "the number of the connection in its file, from 1"
        = |row| row.source.connection();
    "direction" Text "`to_server` or `to_client`; null if it is not known which end opened the connection"
        = |row| row.source.direction();
    "source_peer" SmallInteger "the multiplayer id of the sender: 1 is the server"
        = |row| row.message.peers.source.map(PeerId::get);
    "command" Text "the packet with the value: `spawn`, `sync`, `delta`, `set` or `call`"
        = |row| row.sent.command;
    "path" Text "the path of the node; for a spawned node without a known path its name, for other nodes their id"
        = |row| DisplayText(row.sent.node.path().map_or(row.sent.node.to_string(), str::to_owned));
    "property" Text "the name of the property, such as `level`, or its place, such as `sync#0`; for a call the name of the method, with the place of the argument if it has several: `move[0]`"
        = |row| DisplayText(row.sent.property);
    "value" Text "the value as plain JSON"
        = |row| json(|json| Writer::new(json, Spelling::Plain, Context::new()).value(row.sent.value));
    "number" Number "the value if it is an int or a float"
        = |row| row.sent.number();
}
