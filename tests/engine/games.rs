//! An engine plays games whose structure follows from a seed, and the names that gdwire shows are
//! compared with what the games noted: see `games/game.py`.

use super::folder;
use crate::common::{Godot, again_in_a_network, can_capture, engine_file};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// With several multiplayer interfaces in a process; with nodes that belong to clients; with
/// authentication and levels that are changed.
const SEEDS: [&str; 3] = ["10", "30", "44"];

fn run(engine: &Path, arguments: &[&str]) {
    let mut command = Command::new("python3");
    command.arg(engine_file("games/game.py")).args(arguments).env("GDWIRE_GODOT4", engine);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let run = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(stderr.is_empty(), "{arguments:?}: {stderr}");
    eprintln!("{}", String::from_utf8_lossy(&run.stdout));
}

/// Plays games, with clients in a browser if there is a web build, and compares all names. There have
/// to be this many calls.
fn play_and_check(folder: &Path, seeds: &[&str], web: Option<&Path>, least_calls: u64) {
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
    let numbers: Value = serde_json::from_slice(&fs::read(numbers).unwrap()).unwrap();
    let of = |name: &str| {
        numbers.as_array().unwrap().iter().find(|numbers| numbers["name"] == name).unwrap()
    };
    for name in ["whole", "from a third", "from half", "a method renamed"] {
        assert_eq!(of(name)["wrong"], 0, "{name}");
    }
    let calls = &of("whole")["calls"];
    assert!(calls[1].as_u64().unwrap() > least_calls, "{calls}");
    assert_eq!(calls[0], calls[1]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn names_in_generated_games_are_right() {
    let is_here = Godot::V4.find().is_some() && can_capture();
    if is_here && !again_in_a_network("games::names_in_generated_games_are_right") {
        play_and_check(&folder("generated-games"), &SEEDS, None, 100);
    }
}

#[test]
fn names_in_a_game_in_a_browser_are_right() {
    let (Some(_), Some(web)) = (Godot::V4.find(), Godot::WEB.find()) else { return };
    if can_capture() && !again_in_a_network("games::names_in_a_game_in_a_browser_are_right") {
        play_and_check(&folder("game-in-a-browser"), &["2"], Some(&web), 30);
    }
}
