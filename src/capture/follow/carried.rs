//! What a transport delivers: messages that are not decoded yet, losses, and the end.

use super::event::Reason;
use super::loss::Cause;
use super::place::Place;
use crate::game::multiplayer::PeerId;
use crate::net::enet::Mode;
use crate::net::{Between, Side};
use core::ops::Range;

/// What a transport delivers next.
pub(super) enum Carried<'b> {
    Message(Whole<'b>),
    /// A message whose last bytes were not captured.
    Cut {
        bytes: &'b [u8],
        missing: usize,
    },
    /// The sender opens the connection as a client, with its id as a multiplayer peer.
    Client(PeerId),
    /// The connection certainly is WebSocket.
    Upgraded,
    /// The sender ends the connection.
    Disconnected,
    /// Something that is lost, and between which packets it was sent.
    Lost(Cause, &'b Between<Place>),
    /// Bytes that do not belong to the transport.
    Other(&'b [u8], Reason),
}

/// A whole message of a transport.
#[derive(Clone, Copy)]
pub(super) struct Whole<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) offset: u64,
    /// The TCP sequence number of the byte at that offset, if it is known.
    pub(super) sequence: Option<u32>,
    /// ENet's channel, and how the message was sent over ENet.
    pub(super) channel: Option<u8>,
    pub(super) mode: Option<Mode>,
    /// Whether its sender marked it as text.
    pub(super) is_text: bool,
}

/// Takes what the transport delivers, with the end that sent it and the packet that carried it.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Side, Place, Carried<'_>);

impl<'b> Whole<'b> {
    /// A message of which nothing else is known.
    pub(super) const fn new(bytes: &'b [u8], offset: u64) -> Whole<'b> {
        Whole { bytes, offset, sequence: None, channel: None, mode: None, is_text: false }
    }
}

impl<'b> Carried<'b> {
    /// Adds the TCP sequence number of a message. `first` is that of the stream's first byte.
    pub(super) fn in_stream(self, first: Option<u32>) -> Carried<'b> {
        let Carried::Message(message) = self else { return self };
        #[expect(clippy::cast_possible_truncation, reason = "sequence numbers wrap around")]
        let sequence = first.map(|first| first.wrapping_add(message.offset as u32));
        Carried::Message(Whole { sequence, ..message })
    }

    /// A segment of a stream whose content is unknown.
    pub(super) const fn of_unknown(payload: &'b [u8], missing: usize) -> Carried<'b> {
        Carried::Other(payload, if missing > 0 { Reason::Cut } else { Reason::UnknownStream })
    }
}

/// The range of bytes within a region of memory, which is given by its address and length; none if
/// they are outside of it.
pub(super) fn part_of((address, len): (usize, usize), part: &[u8]) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(address)?;
    let end = start.checked_add(part.len())?;
    (end <= len).then_some(start..end)
}
