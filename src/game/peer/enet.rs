//! A session over ENet.

use super::compressor::{DatagramCompressor, EnetCompression};
use super::game_peer::{canonical, check_id};
use super::watch::{Traffic, TrafficContent, Watcher};
use crate::game::multiplayer::session::{
    Capacity, Session, SessionEvent, SessionOptions, Transmit,
};
use crate::game::multiplayer::{MultiplayerProtocol, PeerId};
use crate::game::project::TransferMode;
use crate::net::enet::godot::SYSTEM_CHANNEL;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use rusty_enet::{
    Event, EventNoRef, Host, HostSettings, MTU_MAX, Packet, PacketKind, PacketReceived,
    PeerID as HostPeer, PeerState, Socket, SocketOptions,
};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Instant;

/// How many events of ENet one call of [`EnetPeer::poll`] handles at most. A server with a frame of 16 ms
/// takes 60 packets a second of each of 4,095 clients.
const EVENTS: usize = 4_096;

/// Why a client could not connect, if ENet does not say more.
pub(super) const NO_ANSWER: &str = "the server does not answer";

/// Why a client has no connection that it has closed itself.
pub(super) const CLOSED_HERE: &str = "this end has closed the connection";

/// ENet's limits.
const CHANNELS: usize = 255;
const PEERS: usize = 4_095;

/// Options of a peer over ENet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EnetOptions {
    /// How datagrams are compressed. Both ends need the same.
    pub compression: EnetCompression,
    /// How many clients a server admits, at most 4,095.
    pub clients: usize,
    /// The length of the longest packet that is sent or received, in bytes. Each client can make a
    /// server keep twice as much of packets that have not arrived completely.
    pub message_limit: usize,
    /// How many bytes of packets may wait for the acknowledgement of each connected end. An end that is
    /// too slow for that is disconnected.
    pub unsent_limit: usize,
}

impl Default for EnetOptions {
    /// No compression, 32 clients, and packets of at most 32 MiB, as in the engines. 64 MiB may wait
    /// for each end.
    fn default() -> EnetOptions {
        EnetOptions {
            compression: EnetCompression::None,
            clients: 32,
            message_limit: 32 << 20,
            unsent_limit: 64 << 20,
        }
    }
}

impl EnetOptions {
    /// The same options with a compression.
    #[must_use]
    pub const fn with_compression(self, compression: EnetCompression) -> EnetOptions {
        EnetOptions { compression, ..self }
    }

    /// The same options with another number of clients.
    #[must_use]
    pub const fn with_clients(self, clients: usize) -> EnetOptions {
        EnetOptions { clients, ..self }
    }

    /// The same options with another limit on the length of packets.
    #[must_use]
    pub const fn with_message_limit(self, message_limit: usize) -> EnetOptions {
        EnetOptions { message_limit, ..self }
    }

    /// The same options with another limit on the bytes that may wait for each end.
    #[must_use]
    pub const fn with_unsent_limit(self, unsent_limit: usize) -> EnetOptions {
        EnetOptions { unsent_limit, ..self }
    }
}

/// A server or client of a game over ENet: a [`Session`] with a UDP socket.
///
/// Nothing blocks: call [`EnetPeer::poll`] as often as a game has frames.
///
/// ENet keeps reliable packets until the other end has acknowledged them. It drops an end that
/// acknowledges nothing for up to 30 seconds, and this type one for which more than
/// [`EnetOptions::unsent_limit`] waits.
pub struct EnetPeer {
    host: Host<WatchedSocket>,
    session: Session,
    protocol: MultiplayerProtocol,
    is_server: bool,
    address: SocketAddr,
    start: Instant,
    /// The ids of the connected ends, by their number in the host, and the other way round.
    ids: BTreeMap<usize, PeerId>,
    numbers: BTreeMap<PeerId, usize>,
    /// How many bytes wait for each connected end, and the most that may.
    unsent: BTreeMap<PeerId, Arc<AtomicUsize>>,
    unsent_limit: usize,
    /// Whether the events since the last call that returned none are those of a turn of receiving.
    has_received: bool,
    /// Whether a client has begun to close its connection.
    is_leaving: bool,
    /// Why a client has lost its server, or could not connect.
    closed: Option<&'static str>,
}

impl EnetPeer {
    /// Starts a server at this address; with port 0, the system chooses a port.
    ///
    /// # Errors
    ///
    /// If the address cannot be used, or if the options are those of a client.
    pub fn listen(
        address: SocketAddr,
        session: SessionOptions,
        options: EnetOptions,
    ) -> io::Result<EnetPeer> {
        check_id(&session, true)?;
        EnetPeer::new(address, session, options, options.clients.clamp(1, PEERS))
    }

    /// Starts to connect to a server. [`SessionEvent::PeerConnected`] says that it has admitted the
    /// client; if there is no server, [`EnetPeer::is_closed`] becomes true after half a minute. It
    /// also becomes true after that event if another client has the same id: then the server drops
    /// this one without a notice.
    ///
    /// # Errors
    ///
    /// If there is no socket for it, or if the options are not those of a client.
    pub fn connect(
        server: SocketAddr,
        session: SessionOptions,
        options: EnetOptions,
    ) -> io::Result<EnetPeer> {
        check_id(&session, false)?;
        let any = match server {
            // Only this computer can answer then.
            _ if server.ip().is_loopback() => SocketAddr::from((server.ip(), 0)),
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let mut peer = EnetPeer::new(any, session, options, 1)?;
        // The engines send the client's id with the request.
        let id = peer.session.id().get().cast_unsigned();
        peer.host.connect(server, CHANNELS, id).map_err(io::Error::other)?;
        Ok(peer)
    }

    fn new(
        address: SocketAddr,
        session: SessionOptions,
        options: EnetOptions,
        peers: usize,
    ) -> io::Result<EnetPeer> {
        let mut session = Session::new(session);
        let socket = UdpSocket::bind(address)?;
        let address = socket.local_addr()?;
        let is_server = session.id() == PeerId::SERVER;
        let watcher = Watcher::default();
        let socket = WatchedSocket { socket, local: address, is_server, watcher };
        let mut settings =
            HostSettings { peer_limit: peers, channel_limit: CHANNELS, ..HostSettings::default() };
        if options.compression != EnetCompression::None {
            settings.compressor = Some(Box::new(DatagramCompressor::new(options.compression)));
        }
        let mut host = Host::new(socket, settings).map_err(io::Error::other)?;
        let limit = options.message_limit.max(1);
        host.set_maximum_packet_size(limit).map_err(io::Error::other)?;
        host.set_maximum_waiting_data(limit).map_err(io::Error::other)?;
        *session.capacity() = Capacity { channels: CHANNELS, packet_bytes: limit };
        Ok(EnetPeer {
            host,
            protocol: session.protocol(),
            is_server,
            session,
            address,
            start: Instant::now(),
            ids: BTreeMap::new(),
            numbers: BTreeMap::new(),
            unsent: BTreeMap::new(),
            unsent_limit: options.unsent_limit,
            has_received: false,
            is_leaving: false,
            closed: None,
        })
    }

    /// Shows every datagram that the socket sends and receives from now on, for example to record it.
    pub fn watch(&mut self, watch: impl FnMut(Traffic<'_>) + Send + 'static) {
        self.host.socket_mut().watcher = Watcher::new(watch);
    }

    /// The address of the socket.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The session, to call methods, set properties, and spawn nodes. Its packets are sent with the
    /// next [`EnetPeer::poll`].
    pub const fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The round-trip time to a connected end, as ENet measures it with its acknowledgements.
    #[must_use]
    pub fn round_trip_time(&self, peer: PeerId) -> Option<Duration> {
        let number = self.numbers.get(&peer)?;
        Some(self.host.get_peer(HostPeer(*number))?.round_trip_time())
    }

    /// The address of a connected end, while it is connected. Clients that a server relays have none. A
    /// client that reaches a server on `[::]` over IPv4 has its address of IPv4.
    #[must_use]
    pub fn peer_address(&self, peer: PeerId) -> Option<SocketAddr> {
        let number = self.numbers.get(&peer)?;
        self.host.get_peer(HostPeer(*number))?.address().map(canonical)
    }

    /// Whether a connected end has not acknowledged everything that was sent.
    pub(crate) fn has_unacknowledged(&self, peer: PeerId) -> bool {
        self.unsent.get(&peer).is_some_and(|unsent| unsent.load(Ordering::Relaxed) > 0)
    }

    /// The socket, to wait until it has something to receive.
    #[cfg(unix)]
    #[must_use]
    pub fn socket(&self) -> std::os::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.host.socket().socket)
    }

    /// Whether a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Why a client has lost its server, could not connect to it, or has left.
    #[must_use]
    pub const fn close_reason(&self) -> Option<&str> {
        self.closed
    }

    /// Closes the connection to another peer, once everything before is sent. Packets of the other
    /// peer that no event has reported yet are dropped. For a server, a client has left at once,
    /// whether it answers or not. Later calls of [`EnetPeer::poll`] still send to it what was lost.
    pub fn disconnect(&mut self, peer: PeerId) {
        self.transmit();
        self.session.drop_received(peer);
        let Some(number) = self.numbers.get(&peer).map(|number| HostPeer(*number)) else { return };
        self.host.peer_mut(number).disconnect_later(0);
        if self.is_server {
            self.forget(number);
        } else {
            self.is_leaving = true;
        }
    }

    /// Sends and receives what is due, and returns the next event; none if there is none now.
    /// Between two calls that return none, it receives once, so that ends that send without a pause
    /// do not block your loop.
    ///
    /// # Errors
    ///
    /// If the socket fails.
    pub fn poll(&mut self) -> io::Result<Option<SessionEvent>> {
        if let Some(event) = self.next_event() {
            return Ok(Some(event));
        }
        if !self.has_received {
            self.session.handle_time(self.start.elapsed());
            self.transmit();
            for _ in 0..EVENTS {
                let Some(event) = self.host.service()?.map(Event::no_ref) else { break };
                self.handle(event);
            }
        }
        self.transmit();
        self.host.flush();
        let event = self.next_event();
        self.has_received = event.is_some();
        Ok(event)
    }

    fn next_event(&mut self) -> Option<SessionEvent> {
        let event = self.session.poll_event()?;
        // Another client may have the id by now.
        if let SessionEvent::AuthenticationFailed { peer } = event
            && !self.session.has_connection(peer)
        {
            self.disconnect(peer);
        }
        Some(event)
    }

    fn handle(&mut self, event: EventNoRef) {
        match event {
            EventNoRef::Connect { peer, data } => {
                let id =
                    if self.is_server { PeerId::new(data.cast_signed()) } else { PeerId::SERVER };
                // The engine also refuses a client without a notice if its id is taken.
                if self.session.connected(id).is_err() {
                    self.host.peer_mut(peer).reset();
                    return;
                }
                // The session may have given up an older connection with this id, to an end that is gone
                // without a notice.
                if let Some(old) = self.numbers.insert(id, peer.0) {
                    self.ids.remove(&old);
                    self.host.peer_mut(HostPeer(old)).disconnect_now(0);
                }
                self.ids.insert(peer.0, id);
                self.unsent.insert(id, Arc::default());
                if !self.is_server {
                    self.session.capacity().channels = self.host.peer(peer).channel_count();
                }
            }
            EventNoRef::Disconnect { peer, .. } => {
                if !self.is_server {
                    // ENet does not say more: see the options for compression.
                    self.closed = Some(match (self.ids.is_empty(), self.is_leaving) {
                        (true, _) => NO_ANSWER,
                        (false, true) => CLOSED_HERE,
                        (false, false) => "the server has closed the connection, or is gone",
                    });
                }
                self.forget(peer);
            }
            EventNoRef::Receive { peer, channel_id, packet } => {
                // This end drops packets that arrive after it began to close the connection.
                let is_open = self.host.peer(peer).state() == PeerState::Connected;
                if let Some(id) = self.ids.get(&peer.0).filter(|_| is_open) {
                    let mode = self.mode(channel_id);
                    self.session.receive(*id, packet.data(), mode, channel_id);
                }
            }
        }
    }

    /// Tells the session that an end is gone.
    fn forget(&mut self, peer: HostPeer) {
        if let Some(id) = self.ids.remove(&peer.0) {
            self.numbers.remove(&id);
            self.unsent.remove(&id);
            self.session.disconnected(id);
        }
    }

    /// The mode of packets that arrive on a channel. The engines have one channel for all
    /// unreliable packets; the channels that a game chooses count as reliable.
    const fn mode(&self, channel: u8) -> TransferMode {
        let unreliable = match self.protocol {
            MultiplayerProtocol::Godot4 => 1,
            _ => 2,
        };
        if channel == unreliable && channel != SYSTEM_CHANNEL {
            TransferMode::Unreliable
        } else {
            TransferMode::Reliable
        }
    }

    /// Passes what the session sends to ENet.
    fn transmit(&mut self) {
        while let Some(Transmit { to, mode, channel, bytes }) = self.session.poll_transmit() {
            let number = self.numbers.get(&to).map(|number| HostPeer(*number));
            let peer = number.and_then(|number| self.host.get_peer_mut(number));
            let (Some(number), Some(peer), Some(unsent)) = (number, peer, self.unsent.get(&to))
            else {
                continue;
            };
            if unsent.load(Ordering::Relaxed) > self.unsent_limit {
                // ENet reports no event for this.
                peer.disconnect_now(0);
                self.forget(number);
                if !self.is_server {
                    self.closed = Some("the server is too slow");
                }
                continue;
            }
            let kind = match mode {
                TransferMode::Reliable => PacketKind::Reliable,
                TransferMode::UnreliableOrdered => PacketKind::AlwaysUnreliable { sequenced: true },
                _ => PacketKind::Unreliable { sequenced: false },
            };
            // The session knows the limits. It fails if the connection is being closed, or if this client
            // has fewer channels than others.
            let packet = WaitingPacket::new(bytes, unsent);
            peer.send(channel, &Packet::new(Box::new(packet), kind)).ok();
        }
    }
}

impl fmt::Debug for EnetPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EnetPeer { address, session, closed, .. } = self;
        debug_fields!(f, EnetPeer { address, session, closed, .. })
    }
}

impl Drop for EnetPeer {
    /// Tells the connected ends that this one leaves.
    fn drop(&mut self) {
        let numbers: Vec<_> = self.ids.keys().copied().collect();
        for number in numbers {
            if let Some(peer) = self.host.get_peer_mut(HostPeer(number))
                && peer.state() == PeerState::Connected
            {
                peer.disconnect_now(0);
            }
        }
        self.host.flush();
    }
}

/// A packet that ENet drops when it is acknowledged or, if it is unreliable, sent. Until then it counts.
struct WaitingPacket {
    bytes: Vec<u8>,
    unsent: Arc<AtomicUsize>,
}

impl WaitingPacket {
    /// The approximate memory that ENet uses for a packet in addition to its bytes.
    const OVERHEAD: usize = 256;

    fn new(bytes: Vec<u8>, unsent: &Arc<AtomicUsize>) -> WaitingPacket {
        unsent.fetch_add(bytes.len().saturating_add(WaitingPacket::OVERHEAD), Ordering::Relaxed);
        WaitingPacket { bytes, unsent: Arc::clone(unsent) }
    }
}

impl AsRef<[u8]> for WaitingPacket {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for WaitingPacket {
    fn drop(&mut self) {
        let bytes = self.bytes.len().saturating_add(WaitingPacket::OVERHEAD);
        self.unsent.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A socket that shows its datagrams.
struct WatchedSocket {
    socket: UdpSocket,
    local: SocketAddr,
    /// Whether a datagram that cannot be sent counts as lost: a server goes on for the other clients. The
    /// addresses of clients may be forged.
    is_server: bool,
    watcher: Watcher,
}

/// Whether an error concerns one datagram: one that Windows found too long, or an answer that there is no
/// socket at the address of an earlier one.
fn is_of_datagram(error: &io::Error) -> bool {
    const TOO_LONG_ON_WINDOWS: i32 = 10_040;
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::Interrupted)
        || cfg!(windows) && error.raw_os_error() == Some(TOO_LONG_ON_WINDOWS)
}

impl Socket for WatchedSocket {
    type Address = SocketAddr;
    type Error = io::Error;

    fn init(&mut self, options: SocketOptions) -> Result<(), io::Error> {
        self.socket.init(options)
    }

    fn send(&mut self, dst: SocketAddr, datagram: &[u8]) -> Result<usize, io::Error> {
        let content = TrafficContent::Datagram(datagram);
        self.watcher.show(Traffic { src: self.local, dst, is_sent: true, content });
        match Socket::send(&mut self.socket, dst, datagram) {
            Err(error) if self.is_server || is_of_datagram(&error) => Ok(0),
            result => result,
        }
    }

    fn receive(
        &mut self,
        buffer: &mut [u8; MTU_MAX],
    ) -> Result<Option<(SocketAddr, PacketReceived)>, io::Error> {
        let received = match self.socket.receive(buffer) {
            Err(error) if is_of_datagram(&error) => return Ok(None),
            result => result?,
        };
        if let Some((src, PacketReceived::Complete(len))) = &received
            && let Some(datagram) = buffer.get(..*len)
        {
            let (src, content) = (*src, TrafficContent::Datagram(datagram));
            self.watcher.show(Traffic { src, dst: self.local, is_sent: false, content });
        }
        Ok(received)
    }
}

#[cfg(test)]
mod tests {
    use super::{Socket, SocketAddr, UdpSocket, WatchedSocket, Watcher};

    /// Datagrams may come from port 0, to which nothing can be sent.
    #[test]
    fn a_server_goes_on_after_a_datagram_that_cannot_be_sent() {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let socket = UdpSocket::bind(nowhere).expect("there are ports");
        let local = socket.local_addr().expect("it is bound");
        let mut socket =
            WatchedSocket { socket, local, is_server: true, watcher: Watcher::default() };
        assert_eq!(socket.send(nowhere, b"answer").ok(), Some(0));
        socket.is_server = false;
        assert!(socket.send(nowhere, b"question").is_err());
    }
}
