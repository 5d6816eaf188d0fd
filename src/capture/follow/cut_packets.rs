//! Collects packets that were captured only in part, and decides which of them were messages.

use super::{Flow, Other, Reason};
use crate::net::enet;
use crate::value::detect::readings;
use crate::value::error::Problem;
use core::fmt;
use std::collections::HashMap;

/// The most flows that are distinguished. Packets of further flows are counted together.
const FLOWS: usize = 65_536;

/// Decides which packets that were captured only in part were messages of a game.
///
/// Many recordings have only the beginning of each packet. Such a packet is an
/// [`Event::Other`](super::Event::Other), because it cannot be read. Only the capture as a whole shows
/// whether a message was lost: what else its flow carries, and whether there is a game at all.
///
/// It takes at most about 16 MiB.
///
/// ```
/// use gdwire::follow::{CutPackets, Event, Follower, Place};
/// use gdwire::packet::UdpDatagram;
/// use gdwire::{Dialect, encode, variant};
///
/// let bytes = encode(Dialect::GODOT_4, &variant!("a text that is longer than what was captured"))?;
/// let (captured, rest) = bytes.split_at(20);
/// let (player, server) = ("10.0.0.2:5000".parse()?, "10.0.0.1:7000".parse()?);
/// let mut datagram = UdpDatagram::new(player, server, captured);
/// datagram.missing = rest.len();
///
/// let (mut follower, mut cut) = (Follower::new(), CutPackets::new());
/// let mut take = |event: Event<'_>| {
///     if let Event::Other(other) = event {
///         cut.other(&other);
///     }
/// };
/// follower.datagram(Place::new(1), &datagram).for_each(&mut take);
/// follower.finish().for_each(&mut take);
/// let (lost, _) = cut.conclude(false);
/// let flow = "10.0.0.1:7000 and 10.0.0.2:5000";
/// assert_eq!(lost[0].to_string(), format!("frame 1: {flow}: captured only in part and not decoded"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct CutPackets {
    flows: HashMap<Flow, CutCounts>,
    /// Packets without ports, and those of further flows.
    further: CutCounts,
}

/// Packets of a flow that were captured only in part. `Display` describes them in a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CutFlow {
    /// The number of the first of these packets.
    pub first_frame: u64,
    /// The flow; none for packets whose ports were not captured, and if there are too many flows.
    pub flow: Option<Flow>,
    /// How many packets these are.
    pub packets: u64,
}

#[derive(Clone, Default, Debug)]
struct CutCounts {
    /// How many packets were captured only in part, and the number of the first of them.
    packets: u64,
    first_frame: u64,
    /// Whether a packet that was captured only in part can be the beginning of a message.
    is_possible: bool,
    /// Whether a packet of the flow cannot be the beginning of a message.
    is_impossible: bool,
}

impl CutCounts {
    /// Whether the flow is not a game's. Over UDP, every datagram is a message; a TCP segment may
    /// start in the middle of one.
    const fn is_other(&self, flow: &Flow) -> bool {
        self.is_impossible && !(self.is_possible && flow.is_tcp())
    }

    const fn add(&mut self, frame: u64) {
        if self.packets == 0 {
            self.first_frame = frame;
        }
        self.packets += 1;
    }

    const fn cut(&self, flow: Option<Flow>) -> CutFlow {
        CutFlow { first_frame: self.first_frame, flow, packets: self.packets }
    }
}

impl CutPackets {
    /// No packets.
    #[must_use]
    pub fn new() -> CutPackets {
        CutPackets::default()
    }

    /// Takes a packet that is not a message. Whole packets count too: they show what a flow carries.
    pub fn other(&mut self, other: &Other<'_>) {
        let is_cut = match other.reason {
            Reason::Cut => true,
            Reason::NoValue(_) | Reason::Unlikely | Reason::UnknownStream => false,
            _ => return,
        };
        let frame = other.place.frame;
        let flow = other.origin.map(|origin| origin.flow);
        let has_room = |flow: &Flow| self.flows.len() < FLOWS || self.flows.contains_key(flow);
        let Some(flow) = flow.filter(has_room) else {
            if is_cut {
                self.further.add(frame);
            }
            return;
        };
        let seen = self.flows.entry(flow).or_default();
        if is_cut {
            seen.add(frame);
        }
        match other.could_be_message() {
            // The follower has already examined packets that were captured whole.
            Some(true) => seen.is_possible |= is_cut,
            Some(false) => seen.is_impossible = true,
            None => {}
        }
        seen.is_impossible |= !is_cut && !flow.is_tcp();
    }

    /// Ends the capture. Returns the packets that may have been messages, ordered by their first
    /// frames, and the number of packets that certainly were not.
    ///
    /// `has_game` says whether the rest of the capture has messages. If it has, packets that cannot
    /// be judged count as lost messages.
    #[must_use]
    pub fn conclude(self, has_game: bool) -> (Vec<CutFlow>, u64) {
        let is_other = |(flow, seen): (&Flow, &CutCounts)| seen.is_other(flow);
        let is_possible =
            |(flow, seen): (&Flow, &CutCounts)| seen.is_possible && !seen.is_other(flow);
        let is_game = has_game || self.flows.iter().any(is_possible);
        let is_lost = is_game || !self.flows.iter().any(is_other);
        let further = (self.further.cut(None), is_lost);
        let flows = self.flows.iter().map(|(flow, seen)| {
            let is_lost = !seen.is_other(flow) && (seen.is_possible || is_lost);
            (seen.cut(Some(*flow)), is_lost)
        });
        let (mut lost, mut others) = (Vec::new(), 0_u64);
        for (cut, is_lost) in flows.chain([further]).filter(|(cut, _)| cut.packets > 0) {
            if is_lost {
                lost.push(cut);
            } else {
                others = others.saturating_add(cut.packets);
            }
        }
        lost.sort_unstable_by_key(|cut| cut.first_frame);
        (lost, others)
    }
}

impl fmt::Display for CutFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut of = "";
        write!(f, "frame {}: ", self.first_frame)?;
        if let Some(flow) = &self.flow {
            let (low, high) = flow.ends();
            write!(f, "{low} and {high}: ")?;
            of = " of this flow";
        }
        f.write_str("captured only in part and not decoded")?;
        match self.packets {
            0 | 1 => Ok(()),
            2 => write!(f, ", like one more packet{of}"),
            packets => write!(f, ", like {} more packets{of}", packets.saturating_sub(1)),
        }
    }
}

/// The longest message over TCP that may be a game's, in bytes.
const LONGEST_MESSAGE: u32 = 16 << 20;

/// The length of a value's header, which has its type.
const VALUE_HEADER: usize = 4;

impl Other<'_> {
    /// Whether the bytes can be the beginning of a message: over UDP of a value or an ENet
    /// datagram, over TCP of a frame with a value. None if there are too few bytes to decide, if
    /// they may be a compressed ENet datagram, or if it is not known whether they were sent over
    /// UDP or TCP.
    ///
    /// [`CutPackets`](super::CutPackets) distinguishes packets of a game from those of other programs
    /// by this if a capture has only the [beginnings of packets](super::Reason::Cut). Over UDP, every
    /// datagram is a message; a TCP segment may also start in the middle of one.
    #[must_use]
    pub fn could_be_message(&self) -> Option<bool> {
        let bytes = self.bytes;
        if self.origin?.flow.is_tcp() {
            let (length, value) = bytes.split_first_chunk()?;
            let is_length = u32::from_le_bytes(*length) <= LONGEST_MESSAGE;
            return (value.len() >= VALUE_HEADER).then(|| is_length && starts_value(value, true));
        }
        if bytes.len() < VALUE_HEADER {
            return None;
        }
        if starts_value(bytes, false) {
            return Some(true);
        }
        match enet::Datagram::parse_cut(bytes) {
            Ok(_) => Some(true),
            // Any datagram looks like this if one bit of its first byte is set.
            Err(error) if error.problem == enet::Problem::Compressed => None,
            Err(_) => Some(false),
        }
    }
}

/// Whether bytes are a value of any dialect, or the beginning of one, as an engine writes it.
fn starts_value(bytes: &[u8], may_go_on: bool) -> bool {
    // The second and fourth byte of a header: engines ignore them, but write zeros.
    let [_, 0, _, 0, ..] = bytes else { return false };
    readings(bytes).any(|reading| match reading {
        Ok(_) => true,
        Err(error) => match error.problem {
            Problem::UnexpectedEnd { .. } => true,
            Problem::TrailingBytes { .. } => may_go_on,
            _ => false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::follow::{Origin, Place, Transport};
    use core::net::SocketAddr;

    /// Notes a packet that was cut before its payload, from the address with this number.
    fn add(cut: &mut CutPackets, frame: u64, number: u32) {
        let src = SocketAddr::from((number.to_be_bytes(), 1));
        let (flow, from) = Flow::of(false, &src, &([127, 0, 0, 1], 2).into());
        let transport = Transport::Udp;
        let origin = Origin { connection: 0, transport, flow, from, client: None };
        let (place, bytes, reason) = (Place::new(frame), &[][..], Reason::Cut);
        cut.other(&Other { place, origin: Some(origin), bytes, reason });
    }

    #[test]
    fn further_flows_are_counted_together() {
        let mut cut = CutPackets::new();
        for number in 0..70_000_u32 {
            add(&mut cut, number.into(), number);
        }
        let (lost, others) = cut.conclude(true);
        assert_eq!((lost.len(), others), (FLOWS + 1, 0));
        let last = "frame 65536: captured only in part and not decoded, like 4463 more packets";
        assert_eq!(lost[FLOWS].to_string(), last);
    }
}
