//! The messages of a session that never arrived: what they contained, and when they were sent.

use super::Which;
use super::log::{MessageLog, content};
use super::sides::Sides;
use crate::capture::MessageField;
use crate::capture::follow::{Message, Origin, Place};
use crate::format::json::{self, Spelling};
use crate::format::text::cut;
use crate::game::debugger;
use crate::game::multiplayer::{self, ArgumentBytes};
use crate::net::Side;
use crate::net::enet::Mode;
use std::collections::HashMap;
use std::hash::RandomState;
use std::io::{self, Write};

/// How many bytes of messages that never arrived are kept.
const ROOM: usize = 32 << 20;

/// The longest text of a message, in characters.
const CHARACTERS: usize = 400;

/// The messages that never arrived. They are found by reading the recordings once more.
#[derive(Clone, Default, Debug)]
pub struct LostMessages {
    messages: Vec<LostMessage>,
    further: u64,
    reliable: u64,
    /// How many bytes the messages take.
    used: usize,
    /// How many messages of each sender were read so far.
    read: HashMap<(Which, u64, Side), usize>,
}

/// A message that was sent and never arrived.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LostMessage {
    /// The recording that has it.
    pub which: Which,
    /// Its packet in that recording.
    pub place: Place,
    /// Its connection and sender in that recording.
    pub origin: Origin,
    /// How it was sent over ENet.
    pub mode: Option<Mode>,
    /// Whether its transport should have delivered it.
    pub is_reliable: bool,
    /// The message on one line.
    pub text: String,
    /// Its channel, mode and content as members of a JSON object.
    pub(super) json: String,
}

impl LostMessages {
    /// Reads a message again, in the same order as before. A message that is not selected is only
    /// counted.
    pub(super) fn message(
        &mut self,
        which: Which,
        message: &Message<'_>,
        is_selected: bool,
        (sides, log, hasher): (&Sides, &MessageLog, &RandomState),
    ) {
        let (connection, from) = (message.origin.connection, message.origin.from);
        let read = self.read.entry((which, connection, from)).or_default();
        let at = *read;
        *read = read.saturating_add(1);
        let is_lost = is_selected
            && which
                .of_ref(&sides.lost)
                .get(&(connection, from))
                .is_some_and(|lost| lost.binary_search(&at).is_ok());
        let logged = || {
            let connection = log.connections.get(log.place(connection)?)?;
            connection.messages(from).get(at)
        };
        // The file may have been replaced since it was read first.
        if !is_lost || logged().is_none_or(|it| it.content != content(message, hasher)) {
            return;
        }
        let mode = message.delivery.mode;
        let is_reliable = mode == Some(Mode::Reliable) || message.origin.flow.is_tcp();
        self.reliable = self.reliable.saturating_add(is_reliable.into());
        if self.used >= ROOM {
            self.further += 1;
            return;
        }
        let (mut text, mut json) = (String::new(), Vec::new());
        let shown = cut(&mut text, CHARACTERS, &message.display());
        let written = write_fields(message, &mut json);
        debug_assert!(shown.is_ok() && written.is_ok(), "memory takes everything");
        let json = String::from_utf8(json).unwrap_or_default();
        let size = size_of::<LostMessage>().saturating_add(text.len()).saturating_add(json.len());
        self.used = self.used.saturating_add(size);
        let (place, origin) = (message.place, message.origin);
        self.messages.push(LostMessage { which, place, origin, mode, is_reliable, text, json });
    }

    /// The messages, those of the first recording first.
    #[must_use]
    pub fn messages(&self) -> &[LostMessage] {
        &self.messages
    }

    /// How many more there are: only 32 MiB of them are kept.
    #[must_use]
    pub const fn further(&self) -> u64 {
        self.further
    }

    /// How many of all of them their transport should have delivered.
    #[must_use]
    pub const fn reliable(&self) -> u64 {
        self.reliable
    }

    /// How many of all of them their transport may lose.
    #[must_use]
    pub fn unreliable(&self) -> u64 {
        (self.messages.len() as u64).saturating_add(self.further).saturating_sub(self.reliable)
    }

    /// Sorts the messages by time. The clock of the second recording is ahead by some nanoseconds.
    pub(super) fn sort(&mut self, ahead: i64) {
        self.messages.sort_by_key(|message| {
            let ahead = if message.which == Which::Second { ahead } else { 0 };
            message.place.time.map(|time| time.as_nanos().saturating_sub(ahead))
        });
    }
}

/// Writes the channel, the mode and the content of a message as members of a JSON object, as `gdwire
/// decode --format ndjson` does.
fn write_fields(message: &Message<'_>, out: &mut Vec<u8>) -> io::Result<()> {
    message.each_own_field(|field| {
        let is_shown = matches!(
            field,
            MessageField::Channel(_)
                | MessageField::Mode(_)
                | MessageField::Kind(_)
                | MessageField::Value(_)
                | MessageField::Rpc(..)
                | MessageField::Debugger(_)
        );
        if !is_shown {
            return Ok(());
        }
        let key = field.key().as_bytes();
        out.extend_from_slice(key.get(usize::from(out.is_empty())..).unwrap_or(key));
        let (out, bytes) = (&mut *out, ArgumentBytes::Omitted);
        match field {
            MessageField::Channel(channel) => write!(out, "{channel}"),
            MessageField::Mode(mode) => json::write_string(mode.godot_name(), out),
            MessageField::Kind(kind) => json::write_string(kind.name(), out),
            MessageField::Value(value) => json::write_plain(value, out),
            MessageField::Rpc(packet, context) => {
                multiplayer::write_json(packet, context, Spelling::Plain, bytes, out)
            }
            MessageField::Debugger(command) => {
                debugger::write_json(command, Spelling::Plain, bytes, out)
            }
            _ => Ok(()),
        }
    })
}
