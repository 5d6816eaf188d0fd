//! The table of messages, one row for each.

use super::column::{
    CellContent, Column, ColumnType, NextCell, RowSource, TableRows, address, columns,
    community_id, json,
};
use crate::capture::follow::{Content, Message};
use crate::format::json::{Spelling, write_value};
use crate::game::multiplayer::json::{FieldValues, PacketField, packet_fields, state_fields};
use crate::game::multiplayer::{Context, Packet, PeerId, Writer};
use crate::value::VariantRef;
use std::cell::OnceCell;
use std::convert::Infallible;
use std::fmt;

/// A message, or a value from a file that is not a capture.
pub struct MessageRow<'r> {
    file: &'r str,
    source: RowSource,
    offset: u64,
    bytes: &'r [u8],
    message: Option<&'r Message<'r>>,
    value: Option<VariantRef<'r>>,
    /// The fields of its packet, found when a column first needs them. For a relay, they are those of
    /// the relayed packet; for a packet with the state of exactly one node, also those of the state.
    fields: OnceCell<Vec<(&'static str, PacketField<'r>)>>,
}

/// The rows of the table of messages.
#[derive(Debug)]
pub struct MessagesTable;

impl<'r> MessageRow<'r> {
    pub fn message(file: &'r str, message: &'r Message<'r>) -> MessageRow<'r> {
        MessageRow {
            file,
            source: RowSource { place: Some(message.place), origin: Some(message.origin) },
            offset: message.delivery.offset,
            bytes: message.bytes,
            message: Some(message),
            value: if let Content::Value(value) = message.content { Some(value) } else { None },
            fields: OnceCell::new(),
        }
    }

    pub fn value(file: &'r str, offset: u64, value: VariantRef<'r>) -> MessageRow<'r> {
        MessageRow {
            file,
            source: RowSource::default(),
            offset,
            bytes: value.as_bytes(),
            message: None,
            value: Some(value),
            fields: OnceCell::new(),
        }
    }

    fn field(&self, name: &str) -> Option<&PacketField<'r>> {
        let message = self.message?;
        let fields = self.fields.get_or_init(|| match &message.content {
            Content::Packet(packet) => {
                let mut fields = Vec::new();
                add_packet(packet, message.context(), &mut fields);
                fields
            }
            Content::Debugger(command) => vec![
                ("method", PacketField::Text(Some(command.name))),
                ("args", PacketField::Values(FieldValues::Arguments(command.arguments))),
            ],
            Content::Value(_) => Vec::new(),
        });
        fields.iter().rev().find(|(other, _)| *other == name).map(|(_, field)| field)
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            PacketField::Text(text) => *text,
            PacketField::Shown(text) => Some(text),
            _ => None,
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        if let PacketField::Number(number) = self.field(name)? { Some(*number) } else { None }
    }

    fn flag(&self, name: &str) -> Option<bool> {
        if let PacketField::Flag(flag) = self.field(name)? { Some(*flag) } else { None }
    }

    fn arguments(&self) -> Option<impl CellContent> {
        let PacketField::Values(values) = self.field("args")? else { return None };
        self.json(|json| json.list(*values))
    }

    fn properties(&self) -> Option<impl CellContent> {
        let PacketField::Properties(names, values) = self.field("properties")? else { return None };
        self.json(|json| json.properties(names, *values))
    }

    fn packet(&self) -> Option<impl CellContent> {
        let Content::Packet(packet) = &self.message?.content else { return None };
        self.json(move |json| json.packet(packet))
    }

    /// JSON about the packet of a message.
    fn json(
        &self,
        write: impl FnOnce(&mut Writer<'_, '_, 'r>) -> fmt::Result,
    ) -> Option<impl CellContent> {
        let context = self.message?.context();
        Some(json(move |json| write(&mut Writer::plain(json, context))))
    }
}

fn add_packet<'r>(
    packet: &Packet<'r>,
    context: Context<'r>,
    found: &mut Vec<(&'static str, PacketField<'r>)>,
) {
    let Ok(()) = packet_fields::<Infallible>(packet, context, &mut |name, field| {
        match field {
            PacketField::Relayed(packet) => add_packet(&packet, context.relayed(), found),
            PacketField::States(states) => {
                let mut states = states.into_iter();
                if let (Some(state), None) = (states.next(), states.next()) {
                    state_fields::<Infallible>(&state, context, &mut |name, field| {
                        found.push((name, field));
                        Ok(())
                    })?;
                }
            }
            field => found.push((name, field)),
        }
        Ok(())
    });
}

columns! {
    MessagesTable of MessageRow:
    "file" Text "the name of the input" = |row| row.file;
    "frame" Integer "the number of the message's last packet in the capture, from 1: Wireshark's `frame.number`"
        = |row| row.source.frame();
    "first_frame" Integer "the number of its first packet"
        = |row| row.message.map(|it| it.place.first_frame());
    "time" Time "when that packet was captured, rounded down to microseconds"
        = |row| row.source.time();
    "time_ns" Integer "the same time in nanoseconds since the start of 1970, UTC, without rounding"
        = |row| row.source.nanoseconds();
    "transport" Text "the transport, as `--transport` names it"
        = |row| row.source.transport();
    "src_address" Text "the IP address of the sender" = |row| row.source.src().map(address);
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
    "dialect" Text "how the message's values are encoded, as `--dialect` names it; before the messages of a connection show that, one of those that read the message alike (`connections` has what they have shown)"
        = |row| row.message.map(|it| it.dialect.name());
    "kind" Text "the kind of a value, such as `Dictionary`; null for packets of the multiplayer API"
        = |row| row.value.map(|value| value.kind().name());
    "command" Text "what a packet of the multiplayer API does, such as `call`, or `debugger` for a message of the remote debugger; null for values"
        = |row| row.message.and_then(|it| it.content.command());
    "path" Text "the path of the node; null if it is not known, or if the packet is about several nodes"
        = |row| row.text("path");
    "path_id" Integer "the number that the sender announced for the path, if the packet has it"
        = |row| row.number("id");
    "node" Text "the path of the node that is spawned or despawned, known with a project"
        = |row| row.text("node");
    "net_id" Integer "the number of a spawned node" = |row| row.number("net_id");
    "method" Text "the name of the called method, of the property that is set, or of the debugger's command, if it is known"
        = |row| row.text("method");
    "method_number" SmallInteger "the number of the method, if its name is not known"
        = |row| row.number("method");
    "method_own" Flag "whether the method is from `rpc_config()` of the node instead of its script; null if there is no method"
        = |row| row.field("method").map(|_| row.flag("own") == Some(true));
    "scene" Text "the scene of a spawned node, and in calls and in states of one node the scene of the spawned or added node around it, known with a project"
        = |row| row.text("scene_path");
    "digest" Text "the MD5 of the names of a node's methods, in a `simplify_path` of Godot 4"
        = |row| row.text("md5");
    "confirmed" Flag "in a `confirm_path` of Godot 4: whether both ends have the same methods"
        = |row| row.flag("valid");
    "value" Text "the value as plain JSON"
        = |row| row.value.map(|value| json(move |json| write_value(value, Spelling::Plain, json)));
    "arguments" Text "the arguments of a call or of a debugger's command, the value that is set, or the values of a node's state, as a JSON array"
        = |row| row.arguments();
    "properties" Text "the values of a node's state by the names of its properties, as a JSON object, known with a project"
        = |row| row.properties();
    "rpc" Text "all fields of a packet of the multiplayer API, as the JSON object `rpc` of `--format ndjson`"
        = |row| row.packet();
    "bytes" Bytes "the bytes of the message" = |row| row.bytes;
}
