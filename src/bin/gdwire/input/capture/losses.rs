//! Reports lost messages, with one line for losses that belong together, such as all that follow from
//! packets that were captured only in part.

use super::undecoded::Undecoded;
use crate::input::reader::InputReader;
use crate::sink::Trouble;
use crate::terminal::several;
use gdwire::follow::{
    Cause, CutFlow, CutPackets, Flow, Loss, LossKind, Origin, Other, Place, Reason,
};
use gdwire::net::{enet, tcp};
use gdwire::packet::{CapturedPacket, Payload};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;

#[derive(Default)]
pub struct LossReports {
    /// The lost bytes of a stream that the next loss may continue.
    gap: Option<StreamGap>,
    cut: CutPackets,
    /// The packets that were captured only in part, which the reader notes.
    cut_flows: Rc<RefCell<CutFlows>>,
    /// How often each of [`LIMITS`] caused a loss.
    limits: [u64; LIMITS.len()],
    /// How many unreliable messages were not seen. Games expect such losses.
    unreliable: u64,
    /// How many reliable messages were not delivered before their connection or the capture ended.
    undelivered: u64,
    /// How many reliable messages may have arrived before the first packet that was seen.
    earlier: u64,
    /// How many streams ended within a message. A program that is closed sends no more, and a
    /// recording may be stopped at any time.
    unfinished: u64,
}

/// The limits that cause losses. For each, the first loss is reported; further ones are counted.
const LIMITS: [Limit; 6] = [
    Limit {
        makes: |cause| matches!(cause, Cause::Flow),
        advice: "; --max-memory and --max-connection-memory set the limits",
        more: "connections whose state was dropped: the memory limits were reached",
    },
    Limit {
        makes: |cause| matches!(cause, Cause::Names),
        advice: "",
        more: "messages whose node names were dropped",
    },
    Limit {
        makes: |cause| matches!(cause, Cause::Queue { .. }),
        advice: "; --max-connection-memory sets the limit",
        more: "packets that held more messages than the limit",
    },
    Limit {
        makes: |cause| {
            matches!(cause, Cause::Enet(enet::LostMessage { reason: enet::LossReason::Limit, .. }))
        },
        advice: "; --max-connection-memory sets the limit",
        more: "losses over ENet, because the limit for messages that wait was reached",
    },
    Limit {
        makes: |cause| {
            matches!(cause, Cause::Enet(enet::LostMessage { reason: enet::LossReason::Work, .. }))
        },
        advice: "",
        more: "ENet datagrams that take too much work to decompress",
    },
    Limit {
        makes: |cause| {
            matches!(cause, Cause::Stream { reason: tcp::LossReason::TooLong { .. }, .. })
        },
        advice: "; --max-connection-memory sets the limit",
        more: "parts of streams that start with a length over the limit",
    },
];

struct Limit {
    /// Whether the limit caused this loss.
    makes: fn(&Cause) -> bool,
    /// A text that is added to the first report.
    advice: &'static str,
    /// The text after the number of further losses.
    more: &'static str,
}

/// Adjacent bytes of a stream that are lost for different reasons.
struct StreamGap {
    /// The first loss, and the connection that it belongs to.
    first: Loss,
    origin: Origin,
    /// The offsets in the stream at which the bytes start and end.
    start: u64,
    end: u64,
    losses: u64,
    missing: u64,
    broken: u64,
    uncertain: u64,
}

impl LossReports {
    /// Whether packets were captured only in part.
    pub fn has_cut(&self) -> bool {
        self.cut_flows.borrow().is_any()
    }

    /// Whether these reports explain that nodes have no names.
    pub fn explain_ids(&self) -> bool {
        let mut limits = self.limits.iter().zip(&LIMITS);
        self.has_cut() || limits.any(|(count, limit)| *count > 0 && (limit.makes)(&Cause::Names))
    }

    pub fn new(cut_flows: Rc<RefCell<CutFlows>>) -> LossReports {
        LossReports { cut_flows, ..LossReports::default() }
    }

    pub fn lost(&mut self, reader: &mut InputReader<'_>, lost: &Loss) {
        if self.gap.as_mut().is_some_and(|gap| gap.takes(lost)) {
            return;
        }
        self.end_gap(reader);
        self.gap = StreamGap::of(lost);
        if self.gap.is_some() {
            return;
        }
        let Loss { cause, place, origin, .. } = lost;
        reader.sink.trouble(Trouble::Lost(lost));
        let problem = format!("frame {}: {}{lost}", place.frame, EndsPrefix(*origin));
        if self.cut_flows.borrow_mut().explain(lost) {
            reader.diagnostics.detail(&reader.name, &problem);
            return;
        }
        if let Some(count) = self.expected(cause) {
            *count = count.saturating_add(cause.count());
            reader.diagnostics.detail(&reader.name, &problem);
            return;
        }
        let mut advice = match cause {
            Cause::Connections { .. } => "; --max-connections sets the limit",
            _ => "",
        };
        for (count, limit) in self.limits.iter_mut().zip(&LIMITS) {
            if (limit.makes)(cause) {
                *count += 1;
                if *count > 1 {
                    return;
                }
                advice = limit.advice;
            }
        }
        reader.diagnostics.failure(&reader.name, &format_args!("{problem}{advice}"));
    }

    /// The count of losses that are normal; none if the loss is an error.
    const fn expected(&mut self, cause: &Cause) -> Option<&mut u64> {
        match cause.kind() {
            LossKind::Unreliable => Some(&mut self.unreliable),
            LossKind::Undelivered => Some(&mut self.undelivered),
            LossKind::Earlier => Some(&mut self.earlier),
            LossKind::Unfinished => Some(&mut self.unfinished),
            _ => None,
        }
    }

    /// Notes a payload that is not a message. Returns whether it is counted here.
    pub fn other(&mut self, other: &Other<'_>) -> bool {
        self.cut.other(other);
        self.cut_flows.borrow_mut().takes(other)
    }

    /// Reports the rest, and adds packets that are not decoded to the counts. Returns texts about
    /// losses that are normal. `has_game` says whether the capture has messages.
    pub fn conclude(
        mut self,
        reader: &mut InputReader<'_>,
        has_game: bool,
        undecoded: &mut Undecoded,
    ) -> Vec<String> {
        self.end_gap(reader);
        for (count, limit) in self.limits.iter().zip(&LIMITS).filter(|(count, _)| **count > 1) {
            let problem = format!("{} more {}", count.saturating_sub(1), limit.more);
            reader.diagnostics.failure(&reader.name, &problem);
        }
        let (lost, others) = self.cut.conclude(has_game);
        let cut_flows = self.cut_flows.take().conclude(&lost);
        undecoded.cut = others;
        undecoded.segments = undecoded.segments.saturating_add(cut_flows.segments);
        for cut in &lost {
            reader.diagnostics.detail(&reader.name, cut);
        }
        if let Some((first, count)) = cut_flows.lost {
            let packets = several(count, "packet was", "packets were");
            let problem = format!(
                "{packets} captured only in part, from frame {first} on, so messages are \
                 lost; record whole packets, for example with tcpdump -s 0"
            );
            reader.diagnostics.shown_failure(&reader.name, &problem);
        }
        let counts = [
            (
                self.unreliable,
                "unreliable message was not seen",
                "unreliable messages were not seen",
            ),
            (
                self.undelivered,
                "reliable message was not delivered before the end",
                "reliable messages were not delivered before the end",
            ),
            (
                self.earlier,
                "reliable message may have arrived before the first packet that was seen",
                "reliable messages may have arrived before the first packet that was seen",
            ),
            (self.unfinished, "stream ended within a message", "streams ended within a message"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        counts.map(|(count, one, many)| several(count, one, many)).collect()
    }

    fn end_gap(&mut self, reader: &mut InputReader<'_>) {
        let Some(gap) = self.gap.take() else { return };
        reader.sink.trouble(Trouble::Lost(&gap.first));
        if self.cut_flows.borrow_mut().explain(&gap.first) {
            reader.diagnostics.detail(&reader.name, &gap);
        } else {
            reader.diagnostics.failure(&reader.name, &gap);
        }
    }
}

impl StreamGap {
    fn of(lost: &Loss) -> Option<StreamGap> {
        let (first, origin) = (*lost, lost.origin?);
        let Cause::Stream { offset: start, bytes, reason } = first.cause else { return None };
        let (losses, missing, broken, uncertain) = (1, 0, 0, 0);
        let end = start.saturating_add(bytes);
        let mut gap = StreamGap { first, origin, start, end, losses, missing, broken, uncertain };
        *gap.part(reason)? += bytes;
        Some(gap)
    }

    /// The number of bytes lost for a reason; none for reasons that are not joined.
    fn part(&mut self, reason: tcp::LossReason) -> Option<&mut u64> {
        match reason {
            tcp::LossReason::Missing => Some(&mut self.missing),
            tcp::LossReason::Broken => Some(&mut self.broken),
            tcp::LossReason::Unsynchronized => Some(&mut self.uncertain),
            _ => None,
        }
    }

    /// Adds a loss if it starts where this gap ends. Returns whether it was added.
    fn takes(&mut self, lost: &Loss) -> bool {
        let Cause::Stream { offset, bytes, reason } = lost.cause else { return false };
        if lost.origin != Some(self.origin) || offset != self.end {
            return false;
        }
        let Some(part) = self.part(reason) else { return false };
        *part = part.saturating_add(bytes);
        self.end = self.end.saturating_add(bytes);
        self.losses += 1;
        true
    }
}

impl fmt::Display for StreamGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StreamGap { first, origin, start, end, .. } = self;
        let Loss { place: Place { frame, .. }, after, .. } = first;
        write!(f, "frame {frame}: {}", EndsPrefix(Some(*origin)))?;
        if self.losses == 1 {
            return first.fmt(f);
        }
        write!(f, "{} bytes at byte {start} of the stream", end.saturating_sub(*start))?;
        let mut separator = ": ";
        for (bytes, reason) in [
            (self.missing, "not seen"),
            (self.broken, "of incomplete messages"),
            (self.uncertain, "skipped until the start of a message was certain"),
        ] {
            if bytes > 0 {
                write!(f, "{separator}{bytes} {reason}")?;
                separator = ", ";
            }
        }
        if let Some(after) = after {
            write!(f, " (sent between frames {} and {frame})", after.frame)?;
        }
        Ok(())
    }
}

/// The sender and the receiver, before the text of a loss.
struct EndsPrefix(Option<Origin>);

impl fmt::Display for EndsPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(origin) => write!(f, "{} → {}: ", origin.src(), origin.dst()),
            None => Ok(()),
        }
    }
}

/// The most flows that are distinguished.
const FLOWS: usize = 65_536;

/// The packets that were captured only in part, by flow.
#[derive(Default)]
pub struct CutFlows {
    flows: HashMap<FlowKey, CutCount>,
    /// Packets that do not show their flow, and those of further flows.
    further: CutCount,
}

/// Whether the flow is TCP, and its ends in order.
type FlowKey = (bool, SocketAddr, SocketAddr);

#[derive(Clone, Copy, Default)]
struct CutCount {
    /// The number of the first of these packets.
    first: u64,
    count: u64,
    /// Whether something is lost because of them.
    has_losses: bool,
    /// How many later segments of the flow are not recognized.
    segments: u64,
}

/// The losses and segments that these packets have caused, counted when the capture has ended.
pub struct CutConclusion {
    /// The first of the packets that lost something, and their number.
    pub lost: Option<(u64, u64)>,
    /// How many segments are not recognized in flows in which nothing is lost.
    pub segments: u64,
}

impl CutFlows {
    /// Whether there is such a packet.
    pub fn is_any(&self) -> bool {
        !self.flows.is_empty() || self.further.count > 0
    }

    /// Notes such a packet before its events are handled.
    pub fn packet(&mut self, packet: &CapturedPacket<'_>) {
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
        packets.count += 1;
    }

    /// Whether a loss may follow from packets before it.
    pub fn explain(&mut self, loss: &Loss) -> bool {
        if loss.cause.kind() == LossKind::LimitReached {
            return false;
        }
        let frame = loss.place.frame;
        let is_after = |packets: &&mut CutCount| packets.count > 0 && packets.first <= frame;
        let of_flow = loss.origin.and_then(|origin| self.flows.get_mut(&flow_key(origin.flow)));
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
    pub fn takes(&mut self, other: &Other<'_>) -> bool {
        let (Reason::UnknownStream, Some(origin)) = (&other.reason, other.origin) else {
            return false;
        };
        let frame = other.place.frame;
        let flow = self.flows.get_mut(&flow_key(origin.flow)).filter(|it| it.first <= frame);
        flow.map(|packets| packets.segments = packets.segments.saturating_add(1)).is_some()
    }

    /// Ends the capture. `lost` are the packets in flows without messages that may have been
    /// messages.
    pub fn conclude(mut self, lost: &[CutFlow]) -> CutConclusion {
        for cut in lost {
            match cut.flow.and_then(|flow| self.flows.get_mut(&flow_key(flow))) {
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
        CutConclusion { lost: (count > 0).then_some((first, count)), segments }
    }
}

fn flow_key(flow: Flow) -> FlowKey {
    let (one, other) = flow.ends();
    (flow.is_tcp(), one.min(other), one.max(other))
}
