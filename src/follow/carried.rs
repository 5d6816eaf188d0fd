//! What a transport delivers: messages that are not decoded yet, losses, and the end.

use super::event::{Loss, Reason};
use super::place::Place;
use crate::net::enet::Mode;
use crate::net::{Side, enet, tcp, websocket};
use core::ops::Range;

/// What a transport gives next.
pub(super) enum Carried<'b> {
    Message(Whole<'b>),
    /// A message of which the last bytes were not captured.
    Cut {
        bytes: &'b [u8],
        missing: usize,
    },
    /// The sender opens the connection as a client, with its id as a multiplayer peer.
    Client(i32),
    /// The connection certainly is WebSocket.
    Upgraded,
    /// The sender ends the connection.
    Disconnected,
    Lost(Loss),
    /// Bytes that do not belong to the transport.
    Other(&'b [u8], Reason),
}

/// A whole message of a transport.
#[derive(Clone, Copy)]
pub(super) struct Whole<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) offset: u64,
    /// ENet's channel, and how the message was sent over ENet.
    pub(super) channel: Option<u8>,
    pub(super) mode: Option<Mode>,
    /// Whether its sender says that it is text.
    pub(super) is_text: bool,
}

/// Takes what the transport gives: who sent it, and the packet that brought it.
pub(super) type Sink<'s> = &'s mut dyn FnMut(Side, Place, Carried<'_>);

impl<'b> Whole<'b> {
    /// A message of which nothing else is known.
    pub(super) const fn new(bytes: &'b [u8], offset: u64) -> Whole<'b> {
        Whole { bytes, offset, channel: None, mode: None, is_text: false }
    }

    pub(super) const fn of_enet(message: &enet::Message<'b>) -> Whole<'b> {
        let (channel, mode) = (Some(message.channel), Some(message.mode));
        Whole { channel, mode, ..Whole::new(message.payload, message.offset as u64) }
    }
}

impl<'b> Carried<'b> {
    /// What an event of a stream of frames is, and which bytes of the stream a message takes.
    pub(super) fn of_frame(event: tcp::FrameEvent<'b>) -> (Carried<'b>, Option<(u64, u64)>) {
        /// The size of the length field before a message, in bytes.
        const LENGTH: u64 = 4;
        match event {
            tcp::FrameEvent::Message { offset, bytes } => {
                let end = offset.saturating_add(bytes.len() as u64);
                let message = Carried::Message(Whole::new(bytes, offset));
                (message, Some((offset.saturating_sub(LENGTH), end)))
            }
            tcp::FrameEvent::Lost { offset, bytes, why } => {
                (Carried::Lost(Loss::Stream { offset, bytes, why }), None)
            }
        }
    }

    /// The same for WebSocket; none for events that no message depends on.
    pub(super) fn of_websocket(
        event: websocket::WebSocketEvent<'b>,
    ) -> Option<(Carried<'b>, Option<(u64, u64)>)> {
        use websocket::WebSocketEvent;
        match event {
            WebSocketEvent::Message { offset, end, is_text, payload, .. } => {
                let message = Whole { is_text, ..Whole::new(payload, offset) };
                Some((Carried::Message(message), Some((offset, end))))
            }
            WebSocketEvent::Lost { offset, bytes, why } => {
                Some((Carried::Lost(Loss::Stream { offset, bytes, why }), None))
            }
            WebSocketEvent::Handshake(_) => Some((Carried::Upgraded, None)),
            WebSocketEvent::Control { .. } => None,
        }
    }
}

/// Where bytes lie in a region of memory, given by its start and length; none if they lie outside.
pub(super) fn part_of((address, len): (usize, usize), part: &[u8]) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(address)?;
    let end = start.checked_add(part.len())?;
    (end <= len).then_some(start..end)
}
