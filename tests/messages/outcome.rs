//! Reads a recording in which packets are missing, doubled, reordered or cut, and checks the
//! returned messages: all were sent, and none is returned too often or out of order.

use crate::messages::output::{Lane, Lost, Output, Returned};
use crate::messages::parts::{Part, Recording};
use gdwire::follow::{Cause, Reason, Transport};
use gdwire::multiplayer::{self, MultiplayerProtocol};
use gdwire::net::enet::{self, LostMessage, Mode};
use gdwire::parse;
use std::collections::BTreeMap;

/// Packets of a recording: their index, and how many bytes of each are left.
pub(crate) type Kept = Vec<(usize, usize)>;

pub(crate) struct Outcome {
    /// How many packets were read.
    frames: u64,
    pub(crate) output: Output,
    /// Messages with a missing part.
    pub(crate) broken: Vec<Returned>,
    /// Complete messages that were not returned.
    pub(crate) not_given: Vec<Returned>,
}

/// Equal messages, and how often they are complete.
#[derive(Default)]
struct Alike<'r> {
    times: usize,
    messages: Vec<&'r Returned>,
    /// Whether one of them was sent again and lacks a packet. Then its other copy may arrive after
    /// messages that were sent later.
    may_be_late: bool,
}

impl Recording {
    /// The packets as they were recorded.
    pub(crate) fn all(&self) -> Kept {
        self.packets.iter().map(|packet| packet.data.len()).enumerate().collect()
    }

    /// Reads some packets, and compares the messages with those of all packets.
    pub(crate) fn with_packets(&self, kept: &[(usize, usize)]) -> Outcome {
        let packets: Vec<_> = kept
            .iter()
            .map(|(place, len)| {
                let mut packet = self.packets[*place].clone();
                packet.data.truncate(*len);
                packet
            })
            .collect();
        let output = Output::of(&packets);
        let mut lengths = vec![0; self.packets.len()];
        let mut copies = vec![0; self.packets.len()];
        for (place, len) in kept {
            lengths[*place] = lengths[*place].max(*len);
            copies[*place] += 1;
        }
        let mut broken = Vec::new();
        let mut alike: BTreeMap<(Lane, &[u8]), Alike<'_>> = BTreeMap::new();
        let mut order: BTreeMap<Lane, Vec<&Returned>> = BTreeMap::new();
        for (message, parts) in self.whole.returned.iter().zip(&self.parts) {
            let alike = alike.entry((message.lane, &message.bytes)).or_default();
            alike.messages.push(message);
            let mut carriers = parts.iter().flatten();
            alike.may_be_late |= carriers.any(|(place, needed)| lengths[*place] < *needed);
            if !is_there(parts, &lengths) {
                broken.push(message.clone());
                continue;
            }
            // A datagram that arrives twice is two messages.
            alike.times += match &parts[..] {
                [part] if message.transport == Transport::Udp => {
                    part.keys().map(|place| copies[*place]).sum()
                }
                _ => 1,
            };
            order.entry(message.lane).or_default().push(message);
        }
        let mut order: BTreeMap<_, _> =
            order.into_iter().map(|(lane, messages)| (lane, messages.into_iter())).collect();
        let is_short = output.returned.len() < 8;
        for returned in &output.returned {
            let name = &self.name;
            let Some(alike) = alike.get_mut(&(returned.lane, &returned.bytes[..])) else {
                panic!("{name}: not sent: {returned:?}");
            };
            assert!(alike.times > 0, "{name}: once too often: {returned:?}");
            alike.times -= 1;
            let is_same = |sent: &&&Returned| {
                (sent.transport, sent.mode) == (returned.transport, returned.mode)
                    && (is_short || sent.dialect == returned.dialect || reads_alike(sent, returned))
                    && (returned.path.is_none() || sent.path == returned.path)
            };
            assert!(alike.messages.iter().any(|it| is_same(&it)), "{name}: misread: {returned:?}");
            let lane = order.get_mut(&returned.lane).unwrap();
            let place = lane.clone().position(|sent| sent.bytes == returned.bytes);
            if returned.is_ordered()
                && let Some(place) = place
            {
                lane.nth(place);
            }
            let is_ordered = place.is_some() || alike.may_be_late || !returned.is_ordered();
            assert!(is_ordered, "{name}: another order: {returned:?}");
        }
        let not_given = alike.values().flat_map(|alike| {
            let times = alike.times.min(alike.messages.len());
            alike.messages.iter().take(times).map(|message| (*message).clone())
        });
        Outcome { frames: packets.len() as u64, broken, not_given: not_given.collect(), output }
    }
}

/// Whether a message has the same content in both dialects. In a part of a recording that only has
/// such messages, the dialect cannot be known.
pub(crate) fn reads_alike(sent: &Returned, returned: &Returned) -> bool {
    let read = |dialect| match multiplayer::parse(
        MultiplayerProtocol::of(dialect),
        dialect,
        &returned.bytes,
    ) {
        Ok(packet) if returned.is_packet => packet.to_string(),
        _ => format!("{:?}", parse(dialect, &returned.bytes)),
    };
    let is_decided = returned.is_decided && sent.is_decided;
    let is_possible = !is_decided || sent.dialect.engine() == returned.dialect.engine();
    is_possible && read(sent.dialect) == read(returned.dialect)
}

fn is_unreliable(message: &Returned) -> bool {
    matches!(message.mode, Some(Mode::Unreliable | Mode::Unsequenced))
}

/// The frame number of a packet if the packet `missing`, counted from 0, is missing.
fn without(missing: usize, frame: u64) -> u64 {
    frame - u64::from(frame > missing as u64)
}

/// Whether every part of a message is there, if this many bytes of each packet are.
fn is_there(parts: &[BTreeMap<usize, usize>], lengths: &[usize]) -> bool {
    let is_there = |(place, needed): (&usize, &usize)| lengths[*place] >= *needed;
    parts.iter().all(|part| part.iter().any(is_there))
}

impl Outcome {
    /// Whether a loss other than an unreliable message, or an unreadable packet, is reported.
    pub(crate) fn reports_a_loss(&self) -> bool {
        self.output.lost.iter().any(|lost| lost.unreliable() == 0) || !self.output.other.is_empty()
    }

    /// The reported losses that the whole recording does not have, if the packet `missing` is
    /// missing.
    pub(crate) fn new_losses(&self, whole: &Recording, missing: usize) -> Vec<&Lost> {
        let is_old = |lost: &&Lost| {
            let same = |old: &Lost| (without(missing, old.frame), old.cause);
            whole.whole.lost.iter().any(|old| same(old) == (lost.frame, lost.cause))
        };
        self.output.lost.iter().filter(|lost| !is_old(lost)).collect()
    }

    /// Whether the place of a loss is where the packet `missing` was.
    pub(crate) fn is_around(&self, whole: &Recording, missing: usize, lost: &Lost) -> bool {
        // The packet before it has this frame number.
        let before = missing as u64;
        match (lost.after, lost.cause) {
            (Some(after), _) => after <= before && before < lost.frame,
            // A message that lacks a part is where the last of its other parts is.
            (None, Cause::Enet(LostMessage { lost: enet::Lost::Fragments { .. }, .. })) => {
                let mut messages = whole.whole.returned.iter().zip(&whole.parts);
                messages.any(|(message, parts)| {
                    let (broken, others): (Vec<&Part>, Vec<&Part>) =
                        parts.iter().partition(|part| part.keys().eq([&missing]));
                    let last = others.iter().filter_map(|part| part.keys().next()).max();
                    let frame = last.map(|last| without(missing, *last as u64 + 1));
                    Some((message.lane.0, message.lane.1)) == lost.ends
                        && !broken.is_empty()
                        && frame == Some(lost.frame)
                })
            }
            // It is where it was noticed.
            _ => lost.frame > before.min(self.frames - 1),
        }
    }

    /// How many unreliable messages of the whole recording are reported as missing, and how many
    /// are missing before others that are returned.
    pub(crate) fn unreliable(&self, whole: &Recording) -> (u32, u32) {
        let count = |output: &Output| output.lost.iter().map(Lost::unreliable).sum::<u32>();
        let parts = whole.whole.returned.iter().zip(&whole.parts);
        let sent = parts.filter(|(it, _)| is_unreliable(it));
        let mut missing = 0;
        for (place, (broken, parts)) in sent.clone().enumerate() {
            let is_counted_with = |it: &Returned| {
                // Unsequenced messages are not counted by their channel.
                let (one, other) = (broken.lane, it.lane);
                let is_of_ends = (one.0, one.1, broken.mode) == (other.0, other.1, it.mode);
                is_of_ends && (one.2 == other.2 || it.mode == Some(Mode::Unsequenced))
            };
            let is_given = |it: &Returned| !self.broken.iter().any(|broken| broken.is_same(it));
            let is_there = |(it, _): (&Returned, _)| is_counted_with(it) && is_given(it);
            let is_missing = !is_given(broken) && parts.len() == 1;
            missing += u32::from(is_missing && sent.clone().skip(place).any(is_there));
        }
        (count(&self.output) - count(&whole.whole), missing)
    }

    /// Whether an ordered message was returned after one with a missing part.
    pub(crate) fn has_hole(&self, whole: &Recording) -> bool {
        let messages = || whole.whole.returned.iter().filter(|message| message.is_ordered());
        self.output.returned.iter().filter(|returned| returned.is_ordered()).any(|returned| {
            let mut of_lane = messages().filter(|message| message.lane == returned.lane);
            let mut before = of_lane.by_ref().take_while(|message| message.bytes != returned.bytes);
            before.any(|message| self.broken.iter().any(|broken| broken.frame == message.frame))
        })
    }

    /// Whether every complete message that was not returned is in a part of a stream that is
    /// reported as lost. `whole` is the recording, whose streams begin at the same place.
    pub(crate) fn reports_all_losses(&self, whole: &Recording) -> bool {
        self.not_given.iter().all(|message| {
            let is_alike = |it: &&Returned| it.lane == message.lane && it.bytes == message.bytes;
            message.transport.is_over_tcp()
                && (whole.whole.returned.iter().filter(is_alike)).any(|it| self.is_in_loss(it))
        })
    }

    fn is_in_loss(&self, message: &Returned) -> bool {
        let ends = Some((message.lane.0, message.lane.1));
        let lost = self.output.lost.iter().any(|lost| match lost.cause {
            Cause::Stream { offset, bytes, .. } => {
                lost.ends == ends && (offset..offset + bytes).contains(&message.offset)
            }
            _ => false,
        });
        let is_unknown = |(_, reason): &(u64, Reason)| matches!(reason, Reason::UnknownStream);
        lost || self.output.other.iter().any(is_unknown)
    }
}
