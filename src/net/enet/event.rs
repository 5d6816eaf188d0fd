//! What a session tells.

use crate::net::Side;
use core::fmt;

/// What a session tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A message, whole.
    Message(Message<'a>),
    /// Something that was sent and cannot be given.
    Lost(Loss),
    /// One end asked for a connection; what follows is of that one.
    Connected(Connected),
    /// One end ended the connection.
    Disconnected {
        /// Which one.
        from: Side,
        /// A number of the application's.
        data: u32,
    },
}

/// A message.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<'a> {
    /// Who sent it.
    pub from: Side,
    /// The channel of ENet's.
    pub channel: u8,
    /// How it was sent.
    pub mode: Mode,
    /// The number of the datagram that made it whole, counted from 0 in the order in which they
    /// were given to the session. Not always the one given last: a message may have been held.
    pub datagram: u64,
    /// Where in that datagram the payload is, in bytes; if it was compressed, in what was in it;
    /// if the message came in fragments, where that one's part of it is.
    pub offset: usize,
    /// The message's bytes.
    pub payload: &'a [u8],
}

/// How a message was sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Mode {
    /// Until it arrives, in the order of its channel.
    Reliable,
    /// Once, in the order of its channel.
    Unreliable,
    /// Once, in no order.
    Unsequenced,
}

/// A connection that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Connected {
    /// Who asked: the client.
    pub from: Side,
    /// Tells this connection from the next.
    pub connect_id: u32,
    /// A number of the application's: in Godot the client's peer id.
    pub data: u32,
    /// How many channels it asked for.
    pub channels: u32,
    /// The longest datagram that it wants, in bytes.
    pub mtu: u32,
}

/// Something that was sent and cannot be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Loss {
    /// Who sent it.
    pub from: Side,
    /// The channel of ENet's, if it is known.
    pub channel: Option<u8>,
    /// What it is.
    pub lost: Lost,
    /// Why it cannot be given.
    pub reason: Reason,
}

/// What is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lost {
    /// So many reliable messages or fragments of them: they were numbered and never seen.
    Reliable {
        /// How many numbers.
        count: u32,
    },
    /// A message of which only some fragments were seen.
    Fragments {
        /// How it was sent.
        mode: Mode,
        /// How many were seen.
        seen: u32,
        /// How many it has.
        count: u32,
        /// The length of the message, in bytes.
        len: u32,
    },
    /// A whole message, or a fragment of one, that was seen.
    Message {
        /// How it was sent.
        mode: Mode,
        /// How many bytes.
        len: usize,
    },
    /// A datagram from its first command on that is not whole.
    Rest {
        /// How many bytes, with those that were not captured.
        len: usize,
    },
}

/// Why something cannot be given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// It was not among the datagrams, however long they went on.
    NotSeen,
    /// To wait longer would have taken more memory than [`super::Limits`] allow.
    Limit,
    /// The end of its datagram was not captured.
    Cut,
    /// It contradicts what came before it.
    Inconsistent,
}

impl Mode {
    /// The name in ENet's words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Reliable => "reliable",
            Mode::Unreliable => "unreliable",
            Mode::Unsequenced => "unsequenced",
        }
    }

    /// The name of Godot's transfer mode that is sent so.
    ///
    /// Godot 3 sends big packets of the other two modes as reliable fragments, and Godot 4 those
    /// of mode `unreliable` as unreliable ones.
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
        f.pad(self.as_str())
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lost {
            Lost::Reliable { count: 1 } => f.write_str("a reliable message or fragment"),
            Lost::Reliable { count } => write!(f, "{count} reliable messages or fragments"),
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::NotSeen => "not seen",
            Reason::Limit => "the limit of held bytes is reached",
            Reason::Cut => "the end of the datagram was not captured",
            Reason::Inconsistent => "it contradicts what came before",
        })
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("from", &self.from)
            .field("channel", &self.channel)
            .field("mode", &self.mode)
            .field("datagram", &self.datagram)
            .field("offset", &self.offset)
            .field("len", &self.payload.len())
            .finish()
    }
}
