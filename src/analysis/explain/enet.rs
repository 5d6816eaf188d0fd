//! Explains ENet datagrams: their header, and the command with a message.

use super::message::{ENET_PEERS, Located, Recent, Where, body, enet_peers};
use super::out::{Explained, FieldWriter, byte_count};
use crate::capture::follow::{Message, Transport};
use crate::net::enet::{Body, Command, Datagram, DatagramDecompressor, Fragment, Header};
use crate::net::packet;
use crate::net::packet::Payload;
use core::fmt::{self, Display, Formatter};
use core::net::SocketAddr;
use std::collections::BTreeSet;

/// Explains a datagram, which starts at the next byte, and the bytes after it in its packet.
/// `beginning` has the fragments of the message if the datagram contains the first of them.
pub fn datagram(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    captured: &packet::UdpDatagram<'_>,
    beginning: Option<&Fragments>,
) -> Located {
    let bytes = captured.payload;
    let (mut decoder, mut buffer) = (DatagramDecompressor::new(), Vec::new());
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
        let found = commands(out, message, &read, start, beginning)?;
        out.field(end.saturating_sub(out.at()), 0, "cut command", "")?;
        out.rest(0, "rest of the packet")?;
        return Ok(found);
    }
    let len = end.saturating_sub(out.at());
    out.field(len, 0, "compressed commands", byte_count(len))?;
    out.rest(0, "rest of the packet")?;
    let plain = read.command_bytes();
    let name = "commands";
    let mut out =
        out.section(plain, name, format_args!("{}, decompressed", byte_count(plain.len())))?;
    commands(&mut out, message, &read, 0, beginning)
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
    read: &Datagram<'_>,
    start: usize,
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
    out.field(len, 0, name, byte_count(len))
}

/// Explains the command with the message, or with a fragment of it. The command ends before `end`.
fn explain(
    out: &mut FieldWriter<'_, '_>,
    message: &Message<'_>,
    command: &Command<'_>,
    end: usize,
) -> Located {
    let (name, further, payload, fragment) = match command.body {
        Body::SendReliable { payload } => ("send reliable", None, payload, None),
        Body::SendUnreliable { payload, unreliable_sequence, .. } => {
            let number = ("unreliable sequence number", unreliable_sequence);
            ("send unreliable", Some(number), payload, None)
        }
        Body::SendUnsequenced { payload, group, .. } => {
            ("send unsequenced", Some(("group", group)), payload, None)
        }
        Body::SendFragment(fragment) | Body::SendUnreliableFragment(fragment) => {
            let name = match command.body {
                Body::SendFragment(_) => "send fragment",
                _ => "send unreliable fragment",
            };
            let number = ("sequence number of the first", fragment.start_sequence);
            (name, Some(number), fragment.payload, Some(fragment))
        }
        _ => ("command without a message", None, &[][..], None),
    };
    let flag = if command.needs_acknowledgement { ", to be acknowledged" } else { "" };
    out.field(1, 0, "ENet command", format_args!("{name}{flag}"))?;
    number(out, 1, "channel", command.channel.into())?;
    number(out, 2, "sequence number", command.sequence.into())?;
    if let Some((name, further)) = further {
        number(out, 2, name, further.into())?;
    }
    let len = payload.len();
    out.field(2, 1, "length", byte_count(len))?;
    if let Some(fragment) = fragment {
        number(out, 4, "fragments", fragment.count)?;
        number(out, 4, "number", fragment.number)?;
        let total = fragment.total_len;
        let has_peers = (total as usize).checked_sub(message.bytes.len()) == Some(ENET_PEERS);
        let peers = if has_peers { ", of them 8 for the peers" } else { "" };
        let value = format_args!("{}{peers}", byte_count(total as usize));
        out.field(4, 1, "length of all fragments", value)?;
        number(out, 4, "offset of this one", fragment.offset)?;
        let mut len = len;
        if has_peers && fragment.offset == 0 && enet_peers(out, payload)? {
            len = len.saturating_sub(ENET_PEERS);
        }
        out.field(len, 1, "fragment", byte_count(len))?;
        return Ok(Where::Parted);
    }
    if len.saturating_sub(message.bytes.len()) == ENET_PEERS && payload.ends_with(message.bytes) {
        enet_peers(out, payload)?;
    }
    if out.unexplained().get(..end.saturating_sub(out.at())) == Some(message.bytes) {
        body(out, message)?;
        return Ok(Where::Explained);
    }
    out.field(end.saturating_sub(out.at()), 1, "payload", byte_count(len))?;
    Ok(Where::Unknown)
}

/// Explains a field of a command that is a number.
fn number(out: &mut FieldWriter<'_, '_>, len: usize, name: &str, number: u32) -> Explained {
    out.field(len, 1, name, number)
}

/// How many packets are searched for the fragments of a message.
const SEARCHED: u64 = 1_024;

/// How many runs of successive frame numbers are listed.
const LISTED: usize = 16;

/// The fields that all fragments of a message have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FragmentGroup {
    is_reliable: bool,
    channel: u8,
    start_sequence: u16,
    count: u32,
    total_len: u32,
}

/// A command with a fragment.
struct FragmentCommand {
    of: FragmentGroup,
    number: u32,
}

impl FragmentCommand {
    /// None if the command has no fragment.
    const fn of(command: &Command<'_>) -> Option<FragmentCommand> {
        let (is_reliable, fragment) = match command.body {
            Body::SendFragment(fragment) => (true, fragment),
            Body::SendUnreliableFragment(fragment) => (false, fragment),
            _ => return None,
        };
        let Fragment { start_sequence, count, number, total_len, .. } = fragment;
        let of = FragmentGroup {
            is_reliable,
            channel: command.channel,
            start_sequence,
            count,
            total_len,
        };
        Some(FragmentCommand { of, number })
    }
}

/// The frames with the fragments of a message.
pub struct Fragments {
    of: FragmentGroup,
    /// The frame with the first fragment, if it is not the last frame; and the frames with other
    /// fragments, except the last frame.
    pub first: Option<u64>,
    between: BTreeSet<u64>,
    /// How many fragments were not found.
    missing: usize,
}

impl Fragments {
    /// None if the message is not fragmented, or if its last packet is no longer kept.
    pub fn find(message: &Message<'_>, packets: &Recent) -> Option<Fragments> {
        let (first, last) = (message.place.first_frame(), message.place.frame);
        if message.origin.transport != Transport::Enet || first >= last {
            return None;
        }
        let ends = (message.origin.src(), message.origin.dst());
        let mut commands =
            CommandReader { decoder: DatagramDecompressor::new(), buffer: Vec::new(), ends };
        let (mut of, mut numbers, mut frames) = (None, BTreeSet::new(), BTreeSet::new());
        commands.each(packets, last, |is_last, command| {
            if let Some(part) =
                FragmentCommand::of(command).filter(|_| is_last(message.delivery.offset))
            {
                numbers.insert(part.number);
                of = Some(part.of);
            }
        });
        let of = of?;
        let mut beginning = numbers.contains(&0).then_some(last);
        for frame in (first..last).take(usize::try_from(SEARCHED).unwrap_or(usize::MAX)) {
            commands.each(packets, frame, |_, command| {
                let Some(part) = FragmentCommand::of(command).filter(|part| part.of == of) else {
                    return;
                };
                if numbers.insert(part.number) {
                    frames.insert(frame);
                    beginning = beginning.or((part.number == 0).then_some(frame));
                }
            });
        }
        if let Some(beginning) = beginning {
            frames.remove(&beginning);
        }
        let missing = (of.count as usize).saturating_sub(numbers.len());
        let first = beginning.filter(|frame| *frame < last);
        Some(Fragments { of, first, between: frames, missing })
    }

    /// Whether a command has the first fragment of the message.
    pub fn is_first(&self, command: &Command<'_>) -> bool {
        FragmentCommand::of(command).is_some_and(|part| part.number == 0 && part.of == self.of)
    }

    /// Whether there are other fragments than the first and the last.
    pub fn has_others(&self) -> bool {
        !self.between.is_empty() || self.missing > 0
    }
}

/// Shows where the other fragments are: `in frames 12 to 14, 16, not shown`.
impl Display for Fragments {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for frame in &self.between {
            match runs.last_mut() {
                Some((_, last)) if last.saturating_add(1) == *frame => *last = *frame,
                _ => runs.push((*frame, *frame)),
            }
        }
        for (place, (first, last)) in runs.iter().take(LISTED).enumerate() {
            f.write_str(match place {
                0 if self.between.len() == 1 => "in frame ",
                0 => "in frames ",
                _ => ", ",
            })?;
            match first == last {
                true => write!(f, "{first}")?,
                false => write!(f, "{first} to {last}")?,
            }
        }
        if runs.len() > LISTED {
            f.write_str(" and others")?;
        }
        match (self.missing, runs.is_empty()) {
            (0, _) => f.write_str(", not shown"),
            (missing, true) => write!(f, "{missing} not found"),
            (missing, false) => write!(f, ", not shown; {missing} more not found"),
        }
    }
}

/// Reads the commands of the datagrams between two ends.
struct CommandReader {
    decoder: DatagramDecompressor,
    buffer: Vec<u8>,
    ends: (SocketAddr, SocketAddr),
}

impl CommandReader {
    /// Calls a function with each command of a packet. Its first argument tests whether an offset
    /// is in the command.
    fn each(
        &mut self,
        packets: &Recent,
        frame: u64,
        mut work: impl FnMut(&dyn Fn(u64) -> bool, &Command<'_>),
    ) {
        let Some(captured) = packets.get(frame) else { return };
        let Payload::Udp(packet::UdpDatagram { src, dst, payload, missing: 0, .. }) =
            captured.payload()
        else {
            return;
        };
        if (src, dst) != self.ends {
            return;
        }
        let CommandReader { decoder, buffer, .. } = self;
        let Ok(datagram) = Datagram::parse_with(payload, decoder, buffer) else { return };
        let mut commands = datagram.commands();
        let mut from = commands.offset() as u64;
        while let Some(command) = commands.next() {
            let to = commands.offset() as u64;
            work(&|offset| from < offset && offset <= to, &command);
            from = to;
        }
    }
}
