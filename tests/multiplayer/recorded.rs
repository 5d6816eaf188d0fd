//! Recorded packets, compared with what the scripts of the games logged.

use crate::common::{hex, unhex, without_path_padding};
use crate::multiplayer::{
    GODOT_3, GODOT_4, Sent, end, engines, lines, names, read, recorded, to_json,
};
use gdwire::Dialect;
use gdwire::multiplayer::{ArgumentBytes, Arguments, Context, Form, Packet, Paths};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A call or a change of a property: its kind, the path of the node, the method and the values.
type Done = (String, String, String, Vec<String>);

/// The bytes of values, with zeros in the padding of node paths.
fn canonical(dialect: Dialect, values: &[String]) -> Vec<String> {
    let canonical = |value: &String| {
        let bytes = unhex(value);
        hex(&without_path_padding(gdwire::parse(dialect, &bytes).unwrap()))
    };
    values.iter().map(canonical).collect()
}

fn list(json: &Value) -> Vec<String> {
    let texts = json.as_array().unwrap().iter();
    texts.map(|text| text.as_str().unwrap().to_string()).collect()
}

/// The bytes of values as `var_to_bytes` gives them.
fn encoded(values: Arguments<'_>) -> Vec<String> {
    let encode = |value| hex(&gdwire::encode(Dialect::GODOT_4, &value).unwrap());
    values.iter().map(encode).collect()
}

#[test]
fn calls_are_those_that_were_sent() {
    let names = Arc::new(names());
    for (name, (protocol, dialect)) in [("godot3", GODOT_3), ("godot4", GODOT_4)] {
        let mut paths = Paths::new().with_names(names.clone());
        let mut found: HashMap<String, Vec<Done>> = HashMap::new();
        for packet in recorded(name) {
            let bytes = unhex(&packet.hex);
            let (sender, receiver) = (end(&packet.from), end(&packet.to));
            let read = read((protocol, dialect), &bytes);
            let context = Context::new().with_paths(&paths, sender).with_receiver(receiver);
            let context = context.with_relayed(sender, None);
            let mut json = to_json(&read, context, ArgumentBytes::Hex);
            let mut noted = read;
            if let Packet::Relay(relay) = read {
                json = json["rpc"].take();
                noted = relay.packet();
            }
            let kind = match json["command"].as_str().unwrap() {
                "call" => "rpc",
                "set" => "rset",
                "raw" => "bytes",
                _ => "",
            };
            if !kind.is_empty() {
                let text = |field: &str| json[field].as_str().unwrap_or_default().to_string();
                let values = canonical(dialect, &list(&json["args_hex"]));
                found.entry(packet.from).or_default().push((
                    kind.to_string(),
                    text("path"),
                    text("method"),
                    values,
                ));
            }
            paths.note(sender, &noted);
        }
        assert_eq!(paths.dropped(), 0);
        let sent = lines::<Sent>(&format!("multiplayer/{name}-sent.ndjson"));
        for from in ["server", "client"] {
            let calls = sent.iter().filter(|sent| {
                sent.from == from && matches!(&*sent.kind, "rpc" | "rset" | "bytes")
            });
            let expected: Vec<_> = calls
                .map(|sent| {
                    assert!(sent.delivered);
                    let path = sent.path.as_deref().unwrap_or_default();
                    let path = path.strip_prefix("/root/").unwrap_or(path).to_string();
                    let method = sent.method.clone().unwrap_or_default();
                    (sent.kind.clone(), path, method, canonical(dialect, &sent.args_hex))
                })
                .collect();
            let found = found.remove(from).unwrap();
            assert!(found.len() > 40, "{}", found.len());
            assert_eq!(found, expected, "{name} {from}");
        }
        assert!(found.is_empty());
    }
}

#[test]
fn every_packet_is_recognized() {
    let mut counts = BTreeMap::new();
    for (name, engine) in engines() {
        for packet in recorded(name) {
            let bytes = unhex(&packet.hex);
            let mut packet = read(engine, &bytes);
            if let Packet::Relay(relay) = packet {
                *counts.entry((name, "relay")).or_insert(0) += 1;
                assert!(relay.peer().get() >= 0);
                packet = relay.packet();
                assert!(!matches!(packet, Packet::Relay(_)));
            }
            *counts.entry((name, packet.command())).or_insert(0) += 1;
        }
    }
    let expected = [
        (("godot3", "call"), 101),
        (("godot3", "confirm_path"), 14),
        (("godot3", "raw"), 3),
        (("godot3", "set"), 16),
        (("godot3", "simplify_path"), 14),
        (("godot4", "call"), 134),
        (("godot4", "confirm_path"), 16),
        (("godot4", "delta"), 12),
        (("godot4", "despawn"), 3),
        (("godot4", "raw"), 10),
        (("godot4", "relay"), 4),
        (("godot4", "simplify_path"), 16),
        (("godot4", "spawn"), 3),
        (("godot4", "sync"), 59),
    ];
    for (key, count) in expected {
        assert_eq!(counts.remove(&key), Some(count), "{key:?}");
    }
    let three: Vec<_> = counts.keys().map(|(name, command)| (*name, *command)).collect();
    assert!(three.contains(&("godot4-three", "peer_added")), "{three:?}");
    assert!(three.iter().all(|(name, _)| *name == "godot4-three"), "{three:?}");
}

#[test]
fn states_of_nodes_are_those_that_were_sent() {
    let sent = lines::<Sent>("multiplayer/godot4-sent.ndjson");
    let of_kind = |kind: &'static str| sent.iter().filter(move |sent| sent.kind == kind);
    let name = |sent: &Sent| sent.path.as_deref().unwrap().rsplit('/').next().unwrap().to_string();
    let (mut spawns, mut syncs) = (Vec::new(), Vec::new());
    let (mut despawns, mut deltas) = (Vec::new(), Vec::new());
    let mut paths = Paths::new();
    for packet in recorded("godot4") {
        let bytes = unhex(&packet.hex);
        let sender = end(&packet.from);
        let packet = read(GODOT_4, &bytes);
        let context = Context::new().with_paths(&paths, sender);
        let json = to_json(&packet, context, ArgumentBytes::Hex);
        let text = |json: &Value| json.as_str().unwrap_or_default().to_string();
        match packet {
            Packet::Spawn(spawn) => {
                assert_eq!(json["path"], "Game/Spawner");
                assert_eq!((spawn.scene, spawn.synchronizers.len()), (None, 1));
                spawns.push((spawn.name.to_string(), encoded(spawn.argument)));
            }
            Packet::Despawn { .. } => despawns.push(text(&json["name"])),
            Packet::Sync(_) | Packet::Delta(_) => {
                for state in json["states"].as_array().unwrap() {
                    let name = match state.get("net_id") {
                        Some(_) => text(&state["name"]),
                        None => text(&state["path"]),
                    };
                    let values = list(&state["args_hex"]);
                    match state["changed"].as_array() {
                        None => syncs.push((name, values)),
                        Some(places) => {
                            deltas.extend(places.iter().zip(values).map(|(place, value)| {
                                (name.clone(), place.as_u64().unwrap(), value)
                            }))
                        }
                    }
                }
            }
            _ => {}
        }
        paths.note(sender, &packet);
    }
    let expected: Vec<_> =
        of_kind("spawn").map(|sent| (name(sent), sent.args_hex.clone())).collect();
    assert_eq!(spawns, expected);
    // At the end, the engine removes the nodes in its own order.
    despawns.sort();
    assert_eq!(despawns, of_kind("despawn").map(name).collect::<Vec<_>>());
    for sent in of_kind("sync") {
        let name = match name(sent) {
            world if world == "World" => "Game/World/Sync".to_string(),
            mob => mob,
        };
        assert!(syncs.contains(&(name.clone(), sent.args_hex.clone())), "{name} {}", sent.kind);
    }
    let sent_deltas: Vec<_> = of_kind("delta")
        .flat_map(|sent| (0..).zip(&sent.args_hex).map(move |(at, hex)| (name(sent), at, hex)))
        .collect();
    assert!(deltas.len() >= 12, "{}", deltas.len());
    for (name, place, value) in &deltas {
        let value = &canonical(Dialect::GODOT_4, std::slice::from_ref(value))[0];
        let is_sent = sent_deltas.iter().any(|(sent, at, hex)| {
            (sent, at) == (name, place)
                && canonical(Dialect::GODOT_4, &[(*hex).clone()])[0] == *value
        });
        assert!(is_sent, "{name} {place} {value}");
    }
}

#[test]
fn a_bool_takes_one_byte_and_an_int_up_to_nine() {
    let mut forms = [0; 4];
    for packet in recorded("godot4") {
        let bytes = unhex(&packet.hex);
        let Packet::Call(call) = read(GODOT_4, &bytes) else { continue };
        assert_eq!(call.arguments.iter().len(), call.arguments.len());
        for argument in call.arguments {
            let form = match argument.form() {
                Form::Bool(_) => 0,
                Form::Int(_) => 1,
                Form::Bytes(_) => 2,
                _ => 3,
            };
            forms[form] += 1;
            let plain = gdwire::encode(Dialect::GODOT_4, &argument).unwrap();
            let value = gdwire::parse(Dialect::GODOT_4, &plain).unwrap();
            assert_eq!(gdwire::Variant::from(argument), gdwire::Variant::from(value));
            assert_eq!(argument.kind(), value.kind());
            assert_eq!(argument.as_i64(), value.as_i64());
            assert_eq!(argument.as_bool(), value.as_bool());
            assert_eq!(argument.as_str(), value.as_str());
            assert_eq!(argument.as_byte_array(), value.as_byte_array());
            let layout = gdwire::text::Layout::Multiline;
            assert_eq!(argument.display(layout).to_string(), value.display(layout).to_string());
        }
    }
    assert!(forms.iter().all(|count| *count > 0), "{forms:?}");
}
