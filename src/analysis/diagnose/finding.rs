//! Findings. There is one for each kind of problem and each node or method with it.

use super::engines::EngineVersions;
use super::kind::{FindingKind, Severity};
use crate::analysis::stats::{Item, Member, NodeName, stem};
use crate::capture::follow::Place;
use crate::game::multiplayer::{Context, State};
use hashbrown::{Equivalent, HashMap};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// Something that is wrong, or worth knowing.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding<'d> {
    /// The kind of problem.
    pub kind: FindingKind,
    /// The severity.
    pub severity: Severity,
    /// How often it was found.
    pub count: u64,
    /// The number of the first packet with it.
    pub first_frame: u64,
    /// The number of the last packet with it.
    pub last_frame: u64,
    /// The node, if it is about one; the first one if it is about several.
    pub node: Option<NodeName<&'d str>>,
    /// All nodes that it is about. Nodes that are alike have one finding: those at the same place in
    /// instances of a scene, and those whose names differ only in numbers and that send the same.
    pub nodes: Vec<NodeName<&'d str>>,
    /// The method, if it is about one.
    pub member: Option<Member<&'d str>>,
    /// A sentence with the numbers.
    pub text: String,
}

/// The subject of a finding: a node or a method, or the whole traffic.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct FindingKey<S> {
    kind: FindingKind,
    item: Option<Item<S>>,
}

impl Equivalent<FindingKey<Box<str>>> for FindingKey<&str> {
    fn equivalent(&self, key: &FindingKey<Box<str>>) -> bool {
        let item = key.item.as_ref().map(|item| item.map(|name| &**name));
        self.kind == key.kind && self.item == item
    }
}

/// The findings so far, in bounded memory. Names come from the network, so the hashes are seeded
/// randomly.
#[derive(Clone, Default, Debug)]
pub struct FindingList {
    seen: HashMap<FindingKey<Box<str>>, (Seen, Option<Kin>), RandomState>,
    name_bytes: usize,
    /// Whether a limit was reached.
    pub is_full: bool,
    hasher: RandomState,
}

/// A hash that nodes have in common if they are alike.
type Kin = u64;

/// The key by which nodes are grouped as alike.
#[derive(Clone, Copy)]
pub struct Likeness<'e> {
    pub context: Context<'e>,
    /// The state that the finding is about, if it is about one.
    pub state: Option<&'e State<'e>>,
}

impl Likeness<'_> {
    /// The kin of a node. `is_first` is whether the finding is the first one about it: later ones only
    /// show whether its scene is known now.
    fn kin(self, node: NodeName<&str>, is_first: bool, hasher: &RandomState) -> Option<Kin> {
        let place = match node {
            NodeName::Path(path) => {
                self.context.scene_around(path).map(|(scene, below)| (scene.path, below))
            }
            NodeName::Spawned { .. } => None,
            NodeName::Id(_) | NodeName::NetId(_) | NodeName::Debugger => return None,
        };
        let mut hash = hasher.build_hasher();
        match place {
            Some(place) => place.hash(&mut hash),
            None if !is_first => return None,
            None => {
                stem(node).hash(&mut hash);
                let values = self.state.into_iter().flat_map(|state| state.values);
                values.for_each(|value| value.kind().hash(&mut hash));
            }
        }
        Some(hash.finish())
    }
}

/// How many findings are kept, and how many bytes of names. Findings beyond these limits are
/// counted without their node.
const FINDINGS: usize = 4_096;
const NAME_BYTES: usize = 4 << 20;

impl FindingList {
    /// Adds a finding that concerns no other node that is alike.
    pub fn add(&mut self, kind: FindingKind, item: Option<Item<&str>>, seen: Seen) {
        self.add_with(kind, item, seen, |_, _| None);
    }

    /// Adds a finding about a node or a method.
    pub fn add_of(
        &mut self,
        kind: FindingKind,
        item: Item<&str>,
        likeness: Likeness<'_>,
        seen: Seen,
    ) {
        self.add_with(kind, Some(item), seen, |is_first, hasher| {
            likeness.kin(item.node, is_first, hasher)
        });
    }

    /// The scene of a node may become known later, so the function that finds the kin is called the
    /// first time, the second, the fourth and so on.
    fn add_with(
        &mut self,
        kind: FindingKind,
        item: Option<Item<&str>>,
        seen: Seen,
        kin: impl FnOnce(bool, &RandomState) -> Option<Kin>,
    ) {
        let key = self.key(kind, item);
        match self.seen.get_mut(&key) {
            Some((known, of_known)) => {
                let is_first = seen.frames.0 < known.frames.0;
                known.merge(seen);
                if key.item.is_some() && (is_first || known.times.is_power_of_two()) {
                    *of_known = kin(is_first, &self.hasher).or(*of_known);
                }
            }
            None => {
                let kin = key.item.and_then(|_| kin(true, &self.hasher));
                self.insert(&key, (seen, kin));
            }
        }
    }

    /// The key of a finding: without its node or method if a limit excludes these.
    fn key<'n>(&mut self, kind: FindingKind, item: Option<Item<&'n str>>) -> FindingKey<&'n str> {
        let mut key = FindingKey { kind, item };
        if !self.seen.contains_key(&key) {
            let mut names = 0_usize;
            key.item.iter().for_each(|item| {
                item.map(|name| names = names.saturating_add(name.len()));
            });
            let bytes = self.name_bytes.saturating_add(names);
            if self.seen.len() >= FINDINGS || bytes > NAME_BYTES {
                self.is_full = true;
                key.item = None;
            } else {
                self.name_bytes = bytes;
            }
        }
        key
    }

    fn insert(&mut self, key: &FindingKey<&str>, found: (Seen, Option<Kin>)) {
        let item = key.item.as_ref().map(|item| item.map(|name| Box::from(*name)));
        self.seen.insert(FindingKey { kind: key.kind, item }, found);
    }

    /// An empty list that can be merged with this one.
    pub fn part(&self) -> FindingList {
        FindingList { hasher: self.hasher.clone(), ..FindingList::default() }
    }

    /// Adds the findings of another list.
    pub fn merge(&mut self, other: &FindingList) {
        self.is_full |= other.is_full;
        for (key, (seen, kin)) in &other.seen {
            let item = key.item.as_ref().map(|item| item.map(|name| &**name));
            let key = self.key(key.kind, item);
            match self.seen.get_mut(&key) {
                Some((known, of_known)) => {
                    let is_first = seen.frames.0 < known.frames.0;
                    known.merge(*seen);
                    if is_first && key.item.is_some() {
                        *of_known = kin.or(*of_known);
                    }
                }
                None => self.insert(&key, (*seen, kin.filter(|_| key.item.is_some()))),
            }
        }
    }

    /// Raises the severity of a finding that is not about a node, if there is one.
    pub fn raise(&mut self, kind: FindingKind, severity: Severity) {
        if let Some((seen, _)) = self.seen.get_mut(&FindingKey::<&str> { kind, item: None }) {
            seen.severity = seen.severity.max(severity);
        }
    }

    /// The findings, in the order of their kinds and names.
    pub fn list(&self) -> Vec<Finding<'_>> {
        self.list_if(|seen| Some(*seen))
    }

    /// The findings for which a function returns numbers, except those that are not about a node.
    pub fn list_of_nodes(&self, judge: impl Fn(&Seen) -> Option<Seen>) -> Vec<Finding<'_>> {
        let mut list = self.list_if(judge);
        list.retain(|finding| finding.node.is_some());
        list
    }

    fn list_if(&self, judge: impl Fn(&Seen) -> Option<Seen>) -> Vec<Finding<'_>> {
        let judged =
            self.seen.iter().filter_map(|(key, (seen, kin))| Some((key, judge(seen)?, *kin)));
        // An entry without a count has only a severity. Nothing was found.
        let judged = judged.filter(|(_, seen, _)| seen.count > 0);
        let mut list: Vec<_> = judged.collect();
        list.sort_by_key(|(key, ..)| *key);
        let mut places = BTreeMap::new();
        let mut groups: Vec<Alike<'_>> = Vec::new();
        for (key, seen, kin) in list {
            let item = key.item.as_ref().map(|item| item.map(|name| &**name));
            let member = item.map(|item| item.member);
            let next = groups.len();
            let place = kin.map_or(next, |kin| {
                *places.entry((key.kind, member, seen.severity, kin)).or_insert(next)
            });
            let node = item.map(|item| item.node);
            match groups.get_mut(place) {
                Some(group) => {
                    group.seen.merge(seen);
                    group.nodes.extend(node);
                }
                None => {
                    let nodes = node.into_iter().collect();
                    groups.push(Alike { kind: key.kind, seen, member, nodes });
                }
            }
        }
        groups.into_iter().map(Alike::finding).collect()
    }
}

/// Findings about nodes that are alike, together.
struct Alike<'d> {
    kind: FindingKind,
    seen: Seen,
    member: Option<Member<&'d str>>,
    nodes: Vec<NodeName<&'d str>>,
}

impl<'d> Alike<'d> {
    fn finding(self) -> Finding<'d> {
        let Alike { kind, seen, member, nodes } = self;
        let member = member.filter(|member| *member != Member::Whole);
        let (first_frame, last_frame) = seen.frames;
        Finding {
            kind,
            severity: seen.severity,
            count: seen.count,
            first_frame,
            last_frame,
            node: nodes.first().copied(),
            member,
            text: sentence(kind, &seen, member, &nodes),
            nodes,
        }
    }
}

/// How often something was found, and where.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub count: u64,
    /// The number of messages in which it was looked for.
    pub times: u64,
    /// Out of how many things; 0 if that does not matter.
    pub of: u64,
    /// The largest size in bytes, or the longest time in microseconds.
    pub most: u64,
    /// The bytes of all that was found, and out of how many bytes; 0 if that does not matter.
    pub bytes: (u64, u64),
    pub severity: Severity,
    pub frames: (u64, u64),
}

impl Seen {
    /// Found once, in a packet.
    pub const fn once(severity: Severity, place: Place) -> Seen {
        Seen::in_frame(severity, place.frame)
    }

    /// Found once, in the packet with a number.
    pub const fn in_frame(severity: Severity, frame: u64) -> Seen {
        Seen { count: 1, times: 1, of: 0, most: 0, bytes: (0, 0), severity, frames: (frame, frame) }
    }

    pub fn merge(&mut self, other: Seen) {
        self.count = self.count.saturating_add(other.count);
        self.times = self.times.saturating_add(other.times);
        self.of = self.of.saturating_add(other.of);
        self.most = self.most.max(other.most);
        let ((bytes, of), (more, of_more)) = (self.bytes, other.bytes);
        self.bytes = (bytes.saturating_add(more), of.saturating_add(of_more));
        self.severity = self.severity.max(other.severity);
        let ((first, last), (from, to)) = (self.frames, other.frames);
        self.frames = (first.min(from), last.max(to));
    }
}

/// How many nodes a sentence names.
const NAMED: usize = 3;

/// Describes a finding in a sentence with its numbers.
pub fn sentence(
    kind: FindingKind,
    seen: &Seen,
    member: Option<Member<&str>>,
    nodes: &[NodeName<&str>],
) -> String {
    let Seen { count, of, most, bytes, .. } = *seen;
    let n = |noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let percent = |part: u64, of: u64| if of > 0 { part as f64 * 100.0 / of as f64 } else { 0.0 };
    let share = percent(count, of);
    // A part is never all of it.
    let whole = |part: u64, of: u64| percent(part, of).min(if part < of { 99.0 } else { 100.0 });
    let place = place(member, nodes);
    let (noun, rest) = match kind {
        FindingKind::UnknownNode if seen.severity == Severity::Info => (
            "packet",
            "with a node id that was announced before the capture began, or in packets that it lacks",
        ),
        FindingKind::UnknownNode if seen.severity == Severity::Warning => {
            ("packet", "passed on from another client that had not announced the node id yet")
        }
        FindingKind::UnknownNode => ("packet", "with a node id that its sender did not announce"),
        FindingKind::EnginesDiffer if count == 1 => {
            let [one, other] = [most, of].map(EngineVersions::unpacked);
            return format!("the ends run different versions of the engine: {one}, and {other}");
        }
        FindingKind::EnginesDiffer => {
            ("connection", "whose ends run different versions of the engine")
        }
        FindingKind::MethodOutOfRange => ("call", "with a method number that is out of range"),
        FindingKind::RefusedCall => ("call", "from a client, but only the authority may call it"),
        FindingKind::ForeignState => ("state", "from a peer that did not spawn the node"),
        FindingKind::CallBeforeSpawn => ("call", "before the node was spawned"),
        FindingKind::CallAfterDespawn => ("call", "after the node was despawned"),
        FindingKind::UnconfirmedNode => ("announcement", "that the receiver never confirmed"),
        FindingKind::UnreliableMissing => ("unreliable message", "never arrived"),
        FindingKind::UnfinishedMessage => ("stream", "that ended within a message"),
        FindingKind::ThrottleChanged => ("change", "of ENet's bandwidth or throttle"),
        FindingKind::TimedOut => ("connection", "ended without an answer"),
        FindingKind::Compressed => ("message", "that cannot be decompressed"),
        FindingKind::CapturedInPart => ("packet", "captured only in part"),
        // These name the place last, or have further numbers.
        FindingKind::ObjectArgument => return n("object") + &within(&place),
        FindingKind::NotFinite => return n("value") + " with NaN or infinity" + &within(&place),
        FindingKind::WrongElementType => {
            return n("element") + " of another type than their container" + &within(&place);
        }
        FindingKind::MethodsDiffer => {
            let say = if count == 1 { "says" } else { "say" };
            return format!("{}{place} {say} that the methods differ", n("confirmation"));
        }
        FindingKind::OtherVersion => {
            let (verb, them) =
                if count == 1 { ("contradicts", "it") } else { ("contradict", "them") };
            let packets = n("packet");
            return format!(
                "{packets}{place} {verb} the project; only names that agree with {them} are shown"
            );
        }
        FindingKind::LargeState => return format!("{}{place} of up to {most} bytes", n("state")),
        FindingKind::UnchangedState => {
            return format!(
                "{count} of {of} sync states{place} repeat the state before ({:.0}%)",
                whole(count, of)
            );
        }
        FindingKind::Flood => {
            let (calls, share, of_bytes) = (n("call"), whole(count, of), whole(bytes.0, bytes.1));
            return format!(
                "{calls}{place}, {} bytes: {share:.0}% of all messages, {of_bytes:.0}% of their bytes",
                bytes.0
            );
        }
        FindingKind::UnreadablePayload => {
            return format!("{} that cannot be read, of {of} messages", n("message"));
        }
        FindingKind::SlowRoundTrips => {
            let milliseconds = most as f64 / 1e3;
            let directions = n("direction");
            return format!(
                "in {directions}, 5% of the round trips took {milliseconds:.0} ms or more"
            );
        }
        FindingKind::Resent => {
            let resends = n("resend") + " of";
            let what = "reliable commands or segments";
            return match of {
                // The first copies were sent before the capture.
                0 => format!("{resends} {what}"),
                of if count <= of => format!("{resends} {of} {what} ({share:.1}%)"),
                of => format!("{resends} {of} {what} ({:.1} for each)", count as f64 / of as f64),
            };
        }
        FindingKind::ReliableMissing => {
            let what = match count {
                1 => "reliable message, fragment or part of a stream is",
                _ => "reliable messages, fragments or parts of streams are",
            };
            return format!("{count} {what} not in the capture");
        }
        FindingKind::NotDelivered => {
            let were = if count == 1 { "was" } else { "were" };
            let messages = n("reliable message");
            return format!(
                "{messages} {were} not delivered before the connection or the capture ended"
            );
        }
        // Fragments count each, but are one message.
        FindingKind::OutOfOrder if count > of => {
            return format!("{} overtaken", n("message, fragment or segment"));
        }
        FindingKind::OutOfOrder => {
            return format!("{count} of {of} messages or segments were overtaken ({share:.1}%)");
        }
        FindingKind::LargeDatagrams => {
            return format!("{} larger than the usual MTU, up to {most} bytes", n("datagram"));
        }
        FindingKind::Disconnected => {
            let were = if count == 1 { "was" } else { "were" };
            return format!("{} {were} closed by one end", n("connection"));
        }
        FindingKind::LimitReached => return format!("a limit was reached {}", n("time")),
    };
    format!("{}{place} {rest}", n(noun))
}

/// The same subject after "in".
fn within(place: &str) -> String {
    place.replacen(" of ", " in ", 1)
}

/// Names the subject of a finding: ` of Main/World.fire`, or ` of fire of A, B, C and 3 more nodes`.
fn place(member: Option<Member<&str>>, nodes: &[NodeName<&str>]) -> String {
    match (nodes, member) {
        ([], _) => String::new(),
        ([node], None) => format!(" of {node}"),
        ([node], Some(member)) => format!(" of {node}.{member}"),
        (nodes, member) => {
            let of_member = member.map_or(String::new(), |member| format!(" of {member}"));
            let more = nodes.len().saturating_sub(NAMED);
            // One more node is as short as a remark about it.
            let named = if more <= 1 { nodes.len() } else { NAMED };
            let named: Vec<_> = nodes.iter().take(named).map(ToString::to_string).collect();
            let named = match &named[..] {
                [first @ .., last] if more <= 1 => format!("{} and {last}", first.join(", ")),
                named => format!("{} and {more} more nodes", named.join(", ")),
            };
            format!("{of_member} of {named}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FindingKind, Seen, sentence};
    use crate::analysis::diagnose::Severity;
    use crate::capture::follow::Place;

    fn of_size(count: u64, of: u64) -> Seen {
        let place = Place::new(1);
        Seen { count, of, bytes: (of.min(count), of), ..Seen::once(Severity::Info, place) }
    }

    /// The number before each percent sign.
    fn percentages(text: &str) -> impl Iterator<Item = f64> {
        text.split('%').map(|part| {
            let start = part.rfind(|it: char| !it.is_ascii_digit() && it != '.');
            part.get(start.map_or(0, |start| start + 1)..).unwrap_or("").parse().unwrap_or(0.0)
        })
    }

    #[test]
    fn resends_and_overtaken_messages_are_never_more_than_all() {
        for kind in [FindingKind::Resent, FindingKind::OutOfOrder] {
            for (count, of) in [(0, 0), (5, 0), (528, 19), (2, 1), (1, 1), (19, 528)] {
                let seen = of_size(count, of);
                let text = sentence(kind, &seen, None, &[]);
                assert!(percentages(&text).all(|share| share <= 100.0), "{text}");
            }
        }
        let text = sentence(FindingKind::Resent, &of_size(528, 19), None, &[]);
        assert_eq!(text, "528 resends of 19 reliable commands or segments (27.8 for each)");
    }

    #[test]
    fn only_all_of_them_are_all() {
        for (count, expected) in [(3_191, "(99%)"), (3_201, "(100%)"), (2, "(0%)")] {
            let text = sentence(FindingKind::UnchangedState, &of_size(count, 3_201), None, &[]);
            assert!(text.ends_with(expected), "{text}");
        }
        let text = sentence(FindingKind::Flood, &of_size(999, 1_000), None, &[]);
        assert!(text.ends_with(": 99% of all messages, 99% of their bytes"), "{text}");
    }
}
