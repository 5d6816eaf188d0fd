//! Nodes that were announced before a recording began, and their names: those of the scripts and
//! properties in the project that fit all their calls and states.

use super::context::Context;
use super::known::{MethodNames, Shared};
use super::mismatch::fit_of_state;
use super::names::Names;
use super::packet::{Call, Method, Node, Packet, SimplifyPath, State, Sync, Synchronizer};
use super::paths::{LONGEST, Paths};
use super::shapes::{CallKey, CallShape, Callable, CallableId, Sending};
use crate::game::project::ConfigId;
use crate::net::peer::PeerEnd;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The nodes in the packets of one connection that it did not announce.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Unannounced {
    /// By their senders and ids.
    nodes: BTreeMap<(PeerEnd, u32), Candidates>,
    /// Those whose paths are in the packets.
    by_path: BTreeMap<Box<str>, Candidates>,
    /// The number of bytes of these paths.
    path_bytes: usize,
    /// The properties that synchronizers may have: empty if none fit, none if too many fit.
    synchronizers: BTreeMap<(PeerEnd, Id), Option<Vec<ConfigId>>>,
    /// How often something was noted.
    version: u64,
}

/// The id of a synchronizer: whether it is a net id, and its number.
type Id = (bool, u32);

const fn id(synchronizer: Synchronizer) -> Id {
    match synchronizer {
        Synchronizer::PathId(id) => (false, id),
        Synchronizer::NetId(id) => (true, id),
    }
}

/// The lists of methods that a node may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Candidates {
    /// More lists than are kept. The lists fit these calls, which were seen.
    Many(Vec<CallKey>),
    /// One of these, in ascending order.
    Few(Vec<CallableId>),
}

/// A node that was not announced.
#[derive(Clone, Copy)]
pub(super) enum UnannouncedNode<'p> {
    Id(PeerEnd, u32),
    /// The path is in the packet, and the project does not know the node's methods.
    Path(&'p str),
}

/// The number of ids that are kept, and that of paths.
const NODES: usize = 1 << 16;
const PATHS: usize = 1 << 12;
/// The number of configurations that are compared with a state, and that are kept for an id.
const COMPARED: usize = 64;
const CONFIGS: usize = 16;
/// The number of lists that are kept for an id.
const FEW: usize = 64;
/// The number of calls that are kept for an id with more lists.
const CALLS: usize = 8;

impl Unannounced {
    /// An empty collection with the version of another one, which it replaces.
    #[cfg(feature = "capture")]
    pub(super) fn with_version(version: u64) -> Unannounced {
        Unannounced { version, ..Unannounced::default() }
    }

    #[cfg(feature = "capture")]
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// The number of ids and paths.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.by_path.len() + self.synchronizers.len()
    }

    /// About how many bytes of memory they take.
    pub(super) fn held_bytes(&self) -> usize {
        self.len() * 128 + self.path_bytes
    }

    pub(super) fn candidates(&self, node: UnannouncedNode<'_>) -> Option<&Candidates> {
        match node {
            UnannouncedNode::Id(sender, id) => self.nodes.get(&(sender, id)),
            UnannouncedNode::Path(path) => self.by_path.get(path),
        }
    }

    /// The candidates of a node. All lists are possible for a new one.
    fn entry(&mut self, node: UnannouncedNode<'_>) -> &mut Candidates {
        let new = || Candidates::Many(Vec::new());
        match node {
            UnannouncedNode::Id(sender, id) => self.nodes.entry((sender, id)).or_insert_with(new),
            UnannouncedNode::Path(path) => self.by_path.entry(path.into()).or_insert_with(|| {
                self.path_bytes += path.len();
                new()
            }),
        }
    }

    /// Whether there is room for another node.
    fn has_room(&self, node: UnannouncedNode<'_>) -> bool {
        match node {
            UnannouncedNode::Id(..) => self.nodes.len() < NODES,
            UnannouncedNode::Path(_) => self.by_path.len() < PATHS,
        }
    }

    /// Leaves only the lists with the digest with which a node is announced after calls of its path.
    fn note_digest(&mut self, names: &Names, path: &str, digest: &str) {
        if let Some(Candidates::Few(ids)) = self.by_path.get_mut(path) {
            self.version = self.version.wrapping_add(1);
            ids.retain(|id| names.is_list_of(*id, digest));
        }
    }

    /// Adds what another connection knows about a node.
    #[cfg(feature = "capture")]
    pub(super) fn insert(&mut self, node: UnannouncedNode<'_>, candidates: Candidates) {
        *self.entry(node) = candidates;
    }

    /// The properties that a synchronizer may have; none if too many fit.
    pub(super) fn configs(
        &self,
        sender: PeerEnd,
        synchronizer: Synchronizer,
    ) -> Option<&[ConfigId]> {
        self.synchronizers.get(&(sender, id(synchronizer)))?.as_deref()
    }

    /// Adds what another connection knows about a synchronizer.
    #[cfg(feature = "capture")]
    pub(super) fn insert_configs(
        &mut self,
        sender: PeerEnd,
        of: Synchronizer,
        configs: &[ConfigId],
    ) {
        self.synchronizers.insert((sender, id(of)), Some(configs.to_vec()));
    }

    /// Whether a state shows more about its synchronizer.
    pub(super) fn is_clue_of_state(
        &self,
        names: &Names,
        sender: PeerEnd,
        state: &State<'_>,
    ) -> bool {
        match self.synchronizers.get(&(sender, id(state.synchronizer))) {
            None => self.synchronizers.len() < NODES,
            Some(None) => false,
            Some(Some(configs)) => {
                configs.iter().any(|config| fit_of_state(names, *config, state).is_err())
            }
        }
    }

    /// Notes what a state shows about its synchronizer.
    pub(super) fn note_state(&mut self, names: &Names, sender: PeerEnd, state: &State<'_>) {
        self.version = self.version.wrapping_add(1);
        let fits = |config: &ConfigId| fit_of_state(names, *config, state).is_ok();
        let known = self.synchronizers.entry((sender, id(state.synchronizer)));
        let new = || {
            let all = names.shapes.of_state(state.values.len(), state.changed);
            let few = Some(all).filter(|all| all.len() <= COMPARED)?;
            let fitting: Vec<ConfigId> = few.iter().copied().filter(fits).collect();
            Some(fitting).filter(|fitting| fitting.len() <= CONFIGS)
        };
        if let Some(configs) = known.or_insert_with(new) {
            configs.retain(fits);
        }
    }

    /// Whether a call shows more about its node.
    fn is_clue(&self, names: &Names, node: UnannouncedNode<'_>, call: &CallShape) -> bool {
        match self.candidates(node) {
            None => self.has_room(node),
            Some(Candidates::Many(seen)) => {
                seen.len() < CALLS && !seen.contains(&(call.index, call.count))
            }
            Some(Candidates::Few(ids)) => ids.iter().any(|id| !names.fits_call(*id, call)),
        }
    }

    /// Notes what a call shows about its node.
    fn note(&mut self, names: &Names, node: UnannouncedNode<'_>, call: &CallShape) {
        self.version = self.version.wrapping_add(1);
        let candidates = self.entry(node);
        match candidates {
            Candidates::Few(ids) => ids.retain(|id| names.fits_call(*id, call)),
            Candidates::Many(seen) => match names.lists_of_call(call, seen) {
                Some(ids) if ids.len() <= FEW => *candidates = Candidates::Few(ids),
                _ => seen.push((call.index, call.count)),
            },
        }
    }
}

impl Packet<'_> {
    /// Whether the packet shows more about a node whose path was not announced.
    #[cfg(feature = "capture")]
    pub(crate) fn is_clue(&self, context: Context<'_>) -> bool {
        match self {
            Packet::Call(call) => context.is_clue(call),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().any(|state| context.is_clue_of_state(&state))
            }
            Packet::Relay(relay) => relay.packet().is_clue(context.relayed()),
            _ => false,
        }
    }
}

impl Paths {
    /// Notes what a packet shows about nodes whose paths were not announced.
    pub(super) fn note_unannounced(
        &mut self,
        sender: PeerEnd,
        packet: &Packet<'_>,
        sending: Sending,
    ) {
        let Some(names) = self.names.clone() else { return };
        let call = match packet {
            Packet::Call(call) => call,
            Packet::SimplifyPath(SimplifyPath { path, md5: Some(digest), .. }) => {
                if let Some(known) = &mut self.unannounced {
                    Shared::make_mut(known).note_digest(&names, path, digest);
                }
                return;
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                for state in states.iter() {
                    if Context::from_end(self, sender).is_clue_of_state(&state) {
                        let known = self.unannounced.get_or_insert_default();
                        Shared::make_mut(known).note_state(&names, sender, &state);
                    }
                }
                return;
            }
            _ => return,
        };
        let context = Context::from_end(self, sender).with_sending(sending);
        let clue = context.unannounced_call(call).filter(|_| context.is_clue(call));
        if let Some((node, shape)) = clue {
            let known = self.unannounced.get_or_insert_default();
            Shared::make_mut(known).note(&names, node, &shape);
        }
    }
}

impl<'c> Context<'c> {
    /// Whether a call shows more about its node, whose path was not announced.
    fn is_clue(self, call: &Call<'_>) -> bool {
        let (Some(paths), Some(names)) = (self.paths, self.names()) else { return false };
        self.unannounced_call(call).is_some_and(|(node, shape)| {
            let known = paths.unannounced.as_ref();
            known.is_none_or(|known| known.is_clue(names, node, &shape))
        })
    }

    /// Whether a state shows more about its synchronizer, which was not announced.
    fn is_clue_of_state(self, state: &State<'_>) -> bool {
        let (Some(paths), Some(names)) = (self.paths, self.names()) else { return false };
        let sender = self.unannounced_synchronizer(state.synchronizer);
        sender.filter(|_| names.has_project()).is_some_and(|sender| {
            let known = paths.unannounced.as_ref();
            known.is_none_or(|known| known.is_clue_of_state(names, sender, state))
        })
    }

    /// The sender of a state, if neither its synchronizer was announced nor the spawner of its node.
    fn unannounced_synchronizer(self, synchronizer: Synchronizer) -> Option<PeerEnd> {
        let is_announced = match synchronizer {
            Synchronizer::PathId(id) => self.path(Node::Id(id)).is_some(),
            Synchronizer::NetId(id) => self.spawned(id).is_some_and(|it| it.spawner.is_some()),
        };
        self.ends.sender.filter(|_| !is_announced)
    }

    /// The properties that fit all states of a synchronizer that was not announced, if their names in
    /// a state are the same for all that fit.
    pub(super) fn fitting_config(self, state: &State<'_>) -> Option<ConfigId> {
        let (names, paths) = (self.names()?, self.paths?);
        let sender = self.unannounced_synchronizer(state.synchronizer)?;
        if self.evidence().is_some_and(|evidence| evidence.has_other_properties()) {
            return None;
        }
        let configs = paths.unannounced.as_deref()?.configs(sender, state.synchronizer)?;
        let (first, others) = configs.split_first()?;
        let of = |config| names.sent_properties(config, state.changed).map(|(_, it)| it.name);
        others.iter().all(|other| of(*other).eq(of(*first))).then_some(*first)
    }

    /// The node of a call, if it was not announced, and what the call shows.
    fn unannounced_call<'p>(self, call: &Call<'p>) -> Option<(UnannouncedNode<'p>, CallShape)> {
        let Method::Number { index, is_own: false } = call.method else { return None };
        let node = self.unannounced_node(call.node)?;
        self.names()?
            .has_project()
            .then(|| (node, CallShape::new(index, call.arguments, self.sending)))
    }

    /// The sender and the id of a node, if the packet has no path for it and none was announced.
    pub(crate) fn unannounced(self, node: Node<'_>) -> Option<(PeerEnd, u32)> {
        let (Node::Id(id), Some(sender)) = (node, self.ends.sender) else { return None };
        self.path(node).is_none().then_some((sender, id))
    }

    /// A node that was not announced, and whose methods the project does not know by its path.
    pub(super) fn unannounced_node<'p>(self, node: Node<'p>) -> Option<UnannouncedNode<'p>> {
        let Node::Path(path) = node else {
            return self.unannounced(node).map(|(sender, id)| UnannouncedNode::Id(sender, id));
        };
        let is_announced = self.paths?.is_announced(self.ends.sender?, path);
        let is_unknown = matches!(self.known(node).methods, MethodNames::Unknown);
        (is_unknown && !is_announced && path.len() <= LONGEST)
            .then_some(UnannouncedNode::Path(path))
    }

    /// The lists of methods that a node may have that was not announced.
    fn candidates(self, node: Node<'_>) -> Option<impl Iterator<Item = Callable> + use<'c>> {
        let names: &'c Names = self.names()?;
        let paths: &'c Paths = self.paths?;
        let node = self.unannounced_node(node)?;
        if self.evidence().is_some_and(|evidence| evidence.has_other_methods()) {
            return None;
        }
        match paths.unannounced.as_deref()?.candidates(node)? {
            Candidates::Few(ids) => Some(ids.iter().filter_map(|id| names.shapes.callable(*id))),
            Candidates::Many(_) => None,
        }
    }

    /// The name that a method has in all lists that fit the calls of its node.
    pub(super) fn fitting_method(self, node: Node<'_>, index: u16) -> Option<&'c str> {
        let names: &'c Names = self.names()?;
        agreed(self.candidates(node)?.map(|it| names.method_of(it.list, index)))
    }

    /// The path of the only script that fits all calls with an id whose path was not announced.
    pub(crate) fn script(self, node: Node<'_>) -> Option<&'c str> {
        let names: &'c Names = self.names()?;
        let project = names.project()?;
        self.unannounced(node)?;
        let script = |it: Callable| project.list(it.list).script().filter(|_| it.is_of_one_script);
        agreed(self.candidates(node)?.map(script))
    }
}

/// The text, if all are equal; none if they differ, or if there are none.
fn agreed<'c>(mut texts: impl Iterator<Item = Option<&'c str>>) -> Option<&'c str> {
    let first = texts.next()??;
    texts.all(|text| text == Some(first)).then_some(first)
}
