//! Packets of the high-level multiplayer API.

use crate::common::{lines, unhex};
use crate::explain::{ALL, Line, assert_tiled, collect, shown};
use gdwire::Dialect;
use gdwire::explain::{Detail, packet};
use gdwire::multiplayer::{
    Context, Methods, MultiplayerProtocol, Names, Packet, Paths, PeerId, parse,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A packet that an engine sent.
#[derive(Deserialize)]
struct Recorded {
    hex: String,
}

fn explained(
    protocol: MultiplayerProtocol,
    bytes: &[u8],
    context: Context<'_>,
    detail: Detail,
) -> Vec<Line> {
    let dialect = match protocol {
        MultiplayerProtocol::Godot3 => Dialect::GODOT_3,
        MultiplayerProtocol::Pandemonium => Dialect::PANDEMONIUM_5,
        _ => Dialect::GODOT_4,
    };
    collect(|visit| packet(protocol, dialect, bytes, context, detail, visit))
}

fn recorded() -> Vec<(MultiplayerProtocol, Vec<u8>)> {
    let of = |name: &str, protocol| {
        let lines = lines::<Recorded>(&format!("multiplayer/{name}.ndjson"));
        assert!(lines.len() > 100, "{name}");
        lines.into_iter().map(move |line| (protocol, unhex(&line.hex))).collect::<Vec<_>>()
    };
    let godot_4 = [
        of("godot4", MultiplayerProtocol::Godot4),
        of("godot4-three", MultiplayerProtocol::Godot4),
    ]
    .concat();
    [of("godot3", MultiplayerProtocol::Godot3), godot_4].concat()
}

#[test]
fn every_recorded_packet_is_explained_to_its_last_byte() {
    let mut commands: BTreeMap<String, usize> = BTreeMap::new();
    for (protocol, bytes) in recorded() {
        for detail in [ALL, Detail::default(), Detail::new().with_items(0).with_fields(4)] {
            let fields = explained(protocol, &bytes, Context::new(), detail);
            assert_tiled(&fields, &bytes, "packet");
            assert!(fields.iter().all(|field| field.name != "not readable"));
        }
        let fields = explained(protocol, &bytes, Context::new(), ALL);
        let command = fields[0].value.split(',').next().unwrap();
        *commands.entry(command.to_string()).or_default() += 1;
    }
    let known: Vec<_> = commands.keys().map(String::as_str).collect();
    assert_eq!(
        known,
        [
            "call",
            "confirm_path",
            "delta",
            "despawn",
            "raw",
            "set",
            "simplify_path",
            "spawn",
            "sync",
            "system"
        ]
    );
}

#[test]
fn cut_and_changed_packets_are_explained() {
    for (protocol, bytes) in recorded().into_iter().step_by(17) {
        for len in 0..bytes.len() {
            for end in [bytes.len(), len] {
                let mut hostile = bytes[..end].to_vec();
                if let Some(byte) = hostile.get_mut(len) {
                    *byte = !*byte;
                }
                let fields = explained(protocol, &hostile, Context::new(), ALL);
                assert_tiled(&fields, &hostile, "hostile packet");
                let dialect = if protocol == MultiplayerProtocol::Godot3 {
                    Dialect::GODOT_3
                } else {
                    Dialect::GODOT_4
                };
                let is_valid = parse(protocol, dialect, &hostile).is_ok();
                assert_eq!(fields.iter().all(|field| field.name != "not readable"), is_valid);
            }
        }
    }
}

#[test]
fn names_are_shown_with_their_numbers() {
    let names = Names::from(Methods::parse("Game/World: set_score, respawn").unwrap());
    let mut paths = Paths::new().with_names(Arc::new(names));
    let announcement = b"\x01d889c23ed26c625e399d18b23acb5c16\0\x02\0\0\0Game/World\0";
    paths.note(
        PeerId::SERVER,
        &parse(MultiplayerProtocol::Godot4, Dialect::GODOT_4, announcement).unwrap(),
    );
    let call = [0, 2, 1, 2, 0x42, 0xa9, 0, 0x81];
    let context = Context::new().with_paths(&paths, PeerId::SERVER);
    assert_eq!(
        shown(&explained(MultiplayerProtocol::Godot4, &call, context, ALL)),
        [
            "0000 00 command: call, node of 1 byte, method of 1 byte",
            "0001 02 node: 2: \"Game/World\"",
            "0002 01 method: 1: \"set_score\"",
            "0003 02 argument count: 2",
            "0004 42 argument 0: int in short form, 2 bytes",
            "0005 a900   number: 169",
            "0007 81 argument 1: bool in short form: true",
        ]
    );
    assert_eq!(
        shown(&explained(MultiplayerProtocol::Godot4, announcement, Context::new(), ALL))[1..],
        [
            "0001 643838396332336564323663363235653339396431386232336163623563313600 MD5 of the \
             methods: \"d889c23ed26c625e399d18b23acb5c16\", then a NUL",
            "0022 02000000 id: 2",
            "0026 47616d652f576f726c6400 node path: \"Game/World\", then a NUL",
        ]
    );
}

#[test]
fn a_path_at_the_end_comes_after_the_arguments() {
    // A packet of Godot 3, whose path is 13 bytes after the command.
    let mut call = vec![0, 17, 0, 0, 0x80];
    call.extend(b"hit\0\x01\x02\0\0\0\x07\0\0");
    call.extend(b"\0A/\x1b\0");
    call[1] = call.len() as u8 - 4;
    let fields = explained(MultiplayerProtocol::Godot3, &call, Context::new(), ALL);
    assert!(matches!(
        parse(MultiplayerProtocol::Godot3, Dialect::GODOT_3, &call),
        Ok(Packet::Call(_))
    ));
    assert_eq!(
        shown(&fields),
        [
            "0000 00 command: call",
            "0001 12000080 node: its path is at the end",
            "0005 68697400 method: \"hit\", then a NUL",
            "0009 01 argument count: 1",
            "000a 02000000 argument 0: int, type 2",
            "000e 07000000   number: 7",
            "0012 412f1b00 node path: \"A/\\u001b\", then a NUL",
        ]
    );
}

#[test]
fn errors_in_a_packet_are_shown_at_their_place() {
    let fields =
        explained(MultiplayerProtocol::Godot4, &[0, 2, 1, 1, 0x42, 0xa9], Context::new(), ALL);
    assert_eq!(
        shown(&fields),
        [
            "0000 0002010142 before the problem: 5 bytes",
            "0005 a9 not readable: argument 0 ends too early: 2 bytes are needed, 1 is left",
        ]
    );
}
