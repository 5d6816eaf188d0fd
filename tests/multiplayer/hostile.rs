//! Damaged packets are refused or read as other packets, without a panic.

use crate::common::unhex;
use crate::multiplayer::{GODOT_3, GODOT_4, engines, recorded, to_json};
use gdwire::multiplayer::{
    ArgumentBytes, Call, Context, Packet, PacketPart, PacketProblem, Paths, PeerId, parse,
};
use proptest::prelude::*;

/// Whether a cut packet may look complete, because a part of it has no length.
fn is_open_ended(cut: &Packet<'_>, whole: &Packet<'_>) -> bool {
    match (cut, whole) {
        (Packet::Raw(cut), Packet::Raw(whole)) => whole.bytes.starts_with(cut.bytes),
        (Packet::Auth(cut), Packet::Auth(whole)) => whole.starts_with(cut),
        (Packet::Call(cut), Packet::Call(whole)) => {
            let bytes = |call: &Call<'_>| {
                let argument = call.arguments.iter().next();
                argument
                    .map_or(Some(&[][..]), |argument| argument.as_byte_array())
                    .map(<[u8]>::to_vec)
            };
            cut.method == whole.method
                && cut.node == whole.node
                && whole.arguments.len() == 1
                && bytes(whole).unwrap().starts_with(&bytes(cut).unwrap())
        }
        (Packet::Spawn(cut), Packet::Spawn(whole)) => {
            cut.name == whole.name && cut.state.len() < whole.state.len()
        }
        (Packet::Sync(cut), Packet::Sync(whole)) => {
            cut.states.iter().count() < whole.states.iter().count()
        }
        (Packet::Delta(cut), Packet::Delta(whole)) => cut.iter().count() < whole.iter().count(),
        (Packet::Relay(cut), Packet::Relay(whole)) => is_open_ended(&cut.packet(), &whole.packet()),
        _ => false,
    }
}

#[test]
fn cut_packets_are_refused() {
    let mut open_ended = 0;
    let mut refused = 0;
    for (name, (protocol, dialect)) in engines() {
        for packet in recorded(name) {
            let bytes = unhex(&packet.hex);
            let whole = parse(protocol, dialect, &bytes).unwrap();
            let step = bytes.len() / 400 + 1;
            for end in (0..bytes.len()).step_by(step) {
                match parse(protocol, dialect, &bytes[..end]) {
                    Ok(cut) => {
                        assert!(is_open_ended(&cut, &whole), "{cut:?} of {whole:?}");
                        open_ended += 1;
                    }
                    Err(error) => {
                        // A cut path does not end where the packet says.
                        let is_path = matches!(error.problem, PacketProblem::PathOffset { .. });
                        assert!(error.is_unexpected_end() || is_path, "{error} {end} {whole:?}");
                        assert!(error.offset <= end);
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 50_000, "{refused}");
    assert!(open_ended < refused / 10, "{open_ended}");
}

#[test]
fn bytes_after_a_packet_are_refused() {
    for (name, (protocol, dialect)) in engines() {
        for packet in recorded(name) {
            let mut bytes = unhex(&packet.hex);
            let packet = parse(protocol, dialect, &bytes).unwrap();
            let is_open = match packet {
                Packet::Relay(relay) => matches!(relay.packet(), Packet::Raw(_)),
                _ => matches!(packet, Packet::Raw(_) | Packet::Auth(_)),
            };
            // A single byte array ends with the packet, and a bool takes one byte.
            let is_bare =
                bytes[0] & 0x80 != 0 || bytes.get(6).is_some_and(|byte| byte & 0x87 == 0x80);
            if is_open || is_bare {
                continue;
            }
            bytes.push(0xff);
            assert!(parse(protocol, dialect, &bytes).is_err(), "{name} {bytes:02x?}");
        }
    }
}

#[test]
fn errors_have_their_place() {
    let name = |text: &str| text.as_bytes().to_vec();
    let md5 = "0123456789abcdef0123456789abcdef\0";
    for (engine, bytes, offset, reading, problem) in [
        (
            GODOT_3,
            vec![],
            0,
            PacketPart::Command,
            PacketProblem::UnexpectedEnd { needed: 1, available: 0 },
        ),
        (GODOT_3, vec![5], 0, PacketPart::Command, PacketProblem::UnknownCommand { number: 5 }),
        (
            GODOT_4,
            vec![7, 4],
            1,
            PacketPart::SystemCommand,
            PacketProblem::UnknownCommand { number: 4 },
        ),
        (
            GODOT_4,
            vec![7, 3, 1, 0, 0, 0, 7, 1, 2, 0, 0, 0],
            6,
            PacketPart::Command,
            PacketProblem::UnknownCommand { number: 7 },
        ),
        (GODOT_4, vec![0x30, 1], 0, PacketPart::Node, PacketProblem::UnknownWidth),
        (
            GODOT_3,
            vec![0, 8, 0, 0, 0x80, b'a', 0, 1, b'p', 0],
            8,
            PacketPart::Argument(0),
            PacketProblem::Value {
                reading: gdwire::Reading::Header,
                problem: gdwire::Problem::UnexpectedEnd { needed: 4, available: 0 },
            },
        ),
        (
            GODOT_3,
            vec![0, 4, 0, 0, 0x80, b'a', 0, 0],
            5,
            PacketPart::Node,
            PacketProblem::PathOffset { offset: 4 },
        ),
        (
            GODOT_3,
            vec![0, 8, 0, 0, 0x80, b'a', 0, 0],
            5,
            PacketPart::Node,
            PacketProblem::PathOffset { offset: 8 },
        ),
        (
            GODOT_3,
            name("\x03a\0b\0"),
            3,
            PacketPart::Path,
            PacketProblem::TrailingBytes { count: 2 },
        ),
        (GODOT_3, vec![3, b'a', 0xff, 0], 2, PacketPart::Path, PacketProblem::InvalidUtf8),
        (
            GODOT_4,
            name(&format!("\x01{}", &md5[1..])),
            1,
            PacketPart::Md5,
            PacketProblem::NotHexadecimal,
        ),
        (
            GODOT_4,
            vec![0, 1, 2, 2, 1, 2],
            6,
            PacketPart::Argument(1),
            PacketProblem::UnexpectedEnd { needed: 1, available: 0 },
        ),
        (
            GODOT_4,
            vec![0, 1, 2, 1, 4, 0, 0, 0, 1, 0, 0, 0, 0xff],
            12,
            PacketPart::Argument(0),
            PacketProblem::Value {
                reading: gdwire::Reading::Text(gdwire::Kind::String),
                problem: gdwire::Problem::InvalidUtf8,
            },
        ),
        (
            GODOT_4,
            vec![5, 1, 0, 0, 0, 9],
            5,
            PacketPart::NetId,
            PacketProblem::TrailingBytes { count: 1 },
        ),
        (
            GODOT_4,
            vec![6, 1, 0],
            3,
            PacketPart::State,
            PacketProblem::UnexpectedEnd { needed: 4, available: 0 },
        ),
    ] {
        let error = parse(engine.0, engine.1, &bytes).unwrap_err();
        assert_eq!(
            (error.offset, error.reading, error.problem),
            (offset, reading, problem),
            "{error}"
        );
    }
    let error = parse(GODOT_4.0, GODOT_4.1, &[0, 1, 2, 1, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 5: argument 0 ends too early: 1 byte is needed, 0 are left"
    );
    let error = parse(GODOT_3.0, GODOT_3.1, &[1, 1, 0, 0, 0, b'a', 0, 2, 0, 0, 0]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 11: argument 0: the input ends inside the number of an int: 4 bytes are needed, 0 are left"
    );
}

#[test]
fn memory_of_names_is_bounded() {
    let announce =
        |id: u32, path: &str| [&[2][..], &id.to_le_bytes(), path.as_bytes(), &[0]].concat();
    let mut paths = Paths::new().with_max_names(3).with_max_bytes(10);
    let note = |paths: &mut Paths, sender, id, path: &str| {
        let bytes = announce(id, path);
        paths.note(PeerId::new(sender), &parse(GODOT_3.0, GODOT_3.1, &bytes).unwrap());
    };
    note(&mut paths, 1, 1, "abcd");
    note(&mut paths, 2, 1, "efg");
    note(&mut paths, 1, 2, "too long");
    assert_eq!((paths.path(PeerId::SERVER, 2), paths.dropped()), (None, 1));
    // Announcing the same id again takes no more memory.
    for _ in 0..10 {
        note(&mut paths, 1, 1, "hijk");
    }
    note(&mut paths, 1, 3, "lmn");
    note(&mut paths, 1, 4, "");
    assert_eq!(
        (
            paths.path(PeerId::SERVER, 1),
            paths.path(PeerId::SERVER, 3),
            paths.path(PeerId::new(2), 1)
        ),
        (Some("hijk"), Some("lmn"), Some("efg"))
    );
    assert_eq!((paths.path(PeerId::SERVER, 4), paths.dropped()), (None, 2));
    paths.forget(PeerId::SERVER);
    assert_eq!((paths.path(PeerId::SERVER, 1), paths.path(PeerId::new(2), 1)), (None, Some("efg")));
    note(&mut paths, 3, 1, "opqrstu");
    assert_eq!((paths.path(PeerId::new(3), 1), paths.dropped()), (Some("opqrstu"), 2));
}

#[test]
fn spawned_nodes_are_forgotten_when_they_are_despawned() {
    let spawn = |net_id: u8, synchronizer: u8| {
        [
            4,
            0,
            4,
            0,
            0,
            0,
            net_id,
            0,
            0,
            0,
            1,
            0,
            0,
            0,
            2,
            0,
            0,
            0,
            synchronizer,
            0,
            0,
            0,
            b'a' + net_id,
            0,
        ]
    };
    let despawn = |net_id: u8| [5, net_id, 0, 0, 0];
    let mut paths = Paths::new().with_max_names(4).with_max_bytes(100);
    let note = |paths: &mut Paths, bytes: &[u8]| {
        paths.note(PeerId::SERVER, &parse(GODOT_4.0, GODOT_4.1, bytes).unwrap());
    };
    for _ in 0..3 {
        note(&mut paths, &spawn(1, 2));
        note(&mut paths, &spawn(3, 4));
        let name = |id| paths.spawned(PeerId::SERVER, id).map(|spawned| spawned.name);
        assert_eq!([1, 2, 3, 4].map(name), [Some("b"), Some("b"), Some("d"), Some("d")]);
        note(&mut paths, &despawn(1));
        let name = |id| paths.spawned(PeerId::SERVER, id).map(|spawned| spawned.name);
        assert_eq!([1, 2, 3, 4].map(name), [None, None, Some("d"), Some("d")]);
        // A synchronizer that moves to another node stays there.
        note(&mut paths, &spawn(5, 4));
        note(&mut paths, &despawn(3));
        assert_eq!(paths.spawned(PeerId::SERVER, 4).map(|spawned| spawned.name), Some("f"));
        note(&mut paths, &despawn(5));
        assert_eq!(paths.spawned(PeerId::SERVER, 4), None);
        assert_eq!(paths.held_bytes(), 0);
    }
    assert_eq!(paths.dropped(), 0);
    // A node and its synchronizer count as two names.
    for net_id in [1, 3, 5] {
        note(&mut paths, &spawn(net_id, net_id + 1));
    }
    assert_eq!((paths.spawned(PeerId::SERVER, 5), paths.dropped()), (None, 1));
}

/// Reads everything in a packet.
fn read_all(bytes: &[u8]) {
    for (protocol, dialect) in [GODOT_3, GODOT_4] {
        match parse(protocol, dialect, bytes) {
            Ok(packet) => {
                let mut paths = Paths::new();
                paths.note(PeerId::SERVER, &packet);
                let context = Context::new()
                    .with_paths(&paths, PeerId::SERVER)
                    .with_relayed(PeerId::SERVER, None);
                let line = packet.display(context).to_string();
                assert!(!line.contains(char::is_control), "{line:?}");
                let json = to_json(&packet, context, ArgumentBytes::Hex);
                assert_eq!(json["command"], packet.command());
            }
            Err(error) => assert!(error.offset <= bytes.len() && !error.to_string().is_empty()),
        }
    }
}

proptest! {
    #[test]
    fn damaged_packets_do_no_harm(
        choice: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static PACKETS: std::sync::LazyLock<Vec<Vec<u8>>> = std::sync::LazyLock::new(|| {
            let packets = engines().into_iter().flat_map(|(name, _)| recorded(name));
            packets.map(|packet| unhex(&packet.hex)).filter(|bytes| bytes.len() < 500).collect()
        });
        let mut bytes = choice.get(&PACKETS).clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(&bytes);
    }

    #[test]
    fn noise_does_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        read_all(&bytes);
    }
}

#[test]
fn arguments_have_the_readers_depth_limit() {
    use gdwire::{Problem as ValueProblem, ReadOptions};
    // A call of "f" on node 1 with the argument [[null]], an array in an array.
    let call = unhex("00010000006600011300000001000000130000000100000000000000");
    let read = |depth| parse(GODOT_3.0, ReadOptions::new(GODOT_3.1).with_max_depth(depth), &call);
    assert!(read(2).is_ok());
    let error = read(1).unwrap_err();
    let PacketProblem::Value { problem, .. } = error.problem else { panic!("{error}") };
    assert_eq!(problem, ValueProblem::TooDeep { limit: 1 });
}

/// A name is announced once and shown often, so only a part of a long name is kept.
#[test]
fn a_bounded_part_of_a_long_name_is_kept() {
    let announce = |path: &str| [&[2, 7, 0, 0, 0][..], path.as_bytes(), &[0]].concat();
    let kept = |path: &str| {
        let mut paths = Paths::new();
        let packet = announce(path);
        paths.note(PeerId::SERVER, &parse(GODOT_3.0, GODOT_3.1, &packet).unwrap());
        paths.path(PeerId::SERVER, 7).unwrap().to_string()
    };
    let whole = "ü".repeat(512);
    assert_eq!(kept(&whole), whole);
    let long = format!("Game/{}/Chat", "пламя".repeat(100_000));
    let short = kept(&long);
    assert!(short.len() <= 1_024 && short.len() > 900, "{}", short.len());
    assert!(short.starts_with("Game/пламя") && short.ends_with("пламя/Chat"));
    assert!(short.contains(&format!("…({} bytes)…", long.len())), "{short}");
    // If a part would end inside a character, it ends before it.
    for before in 0..4 {
        let long = format!("{}{}", "a".repeat(before), "🔥".repeat(1_000));
        assert!(kept(&long).len() <= 1_024);
    }
    let spawn = |name: &str| {
        let head = [4_u8, 0, 4, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
        [&head[..], &(name.len() as u32 + 1).to_le_bytes(), name.as_bytes(), &[0]].concat()
    };
    let mut paths = Paths::new();
    let packet = spawn(&"x".repeat(100_000));
    paths.note(PeerId::SERVER, &parse(GODOT_4.0, GODOT_4.1, &packet).unwrap());
    let name = paths.spawned(PeerId::SERVER, 9).unwrap().name;
    assert!(name.len() <= 1_024 && name.contains("…(100000 bytes)…"), "{name}");
}
