//! Reports with `--verbose` from what the scenes of nodes are known.

use crate::input::reader::Reader;
use crate::terminal::plain;
use gdwire::capture::{Content, Message};
use gdwire::multiplayer::SceneBasis;
use std::collections::{BTreeMap, BTreeSet};

/// The number of nodes that are counted. Longer paths are not counted.
const NODES: usize = 1 << 16;
const LONGEST: usize = 1_024;

/// The nodes of each scene in one capture.
#[derive(Default)]
pub(super) struct Scenes {
    nodes: BTreeMap<(String, SceneBasis), BTreeSet<String>>,
    count: usize,
}

impl Scenes {
    pub(super) fn note(&mut self, message: &Message<'_>) {
        let Content::Packet(packet) = &message.content else { return };
        packet.instances(message.context(), &mut |node, scene| {
            if self.count >= NODES || node.len() > LONGEST {
                return;
            }
            let nodes = self.nodes.entry((scene.path.to_owned(), scene.basis)).or_default();
            self.count += usize::from(!nodes.contains(node) && nodes.insert(node.to_owned()));
        });
    }

    /// Reports each scene with its nodes, of which the first is named.
    pub(super) fn conclude(&self, reader: &Reader<'_>) {
        for ((scene, basis), nodes) in &self.nodes {
            let Some(first) = nodes.first() else { continue };
            let more = match nodes.len().saturating_sub(1) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let from = match basis {
                SceneBasis::Scene => "the list of their spawner",
                SceneBasis::Function => "the function of their spawner",
                _ => "their structure",
            };
            let text = format!("{}: {}{more}, known from {from}", plain(scene), plain(first));
            reader.diagnostics.detail(&reader.name, &text);
        }
    }
}
