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

#[cfg(feature = "capture")]
mod evidence;

#[cfg(feature = "capture")]
pub(crate) use evidence::{DebuggerClues, MOST_ARGUMENTS, begins_message, may_be_of_editor};

use super::multiplayer::{Arguments, pieces_of_arguments};
#[cfg(feature = "json")]
use super::{
    multiplayer::json::{FieldValues, PacketField},
    multiplayer::{ArgumentBytes, json_object},
};
#[cfg(feature = "json")]
use crate::format::json::Spelling;
use crate::format::text;
use crate::format::text::Show;
use crate::format::text::pieces::{InPieces, Role, TextPieces};
use crate::value::view::ArrayRef;
use crate::value::{ReadOptions, VariantRef};
use core::fmt::{self, Display, Formatter};
#[cfg(feature = "json")]
use std::io;

/// The id of a game's main thread.
const MAIN_THREAD: i64 = 1;

/// A message of the remote debugger: a command and its arguments. See [`parse`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct DebuggerCommand<'a> {
    /// The command, such as `output`.
    pub name: &'a str,
    /// The thread of the game that sent the message or receives it. The main thread is 1. None
    /// before Godot 4.2.
    pub thread: Option<i64>,
    /// Its arguments.
    pub arguments: Arguments<'a>,
    /// If each argument is a frame, how many bytes of the message are before the first one.
    #[cfg_attr(not(feature = "capture"), expect(dead_code, reason = "only explanations need it"))]
    pub(crate) frames: Option<[usize; 2]>,
}

impl DebuggerCommand<'_> {
    /// The name for all messages of the debugger, used in the place of the
    /// [command](crate::multiplayer::Packet::command) of a packet of the multiplayer API.
    pub const COMMAND: &'static str = "debugger";
}

/// The length in front of each frame, in bytes.
pub(crate) const LENGTH: usize = 4;

/// Reads a message of the remote debugger. None if the bytes are not such a message.
///
/// If the message is in several frames, `bytes` are all of them with the lengths between them, but
/// without the length of the first one.
///
/// Nothing in these bytes says that they come from a debugger: in the dialects of Godot 3 and
/// Pandemonium, any array is read that begins with a string such as `live_set_root`. [`follow`]
/// decides by the first messages of a connection.
///
#[cfg_attr(feature = "capture", doc = "[`follow`]: crate::follow")]
#[cfg_attr(not(feature = "capture"), doc = "[`follow`]: crate#features")]
#[must_use]
pub fn parse(options: impl Into<ReadOptions>, bytes: &[u8]) -> Option<DebuggerCommand<'_>> {
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
    Some(DebuggerCommand { name, thread: None, arguments, frames })
}

/// Reads a message in one array.
fn in_array<'a>(
    whole: VariantRef<'a>,
    array: ArrayRef<'a>,
    options: ReadOptions,
) -> Option<DebuggerCommand<'a>> {
    let name = array.get(0)?.as_str()?;
    let command = |thread, arguments| DebuggerCommand { name, thread, arguments, frames: None };
    if !options.dialect().engine().has_debugger_arrays() {
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

/// Shows a message to people: see [`DebuggerCommand::show`].
#[derive(Clone, Copy, Debug)]
pub struct ShownCommand<'a, 'p> {
    command: DebuggerCommand<'a>,
    show: Show<'p>,
}

impl<'a> DebuggerCommand<'a> {
    /// The message as its `Display` shows it, in colours, fitted to a width, or over several lines.
    #[must_use]
    pub const fn show<'p>(&self, show: Show<'p>) -> ShownCommand<'a, 'p> {
        ShownCommand { command: *self, show }
    }
}

impl Display for ShownCommand<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.show.write(&self.command, f)
    }
}

/// The message in one line, such as `breakpoint("res://player.gd", 14, true)`. Values are literals of
/// their engine. A thread other than the main thread follows: `debug_exit() in thread 5`.
impl Display for DebuggerCommand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Show::new().write(self, f)
    }
}

/// The line, shortened if it is long.
impl fmt::Debug for DebuggerCommand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        text::bounded(f, self)
    }
}

impl InPieces for DebuggerCommand<'_> {
    fn pieces(&self, to: &mut impl TextPieces) -> fmt::Result {
        to.name(Role::Method, self.name)?;
        pieces_of_arguments(["(", ")"], self.arguments, to)?;
        match self.thread {
            Some(thread) if thread != MAIN_THREAD => {
                to.word(Role::Plain, format_args!(" in thread {thread}"))
            }
            _ => Ok(()),
        }
    }
}

/// Writes a message as a JSON object, in blocks of up to 512 bytes: its `command`, the `thread` if
/// the message names one, and the arguments as `args`.
///
/// Values are written like in [`mod@crate::json`], in this spelling.
///
/// # Errors
///
/// Those of `out`.
#[cfg(feature = "json")]
pub fn write_json(
    command: &DebuggerCommand<'_>,
    spelling: Spelling,
    bytes: ArgumentBytes,
    out: impl io::Write,
) -> io::Result<()> {
    let DebuggerCommand { name, thread, arguments, .. } = *command;
    json_object(spelling, bytes, out, |put| {
        put("command", PacketField::Text(Some(name)))?;
        thread.map_or(Ok(()), |thread| put("thread", PacketField::Number(thread)))?;
        put("args", PacketField::Values(FieldValues::Arguments(arguments)))
    })
}
