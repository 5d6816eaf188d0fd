//! Packets that were captured only in part, and the losses that follow from them.
//!
//! A capture with a length limit has the start of each long packet. All losses that this causes are
//! reported as one.

use gdwire::capture::{Cause, Loss, Other, Packet, Payload, Reason};
use gdwire::follow::{CutFlow, Flow};
use gdwire::net::{enet, tcp};
use std::collections::HashMap;
use std::net::SocketAddr;

/// The most flows that are distinguished.
const FLOWS: usize = 65_536;

/// The packets that were captured only in part, by flow.
#[derive(Default)]
pub(super) struct CutFlows {
    flows: HashMap<Ends, Packets>,
    /// Packets that do not show their flow, and those of further flows.
    further: Packets,
}

/// Whether the flow is TCP, and its ends in order.
type Ends = (bool, SocketAddr, SocketAddr);

#[derive(Clone, Copy, Default)]
struct Packets {
    /// The number of the first of these packets.
    first: u64,
    count: u64,
    /// Whether something is lost because of them.
    has_losses: bool,
    /// How many later segments of the flow are not recognized.
    segments: u64,
}

/// The losses and segments that these packets have caused, counted when the capture has ended.
pub(super) struct Conclusion {
    /// The first of the packets that lost something, and their number.
    pub(super) lost: Option<(u64, u64)>,
    /// How many segments are not recognized in flows in which nothing is lost.
    pub(super) segments: u64,
}

impl CutFlows {
    /// Whether there is such a packet.
    pub(super) fn is_any(&self) -> bool {
        !self.flows.is_empty() || self.further.count > 0
    }

    /// Notes such a packet before its events are handled.
    pub(super) fn packet(&mut self, packet: &Packet<'_>) {
        let ends = match packet.payload() {
            Payload::Udp(datagram) if datagram.missing > 0 => {
                Some((false, datagram.src, datagram.dst))
            }
            Payload::Tcp(segment) if segment.missing > 0 => Some((true, segment.src, segment.dst)),
            Payload::Fragment(_) | Payload::Cut => None,
            _ => return,
        };
        let ends = ends.map(|(is_tcp, src, dst)| (is_tcp, src.min(dst), src.max(dst)));
        let has_room = self.flows.len() < FLOWS;
        let packets = match ends.filter(|ends| has_room || self.flows.contains_key(ends)) {
            Some(ends) => self.flows.entry(ends).or_default(),
            None => &mut self.further,
        };
        if packets.count == 0 {
            packets.first = packet.frame;
        }
        packets.count = packets.count.saturating_add(1);
    }

    /// Whether a loss may follow from packets before it.
    pub(super) fn explain(&mut self, loss: &Loss) -> bool {
        let is_possible = match loss.cause {
            Cause::Cut { .. } | Cause::Fragments(_) => true,
            Cause::Enet(enet::LostMessage { reason, .. }) => {
                !matches!(reason, enet::LossReason::Limit | enet::LossReason::Work)
            }
            Cause::Stream { reason, .. } => !matches!(reason, tcp::LossReason::TooLong { .. }),
            _ => false,
        };
        if !is_possible {
            return false;
        }
        let frame = loss.place.frame;
        let is_after = |packets: &&mut Packets| packets.count > 0 && packets.first <= frame;
        let of_flow = loss.origin.and_then(|origin| self.flows.get_mut(&ends(origin.flow)));
        let Some(packets) =
            of_flow.filter(is_after).or_else(|| Some(&mut self.further).filter(is_after))
        else {
            return false;
        };
        packets.has_losses = true;
        true
    }

    /// Whether a payload is a segment that is not recognized after packets of its flow that were
    /// captured in part. Such segments are counted at the end, when it is known what the flow is.
    pub(super) fn takes(&mut self, other: &Other<'_>) -> bool {
        let (Reason::UnknownStream, Some(origin)) = (&other.reason, other.origin) else {
            return false;
        };
        let frame = other.place.frame;
        let flow = self.flows.get_mut(&ends(origin.flow)).filter(|it| it.first <= frame);
        flow.map(|packets| packets.segments = packets.segments.saturating_add(1)).is_some()
    }

    /// Ends the capture. `lost` are the packets in flows without messages that may have been
    /// messages.
    pub(super) fn conclude(mut self, lost: &[CutFlow]) -> Conclusion {
        for cut in lost {
            match cut.flow.and_then(|flow| self.flows.get_mut(&ends(flow))) {
                Some(packets) => packets.has_losses = true,
                None => self.further.has_losses = true,
            }
        }
        let (mut first, mut count, mut segments) = (u64::MAX, 0_u64, 0_u64);
        for packets in self.flows.into_values().chain([self.further]) {
            if packets.has_losses && packets.count > 0 {
                (first, count) = (first.min(packets.first), count.saturating_add(packets.count));
            } else {
                segments = segments.saturating_add(packets.segments);
            }
        }
        Conclusion { lost: (count > 0).then_some((first, count)), segments }
    }
}

fn ends(flow: Flow) -> Ends {
    let (one, other) = flow.ends();
    (flow.is_tcp(), one.min(other), one.max(other))
}
