//! Writes messages of the debugger as JSON.

use super::Command;
use crate::format::json::Spelling;
use crate::game::multiplayer::fields::{Field, Values};
use crate::game::multiplayer::{ArgumentBytes, json_object};
use std::io;

/// Writes a message as a JSON object, in blocks of up to 512 bytes: its `command`, the `thread` if
/// the message names one, and the arguments as `args`.
///
/// Values are written like in [`mod@crate::json`], in this spelling.
///
/// # Errors
///
/// Those of `out`.
pub fn write_json(
    command: &Command<'_>,
    spelling: Spelling,
    bytes: ArgumentBytes,
    out: impl io::Write,
) -> io::Result<()> {
    let Command { name, thread, arguments, .. } = *command;
    json_object(spelling, bytes, out, |put| {
        put("command", Field::Text(Some(name)))?;
        thread.map_or(Ok(()), |thread| put("thread", Field::Number(thread)))?;
        put("args", Field::Values(Values::Arguments(arguments)))
    })
}
