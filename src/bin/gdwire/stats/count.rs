//! The counts of one file.

use super::amount::Amount;
use super::interval::Intervals;
use crate::sink::Trouble;
use gdwire::capture::{
    Cause, Content, Flow, Message, Other, Reason, Summary, Time, Traffic, Transport,
};
use gdwire::multiplayer::{Call, Context, Method, Node, Packet, Set};
use gdwire::net::enet::{self, Lost, LostMessage, Mode};
use gdwire::{Dialect, Error, Kind, Problem, VariantRef, encoded_len};
use std::collections::{BTreeMap, HashMap};

/// How many connections are counted apart; further ones are counted together.
const FLOWS: usize = 1 << 17;

/// How many methods have counts of their own; further ones are counted together.
const METHODS: usize = 1 << 16;

/// How many bytes the names of methods and the paths of their nodes may take. A path can be long and
/// is sent only once, whatever the number of methods.
const NAMES: usize = 32 << 20;

/// One connection of a flow, and the count of what was in it.
pub(super) struct FlowCount {
    pub(super) flow: Flow,
    pub(super) transport: Option<Transport>,
    pub(super) dialect: Option<Dialect>,
    pub(super) is_multiplayer: bool,
    pub(super) traffic: Traffic,
    pub(super) messages: u64,
}

/// A node and its method or property, which packets call or set.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Callee {
    pub(super) node: Target,
    pub(super) method: Called,
    /// `call` or `set`.
    pub(super) command: &'static str,
}

/// A node, by its path or, if the path is not in the capture, by its id.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    Path(Box<str>),
    Id(u32),
}

/// A method, by its name or its number; or a property.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Called {
    Name(Box<str>),
    Number { index: u16, is_own: bool },
}

impl Callee {
    /// What a packet calls or sets. For a relay, what the relayed packet does.
    fn of(packet: &Packet<'_>, context: Context<'_>) -> Option<Callee> {
        let callee = packet.callee(context)?;
        let inner = match packet {
            Packet::Relay(relay) => relay.packet(),
            packet => *packet,
        };
        let id = match inner {
            Packet::Call(Call { node: Node::Id(id), .. })
            | Packet::Set(Set { node: Node::Id(id), .. }) => Some(id),
            _ => None,
        };
        let node = match callee.path {
            Some(path) => Target::Path(path.into()),
            None => Target::Id(id?),
        };
        let method = match callee.method {
            Method::Number { index, is_own } => Called::Number { index, is_own },
            Method::Name(name) => Called::Name(name.into()),
            _ => return None,
        };
        Some(Callee { node, method, command: inner.command() })
    }

    /// How many bytes the names take.
    fn len(&self) -> usize {
        let path = match &self.node {
            Target::Path(path) => path.len(),
            Target::Id(_) => 0,
        };
        match &self.method {
            Called::Name(name) => path.saturating_add(name.len()),
            Called::Number { .. } => path,
        }
    }
}

/// The counts of one file.
pub(super) struct Counts {
    /// Values and multiplayer packets.
    pub(super) messages: Amount,
    /// The connections by their numbers.
    pub(super) flows: BTreeMap<u64, FlowCount>,
    /// Connections beyond the limit.
    pub(super) further_flows: Amount,
    /// The packets of these.
    pub(super) further_packets: u64,
    pub(super) kinds: BTreeMap<Kind, Amount>,
    pub(super) commands: BTreeMap<&'static str, Amount>,
    pub(super) calls: HashMap<Callee, Amount>,
    names: usize,
    /// Calls of methods beyond the limit.
    pub(super) further_calls: Amount,
    pub(super) errors: BTreeMap<&'static str, u64>,
    pub(super) intervals: Option<Intervals>,
}

impl Counts {
    pub(super) fn new(intervals: Option<Intervals>) -> Counts {
        Counts {
            messages: Amount::default(),
            flows: BTreeMap::new(),
            further_flows: Amount::default(),
            further_packets: 0,
            kinds: BTreeMap::new(),
            commands: BTreeMap::new(),
            calls: HashMap::new(),
            names: 0,
            further_calls: Amount::default(),
            errors: BTreeMap::new(),
            intervals,
        }
    }

    /// A connection is opened, or closed.
    pub(super) fn connection(&mut self, summary: &Summary) {
        let is_known = self.flows.contains_key(&summary.connection());
        if !is_known && self.flows.len() >= FLOWS {
            if summary.closed().is_some() {
                let traffic = summary.traffic();
                let (packets, bytes) = (traffic.packets, traffic.bytes);
                self.further_packets = self.further_packets.saturating_add(packets);
                self.further_flows.merge(Amount { count: 1, bytes });
            }
            return;
        }
        let flow = self.flows.entry(summary.connection()).or_insert_with(|| FlowCount {
            flow: summary.flow(),
            transport: None,
            dialect: None,
            is_multiplayer: false,
            traffic: Traffic::default(),
            messages: 0,
        });
        flow.traffic = summary.traffic();
        flow.is_multiplayer = summary.is_multiplayer();
        flow.transport = summary.transport().or(flow.transport);
        flow.dialect = summary.dialect().or(flow.dialect);
    }

    /// Counts a message of a capture.
    pub(super) fn message(&mut self, message: &Message<'_>, context: Context<'_>) {
        if let Some(flow) = self.flows.get_mut(&message.origin.connection) {
            flow.messages = flow.messages.saturating_add(1);
            // A flow may be classified only by a late message.
            flow.transport.get_or_insert(message.origin.transport);
            flow.dialect.get_or_insert(message.dialect);
        }
        let bytes = message.bytes.len();
        self.amount(message.place.time, bytes);
        match &message.content {
            Content::Value(value) => self.kinds.entry(value.kind()).or_default().add(bytes),
            Content::Packet(packet) => self.packet(packet, bytes, context),
            _ => {}
        }
    }

    /// Counts a value of another file.
    pub(super) fn value(&mut self, value: VariantRef<'_>) {
        let bytes = value.as_bytes().len();
        self.kinds.entry(value.kind()).or_default().add(bytes);
        self.amount(None, bytes);
    }

    fn amount(&mut self, time: Option<Time>, bytes: usize) {
        self.messages.add(bytes);
        if let Some(intervals) = &mut self.intervals {
            intervals.add(time, bytes);
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, bytes: usize, context: Context<'_>) {
        self.commands.entry(packet.command()).or_default().add(bytes);
        packet.each_argument(&mut |argument| {
            let len = encoded_len(argument.dialect(), &argument).unwrap_or(0);
            self.kinds.entry(argument.kind()).or_default().add(len);
        });
        if let Some(callee) = Callee::of(packet, context) {
            self.call(callee, bytes);
        }
    }

    /// Counts a packet that calls a method.
    fn call(&mut self, callee: Callee, bytes: usize) {
        if let Some(amount) = self.calls.get_mut(&callee) {
            return amount.add(bytes);
        }
        let names = self.names.saturating_add(callee.len());
        if self.calls.len() >= METHODS || names > NAMES {
            return self.further_calls.add(bytes);
        }
        self.names = names;
        self.calls.entry(callee).or_default().add(bytes);
    }

    pub(super) fn other(&mut self, other: &Other<'_>) {
        self.error(match &other.reason {
            Reason::NoValue(error) => no_value(error),
            Reason::Unlikely => "not a value: reads as one by chance",
            Reason::NoPacket(_) => "not a packet of the multiplayer API",
            Reason::NoEnet(error) if error.problem == enet::Problem::UnknownCompression => {
                "a compression other than ENet's range coder"
            }
            Reason::NoEnet(_) => "not an ENet datagram",
            Reason::UnknownStream => "TCP of other programs",
            Reason::NotAskedFor => "not the requested transport",
            Reason::PeerId(_) => return,
            Reason::Cut => "captured only in part",
            Reason::Malformed => "malformed packet",
            Reason::UnknownLink(_) => "unknown link type",
            Reason::OtherProtocol => "another protocol",
            _ => "another reason",
        });
    }

    pub(super) fn trouble(&mut self, trouble: &Trouble<'_>) {
        let lost = match trouble {
            Trouble::Lost(lost) => lost,
            Trouble::Damaged => return self.error("damaged file"),
            Trouble::Unrecognized => return self.error("neither a capture nor a value file"),
            Trouble::NoBytes => return self.error("line that is not hex or base64"),
            Trouble::NoValue(error) => return self.error(no_value(error)),
        };
        match lost {
            Cause::Cut { .. } => self.error("captured only in part"),
            Cause::Fragments(_) => self.error("lost: part of an IP packet"),
            Cause::Enet(LostMessage { lost: Lost::Missing { mode, count }, .. })
                if *mode != Mode::Reliable =>
            {
                self.errors("lost: unreliable ENet messages", u64::from(*count));
            }
            Cause::Enet(_) => self.error("lost: ENet messages"),
            Cause::Stream { .. } => self.error("lost: part of a TCP stream"),
            Cause::Flow => self.error("lost: state of a flow, limit reached"),
            Cause::Connections { .. } => self.error("lost: state of connections, limit reached"),
            Cause::Names => self.error("lost: node names, limit reached"),
            Cause::Queue { count } => self.errors("lost: too many messages in one packet", *count),
            _ => self.error("lost"),
        }
    }

    fn error(&mut self, reason: &'static str) {
        self.errors(reason, 1);
    }

    fn errors(&mut self, reason: &'static str, more: u64) {
        let count = self.errors.entry(reason).or_default();
        *count = count.saturating_add(more);
    }
}

fn no_value(error: &Error) -> &'static str {
    match error.problem {
        Problem::UnexpectedEnd { .. } => "not a value: ends too early",
        Problem::UnknownType { .. } => "not a value: unknown type",
        Problem::InvalidUtf8 => "not a value: text is not UTF-8",
        Problem::TooLong { .. } => "not a value: impossible count or length",
        Problem::TooDeep { .. } => "not a value: nested too deeply",
        Problem::TrailingBytes { .. } => "not a value: followed by more bytes",
        _ => "not a value",
    }
}

#[cfg(test)]
mod tests {
    use super::{Called, Callee, Counts, METHODS, Target};

    #[test]
    fn names_take_only_so_much_memory() {
        let path: Box<str> = "a".repeat(60_000).into();
        let node = Target::Path(path);
        let callee = |node: &Target, method: Called| {
            let node = node.clone();
            Callee { node, method, command: "call" }
        };
        let mut counts = Counts::new(None);
        for index in 0..1_000 {
            counts.call(callee(&node, Called::Number { index, is_own: false }), 10);
        }
        assert_eq!((counts.calls.len(), counts.further_calls.count), (559, 441));
        // A known method is still counted.
        counts.call(callee(&node, Called::Number { index: 0, is_own: false }), 10);
        assert_eq!((counts.calls.len(), counts.further_calls.bytes), (559, 4_410));

        let mut counts = Counts::new(None);
        for index in 0..=u32::try_from(METHODS).unwrap_or(0) {
            let name = Called::Name(index.to_string().into());
            counts.call(callee(&Target::Id(7), name), 10);
        }
        assert_eq!((counts.calls.len(), counts.further_calls.count), (METHODS, 1));
    }
}
