//! The nodes in a packet whose scenes are known.

use super::basis::KnownScene;
use super::context::Context;
use super::packet::{Call, Node, Packet, Sync};
use super::states::{State, Synchronizer};

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
}

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

fn around<'a>(node: Node<'a>, context: Context<'a>, each: &mut dyn FnMut(&str, KnownScene<'a>)) {
    let Some(path) = context.path(node) else { return };
    let Some((scene, below)) = context.scene_around(path) else { return };
    let root = path.strip_suffix(below).unwrap_or(path);
    each(root.trim_end_matches('/'), scene);
}
