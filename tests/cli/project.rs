//! Names from the folder of a game's project: calls, spawned nodes and properties.

use crate::common::{corpus, lines};
use crate::edited::with_frames;
use crate::run::{directory, gdwire};
use gdwire::{json, text};
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const GAMES: [&str; 6] = [
    "godot4-game-enet",
    "godot4-game-enet-compressed",
    "godot4-game-enet-zlib",
    "godot4-game-enet-zstd",
    "godot4-game-enet-fastlz",
    "godot4-game-websocket",
];

/// A line of the ground truth.
#[derive(Deserialize)]
struct Sent {
    from: String,
    kind: String,
    path: String,
    #[serde(default)]
    method: String,
    #[serde(default)]
    args_text: Vec<String>,
    #[serde(default)]
    scene: String,
    #[serde(default)]
    properties: BTreeMap<String, String>,
    #[serde(default)]
    sync: BTreeMap<String, String>,
    #[serde(default)]
    delta: BTreeMap<String, String>,
}

fn project() -> String {
    corpus("project/arena").to_str().unwrap().to_owned()
}

fn capture(name: &str) -> String {
    corpus(&format!("captures/{name}.pcapng")).to_str().unwrap().to_owned()
}

/// The packets of a capture as JSON, with the names of a project, and standard error.
fn decoded(project: &str, name: &str, options: &[&str]) -> (Vec<(Json, String)>, String) {
    let arguments = ["decode", "--format", "ndjson", "--project", project, &capture(name)];
    let run = gdwire(&[&arguments[..], &["--values", "native"], options].concat(), b"");
    let packets = run.lines().into_iter().map(|line| {
        let json: Json = serde_json::from_str(line).unwrap();
        (json, line.to_owned())
    });
    (packets.collect(), run.stderr)
}

/// A literal of the ground truth, as the JSON that the command writes for the value.
fn spelled(literal: &str) -> Json {
    let value = text::parse(literal).unwrap();
    let mut bytes = Vec::new();
    let packet = gdwire::encode(gdwire::Dialect::GODOT_4, &value).unwrap();
    json::write(gdwire::parse(gdwire::Dialect::GODOT_4, &packet).unwrap(), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Whether two values are the same. The literals of the ground truth round reals to seven digits.
fn is_near(one: &Json, other: &Json) -> bool {
    let real = |value: &Json| value.as_str()?.strip_prefix("f:")?.parse::<f64>().ok();
    match (real(one), real(other)) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-6,
        _ => one == other,
    }
}

fn of_kind<'s>(sent: &'s [Sent], kind: &'s str) -> impl Iterator<Item = &'s Sent> {
    sent.iter().filter(move |sent| sent.kind == kind)
}

fn of_command<'p>(packets: &'p [(Json, String)], command: &'p str) -> Vec<&'p Json> {
    let rpc = packets.iter().map(|(packet, _)| &packet["rpc"]);
    rpc.filter(|rpc| rpc["command"] == command).collect()
}

#[test]
fn every_call_is_shown_with_the_name_that_was_called() {
    for name in GAMES {
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        let (packets, stderr) = decoded(&project(), name, &[]);
        assert!(!stderr.contains("methods"), "{name} {stderr}");
        for (from, is_server) in [("server", true), ("client", false)] {
            let given = packets.iter().filter(|(packet, _)| {
                let is_from_server = packet["src"].as_str().unwrap().ends_with(":7777");
                packet["rpc"]["command"] == "call" && is_from_server == is_server
            });
            let given: Vec<_> = given.map(|(packet, _)| &packet["rpc"]).collect();
            let called: Vec<_> = of_kind(&sent, "call").filter(|sent| sent.from == from).collect();
            assert_eq!(given.len(), called.len(), "{name} {from}");
            for (given, sent) in given.into_iter().zip(called) {
                let name = (given["path"].as_str(), given["method"].as_str());
                assert_eq!(name, (Some(&*sent.path), Some(&*sent.method)), "{given}");
                let arguments: Vec<_> = sent.args_text.iter().map(|text| spelled(text)).collect();
                assert_eq!(given["args"].as_array().unwrap(), &arguments);
            }
        }
    }
}

#[test]
fn every_spawned_node_has_its_path_scene_and_properties() {
    for name in GAMES {
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        let (packets, _) = decoded(&project(), name, &[]);
        let given = of_command(&packets, "spawn");
        let given: Vec<_> = given.into_iter().filter(|spawn| !spawn["scene"].is_null()).collect();
        let spawned: Vec<_> = of_kind(&sent, "spawn").collect();
        assert_eq!((given.len(), spawned.len()), (3, 3), "{name}");
        for (given, sent) in given.into_iter().zip(spawned) {
            assert_eq!(given["scene_path"], sent.scene);
            assert_eq!(given["node"], sent.path);
            let properties = sent.properties.iter();
            let properties = properties.map(|(name, value)| (name.clone(), spelled(value)));
            assert_eq!(given["properties"], Json::Object(properties.collect()), "{given}");
        }
        // In the order of the packet.
        let line = packets.iter().find(|(_, line)| line.contains("player.tscn")).unwrap();
        let places = ["position", "mana", "health"].map(|it| line.1.rfind(&format!("\"{it}\":")));
        assert!(places.is_sorted() && places[0].is_some(), "{places:?} {}", line.1);
    }
}

#[test]
fn every_state_has_the_path_of_its_synchronizer_and_its_properties() {
    for name in GAMES {
        let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
        // The values that each property was changed to, and its value when its node was spawned.
        let mut values: BTreeMap<(String, String), Vec<Json>> = BTreeMap::new();
        for sent in of_kind(&sent, "spawn") {
            let path = format!("{}/Sync", sent.path);
            for (name, value) in &sent.properties {
                values.entry((path.clone(), name.clone())).or_default().push(spelled(value));
            }
        }
        let mut last = BTreeMap::new();
        for sent in of_kind(&sent, "change") {
            for (name, value) in sent.sync.iter().chain(&sent.delta) {
                let key = (sent.path.clone(), name.clone());
                values.entry(key.clone()).or_default().push(spelled(value));
                last.insert(key, spelled(value));
            }
        }
        // Properties that the game never changed before they were sent.
        for path in ["Main/World/Actors/hero10/Sync", "Main/World/Actors/hero30/Sync"] {
            for (name, value) in [("facing", "0.5"), ("Turret:rotation", "0.0")] {
                values.entry((path.into(), name.into())).or_default().push(spelled(value));
            }
        }
        let (packets, stderr) = decoded(&project(), name, &[]);
        assert!(!stderr.contains("properties"), "{stderr}");
        let mut seen = BTreeMap::new();
        for command in ["sync", "delta"] {
            for packet in of_command(&packets, command) {
                for state in packet["states"].as_array().unwrap() {
                    let path = state["path"].as_str().unwrap();
                    let properties = state["properties"].as_object().unwrap();
                    assert_eq!(properties.len(), state["args"].as_array().unwrap().len());
                    for (name, value) in properties {
                        let key = (path.to_owned(), name.clone());
                        let known = values.get(&key).unwrap_or_else(|| panic!("{name}: {key:?}"));
                        let is_known = known.iter().any(|known| is_near(known, value));
                        assert!(is_known, "{name}: {key:?} {value}");
                        seen.insert(key, value.clone());
                    }
                }
            }
        }
        // The last value of each property arrives.
        assert!(last.keys().all(|key| seen.contains_key(key)), "{name} {seen:?} {last:?}");
        let same = last.iter().filter(|(key, value)| is_near(&seen[*key], value)).count();
        assert!(same + 1 >= last.len(), "{name} {seen:?} {last:?}");
    }
}

#[test]
fn a_lossy_network_changes_no_name() {
    for name in ["godot4-game-enet-lossy-client-side", "godot4-game-enet-lossy-server-side"] {
        let sent: Vec<Sent> = lines("captures/godot4-game-enet-lossy.ndjson");
        let known: BTreeSet<_> =
            of_kind(&sent, "call").map(|sent| (&*sent.path, &*sent.method)).collect();
        let (packets, _) = decoded(&project(), name, &[]);
        let mut calls = BTreeSet::new();
        for call in of_command(&packets, "call") {
            if let (Some(path), Some(method)) = (call["path"].as_str(), call["method"].as_str()) {
                assert!(known.contains(&(path, method)), "{call}");
                calls.insert((path, method));
            }
        }
        assert!(calls.len() > known.len() / 2, "{name} {calls:?}");
    }
}

#[test]
fn names_are_the_same_with_threads_and_without() {
    let project = project();
    // In a lossy network, nodes are called by their paths before these are announced.
    for name in ["godot4-game-enet", "godot4-game-enet-lossy-client-side"] {
        let capture = capture(name);
        for format in ["text", "ndjson"] {
            let arguments = ["decode", "--format", format, "--project", &project, &capture];
            let [one, more] = ["1", "3"].map(|threads| {
                let run = gdwire(&[&arguments[..], &["--threads", threads]].concat(), b"");
                (run.text().to_owned(), run.stderr)
            });
            assert_eq!(one, more);
        }
    }
}

/// A method of a spawned node was renamed. Its announcement is compared with the scene of the node.
#[test]
fn contradictions_are_the_same_with_threads_and_without() {
    let project = edited("threads", "actors/actor.gd", "func emote(", "func an_emote(");
    let [one, more] = ["1", "3"].map(|threads| {
        let (packets, stderr) = decoded(&project, "godot4-game-enet", &["--threads", threads]);
        (packets.len(), stderr)
    });
    assert_eq!(one, more);
    let note = "the scripts of Main/World/Actors/hero10 are not those of the game: 5 methods here";
    assert!(one.1.contains(note), "{}", one.1);
}

#[test]
fn a_despawn_has_the_path_of_its_node() {
    let (packets, _) = decoded(&project(), "godot4-game-websocket", &[]);
    let [spawned, despawned] = ["spawn", "despawn"].map(|command| {
        let nodes = of_command(&packets, command);
        nodes.iter().map(|it| it["node"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    assert!(despawned.len() > 5 && despawned.iter().all(|node| spawned.contains(node)));
}

/// If the start or the end of a connection is missing, `diagnose` reports no warning or error that
/// accuses its peers.
#[test]
fn diagnose_is_careful_with_captures_that_begin_late_or_end_early() {
    for name in ["godot4-game-websocket", "godot4-game-enet-lossy-client-side"] {
        for keep in [300..u64::MAX, 1..10, 1..40, 30..600] {
            let capture = with_frames(&format!("{name}.pcapng"), |frame| keep.contains(&frame));
            let run = gdwire(&["diagnose", "--format", "json", "-"], &capture);
            let diagnosis: Json = serde_json::from_str(run.text()).unwrap();
            for finding in diagnosis["findings"].as_array().unwrap() {
                let is_blame =
                    ["unknown_node", "foreign_state"].iter().any(|it| finding["kind"] == *it);
                assert!(!is_blame || finding["severity"] == "info", "{name} {keep:?} {finding}");
                assert_ne!(finding["count"], 0, "{finding}");
            }
        }
    }
}

/// A copy of the project in which a text of a file is replaced.
fn edited(name: &str, file: &str, from: &str, to: &str) -> String {
    let folder = directory(name);
    for entry in ["main.gd", "main.tscn", "project.godot"] {
        copy(&corpus("project/arena").join(entry), &folder.join(entry));
    }
    for part in ["actors", "world"] {
        fs::create_dir_all(folder.join(part)).unwrap();
        for entry in fs::read_dir(corpus("project/arena").join(part)).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &folder.join(part).join(entry.file_name()));
        }
    }
    let path = folder.join(file);
    let content = fs::read_to_string(&path).unwrap();
    assert!(content.contains(from), "{content}");
    fs::write(path, content.replace(from, to)).unwrap();
    folder.to_str().unwrap().to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::write(to, fs::read(from).unwrap()).unwrap();
}

#[test]
fn another_version_of_the_game_is_noticed_and_gives_no_wrong_names() {
    for (name, from, to, count) in [
        ("renamed", "func take_hit(", "func a_hit(", 2),
        (
            "removed",
            "@rpc(\"any_peer\") func take_hit(_a = null, _b = null, _c = null): pass\n",
            "",
            1,
        ),
    ] {
        let project = edited(name, "world/world.gd", from, to);
        let (packets, stderr) = decoded(&project, "godot4-game-enet", &[]);
        let note = format!("the scripts of Main/World are not those of the game: {count} method");
        assert!(stderr.contains(&note), "{stderr}");
        assert!(stderr.contains("at least 2 there"), "{stderr}");
        let calls = of_command(&packets, "call");
        let of_world = calls.iter().filter(|call| call["path"] == "Main/World");
        assert!(of_world.clone().count() > 10);
        assert!(of_world.into_iter().all(|call| call["method"].is_number()));
        // Calls of other nodes still have the names of their methods.
        let of_chat = calls.iter().filter(|call| call["path"] == "Main/Chat");
        assert!(of_chat.into_iter().all(|call| call["method"].is_string()));
    }
}

#[test]
fn other_properties_than_those_of_the_game_are_noticed() {
    let project = edited(
        "properties",
        "actors/player.tscn",
        "properties/2/replication_mode = 1",
        "properties/2/replication_mode = 0",
    );
    let (packets, stderr) = decoded(&project, "godot4-game-enet", &[]);
    assert!(stderr.contains("hero10/Sync"), "{stderr}");
    for packet in of_command(&packets, "sync") {
        for state in packet["states"].as_array().unwrap() {
            let is_named = state["properties"].is_object();
            assert_eq!(is_named, state["path"].as_str().unwrap().contains("mob"), "{state}");
        }
    }
}

#[test]
fn a_list_of_methods_is_checked_with_the_digests() {
    let list = directory("lists").join("game.methods");
    let run = |text: &str| {
        fs::write(&list, text).unwrap();
        let list = list.to_str().unwrap();
        let capture = capture("godot4-game-enet");
        gdwire(&["decode", "--format", "ndjson", "--methods", list, &capture], b"")
    };
    let names = |run: &crate::run::Run| -> BTreeSet<String> {
        let calls = run.lines().into_iter().map(|line| serde_json::from_str(line).unwrap());
        let methods = calls.map(|line: Json| line["rpc"]["method"].clone());
        methods.filter_map(|method| method.as_str().map(str::to_owned)).collect()
    };
    let right = run("Main/Chat: fire respawn +wave\nMain/World: reload take_hit");
    assert_eq!(right.stderr, "");
    assert_eq!(Vec::from_iter(names(&right)), ["fire", "reload", "respawn", "take_hit", "wave"]);
    let wrong = run("Main/Chat: fire respawn wave\nMain/World: reload take_hit\nMain/Shop: buy");
    assert_eq!(Vec::from_iter(names(&wrong)), ["reload", "take_hit"]);
    assert!(wrong.stderr.contains("the scripts of Main/Chat are not those of the game: 3 methods"));
    assert!(wrong.stderr.contains("Main/Shop"), "{}", wrong.stderr);
    assert_eq!(wrong.code, 0);
}

/// The findings of `diagnose` with a project.
fn findings(project: &str) -> (i32, Vec<Json>) {
    let capture = capture("godot4-game-enet");
    let run = gdwire(&["diagnose", "--format", "json", "--project", project, &capture], b"");
    let diagnosis: Json = serde_json::from_str(run.text()).unwrap();
    (run.code, diagnosis["findings"].as_array().unwrap().clone())
}

#[test]
fn calls_that_the_receiver_refuses_are_found() {
    let is_refused = |finding: &&Json| finding["kind"] == "refused_call";
    let (code, healthy) = findings(&project());
    assert_eq!((code, healthy.iter().filter(is_refused).count()), (0, 0), "{healthy:?}");

    let from = "@rpc(\"any_peer\") func take_hit(";
    let project = edited("refused", "world/world.gd", from, "@rpc func take_hit(");
    let (_, findings) = findings(&project);
    let refused: Vec<_> = findings.iter().filter(is_refused).collect();
    assert_eq!(refused.len(), 1, "{findings:?}");
    let sent: Vec<Sent> = lines("captures/godot4-game-enet.ndjson");
    let is_sent = |sent: &&Sent| sent.from == "client" && sent.method == "take_hit";
    assert_eq!(refused[0]["count"], of_kind(&sent, "call").filter(is_sent).count());
    assert_eq!(refused[0]["path"], "Main/World");
    assert_eq!(refused[0]["method"], "take_hit");
}

#[test]
fn another_version_is_a_finding_of_diagnose() {
    let line = "@rpc(\"any_peer\") func take_hit(_a = null, _b = null, _c = null): pass\n";
    let project = edited("short", "world/world.gd", line, "");
    let (_, findings) = findings(&project);
    let other: Vec<_> = findings.iter().filter(|it| it["kind"] == "other_version").collect();
    assert_eq!(other.len(), 1, "{findings:?}");
    assert_eq!(other[0]["path"], "Main/World");
}

/// Selections use the names of the project.
#[test]
fn messages_are_selected_by_names_of_the_project() {
    let (all, _) = decoded(&project(), "godot4-game-enet", &[]);
    let is_fire =
        |packet: &Json| packet["rpc"]["path"] == "Main/Chat" && packet["rpc"]["method"] == "fire";
    let fired: Vec<_> = all.iter().filter(|(packet, _)| is_fire(packet)).collect();
    assert!(fired.len() > 10);
    let (states, _) =
        decoded(&project(), "godot4-game-enet", &["--path", "Main/World/Actors/hero10"]);
    assert!(of_command(&states, "sync").len() > 100);
    for options in [
        &["--path", "Main/Chat", "--method", "fire"][..],
        &["--where", ".rpc.path == \"Main/Chat\" and .rpc.method == \"fire\""],
    ] {
        let (selected, _) = decoded(&project(), "godot4-game-enet", options);
        assert_eq!(selected.iter().collect::<Vec<_>>(), fired, "{options:?}");
    }
    let options = ["--where", ".rpc.states | any(.properties.facing > 0.9)"];
    let (selected, _) = decoded(&project(), "godot4-game-enet", &options);
    assert!(!selected.is_empty());
    assert!(selected.iter().all(|(packet, _)| packet["rpc"]["command"] == "sync"));
}

#[test]
fn a_folder_that_is_no_project_is_refused() {
    let folder = corpus("captures");
    let capture = capture("godot4-game-enet");
    let run = gdwire(&["decode", "--project", folder.to_str().unwrap(), &capture], b"");
    assert_eq!((run.code, run.text()), (2, ""));
    assert!(run.stderr.contains("no project.godot there"), "{}", run.stderr);
}
