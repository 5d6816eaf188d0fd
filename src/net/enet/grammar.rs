//! The grammar of ENet datagrams. The parsers return `Incomplete` where a datagram was cut off.

use super::command::{Bandwidth, Body, Command, Connect, Fragment, Throttle, VerifyConnect};
use super::error::{Fault, Problem};
use super::header::{Header, UNASSIGNED_PEER};
use nom::bytes::streaming::take;
use nom::combinator::cond;
use nom::number::streaming::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser};

type Parsed<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

const ACKNOWLEDGE: u8 = 0x80;
const UNSEQUENCED: u8 = 0x40;

/// The channel of the commands of the protocol itself.
pub(super) const OWN_CHANNEL: u8 = 0xff;

/// The longest packet that a host accepts by default. Godot does not change it.
const MAX_PACKET_LEN: u32 = 32 << 20;
const MAX_FRAGMENTS: u32 = 1 << 20;

pub(super) fn header(input: &[u8]) -> Parsed<'_, Header> {
    let (rest, bits) = be_u16(input)?;
    let (rest, sent_time) = cond(bits & 0x8000 != 0, be_u16).parse(rest)?;
    let header = Header {
        peer: bits & 0x0fff,
        // Two bits.
        session: (bits >> 12 & 3) as u8,
        is_compressed: bits & 0x4000 != 0,
        sent_time,
    };
    Ok((rest, header))
}

pub(super) fn command(input: &[u8]) -> Parsed<'_, Command<'_>> {
    let (rest, (byte, channel, sequence)) = (be_u8, be_u8, be_u16).parse(input)?;
    let is_own = match byte {
        0x01 | 0x07 | 0x0c | 0x49 | 0x86 | 0x88 => false,
        0x44 | 0x82..=0x85 | 0x8a | 0x8b => true,
        _ => return refuse(input, Problem::UnknownCommand { byte }),
    };
    // An acknowledgement uses the channel of the command that it acknowledges.
    if byte != 0x01 && is_own != (channel == OWN_CHANNEL) {
        return refuse(input, Problem::Channel { channel });
    }
    let (rest, body) = match byte & 0x0f {
        1 => acknowledge(rest, sequence)?,
        2 => connect.map(Body::Connect).parse(rest)?,
        3 => verify_connect.map(Body::VerifyConnect).parse(rest)?,
        4 => be_u32.map(|data| Body::Disconnect { data }).parse(rest)?,
        5 => (rest, Body::Ping),
        6 => data.map(|payload| Body::SendReliable { payload }).parse(rest)?,
        7 => (be_u16, data)
            .map(|(unreliable_sequence, payload)| Body::SendUnreliable {
                unreliable_sequence,
                payload,
            })
            .parse(rest)?,
        8 => fragment(rest, Some(sequence)).map(|(rest, f)| (rest, Body::SendFragment(f)))?,
        9 => (be_u16, data)
            .map(|(group, payload)| Body::SendUnsequenced { group, payload })
            .parse(rest)?,
        10 => bandwidth.map(Body::BandwidthLimit).parse(rest)?,
        11 => throttle.map(Body::ThrottleConfigure).parse(rest)?,
        _ => fragment(rest, None).map(|(rest, f)| (rest, Body::SendUnreliableFragment(f)))?,
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

fn refuse<T>(at: &[u8], problem: Problem) -> Parsed<'_, T> {
    Err(nom::Err::Failure(Fault { at, problem }))
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
fn data(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, len) = be_u16(input)?;
    take(len)(rest)
}

/// An acknowledgement. It has the sequence number of the acknowledged command twice.
fn acknowledge(input: &[u8], sequence: u16) -> Parsed<'_, Body<'_>> {
    let (rest, (received, sent_time)) = (be_u16, be_u16).parse(input)?;
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
