//! Reads entries of a follower's queue or of a batch as events.

use super::choice::Choice;
use super::event::{Content, Event, Message, Other, Reason};
use super::finding::Trust;
use super::loss::Loss;
use super::names::Names;
use super::place::Origin;
use super::queue::{Entry, Found, Lent, What};
use super::race::is_unlikely;
use crate::game::debugger;
use crate::game::multiplayer::{self, Protocol};
use crate::value::parse;

impl Entry {
    /// Where its bytes are, if it has any.
    pub(super) const fn bytes(&self) -> Option<&Lent> {
        match &self.what {
            What::Message(found) => Some(&found.bytes),
            What::Other(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// The same entry, with its bytes somewhere else.
    pub(super) fn with_bytes(&self, bytes: Lent) -> Entry {
        let what = match &self.what {
            What::Message(found) => What::Message(Found { bytes, ..found.clone() }),
            What::Other(_, reason) => What::Other(bytes, *reason),
            what => what.clone(),
        };
        Entry { what, ..*self }
    }

    /// The connection whose names its message may need.
    pub(super) const fn names(&self) -> Option<&Origin> {
        match &self.what {
            What::Message(found) if found.choice.layers.is_multiplayer => self.source.as_ref(),
            _ => None,
        }
    }

    /// The event, with the bytes and the names that belong to it.
    #[inline]
    pub(super) fn read<'e>(
        &'e self,
        bytes: &'e [u8],
        names: Option<&'e Names>,
    ) -> Option<Event<'e>> {
        let Entry { source: origin, place, ref what } = *self;
        Some(match what {
            What::Opened(summary) => Event::Opened(summary),
            What::Recognized(summary) => Event::Recognized(summary),
            What::Closed(summary) => Event::Closed(summary),
            What::Message(found) => match found.read(bytes) {
                Ok(content) => Event::Message(Message {
                    place,
                    origin: origin?,
                    offset: found.offset,
                    sequence: found.sequence,
                    channel: found.channel,
                    mode: found.mode,
                    peers: found.peers,
                    dialect: found.choice.dialect,
                    is_decided: found.choice.is_decided,
                    bytes,
                    content,
                    names,
                }),
                Err(reason) => Event::Other(Other { place, origin, bytes, reason }),
            },
            What::Lost { cause, after, is_after_cut } => Event::Lost(Loss {
                place,
                after: after.as_deref().copied(),
                is_after_cut: *is_after_cut,
                origin,
                cause: *cause,
            }),
            What::Other(_, reason) => Event::Other(Other { place, origin, bytes, reason: *reason }),
            What::Damaged(error) => Event::Damaged(*error),
        })
    }
}

impl Found {
    /// Decodes the content of the message.
    #[inline]
    pub(super) fn read<'m>(&self, bytes: &'m [u8]) -> Result<Content<'m>, Reason> {
        let Choice { layers, dialect, trust, .. } = self.choice;
        if let Some(own) = self.own {
            return Ok(Content::Packet(own.packet()));
        }
        if layers.is_multiplayer {
            let packet = multiplayer::parse(Protocol::of(dialect), dialect, bytes);
            return packet.map(Content::Packet).map_err(Reason::NoPacket);
        }
        if layers.is_debugger
            && let Some(command) = debugger::parse(dialect, bytes)
        {
            return Ok(Content::Debugger(command));
        }
        let value = parse(dialect, bytes).map_err(Reason::NoValue)?;
        if trust != Trust::Everything && (trust == Trust::Nothing || is_unlikely(bytes)) {
            return Err(Reason::Unlikely);
        }
        Ok(Content::Value(value))
    }
}
