//! Writes packets of the multiplayer API.

mod arguments;
mod error;
mod states;

#[cfg(feature = "alloc")]
pub(super) use arguments::compressed;
pub use arguments::{ArgumentEncoder, EncodeArguments};
pub use error::{PacketEncodeError, PacketEncodeProblem};
pub use states::StateEncoder;

use super::arguments::ArgumentPacking;
use super::error::PacketPart;
use super::grammar::{
    CUSTOM, DELTA, GODOT_3_RAW, GODOT_4_RAW, PANDEMONIUM_RAW, SYSTEM, TOP_BIT, is_hash,
};
use super::packet::{Call, CallWidths, Method, Node, Packet, Spawn};
use super::{MultiplayerProtocol, PeerId};
use crate::value::Dialect;
use crate::write::encode::{Encode, Sink};
use arguments::MeasuredValues;

/// Writes packets of the multiplayer API to a [`Sink`], as an engine does.
///
/// There is a method for each kind of packet. [`PacketEncoder::packet`] writes a packet that was read:
/// with the same protocol and dialect, all its bytes stay the same, and otherwise its values are
/// written in the other dialect. Nothing is allocated unless there is an error.
///
/// ```
/// use gdwire::Dialect;
/// use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder, parse};
///
/// let (protocol, dialect) = (MultiplayerProtocol::Godot4, Dialect::GODOT_4);
/// let encoder = PacketEncoder::new(protocol, dialect);
/// let method = Method::Number { index: 1, is_own: false };
/// let bytes = encoder.call(Node::Id(2), method, &(169,), Vec::new())?;
/// assert_eq!(bytes, [0, 2, 1, 1, 0x42, 0xa9, 0]);
///
/// let packet = parse(protocol, dialect, &bytes)?;
/// assert_eq!(encoder.packet(&packet, Vec::new())?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The header that Godot 3 and Pandemonium put before each packet is written by
#[cfg_attr(
    feature = "capture",
    doc = "[`PeerHeader::to_bytes`](crate::net::enet::godot::PeerHeader::to_bytes)"
)]
#[cfg_attr(not(feature = "capture"), doc = "`PeerHeader::to_bytes`, with the feature `capture`")]
/// for ENet.
///
/// # Errors
///
/// All methods return a [`PacketEncodeError`] if the engine has no such packet, if a value or a
/// number does not fit, or if the sink has no room. The sink may then contain a part of the packet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PacketEncoder {
    protocol: MultiplayerProtocol,
    dialect: Dialect,
}

/// The fields of a spawned node that do not depend on how it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpawnedNode<'a> {
    /// The id of the spawner's path.
    pub spawner: u32,
    /// The number of the node in later packets.
    pub net_id: u32,
    /// The node's name.
    pub name: &'a str,
    /// The numbers of the node's synchronizers in later packets.
    pub synchronizers: &'a [u32],
}

type Result<T> = core::result::Result<T, PacketEncodeError>;

impl PacketEncoder {
    /// Creates an encoder. The protocol decides the form of the packets, and the dialect that of
    /// the values in them.
    #[must_use]
    pub const fn new(protocol: MultiplayerProtocol, dialect: Dialect) -> PacketEncoder {
        PacketEncoder { protocol, dialect }
    }

    /// The engine whose packets are written.
    #[must_use]
    pub const fn protocol(&self) -> MultiplayerProtocol {
        self.protocol
    }

    /// The dialect of the values.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Writes a packet that was read.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn packet<S: Sink>(&self, packet: &Packet<'_>, sink: S) -> Result<S> {
        match packet {
            Packet::Call(Call { node, method, arguments, widths }) => {
                self.call_of(*node, *method, *widths, arguments, sink)
            }
            Packet::Set(set) => self.set_of(set.node, set.property, &set.value, sink),
            Packet::SimplifyPath(simplify) => {
                self.simplify_path(simplify.id, simplify.path, simplify.md5, sink)
            }
            Packet::ConfirmPath(confirm) => self.confirm_path(confirm.node, confirm.is_valid, sink),
            Packet::Raw(raw) => self.raw(raw.bytes, sink),
            Packet::Spawn(spawn) => self.spawn_of(spawn, sink),
            Packet::Despawn { net_id } => self.despawn(*net_id, sink),
            Packet::Sync(sync) => {
                let mut states = self.sync(sync.time, sink)?;
                states.all(&sync.states)?;
                states.finish()
            }
            Packet::Delta(deltas) => {
                let mut states = self.delta(sink)?;
                states.all(deltas)?;
                states.finish()
            }
            Packet::Relay(relay) => self.relay(relay.peer(), relay.as_bytes(), sink),
            Packet::PeerAdded { peer } => self.peer_added(*peer, sink),
            Packet::PeerRemoved { peer } => self.peer_removed(*peer, sink),
            Packet::Auth(bytes) => self.auth(bytes, sink),
        }
    }

    /// Writes a call. In Godot 3 and Pandemonium, methods have names, in Godot 4 numbers.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn call<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        method: Method<'_>,
        arguments: &A,
        sink: S,
    ) -> Result<S> {
        self.call_of(node, method, CallWidths::default(), arguments, sink)
    }

    /// Writes a call whose numbers have at least these widths.
    pub(super) fn call_of<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        method: Method<'_>,
        widths: CallWidths,
        arguments: &A,
        sink: S,
    ) -> Result<S> {
        match (self.protocol, method) {
            (MultiplayerProtocol::Godot4, Method::Number { index, is_own }) => {
                self.numbered_call(node, index, is_own, widths, arguments, sink)
            }
            (
                MultiplayerProtocol::Godot3 | MultiplayerProtocol::Pandemonium,
                Method::Name(name),
            ) => self.named_call(node, name, arguments, sink),
            _ => Err(self.unsupported("call", PacketPart::Method)),
        }
    }

    fn named_call<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        name: &str,
        arguments: &A,
        sink: S,
    ) -> Result<S> {
        let packing = ArgumentPacking::Plain;
        let measured = MeasuredValues::of(self.dialect, packing, arguments)?;
        let count = argument_count(measured.len)?;
        // The command, the target, and the name with its NUL and the count.
        let head = name.len().saturating_add(7);
        let mut out = Out(sink);
        out.byte(0);
        out.word(target(node, head.saturating_add(measured.size))?);
        out.text(PacketPart::Method, name)?;
        out.byte(count);
        out.arguments(self.dialect, packing, arguments)?;
        out.path(node)?;
        out.finish()
    }

    fn numbered_call<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        index: u16,
        is_own: bool,
        widths: CallWidths,
        arguments: &A,
        sink: S,
    ) -> Result<S> {
        const OWN: u16 = 1 << 15;
        if index >= OWN {
            return Err(too_large(PacketPart::Method, index.into(), u64::from(OWN) - 1));
        }
        let number = if is_own { index | OWN } else { index };
        let mut packing = ArgumentPacking::Compressed;
        let mut measured = MeasuredValues::of(self.dialect, packing, arguments)?;
        let count = argument_count(measured.len)?;
        let is_counted = !measured.is_bare();
        if !is_counted {
            packing = ArgumentPacking::Bare;
            measured = MeasuredValues::of(self.dialect, packing, arguments)?;
        }
        let method_width = widths.method.max(if number > 0xff { 2 } else { 1 });
        let node_width = widths.node.max(match node {
            Node::Id(..=0xff) => 1,
            Node::Id(..=0xffff) => 2,
            Node::Id(_) | Node::Path(_) => 4,
        });
        let head = usize::from(node_width)
            .saturating_add(method_width.into())
            .saturating_add(if is_counted { 2 } else { 1 });
        let target = target(node, head.saturating_add(measured.size))?;
        let mut out = Out(sink);
        let node_bits = node_width >> 1 << 4;
        let method_bit = (method_width >> 1) << 6;
        out.byte(node_bits | method_bit | u8::from(!is_counted) << 7);
        out.number(target.into(), node_width);
        out.number(number.into(), method_width);
        if is_counted {
            out.byte(count);
        }
        out.arguments(self.dialect, packing, arguments)?;
        out.path(node)?;
        out.finish()
    }

    /// Writes a change of a property, which only Godot 3 has.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn set<T: Encode + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        property: &str,
        value: &T,
        sink: S,
    ) -> Result<S> {
        self.set_of(node, property, &[value], sink)
    }

    fn set_of<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: Node<'_>,
        property: &str,
        value: &A,
        sink: S,
    ) -> Result<S> {
        self.only(MultiplayerProtocol::Godot3, "set")?;
        let packing = ArgumentPacking::Plain;
        let measured = MeasuredValues::of(self.dialect, packing, value)?;
        // The command, the target, and the name with its NUL.
        let head = property.len().saturating_add(6);
        let mut out = Out(sink);
        out.byte(1);
        out.word(target(node, head.saturating_add(measured.size))?);
        out.text(PacketPart::Property, property)?;
        out.arguments(self.dialect, packing, value)?;
        out.path(node)?;
        out.finish()
    }

    /// Writes the announcement of an id for a path. Godot 4 needs the MD5 of the names of the node's
    /// methods, in 32 hexadecimal digits.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn simplify_path<S: Sink>(
        &self,
        id: u32,
        path: &str,
        md5: Option<&str>,
        sink: S,
    ) -> Result<S> {
        let mut out = Out(sink);
        out.byte(match self.protocol {
            MultiplayerProtocol::Godot3 => 2,
            MultiplayerProtocol::Godot4 | MultiplayerProtocol::Pandemonium => 1,
        });
        self.check_part("simplify_path", PacketPart::Md5, md5.is_some())?;
        if let Some(md5) = md5 {
            if !is_hash(md5) {
                return Err(PacketEncodeProblem::NotHexadecimal.at(PacketPart::Md5));
            }
            out.text(PacketPart::Md5, md5)?;
        }
        out.word(id);
        out.text(PacketPart::Path, path)?;
        out.finish()
    }

    /// Writes the confirmation of an announced path. Godot 3 and Pandemonium confirm the path.
    /// Godot 4 confirms the id since 4.3, and says whether both ends have the same methods.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn confirm_path<S: Sink>(
        &self,
        node: Node<'_>,
        is_valid: Option<bool>,
        sink: S,
    ) -> Result<S> {
        let mut out = Out(sink);
        out.byte(match self.protocol {
            MultiplayerProtocol::Godot3 => 3,
            MultiplayerProtocol::Godot4 | MultiplayerProtocol::Pandemonium => 2,
        });
        self.check_part("confirm_path", PacketPart::Validity, is_valid.is_some())?;
        if let Some(is_valid) = is_valid {
            out.byte(is_valid.into());
        }
        match (self.protocol, node) {
            (_, Node::Path(path)) => out.text(PacketPart::Path, path)?,
            (MultiplayerProtocol::Godot4, Node::Id(id)) => out.word(id),
            (_, Node::Id(_)) => return Err(self.unsupported("confirm_path", PacketPart::Node)),
        }
        out.finish()
    }

    /// Writes raw bytes of the game: at least one.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn raw<S: Sink>(&self, bytes: &[u8], sink: S) -> Result<S> {
        if bytes.is_empty() {
            return Err(PacketEncodeProblem::Empty.at(PacketPart::Bytes));
        }
        let mut out = Out(sink);
        out.byte(match self.protocol {
            MultiplayerProtocol::Godot3 => GODOT_3_RAW,
            MultiplayerProtocol::Godot4 => GODOT_4_RAW,
            MultiplayerProtocol::Pandemonium => PANDEMONIUM_RAW,
        });
        out.put(bytes);
        out.finish()
    }

    /// Writes a node that a spawner made from a scene of its list (Godot 4). `state` has the
    /// properties that are sent with a spawn.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn spawn<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: &SpawnedNode<'_>,
        scene: u8,
        state: &A,
        sink: S,
    ) -> Result<S> {
        if scene == CUSTOM {
            return Err(too_large(PacketPart::Spawn, scene.into(), u64::from(CUSTOM) - 1));
        }
        self.spawned(node, scene, node.synchronizers.iter().copied(), &(), state, sink)
    }

    /// Writes a node that a spawner's `spawn()` made from an argument (Godot 4). `state` has the
    /// properties that are sent with a spawn.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn spawn_custom<T: Encode + ?Sized, A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: &SpawnedNode<'_>,
        argument: &T,
        state: &A,
        sink: S,
    ) -> Result<S> {
        let ids = node.synchronizers.iter().copied();
        self.spawned(node, CUSTOM, ids, &[argument], state, sink)
    }

    /// Like [`PacketEncoder::spawn_custom`], with an argument that is written already.
    #[cfg(feature = "alloc")]
    pub(super) fn spawn_made<A: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: &SpawnedNode<'_>,
        argument: &A,
        state: &A,
        sink: S,
    ) -> Result<S> {
        self.spawned(node, CUSTOM, node.synchronizers.iter().copied(), argument, state, sink)
    }

    fn spawn_of<S: Sink>(&self, spawn: &Spawn<'_>, sink: S) -> Result<S> {
        let Spawn { spawner, net_id, name, synchronizers, .. } = *spawn;
        let node = SpawnedNode { spawner, net_id, name, synchronizers: &[] };
        let scene = spawn.scene.unwrap_or(CUSTOM);
        self.spawned(&node, scene, synchronizers.iter(), &spawn.argument, &spawn.state, sink)
    }

    /// Writes a node with these synchronizers.
    fn spawned<A: EncodeArguments + ?Sized, B: EncodeArguments + ?Sized, S: Sink>(
        &self,
        node: &SpawnedNode<'_>,
        scene: u8,
        synchronizers: impl ExactSizeIterator<Item = u32>,
        argument: &A,
        state: &B,
        sink: S,
    ) -> Result<S> {
        self.only(MultiplayerProtocol::Godot4, "spawn")?;
        let packing = ArgumentPacking::Compressed;
        let mut out = Out(sink);
        out.put(&[4, scene]);
        let count = word(PacketPart::Spawn, synchronizers.len())?;
        let name_len = word(PacketPart::SpawnName, node.name.len().saturating_add(1))?;
        let numbers = [node.spawner, node.net_id, count, name_len].into_iter();
        numbers.chain(synchronizers).for_each(|number| out.word(number));
        out.text(PacketPart::SpawnName, node.name)?;
        if scene == CUSTOM {
            let measured = MeasuredValues::of(self.dialect, packing, argument)?;
            out.word(word(PacketPart::Argument(0), measured.size)?);
            out.arguments(self.dialect, packing, argument)?;
        }
        out.arguments(self.dialect, packing, state)?;
        out.finish()
    }

    /// Writes that a spawned node was removed (Godot 4).
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn despawn<S: Sink>(&self, net_id: u32, sink: S) -> Result<S> {
        self.only(MultiplayerProtocol::Godot4, "despawn")?;
        let mut out = Out(sink);
        out.byte(5);
        out.word(net_id);
        out.finish()
    }

    /// Begins a packet with the properties that synchronizers send at intervals (Godot 4). `time` is a
    /// counter of the sender. Receivers ignore older states.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn sync<S: Sink>(&self, time: u16, sink: S) -> Result<StateEncoder<S>> {
        self.only(MultiplayerProtocol::Godot4, "sync")?;
        let mut out = Out(sink);
        out.byte(6);
        out.put(&time.to_le_bytes());
        Ok(StateEncoder::new(self.dialect, false, out.0))
    }

    /// Begins a packet with the properties that synchronizers send when they change (Godot 4).
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn delta<S: Sink>(&self, sink: S) -> Result<StateEncoder<S>> {
        self.only(MultiplayerProtocol::Godot4, "delta")?;
        let mut out = Out(sink);
        out.byte(6 | DELTA);
        Ok(StateEncoder::new(self.dialect, true, out.0))
    }

    /// Writes a packet from one client to others, which the server forwards (Godot 4). To the
    /// server, `peer` is the receiver or receivers; from the server, the sender. `packet` is any
    /// packet but a relay or another system message.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn relay<S: Sink>(&self, peer: PeerId, packet: &[u8], sink: S) -> Result<S> {
        match packet.first() {
            None => Err(PacketEncodeProblem::Empty.at(PacketPart::Relayed)),
            Some(first) if first & SYSTEM == SYSTEM => {
                Err(self.unsupported("relay", PacketPart::Relayed))
            }
            Some(_) => self.system(3, "relay", &peer.to_le_bytes(), packet, sink),
        }
    }

    /// Writes the server's message to a client that another one has joined (Godot 4).
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn peer_added<S: Sink>(&self, peer: PeerId, sink: S) -> Result<S> {
        self.system(1, "peer_added", &peer.to_le_bytes(), &[], sink)
    }

    /// Writes the server's message to a client that another one has left (Godot 4).
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn peer_removed<S: Sink>(&self, peer: PeerId, sink: S) -> Result<S> {
        self.system(2, "peer_removed", &peer.to_le_bytes(), &[], sink)
    }

    /// Writes the bytes of `send_auth()` (Godot 4). No bytes mean that the sender has completed the
    /// authentication.
    ///
    /// # Errors
    ///
    /// See [`PacketEncoder`].
    pub fn auth<S: Sink>(&self, bytes: &[u8], sink: S) -> Result<S> {
        self.system(0, "auth", bytes, &[], sink)
    }

    fn system<S: Sink>(
        &self,
        number: u8,
        command: &'static str,
        content: &[u8],
        rest: &[u8],
        sink: S,
    ) -> Result<S> {
        self.only(MultiplayerProtocol::Godot4, command)?;
        let mut out = Out(sink);
        out.put(&[SYSTEM, number]);
        out.put(content);
        out.put(rest);
        out.finish()
    }

    /// Refuses a packet that only one engine has.
    fn only(&self, protocol: MultiplayerProtocol, command: &'static str) -> Result<()> {
        if self.protocol == protocol {
            return Ok(());
        }
        Err(self.unsupported(command, PacketPart::Command))
    }

    /// Checks that a packet has a part exactly if it is one of Godot 4.
    fn check_part(&self, command: &'static str, part: PacketPart, is_given: bool) -> Result<()> {
        let protocol = self.protocol;
        match (protocol == MultiplayerProtocol::Godot4, is_given) {
            (true, false) => Err(PacketEncodeProblem::Missing { command, protocol }.at(part)),
            (false, true) => Err(self.unsupported(command, part)),
            _ => Ok(()),
        }
    }

    #[cold]
    const fn unsupported(&self, command: &'static str, part: PacketPart) -> PacketEncodeError {
        PacketEncodeProblem::Unsupported { command, protocol: self.protocol }.at(part)
    }
}

#[cold]
const fn too_large(part: PacketPart, number: u64, limit: u64) -> PacketEncodeError {
    PacketEncodeProblem::TooLarge { number, limit }.at(part)
}

/// A number of 32 bits.
fn word(part: PacketPart, number: usize) -> Result<u32> {
    u32::try_from(number).map_err(|_| too_large(part, number as u64, u32::MAX.into()))
}

fn argument_count(len: usize) -> Result<u8> {
    let part = PacketPart::ArgumentCount;
    u8::try_from(len).map_err(|_| too_large(part, len as u64, u8::MAX.into()))
}

/// An id, in which the top bit would mean something else.
fn short_id(part: PacketPart, id: u32) -> Result<u32> {
    if id & TOP_BIT == 0 {
        return Ok(id);
    }
    Err(too_large(part, id.into(), (TOP_BIT - 1).into()))
}

/// The target of a call: the node's id, or the offset of its path.
fn target(node: Node<'_>, offset: usize) -> Result<u32> {
    match node {
        Node::Id(id) => short_id(PacketPart::Node, id),
        Node::Path(_) => Ok(short_id(PacketPart::Path, word(PacketPart::Path, offset)?)? | TOP_BIT),
    }
}

/// A packet that is being written.
struct Out<S>(S);

impl<S: Sink> Out<S> {
    fn put(&mut self, bytes: &[u8]) {
        self.0.put(bytes);
    }

    fn byte(&mut self, byte: u8) {
        self.0.put(&[byte]);
    }

    fn word(&mut self, word: u32) {
        self.0.put(&word.to_le_bytes());
    }

    /// The low bytes of a number.
    fn number(&mut self, number: u64, width: u8) {
        let bytes = number.to_le_bytes();
        self.0.put(bytes.get(..width.into()).unwrap_or(&bytes));
    }

    /// A text and a NUL.
    fn text(&mut self, part: PacketPart, text: &str) -> Result<()> {
        if let Some(at) = text.bytes().position(|byte| byte == 0) {
            return Err(PacketEncodeProblem::Nul { at }.at(part));
        }
        self.0.put(text.as_bytes());
        self.byte(0);
        Ok(())
    }

    /// The path of the node, if the packet does not have its id.
    fn path(&mut self, node: Node<'_>) -> Result<()> {
        match node {
            Node::Id(_) => Ok(()),
            Node::Path(path) => self.text(PacketPart::Path, path),
        }
    }

    fn arguments<A: EncodeArguments + ?Sized>(
        &mut self,
        dialect: Dialect,
        packing: ArgumentPacking,
        arguments: &A,
    ) -> Result<()> {
        arguments.encode_arguments(&mut ArgumentEncoder::new(dialect, packing, &mut self.0))
    }

    fn finish(self) -> Result<S> {
        finish(self.0)
    }
}

/// Checks that the sink took the whole packet.
fn finish<S: Sink>(sink: S) -> Result<S> {
    match sink.check() {
        Ok(()) => Ok(sink),
        Err(error) => Err(PacketEncodeProblem::Sink(error).at(PacketPart::Packet)),
    }
}
