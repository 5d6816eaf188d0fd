//! Large numbers of connections and fragments: keeping all of them would take a lot of memory.

use crate::wire::{FIN, PUSH, Packet, SERVER, SYN, client, fragment, tcp};
use gdwire::{Dialect, encode, variant};

fn framed(number: usize) -> Vec<u8> {
    let value = variant!({"number": number as i64, "speed": 0.5, "list": [1, 2]});
    let value = encode(Dialect::GODOT_4, &value).unwrap();
    [&(value.len() as u32).to_le_bytes()[..], &value].concat()
}

/// TCP connections one after the other: each is opened, carries a message, and is closed.
pub fn in_turn(connections: usize) -> impl Iterator<Item = Packet> {
    (0..connections).flat_map(|number| {
        let (client, message) = (client(number), framed(number));
        let (sent, got) = ((client, SERVER), (SERVER, client));
        let start = number as u32;
        let end = start + 1 + message.len() as u32;
        [
            tcp(sent, start, None, SYN, &[]),
            tcp(got, 500, Some(start + 1), SYN, &[]),
            tcp(sent, start + 1, Some(501), PUSH, &message),
            tcp(sent, end, Some(501), FIN, &[]),
            tcp(got, 501, Some(end + 1), FIN, &[]),
            tcp(sent, end + 1, Some(502), 0, &[]),
        ]
    })
}

/// TCP connections that are all open at once: each sends a message, and then each another one.
pub fn at_once(connections: usize) -> impl Iterator<Item = Packet> {
    let len = framed(0).len() as u32;
    let opened = (0..connections).flat_map(|number| {
        let ends = (client(number), SERVER);
        [tcp(ends, 99, None, SYN, &[]), tcp(ends, 100, None, PUSH, &framed(number))]
    });
    let more = (0..connections)
        .map(move |number| tcp((client(number), SERVER), 100 + len, None, PUSH, &framed(number)));
    opened.chain(more)
}

/// The first fragments of IP packets whose other fragments never come.
pub fn stray(fragments: usize) -> impl Iterator<Item = Packet> {
    (0..fragments).map(|number| {
        let ends = (client(number / 60_000), SERVER);
        fragment(ends, number as u16, 0, true, &[7; 64])
    })
}

/// The same connection many times at once, each with a client of its own: one packet of each in
/// turn.
pub fn alike(packets: Vec<Packet>, connections: usize) -> impl Iterator<Item = Packet> {
    const CLIENT: [u8; 4] = [10, 0, 0, 2];
    packets.into_iter().flat_map(move |packet| {
        (0..connections as u32).map(move |number| {
            let mut packet = packet.clone();
            for place in [12..16, 16..20] {
                if packet[place.clone()] == CLIENT {
                    packet[place].copy_from_slice(&(0x0a10_0000 + number).to_be_bytes());
                }
            }
            packet
        })
    })
}
