//! The result of examining the first messages of a connection.

use super::Transport;
use crate::detect::{Detection, Detector};

/// The layers around the values of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Layers {
    /// Whether the ids of the sender and the receiver precede each message, as the multiplayer
    /// peers of Godot 3 and Pandemonium send them.
    pub(super) has_peers: bool,
    /// Whether the messages are packets of the high-level multiplayer API.
    pub(super) is_multiplayer: bool,
    /// Whether the messages are those of the remote debugger.
    pub(super) is_debugger: bool,
}

/// What a connection was found to be.
#[derive(Clone)]
pub(super) struct Finding {
    /// None if its messages are not from the engines, as far as can be seen.
    pub(super) transport: Option<Transport>,
    pub(super) layers: Layers,
    pub(super) detection: Detection,
    /// How many packets or messages fit the transport, and how many were examined.
    pub(super) fitting: u32,
    /// Whether everything that can be read as a value counts as one, even if no engine writes it
    /// so.
    pub(super) is_certain: bool,
    pub(super) seen: u32,
    /// How many messages can be read.
    pub(super) read: u32,
}

impl Finding {
    /// The finding for a connection without messages.
    pub(super) fn nothing() -> Finding {
        let (layers, detection) = (Layers::default(), Detector::new().detection());
        let (fitting, seen, read) = (0, 0, 0);
        Finding { transport: None, layers, detection, fitting, is_certain: true, seen, read }
    }
}
