//! What is counted.

use super::interval::Intervals;
use crate::reading::{PacketPlace, Place};
use gdwire::capture::{Flow, Loss, Lost, Message, Other, Reason, Surveyed, Traffic, Transport};
use gdwire::multiplayer::{Context, Packet};
use gdwire::{Dialect, Kind, Problem, VariantRef, encoded_len};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// How many methods are counted apart; further ones are counted together.
const METHODS: usize = 1 << 16;

/// How many, and how many bytes they have.
#[derive(Clone, Copy, Default)]
pub(super) struct Amount {
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl Amount {
    pub(super) fn add(&mut self, bytes: usize) {
        self.count = self.count.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes as u64);
    }
}

/// A flow, and what was in it.
pub(super) struct FlowCount {
    pub(super) flow: Flow,
    pub(super) transport: Option<Transport>,
    pub(super) dialect: Option<Dialect>,
    pub(super) is_multiplayer: bool,
    pub(super) traffic: Traffic,
    pub(super) messages: u64,
}

/// What can be called: the path of a node and the name of a method, as far as they are known.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Callee {
    pub(super) path: Option<String>,
    pub(super) method: String,
}

/// What is in one file.
pub(super) struct Counts {
    pub(super) flows: Vec<FlowCount>,
    places: HashMap<Flow, usize>,
    pub(super) kinds: BTreeMap<Kind, Amount>,
    pub(super) commands: BTreeMap<&'static str, Amount>,
    pub(super) calls: HashMap<Callee, Amount>,
    /// Calls of methods that were too many to be told apart.
    pub(super) further_calls: Amount,
    pub(super) errors: BTreeMap<&'static str, u64>,
    pub(super) intervals: Option<Intervals>,
}

impl Counts {
    pub(super) fn new(interval: Option<Duration>) -> Counts {
        Counts {
            flows: Vec::new(),
            places: HashMap::new(),
            kinds: BTreeMap::new(),
            commands: BTreeMap::new(),
            calls: HashMap::new(),
            further_calls: Amount::default(),
            errors: BTreeMap::new(),
            intervals: interval.map(Intervals::new),
        }
    }

    pub(super) fn flows(&mut self, flows: &mut dyn Iterator<Item = Surveyed<'_>>) {
        for surveyed in flows {
            self.places.insert(surveyed.flow(), self.flows.len());
            self.flows.push(FlowCount {
                flow: surveyed.flow(),
                transport: surveyed.transport(),
                dialect: surveyed.dialect(),
                is_multiplayer: surveyed.is_multiplayer(),
                traffic: surveyed.traffic(),
                messages: 0,
            });
        }
    }

    fn message(&mut self, place: &PacketPlace, bytes: usize) {
        let flow = self.places.get(&place.origin.flow).and_then(|at| self.flows.get_mut(*at));
        if let Some(flow) = flow {
            flow.messages = flow.messages.saturating_add(1);
        }
        if let (Some(intervals), Some(time)) = (&mut self.intervals, place.time) {
            intervals.add(time, bytes);
        }
    }

    pub(super) fn value(&mut self, place: Place, value: VariantRef<'_>) {
        let bytes = value.as_bytes().len();
        self.kinds.entry(value.kind()).or_default().add(bytes);
        if let Place::Packet(place) = place {
            self.message(&place, bytes);
        }
    }

    pub(super) fn packet(
        &mut self,
        place: &PacketPlace,
        message: &Message<'_>,
        packet: &Packet<'_>,
        context: Context<'_>,
    ) {
        let bytes = message.bytes.len();
        self.message(place, bytes);
        self.commands.entry(packet.command()).or_default().add(bytes);
        packet.each_argument(&mut |argument| {
            let len = encoded_len(argument.dialect(), &argument).unwrap_or(0);
            self.kinds.entry(argument.kind()).or_default().add(len);
        });
        let Some(callee) = packet.callee(context) else { return };
        let path = callee.path.map(str::to_owned);
        let callee = Callee { path, method: callee.method.to_string() };
        if self.calls.len() >= METHODS && !self.calls.contains_key(&callee) {
            self.further_calls.add(bytes);
        } else {
            self.calls.entry(callee).or_default().add(bytes);
        }
    }

    pub(super) fn other(&mut self, other: &Other<'_>) {
        let reason = match &other.reason {
            Reason::NoValue(error) => match error.problem {
                Problem::UnexpectedEnd { .. } => "no value: it ends too early",
                Problem::UnknownType { .. } => "no value: unknown type",
                Problem::InvalidUtf8 => "no value: text that is not UTF-8",
                Problem::TooLong { .. } => "no value: impossible count or length",
                Problem::TooDeep { .. } => "no value: nested too deep",
                Problem::TrailingBytes { .. } => "no value: bytes behind it",
                _ => "no value",
            },
            Reason::NoPacket(_) => "no packet of the multiplayer API",
            Reason::NoEnet(_) => "no ENet datagram",
            Reason::UnknownStream => "TCP of other programs",
            Reason::NotAskedFor => "another transport",
            Reason::TooManyFlows => "too many flows",
            Reason::PeerId(_) => return,
            Reason::Cut => "captured in part",
            Reason::Malformed => "malformed packet",
            Reason::UnknownLink(_) => "unknown link type",
            _ => "another protocol",
        };
        self.error(reason);
    }

    pub(super) fn lost(&mut self, lost: &Lost) {
        self.error(match lost.loss {
            Loss::Cut { .. } => "captured in part",
            Loss::Fragments(_) => "lost: part of an IP packet",
            Loss::Enet(_) => "lost: ENet",
            Loss::Stream { .. } => "lost: part of a TCP stream",
            _ => "lost: flow given up for newer ones",
        });
    }

    fn error(&mut self, reason: &'static str) {
        let count = self.errors.entry(reason).or_default();
        *count = count.saturating_add(1);
    }
}

/// The greatest first, of equals by name.
pub(super) fn sorted<K: Ord + Clone>(
    amounts: impl IntoIterator<Item = (K, Amount)>,
) -> Vec<(K, Amount)> {
    let mut amounts: Vec<_> = amounts.into_iter().collect();
    amounts.sort_by(|one, other| (other.1.count, &one.0).cmp(&(one.1.count, &other.0)));
    amounts
}
