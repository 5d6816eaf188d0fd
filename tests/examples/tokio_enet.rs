//! A client over ENet in a program with tokio. A session has no sockets, so it goes with any. This one
//! joins the game of the example `game_server`, says hello, and prints what the server tells it.
//!
//! ```sh
//! cargo run --features peer --example tokio_enet 127.0.0.1:7777
//! ```

use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::project::TransferMode;
use rusty_enet::{
    EventNoRef, Host, HostSettings, MTU_MAX, Packet, PacketKind, PacketReceived, Socket,
};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::UdpSocket;
use tokio::time::timeout;

const METHODS: &str = "Main/World: move, said, say";
const WORLD: &str = "Main/World";
const CHANNELS: usize = 255;

/// How long the program waits at most: ENet sends again what was lost.
const FRAME: Duration = Duration::from_millis(16);

/// A socket of tokio, for ENet.
struct TokioSocket(UdpSocket);

impl Socket for TokioSocket {
    type Address = SocketAddr;
    type Error = io::Error;

    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> io::Result<usize> {
        match self.0.try_send_to(datagram, to) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            result => result,
        }
    }

    fn receive(
        &mut self,
        buffer: &mut [u8; MTU_MAX],
    ) -> io::Result<Option<(SocketAddr, PacketReceived)>> {
        match self.0.try_recv_from(buffer) {
            Ok((len, from)) => Ok(Some((from, PacketReceived::Complete(len)))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let server = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned()).parse()?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(play(server))
}

async fn play(server: SocketAddr) -> Result<(), Box<dyn Error>> {
    let names = Arc::new(Names::from(Methods::parse(METHODS)?));
    let id = PeerId::new(std::process::id().cast_signed().max(2));
    let options = SessionOptions::client(Dialect::GODOT_4, id);
    let mut session = Session::new(options.with_names(names).with_unknown_nodes());
    let socket = TokioSocket(UdpSocket::bind("0.0.0.0:0").await?);
    let settings =
        HostSettings { peer_limit: 1, channel_limit: CHANNELS, ..HostSettings::default() };
    let mut host = Host::new(socket, settings)?;
    let peer = host.connect(server, CHANNELS, id.get().cast_unsigned())?.id();
    let start = Instant::now();
    loop {
        session.handle_time(start.elapsed());
        while let Some(event) = host.service()? {
            match event.no_ref() {
                EventNoRef::Connect { .. } => session.connected(PeerId::SERVER)?,
                EventNoRef::Disconnect { .. } => return Ok(()),
                EventNoRef::Receive { channel_id, packet, .. } => {
                    let mode = TransferMode::Reliable;
                    session.receive(PeerId::SERVER, packet.data(), mode, channel_id);
                }
            }
        }
        while let Some(event) = session.poll_event() {
            match event {
                SessionEvent::PeerConnected { peer: PeerId::SERVER } => {
                    session.call(PeerId::SERVER, WORLD, "say", ("hello",))?;
                }
                SessionEvent::Call(call) => {
                    println!("{}({})", call.method.as_deref().unwrap_or("?"), call.arguments());
                }
                _ => {}
            }
        }
        while let Some(sent) = session.poll_transmit() {
            let kind = match sent.mode {
                TransferMode::Reliable => PacketKind::Reliable,
                _ => PacketKind::Unreliable { sequenced: false },
            };
            host.peer_mut(peer).send(sent.channel, &Packet::new(sent.bytes, kind))?;
        }
        host.flush();
        // Until there is a datagram, or the next frame.
        timeout(FRAME, host.socket().0.readable()).await.ok();
    }
}
