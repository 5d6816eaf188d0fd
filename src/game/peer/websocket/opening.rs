//! Opens the connections of a peer: TCP, then the handshake of WebSocket.

use super::WebSocketOptions;
use super::stream::{WatchedTcp, system_tls, tls_client};
use crate::game::peer::enet::NO_ANSWER;
use crate::game::peer::watch::Watcher;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use socket2::{Domain, Protocol, Socket, Type};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};
use tungstenite::client::{IntoClientRequest, uri_mode};
use tungstenite::handshake::client::{ClientHandshake, Request};
use tungstenite::handshake::server::{
    Callback, ErrorResponse, Request as ClientRequest, Response, ServerHandshake,
};
use tungstenite::handshake::{HandshakeError, MidHandshake};
use tungstenite::http::HeaderValue;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::stream::Mode;
use tungstenite::{Error, WebSocket};

/// A connection that takes longer to open is given up.
const TIMEOUT: Duration = Duration::from_secs(10);

const PROTOCOL: &str = "Sec-WebSocket-Protocol";

/// A connection that is being opened.
pub(super) struct Opening {
    remote: IpAddr,
    since: Instant,
    step: OpeningStep,
}

enum OpeningStep {
    /// TCP is connecting.
    Tcp(Box<Target>),
    Client(Box<MidHandshake<ClientHandshake<WatchedTcp>>>),
    Server(Box<MidHandshake<ServerHandshake<WatchedTcp, FirstProtocol>>>),
}

/// The server to which a client connects.
struct Target {
    tcp: TcpStream,
    host: String,
    is_tls: bool,
    request: Request,
    options: WebSocketOptions,
}

/// How far a connection has come.
pub(super) enum OpeningProgress {
    Opening(Opening),
    Open(Box<WebSocket<WatchedTcp>>),
    /// Why it could not be opened.
    Failed(String),
}

/// Chooses the first of the protocols that a client offers, as browsers need if they offer some.
pub(super) struct FirstProtocol(Option<String>);

impl Callback for FirstProtocol {
    fn on_request(
        self,
        request: &ClientRequest,
        mut response: Response,
    ) -> Result<Response, ErrorResponse> {
        let offered = request.headers().get(PROTOCOL).and_then(|offered| offered.to_str().ok());
        let mut offered = offered.into_iter().flat_map(|all| all.split(',')).map(str::trim);
        let chosen = match &self.0 {
            Some(needed) => offered.find(|it| it == needed),
            None => offered.next(),
        };
        if let Some(chosen) = chosen.and_then(|it| HeaderValue::from_str(it).ok()) {
            response.headers_mut().insert(PROTOCOL, chosen);
        }
        Ok(response)
    }
}

impl Opening {
    /// Starts to connect to a server, and returns its address.
    pub(super) fn connect(
        url: &str,
        options: WebSocketOptions,
    ) -> io::Result<(Opening, SocketAddr)> {
        let wrong = |error: &dyn core::fmt::Display| {
            io::Error::new(ErrorKind::InvalidInput, format!("{url:?} is not an address: {error}"))
        };
        let mut request = url.into_client_request().map_err(|error| wrong(&error))?;
        if let Some(protocol) = &options.protocol {
            let value = HeaderValue::from_str(protocol).map_err(|error| wrong(&error))?;
            request.headers_mut().insert(PROTOCOL, value);
        }
        let uri = request.uri();
        let is_tls = matches!(uri_mode(uri).map_err(|error| wrong(&error))?, Mode::Tls);
        let host = uri.host().ok_or_else(|| wrong(&"it has no host"))?;
        // IPv6 addresses are in brackets.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_string();
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let addresses = (&*host, port).to_socket_addrs()?;
        let server = addresses.min_by_key(SocketAddr::is_ipv6);
        let server = server.ok_or_else(|| wrong(&"the host has no address"))?;
        let tcp = connect(server)?;
        let target = Target { tcp, host, is_tls, request, options };
        let step = OpeningStep::Tcp(Box::new(target));
        Ok((Opening { remote: server.ip(), since: Instant::now(), step }, server))
    }

    /// Takes a connection that a server has accepted.
    pub(super) fn accepted(
        tcp: TcpStream,
        options: &WebSocketOptions,
        watcher: Watcher,
    ) -> io::Result<Opening> {
        let stream = WatchedTcp::new(tcp, None, false, watcher)?;
        let remote = stream.remote().ip();
        let callback = FirstProtocol(options.protocol.clone());
        let handshake = ServerHandshake::start(stream, callback, Some(config(options)));
        let step = OpeningStep::Server(Box::new(handshake));
        Ok(Opening { remote, since: Instant::now(), step })
    }

    /// Takes the next steps of opening the connection, as far as that is possible now.
    pub(super) fn advance(mut self, watcher: &Watcher) -> OpeningProgress {
        if self.since.elapsed() > TIMEOUT {
            return OpeningProgress::Failed(NO_ANSWER.to_string());
        }
        if let OpeningStep::Tcp(target) = self.step {
            match target.advance(watcher) {
                Ok(step) => self.step = step,
                Err(error) => return OpeningProgress::Failed(error.to_string()),
            }
        }
        let Opening { remote, since, .. } = self;
        let later = |step| OpeningProgress::Opening(Opening { remote, since, step });
        match self.step {
            step @ OpeningStep::Tcp(_) => later(step),
            OpeningStep::Client(handshake) => match handshake.handshake() {
                Ok((socket, _)) => OpeningProgress::Open(Box::new(socket)),
                Err(HandshakeError::Interrupted(handshake)) => {
                    later(OpeningStep::Client(Box::new(handshake)))
                }
                Err(HandshakeError::Failure(error)) => OpeningProgress::Failed(reason(&error)),
            },
            OpeningStep::Server(handshake) => match handshake.handshake() {
                Ok(socket) => OpeningProgress::Open(Box::new(socket)),
                Err(HandshakeError::Interrupted(handshake)) => {
                    later(OpeningStep::Server(Box::new(handshake)))
                }
                Err(HandshakeError::Failure(error)) => OpeningProgress::Failed(reason(&error)),
            },
        }
    }
}

/// Why a handshake failed.
fn reason(error: &Error) -> String {
    match error {
        // The crate takes this for an attack.
        Error::AttackAttempt => "the headers of the handshake have no end".to_string(),
        _ => error.to_string(),
    }
}

/// Gives up the oldest connection of the address that opens most: some clients connect and say nothing.
pub(super) fn make_room(opening: &mut Vec<Opening>) {
    let mut counts = BTreeMap::new();
    for one in &*opening {
        *counts.entry(one.remote).or_insert(0_usize) += 1;
    }
    let most = counts.values().max();
    if let Some(oldest) = opening.iter().position(|one| counts.get(&one.remote) == most) {
        opening.remove(oldest);
    }
}

impl Target {
    /// Starts the handshake if TCP has connected.
    fn advance(self: Box<Target>, watcher: &Watcher) -> io::Result<OpeningStep> {
        if let Some(error) = self.tcp.take_error()? {
            return Err(error);
        }
        if let Err(error) = self.tcp.peer_addr() {
            return match error.kind() {
                ErrorKind::NotConnected => Ok(OpeningStep::Tcp(self)),
                _ => Err(error),
            };
        }
        let Target { tcp, host, is_tls, request, options } = *self;
        let tls = match (is_tls, &options.tls) {
            (false, _) => None,
            (true, Some(tls)) => Some(tls_client(tls.clone(), &host)?),
            (true, None) => Some(tls_client(system_tls()?, &host)?),
        };
        let stream = WatchedTcp::new(tcp, tls, true, watcher.clone())?;
        let handshake = ClientHandshake::start(stream, request, Some(config(&options)));
        Ok(OpeningStep::Client(Box::new(handshake.map_err(io::Error::other)?)))
    }
}

/// Starts to connect, and waits a millisecond at most: on this computer, that is enough.
fn connect(server: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(server), Type::STREAM, Some(Protocol::TCP))?;
    match socket.connect_timeout(&server.into(), Duration::from_millis(1)) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::TimedOut => {}
        Err(error) => return Err(error),
    }
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// How much of the messages of a connection is kept.
fn config(options: &WebSocketOptions) -> WebSocketConfig {
    const BUFFER: usize = 4 << 10;
    let unsent = options.unsent_limit.max(BUFFER.saturating_mul(2));
    WebSocketConfig::default()
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_write_buffer_size(unsent)
        .max_message_size(Some(options.message_limit))
        .max_frame_size(Some(options.message_limit))
}
