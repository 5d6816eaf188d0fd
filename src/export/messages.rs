//! The table of messages, one row for each.

use super::builder::{Rows, rows};
use super::cell::Cell;
use super::cell::ColumnType::{self, Bytes, Flag, Integer, SmallInteger, Text, Time};
use super::column::Column;
use super::ends;
use super::fields::Fields;
use crate::debugger::Command;
use crate::dialect::Dialect;
use crate::follow::{Content, Message};
use crate::json::Spelling;
use crate::json::write_value;
use crate::multiplayer::fields::Values;
use crate::multiplayer::{Packet, Writer};
use crate::view::VariantRef;
use std::cell::OnceCell;

/// A message, or a value from a file that is not a capture.
pub(super) struct Row<'r> {
    file: &'r str,
    offset: u64,
    bytes: &'r [u8],
    message: Option<&'r Message<'r>>,
    value: Option<VariantRef<'r>>,
    packet: Option<&'r Packet<'r>>,
    dialect: Option<Dialect>,
    /// Computed when a column first needs them.
    fields: OnceCell<Fields<'r>>,
}

/// The rows of the table of messages.
#[derive(Debug)]
pub(super) struct Messages;

impl<'r> Row<'r> {
    pub(super) fn message(file: &'r str, message: &'r Message<'r>) -> Row<'r> {
        let (value, packet) = match &message.content {
            Content::Value(value) => (Some(*value), None),
            Content::Packet(packet) => (None, Some(packet)),
            Content::Debugger(_) => (None, None),
        };
        Row {
            file,
            offset: message.offset,
            bytes: message.bytes,
            message: Some(message),
            value,
            packet,
            dialect: Some(message.dialect),
            fields: OnceCell::new(),
        }
    }

    pub(super) fn value(file: &'r str, offset: u64, value: VariantRef<'r>) -> Row<'r> {
        Row {
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

    fn fields(&self) -> &Fields<'r> {
        self.fields.get_or_init(|| match (self.packet, self.message, self.debugger()) {
            (Some(packet), Some(message), _) => Fields::of(packet, message.context()),
            (_, _, Some(Command { name, arguments, .. })) => Fields {
                method: Some(name),
                arguments: Some(Values::Arguments(*arguments)),
                ..Fields::default()
            },
            _ => Fields::default(),
        })
    }

    fn debugger(&self) -> Option<&'r Command<'r>> {
        match &self.message?.content {
            Content::Debugger(command) => Some(command),
            _ => None,
        }
    }

    /// Fills a cell with something that only messages of captures have.
    fn with<T>(&self, get: impl FnOnce(&'r Message<'r>) -> Option<T>, fill: impl FnOnce(T)) {
        if let Some(content) = self.message.and_then(get) {
            fill(content);
        }
    }
}

rows!(Messages, Row);

const COLUMNS: &[Filled] = &[
    column("file", Text, "the name of the input", |row, cell| cell.text(row.file)),
    column(
        "frame",
        Integer,
        "the number of the message's last packet in the capture, from 1: Wireshark's `frame.number`",
        |row, cell| {
            ends::frame(row.message.map(|it| it.place), cell);
        },
    ),
    column("first_frame", Integer, "the number of its first packet", |row, cell| {
        row.with(|it| Some(it.place.first_frame()), |frame| cell.integer(frame));
    }),
    column(
        "time",
        Time,
        "when that packet was captured, rounded down to microseconds",
        |row, cell| {
            ends::time(row.message.and_then(|it| it.place.time), cell);
        },
    ),
    column(
        "time_ns",
        Integer,
        "the same time in nanoseconds since the start of 1970, UTC, without rounding",
        |row, cell| {
            ends::nanoseconds(row.message.and_then(|it| it.place.time), cell);
        },
    ),
    column("transport", Text, "`udp`, `tcp`, `enet` or `websocket`", |row, cell| {
        ends::transport(row.message.map(|it| it.origin), cell);
    }),
    column("src_address", Text, "the IP address of the sender", |row, cell| {
        ends::address(row.message.map(|it| it.origin.src()), cell);
    }),
    column("src_port", SmallInteger, "the UDP or TCP port of the sender", |row, cell| {
        ends::port(row.message.map(|it| it.origin.src()), cell);
    }),
    column("dst_address", Text, "the IP address of the receiver", |row, cell| {
        ends::address(row.message.map(|it| it.origin.dst()), cell);
    }),
    column("dst_port", SmallInteger, "the UDP or TCP port of the receiver", |row, cell| {
        ends::port(row.message.map(|it| it.origin.dst()), cell);
    }),
    column(
        "connection",
        Integer,
        "the number of the connection in its file, from 1",
        |row, cell| {
            ends::connection(row.message.map(|it| it.origin), cell);
        },
    ),
    column(
        "direction",
        Text,
        "`to_server` or `to_client`; null if it is not known which end opened the connection",
        |row, cell| {
            let origin = row.message.map(|it| it.origin);
            ends::direction(origin.map(|it| it.from), origin.and_then(|it| it.client), cell);
        },
    ),
    column("channel", SmallInteger, "the ENet channel", |row, cell| {
        row.with(|it| it.channel, |channel| cell.integer(channel));
    }),
    column(
        "mode",
        Text,
        "how the message was sent over ENet: `reliable`, `unreliable` or `unreliable_ordered`",
        |row, cell| {
            row.with(|it| it.mode, |mode| cell.text(mode.godot_name()));
        },
    ),
    column(
        "source_peer",
        SmallInteger,
        "the multiplayer id of the sender: 1 is the server",
        |row, cell| {
            row.with(|it| it.peers.source, |peer| cell.integer(peer));
        },
    ),
    column(
        "target_peer",
        SmallInteger,
        "the multiplayer id of the receiver: 0 means all peers, a negative id all except that peer",
        |row, cell| {
            row.with(|it| it.peers.target, |peer| cell.integer(peer));
        },
    ),
    column(
        "offset",
        Integer,
        "where the message starts, in bytes: in its datagram over UDP and ENet, in its stream over TCP and WebSocket, in the file if that is not a capture",
        |row, cell| {
            cell.integer(row.offset);
        },
    ),
    column("len", Integer, "the bytes of the message, without headers", |row, cell| {
        cell.integer(row.bytes.len() as u64);
    }),
    column(
        "wire_len",
        Integer,
        "the bytes on the network of the frames that carried it, headers included; a frame with several messages counts for each of them",
        |row, cell| {
            row.with(|it| it.place.wire_bytes(), |bytes| cell.integer(bytes));
        },
    ),
    column(
        "dialect",
        Text,
        "how the message's values are encoded: `godot3`, `godot4`, `pandemonium4` or `pandemonium5`",
        |row, cell| {
            if let Some(dialect) = row.dialect {
                cell.text(dialect.name());
            }
        },
    ),
    column(
        "kind",
        Text,
        "the kind of a value, such as `Dictionary`; null for packets of the multiplayer API",
        |row, cell| {
            if let Some(value) = row.value {
                cell.text(value.kind().name());
            }
        },
    ),
    column(
        "command",
        Text,
        "what a packet of the multiplayer API does, such as `call`, or `debugger` for a message of the remote debugger; null for values",
        |row, cell| {
            if let Some(packet) = row.packet {
                cell.text(packet.command());
            } else if row.debugger().is_some() {
                cell.text(Command::COMMAND);
            }
        },
    ),
    column(
        "path",
        Text,
        "the path of the node; null if it is not known, or if the packet is about several nodes",
        |row, cell| {
            if let Some(path) = &row.fields().path {
                cell.text(path);
            }
        },
    ),
    column(
        "path_id",
        Integer,
        "the number that the sender announced for the path, if the packet has it",
        |row, cell| {
            if let Some(id) = row.fields().path_id {
                cell.integer(id);
            }
        },
    ),
    column(
        "node",
        Text,
        "the path of the node that is spawned or despawned, known with a project",
        |row, cell| {
            if let Some(node) = &row.fields().node {
                cell.text(node);
            }
        },
    ),
    column("net_id", Integer, "the number of a spawned node", |row, cell| {
        if let Some(id) = row.fields().net_id {
            cell.integer(id);
        }
    }),
    column(
        "method",
        Text,
        "the name of the called method, of the property that is set, or of the debugger's command, if it is known",
        |row, cell| {
            if let Some(method) = row.fields().method {
                cell.text(method);
            }
        },
    ),
    column(
        "method_number",
        SmallInteger,
        "the number of the method, if its name is not known",
        |row, cell| {
            if let Some(number) = row.fields().method_number {
                cell.integer(number);
            }
        },
    ),
    column(
        "method_own",
        Flag,
        "whether the method is from `rpc_config()` of the node instead of its script; null if there is no method",
        |row, cell| {
            let Fields { method, method_number, is_own, .. } = row.fields();
            if method.is_some() || method_number.is_some() {
                cell.flag(*is_own);
            }
        },
    ),
    column(
        "scene",
        Text,
        "the scene that a node is spawned from, known with a project",
        |row, cell| {
            if let Some(scene) = row.fields().scene {
                cell.text(scene);
            }
        },
    ),
    column(
        "digest",
        Text,
        "the MD5 of the names of a node's methods, in a `simplify_path` of Godot 4",
        |row, cell| {
            if let Some(digest) = row.fields().digest {
                cell.text(digest);
            }
        },
    ),
    column(
        "confirmed",
        Flag,
        "in a `confirm_path` of Godot 4: whether both ends have the same methods",
        |row, cell| {
            if let Some(is_confirmed) = row.fields().is_confirmed {
                cell.flag(is_confirmed);
            }
        },
    ),
    column("value", Text, "the value as plain JSON", |row, cell| {
        if let Some(value) = row.value {
            cell.json(|json| write_value(value, Spelling::Plain, json));
        }
    }),
    column(
        "arguments",
        Text,
        "the arguments of a call or of a debugger's command, the value that is set, or the values of a node's state, as a JSON array",
        |row, cell| {
            if let Some(values) = row.fields().arguments {
                row.with(
                    |it| Some(it.context()),
                    |context| {
                        cell.json(|json| Writer::plain(json, context).list(values));
                    },
                );
            }
        },
    ),
    column(
        "properties",
        Text,
        "the values of a node's state by the names of its properties, as a JSON object, known with a project",
        |row, cell| {
            if let Some((names, values)) = &row.fields().properties {
                row.with(
                    |it| Some(it.context()),
                    |context| {
                        cell.json(|json| Writer::plain(json, context).properties(names, *values));
                    },
                );
            }
        },
    ),
    column(
        "rpc",
        Text,
        "all fields of a packet of the multiplayer API, as the JSON object `rpc` of `--format ndjson`",
        |row, cell| {
            if let Some(packet) = row.packet {
                row.with(
                    |it| Some(it.context()),
                    |context| {
                        cell.json(|json| Writer::plain(json, context).packet(packet));
                    },
                );
            }
        },
    ),
    column("bytes", Bytes, "the bytes of the message", |row, cell| cell.bytes(row.bytes)),
];
