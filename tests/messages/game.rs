//! A small game of Godot 4, played by two engines over WebSocket and over ENet. Every remote call
//! is decoded with its path and arguments.

use crate::common::{lines, unhex};
use crate::messages::read::{Given, Reading, canonical, recorded};
use gdwire::Dialect;
use gdwire::follow::Transport;
use gdwire::net::enet::Mode;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const GAMES: [(&str, Transport); 3] = [
    ("godot4-game-websocket", Transport::WebSocket),
    ("godot4-game-enet", Transport::Enet),
    ("godot4-game-enet-compressed", Transport::Enet),
];

const DIALECT: Dialect = Dialect::GODOT_4;
const SERVER: u16 = 7777;

/// A line of the ground truth: a call, a spawned node or a change of its properties.
#[derive(Deserialize)]
struct Sent {
    from: String,
    kind: String,
    path: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    args_hex: Vec<String>,
}

#[test]
fn every_call_of_a_game_is_decoded_with_its_path_and_arguments() {
    for (name, transport) in GAMES {
        let reading = Reading::of(&recorded(&format!("{name}.pcapng")));
        assert_eq!(
            (reading.damaged, reading.other.len()),
            (0, usize::from(is_websocket(transport)))
        );
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        // Each method of a node has its own number.
        let mut methods: BTreeMap<(String, String), BTreeSet<&str>> = BTreeMap::new();
        for (from, is_server) in [("server", true), ("client", false)] {
            let expected = sent.iter().filter(|sent| sent.from == from && sent.kind == "call");
            let given = reading.given.iter();
            let given = given.filter(|given| (given.src.port() == SERVER) == is_server);
            let given = given.filter(|given| given.packet.as_ref().unwrap().command == "call");
            let (given, expected): (Vec<_>, Vec<_>) = (given.collect(), expected.collect());
            assert_eq!((given.len(), expected.len()), (100, 100), "{name} {from}");
            for (given, sent) in given.into_iter().zip(expected) {
                assert_eq!((given.transport, given.dialect), (transport, Dialect::GODOT_4));
                let packet = given.packet.as_ref().unwrap();
                let args = sent.args_hex.iter().map(|hex| canonical(DIALECT, &unhex(hex)));
                let args: Vec<_> = args.collect();
                let path = packet.path.as_ref().unwrap();
                assert_eq!((path, &packet.args), (&sent.path, &args), "{name} {given:?}");
                let number = format!("{} {}", packet.json["method"], packet.json["own"]);
                methods.entry((path.clone(), number)).or_default().insert(&sent.method);
            }
        }
        assert!(methods.values().all(|names| names.len() == 1), "{name} {methods:?}");
    }
}

/// The WebSocket connection is reset when only the header of the last frame has arrived.
#[test]
fn nothing_else_is_missing_of_a_game() {
    for (name, transport) in GAMES {
        let reading = Reading::of(&recorded(&format!("{name}.pcapng")));
        let lost: Vec<_> = reading.lost.iter().map(|(_, _, loss)| loss.to_string()).collect();
        assert_eq!(lost.len(), usize::from(is_websocket(transport)), "{name} {lost:?}");
        assert!(lost.iter().all(|loss| loss.starts_with("2 bytes ")), "{name} {lost:?}");
        let count = |command| {
            let commands = reading.given.iter().map(|given| given.packet.as_ref().unwrap().command);
            commands.filter(|found| *found == command).count()
        };
        // Each end confirms the paths that the other one announces.
        assert_eq!(count("simplify_path"), count("confirm_path"), "{name}");
        assert_eq!((count("call"), count("spawn")), (200, 12), "{name}");
    }
}

/// The calls that one end sent, each as its path and arguments, with how often it was sent.
type Calls = BTreeMap<(String, Vec<Vec<u8>>), usize>;

#[test]
fn a_lossy_network_loses_only_unreliable_calls() {
    let folder = "captures/godot4-game-enet-lossy";
    let sent: Vec<Sent> = lines(&format!("{folder}.ndjson"));
    // Each side captured all that its own end sent.
    let sides = [("client", 7790), ("server", 7777)].map(|(side, port)| {
        let file = recorded(&format!("godot4-game-enet-lossy-{side}-side.pcapng"));
        (side, port, Reading::of_lossy(&file), file)
    });
    for (from, ..) in &sides {
        let mut expected = Calls::new();
        for sent in sent.iter().filter(|sent| sent.from == *from && sent.kind == "call") {
            let args = sent.args_hex.iter().map(|hex| canonical(DIALECT, &unhex(hex))).collect();
            *expected.entry((sent.path.clone(), args)).or_default() += 1;
        }
        let mut reliable = Vec::new();
        for (side, port, reading, _) in &sides {
            let is_from_there = |given: &&Given| (given.src.port() == *port) == (*from == "server");
            let (mut calls, mut in_channels) = (Calls::new(), Vec::new());
            let mut missing = expected.clone();
            for given in reading.given.iter().filter(is_from_there) {
                let packet = given.packet.as_ref().unwrap();
                if packet.command == "call" {
                    let call = (packet.path.clone().unwrap(), packet.args.clone());
                    *missing.get_mut(&call).expect("a call that was sent") -= 1;
                    *calls.entry(call).or_default() += 1;
                    if given.mode == Some(Mode::Reliable) {
                        in_channels.push((given.channel, given.bytes.clone()));
                    }
                }
            }
            missing.retain(|_, count| *count > 0);
            if side == from {
                assert_eq!(calls, expected, "{from}");
            } else {
                let count: usize = missing.values().sum();
                assert_eq!(count, 3, "{from} {missing:?}");
            }
            // A channel keeps its order; other channels may overtake it.
            in_channels.sort_by_key(|(channel, _)| *channel);
            reliable.push(in_channels);
        }
        assert!(reliable[0].len() > 100);
        assert_eq!(reliable[0], reliable[1], "ENet sends again what is lost");
        // All other missing calls did not reach the other end at all.
        let (_, _, own, _) = sides.iter().find(|(side, ..)| side == from).unwrap();
        let (_, _, other, file) = sides.iter().find(|(side, ..)| side != from).unwrap();
        let arrived: BTreeSet<&[u8]> = other.given.iter().map(|given| &given.bytes[..]).collect();
        for given in own.given.iter().filter(|given| !arrived.contains(&given.bytes[..])) {
            let is_there = file.windows(given.bytes.len()).any(|bytes| bytes == given.bytes);
            assert!(!is_there, "{given:?}");
        }
    }
}

fn is_websocket(transport: Transport) -> bool {
    transport == Transport::WebSocket
}
