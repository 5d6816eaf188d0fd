//! Captures of the high-level multiplayer API, against what was sent.

use crate::cli::edited::{capture, replace, with_frames};
use crate::cli::run::{Run, directory, gdwire, on_capture, parsed_lines};
use crate::cli::stats::rows;
use crate::common::{hex, lines, unhex, without_path_padding};
use gdwire::{Dialect, json, parse};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A line of the ground truth: something that a game sent.
#[derive(Deserialize)]
struct Sent {
    from: String,
    kind: String,
    #[serde(default)]
    mode: String,
    target: Option<i32>,
    path: String,
    #[serde(default)]
    method: String,
    args_hex: Vec<String>,
    #[serde(default)]
    delivered: bool,
}

/// A call as in ndjson: the sender, the command, the path, the method, and the arguments as JSON
/// and as bytes, without the padding of node paths.
type Call = (String, String, Value, Value, String, Vec<String>);

const CAPTURES: [(&str, Dialect); 4] = [
    ("godot3-rpc", Dialect::GODOT_3),
    ("godot3-rpc-compressed", Dialect::GODOT_3),
    ("godot4-rpc", Dialect::GODOT_4),
    ("godot4-rpc-compressed", Dialect::GODOT_4),
];

/// The names of the methods.
pub(crate) const METHODS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/game.methods");

/// The values as the command must write them: their JSON in one text, and their bytes.
fn arguments(dialect: Dialect, args_hex: &[String]) -> (String, Vec<String>) {
    let bytes: Vec<_> = args_hex.iter().map(|hex| unhex(hex)).collect();
    let values = bytes.iter().map(|bytes| parse(dialect, bytes).unwrap());
    let native: Vec<_> = values.clone().map(json::to_string).collect();
    let plain = values.map(|value| hex(&without_path_padding(value))).collect();
    (format!("[{}]", native.join(",")), plain)
}

fn hex_list(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|hex| hex.as_str().unwrap().to_owned()).collect()
}

#[test]
fn ndjson_has_every_call_that_arrived() {
    let values = ["--values", "native"];
    let options = ["decode", "--format", "ndjson", "--hex", "--methods", METHODS];
    let options = [&options[..], &values].concat();
    for (name, dialect) in CAPTURES {
        let run = on_capture(&options, &format!("{name}.pcapng"));
        assert_eq!((run.code, &*run.stderr), (0, ""), "{name}");
        let mut seen: Vec<Call> = Vec::new();
        for (line, message) in run.lines().into_iter().zip(parsed_lines(&run)) {
            let rpc = match &message["rpc"] {
                relay if relay["command"] == "relay" => &relay["rpc"],
                direct => direct,
            };
            let command = rpc["command"].as_str().unwrap();
            if !["call", "set", "raw"].contains(&command) {
                continue;
            }
            let (native, plain) = arguments(dialect, &hex_list(&rpc["args_hex"]));
            // A zero-width joiner is written as an escape, because it is not visible.
            let shown = native.replace('\u{200d}', "\\u200d");
            assert!(line.contains(&format!("\"args\":{shown},\"args_hex\":")), "{line} {shown}");
            let from = if message["src"] == "127.0.0.1:7777" { "server" } else { "client" };
            let (path, method) = (rpc["path"].clone(), rpc["method"].clone());
            seen.push((from.to_owned(), command.to_owned(), path, method, native, plain));
        }
        let sent = lines::<Sent>(&format!("captures/{name}.ndjson")).into_iter();
        let mut expected: Vec<Call> = sent
            .filter(|sent| sent.delivered)
            .filter_map(|sent| {
                let command = match &*sent.kind {
                    "rpc" => "call",
                    "rset" => "set",
                    "bytes" => "raw",
                    _ => return None,
                };
                let (path, method) = match sent.path.strip_prefix("/root/") {
                    Some(path) => (json!(path), json!(sent.method)),
                    None => (Value::Null, Value::Null),
                };
                let (native, plain) = arguments(dialect, &sent.args_hex);
                Some((sent.from, command.to_owned(), path, method, native, plain))
            })
            .collect();
        assert!(expected.len() > 90, "{name}");
        let by_text = |call: &Call| format!("{call:?}");
        seen.sort_by_key(by_text);
        expected.sort_by_key(by_text);
        assert_eq!(seen, expected, "{name}");
    }
}

/// The headers before a multiplayer packet, and all modes and targets.
#[test]
fn ndjson_has_the_mode_and_the_peers_of_each_packet() {
    for (name, _) in CAPTURES {
        let run = on_capture(&["decode", "--format", "ndjson"], &format!("{name}.pcapng"));
        let sent = lines::<Sent>(&format!("captures/{name}.ndjson"));
        let messages = parsed_lines(&run);
        let is_server = |message: &Value| message["src"] == "127.0.0.1:7777";
        let client = messages.iter().find(|it| !is_server(it)).unwrap()["peer"]["source"].clone();
        let mut modes = BTreeSet::new();
        for (line, message) in run.lines().into_iter().zip(&messages) {
            let (source, target) = (&message["peer"]["source"], &message["peer"]["target"]);
            let (from, to) =
                if is_server(message) { (&json!(1), &client) } else { (&client, &json!(1)) };
            assert_eq!(source, from, "{line}");
            assert!(target == to || *target == 0, "{line}");
            let mode = message["mode"].as_str().unwrap();
            let expected = format!(
                r#"{{"frame":{},"time":{},"transport":"enet","src":{},"dst":{},"community_id":{},"channel":{},"mode":"{mode}","peer":{{"source":{source},"target":{target}}},"offset":{},"len":{},"rpc":{{"command":""#,
                message["frame"],
                message["time"],
                message["src"],
                message["dst"],
                message["community_id"],
                message["channel"],
                message["offset"],
                message["len"],
            );
            assert!(line.starts_with(&expected), "{line} {expected}");
            modes.insert(mode.to_owned());
        }
        let sent_modes = sent.iter().filter(|sent| sent.delivered && !sent.mode.is_empty());
        let sent_modes: BTreeSet<_> = sent_modes.map(|sent| sent.mode.clone()).collect();
        assert!(modes.is_superset(&sent_modes), "{name} {modes:?} {sent_modes:?}");
        assert!(sent.iter().any(|sent| sent.target == Some(0)));
    }
}

/// WebSocket has peers, but neither channels nor modes. The capture ends inside the frame that
/// closes the connection, which is not a loss.
#[test]
fn ndjson_of_websocket_has_the_peers() {
    let run = on_capture(&["decode", "--format", "ndjson"], "godot3-websocket-rpc.pcapng");
    assert_eq!((run.code, &run.stderr[..]), (0, ""));
    let messages = parsed_lines(&run);
    for (message, line) in messages.iter().zip(run.lines()) {
        let (source, target) = (&message["peer"]["source"], &message["peer"]["target"]);
        let expected = format!(
            r#"{{"frame":{},"time":{},"transport":"websocket","src":{},"dst":{},"community_id":{},"peer":{{"source":{source},"target":{target}}},"offset":{},"len":{},"rpc":{{"command":""#,
            message["frame"],
            message["time"],
            message["src"],
            message["dst"],
            message["community_id"],
            message["offset"],
            message["len"],
        );
        assert!(line.starts_with(&expected), "{line}");
    }
    let sent = lines::<Value>("captures/godot3-websocket-rpc.ndjson");
    for sent in sent.iter().filter(|sent| sent["kind"] == "rpc" || sent["kind"] == "rset") {
        let peer = json!({"source": sent["source"], "target": sent["target"]});
        let is_sent = |message: &&Value| {
            let rpc = &message["rpc"];
            let command = if sent["kind"] == "rpc" { "call" } else { "set" };
            message["peer"] == peer
                && rpc["command"] == command
                && [&rpc["path"], &rpc["method"]] == [&sent["path"], &sent["method"]]
        };
        assert_eq!(messages.iter().filter(is_sent).count(), 1, "{sent}");
    }
    assert_eq!(messages.len(), 15);
}

/// The fields that each command has.
#[test]
fn every_command_has_its_fields() {
    // The recorded games have no authentication.
    let mut three = capture("godot4-rpc-three.pcapng");
    let options = ["decode", "--format", "ndjson", "--hex", "-"];
    let mut sent = parsed_lines(&gdwire(&options, &three)).into_iter();
    let removed = sent.rfind(|it| it["rpc"]["command"] == "peer_removed").unwrap();
    let removed = unhex(removed["hex"].as_str().unwrap());
    replace(&mut three, &removed, &[&[7, 0], &removed[2..]].concat());

    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut note = |run: Run| {
        assert_eq!((run.code, &*run.stderr), (0, ""));
        for message in parsed_lines(&run) {
            assert_eq!(message.get("value"), None);
            let rpc = message["rpc"].as_object().unwrap();
            let command = rpc["command"].as_str().unwrap();
            let fields = fields.entry(command.to_owned()).or_default();
            fields.extend(rpc.keys().filter(|key| *key != "command").cloned());
        }
    };
    note(gdwire(&options, &three));
    note(gdwire(&options, &capture("godot3-rpc-three.pcapng")));
    for (command, expected) in [
        ("auth", "bytes"),
        ("call", "args args_hex id method path"),
        ("confirm_path", "id path valid"),
        ("delta", "states"),
        ("despawn", "name net_id"),
        ("peer_added", "peer"),
        ("peer_removed", "peer"),
        ("raw", "args args_hex"),
        ("relay", "peer rpc"),
        ("set", "args args_hex id method path"),
        ("simplify_path", "id md5 path"),
        ("spawn", "args args_hex id name net_id path scene state state_hex synchronizers"),
        ("sync", "states time"),
    ] {
        let found = fields.remove(command).unwrap_or_else(|| panic!("no {command}"));
        let found: Vec<_> = found.into_iter().collect();
        assert_eq!(found.join(" "), expected, "{command}");
    }
    assert!(fields.is_empty(), "{fields:?}");
}

#[test]
fn text_shows_calls() {
    let plain = |file: &str| on_capture(&["decode", "--plain"], file);
    let run = plain("godot3-rpc.pcapng");
    for line in [
        "simplify path 1 = Game/Chat",
        "confirm path Game/Chat",
        "Game/Chat.any(Rect2( -34.09375, -485.53125, 238.76562, 463.39062 ))",
        "Game/Players/P3.input_frame(12251, Vector2( -556.0469, 471.42188 ), 90)",
        "Game/World.health = -38.546875",
    ] {
        assert!(run.lines().contains(&line), "{line}");
    }
    // A client sends a call to the server and, through it, to the other client.
    let run = plain("godot3-rpc-three.pcapng");
    let call = "Game/Players/P3.input_frame(12251, Vector2( -556.0469, 471.42188 ), 90)";
    for line in [call, &format!("relay to or from 394225143: {call}")] {
        assert!(run.lines().contains(&line), "{line}");
    }
    let run = plain("godot4-rpc-three.pcapng");
    assert!(run.lines().iter().any(|line| line.starts_with("Game/Players/P2.#8(")));
    let options = ["decode", "--plain", "--methods", METHODS];
    let named = on_capture(&options, "godot4-rpc-three.pcapng");
    assert_eq!(run.lines().len(), named.lines().len());
    assert!(named.lines().contains(&"Game/Players/P2.respawn()"));
    assert!(!named.text().contains(".#"), "a method without its name");
}

#[test]
fn native_and_hex_have_the_packet() {
    for name in ["godot3-rpc.pcapng", "godot4-rpc-three.pcapng"] {
        let objects = on_capture(&["decode", "--format", "ndjson", "--hex"], name);
        let options = ["decode", "--format", "ndjson", "--values", "native"];
        let without_hex = on_capture(&options, name);
        let native = on_capture(&["decode", "--format", "native"], name);
        let bytes = on_capture(&["decode", "--format", "hex"], name);
        let text = on_capture(&["decode", "--plain", "--hex"], name);
        let objects = parsed_lines(&objects);
        assert!(objects.len() > 100);
        for lines in [&native, &bytes, &text, &without_hex] {
            assert_eq!(lines.lines().len(), objects.len());
        }
        let short = parsed_lines(&without_hex);
        for (native, object) in parsed_lines(&native).iter().zip(&short) {
            assert_eq!(*native, object["rpc"]);
        }
        for ((bytes, text), object) in bytes.lines().into_iter().zip(text.lines()).zip(&objects) {
            assert_eq!(object["hex"], bytes);
            assert_eq!(object["len"], bytes.len() / 2);
            assert!(text.ends_with(&format!("  {bytes}")));
        }
    }
}

#[test]
fn kinds_are_those_of_the_values_in_a_packet() {
    let count = |kind: &str| {
        let options = ["decode", "--format", "ndjson", "--hex", "--kind", kind];
        let run = on_capture(&options, "godot3-rpc.pcapng");
        for message in parsed_lines(&run) {
            let args = hex_list(&message["rpc"]["args_hex"]);
            let has_kind = args
                .iter()
                .any(|hex| parse(Dialect::GODOT_3, &unhex(hex)).unwrap().kind().name() == kind);
            assert!(has_kind, "{message}");
        }
        run.lines().len()
    };
    assert!(count("Dictionary") > 10);
    assert_eq!((count("PackedColorArray"), count("Signal")), (1, 0));
}

#[test]
fn a_path_that_was_announced_before_the_capture_is_null() {
    let late = with_frames("godot4-rpc.pcapng", |frame| frame > 100);
    let run = gdwire(&["decode", "--format", "ndjson", "-"], &late);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let calls: Vec<_> =
        parsed_lines(&run).into_iter().filter(|it| it["rpc"]["command"] == "call").collect();
    let is_unknown = |call: &&Value| call["rpc"]["path"].is_null();
    assert!(calls.iter().any(|call| !is_unknown(&call)));
    for call in calls.iter().filter(is_unknown) {
        assert!(call["rpc"]["id"].is_u64() && call["rpc"]["method"].is_u64(), "{call}");
    }
    assert!(calls.iter().filter(is_unknown).count() > 10);
    let text = gdwire(&["decode", "--plain", "-"], &late);
    assert!(text.lines().contains(&"#5.#9(-93)"));
    let stats = gdwire(&["stats", "--format", "json", "-"], &late);
    let stats = parsed_lines(&stats).remove(0);
    let unknown = stats["calls"].as_array().unwrap().iter().filter(|it| it["path"].is_null());
    let unknown: Vec<_> = unknown.collect();
    // Each node is shown by its id, in JSON and in the table.
    let table = gdwire(&["stats", "-"], &late);
    let heading = table.lines().into_iter().find(|line| line.contains("method or property"));
    let rows = rows(table.text(), heading.unwrap().trim());
    for call in &unknown {
        let node = format!("#{}", call["id"]);
        let method = format!("#{}", call["method"]);
        let row = [&*node, &*method, "call", &*call["count"].to_string()].map(str::to_owned);
        assert!(rows.iter().any(|it| it[..4] == row), "{row:?}");
    }
    let unknown = unknown.into_iter();
    let unknown: u64 = unknown.map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(unknown, calls.iter().filter(is_unknown).count() as u64);
}

/// The file may be a device such as `/dev/zero`, which has no end.
#[test]
fn a_list_of_methods_that_is_too_long_is_wrong_usage() {
    let path = directory("long-methods").join("methods.txt");
    fs::File::create(&path).unwrap().set_len((64 << 20) + 1).unwrap();
    let run = on_capture(&["decode", "--methods", path.to_str().unwrap()], "godot4-rpc.pcapng");
    fs::remove_file(&path).unwrap();
    assert_eq!((run.code, run.stdout.len()), (2, 0), "{}", run.stderr);
    assert!(run.stderr.ends_with("the file is longer than 64 MiB\n"), "{}", run.stderr);
}

#[test]
fn an_invalid_list_of_methods_is_wrong_usage() {
    let path = directory("no-methods").join("methods.txt");
    fs::write(&path, "Game/*: move\n: chat\n").unwrap();
    for command in ["decode", "stats"] {
        for (file, problem) in
            [(path.to_str().unwrap(), "line 2: no pattern before the colon"), ("no/such", "")]
        {
            let run = on_capture(&[command, "--methods", file], "godot4-rpc.pcapng");
            assert_eq!((run.code, run.stdout.len()), (2, 0));
            assert!(
                run.stderr.starts_with(&format!("gdwire: {file}: {problem}")),
                "{}",
                run.stderr
            );
        }
    }
    // UTF-16, as PowerShell redirects, and Latin-1, as old editors save.
    for (bytes, line) in [(&b"\xff\xfeG\0a\0"[..], 1), (b"Game/*: move\nGame/\xe9: chat\n", 2)] {
        fs::write(&path, bytes).unwrap();
        let file = path.to_str().unwrap();
        let run = on_capture(&["decode", "--methods", file], "godot4-rpc.pcapng");
        let problem = "the text is not UTF-8; save the file in UTF-8";
        let stderr = format!("gdwire: {file}: line {line}: {problem}\n");
        assert_eq!((run.code, run.stderr), (2, stderr));
    }
}

/// Control characters that clear a terminal, name its window, make links and end lines.
#[test]
fn names_from_the_network_do_nothing_to_a_terminal() {
    let mut file = capture("godot3-rpc.pcapng");
    replace(&mut file, b"Game/Chat", b"\x1b[2J/\xc2\x9b31");
    replace(&mut file, b"input_frame", b"\x1b]0;owned\x07\n");
    replace(&mut file, b"health", b"\x1b[8m\r\x7f");
    replace(&mut file, b"take_hit", b"a\xe2\x80\xa8\xc2\x85\x1bc");
    replace(&mut file, b"shield", b"\xe2\x80\xae\xe2\x81\xa6");
    for arguments in [
        &["decode", "-"][..],
        &["decode", "--format", "ndjson", "-"],
        &["decode", "--format", "native", "-"],
        &["stats", "-"],
        &["stats", "--format", "json", "-"],
    ] {
        let run = gdwire(arguments, &file);
        assert_eq!((run.code, &*run.stderr), (0, ""));
        let is_harmful = |character: char| {
            let is_bidi = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            character != '\n' && (character.is_control() || is_bidi)
        };
        assert!(!run.text().contains(is_harmful), "{arguments:?}");
        assert!(run.text().contains(r"\u001b[2J/\u009b31"), "{arguments:?}");
        if arguments[0] == "decode" {
            assert!(run.text().contains(r"\u202e\u2066"), "{arguments:?}");
        }
        if arguments.len() == 2 {
            assert!(!run.text().contains('\u{2028}'), "{arguments:?}");
            assert!(run.text().contains(r"\u001b]0;owned\u0007\n"));
        } else {
            let named = parsed_lines(&run).iter().any(|it| it.to_string().contains("owned"));
            assert!(named, "{arguments:?}");
        }
    }
    let decoded = gdwire(&["decode", "--plain", "-"], &file);
    let original = on_capture(&["decode", "--plain"], "godot3-rpc.pcapng");
    assert_eq!(decoded.lines().len(), original.lines().len());
}

/// In a mesh, games open the connections of ENet themselves, and need not send an id. The other end has any.
#[test]
fn ends_of_a_mesh_have_no_ids() {
    let mut file = capture("godot4-rpc.pcapng");
    let decode = |file: &[u8]| parsed_lines(&gdwire(&["decode", "--format", "ndjson", "-"], file));
    let mut expected = decode(&file);
    let ids = expected.iter().filter_map(|line| line["peer"]["source"].as_u64());
    let id = u32::try_from(ids.max().unwrap()).unwrap();
    replace(&mut file, &id.to_be_bytes(), &[0; 4]);
    for line in &mut expected {
        line.as_object_mut().unwrap().remove("peer").unwrap();
    }
    assert_eq!(decode(&file), expected);
}
