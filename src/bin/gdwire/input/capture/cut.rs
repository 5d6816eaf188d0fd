//! Collects packets that were captured only in part, and decides which of them are lost messages.

use gdwire::capture::{Flow, Other, Reason};
use std::collections::HashMap;

/// The packets of a capture that were captured only in part, in flows that are not known to be a
/// game's.
#[derive(Default)]
pub(crate) struct Cuts {
    /// The flows. The library bounds their number.
    flows: HashMap<Flow, Seen>,
    /// Packets without ports.
    bare: Option<Cut>,
}

/// Packets that were captured only in part.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The first of them, and its flow.
    pub(crate) frame: u64,
    pub(crate) flow: Option<Flow>,
    /// How many more there are.
    pub(crate) more: u64,
}

#[derive(Default)]
struct Seen {
    cut: Option<Cut>,
    /// Whether a packet that was captured only in part can be the beginning of a message.
    is_possible: bool,
    /// Whether a packet of the flow cannot be the beginning of a message.
    is_impossible: bool,
}

impl Seen {
    /// Whether the flow is not a game's. Over UDP, every datagram is a message; a TCP segment may
    /// start in the middle of one.
    fn is_other(&self, flow: &Flow) -> bool {
        self.is_impossible && !(self.is_possible && flow.is_tcp())
    }
}

impl Cuts {
    /// Notes a payload that is not a message.
    pub(crate) fn note(&mut self, other: &Other<'_>) {
        let is_cut = match other.reason {
            Reason::Cut => true,
            Reason::NoValue(_) | Reason::Unlikely | Reason::UnknownStream => false,
            _ => return,
        };
        let frame = other.place.frame;
        let Some(origin) = other.origin else {
            add(&mut self.bare, Cut { frame, flow: None, more: 0 });
            return;
        };
        let flow = origin.flow;
        let seen = self.flows.entry(flow).or_default();
        if is_cut {
            add(&mut seen.cut, Cut { frame, flow: Some(flow), more: 0 });
        }
        match other.could_be_message() {
            // The library has already examined packets that were captured whole.
            Some(true) => seen.is_possible |= is_cut,
            Some(false) => seen.is_impossible = true,
            None => {}
        }
        seen.is_impossible |= !is_cut && !flow.is_tcp();
    }

    /// Returns the packets that may have been messages, ordered by their first frames, and the
    /// count of packets that certainly were not. `has_game` says whether the rest of the capture
    /// has messages. If it has, packets that cannot be judged count as lost messages.
    pub(crate) fn conclude(mut self, has_game: bool) -> (Vec<Cut>, u64) {
        let is_other = |(flow, seen): (&Flow, &Seen)| seen.is_other(flow);
        let is_possible = |(flow, seen): (&Flow, &Seen)| seen.is_possible && !seen.is_other(flow);
        let is_game = has_game || self.flows.iter().any(is_possible);
        let is_lost = is_game || !self.flows.iter().any(is_other);
        let (mut lost, mut others) = (Vec::new(), 0);
        let bare = self.bare.take().map(|cut| (cut, is_lost));
        let flows = self.flows.iter().filter_map(|(flow, seen)| {
            Some((seen.cut?, !seen.is_other(flow) && (seen.is_possible || is_lost)))
        });
        for (cut, is_lost) in bare.into_iter().chain(flows) {
            if is_lost {
                lost.push(cut);
            } else {
                others += cut.more + 1;
            }
        }
        lost.sort_unstable_by_key(|cut| cut.frame);
        (lost, others)
    }
}

fn add(cuts: &mut Option<Cut>, cut: Cut) {
    match cuts {
        Some(cuts) => cuts.more += 1,
        None => *cuts = Some(cut),
    }
}
