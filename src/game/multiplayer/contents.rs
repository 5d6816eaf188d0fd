//! The values and names in a packet. A context supplies the names for its numbers.

use super::arguments::Argument;
use super::context::Context;
use super::packet::{Call, Callee, Method, Packet, Set, Spawn, State, Sync};
#[cfg(feature = "alloc")]
use super::{
    context::{KnownScene, SceneBasis},
    evidence::Evidence,
    names::Names,
    packet::{Node, Synchronizer},
    paths::Paths,
};

impl<'a> Packet<'a> {
    /// Passes every value in the packet to a function. For a relay, these are the values of the
    /// relayed packet.
    pub fn each_argument(&self, hand: &mut dyn FnMut(Argument<'a>)) {
        match self {
            Packet::Call(call) => call.arguments.iter().for_each(hand),
            Packet::Set(set) => set.value.iter().for_each(hand),
            Packet::Raw(raw) => hand(raw.argument()),
            Packet::Spawn(spawn) => spawn.argument.iter().chain(spawn.state).for_each(hand),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().flat_map(|state| state.values).for_each(hand);
            }
            Packet::Relay(relay) => relay.packet().each_argument(hand),
            _ => {}
        }
    }

    /// The method that it calls or the property that it sets, if any. For a relay, that of the
    /// relayed packet.
    #[must_use]
    pub fn callee(&self, context: Context<'a>) -> Option<Callee<'a>> {
        match self {
            Packet::Call(Call { node, method, .. }) => {
                let path = context.path(*node);
                let method = context.method(*node, *method).map_or(*method, Method::Name);
                Some(Callee { path, method })
            }
            Packet::Set(Set { node, property, .. }) => {
                Some(Callee { path: context.path(*node), method: Method::Name(property) })
            }
            Packet::Relay(relay) => relay.packet().callee(context.relayed()),
            _ => None,
        }
    }

    /// Passes every property with a known name in the packet to a function, and its value: the one
    /// that it sets, and those of its states. For a relay, these are the ones in the relayed packet.
    #[doc(hidden)]
    pub fn each_property(&self, context: Context<'a>, hand: &mut dyn FnMut(&'a str, Argument<'a>)) {
        match self {
            Packet::Set(set) => set.value.iter().for_each(|value| hand(set.property, value)),
            Packet::Spawn(spawn) => {
                let properties = spawn.properties(context).into_iter().flatten();
                properties.for_each(|(name, value)| hand(name, value));
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                for state in *states {
                    let properties = state.properties(context).into_iter().flatten();
                    properties.for_each(|(name, value)| hand(name, value));
                }
            }
            Packet::Relay(relay) => relay.packet().each_property(context.relayed(), hand),
            _ => {}
        }
    }

    /// The id of the first node in the packet whose path is not known: of a call, a set or a state.
    /// It was announced before the first packet that was noted. For a relay, this is one in the
    /// relayed packet.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn unannounced(&self, context: Context<'a>) -> Option<u32> {
        let missing = |id: u32| context.unannounced(Node::Id(id)).map(|(_, id)| id);
        match self {
            Packet::Call(Call { node: Node::Id(id), .. })
            | Packet::Set(Set { node: Node::Id(id), .. }) => missing(*id),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().find_map(|state| match state.synchronizer {
                    Synchronizer::PathId(id) => missing(id),
                    Synchronizer::NetId(_) => None,
                })
            }
            Packet::Relay(relay) => relay.packet().unannounced(context.relayed()),
            _ => None,
        }
    }

    /// Passes the id of every node in the packet whose path is that of [`Names::with_node`] to a
    /// function: of a call, a set, a state or a spawner. For a relay, these are the ones in the relayed
    /// packet.
    #[doc(hidden)]
    #[cfg(feature = "alloc")]
    pub fn each_given_node(&self, context: Context<'a>, hand: &mut dyn FnMut(u32)) {
        let Some(names) = context.names().filter(|names| names.nodes().next().is_some()) else {
            return;
        };
        let mut check = |node| {
            if let Node::Id(id) = node
                && let Some(path) = names.path_of(id)
                && context.path(node) == Some(path)
            {
                hand(id);
            }
        };
        match self {
            Packet::Call(Call { node, .. }) | Packet::Set(Set { node, .. }) => check(*node),
            Packet::Spawn(Spawn { spawner, .. }) => check(Node::Id(*spawner)),
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                for state in *states {
                    if let Synchronizer::PathId(id) = state.synchronizer {
                        check(Node::Id(id));
                    }
                }
            }
            Packet::Relay(relay) => relay.packet().each_given_node(context.relayed(), hand),
            _ => {}
        }
    }

    /// Passes every known path of a node in the packet to a function, and the name of every spawned
    /// node. For a relay, these are the ones in the relayed packet.
    #[doc(hidden)]
    #[cfg(feature = "alloc")]
    pub fn each_path(&self, context: Context<'a>, hand: &mut dyn FnMut(&str)) {
        let mut known = |path: Option<&str>| {
            if let Some(path) = path {
                hand(path);
            }
        };
        match self {
            Packet::Call(call) => known(context.path(call.node)),
            Packet::Set(set) => known(context.path(set.node)),
            Packet::SimplifyPath(simplify) => hand(simplify.path),
            Packet::ConfirmPath(confirm) => known(context.confirmed_path(confirm.node)),
            Packet::Spawn(spawn) => {
                known(context.path(Node::Id(spawn.spawner)));
                known(context.spawned_path(spawn).as_deref());
                hand(spawn.name);
            }
            Packet::Despawn { net_id } => {
                known(context.node_of(*net_id));
                known(context.spawned_name(*net_id));
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                for State { synchronizer, .. } in *states {
                    let path = context.synchronizer_path(synchronizer);
                    known(path.map(|path| alloc::format!("{path}")).as_deref());
                    if let Synchronizer::NetId(id) = synchronizer {
                        known(context.node_of(id));
                        known(context.spawned_name(id));
                    }
                }
            }
            Packet::Relay(relay) => relay.packet().each_path(context.relayed(), hand),
            Packet::Raw(_)
            | Packet::PeerAdded { .. }
            | Packet::PeerRemoved { .. }
            | Packet::Auth(_) => {}
        }
    }

    /// How the project declares the method that it calls, if the method is known. For a relay, that
    /// of the relayed packet.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn rpc_config(&self, context: Context<'a>) -> Option<crate::game::project::RpcConfig> {
        match self {
            Packet::Call(Call {
                node, method: Method::Number { index, is_own: false }, ..
            }) => context.names()?.rpc_config(context.known(*node).methods, *index),
            Packet::Relay(relay) => relay.packet().rpc_config(context.relayed()),
            _ => None,
        }
    }
}

impl<'a> State<'a> {
    /// The properties that the state contains, by name, and their values. None if the names are not
    /// known: they come from a [project](super::Names).
    ///
    /// `context` is that of the packet with the state; for a relay, that of
    /// [`Context::relayed`].
    #[must_use]
    pub fn properties<'c>(
        &self,
        context: Context<'c>,
    ) -> Option<impl Iterator<Item = (&'c str, Argument<'a>)> + use<'a, 'c>> {
        Some(context.state_properties(self)?.zip(self.values))
    }
}

impl<'a> Spawn<'a> {
    /// The properties that are sent with the spawn, by name, and their values. None if the names are
    /// not known: they come from a [project](super::Names).
    #[must_use]
    pub fn properties<'c>(
        &self,
        context: Context<'c>,
    ) -> Option<impl Iterator<Item = (&'c str, Argument<'a>)> + use<'a, 'c>> {
        Some(context.spawn_properties(self)?.zip(self.state))
    }
}

#[cfg(feature = "alloc")]
impl<'a> Packet<'a> {
    /// Passes the instances of scenes to which the packet refers to a function: the path of each, or
    /// its name if the path is not known, and its scene. For a relay, these are those of the relayed
    /// packet.
    pub fn instances(&self, context: Context<'a>, each: &mut dyn FnMut(&str, KnownScene<'a>)) {
        match *self {
            Packet::Call(Call { node, .. }) => around(node, context, each),
            Packet::Spawn(spawn) => {
                let Some(scene) = context.scene_of_spawn(&spawn) else { return };
                each(context.spawned_path(&spawn).as_deref().unwrap_or(spawn.name), scene);
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().for_each(|state| of_state(&state, context, each));
            }
            Packet::Relay(relay) => relay.packet().instances(context.relayed(), each),
            _ => {}
        }
    }

    /// Passes those whose scene would be known from [`SceneBasis::Structure`] to a function, if the
    /// names of the scene are not used because packets contradict the project:
    /// [`instances`](Packet::instances) does not pass them.
    pub fn hidden_instances(
        &self,
        context: Context<'a>,
        each: &mut dyn FnMut(&str, KnownScene<'a>),
    ) {
        if context.evidence().is_some_and(Evidence::hides_structure) {
            self.instances(context.unchecked(), &mut |node, scene| {
                if scene.basis == SceneBasis::Structure {
                    each(node, scene);
                }
            });
        }
    }
}

#[cfg(feature = "alloc")]
fn of_state<'a>(
    state: &State<'a>,
    context: Context<'a>,
    each: &mut dyn FnMut(&str, KnownScene<'a>),
) {
    match state.synchronizer {
        Synchronizer::PathId(id) => around(Node::Id(id), context, each),
        Synchronizer::NetId(id) => {
            let Some(scene) = context.scene_of_spawned(id) else { return };
            if let Some(node) = context.node_of(id).or_else(|| context.spawned_name(id)) {
                each(node, scene);
            }
        }
    }
}

#[cfg(feature = "alloc")]
fn around<'a>(node: Node<'a>, context: Context<'a>, each: &mut dyn FnMut(&str, KnownScene<'a>)) {
    let Some(path) = context.path(node) else { return };
    let Some((scene, below)) = context.scene_around(path) else { return };
    let root = path.strip_suffix(below).unwrap_or(path);
    each(root.trim_end_matches('/'), scene);
}

#[cfg(feature = "alloc")]
impl Packet<'_> {
    /// Whether it is a call that the receiver refuses from clients: the project declares the method
    /// without `any_peer`, and no script of the project can make a client the authority of the node.
    /// For a relay, this is about the relayed packet.
    #[must_use]
    pub fn is_refused_from_clients(&self, context: Context<'_>) -> bool {
        match self {
            Packet::Relay(relay) => relay.packet().is_refused_from_clients(context.relayed()),
            Packet::Call(call) => {
                let config = self.rpc_config(context);
                config.is_some_and(|config| !config.any_peer)
                    && context
                        .path(call.node)
                        .zip(context.paths)
                        .is_some_and(|(path, paths)| !paths.may_have_other_authority(path))
            }
            _ => false,
        }
    }
}

#[cfg(feature = "alloc")]
impl Paths {
    /// Whether scripts may make a client the authority of the node at a path. Nodes that were
    /// spawned are looked up in their scenes, and the nodes above them where they were added.
    fn may_have_other_authority(&self, path: &str) -> bool {
        let project = self.names.as_deref().and_then(Names::project);
        let Some(project) = project else { return true };
        let mut path = path;
        while let Some((instance, rest)) = self.scene_around(path) {
            if project.may_have_other_authority_in(instance.scene, rest) {
                return true;
            }
            let spawned = path.get(..path.len().saturating_sub(rest.len())).unwrap_or_default();
            let Some((parent, _)) = spawned.trim_end_matches('/').rsplit_once('/') else {
                return false;
            };
            path = parent;
        }
        project.may_have_other_authority(path)
    }
}
