//! Appends values that arrive over UDP to a file, which `File.get_var()` and `gdwire decode` read.
//!
//! ```sh
//! cargo run --example recorder 127.0.0.1:7777 session.dat
//! ```

use gdwire::{Dialect, parse};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::net::UdpSocket;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("usage: recorder ADDRESS FILE".into());
    };
    let socket = UdpSocket::bind(address)?;
    let mut file = File::options().create(true).append(true).open(path)?;
    println!("listening on {}", socket.local_addr()?);
    let mut datagram = [0; 1 << 16];
    loop {
        let (length, from) = socket.recv_from(&mut datagram)?;
        match parse(Dialect::GODOT_3, &datagram[..length]) {
            Ok(value) => {
                // One write for each frame, so the file never has a part of one.
                let length = u32::try_from(length)?.to_le_bytes();
                file.write_all(&[&length[..], value.as_bytes()].concat())?;
            }
            Err(error) => eprintln!("{from}: {error}"),
        }
    }
}
