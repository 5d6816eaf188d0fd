//! The packets of the engines' high-level multiplayer API: remote calls, and what keeps nodes in
//! step.
//!
//! A packet is what a transport delivers whole: of WebSocket a message, of ENet the content of a
//! command, which in Godot 3 comes behind the ids of its sender and target, 8 bytes.
//!
//! ```
//! use gdwire::Dialect;
//! use gdwire::multiplayer::{Context, Methods, Packet, Paths, Protocol, parse};
//!
//! let announcement = b"\x01d41d8cd98f00b204e9800998ecf8427e\0\x02\0\0\0Game/World\0";
//! let call = [0, 2, 1, 1, 0x42, 0xa9, 0]; // node 2, method 1, one argument: 169 in 16 bits
//!
//! let mut paths = Paths::new();
//! let methods = Methods::parse("Game/World: set_score, respawn")?;
//! let server = 1;
//! paths.note(server, &parse(Protocol::Godot4, Dialect::GODOT_4, announcement)?);
//!
//! let packet = parse(Protocol::Godot4, Dialect::GODOT_4, &call)?;
//! let context = Context::new().with_paths(&paths, server).with_methods(&methods);
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
//! The first calls of a node have its path in them. Meanwhile its sender announces an id for the
//! path, and once that is confirmed, calls have the id. [`Paths`] remembers the ids, by sender: in
//! a capture that starts too late, some are unknown.
//!
//! In Godot 4 methods have numbers, and their names are not sent at all: [`Methods`] has them from
//! a list of the game's.
//!
//! # Versions
//!
//! The packets of Godot 3 are those of 3.2.3, recorded; its source has the same up to 3.6.
//! Those of Pandemonium are those of 4.9 and 5.3, recorded: they are framed as in Godot 3, but
//! [`Packet::Set`] is gone since 3.8, so that the commands after the call moved down by one. Those of Godot 4 are those of 4.6,
//! recorded; the confirmations of versions before have a path where this has an id, and are read
//! as well.
//!
//! # What nothing on the wire tells
//!
//! - Godot 4 sends a call with one empty byte array as it sends one without arguments.
//! - A packet of bytes ([`Packet::Raw`], [`Packet::Auth`]), a call with one byte array and the
//!   states of nodes have no length of their own: cut off, they can look whole.
//! - Which properties the values of a state are of.

mod arguments;
mod context;
mod display;
mod error;
#[cfg(feature = "alloc")]
mod glob;
mod grammar;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "alloc")]
mod methods;
mod packet;
#[cfg(feature = "alloc")]
mod paths;
mod replication;

pub use arguments::{Argument, ArgumentLiteral, Arguments, ArgumentsIter, Form};
pub use context::Context;
pub use display::PacketLine;
pub use error::{Error, Problem, Reading};
#[cfg(feature = "json")]
pub use json::{ArgumentBytes, write_json};
#[cfg(feature = "alloc")]
pub use methods::{Methods, MethodsError, MethodsProblem};
pub use packet::{
    Call, Callee, ConfirmPath, Method, NetIds, Node, Packet, Raw, Relay, Set, SimplifyPath, Spawn,
    State, States, StatesIter, Sync, Synchronizer,
};
#[cfg(feature = "alloc")]
pub use paths::{Paths, Spawned};

use crate::dialect::{Dialect, Engine};

/// Which engine's packets: the dialect tells only how the values in them are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// The packets of Godot 3: methods have names, values are plain.
    Godot3,
    /// The packets of Godot 4: methods have numbers, bools and ints are short.
    Godot4,
    /// The packets of Pandemonium 3.8 and newer: those of Godot 3 without [`Packet::Set`], so that
    /// the commands after the call have other numbers.
    Pandemonium,
}

impl Protocol {
    /// The protocol of the engines that write a dialect.
    #[must_use]
    pub fn of(dialect: Dialect) -> Protocol {
        match dialect.engine() {
            Engine::Godot3 => Protocol::Godot3,
            Engine::Godot4 => Protocol::Godot4,
            Engine::Pandemonium => Protocol::Pandemonium,
        }
    }
}

/// Reads a packet, to its last byte.
///
/// It does not allocate, and what the packet gives afterwards cannot fail.
///
/// # Errors
///
/// Whatever is wrong with the packet or a value in it.
pub fn parse(protocol: Protocol, dialect: Dialect, packet: &[u8]) -> Result<Packet<'_>, Error> {
    let parsed = match protocol {
        Protocol::Godot3 => grammar::godot_3(dialect, packet),
        Protocol::Godot4 => grammar::godot_4(dialect, packet),
        Protocol::Pandemonium => grammar::pandemonium(dialect, packet),
    };
    match parsed {
        Ok((_, parsed)) => Ok(parsed),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault.in_packet(packet)),
        Err(nom::Err::Incomplete(_)) => {
            let problem = Problem::UnexpectedEnd { needed: 1, available: 0 };
            Err(Error { offset: packet.len(), reading: Reading::Command, problem })
        }
    }
}
