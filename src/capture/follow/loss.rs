//! Losses: what was sent but is not in the capture, or cannot be read.

use super::{Origin, Place};
use crate::net::packet::LostPacket;
use crate::net::{enet, tcp};
use core::fmt;
use core::ops::Range;

/// Something that an engine sent but that is not in the capture, or cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Loss {
    /// The packet that shows the loss: it carried the next message of the channel, or the next bytes
    /// of the stream. It was captured before the loss was certain, because packets may be captured
    /// in another order. For a message of which fragments are missing, it is the packet with the last
    /// fragment that was seen. If no such packet is known, it is the one at which the loss was noticed.
    pub place: Place,
    /// The packet with the message or the bytes before what was lost, or the first one of the
    /// connection. What was lost was sent after this packet and before [`Loss::place`]. None if it
    /// belongs to that packet.
    pub after: Option<Place>,
    /// Whether the connection has an earlier packet of the same sender, or this one, that was
    /// captured only in part. Then the bytes that were not captured may be what is missing.
    pub is_after_cut: bool,
    /// Its transport, sender and receiver; none for an IP packet that was sent in fragments.
    pub origin: Option<Origin>,
    /// What was lost, and why.
    pub cause: Cause,
}

/// Shows the cause, and between which packets it was sent.
impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loss { place, after, cause, .. } = self;
        cause.fmt(f)?;
        match after {
            Some(after) => write!(f, " (sent between frames {} and {})", after.frame, place.frame),
            None => Ok(()),
        }
    }
}

/// What was lost, and why. `Display` says both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The end of a datagram was not captured.
    Cut {
        /// How many bytes.
        missing: usize,
    },
    /// An IP packet with fragments that were not captured.
    Fragments(LostPacket),
    /// A message, or a part of one, of an ENet connection.
    Enet(enet::LostMessage),
    /// Bytes of one direction of a TCP connection.
    Stream {
        /// Their offset in the stream, counted from the first byte that was seen.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// Why they were lost.
        reason: tcp::LossReason,
    },
    /// The state of a connection: keeping it would have exceeded the [`Limits`](super::Limits).
    Flow,
    /// The rest of the connections that were silent for the longest time: more connections were
    /// open than [`Limits::flows`](super::Limits::flows). This is reported once. Each of these
    /// connections is [closed](super::Event::Closed) because of the [limit](super::Closed::Limit),
    /// and each later packet that is not read is an [`Other`](super::Other) with the reason
    /// [`TooManyConnections`](super::Reason::TooManyConnections).
    Connections {
        /// The limit.
        limit: usize,
    },
    /// Node names that the message before this event announced: the limit for names was reached.
    /// Later messages show ids in their place.
    Names,
    /// Messages and losses of one packet: the packet has more of them than the limit for one flow
    /// allows to keep.
    Queue {
        /// How many messages and losses.
        count: u64,
    },
}

impl Cause {
    /// A name for the lost parts, in words that are the same for all losses of a kind, such as "parts of TCP
    /// streams".
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Cause::Cut { .. } => "packets captured only in part",
            Cause::Fragments(_) => "parts of IP packets",
            Cause::Enet(lost) if lost.is_unreliable_missing() => "unreliable ENet messages",
            Cause::Enet(lost) if lost.is_undelivered() => {
                "reliable ENet messages that were not delivered"
            }
            Cause::Enet(_) => "ENet messages",
            Cause::Stream { .. } => "parts of TCP streams",
            Cause::Flow => "states of flows, limit reached",
            Cause::Connections { .. } => "the rest of connections, limit reached",
            Cause::Names => "node names, limit reached",
            Cause::Queue { .. } => "messages beyond the limit of one packet",
        }
    }

    /// How many of these were lost.
    #[must_use]
    pub const fn count(&self) -> u64 {
        match self {
            Cause::Enet(lost) if lost.is_unreliable_missing() || lost.is_undelivered() => {
                lost.lost.count() as u64
            }
            Cause::Queue { count } => *count,
            _ => 1,
        }
    }

    /// Where bytes of a stream were lost, and how many: their offset, counted from the first byte
    /// that was seen, and the offset after them.
    #[must_use]
    pub const fn position(&self) -> Option<Range<u64>> {
        match *self {
            Cause::Stream { offset, bytes, .. } => Some(offset..offset.saturating_add(bytes)),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Cut { missing } => {
                write!(f, "the last {missing} bytes of the datagram were not captured")
            }
            Cause::Fragments(packet) => packet.fmt(f),
            Cause::Enet(loss) => loss.fmt(f),
            Cause::Stream { bytes: 1, offset, reason } => {
                write!(f, "1 byte at byte {offset} of the stream: {reason}")
            }
            Cause::Stream { bytes, offset, reason } => {
                write!(f, "{bytes} bytes at byte {offset} of the stream: {reason}")
            }
            Cause::Flow => f.write_str(
                "the state of the connection was dropped: it exceeded the memory limits",
            ),
            Cause::Connections { limit } => write!(
                f,
                "some connections were not read to their end: more than {limit} connections were \
                 open at once"
            ),
            Cause::Names => f.write_str(
                "node names dropped: the limit for names was reached; ids are shown instead",
            ),
            Cause::Queue { count } => {
                write!(f, "{count} messages or losses: one packet held more than the limit")
            }
        }
    }
}
