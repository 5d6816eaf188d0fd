//! Reads and writes the packets of the engines' high-level multiplayer API: remote calls, spawned
//! nodes and synchronized properties.
//!
//! A packet is the content of one WebSocket message or of one ENet message. In Godot 3 and
//! Pandemonium, the ids of its sender and receiver precede it: 8 bytes over ENet (see
//! [`net::enet::godot`]), 9 bytes with a kind over WebSocket (see
//! [`net::websocket::godot`]).
//!
//! ```
//! use std::sync::Arc;
//! use gdwire::Dialect;
//! use gdwire::multiplayer::{Context, Methods, Names, Packet, Paths, PeerId, MultiplayerProtocol, parse};
//!
//! let announcement = b"\x01d889c23ed26c625e399d18b23acb5c16\0\x02\0\0\0Game/World\0";
//! let call = [0, 2, 1, 1, 0x42, 0xa9, 0]; // node 2, method 1, one argument: 169 in 16 bits
//!
//! let names = Names::from(Methods::parse("Game/World: set_score, respawn")?);
//! let mut paths = Paths::new().with_names(Arc::new(names));
//! paths.note(PeerId::SERVER, &parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, announcement)?);
//!
//! let packet = parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, &call)?;
//! let context = Context::new().with_paths(&paths, PeerId::SERVER);
//! assert_eq!(packet.display(context).to_string(), "Game/World.set_score(169)");
//! if let Packet::Call(call) = packet {
//!     let arguments: Vec<_> = call.arguments.iter().map(|argument| argument.as_i64()).collect();
//!     assert_eq!(arguments, [Some(169)]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Writing
//!
//! A [`PacketEncoder`] writes each kind of packet as the engines do. A packet that was read and is
//! written again has the same bytes.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::math::Vector2;
//! use gdwire::multiplayer::{Method, MultiplayerProtocol, Node, PacketEncoder};
//!
//! let encoder = PacketEncoder::new(MultiplayerProtocol::Godot3, Dialect::GODOT_3);
//! let arguments = (7, Vector2::new(1.0, 2.0));
//! let packet =
//!     encoder.call(Node::Path("World"), Method::Name("move"), &arguments, Vec::new())?;
//! assert_eq!(packet[packet.len() - 6..], *b"World\0");
//! # Ok::<(), gdwire::multiplayer::PacketEncodeError>(())
//! ```
//!
//! A [`session::Session`] is a whole peer: it admits others, announces paths, and calls methods by name.
//!
//! # Names and numbers
//!
//! The first calls of a node contain its path. The sender also announces an id for the path, and
//! once the receiver has confirmed the id, calls contain the id instead. [`Paths`] remembers the
//! ids of each sender. In a capture that starts too late, some ids are unknown.
//!
//! In Godot 4, methods have numbers, and their names are never sent, nor are those of scenes and
//! properties. [`Names`] has them from a game's project or from a list that you write.
//!
//! # Versions
//!
//! - Godot 3: recorded from 3.2.3, and the same in 3.6.2.
//! - Pandemonium: recorded from 4.9 and 5.3. Its packets have been those of Godot 3 without
//!   [`Packet::Set`] since 3.8, so that the commands after the call have other numbers.
//! - Godot 4: recorded from 4.6. Versions before 4.3 confirm a path by the path instead of its id;
//!   both are read.
//!
//! # What the packets do not say
//!
//! - Godot 4 sends a call with one empty byte array like a call without arguments.
//! - Raw bytes ([`Packet::Raw`], [`Packet::Auth`]), a call with one byte array and the states of
//!   nodes have no length field: if they are cut off, they may look complete.
//! - The values of a state come without the names of their properties.
//!
#![cfg_attr(feature = "capture", doc = "[`net::enet::godot`]: crate::net::enet::godot")]
#![cfg_attr(not(feature = "capture"), doc = "[`net::enet::godot`]: crate#features")]
#![cfg_attr(feature = "capture", doc = "[`net::websocket::godot`]: crate::net::websocket::godot")]
#![cfg_attr(not(feature = "capture"), doc = "[`net::websocket::godot`]: crate#features")]

mod arguments;
mod contents;
mod context;
#[cfg(feature = "serde")]
mod deserialize;
mod display;
mod encode;
mod error;
#[cfg(feature = "alloc")]
mod evidence;
#[cfg(feature = "capture")]
mod excerpt;
mod grammar;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "alloc")]
mod known;
#[cfg(feature = "alloc")]
mod made;
#[cfg(feature = "alloc")]
mod methods;
#[cfg(feature = "alloc")]
mod mismatch;
#[cfg(feature = "alloc")]
mod names;
mod packet;
#[cfg(feature = "alloc")]
mod paths;
#[cfg(feature = "alloc")]
mod selection;
#[cfg(feature = "alloc")]
pub mod session;
#[cfg(feature = "alloc")]
mod shapes;
#[cfg(feature = "alloc")]
mod unannounced;

pub use crate::net::peer::PeerId;
pub use arguments::{Argument, ArgumentLiteral, Arguments, ArgumentsIter, Form};
pub use context::{Context, KnownScene, SceneBasis, SynchronizerPath};
#[cfg(feature = "capture")]
pub(crate) use display::places as changed_properties;
pub(crate) use display::values as pieces_of_arguments;
pub use display::{PacketLine, ShownPacket};
pub use encode::{
    ArgumentEncoder, EncodeArguments, PacketEncodeError, PacketEncodeProblem, PacketEncoder,
    SpawnedNode, StateEncoder,
};
pub use error::{Error, PacketPart, PacketProblem};
#[cfg(feature = "alloc")]
pub use evidence::{Evidence, MethodChange};
#[cfg(feature = "alloc")]
pub(crate) use grammar::CallHead;
#[cfg(feature = "capture")]
pub(crate) use json::Writer;
#[cfg(feature = "json")]
pub(crate) use json::object as json_object;
#[cfg(feature = "json")]
pub use json::{ArgumentBytes, write_json};
#[cfg(feature = "alloc")]
pub use methods::{Methods, MethodsError, MethodsProblem, Pattern};
#[cfg(feature = "alloc")]
pub use mismatch::{Misfit, Mismatch};
#[cfg(feature = "alloc")]
pub use names::Names;
pub use packet::{
    Call, Callee, ConfirmPath, Method, NetIds, Node, Packet, Raw, Relay, Set, SimplifyPath, Spawn,
    State, States, StatesIter, Sync, Synchronizer,
};
#[cfg(feature = "capture")]
pub(crate) use paths::put_name;
#[cfg(feature = "alloc")]
pub use paths::{Paths, Spawned};
#[cfg(feature = "peer")]
pub(crate) use shapes::accepts;
#[cfg(feature = "capture")]
pub(crate) use shapes::{SendMode, Sending};

use crate::value::{Dialect, Engine, ReadOptions};

/// Reads and checks a packet up to its last byte.
///
/// It does not allocate, and the methods of the packet cannot fail afterwards.
///
/// # Errors
///
/// The first problem of the packet or of a value in it.
pub fn parse(
    protocol: MultiplayerProtocol,
    options: impl Into<ReadOptions>,
    packet: &[u8],
) -> Result<Packet<'_>, Error> {
    let options = options.into();
    let parsed = match protocol {
        MultiplayerProtocol::Godot3 => grammar::godot_3(options, packet),
        MultiplayerProtocol::Godot4 => grammar::godot_4(options, packet),
        MultiplayerProtocol::Pandemonium => grammar::pandemonium(options, packet),
    };
    match parsed {
        Ok((_, parsed)) => Ok(parsed),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault.in_packet(packet)),
        Err(nom::Err::Incomplete(_)) => {
            let problem = PacketProblem::UnexpectedEnd { needed: 1, available: 0 };
            Err(Error { offset: packet.len(), reading: PacketPart::Command, problem })
        }
    }
}

impl<'a> Relay<'a> {
    /// The relayed packet. It is never a relay or another system message.
    #[must_use]
    pub fn packet(&self) -> Packet<'a> {
        match grammar::direct(self.options, self.bytes) {
            Ok((_, packet)) => packet,
            // It was checked before.
            Err(_) => Packet::Raw(Raw { bytes: self.bytes, options: self.options }),
        }
    }
}

/// The engine whose packets are read. The dialect decides only how the values in them are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum MultiplayerProtocol {
    /// The packets of Godot 3: methods by name, values as `var_to_bytes` writes them.
    Godot3,
    /// The packets of Godot 4: methods by number, bools and ints in a short form.
    Godot4,
    /// The packets of Pandemonium 3.8 and newer: those of Godot 3 without
    /// [`Packet::Set`], so that the commands after the call have other numbers.
    Pandemonium,
}

impl MultiplayerProtocol {
    /// The protocol of the engine that writes a dialect.
    #[must_use]
    pub fn of(dialect: Dialect) -> MultiplayerProtocol {
        match dialect.engine() {
            Engine::Godot3 => MultiplayerProtocol::Godot3,
            Engine::Godot4 => MultiplayerProtocol::Godot4,
            Engine::Pandemonium => MultiplayerProtocol::Pandemonium,
        }
    }
}
