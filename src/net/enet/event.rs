//! The events of a session: messages, losses, connections.

use crate::net::{Between, Side};
use core::fmt;

/// An event of a [`Session`](super::Session).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SessionEvent<'a, T = ()> {
    /// A complete message.
    Message(SessionMessage<'a, T>),
    /// Something that was sent cannot be delivered, and between which datagrams it was sent.
    Lost(LostMessage, &'a Between<T>),
    /// One end asked for a connection. The events that follow belong to it.
    Connected(Connected),
    /// One end ended the connection.
    Disconnected {
        /// The end that ended it.
        from: Side,
        /// A number that the application chose.
        data: u32,
    },
}

/// A message.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionMessage<'a, T = ()> {
    /// The end that sent it.
    pub from: Side,
    /// The ENet channel.
    pub channel: u8,
    /// How it was sent.
    pub mode: Mode,
    /// Its sequence numbers, which its sender counts: that of its channel in the upper 16 bits. The
    /// lower ones are 0 for a reliable message, the number since the last reliable message for an
    /// unreliable one, and the number of its group for an unsequenced one.
    pub number: u32,
    /// The tag of the datagram that carried it, or the [joined](crate::net::Tag) tag of the
    /// datagrams that carried its fragments. It is not always the latest one, because a message may
    /// be held back.
    pub tag: T,
    /// The offset of the payload in that datagram after decompression, in bytes. If the message
    /// came in fragments, it is the offset of that datagram's fragment.
    pub offset: usize,
    /// The message's bytes.
    pub payload: &'a [u8],
}

/// How a message was sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Mode {
    /// Sent again until it arrives; delivered in the order of its channel.
    Reliable,
    /// Sent once; delivered in the order of its channel.
    Unreliable,
    /// Sent once; delivered in any order.
    Unsequenced,
}

/// A connection that one end asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Connected {
    /// The end that asked: the client.
    pub from: Side,
    /// A number that distinguishes this connection from the next one.
    pub connect_id: u32,
    /// A number that the application chose: in Godot, the client's peer id.
    pub data: u32,
    /// The number of channels that it asked for.
    pub channels: u32,
    /// The longest datagram that it accepts, in bytes.
    pub mtu: u32,
}

/// Something that was sent and cannot be delivered. `Display` says what and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LostMessage {
    /// The end that sent it.
    pub from: Side,
    /// The ENet channel, if it is known.
    pub channel: Option<u8>,
    /// The messages or bytes that are missing.
    pub lost: Lost,
    /// Why it cannot be delivered.
    pub reason: LossReason,
}

/// The messages or bytes that are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lost {
    /// Messages, or fragments of reliable ones, that were never seen: their sequence numbers are
    /// missing. ENet itself drops some unreliable and unsequenced messages before sending them when
    /// the connection is slow. These are counted, too, because their numbers are missing as well.
    Missing {
        /// How they were sent.
        mode: Mode,
        /// How many sequence numbers are missing.
        count: u32,
    },
    /// A message of which only some fragments were seen.
    Fragments {
        /// How it was sent.
        mode: Mode,
        /// How many were seen.
        seen: u32,
        /// How many the message has.
        count: u32,
        /// The length of the message, in bytes.
        len: u32,
    },
    /// A complete message, or a fragment of one, that was seen.
    Message {
        /// How it was sent.
        mode: Mode,
        /// Its length, in bytes.
        len: usize,
    },
    /// The rest of a datagram, from the first command that is incomplete.
    Rest {
        /// Its length in bytes, including those that were not captured.
        len: usize,
    },
}

/// Why something cannot be delivered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LossReason {
    /// It was not in any datagram.
    NotSeen,
    /// It was not in any datagram, and the other end has not acknowledged it before the end of the
    /// connection or of the capture. So it was not delivered: the network lost it, or the
    /// connection ended too early. If the sender went on for seconds without sending it again, a
    /// [`Follower`](crate::follow::Follower) says [`NotSeen`](LossReason::NotSeen) instead: the
    /// acknowledgement is not in the capture either.
    Unacknowledged,
    /// It was not in any datagram, but may have arrived before the session began. The first message that
    /// was seen may be one that was sent again. Messages soon after it have this reason, and so has that
    /// message itself if its first fragment is missing.
    Earlier,
    /// Waiting longer would have taken more memory than [`super::SessionLimits`] allows.
    Limit,
    /// The end of its datagram was not captured.
    Cut,
    /// It contradicts earlier fragments or messages.
    Inconsistent,
    /// Its datagram would take too much work to decompress for its length:
    /// [`Problem::TooMuchWork`](super::Problem::TooMuchWork).
    Work,
}

impl Lost {
    /// How many messages or fragments are missing: 1 unless these are [`Lost::Missing`].
    pub(crate) const fn count(self) -> u32 {
        match self {
            Lost::Missing { count, .. } => count,
            _ => 1,
        }
    }
}

impl Mode {
    /// ENet's name for the mode.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Reliable => "reliable",
            Mode::Unreliable => "unreliable",
            Mode::Unsequenced => "unsequenced",
        }
    }

    /// The name of the Godot transfer mode that is sent this way.
    ///
    /// Large packets differ: Godot 3 sends those of both unreliable modes as reliable fragments,
    /// and Godot 4 sends those of mode `unreliable` as unreliable fragments, which keep their
    /// order.
    #[must_use]
    pub const fn godot_name(self) -> &'static str {
        match self {
            Mode::Reliable => "reliable",
            Mode::Unreliable => "unreliable_ordered",
            Mode::Unsequenced => "unreliable",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for LostMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lost {
            Lost::Missing { mode: Mode::Reliable, count: 1 } => {
                f.write_str("a reliable message or fragment")
            }
            Lost::Missing { mode: Mode::Reliable, count } => {
                write!(f, "{count} reliable messages or fragments")
            }
            Lost::Missing { mode, count: 1 } => write!(f, "an {mode} message"),
            Lost::Missing { mode, count } => write!(f, "{count} {mode} messages"),
            Lost::Fragments { mode, seen, count, len } => {
                write!(f, "one {mode} message of {len} bytes ({seen} of {count} fragments seen)")
            }
            Lost::Message { mode, len } => {
                write!(f, "one {mode} message or fragment of {len} bytes")
            }
            Lost::Rest { len } => write!(f, "the last {len} bytes of a datagram"),
        }?;
        if let Some(channel) = self.channel {
            write!(f, " on channel {channel}")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LossReason::NotSeen => "not seen",
            LossReason::Unacknowledged => "not delivered before the end",
            LossReason::Earlier => "may have arrived before the first packet that was seen",
            LossReason::Limit => "the memory limit was reached",
            LossReason::Cut => "the end of the datagram was not captured",
            LossReason::Inconsistent => "it contradicts earlier fragments or messages",
            LossReason::Work => "decompressing it would take too much work for its length",
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for SessionMessage<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SessionMessage { from, channel, mode, tag, offset, payload, .. } = self;
        debug_fields!(f, SessionMessage { from, channel, mode, tag, offset, len = payload.len() })
    }
}
