//! A game whose scripts make most of its nodes: levels, players without a spawner, and nodes that
//! functions of spawners create. The names are compared with those that the game noted.

use crate::common::{corpus, lines};
use crate::project::changed::files_in;
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

/// The spawns and states that a reading of the recording has shown.
struct Shown {
    spawns: Vec<Value>,
    states: Vec<Value>,
    /// How many packets have a state without names, and how many contradict the project.
    nameless: usize,
    contradicting: usize,
    evidence: Arc<Evidence>,
}

fn read(folder: &Path, evidence: Arc<Evidence>) -> Shown {
    read_with(Project::open(folder).unwrap(), evidence)
}

fn read_with(project: Project, evidence: Arc<Evidence>) -> Shown {
    let names = Arc::new(Names::new().with_project(project));
    let file = fs::read(corpus("project/made.pcap")).unwrap();
    let options = Options::new().with_names(names).with_evidence(evidence);
    let mut messages = Messages::with_options(&file, options).unwrap();
    let (mut spawns, mut states) = (Vec::new(), Vec::new());
    let (mut nameless, mut contradicting) = (0, 0);
    while let Some(event) = messages.next_event() {
        let Event::Message(message) = event else { continue };
        let Content::Packet(packet) = &message.content else { continue };
        let mut json = Vec::new();
        let context = message.context();
        write_json(packet, context, Spelling::Plain, ArgumentBytes::Omitted, &mut json).unwrap();
        let json: Value = serde_json::from_slice(&json).unwrap();
        contradicting += usize::from(packet.mismatch(context).is_some());
        match json["command"].as_str().unwrap() {
            "spawn" => spawns.push(json),
            "sync" | "delta" => {
                let of_packet = json["states"].as_array().unwrap();
                nameless +=
                    usize::from(of_packet.iter().any(|state| !state["properties"].is_object()));
                states.extend(of_packet.clone());
            }
            _ => {}
        }
    }
    Shown { spawns, states, nameless, contradicting, evidence: messages.evidence() }
}

/// The notes of the game: its spawns, and the properties of its synchronizers by path.
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
    // Names that are shown before the whole recording is known are right, too.
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

/// Each project here has one property more, or a synchronizer with another name. If states have no names
/// then, packets contradict the project.
#[test]
fn states_have_no_names_only_if_packets_contradict_the_project() {
    let mut files = Vec::new();
    files_in(&project(), &project(), &mut files);
    let mut nameless = 0;
    for place in 0..files.len() {
        let whole = files[place].1.clone();
        let ends = whole.match_indices("replication_mode = ").filter_map(|(at, text)| {
            let (before, after) = whole.split_at(at + text.len() + 2);
            let (_, last) = before.rsplit_once("properties/").unwrap();
            let (number, mode) = last.split_once("/replication_mode = ").unwrap();
            let next = format!("properties/{}", number.parse::<u32>().unwrap() + 1);
            let more = format!("{next}/path = NodePath(\".:visible\")\n{next}/spawn = true\n");
            let text = format!("{before}{more}{next}/replication_mode = {mode}{after}");
            (!after.starts_with("properties/")).then_some(text)
        });
        let names = whole.match_indices("\" type=\"MultiplayerSynchronizer");
        let names = names.map(|(at, _)| format!("{}Other{}", &whole[..at], &whole[at..]));
        for text in ends.chain(names).collect::<Vec<_>>() {
            files[place].1 = text;
            let read = |evidence| {
                let files = files.iter().map(|(name, text)| (name, text));
                read_with(Project::from_files(files), evidence)
            };
            let shown = read(read(Arc::default()).evidence);
            let is_told = shown.nameless == 0 || shown.contradicting > 0;
            assert!(is_told, "{} {}", files[place].0, files[place].1);
            nameless += shown.nameless;
        }
        files[place].1 = whole;
    }
    assert!(nameless > 1_000, "{nameless}");
}
