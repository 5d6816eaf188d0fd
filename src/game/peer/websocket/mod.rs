//! A session over WebSocket.

mod messages;
mod opening;
mod stream;

use super::enet::CLOSED_HERE;
use super::game_peer::{canonical, check_id};
use super::watch::{Traffic, Watcher};
use crate::game::multiplayer::session::{Session, SessionEvent, SessionOptions, Transmit};
use crate::game::multiplayer::{MultiplayerProtocol, PeerId};
use crate::game::project::TransferMode;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;
use messages::FromServer;
use opening::{Opening, OpeningProgress};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener};
use std::time::Instant;
use stream::{Tls, WatchedTcp};
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Bytes, Error, Message, WebSocket};

/// How many messages of a connection one call of [`WebSocketPeer::poll`] handles at most.
const MESSAGES: usize = 1_024;

/// How many connections a server opens at the same time, and accepts in one call of
/// [`WebSocketPeer::poll`].
const OPENING: usize = 1_024;

/// How long the other end may take to answer the end of a connection.
const CLOSING: Duration = Duration::from_secs(5);

/// How long the other end may take to answer a ping, as long as with ENet.
const ANSWERING: Duration = Duration::from_secs(30);

/// Options of a peer over WebSocket.
#[derive(Clone)]
pub struct WebSocketOptions {
    /// The subprotocol that a client asks for and a server chooses: `supported_protocols` of Godot 4.
    protocol: Option<String>,
    clients: usize,
    message_limit: usize,
    unsent_limit: usize,
    ping_interval: Option<Duration>,
    tls: Option<Tls>,
}

impl Default for WebSocketOptions {
    /// 32 clients, messages of at most 1 MiB, and 16 MiB that were not sent yet.
    fn default() -> WebSocketOptions {
        WebSocketOptions {
            protocol: None,
            clients: 32,
            message_limit: 1 << 20,
            unsent_limit: 16 << 20,
            ping_interval: None,
            tls: None,
        }
    }
}

impl WebSocketOptions {
    /// Sets the subprotocol: a client asks for it, and a server chooses it. Without one, a client asks
    /// for none, and a server chooses the first that a client asks for.
    #[must_use]
    pub fn with_protocol(self, protocol: &str) -> WebSocketOptions {
        WebSocketOptions { protocol: Some(protocol.to_string()), ..self }
    }

    /// Changes the number of clients that a server admits.
    #[must_use]
    pub fn with_clients(self, clients: usize) -> WebSocketOptions {
        WebSocketOptions { clients, ..self }
    }

    /// Changes the length of the longest message that is received, in bytes. A connection with a
    /// longer one is closed.
    #[must_use]
    pub fn with_message_limit(self, bytes: usize) -> WebSocketOptions {
        WebSocketOptions { message_limit: bytes, ..self }
    }

    /// Changes how many bytes may wait until the other end takes them. A connection with more is
    /// closed.
    #[must_use]
    pub fn with_unsent_limit(self, bytes: usize) -> WebSocketOptions {
        WebSocketOptions { unsent_limit: bytes, ..self }
    }

    /// Pings the other ends in this interval, to measure the time of a round trip, and closes the connection
    /// to one that answers nothing for 30 seconds. Without pings, an end that is cut off without a notice
    /// stays connected until the system gives it up, which may take a quarter of an hour.
    #[must_use]
    pub fn with_pings(self, interval: Duration) -> WebSocketOptions {
        WebSocketOptions { ping_interval: Some(interval), ..self }
    }

    /// A client over `wss://` also trusts servers with these certificates, in the format PEM, and those
    /// whose certificate they sign. Without them, it trusts those that the system trusts.
    ///
    /// # Errors
    ///
    /// If there is no certificate.
    pub fn with_certificates(self, pem: &[u8]) -> io::Result<WebSocketOptions> {
        Ok(WebSocketOptions { tls: Some(stream::tls_with(pem)?), ..self })
    }
}

impl fmt::Debug for WebSocketOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WebSocketOptions { protocol, clients, message_limit, ping_interval, .. } = self;
        debug_fields!(f, WebSocketOptions { protocol, clients, message_limit, ping_interval, .. })
    }
}

/// A server or client of a game over WebSocket: a [`Session`] with TCP sockets. A client also connects
/// with TLS: `wss://`.
///
/// Nothing blocks but looking up the name of a server: call [`WebSocketPeer::poll`] as often as a game
/// has frames.
///
/// ```no_run
/// use gdwire::Dialect;
/// use gdwire::multiplayer::session::SessionOptions;
/// use gdwire::peer::{WebSocketOptions, WebSocketPeer};
///
/// let session = SessionOptions::server(Dialect::GODOT_4);
/// let options = WebSocketOptions::default().with_clients(100);
/// let mut peer = WebSocketPeer::listen("127.0.0.1:8080".parse()?, session, options)?;
/// while let Some(event) = peer.poll()? {
///     println!("{event:?}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WebSocketPeer {
    session: Session,
    options: WebSocketOptions,
    /// None for a client.
    listener: Option<TcpListener>,
    address: SocketAddr,
    start: Instant,
    opening: Vec<Opening>,
    links: BTreeMap<PeerId, OpenConnection>,
    watcher: Watcher,
    /// Whether the events since the last call that returned none are those of a turn of receiving.
    has_received: bool,
    /// Why a client has no connection any more.
    closed: Option<String>,
}

/// An open connection.
struct OpenConnection {
    socket: WebSocket<WatchedTcp>,
    /// Whether the session knows it. A client waits for its id before.
    is_connected: bool,
    /// When this end began to close it.
    closing: Option<Instant>,
    /// When it was opened. Pings contain the time since then.
    start: Instant,
    /// When the last ping was sent, and the first one that is not answered.
    pinged: Option<Instant>,
    unanswered: Option<Instant>,
    round_trip: Option<Duration>,
    /// The round trip that nobody has taken.
    new_round_trip: Option<Duration>,
    /// The time in the ping after everything that was sent, while this end waits for the answer to it.
    unacknowledged: Option<Duration>,
}

impl WebSocketPeer {
    /// Starts a server at this address; with port 0, the system chooses a port.
    ///
    /// # Errors
    ///
    /// If the address cannot be used, or if the options are those of a client.
    pub fn listen(
        address: SocketAddr,
        session: SessionOptions,
        options: WebSocketOptions,
    ) -> io::Result<WebSocketPeer> {
        check_id(&session, true)?;
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(WebSocketPeer::new(session, options, Some(listener), address))
    }

    /// Starts to connect to a server: `ws://127.0.0.1:8080`, or `wss://` for TLS. The server chooses the
    /// id of the session. [`SessionEvent::PeerConnected`] says that it has admitted the client; if the
    /// server does not answer, [`WebSocketPeer::is_closed`] becomes true.
    ///
    /// # Errors
    ///
    /// If this is no address of a server, if the options are not those of a client, if there is no socket
    /// for it, or if the system refuses the connection at once, as nothing listens on this port of this
    /// computer.
    pub fn connect(
        url: &str,
        session: SessionOptions,
        options: WebSocketOptions,
    ) -> io::Result<WebSocketPeer> {
        check_id(&session, false)?;
        let (opening, address) = Opening::connect(url, options.clone())?;
        let mut peer = WebSocketPeer::new(session, options, None, address);
        peer.opening.push(opening);
        Ok(peer)
    }

    fn new(
        session: SessionOptions,
        options: WebSocketOptions,
        listener: Option<TcpListener>,
        address: SocketAddr,
    ) -> WebSocketPeer {
        WebSocketPeer {
            session: Session::new(session),
            options,
            listener,
            address,
            start: Instant::now(),
            opening: Vec::new(),
            links: BTreeMap::new(),
            watcher: Watcher::default(),
            has_received: false,
            closed: None,
        }
    }

    /// Shows everything that the sockets send and receive from now on, for example to record it.
    pub fn watch(&mut self, watch: impl FnMut(Traffic<'_>) + Send + 'static) {
        self.watcher = Watcher::new(watch);
    }

    /// The address of the server.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The session, to call methods, set properties, and spawn nodes. Its packets are sent with the
    /// next [`WebSocketPeer::poll`].
    pub const fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// How long a connected end took to answer the last ping: see [`WebSocketOptions::with_pings`].
    #[must_use]
    pub fn round_trip_time(&self, peer: PeerId) -> Option<Duration> {
        self.links.get(&peer)?.round_trip
    }

    /// The address of a connected end, while it is connected. Clients that a server relays have none. A
    /// client that came through a program with a certificate has the address of that program.
    #[must_use]
    pub fn peer_address(&self, peer: PeerId) -> Option<SocketAddr> {
        let link = self.links.get(&peer).filter(|link| link.closing.is_none())?;
        Some(canonical(link.socket.get_ref().remote()))
    }

    /// Like [`WebSocketPeer::round_trip_time`], but gives each measured time only once.
    pub fn take_round_trip_time(&mut self, peer: PeerId) -> Option<Duration> {
        self.links.get_mut(&peer)?.new_round_trip.take()
    }

    /// Pings another end after everything that was sent. Until it answers,
    /// [`WebSocketPeer::has_unacknowledged`] is true.
    pub(crate) fn ask_for_acknowledgement(&mut self, peer: PeerId) {
        self.transmit();
        let Some(link) = self.links.get_mut(&peer) else { return };
        link.unacknowledged = Some(link.start.elapsed());
        if let Err(reason) = link.ping() {
            self.lost(peer, reason);
        }
    }

    /// Whether a connected end has not answered [`WebSocketPeer::ask_for_acknowledgement`] yet.
    pub(crate) fn has_unacknowledged(&self, peer: PeerId) -> bool {
        self.links.get(&peer).is_some_and(|link| link.unacknowledged.is_some())
    }

    /// The socket of a client, to wait until it has something to receive. None while the connection is
    /// being opened.
    #[cfg(unix)]
    #[must_use]
    pub fn socket(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        Some(self.links.get(&PeerId::SERVER)?.socket.get_ref().socket())
    }

    /// Whether a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Why a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub fn close_reason(&self) -> Option<&str> {
        self.closed.as_deref()
    }

    /// Closes the connection to another peer, once everything before is sent. Packets of the other
    /// peer that no event has reported yet are dropped. For a server, a client has left at once,
    /// whether it answers or not.
    pub fn disconnect(&mut self, peer: PeerId) {
        self.transmit();
        self.session.drop_received(peer);
        if let Some(link) = self.links.get_mut(&peer) {
            link.close(CloseCode::Normal);
            if self.listener.is_some() {
                self.session.disconnected(peer);
            }
        }
    }

    /// Sends and receives what is due, and returns the next event; none if there is none now.
    /// Between two calls that return none, it receives once, so that ends that send without a pause
    /// do not block your loop.
    ///
    /// # Errors
    ///
    /// If the socket of a server fails. Failures of connections end only these.
    pub fn poll(&mut self) -> io::Result<Option<SessionEvent>> {
        if let Some(event) = self.next_event() {
            return Ok(Some(event));
        }
        if !self.has_received {
            self.session.handle_time(self.start.elapsed());
            // A client that has answered does not give way to new ones.
            self.open();
            self.accept()?;
            self.transmit();
            let links: Vec<_> = self.links.keys().copied().collect();
            for id in links {
                self.receive(id);
            }
        }
        self.transmit();
        self.flush();
        let event = self.next_event();
        self.has_received = event.is_some();
        Ok(event)
    }

    fn next_event(&mut self) -> Option<SessionEvent> {
        let event = self.session.poll_event()?;
        if let SessionEvent::AuthenticationFailed { peer } = event {
            self.disconnect(peer);
        }
        Some(event)
    }

    /// Accepts the connections of clients.
    fn accept(&mut self) -> io::Result<()> {
        let Some(listener) = &self.listener else { return Ok(()) };
        let has_connections = !self.opening.is_empty() || !self.links.is_empty();
        for _ in 0..OPENING {
            match listener.accept() {
                // The engine also closes connections of clients beyond the limit.
                Ok(_) if self.links.len() >= self.options.clients => {}
                Ok((tcp, _)) => {
                    if self.opening.len() >= OPENING {
                        opening::make_room(&mut self.opening);
                    }
                    // A connection that has failed already is of no interest.
                    let opening = Opening::accepted(tcp, &self.options, self.watcher.clone());
                    self.opening.extend(opening.ok());
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The client has given up.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The system has no room for more connections; those that end make some.
                Err(_) if !self.opening.is_empty() => opening::make_room(&mut self.opening),
                Err(_) if has_connections => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Goes on with connections that are being opened.
    fn open(&mut self) {
        for opening in core::mem::take(&mut self.opening) {
            match opening.advance(&self.watcher) {
                OpeningProgress::Opening(opening) => self.opening.push(opening),
                OpeningProgress::Open(socket) => self.opened(*socket),
                OpeningProgress::Failed(reason) if self.listener.is_none() => {
                    self.closed.get_or_insert(reason);
                }
                OpeningProgress::Failed(_) => {}
            }
        }
    }

    fn opened(&mut self, socket: WebSocket<WatchedTcp>) {
        let mut link = OpenConnection {
            socket,
            is_connected: false,
            closing: None,
            start: Instant::now(),
            pinged: None,
            unanswered: None,
            round_trip: None,
            new_round_trip: None,
            unacknowledged: None,
        };
        if self.listener.is_none() {
            self.links.insert(PeerId::SERVER, link);
            return;
        }
        let id = self.unused_id();
        if self.links.len() >= self.options.clients {
            link.close(CloseCode::Again);
            return;
        }
        let greeting = match self.session.protocol() {
            MultiplayerProtocol::Godot4 => [id.to_le_bytes().to_vec()].to_vec(),
            _ => messages::greeting(id).to_vec(),
        };
        let is_greeted = greeting.into_iter().all(|message| link.send(message.into()).is_ok());
        if is_greeted && self.session.connected(id).is_ok() {
            link.is_connected = true;
            self.links.insert(id, link);
        }
    }

    /// An id that no peer has: the server chooses it at random, as the engines do.
    fn unused_id(&self) -> PeerId {
        loop {
            let random = RandomState::new().build_hasher().finish().to_le_bytes();
            let id = i32::from_le_bytes([random[0], random[1], random[2], random[3] & 0x7f]);
            if id > 1 && !self.links.contains_key(&PeerId::new(id)) {
                return PeerId::new(id);
            }
        }
    }

    /// Takes the messages of a connection.
    fn receive(&mut self, id: PeerId) {
        if let Some(link) = self.links.get_mut(&id) {
            link.socket.get_mut().start_turn();
        }
        for _ in 0..MESSAGES {
            let Some(link) = self.links.get_mut(&id) else { return };
            match link.read() {
                // Only the answer to the end of the connection counts.
                Ok(Some(_)) if link.closing.is_some() => {}
                Ok(Some(message)) => {
                    if let Err(reason) = self.take(id, &message) {
                        self.lost(id, reason);
                    }
                }
                Ok(None) => return,
                Err(reason) => self.lost(id, reason),
            }
        }
    }

    /// Takes a message. An error closes the connection.
    fn take(&mut self, from: PeerId, message: &[u8]) -> Result<(), String> {
        let is_new = self.session.protocol() == MultiplayerProtocol::Godot4;
        if self.listener.is_some() {
            let (channel, packet) = if is_new {
                (0, message.to_vec())
            } else {
                // An empty packet is refused, and reported.
                messages::from_client(message).unwrap_or_default()
            };
            self.session.receive(from, &packet, TransferMode::Reliable, channel);
            return Ok(());
        }
        let is_connected = self.links.get(&from).is_some_and(|link| link.is_connected);
        if is_new {
            if is_connected {
                self.session.receive(from, message, TransferMode::Reliable, 0);
                return Ok(());
            }
            let id = message.first_chunk().ok_or("the server does not send an id")?;
            self.session.assign_id(PeerId::from_le_bytes(*id)).map_err(|it| it.to_string())?;
            return self.admitted();
        }
        match messages::from_server(message) {
            Some(FromServer::Id(id)) => {
                self.session.assign_id(id).map_err(|error| error.to_string())?;
            }
            Some(FromServer::Admitted) if !is_connected => self.admitted()?,
            Some(FromServer::Closed) => return Err("the server has left".to_string()),
            Some(FromServer::Packet(channel, packet)) => {
                self.session.receive(from, &packet, TransferMode::Reliable, channel);
            }
            _ => self.session.receive(from, &[], TransferMode::Reliable, 0),
        }
        Ok(())
    }

    /// The server has admitted this client.
    fn admitted(&mut self) -> Result<(), String> {
        self.session.connected(PeerId::SERVER).map_err(|error| error.to_string())?;
        if let Some(link) = self.links.get_mut(&PeerId::SERVER) {
            link.is_connected = true;
        }
        Ok(())
    }

    /// Removes a connection that has ended.
    fn lost(&mut self, id: PeerId, mut reason: String) {
        if let Some(mut link) = self.links.remove(&id) {
            if link.closing.is_some() {
                reason = CLOSED_HERE.to_string();
            }
            // The answer to the end of a connection waits to be sent.
            link.socket.flush().ok();
        }
        self.session.disconnected(id);
        if self.listener.is_none() {
            self.closed.get_or_insert(reason);
        }
    }

    /// Passes what the session sends to the connections.
    fn transmit(&mut self) {
        let is_new = self.session.protocol() == MultiplayerProtocol::Godot4;
        while let Some(Transmit { to, channel, bytes, .. }) = self.session.poll_transmit() {
            let message = if is_new { Some(bytes) } else { messages::to_message(channel, &bytes) };
            let Some((link, message)) = self.links.get_mut(&to).zip(message) else { continue };
            if let Err(reason) = link.send(message.into()) {
                self.lost(to, reason);
            }
        }
    }

    /// Sends what waits, pings, and gives up connections whose other end does not answer their end.
    fn flush(&mut self) {
        let interval = self.options.ping_interval;
        let failed = |(id, link): (&PeerId, &mut OpenConnection)| {
            let result = link.ping_after(interval).and_then(|()| link.flush());
            result.err().map(|reason| (*id, reason))
        };
        let failed: Vec<_> = self.links.iter_mut().filter_map(failed).collect();
        for (id, reason) in failed {
            self.lost(id, reason);
        }
    }
}

impl OpenConnection {
    /// The next message; none if there is none now. An error says why the connection has ended.
    fn read(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            return match self.socket.read() {
                Ok(Message::Binary(bytes)) => Ok(Some(bytes)),
                Ok(Message::Text(text)) => Ok(Some(text.into())),
                Ok(Message::Close(frame)) => match frame {
                    Some(CloseFrame { code, reason }) if !reason.is_empty() => {
                        Err(format!("closed by the other end: {reason} ({code})"))
                    }
                    Some(CloseFrame { code: CloseCode::Normal, .. }) | None => {
                        Err("closed by the other end".to_string())
                    }
                    Some(CloseFrame { code, .. }) => {
                        Err(format!("closed by the other end ({code})"))
                    }
                },
                Ok(Message::Pong(answered)) => {
                    self.answered(&answered);
                    continue;
                }
                Ok(_) => continue,
                Err(error) => ended(error).map(|()| None),
            };
        }
    }

    /// Notes the answer to a ping.
    fn answered(&mut self, payload: &[u8]) {
        let Ok(sent) = payload.try_into().map(u64::from_le_bytes).map(Duration::from_nanos) else {
            return;
        };
        let Some(round_trip) = self.start.elapsed().checked_sub(sent) else { return };
        self.round_trip = Some(round_trip);
        self.new_round_trip = self.round_trip;
        self.unanswered = None;
        self.unacknowledged = self.unacknowledged.filter(|since| *since > sent);
    }

    fn send(&mut self, message: Bytes) -> Result<(), String> {
        if self.closing.is_some() {
            return Ok(());
        }
        self.socket.write(Message::Binary(message)).or_else(ended)
    }

    fn ping_after(&mut self, interval: Option<Duration>) -> Result<(), String> {
        let Some(interval) = interval else { return Ok(()) };
        if self.unanswered.is_some_and(|since| since.elapsed() > ANSWERING) {
            return Err("the other end does not answer".to_string());
        }
        if self.pinged.is_some_and(|pinged| pinged.elapsed() < interval) {
            return Ok(());
        }
        self.ping()
    }

    fn ping(&mut self) -> Result<(), String> {
        if self.closing.is_some() {
            return Ok(());
        }
        self.pinged = Some(Instant::now());
        self.unanswered = self.unanswered.or(self.pinged);
        let now = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let payload = now.to_le_bytes().to_vec();
        self.socket.write(Message::Ping(payload.into())).or_else(ended)
    }

    fn flush(&mut self) -> Result<(), String> {
        if self.closing.is_some_and(|since| since.elapsed() > CLOSING) {
            return Err("closed".to_string());
        }
        self.socket.flush().or_else(ended)
    }

    fn close(&mut self, code: CloseCode) {
        if self.closing.is_none() {
            self.closing = Some(Instant::now());
            // If it fails, the connection ends anyway.
            self.socket.close(Some(CloseFrame { code, reason: "".into() })).ok();
            self.socket.flush().ok();
        }
    }
}

/// Why a connection has ended; nothing if it has not.
fn ended(error: Error) -> Result<(), String> {
    match error {
        Error::Io(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
        Error::Io(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
        Error::ConnectionClosed | Error::AlreadyClosed => Err("closed".to_string()),
        Error::WriteBufferFull(_) => Err("the other end is too slow".to_string()),
        Error::Io(error) => Err(error.to_string()),
        error => Err(error.to_string()),
    }
}

impl fmt::Debug for WebSocketPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WebSocketPeer { address, session, closed, .. } = self;
        debug_fields!(f, WebSocketPeer { address, session, closed, .. })
    }
}

impl Drop for WebSocketPeer {
    /// Tells the connected ends that this one leaves.
    fn drop(&mut self) {
        self.links.values_mut().for_each(|link| link.close(CloseCode::Away));
    }
}
