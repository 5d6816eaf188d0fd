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
    /// Those of them whose literals may differ, even for equal values: dialects that differ only in
    /// the width of reals write equal values alike.
    of_each_text: Vec<Dialect>,
}

/// The longest message that is compared, in bytes.
const LONGEST: usize = 4096;

impl Remaining {
    pub(super) fn new(
        transport: Transport,
        (layers, dialects): (Layers, Vec<Dialect>),
    ) -> Remaining {
        let mut of_each_text: Vec<Dialect> = Vec::new();
        for dialect in &dialects {
            if !of_each_text.iter().any(|it| it.differs_only_in_width(*dialect)) {
                of_each_text.push(*dialect);
            }
        }
        Remaining { transport, layers, dialects, of_each_text }
    }

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
            return are_equal(&self.dialects, |dialect| {
                let packet = multiplayer::parse(Protocol::of(dialect), dialect, bytes).ok()?;
                Some(packet.display(Context::new()).to_string())
            });
        }
        let value = |dialect| parse(dialect, bytes).ok();
        are_equal(&self.dialects, value)
            && are_equal(&self.of_each_text, |dialect| value(dialect).map(|it| it.to_string()))
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

fn are_equal<T: PartialEq>(dialects: &[Dialect], read: impl FnMut(Dialect) -> T) -> bool {
    let mut readings = dialects.iter().copied().map(read);
    let first = readings.next();
    readings.all(|reading| first.as_ref() == Some(&reading))
}
