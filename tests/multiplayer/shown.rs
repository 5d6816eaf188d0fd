//! Packets as text for people, and as JSON for programs.

use crate::common::{hex, unhex};
use crate::multiplayer::{GODOT_3, GODOT_4, names, read, to_json};
use gdwire::multiplayer::{
    ArgumentBytes, Context, MultiplayerProtocol, PacketProblem, Paths, PeerId, parse,
};
use gdwire::{Dialect, Engine, encode, math::Vector2};
use serde_json::{Value, json};
use std::sync::Arc;

const MD5: &[u8] = b"\x016efb67b63067ddd3dfcb74475d4a4d28\0";

fn simplified(id: u8, path: &str) -> Vec<u8> {
    [MD5, &[id, 0, 0, 0], path.as_bytes(), &[0]].concat()
}

/// Packets of Godot 4 as text, after a path and a spawn have been announced.
fn shown(bytes: &[u8]) -> (String, Value) {
    let (world, spawner) = (simplified(2, "Game/World"), simplified(4, "Game/Spawner"));
    let spawn = unhex(SPAWN);
    let mut paths = Paths::new().with_names(Arc::new(names()));
    for bytes in [&world, &spawner, &spawn] {
        paths.note(PeerId::SERVER, &read(GODOT_4, bytes));
    }
    let context = Context::new()
        .with_paths(&paths, PeerId::SERVER)
        .with_receiver(PeerId::SERVER)
        .with_relayed(PeerId::SERVER, Some(PeerId::SERVER));
    let packet = read(GODOT_4, bytes);
    (packet.display(context).to_string(), to_json(&packet, context, ArgumentBytes::Omitted))
}

/// A spawn of `mob_0` with the argument 64, and a state of true.
const SPAWN: &str = "04ff040000000100000001000000060000000200000\
    06d6f625f3000020000000240\
    81";

#[test]
fn each_packet_of_godot_4_has_its_line() {
    let cases = [
        (
            "0002090142a900",
            "Game/World.set_score(169)",
            json!({"command": "call", "id": 2, "path": "Game/World", "method": "set_score", "args": ["i:169"]}),
        ),
        (
            "0003090142a900",
            "#3.#9(169)",
            json!({"command": "call", "id": 3, "path": null, "method": 9, "args": ["i:169"]}),
        ),
        (
            "80020d",
            "Game/World.#13()",
            json!({"command": "call", "id": 2, "path": "Game/World", "method": 13, "args": []}),
        ),
        (
            "c0020080",
            "Game/World.own#0()",
            json!({"command": "call", "id": 2, "path": "Game/World", "method": 0, "own": true, "args": []}),
        ),
        (
            "800200ff01",
            "Game/World.any(PackedByteArray(255, 1))",
            json!({"command": "call", "id": 2, "path": "Game/World", "method": "any", "args": [{"type": "PackedByteArray", "args": [255, 1]}]}),
        ),
        (
            "200a00008002028102fe6100",
            "a.chat(true, -2)",
            json!({"command": "call", "path": "a", "method": "chat", "args": [true, "i:-2"]}),
        ),
        (
            "020102000000",
            "confirm path Game/World",
            json!({"command": "confirm_path", "id": 2, "path": "Game/World", "valid": true}),
        ),
        (
            "020007000000",
            "confirm path #7, other methods",
            json!({"command": "confirm_path", "id": 7, "path": null, "valid": false}),
        ),
        (
            "02014368617400",
            "confirm path Chat",
            json!({"command": "confirm_path", "path": "Chat", "valid": true}),
        ),
        (
            "020148756400",
            "confirm path Hud",
            json!({"command": "confirm_path", "path": "Hud", "valid": true}),
        ),
        (
            "0363f0",
            "raw 2 bytes 63f0",
            json!({"command": "raw", "args": [{"type": "PackedByteArray", "args": [99, 240]}]}),
        ),
        (
            SPAWN,
            "spawn mob_0 by Game/Spawner, net#1, synchronizers net#2, argument 64, state [true]",
            json!({"command": "spawn", "id": 4, "path": "Game/Spawner", "scene": null, "net_id": 1, "name": "mob_0", "synchronizers": [2], "args": ["i:64"], "state": [true]}),
        ),
        (
            "0403050000000900000000000000020000006100",
            "spawn a by #5, net#9, scene 3",
            json!({"command": "spawn", "id": 5, "path": null, "scene": 3, "net_id": 9, "name": "a", "synchronizers": [], "args": [], "state": []}),
        ),
        (
            "0501000000",
            "despawn mob_0",
            json!({"command": "despawn", "net_id": 1, "name": "mob_0"}),
        ),
        ("0509000000", "despawn net#9", json!({"command": "despawn", "net_id": 9, "name": null})),
        (
            "06050002000080010000008102000000020000000205",
            "sync 5: Game/World [true]; mob_0 [5]",
            json!({"command": "sync", "time": 5, "states": [{"id": 2, "path": "Game/World", "args": [true]}, {"net_id": 2, "name": "mob_0", "spawner": "Game/Spawner", "args": ["i:5"]}]}),
        ),
        (
            "16020000000500000000000000040000000264020a",
            "delta: mob_0 {0: 100, 2: 10}",
            json!({"command": "delta", "states": [{"net_id": 2, "name": "mob_0", "spawner": "Game/Spawner", "changed": [0, 2], "args": ["i:100", "i:10"]}]}),
        ),
        ("070105000000", "peer added 5", json!({"command": "peer_added", "peer": 5})),
        ("070205000000", "peer removed 5", json!({"command": "peer_removed", "peer": 5})),
        ("070063f0", "auth 2 bytes 63f0", json!({"command": "auth", "bytes": "63f0"})),
        ("0700", "auth 0 bytes", json!({"command": "auth", "bytes": ""})),
        (
            "070300000000800208",
            "relay to all: Game/World.respawn()",
            json!({"command": "relay", "peer": 0, "rpc": {"command": "call", "id": 2, "path": "Game/World", "method": "respawn", "args": []}}),
        ),
        (
            "070305000000800208",
            "relay to or from 5: Game/World.respawn()",
            json!({"command": "relay", "peer": 5, "rpc": {"command": "call", "id": 2, "path": "Game/World", "method": "respawn", "args": []}}),
        ),
        (
            "0703fbffffff0300",
            "relay to all but 5: raw 1 byte 00",
            json!({"command": "relay", "peer": -5, "rpc": {"command": "raw", "args": [{"type": "PackedByteArray", "args": [0]}]}}),
        ),
    ];
    for (packet, line, json) in cases {
        assert_eq!(shown(&unhex(packet)), (line.to_string(), json), "{packet}");
    }
    let (line, json) = shown(&simplified(1, "Game/Chat"));
    assert_eq!(line, "simplify path 1 = Game/Chat");
    let md5 = "6efb67b63067ddd3dfcb74475d4a4d28";
    assert_eq!(json, json!({"command": "simplify_path", "id": 1, "path": "Game/Chat", "md5": md5}));
}

#[test]
fn each_packet_of_godot_3_has_its_line() {
    let position = encode(Dialect::GODOT_3, &Vector2::new(1.0, 2.0)).unwrap();
    let yes = encode(Dialect::GODOT_3, &true).unwrap();
    let call = [&[0, 1, 0, 0, 0][..], b"move\0\x02", &position, &yes].concat();
    let set = [&[1, 1, 0, 0, 0][..], b"pos\0", &position].concat();
    let mut paths = Paths::new();
    paths.note(PeerId::SERVER, &read(GODOT_3, b"\x02\x01\0\0\0Game/Player\0"));
    let context = Context::new().with_paths(&paths, PeerId::SERVER);
    for (packet, line, json) in [
        (
            &call[..],
            "Game/Player.move(Vector2( 1, 2 ), true)",
            json!({"command": "call", "id": 1, "path": "Game/Player", "method": "move", "args": [{"type": "Vector2", "args": [1.0, 2.0]}, true], "args_hex": ["050000000000803f00000040", "0100000001000000"]}),
        ),
        (
            &set,
            "Game/Player.pos = Vector2( 1, 2 )",
            json!({"command": "set", "id": 1, "path": "Game/Player", "method": "pos", "args": [{"type": "Vector2", "args": [1.0, 2.0]}], "args_hex": ["050000000000803f00000040"]}),
        ),
        (
            b"\x02\x01\0\0\0Game/Chat\0",
            "simplify path 1 = Game/Chat",
            json!({"command": "simplify_path", "id": 1, "path": "Game/Chat"}),
        ),
        (
            b"\x03Game/Chat\0",
            "confirm path Game/Chat",
            json!({"command": "confirm_path", "path": "Game/Chat"}),
        ),
        (
            b"\x04\x63",
            "raw 1 byte 63",
            json!({"command": "raw", "args": [{"type": "PackedByteArray", "args": [99]}], "args_hex": ["140000000100000063000000"]}),
        ),
    ] {
        let packet = read(GODOT_3, packet);
        assert_eq!(packet.display(context).to_string(), line);
        assert_eq!(to_json(&packet, context, ArgumentBytes::Hex), json);
    }
}

#[test]
fn json_has_the_bytes_of_arguments_as_they_were_sent() {
    // No engine writes such padding.
    let text = unhex("040000000200000068690102");
    let call = [&[0, 2, 1, 1], &*text].concat();
    let json = to_json(&read(GODOT_4, &call), Context::new(), ArgumentBytes::Hex);
    assert_eq!((&json["args"], &json["args_hex"]), (&json!(["s:hi"]), &json!([hex(&text)])));
}

#[test]
fn names_cannot_control_a_terminal() {
    let bytes = b"\x00\x0c\0\0\x80a\x1b[2J\0\0\x1b]0;x\x07/\n\xc2\x9b\0";
    let packet = read(GODOT_3, bytes);
    assert_eq!(packet.to_string(), r"\u001b]0;x\u0007/\n\u009b.a\u001b[2J()");
    assert_eq!(format!("{packet:?}"), packet.to_string());
    let json = to_json(&packet, Context::new(), ArgumentBytes::Omitted);
    assert_eq!(json["path"], "\u{1b}]0;x\u{7}/\n\u{9b}");
}

#[test]
fn long_packets_are_shortened() {
    let bytes = [&[3][..], &[0xab; 1000]].concat();
    let packet = read(GODOT_4, &bytes);
    assert_eq!(packet.to_string(), format!("raw 1000 bytes {}…", "ab".repeat(32)));
    let path = [&[2, 1, 0, 0, 0][..], &[b'a'; 1000], &[0]].concat();
    assert!(format!("{:?}", read(GODOT_3, &path)).len() < 320);
}

#[test]
fn an_engine_has_one_protocol() {
    let protocols = [
        (Dialect::GODOT_3, Engine::Godot3, MultiplayerProtocol::Godot3),
        (Dialect::GODOT_4, Engine::Godot4, MultiplayerProtocol::Godot4),
        (Dialect::PANDEMONIUM_4, Engine::Pandemonium, MultiplayerProtocol::Pandemonium),
        (Dialect::PANDEMONIUM_5, Engine::Pandemonium, MultiplayerProtocol::Pandemonium),
    ];
    assert!(protocols.iter().map(|(dialect, ..)| dialect).eq(Dialect::ALL));
    for (dialect, engine, protocol) in protocols {
        for dialect in [dialect, dialect.with_double_reals()] {
            assert_eq!((dialect.engine(), MultiplayerProtocol::of(dialect)), (engine, protocol));
        }
    }
}

/// Both engines write the same 8 bytes before their packets, but Pandemonium has no remote set.
#[test]
fn the_engine_decides_what_a_command_is() {
    let call = b"\0\x01\0\0\0hit\0\x01\x02\0\0\0\x07\0\0\0";
    let set = b"\x01\x01\0\0\0hp\0\x02\0\0\0\x07\0\0\0";
    for dialect in Dialect::ALL.iter().filter(|it| it.engine() != Engine::Godot4) {
        let engine = (MultiplayerProtocol::of(*dialect), *dialect);
        assert_eq!(read(engine, call).to_string(), "#1.hit(7)");
        let read = |bytes: &[u8]| parse(engine.0, engine.1, bytes).map(|it| it.to_string());
        let commands: [&[u8]; 3] = [b"\x01\0\0\0Game/Chat\0", b"Game/Chat\0", b"\x63\xf0"];
        let expected =
            ["simplify path 1 = Game/Chat", "confirm path Game/Chat", "raw 2 bytes 63f0"];
        let first = if dialect.engine() == Engine::Pandemonium { 1 } else { 2 };
        for (command, (content, expected)) in (first..).zip(commands.into_iter().zip(expected)) {
            assert_eq!(read(&[&[command], content].concat()).unwrap(), expected, "{dialect}");
        }
        let error = read(&[first + 3, 1, 2, 3]).unwrap_err();
        assert_eq!(error.problem, PacketProblem::UnknownCommand { number: first + 3 });
        assert_eq!(read(set).is_ok(), first == 2, "{dialect}");
        assert!(read(&[first + 2]).is_err(), "raw without bytes");
    }
}
