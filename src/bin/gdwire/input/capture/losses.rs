//! Reports lost messages, with one line for losses that belong together.

use crate::input::reader::Reader;
use crate::sink::Trouble;
use gdwire::capture::{Cause, Loss, Origin, Other, Place};
use gdwire::follow::CutPackets;
use gdwire::net::enet::{self, Lost, Mode};
use gdwire::net::tcp;
use std::fmt;

/// How many flows with packets that were captured in part have a line of their own. The other flows
/// are counted.
const FLOWS: usize = 100;

#[derive(Default)]
pub(crate) struct Losses {
    /// The lost bytes of a stream that the next loss may continue.
    gap: Option<Gap>,
    cut: CutPackets,
    /// How often each of [`LIMITS`] caused a loss.
    limits: [u64; LIMITS.len()],
    /// How many unreliable messages are not in the capture. Games expect such losses, so they are
    /// counted with what is not decoded.
    pub(super) unreliable: u64,
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
        let problem = format!("frame {}: {}{cause}", place.frame, Ends(*origin));
        if let Cause::Enet(enet::LostMessage { lost: Lost::Missing { mode, count }, .. }) = cause
            && *mode != Mode::Reliable
        {
            self.unreliable = self.unreliable.saturating_add(u64::from(*count));
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

    /// Notes a payload that is not a message.
    pub(crate) fn other(&mut self, other: &Other<'_>) {
        self.cut.other(other);
    }

    /// Reports the rest. Returns how many of the packets that were captured in part certainly had
    /// no messages. `has_game` says whether the capture has messages.
    pub(crate) fn conclude(mut self, reader: &mut Reader<'_>, has_game: bool) -> u64 {
        self.end_gap(reader);
        for (count, limit) in self.limits.iter().zip(&LIMITS).filter(|(count, _)| **count > 1) {
            let problem = format!("{} more {}", count.saturating_sub(1), limit.more);
            reader.diagnostics.failure(&reader.name, &problem);
        }
        let (lost, others) = self.cut.conclude(has_game);
        for cut in lost.iter().take(FLOWS) {
            reader.diagnostics.failure(&reader.name, cut);
        }
        if let Some(more @ [_, ..]) = lost.get(FLOWS..) {
            let problem =
                format!("packets of {} more flows were captured only in part", more.len());
            reader.diagnostics.failure(&reader.name, &problem);
        }
        if !lost.is_empty() {
            let advice = "record whole packets, for example with tcpdump -s 0";
            reader.diagnostics.warning(&reader.name, &advice);
        }
        others
    }

    fn end_gap(&mut self, reader: &mut Reader<'_>) {
        let Some(gap) = self.gap.take() else { return };
        reader.sink.trouble(Trouble::Lost(&gap.first));
        reader.diagnostics.failure(&reader.name, &gap);
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
        let Gap {
            first: Loss { place: Place { frame, .. }, cause, .. }, origin, start, end, ..
        } = self;
        write!(f, "frame {frame}: {}", Ends(Some(*origin)))?;
        if self.losses == 1 {
            return cause.fmt(f);
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
