//! Says once in a run that paths are missing, because a capture begins in the middle of a game.

use crate::input::reader::Reader;
use gdwire::capture::{Content, Message};

/// A message with the id of a node whose path is not known.
#[derive(Clone, Copy)]
pub(super) struct WithoutPath {
    frame: u64,
    id: u32,
}

impl WithoutPath {
    /// None if the paths of all nodes in the message are known.
    pub(super) fn of(message: &Message<'_>) -> Option<WithoutPath> {
        let Content::Packet(packet) = &message.content else { return None };
        let id = packet.unannounced(message.context())?;
        Some(WithoutPath { frame: message.place.frame, id })
    }

    /// Explains why the path is not known, if that was not done before in this run.
    pub(super) fn explain(self, reader: &mut Reader<'_>) {
        if !std::mem::replace(&mut reader.has_explained_ids, true) {
            let WithoutPath { frame, id } = self;
            let text = format!(
                "the path of node #{id} is not known, because it was announced before the capture \
                 began, or in packets that it lacks; paths are announced again to a client that \
                 joins again (frame {frame})"
            );
            reader.diagnostics.warning(&reader.name, &text);
        }
    }
}
