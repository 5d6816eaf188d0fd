//! A game whose scripts make most of its nodes: levels, players without a spawner, and nodes that
//! functions of spawners create. The names are compared with those that the game noted.

use crate::common::{corpus, lines};
use gdwire::capture::Messages;
use gdwire::follow::{Content, Event, Options};
use gdwire::json::Spelling;
use gdwire::multiplayer::{ArgumentBytes, Evidence, Names, write_json};
use gdwire::project::Project;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was shown of the spawns and states in a reading of the recording.
struct Shown {
    spawns: Vec<Value>,
    states: Vec<Value>,
    evidence: Arc<Evidence>,
}

fn read(folder: &Path, evidence: Arc<Evidence>) -> Shown {
    let project = Project::open(folder).unwrap();
    let names = Arc::new(Names::new().with_project(project));
    let file = fs::read(corpus("project/made.pcap")).unwrap();
    let options = Options::new().with_names(names).with_evidence(evidence);
    let mut messages = Messages::with_options(&file, options).unwrap();
    let (mut spawns, mut states) = (Vec::new(), Vec::new());
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        let Content::Packet(packet) = &message.content else { continue };
        let mut json = Vec::new();
        let context = message.context();
        write_json(packet, context, Spelling::Plain, ArgumentBytes::Omitted, &mut json).unwrap();
        let json: Value = serde_json::from_slice(&json).unwrap();
        match json["command"].as_str().unwrap() {
            "spawn" => spawns.push(json),
            "sync" | "delta" => states.extend(json["states"].as_array().unwrap().clone()),
            _ => {}
        }
    }
    Shown { spawns, states, evidence: messages.evidence() }
}

/// What the game noted: its spawns, and the properties of its synchronizers by path.
struct Noted {
    spawns: Vec<Value>,
    synchronizers: BTreeMap<String, Vec<Value>>,
}

impl Noted {
    fn new() -> Noted {
        let all: Vec<Value> = lines("project/made.ndjson");
        let (spawns, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|line| line["kind"] == "spawn");
        let mut synchronizers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in others {
            let path = line["path"].as_str().unwrap().to_owned();
            synchronizers.entry(path).or_default().push(line);
        }
        Noted { spawns, synchronizers }
    }

    /// Whether the path and the names of a state are right.
    fn has_state(&self, state: &Value) -> bool {
        let names: Vec<&String> = state["properties"].as_object().unwrap().keys().collect();
        let mut at_path = self.synchronizers[state["path"].as_str().unwrap()].iter();
        at_path.any(|line| {
            let expected: Vec<&str> = match state["changed"].as_array() {
                None => texts(&line["sync"]),
                Some(places) => {
                    let all = texts(&line["delta"]);
                    let place = |place: &Value| usize::try_from(place.as_u64().unwrap()).unwrap();
                    places.iter().filter_map(|at| all.get(place(at)).copied()).collect()
                }
            };
            is_same(&names, expected)
        })
    }

    fn has_spawn(&self, spawn: &Value) -> bool {
        let names = spawn["properties"].as_object();
        let names: Vec<&String> = names.into_iter().flatten().map(|(name, _)| name).collect();
        self.spawns.iter().any(|line| {
            line["path"] == spawn["node"]
                && line["scene"] == spawn["scene_path"]
                && (names.is_empty() || is_same(&names, texts(&line["properties"])))
        })
    }
}

/// Whether an object has these keys. Objects sort their keys.
fn is_same(names: &[&String], mut expected: Vec<&str>) -> bool {
    expected.sort_unstable();
    names.iter().eq(expected.iter())
}

fn texts(json: &Value) -> Vec<&str> {
    json.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn project() -> PathBuf {
    corpus("project/made")
}

#[test]
fn nodes_that_scripts_make_have_the_names_of_the_game() {
    let noted = Noted::new();
    let first = read(&project(), Arc::default());
    let second = read(&project(), first.evidence);
    assert!(second.states.len() > 300 && second.spawns.len() >= 10);
    for state in &second.states {
        assert!(noted.has_state(state), "{state}");
    }
    for spawn in &second.spawns {
        assert!(noted.has_spawn(spawn), "{spawn}");
    }
    // What is shown before the whole recording is known is right, too.
    let has_names = |state: &&Value| state["properties"].is_object();
    let early = first.states.iter().filter(has_names);
    assert!(early.clone().count() > first.states.len() / 2);
    for state in early {
        assert!(noted.has_state(state), "{state}");
    }
}

#[test]
fn the_basis_of_a_scene_is_shown() {
    let first = read(&project(), Arc::default());
    let second = read(&project(), first.evidence);
    let of = |node: &str| {
        let spawn = second.spawns.iter().find(|spawn| spawn["node"] == node).unwrap();
        [&spawn["scene_path"], &spawn["scene_from"]].map(|text| text.as_str().unwrap())
    };
    let by_list = of("Main/Levels/Field/Pickups1/Wall");
    assert_eq!(by_list, ["res://scenes/actors/wall.tscn", "scene"]);
    assert_eq!(of("Main/Levels/Field/Mobs9/Drone"), ["res://actors/drone.tscn", "function"]);
    let boss = second.states.iter().find(|state| state["path"] == "Main/Levels/Cave/Boss/Sync");
    let boss = boss.unwrap();
    let boss = [&boss["scene_path"], &boss["scene_from"]].map(|text| text.as_str().unwrap());
    assert_eq!(boss, ["res://levels/level1.tscn", "structure"]);
}
