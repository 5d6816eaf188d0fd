//! Calls, properties and raw bytes between sessions.

use crate::common::hex;
use crate::multiplayer::session::{DIALECTS, Game, events, names};
use gdwire::Dialect;
use gdwire::multiplayer::session::{Session, SessionError, SessionEvent, SessionOptions};
use gdwire::multiplayer::{Methods, Names, PeerId};
use gdwire::peer::ScriptedCall;
use gdwire::project::{Project, TransferMode};
use std::sync::Arc;

#[test]
fn calls_have_the_path_until_it_is_confirmed() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 1);
        game.events();
        let id = PeerId::new(11);
        let mut lengths = Vec::new();
        for round in 0..3 {
            let hit = (round, "arrow");
            game.server.call(id, "/root/Main/World", "take_hit", hit).unwrap();
            game.exchange();
            lengths.push(game.lengths.clone());
            let line = format!("11: 1 calls Main/World.take_hit({round}, \"arrow\")");
            assert_eq!(game.events(), [line], "{dialect}");
        }
        // The announcement, the call with the path, and the confirmation; then only calls.
        assert_eq!(lengths[0].len(), 3, "{dialect}");
        assert_eq!(lengths[1].len(), 1);
        assert!(lengths[1][0] < lengths[0][1]);
        assert_eq!(lengths[2], lengths[1]);
    }
}

#[test]
fn a_received_call_has_the_bytes_that_were_sent() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 1);
        game.events();
        game.server.call(PeerId::new(11), "Main/World", "take_hit", (1, "arrow")).unwrap();
        game.exchange();
        let Some(SessionEvent::Call(call)) = game.clients[0].poll_event() else { panic!() };
        let bytes = hex(call.packet.as_bytes());
        assert!(
            game.sent.iter().any(|sent| sent.ends_with(&bytes)),
            "{dialect} {bytes} {:?}",
            game.sent
        );
    }
}

#[test]
fn calls_reach_one_all_or_all_but_one() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 3);
        game.events();
        for target in [0, 12, -12, -1] {
            let chat = |to: i32| format!("{to}: 1 calls Main/Chat.say(\"hi\")");
            if target != -1 {
                game.server.call(PeerId::new(target), "Main/Chat", "say", ("hi",)).unwrap();
                game.exchange();
                let called =
                    |id: &i32| target == 0 || target == *id || target < 0 && -target != *id;
                let expected: Vec<_> = (11..14).filter(called).map(chat).collect();
                assert_eq!(game.events(), expected, "{dialect} {target}");
            }
            // From a client, the server forwards the call to the other clients.
            if target == 12 || target == -12 {
                continue;
            }
            game.clients[0].call(PeerId::new(target), "Main/Chat", "say", ("hi",)).unwrap();
            game.exchange();
            let called = |id: &i32| target == 0 || -target != *id;
            let line = |to: i32| format!("{to}: 11 calls Main/Chat.say(\"hi\")");
            let expected: Vec<_> = [1, 12, 13].into_iter().filter(called).map(line).collect();
            assert_eq!(game.events(), expected, "{dialect} {target}");
        }
        // A client calls another one, which has not seen the path yet and then has.
        for _ in 0..2 {
            let other = PeerId::new(13);
            game.clients[1].call(other, "Main/World", "respawn", ()).unwrap();
            game.exchange();
            assert_eq!(game.events(), ["13: 12 calls Main/World.respawn()"], "{dialect}");
        }
    }
}

#[test]
fn bytes_and_properties_arrive() {
    for dialect in DIALECTS {
        let mut game = Game::new(dialect, 2);
        game.events();
        let mode = TransferMode::Unreliable;
        game.clients[0].send_bytes(PeerId::EVERYONE, &[1, 2], mode, 0).unwrap();
        game.exchange();
        assert_eq!(game.events(), ["1: 11 sends [1, 2]", "12: 11 sends [1, 2]"], "{dialect}");
        game.clients[0].send_bytes(PeerId::new(-12), &[3], mode, 0).unwrap();
        game.server.send_bytes(PeerId::new(-12), &[4], mode, 0).unwrap();
        game.exchange();
        assert_eq!(game.events(), ["1: 11 sends [3]", "11: 1 sends [4]"], "{dialect}");
        let set = game.server.set(PeerId::new(11), "Main/World", "health", &9, mode);
        if dialect == Dialect::GODOT_3 {
            set.unwrap();
            game.exchange();
            assert_eq!(game.events(), ["11: 1 sets Main/World.health = 9"]);
        } else {
            assert!(matches!(set, Err(SessionError::Encode(_))), "{dialect}");
            game.exchange();
            // Nothing is announced for what cannot be sent.
            assert!(game.lengths.is_empty(), "{dialect}");
        }
    }
}

#[test]
fn channels_are_those_of_the_engine() {
    let sent = |dialect, mode, channel| {
        let mut game = Game::new(dialect, 1);
        game.server.send_bytes(PeerId::EVERYONE, &[1], mode, channel).unwrap();
        let sent = game.server.poll_transmit().unwrap();
        assert_eq!((sent.to, sent.mode), (PeerId::new(11), mode));
        sent.channel
    };
    for (mode, channel, old, new) in [
        (TransferMode::Reliable, 0, 1, 0),
        (TransferMode::Unreliable, 0, 2, 1),
        (TransferMode::UnreliableOrdered, 0, 2, 1),
        (TransferMode::Reliable, 2, 1, 3),
    ] {
        assert_eq!(sent(Dialect::GODOT_3, mode, channel), old);
        assert_eq!(sent(Dialect::GODOT_4, mode, channel), new);
    }
}

#[test]
fn other_methods_are_a_mismatch_at_both_ends() {
    let mut server = Game::new(Dialect::GODOT_4, 0).server;
    let id = PeerId::new(11);
    let options = SessionOptions::client(Dialect::GODOT_4, id).with_names(names("Main/World: fly"));
    let mut client = Session::new(options);
    client.connected(PeerId::SERVER).unwrap();
    server.connected(id).unwrap();
    server.call(id, "Main/World", "take_hit", ()).unwrap();
    let mut game = Game::new(Dialect::GODOT_4, 0);
    (game.server, game.clients) = (server, vec![client]);
    game.exchange();
    let expected = [
        "1: +11",
        "1: mismatch 11 Main/World",
        "11: +1",
        "11: mismatch 1 Main/World",
        "11: 1 refused: the node has no such method",
    ];
    assert_eq!(game.events(), expected);
}

#[test]
fn a_program_can_only_call_what_it_knows() {
    let mut game = Game::new(Dialect::GODOT_4, 1);
    let id = PeerId::new(11);
    for (path, method, error) in [
        ("Main/Nobody", "say", "the node \"Main/Nobody\" is not known"),
        ("Main/Chat", "sing", "the node \"Main/Chat\" has no remote method \"sing\""),
    ] {
        assert_eq!(game.server.call(id, path, method, ()).unwrap_err().to_string(), error);
    }
    let other = PeerId::new(5);
    let error = game.server.call(PeerId::new(-5), "Main/Chat", "say", ()).unwrap_err();
    assert_eq!(error, SessionError::UnknownPeer { peer: other });
    // The own methods of a node have numbers of their own.
    game.events();
    game.server.call(id, "Main/World", "wave", (true,)).unwrap();
    game.exchange();
    assert_eq!(game.events(), ["11: 1 calls Main/World.wave(true)"]);
}

/// The names of a project with one node, `Main`, which has this script.
fn names_of_script(script: &str) -> Names {
    Names::new().with_project(Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[ext_resource type=\"Script\" path=\"res://main.gd\" id=\"1\"]\n\
             [node name=\"Main\" type=\"Node\"]\nscript = ExtResource(\"1\")\n",
        ),
        ("main.gd", script),
    ]))
}

#[test]
fn calls_that_a_script_does_not_take_are_doubted() {
    let names = names_of_script(
        "extends Node\n@rpc(\"any_peer\") func say(text: String, loud = false): pass\n\
         @rpc func greet(text): pass\n@rpc(\"any_peer\") func log(first, ...rest): pass\n",
    );
    let doubt = |call: &str| call.parse::<ScriptedCall>().unwrap().doubt(&names);
    for call in ["Main.say(\"$i\")", "Main.say(&\"hi\", 2)", "Main.log(1, 2, 3)", "$id.say()"] {
        assert_eq!(doubt(call), None, "{call}");
    }
    for (call, expected) in [
        ("Main.say()", "Main.say: the number of arguments is 0, but must be at least 1"),
        ("Main.say($id, 2)", "Main.say: argument 1 is of type int, but must be of type String"),
        ("Main.say(1, 2, $i)", "Main.say: the number of arguments is 3, but must be at most 2"),
        ("Main.log()", "Main.log: the number of arguments is 0, but must be at least 1"),
        ("Main.greet(1)", "Main.greet: only the authority of the node may call it"),
    ] {
        let doubt = doubt(call).unwrap();
        assert!(doubt.starts_with(expected), "{doubt}");
    }
    // A list of methods takes precedence over the project, and has only their names.
    let names = names.with_methods(Methods::parse("Main: say, greet, log").unwrap());
    assert_eq!("Main.say()".parse::<ScriptedCall>().unwrap().doubt(&names), None);
}

/// A level is often a scene that a spawner adds, so bots get to know its nodes only when they play.
#[test]
fn calls_of_nodes_that_a_spawner_may_add_are_accepted() {
    let names = Names::new().with_project(Project::from_files([
        ("project.godot", "[application]\nrun/main_scene=\"res://main.tscn\"\n"),
        (
            "main.tscn",
            "[gd_scene format=3]\n[node name=\"Main\" type=\"Node\"]\n\
             [node name=\"World\" type=\"Node\" parent=\".\"]\n\
             [node name=\"Level\" type=\"Node\" parent=\".\"]\n\
             [node name=\"Spawner\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"../Level\")\n\
             [node name=\"Lost\" type=\"MultiplayerSpawner\" parent=\".\"]\n\
             spawn_path = NodePath(\"../Nowhere\")\n",
        ),
    ]));
    let check = |call: &str| call.parse::<ScriptedCall>().unwrap().check(Some(&names));
    for call in ["Main/Level/Dock.open()", "/root/Main/Level/Dock/Buoy.ring(1)"] {
        assert_eq!(check(call), Ok(()), "{call}");
    }
    for path in
        ["Main/Level", "Main/World/Dock", "Main/Levels/Dock", "Main/Dock", "Dock", "Nobody/Dock"]
    {
        let error = check(&format!("{path}.ring(1)")).unwrap_err();
        assert_eq!(error.problem, format!("the node {path} has no known remote methods"));
    }
}

#[test]
fn a_project_says_how_calls_are_sent_and_who_may_call() {
    let names = Arc::new(names_of_script(
        "extends Node\n@rpc func order(): pass\n\
         @rpc(\"any_peer\", \"call_remote\", \"unreliable\", 3) func move(): pass\n",
    ));
    let mut game = Game::with(Dialect::GODOT_4, 1, |options| options.with_names(names.clone()));
    game.events();
    let id = PeerId::new(11);
    let client = &mut game.clients[0];
    client.call(PeerId::SERVER, "Main", "move", ()).unwrap();
    assert_eq!(client.poll_transmit().unwrap().mode, TransferMode::Reliable);
    let sent = client.poll_transmit().unwrap();
    assert_eq!((sent.mode, sent.channel), (TransferMode::Unreliable, 4));
    game.server.receive(id, &sent.bytes, sent.mode, sent.channel);
    game.clients[0].call(PeerId::SERVER, "Main", "order", ()).unwrap();
    game.server.call(id, "Main", "order", ()).unwrap();
    game.exchange();
    let expected = [
        "1: 11 calls Main.move()",
        "1: 11 refused: the sender is not the authority of the node",
        "11: 1 calls Main.order()",
    ];
    assert_eq!(game.events(), expected);
    // The authority of a node is also that of the nodes below it.
    game.server.set_authority("Main", id);
    assert_eq!(game.server.authority("Main/Below/it"), id);
    assert_eq!(game.server.authority("Mainly"), PeerId::SERVER);
    game.clients[0].call(PeerId::SERVER, "Main", "order", ()).unwrap();
    game.exchange();
    assert_eq!(events(&mut game.server), ["1: 11 calls Main.order()"]);
}
