//! Reports what a capture shows about names: those that the user gave and it contradicts, patterns that
//! match nothing, how much has names, from what scenes are known, and why a path is not.

use crate::input::reader::InputReader;
use crate::terminal::{number, plain, several};
use gdwire::follow::{Content, Message};
use gdwire::multiplayer::{Callee, Context, Method, Mismatch, Names, Packet, SceneBasis, Sync};
use gdwire::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// How many contradictions are kept apart.
const KEPT: usize = 1_000;

/// Paths with more bytes are not kept or counted, and texts with more characters are cut.
const LONGEST: usize = 1_024;

/// How many contradictions are reported without `--verbose`.
const SHOWN: usize = 10;

/// The contradictions in one capture.
#[derive(Default)]
pub struct Mismatches {
    names: Option<Arc<Names>>,
    /// For each pattern of the list of methods, whether a path matched it.
    is_matched: Vec<bool>,
    /// The ids of the nodes that the user named and that messages have.
    used_nodes: BTreeSet<u32>,
    /// Nodes with other methods, by their paths.
    nodes: BTreeMap<String, DifferingNode>,
    /// Other contradictions by what they concern.
    others: BTreeMap<String, Contradiction>,
    further: u64,
    /// Nodes whose scene is not known any more, because of contradictions.
    hidden: NodeSet,
}

/// A node whose methods differ from those in the names.
struct DifferingNode {
    first: u64,
    /// The difference, as a sentence.
    text: String,
    /// How many methods the names have.
    here: Option<usize>,
    /// How many methods the game has at least, because they are called: of the script, and from
    /// `rpc_config()`.
    there: [usize; 2],
}

/// A contradiction: its first text, how often it occurs, and in which frame first.
struct Contradiction {
    text: String,
    count: u64,
    first: u64,
}

impl Mismatches {
    pub fn new(names: Option<Arc<Names>>) -> Mismatches {
        let patterns = names.as_deref().map_or(0, |names| names.patterns().count());
        Mismatches { names, is_matched: vec![false; patterns], ..Mismatches::default() }
    }

    /// Whether names were given, and a message may contradict or confirm them.
    pub fn concerns(names: bool, message: &Message<'_>) -> bool {
        let Content::Packet(packet) = &message.content else { return false };
        let context = message.context();
        let mut has_given_node = false;
        packet.each_given_node(context, &mut |_| has_given_node = true);
        let mut has_hidden = false;
        packet.hidden_instances(context, &mut |_, _| has_hidden = true);
        names
            && (matches!(packet, Packet::SimplifyPath(_))
                || has_given_node
                || has_hidden
                || packet.mismatch(context).is_some()
                || packet
                    .callee(context)
                    .is_some_and(|it| matches!(it.method, Method::Number { .. })))
    }

    pub fn note(&mut self, message: &Message<'_>) {
        let (Some(names), Content::Packet(packet)) = (&self.names, &message.content) else {
            return;
        };
        let (frame, context) = (message.place.frame, message.context());
        if let Packet::SimplifyPath(announced) = packet
            && let Some(place) = names.pattern_of(announced.path)
            && let Some(is_matched) = self.is_matched.get_mut(place)
        {
            *is_matched = true;
        }
        packet.each_given_node(context, &mut |id| {
            self.used_nodes.insert(id);
        });
        packet.hidden_instances(context, &mut |node, _| {
            self.hidden.insert(node);
        });
        let mut has_mismatch = false;
        packet.mismatches(context, &mut |mismatch| {
            has_mismatch = true;
            self.contradiction(&mismatch, frame);
        });
        if !has_mismatch
            && let Some(Callee { path: Some(path), method, .. }) = packet.callee(context)
            && let (Method::Number { index, is_own }, Some(node)) =
                (method, self.nodes.get_mut(path))
        {
            let [script, own] = &mut node.there;
            let there = if is_own { own } else { script };
            *there = (*there).max(usize::from(index) + 1);
        }
    }

    fn contradiction(&mut self, mismatch: &Mismatch<'_>, frame: u64) {
        if let Mismatch::Digest { path, methods, .. } = *mismatch {
            if self.nodes.contains_key(path) {
                return;
            }
            if self.nodes.len() < KEPT && path.len() <= LONGEST {
                let text = mismatch.to_string();
                let node = DifferingNode { first: frame, text, here: methods, there: [0; 2] };
                self.nodes.insert(path.to_owned(), node);
            } else {
                self.further += 1;
            }
            return;
        }
        let cut = |text: String| text.chars().take(LONGEST).collect::<String>();
        let key = match mismatch {
            Mismatch::Method { .. } => cut(mismatch.to_string()),
            _ => cut(mismatch.subject().to_owned()),
        };
        if let Some(known) = self.others.get_mut(&key) {
            known.count += 1;
        } else if self.others.len() < KEPT {
            let text = match mismatch {
                Mismatch::Method { .. } => key.clone(),
                Mismatch::Scene { .. } => cut(format!("{mismatch}, so its names are not shown")),
                _ => cut(format!(
                    "{} is not as in the game, so names that depend on it are not shown: {mismatch}",
                    plain(mismatch.subject()),
                )),
            };
            self.others.insert(key, Contradiction { text, count: 1, first: frame });
        } else {
            self.further += 1;
        }
    }

    /// Reports the contradictions. Patterns and nodes without messages are reported only if the capture
    /// was read to its end.
    pub fn conclude(self, reader: &mut InputReader<'_>, is_cut_short: bool) {
        let Some(names) = &self.names else { return };
        let nodes = self.nodes.values().map(|node| node.describe());
        let others = self.others.values().map(|Contradiction { text, count, first }| match count {
            1 => format!("{text} (frame {first})"),
            count => format!("{text} (first in frame {first}, {count} times)"),
        });
        let hidden = self.hidden.to_string();
        let hidden = (!hidden.is_empty()).then(|| {
            format!(
                "packets contradict the project, so no name is shown that is known only from the \
                 structure of a node: {hidden}"
            )
        });
        let unmatched = names.patterns().zip(&self.is_matched);
        let unmatched = unmatched.filter(|(_, is_matched)| !is_cut_short && !**is_matched);
        let unmatched = unmatched.map(|(pattern, _)| {
            format!(
                "the pattern {pattern} of --methods matches no node that was seen, or only nodes \
                 that an earlier pattern matches"
            )
        });
        let unused = names.nodes().filter(|(id, _)| !is_cut_short && !self.used_nodes.contains(id));
        let unused = unused.map(|(id, path)| {
            format!(
                "--node '#{id}={}' was not used: no message has this id, or a message announces its path",
                plain(path)
            )
        });
        let problems: Vec<String> =
            nodes.chain(others).chain(hidden).chain(unmatched).chain(unused).collect();
        let shown = if reader.diagnostics.is_verbose() { problems.len() } else { SHOWN };
        for problem in problems.iter().take(shown) {
            reader.diagnostics.warning(&reader.name, problem);
        }
        let left = problems.len().saturating_sub(shown) as u64;
        if left > 0 {
            let text = format!("{left} more of these; --verbose shows them");
            reader.diagnostics.warning(&reader.name, &text);
        }
        if self.further > 0 {
            let text = format!("{} further contradictions of names, not listed", self.further);
            reader.diagnostics.warning(&reader.name, &text);
        }
    }
}

impl DifferingNode {
    fn describe(&self) -> String {
        let there = self.there.iter().fold(0_usize, |sum, count| sum.saturating_add(*count));
        let DifferingNode { first, text, .. } = self;
        if there > self.here.unwrap_or(0) {
            format!("{text}; the captured game has at least {there} (frame {first})")
        } else {
            format!("{text} (frame {first})")
        }
    }
}

/// The number of nodes that are counted.
const NODES: usize = 1 << 16;

/// Some nodes, by their paths.
#[derive(Default)]
struct NodeSet(BTreeSet<String>);

impl NodeSet {
    /// Returns whether the node is new.
    fn insert(&mut self, node: &str) -> bool {
        self.0.len() < NODES
            && node.len() <= LONGEST
            && !self.0.contains(node)
            && self.0.insert(node.to_owned())
    }
}

/// Names the first node, and counts the others.
impl fmt::Display for NodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.first(), self.0.len().saturating_sub(1)) {
            (Some(first), 0) => write!(f, "{}", plain(first)),
            (Some(first), more) => write!(f, "{} and {more} more", plain(first)),
            (None, _) => Ok(()),
        }
    }
}

/// Counts the calls, spawns and states of one capture that have names, and notes the nodes of each scene.
pub struct KnownNames {
    names: Arc<Names>,
    nodes: BTreeMap<(String, SceneBasis), NodeSet>,
    node_count: usize,
    calls: NamedCount,
    spawns: NamedCount,
    states: NamedCount,
    /// The nodes that functions of spawners made, and whose scene is not known. They may have none.
    without_scene: u64,
}

/// The number of calls, spawns or states, and how many of them have names.
#[derive(Default)]
struct NamedCount {
    named: u64,
    all: u64,
}

impl NamedCount {
    fn add(&mut self, is_named: bool) {
        self.named += u64::from(is_named);
        self.all += 1;
    }
}

impl KnownNames {
    /// Counts names that come from a project. Returns none without a project.
    pub fn new(names: Arc<Names>) -> Option<KnownNames> {
        names.project()?;
        let (nodes, node_count, without_scene) = Default::default();
        let (calls, spawns, states) = Default::default();
        Some(KnownNames { names, nodes, node_count, calls, spawns, states, without_scene })
    }

    pub fn note(&mut self, message: &Message<'_>) {
        let Content::Packet(packet) = &message.content else { return };
        packet.instances(message.context(), &mut |node, scene| {
            if self.node_count < NODES {
                let nodes = self.nodes.entry((scene.path.to_owned(), scene.basis)).or_default();
                self.node_count += usize::from(nodes.insert(node));
            }
        });
        self.add(packet, message.context());
    }

    fn add(&mut self, packet: &Packet<'_>, context: Context<'_>) {
        match packet {
            Packet::Call(_) => {
                let method = packet.callee(context).map(|callee| callee.method);
                self.calls.add(matches!(method, Some(Method::Name(_))));
            }
            Packet::Spawn(spawn) => {
                let mut is_named = false;
                packet.instances(context, &mut |_, _| is_named = true);
                if is_named || spawn.scene.is_some() {
                    self.spawns.add(is_named);
                } else {
                    self.without_scene += 1;
                }
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                let states = states.iter();
                states.for_each(|state| self.states.add(state.properties(context).is_some()));
            }
            Packet::Relay(relay) => self.add(&relay.packet(), context.relayed()),
            _ => {}
        }
    }

    /// Reports how much has names, why some may be missing, and each scene with its nodes, of which the
    /// first is named.
    pub fn conclude(&self, reader: &InputReader<'_>) {
        let counts = [(&self.calls, "call"), (&self.spawns, "spawn"), (&self.states, "state")];
        let counts = counts.iter().filter(|(count, _)| count.all > 0);
        let counts = counts.map(|(it, what)| format!("{} of {}", it.named, number(it.all, what)));
        let counts = counts.collect::<Vec<_>>().join(", ");
        if !counts.is_empty() {
            reader.diagnostics.detail(&reader.name, &format!("named: {counts}"));
        }
        if self.without_scene > 0 {
            let one = "node made by a function of a spawner has no scene, or none that is known";
            let many = "nodes made by functions of spawners have no scene, or none that is known";
            reader.diagnostics.detail(&reader.name, &several(self.without_scene, one, many));
        }
        let is_complete = [&self.spawns, &self.states].iter().all(|it| it.named == it.all);
        let effects = self.names.project().into_iter().flat_map(Project::script_effects);
        for (effect, file) in effects.filter(|_| !is_complete) {
            let text = format!("{} {effect}, so names may be missing", plain(file));
            reader.diagnostics.detail(&reader.name, &text);
        }
        for ((scene, basis), nodes) in self.nodes.iter().filter(|(_, nodes)| !nodes.0.is_empty()) {
            let from = match basis {
                SceneBasis::Scene => "the list of their spawner",
                SceneBasis::Function => "the function of their spawner",
                _ => "their structure",
            };
            let text = format!("{}: {nodes}, known from {from}", plain(scene));
            reader.diagnostics.detail(&reader.name, &text);
        }
    }
}

/// A message with the id of a node whose path is not known.
#[derive(Clone, Copy)]
pub struct WithoutPath {
    frame: u64,
    id: u32,
}

impl WithoutPath {
    /// None if the paths of all nodes in the message are known.
    pub fn of(message: &Message<'_>) -> Option<WithoutPath> {
        let Content::Packet(packet) = &message.content else { return None };
        let id = packet.unannounced(message.context())?;
        Some(WithoutPath { frame: message.place.frame, id })
    }

    /// Explains why the path is not known, if that was not done before in this run.
    pub fn explain(self, reader: &mut InputReader<'_>) {
        if !std::mem::replace(&mut reader.has_explained_ids, true) {
            let WithoutPath { frame, id } = self;
            let text = format!(
                "the path of node #{id} is not known, because it was announced before the first \
                 packet that was seen, in packets that are missing, or not yet to this receiver; paths are announced \
                 again to a client that joins again (frame {frame})"
            );
            reader.diagnostics.warning(&reader.name, &text);
        }
    }
}
