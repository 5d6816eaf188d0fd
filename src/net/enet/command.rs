//! The commands of the ENet protocol: their fields, the grammar that reads them, and its errors.

use super::{Header, UNASSIGNED_PEER};
use core::fmt;
use nom::bytes::streaming::take;
use nom::error::{ErrorKind, ParseError};
use nom::number::streaming::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser};

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

type Parsed<'a, T> = IResult<&'a [u8], T, CommandFault<'a>>;

const ACKNOWLEDGE: u8 = 0x80;
const UNSEQUENCED: u8 = 0x40;

/// The channel of the commands of the protocol itself.
pub const OWN_CHANNEL: u8 = 0xff;

/// The longest packet that a host accepts by default. Godot does not change it.
const MAX_PACKET_LEN: u32 = 32 << 20;
const MAX_FRAGMENTS: u32 = 1 << 20;

pub fn header(input: &[u8]) -> Parsed<'_, Header> {
    let (rest, bits) = number(input)?;
    let (rest, sent_time) = if bits & 0x8000 != 0 {
        let (rest, time) = number(rest)?;
        (rest, Some(time))
    } else {
        (rest, None)
    };
    let header = Header {
        peer: bits & 0x0fff,
        // Two bits.
        session: (bits >> 12 & 3) as u8,
        is_compressed: bits & 0x4000 != 0,
        sent_time,
    };
    Ok((rest, header))
}

#[inline(always)]
pub fn command(input: &[u8]) -> Parsed<'_, Command<'_>> {
    let (rest, [byte, channel, high, low]) = chunk(input)?;
    let sequence = u16::from_be_bytes([high, low]);
    let is_own = match byte {
        0x01 | 0x07 | 0x0c | 0x49 | 0x86 | 0x88 => false,
        0x44 | 0x82..=0x85 | 0x8a | 0x8b => true,
        _ => return refuse(input, Problem::UnknownCommand { byte }),
    };
    // An acknowledgement uses the channel of the command that it acknowledges.
    if byte != 0x01 && is_own != (channel == OWN_CHANNEL) {
        return refuse(input, Problem::Channel { channel });
    }
    // The commands that are common in a game are read here, the others in a function of their own.
    let (rest, body) = match byte & 0x0f {
        1 => acknowledge(rest, sequence)?,
        6 => {
            let (rest, payload) = data(rest)?;
            (rest, Body::SendReliable { payload })
        }
        7 => {
            let (rest, unreliable_sequence) = number(rest)?;
            let (rest, payload) = data(rest)?;
            (rest, Body::SendUnreliable { unreliable_sequence, payload })
        }
        9 => {
            let (rest, group) = number(rest)?;
            let (rest, payload) = data(rest)?;
            (rest, Body::SendUnsequenced { group, payload })
        }
        kind => uncommon(kind, rest, sequence)?,
    };
    let command = Command {
        needs_acknowledgement: byte & ACKNOWLEDGE != 0,
        is_unsequenced: byte & UNSEQUENCED != 0,
        channel,
        sequence,
        body,
    };
    Ok((rest, command))
}

#[inline(never)]
fn uncommon(kind: u8, rest: &[u8], sequence: u16) -> Parsed<'_, Body<'_>> {
    match kind {
        2 => connect.map(Body::Connect).parse(rest),
        3 => verify_connect.map(Body::VerifyConnect).parse(rest),
        4 => be_u32.map(|data| Body::Disconnect { data }).parse(rest),
        5 => Ok((rest, Body::Ping)),
        8 => fragment(rest, Some(sequence)).map(|(rest, f)| (rest, Body::SendFragment(f))),
        10 => bandwidth.map(Body::BandwidthLimit).parse(rest),
        11 => throttle.map(Body::ThrottleConfigure).parse(rest),
        _ => fragment(rest, None).map(|(rest, f)| (rest, Body::SendUnreliableFragment(f))),
    }
}

/// The next bytes, as an array.
#[inline]
fn chunk<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    let (chunk, rest) = input.split_first_chunk().ok_or(END)?;
    Ok((rest, *chunk))
}

/// The next number.
#[inline]
fn number(input: &[u8]) -> Parsed<'_, u16> {
    let (rest, bytes) = chunk(input)?;
    Ok((rest, u16::from_be_bytes(bytes)))
}

/// The input ends within a field.
const END: nom::Err<CommandFault<'static>> = nom::Err::Incomplete(nom::Needed::Unknown);

fn refuse<T>(at: &[u8], problem: Problem) -> Parsed<'_, T> {
    Err(nom::Err::Failure(CommandFault { at, problem }))
}

/// A number that has to be within bounds.
fn field<'a>(
    name: &'static str,
    bounds: core::ops::RangeInclusive<u32>,
) -> impl Fn(&'a [u8]) -> Parsed<'a, u32> {
    move |input| {
        let (rest, number) = be_u32(input)?;
        if bounds.contains(&number) {
            Ok((rest, number))
        } else {
            refuse(input, Problem::Field { name, number })
        }
    }
}

/// Bytes with their length, a u16, before them.
#[inline]
fn data(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, len) = number(input)?;
    let (data, rest) = rest.split_at_checked(len.into()).ok_or(END)?;
    Ok((rest, data))
}

/// An acknowledgement. It has the sequence number of the acknowledged command twice.
fn acknowledge(input: &[u8], sequence: u16) -> Parsed<'_, Body<'_>> {
    let (rest, received) = number(input)?;
    let (rest, sent_time) = number(rest)?;
    if received != sequence {
        let number = received.into();
        return refuse(input, Problem::Field { name: "acknowledged number", number });
    }
    Ok((rest, Body::Acknowledge { received, sent_time }))
}

fn bandwidth(input: &[u8]) -> Parsed<'_, Bandwidth> {
    (be_u32, be_u32).map(|(incoming, outgoing)| Bandwidth { incoming, outgoing }).parse(input)
}

fn throttle(input: &[u8]) -> Parsed<'_, Throttle> {
    (be_u32, be_u32, be_u32)
        .map(|(interval, acceleration, deceleration)| Throttle {
            interval,
            acceleration,
            deceleration,
        })
        .parse(input)
}

fn verify_connect(input: &[u8]) -> Parsed<'_, VerifyConnect> {
    let (rest, (outgoing_peer, incoming_session, outgoing_session)) =
        (be_u16, be_u8, be_u8).parse(input)?;
    if outgoing_peer >= UNASSIGNED_PEER {
        let number = outgoing_peer.into();
        return refuse(input, Problem::Field { name: "peer id", number });
    }
    let (rest, (mtu, window_size, channels)) = (
        field("MTU", 576..=4_096),
        field("window size", 4_096..=65_536),
        field("number of channels", 1..=255),
    )
        .parse(rest)?;
    let (rest, (bandwidth, throttle, connect_id)) = (bandwidth, throttle, be_u32).parse(rest)?;
    let verify = VerifyConnect {
        outgoing_peer,
        incoming_session,
        outgoing_session,
        mtu,
        window_size,
        channels,
        bandwidth,
        throttle,
        connect_id,
    };
    Ok((rest, verify))
}

/// A request has the fields of the answer, and one more.
fn connect(input: &[u8]) -> Parsed<'_, Connect> {
    (verify_connect, be_u32).map(|(parameters, data)| Connect { parameters, data }).parse(input)
}

/// A fragment. Those of a reliable message have consecutive sequence numbers.
fn fragment(input: &[u8], sequence: Option<u16>) -> Parsed<'_, Fragment<'_>> {
    let (rest, (start_sequence, len, count, number, total_len, offset)) =
        (be_u16, be_u16, be_u32, be_u32, be_u32, be_u32).parse(input)?;
    let end = offset.checked_add(len.into());
    let is_last = number.checked_add(1) == Some(count);
    // The sender splits a message into fragments of one length; the last one has the rest.
    let part_len = match (is_last, offset.checked_div(number)) {
        (true, Some(len)) => len,
        _ => len.into(),
    };
    let is_sound = number < count
        && count <= MAX_FRAGMENTS
        && total_len <= MAX_PACKET_LEN
        && (1..=part_len).contains(&len.into())
        && end.is_some_and(|end| if is_last { end == total_len } else { end < total_len })
        && number.checked_mul(part_len) == Some(offset)
        && total_len.div_ceil(part_len) == count
        // Sequence numbers have 16 bits and wrap around.
        && sequence.is_none_or(|it| it == start_sequence.wrapping_add(number as u16));
    if !is_sound {
        return refuse(input, Problem::Fragment);
    }
    let (rest, payload) = take(len)(rest)?;
    Ok((rest, Fragment { start_sequence, count, number, total_len, offset, payload }))
}

/// Why a datagram is not ENet, or cannot be read, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}: {problem}")]
#[non_exhaustive]
pub struct Error {
    /// The offset in the datagram, in bytes; in a compressed datagram, the offset after
    /// decompression.
    pub offset: usize,
    /// The kind of error at that offset.
    pub problem: Problem,
}

/// A problem in a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The datagram ends within its header or a command.
    UnexpectedEnd,
    /// The datagram has no commands.
    Empty,
    /// The datagram has more bytes than ENet sends or accepts.
    TooLong {
        /// How many bytes it has.
        len: usize,
    },
    /// No command has this number and these flags.
    UnknownCommand {
        /// The command's first byte.
        byte: u8,
    },
    /// A command is on a channel that its kind does not use.
    Channel {
        /// The channel.
        channel: u8,
    },
    /// A field of a command has a value that ENet never sends.
    Field {
        /// The field's name.
        name: &'static str,
        /// The field's value.
        number: u32,
    },
    /// The fields of a fragment contradict each other.
    Fragment,
    /// A command has to be acknowledged, but the datagram has no sent time.
    NoSentTime,
    /// The receiver's peer id does not fit the first command: only commands that open or break off
    /// a connection are sent to a receiver without a peer id.
    Unassigned,
    /// The datagram is compressed, and was read by a function that does not decompress.
    Compressed,
    /// The datagram is compressed in an unknown way. Without the feature `compression`, only ENet's
    /// range coder is known.
    UnknownCompression,
    /// The datagram takes much more work to decompress than its length allows. A
    /// [`Session`](super::Session) has this limit; ENet's own datagrams do not reach it.
    TooMuchWork,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnexpectedEnd => {
                f.write_str("the datagram ends within its header or a command")
            }
            Problem::Empty => f.write_str("the datagram has no commands"),
            Problem::TooLong { len } => write!(f, "a datagram of {len} bytes is too long for ENet"),
            Problem::UnknownCommand { byte } => {
                write!(f, "no command starts with byte {byte:#04x}")
            }
            Problem::Channel { channel } => {
                write!(f, "the command is not allowed on channel {channel}")
            }
            Problem::Field { name, number } => write!(f, "the {name} cannot be {number}"),
            Problem::Fragment => f.write_str("the fields of the fragment contradict each other"),
            Problem::NoSentTime => {
                f.write_str("a command has to be acknowledged, but the datagram has no sent time")
            }
            Problem::Unassigned => {
                f.write_str("the receiver's peer id does not fit the first command")
            }
            Problem::Compressed => f.write_str("the datagram is compressed"),
            Problem::UnknownCompression => {
                f.write_str("the datagram is compressed in an unknown way")
            }
            Problem::TooMuchWork => {
                f.write_str("the datagram takes too much work to decompress for its length")
            }
        }
    }
}

/// An error and the rest of the input: its offset follows from the start of the datagram.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommandFault<'a> {
    pub at: &'a [u8],
    pub problem: Problem,
}

impl CommandFault<'_> {
    pub fn in_datagram(self, datagram: &[u8]) -> Error {
        let offset = datagram.len().saturating_sub(self.at.len());
        Error { offset, problem: self.problem }
    }
}

impl<'a> ParseError<&'a [u8]> for CommandFault<'a> {
    fn from_error_kind(at: &'a [u8], _: ErrorKind) -> CommandFault<'a> {
        CommandFault { at, problem: Problem::UnexpectedEnd }
    }

    fn append(_: &'a [u8], _: ErrorKind, first: CommandFault<'a>) -> CommandFault<'a> {
        first
    }
}
