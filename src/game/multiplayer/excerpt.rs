//! Copies the names to which one packet refers, so that it can be shown somewhere else.

use super::context::Context;
use super::packet::{Call, ConfirmPath, Node, Packet, Set, Spawn, Sync};
use super::paths::Paths;
use super::states::Synchronizer;
use crate::net::peer::PeerEnd;

impl Context<'_> {
    /// Copies the names to which a packet of this context refers. Returns how many bytes of text
    /// were added.
    pub(crate) fn copy_names(self, packet: &Packet<'_>, to: &mut Paths) -> usize {
        let Some(from) = self.paths else { return 0 };
        let mut added = 0_usize;
        let mut path = |end: Option<PeerEnd>, node: Node<'_>| {
            added = added.saturating_add(match (end, node) {
                (None, _) => 0,
                (Some(end), Node::Id(id)) => to.copy_path(from, end, id),
                (Some(end), Node::Path(path)) => to.copy_known(from, end, path),
            });
        };
        let sender = self.ends.sender;
        match packet {
            Packet::Call(Call { node, .. }) | Packet::Set(Set { node, .. }) => path(sender, *node),
            Packet::SimplifyPath(announced) => {
                added = to.copy_scene(from, announced.path);
                if let Some(placed) = self.misplaced(announced) {
                    added = added.saturating_add(to.copy_placed(from, placed));
                }
            }
            Packet::ConfirmPath(ConfirmPath { node, .. }) => path(self.ends.receiver, *node),
            Packet::Spawn(Spawn { spawner, .. }) => path(sender, Node::Id(*spawner)),
            Packet::Despawn { net_id } => {
                added = sender.map_or(0, |sender| to.copy_spawned(from, sender, *net_id));
            }
            Packet::Sync(Sync { states, .. }) | Packet::Delta(states) => {
                for state in *states {
                    let more = match (sender, state.synchronizer) {
                        (Some(sender), Synchronizer::PathId(id)) => {
                            let scene = to.copy_other_scene(from, sender, id);
                            to.copy_path(from, sender, id).saturating_add(scene)
                        }
                        (Some(sender), Synchronizer::NetId(id)) => {
                            to.copy_spawned(from, sender, id)
                        }
                        (None, _) => 0,
                    };
                    added = added.saturating_add(more);
                    if let Some(sender) = sender {
                        to.copy_configs(from, sender, state.synchronizer);
                    }
                }
            }
            Packet::Relay(relay) => added = self.relayed().copy_names(&relay.packet(), to),
            _ => {}
        }
        added
    }
}
