//! The first messages, as rows of a table.

use crate::capture::follow::{Content, Message, Origin, Place};
use crate::format::text::cut;
use crate::game::debugger::DebuggerCommand;

/// How many messages are kept, and how many characters of each.
const ROWS: usize = 2_000;
const CHARACTERS: usize = 160;

#[derive(Default, Debug)]
pub(super) struct FirstMessages {
    pub(super) rows: Vec<MessageLine>,
    /// How many more messages there are.
    pub(super) further: u64,
}

#[derive(Debug)]
pub(super) struct MessageLine {
    pub(super) place: Place,
    pub(super) origin: Origin,
    pub(super) command: &'static str,
    pub(super) bytes: usize,
    pub(super) text: String,
}

impl FirstMessages {
    pub(super) fn message(&mut self, message: &Message<'_>) {
        if self.rows.len() >= ROWS {
            self.further = self.further.saturating_add(1);
            return;
        }
        let mut text = String::new();
        let shown = cut(&mut text, CHARACTERS, &message.display());
        debug_assert!(shown.is_ok(), "a string takes everything");
        let (place, origin) = (message.place, message.origin);
        let (command, bytes) = (command(&message.content), message.bytes.len());
        self.rows.push(MessageLine { place, origin, command, bytes, text });
    }
}

/// The command of a message; `value` for a plain value.
pub(super) fn command(content: &Content<'_>) -> &'static str {
    match content {
        Content::Packet(packet) => packet.command(),
        Content::Debugger(_) => DebuggerCommand::COMMAND,
        Content::Value(_) => "value",
    }
}
