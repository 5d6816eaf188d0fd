//! Writes packets as JSON.

use super::arguments::{Argument, Arguments, Form};
use super::context::Context;
use super::display::places;
use super::packet::{Method, Node, Packet, Spawn, State, States, Synchronizer};
use crate::encode::encode;
use crate::kind::Kind;
use json_event_parser::{JsonEvent, WriterJsonSerializer};
use std::fmt::{self, Display, Write as _};
use std::io;

/// Whether the JSON of a packet has the bytes of its values in addition to the values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum ArgumentBytes {
    /// Without the bytes.
    #[default]
    Omitted,
    /// With the bytes: `args_hex`, and `state_hex` in a spawn, are lists of strings of lowercase
    /// hexadecimal digits, one for each value in its plain form.
    Hex,
}

/// Writes a packet as a JSON object, in many small writes: `out` should be buffered.
///
/// Values are written like in [`mod@crate::json`]. Unknown paths and names are null.
///
/// | `command` | fields |
/// |---|---|
/// | `call` | `id` if there is one, `path`, `method` (a name or a number), `own` (true, for a number from `rpc_config()`), `args` |
/// | `set` | as a call; `args` is one value |
/// | `simplify_path` | `id`, `path`, `md5` (Godot 4) |
/// | `confirm_path` | `id` if there is one, `path`, `valid` (Godot 4) |
/// | `raw` | `args`: one byte array |
/// | `spawn` | `id` and `path` of the spawner, `scene` (null if there is an argument), `net_id`, `name`, `synchronizers` (their net ids), `args` (the argument, if there is one), `state` |
/// | `despawn` | `net_id`, `name` |
/// | `sync` | `time`, `states` |
/// | `delta` | `states`, each with `changed`: the indexes of its properties among the watched ones |
/// | `relay` | `peer`, `rpc`: the relayed packet |
/// | `peer_added`, `peer_removed` | `peer` |
/// | `auth` | `bytes`: lowercase hexadecimal digits |
///
/// A state has `id` and `path`, or `net_id`, `name` and `spawner` (a path), and `args`.
///
/// With a [project](super::Names), a spawn also has `scene_path` and `node` (the path of the spawned
/// node), and a state its `path`, each if it is known. `properties` is an object of the values in
/// `state` or `args` by the names of their properties, in the order of the packet.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{ArgumentBytes, Context, Protocol, parse, write_json};
///
/// let packet = parse(Protocol::Godot4, Dialect::GODOT_4, &[0, 2, 1, 1, 0x42, 0xa9, 0])?;
/// let mut line = Vec::new();
/// write_json(&packet, Context::new(), ArgumentBytes::Hex, &mut line)?;
/// assert_eq!(
///     String::from_utf8(line)?,
///     r#"{"command":"call","id":2,"path":null,"method":1,"args":["i:169"],"args_hex":["02000000a9000000"]}"#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of `out`.
pub fn write_json(
    packet: &Packet<'_>,
    context: Context<'_>,
    bytes: ArgumentBytes,
    out: impl io::Write,
) -> io::Result<()> {
    let mut serializer = WriterJsonSerializer::new(out);
    let mut writer = Writer { serializer: &mut serializer, bytes, context, buffer: String::new() };
    writer.begin(packet)?;
    match packet {
        Packet::Relay(relay) => {
            writer.number("peer", relay.peer())?;
            writer.key("rpc")?;
            writer.context = context.relayed();
            let relayed = relay.packet();
            writer.begin(&relayed)?;
            writer.fields(&relayed)?;
            writer.put(JsonEvent::EndObject)?;
        }
        packet => writer.fields(packet)?,
    }
    writer.put(JsonEvent::EndObject)?;
    serializer.finish().map(drop)
}

struct Writer<'s, 'c, W: io::Write> {
    serializer: &'s mut WriterJsonSerializer<W>,
    bytes: ArgumentBytes,
    context: Context<'c>,
    /// A buffer for the text of one number or string.
    buffer: String,
}

impl<W: io::Write> Writer<'_, '_, W> {
    fn begin(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        self.put(JsonEvent::StartObject)?;
        self.text("command", Some(packet.command()))
    }

    /// Writes the fields of a packet that is not a relay.
    fn fields(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        match *packet {
            Packet::Call(call) => {
                let path = self.context.path(call.node);
                self.node(call.node, path)?;
                match self.context.method(call.node, call.method).map_or(call.method, Method::Name)
                {
                    Method::Name(name) => self.text("method", Some(name))?,
                    Method::Number { index, .. } => self.number("method", index)?,
                }
                if let Method::Number { is_own: true, .. } = call.method {
                    self.flag("own", true)?;
                }
                self.values("args", "args_hex", call.arguments)
            }
            Packet::Set(set) => {
                self.node(set.node, self.context.path(set.node))?;
                self.text("method", Some(set.property))?;
                self.values("args", "args_hex", set.value)
            }
            Packet::SimplifyPath(simplify) => {
                self.number("id", simplify.id)?;
                self.text("path", Some(simplify.path))?;
                match simplify.md5 {
                    Some(md5) => self.text("md5", Some(md5)),
                    None => Ok(()),
                }
            }
            Packet::ConfirmPath(confirm) => {
                self.node(confirm.node, self.context.confirmed_path(confirm.node))?;
                match confirm.is_valid {
                    Some(is_valid) => self.flag("valid", is_valid),
                    None => Ok(()),
                }
            }
            Packet::Raw(raw) => self.values("args", "args_hex", [raw.argument()]),
            Packet::Spawn(spawn) => self.spawn(&spawn),
            Packet::Despawn { net_id } => self.net_id(net_id),
            Packet::Sync(sync) => {
                self.number("time", sync.time)?;
                self.states(sync.states)
            }
            Packet::Delta(states) => self.states(states),
            Packet::PeerAdded { peer } | Packet::PeerRemoved { peer } => self.number("peer", peer),
            Packet::Auth(content) => {
                self.key("bytes")?;
                self.digits(content)
            }
            // A relay never contains another one.
            Packet::Relay(relay) => self.number("peer", relay.peer()),
        }
    }

    fn spawn(&mut self, spawn: &Spawn<'_>) -> io::Result<()> {
        let spawner = Node::Id(spawn.spawner);
        self.node(spawner, self.context.path(spawner))?;
        match spawn.scene {
            Some(scene) => self.number("scene", scene)?,
            None => {
                self.key("scene")?;
                self.put(JsonEvent::Null)?;
            }
        }
        if let Some(path) = self.context.scene_path(spawn) {
            self.text("scene_path", Some(path))?;
        }
        self.number("net_id", spawn.net_id)?;
        self.text("name", Some(spawn.name))?;
        if let Some(path) = self.context.spawned_path(spawn) {
            self.text("node", Some(&path))?;
        }
        self.list("synchronizers")?;
        for id in spawn.synchronizers.iter() {
            self.bare_number(id)?;
        }
        self.put(JsonEvent::EndArray)?;
        self.values("args", "args_hex", spawn.argument)?;
        self.values("state", "state_hex", spawn.state)?;
        match self.context.spawn_properties(spawn) {
            Some(names) if !spawn.state.is_empty() => self.properties(names, spawn.state),
            _ => Ok(()),
        }
    }

    /// Writes values by the names of their properties.
    fn properties<'p>(
        &mut self,
        names: impl Iterator<Item = &'p str>,
        values: Arguments<'_>,
    ) -> io::Result<()> {
        self.key("properties")?;
        self.put(JsonEvent::StartObject)?;
        for (name, value) in names.zip(values) {
            self.key(name)?;
            self.value(value)?;
        }
        self.put(JsonEvent::EndObject)
    }

    fn states(&mut self, states: States<'_>) -> io::Result<()> {
        self.list("states")?;
        for state in states {
            let State { synchronizer, changed, values } = state;
            self.put(JsonEvent::StartObject)?;
            match synchronizer {
                Synchronizer::PathId(id) => {
                    self.node(Node::Id(id), self.context.path(Node::Id(id)))?;
                }
                Synchronizer::NetId(id) => {
                    self.net_id(id)?;
                    let spawned = self.context.spawned(id);
                    self.text("spawner", spawned.and_then(|spawned| spawned.spawner))?;
                    if let Some(path) = self.context.synchronizer_path(synchronizer) {
                        self.key("path")?;
                        self.format(format_args!("{path}"));
                        self.put_text()?;
                    }
                }
            }
            if let Some(bits) = changed {
                self.list("changed")?;
                for place in places(bits) {
                    self.bare_number(place)?;
                }
                self.put(JsonEvent::EndArray)?;
            }
            self.values("args", "args_hex", values)?;
            if let Some(names) = self.context.state_properties(&state) {
                self.properties(names, values)?;
            }
            self.put(JsonEvent::EndObject)?;
        }
        self.put(JsonEvent::EndArray)
    }

    /// Writes a node: its id if the packet has it, and its path if it is known.
    fn node(&mut self, node: Node<'_>, path: Option<&str>) -> io::Result<()> {
        if let Node::Id(id) = node {
            self.number("id", id)?;
        }
        self.text("path", path)
    }

    fn net_id(&mut self, net_id: u32) -> io::Result<()> {
        self.number("net_id", net_id)?;
        self.text("name", self.context.spawned_name(net_id))
    }

    fn values<'v>(
        &mut self,
        field: &str,
        hex: &str,
        values: impl IntoIterator<Item = Argument<'v>> + Copy,
    ) -> io::Result<()> {
        self.list(field)?;
        for value in values {
            self.value(value)?;
        }
        self.put(JsonEvent::EndArray)?;
        if self.bytes == ArgumentBytes::Omitted {
            return Ok(());
        }
        self.list(hex)?;
        for value in values {
            match value.form() {
                Form::Value(value) => self.digits(value.as_bytes())?,
                _ => self.digits(&encode(value.dialect(), &value).map_err(io::Error::other)?)?,
            }
        }
        self.put(JsonEvent::EndArray)
    }

    fn value(&mut self, value: Argument<'_>) -> io::Result<()> {
        match value.form() {
            Form::Value(value) => crate::json::write_events(value, self.serializer),
            Form::Bool(content) => self.put(JsonEvent::Boolean(content)),
            Form::Int(content) => {
                self.format(format_args!("i:{content}"));
                self.put_text()
            }
            Form::Bytes(content) => {
                self.put(JsonEvent::StartObject)?;
                self.text("type", Some(Kind::PackedByteArray.name()))?;
                self.list("args")?;
                for byte in content {
                    self.bare_number(byte)?;
                }
                self.put(JsonEvent::EndArray)?;
                self.put(JsonEvent::EndObject)
            }
        }
    }

    /// Writes bytes as a string of hexadecimal digits.
    fn digits(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.clear();
        for byte in bytes {
            let _ = write!(self.buffer, "{byte:02x}");
        }
        self.put_text()
    }

    fn put(&mut self, event: JsonEvent<'_>) -> io::Result<()> {
        self.serializer.serialize_event(event)
    }

    fn format(&mut self, content: fmt::Arguments<'_>) {
        self.buffer.clear();
        // Writing to memory cannot fail.
        let _ = self.buffer.write_fmt(content);
    }

    /// Writes the buffer as a string.
    fn put_text(&mut self) -> io::Result<()> {
        self.serializer.serialize_event(JsonEvent::String(self.buffer.as_str().into()))
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        self.put(JsonEvent::ObjectKey(name.into()))
    }

    fn list(&mut self, field: &str) -> io::Result<()> {
        self.key(field)?;
        self.put(JsonEvent::StartArray)
    }

    /// Writes a string, or null.
    fn text(&mut self, field: &str, content: Option<&str>) -> io::Result<()> {
        self.key(field)?;
        self.put(content.map_or(JsonEvent::Null, |content| JsonEvent::String(content.into())))
    }

    fn flag(&mut self, field: &str, content: bool) -> io::Result<()> {
        self.key(field)?;
        self.put(JsonEvent::Boolean(content))
    }

    fn number(&mut self, field: &str, number: impl Display) -> io::Result<()> {
        self.key(field)?;
        self.bare_number(number)
    }

    fn bare_number(&mut self, number: impl Display) -> io::Result<()> {
        self.format(format_args!("{number}"));
        self.serializer.serialize_event(JsonEvent::Number(self.buffer.as_str().into()))
    }
}
