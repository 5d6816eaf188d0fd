//! Packets of which too little was captured, and what could have been in them.

use crate::choices::of_width;
use gdwire::capture::{Flow, Other, Reason};
use gdwire::net::enet;
use gdwire::{Dialect, Problem, parse};
use std::collections::HashMap;

/// The longest message over TCP that a length may announce.
const LONGEST: u32 = 16 << 20;

/// How many bytes a value begins with that tell its type.
const HEADER: usize = 4;

/// What was cut in a capture, of flows that are not known to be a game's.
#[derive(Default)]
pub(crate) struct Cuts {
    /// As many as the library tells apart.
    flows: HashMap<Flow, Seen>,
    /// Packets without ports.
    bare: Option<Cut>,
}

/// Packets that were cut.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The first, and the flow it is of.
    pub(crate) frame: u64,
    pub(crate) flow: Option<Flow>,
    /// How many more.
    pub(crate) more: u64,
}

#[derive(Default)]
struct Seen {
    cut: Option<Cut>,
    /// Whether what was cut can be the beginning of a message.
    is_possible: bool,
    /// Whether something in it cannot.
    is_impossible: bool,
}

impl Seen {
    /// Over UDP every datagram is a message, while a segment may start amid one.
    fn is_other(&self, flow: &Flow) -> bool {
        self.is_impossible && !(self.is_possible && flow.is_tcp())
    }
}

impl Cuts {
    /// Notes what is no message.
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
        match could_be(&flow, other.bytes) {
            // What is whole was read by who knows better.
            Some(true) => seen.is_possible |= is_cut,
            Some(false) => seen.is_impossible = true,
            None => {}
        }
        seen.is_impossible |= !is_cut && !flow.is_tcp();
    }

    /// What may have been messages, in the order of the first frames, and how many packets were
    /// surely none. Where nothing tells, it is taken for what the rest of the capture is:
    /// `has_game` says whether there are messages in it.
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

/// Whether what a packet begins with can be a message or its beginning, if it is enough to tell.
fn could_be(flow: &Flow, bytes: &[u8]) -> Option<bool> {
    if flow.is_tcp() {
        let (length, value) = bytes.split_first_chunk()?;
        let is_length = u32::from_le_bytes(*length) <= LONGEST;
        return (value.len() >= HEADER).then(|| is_length && is_value(value, true));
    }
    if bytes.len() < HEADER {
        return None;
    }
    if is_value(bytes, false) {
        return Some(true);
    }
    match enet::Datagram::parse_cut(bytes) {
        Ok(_) => Some(true),
        Err(error) => match error.problem {
            enet::Problem::UnexpectedEnd | enet::Problem::Empty => Some(true),
            // Half of all bytes look so.
            enet::Problem::Compressed => None,
            _ => Some(false),
        },
    }
}

/// Whether bytes are a value of any dialect, or the beginning of one, as an engine writes it.
fn is_value(bytes: &[u8], may_go_on: bool) -> bool {
    // In the header, behind the type and the flags. Engines do not look there, but have zeros.
    let [_, 0, _, 0, ..] = bytes else { return false };
    let mut dialects = Dialect::ALL.iter().flat_map(|dialect| [*dialect, of_width(*dialect, true)]);
    dialects.any(|dialect| match parse(dialect, bytes) {
        Ok(_) => true,
        Err(error) => match error.problem {
            Problem::UnexpectedEnd { .. } => true,
            Problem::TrailingBytes { .. } => may_go_on,
            _ => false,
        },
    })
}
