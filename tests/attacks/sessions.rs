//! Attacks of hostile clients on a session that is a server, and their cost in memory and work.

use crate::meter::measured;
use gdwire::multiplayer::session::{Session, SessionLimits, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::project::TransferMode;
use gdwire::{Dialect, Variant, encode};
use std::sync::Arc;

/// A kind of attack: its name, and about as many bytes of packets as asked for.
pub type Attack = (&'static str, Dialect, fn(usize) -> Vec<Vec<u8>>);

pub const ATTACKS: &[Attack] = &[
    ("announced paths", Dialect::GODOT_4, |size| {
        repeat(size, |at| announcement(at, &format!("Game/{at}/{}", "x".repeat(at as usize % 900))))
    }),
    ("announced paths", Dialect::GODOT_3, |size| {
        repeat(size, |at| old(&[&[2][..], &at.to_le_bytes(), format!("Game/{at}\0").as_bytes()]))
    }),
    ("spawns", Dialect::GODOT_4, |size| {
        let mut packets = vec![announcement(0, "Game/Spawner")];
        packets.extend(repeat(size, |at| {
            let ids: Vec<u8> = (0..200_u32).flat_map(|id| (at * 300 + id).to_le_bytes()).collect();
            let numbers = [0, at * 300 + 250, 200, 2].map(u32::to_le_bytes);
            [&[4, 0][..], numbers.as_flattened(), &ids, b"a\0"].concat()
        }));
        packets
    }),
    ("calls by long paths", Dialect::GODOT_4, |size| {
        repeat(size, |at| {
            let path = format!("Game/{}\0", "y".repeat(at as usize % 4_000));
            [&[0xa0, 6, 0, 0, 0x80, 0][..], path.as_bytes()].concat()
        })
    }),
    ("calls of nobody", Dialect::GODOT_4, |size| repeat(size, |at| vec![0x80, at as u8, 9])),
    ("arguments without end", Dialect::GODOT_3, |size| {
        let nulls =
            encode(Dialect::GODOT_3, &Variant::Array(vec![Variant::Nil; size / 4].into())).unwrap();
        vec![old(&[&[0, 10, 0, 0, 0x80][..], b"a\0\x01", &nulls, b"G\0"])]
    }),
    ("states of nobody", Dialect::GODOT_4, |size| {
        repeat(size, |at| {
            let states: Vec<u8> = (0..150_u32)
                .flat_map(|id| [at * 150 + id, 4, 0].map(u32::to_le_bytes))
                .flatten()
                .collect();
            [&[6, at as u8, 0][..], &states].concat()
        })
    }),
    ("relays to all", Dialect::GODOT_4, |size| repeat(size, |_| vec![7, 3, 0, 0, 0, 0, 3, 1])),
    ("noise", Dialect::GODOT_4, |size| repeat(size, noise)),
    ("noise", Dialect::GODOT_3, |size| repeat(size, |at| old(&[&noise(at)]))),
];

fn repeat(size: usize, mut make: impl FnMut(u32) -> Vec<u8>) -> Vec<Vec<u8>> {
    let mut left = size;
    let mut packets = Vec::new();
    for at in 1.. {
        let packet = make(at);
        let Some(rest) = left.checked_sub(packet.len() + 1) else { break };
        left = rest;
        packets.push(packet);
    }
    packets
}

fn announcement(id: u32, path: &str) -> Vec<u8> {
    let digest = "d41d8cd98f00b204e9800998ecf8427e\0";
    [&[1][..], digest.as_bytes(), &id.to_le_bytes(), path.as_bytes(), &[0]].concat()
}

/// A packet of Godot 3 from client 2 to the server.
fn old(parts: &[&[u8]]) -> Vec<u8> {
    [&[2, 0, 0, 0, 1, 0, 0, 0][..], &parts.concat()].concat()
}

fn noise(at: u32) -> Vec<u8> {
    let mut state = at.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 9) as u8
    };
    let length = 3 + usize::from(next()) % 60;
    (0..length).map(|_| next()).collect()
}

/// The cost of an attack.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The bytes of all packets, and of the longest.
    pub bytes: u64,
    pub longest: u64,
    /// The most memory at one time, and all that was allocated.
    pub peak: u64,
    pub allocated: u64,
    pub events: u64,
    pub sent: u64,
}

/// A server with three clients gets an attack from one of them.
pub fn attack(&(_, dialect, make): &Attack, size: usize, joins: bool) -> Cost {
    let packets = make(size);
    let names = Arc::new(Names::from(Methods::parse("Game/**: a b").unwrap()));
    let limits = SessionLimits::default().with_announcements(500);
    let options = SessionOptions::server(dialect).with_names(names).with_limits(limits);
    let mut cost = Cost {
        bytes: packets.iter().map(|it| it.len() as u64).sum(),
        longest: packets.iter().map(|it| it.len() as u64).max().unwrap_or(0),
        peak: 0,
        allocated: 0,
        events: 0,
        sent: 0,
    };
    let from = PeerId::new(2);
    (cost.peak, cost.allocated) = measured(|| {
        let mut server = Session::new(options.with_unknown_nodes());
        server.set_authority("Game/Spawner", from);
        for id in 2..5 {
            server.connected(PeerId::new(id)).unwrap();
        }
        for packet in &packets {
            server.receive(from, packet, TransferMode::Reliable, 1);
            if joins {
                server.disconnected(from);
                server.connected(from).unwrap();
            }
            while server.poll_event().is_some() {
                cost.events += 1;
            }
            while server.poll_transmit().is_some() {
                cost.sent += 1;
            }
        }
    });
    cost
}
