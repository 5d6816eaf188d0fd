//! The transports that a flow's messages can have.

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

impl Transport {
    /// All transports.
    pub const ALL: &'static [Transport] =
        &[Transport::Udp, Transport::Tcp, Transport::Enet, Transport::WebSocket];

    /// The name in lower case, as on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
            Transport::Enet => "enet",
            Transport::WebSocket => "websocket",
        }
    }

    /// The transport with that [`name`](Transport::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Transport> {
        Transport::ALL.iter().copied().find(|transport| transport.name() == name)
    }

    /// Whether it runs over TCP, otherwise over UDP.
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
