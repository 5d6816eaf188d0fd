//! A proxy between a game and its server that raises the `hp` of each player to at least 100.
//!
//! It copies each packet that `PacketPeerUDP.put_var` wrote into a buffer, with this field changed,
//! and passes everything else on byte for byte, in both directions. It does not allocate memory for
//! packets.
//!
//! ```sh
//! cargo run --example udp_proxy 127.0.0.1:7777 127.0.0.1:7778
//! ```

use gdwire::encode::patch;
use gdwire::{Dialect, parse};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

const FIELD: &str = "/player/hp";
const LEAST: i32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:7777".to_owned());
    let server = arguments.next().unwrap_or("127.0.0.1:7778".to_owned());
    let socket = UdpSocket::bind(address)?;
    println!("listening on {}", socket.local_addr()?);
    let mut proxy = Proxy::new(socket, server.parse()?);
    let mut last_printed = Instant::now();
    loop {
        if let Err(error) = proxy.pass_one() {
            // On some systems, an error here means that no program listens at the other end.
            eprintln!("{error}");
        }
        if last_printed.elapsed() > Duration::from_secs(1) {
            last_printed = Instant::now();
            println!("{}", proxy.counts);
        }
    }
}

/// The packets so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Packets of the game in which the field was changed.
    pub(crate) changed: u64,
    /// Packets of the game that were passed on unchanged.
    pub(crate) unchanged: u64,
    /// Packets of the server.
    pub(crate) answers: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { changed, unchanged, answers } = self;
        write!(f, "{changed} packets changed, {unchanged} unchanged, {answers} answers")
    }
}

/// The sockets to both sides, and the buffers for one packet.
pub(crate) struct Proxy {
    socket: UdpSocket,
    server: SocketAddr,
    /// The address that the game sent from last.
    game: Option<SocketAddr>,
    received: Box<[u8]>,
    patched: Box<[u8]>,
    pub(crate) counts: Counts,
}

impl Proxy {
    pub(crate) fn new(socket: UdpSocket, server: SocketAddr) -> Proxy {
        let buffer = || vec![0; 1 << 16].into_boxed_slice();
        let (received, patched) = (buffer(), buffer());
        Proxy { socket, server, game: None, received, patched, counts: Counts::default() }
    }

    /// Waits for a packet and passes it on.
    pub(crate) fn pass_one(&mut self) -> io::Result<()> {
        let (length, from) = self.socket.recv_from(&mut self.received)?;
        let packet = &self.received[..length];
        if from == self.server {
            self.counts.answers += 1;
            if let Some(game) = self.game {
                self.socket.send_to(packet, game)?;
            }
            return Ok(());
        }
        self.game = Some(from);
        let packet = match mend(packet, &mut self.patched) {
            Some(length) => {
                self.counts.changed += 1;
                &self.patched[..length]
            }
            None => {
                self.counts.unchanged += 1;
                packet
            }
        };
        self.socket.send_to(packet, self.server)?;
        Ok(())
    }
}

/// Writes the packet with the field changed, and returns its length. Returns `None` if it lacks the
/// field or the field need not change.
fn mend(packet: &[u8], out: &mut [u8]) -> Option<usize> {
    let value = parse(Dialect::GODOT_4, packet).ok()?;
    let hp: i64 = value.at(FIELD).ok()?.to().ok()?;
    if hp >= LEAST.into() {
        return None;
    }
    patch(value, FIELD, &LEAST, out).ok()
}
