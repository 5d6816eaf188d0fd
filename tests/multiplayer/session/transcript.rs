//! The file `transcript.txt` lists every packet and event of some games, so that a change of sessions is
//! seen there. The tests `engines` show whether the change is right: run them before you write the file
//! anew.

use crate::common::{hex, unhex, written_down};
use crate::multiplayer::session::{DIALECTS, Game, METHODS, names};
use gdwire::multiplayer::session::{
    NewNode, RecordedIds, RecordedPacket, Session, SessionError, SessionLimits, SessionOptions,
    SyncConfig, SyncId,
};
use gdwire::multiplayer::{MultiplayerProtocol, PeerId, parse};
use gdwire::project::TransferMode::{Reliable, Unreliable, UnreliableOrdered};
use gdwire::{Dialect, Variant, variant};
use std::fmt::Debug;
use std::time::Duration;

const SPAWNER: &str = "Main/Spawner";

/// The name of a step of a game, and the function that does it and describes the result.
type Step = (&'static str, fn(&mut Game) -> Vec<String>);

fn said(result: Result<impl Debug, SessionError>) -> String {
    result.map_or_else(|error| format!("error: {error}"), |value| format!("{value:?}"))
}

/// The target of a packet: a peer, everyone (0), or everyone but one.
fn to(id: i32) -> PeerId {
    PeerId::new(id)
}

/// Gives these packets to a peer, as if another one had sent them.
fn received(game: &mut Game, at: i32, from: i32, packets: &[&str]) {
    let session = if at == 1 { &mut game.server } else { game.client(to(at)) };
    for packet in packets {
        session.receive(to(from), &unhex(packet), Reliable, 1);
    }
}

fn config() -> SyncConfig {
    SyncConfig::new()
        .with_spawn(["name", "hp"])
        .with_sync(["at"])
        .with_watched(["hp", "name"])
        .with_intervals(Duration::from_millis(50), Duration::from_millis(80))
}

/// The first synchronizer of a session.
fn first(game: &mut Game, property: &str, value: impl Into<Variant>) -> String {
    let value = value.into();
    let mut found = Err(SessionError::NoSuchNode);
    if let Some(synchronizer) = game.synchronizers.first() {
        found = game.server.set_property(*synchronizer, property, &value);
    }
    said(found)
}

fn keep(game: &mut Game, made: Result<SyncId, SessionError>) -> String {
    game.synchronizers.extend(made.as_ref().ok());
    said(made)
}

const STEPS: &[Step] = &[
    ("the server calls a client, twice", |game| {
        let call = |_| said(game.server.call(to(11), "Main/World", "take_hit", (1, "x")));
        (0..2).map(call).collect()
    }),
    ("the server calls all, and all but one", |game| {
        let mut call = |id, path: &str| said(game.server.call(to(id), path, "say", ("hi",)));
        vec![call(0, "Main/Chat"), call(-12, "/root/Main/Chat"), call(0, "Main/Chat")]
    }),
    ("clients call the server, all, one and all but one", |game| {
        let mut calls = Vec::new();
        for id in [1, 0, 12, -12, -1] {
            calls.push(said(game.clients[0].call(to(id), "Main/World", "respawn", ())));
        }
        calls
    }),
    ("calls that cannot be sent", |game| {
        let mut call =
            |id, path: &str, method: &str| said(game.server.call(to(id), path, method, ()));
        vec![
            call(11, "Main/Nowhere", "say"),
            call(11, "Main/World", "say"),
            call(99, "Main/World", "respawn"),
            call(-99, "Main/World", "respawn"),
            call(11, "", "say"),
        ]
    }),
    ("a call as another peer would send it", |game| {
        let of = |mode, channel| (mode, channel);
        let mut calls = Vec::new();
        for (mode, channel) in [of(Unreliable, 0), of(UnreliableOrdered, 2), of(Reliable, 7)] {
            let world = "Main/World";
            calls.push(said(game.server.call_with(to(12), world, "wave", (), mode, channel)));
            calls.push(said(game.clients[1].call_with(to(11), world, "wave", (), mode, channel)));
        }
        calls
    }),
    ("properties and bytes", |game| {
        let set = game.server.set(to(0), "Main/World", "hp", &5, Unreliable);
        let bytes = [(0, 0), (12, 3), (-11, 1)].map(|(id, channel)| {
            said(game.clients[0].send_bytes(to(id), &[7, 8], Unreliable, channel))
        });
        let empty = game.server.send_bytes(to(0), &[], Reliable, 0);
        [&[said(set), said(empty)][..], &bytes].concat()
    }),
    ("nodes are spawned", |game| {
        let node = NewNode::of_scene(3, "hero").with_synchronizer(config());
        let values = [("name", "Sir".into()), ("hp", 9.into())];
        let hero = game.server.spawn(SPAWNER, node, &values);
        game.synchronizers.extend(hero.iter().flat_map(|hero| hero.synchronizers.clone()));
        let shot = NewNode::custom(variant!([1, "a"]), "shot");
        vec![said(hero), said(game.server.spawn("Main/Shots", shot, &[]))]
    }),
    ("synchronizers of scenes", |game| {
        let own = game.server.add_synchronizer("Main/Sync", &config());
        let again = game.server.add_synchronizer("Main/Sync", &config());
        let of_another = game.clients[0].add_synchronizer("Main/Sync", &config());
        vec![keep(game, own), said(again), said(of_another)]
    }),
    ("states at 10, 40, 60, 70, 95 and 200 milliseconds", |game| {
        let mut said = vec![first(game, "at", 2.5), first(game, "gone", 1)];
        for (millis, hp) in [(10, 9), (40, 8), (60, 8), (70, 7), (95, 7), (200, 7)] {
            said.push(first(game, "hp", hp));
            game.server.handle_time(Duration::from_millis(millis));
            game.exchange();
            game.sent.push(format!("  at {millis}"));
        }
        said
    }),
    ("a client spawns, with the authority", |game| {
        for session in std::iter::once(&mut game.server).chain(&mut game.clients) {
            session.set_authority("Main/Mine", to(11));
        }
        let node = || NewNode::of_scene(0, "mine").with_synchronizer(config());
        let not = game.clients[1].spawn("Main/Mine", node(), &[]);
        let own = game.clients[0].spawn("Main/Mine", node(), &[("hp", 1.into())]);
        game.clients[0].handle_time(Duration::from_millis(1));
        vec![said(not), said(own), game.server.authority("Main/Mine/deep").to_string()]
    }),
    ("a client joins late", |game| {
        let options = SessionOptions::client(game.dialect, to(14)).with_unknown_nodes();
        let mut late = Session::new(options);
        let joined = vec![said(late.connected(to(1))), said(game.server.connected(to(14)))];
        game.clients.push(late);
        joined
    }),
    ("nodes are removed", |game| {
        let removed = [1, 1, 2, 3].map(|id| said(game.server.despawn(id)));
        game.server.remove_node("Main/Mine");
        removed.to_vec()
    }),
    ("a client leaves", |game| {
        game.server.disconnected(to(12));
        game.client(to(12)).disconnected(to(1));
        let call = game.server.call(to(12), "Main/World", "respawn", ());
        let ids = game.server.peers().map(|id| id.to_string());
        ids.chain([said(call)]).collect()
    }),
    ("recorded packets of another game are sent again", |game| {
        let protocol = game.server.protocol();
        let dialect = game.dialect;
        let mut ids = RecordedIds::new();
        ids.set_peer(to(5), to(13));
        let packets: &[&str] = match protocol {
            MultiplayerProtocol::Godot4 => &[
                "016435316438636439386630306232303465393830303939386563663834323765000200\
                 00004d61696e2f576f726c6400",
                "0002000142a900",
                "03636465",
                "0402020000000700000001000000020000000800000035\
                 00",
                "0607000800008002000000020a",
                "0607000800000002000000020a",
                "0608000800000002000000020b",
                "1608000000010000000000000002000000020c",
                "0507000000",
                "0509000000",
            ],
            _ => &["0363", "0102000000"],
        };
        let mut sent = Vec::new();
        for (packet, target) in packets.iter().flat_map(|it| [(it, 1), (it, 5), (it, -5), (it, 6)])
        {
            let bytes = unhex(packet);
            let Ok(packet) = parse(protocol, dialect, &bytes) else {
                sent.push(format!("{packet} is no packet"));
                continue;
            };
            let mut recorded = RecordedPacket::new(packet, to(target));
            sent.push(said(game.clients[0].send_recorded(&mut ids, &recorded)));
            recorded.sending = Some((Unreliable, 4));
            for method in ["respawn", "gone"] {
                recorded.method = Some(method);
                sent.push(said(game.clients[0].send_recorded(&mut ids, &recorded)));
            }
        }
        sent
    }),
    ("packets that no engine sends", |game| {
        let packets = [
            "",
            "00",
            "0100",
            "02010000",
            "0701",
            "0801000000",
            "080d000000",
            "090d000000",
            "0901000000",
            "0a",
            "0a0d000000",
            "0a0d00000003aa",
            "0a6300000003aa",
            "0500000000",
            "0302",
            "20ffffff7f",
            "0002000142a900",
            "0004000100",
            "1600",
            "0600",
            "0101000000020000000303",
            "0d0000000100000003aa",
            "0d0000000d00000003aa",
            "0b0000000100000003aa",
            "0b0000000c000000206d000000",
        ];
        received(game, 1, 11, &packets);
        received(game, 13, 1, &packets);
        received(game, 13, 2, &["0300"]);
        received(game, 1, 99, &["0300"]);
        Vec::new()
    }),
    ("a node with a synchronizer is removed, and confirmed too late", |game| {
        let world = "Main/World";
        let mut said = vec![said(game.server.call(to(12), world, "respawn", ()))];
        let before = (1..9).map(|id| format!("0201{id:02}000000"));
        let before: Vec<_> = before.collect();
        game.server.remove_node(world);
        for id in ["Main/Syn", "/root/Main/Sync"] {
            game.server.remove_node(id);
            let last = game.synchronizers.last().copied();
            let set = last.map(|id| game.server.set_property(id, "at", &1));
            said.push(format!("{set:?}"));
        }
        // A confirmation of the old id is none of the new one.
        said.push(format!("{:?}", game.server.call(to(13), world, "respawn", ())));
        let before: Vec<_> = before.iter().map(String::as_str).collect();
        received(game, 1, 13, &before);
        said
    }),
];

/// An announcement of a path with an id, in hexadecimal.
fn announced(game: &Game, id: u8, path: &str) -> String {
    let (id, path) = ([id, 0, 0, 0], path.as_bytes());
    hex(&match game.server.protocol() {
        MultiplayerProtocol::Godot4 => [&[1], &[b'0'; 32][..], &[0], &id, path, &[0]].concat(),
        _ => [&[11, 0, 0, 0, 1, 0, 0, 0, 2][..], &id, path, &[0]].concat(),
    })
}

/// A spawn with a name and as many synchronizers, in hexadecimal.
fn spawned(number: u8, name: &str, synchronizers: u8) -> String {
    let word = |number: u8| [number, 0, 0, 0];
    let head = [word(1), word(number), word(synchronizers), word(name.len() as u8 + 1)].concat();
    let ids: Vec<_> = (0..synchronizers).flat_map(|id| word(number * 16 + id)).collect();
    hex(&[&[4, 0], &*head, &ids, name.as_bytes(), &[0]].concat())
}

/// Steps that reach a limit of a session, and go on after it.
const LIMITED: &[Step] = &[
    ("a third peer", |game| vec![said(game.server.connected(to(13)))]),
    ("ids are assigned", |game| {
        let mut fresh = Session::new(SessionOptions::client(game.dialect, to(21)));
        let fresh = [1, 0, -5, 2, 77].map(|id| {
            let result = said(fresh.assign_id(to(id)));
            format!("{result}, so it is {}", fresh.id())
        });
        let others = [said(game.server.assign_id(to(5))), said(game.clients[0].assign_id(to(5)))];
        [fresh.to_vec(), others.to_vec()].concat()
    }),
    ("paths of 13 bytes, 12 bytes and 14 bytes are announced", |game| {
        for (id, path) in
            [(7, "Main/World/xy"), (8, "Main/World/x"), (8, "Main/World"), (9, "Main/World/xyz")]
        {
            let packet = announced(game, id, path);
            received(game, 1, 11, &[&packet]);
        }
        Vec::new()
    }),
    ("calls by paths of 12 and 13 bytes", |game| {
        for path in ["Main/World/x", "Main/World/xy"] {
            let hidden = hex(&[&[0x20, 7, 0, 0, 0x80, 0, 0][..], path.as_bytes(), &[0]].concat());
            received(game, 1, 11, &[&hidden]);
        }
        Vec::new()
    }),
    ("spawns, until there are six announcements", |game| {
        for session in std::iter::once(&mut game.server).chain(&mut game.clients) {
            session.set_authority("Main", to(11));
        }
        let spawner = announced(game, 1, "Main/Spawner");
        received(game, 1, 11, &[&spawner]);
        for (number, name, synchronizers) in [
            (1, "name of 13 by", 0),
            (1, "name of 12 b", 1),
            (2, "b", 2),
            (2, "b", 1),
            (3, "c", 0),
            (4, "d", 0),
        ] {
            received(game, 1, 11, &[&spawned(number, name, synchronizers)]);
        }
        received(
            game,
            1,
            11,
            &["0501000000", "0501000000", &spawned(5, "e", 1), &spawned(6, "f", 1)],
        );
        let again = announced(game, 31, "Main/Spawner");
        received(game, 1, 12, &[&again]);
        Vec::new()
    }),
    ("a peer leaves, and comes back with new ids", |game| {
        game.server.disconnected(to(11));
        let joined = said(game.server.connected(to(11)));
        let packets =
            [announced(game, 1, "Main/Spawner"), spawned(1, "b", 1), "0507000000".to_owned()];
        for packet in packets {
            received(game, 1, 11, &[&packet]);
        }
        vec![joined]
    }),
    ("states of many synchronizers in as few packets as fit", |game| {
        let config = SyncConfig::new().with_sync(["at"]).with_watched(["at", "hp"]);
        let mut said = Vec::new();
        for session in std::iter::once(&mut game.server).chain(&mut game.clients) {
            session.set_authority("Main", to(1));
        }
        for number in 0..4 {
            let made = game.server.add_synchronizer(&format!("Main/S{number}"), &config);
            said.push(keep(game, made));
        }
        for length in [0, 320, 321, 436, 437, 440, 1325, 1328, 1329] {
            for synchronizer in game.synchronizers.clone() {
                let value = Variant::from("x".repeat(length));
                let set = game.server.set_property(synchronizer, "at", &value);
                said.extend(set.err().map(|error| error.to_string()));
            }
            let time = Duration::from_secs(length as u64 + 1);
            game.server.handle_time(time);
            game.exchange();
            let sent: Vec<_> = game
                .sent
                .drain(..)
                .map(|it| {
                    let (to, bytes) = it.rsplit_once(": ").unwrap();
                    format!("{to}: {} bytes, {}", bytes.len() / 2, &bytes[..bytes.len().min(24)])
                })
                .collect();
            said.push(format!("{length}: {}", sent.join("; ")));
            game.events();
        }
        said
    }),
    ("63 to 65 properties that are sent when they change", |game| {
        let mut said = Vec::new();
        for synchronizer in std::mem::take(&mut game.synchronizers) {
            let set = game.server.set_property(synchronizer, "at", &0);
            said.push(format!("{set:?}"));
        }
        for count in [63, 64, 65] {
            let names: Vec<_> = (0..count).map(|number| format!("p{number}")).collect();
            let config = SyncConfig::new().with_watched(names.iter().map(|name| &**name));
            let made = game.server.add_synchronizer(&format!("Main/W{count}"), &config);
            let Ok(id) = made else {
                said.push(keep(game, made));
                continue;
            };
            game.server.handle_time(Duration::from_secs(100 * count));
            game.exchange();
            game.sent.clear();
            let last = format!("p{}", count - 1);
            said.push(format!("{:?}", game.server.set_property(id, &last, &1)));
            game.server.handle_time(Duration::from_secs(100 * count + 50));
            game.exchange();
        }
        said
    }),
];

/// Steps with large packets.
const LARGE: &[Step] = &[("deltas of two synchronizers in as few packets as fit", |game| {
    let config = SyncConfig::new().with_watched(["at", "hp"]);
    let ids = ["Main/D0", "Main/D1"]
        .map(|path| game.server.add_synchronizer(path, &config).map_err(|error| error.to_string()));
    let [Ok(first), Ok(second)] = ids else { return vec![format!("{ids:?}")] };
    let mut said = Vec::new();
    let numbers = [100_i64, 1_000, 100_000, 1 << 40];
    for (one, other) in numbers.iter().flat_map(|one| numbers.map(|other| (one, other))) {
        let letter = ["x", "y"][said.len() & 1];
        let text = |len| Variant::from(letter.repeat(len));
        for (id, at, hp) in [(first, text(40_000), *one), (second, text(25_476), other)] {
            game.server.set_property(id, "at", &at).unwrap();
            game.server.set_property(id, "hp", &hp).unwrap();
        }
        game.server.handle_time(Duration::from_secs(1 + said.len() as u64));
        game.exchange();
        let lengths: Vec<_> = game.sent.drain(..).map(|it| it.len()).collect();
        said.push(format!("{one} and {other}: {lengths:?}"));
        game.events();
    }
    said
})];

/// Packets of other peers about nodes that are unknown to a session without unknown nodes.
const STRICT: &[Step] = &[
    ("paths are announced", |game| {
        let packets = [
            announced(game, 1, "Main/World"),
            announced(game, 2, "Main/Chat"),
            announced(game, 3, "Main/Gone"),
            announced(game, 1, "Main/Chat"),
        ];
        for packet in packets {
            received(game, 1, 11, &[&packet]);
        }
        Vec::new()
    }),
    ("methods are called", |game| {
        received(game, 1, 11, &["00010000", "00010200", "00010500", "4001008000", "4001018000"]);
        received(game, 1, 11, &["00020000", "00030000", "0002000101", "0002000207"]);
        for path in ["Main/World", "Main/Gone"] {
            for number in ["00", "05"] {
                let packet = hex(&[&[0x20, 7, 0, 0, 0x80][..]].concat()) + number + "00";
                let packet = packet + &hex(path.as_bytes()) + "00";
                received(game, 1, 11, &[&packet]);
            }
        }
        Vec::new()
    }),
    ("nodes are spawned and synchronized", |game| {
        received(game, 1, 11, &[&spawned(1, "a", 1), "0600000100000002000000020a"]);
        received(game, 12, 1, &[&spawned(1, "a", 1), "0600000100000002000000020a"]);
        Vec::new()
    }),
];

/// Does some steps of a game, and adds all that is said, sent and noticed.
fn play(text: &mut String, mut game: Game, steps: &[Step]) {
    game.events();
    game.sent.clear();
    play_on(text, &mut game, steps);
}

fn play_on(text: &mut String, game: &mut Game, steps: &[Step]) {
    for (title, step) in steps {
        let said = step(game);
        game.exchange();
        let lines = said.into_iter().chain(std::mem::take(&mut game.sent));
        let lines: Vec<_> = lines.chain(game.events()).map(|line| format!("  {line}\n")).collect();
        text.push_str(&format!("{title}\n{}", lines.concat()));
    }
}

/// Everything that is said, sent and noticed in games of each dialect.
fn transcript() -> String {
    let mut text = String::new();
    for dialect in DIALECTS {
        text.push_str(&format!("# {dialect}, with low limits\n"));
        let limits =
            SessionLimits::default().with_peers(2).with_announcements(6).with_path_bytes(12);
        let game = Game::with(dialect, 2, |options| {
            options.with_names(names(METHODS)).with_unknown_nodes().with_limits(limits)
        });
        // Only Godot 4 has what the other steps do.
        let steps = if dialect == Dialect::GODOT_4 { LIMITED } else { &LIMITED[..3] };
        play(&mut text, game, steps);
        text.push_str(&format!("# {dialect}, without unknown nodes\n"));
        play(&mut text, Game::new(dialect, 2), STRICT);
    }
    text.push_str("# large packets\n");
    let unknown = |options: SessionOptions| options.with_names(names(METHODS)).with_unknown_nodes();
    play(&mut text, Game::with(Dialect::GODOT_4, 1, unknown), LARGE);
    for (dialect, relays) in DIALECTS.iter().flat_map(|it| [(*it, true), (*it, false)]) {
        text.push_str(&format!("# {dialect}{}\n", if relays { "" } else { ", without relay" }));
        let mut game = Game::with(dialect, 3, |options| {
            let options = options.with_names(names(METHODS)).with_unknown_nodes();
            if relays { options } else { options.without_relay() }
        });
        play_on(&mut text, &mut game, &[("three clients join", |_| Vec::new())]);
        play_on(&mut text, &mut game, STEPS);
    }
    text
}

#[test]
fn every_packet_and_event_is_as_written_down() {
    written_down("tests/multiplayer/session/transcript.txt", &transcript());
}
