//! Bots join servers of real engines, which print what they get.

use crate::common::{Godot, Running};
use crate::engine::{folder, transport_name};
use gdwire::Dialect;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The longest time to wait for a line of the engine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many bots join at once.
const BOTS: usize = 100;

/// A running server, what it prints, and its port.
struct Server {
    _engine: Running,
    lines: Receiver<String>,
    port: String,
}

impl Server {
    /// None if the engine is not installed.
    fn start(godot: &Godot, arguments: &[&str]) -> Option<Server> {
        let script = if godot.dialect() == Dialect::GODOT_3 { "bots.gd" } else { "bots4.gd" };
        let mut engine = godot.start_script(script, arguments)?;
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(engine.output());
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
        });
        let mut server = Server { _engine: engine, lines, port: String::new() };
        loop {
            if let Some(port) = server.line().strip_prefix("listening ") {
                server.port = port.to_owned();
                return Some(server);
            }
        }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(TIMEOUT).expect("the engine prints a line")
    }
}

/// Lets bots join a server, and compares what both count.
fn play(test: &str, godot: &Godot, compression: &str) {
    let Some(server) = Server::start(godot, &[compression]) else { return };
    let port = &server.port;
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
        let line = server.line();
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

/// Runs two bots that call a node, and returns the exit code and the last line.
fn two_bots(test: &str, url: &str, options: &[&str]) -> (Option<i32>, Json) {
    let folder = folder(test);
    fs::write(folder.join("game.methods"), "Main/*: move, said, say").unwrap();
    let mut bots = Command::new(env!("CARGO_BIN_EXE_gdwire"));
    bots.args(["bot", url, "--methods", "game.methods", "-n", "2", "--for", "4s"]);
    let output =
        bots.args(["--format", "ndjson"]).args(options).current_dir(folder).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), serde_json::from_str(printed.lines().last().unwrap()).unwrap())
}

/// The engine greets clients with data of its own, and decides later.
#[test]
fn bots_join_godot_4_when_it_has_accepted_them() {
    for transport in ["none", "websocket"] {
        let Some(server) = Server::start(&Godot::V4, &[transport, "sesame"]) else { return };
        let scheme = if transport == "none" { "enet" } else { "ws" };
        let url = format!("{scheme}://127.0.0.1:{}", server.port);
        let say = ["--call", "Main/World.say(1)"];
        let (code, last) = two_bots("bots-auth", &url, &[&say[..], &["--auth", "guess"]].concat());
        let none = (&last["joined"], &last["refused"], &last["sent"]);
        assert_eq!((code, none), (Some(1), (&0.into(), &2.into(), &0.into())), "{last}");
        let (code, last) = two_bots("bots-auth", &url, &say);
        assert_eq!((code, &last["refused"]), (Some(1), &2.into()), "{last}");
        assert_eq!(last["reasons"]["refused: the server authenticates; see --auth"], 2, "{last}");
        let (code, last) = two_bots("bots-auth", &url, &[&say[..], &["--auth", "sesame"]].concat());
        let all = (&last["joined"], &last["sent"], &last["unaccepted"]);
        assert_eq!((code, all), (Some(0), (&2.into(), &2.into(), &0.into())), "{last}");
        let mut printed: Vec<_> = (0..6).map(|_| server.line()).collect();
        printed.sort_unstable();
        assert_eq!(printed, ["joined", "joined", "left", "left", "say 1", "say 1"]);
    }
}

#[test]
fn calls_of_nodes_that_godot_4_does_not_have_are_failures() {
    for transport in ["none", "websocket"] {
        let Some(server) = Server::start(&Godot::V4, &[transport]) else { return };
        let scheme = if transport == "none" { "enet" } else { "ws" };
        let url = format!("{scheme}://127.0.0.1:{}", server.port);
        let calls = ["--call", "Main/World.say(1)", "--call", "Main/Wrold.say(2)"];
        let (code, last) = two_bots("bots-unconfirmed", &url, &calls);
        assert_eq!((code, &last["unconfirmed"]), (Some(1), &2.into()), "{last}");
        let reason = "not confirmed: the server has no node Main/Wrold, or is another engine";
        assert_eq!(last["reasons"][reason], 2, "{last}");
    }
}
