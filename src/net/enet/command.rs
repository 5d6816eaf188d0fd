//! The commands of the ENet protocol and their fields.

use core::fmt;

/// A command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Command<'a> {
    /// Whether the receiver has to acknowledge it: flag 0x80.
    pub needs_acknowledgement: bool,
    /// Whether it is outside of every order: flag 0x40.
    pub is_unsequenced: bool,
    /// The channel; 0xff for commands of the protocol itself.
    pub channel: u8,
    /// The reliable sequence number, which is counted for each channel and wraps around. An
    /// unreliable command has the number of the last reliable one before it, an unsequenced one has
    /// 0.
    pub sequence: u16,
    /// The kind of command and its fields.
    pub body: Body<'a>,
}

/// The kind of a command and its fields, with the names of ENet's `protocol.h`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Body<'a> {
    /// 1: acknowledges a command.
    Acknowledge {
        /// The reliable sequence number of that command.
        received: u16,
        /// The sent time of that command's datagram.
        sent_time: u16,
    },
    /// 2: the client asks for a connection.
    Connect(Connect),
    /// 3: the server accepts it.
    VerifyConnect(VerifyConnect),
    /// 4: ends the connection.
    Disconnect {
        /// A number that the application chose.
        data: u32,
    },
    /// 5: keeps the connection alive.
    Ping,
    /// 6: a message that is sent again until it is acknowledged.
    SendReliable {
        /// The message.
        payload: &'a [u8],
    },
    /// 7: a message that may be lost.
    SendUnreliable {
        /// Its number since the last reliable command of the channel, from 1.
        unreliable_sequence: u16,
        /// The message.
        payload: &'a [u8],
    },
    /// 8: a fragment of a message, sent again until it is acknowledged.
    SendFragment(Fragment<'a>),
    /// 9: a message that may be lost and that is outside of every order.
    SendUnsequenced {
        /// Its number, which is counted for each peer over all channels and wraps around.
        group: u16,
        /// The message.
        payload: &'a [u8],
    },
    /// 10: the sender's bandwidth.
    BandwidthLimit(Bandwidth),
    /// 11: how the receiver should throttle unreliable messages.
    ThrottleConfigure(Throttle),
    /// 12: a fragment of a message that may be lost.
    SendUnreliableFragment(Fragment<'a>),
}

/// The client's request for a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Connect {
    /// The fields that the server's answer has too.
    pub parameters: VerifyConnect,
    /// A number that the application chose: in Godot, the client's peer id.
    pub data: u32,
}

/// The server's answer to a request for a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VerifyConnect {
    /// The peer id for datagrams to the sender of this command.
    pub outgoing_peer: u16,
    /// The session number for datagrams to the sender; 0xff if there is none yet.
    pub incoming_session: u8,
    /// The session number for datagrams from the sender; 0xff if there is none yet.
    pub outgoing_session: u8,
    /// The longest datagram, in bytes: 576 to 4,096.
    pub mtu: u32,
    /// How many bytes of reliable messages may wait for acknowledgement: 4,096 to 65,536.
    pub window_size: u32,
    /// The number of channels: 1 to 255.
    pub channels: u32,
    /// The sender's bandwidth.
    pub bandwidth: Bandwidth,
    /// How to throttle unreliable messages.
    pub throttle: Throttle,
    /// A number that distinguishes the connection from the next one. ENet copies its bytes in the
    /// byte order of the machine.
    pub connect_id: u32,
}

/// Bandwidth in bytes per second; 0 means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Bandwidth {
    /// How many bytes the sender of this command can receive.
    pub incoming: u32,
    /// How many bytes it can send.
    pub outgoing: u32,
}

/// How the share of unreliable messages that are sent adapts to the round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Throttle {
    /// The interval over which the round-trip time is measured, in milliseconds.
    pub interval: u32,
    /// How much the share grows, in 32nds.
    pub acceleration: u32,
    /// How much the share shrinks, in 32nds.
    pub deceleration: u32,
}

/// A fragment of a message. All fragments have the same length except the last, which may be
/// shorter.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fragment<'a> {
    /// The sequence number of the first fragment; in unreliable fragments, the unreliable number
    /// that all of them share.
    pub start_sequence: u16,
    /// How many fragments the message has.
    pub count: u32,
    /// The number of this fragment, from 0.
    pub number: u32,
    /// The length of the message, in bytes.
    pub total_len: u32,
    /// The offset of this fragment in the message, in bytes.
    pub offset: u32,
    /// The bytes of the fragment.
    pub payload: &'a [u8],
}

impl Fragment<'_> {
    /// The length of every fragment except the last.
    pub(super) fn part_len(&self) -> u32 {
        match self.offset.checked_div(self.number) {
            Some(len) => len,
            None => u32::try_from(self.payload.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Shows the number of bytes instead of the bytes, which may be many.
struct Len(usize);

impl fmt::Debug for Len {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::Acknowledge { received, sent_time } => {
                debug_fields!(f, Acknowledge { received, sent_time })
            }
            Body::Connect(connect) => connect.fmt(f),
            Body::VerifyConnect(verify) => verify.fmt(f),
            Body::Disconnect { data } => f.debug_struct("Disconnect").field("data", data).finish(),
            Body::Ping => f.write_str("Ping"),
            Body::SendReliable { payload } => {
                f.debug_struct("SendReliable").field("payload", &Len(payload.len())).finish()
            }
            Body::SendUnreliable { unreliable_sequence, payload } => {
                debug_fields!(f, SendUnreliable { unreliable_sequence, payload = Len(payload.len()) })
            }
            Body::SendFragment(fragment) => f.debug_tuple("SendFragment").field(fragment).finish(),
            Body::SendUnsequenced { group, payload } => {
                debug_fields!(f, SendUnsequenced { group, payload = Len(payload.len()) })
            }
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
        let Fragment { start_sequence, count, number, total_len, offset, payload } = self;
        debug_fields!(f, Fragment {
            start_sequence, count, number, total_len, offset, payload = Len(payload.len())
        })
    }
}
