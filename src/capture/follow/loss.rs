//! Losses: what was sent but is not in the capture, or cannot be read.

use super::{Origin, Place};
use crate::net::enet::{self, Lost, LostMessage, Mode};
use crate::net::packet::LostPacket;
use crate::net::tcp;
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
    /// The packet with the message or the bytes before the lost ones, or the first one of the
    /// connection. The lost ones were sent after this packet and before [`Loss::place`]. None if it
    /// belongs to that packet.
    pub after: Option<Place>,
    /// Whether the connection has an earlier packet of the same sender, or this one, that was
    /// captured only in part. Then the missing bytes may be those that were not captured.
    pub is_after_cut: bool,
    /// Its transport, sender and receiver; none for an IP packet that was sent in fragments.
    pub origin: Option<Origin>,
    /// The cause of the loss.
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

/// The cause of a loss: what was lost, and why. `Display` says both.
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
    Enet(LostMessage),
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

/// The kind of a loss, by its meaning for the game and for readers of the capture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LossKind {
    /// A packet was captured only in part.
    CapturedInPart,
    /// A limit was reached.
    LimitReached,
    /// Reliable messages, or bytes of a stream, are not in the capture. The ends received them.
    Reliable,
    /// The network lost reliable messages: the connection or the capture ended before they were sent
    /// again. This is normal at the end of a connection.
    Undelivered,
    /// Reliable messages are not in the capture, but may have arrived before the first packet of their
    /// connection that was seen. This is normal if messages were being sent again then.
    Earlier,
    /// Unreliable messages were never seen. Games expect this.
    Unreliable,
    /// An unreliable message was seen, but not all of it, or it contradicts earlier ones.
    UnreliablePart,
    /// A stream, or the capture, ended within a message. A program that is closed sends no more, and
    /// a recording may be stopped at any time.
    Unfinished,
    /// Bytes of a stream cannot be read because of another loss.
    Consequence,
}

impl Cause {
    /// The kind of the loss.
    #[must_use]
    pub const fn kind(&self) -> LossKind {
        match self {
            Cause::Cut { .. } | Cause::Fragments(_) => LossKind::CapturedInPart,
            Cause::Enet(message) => match (message.lost, message.reason) {
                (Lost::Missing { mode: Mode::Unreliable | Mode::Unsequenced, .. }, _) => {
                    LossKind::Unreliable
                }
                (_, enet::LossReason::Unacknowledged) => LossKind::Undelivered,
                (_, enet::LossReason::Earlier) => LossKind::Earlier,
                (_, enet::LossReason::Cut) => LossKind::CapturedInPart,
                (_, enet::LossReason::Limit | enet::LossReason::Work) => LossKind::LimitReached,
                (
                    Lost::Fragments { mode: Mode::Unreliable | Mode::Unsequenced, .. }
                    | Lost::Message { mode: Mode::Unreliable | Mode::Unsequenced, .. },
                    _,
                ) => LossKind::UnreliablePart,
                _ => LossKind::Reliable,
            },
            Cause::Stream { reason, .. } => match reason {
                tcp::LossReason::Missing => LossKind::Reliable,
                tcp::LossReason::Unfinished => LossKind::Unfinished,
                tcp::LossReason::TooLong { .. } => LossKind::LimitReached,
                _ => LossKind::Consequence,
            },
            Cause::Flow | Cause::Connections { .. } | Cause::Names | Cause::Queue { .. } => {
                LossKind::LimitReached
            }
        }
    }

    /// A name for the lost parts, in words that are the same for all losses of a kind, such as "parts of TCP
    /// streams".
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match (self, self.kind()) {
            (Cause::Cut { .. }, _) => "packets captured only in part",
            (Cause::Fragments(_), _) => "parts of IP packets",
            (Cause::Enet(_), LossKind::Unreliable) => "unreliable ENet messages",
            (Cause::Enet(_), LossKind::Undelivered) => {
                "reliable ENet messages that were not delivered"
            }
            (Cause::Enet(_), LossKind::Earlier) => {
                "reliable ENet messages that may have arrived earlier"
            }
            (Cause::Enet(_), _) => "ENet messages",
            (Cause::Stream { .. }, _) => "parts of TCP streams",
            (Cause::Flow, _) => "states of flows, limit reached",
            (Cause::Connections { .. }, _) => "the rest of connections, limit reached",
            (Cause::Names, _) => "node names, limit reached",
            (Cause::Queue { .. }, _) => "messages beyond the limit of one packet",
        }
    }

    /// How many of these were lost.
    #[must_use]
    pub const fn count(&self) -> u64 {
        match self {
            Cause::Enet(message) => message.lost.count() as u64,
            Cause::Queue { count } => *count,
            _ => 1,
        }
    }

    /// The range of a stream that was lost: the offset of its first byte, counted from the first
    /// byte that was seen, and the offset after its last byte.
    #[must_use]
    pub const fn position(&self) -> Option<Range<u64>> {
        match *self {
            Cause::Stream { offset, bytes, .. } => Some(offset..offset.saturating_add(bytes)),
            _ => None,
        }
    }

    /// How many bytes of a stream or at the end of a packet were lost.
    #[must_use]
    pub const fn bytes(&self) -> Option<u64> {
        match *self {
            Cause::Cut { missing } => Some(missing as u64),
            Cause::Stream { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// The ENet channel of lost messages.
    #[must_use]
    pub const fn channel(&self) -> Option<u8> {
        match self {
            Cause::Enet(message) => message.channel,
            _ => None,
        }
    }

    /// How ENet messages that were never seen were sent.
    #[must_use]
    pub const fn mode(&self) -> Option<Mode> {
        match self {
            Cause::Enet(LostMessage { lost: Lost::Missing { mode, .. }, .. }) => Some(*mode),
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
