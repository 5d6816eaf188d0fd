//! Reads the messages of the remote debugger, with which an editor and a game talk over TCP.
//!
//! A game that is started with `--remote-debug`, as an editor does, sends its output, errors and
//! measurements as commands with arguments. The editor sends commands such as `break`. In a capture,
//! [`follow`] recognizes such connections, and [`parse`] reads their messages:
//!
//! ```
//! use gdwire::{Dialect, debugger, encode, variant};
//!
//! let message = encode(Dialect::GODOT_4, &variant!(["set_pid", 1, [4242]]))?;
//! let command = debugger::parse(Dialect::GODOT_4, &message).ok_or("not a message of a debugger")?;
//! assert_eq!((command.name, command.thread), ("set_pid", Some(1)));
//! assert_eq!(command.to_string(), "set_pid(4242)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | engine | sender | message, each frame after its length |
//! |---|---|---|
//! | Godot 3, Pandemonium | game | a frame with the command, a frame with the number of arguments, and a frame for each argument |
//! | Godot 3, Pandemonium | editor | one frame: an array of the command and its arguments |
//! | Godot 4.0, 4.1 | both | one frame: an array of the command and an array of its arguments |
//! | Godot 4.2 and newer | both | the same, with the id of a thread after the command |
//!
#![cfg_attr(feature = "capture", doc = "[`follow`]: crate::follow")]
#![cfg_attr(not(feature = "capture"), doc = "[`follow`]: crate#features")]

mod command;
mod display;
#[cfg(feature = "capture")]
mod evidence;
#[cfg(feature = "json")]
mod json;
mod parse;

pub use command::Command;
pub use display::ShownCommand;
#[cfg(feature = "capture")]
pub(crate) use evidence::{Evidence, MOST_ARGUMENTS, begins_message, may_be_of_editor};
#[cfg(feature = "json")]
pub use json::write_json;
#[cfg(feature = "capture")]
pub(crate) use parse::LENGTH;
pub use parse::parse;
