//! A peer over any transport, for programs that take the address of a server from their user.

use super::watch::Traffic;
use super::{EnetOptions, EnetPeer, WebSocketOptions, WebSocketPeer};
use crate::game::multiplayer::PeerId;
use crate::game::multiplayer::session::{Session, SessionEvent, SessionOptions};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::time::Duration;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

/// The address of a server: `enet://127.0.0.1:7777`, `ws://127.0.0.1:8080/path` or, with TLS,
/// `wss://example.org`.
///
/// ```
/// use gdwire::peer::ServerAddress;
///
/// let server = ServerAddress::resolve("enet://127.0.0.1:7777")?;
/// assert_eq!(server.socket().port(), 7777);
/// assert!(ServerAddress::resolve("http://127.0.0.1").is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerAddress {
    url: String,
    socket: SocketAddr,
    is_enet: bool,
}

impl ServerAddress {
    /// Parses an address, and looks up its host. For ENet, it needs a port. If the host has several
    /// addresses, the first one of IPv4 is taken: write `[::1]` for a server that has only that one.
    ///
    /// # Errors
    ///
    /// If it is not such an address, or if the host has no address.
    pub fn resolve(url: &str) -> io::Result<ServerAddress> {
        let wrong = |problem: &str| {
            let advice = "write enet://127.0.0.1:7777, ws://127.0.0.1:8080 or wss://example.org";
            io::Error::new(ErrorKind::InvalidInput, format!("{problem}; {advice}"))
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong("it has no scheme"))?;
        let default_port = match scheme {
            "enet" => None,
            "ws" => Some(80),
            "wss" => Some(443),
            _ => return Err(wrong(&format!("there is no transport '{scheme}'"))),
        };
        let end = if default_port.is_none() {
            rest.len()
        } else {
            rest.find(['/', '?']).unwrap_or(rest.len())
        };
        let authority = rest.get(..end).unwrap_or(rest);
        // The colons of an IPv6 address are in brackets.
        let port = authority.rsplit_once(':').filter(|(_, port)| !port.contains(']'));
        let (host, port) = match (port, default_port) {
            (Some((host, port)), _) => {
                (host, port.parse().map_err(|_| wrong(&format!("'{port}' is not a port")))?)
            }
            (None, Some(port)) => (authority, port),
            (None, None) => return Err(wrong("it has no port")),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(wrong("it has no host"));
        }
        let found = (host, port).to_socket_addrs()?.min_by_key(SocketAddr::is_ipv6);
        let socket = found.ok_or_else(|| wrong("the host has no address"))?;
        Ok(ServerAddress { url: url.to_owned(), socket, is_enet: scheme == "enet" })
    }

    /// The address of the server's socket.
    #[must_use]
    pub const fn socket(&self) -> SocketAddr {
        self.socket
    }

    /// Whether the server is on this computer: its address is the loopback address, or one of this
    /// computer's interfaces.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let ip = self.socket.ip().to_canonical();
        let any: IpAddr = match ip {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        // To send to its own address, a computer uses the same address. Connecting sends nothing.
        let own = || {
            let socket = UdpSocket::bind((any, 0))?;
            socket.connect((ip, self.socket.port()))?;
            socket.local_addr()
        };
        ip.is_loopback() || own().is_ok_and(|own| own.ip() == ip)
    }

    /// Whether the transport is ENet.
    #[must_use]
    pub const fn is_enet(&self) -> bool {
        self.is_enet
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

/// An address as programs compare it: one of IPv4 at the end of an IPv6 address is the former.
pub(super) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Refuses the options of a client for a server, and those of a server for a client.
pub(super) fn check_id(session: &SessionOptions, is_server: bool) -> io::Result<()> {
    let needed = match (is_server, session.id.get()) {
        (true, 1) | (false, 2..) => return Ok(()),
        (true, _) => "a server needs SessionOptions::server",
        (false, _) => "a client needs SessionOptions::client with an id above 1",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, needed))
}

/// A server or client of a game over any transport.
#[derive(Debug)]
#[non_exhaustive]
pub enum GamePeer {
    /// Over ENet.
    Enet(Box<EnetPeer>),
    /// Over WebSocket.
    WebSocket(Box<WebSocketPeer>),
}

/// The peer, whichever it is, in a common expression.
macro_rules! either {
    ($peer:expr, $name:ident => $body:expr) => {
        match $peer {
            GamePeer::Enet($name) => $body,
            GamePeer::WebSocket($name) => $body,
        }
    };
}

impl GamePeer {
    /// Starts to connect to a server. Only the options of its transport count.
    ///
    /// # Errors
    ///
    /// If the options are not those of a client, if there is no socket for it, or if the system refuses the
    /// connection at once: over WebSocket, as nothing listens on this port of this computer.
    pub fn connect(
        server: &ServerAddress,
        session: SessionOptions,
        enet: EnetOptions,
        websocket: &WebSocketOptions,
    ) -> io::Result<GamePeer> {
        if server.is_enet {
            return Ok(EnetPeer::connect(server.socket, session, enet)?.into());
        }
        Ok(WebSocketPeer::connect(&server.url, session, websocket.clone())?.into())
    }

    /// Starts a server at this address. Only the options of its transport count, and `wss://` is not
    /// possible.
    ///
    /// # Errors
    ///
    /// If the address cannot be used, or if the options are those of a client.
    pub fn listen(
        address: &ServerAddress,
        session: SessionOptions,
        enet: EnetOptions,
        websocket: &WebSocketOptions,
    ) -> io::Result<GamePeer> {
        if address.is_enet {
            return Ok(EnetPeer::listen(address.socket, session, enet)?.into());
        }
        if address.url.starts_with("wss:") {
            let problem = "a server over wss:// needs a program with its certificate before it";
            return Err(io::Error::new(ErrorKind::Unsupported, problem));
        }
        Ok(WebSocketPeer::listen(address.socket, session, websocket.clone())?.into())
    }

    /// Shows everything that the sockets send and receive from now on, for example to record it.
    pub fn watch(&mut self, watch: impl FnMut(Traffic<'_>) + Send + 'static) {
        either!(self, peer => peer.watch(watch));
    }

    /// The session: see [`EnetPeer::session`].
    pub fn session(&mut self) -> &mut Session {
        either!(self, peer => peer.session())
    }

    /// The round-trip time to a connected end. Over WebSocket, it is measured only with
    /// [pings](WebSocketOptions::with_pings).
    #[must_use]
    pub fn round_trip_time(&self, id: PeerId) -> Option<Duration> {
        either!(self, peer => peer.round_trip_time(id))
    }

    /// The address of a connected end: see [`EnetPeer::peer_address`] and [`WebSocketPeer::peer_address`].
    #[must_use]
    pub fn peer_address(&self, id: PeerId) -> Option<SocketAddr> {
        either!(self, peer => peer.peer_address(id))
    }

    /// Asks a connected end to acknowledge everything that was sent. Over ENet, it does so anyway.
    pub(crate) fn ask_for_acknowledgement(&mut self, id: PeerId) {
        if let GamePeer::WebSocket(peer) = self {
            peer.ask_for_acknowledgement(id);
        }
    }

    /// Whether a connected end has not acknowledged everything that was sent. Over WebSocket, it must have
    /// been asked for that.
    pub(crate) fn has_unacknowledged(&self, id: PeerId) -> bool {
        either!(self, peer => peer.has_unacknowledged(id))
    }

    /// The socket of a client, to wait until it has something to receive. None while a connection is
    /// being opened over WebSocket.
    #[cfg(unix)]
    #[must_use]
    pub fn socket(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        match self {
            GamePeer::Enet(peer) => Some(peer.socket()),
            GamePeer::WebSocket(peer) => peer.socket(),
        }
    }

    /// Whether a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        either!(self, peer => peer.is_closed())
    }

    /// Why a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub fn close_reason(&self) -> Option<&str> {
        either!(self, peer => peer.close_reason())
    }

    /// Closes the connection to another peer, once everything before is sent. Packets of the other
    /// peer that no event has reported yet are dropped. For a server, a client has left at once,
    /// whether it answers or not.
    pub fn disconnect(&mut self, id: PeerId) {
        either!(self, peer => peer.disconnect(id));
    }

    /// Sends and receives what is due, and returns the next event; none if there is none now.
    /// Between two calls that return none, it receives once, so that ends that send without a pause
    /// do not block your loop.
    ///
    /// # Errors
    ///
    /// If the socket fails.
    pub fn poll(&mut self) -> io::Result<Option<SessionEvent>> {
        either!(self, peer => peer.poll())
    }
}

impl From<EnetPeer> for GamePeer {
    fn from(peer: EnetPeer) -> GamePeer {
        GamePeer::Enet(Box::new(peer))
    }
}

impl From<WebSocketPeer> for GamePeer {
    fn from(peer: WebSocketPeer) -> GamePeer {
        GamePeer::WebSocket(Box::new(peer))
    }
}
