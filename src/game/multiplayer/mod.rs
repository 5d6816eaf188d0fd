//! Reads the packets of the engines' high-level multiplayer API: remote calls, spawned nodes and
//! synchronized properties.
//!
//! A packet is the content of one WebSocket message or of one ENet message. In Godot 3 and
//! Pandemonium, the ids of its sender and receiver precede it: 8 bytes over ENet (see
//! [`net::enet::godot`]), 9 bytes with a kind over WebSocket (see
//! [`net::websocket::godot`]).
//!
//! ```
//! use std::sync::Arc;
//! use gdwire::Dialect;
//! use gdwire::multiplayer::{Context, Methods, Names, Packet, Paths, PeerId, Protocol, parse};
//!
//! let announcement = b"\x01d889c23ed26c625e399d18b23acb5c16\0\x02\0\0\0Game/World\0";
//! let call = [0, 2, 1, 1, 0x42, 0xa9, 0]; // node 2, method 1, one argument: 169 in 16 bits
//!
//! let names = Names::from(Methods::parse("Game/World: set_score, respawn")?);
//! let mut paths = Paths::new().with_names(Arc::new(names));
//! paths.note(PeerId::SERVER, &parse(Protocol::Godot4, Dialect::GODOT_4, announcement)?);
//!
//! let packet = parse(Protocol::Godot4, Dialect::GODOT_4, &call)?;
//! let context = Context::new().with_paths(&paths, PeerId::SERVER);
//! assert_eq!(packet.display(context).to_string(), "Game/World.set_score(169)");
//! if let Packet::Call(call) = packet {
//!     let arguments: Vec<_> = call.arguments.iter().map(|argument| argument.as_i64()).collect();
//!     assert_eq!(arguments, [Some(169)]);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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

#[cfg(feature = "alloc")]
mod accepts;
#[cfg(feature = "alloc")]
mod agreement;
mod arguments;
#[cfg(feature = "alloc")]
mod authority;
mod basis;
#[cfg(feature = "alloc")]
mod by_shape;
mod contents;
mod context;
#[cfg(feature = "serde")]
mod deserialize;
mod display;
mod error;
#[cfg(feature = "alloc")]
mod evidence;
#[cfg(feature = "capture")]
mod excerpt;
#[cfg(feature = "json")]
pub(crate) mod fields;
#[cfg(feature = "alloc")]
mod fit;
mod form;
#[cfg(feature = "alloc")]
mod glob;
mod grammar;
#[cfg(feature = "alloc")]
mod in_project;
#[cfg(feature = "alloc")]
mod instances;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "alloc")]
mod known;
#[cfg(feature = "alloc")]
mod learn;
#[cfg(feature = "alloc")]
mod made;
#[cfg(feature = "alloc")]
mod methods;
#[cfg(feature = "alloc")]
mod mismatch;
#[cfg(feature = "alloc")]
mod names;
#[cfg(feature = "alloc")]
mod origin;
mod packet;
mod parse;
mod parts;
#[cfg(feature = "alloc")]
mod paths;
#[cfg(feature = "alloc")]
mod placed;
mod protocol;
#[cfg(feature = "alloc")]
mod role;
#[cfg(feature = "alloc")]
mod room;
#[cfg(feature = "alloc")]
mod scenes;
#[cfg(feature = "alloc")]
mod sending;
#[cfg(feature = "alloc")]
mod shapes;
mod states;
#[cfg(feature = "alloc")]
mod unannounced;

pub use crate::net::peer::PeerId;
pub use arguments::{Argument, ArgumentLiteral, Arguments, ArgumentsIter};
pub use basis::{KnownScene, SceneBasis};
pub use context::{Context, SynchronizerPath};
#[cfg(feature = "capture")]
pub(crate) use display::places as changed_properties;
pub(crate) use display::values as pieces_of_arguments;
pub use display::{PacketLine, ShownPacket};
pub use error::{Error, Problem, Reading};
#[cfg(feature = "alloc")]
pub use evidence::{Evidence, MethodChange};
#[cfg(feature = "alloc")]
pub use fit::Misfit;
pub use form::Form;
#[cfg(feature = "alloc")]
pub use glob::Pattern;
#[cfg(feature = "alloc")]
pub(crate) use grammar::CallHead;
#[cfg(feature = "export")]
pub(crate) use json::Writer;
#[cfg(feature = "json")]
pub(crate) use json::object as json_object;
#[cfg(feature = "json")]
pub use json::{ArgumentBytes, write_json};
#[cfg(feature = "alloc")]
pub use methods::{Methods, MethodsError, MethodsProblem};
#[cfg(feature = "alloc")]
pub use mismatch::Mismatch;
#[cfg(feature = "alloc")]
pub use names::Names;
pub use packet::{
    Call, Callee, ConfirmPath, Method, NetIds, Node, Packet, Raw, Relay, Set, SimplifyPath, Spawn,
    Sync,
};
pub use parse::parse;
#[cfg(feature = "alloc")]
pub use paths::{Paths, Spawned};
pub use protocol::Protocol;
#[cfg(feature = "capture")]
pub(crate) use sending::{Mode, Sending};
pub use states::{State, States, StatesIter, Synchronizer};
