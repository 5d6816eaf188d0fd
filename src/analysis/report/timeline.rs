//! When nodes were spawned and despawned.

use crate::analysis::stats::NodeName;
use crate::capture::follow::{Content, Message, Place};
use crate::format::text::cut;
use crate::game::multiplayer::{Node, Packet, PeerId, Spawn};
use crate::net::Side;
use std::collections::HashMap;

/// How many nodes are kept, and how many characters of their names.
const LIVES: usize = 400;
const CHARACTERS: usize = 160;

#[derive(Default, Debug)]
pub(super) struct Timeline {
    pub(super) lives: Vec<Life>,
    /// How many more nodes were spawned.
    pub(super) further: u64,
    /// The indexes in `lives` of the nodes that have not been despawned.
    open: HashMap<Id, usize>,
}

/// The time from the spawn of a node to its despawn, at one receiver.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) connection: u64,
    pub(super) node: String,
    /// The spawn, and the despawn if it was seen.
    pub(super) start: Place,
    pub(super) end: Option<Place>,
}

/// The identity of a spawned node: its connection, the end and the peer that spawned it, and its
/// net id.
type Id = (u64, Side, Option<PeerId>, u32);

impl Timeline {
    pub(super) fn message(&mut self, message: &Message<'_>) {
        let origin = message.origin;
        let id = |net_id| (origin.connection, origin.from, message.peers.source, net_id);
        match &message.content {
            Content::Packet(Packet::Spawn(spawn)) => self.spawn(id(spawn.net_id), spawn, message),
            Content::Packet(Packet::Despawn { net_id }) => self.end(&id(*net_id), message.place),
            _ => {}
        }
    }

    fn spawn(&mut self, id: Id, spawn: &Spawn<'_>, message: &Message<'_>) {
        self.end(&id, message.place);
        if self.lives.len() >= LIVES {
            self.further = self.further.saturating_add(1);
            return;
        }
        let context = message.context();
        let path = context.spawned_path(spawn);
        let spawner = context.path(Node::Id(spawn.spawner));
        let of_spawner = NodeName::Spawned { name: spawn.name, spawner };
        let mut node = String::new();
        let shown = cut(&mut node, CHARACTERS, &path.as_deref().map_or(of_spawner, NodeName::Path));
        debug_assert!(shown.is_ok(), "a string takes everything");
        self.open.insert(id, self.lives.len());
        self.lives.push(Life { connection: id.0, node, start: message.place, end: None });
    }

    fn end(&mut self, id: &Id, place: Place) {
        let life = self.open.remove(id).and_then(|at| self.lives.get_mut(at));
        life.into_iter().for_each(|life| life.end = Some(place));
    }
}
