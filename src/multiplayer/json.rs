//! Writes packets as JSON.

use super::arguments::{Argument, Form};
use super::context::Context;
use super::display::places;
use super::fields::{self, Field, Values};
use super::packet::Packet;
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
/// With a [project](super::Names), a spawn also has `scene_path`, a spawn and a despawn have `node` (the
/// path of the node), and a state has its `path`, each if it is known. `properties` is an object of the values in
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
    writer.packet(packet)?;
    serializer.finish().map(drop)
}

struct Writer<'s, 'c, W: io::Write> {
    serializer: &'s mut WriterJsonSerializer<W>,
    bytes: ArgumentBytes,
    context: Context<'c>,
    /// A buffer for the text of one number or string.
    buffer: String,
}

impl<'c, W: io::Write> Writer<'_, 'c, W> {
    fn packet<'a>(&mut self, packet: &Packet<'a>) -> io::Result<()>
    where
        'c: 'a,
    {
        let context = self.context;
        self.put(JsonEvent::StartObject)?;
        fields::packet(packet, context, &mut |name, field| self.field(name, field))?;
        self.put(JsonEvent::EndObject)
    }

    fn field(&mut self, name: &str, field: Field<'_>) -> io::Result<()> {
        self.key(name)?;
        match field {
            Field::Null | Field::Text(None) => self.put(JsonEvent::Null),
            Field::Flag(content) => self.put(JsonEvent::Boolean(content)),
            Field::Number(number) => self.number(number),
            Field::Text(Some(text)) => self.put(JsonEvent::String(text.into())),
            Field::Shown(text) => self.put(JsonEvent::String(text.into())),
            Field::Digits(content) => self.digits(content),
            Field::Properties(names, values) => {
                self.put(JsonEvent::StartObject)?;
                for (name, value) in names.iter().zip(values) {
                    self.key(name)?;
                    self.value(value)?;
                }
                self.put(JsonEvent::EndObject)
            }
            Field::Values(values) => self.values(name, values),
            Field::NetIds(ids) => self.numbers(ids.iter()),
            Field::Places(bits) => self.numbers(places(bits)),
            Field::States(states) => {
                self.put(JsonEvent::StartArray)?;
                for state in states {
                    let context = self.context;
                    self.put(JsonEvent::StartObject)?;
                    fields::state(&state, context, &mut |name, field| self.field(name, field))?;
                    self.put(JsonEvent::EndObject)?;
                }
                self.put(JsonEvent::EndArray)
            }
            Field::Relayed(packet) => {
                // A relay never contains another one.
                self.context = self.context.relayed();
                self.packet(&packet)
            }
        }
    }

    /// Writes the values of a field, and its companion with their bytes.
    fn values(&mut self, name: &str, values: Values<'_>) -> io::Result<()> {
        self.put(JsonEvent::StartArray)?;
        for value in values.iter() {
            self.value(value)?;
        }
        self.put(JsonEvent::EndArray)?;
        if self.bytes == ArgumentBytes::Omitted {
            return Ok(());
        }
        self.put(JsonEvent::ObjectKey(format!("{name}_hex").into()))?;
        self.put(JsonEvent::StartArray)?;
        for value in values.iter() {
            match value.form() {
                Form::Value(value) => self.digits(value.as_bytes())?,
                _ => self.digits(&encode(value.dialect(), &value).map_err(io::Error::other)?)?,
            }
        }
        self.put(JsonEvent::EndArray)
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = u32>) -> io::Result<()> {
        self.put(JsonEvent::StartArray)?;
        for number in numbers {
            self.number(number)?;
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
                self.key("type")?;
                self.put(JsonEvent::String(Kind::PackedByteArray.name().into()))?;
                self.key("args")?;
                self.numbers(content.iter().map(|byte| u32::from(*byte)))?;
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

    fn number(&mut self, number: impl Display) -> io::Result<()> {
        self.format(format_args!("{number}"));
        self.serializer.serialize_event(JsonEvent::Number(self.buffer.as_str().into()))
    }
}
