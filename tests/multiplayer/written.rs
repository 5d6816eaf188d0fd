//! Packets that are read and written again have the same bytes, and packets are written as an engine
//! writes them.

use crate::common::{corpus, hex, unhex};
use crate::multiplayer::{GODOT_3, GODOT_4, engines, recorded};
use gdwire::capture::Messages;
use gdwire::encode::{CountSink, EncodeProblem, SliceSink};
use gdwire::follow::{Content, Event, Transport};
use gdwire::math::{Vector2, Vector3};
use gdwire::multiplayer::{
    Context, Method, MultiplayerProtocol, Node, Packet, PacketEncodeProblem, PacketEncoder,
    PacketPart, PeerId, SpawnedNode, Synchronizer, parse,
};
use gdwire::net::enet::godot::SystemMessage;
use gdwire::net::websocket::godot::PeerMessage;
use gdwire::{Dialect, Packed, Variant, variant};
use std::collections::HashMap;

const PANDEMONIUM: (MultiplayerProtocol, Dialect) =
    (MultiplayerProtocol::Pandemonium, Dialect::PANDEMONIUM_5);

fn written((protocol, dialect): (MultiplayerProtocol, Dialect), packet: &Packet<'_>) -> Vec<u8> {
    let encoder = PacketEncoder::new(protocol, dialect);
    let bytes = encoder.packet(packet, Vec::new()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(encoder.packet(packet, CountSink::default()).unwrap().count(), bytes.len());
    bytes
}

#[test]
fn recorded_packets_keep_their_bytes() {
    let mut counts: HashMap<(MultiplayerProtocol, &str), u32> = HashMap::new();
    let mut check = |engine: (MultiplayerProtocol, Dialect), packet: &Packet<'_>, bytes: &[u8]| {
        assert_eq!(hex(&written(engine, packet)), hex(bytes), "{packet:?}");
        *counts.entry((engine.0, packet.command())).or_default() += 1;
    };
    for (name, (protocol, dialect)) in engines() {
        for packet in recorded(name) {
            let bytes = unhex(&packet.hex);
            check((protocol, dialect), &parse(protocol, dialect, &bytes).unwrap(), &bytes);
        }
    }
    let mut notices = 0;
    let mut files: Vec<_> = std::fs::read_dir(corpus("captures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "pcap" || ext == "pcapng"))
        .collect();
    files.push(corpus("project").join("made.pcap"));
    assert!(files.len() > 50, "{}", files.len());
    for path in files {
        let file = std::fs::read(&path).unwrap();
        let mut messages = Messages::new(&file).unwrap();
        while let Some(event) = messages.next_event() {
            let Event::Message(message) = event else { continue };
            let Content::Packet(packet) = &message.content else { continue };
            let protocol = MultiplayerProtocol::of(message.dialect);
            let is_notice = matches!(packet, Packet::PeerAdded { .. } | Packet::PeerRemoved { .. });
            if protocol == MultiplayerProtocol::Godot4 || !is_notice {
                check((protocol, message.dialect), packet, message.bytes);
                continue;
            }
            // In Godot 3, these are messages of the transport, not of the multiplayer API.
            let again = if message.origin.transport == Transport::WebSocket {
                PeerMessage::parse(message.bytes).unwrap().encode_into(Vec::new())
            } else {
                SystemMessage::parse(message.bytes).unwrap().to_bytes().to_vec()
            };
            assert_eq!(hex(&again), hex(message.bytes));
            notices += 1;
        }
    }
    assert!(notices > 0);
    // Every packet of Godot 4 but a set, and of the others those that they have.
    for &command in Packet::COMMANDS {
        let count = |protocol| counts.get(&(protocol, command)).copied().unwrap_or(0);
        let is_recorded = !matches!(command, "set" | "auth");
        assert_eq!(count(MultiplayerProtocol::Godot4) > 0, is_recorded, "{command}");
        let is_old = matches!(command, "call" | "simplify_path" | "confirm_path" | "raw");
        assert_eq!(count(MultiplayerProtocol::Pandemonium) > 0, is_old, "{command}");
        assert_eq!(count(MultiplayerProtocol::Godot3) > 0, is_old || command == "set", "{command}");
    }
}

/// A reader refuses a packet or keeps all of it, also bits and widths that no engine writes.
#[test]
fn changed_packets_are_refused_or_keep_their_bytes() {
    let (mut refused, mut kept) = (0, 0);
    for (name, _) in engines() {
        for packet in recorded(name).iter().filter(|packet| packet.hex.len() < 200) {
            let mut bytes = unhex(&packet.hex);
            for place in 0..bytes.len().min(12) {
                let before = bytes[place];
                for value in [0, 1, 2, 4, 8, 0x10, 0x41, 0x80, 0xff]
                    .into_iter()
                    .chain([before ^ 1, before ^ 0x80])
                {
                    bytes[place] = value;
                    for engine in [GODOT_3, GODOT_4, PANDEMONIUM] {
                        match parse(engine.0, engine.1, &bytes) {
                            Ok(packet) => {
                                assert_eq!(hex(&written(engine, &packet)), hex(&bytes));
                                kept += 1;
                            }
                            Err(_) => refused += 1,
                        }
                    }
                }
                bytes[place] = before;
            }
        }
    }
    assert!(kept > 5_000 && refused > 20_000, "{kept} {refused}");
}

/// The values of recorded packets, written from values in memory, have the recorded bytes.
#[test]
fn values_from_memory_are_written_as_the_engine_writes_them() {
    let mut calls = 0;
    for (name, (protocol, dialect)) in engines() {
        let encoder = PacketEncoder::new(protocol, dialect);
        for packet in recorded(name) {
            let bytes = unhex(&packet.hex);
            match parse(protocol, dialect, &bytes).unwrap() {
                Packet::Call(call) => {
                    let arguments: Vec<Variant> = call.arguments.iter().map(Into::into).collect();
                    let again =
                        encoder.call(call.node, call.method, &arguments, Vec::new()).unwrap();
                    let packet = parse(protocol, dialect, &again).unwrap();
                    let Packet::Call(read) = packet else { panic!("{packet:?}") };
                    assert_eq!((read.node, read.method), (call.node, call.method));
                    let values: Vec<Variant> = read.arguments.iter().map(Into::into).collect();
                    assert_eq!(values, arguments);
                    // The padding of node paths may differ. A node's id may have more bytes than
                    // it needs.
                    if again == bytes {
                        calls += 1;
                    }
                }
                Packet::Sync(sync) => {
                    let mut states = encoder.sync(sync.time, Vec::new()).unwrap();
                    for state in sync.states {
                        let values: Vec<Variant> = state.values.iter().map(Into::into).collect();
                        states.state(state.synchronizer, &values).unwrap();
                    }
                    assert_eq!(states.finish().unwrap(), bytes);
                }
                Packet::Spawn(spawn) => {
                    let ids: Vec<_> = spawn.synchronizers.iter().collect();
                    let node = SpawnedNode {
                        spawner: spawn.spawner,
                        net_id: spawn.net_id,
                        name: spawn.name,
                        synchronizers: &ids,
                    };
                    let state: Vec<Variant> = spawn.state.iter().map(Into::into).collect();
                    let again = match spawn.argument.iter().next() {
                        Some(argument) => {
                            encoder.spawn_custom(&node, &argument, &state, Vec::new())
                        }
                        None => encoder.spawn(&node, spawn.scene.unwrap(), &state, Vec::new()),
                    };
                    assert_eq!(again.unwrap(), bytes);
                }
                _ => {}
            }
        }
    }
    assert!(calls > 300, "{calls}");
}

#[test]
fn calls_are_written_as_the_engine_writes_them() {
    let old = PacketEncoder::new(GODOT_3.0, GODOT_3.1);
    let packet = old.call(Node::Path("Game"), Method::Name("hi"), &(true,), Vec::new()).unwrap();
    assert_eq!(hex(&packet), "0011000080686900010100000001000000".to_string() + "47616d6500");
    let packet = old.set(Node::Id(3), "health", &-9.5, Vec::new()).unwrap();
    assert_eq!(hex(&packet), "01030000006865616c7468000300000000001".to_string() + "8c1");
    let new = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
    let number = |index| Method::Number { index, is_own: false };
    for (node, method, arguments, expected) in [
        (Node::Id(2), number(9), variant!([169]), "00020901".to_string() + "42a900"),
        (Node::Id(2), number(8), variant!([]), "800208".to_string()),
        (Node::Id(300), number(300), variant!([false]), "502c012c010101".to_string()),
        (Node::Path("W"), number(8), variant!([]), "a00600008008".to_string() + "5700"),
        (
            Node::Id(1),
            number(0),
            variant!([-129, 70_000]),
            "00010002".to_string() + "427fff8270110100",
        ),
        (
            Node::Id(1),
            number(0),
            variant!([5_000_000_000_i64]),
            "00010001".to_string() + "c200f2052a01000000",
        ),
    ] {
        let arguments = arguments.as_array().unwrap().to_vec();
        assert_eq!(hex(&new.call(node, method, &arguments, Vec::new()).unwrap()), expected);
    }
    let own = Method::Number { index: 1, is_own: true };
    let packet = new.call(Node::Id(1), own, &(), Vec::new()).unwrap();
    assert_eq!(hex(&packet), "c0010180");
    // One byte array is written bare, whatever its length; two are not.
    let bytes = Packed(&[1_u8, 2, 3][..]);
    let packet = new.call(Node::Id(1), number(0), &(bytes,), Vec::new()).unwrap();
    assert_eq!(hex(&packet), "800100010203");
    let packet = new.call(Node::Id(1), number(0), &(bytes, bytes), Vec::new()).unwrap();
    let array = "1d0000000300000001020300";
    assert_eq!(hex(&packet), format!("00010002{array}{array}"));
}

#[test]
fn what_is_written_is_read_again() {
    let encoder = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
    let read = |bytes: &[u8]| {
        let packet = parse(GODOT_4.0, GODOT_4.1, bytes).unwrap();
        assert_eq!(written(GODOT_4, &packet), bytes);
        packet.command()
    };
    assert_eq!(read(&encoder.auth(b"", Vec::new()).unwrap()), "auth");
    assert_eq!(read(&encoder.auth(b"secret", Vec::new()).unwrap()), "auth");
    assert_eq!(read(&encoder.peer_added(PeerId::new(7), Vec::new()).unwrap()), "peer_added");
    assert_eq!(read(&encoder.peer_removed(PeerId::new(7), Vec::new()).unwrap()), "peer_removed");
    assert_eq!(read(&encoder.despawn(3, Vec::new()).unwrap()), "despawn");
    let raw = encoder.raw(b"hi", Vec::new()).unwrap();
    assert_eq!(read(&raw), "raw");
    assert_eq!(read(&encoder.relay(PeerId::new(-7), &raw, Vec::new()).unwrap()), "relay");
    for path in ["", "A", "AB", "ABC", "Game", "Game/World"] {
        let confirm = encoder.confirm_path(Node::Path(path), Some(true), Vec::new()).unwrap();
        assert_eq!(read(&confirm), "confirm_path");
        let Packet::ConfirmPath(read) = parse(GODOT_4.0, GODOT_4.1, &confirm).unwrap() else {
            panic!()
        };
        assert_eq!(read.node, Node::Path(path));
    }
    let mut delta = encoder.delta(Vec::new()).unwrap();
    delta.changed(Synchronizer::PathId(4), 0b101, &(1, "a")).unwrap();
    delta.changed(Synchronizer::NetId(5), 1, &(Vector3::new(1.0, 2.0, 3.0),)).unwrap();
    let delta = delta.finish().unwrap();
    assert_eq!(read(&delta), "delta");
    let Packet::Delta(states) = parse(GODOT_4.0, GODOT_4.1, &delta).unwrap() else { panic!() };
    let changed: Vec<_> = states.iter().map(|state| (state.synchronizer, state.changed)).collect();
    assert_eq!(changed, [(Synchronizer::PathId(4), Some(5)), (Synchronizer::NetId(5), Some(1))]);
}

#[test]
fn packets_of_one_engine_are_written_for_another() {
    let mut calls = 0;
    for recorded in recorded("godot3") {
        let bytes = unhex(&recorded.hex);
        let packet = parse(GODOT_3.0, GODOT_3.1, &bytes).unwrap();
        let encoder = PacketEncoder::new(PANDEMONIUM.0, PANDEMONIUM.1);
        match (encoder.packet(&packet, Vec::new()), &packet) {
            (Ok(again), _) => {
                let again = parse(PANDEMONIUM.0, PANDEMONIUM.1, &again).unwrap();
                assert_eq!(again.command(), packet.command());
                if let (Packet::Call(first), Packet::Call(second)) = (packet, again) {
                    calls += 1;
                    let values = |call: gdwire::multiplayer::Call<'_>| {
                        call.arguments.iter().map(Variant::from).collect::<Vec<_>>()
                    };
                    assert_eq!(values(first), values(second));
                }
            }
            (Err(error), Packet::Set(_)) => {
                assert_eq!(error.to_string(), "the command of set does not exist in Pandemonium");
            }
            (Err(error), _) => panic!("{error} {packet:?}"),
        }
        let encoder = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
        let error = match encoder.packet(&packet, Vec::new()) {
            Ok(_) => {
                assert!(matches!(packet, Packet::Raw(_)));
                continue;
            }
            Err(error) => error,
        };
        let problem = match packet {
            Packet::Call(_) => "the method of call does not exist in Godot 4",
            Packet::Set(_) => "the command of set does not exist in Godot 4",
            Packet::SimplifyPath(_) => {
                "the hash of the methods is missing: Godot 4 needs it in simplify_path"
            }
            _ => "the result of the method comparison is missing: Godot 4 needs it in confirm_path",
        };
        assert_eq!(error.to_string(), problem);
    }
    assert!(calls > 90, "{calls}");
}

#[test]
fn what_does_not_fit_is_named() {
    let new = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
    let old = PacketEncoder::new(GODOT_3.0, GODOT_3.1);
    let number = Method::Number { index: 1, is_own: false };
    let name = Method::Name("move");
    let node = Node::Id(1);
    let of_name = |name| SpawnedNode { spawner: 1, net_id: 2, name, synchronizers: &[] };
    let digest = "0123456789abcdef0123456789abcdeg";
    for (result, expected) in [
        (old.call(node, number, &(), Vec::new()), "the method of call does not exist in Godot 3"),
        (new.call(node, name, &(), Vec::new()), "the method of call does not exist in Godot 4"),
        (
            old.call(node, name, &(1, Vector2::new(1, 2)), Vec::new()),
            "argument 1: godot3 has no Vector2i",
        ),
        (
            new.call(node, number, &vec![0; 256], Vec::new()),
            "the number of arguments is 256, and at most 255 fits",
        ),
        (
            new.call(Node::Id(1 << 31), number, &(), Vec::new()),
            "the target of the call is 2147483648, and at most 2147483647 fits",
        ),
        (
            new.call(node, Method::Number { index: 1 << 15, is_own: true }, &(), Vec::new()),
            "the method is 32768, and at most 32767 fits",
        ),
        (
            old.call(node, Method::Name("a\0b"), &(), Vec::new()),
            "the method has a NUL at byte 1, where it would end",
        ),
        (
            old.call(Node::Path("a\0b"), name, &(), Vec::new()),
            "the path of a node has a NUL at byte 1, where it would end",
        ),
        (
            new.simplify_path(1, "Game", Some(digest), Vec::new()),
            "the hash of the methods is not 32 hexadecimal digits",
        ),
        (
            old.simplify_path(1, "Game", Some(digest), Vec::new()),
            "the hash of the methods of simplify_path does not exist in Godot 3",
        ),
        (
            old.confirm_path(node, None, Vec::new()),
            "the target of the call of confirm_path does not exist in Godot 3",
        ),
        (new.raw(&[], Vec::new()), "the raw data is empty, which no engine accepts"),
        (
            new.relay(PeerId::SERVER, &[7, 1, 2, 0, 0, 0], Vec::new()),
            "the relayed packet of relay does not exist in Godot 4",
        ),
        (
            new.relay(PeerId::SERVER, &[], Vec::new()),
            "the relayed packet is empty, which no engine accepts",
        ),
        (old.despawn(1, Vec::new()), "the command of despawn does not exist in Godot 3"),
        (
            old.spawn(&of_name("mob"), 1, &(), Vec::new()),
            "the command of spawn does not exist in Godot 3",
        ),
        (
            old.spawn_custom(&of_name("mob"), &1, &(), Vec::new()),
            "the command of spawn does not exist in Godot 3",
        ),
        (
            old.sync(1, Vec::new()).map(|_| Vec::new()),
            "the command of sync does not exist in Godot 3",
        ),
        (
            old.delta(Vec::new()).map(|_| Vec::new()),
            "the command of delta does not exist in Godot 3",
        ),
        (
            old.relay(PeerId::SERVER, &[3, 1], Vec::new()),
            "the command of relay does not exist in Godot 3",
        ),
        (
            old.peer_added(PeerId::new(2), Vec::new()),
            "the command of peer_added does not exist in Godot 3",
        ),
        (
            old.peer_removed(PeerId::new(2), Vec::new()),
            "the command of peer_removed does not exist in Godot 3",
        ),
        (old.auth(&[1], Vec::new()), "the command of auth does not exist in Godot 3"),
        (
            new.spawn(&of_name("mob"), 255, &(), Vec::new()),
            "the header of a spawn is 255, and at most 254 fits",
        ),
        (
            new.spawn(&of_name("a\0"), 1, &(), Vec::new()),
            "the name of a spawned node has a NUL at byte 1, where it would end",
        ),
        (
            new.sync(1, Vec::new()).and_then(|states| states.finish()),
            "a state is empty, which no engine accepts",
        ),
    ] {
        assert_eq!(result.unwrap_err().to_string(), expected);
    }
    let mut sync = new.sync(1, Vec::new()).unwrap();
    let error = sync.changed(Synchronizer::NetId(1), 1, &(1,)).unwrap_err();
    assert_eq!(error.writing, PacketPart::State);
    assert_eq!(error.problem, PacketEncodeProblem::OtherState { is_delta: false });
    // Whatever the room, the number of bytes that are needed is known.
    let arguments = (7, "arrow", Packed(&[1.5_f32, 2.5][..]));
    let whole = new.call(Node::Path("Game"), number, &arguments, Vec::new()).unwrap();
    for room in 0..whole.len() {
        let mut slice = vec![0; room];
        let sink = SliceSink::new(&mut slice);
        let error = new.call(Node::Path("Game"), number, &arguments, sink).unwrap_err();
        let PacketEncodeProblem::Sink(error) = error.problem else { panic!("{error}") };
        let expected = EncodeProblem::BufferTooSmall { needed: whole.len(), available: room };
        assert_eq!(error.problem(), expected);
    }
}

/// Ids, numbers of methods and counts of values at the bounds of one, two and four bytes.
#[test]
fn numbers_of_each_width_are_read_as_they_were_written() {
    const BOUNDS: [u32; 9] = [0, 1, 127, 128, 255, 256, u16::MAX as u32, 1 << 16, i32::MAX as u32];
    let new = PacketEncoder::new(GODOT_4.0, GODOT_4.1);
    let lines = |bytes: &[u8]| {
        let packet = parse(GODOT_4.0, GODOT_4.1, bytes).unwrap();
        assert_eq!(written(GODOT_4, &packet), bytes);
        packet.display(Context::new()).to_string()
    };
    for id in BOUNDS {
        for method in [0, 1, 127, 128, 255, 256, i16::MAX as u16] {
            for is_own in [false, true] {
                let name = if is_own { "own#" } else { "#" };
                let number = Method::Number { index: method, is_own };
                let call = new.call(Node::Id(id), number, &(id,), Vec::new()).unwrap();
                assert_eq!(lines(&call), format!("#{id}.{name}{method}({id})"));
                let (of_id, of_method) = match (id, method) {
                    (..=0xff, ..=0xff) => (1, 1),
                    (..=0xff, _) => (1, 2),
                    (..=0xffff, ..=0xff) => (2, 1),
                    (..=0xffff, _) => (2, 2),
                    (_, ..=0xff) => (4, 1),
                    _ => (4, 2),
                };
                let without = new.call(Node::Id(id), number, &(), Vec::new()).unwrap();
                assert_eq!(without.len(), 1 + of_id + if is_own { 2 } else { of_method });
            }
        }
        let digest = "0123456789abcdef0123456789abcdef";
        let path = new.simplify_path(id, "A/B", Some(digest), Vec::new()).unwrap();
        assert_eq!(lines(&path), format!("simplify path {id} = A/B"));
        let ids = [id, 1];
        let node = SpawnedNode { spawner: id, net_id: id, name: "n", synchronizers: &ids };
        let scene = (id % 255) as u8;
        let spawn = new.spawn(&node, scene, &(id,), Vec::new()).unwrap();
        let shown =
            format!("spawn n by #{id}, net#{id}, synchronizers net#{id} net#1, scene {scene}");
        assert_eq!(lines(&spawn), format!("{shown}, state [{id}]"));
        let empty = new.spawn(&SpawnedNode { synchronizers: &[], ..node }, 0, &(), Vec::new());
        assert_eq!(lines(&empty.unwrap()), format!("spawn n by #{id}, net#{id}, scene 0"));
        let despawn = new.despawn(id, Vec::new()).unwrap();
        assert_eq!(lines(&despawn), format!("despawn net#{id}"));
    }
    for count in [0, 1, 254, 255_usize] {
        let values = vec![true; count];
        let number = Method::Number { index: 3, is_own: false };
        let call = new.call(Node::Id(1), number, &values, Vec::new()).unwrap();
        assert_eq!(call.len(), if count == 0 { 3 } else { 4 + count });
        let Packet::Call(read) = parse(GODOT_4.0, GODOT_4.1, &call).unwrap() else { panic!() };
        assert_eq!(read.arguments.len(), count);
    }
}
