//! A first look at a capture: what carries the messages of each flow, and which dialect they are
//! of.

mod layers;
mod sample;

pub(super) use layers::Layers;

use super::flow::Held;
use super::{Capture, Defragmenter, Flow, Options, Packet, Payload, Time, Transport};
use crate::detect::Detector;
use crate::dialect::Dialect;
use crate::multiplayer::Protocol;
use crate::net::{Side, enet};
use core::fmt;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use sample::{Finding, Sample};
use std::collections::VecDeque;

/// How the messages of a flow are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) transport: Transport,
    pub(super) layers: Layers,
    pub(super) dialect: Dialect,
    /// Whether something of the flow could be read so.
    pub(super) is_sure: bool,
}

/// What is known of the flows of a capture.
#[derive(Default)]
pub(super) struct Survey {
    places: HashMap<Flow, usize>,
    flows: Vec<Known>,
    /// The places of those that may be open, the oldest first.
    open: VecDeque<usize>,
    /// How many bytes these take.
    held: usize,
    /// How many packets are of flows that were too many.
    beyond: u64,
}

/// How much of a flow a capture has, in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Traffic {
    /// How many packets: datagrams or segments, IP packets in parts put together.
    pub packets: u64,
    /// How many bytes these carry behind their UDP or TCP headers.
    pub bytes: u64,
    /// When the first was captured.
    pub first: Option<Time>,
    /// When the last was captured.
    pub last: Option<Time>,
}

impl Traffic {
    fn add(&mut self, time: Option<Time>, len: usize) {
        self.packets = self.packets.saturating_add(1);
        self.bytes = self.bytes.saturating_add(len as u64);
        self.first = self.first.or(time);
        self.last = time.or(self.last);
    }

    /// The mean rate between the first packet and the last; none if no time is between them.
    #[must_use]
    pub fn bytes_per_second(&self) -> Option<f64> {
        let nanoseconds = self.last?.nanoseconds().saturating_sub(self.first?.nanoseconds());
        (nanoseconds > 0).then(|| self.bytes as f64 * 1e9 / nanoseconds as f64)
    }
}

struct Known {
    flow: Flow,
    traffic: Traffic,
    state: State,
}

enum State {
    Open(Sample),
    Found(Box<Finding>),
    /// No choice if nothing in the flow is a message that is known.
    Chosen(Option<Choice>, Box<Finding>),
}

impl Survey {
    /// Looks at the first packets of every flow.
    pub(super) fn of(file: &[u8], options: &Options<'_>) -> Survey {
        let mut survey = Survey::default();
        let mut fragments = Defragmenter::with_limit(options.limits.fragments());
        let mut scratch = enet::Scratch::default();
        let packets = Capture::new(file).into_iter().flatten().map_while(Result::ok);
        for packet in packets {
            let payload = match packet.payload() {
                Payload::Fragment(fragment) => {
                    fragments.push(packet.frame, packet.time, &fragment, &mut |_| {})
                }
                payload => Some(payload),
            };
            match payload {
                Some(Payload::Udp(datagram)) => {
                    let flow = Flow::of(false, datagram.src, datagram.dst);
                    let len = datagram.payload.len().saturating_add(datagram.missing);
                    survey.look(flow, (&packet, len), options, |sample, from| {
                        if let Sample::Udp(sample) = sample {
                            sample.datagram(from, &datagram, &mut scratch, &options.limits);
                        }
                    });
                }
                Some(Payload::Tcp(segment)) => {
                    let flow = Flow::of(true, segment.src, segment.dst);
                    let len = segment.payload.len().saturating_add(segment.missing);
                    survey.look(flow, (&packet, len), options, |sample, from| {
                        if let Sample::Tcp(sample) = sample {
                            sample.segment(from, &segment);
                        }
                    });
                }
                _ => {}
            }
        }
        survey.conclude(options);
        survey
    }

    fn look(
        &mut self,
        (flow, from): (Flow, Side),
        (packet, len): (&Packet<'_>, usize),
        options: &Options<'_>,
        look: impl FnOnce(&mut Sample, Side),
    ) {
        let (src, dst) = flow.from(from);
        if options.excludes(&flow) || !options.admits(src, dst) {
            return;
        }
        let place = match self.places.entry(flow) {
            Entry::Occupied(place) => *place.get(),
            Entry::Vacant(_) if self.flows.len() >= options.limits.flows => {
                self.beyond = self.beyond.saturating_add(1);
                return;
            }
            Entry::Vacant(place) => {
                let sample = Sample::new(flow.is_tcp(), &options.limits);
                let traffic = Traffic::default();
                let number = self.flows.len();
                self.held = self.held.saturating_add(sample.held());
                self.open.push_back(number);
                self.flows.push(Known { flow, traffic, state: State::Open(sample) });
                *place.insert(number)
            }
        };
        let Some(known) = self.flows.get_mut(place) else { return };
        known.traffic.add(packet.time, len);
        let State::Open(sample) = &mut known.state else { return };
        let before = sample.held();
        look(sample, from);
        let after = sample.held();
        self.held = self.held.saturating_sub(before).saturating_add(after);
        if sample.is_enough() || after > options.limits.flow_bytes {
            self.decide(place, options);
        }
        // Those that have been looked at longest are decided by what has been seen of them.
        while self.held > options.limits.total_bytes
            && let Some(oldest) = self.open.pop_front()
        {
            self.decide(oldest, options);
        }
    }

    fn decide(&mut self, place: usize, options: &Options<'_>) {
        let Some(known) = self.flows.get_mut(place) else { return };
        if let State::Open(sample) = &known.state {
            self.held = self.held.saturating_sub(sample.held());
            known.decide(options);
        }
    }

    /// Decides what is open, and what is common to the flows.
    fn conclude(&mut self, options: &Options<'_>) {
        self.open = VecDeque::new();
        self.flows.shrink_to_fit();
        let mut all = Detector::new();
        for known in &mut self.flows {
            known.decide(options);
            if let State::Found(finding) = &known.state {
                all.merge(finding.detection.detector());
            }
        }
        let common = all.detection_among(|dialect| options.admits_dialect(dialect)).dialect();
        for known in &mut self.flows {
            known.choose(common, options);
        }
    }

    /// How the messages of a flow are read, if it has any that are known; none if there were too
    /// many flows before it.
    pub(super) fn choice(&self, flow: &Flow) -> Option<Option<Choice>> {
        match self.places.get(flow).and_then(|place| self.flows.get(*place))?.state {
            State::Chosen(choice, _) => Some(choice),
            _ => None,
        }
    }

    /// How many packets are of flows that were too many.
    pub(super) const fn beyond(&self) -> u64 {
        self.beyond
    }

    pub(super) fn flows(&self, is_named: bool) -> impl Iterator<Item = Surveyed<'_>> + '_ {
        self.flows.iter().filter_map(move |known| {
            let State::Chosen(choice, finding) = &known.state else { return None };
            let Known { flow, traffic, .. } = *known;
            Some(Surveyed { flow, traffic, choice: *choice, finding, is_named })
        })
    }
}

impl Known {
    fn decide(&mut self, options: &Options<'_>) {
        if let State::Open(sample) = &mut self.state {
            let sample = core::mem::replace(sample, Sample::Udp(Box::default()));
            self.state = State::Found(Box::new(sample.decide(options)));
        }
    }

    /// Chooses the dialect. What a flow does not tell, the others may.
    fn choose(&mut self, common: Dialect, options: &Options<'_>) {
        let State::Found(finding) = &self.state else { return };
        let Finding { transport, layers, ref detection, fitting, .. } = **finding;
        let mut dialect = detection.dialect();
        let is_possible = Protocol::of(common) == Protocol::of(dialect)
            || !layers.is_multiplayer && !layers.has_peers;
        if is_possible && common.name() != dialect.name() && detection.is_best(common) {
            dialect = common;
        }
        if options.is_double {
            dialect = dialect.with_double_reals();
        }
        let dialect = options.dialect.unwrap_or(dialect);
        let is_sure = fitting > 0;
        let choice = transport.map(|transport| Choice { transport, layers, dialect, is_sure });
        self.state = State::Chosen(choice, finding.clone());
    }
}

/// What a flow was found to be, and why: [`Messages::flows`](super::Messages::flows).
#[derive(Clone, Copy)]
pub struct Surveyed<'s> {
    flow: Flow,
    traffic: Traffic,
    choice: Option<Choice>,
    finding: &'s Finding,
    is_named: bool,
}

impl Surveyed<'_> {
    /// The flow.
    #[must_use]
    pub const fn flow(&self) -> Flow {
        self.flow
    }

    /// How much of it the capture has.
    #[must_use]
    pub const fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// What carries its messages; none if nothing in it is a message that is known.
    #[must_use]
    pub fn transport(&self) -> Option<Transport> {
        self.choice.map(|choice| choice.transport)
    }

    /// The dialect of its values.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.choice.map(|choice| choice.dialect)
    }

    /// Whether its messages are packets of the high-level multiplayer API.
    #[must_use]
    pub fn is_multiplayer(&self) -> bool {
        self.choice.is_some_and(|choice| choice.layers.is_multiplayer)
    }
}

/// What was chosen, and why.
impl fmt::Display for Surveyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.flow.ends();
        write!(f, "{low} and {high}: ")?;
        let Finding { fitting, seen, ref detection, .. } = *self.finding;
        let Some(Choice { transport, layers, dialect, .. }) = self.choice else {
            return f.write_str("TCP, in which nothing is a message that is known");
        };
        match transport {
            Transport::Udp => write!(f, "udp, {fitting} of {seen} datagrams are values")?,
            Transport::Enet => write!(f, "enet, as are {fitting} of {seen} datagrams")?,
            Transport::Tcp => write!(f, "tcp, {fitting} of {seen} messages are values")?,
            Transport::WebSocket => write!(f, "websocket, {seen} messages")?,
        }
        match (layers.is_multiplayer, layers.has_peers) {
            (true, _) => f.write_str("; packets of the multiplayer API")?,
            (false, true) => f.write_str("; values behind source and target")?,
            (false, false) => {}
        }
        if self.is_named {
            write!(f, "; {dialect}, as was said")
        } else if dialect.name() == detection.dialect().name() {
            write!(f, "; {detection}")
        } else {
            write!(f, "; {dialect}, as most of the capture, which reads as much as {detection}")
        }
    }
}

impl fmt::Debug for Surveyed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surveyed").field("flow", &self.flow).field("choice", &self.choice).finish()
    }
}
