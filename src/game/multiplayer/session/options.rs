//! How a session behaves, and how much it keeps.

use crate::game::multiplayer::known::Shared;
use crate::game::multiplayer::{MultiplayerProtocol, Names, PeerId};
use crate::value::Dialect;
use core::time::Duration;

/// The settings of a [`Session`](super::Session).
#[derive(Clone, Debug)]
pub struct SessionOptions {
    pub(crate) id: PeerId,
    pub(super) dialect: Dialect,
    pub(super) protocol: MultiplayerProtocol,
    pub(super) names: Option<Shared<Names>>,
    pub(super) is_relaying: bool,
    pub(super) authentication: Option<Duration>,
    pub(super) accepts_unknown: bool,
    pub(super) limits: SessionLimits,
}

/// How much a session keeps of what other peers send. A packet that exceeds a limit is refused, and
/// reported as an [event](super::SessionEvent::Refused).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SessionLimits {
    /// The number of other peers.
    pub peers: usize,
    /// The number of paths and spawned nodes that each peer may announce.
    pub announcements: usize,
    /// The length of a path or a name, in bytes: at most 1,024.
    pub path_bytes: usize,
}

impl Default for SessionLimits {
    /// 4,096 peers, of which each may announce 4,096 paths and nodes of 1,024 bytes.
    fn default() -> SessionLimits {
        SessionLimits { peers: 1 << 12, announcements: 1 << 12, path_bytes: 1 << 10 }
    }
}

impl SessionLimits {
    /// Limits the number of other peers.
    #[must_use]
    pub const fn with_peers(self, peers: usize) -> SessionLimits {
        SessionLimits { peers, ..self }
    }

    /// Limits the number of paths and spawned nodes that each peer may announce.
    #[must_use]
    pub const fn with_announcements(self, announcements: usize) -> SessionLimits {
        SessionLimits { announcements, ..self }
    }

    /// Limits the length of a path or a name, in bytes.
    #[must_use]
    pub const fn with_path_bytes(self, path_bytes: usize) -> SessionLimits {
        SessionLimits { path_bytes, ..self }
    }
}

/// How much the connections of a session carry. A peer over sockets sets these limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    /// How many channels a connection has.
    pub(crate) channels: usize,
    /// The length of the longest packet.
    pub(crate) packet_bytes: usize,
}

impl Capacity {
    pub(super) const ANY: Capacity = Capacity { channels: usize::MAX, packet_bytes: usize::MAX };
}

impl SessionOptions {
    /// A server.
    #[must_use]
    pub fn server(dialect: Dialect) -> SessionOptions {
        SessionOptions::client(dialect, PeerId::SERVER)
    }

    /// A client with this id, which is greater than 1. Over ENet, the client chooses it at random and
    /// sends it as the data of the connection.
    #[must_use]
    pub fn client(dialect: Dialect, id: PeerId) -> SessionOptions {
        SessionOptions {
            id,
            dialect,
            protocol: MultiplayerProtocol::of(dialect),
            names: None,
            is_relaying: true,
            authentication: None,
            accepts_unknown: false,
            limits: SessionLimits::default(),
        }
    }

    /// The dialect of the session.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Changes the id of a client.
    #[must_use]
    pub fn with_id(self, id: PeerId) -> SessionOptions {
        SessionOptions { id, ..self }
    }

    /// Adds the methods of nodes. In Godot 4, a session without them can call nothing, and knows no
    /// node.
    #[must_use]
    pub fn with_names(self, names: Shared<Names>) -> SessionOptions {
        SessionOptions { names: Some(names), ..self }
    }

    /// The server does not tell clients of each other, and relays nothing between them:
    /// `server_relay` of the engine.
    #[must_use]
    pub fn without_relay(self) -> SessionOptions {
        SessionOptions { is_relaying: false, ..self }
    }

    /// Peers are admitted only after an authentication, as with `auth_callback` of Godot 4. Both ends
    /// must have this setting. A peer that has not completed it after `timeout` is dropped; zero
    /// means no timeout. The engine's default is 3 seconds.
    ///
    /// Godot 3 and Pandemonium have no authentication and ignore this.
    #[must_use]
    pub fn with_authentication(self, timeout: Duration) -> SessionOptions {
        SessionOptions { authentication: Some(timeout), ..self }
    }

    /// Confirms announcements of nodes that the names do not contain, and reports calls of their
    /// methods. Without this, they are refused, as the engine does for nodes that are not in its
    /// scene tree. Godot 3 and Pandemonium confirm every path.
    #[must_use]
    pub fn with_unknown_nodes(self) -> SessionOptions {
        SessionOptions { accepts_unknown: true, ..self }
    }

    /// Changes the limits.
    #[must_use]
    pub fn with_limits(self, limits: SessionLimits) -> SessionOptions {
        let path_bytes = limits.path_bytes.min(SessionLimits::default().path_bytes);
        SessionOptions { limits: SessionLimits { path_bytes, ..limits }, ..self }
    }
}
