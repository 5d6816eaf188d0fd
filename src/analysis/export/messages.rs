//! The table of messages, one row for each.

use super::builder::{TableRows, columns};
use super::cell::{self, ColumnType, NextCell, json};
use super::column::Column;
use super::ends;
use super::fields::PacketColumns;
use crate::capture::follow::{Content, Message};
use crate::format::json::{Spelling, write_value};
use crate::game::debugger::DebuggerCommand;
use crate::game::multiplayer::json::FieldValues;
use crate::game::multiplayer::{Packet, PeerId, Writer};
use crate::net::packet::Time;
use crate::value::{Dialect, VariantRef};
use std::cell::OnceCell;
use std::fmt;
use std::net::SocketAddr;

/// A message, or a value from a file that is not a capture.
pub(super) struct MessageRow<'r> {
    file: &'r str,
    offset: u64,
    bytes: &'r [u8],
    message: Option<&'r Message<'r>>,
    value: Option<VariantRef<'r>>,
    packet: Option<&'r Packet<'r>>,
    dialect: Option<Dialect>,
    /// Computed when a column first needs them.
    fields: OnceCell<PacketColumns<'r>>,
}

/// The rows of the table of messages.
#[derive(Debug)]
pub(super) struct MessagesTable;

impl<'r> MessageRow<'r> {
    pub(super) fn message(file: &'r str, message: &'r Message<'r>) -> MessageRow<'r> {
        let (value, packet) = match &message.content {
            Content::Value(value) => (Some(*value), None),
            Content::Packet(packet) => (None, Some(packet)),
            Content::Debugger(_) => (None, None),
        };
        MessageRow {
            file,
            offset: message.delivery.offset,
            bytes: message.bytes,
            message: Some(message),
            value,
            packet,
            dialect: Some(message.dialect),
            fields: OnceCell::new(),
        }
    }

    pub(super) fn value(file: &'r str, offset: u64, value: VariantRef<'r>) -> MessageRow<'r> {
        MessageRow {
            file,
            offset,
            bytes: value.as_bytes(),
            message: None,
            value: Some(value),
            packet: None,
            dialect: None,
            fields: OnceCell::new(),
        }
    }

    fn fields(&self) -> &PacketColumns<'r> {
        self.fields.get_or_init(|| match (self.packet, self.message, self.debugger()) {
            (Some(packet), Some(message), _) => PacketColumns::of(packet, message.context()),
            (_, _, Some(DebuggerCommand { name, arguments, .. })) => PacketColumns {
                method: Some(name),
                arguments: Some(FieldValues::Arguments(*arguments)),
                ..PacketColumns::default()
            },
            _ => PacketColumns::default(),
        })
    }

    fn debugger(&self) -> Option<&'r DebuggerCommand<'r>> {
        match &self.message?.content {
            Content::Debugger(command) => Some(command),
            _ => None,
        }
    }

    fn time(&self) -> Option<Time> {
        self.message?.place.time
    }

    fn src(&self) -> Option<SocketAddr> {
        Some(self.message?.origin.src())
    }

    fn dst(&self) -> Option<SocketAddr> {
        Some(self.message?.origin.dst())
    }

    fn command(&self) -> Option<&'static str> {
        match self.packet {
            Some(packet) => Some(packet.command()),
            None => self.debugger().map(|_| DebuggerCommand::COMMAND),
        }
    }

    fn is_own(&self) -> Option<bool> {
        let PacketColumns { method, method_number, is_own, .. } = self.fields();
        (method.is_some() || method_number.is_some()).then_some(*is_own)
    }

    /// JSON about the packet of a message.
    fn json(
        &self,
        write: impl FnOnce(&mut Writer<'_, '_, 'r>) -> fmt::Result,
    ) -> Option<impl cell::Content> {
        let context = self.message?.context();
        Some(cell::json(move |json| write(&mut Writer::plain(json, context))))
    }
}

columns! {
    MessagesTable of MessageRow:
    "file" Text "the name of the input" = |row| row.file;
    "frame" Integer "the number of the message's last packet in the capture, from 1: Wireshark's `frame.number`"
        = |row| row.message.map(|it| it.place.frame);
    "first_frame" Integer "the number of its first packet"
        = |row| row.message.map(|it| it.place.first_frame());
    "time" Time "when that packet was captured, rounded down to microseconds"
        = |row| row.time().map(ends::microseconds);
    "time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.time().map(Time::as_nanos);
    "transport" Text "`udp`, `tcp`, `enet` or `websocket`"
        = |row| row.message.map(|it| it.origin.transport.name());
    "src_address" Text "the IP address of the sender" = |row| row.src().map(ends::address);
    "src_port" SmallInteger "the UDP or TCP port of the sender"
        = |row| row.src().map(|end| end.port());
    "dst_address" Text "the IP address of the receiver" = |row| row.dst().map(ends::address);
    "dst_port" SmallInteger "the UDP or TCP port of the receiver"
        = |row| row.dst().map(|end| end.port());
    "connection" Integer "the number of the connection in its file, from 1"
        = |row| row.message.and_then(|it| ends::connection(it.origin));
    "direction" Text "`to_server` or `to_client`; null if it is not known which end opened the connection"
        = |row| row.message.and_then(|it| ends::direction(it.origin.from, it.origin.client));
    "channel" SmallInteger "the ENet channel" = |row| row.message.and_then(|it| it.delivery.channel);
    "mode" Text "how the message was sent over ENet: `reliable`, `unreliable` or `unreliable_ordered`"
        = |row| row.message.and_then(|it| it.delivery.mode).map(|mode| mode.godot_name());
    "source_peer" SmallInteger "the multiplayer id of the sender: 1 is the server"
        = |row| row.message.and_then(|it| it.peers.source).map(PeerId::get);
    "target_peer" SmallInteger "the multiplayer id of the receiver: 0 means all peers, a negative id all except that peer"
        = |row| row.message.and_then(|it| it.peers.target).map(PeerId::get);
    "offset" Integer "where the message starts, in bytes: in its datagram over UDP and ENet, in its stream over TCP and WebSocket, in the file if that is not a capture"
        = |row| row.offset;
    "len" Integer "the bytes of the message, without headers" = |row| row.bytes.len() as u64;
    "wire_len" Integer "the bytes on the network of the frames that carried it, headers included; a frame with several messages counts for each of them"
        = |row| row.message.and_then(|it| it.place.wire_bytes());
    "dialect" Text "how the message's values are encoded: `godot3`, `godot4`, `pandemonium4` or `pandemonium5`"
        = |row| row.dialect.map(|it| it.name());
    "kind" Text "the kind of a value, such as `Dictionary`; null for packets of the multiplayer API"
        = |row| row.value.map(|value| value.kind().name());
    "command" Text "what a packet of the multiplayer API does, such as `call`, or `debugger` for a message of the remote debugger; null for values"
        = |row| row.command();
    "path" Text "the path of the node; null if it is not known, or if the packet is about several nodes"
        = |row| row.fields().path.as_deref();
    "path_id" Integer "the number that the sender announced for the path, if the packet has it"
        = |row| row.fields().path_id;
    "node" Text "the path of the node that is spawned or despawned, known with a project"
        = |row| row.fields().node.as_deref();
    "net_id" Integer "the number of a spawned node" = |row| row.fields().net_id;
    "method" Text "the name of the called method, of the property that is set, or of the debugger's command, if it is known"
        = |row| row.fields().method;
    "method_number" SmallInteger "the number of the method, if its name is not known"
        = |row| row.fields().method_number;
    "method_own" Flag "whether the method is from `rpc_config()` of the node instead of its script; null if there is no method"
        = |row| row.is_own();
    "scene" Text "the scene of a spawned node, and in calls and in states of one node the scene of the spawned or added node around it, known with a project"
        = |row| row.fields().scene;
    "digest" Text "the MD5 of the names of a node's methods, in a `simplify_path` of Godot 4"
        = |row| row.fields().digest;
    "confirmed" Flag "in a `confirm_path` of Godot 4: whether both ends have the same methods"
        = |row| row.fields().is_confirmed;
    "value" Text "the value as plain JSON"
        = |row| row.value.map(|value| json(move |json| write_value(value, Spelling::Plain, json)));
    "arguments" Text "the arguments of a call or of a debugger's command, the value that is set, or the values of a node's state, as a JSON array"
        = |row| row.fields().arguments.and_then(|values| row.json(move |json| json.list(values)));
    "properties" Text "the values of a node's state by the names of its properties, as a JSON object, known with a project"
        = |row| row.fields().properties.as_ref().and_then(|(names, values)| {
            row.json(move |json| json.properties(names, *values))
        });
    "rpc" Text "all fields of a packet of the multiplayer API, as the JSON object `rpc` of `--format ndjson`"
        = |row| row.packet.and_then(|packet| row.json(move |json| json.packet(packet)));
    "bytes" Bytes "the bytes of the message" = |row| row.bytes;
}
