//! Follows the announcements, spawns and states of the ends of connections, in bounded memory.

use super::finding::{FindingList, Likeness, Seen};
use super::kind::{FindingKind, Severity};
use crate::analysis::stats::{Item, Member, NodeName};
use crate::capture::follow::{ConnectionNumbers, Direction, Message, Place, Summary};
use crate::game::multiplayer::{
    Context, Node, Packet, PeerId, SimplifyPath, Spawn, State, States, Synchronizer,
};
use crate::net::Side;
use crate::net::packet::Time;
use hashbrown::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A map whose keys come from the network, so its hashes are seeded randomly.
type Map<K, V> = HashMap<K, V, RandomState>;

/// How many bytes are kept for all connections together: 32 MiB.
const ROOM: usize = 32 << 20;
/// About how many bytes an entry takes, without its name.
const ENTRY: usize = 128;

/// The default limits of a synchronizer in the engine, in bytes: `max_sync_packet_size` and
/// `max_delta_packet_size`.
const MAX_SYNC: usize = 1_350;
const MAX_DELTA: usize = 65_535;

/// An end that still sends so long after an announcement has received it.
const CERTAINLY_RECEIVED: Duration = Duration::from_secs(10);

/// The state of the ends of all open connections: the paths, nodes and synchronizers that they have
/// announced, spawned and sent.
#[derive(Clone, Debug)]
pub struct EndStates {
    ends: Map<(u64, Side), EndState>,
    free: usize,
    /// The least room that was free before a connection was closed.
    least: usize,
    hasher: RandomState,
    /// How many things were not followed because of a limit.
    pub dropped: u64,
}

/// The state of one end, from the packets that it has sent.
#[derive(Clone, Default, Debug)]
struct EndState {
    /// The net ids of the nodes and synchronizers that it has spawned, now or earlier, with the number of
    /// the packet that did so first.
    net_ids: Map<u32, u64>,
    /// The names of the spawned nodes.
    names: Map<u32, Box<str>>,
    /// The spawned nodes by their names.
    nodes: Map<Box<str>, SeenNode>,
    /// Calls of nodes that are not spawned, by the names of the nodes.
    early: Map<Box<str>, (Box<str>, Seen)>,
    /// The last announcement of each node, by its path.
    announced: Map<Box<str>, Announcement>,
    /// The number of its announcements, and the number of the last one that the other end has confirmed.
    announcements: u64,
    last_confirmed: u64,
    /// When the other end last sent a packet.
    heard: Option<Time>,
    /// States of nodes that it has not spawned so far.
    foreign: Map<u32, Seen>,
    /// The hash of the last state of each synchronizer.
    states: Map<Synchronizer, u64>,
    /// The packets with node ids that it has not announced.
    unknown: Option<Seen>,
    unreadable: Option<Seen>,
    /// How much room it takes.
    used: usize,
}

#[derive(Clone, Debug)]
struct Announcement {
    id: u32,
    /// How many announcements of its end came before, and itself.
    number: u64,
    place: Place,
    is_confirmed: bool,
}

#[derive(Clone, Debug)]
struct SeenNode {
    at: SpawnSite,
    is_there: bool,
}

/// The place of a spawned node in the scene tree.
#[derive(Clone, Debug)]
enum SpawnSite {
    Path(Box<str>),
    /// Probably below the parent of its spawner, which this is. The packets do not say where.
    Below(Box<str>),
    Unknown,
}

impl Default for EndStates {
    fn default() -> EndStates {
        let (ends, hasher) = (Map::default(), RandomState::new());
        EndStates { ends, free: ROOM, least: ROOM, hasher, dropped: 0 }
    }
}

impl EndStates {
    /// Notes a packet of the multiplayer API.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        message: &Message<'_>,
        findings: &mut FindingList,
        repeats: &mut FindingList,
    ) {
        let (context, place) = (message.context(), message.place);
        let likeness = Likeness { context, state: None };
        let (connection, from) = (message.origin.connection, message.origin.from);
        if let Some(other) = self.ends.get_mut(&(connection, from.other())) {
            other.heard = other.heard.max(place.time);
        }
        let node = match packet {
            // Godot 3 confirms any path.
            Packet::SimplifyPath(announced) if announced.md5.is_some() => {
                return self.announced((connection, from), announced, place);
            }
            Packet::Call(call) => call.node,
            Packet::Set(set) => set.node,
            Packet::ConfirmPath(confirm) => {
                self.confirmed(confirm.node, message);
                if confirm.is_valid == Some(false) {
                    let seen = Seen::once(Severity::Error, place);
                    match context.confirmed_path(confirm.node).map(whole) {
                        Some(item) => {
                            findings.add_of(FindingKind::MethodsDiffer, item, likeness, seen);
                        }
                        None => findings.add(FindingKind::MethodsDiffer, None, seen),
                    }
                }
                return;
            }
            Packet::Spawn(spawn) => {
                return self.spawn((connection, from), spawn, message, findings);
            }
            Packet::Despawn { net_id } => return self.despawn((connection, from), *net_id),
            Packet::Sync(sync) => {
                return self.states(sync.states, MAX_SYNC, message, findings, repeats);
            }
            Packet::Delta(states) => {
                return self.states(*states, MAX_DELTA, message, findings, repeats);
            }
            _ => return,
        };
        match context.path(node) {
            Some(path) => self.call((connection, from), path, place, likeness, findings),
            None => self.unknown(message),
        }
    }

    fn announced(&mut self, at: (u64, Side), announced: &SimplifyPath<'_>, place: Place) {
        let Some((end, mut room)) = self.end(at) else { return };
        end.announcements += 1;
        let SimplifyPath { id, path, .. } = *announced;
        let new = Announcement { id, number: end.announcements, place, is_confirmed: false };
        if let Some(known) = end.announced.get_mut(path) {
            *known = new;
        } else if room.take(&mut end.used, path.len()) {
            end.announced.insert(path.into(), new);
        }
    }

    /// Notes that a node is confirmed, which the other end has announced.
    pub fn confirmed(&mut self, node: Node<'_>, message: &Message<'_>) {
        let (connection, from) = (message.origin.connection, message.origin.from);
        let Some(end) = self.ends.get_mut(&(connection, from.other())) else { return };
        let path = message.context().confirmed_path(node);
        match path.and_then(|path| end.announced.get_mut(path)) {
            // This confirms an earlier announcement of the node.
            Some(known) if matches!(node, Node::Id(id) if id != known.id) => {}
            Some(known) => {
                known.is_confirmed = true;
                end.last_confirmed = end.last_confirmed.max(known.number);
            }
            // It may be a confirmation of any node.
            None => end.announced.clear(),
        }
    }

    /// Notes a message that cannot be read.
    pub fn unreadable(&mut self, connection: u64, from: Side, place: Place) {
        let Some((end, _)) = self.end((connection, from)) else { return };
        merge(&mut end.unreadable, Seen::once(Severity::Info, place));
    }

    fn unknown(&mut self, message: &Message<'_>) {
        let origin = message.origin;
        let Some((end, _)) = self.end((origin.connection, origin.from)) else { return };
        let severity = if is_passed_on(message) { Severity::Warning } else { Severity::Error };
        merge(&mut end.unknown, Seen::once(severity, message.place));
    }

    /// An end, and how much room there is for more.
    fn end(&mut self, at: (u64, Side)) -> Option<(&mut EndState, Room<'_>)> {
        let EndStates { ends, free, dropped, .. } = self;
        if !ends.contains_key(&at) {
            // The maps of an end are empty at first.
            let size = size_of::<EndState>().saturating_add(ENTRY);
            let mut room = Room { free, dropped };
            let mut end = EndState::default();
            if !room.take(&mut end.used, size) {
                return None;
            }
            ends.insert(at, end);
        }
        ends.get_mut(&at).map(|end| (end, Room { free, dropped }))
    }

    /// A call of a node whose path is known.
    fn call(
        &mut self,
        at: (u64, Side),
        path: &str,
        place: Place,
        likeness: Likeness<'_>,
        findings: &mut FindingList,
    ) {
        let (connection, from) = at;
        let name = path.rsplit('/').next().unwrap_or(path);
        for side in [from, from.other()] {
            let Some(end) = self.ends.get(&(connection, side)) else { continue };
            let Some(node) = end.nodes.get(name).filter(|node| node.may_be(path)) else { continue };
            if !node.is_there {
                let seen = Seen::once(Severity::Warning, place);
                findings.add_of(FindingKind::CallAfterDespawn, whole(path), likeness, seen);
            }
            return;
        }
        let Some((end, mut room)) = self.end(at) else { return };
        let seen = Seen::once(Severity::Warning, place);
        if let Some((_, known)) = end.early.get_mut(name) {
            known.merge(seen);
        } else if room.take(&mut end.used, path.len().saturating_add(name.len())) {
            end.early.insert(name.into(), (path.into(), seen));
        }
    }

    fn spawn(
        &mut self,
        at: (u64, Side),
        spawn: &Spawn<'_>,
        message: &Message<'_>,
        findings: &mut FindingList,
    ) {
        let (context, place) = (message.context(), message.place);
        let Some((end, mut room)) = self.end(at) else { return };
        for id in spawn.synchronizers.iter().chain([spawn.net_id]) {
            // A state can overtake the spawn of its node.
            end.foreign.remove(&id);
            if !end.net_ids.contains_key(&id) && room.take(&mut end.used, 0) {
                end.net_ids.insert(id, place.frame);
            }
        }
        let spawner = context.path(Node::Id(spawn.spawner));
        let parent = spawner.map(|path| path.rsplit_once('/').map_or("", |(parent, _)| parent));
        let at = match (context.spawned_path(spawn), parent) {
            (Some(path), _) => SpawnSite::Path(path.into()),
            (None, Some(parent)) => SpawnSite::Below(parent.into()),
            (None, None) => SpawnSite::Unknown,
        };
        let node = SeenNode { at, is_there: true };
        if let Some((path, seen)) = end.early.remove(spawn.name)
            && node.may_be(&path)
        {
            let likeness = Likeness { context, state: None };
            findings.add_of(FindingKind::CallBeforeSpawn, whole(&path), likeness, seen);
        }
        let names = spawn.name.len().saturating_mul(2).saturating_add(node.at.len());
        if room.take(&mut end.used, names) {
            end.names.insert(spawn.net_id, spawn.name.into());
            end.nodes.insert(spawn.name.into(), node);
        }
    }

    fn despawn(&mut self, at: (u64, Side), net_id: u32) {
        let Some(end) = self.ends.get_mut(&at) else { return };
        let Some(name) = end.names.remove(&net_id) else { return };
        if let Some(node) = end.nodes.get_mut(&name) {
            node.is_there = false;
        }
    }

    fn states(
        &mut self,
        states: States<'_>,
        limit: usize,
        message: &Message<'_>,
        findings: &mut FindingList,
        repeats: &mut FindingList,
    ) {
        let (context, place) = (message.context(), message.place);
        let at = (message.origin.connection, message.origin.from);
        let mut has_unknown = false;
        for state in states {
            let likeness = Likeness { context, state: Some(&state) };
            let bytes = state.values.as_bytes();
            // A state of more than four fifths of the limit is reported.
            if bytes.len() > limit / 5 * 4 {
                let is_over = bytes.len() > limit;
                let severity = if is_over { Severity::Warning } else { Severity::Info };
                let seen = Seen { most: bytes.len() as u64, ..Seen::once(severity, place) };
                let item = whole_of(&state, context);
                findings.add_of(FindingKind::LargeState, item, likeness, seen);
            }
            match state.synchronizer {
                Synchronizer::PathId(id) if context.path(Node::Id(id)).is_none() => {
                    has_unknown = true;
                    continue;
                }
                Synchronizer::NetId(id) if self.is_foreign(at, id, place) => continue,
                _ => {}
            }
            if state.changed.is_none() && limit == MAX_SYNC {
                let is_same = self.is_same(at, &state);
                let same = u64::from(is_same);
                let seen = Seen { count: same, of: 1, ..Seen::once(Severity::Info, place) };
                let item = whole_of(&state, context);
                repeats.add_of(FindingKind::UnchangedState, item, likeness, seen);
            }
        }
        if has_unknown {
            self.unknown(message);
        }
    }

    /// Whether an end sends a state of a node that it has not spawned.
    fn is_foreign(&mut self, at: (u64, Side), id: u32, place: Place) -> bool {
        let Some((end, mut room)) = self.end(at) else { return false };
        if end.net_ids.contains_key(&id) {
            return false;
        }
        let seen = Seen::once(Severity::Info, place);
        if let Some(known) = end.foreign.get_mut(&id) {
            known.merge(seen);
        } else if room.take(&mut end.used, 0) {
            end.foreign.insert(id, seen);
        }
        true
    }

    /// Whether a synchronizer sends the same state as the last time.
    fn is_same(&mut self, at: (u64, Side), state: &State<'_>) -> bool {
        let hash = self.hasher.hash_one(state.values.as_bytes());
        let Some((end, mut room)) = self.end(at) else { return false };
        if let Some(known) = end.states.get_mut(&state.synchronizer) {
            return core::mem::replace(known, hash) == hash;
        }
        if room.take(&mut end.used, 0) {
            end.states.insert(state.synchronizer, hash);
        }
        false
    }

    /// Empty states that can be merged with these.
    pub fn part(&self) -> EndStates {
        EndStates { hasher: self.hasher.clone(), ..EndStates::default() }
    }

    /// Adds the ends of other connections.
    pub fn merge(&mut self, other: EndStates, numbers: &ConnectionNumbers) {
        // In the worst case, both took most room at the same time.
        let most = ROOM.saturating_sub(other.least.min(other.free));
        self.least = self.least.min(self.free).saturating_sub(most);
        self.dropped = self.dropped.saturating_add(other.dropped);
        for ((connection, side), end) in other.ends {
            self.free = self.free.saturating_sub(end.used);
            self.ends.insert((numbers.of(connection), side), end);
        }
    }

    /// Whether there was always enough room.
    pub const fn is_complete(&self) -> bool {
        self.dropped == 0 && self.least > 0 && self.free > 0
    }

    /// Judges the messages of the ends of a connection, and forgets its state.
    pub fn close(&mut self, summary: &Summary, findings: &mut FindingList) {
        self.least = self.least.min(self.free);
        let mut end_of = |side| self.ends.remove(&(summary.connection(), side));
        let (first, second) = (end_of(Side::First), end_of(Side::Second));
        for (side, end, other) in [(Side::First, &first, &second), (Side::Second, &second, &first)]
        {
            let Some(end) = end else { continue };
            self.free = self.free.saturating_add(end.used);
            let direction = summary.direction(side);
            // If messages are missing, they may have announced the node, so the finding is not
            // certain.
            let is_whole = |side| {
                let Direction { missing, cut, .. } = summary.direction(side);
                summary.has_start() && missing.reliable == 0 && missing.gaps == 0 && cut.is_none()
            };
            let is_certain = is_whole(side) && self.dropped == 0;
            let certain = |severity| if is_certain { severity } else { Severity::Info };
            if let Some(unknown) = end.unknown {
                let severity = certain(unknown.severity);
                findings.add(FindingKind::UnknownNode, None, Seen { severity, ..unknown });
            }
            for (id, foreign) in &end.foreign {
                let spawned = other.as_ref().and_then(|other| other.net_ids.get(id));
                if spawned.is_some_and(|frame| *frame < foreign.frames.0) {
                    let item = Item { node: NodeName::NetId(*id), member: Member::Whole };
                    let seen = Seen { severity: certain(Severity::Error), ..*foreign };
                    findings.add(FindingKind::ForeignState, Some(item), seen);
                } else {
                    // The other end had not spawned the node either: its spawn is not in the capture.
                    findings.add(FindingKind::UnknownNode, None, *foreign);
                }
            }
            let is_read = other.as_ref().is_none_or(|other| other.unreadable.is_none());
            if is_certain && is_whole(side.other()) && is_read {
                end.unconfirmed(findings);
            }
            if let Some(unreadable) = end.unreadable.filter(|_| summary.transport().is_some()) {
                let (severity, of) = (Severity::Warning, direction.messages);
                findings.add(
                    FindingKind::UnreadablePayload,
                    None,
                    Seen { severity, of, ..unreadable },
                );
            }
        }
    }
}

impl EndState {
    /// Finds the announcements that the other end has received but not confirmed. It confirms
    /// them in the order in which they came.
    fn unconfirmed(&self, findings: &mut FindingList) {
        for (path, announcement) in &self.announced {
            let Announcement { number, place, is_confirmed, .. } = *announcement;
            let passed = self.heard.zip(place.time).map(|(heard, time)| heard.since(time));
            let is_received = number < self.last_confirmed
                || passed.is_some_and(|passed| passed >= CERTAINLY_RECEIVED);
            if is_received && !is_confirmed {
                let likeness = Likeness { context: Context::new(), state: None };
                let seen = Seen::once(Severity::Info, place);
                findings.add_of(FindingKind::UnconfirmedNode, whole(path), likeness, seen);
            }
        }
    }
}

/// How much room is left.
struct Room<'r> {
    free: &'r mut usize,
    dropped: &'r mut u64,
}

impl Room<'_> {
    /// Takes room for an entry with `names` bytes of names, and adds it to `used`. Returns whether
    /// there is enough room.
    fn take(&mut self, used: &mut usize, names: usize) -> bool {
        let size = names.saturating_add(ENTRY);
        if let Some(rest) = self.free.checked_sub(size) {
            *self.free = rest;
            *used = used.saturating_add(size);
            true
        } else {
            *self.dropped += 1;
            false
        }
    }
}

impl SeenNode {
    /// Whether the node with a path may be this one, given that its name is the same.
    fn may_be(&self, path: &str) -> bool {
        match &self.at {
            SpawnSite::Path(own) => **own == *path,
            SpawnSite::Below(parent) => path
                .strip_prefix(&**parent)
                .is_some_and(|rest| parent.is_empty() || rest.starts_with('/')),
            SpawnSite::Unknown => false,
        }
    }
}

impl SpawnSite {
    fn len(&self) -> usize {
        match self {
            SpawnSite::Path(path) | SpawnSite::Below(path) => path.len(),
            SpawnSite::Unknown => 0,
        }
    }
}

fn merge(known: &mut Option<Seen>, seen: Seen) {
    match known {
        Some(known) => known.merge(seen),
        None => *known = Some(seen),
    }
}

/// Whether the server of a Godot 3 game passes on a packet that another client sends to all. That
/// client may not have announced its nodes to this one yet.
fn is_passed_on(message: &Message<'_>) -> bool {
    let Message { origin, peers, .. } = message;
    origin.client == Some(origin.from.other())
        && peers.source.is_some_and(|source| source != PeerId::SERVER)
        && peers.target.is_some_and(|target| target.get() <= 0)
}

fn whole(path: &str) -> Item<&str> {
    Item { node: NodeName::Path(path), member: Member::Whole }
}

fn whole_of<'n>(state: &State<'n>, context: Context<'n>) -> Item<&'n str> {
    Item { node: NodeName::of_state(state, context), member: Member::Whole }
}
