//! Reports lost messages, with one line for losses that belong together.

use super::cut::CutFlows;
use super::undecoded::Undecoded;
use crate::input::reader::Reader;
use crate::sink::Trouble;
use gdwire::capture::{Cause, Loss, Origin, Other, Place};
use gdwire::follow::CutPackets;
use gdwire::net::enet::{self, Lost, Mode};
use gdwire::net::tcp;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

#[derive(Default)]
pub(crate) struct Losses {
    /// The lost bytes of a stream that the next loss may continue.
    gap: Option<Gap>,
    cut: CutPackets,
    /// The packets that were captured only in part, which the reader notes.
    cut_flows: Rc<RefCell<CutFlows>>,
    /// How often each of [`LIMITS`] caused a loss.
    limits: [u64; LIMITS.len()],
    /// How many unreliable messages are not in the capture. Games expect such losses.
    unreliable: u64,
    /// How many reliable messages were not delivered before their connection or the capture ended.
    undelivered: u64,
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
struct Gap {
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

impl Losses {
    /// Whether packets were captured only in part.
    pub(crate) fn has_cut(&self) -> bool {
        self.cut_flows.borrow().is_any()
    }

    pub(crate) fn new(cut_flows: Rc<RefCell<CutFlows>>) -> Losses {
        Losses { cut_flows, ..Losses::default() }
    }

    pub(crate) fn lost(&mut self, reader: &mut Reader<'_>, lost: &Loss) {
        if self.gap.as_mut().is_some_and(|gap| gap.takes(lost)) {
            return;
        }
        self.end_gap(reader);
        self.gap = Gap::of(lost);
        if self.gap.is_some() {
            return;
        }
        let Loss { cause, place, origin, .. } = lost;
        reader.sink.trouble(Trouble::Lost(lost));
        let problem = format!("frame {}: {}{lost}", place.frame, Ends(*origin));
        if self.cut_flows.borrow_mut().explain(lost) {
            reader.diagnostics.detail(&reader.name, &problem);
            return;
        }
        if let Some((count, more)) = self.expected(cause) {
            *count = count.saturating_add(more);
            reader.diagnostics.detail(&reader.name, &problem);
            return;
        }
        let mut advice = match cause {
            Cause::Connections { .. } => "; --max-connections sets the limit",
            _ => "",
        };
        for (count, limit) in self.limits.iter_mut().zip(&LIMITS) {
            if (limit.makes)(cause) {
                *count = count.saturating_add(1);
                if *count > 1 {
                    return;
                }
                advice = limit.advice;
            }
        }
        reader.diagnostics.failure(&reader.name, &format_args!("{problem}{advice}"));
    }

    /// The count of losses that are normal, and how many this loss adds to it; none if it is an
    /// error.
    fn expected(&mut self, cause: &Cause) -> Option<(&mut u64, u64)> {
        use enet::{LossReason, LostMessage};
        match *cause {
            Cause::Enet(LostMessage { lost: Lost::Missing { mode, count }, .. })
                if mode != Mode::Reliable =>
            {
                Some((&mut self.unreliable, count.into()))
            }
            Cause::Enet(LostMessage { lost, reason: LossReason::Unacknowledged, .. }) => {
                let count = if let Lost::Missing { count, .. } = lost { count } else { 1 };
                Some((&mut self.undelivered, count.into()))
            }
            Cause::Stream { reason: tcp::LossReason::Unfinished, .. } => {
                Some((&mut self.unfinished, 1))
            }
            _ => None,
        }
    }

    /// Notes a payload that is not a message. Returns whether it is counted here.
    pub(crate) fn other(&mut self, other: &Other<'_>) -> bool {
        self.cut.other(other);
        self.cut_flows.borrow_mut().takes(other)
    }

    /// Reports the rest, and adds what is not decoded to the counts. Returns texts about losses that
    /// are normal. `has_game` says whether the capture has messages.
    pub(crate) fn conclude(
        mut self,
        reader: &mut Reader<'_>,
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
            let packets = if count == 1 { "packet was" } else { "packets were" };
            let problem = format!(
                "{count} {packets} captured only in part, from frame {first} on, so messages are \
                 lost; record whole packets, for example with tcpdump -s 0"
            );
            reader.diagnostics.shown_failure(&reader.name, &problem);
        }
        let unreliable = match self.unreliable {
            0 => None,
            1 => Some("1 unreliable message is not in the capture".to_owned()),
            count => Some(format!("{count} unreliable messages are not in the capture")),
        };
        let unfinished = match self.unfinished {
            0 => None,
            1 => Some("1 stream ended within a message".to_owned()),
            count => Some(format!("{count} streams ended within a message")),
        };
        let undelivered = match self.undelivered {
            0 => None,
            1 => Some("1 reliable message was not delivered before the end".to_owned()),
            count => Some(format!("{count} reliable messages were not delivered before the end")),
        };
        unreliable.into_iter().chain(undelivered).chain(unfinished).collect()
    }

    fn end_gap(&mut self, reader: &mut Reader<'_>) {
        let Some(gap) = self.gap.take() else { return };
        reader.sink.trouble(Trouble::Lost(&gap.first));
        if self.cut_flows.borrow_mut().explain(&gap.first) {
            reader.diagnostics.detail(&reader.name, &gap);
        } else {
            reader.diagnostics.failure(&reader.name, &gap);
        }
    }
}

impl Gap {
    fn of(lost: &Loss) -> Option<Gap> {
        let (first, origin) = (*lost, lost.origin?);
        let Cause::Stream { offset: start, bytes, reason } = first.cause else { return None };
        let (losses, missing, broken, uncertain) = (1, 0, 0, 0);
        let end = start.saturating_add(bytes);
        let mut gap = Gap { first, origin, start, end, losses, missing, broken, uncertain };
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

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap { first, origin, start, end, .. } = self;
        let Loss { place: Place { frame, .. }, after, .. } = first;
        write!(f, "frame {frame}: {}", Ends(Some(*origin)))?;
        if self.losses == 1 {
            return first.fmt(f);
        }
        write!(f, "{} bytes at byte {start} of the stream", end.saturating_sub(*start))?;
        let mut separator = ": ";
        for (bytes, reason) in [
            (self.missing, "not in the capture"),
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
struct Ends(Option<Origin>);

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(origin) => write!(f, "{} → {}: ", origin.src(), origin.dst()),
            None => Ok(()),
        }
    }
}
