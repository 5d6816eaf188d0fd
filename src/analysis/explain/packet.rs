//! Explains packets of the high-level multiplayer API, field by field.

use super::out::{Explained, FieldWriter, byte_count, from_fn, quoted, run};
use super::value;
use super::{Detail, Field};
use crate::format::text::Role;
use crate::game::multiplayer::{
    self, Arguments, Call, CallHead, ConfirmPath, Context, Form, Method, MultiplayerProtocol, Node,
    Packet, Raw, Set, Spawn, State, States, Synchronizer,
};
use crate::value::ReadOptions;
use core::fmt::Display;
use core::ops::ControlFlow;

/// Explains bytes that are one packet of the high-level multiplayer API, with the names of a context.
/// `visit` is called with each field, and may stop early.
pub fn packet<B>(
    protocol: MultiplayerProtocol,
    options: impl Into<ReadOptions>,
    bytes: &[u8],
    context: Context<'_>,
    detail: Detail,
    visit: impl FnMut(&Field<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let options = options.into();
    run(visit, |visit| {
        let mut out = FieldWriter::new(bytes, detail, visit);
        of_bytes(&mut out, protocol, options, context, bytes.len())
    })
}

/// Explains the next `len` bytes as a packet.
pub fn of_bytes(
    out: &mut FieldWriter<'_, '_>,
    protocol: MultiplayerProtocol,
    options: ReadOptions,
    context: Context<'_>,
    len: usize,
) -> Explained {
    let bytes = out.unexplained();
    let (bytes, depth) = (bytes.get(..len).unwrap_or(bytes), 0);
    match multiplayer::parse(protocol, options, bytes) {
        Ok(packet) => PacketFields { out, options, context, depth }.packet(&packet, bytes),
        Err(error) => {
            let len = error.offset;
            out.field(len, depth, "before the problem", byte_count(len))?;
            let (rest, reading, problem) = (bytes.len(), error.reading, error.problem);
            out.problem(rest.saturating_sub(len), depth, format_args!("{reading}{problem}"))
        }
    }
}

struct PacketFields<'c, 'o, 'b, 'v> {
    out: &'o mut FieldWriter<'b, 'v>,
    options: ReadOptions,
    context: Context<'c>,
    depth: usize,
}

impl<'c> PacketFields<'c, '_, '_, '_> {
    fn packet(mut self, packet: &Packet<'c>, bytes: &[u8]) -> Explained {
        match packet {
            Packet::Call(_) => {}
            Packet::Relay(_)
            | Packet::PeerAdded { .. }
            | Packet::PeerRemoved { .. }
            | Packet::Auth(_) => {
                self.field(1, "command", "system")?;
                self.with(Role::Command).field(1, "system command", packet.command())?;
            }
            _ => self.with(Role::Command).field(1, "command", packet.command())?,
        }
        match packet {
            Packet::Call(call) => self.call(call, bytes.first().copied().unwrap_or(0)),
            Packet::Set(set) => self.set(set),
            Packet::SimplifyPath(simplify) => {
                simplify.md5.map_or(Ok(()), |md5| self.text("MD5 of the methods", md5))?;
                self.field(4, "id", simplify.id)?;
                self.path(Node::Path(simplify.path))
            }
            Packet::ConfirmPath(ConfirmPath { node, is_valid }) => {
                if let Some(is_valid) = is_valid {
                    self.field(1, "methods are the same", is_valid)?;
                }
                match node {
                    Node::Path(_) => self.path(*node),
                    Node::Id(_) => self.node(4, *node, self.context.confirmed_path(*node)),
                }
            }
            Packet::Raw(raw) => self.raw(raw),
            Packet::Spawn(spawn) => self.spawn(spawn),
            Packet::Despawn { net_id } => {
                let name = self.context.spawned_name(*net_id);
                self.field(4, "net id", named_id(*net_id, name))
            }
            Packet::Sync(sync) => {
                self.field(2, "time", sync.time)?;
                self.states(sync.states)
            }
            Packet::Delta(states) => self.states(*states),
            Packet::Relay(relay) => {
                self.field(4, "peer", relay.peer())?;
                let PacketFields { out, options, context, depth } = self;
                let (context, depth) = (context.relayed(), depth.saturating_add(1));
                let inner = PacketFields { out, options, context, depth };
                inner.packet(&relay.packet(), relay.as_bytes())
            }
            Packet::PeerAdded { peer } | Packet::PeerRemoved { peer } => {
                self.field(4, "peer", peer)
            }
            Packet::Auth(content) => self.field(content.len(), "bytes", byte_count(content.len())),
        }
    }

    /// A field whose value has a role.
    fn with(&mut self, role: Role) -> &mut Self {
        self.out.role(role);
        self
    }

    fn field(&mut self, len: usize, name: &str, value: impl Display) -> Explained {
        self.out.field(len, self.depth, name, value)
    }

    /// A text and the NUL that ends it.
    fn text(&mut self, name: &str, text: &str) -> Explained {
        self.field(text.len().saturating_add(1), name, format_args!("{}, then a NUL", quoted(text)))
    }

    fn node(&mut self, len: usize, node: Node<'_>, path: Option<&str>) -> Explained {
        match node {
            Node::Id(id) => self.with(Role::Path).field(len, "node", named_id(id, path)),
            Node::Path(_) => self.field(len, "node", "its path is at the end"),
        }
    }

    /// The path of a node at the end of a packet.
    fn path(&mut self, node: Node<'_>) -> Explained {
        match node {
            Node::Path(path) => self.with(Role::Path).text("node path", path),
            Node::Id(_) => Ok(()),
        }
    }

    fn call(&mut self, call: &Call<'c>, first: u8) -> Explained {
        let Call { node, method, arguments, .. } = *call;
        let path = self.context.path(node);
        match (method, CallHead::of(first)) {
            (Method::Number { index, is_own }, Some(head)) => {
                let shown = if head.is_counted { "" } else { ", arguments without a count" };
                let (node_len, method_len) = (head.node.into(), head.method.into());
                let (of_node, of_method) = (byte_count(node_len), byte_count(method_len));
                let value = format_args!("call, node of {of_node}, method of {of_method}{shown}");
                self.with(Role::Command).field(1, "command", value)?;
                self.node(node_len, node, path)?;
                let name = self.context.method(node, method);
                let list = if is_own { "of rpc_config(): " } else { "" };
                let value = format_args!("{list}{}", named_id(index.into(), name));
                self.with(Role::Method).field(method_len, "method", value)?;
                if head.is_counted {
                    self.field(1, "argument count", arguments.len())?;
                }
            }
            (Method::Name(name), _) => {
                self.with(Role::Command).field(1, "command", "call")?;
                self.node(4, node, path)?;
                self.with(Role::Method).text("method", name)?;
                self.field(1, "argument count", arguments.len())?;
            }
            // This cannot occur: the first byte states the length of a method's number.
            (Method::Number { .. }, None) => {}
        }
        self.arguments(arguments, core::iter::empty())?;
        self.path(node)
    }

    fn set(&mut self, set: &Set<'c>) -> Explained {
        let Set { node, property, value } = *set;
        self.node(4, node, self.context.path(node))?;
        self.with(Role::Key).text("property", property)?;
        self.arguments(value, core::iter::empty())?;
        self.path(node)
    }

    fn raw(&mut self, raw: &Raw<'_>) -> Explained {
        let len = raw.bytes.len();
        if raw.as_value().is_some() {
            let end = self.out.at().saturating_add(len);
            return value::of_bytes(self.out, self.options, end, self.depth, "value");
        }
        self.field(len, "bytes", byte_count(len))
    }

    fn spawn(&mut self, spawn: &Spawn<'c>) -> Explained {
        match spawn.scene {
            Some(scene) => {
                let path = self.context.scene_of_spawn(spawn).map(|scene| scene.path);
                self.field(1, "scene", named_id(scene.into(), path))?;
            }
            None => self.field(1, "scene", "none: made from an argument")?,
        }
        let spawner = Node::Id(spawn.spawner);
        let path = self.context.path(spawner);
        self.with(Role::Path).field(4, "spawner", named_id(spawn.spawner, path))?;
        self.field(4, "net id", spawn.net_id)?;
        self.field(4, "synchronizer count", spawn.synchronizers.len())?;
        let len = spawn.name.len().saturating_add(1);
        self.field(4, "name length", byte_count(len))?;
        let shown = self.out.items;
        for id in spawn.synchronizers.iter().take(shown) {
            self.field(4, "net id of a synchronizer", id)?;
        }
        let more = spawn.synchronizers.len().saturating_sub(shown);
        self.field(
            more.saturating_mul(4),
            "net ids of synchronizers",
            format_args!("{more} more"),
        )?;
        self.text("name", spawn.name)?;
        if spawn.scene.is_none() {
            let len = spawn.argument.as_bytes().len();
            self.field(4, "argument length", byte_count(len))?;
            self.arguments(spawn.argument, core::iter::empty())?;
        }
        let names = self.context.spawn_properties(spawn);
        self.arguments(spawn.state, names.into_iter().flatten())
    }

    fn states(&mut self, states: States<'c>) -> Explained {
        let depth = self.depth;
        for state in states {
            if self.out.is_spent() {
                return self.out.rest(depth, "more states");
            }
            self.state(&state)?;
            self.depth = depth;
        }
        Ok(())
    }

    fn state(&mut self, state: &State<'c>) -> Explained {
        let (id, name) = match state.synchronizer {
            Synchronizer::PathId(id) => (id, self.context.path(Node::Id(id))),
            Synchronizer::NetId(id) => (id, self.context.spawned_name(id)),
        };
        let kind = match state.synchronizer {
            Synchronizer::PathId(_) => "path id",
            Synchronizer::NetId(_) => "net id",
        };
        self.with(Role::Path).field(
            4,
            "synchronizer",
            format_args!("{kind} {}", named_id(id, name)),
        )?;
        self.depth += 1;
        if let Some(changed) = state.changed {
            self.field(8, "changed properties", format_args!("{changed:#b}"))?;
        }
        let len = state.values.as_bytes().len();
        self.field(4, "length", byte_count(len))?;
        let names = self.context.state_properties(state);
        self.arguments(state.values, names.into_iter().flatten())
    }

    /// Explains values. Values of properties get the properties' names, as far as these are known.
    fn arguments<'n>(
        &mut self,
        arguments: Arguments<'_>,
        mut names: impl Iterator<Item = &'n str>,
    ) -> Explained {
        let end = self.out.at().saturating_add(arguments.as_bytes().len());
        for (place, (argument, len)) in arguments.with_lengths().enumerate() {
            if self.out.is_spent() {
                let rest = end.saturating_sub(self.out.at());
                return self.field(rest, "more values", byte_count(rest));
            }
            let (given, depth) = (names.next(), self.depth);
            let name = from_fn(|f| match given {
                Some(name) => quoted(name).fmt(f),
                None => write!(f, "argument {place}"),
            });
            match argument.form() {
                Form::Value(_) => {
                    let end = self.out.at().saturating_add(len);
                    value::of_bytes(self.out, self.options, end, depth, name)?;
                }
                Form::Bool(content) => {
                    let value = format_args!("bool in short form: {content}");
                    self.out.role(Role::Constant).field(len, depth, name, value)?;
                }
                Form::Int(content) => {
                    let len = len.saturating_sub(1);
                    let bytes = byte_count(len);
                    let value = format_args!("int in short form, {bytes}");
                    self.out.field(1, depth, name, value)?;
                    let depth = depth.saturating_add(1);
                    self.out.role(Role::Number).field(len, depth, "number", content)?;
                }
                Form::Bytes(_) => {
                    let bytes = byte_count(len);
                    let value = format_args!("byte array without a header, {bytes}");
                    self.out.field(len, depth, name, value)?;
                }
            }
        }
        Ok(())
    }
}

/// A number and the name that it stands for, if that is known.
fn named_id(number: u32, name: Option<&str>) -> impl Display {
    from_fn(move |f| match name {
        Some(name) => write!(f, "{number}: {}", quoted(name)),
        None => write!(f, "{number}"),
    })
}
