//! What becomes of a recording of which packets are missing, doubled, exchanged or cut: nothing is
//! given that was not sent, or once too often, or in another order.

use crate::hearing::{Heard, Hearing, Lane, Lost};
use crate::parts::Recording;
use gdwire::capture::{Cause, Reason, Transport};
use gdwire::multiplayer::{self, Protocol};
use gdwire::net::enet::Mode;
use gdwire::parse;
use std::collections::BTreeMap;

/// Packets of a recording: their places there, and how many bytes of each are left.
pub(crate) type Kept = Vec<(usize, usize)>;

pub(crate) struct Outcome {
    pub(crate) hearing: Hearing,
    /// Messages of which a part is gone.
    pub(crate) broken: Vec<Heard>,
    /// Messages that are all there and were not given.
    pub(crate) not_given: Vec<Heard>,
}

/// How often messages that are alike are there, and those messages.
#[derive(Default)]
struct Alike<'r> {
    times: usize,
    messages: Vec<&'r Heard>,
    /// Whether one of them was sent again, and not all of its packets are there: the one that is
    /// may be behind others that were sent later.
    may_be_late: bool,
}

impl Recording {
    /// The packets as they were recorded.
    pub(crate) fn all(&self) -> Kept {
        self.packets.iter().map(|packet| packet.data.len()).enumerate().collect()
    }

    /// Reads some packets, and compares what is given with what is given for all.
    pub(crate) fn with_packets(&self, kept: &[(usize, usize)]) -> Outcome {
        let packets: Vec<_> = kept
            .iter()
            .map(|(place, len)| {
                let mut packet = self.packets[*place].clone();
                packet.data.truncate(*len);
                packet
            })
            .collect();
        let hearing = Hearing::of(&packets);
        let mut lengths = vec![0; self.packets.len()];
        let mut copies = vec![0; self.packets.len()];
        for (place, len) in kept {
            lengths[*place] = lengths[*place].max(*len);
            copies[*place] += 1;
        }
        let mut broken = Vec::new();
        let mut alike: BTreeMap<(Lane, &[u8]), Alike<'_>> = BTreeMap::new();
        let mut order: BTreeMap<Lane, Vec<&Heard>> = BTreeMap::new();
        for (message, parts) in self.whole.heard.iter().zip(&self.parts) {
            let alike = alike.entry((message.lane, &message.bytes)).or_default();
            alike.messages.push(message);
            let mut carriers = parts.iter().flatten();
            alike.may_be_late |= carriers.any(|(place, needed)| lengths[*place] < *needed);
            if !is_there(parts, &lengths) {
                broken.push(message.clone());
                continue;
            }
            // A datagram that comes twice is two of them.
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
        let is_short = hearing.heard.len() < 8;
        for heard in &hearing.heard {
            let name = &self.name;
            let Some(alike) = alike.get_mut(&(heard.lane, &heard.bytes[..])) else {
                panic!("{name}: not sent: {heard:?}");
            };
            assert!(alike.times > 0, "{name}: once too often: {heard:?}");
            alike.times -= 1;
            let is_same = |sent: &&&Heard| {
                (sent.transport, sent.mode) == (heard.transport, heard.mode)
                    && (is_short || sent.dialect == heard.dialect || reads_alike(sent, heard))
                    && (heard.path.is_none() || sent.path == heard.path)
            };
            assert!(alike.messages.iter().any(|it| is_same(&it)), "{name}: misread: {heard:?}");
            let lane = order.get_mut(&heard.lane).unwrap();
            let place = lane.clone().position(|sent| sent.bytes == heard.bytes);
            if heard.is_ordered()
                && let Some(place) = place
            {
                lane.nth(place);
            }
            let is_ordered = place.is_some() || alike.may_be_late || !heard.is_ordered();
            assert!(is_ordered, "{name}: another order: {heard:?}");
        }
        let not_given = alike.values().flat_map(|alike| {
            let times = alike.times.min(alike.messages.len());
            alike.messages.iter().take(times).map(|message| (*message).clone())
        });
        Outcome { broken, not_given: not_given.collect(), hearing }
    }
}

/// Whether a message says the same in both dialects. Without those that do not, nobody can know of
/// which dialect of an engine a part of a recording is, or before they come, of which engine.
fn reads_alike(sent: &Heard, heard: &Heard) -> bool {
    let read = |dialect| match multiplayer::parse(Protocol::of(dialect), dialect, &heard.bytes) {
        Ok(packet) if heard.is_packet => packet.to_string(),
        _ => format!("{:?}", parse(dialect, &heard.bytes)),
    };
    let is_decided = heard.is_decided && sent.is_decided;
    let is_possible = !is_decided || sent.dialect.engine() == heard.dialect.engine();
    is_possible && read(sent.dialect) == read(heard.dialect)
}

fn is_unreliable(message: &Heard) -> bool {
    matches!(message.mode, Some(Mode::Unreliable | Mode::Unsequenced))
}

/// Whether every part is there, if of each packet so many bytes are.
fn is_there(parts: &[BTreeMap<usize, usize>], lengths: &[usize]) -> bool {
    let is_there = |(place, needed): (&usize, &usize)| lengths[*place] >= *needed;
    parts.iter().all(|part| part.iter().any(is_there))
}

impl Outcome {
    /// Whether something other than an unreliable message is said to be lost, or not to be readable.
    pub(crate) fn tells(&self) -> bool {
        self.hearing.lost.iter().any(|lost| lost.unreliable() == 0)
            || !self.hearing.other.is_empty()
    }

    /// How many unreliable messages are reported as missing that the whole recording has, and how
    /// many are missing before others that are given.
    pub(crate) fn unreliable(&self, whole: &Recording) -> (u32, u32) {
        let count = |hearing: &Hearing| hearing.lost.iter().map(Lost::unreliable).sum::<u32>();
        let parts = whole.whole.heard.iter().zip(&whole.parts);
        let sent = parts.filter(|(it, _)| is_unreliable(it));
        let mut missing = 0;
        for (place, (broken, parts)) in sent.clone().enumerate() {
            let is_counted_with = |it: &Heard| {
                // Unsequenced messages are not counted by their channel.
                let (one, other) = (broken.lane, it.lane);
                let is_of_ends = (one.0, one.1, broken.mode) == (other.0, other.1, it.mode);
                is_of_ends && (one.2 == other.2 || it.mode == Some(Mode::Unsequenced))
            };
            let is_given = |it: &Heard| !self.broken.iter().any(|broken| broken.is_same(it));
            let is_there = |(it, _): (&Heard, _)| is_counted_with(it) && is_given(it);
            let is_missing = !is_given(broken) && parts.len() == 1;
            missing += u32::from(is_missing && sent.clone().skip(place).any(is_there));
        }
        (count(&self.hearing) - count(&whole.whole), missing)
    }

    /// Whether a message of which a part is gone had one behind it that was given, among those that
    /// are sent in order.
    pub(crate) fn has_hole(&self, whole: &Recording) -> bool {
        let messages = || whole.whole.heard.iter().filter(|message| message.is_ordered());
        self.hearing.heard.iter().filter(|heard| heard.is_ordered()).any(|heard| {
            let mut of_lane = messages().filter(|message| message.lane == heard.lane);
            let mut before = of_lane.by_ref().take_while(|message| message.bytes != heard.bytes);
            before.any(|message| self.broken.iter().any(|broken| broken.frame == message.frame))
        })
    }

    /// Whether everything that is there but was not given is in a stretch of a stream that is said
    /// to be lost. `whole` is the recording, whose streams begin where these do.
    pub(crate) fn tells_of_all(&self, whole: &Recording) -> bool {
        self.not_given.iter().all(|message| {
            let is_alike = |it: &&Heard| it.lane == message.lane && it.bytes == message.bytes;
            message.transport.is_over_tcp()
                && (whole.whole.heard.iter().filter(is_alike)).any(|it| self.is_in_loss(it))
        })
    }

    fn is_in_loss(&self, message: &Heard) -> bool {
        let ends = Some((message.lane.0, message.lane.1));
        let lost = self.hearing.lost.iter().any(|lost| match lost.cause {
            Cause::Stream { offset, bytes, .. } => {
                lost.ends == ends && (offset..offset + bytes).contains(&message.offset)
            }
            _ => false,
        });
        let is_unknown = |(_, reason): &(u64, Reason)| matches!(reason, Reason::UnknownStream);
        lost || self.hearing.other.iter().any(is_unknown)
    }
}
