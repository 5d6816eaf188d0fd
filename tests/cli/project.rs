//! Names from the folder of a game's project: calls, spawned nodes and properties.

use crate::cli::edited::{copy, with_frames};
use crate::cli::run::{directory, gdwire};
use crate::common::{corpus, lines};
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
    let note = "in the game, Main/World/Actors/hero10 has emote instead of an_emote; its other methods \
                are the same";
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
    edited_often(name, file, &[(from, to)])
}

/// The same for several texts, which are all replaced at once.
fn edited_often(name: &str, file: &str, texts: &[(&str, &str)]) -> String {
    edited_copy("arena", name, file, texts)
}

fn edited_copy(of: &str, name: &str, file: &str, texts: &[(&str, &str)]) -> String {
    let folder = directory(name);
    copy(&corpus("project").join(of), &folder);
    let path = folder.join(file);
    let mut content = fs::read_to_string(&path).unwrap();
    for (place, (from, _)) in texts.iter().enumerate() {
        assert!(content.contains(from), "{content}");
        content = content.replace(from, &format!("<{place}>"));
    }
    for (place, (_, to)) in texts.iter().enumerate() {
        content = content.replace(&format!("<{place}>"), to);
    }
    fs::write(path, content).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// A renamed, removed or added method takes away no name that both versions share, if the digest
/// proves them: other files of the project still mention the game's names.
#[test]
fn other_methods_take_away_only_names_that_are_not_proven() {
    const HIT: &str = "@rpc(\"any_peer\") func take_hit(_a = null, _b = null, _c = null): pass\n";
    let added = format!("{HIT}@rpc func ambush(): pass\n@rpc func zoom(): pass\n");
    for (name, from, to, change, given) in [
        (
            "renamed",
            "func take_hit(",
            "func a_hit(",
            "has take_hit instead of a_hit",
            Some("2 names"),
        ),
        ("removed", HIT, "", "also has take_hit", Some("1 name")),
        ("added", HIT, &*added, "does not have ambush and zoom", None),
    ] {
        let project = edited(name, "world/world.gd", from, to);
        let changed = format!("in the game, Main/World {change}; its other methods are the same (");
        let (_, stderr) = decoded(&project, "godot4-game-enet", &[]);
        assert_eq!(stderr.matches(&changed).count(), 1, "{stderr}");
        for (about, (kept, all)) in kept(&project, "godot4-game-enet", &[]) {
            assert_eq!(kept, all, "{name} {about}");
        }

        // Nothing mentions the name of the game's method.
        let main = Path::new(&project).join("main.gd");
        let content = fs::read_to_string(&main).unwrap();
        fs::write(main, content.replace("take_hit", "a_hit")).unwrap();
        let (_, stderr) = decoded(&project, "godot4-game-enet", &[]);
        let warning = match given {
            Some(names) => {
                format!("Main/World has other methods in the game than the {names} given for it")
            }
            None => changed,
        };
        assert_eq!(stderr.matches(&warning).count(), 1, "{stderr}");
        for (about, (kept, all)) in kept(&project, "godot4-game-enet", &[]) {
            let is_gone =
                ["method take_hit", "method reload"].contains(&&*about) && name != "added";
            assert_eq!(kept, if is_gone { 0 } else { all }, "{name} {about}");
        }
    }
}

/// The game announces a spawned node at another path than that where the project's spawner puts it.
#[test]
fn spawned_nodes_have_no_path_where_the_game_puts_them_elsewhere() {
    let (from, to) = ("spawn_path = NodePath(\"../Actors\")", "spawn_path = NodePath(\"../..\")");
    let project = edited("other-place", "main.tscn", from, to);
    for capture in ["godot4-game-enet", "godot4-game-websocket"] {
        for (about, (kept, all)) in kept(&project, capture, &[]) {
            let is_gone = about == "path" || about.starts_with("node Main/World/Actors/");
            assert_eq!(kept, if is_gone { 0 } else { all }, "{capture} {about}");
        }
        let (_, stderr) = decoded(&project, capture, &["--threads", "2"]);
        assert_eq!(decoded(&project, capture, &["--threads", "1"]).1, stderr);
        let warning = "Main/World/Spawner is not as in the game, so names that depend on it are not \
                       shown: Main/World/Actors/hero30 is announced, but the project has that node \
                       at Main/hero30 (first in frame ";
        assert_eq!(stderr.matches(warning).count(), 1, "{stderr}");
        assert_eq!(stderr.matches("is not as in the game").count(), 1, "{stderr}");
    }
}

/// The names in a packet as `decode` shows it, each with what it names.
fn names(packet: &Json) -> BTreeMap<String, String> {
    let rpc = &packet["rpc"];
    let mut names = BTreeMap::new();
    for key in ["method", "scene_path", "node"] {
        names.extend(rpc[key].as_str().map(|name| (key.to_owned(), name.to_owned())));
    }
    let states = rpc["states"].as_array().into_iter().flatten().chain([rpc]);
    for (place, state) in states.enumerate() {
        let path = state["path"].as_str().filter(|_| rpc["states"].is_array());
        names.extend(path.map(|path| (format!("{place}"), path.to_owned())));
        let properties = state["properties"].as_object().into_iter().flatten();
        for (index, (name, value)) in properties.enumerate() {
            names.insert(format!("{place} {index} {value}"), name.clone());
        }
    }
    names
}

/// Compares the names of an edited project with those of the right one: returns how many there are
/// of each project, by what they name. No name may be wrong.
fn kept(edited: &str, capture: &str, options: &[&str]) -> BTreeMap<String, (usize, usize)> {
    let (right, _) = decoded(&project(), capture, &[]);
    let (packets, _) = decoded(edited, capture, options);
    assert_eq!(right.len(), packets.len());
    let mut counts = BTreeMap::new();
    for ((right, _), (packet, _)) in right.iter().zip(&packets) {
        let shown = names(packet);
        for (what, name) in names(right) {
            let about = match &*what {
                "method" | "scene_path" | "node" => format!("{what} {name}"),
                what if !what.contains(' ') => "path".to_owned(),
                _ => name.clone(),
            };
            let (kept, all) = counts.entry(about).or_insert((0, 0));
            *all += 1;
            if let Some(shown) = shown.get(&what) {
                assert_eq!(*shown, name, "{capture} {packet}");
                *kept += 1;
            }
        }
        assert!(shown.keys().all(|what| names(right).contains_key(what)), "{capture} {packet}");
    }
    counts
}

/// Projects of other versions: which names are no longer shown, and what is reported about which
/// part of the project.
#[test]
fn contradicted_names_are_not_shown_and_the_others_are() {
    const PLAYER: &str = "actors/player.tscn";
    const WARNING: &str = "is not as in the game, so names that depend on it are not shown";
    let of_player = ["position", "mana", "facing", "health", "Turret:rotation"];
    let of_wisp = ["level", "score", "rotation"];
    let scenes = ["scene_path res://actors/player.tscn", "scene_path res://actors/wisp.tscn"];
    let lists = [&of_player[..], &of_wisp, &scenes].concat();
    for (name, file, texts, gone, subject) in [
        (
            "position-facing",
            PLAYER,
            &[(".:position", ".:facing"), (".:facing", ".:position")][..],
            &of_player[..],
            "res://actors/player.tscn",
        ),
        (
            "mana-turret",
            PLAYER,
            &[(".:mana", "Turret:rotation"), ("Turret:rotation", ".:mana")],
            &of_player,
            "res://actors/player.tscn",
        ),
        (
            "level-score",
            "actors/wisp.tscn",
            &[(".:level", ".:score"), (".:score", ".:level")],
            &of_wisp,
            "res://actors/wisp.tscn",
        ),
        (
            "scenes",
            "main.tscn",
            &[
                ("actors/player.tscn", "actors/wisp.tscn"),
                ("actors/wisp.tscn", "actors/player.tscn"),
            ],
            &lists,
            "Main/World/Spawner",
        ),
        (
            "removed-property",
            PLAYER,
            &[("properties/2/replication_mode = 1", "properties/2/replication_mode = 0")],
            &of_player,
            "res://actors/player.tscn",
        ),
        (
            "typed",
            "actors/player.gd",
            &[("var health := \"none\"", "var health: int = 3")],
            &of_player,
            "res://actors/player.tscn",
        ),
    ] {
        let project = edited_often(name, file, texts);
        let others = ["godot4-game-websocket", "godot4-game-enet-lossy-client-side"];
        let others = others.into_iter().filter(|_| ["scenes", "position-facing"].contains(&name));
        for capture in others.chain(["godot4-game-enet"]) {
            for (about, (kept, all)) in kept(&project, capture, &[]) {
                let is_gone = gone.contains(&&*about);
                // Without the scene, the paths of its synchronizers are not known.
                let is_gone = is_gone || (about == "path" && name == "scenes");
                let expected = if is_gone { 0 } else { all };
                // States whose announcements were lost have names by their shape.
                let is_state = of_player.contains(&&*about) || about == "path";
                let by_shape = name == "scenes" && capture.contains("lossy") && is_state;
                let expected = if by_shape { kept.min(all / 100) } else { expected };
                // A call that overtakes the announcement of its node has no digest.
                let early = usize::from(capture.contains("lossy") && about.starts_with("method"));
                let is_right = kept <= expected && kept + early >= expected;
                assert!(is_right, "{name} {capture} {about}: {kept} of {all}");
            }
            let (_, stderr) = decoded(&project, capture, &[]);
            let warnings: Vec<_> = stderr.lines().filter(|it| it.contains(WARNING)).collect();
            assert!(matches!(warnings[..], [one] if one.contains(subject)), "{name} {stderr}");
        }
    }
}

/// The warning names the file that has the contradicted properties: several scenes can use it, and
/// have one cause then.
#[test]
fn contradicted_properties_of_a_resource_are_those_of_its_file() {
    const TEXTS: [(&str, &str); 2] = [
        (
            "[sub_resource ",
            "[ext_resource path=\"res://actors/player.tres\" id=\"2\"]\n\n[sub_resource ",
        ),
        ("SubResource(\"SceneReplicationConfig_h\")", "ExtResource(\"2\")"),
    ];
    let project = edited_often("resource", "actors/player.tscn", &TEXTS);
    let write = |properties: [&str; 2]| {
        let paths = [properties[0], ".:mana", properties[1], ".:health", "Turret:rotation"];
        let mut text =
            "[gd_resource type=\"SceneReplicationConfig\" format=3]\n\n[resource]\n".to_owned();
        for (number, (path, (spawn, mode))) in paths.into_iter().zip(MODES).enumerate() {
            text += &format!("properties/{number}/path = NodePath(\"{path}\")\n");
            text += &format!("properties/{number}/spawn = {spawn}\n");
            text += &format!("properties/{number}/replication_mode = {mode}\n");
        }
        fs::write(Path::new(&project).join("actors/player.tres"), text).unwrap();
    };
    write([".:position", ".:facing"]);
    let kept_of = |what: &str| kept(&project, "godot4-game-enet", &[])[what];
    let (kept, all) = kept_of("position");
    assert!(kept == all && all > 100);
    assert_eq!(decoded(&project, "godot4-game-enet", &[]).1, "");

    write([".:facing", ".:position"]);
    assert_eq!(kept_of("position"), (0, all));
    let (_, stderr) = decoded(&project, "godot4-game-enet", &[]);
    assert!(stderr.contains("res://actors/player.tres is not as in the game"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

/// Adds a synchronizer to a scene.
fn with_a_synchronizer(scene: &str) -> String {
    const SYNC: &str = "[node name=\"Sync\"";
    let two = [
        "[sub_resource type=\"SceneReplicationConfig\" id=\"S\"]",
        "properties/0/path = NodePath(\".:modulate\")\n",
        "[node name=\"Slow\" type=\"MultiplayerSynchronizer\" parent=\".\"]",
        "replication_config = SubResource(\"S\")\n",
        SYNC,
    ];
    assert!(scene.contains(SYNC), "{scene}");
    scene.replace(SYNC, &two.join("\n"))
}

/// The scenes of the players' spawns, and the warnings, if the spawner has these scenes.
fn scenes_of_players(project: &str, scenes: [&str; 2]) -> (Vec<String>, String) {
    let main = fs::read_to_string(corpus("project/arena/main.tscn")).unwrap();
    let main = main.replace("actors/player.tscn", "<>").replace("actors/wisp.tscn", scenes[1]);
    fs::write(Path::new(project).join("main.tscn"), main.replace("<>", scenes[0])).unwrap();
    let (packets, stderr) = decoded(project, "godot4-game-enet", &[]);
    let spawns = of_command(&packets, "spawn").into_iter().filter(|rpc| rpc["scene"] == 0);
    let shown: BTreeSet<_> = spawns.map(|rpc| rpc["scene_path"].to_string()).collect();
    assert!(!shown.is_empty());
    (shown.into_iter().collect(), stderr)
}

/// A spawn with fewer synchronizers than the scene is no contradiction, because another peer may have
/// the authority over the others. But some of them have to send its values.
#[test]
fn a_spawn_with_some_synchronizers_of_another_scene_is_contradicted() {
    let project = edited_often("selection", "main.tscn", &[]);
    let [player, wisp] = ["actors/player.tscn", "actors/wisp.tscn"];
    let file = Path::new(&project).join(wisp);
    let scene = fs::read_to_string(&file).unwrap();
    fs::write(&file, with_a_synchronizer(&scene)).unwrap();
    let (scenes, stderr) = scenes_of_players(&project, [player, wisp]);
    assert_eq!((scenes, &*stderr), (vec![format!("\"res://{player}\"")], ""));

    let (scenes, stderr) = scenes_of_players(&project, [wisp, wisp]);
    assert_eq!(scenes, ["null"]);
    let expected = "3 values, which no synchronizer sends in res://actors/wisp.tscn";
    assert!(stderr.contains(expected), "{stderr}");
}

/// If another scene of the spawner has just the synchronizers of a spawn, nothing shows which of the
/// two was spawned.
#[test]
fn a_scene_is_not_shown_if_another_one_fits_better() {
    let project = edited_often("pair", "main.tscn", &[]);
    let [player, pair, wisp] = ["actors/player.tscn", "actors/pair.tscn", "actors/wisp.tscn"];
    let scene = fs::read_to_string(Path::new(&project).join(player)).unwrap();
    fs::write(Path::new(&project).join(pair), with_a_synchronizer(&scene)).unwrap();
    for (scenes, expected) in [
        ([pair, wisp], "\"res://actors/pair.tscn\""),
        ([pair, player], "null"),
        ([player, pair], "\"res://actors/player.tscn\""),
    ] {
        assert_eq!(scenes_of_players(&project, scenes).0, [expected], "{scenes:?}");
    }
}

/// When the properties of a player are sent: in spawns, and in which states.
const MODES: [(bool, u8); 5] = [(true, 1), (true, 2), (false, 1), (true, 0), (false, 2)];

/// `stats`, `diagnose` and `report` show no contradicted names either, and report the reason once.
#[test]
fn contradicted_names_are_in_no_output() {
    const TEXTS: [(&str, &str); 2] = [(".:position", ".:facing"), (".:facing", ".:position")];
    let project = edited_often("outputs", "actors/player.tscn", &TEXTS);
    let capture = capture("godot4-game-enet");
    let run = |command: &str, more: &[&str]| {
        gdwire(&[&[command, "--project", &project, &capture], more].concat(), b"")
    };
    let warned = |stderr: &str| stderr.matches("names that depend on it are not shown").count();
    let stats = run("stats", &["--format", "json"]);
    assert_eq!(warned(&stats.stderr), 1, "{}", stats.stderr);
    let json: Json = serde_json::from_str(stats.text()).unwrap();
    let of_heroes = json["properties"].as_array().unwrap().iter();
    let mut of_heroes = of_heroes.filter(|it| it["path"].as_str().unwrap().contains("hero"));
    assert!(of_heroes.clone().count() > 5);
    assert!(of_heroes.all(|property| property["property"].is_number()), "{}", stats.text());

    let (_, findings) = findings(&project);
    let other: Vec<_> = findings.iter().filter(|it| it["kind"] == "other_version").collect();
    assert!(matches!(other[..], [it] if it["path"] == "res://actors/player.tscn"), "{findings:?}");

    let page = directory("outputs-page").join("report.html");
    let report = run("report", &["-o", page.to_str().unwrap()]);
    assert_eq!(warned(&report.stderr), 1, "{}", report.stderr);
    let page = fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("other_version").count(), 1);
    assert!(!page.contains("Turret:rotation") && page.contains("level"));
}

/// A pipe is decoded as it comes: names are shown until a packet contradicts them.
#[test]
fn contradictions_in_a_pipe_take_names_away_from_then_on() {
    const TEXTS: [(&str, &str); 2] = [(".:mana", "Turret:rotation"), ("Turret:rotation", ".:mana")];
    let project = edited_often("piped", "actors/player.tscn", &TEXTS);
    let capture = fs::read(capture("godot4-game-enet")).unwrap();
    let run = gdwire(&["decode", "--format", "ndjson", "--project", &project, "-"], &capture);
    let packets = run.lines().into_iter().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let named: BTreeSet<_> = packets.flat_map(|packet| names(&packet).into_values()).collect();
    for name in ["position", "mana", "facing", "health", "Turret:rotation"] {
        assert!(!named.contains(name), "{name}");
    }
    assert!(["level", "score", "rotation", "reload"].iter().all(|name| named.contains(*name)));
    assert_eq!(run.stderr.matches("names that depend on it are not shown").count(), 1);
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
    let names = |run: &crate::cli::run::Run| -> BTreeSet<String> {
        let calls = run.lines().into_iter().map(|line| serde_json::from_str(line).unwrap());
        let methods = calls.map(|line: Json| line["rpc"]["method"].clone());
        methods.filter_map(|method| method.as_str().map(str::to_owned)).collect()
    };
    let right = run("Main/Chat: fire respawn +wave\nMain/World: reload take_hit");
    assert_eq!(right.stderr, "");
    assert_eq!(Vec::from_iter(names(&right)), ["fire", "reload", "respawn", "take_hit", "wave"]);
    let wrong = run("Main/Chat: fire respawn wave\nMain/World: reload take_hit\nMain/Shop: buy");
    assert_eq!(Vec::from_iter(names(&wrong)), ["reload", "take_hit"]);
    let warning = "Main/Chat has other methods in the game than the 3 names given for it";
    assert!(wrong.stderr.contains(warning), "{}", wrong.stderr);
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

    // A script may make the client the authority.
    let script = Path::new(&project).join("main.gd");
    let before = fs::read_to_string(&script).unwrap();
    let with = |line: &str| fs::write(&script, format!("{before}\nfunc joined(id):\n\t{line}\n"));
    for (line, count) in [
        ("$World/Actors.set_multiplayer_authority(id)", 1),
        ("$World.set_multiplayer_authority(id)", 0),
        ("set_multiplayer_authority(id, false)", 1),
        ("set_multiplayer_authority(id)", 0),
    ] {
        with(line).unwrap();
        let (_, findings) = self::findings(&project);
        assert_eq!(findings.iter().filter(is_refused).count(), count, "{line}: {findings:?}");
    }
}

/// Scripts that extend classes of an extension have one cause, so they share a line.
#[test]
fn unknown_classes_share_a_line() {
    let project = edited("unknown", "main.gd", "extends Node", "extends Machine");
    let script = Path::new(&project).join("world/world.gd");
    let line = "neither the project nor the engine has a class Machine";
    let (_, one) = decoded(&project, GAMES[0], &["--limit", "1"]);
    assert!(one.contains(&format!("main.gd:1: {line}")), "{one}");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, text.replace("extends Node", "extends Motor")).unwrap();
    let (_, both) = decoded(&project, GAMES[0], &["--limit", "1"]);
    let shared = "2 scripts extend classes that neither the project nor the engine has (Machine, Motor), \
        so names of methods may be missing; --verbose lists them";
    assert!(both.contains(shared), "{both}");
    assert!(!both.contains(line), "{both}");
    let (_, all) = decoded(&project, GAMES[0], &["--limit", "1", "--verbose"]);
    assert!(all.contains(line) && !all.contains(shared), "{all}");
}

#[test]
fn another_version_is_a_finding_of_diagnose() {
    let line = "@rpc(\"any_peer\") func take_hit(_a = null, _b = null, _c = null): pass\n";
    let project = edited("short", "world/world.gd", line, "");
    let (_, findings) = findings(&project);
    let other: Vec<_> = findings.iter().filter(|it| it["kind"] == "other_version").collect();
    assert_eq!(other.len(), 1, "{findings:?}");
    assert_eq!(other[0]["path"], "Main/World");
    let text =
        "2 packets of Main/World contradict the project; only names that agree with them are shown";
    assert_eq!(other[0]["text"], text);
}

/// The path of a spawned node does not depend on its scene: it is shown, as in the counts, also if the
/// project has other scenes.
#[test]
fn states_have_the_path_of_their_node_without_its_scene() {
    const LIST: [&str; 2] = ["res://actors/player.tscn", "res://actors/wisp.tscn"];
    let [one, other] = LIST;
    let project = edited_often("exchanged", "main.tscn", &[(one, other), (other, one)]);
    let capture = capture("godot4-game-enet");
    let run = gdwire(&["decode", "--plain", "--project", &project, &capture], b"");
    let states: Vec<_> = run.lines().into_iter().filter(|it| it.starts_with("sync ")).collect();
    assert!(states.len() > 100);
    for state in states {
        assert!(state.contains(": Main/World/Actors/hero10 ["), "{state}");
    }
    let stats = gdwire(&["stats", "--nodes", "--project", &project, &capture], b"");
    assert!(stats.text().contains("Main/World/Actors/hero10 "), "{}", stats.text());
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

/// `--method` selects properties, too: in spawns, in sync states and in deltas.
#[test]
fn messages_are_selected_by_their_properties() {
    let (all, _) = decoded(&project(), "godot4-game-enet", &[]);
    for (pattern, commands) in [
        ("position", &["spawn", "sync"][..]),
        ("Turret:*", &["delta"]),
        ("h?alth", &["spawn"]),
        ("nothing", &[]),
    ] {
        let has_property = |(packet, _): &&(Json, String)| {
            let rpc = &packet["rpc"];
            let states = rpc["states"].as_array().into_iter().flatten().chain([rpc]);
            let mut names =
                states.filter_map(|it| it["properties"].as_object()).flat_map(|it| it.keys());
            names.any(|name| gdwire::multiplayer::Pattern::new(pattern).matches(name))
        };
        let expected: Vec<_> = all.iter().filter(has_property).collect();
        let (selected, _) = decoded(&project(), "godot4-game-enet", &["--method", pattern]);
        assert_eq!(selected.iter().collect::<Vec<_>>(), expected, "{pattern}");
        let seen: BTreeSet<_> =
            selected.iter().map(|(it, _)| it["rpc"]["command"].as_str().unwrap()).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), commands, "{pattern}");
    }
}

#[test]
fn a_folder_that_is_no_project_is_refused() {
    let folder = corpus("captures");
    let capture = capture("godot4-game-enet");
    let run = gdwire(&["decode", "--project", folder.to_str().unwrap(), &capture], b"");
    assert_eq!((run.code, run.text()), (2, ""));
    assert!(run.stderr.contains("no project.godot there"), "{}", run.stderr);
}

#[test]
fn what_has_names_is_counted_and_why_some_may_be_missing() {
    let recording = corpus("project/made.pcap");
    let told = |project: &str| {
        let recording = recording.to_str().unwrap();
        let run = gdwire(&["stats", "--verbose", "--project", project, recording], b"");
        let about = |line: &&str| line.contains(": named: ") || line.contains("may be missing");
        let lines = run.stderr.lines().filter(about);
        lines
            .filter_map(|line| line.split_once(".pcap: "))
            .map(|(_, text)| format!("{text}\n"))
            .collect::<String>()
    };
    let changes = |project: &str| {
        let script = Path::new(project).join("changes.gd");
        fs::write(script, "extends Node\nfunc f(s): s.clear_spawnable_scenes()\n").unwrap();
    };
    let complete = edited_copy("made", "complete", "net.gd", &[]);
    changes(&complete);
    assert_eq!(told(&complete), "named: 224 of 224 calls, 24 of 24 spawns, 916 of 916 states\n");

    let drone = [("\"ExtraSync\"", "\"Other\"")];
    let incomplete = edited_copy("made", "incomplete", "actors/drone.tscn", &drone);
    let counts = "named: 224 of 224 calls, 24 of 24 spawns, 883 of 916 states\n";
    assert_eq!(told(&incomplete), counts);
    changes(&incomplete);
    let reason = "changes.gd may create spawners or change their lists, so names may be missing\n";
    assert_eq!(told(&incomplete), format!("{counts}{reason}"));

    // Shots are nodes that a function makes without a scene, which is no gap.
    let arena = corpus("captures/godot4-game-enet.pcapng");
    let project = corpus("project/arena");
    let options = ["stats", "--verbose", "--project", project.to_str().unwrap()];
    let run = gdwire(&[&options[..], &[arena.to_str().unwrap()]].concat(), b"");
    let counts = ": named: 200 of 200 calls, 3 of 3 spawns, 683 of 683 states\n";
    let made = ": 9 nodes made by functions of spawners have no scene, or none that is known\n";
    assert!(run.stderr.contains(counts) && run.stderr.contains(made), "{}", run.stderr);
}

/// A node that no scene of the project has is reported once, with the number of its packets, and
/// nodes whose scene is not known any more are reported together.
#[test]
fn nodes_of_no_scene_are_told() {
    let recording = corpus("project/made.pcap");
    let told = |name: &str, file: &str, texts: &[(&str, &str)]| {
        let project = edited_copy("made", name, file, texts);
        let run = gdwire(&["decode", "--project", &project, recording.to_str().unwrap()], b"");
        assert_eq!(run.code, 0);
        run.stderr.replace(&format!("gdwire: {}: ", recording.display()), "")
    };
    assert_eq!(
        told("renamed", "actors/drone.tscn", &[("\"ExtraSync\"", "\"Other\"")]),
        "no scene of the project fits the packets of Main/Levels/Field/Mobs9/Drone/Extra/ExtraSync, \
         so its names are not shown (first in frame 256, 33 times)\n"
    );
    assert_eq!(
        told("another", "mine/mine.tscn", &[("\"MultiplayerSynchronizer\"", "\"Node\"")]),
        "no scene of the project fits the packets of Mine, which Main/Levels/Cave/Pickups1Spawner \
         spawns, so its names are not shown (first in frame 848, 132 times)\n"
    );
    assert_eq!(
        told("retyped", "scenes/actors/rock.tscn", &[("\".:speed\"", "\".:visible\"")]),
        "res://scenes/actors/rock.tscn is not as in the game, so names that depend on it are not \
         shown: Rock is spawned with a value of type Dictionary for visible, which has type bool in \
         res://scenes/actors/rock.tscn (first in frame 937, 62 times)\n\
         packets contradict the project, so no name is shown that is known only from the structure \
         of a node: Main/Levels/Cave and 4 more\n"
    );
}
