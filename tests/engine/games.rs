//! An engine plays games whose structure follows from a seed, and the names that gdwire shows are
//! compared with what the games noted: see `games/game.py`.

use super::folder;
use crate::common::{Godot, again_in_a_network, can_capture, engine_file};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// With several multiplayer interfaces in a process; with nodes that belong to clients; with
/// authentication and levels that are changed.
const SEEDS: [&str; 3] = ["10", "30", "44"];

/// With a placed scene and nodes that belong to clients; with inherited scenes; with scenes that look
/// alike in packets. Other versions of these projects are contradicted in the first seconds, so also
/// on a slow machine: two properties or two scenes are exchanged, of different types.
const CONTRADICTED: [&str; 3] = ["126", "153", "217"];

fn run(engine: &Path, arguments: &[&str]) {
    let mut command = Command::new("python3");
    command.arg(engine_file("games/game.py")).args(arguments).env("GDWIRE_GODOT4", engine);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let run = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(stderr.is_empty(), "{arguments:?}: {stderr}");
    eprintln!("{}", String::from_utf8_lossy(&run.stdout));
}

/// The counts of messages and of names for one way to read the recordings, summed over the games.
struct Counts(Value);

impl Counts {
    /// The number of messages of a kind that have names, and of all of that kind.
    fn of(&self, kind: &str) -> (u64, u64) {
        let count = |index: usize| self.0[kind][index].as_u64().unwrap();
        (count(0), count(1))
    }

    /// How many warnings say that the project is another version of the game, for each game.
    fn warnings(&self) -> Vec<usize> {
        let games = self.0["warnings"].as_array().unwrap().iter();
        games.map(|warnings| warnings.as_array().unwrap().len()).collect()
    }
}

/// Plays games, with clients in a browser if there is a web build, and compares all names: none may be
/// wrong. Returns the counts by the name of the way to read the recordings.
fn play_and_check(folder: &Path, seeds: &[&str], web: Option<&Path>) -> BTreeMap<String, Counts> {
    let engine = Godot::V4.find().unwrap();
    let game = |seed: &str| folder.join(seed).to_str().unwrap().to_owned();
    thread::scope(|scope| {
        for seed in seeds {
            let (engine, game) = (&engine, game(seed));
            scope.spawn(move || {
                let mut arguments = vec!["play", &game, seed, "--seconds", "5"];
                if let Some(web) = web {
                    arguments.extend(["--web", web.to_str().unwrap()]);
                }
                run(engine, &arguments);
            });
        }
    });
    let numbers = folder.join("numbers.json");
    let games: Vec<_> = seeds.iter().map(|seed| game(seed)).collect();
    let mut arguments = vec!["check", "--gdwire", env!("CARGO_BIN_EXE_gdwire")];
    arguments.extend(["--numbers", numbers.to_str().unwrap()]);
    arguments.extend(games.iter().map(String::as_str));
    run(&engine, &arguments);
    let numbers: Vec<Value> = serde_json::from_slice(&fs::read(numbers).unwrap()).unwrap();
    let of_way = |counts: Value| (counts["name"].as_str().unwrap().to_owned(), Counts(counts));
    let numbers: BTreeMap<_, _> = numbers.into_iter().map(of_way).collect();
    for way in ["whole", "from a third", "from half", "a method renamed"] {
        assert!(numbers.contains_key(way), "{way}");
    }
    for (way, counts) in &numbers {
        assert_eq!(counts.0["wrong"], 0, "{way}");
    }
    fs::remove_dir_all(folder).unwrap();
    numbers
}

/// All calls of the whole recordings have names. There have to be more calls than this.
fn all_calls_have_names(godot: &Godot, numbers: &BTreeMap<String, Counts>, least: u64) {
    let (named, all) = numbers["whole"].of("calls");
    assert_eq!(named, all);
    assert!(all > least, "{all}");
    godot.checked("named calls of generated games", all as usize);
}

#[test]
fn names_in_generated_games_are_right() {
    let is_here = Godot::V4.find().is_some() && can_capture();
    if is_here && !again_in_a_network("engine::games::names_in_generated_games_are_right") {
        let numbers = play_and_check(&folder("generated-games"), &SEEDS, None);
        all_calls_have_names(&Godot::V4, &numbers, 100);
        let (named, all) = numbers["whole"].of("states");
        assert!(named * 100 >= all * 95 && all > 500, "{named} of {all}");
        // Nodes were announced before, but their scripts are found.
        for way in ["from a third", "from half"] {
            let (named, all) = numbers[way].of("calls");
            assert!(named * 3 >= all * 2 && all > 50, "{way}: {named} of {all}");
        }
    }
}

/// Projects of other versions of the games: all names that depend on what was exchanged are missing,
/// and one warning says so.
#[test]
fn names_of_another_version_are_not_shown() {
    let is_here = Godot::V4.find().is_some() && can_capture();
    if !is_here || again_in_a_network("engine::games::names_of_another_version_are_not_shown") {
        return;
    }
    let exchanged = ["two properties exchanged", "two scenes exchanged"];
    // A game that used nothing of what was exchanged is played again.
    let mut plays =
        (0..5).map(|_| play_and_check(&folder("contradicted-games"), &CONTRADICTED, None));
    let numbers = plays.find(|numbers| exchanged.iter().all(|way| numbers[*way].0["unused"] == 0));
    let numbers = numbers.expect("a game that uses what was exchanged");
    all_calls_have_names(&Godot::V4, &numbers, 100);
    let right = &numbers["whole"];
    assert_eq!(right.warnings(), [0; CONTRADICTED.len()]);
    for way in exchanged {
        let counts = &numbers[way];
        assert_eq!(counts.warnings(), [1; CONTRADICTED.len()], "{way}");
        assert_eq!(counts.of("calls"), right.of("calls"), "{way}");
        for kind in ["spawns", "states"] {
            let ((named, all), (of_right, _)) = (counts.of(kind), right.of(kind));
            assert!(0 < named && named < of_right && of_right <= all, "{way} {kind}: {named}");
        }
    }
}

#[test]
fn names_in_a_game_in_a_browser_are_right() {
    let (Some(_), Some(web)) = (Godot::V4.find(), Godot::WEB.find()) else { return };
    if can_capture() && !again_in_a_network("engine::games::names_in_a_game_in_a_browser_are_right")
    {
        let numbers = play_and_check(&folder("game-in-a-browser"), &["2"], Some(&web));
        all_calls_have_names(&Godot::WEB, &numbers, 30);
    }
}
