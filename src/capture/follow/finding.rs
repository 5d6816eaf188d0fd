//! The result of examining the first messages of a connection.

use super::Transport;
use crate::value::detect::{Detection, Detector};
use crate::value::dialect::Dialect;

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

/// This many messages are enough to compare how many values two dialects find in them.
const MANY: u32 = 8;

/// Which of the messages that can be read as a value are values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trust {
    /// None: so few of the connection's messages can be read that these are values by chance.
    Nothing,
    /// Those that an engine writes like this.
    Written,
    /// All.
    Everything,
}

impl Trust {
    /// The trust if some of the connection's messages can be read. In recorded games, nearly all
    /// can. Among 64 messages of 16 bytes of another program, 16 may be values by chance.
    pub(super) const fn of(read: u32, messages: u32) -> Trust {
        if read.saturating_mul(2) >= messages {
            Trust::Everything
        } else if read.saturating_mul(4) > messages {
            Trust::Written
        } else {
            Trust::Nothing
        }
    }
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
    pub(super) trust: Trust,
    pub(super) seen: u32,
    /// How many messages can be read.
    pub(super) read: u32,
    /// Another way to read as many messages, which is less common. Few connections have one.
    pub(super) tied: Option<Box<(Layers, Detection)>>,
}

impl Finding {
    /// The finding for a connection without messages.
    pub(super) fn nothing() -> Finding {
        let (layers, detection) = (Layers::default(), Detector::new().detection());
        let (fitting, seen, read) = (0, 0, 0);
        let (trust, tied) = (Trust::Everything, None);
        Finding { transport: None, layers, detection, fitting, trust, seen, read, tied }
    }

    /// If the messages can be read in two ways, the other connections decide. `common` is their
    /// evidence.
    pub(super) fn among(mut self, common: &Detector) -> Finding {
        if let Some(tied) = &self.tied
            && let (layers, detection) = &**tied
            && let Some(common) = common.detection().best().next()
            && detection.is_best(common)
            && !self.detection.is_best(common)
        {
            (self.layers, self.detection) = (*layers, detection.clone());
        }
        self
    }

    /// Whether the messages themselves show in which dialect they are. Dialects that differ only in
    /// the width of reals count as one. Among few messages, it is no evidence that a dialect finds
    /// more values in them than another one that reads them as well.
    pub(super) fn is_decided(&self) -> bool {
        let mut best = self.detection.best();
        let Some(first) = best.next() else { return false };
        let is_other = |it: Dialect| !first.differs_only_in_width(it);
        let most = self.detection.payloads_read();
        let mut candidates = self.detection.candidates();
        let is_known = self.detection.payloads() >= MANY
            || !candidates.any(|it| it.payloads >= most && is_other(it.dialect));
        self.tied.is_none() && is_known && !best.any(is_other)
    }
}
