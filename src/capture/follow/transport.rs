//! The transports of messages, and the facts about each.

use core::fmt;

/// The transport of a flow's messages.
///
/// ```
/// use gdwire::follow::Transport;
///
/// assert_eq!(Transport::from_name("enet"), Some(Transport::Enet));
/// assert!(Transport::WebSocket.is_over_tcp());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Transport {
    /// UDP: each datagram is a message.
    Udp,
    /// TCP: each message follows its length.
    Tcp,
    /// ENet, over UDP.
    Enet,
    /// WebSocket, over TCP.
    WebSocket,
}

/// What is known about a transport in general.
struct Facts {
    name: &'static str,
    description: &'static str,
    is_over_tcp: bool,
    /// What is counted to recognize it, as in "3 of 4 datagrams are values". None if it is
    /// recognized by a handshake.
    evidence: Option<&'static str>,
    /// Whether the high-level multiplayer API uses it.
    has_multiplayer: bool,
    /// Whether the remote debugger uses it.
    has_debugger: bool,
}

impl Transport {
    /// All transports.
    pub const ALL: &'static [Transport] =
        &[Transport::Udp, Transport::Tcp, Transport::Enet, Transport::WebSocket];

    const fn facts(self) -> Facts {
        match self {
            Transport::Udp => Facts {
                name: "udp",
                description: "One value in each datagram (PacketPeerUDP)",
                is_over_tcp: false,
                evidence: Some("datagrams are values"),
                has_multiplayer: false,
                has_debugger: false,
            },
            Transport::Tcp => Facts {
                name: "tcp",
                description: "Values, each after its length (StreamPeer, PacketPeerStream)",
                is_over_tcp: true,
                evidence: Some("messages are values"),
                has_multiplayer: false,
                has_debugger: true,
            },
            Transport::Enet => Facts {
                name: "enet",
                description: "ENet (ENetMultiplayerPeer, NetworkedMultiplayerENet)",
                is_over_tcp: false,
                evidence: Some("datagrams are ENet"),
                has_multiplayer: true,
                has_debugger: false,
            },
            Transport::WebSocket => Facts {
                name: "websocket",
                description: "WebSocket (WebSocketPeer, WebSocketMultiplayerPeer)",
                is_over_tcp: true,
                evidence: None,
                has_multiplayer: true,
                has_debugger: false,
            },
        }
    }

    /// The name in lower case, as on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The transport with a [`name`](Transport::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Transport> {
        Transport::ALL.iter().copied().find(|transport| transport.name() == name)
    }

    /// What it carries, and the classes of the engine that use it, in one line.
    #[must_use]
    pub const fn description(self) -> &'static str {
        self.facts().description
    }

    /// Whether it runs over TCP, otherwise over UDP.
    #[must_use]
    pub const fn is_over_tcp(self) -> bool {
        self.facts().is_over_tcp
    }

    pub(super) const fn evidence(self) -> Option<&'static str> {
        self.facts().evidence
    }

    /// Whether it is recognized by a handshake. If the handshake was not seen, random bytes may
    /// look like this transport.
    pub(super) const fn has_handshake(self) -> bool {
        self.facts().evidence.is_none()
    }

    pub(super) const fn has_multiplayer(self) -> bool {
        self.facts().has_multiplayer
    }

    pub(super) const fn has_debugger(self) -> bool {
        self.facts().has_debugger
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
