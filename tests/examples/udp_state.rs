//! Prints the fields of the states that a game sends with `PacketPeerUDP.put_var`. For a bad
//! packet, it prints the error and its place.
//!
//! ```sh
//! cargo run --example udp_state 127.0.0.1:7777
//! ```

use gdwire::math::Vector3;
use gdwire::view::{AccessError, FromVariant};
use gdwire::{Dialect, VariantRef, parse};
use std::error::Error;
use std::net::UdpSocket;

struct State<'a> {
    name: &'a str,
    hp: u16,
    position: Vector3<f32>,
    items: Vec<Item<'a>>,
}

struct Item<'a> {
    name: &'a str,
    /// 1 if the packet has no count.
    count: Option<u32>,
}

impl<'a> FromVariant<'a> for State<'a> {
    fn from_variant(value: VariantRef<'a>) -> Result<State<'a>, AccessError> {
        Ok(State {
            name: value.get_as("name")?,
            hp: value.at("/stats/hp")?.to()?,
            position: value.get_as("position")?,
            items: value.get_as("items")?,
        })
    }
}

impl<'a> FromVariant<'a> for Item<'a> {
    fn from_variant(value: VariantRef<'a>) -> Result<Item<'a>, AccessError> {
        Ok(Item { name: value.get_as("name")?, count: value.get_as("count")? })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7777".to_owned());
    let socket = UdpSocket::bind(address)?;
    println!("listening on {}", socket.local_addr()?);
    let mut buffer = [0; 1 << 16];
    loop {
        let (length, from) = socket.recv_from(&mut buffer)?;
        match describe(&buffer[..length]) {
            Ok(line) => println!("{from}: {line}"),
            Err(error) => println!("{from}: bad packet: {error}"),
        }
    }
}

fn describe(packet: &[u8]) -> Result<String, String> {
    let value = parse(Dialect::GODOT_4, packet).map_err(|error| {
        let path = error.path(Dialect::GODOT_4, packet).to_string();
        if path.is_empty() { error.to_string() } else { format!("{path}: {error}") }
    })?;
    let state: State<'_> = value.to().map_err(|error| error.to_string())?;
    let Vector3 { x, y, z } = state.position;
    let mut line = format!("{} has {} hp at ({x}, {y}, {z})", state.name, state.hp);
    for Item { name, count } in state.items {
        line += &format!(", {} × {name}", count.unwrap_or(1));
    }
    Ok(line)
}
