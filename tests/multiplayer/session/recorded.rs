//! Packets of one session that are sent again in another one.

use crate::multiplayer::session::{DIALECTS, Game, METHODS, events, names};
use gdwire::multiplayer::session::{
    NewNode, RecordedIds, RecordedPacket, Session, SessionError, SessionOptions, SyncConfig,
    Transmit,
};
use gdwire::multiplayer::{
    MultiplayerProtocol, Packet, PacketEncoder, PeerId, SpawnedNode, Synchronizer, parse,
};
use gdwire::project::TransferMode;
use gdwire::{Dialect, Variant};
use std::time::Duration;

/// The spawner and the nodes of a client.
const OWN: &str = "Main/Players/11";

fn options(options: SessionOptions) -> SessionOptions {
    options.with_names(names(METHODS)).with_unknown_nodes()
}

/// Everything that the client 11 sends in a game, in which it plays its part.
fn recorded(dialect: Dialect) -> Vec<Transmit> {
    let mut game = Game::with(dialect, 2, options);
    game.clients.iter_mut().for_each(|client| client.set_authority(OWN, PeerId::new(11)));
    game.server.set_authority(OWN, PeerId::new(11));
    let mut sent = Vec::new();
    for turn in 0..3_u64 {
        let client = &mut game.clients[0];
        if turn == 0 && dialect == Dialect::GODOT_4 {
            let config = SyncConfig::new().with_spawn(["hp"]).with_sync(["x"]).with_watched(["hp"]);
            let node = NewNode::of_scene(2, "11").with_synchronizer(config.clone());
            let here = client.spawn(&format!("{OWN}/Spawner"), node, &[("hp", 7.into())]).unwrap();
            client.set_property(here.synchronizers[0], "x", &1.5).unwrap();
            let by_path = client.add_synchronizer(&format!("{OWN}/Sync"), &config).unwrap();
            client.set_property(by_path, "x", &2.5).unwrap();
        }
        client.call(PeerId::SERVER, "Main/World", "take_hit", (turn, "arrow")).unwrap();
        client.call(PeerId::new(12), "Main/Chat", "say", ("to 12",)).unwrap();
        client.send_bytes(PeerId::SERVER, &[1, 2], TransferMode::Reliable, 0).unwrap();
        client.handle_time(Duration::from_secs(turn));
        while let Some(transmit) = client.poll_transmit() {
            game.server.receive(PeerId::new(11), &transmit.bytes, transmit.mode, transmit.channel);
            sent.push(transmit);
        }
        game.exchange();
    }
    sent
}

/// Sends these packets again from the first client of another game, whose ids are others.
fn replay(dialect: Dialect, sent: &[Transmit]) -> (Vec<String>, Vec<SessionError>) {
    let mut game = Game::with(dialect, 0, options);
    for id in [21, 22].map(PeerId::new) {
        let mut client = Session::new(options(SessionOptions::client(dialect, id)));
        client.connected(PeerId::SERVER).unwrap();
        game.server.connected(id).unwrap();
        game.clients.push(client);
        game.exchange();
    }
    game.server.set_authority("Main/Players/21", PeerId::new(21));
    game.clients[1].set_authority("Main/Players/21", PeerId::new(21));
    game.events();
    let mut ids = RecordedIds::new();
    for (recorded, here) in [(11, 21), (12, 22)] {
        ids.set_peer(PeerId::new(recorded), PeerId::new(here));
    }
    let protocol = MultiplayerProtocol::of(dialect);
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for Transmit { mode, bytes, .. } in sent {
        let (target, bytes) = if protocol == MultiplayerProtocol::Godot4 {
            (PeerId::SERVER, &**bytes)
        } else {
            let (header, packet) = bytes.split_first_chunk::<8>().unwrap();
            let target = i32::from_le_bytes([header[4], header[5], header[6], header[7]]);
            (PeerId::new(target), packet)
        };
        let packet = parse(protocol, dialect, bytes).unwrap();
        let mut recorded = match packet {
            Packet::Relay(relay) => RecordedPacket::new(relay.packet(), relay.peer()),
            packet => RecordedPacket::new(packet, target),
        };
        recorded.sending = Some((*mode, 0));
        errors.extend(game.clients[0].send_recorded(&mut ids, &recorded).err());
        game.exchange();
        lines.extend(events(&mut game.server));
        lines.extend(events(&mut game.clients[1]));
    }
    (lines, errors)
}

#[test]
fn recorded_packets_have_the_ids_of_the_new_session() {
    for dialect in DIALECTS {
        let (lines, errors) = replay(dialect, &recorded(dialect));
        assert!(errors.is_empty(), "{dialect}: {errors:?}");
        let count = |line: &str| lines.iter().filter(|it| *it == line).count();
        for turn in 0..3 {
            let call = format!("1: 21 calls Main/World.take_hit({turn}, \"arrow\")");
            assert_eq!(count(&call), 1, "{dialect}: {lines:#?}");
        }
        assert_eq!(count("22: 21 calls Main/Chat.say(\"to 12\")"), 3, "{dialect}: {lines:#?}");
        assert_eq!(count("1: 21 sends [1, 2]"), 3, "{dialect}: {lines:#?}");
        if dialect != Dialect::GODOT_4 {
            continue;
        }
        let spawned = "1: 21 spawns Main/Players/21/Spawner/21() with 7";
        assert_eq!(count(spawned), 1, "{lines:#?}");
        let states: Vec<_> = lines.iter().filter(|it| it.starts_with("1: 21 sends 1.5")).collect();
        assert!(!states.is_empty(), "{lines:#?}");
        // The state of the other synchronizer is sent when its path is confirmed.
        assert!(lines.iter().any(|it| it.contains("2.5")), "{lines:#?}");
        assert!(!lines.iter().any(|it| it.contains("refused")), "{lines:#?}");
    }
}

#[test]
fn what_cannot_be_sent_again_is_an_error() {
    let dialect = Dialect::GODOT_4;
    let mut client = Session::new(SessionOptions::client(dialect, PeerId::new(21)));
    client.connected(PeerId::SERVER).unwrap();
    let mut ids = RecordedIds::new();
    let protocol = MultiplayerProtocol::Godot4;
    let call = [0, 2, 1, 1, 0x42, 0xa9, 0];
    for (bytes, target, expected) in [
        // The path of node 2 was announced before the recording began.
        (&call[..], 1, SessionError::UnknownNode { path: "2".to_owned() }),
        (&[3, 9], 12, SessionError::UnknownPeer { peer: PeerId::new(12) }),
        (&[5, 7, 0, 0, 0], 1, SessionError::NoSuchNode),
    ] {
        let Ok(packet) = parse(protocol, dialect, bytes) else { panic!("{bytes:?}") };
        let recorded = RecordedPacket::new(packet, PeerId::new(target));
        assert_eq!(client.send_recorded(&mut ids, &recorded), Err(expected), "{packet:?}");
    }
    assert_eq!(client.poll_transmit(), None);
}

/// States of which a value is left out would have another meaning.
#[test]
fn states_with_values_that_the_engine_lacks_are_an_error() {
    let (protocol, pandemonium) = (MultiplayerProtocol::Godot4, Dialect::PANDEMONIUM_5);
    let mut client = Session::new(SessionOptions::client(Dialect::GODOT_4, PeerId::new(21)));
    client.connected(PeerId::SERVER).unwrap();
    let encoder = PacketEncoder::new(protocol, pandemonium);
    let node = SpawnedNode { spawner: 1, net_id: 2, name: "a", synchronizers: &[3] };
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    let mut sync = encoder.sync(1, Vec::new()).unwrap();
    sync.state(Synchronizer::NetId(3), &(Variant::PackedVector4iArray(Vec::new()),)).unwrap();
    let packets = [
        encoder.simplify_path(1, "Main/Spawner", Some(digest), Vec::new()).unwrap(),
        encoder.spawn(&node, 0, &(), Vec::new()).unwrap(),
        sync.finish().unwrap(),
    ];
    let mut ids = RecordedIds::new();
    let sent = packets.each_ref().map(|bytes| {
        let packet = parse(protocol, pandemonium, bytes).unwrap();
        client.send_recorded(&mut ids, &RecordedPacket::new(packet, PeerId::SERVER))
    });
    let [Ok(false), Ok(true), Err(error)] = sent else { panic!("{sent:?}") };
    assert_eq!(error.to_string(), "argument 0: godot4 has no PackedVector4iArray");
    // The path of the spawner and the spawn.
    assert_eq!(std::iter::from_fn(|| client.poll_transmit()).count(), 2);
}

/// Games name nodes by the ids of their owners: `7`, `Player7` or `Ship_7_2`.
#[test]
fn ids_of_peers_in_the_names_of_nodes_are_those_of_the_session() {
    let mut game = Game::with(Dialect::GODOT_3, 1, options);
    let mut ids = RecordedIds::new();
    for (recorded, here) in [(1_939_355_133, 11), (12, 22)] {
        ids.set_peer(PeerId::new(recorded), PeerId::new(here));
    }
    for (recorded, expected) in [
        ("A/1939355133", "A/11"),
        ("A/Ship1939355133/Helm", "A/Ship11/Helm"),
        ("1939355133_1939355133b", "11_11b"),
        ("Ü1939355133é2", "Ü11é2"),
        ("A/12/Wave12", "A/22/Wave12"),
        ("A/-12", "A/-12"),
        ("Ship19393551330", "Ship19393551330"),
        ("01939355133", "11"),
        ("99999999999999999999", "99999999999999999999"),
    ] {
        game.events();
        let mut other = Game::with(Dialect::GODOT_3, 1, options);
        other.clients[0].call(PeerId::SERVER, recorded, "jump", ()).unwrap();
        while let Some(sent) = other.clients[0].poll_transmit() {
            let bytes = sent.bytes.get(8..).unwrap();
            let packet = parse(MultiplayerProtocol::Godot3, Dialect::GODOT_3, bytes).unwrap();
            let packet = RecordedPacket::new(packet, PeerId::SERVER);
            game.clients[0].send_recorded(&mut ids, &packet).unwrap();
        }
        game.exchange();
        assert_eq!(game.events(), [format!("1: 11 calls {expected}.jump()")]);
    }
}
