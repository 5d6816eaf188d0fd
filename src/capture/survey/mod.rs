//! A first look at a capture: what carries the messages of each flow, and which dialect they are
//! of.

mod first;
mod layers;
mod sample;

pub(super) use layers::Layers;
pub(super) use sample::is_unlikely;

use super::{Flow, Options, Time, Transport};
use crate::detect::Detector;
use crate::dialect::Dialect;
use crate::multiplayer::Protocol;
use core::fmt;
use first::FirstLook;
use hashbrown::HashMap;
use sample::Finding;

/// How the messages of a flow are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) transport: Transport,
    pub(super) layers: Layers,
    pub(super) dialect: Dialect,
    /// Whether something of the flow could be read so.
    pub(super) is_sure: bool,
    /// Whether what can be read as a value is one, even if no engine writes it so.
    pub(super) is_certain: bool,
}

/// What is known of the flows of a capture.
#[derive(Default)]
pub(super) struct Survey {
    places: HashMap<Flow, usize>,
    flows: Vec<Known>,
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
    /// It is looked at.
    Open,
    Found(Box<Finding>),
    /// No choice if nothing in the flow is a message that is known.
    Chosen(Option<Choice>, Box<Finding>),
}

impl Survey {
    /// Looks at the first packets of every flow.
    pub(super) fn of(file: &[u8], options: &Options<'_>) -> Survey {
        let mut survey = FirstLook::at(file, options);
        survey.conclude(options);
        survey
    }

    /// Decides what is common to the flows.
    fn conclude(&mut self, options: &Options<'_>) {
        let mut all = Detector::new();
        for known in &self.flows {
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
    /// Chooses the dialect. What a flow does not tell, the others may.
    fn choose(&mut self, common: Dialect, options: &Options<'_>) {
        let State::Found(finding) = &self.state else { return };
        let Finding { transport, layers, ref detection, fitting, is_certain, .. } = **finding;
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
        let choice = |transport| Choice { transport, layers, dialect, is_sure, is_certain };
        let choice = transport.map(choice);
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
