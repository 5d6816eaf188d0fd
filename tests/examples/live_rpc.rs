//! A relay between a Godot game and its server that prints each remote call with the names of nodes.
//!
//! The game connects to the first address; the server listens on the second one:
//!
//! ```sh
//! cargo run --features capture --example live_rpc 127.0.0.1:7777 127.0.0.1:7778
//! ```

use gdwire::follow::{Content, Event, Follower, Place};
use gdwire::packet::UdpDatagram;
use std::net::{SocketAddr, UdpSocket};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let socket = UdpSocket::bind(arguments.next().unwrap_or("127.0.0.1:7777".to_owned()))?;
    let server: SocketAddr = arguments.next().unwrap_or("127.0.0.1:7778".to_owned()).parse()?;
    println!("listening on {}", socket.local_addr()?);
    let mut follower = Follower::new();
    let (mut buffer, mut game) = ([0; 1 << 16], None);
    for number in 1.. {
        // On some systems, an error here means that the receiver of an earlier datagram is not
        // available.
        let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
        let Some(to) = (if from == server { game } else { Some(server) }) else { continue };
        game = if from == server { game } else { Some(from) };
        socket.send_to(&buffer[..length], to)?;
        let datagram = UdpDatagram::new(from, to, &buffer[..length]);
        follower.datagram(Place::new(number), &datagram).for_each(|event| {
            if let Event::Message(message) = event
                && let Content::Packet(packet) = message.content
            {
                let (src, dst) = (message.origin.src(), message.origin.dst());
                println!("{src} → {dst}  {}", packet.display(message.context()));
            }
        });
    }
    Ok(())
}
