//! Finds the packets with the fragments of an ENet message.

use super::recent::Recent;
use crate::capture::follow::{Message, Transport};
use crate::net::enet::{Body, Command, Datagram, Decompressor, Fragment};
use crate::net::packet::{self, Payload};
use core::fmt::{self, Display, Formatter};
use core::net::SocketAddr;
use std::collections::BTreeSet;

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
pub(super) struct Fragments {
    of: FragmentGroup,
    /// The frame with the first fragment, if it is not the last frame; and the frames with other
    /// fragments, except the last frame.
    pub(super) first: Option<u64>,
    between: BTreeSet<u64>,
    /// How many fragments were not found.
    missing: usize,
}

impl Fragments {
    /// None if the message is not fragmented, or if its last packet is no longer kept.
    pub(super) fn find(message: &Message<'_>, packets: &Recent) -> Option<Fragments> {
        let (first, last) = (message.place.first_frame(), message.place.frame);
        if message.origin.transport != Transport::Enet || first >= last {
            return None;
        }
        let ends = (message.origin.src(), message.origin.dst());
        let mut commands = CommandReader { decoder: Decompressor::new(), buffer: Vec::new(), ends };
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
    pub(super) fn is_first(&self, command: &Command<'_>) -> bool {
        FragmentCommand::of(command).is_some_and(|part| part.number == 0 && part.of == self.of)
    }

    /// Whether there are other fragments than the first and the last.
    pub(super) fn has_others(&self) -> bool {
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
    decoder: Decompressor,
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
        let Payload::Udp(packet::Datagram { src, dst, payload, missing: 0, .. }) =
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
