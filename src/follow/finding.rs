//! What the first messages of a connection say about it.

use super::Transport;
use crate::detect::{Detection, Detector};

/// The layers around the values of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Layers {
    /// Whether multiplayer peers put the ids of sender and receiver in front, as those of Godot 3
    /// and Pandemonium do.
    pub(super) has_peers: bool,
    /// Whether the messages are packets of the high-level multiplayer API.
    pub(super) is_multiplayer: bool,
    /// Whether the messages are those of the remote debugger.
    pub(super) is_debugger: bool,
}

/// What a connection was found to be.
#[derive(Clone)]
pub(super) struct Finding {
    /// None if its messages are not of the engines, as far as can be seen.
    pub(super) transport: Option<Transport>,
    pub(super) layers: Layers,
    pub(super) detection: Detection,
    /// How many packets or messages fit the transport, and how many were examined.
    pub(super) fitting: u32,
    /// Whether what can be read as a value is one, even if no engine writes it so.
    pub(super) is_certain: bool,
    pub(super) seen: u32,
    /// How many messages can be read.
    pub(super) read: u32,
}

impl Finding {
    /// That of a connection without messages.
    pub(super) fn nothing() -> Finding {
        let (layers, detection) = (Layers::default(), Detector::new().detection());
        let (fitting, seen, read) = (0, 0, 0);
        Finding { transport: None, layers, detection, fitting, is_certain: true, seen, read }
    }
}
