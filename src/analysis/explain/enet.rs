//! Explains ENet datagrams: their header, and the command with a message.

use super::body::{Located, Where, body};
use super::fragments::Fragments;
use super::out::{Explained, FieldWriter};
use super::peers;
use super::text::ByteCount;
use crate::capture::follow::Message;
use crate::net::enet::{Body, Command, Datagram, Decompressor, Header};
use crate::net::packet;

/// Explains a datagram, which starts at the next byte, and what follows it in its packet.
/// `beginning` has the fragments of the message if the datagram contains the first of them.
pub(super) fn datagram(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    captured: &packet::Datagram<'_>,
    beginning: Option<&Fragments>,
) -> Located {
    let bytes = captured.payload;
    let (mut decoder, mut buffer) = (Decompressor::new(), Vec::new());
    let read = match captured.missing {
        0 => Datagram::parse_with(bytes, &mut decoder, &mut buffer),
        _ => Datagram::parse_cut(bytes),
    };
    let Ok(read) = read else {
        out.rest(0, "payload")?;
        return Ok(Where::Unknown);
    };
    let (start, header) = (out.at(), read.header());
    datagram_header(out, header, read.checksum())?;
    let end = start.saturating_add(bytes.len());
    if !header.is_compressed {
        let found = commands(out, message, (&read, start), beginning)?;
        out.field(end.saturating_sub(out.at()), 0, "cut command", "")?;
        out.rest(0, "rest of the packet")?;
        return Ok(found);
    }
    let len = end.saturating_sub(out.at());
    out.field(len, 0, "compressed commands", ByteCount(len))?;
    out.rest(0, "rest of the packet")?;
    let plain = read.command_bytes();
    let name = "commands";
    let mut out =
        out.section(plain, name, format_args!("{}, decompressed", ByteCount(plain.len())))?;
    commands(&mut out, message, (&read, 0), beginning)
}

fn datagram_header(
    out: &mut FieldWriter<'_, '_>,
    header: Header,
    checksum: Option<u32>,
) -> Explained {
    let Header { peer, session, is_compressed, sent_time, .. } = header;
    let compressed = if is_compressed { ", compressed" } else { "" };
    let value = format_args!("to peer {peer}, session {session}{compressed}");
    out.field(2, 0, "ENet header", value)?;
    if let Some(time) = sent_time {
        out.field(2, 0, "sent time", format_args!("{time} ms"))?;
    }
    if let Some(checksum) = checksum {
        out.field(4, 0, "checksum", format_args!("{checksum:08x}"))?;
    }
    Ok(())
}

/// Explains the commands of a datagram that starts at an offset. Only one is explained in detail:
/// the one with the last part of the message, or with the first fragment if `beginning` is given.
fn commands(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    (read, start): (&Datagram<'_>, usize),
    beginning: Option<&Fragments>,
) -> Located {
    let mut commands = read.commands();
    let (mut before, mut from) = (0_usize, commands.offset());
    let command = loop {
        let Some(command) = commands.next() else { break None };
        let to = commands.offset();
        let is_it = match beginning {
            Some(fragments) => fragments.is_first(&command),
            None => (from as u64) < message.delivery.offset && message.delivery.offset <= to as u64,
        };
        if is_it {
            break Some((command, to));
        }
        (before, from) = (before.saturating_add(1), to);
    };
    others(out, before, start.saturating_add(from), "before")?;
    let Some((command, to)) = command else { return Ok(Where::Unknown) };
    let found = explain(out, message, &command, start.saturating_add(to))?;
    let after = commands.by_ref().count();
    others(out, after, start.saturating_add(commands.offset()), "after")?;
    Ok(found)
}

/// Explains commands without the message, up to an offset, as one field.
fn others(out: &mut FieldWriter<'_, '_>, count: usize, end: usize, place: &str) -> Explained {
    let len = end.saturating_sub(out.at());
    let unit = if count == 1 { "command" } else { "commands" };
    let name = format_args!("{count} {unit} {place}");
    out.field(len, 0, name, ByteCount(len))
}

/// Explains the command with the message, or with a fragment of it. The command ends before `end`.
fn explain(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    command: &Command<'_>,
    end: usize,
) -> Located {
    let (name, fragment) = match command.body {
        Body::SendReliable { .. } => ("send reliable", None),
        Body::SendUnreliable { .. } => ("send unreliable", None),
        Body::SendUnsequenced { .. } => ("send unsequenced", None),
        Body::SendFragment(fragment) => ("send fragment", Some(fragment)),
        Body::SendUnreliableFragment(fragment) => ("send unreliable fragment", Some(fragment)),
        _ => ("command without a message", None),
    };
    let flag = if command.needs_acknowledgement { ", to be acknowledged" } else { "" };
    out.field(1, 0, "ENet command", format_args!("{name}{flag}"))?;
    number(out, 1, "channel", command.channel.into())?;
    number(out, 2, "sequence number", command.sequence.into())?;
    match command.body {
        Body::SendUnreliable { unreliable_sequence, .. } => {
            number(out, 2, "unreliable sequence number", unreliable_sequence.into())?;
        }
        Body::SendUnsequenced { group, .. } => number(out, 2, "group", group.into())?,
        Body::SendFragment(fragment) | Body::SendUnreliableFragment(fragment) => {
            number(out, 2, "sequence number of the first", fragment.start_sequence.into())?;
        }
        _ => {}
    }
    let payload = match (command.body, fragment) {
        (_, Some(fragment)) => fragment.payload,
        (
            Body::SendReliable { payload }
            | Body::SendUnreliable { payload, .. }
            | Body::SendUnsequenced { payload, .. },
            _,
        ) => payload,
        _ => &[],
    };
    let len = payload.len();
    out.field(2, 1, "length", ByteCount(len))?;
    if let Some(fragment) = fragment {
        number(out, 4, "fragments", fragment.count)?;
        number(out, 4, "number", fragment.number)?;
        let total = fragment.total_len;
        let has_peers = (total as usize).checked_sub(message.bytes.len()) == Some(peers::ENET);
        let peers = if has_peers { ", of them 8 for the peers" } else { "" };
        let value = format_args!("{}{peers}", ByteCount(total as usize));
        out.field(4, 1, "length of all fragments", value)?;
        number(out, 4, "offset of this one", fragment.offset)?;
        let mut len = len;
        if has_peers && fragment.offset == 0 && peers::of_enet(out, payload)? {
            len = len.saturating_sub(peers::ENET);
        }
        out.field(len, 1, "fragment", ByteCount(len))?;
        return Ok(Where::Parted);
    }
    if len.saturating_sub(message.bytes.len()) == peers::ENET && payload.ends_with(message.bytes) {
        peers::of_enet(out, payload)?;
    }
    if out.unexplained().get(..end.saturating_sub(out.at())) == Some(message.bytes) {
        body(out, message)?;
        return Ok(Where::Explained);
    }
    out.field(end.saturating_sub(out.at()), 1, "payload", ByteCount(len))?;
    Ok(Where::Unknown)
}

/// Explains a field of a command that is a number.
fn number(out: &mut FieldWriter<'_, '_>, len: usize, name: &str, number: u32) -> Explained {
    out.field(len, 1, name, number)
}
