//! Bots join servers of real engines, which print what they get.

use crate::common::Godot;
use crate::engine::{folder, transport_name};
use gdwire::Dialect;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The longest time to wait for a line of the engine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many bots join at once.
const BOTS: usize = 100;

/// Lets bots join a server, and compares what both count.
fn play(test: &str, godot: &Godot, compression: &str) {
    let script = if godot.dialect() == Dialect::GODOT_3 { "bots.gd" } else { "bots4.gd" };
    let Some(mut engine) = godot.start_script(script, &[compression]) else { return };
    let (sender, lines) = mpsc::channel();
    let output = BufReader::new(engine.output());
    thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    let line = || lines.recv_timeout(TIMEOUT).expect("the engine prints a line");
    let port = loop {
        if let Some(port) = line().strip_prefix("listening ") {
            break port.to_owned();
        }
    };
    let folder = folder(&format!("{test}-{compression}"));
    fs::write(folder.join("game.methods"), "Main/World: move, said, say").unwrap();
    let scheme = if compression == "websocket" { "ws" } else { "enet" };
    let mut bots = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    bots.args(["bot", &format!("{scheme}://127.0.0.1:{port}"), "--methods", "game.methods"]);
    bots.args(["-n", &BOTS.to_string(), "--ramp", "100/s", "--for", "4s", "--format", "ndjson"]);
    bots.args(["--call", "Main/World.move(Vector2($i, $random(0, 1))) 5/s"]);
    bots.args(["--call", "Main/World.say(\"I am $i\")", "--dialect", godot.dialect().name()]);
    if scheme == "enet" {
        bots.args(["--compress", compression]);
    }
    let output = bots.current_dir(&folder).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let last: Json = serde_json::from_str(printed.lines().last().expect(&errors)).unwrap();
    assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{last}");
    // Everything that the engine gets, until all bots have left.
    let (mut counts, mut texts) = (BTreeMap::<String, usize>::new(), Vec::new());
    while counts.get("left") != Some(&BOTS) {
        let line = line();
        let (what, rest) = line.split_once(' ').unwrap_or((&line, ""));
        *counts.entry(what.to_owned()).or_default() += 1;
        if what == "say" {
            texts.push(rest.to_owned());
        }
    }
    let count = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert_eq!((count("joined"), &last["joined"]), (BOTS, &BOTS.into()), "{last}");
    assert_eq!(last["methods"]["move"]["sent"], count("move"), "{counts:?}");
    assert_eq!(last["sent"], count("move") + count("say"), "{counts:?}");
    texts.sort_unstable();
    let mut expected: Vec<_> = (1..=BOTS).map(|number| format!("I am {number}")).collect();
    expected.sort_unstable();
    assert_eq!(texts, expected);
    let over = transport_name(compression);
    godot.checked(&format!("calls of bots, {over}"), count("move") + count("say"));
    // It answers each of them, and its answers arrive.
    assert_eq!((&last["received"], &last["dropped"]), (&BOTS.into(), &0.into()), "{last}");
    assert!(last["rtt_ms"]["p99"].as_f64().is_some(), "{last}");
}

#[test]
fn a_hundred_bots_join_godot_3() {
    for compression in ["none", "range"] {
        play("bots-3", &Godot::V3, compression);
        play("bots-3.6", &Godot::V3_6, compression);
    }
}

#[test]
fn a_hundred_bots_join_godot_4() {
    for compression in ["none", "range", "fastlz", "zlib", "zstd", "websocket"] {
        play("bots-4", &Godot::V4, compression);
    }
}
