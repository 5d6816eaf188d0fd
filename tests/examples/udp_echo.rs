//! A UDP server for games that use `PacketPeerUDP`. It sends each value back.
//!
//! ```sh
//! cargo run --example udp_echo 127.0.0.1:7777
//! ```

use gdwire::{Dialect, encode, parse};
use std::error::Error;
use std::net::{SocketAddr, UdpSocket};

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    let socket = UdpSocket::bind(address)?;
    println!("listening on {}", socket.local_addr()?);
    let mut datagram = [0; 1 << 16];
    loop {
        let (length, from) = socket.recv_from(&mut datagram)?;
        // A bad packet of one game, or one that cannot be sent back, does not affect the others.
        if let Err(error) = echo(&socket, &datagram[..length], from) {
            eprintln!("{from}: {error}");
        }
    }
}

fn echo(socket: &UdpSocket, datagram: &[u8], from: SocketAddr) -> Result<(), Box<dyn Error>> {
    let value = parse(Dialect::GODOT_3, datagram)?;
    println!("{from}: {value:?}");
    socket.send_to(&encode(Dialect::GODOT_3, &value)?, from)?;
    Ok(())
}
