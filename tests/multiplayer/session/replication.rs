//! Spawned nodes and synchronized properties.

use crate::common::{corpus, hex};
use crate::multiplayer::session::{Game, METHODS, events, names};
use crate::project::arena::files;
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event};
use gdwire::multiplayer::session::{
    NewNode, Session, SessionError, SessionEvent, SessionOptions, SpawnedHere, SyncConfig,
};
use gdwire::multiplayer::{Context, Names, Packet, Paths, PeerId, Synchronizer};
use gdwire::project::{Project, TransferMode};
use gdwire::{Dialect, Variant, variant};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

const SPAWNER: &str = "Main/World/Spawner";

fn game(clients: i32) -> Game {
    let options = |options: SessionOptions| options.with_names(names(METHODS)).with_unknown_nodes();
    let mut game = Game::with(Dialect::GODOT_4, clients, options);
    game.events();
    game
}

fn hero() -> NewNode {
    let config = SyncConfig::new()
        .with_spawn(["health", "title"])
        .with_sync(["x"])
        .with_watched(["health", "title"])
        .with_intervals(Duration::from_millis(100), Duration::from_millis(300));
    NewNode::of_scene(0, "hero").with_synchronizer(config)
}

fn spawned(game: &mut Game) -> SpawnedHere {
    let values = [("health", 9.into()), ("title", "Sir".into())];
    game.server.spawn(SPAWNER, hero(), &values).unwrap()
}

#[test]
fn nodes_are_spawned_at_all_peers_and_at_later_ones() {
    let mut game = game(1);
    let hero = spawned(&mut game);
    game.exchange();
    let line = |to| format!("{to}: 1 spawns {SPAWNER}/hero() with 9, \"Sir\"");
    assert_eq!(game.events(), [line(11)]);
    let shot = NewNode::custom(variant!({ "at": 7 }), "shot");
    let shot = game.server.spawn("/root/Main/World/Custom", shot, &[]).unwrap();
    assert_eq!((hero.net_id, hero.synchronizers.len(), shot.net_id), (1, 1, 3));
    // Another client comes later.
    let id = PeerId::new(12);
    let options = SessionOptions::client(Dialect::GODOT_4, id).with_unknown_nodes();
    let mut late = Session::new(options);
    late.connected(PeerId::SERVER).unwrap();
    game.server.connected(id).unwrap();
    game.clients.push(late);
    game.exchange();
    let shot_line = |to| format!("{to}: 1 spawns Main/World/Custom/shot({{ \"at\": 7 }}) with ");
    let joined = |id, other| format!("{id}: +{other}");
    let expected = [
        joined(1, 12),
        shot_line(11),
        joined(11, 12),
        joined(12, 1),
        joined(12, 11),
        line(12),
        shot_line(12),
    ];
    assert_eq!(game.events(), expected);
    game.server.despawn(hero.net_id).unwrap();
    assert_eq!(game.server.despawn(hero.net_id), Err(SessionError::NoSuchNode));
    let error = game.server.set_property(hero.synchronizers[0], "x", &1).unwrap_err();
    assert_eq!(error, SessionError::NoSuchNode);
    game.exchange();
    assert_eq!(game.events(), ["11: 1 removes hero", "12: 1 removes hero"]);
}

#[test]
fn states_are_sent_at_their_intervals() {
    let mut game = game(1);
    let hero = spawned(&mut game).synchronizers[0];
    game.exchange();
    game.events();
    let mut at = |millis: u64, values: &[(&str, i32)]| {
        for (property, value) in values {
            game.server.set_property(hero, property, value).unwrap();
        }
        game.server.handle_time(Duration::from_millis(millis));
        game.exchange();
        events(&mut game.clients[0])
    };
    // The first delta has all watched properties, as in the engine.
    assert_eq!(at(0, &[("x", 1)]), ["11: 1 sends 1", "11: 1 sends 11: 9, \"Sir\""]);
    assert_eq!(at(99, &[("x", 2), ("health", 8)]), [""; 0]);
    assert_eq!(at(100, &[]), ["11: 1 sends 2"]);
    assert_eq!(at(299, &[]), ["11: 1 sends 2"]);
    assert_eq!(at(300, &[("health", 7)]), ["11: 1 sends 1: 7"]);
    // The same value is no change.
    assert_eq!(at(700, &[("health", 7)]), ["11: 1 sends 2"]);
    assert_eq!(at(710, &[("title", 5)]), ["11: 1 sends 10: 5"]);
}

#[test]
fn a_synchronizer_of_a_scene_is_sent_once_its_path_is_confirmed() {
    let mut game = game(2);
    let config = SyncConfig::new().with_sync(["a", "b"]);
    let sync = game.server.add_synchronizer("/root/Main/Sync", &config).unwrap();
    game.server.set_property(sync, "b", "set").unwrap();
    game.server.handle_time(Duration::from_millis(1));
    game.exchange();
    assert_eq!(game.events(), [""; 0]);
    game.server.handle_time(Duration::from_millis(2));
    game.exchange();
    assert_eq!(game.events(), ["11: 1 sends null, \"set\"", "12: 1 sends null, \"set\""]);
    // A client that is the authority of a synchronizer sends its states through the server.
    let id = PeerId::new(11);
    let error = game.clients[0].add_synchronizer("Main/Player", &config).unwrap_err();
    assert_eq!(error, SessionError::NotAuthority { path: "Main/Player".to_string() });
    game.clients[0].set_authority("Main/Player", id);
    let player = game.clients[0].add_synchronizer("Main/Player", &config).unwrap();
    game.clients[0].set_property(player, "a", &1).unwrap();
    game.server.set_authority("Main/Player", id);
    for time in 1..3 {
        game.clients[0].handle_time(Duration::from_millis(time));
        game.exchange();
    }
    // The other client does not know the authority of the node.
    let expected =
        ["1: 11 sends 1, null", "12: 11 refused: the sender is not the authority of the node"];
    assert_eq!(game.events(), expected);
}

#[test]
fn what_the_engine_would_not_take_is_refused() {
    let mut game = game(1);
    let refused = |result: Result<SpawnedHere, SessionError>| result.unwrap_err().to_string();
    let mut spawn =
        |node, values: &[(&str, Variant)]| refused(game.server.spawn(SPAWNER, node, values));
    let long = || Variant::from("x".repeat(1_400));
    for (node, values, error) in [
        (NewNode::of_scene(0, "a/b"), vec![], "a node cannot have the name \"a/b\""),
        (NewNode::of_scene(0, ""), vec![], "a node cannot have the name \"\""),
        (NewNode::of_scene(255, "a"), vec![], "the header of a spawn is 255, and at most 254 fits"),
        (hero(), vec![("mana", 1.into())], "the synchronizer has no property \"mana\""),
        (hero(), vec![("x", long())], "a state of 1419 bytes is too large: at most 1350 are sent"),
    ] {
        assert_eq!(spawn(node, &values), error);
    }
    // Nothing of this was sent, and no number was used.
    game.exchange();
    assert!(game.lengths.is_empty());
    let hero = spawned(&mut game);
    assert_eq!(hero.net_id, 1);
    let error = refused(game.server.spawn(&format!("/root/{SPAWNER}"), self::hero(), &[]));
    assert_eq!(error, format!("the spawner {SPAWNER:?} has spawned a node \"hero\" already"));
    let other = game.server.spawn("Main/Other", self::hero(), &[]).unwrap();
    game.server.despawn(other.net_id).unwrap();
    game.server.spawn("Main/Other", self::hero(), &[]).unwrap();
    // All values of a state are in one packet.
    let config = SyncConfig::new().with_sync(["a", "b"]);
    let node = NewNode::of_scene(0, "long").with_synchronizer(config);
    let half = || Variant::from("x".repeat(700));
    let values = [("a", half()), ("b", half())];
    let error = refused(game.server.spawn("Main/Other", node, &values));
    assert_eq!(error, "a state of 1427 bytes is too large: at most 1350 are sent");
    // 11 bytes of headers, 8 of the string.
    let mut set = |value: Variant| game.server.set_property(hero.synchronizers[0], "x", &value);
    assert!(matches!(set(long()), Err(SessionError::StateTooLarge { .. })));
    set("x".repeat(1_328).into()).unwrap();
    game.server.handle_time(Duration::ZERO);
    game.exchange();
    assert_eq!(game.lengths.iter().filter(|len| **len > 1_300).count(), 1);
    let mut old = Session::new(SessionOptions::server(Dialect::GODOT_3));
    let error = refused(old.spawn(SPAWNER, NewNode::of_scene(0, "a"), &[]));
    assert_eq!(error, "only Godot 4 has spawners and synchronizers");
}

/// Headers take 11 bytes, the string 8 and a multiple of 4, and the number 3 or 5.
#[test]
fn a_state_may_be_as_long_as_the_packets_of_the_engine() {
    let mut game = game(1);
    let config = SyncConfig::new().with_sync(["number", "text"]);
    let node = NewNode::of_scene(0, "a").with_synchronizer(config);
    let values = [("number", 300.into()), ("text", "x".repeat(1_328).into())];
    let sync = game.server.spawn(SPAWNER, node, &values).unwrap().synchronizers[0];
    let error = game.server.set_property(sync, "number", &100_000).unwrap_err();
    assert_eq!(error, SessionError::StateTooLarge { len: 1_352, limit: 1_350 });
    game.server.handle_time(Duration::ZERO);
    game.exchange();
    assert_eq!(game.lengths.iter().max(), Some(&1_350));
}

#[test]
fn a_synchronizer_needs_a_path_that_can_be_announced() {
    let mut game = game(1);
    let config = SyncConfig::new().with_sync(["a"]);
    let error = game.server.add_synchronizer("Main/a\0b", &config).unwrap_err();
    assert_eq!(error.to_string(), "the path of a node has a NUL at byte 6, where it would end");
}

#[test]
fn wrong_spawns_and_old_states_are_refused() {
    let mut game = game(1);
    let client = &mut game.clients[0];
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    let receive = |client: &mut Session, packet: &[u8]| {
        client.receive(PeerId::SERVER, packet, TransferMode::Reliable, 0);
        events(client)
    };
    let announce =
        [&[1][..], digest.as_bytes(), &[0, 1, 0, 0, 0], SPAWNER.as_bytes(), &[0]].concat();
    assert!(receive(client, &announce).is_empty());
    let spawn = |net_id: u8, sync: u8, name: &str| {
        let head = [4, 0, 1, 0, 0, 0, net_id, 0, 0, 0, 1, 0, 0, 0];
        let length = [name.len() as u8 + 1, 0, 0, 0, sync, 0, 0, 0];
        [&head[..], &length, name.as_bytes(), &[0]].concat()
    };
    let line = format!("11: 1 spawns {SPAWNER}/a() with ");
    assert_eq!(receive(client, &spawn(1, 2, "a")), [line]);
    for (packet, reason) in [
        (spawn(1, 3, "b"), "the sender has spawned a node with the number 1 before"),
        (spawn(4, 5, "../b"), "a node cannot have this name"),
        (vec![5, 9, 0, 0, 0], "the sender has spawned no node with the number 9"),
        // The number of a synchronizer is not that of a node.
        (vec![5, 2, 0, 0, 0], "the sender has spawned no node with the number 2"),
        (
            [&[0x16, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 1][..]].concat(),
            "the synchronizer is not known",
        ),
    ] {
        assert_eq!(receive(client, &packet), [format!("11: 1 refused: {reason}")]);
    }
    let sync = |time: u16, id: u8| {
        let time = time.to_le_bytes();
        [6, time[0], time[1], id, 0, 0, 0, 2, 0, 0, 0, 2, 1]
    };
    for (time, is_new) in
        [(5, true), (5, false), (4, false), (6, true), (40_000, true), (3, true), (1, false)]
    {
        let expected: &[&str] = if is_new { &["11: 1 sends 1"] } else { &[] };
        assert_eq!(receive(client, &sync(time, 2)), expected, "{time}");
    }
    // A sync may overtake the spawn of its node.
    assert_eq!(receive(client, &sync(7, 77)), [""; 0]);
    assert_eq!(receive(client, &[5, 1, 0, 0, 0]), ["11: 1 removes a"]);
    assert_eq!(receive(client, &sync(8, 2)), [""; 0]);
}

/// A server with the project of a recorded game spawns what the recorded server spawned, and gives
/// properties the same values. It sends the same packets.
#[test]
fn a_server_replicates_as_the_recorded_one() {
    for name in ["enet", "enet-compressed", "enet-fastlz", "enet-zlib", "enet-zstd", "websocket"] {
        replicate(&format!("godot4-game-{name}.pcapng"));
    }
}

fn replicate(name: &str) {
    let names = Arc::new(Names::new().with_project(Project::from_files(files())));
    let options = SessionOptions::server(Dialect::GODOT_4).with_names(names.clone());
    let mut server = Session::new(options);
    server.connected(PeerId::new(11)).unwrap();
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let mut messages = Messages::new(&file[..]).unwrap();
    let mut theirs = Paths::new().with_names(names);
    let mut synchronizers = BTreeMap::new();
    let (mut now, mut spawns, mut syncs, mut deltas) = (Duration::ZERO, 0, 0, 0);
    // Our last sync, and our deltas that were not compared yet.
    let (mut sync, mut unseen) = (Vec::new(), VecDeque::new());
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        let Content::Packet(packet) = &message.content else { continue };
        if message.origin.src().port() != 7777 {
            continue;
        }
        theirs.note(PeerId::SERVER, packet);
        let context = Context::new().with_paths(&theirs, PeerId::SERVER);
        let states = match packet {
            Packet::Spawn(spawn) => {
                let spawner = theirs.path(PeerId::SERVER, spawn.spawner).unwrap();
                let values = spawn.properties(context).into_iter().flatten();
                let values: Vec<_> =
                    values.map(|(name, value)| (name, Variant::from(value))).collect();
                let here = match spawn.argument.iter().next() {
                    Some(argument) => {
                        let node = NewNode::custom(argument.into(), spawn.name);
                        server.spawn(spawner, node, &values)
                    }
                    None => {
                        let scenes = ["res://actors/player.tscn", "res://actors/wisp.tscn"];
                        let scene = scenes[usize::from(spawn.scene.unwrap())];
                        server.spawn_scene(spawner, scene, spawn.name, &values)
                    }
                };
                let here = here.unwrap();
                assert_eq!(here.synchronizers.len(), spawn.synchronizers.len());
                // The value in the scene, which a spawn does not contain.
                for id in here.synchronizers.iter().filter(|_| spawn.name.starts_with("hero")) {
                    server.set_property(*id, "Turret:rotation", &0.0).unwrap();
                }
                synchronizers.extend(spawn.synchronizers.iter().zip(here.synchronizers));
                let sent = std::iter::from_fn(|| server.poll_transmit());
                let sent: Vec<_> = sent.filter(|sent| sent.bytes[0] == 4).collect();
                assert_eq!(sent.len(), 1);
                assert_eq!(hex(&sent[0].bytes), hex(message.bytes));
                spawns += 1;
                continue;
            }
            Packet::Sync(sync) => sync.states,
            Packet::Delta(states) => *states,
            _ => continue,
        };
        for state in states {
            let Synchronizer::NetId(id) = state.synchronizer else { panic!("{state:?}") };
            for (name, value) in state.properties(context).unwrap() {
                server.set_property(synchronizers[&id], name, &value).unwrap();
            }
        }
        // As long as the intervals of the synchronizers.
        now += Duration::from_millis(30);
        server.handle_time(now);
        while let Some(sent) = server.poll_transmit() {
            match sent.bytes[0] {
                6 => sync = sent.bytes,
                _ => unseen.push_back(sent.bytes),
            }
        }
        if let Packet::Sync(_) = packet {
            // The times count the frames of the recorded game.
            assert_eq!(hex(&sync[3..]), hex(&message.bytes[3..]));
            syncs += 1;
        } else {
            // In one frame, a sync comes before the delta.
            assert_eq!(hex(&unseen.pop_front().unwrap()), hex(message.bytes));
            deltas += 1;
        }
    }
    assert!(unseen.is_empty());
    assert!(spawns >= 3 && syncs > 20 && deltas > 3, "{spawns} {syncs} {deltas}");
}

/// A game with a player that has a synchronizer of the server and one of its own client.
fn player_game() -> Game {
    let project = Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n\
             [node name=\"Players\" type=\"Node\" parent=\".\"]\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"../Players\")\n\
             _spawnable_scenes = PackedStringArray(\"res://player.tscn\")\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"c\"]\n\
             properties/0/path = NodePath(\".:process_mode\")\n\
             properties/0/spawn = true\nproperties/0/replication_mode = 1\n\
             [node name=\"Clock\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_interval = 0.5\n\
             replication_config = SubResource(\"c\")\n",
        ),
        ("player.gd", "extends Node2D\n@rpc(\"any_peer\") func jump(_high): pass\n"),
        (
            "player.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://player.gd\" id=\"1\"]\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"a\"]\n\
             properties/0/path = NodePath(\".:position\")\n\
             properties/0/spawn = true\nproperties/0/replication_mode = 1\n\
             [sub_resource type=\"SceneReplicationConfig\" id=\"b\"]\n\
             properties/0/path = NodePath(\".:rotation\")\n\
             properties/0/spawn = true\nproperties/0/replication_mode = 1\n\
             [node name=\"Player\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\n\
             [node name=\"Sync\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_interval = 0.1\n\
             replication_config = SubResource(\"a\")\n\
             [node name=\"Input\" type=\"MultiplayerSynchronizer\" parent=\".\"]\n\
             replication_config = SubResource(\"b\")\n",
        ),
    ]);
    assert_eq!(project.problems(), []);
    let names = Arc::new(Names::new().with_project(project));
    Game::with(Dialect::GODOT_4, 1, |options| options.with_names(names.clone()))
}

#[test]
fn a_scene_of_a_project_is_spawned_as_its_files_say() {
    let mut game = player_game();
    game.events();
    let id = PeerId::new(11);
    let spawner = "Main/Spawner";
    // Both ends know that the client has a part of its player.
    for end in [&mut game.server, &mut game.clients[0]] {
        end.set_authority("Main/Players/11/Input", id);
    }
    let values = [("position", Variant::from(3))];
    let player = game.server.spawn_scene(spawner, "res://player.tscn", "11", &values).unwrap();
    assert_eq!(player.path.as_deref(), Some("Main/Players/11"));
    assert_eq!(player.synchronizers.len(), 1);
    game.exchange();
    assert_eq!(game.events(), ["11: 1 spawns Main/Spawner/11() with 3"]);

    // Its methods can be called from both ends, also by the ids of their paths.
    for _ in 0..2 {
        game.server.call(id, "Main/Players/11", "jump", (2,)).unwrap();
        game.clients[0].call(PeerId::SERVER, "Main/Players/11", "jump", (3,)).unwrap();
        game.exchange();
        let expected =
            ["1: 11 calls Main/Players/11.jump(3)", "11: 1 calls Main/Players/11.jump(2)"];
        assert_eq!(game.events(), expected);
    }

    // Each end sends its states, at the intervals of the project.
    let input = game.clients[0].add_scene_synchronizer("Main/Players/11/Input").unwrap();
    game.clients[0].set_property(input, "rotation", &7.5).unwrap();
    let clock = game.server.add_scene_synchronizer("Main/Clock").unwrap();
    game.server.set_property(clock, "process_mode", &5).unwrap();
    let mut sent = Vec::new();
    for millis in (0..600).step_by(50) {
        game.server.handle_time(Duration::from_millis(millis));
        game.exchange();
        sent.extend(game.events());
    }
    // The client has confirmed the path of the clock after the first time.
    let line = |state| format!("11: 1 sends {state}");
    let expected = ["3", "3", "3", "3", "3", "3; 5"].map(line);
    assert_eq!(sent, expected);
    for time in 1..3 {
        game.clients[0].handle_time(Duration::from_millis(time));
        game.exchange();
    }
    let mut states = Vec::new();
    while let Some(event) = game.server.poll_event() {
        let SessionEvent::States(received) = event else { panic!("{event:?}") };
        let context = game.server.context(id);
        for state in received.states() {
            let path = context.synchronizer_path(state.synchronizer).unwrap();
            let named = state.properties(context).unwrap();
            let named: Vec<_> =
                named.map(|(name, value)| format!("{name} = {}", Variant::from(value))).collect();
            states.push(format!("{path}: {}", named.join(", ")));
        }
    }
    assert_eq!(states, ["Main/Players/11/Input: rotation = 7.5"]);

    for (spawner, scene, error) in [
        ("Main/Nobody", "res://player.tscn", "the node \"Main/Nobody\" is not known"),
        (
            spawner,
            "res://main.tscn",
            "the spawner \"Main/Spawner\" has no scene \"res://main.tscn\" whose synchronizers are known",
        ),
    ] {
        let result = game.server.spawn_scene(spawner, scene, "a", &[]);
        assert_eq!(result.unwrap_err().to_string(), error);
    }
    let error = game.server.add_scene_synchronizer("Main/Players").unwrap_err();
    assert_eq!(error.to_string(), "the node \"Main/Players\" is not known");
}

/// States are sent together until a packet would be longer than the engine's.
#[test]
fn states_share_packets_up_to_the_limits_of_the_engine() {
    let heads = [(false, 3, 8, 1_350), (true, 1, 16, 65_535)];
    for ((is_delta, head, state_head, limit), over) in
        heads.into_iter().flat_map(|of| [(of, 0), (of, 1)])
    {
        let mut game = game(1);
        let config = |names: &[&'static str]| {
            let (config, names) = (SyncConfig::new(), names.iter().copied());
            if is_delta { config.with_watched(names) } else { config.with_sync(names) }
        };
        let node = NewNode::of_scene(0, "a");
        let node = node.with_synchronizer(config(&["text"]));
        let node = node.with_synchronizer(config(&["flag", "number"]));
        let here = game.server.spawn(SPAWNER, node, &[]).unwrap();
        // Texts take a multiple of 4 bytes, null 4, a flag 1, a small number 2.
        let values = limit + over - head - 2 * state_head;
        let [text, second] = here.synchronizers[..] else { panic!() };
        let (flag, number) = [(4, 4), (1, 4), (4, 2), (1, 2)][values % 4];
        if flag == 1 {
            game.server.set_property(second, "flag", &true).unwrap();
        }
        if number == 2 {
            game.server.set_property(second, "number", &7).unwrap();
        }
        let text_len = values - flag - number;
        let content = "x".repeat(text_len - 8);
        game.server.set_property(text, "text", content.as_str()).unwrap();
        game.exchange();
        game.server.handle_time(Duration::ZERO);
        game.exchange();
        let expected = match over {
            0 => vec![limit],
            _ => vec![head + state_head + text_len, head + state_head + flag + number],
        };
        assert_eq!(game.lengths, expected, "{is_delta} {over}");
    }
}

/// Players come and go for as long as a server runs. It keeps nothing of those that have gone.
#[test]
fn a_server_forgets_what_it_knew_about_removed_nodes() {
    let mut game = player_game();
    let id = PeerId::new(11);
    // More nodes than a peer may announce.
    for round in 0..5_000 {
        let name = format!("player{round}");
        let path = format!("Main/Players/{name}");
        let scene = "res://player.tscn";
        let player = game.server.spawn_scene("Main/Spawner", scene, &name, &[]).unwrap();
        game.server.set_authority(&path, id);
        game.exchange();
        game.server.call(id, &path, "jump", (1,)).unwrap();
        game.clients[0].call(PeerId::SERVER, &path, "jump", (2,)).unwrap();
        game.exchange();
        game.server.despawn(player.net_id).unwrap();
        game.clients[0].remove_node(&path);
        game.exchange();
        assert_eq!(game.server.authority(&path), PeerId::SERVER);
        // Ids are not used twice.
        assert!(game.events().iter().all(|line| !line.contains("refused")), "{round}");
    }
    // The path is unknown again.
    let error = game.server.call(id, "Main/Players/player7", "jump", (1,)).unwrap_err();
    assert_eq!(error.to_string(), "the node \"Main/Players/player7\" is not known");
    // Nodes with similar names stay.
    for name in ["a", "a-b", "ab"] {
        game.server.spawn_scene("Main/Spawner", "res://player.tscn", name, &[]).unwrap();
        game.server.call(id, &format!("Main/Players/{name}"), "jump", (1,)).unwrap();
        game.exchange();
    }
    game.server.remove_node("Main/Players/a");
    game.events();
    for (name, packets) in [("a-b", 1), ("ab", 1), ("a", 3)] {
        game.server.call(id, &format!("Main/Players/{name}"), "jump", (1,)).unwrap();
        game.exchange();
        // A removed node is announced again.
        assert_eq!(game.lengths.len(), packets, "{name}");
    }
}

/// Packets arrive together, and their events are taken later. They still have names.
#[test]
fn states_before_a_removal_have_names() {
    let mut game = player_game();
    game.events();
    let scene = "res://player.tscn";
    let position = gdwire::math::Vector2::new(1.0_f32, 2.0);
    let values = [("position", Variant::from(position)), ("rotation", 0.5.into())];
    let states = |client: &mut Session, expected: &str| {
        let mut seen = Vec::new();
        while let Some(event) = client.poll_event() {
            let SessionEvent::States(received) = event else { continue };
            let context = client.context(PeerId::SERVER);
            for state in received.states() {
                let path = context.synchronizer_path(state.synchronizer).unwrap();
                let names = state.properties(context).unwrap().map(|(name, _)| name);
                seen.push(format!("{path}: {}", names.collect::<Vec<_>>().join(", ")));
            }
        }
        assert_eq!(
            seen,
            [expected, expected.replace("Sync: position", "Input: rotation").as_str()]
        );
    };
    for round in 0..2 {
        let player = game.server.spawn_scene("Main/Spawner", scene, "7", &values).unwrap();
        game.server.handle_time(Duration::from_secs(round + 1));
        game.server.despawn(player.net_id).unwrap();
        game.exchange();
        states(&mut game.clients[0], "Main/Players/7/Sync: position");
    }
    // The same if the server leaves, or comes back before that is noticed.
    game.server.spawn_scene("Main/Spawner", scene, "7", &values).unwrap();
    game.server.handle_time(Duration::from_secs(9));
    game.exchange();
    game.clients[0].disconnected(PeerId::SERVER);
    states(&mut game.clients[0], "Main/Players/7/Sync: position");
    let context = game.clients[0].context(PeerId::SERVER);
    assert_eq!(context.synchronizer_path(Synchronizer::NetId(2)), None);
}

/// A game whose level is spawned, and in it the ships, by a function.
fn level_game() -> Game {
    let project = Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"..\")\n\
             _spawnable_scenes = PackedStringArray(\"res://level.tscn\")\n",
        ),
        (
            "level.gd",
            "extends Node\n\
             func _enter_tree():\n\t$Spawner.spawn_function = build\n\
             func build(data):\n\tvar ship = preload(\"res://ship.tscn\").instantiate()\n\
             \tship.name = str(data)\n\treturn ship\n",
        ),
        (
            "level.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://level.gd\" id=\"1\"]\n\
             [node name=\"Level\" type=\"Node\"]\nscript = ExtResource(\"1\")\n\
             [node name=\"Ships\" type=\"Node\" parent=\".\"]\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"../Ships\")\n",
        ),
        ("ship.gd", "extends Node2D\n@rpc(\"any_peer\") func fire(_shots): pass\n"),
        (
            "ship.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://ship.gd\" id=\"1\"]\n\
             [node name=\"Ship\" type=\"Node2D\"]\nscript = ExtResource(\"1\")\n",
        ),
    ]);
    assert_eq!(project.problems(), []);
    let names = Arc::new(Names::new().with_project(project));
    Game::with(Dialect::GODOT_4, 1, |options| options.with_names(names.clone()))
}

#[test]
fn a_server_knows_the_scene_of_a_node_that_a_function_makes() {
    let mut game = level_game();
    game.events();
    game.server.spawn_scene("Main/Spawner", "res://level.tscn", "Level", &[]).unwrap();
    let ship = NewNode::custom(7.into(), "7");
    let ship = game.server.spawn("Main/Level/Spawner", ship, &[]).unwrap();
    assert_eq!(ship.path.as_deref(), Some("Main/Level/Ships/7"));
    game.exchange();
    game.events();
    game.server.call(PeerId::new(11), "Main/Level/Ships/7", "fire", (1,)).unwrap();
    game.clients[0].call(PeerId::SERVER, "Main/Level/Ships/7", "fire", (2,)).unwrap();
    game.exchange();
    let expected =
        ["1: 11 calls Main/Level/Ships/7.fire(2)", "11: 1 calls Main/Level/Ships/7.fire(1)"];
    assert_eq!(game.events(), expected);
}

/// As in the engine, where the nodes of a level are freed with it.
#[test]
fn nodes_that_were_spawned_in_a_removed_node_are_despawned_before_it() {
    for has_path in [true, false] {
        let mut game = if has_path { level_game() } else { game(1) };
        let level = NewNode::of_scene(0, "Level");
        let level = game.server.spawn("Main/Spawner", level, &[]).unwrap();
        let ship = NewNode::custom(7.into(), "7");
        let ship = game.server.spawn("Main/Level/Spawner", ship, &[]).unwrap();
        game.exchange();
        game.events();
        if has_path {
            game.server.despawn(level.net_id).unwrap();
        } else {
            game.server.remove_node("Main/Level");
            game.server.despawn(level.net_id).unwrap();
        }
        game.exchange();
        assert_eq!(game.events(), ["11: 1 removes 7", "11: 1 removes Level"]);
        assert_eq!(game.server.despawn(ship.net_id), Err(SessionError::NoSuchNode));
    }
}
