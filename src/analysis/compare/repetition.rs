//! Compares a session with its repetition: the same calls and the same values of properties, whatever
//! the ids and times.

use super::Which;
use crate::analysis::stats::{Item, Member, NodeName, each_item};
use crate::capture::follow::{Content, Message, Place};
use crate::format::text::{Layout, cut};
use crate::game::multiplayer::{Argument, Call, Context, Packet, PeerId, put_name};
use hashbrown::{HashMap, HashSet};
use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::mem;

/// How many different calls and values are counted.
const COUNTED: usize = 1 << 20;

/// How many properties are followed, how many peers and how many despawns are kept.
const FOLLOWED: usize = 1 << 18;
const PEERS: usize = 1 << 16;

/// How many bytes of differences are kept, and how many characters of each.
const ROOM: usize = 32 << 20;
const CHARACTERS: usize = 400;

/// The calls and the values of properties in a session and its repetition, counted in both.
#[derive(Clone, Default, Debug)]
pub struct Repetition {
    counts: HashMap<u64, [u64; 2], RandomState>,
    /// How many calls and values were not counted, because there are too many different ones.
    further: u64,
    /// The ids of the clients of each recording, as far as they were collected first.
    peers: [HashSet<i64, RandomState>; 2],
    reader: FactReader,
    /// The recording that the reader reads, and whether it reads it again.
    current: Option<(Which, bool)>,
    differences: Vec<Difference>,
    listed: HashSet<u64, RandomState>,
    further_differences: u64,
    used: usize,
}

/// A call, or a value of a property, that one recording has more often than the other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The recording that has it more often.
    pub which: Which,
    /// The packet that has it first in that recording.
    pub place: Place,
    /// Whether the server sent it, or clients; none if that is not known.
    pub is_from_server: Option<bool>,
    /// How often the recordings have it.
    pub counts: [u64; 2],
    /// The node, the method or property, and the arguments or the value.
    pub text: String,
}

/// Receives a call or a value that is compared: its hash, whether the server sent it, its place,
/// and its text.
type TakeFact<'t> = &'t mut dyn FnMut(u64, Option<bool>, Place, &str);

/// Finds the calls and values in messages.
#[derive(Clone, Default, Debug)]
struct FactReader {
    hasher: RandomState,
    /// The ids of clients, which are chosen at random.
    peers: HashSet<i64, RandomState>,
    /// The last value of each property, by receiver.
    values: HashMap<u64, u64, RandomState>,
    /// Despawns that nothing has followed yet.
    despawns: Vec<(u64, Option<bool>, Place, String)>,
    /// The text of the call or value that is being read.
    text: String,
}

impl Repetition {
    /// Collects the ids of clients in a message: other clients may get them in the names of nodes
    /// before the client itself sends anything.
    pub(super) fn collect_peers(&mut self, which: Which, message: &Message<'_>) {
        collect_peers(which.of_mut(&mut self.peers), message);
    }

    /// Takes a message of a recording.
    pub(super) fn message(&mut self, which: Which, message: &Message<'_>) {
        self.begin(which, false);
        let Repetition { counts, further, reader, .. } = self;
        reader.read(message, &mut |hash, _, _, _| {
            let is_full = counts.len() >= COUNTED;
            match counts.get_mut(&hash) {
                Some(known) => *which.of_mut(known) += 1,
                None if is_full => *further += 1,
                None => *which.of_mut(counts.entry(hash).or_default()) += 1,
            }
        });
    }

    /// Takes a message of a recording that is read again, to show the differences.
    pub(super) fn message_again(&mut self, which: Which, message: &Message<'_>) {
        self.begin(which, true);
        let mut reader = mem::take(&mut self.reader);
        reader.read(message, &mut |hash, is_from_server, place, text| {
            let Some(counts) = self.counts.get(&hash).copied() else { return };
            if which.of(counts) <= which.other().of(counts) || !self.listed.insert(hash) {
                return;
            }
            if self.used >= ROOM {
                self.further_differences += 1;
                return;
            }
            let mut shown = String::new();
            let result = cut(&mut shown, CHARACTERS, &text);
            debug_assert!(result.is_ok(), "a string takes everything");
            let size = shown.len().saturating_add(size_of::<Difference>());
            self.used = self.used.saturating_add(size);
            let text = shown;
            self.differences.push(Difference { which, place, is_from_server, counts, text });
        });
        self.reader = reader;
    }

    /// Begins to read a recording.
    fn begin(&mut self, which: Which, is_again: bool) {
        if self.current.replace((which, is_again)) != Some((which, is_again)) {
            // The hashes stay the same.
            let hasher = self.reader.hasher.clone();
            let peers = which.of_ref(&self.peers).clone();
            self.reader = FactReader { hasher, peers, ..FactReader::default() };
        }
    }

    /// Whether both recordings have the same calls and values.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.counts.values().all(|[first, second]| first == second)
    }

    /// Whether a recording has something more often than the other one.
    #[must_use]
    pub fn has_more(&self, which: Which) -> bool {
        self.counts.values().any(|counts| which.of(*counts) > which.other().of(*counts))
    }

    /// How many different calls and values there are.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.counts.len() as u64
    }

    /// How many calls and values were not compared, because there are too many different ones.
    #[must_use]
    pub const fn not_compared(&self) -> u64 {
        self.further
    }

    /// The differences, as far as the recordings were read again.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// How many more there are: only 32 MiB of them are kept.
    #[must_use]
    pub const fn further_differences(&self) -> u64 {
        self.further_differences
    }
}

fn collect_peers(peers: &mut HashSet<i64, RandomState>, message: &Message<'_>) {
    for peer in [message.peers.source, message.peers.target].into_iter().flatten() {
        let id = i64::from(peer.get()).abs();
        if id > 1 && peers.len() < PEERS {
            peers.insert(id);
        }
    }
}

impl FactReader {
    fn read(&mut self, message: &Message<'_>, take: TakeFact<'_>) {
        collect_peers(&mut self.peers, message);
        let source = message.peers.source;
        let is_called = message.origin.client.map(|client| client != message.origin.from);
        let is_from_server = source.map(|source| source == PeerId::SERVER).or(is_called);
        let place = message.place;
        match &message.content {
            Content::Value(value) => {
                self.text.clear();
                let shown = write!(self.text, "{}", value.display(Layout::Line));
                debug_assert!(shown.is_ok(), "a string takes everything");
                self.give(is_from_server, place, take);
            }
            Content::Debugger(command) => {
                self.text.clear();
                let shown = write!(self.text, "{command}");
                debug_assert!(shown.is_ok(), "a string takes everything");
                self.give(is_from_server, place, take);
            }
            Content::Packet(packet) => self.packet(packet, message, is_from_server, take),
        }
    }

    fn packet(
        &mut self,
        packet: &Packet<'_>,
        message: &Message<'_>,
        is_from_server: Option<bool>,
        take: TakeFact<'_>,
    ) {
        let (inner, context) = match packet {
            Packet::Relay(relay) => (relay.packet(), message.context().relayed()),
            packet => (*packet, message.context()),
        };
        let place = message.place;
        if let Packet::Despawn { net_id } = inner {
            return self.despawn(net_id, context, (is_from_server, place));
        }
        let call = match &inner {
            Packet::Call(call) => Some(call),
            _ => None,
        };
        let receiver = (message.origin.connection, message.origin.from);
        let is_spawn = matches!(inner, Packet::Spawn(_));
        each_item(&inner, context, message.bytes.len(), &mut |item, _, value| {
            // A spawn without properties is the appearance of its node.
            if item.member == Member::Whole && !is_spawn {
                return;
            }
            self.name(&item, call, value);
            if matches!(item.member, Member::Property { .. }) && !is_spawn {
                // A value that repeats says nothing new: how often it is sent depends on time.
                let name = self.text.split(" = ").next().unwrap_or_default();
                let key = self.hasher.hash_one((receiver, name));
                let hash = self.hasher.hash_one(&self.text);
                if self.values.get(&key) == Some(&hash) {
                    return;
                }
                if self.values.len() < FOLLOWED || self.values.contains_key(&key) {
                    self.values.insert(key, hash);
                }
            }
            self.give(is_from_server, place, take);
        });
    }

    /// Notes a despawn, which counts if something follows it: at its end, a session frees its nodes.
    fn despawn(
        &mut self,
        net_id: u32,
        context: Context<'_>,
        (is_from_server, place): (Option<bool>, Place),
    ) {
        let Some(spawned) = context.spawned(net_id) else { return };
        self.text.clear();
        self.text.push_str("despawn ");
        let path = spawned.path.unwrap_or(spawned.name);
        self.path(path);
        if self.despawns.len() < FOLLOWED {
            let hash = self.hasher.hash_one((&self.text, is_from_server));
            self.despawns.push((hash, is_from_server, place, self.text.clone()));
        }
    }

    /// Writes the node, the member and the arguments or the value of an item to the text.
    fn name(&mut self, item: &Item<&str>, call: Option<&Call<'_>>, value: Option<Argument<'_>>) {
        self.text.clear();
        match item.node {
            NodeName::Path(path) => self.path(path),
            NodeName::Spawned { name, .. } => self.path(name),
            // Each peer assigns its own ids.
            NodeName::Id(_) | NodeName::NetId(_) => self.text.push('#'),
            NodeName::Debugger => self.text.push_str("debugger"),
        }
        let shown = match item.member {
            Member::Whole => write!(self.text, " spawned"),
            // Without its name, the place of a property means something in its packets only.
            member @ Member::Property { name: None, .. } => {
                write!(self.text, ".{} {member}", member.command().unwrap_or_default())
            }
            member => write!(self.text, ".{member}"),
        };
        debug_assert!(shown.is_ok(), "a string takes everything");
        if let Some(call) = call {
            self.text.push('(');
            for (place, argument) in call.arguments.iter().enumerate() {
                self.text.push_str(if place > 0 { ", " } else { "" });
                self.value(argument);
            }
            self.text.push(')');
        } else if let Some(value) = value {
            self.text.push_str(" = ");
            self.value(value);
        }
    }

    /// Writes a path, with a star in place of the ids of clients.
    fn path(&mut self, path: &str) {
        let star = |id| self.peers.contains(&id).then(|| "*".to_owned());
        for (place, name) in path.split('/').enumerate() {
            self.text.push_str(if place > 0 { "/" } else { "" });
            put_name(&mut self.text, name, &star);
        }
    }

    /// Writes a value, or a star in place of the id of a client.
    fn value(&mut self, value: Argument<'_>) {
        if value.as_i64().is_some_and(|id| self.peers.contains(&id)) {
            self.text.push('*');
            return;
        }
        let shown = write!(self.text, "{}", value.display(Layout::Line));
        debug_assert!(shown.is_ok(), "a string takes everything");
    }

    /// Passes on the despawns before it, and what the text says.
    fn give(&mut self, is_from_server: Option<bool>, place: Place, take: TakeFact<'_>) {
        for (hash, is_from_server, place, text) in self.despawns.drain(..) {
            take(hash, is_from_server, place, &text);
        }
        let hash = self.hasher.hash_one((&self.text, is_from_server));
        take(hash, is_from_server, place, &self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::{Repetition, Which};
    use crate::capture::Messages;
    use crate::capture::follow::Event;

    #[test]
    fn ids_that_were_collected_are_known_from_the_beginning() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/");
        let file = std::fs::read(format!("{root}godot4-rpc-three.pcapng")).unwrap();
        let mut repetition = Repetition::default();
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            if let Event::Message(message) = event {
                repetition.collect_peers(Which::Second, &message);
            }
        }
        let [of_first, of_second] = repetition.peers.clone();
        assert_eq!((of_first.len(), of_second.len()), (0, 2));
        for id in of_second {
            for (which, shown) in [(Which::First, id.to_string()), (Which::Second, "*".to_owned())]
            {
                repetition.begin(which, false);
                repetition.reader.text.clear();
                repetition.reader.path(&format!("Players/{id}/P_{id}/Crate3"));
                let expected = format!("Players/{shown}/P_{shown}/Crate3");
                assert_eq!(repetition.reader.text, expected);
            }
        }
    }
}
