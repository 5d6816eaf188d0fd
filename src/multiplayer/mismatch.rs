//! Finds packets that contradict the names that the user gave.

use super::context::{Context, SynchronizerPath};
use super::packet::{Call, Method, Packet, SimplifyPath, Sync};
use super::states::State;
use crate::text::OneLine;
use core::fmt;

/// How a packet contradicts the [`Names`](super::Names) that the user gave. The names are those of
/// another version of the game, or a list has mistakes. `Display` explains it in a sentence.
///
/// A name that is contradicted is never shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Mismatch<'c> {
    /// A node is announced with the digest of other methods.
    Digest {
        /// The path of the node.
        path: &'c str,
        /// How many methods the names have for it; none if no script of the project has its methods.
        methods: Option<usize>,
    },
    /// A method is called whose number is out of range.
    Method {
        /// The path of the node.
        path: &'c str,
        /// The method.
        method: Method<'c>,
        /// How many methods the names have for it.
        methods: usize,
    },
    /// A state has more or fewer values than its synchronizer has properties.
    State {
        /// The path of the synchronizer.
        path: SynchronizerPath<'c>,
        /// How many values there are.
        values: usize,
    },
    /// A spawn has more or fewer values than its scene has properties to send.
    Spawn {
        /// The path of the scene.
        scene: &'c str,
        /// How many values there are.
        values: usize,
    },
}

impl<'c> Packet<'c> {
    /// Whether the packet contradicts the names that the user gave, and how. For a relay, the
    /// relayed packet is checked.
    #[must_use]
    pub fn mismatch(&self, context: Context<'c>) -> Option<Mismatch<'c>> {
        let names = context.names()?;
        match *self {
            Packet::SimplifyPath(SimplifyPath { path, md5: Some(digest), .. }) => {
                let methods = context.paths?.contradicted(path, digest)?;
                Some(Mismatch::Digest { path, methods })
            }
            Packet::Call(Call { node, method, .. }) => {
                let Method::Number { index, is_own } = method else { return None };
                let methods = names.methods_in(context.known(node).methods, is_own)?;
                let path = context.path(node)?;
                let is_there = usize::from(index) < methods;
                (!is_there).then_some(Mismatch::Method { path, method, methods })
            }
            Packet::Spawn(spawn) => {
                let scene = context.scene_path(&spawn)?;
                let is_right =
                    !context.has_scene(&spawn) || context.spawn_properties(&spawn).is_some();
                (!is_right).then_some(Mismatch::Spawn { scene, values: spawn.state.len() })
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                states.iter().find_map(|state| state_mismatch(&state, context))
            }
            Packet::Relay(relay) => relay.packet().mismatch(context.relayed()),
            _ => None,
        }
    }
}

fn state_mismatch<'c>(state: &State<'c>, context: Context<'c>) -> Option<Mismatch<'c>> {
    context.config_of(state.synchronizer)?;
    let path = context.synchronizer_path(state.synchronizer)?;
    let is_right = context.state_properties(state).is_some();
    (!is_right).then_some(Mismatch::State { path, values: state.values.len() })
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Mismatch::Digest { path, methods: Some(n) } => {
                let path = OneLine(path);
                write!(
                    f,
                    "the scripts of {path} are not those of the game: {n} method{} here",
                    s(n)
                )
            }
            Mismatch::Digest { path, methods: None } => {
                write!(f, "no script of the project has the methods of {}", OneLine(path))
            }
            Mismatch::Method { path, method, methods: n } => {
                write!(f, "{} has {n} method{} here, but {method} is called", OneLine(path), s(n))
            }
            Mismatch::State { path: SynchronizerPath { node, below }, values: n } => {
                let slash = if below.is_empty() { "" } else { "/" };
                let (node, below) = (OneLine(node), OneLine(below));
                write!(
                    f,
                    "{node}{slash}{below} sends {n} value{}: other properties than here",
                    s(n)
                )
            }
            Mismatch::Spawn { scene, values: n } => {
                let scene = OneLine(scene);
                write!(f, "{scene} is spawned with {n} value{}: other properties than here", s(n))
            }
        }
    }
}
