//! Captures of the high-level multiplayer API: spawned and synchronized nodes, and peers.

use crate::common::{hex, lines, unhex};
use crate::messages::calls::Sent;
use crate::messages::read::{Given, Reading, canonical, recorded};
use gdwire::Dialect;
use gdwire::follow::Reason;
use gdwire::multiplayer::PeerId;
use serde_json::Value;
use std::collections::BTreeSet;

const REPLICATED: [&str; 3] = ["godot4-rpc", "godot4-rpc-compressed", "godot4-rpc-three"];

/// The last name of a path.
fn name(path: &str) -> String {
    path.rsplit('/').next().unwrap().to_string()
}

fn values(json: &Value) -> Vec<String> {
    let values = json["args_hex"].as_array().unwrap().iter();
    values.map(|hex| same(hex.as_str().unwrap())).collect()
}

fn same(value: &str) -> String {
    hex(&canonical(Dialect::GODOT_4, &unhex(value)))
}

fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_string()
}

#[test]
fn nodes_are_spawned_synchronized_and_despawned() {
    for capture in REPLICATED {
        let reading = Reading::of(&recorded(&format!("{capture}.pcapng")));
        let sent: Vec<Sent> = lines(&format!("captures/{capture}.ndjson"));
        let of_kind = |kind: &'static str| sent.iter().filter(move |sent| sent.kind == kind);
        let clients: BTreeSet<u16> =
            reading.given.iter().map(|it| it.dst.port()).filter(|port| *port != 7777).collect();
        assert_eq!(clients.len(), if capture.ends_with("three") { 2 } else { 1 });
        for client in clients {
            let is_to = |given: &&Given| given.dst.port() == client;
            let (mut spawns, mut despawns) = (Vec::new(), Vec::new());
            let (mut syncs, mut deltas) = (BTreeSet::new(), Vec::new());
            for given in reading.given.iter().filter(is_to) {
                let json = &given.packet.as_ref().unwrap().json;
                match json["command"].as_str().unwrap() {
                    "spawn" => {
                        assert_eq!(json["path"], "Game/Spawner");
                        spawns.push((text(&json["name"]), values(json)));
                    }
                    "despawn" => despawns.push(text(&json["name"])),
                    "sync" | "delta" => {
                        for state in json["states"].as_array().unwrap() {
                            let name = match state.get("net_id") {
                                Some(_) => text(&state["name"]),
                                None => text(&state["path"]),
                            };
                            let values = values(state);
                            match state["changed"].as_array() {
                                None => {
                                    syncs.insert((name, values));
                                }
                                Some(places) => {
                                    let places = places.iter().map(|it| it.as_u64().unwrap());
                                    deltas.extend(
                                        places.zip(values).map(|(at, it)| (name.clone(), at, it)),
                                    );
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            let expected: Vec<_> = of_kind("spawn")
                .map(|it| (name(&it.path), it.args_hex.iter().map(|it| same(it)).collect()))
                .collect();
            assert!(expected.len() >= 2);
            assert_eq!(spawns, expected, "{capture} {client}");
            // At the end, the engine removes the nodes in its own order.
            despawns.sort();
            let expected: Vec<_> = of_kind("despawn").map(|it| name(&it.path)).collect();
            assert_eq!(despawns, expected, "{capture} {client}");
            let mut states = 0;
            for sent in of_kind("sync") {
                let name = match name(&sent.path) {
                    world if world == "World" => "Game/World/Sync".to_string(),
                    mob => mob,
                };
                let state = (name, sent.args_hex.iter().map(|it| same(it)).collect());
                // A state that is replaced before it is sent is never sent.
                states += usize::from(syncs.contains(&state));
            }
            let sent = of_kind("sync").count();
            assert!(states * 10 >= sent * 9, "{capture} {client} {states} of {sent}");
            let changed: BTreeSet<_> = of_kind("delta")
                .flat_map(|sent| {
                    let values = (0_u64..).zip(&sent.args_hex);
                    values.map(|(at, value)| (name(&sent.path), at, same(value)))
                })
                .collect();
            assert!(deltas.len() >= 8, "{capture} {client} {}", deltas.len());
            assert!(deltas.iter().all(|delta| changed.contains(delta)), "{capture} {client}");
            // The values of a property are in the order of its changes.
            let mut changes: Vec<_> = of_kind("delta").collect();
            changes.sort_by_key(|sent| sent.n);
            for (name, place) in
                deltas.iter().map(|(name, at, _)| (name, *at)).collect::<BTreeSet<_>>()
            {
                let mut sent = (changes.iter())
                    .filter(|sent| self::name(&sent.path) == *name)
                    .filter_map(|sent| sent.args_hex.get(place as usize).map(|it| same(it)));
                let mut given = deltas.iter().filter(|(of, at, _)| (of, *at) == (name, place));
                assert!(given.all(|(.., value)| sent.any(|it| it == *value)), "{capture} {name}");
            }
        }
    }
}

#[test]
fn peers_are_added_and_removed() {
    for capture in ["godot3-rpc-three", "godot4-rpc-three"] {
        let reading = Reading::of(&recorded(&format!("{capture}.pcapng")));
        let id = |port: u16| {
            let mut from = reading.given.iter().filter(|given| given.src.port() == port);
            from.next().unwrap().peers.source.unwrap().get()
        };
        let ids = [id(7778), id(7779)];
        assert_ne!(ids[0], ids[1]);
        let added: Vec<_> = (reading.given.iter())
            .filter_map(|given| {
                let contents =
                    given.packet.as_ref().filter(|contents| contents.command == "peer_added")?;
                assert_eq!(given.src.port(), 7777);
                assert_eq!(given.peers.source, Some(PeerId::SERVER));
                Some((given.dst.port(), contents.json["peer"].as_i64().unwrap()))
            })
            .collect();
        let expected = [(7778, i64::from(ids[1])), (7779, i64::from(ids[0]))];
        assert_eq!(added.iter().collect::<BTreeSet<_>>(), expected.iter().collect(), "{capture}");
    }
}

/// Godot 3's multiplayer over WebSocket: what a script sent, and from which peer to which.
#[test]
fn calls_over_websocket_name_sender_and_receiver() {
    let reading = Reading::of(&recorded("godot3-websocket-rpc.pcapng"));
    // The capture ends inside the frame that closes the connection, which is not a loss.
    assert!(reading.lost.is_empty(), "{:?}", reading.lost);
    let [(10, Some(_), Reason::PeerId(client), 13)] = reading.other[..] else {
        panic!("{:?}", reading.other)
    };
    let sent: Vec<Sent> = lines("captures/godot3-websocket-rpc.ndjson");
    for from in ["server", "client"] {
        let is_server = from == "server";
        let given: Vec<_> = (reading.given.iter())
            .filter(|it| (it.src.port() == 7911) == is_server)
            .filter_map(|given| {
                let contents = given.packet.as_ref().unwrap();
                let name = |name: &Option<String>| name.clone().unwrap_or_default();
                let done = match contents.command {
                    "call" => {
                        ("rpc", name(&contents.path), name(&contents.method), contents.args.clone())
                    }
                    "set" => (
                        "rset",
                        name(&contents.path),
                        name(&contents.method),
                        contents.args.clone(),
                    ),
                    "raw" => ("packet", String::new(), String::new(), vec![given.bytes.clone()]),
                    _ => return None,
                };
                let ends =
                    [given.peers.source, given.peers.target].map(|peer| peer.map(PeerId::get));
                Some((ends[0], ends[1], done))
            })
            .collect();
        let expected: Vec<_> = (sent.iter())
            .filter(|sent| sent.from == from)
            .map(|sent| {
                let (_, path, method, args) = sent.done(Dialect::GODOT_3);
                let done = match &*sent.kind {
                    // `put_packet` sends its bytes unchanged, and `send_bytes` sends a 4 before
                    // them.
                    "packet" | "bytes" => {
                        let array = gdwire::parse(Dialect::GODOT_3, &args[0]).unwrap();
                        let bytes = array.as_byte_array().unwrap();
                        let front: &[u8] = if sent.kind == "bytes" { &[4] } else { &[] };
                        ("packet", String::new(), String::new(), vec![[front, bytes].concat()])
                    }
                    kind => (kind, path, method, args),
                };
                (sent.source, sent.target, done)
            })
            .collect();
        assert!(expected.len() >= 4);
        assert_eq!(given, expected, "{from}");
        let client = client.get();
        let peers = if is_server { (1, client) } else { (client, 1) };
        assert!(given.iter().all(|it| (it.0.unwrap(), it.1.unwrap()) == peers));
    }
}
