//! Reports the messages that a capture lacks, with one line for losses that belong together.

use crate::cut::{Cut, Cuts};
use crate::reading::{Reading, Trouble};
use gdwire::capture::{Flow, Loss, Lost, Origin, Other};
use gdwire::net::tcp;
use std::collections::HashSet;
use std::fmt;

/// How many flows have a line of their own for a problem that each flow can have. The other flows
/// are counted.
const FLOWS: usize = 100;

#[derive(Default)]
pub(crate) struct Losses {
    /// Lost bytes of a stream, which the next loss may continue.
    gap: Option<Gap>,
    cuts: Cuts,
    /// Flows whose node names were dropped.
    names: Once,
    /// Flows whose state was dropped.
    forgotten: Once,
}

/// A problem that is reported once for each flow.
#[derive(Default)]
struct Once {
    flows: HashSet<Flow>,
    /// How often it occurred without being reported.
    more: u64,
}

impl Once {
    /// Whether this is the first time for the flow, and the flow has a line of its own.
    fn is_first(&mut self, flow: Flow) -> bool {
        let is_first = self.flows.len() < FLOWS && self.flows.insert(flow);
        self.more += u64::from(!is_first);
        is_first
    }
}

/// Adjacent bytes of a stream that are lost for different reasons.
struct Gap {
    frame: u64,
    origin: Origin,
    /// The first loss.
    loss: Loss,
    /// Where the bytes start and end.
    start: u64,
    end: u64,
    losses: u64,
    missing: u64,
    broken: u64,
    uncertain: u64,
}

impl Losses {
    pub(crate) fn lost(&mut self, reading: &mut Reading<'_>, lost: &Lost) {
        if self.gap.as_mut().is_some_and(|gap| gap.takes(lost)) {
            return;
        }
        self.end_gap(reading);
        self.gap = Gap::of(lost);
        if self.gap.is_some() {
            return;
        }
        reading.sink.trouble(Trouble::Lost(&lost.loss));
        let frame = lost.place.frame;
        match (&lost.loss, lost.origin) {
            (Loss::Flow, Some(origin)) if !self.forgotten.is_first(origin.flow) => {}
            (Loss::Names, Some(origin)) => {
                if self.names.is_first(origin.flow) {
                    let problem = format!(
                        "frame {frame}: {}node names dropped: the limit of 1 MiB or 16,384 \
                         names was reached; ids are shown instead",
                        Ends(lost.origin)
                    );
                    reading.diagnostics.failure(&reading.name, &problem);
                }
            }
            (loss, origin) => {
                let problem = format!("frame {frame}: {}{loss}", Ends(origin));
                reading.diagnostics.failure(&reading.name, &problem);
            }
        }
    }

    /// Notes a payload that is not a message.
    pub(crate) fn other(&mut self, other: &Other<'_>) {
        self.cuts.note(other);
    }

    /// Reports the rest, and returns how many packets were cut that had no messages. `has_game` is
    /// whether the capture has messages.
    pub(crate) fn conclude(mut self, reading: &mut Reading<'_>, has_game: bool) -> u64 {
        self.end_gap(reading);
        if self.names.more > 0 {
            let problem = format!("node names of {} more messages dropped", self.names.more);
            reading.diagnostics.failure(&reading.name, &problem);
        }
        if self.forgotten.more > 0 {
            let problem =
                format!("the state of a flow was dropped {} more times", self.forgotten.more);
            reading.diagnostics.failure(&reading.name, &problem);
        }
        let (lost, others) = self.cuts.conclude(has_game);
        for cut in lost.iter().take(FLOWS) {
            reading.diagnostics.failure(&reading.name, cut);
        }
        if let Some(more @ [_, ..]) = lost.get(FLOWS..) {
            let problem =
                format!("packets of {} more flows were captured only in part", more.len());
            reading.diagnostics.failure(&reading.name, &problem);
        }
        if !lost.is_empty() {
            let advice = "record whole packets, for example with tcpdump -s 0";
            reading.diagnostics.warning(&reading.name, &advice);
        }
        others
    }

    fn end_gap(&mut self, reading: &mut Reading<'_>) {
        let Some(gap) = self.gap.take() else { return };
        reading.sink.trouble(Trouble::Lost(&gap.loss));
        reading.diagnostics.failure(&reading.name, &gap);
    }
}

impl Gap {
    fn of(lost: &Lost) -> Option<Gap> {
        let (loss, origin) = (lost.loss, lost.origin?);
        let Loss::Stream { offset: start, bytes, why } = loss else { return None };
        let frame = lost.place.frame;
        let (losses, missing, broken, uncertain) = (1, 0, 0, 0);
        let end = start.saturating_add(bytes);
        let mut gap = Gap { frame, origin, loss, start, end, losses, missing, broken, uncertain };
        *gap.part(why)? += bytes;
        Some(gap)
    }

    /// The count of bytes lost for a reason, if the reason is one that only has a count.
    fn part(&mut self, why: tcp::Loss) -> Option<&mut u64> {
        match why {
            tcp::Loss::Missing => Some(&mut self.missing),
            tcp::Loss::Broken => Some(&mut self.broken),
            tcp::Loss::Unsynchronized => Some(&mut self.uncertain),
            _ => None,
        }
    }

    /// Adds a loss that starts where this gap ends, and returns whether it did.
    fn takes(&mut self, lost: &Lost) -> bool {
        let Loss::Stream { offset, bytes, why } = lost.loss else { return false };
        if lost.origin != Some(self.origin) || offset != self.end {
            return false;
        }
        let Some(part) = self.part(why) else { return false };
        *part = part.saturating_add(bytes);
        self.end = self.end.saturating_add(bytes);
        self.losses += 1;
        true
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap { frame, origin, loss, start, end, .. } = self;
        write!(f, "frame {frame}: {}", Ends(Some(*origin)))?;
        if self.losses == 1 {
            return loss.fmt(f);
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

/// Sender and receiver, before what happened between them.
struct Ends(Option<Origin>);

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(origin) => write!(f, "{} → {}: ", origin.src(), origin.dst()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut of = "";
        write!(f, "frame {}: ", self.frame)?;
        if let Some(flow) = &self.flow {
            let (low, high) = flow.ends();
            write!(f, "{low} and {high}: ")?;
            of = " of this flow";
        }
        f.write_str("captured only in part and not decoded")?;
        match self.more {
            0 => Ok(()),
            1 => write!(f, ", like one more packet{of}"),
            more => write!(f, ", like {more} more packets{of}"),
        }
    }
}
