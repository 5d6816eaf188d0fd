//! Writes packets as JSON.

use super::arguments::{Argument, Arguments};
use super::context::Context;
use super::display::places;
use super::fields::{self, Field, Hand, Values};
use super::form::Form;
use super::packet::Packet;
use crate::format::json::emit::Emitter;
use crate::format::json::{self, Spelling};
use crate::value::Kind;
use crate::write::encode::encode;
use std::{fmt, io};

/// Whether the JSON of a packet has the bytes of its values in addition to the values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum ArgumentBytes {
    /// Without the bytes.
    #[default]
    Omitted,
    /// With the bytes: `args_hex`, and `state_hex` in a spawn, are lists of strings of lowercase
    /// hexadecimal digits, one for each value, as `var_to_bytes` writes it.
    Hex,
}

/// Writes a packet as a JSON object, in blocks of up to 512 bytes.
///
/// Values are written as in [`mod@crate::json`], in the spelling `spelling`. Unknown paths and
/// names are null.
///
/// | `command` | fields |
/// |---|---|
/// | `call` | `id` if there is one, `path`, `script` (`res://…`, if the path is unknown and only this script of a project fits all calls), `method` (a name or a number), `own` (true, for a number from `rpc_config()`), `args` |
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
/// With a [project](super::Names), there are more fields, each if it is known:
///
/// | in | field | content |
/// |---|---|---|
/// | spawns and despawns | `node` | the path of the node |
/// | spawns | `scene_path` | the scene of the node: the path of its file, `res://…` |
/// | calls and states | `scene_path` | the same for the innermost node around theirs that was spawned or that a script has made |
/// | beside `scene_path` | `scene_from` | what that scene is known from: the [name](super::SceneBasis::name) of a [`SceneBasis`](super::SceneBasis) |
/// | states | `path` | the path of the synchronizer |
/// | spawns and states | `properties` | an object of the values in `state` or `args` by the names of their properties, in the order of the packet. If several scenes fit and call a property differently, its place stands for its name: `#0` for the first value |
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::json::Spelling;
/// use gdwire::multiplayer::{ArgumentBytes, Context, Protocol, parse, write_json};
///
/// let packet = parse(Protocol::Godot4, Dialect::GODOT_4, &[0, 2, 1, 1, 0x42, 0xa9, 0])?;
/// let mut line = Vec::new();
/// write_json(&packet, Context::new(), Spelling::Plain, ArgumentBytes::Hex, &mut line)?;
/// assert_eq!(
///     String::from_utf8(line)?,
///     r#"{"command":"call","id":2,"path":null,"method":1,"args":[169],"args_hex":["02000000a9000000"]}"#
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
    spelling: Spelling,
    bytes: ArgumentBytes,
    out: impl io::Write,
) -> io::Result<()> {
    Emitter::to_io(out, |json| Writer { json, spelling, bytes, context }.packet(packet))
}

/// Writes an object with the fields that a function passes on.
pub(crate) fn object<'a>(
    spelling: Spelling,
    bytes: ArgumentBytes,
    out: impl io::Write,
    fields: impl FnOnce(Hand<'_, 'a, fmt::Error>) -> fmt::Result,
) -> io::Result<()> {
    Emitter::to_io(out, |json| {
        json.open("{")?;
        let mut writer = Writer { json, spelling, bytes, context: Context::new() };
        fields(&mut |name, field| writer.field(name, field))?;
        writer.json.close("}")
    })
}

/// Writes packets, and parts of them.
pub(crate) struct Writer<'e, 'o, 'c> {
    json: &'e mut Emitter<'o>,
    spelling: Spelling,
    bytes: ArgumentBytes,
    context: Context<'c>,
}

#[cfg(feature = "export")]
impl<'e, 'o, 'c> Writer<'e, 'o, 'c> {
    /// Writes plain JSON.
    pub(crate) const fn plain(json: &'e mut Emitter<'o>, context: Context<'c>) -> Self {
        Writer { json, spelling: Spelling::Plain, bytes: ArgumentBytes::Omitted, context }
    }
}

impl<'c> Writer<'_, '_, 'c> {
    /// Writes a packet as an object.
    pub(crate) fn packet<'a>(&mut self, packet: &Packet<'a>) -> fmt::Result
    where
        'c: 'a,
    {
        let context = self.context;
        self.json.open("{")?;
        fields::packet(packet, context, &mut |name, field| self.field(name, field))?;
        self.json.close("}")
    }

    fn field(&mut self, name: &str, field: Field<'_>) -> fmt::Result {
        self.json.key(name)?;
        match field {
            Field::Null | Field::Text(None) => self.json.null(),
            Field::Flag(content) => self.json.bool(content),
            Field::Number(number) => self.json.int(number),
            Field::Text(Some(text)) => self.json.string(text),
            Field::Shown(text) => self.json.string(&text),
            Field::Digits(content) => self.json.digits(content),
            Field::Properties(names, values) => self.properties(&names, values),
            Field::Values(values) => self.values(name, values),
            Field::NetIds(ids) => self.numbers(ids.iter()),
            Field::Places(bits) => self.numbers(places(bits)),
            Field::States(states) => {
                self.json.open("[")?;
                for state in states {
                    let context = self.context;
                    self.json.separate()?;
                    self.json.open("{")?;
                    fields::state(&state, context, &mut |name, field| self.field(name, field))?;
                    self.json.close("}")?;
                }
                self.json.close("]")
            }
            Field::Relayed(packet) => {
                // A relay never contains another one.
                self.context = self.context.relayed();
                self.packet(&packet)
            }
        }
    }

    /// Writes an object with the names of properties and their values.
    pub(crate) fn properties(&mut self, names: &[&str], values: Arguments<'_>) -> fmt::Result {
        self.json.open("{")?;
        for (name, value) in names.iter().zip(values) {
            self.json.key(name)?;
            self.value(value)?;
        }
        self.json.close("}")
    }

    /// Writes an array of values.
    pub(crate) fn list(&mut self, values: Values<'_>) -> fmt::Result {
        self.json.open("[")?;
        for value in values.iter() {
            self.json.separate()?;
            self.value(value)?;
        }
        self.json.close("]")
    }

    /// Writes the values of a field, and their bytes as another field if they are wanted.
    fn values(&mut self, name: &str, values: Values<'_>) -> fmt::Result {
        self.list(values)?;
        if self.bytes == ArgumentBytes::Omitted {
            return Ok(());
        }
        self.json.key(&format!("{name}_hex"))?;
        self.json.open("[")?;
        for value in values.iter() {
            self.json.separate()?;
            match value.form() {
                Form::Value(value) => self.json.digits(value.as_bytes())?,
                _ => {
                    let bytes = encode(value.dialect(), &value).map_err(|_| fmt::Error)?;
                    self.json.digits(&bytes)?;
                }
            }
        }
        self.json.close("]")
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = impl itoa::Integer>) -> fmt::Result {
        self.json.open("[")?;
        for number in numbers {
            self.json.separate()?;
            self.json.int(number)?;
        }
        self.json.close("]")
    }

    fn value(&mut self, value: Argument<'_>) -> fmt::Result {
        match (value.form(), self.spelling) {
            (Form::Value(value), spelling) => json::write_value(value, spelling, self.json),
            (Form::Bool(content), _) => self.json.bool(content),
            (Form::Int(content), Spelling::Native) => {
                self.json.raw("\"i:")?;
                self.json.int(content)?;
                self.json.raw("\"")
            }
            (Form::Int(content), Spelling::Plain) => self.json.int(content),
            (Form::Bytes(content), Spelling::Plain) => self.json.digits(content),
            (Form::Bytes(content), Spelling::Native) => {
                self.json.open("{")?;
                self.json.key("type")?;
                self.json.string(Kind::PackedByteArray.name())?;
                self.json.key("args")?;
                self.numbers(content.iter().copied())?;
                self.json.close("}")
            }
        }
    }
}
