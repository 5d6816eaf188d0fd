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

mod display;
#[cfg(feature = "capture")]
mod evidence;
#[cfg(feature = "json")]
mod json;

pub use display::ShownCommand;
#[cfg(feature = "capture")]
pub(crate) use evidence::{Evidence, MOST_ARGUMENTS, begins_message, may_be_of_editor};
#[cfg(feature = "json")]
pub use json::write_json;

use crate::dialect::{Engine, ReadOptions};
use crate::multiplayer::Arguments;
use crate::view::{ArrayRef, VariantRef};

/// The length in front of each frame, in bytes.
pub(crate) const LENGTH: usize = 4;

/// The id of a game's main thread.
const MAIN_THREAD: i64 = 1;

/// A message of the remote debugger: a command and its arguments. See [`parse`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Command<'a> {
    /// The command, such as `output`.
    pub name: &'a str,
    /// The thread of the game that sent the message or is to get it. The main thread is 1. None
    /// before Godot 4.2.
    pub thread: Option<i64>,
    /// Its arguments.
    pub arguments: Arguments<'a>,
    /// How many bytes of the message are before the arguments, if each of them is a frame.
    #[cfg_attr(not(feature = "capture"), expect(dead_code, reason = "only explanations need it"))]
    pub(crate) frames: Option<[usize; 2]>,
}

impl Command<'_> {
    /// The name of all messages of the debugger where the packets of the multiplayer API have their
    /// [command](crate::multiplayer::Packet::command).
    pub const COMMAND: &'static str = "debugger";
}

/// Reads a message of the remote debugger. None if the bytes are no such message.
///
/// If the message is in several frames, `bytes` are all of them with the lengths between them, from
/// the content of the first frame on.
///
/// Nothing in these bytes says that they are of a debugger: in the dialects of Godot 3 and
/// Pandemonium, any array is read that begins with a text such as `live_set_root`. [`follow`] decides
/// by the first messages of a connection.
///
#[cfg_attr(feature = "capture", doc = "[`follow`]: crate::follow")]
#[cfg_attr(not(feature = "capture"), doc = "[`follow`]: crate#features")]
#[must_use]
pub fn parse(options: impl Into<ReadOptions>, bytes: &[u8]) -> Option<Command<'_>> {
    let options = options.into();
    let (rest, first) = crate::parse_prefix(options, bytes).ok()?;
    if let Some(array) = first.as_array() {
        return if rest.is_empty() { in_array(first, array, options) } else { None };
    }
    let name = first.as_str()?;
    let (length, frame) = rest.split_first_chunk::<LENGTH>()?;
    let (rest, number) = crate::parse_prefix(options, frame).ok()?;
    if usize::try_from(u32::from_le_bytes(*length)) != Ok(number.as_bytes().len()) {
        return None;
    }
    let number = usize::try_from(number.as_i64()?).ok()?;
    let arguments = Arguments::of_frames(options, number, rest)?;
    let before = bytes.len().saturating_sub(rest.len());
    let frames = Some([first.as_bytes().len(), before]);
    Some(Command { name, thread: None, arguments, frames })
}

/// Reads a message in one array.
fn in_array<'a>(
    whole: VariantRef<'a>,
    array: ArrayRef<'a>,
    options: ReadOptions,
) -> Option<Command<'a>> {
    let name = array.get(0)?.as_str()?;
    let command = |thread, arguments| Command { name, thread, arguments, frames: None };
    if options.dialect().engine() != Engine::Godot4 {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let arguments = Arguments::of_elements(options, whole, array.iter().skip(1));
        return (!name.is_empty() && name.bytes().all(is_name)).then(|| command(None, arguments));
    }
    let (thread, arguments) = match array.len() {
        2 => (None, array.get(1)?),
        3 => (Some(array.get(1)?.as_i64()?), array.get(2)?),
        _ => return None,
    };
    let elements = arguments.as_array()?.iter();
    Some(command(thread, Arguments::of_elements(options, arguments, elements)))
}
