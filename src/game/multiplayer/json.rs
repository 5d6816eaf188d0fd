//! The fields of a packet, as programs see them in JSON and in expressions, and the JSON.

use super::arguments::{Argument, Arguments, Form};
use super::context::{Context, KnownScene};
use super::display::places;

use super::packet::{Method, NetIds, Node, Packet, Spawn, State, States, Synchronizer};
use crate::format::json::emit::Emitter;
use crate::format::json::{self, Spelling};
use crate::value::Kind;
use crate::write::encode::encode;
use std::rc::Rc;
use std::{fmt, io};

/// The content of a field.
#[derive(Clone)]
pub(crate) enum PacketField<'a> {
    Null,
    Flag(bool),
    Number(i64),
    /// A text, or null.
    Text(Option<&'a str>),
    /// A text that was composed from several parts.
    Shown(String),
    /// An object with the names of properties and their values.
    Properties(Rc<[&'a str]>, Arguments<'a>),
    /// Bytes, as hexadecimal digits.
    Digits(&'a [u8]),
    Values(FieldValues<'a>),
    NetIds(NetIds<'a>),
    /// The indexes of the bits that are set.
    Places(u64),
    States(States<'a>),
    /// The packet in a relay. Its names are those of [`Context::relayed`].
    Relayed(Packet<'a>),
}

/// A list of values.
#[derive(Clone, Copy)]
pub(crate) enum FieldValues<'a> {
    Arguments(Arguments<'a>),
    One(Argument<'a>),
}

impl<'a> FieldValues<'a> {
    pub(crate) fn iter(self) -> impl Iterator<Item = Argument<'a>> {
        let (arguments, one) = match self {
            FieldValues::Arguments(arguments) => (Some(arguments), None),
            FieldValues::One(argument) => (None, Some(argument)),
        };
        arguments.into_iter().flatten().chain(one)
    }
}

/// A function that takes the fields, in the order of the JSON. An error ends the visit.
pub(crate) type Hand<'h, 'a, E> = &'h mut dyn FnMut(&'static str, PacketField<'a>) -> Result<(), E>;

/// Passes the fields of a packet to a function.
pub(crate) fn packet_fields<'a, E>(
    packet: &Packet<'a>,
    context: Context<'a>,
    hand: Hand<'_, 'a, E>,
) -> Result<(), E> {
    hand("command", PacketField::Text(Some(packet.command())))?;
    match *packet {
        Packet::Call(call) => {
            let path = context.path(call.node);
            node(call.node, path, hand)?;
            scene(context.scene_of_node(call.node), hand)?;
            if let Some(script) = context.script(call.node) {
                hand("script", PacketField::Text(Some(script)))?;
            }
            match context.method(call.node, call.method).map_or(call.method, Method::Name) {
                Method::Name(name) => hand("method", PacketField::Text(Some(name)))?,
                Method::Number { index, .. } => hand("method", PacketField::Number(index.into()))?,
            }
            if let Method::Number { is_own: true, .. } = call.method {
                hand("own", PacketField::Flag(true))?;
            }
            hand("args", arguments(call.arguments))
        }
        Packet::Set(set) => {
            node(set.node, context.path(set.node), hand)?;
            hand("method", PacketField::Text(Some(set.property)))?;
            hand("args", arguments(set.value))
        }
        Packet::SimplifyPath(simplify) => {
            hand("id", PacketField::Number(simplify.id.into()))?;
            hand("path", PacketField::Text(Some(simplify.path)))?;
            simplify.md5.map_or(Ok(()), |md5| hand("md5", PacketField::Text(Some(md5))))
        }
        Packet::ConfirmPath(confirm) => {
            node(confirm.node, context.confirmed_path(confirm.node), hand)?;
            confirm.is_valid.map_or(Ok(()), |is_valid| hand("valid", PacketField::Flag(is_valid)))
        }
        Packet::Raw(raw) => hand("args", PacketField::Values(FieldValues::One(raw.argument()))),
        Packet::Spawn(packet) => spawn(&packet, context, hand),
        Packet::Despawn { net_id } => {
            spawned(net_id, context, hand)?;
            match context.node_of(net_id) {
                Some(path) => hand("node", PacketField::Text(Some(path))),
                None => Ok(()),
            }
        }
        Packet::Sync(sync) => {
            hand("time", PacketField::Number(sync.time.into()))?;
            hand("states", PacketField::States(sync.states))
        }
        Packet::Delta(states) => hand("states", PacketField::States(states)),
        Packet::Relay(relay) => {
            hand("peer", PacketField::Number(relay.peer().get().into()))?;
            hand("rpc", PacketField::Relayed(relay.packet()))
        }
        Packet::PeerAdded { peer } | Packet::PeerRemoved { peer } => {
            hand("peer", PacketField::Number(peer.get().into()))
        }
        Packet::Auth(content) => hand("bytes", PacketField::Digits(content)),
    }
}

/// Passes the fields of a state to a function.
pub(crate) fn state_fields<'a, E>(
    state: &State<'a>,
    context: Context<'a>,
    hand: Hand<'_, 'a, E>,
) -> Result<(), E> {
    match state.synchronizer {
        Synchronizer::PathId(id) => {
            let path = context.path(Node::Id(id));
            node(Node::Id(id), path, hand)?;
            scene(context.scene_of_node(Node::Id(id)), hand)?;
        }
        Synchronizer::NetId(id) => {
            spawned(id, context, hand)?;
            let spawner = context.spawned(id).and_then(|spawned| spawned.spawner);
            hand("spawner", PacketField::Text(spawner))?;
            if let Some(path) = context.synchronizer_path(state.synchronizer) {
                hand("path", PacketField::Shown(path.to_string()))?;
            }
            scene(context.scene_of_spawned(id), hand)?;
        }
    }
    if let Some(bits) = state.changed {
        hand("changed", PacketField::Places(bits))?;
    }
    hand("args", arguments(state.values))?;
    match context.state_properties(state) {
        Some(names) => hand("properties", PacketField::Properties(names.collect(), state.values)),
        None => Ok(()),
    }
}

fn spawn<'a, E>(spawn: &Spawn<'a>, context: Context<'a>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    let spawner = Node::Id(spawn.spawner);
    node(spawner, context.path(spawner), hand)?;
    let number = spawn.scene.map_or(PacketField::Null, |scene| PacketField::Number(scene.into()));
    hand("scene", number)?;
    scene(context.scene_of_spawn(spawn), hand)?;
    hand("net_id", PacketField::Number(spawn.net_id.into()))?;
    hand("name", PacketField::Text(Some(spawn.name)))?;
    if let Some(path) = context.spawned_path(spawn) {
        hand("node", PacketField::Shown(path))?;
    }
    hand("synchronizers", PacketField::NetIds(spawn.synchronizers))?;
    hand("args", arguments(spawn.argument))?;
    hand("state", arguments(spawn.state))?;
    match context.spawn_properties(spawn) {
        Some(names) if !spawn.state.is_empty() => {
            hand("properties", PacketField::Properties(names.collect(), spawn.state))
        }
        _ => Ok(()),
    }
}

/// A node: its id if the packet has it, and its path if it is known.
fn node<'a, E>(node: Node<'a>, path: Option<&'a str>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    if let Node::Id(id) = node {
        hand("id", PacketField::Number(id.into()))?;
    }
    hand("path", PacketField::Text(path))
}

fn scene<'a, E>(known: Option<KnownScene<'a>>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    let Some(KnownScene { path, basis }) = known else { return Ok(()) };
    hand("scene_path", PacketField::Text(Some(path)))?;
    hand("scene_from", PacketField::Text(Some(basis.name())))
}

fn spawned<'a, E>(net_id: u32, context: Context<'a>, hand: Hand<'_, 'a, E>) -> Result<(), E> {
    hand("net_id", PacketField::Number(net_id.into()))?;
    hand("name", PacketField::Text(context.spawned_name(net_id)))
}

const fn arguments(arguments: Arguments<'_>) -> PacketField<'_> {
    PacketField::Values(FieldValues::Arguments(arguments))
}

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
/// use gdwire::multiplayer::{ArgumentBytes, Context, MultiplayerProtocol, parse, write_json};
///
/// let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, &[0, 2, 1, 1, 0x42, 0xa9, 0])?;
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

#[cfg(feature = "capture")]
impl<'e, 'o, 'c> Writer<'e, 'o, 'c> {
    /// Writes JSON in a spelling.
    pub(crate) const fn new(
        json: &'e mut Emitter<'o>,
        spelling: Spelling,
        context: Context<'c>,
    ) -> Self {
        Writer { json, spelling, bytes: ArgumentBytes::Omitted, context }
    }

    /// Writes plain JSON.
    #[cfg(feature = "export")]
    pub(crate) const fn plain(json: &'e mut Emitter<'o>, context: Context<'c>) -> Self {
        Writer::new(json, Spelling::Plain, context)
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
        packet_fields(packet, context, &mut |name, field| self.field(name, field))?;
        self.json.close("}")
    }

    fn field(&mut self, name: &str, field: PacketField<'_>) -> fmt::Result {
        self.json.key(name)?;
        match field {
            PacketField::Null | PacketField::Text(None) => self.json.null(),
            PacketField::Flag(content) => self.json.bool(content),
            PacketField::Number(number) => self.json.int(number),
            PacketField::Text(Some(text)) => self.json.string(text),
            PacketField::Shown(text) => self.json.string(&text),
            PacketField::Digits(content) => self.json.digits(content),
            PacketField::Properties(names, values) => self.properties(&names, values),
            PacketField::Values(values) => self.values(name, values),
            PacketField::NetIds(ids) => self.numbers(ids.iter()),
            PacketField::Places(bits) => self.numbers(places(bits)),
            PacketField::States(states) => {
                self.json.open("[")?;
                for state in states {
                    let context = self.context;
                    self.json.separate()?;
                    self.json.open("{")?;
                    state_fields(&state, context, &mut |name, field| self.field(name, field))?;
                    self.json.close("}")?;
                }
                self.json.close("]")
            }
            PacketField::Relayed(packet) => {
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
    pub(crate) fn list(&mut self, values: FieldValues<'_>) -> fmt::Result {
        self.json.open("[")?;
        for value in values.iter() {
            self.json.separate()?;
            self.value(value)?;
        }
        self.json.close("]")
    }

    /// Writes the values of a field, and their bytes as another field if they are wanted.
    fn values(&mut self, name: &str, values: FieldValues<'_>) -> fmt::Result {
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

    /// Writes a value.
    pub(crate) fn value(&mut self, value: Argument<'_>) -> fmt::Result {
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
