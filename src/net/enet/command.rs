//! The commands of the protocol, field by field.

use core::fmt;

/// A command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Command<'a> {
    /// Whether the receiver is to acknowledge it: the flag 0x80.
    pub needs_acknowledgement: bool,
    /// Whether it stands outside of every order: the flag 0x40.
    pub is_unsequenced: bool,
    /// The channel; 0xff for the protocol's own commands.
    pub channel: u8,
    /// The reliable sequence number, counted by channel, which wraps around. An unreliable command
    /// has that of the last reliable one before it, an unsequenced one has 0.
    pub sequence: u16,
    /// What the command is, and what it has.
    pub body: Body<'a>,
}

/// What a command is, and what it has. The names are those of ENet's `protocol.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body<'a> {
    /// 1: a command was received.
    Acknowledge {
        /// Its reliable sequence number.
        received: u16,
        /// The sent time of the datagram that it was in.
        sent_time: u16,
    },
    /// 2: the client wants to connect.
    Connect(Connect),
    /// 3: the server lets it.
    VerifyConnect(VerifyConnect),
    /// 4: the end of the connection.
    Disconnect {
        /// A number of the application's.
        data: u32,
    },
    /// 5: a sign of life.
    Ping,
    /// 6: a message that is sent again until it is acknowledged.
    SendReliable {
        /// The message.
        payload: &'a [u8],
    },
    /// 7: a message that may be lost.
    SendUnreliable {
        /// Counted from 1, anew behind every reliable command of the channel.
        unreliable_sequence: u16,
        /// The message.
        payload: &'a [u8],
    },
    /// 8: a part of a message that is sent again until it is acknowledged.
    SendFragment(Fragment<'a>),
    /// 9: a message that may be lost and has no place in any order.
    SendUnsequenced {
        /// Counted by peer, over all channels; wraps around.
        group: u16,
        /// The message.
        payload: &'a [u8],
    },
    /// 10: how much the sender can take and give.
    BandwidthLimit(Bandwidth),
    /// 11: how fast unreliable messages are to be held back or let go.
    ThrottleConfigure(Throttle),
    /// 12: a part of a message of which every part may be lost.
    SendUnreliableFragment(Fragment<'a>),
}

/// What a client asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Connect {
    /// What the server's answer has, too.
    pub parameters: VerifyConnect,
    /// A number of the application's: in Godot the id of the peer.
    pub data: u32,
}

/// What a server agrees to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VerifyConnect {
    /// The peer id that datagrams to the sender of this are to have.
    pub outgoing_peer: u16,
    /// The number of the session, in datagrams to the sender; 0xff if it has none yet.
    pub incoming_session: u8,
    /// The number of the session, in datagrams from the sender; 0xff if it has none yet.
    pub outgoing_session: u8,
    /// The longest datagram, in bytes: 576 to 4,096.
    pub mtu: u32,
    /// How many bytes may be on the way without an acknowledgement: 4,096 to 65,536.
    pub window_size: u32,
    /// How many channels there are: 1 to 255.
    pub channels: u32,
    /// How much the sender can take and give.
    pub bandwidth: Bandwidth,
    /// How fast unreliable messages are to be held back or let go.
    pub throttle: Throttle,
    /// Tells one connection from the next. ENet copies its bytes as they are in memory.
    pub connect_id: u32,
}

/// Bytes per second; 0 is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Bandwidth {
    /// How many the sender of this can take.
    pub incoming: u32,
    /// How many it can give.
    pub outgoing: u32,
}

/// How the share of unreliable messages that are really sent follows the round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Throttle {
    /// Over how many milliseconds the round-trip time is looked at.
    pub interval: u32,
    /// By how much the share grows, in parts of 32.
    pub acceleration: u32,
    /// By how much it shrinks, in parts of 32.
    pub deceleration: u32,
}

/// A part of a message. All have the same length but the last, which may be shorter.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fragment<'a> {
    /// The sequence number of the first part; in an unreliable fragment, the unreliable number of
    /// all.
    pub start_sequence: u16,
    /// How many parts the message has.
    pub count: u32,
    /// Which one this is, from 0.
    pub number: u32,
    /// The length of the message, in bytes.
    pub total_len: u32,
    /// Where in the message this part stands, in bytes.
    pub offset: u32,
    /// The part.
    pub payload: &'a [u8],
}

impl Fragment<'_> {
    /// The length of every part but the last.
    pub(super) fn part_len(&self) -> u32 {
        match self.offset.checked_div(self.number) {
            Some(len) => len,
            None => u32::try_from(self.payload.len()).unwrap_or(u32::MAX),
        }
    }
}

/// How many bytes there are, in the place of bytes that may be many.
struct Len(usize);

impl fmt::Debug for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Acknowledge { received, sent_time } => f
                .debug_struct("Acknowledge")
                .field("received", received)
                .field("sent_time", sent_time)
                .finish(),
            Body::Connect(connect) => connect.fmt(f),
            Body::VerifyConnect(verify) => verify.fmt(f),
            Body::Disconnect { data } => f.debug_struct("Disconnect").field("data", data).finish(),
            Body::Ping => f.write_str("Ping"),
            Body::SendReliable { payload } => {
                f.debug_struct("SendReliable").field("payload", &Len(payload.len())).finish()
            }
            Body::SendUnreliable { unreliable_sequence, payload } => f
                .debug_struct("SendUnreliable")
                .field("unreliable_sequence", unreliable_sequence)
                .field("payload", &Len(payload.len()))
                .finish(),
            Body::SendFragment(fragment) => f.debug_tuple("SendFragment").field(fragment).finish(),
            Body::SendUnsequenced { group, payload } => f
                .debug_struct("SendUnsequenced")
                .field("group", group)
                .field("payload", &Len(payload.len()))
                .finish(),
            Body::BandwidthLimit(limit) => f.debug_tuple("BandwidthLimit").field(limit).finish(),
            Body::ThrottleConfigure(throttle) => {
                f.debug_tuple("ThrottleConfigure").field(throttle).finish()
            }
            Body::SendUnreliableFragment(fragment) => {
                f.debug_tuple("SendUnreliableFragment").field(fragment).finish()
            }
        }
    }
}

impl fmt::Debug for Fragment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fragment")
            .field("start_sequence", &self.start_sequence)
            .field("count", &self.count)
            .field("number", &self.number)
            .field("total_len", &self.total_len)
            .field("offset", &self.offset)
            .field("payload", &Len(self.payload.len()))
            .finish()
    }
}
