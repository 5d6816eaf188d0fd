//! What a flow is carried by.

use core::fmt;

/// What carries the messages of a flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Transport {
    /// UDP: a datagram is a message.
    Udp,
    /// TCP: a message stands behind its length.
    Tcp,
    /// ENet, over UDP.
    Enet,
    /// WebSocket, over TCP.
    WebSocket,
}

impl Transport {
    /// All of them.
    pub const ALL: &'static [Transport] =
        &[Transport::Udp, Transport::Tcp, Transport::Enet, Transport::WebSocket];

    /// Its name in lower case, as the command line and JSON have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
            Transport::Enet => "enet",
            Transport::WebSocket => "websocket",
        }
    }

    /// The transport of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Transport> {
        Transport::ALL.iter().copied().find(|transport| transport.name() == name)
    }

    /// Whether its packets are TCP segments; else they are UDP datagrams.
    #[must_use]
    pub const fn is_over_tcp(self) -> bool {
        matches!(self, Transport::Tcp | Transport::WebSocket)
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
