//! Finds the messages that need not wait for the end of a race: whatever the connection turns out
//! to be, they are read alike.

use crate::dialect::Dialect;
use crate::follow::Transport;
use crate::follow::carried::Whole;
use crate::follow::finding::Layers;
use crate::multiplayer::{self, Context, Protocol};
use crate::net::enet::godot::{PeerHeader, SYSTEM_CHANNEL};
use crate::net::websocket::godot::{PeerMessage, PeerMessageKind};
use crate::parse::parse;

/// What a connection can still be. All of this has read every message so far.
pub(in crate::follow) struct Remaining {
    pub(in crate::follow) transport: Transport,
    pub(in crate::follow) layers: Layers,
    /// In the order of preference; at least one.
    pub(in crate::follow) dialects: Vec<Dialect>,
}

/// The longest message that is compared, in bytes.
const LONGEST: usize = 4096;

impl Remaining {
    /// Whether all of it reads a message alike.
    pub(super) fn agrees_on(&self, message: &Whole<'_>) -> bool {
        if self.dialects.len() == 1 {
            return true;
        }
        if message.bytes.len() > LONGEST {
            return false;
        }
        let Some(bytes) = self.content(message) else { return true };
        if self.layers.is_multiplayer && !message.is_text {
            self.are_equal(|dialect| {
                let packet = multiplayer::parse(Protocol::of(dialect), dialect, bytes).ok()?;
                Some(packet.display(Context::new()).to_string())
            })
        } else {
            // The engines' literals may differ, even for equal values.
            self.are_equal(|dialect| {
                parse(dialect, bytes).ok().map(|value| (value, value.to_string()))
            })
        }
    }

    fn are_equal<T: PartialEq>(&self, read: impl FnMut(Dialect) -> T) -> bool {
        let mut readings = self.dialects.iter().copied().map(read);
        let first = readings.next();
        readings.all(|reading| first.as_ref() == Some(&reading))
    }

    /// What comes after the ids of peers; none if the message is one of the peers themselves, which
    /// are the same in all dialects.
    fn content<'b>(&self, message: &Whole<'b>) -> Option<&'b [u8]> {
        let bytes = message.bytes;
        if !self.layers.has_peers || message.is_text {
            return Some(bytes);
        }
        match self.transport {
            Transport::Enet if message.channel == Some(SYSTEM_CHANNEL) => None,
            Transport::Enet => Some(PeerHeader::split(bytes).map_or(bytes, |(_, rest)| rest)),
            Transport::WebSocket => match PeerMessage::read(bytes) {
                Some(PeerMessage { kind: PeerMessageKind::Data(data), .. }) => Some(data),
                Some(_) => None,
                None => Some(bytes),
            },
            Transport::Udp | Transport::Tcp => Some(bytes),
        }
    }
}
