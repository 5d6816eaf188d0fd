//! Recordings that begin in the middle of a game: nodes were announced before, and what calls show
//! decides which scripts they have.

use crate::cli::edited::with_frames;
use crate::cli::run::{directory, gdwire};
use crate::common::corpus;
use serde_json::Value as Json;
use std::collections::BTreeMap;

const GAMES: [&str; 2] = ["godot4-game-enet.pcapng", "godot4-game-websocket.pcapng"];

/// The packets of a capture, without the frames before `first`.
fn decoded(name: &str, first: u64, options: &[&str]) -> Vec<Json> {
    let project = corpus("project/arena");
    let project = ["decode", "--format", "ndjson", "--hex", "--project", project.to_str().unwrap()];
    let file = with_frames(name, |frame| frame >= first);
    let run = gdwire(&[&project[..], options, &["-"]].concat(), &file);
    run.lines().into_iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A key that identifies a message in a capture and in a part of it.
fn key(message: &Json) -> String {
    ["time", "src", "dst", "hex"].map(|field| message[field].to_string()).join(" ")
}

#[test]
fn names_in_the_rest_of_a_recording_are_those_in_the_whole() {
    for name in GAMES {
        let whole = decoded(name, 1, &[]).into_iter().map(|it| (key(&it), it));
        let whole: BTreeMap<_, _> = whole.collect();
        let mut scripts = BTreeMap::<_, usize>::new();
        let mut states = 0;
        for first in (20..260).step_by(20) {
            for message in decoded(name, first, &[]) {
                let rpc = &message["rpc"];
                let of_rpc = rpc["states"].as_array().into_iter().flatten();
                for (place, state) in of_rpc.enumerate().filter(|(_, it)| it["path"].is_null()) {
                    if let Some(names) = state["properties"].as_object() {
                        let right = &whole[&key(&message)]["rpc"]["states"][place]["properties"];
                        assert_eq!(Some(names), right.as_object(), "{name} {first} {message}");
                        states += 1;
                    }
                }
                if rpc["command"] == "call" && rpc["method"].is_string() && rpc["path"].is_null() {
                    let right = &whole[&key(&message)]["rpc"];
                    assert_eq!(rpc["method"], right["method"], "{name} {first} {message}");
                    *scripts.entry(rpc["script"].to_string()).or_default() += 1;
                }
            }
        }
        assert!(states > 100, "{name} {states}");
        // Only ENet shows the modes and channels of calls.
        let of_chat = scripts.get(r#""res://world/chat.gd""#).is_some_and(|count| *count > 10);
        assert!(of_chat || name.contains("websocket"), "{name} {scripts:?}");
        assert!(scripts.values().sum::<usize>() > 150, "{name} {scripts:?}");
    }
}

/// The script stands in place of the path. Selections and expressions find the methods, but a path
/// is not known.
#[test]
fn the_script_is_shown_in_place_of_the_path() {
    let file = with_frames(GAMES[0], |frame| frame >= 200);
    let project = corpus("project/arena");
    let shown = |options: &[&str]| {
        let project = ["decode", "--project", project.to_str().unwrap(), "-"];
        gdwire(&[&project[..], options].concat(), &file).lines().join("\n")
    };
    let call = "#5 (chat.gd).respawn()";
    assert!(shown(&[]).contains(call));
    assert!(shown(&["--method", "respawn"]).contains(call));
    assert!(shown(&["--where", ".rpc.method == \"respawn\""]).contains(call));
    let is_of_script = ".rpc.script == \"res://world/chat.gd\"";
    assert!(shown(&["--where", is_of_script]).contains(call));
    assert!(!shown(&["--path", "**/Chat"]).contains("respawn"));
    assert_eq!(shown(&["--threads", "2"]), shown(&["--threads", "1"]));
}

/// Names that only a later part of a recording shows are known from the beginning in a file, and
/// from that part on in a pipe.
#[test]
fn a_file_has_names_from_the_first_call() {
    let file = with_frames(GAMES[0], |frame| frame >= 100);
    let path = directory("unannounced").join("rest.pcapng");
    std::fs::write(&path, &file).unwrap();
    let project = corpus("project/arena");
    let options = ["decode", "--project", project.to_str().unwrap()];
    let named = |input: &str, bytes: &[u8]| {
        let run = gdwire(&[&options[..], &[input]].concat(), bytes);
        run.lines().into_iter().filter(|line| line.contains(" (chat.gd).")).count()
    };
    let (of_file, of_pipe) = (named(path.to_str().unwrap(), b""), named("-", &file));
    assert!(0 < of_pipe && of_pipe < of_file, "{of_pipe} {of_file}");
}

/// One line says why paths are missing, whatever the command and however many ids there are.
#[test]
fn missing_paths_are_explained_once() {
    let file = with_frames(GAMES[0], |frame| frame >= 100);
    let path = directory("missing-paths").join("rest.pcapng");
    std::fs::write(&path, &file).unwrap();
    let path = path.to_str().unwrap();
    let explained = |arguments: &[&str]| {
        let run = gdwire(arguments, b"");
        run.stderr.matches("was announced before the first packet").count()
    };
    for command in ["decode", "stats", "diagnose"] {
        assert_eq!(explained(&[command, path]), 1, "{command}");
        assert_eq!(explained(&[command, path, path]), 1, "{command}");
        assert_eq!(explained(&[command, "--quiet", path]), 0, "{command}");
        let whole = corpus("captures").join(GAMES[0]);
        assert_eq!(explained(&[command, whole.to_str().unwrap()]), 0, "{command}");
    }
}

/// In Godot 3, a client that has just joined gets what other clients send to all.
#[test]
fn paths_may_be_announced_later() {
    // In frame 48, the server passes on what another client announces. Other packets about nodes
    // that are announced there are left out, too.
    let stays = |frame| ![48, 101, 137, 172, 236].contains(&frame);
    let run = gdwire(&["decode", "-"], &with_frames("godot3-rpc-three.pcapng", stays));
    assert!(run.stderr.contains(", or not yet to this receiver;"), "{}", run.stderr);
}

/// People may know which nodes the ids are.
#[test]
fn nodes_are_named_by_the_user() {
    for name in GAMES {
        let whole = decoded(name, 1, &[]);
        // Both ends assign ids of their own, so only packets of one end are compared.
        let is_server = |message: &Json| message["src"].as_str().unwrap().ends_with(":7777");
        let mut announced = BTreeMap::<u64, String>::new();
        for message in whole.iter().filter(|it| it["rpc"]["command"] == "simplify_path") {
            let rpc = &message["rpc"];
            if is_server(message) {
                let path = rpc["path"].as_str().unwrap().to_owned();
                announced.insert(rpc["id"].as_u64().unwrap(), path);
            }
        }
        let options: Vec<String> =
            announced.iter().map(|(id, path)| format!("--node=#{id}=/root/{path}")).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let whole: BTreeMap<_, _> = whole.into_iter().map(|it| (key(&it), it)).collect();
        let (mut calls, mut states) = (0, 0);
        for message in decoded(name, 200, &options).into_iter().filter(is_server) {
            let (rpc, right) = (&message["rpc"], &whole[&key(&message)]["rpc"]);
            if rpc["command"] == "call" && announced.contains_key(&rpc["id"].as_u64().unwrap_or(0))
            {
                assert_eq!(rpc["path"], right["path"]);
                // The scene of a node that was spawned before is not known.
                if rpc["method"].is_string() {
                    assert_eq!(rpc["method"], right["method"]);
                    calls += 1;
                }
            }
            for (place, state) in rpc["states"].as_array().into_iter().flatten().enumerate() {
                if announced.contains_key(&state["id"].as_u64().unwrap_or(0)) {
                    let right = &right["states"][place];
                    assert_eq!(state["path"], right["path"]);
                    assert_eq!(state["properties"], right["properties"]);
                    states += 1;
                }
            }
        }
        assert!(calls > 0 && states + calls > 3, "{name} {calls} {states}");
        // A path that the recording has is not replaced.
        let wrong: Vec<String> = (0..20).map(|id| format!("--node={id}=Wrong/Path")).collect();
        let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
        assert!(decoded(name, 1, &wrong) == decoded(name, 1, &[]), "{name}");
    }
    for wrong in ["Game/P0", "#x=Game", "#1=", "#1=/root/"] {
        let run = gdwire(&["decode", "--node", wrong, "-"], b"");
        assert!(run.code == 2 && run.stderr.contains("'#1=Game/P0'"), "{wrong} {}", run.stderr);
    }
}

/// A typing mistake in an id is noticed.
#[test]
fn nodes_without_messages_are_reported() {
    let rest = with_frames(GAMES[0], |frame| frame >= 200);
    let nodes = ["--node=#1=Main/World/Spawner", "--node=#77=Game/P0"];
    let unused = "stdin: --node '#77=Game/P0' was not used: no message has this id, or a message";
    for command in ["decode", "stats", "states", "diagnose"] {
        let run = gdwire(&[&[command][..], &nodes, &["-"]].concat(), &rest);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stderr.contains(unused), "{command} {}", run.stderr);
        assert_eq!(run.stderr.matches("was not used").count(), 1, "{command} {}", run.stderr);
    }
    let run = gdwire(&["decode", "--limit", "1", nodes[1], "-"], &rest);
    assert!(!run.stderr.contains("was not used"), "{}", run.stderr);
    // The capture announces what the user names otherwise.
    let whole = with_frames(GAMES[0], |_| true);
    let run = gdwire(&["decode", "--node", "#1=Other/Path", "-"], &whole);
    assert!(run.stderr.contains("or a message announces its path"), "{}", run.stderr);
}
