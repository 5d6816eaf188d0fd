//! Whether only the server may call a method, according to a project.

use super::context::Context;
use super::packet::Packet;
use super::paths::Paths;

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

impl Paths {
    /// Whether scripts may make a client the authority of the node at a path. Nodes that were
    /// spawned are looked up in their scenes, and the nodes above them where they were added.
    fn may_have_other_authority(&self, path: &str) -> bool {
        let Some(names) = self.names.as_deref() else { return true };
        let mut path = path;
        while let Some((instance, rest)) = self.scene_around(path) {
            if names.may_have_other_authority_in(instance.scene, rest) {
                return true;
            }
            let spawned = path.get(..path.len().saturating_sub(rest.len())).unwrap_or_default();
            let Some((parent, _)) = spawned.trim_end_matches('/').rsplit_once('/') else {
                return false;
            };
            path = parent;
        }
        names.may_have_other_authority(path)
    }
}
