//! Values of properties over time, compared with what the games noted.

use crate::cli::edited::{self, with_frames};
use crate::cli::run::{directory, gdwire, parsed_lines};
use crate::common::corpus;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;

const CAPTURES: [&str; 4] = [
    "godot4-game-enet",
    "godot4-game-enet-compressed",
    "godot4-game-enet-zstd",
    "godot4-game-websocket",
];

fn capture(name: &str) -> String {
    corpus("captures").join(format!("{name}.pcapng")).to_str().unwrap().to_owned()
}

fn truth(name: &str) -> Vec<Json> {
    let text = fs::read_to_string(corpus("captures").join(format!("{name}.ndjson"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows that the command prints as JSON.
fn rows(name: &str, options: &[&str]) -> Vec<Json> {
    let path = capture(name);
    let project = corpus("project/arena");
    let fixed = ["states", "--format", "ndjson", "--project", project.to_str().unwrap(), &path];
    let run = gdwire(&[&fixed, options].concat(), b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Values by node and property.
type Series = BTreeMap<(String, String), Vec<f32>>;

fn push(series: &mut Series, node: &str, property: &str, value: f32) {
    series.entry((node.to_owned(), property.to_owned())).or_default().push(value);
}

/// Whether the elements of one list are in the other, in the same order.
fn is_part(part: &[f32], whole: &[f32]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|one| whole.any(|other| other == one))
}

#[test]
fn deltas_are_the_values_that_the_game_set() {
    for name in CAPTURES {
        let mut expected = Series::new();
        for line in truth(name) {
            let Some(delta) = line["delta"].as_object() else { continue };
            let node = line["path"].as_str().unwrap().rsplit_once('/').unwrap().0.to_owned();
            for (property, value) in delta {
                if let Ok(value) = value.as_str().unwrap().parse::<f32>() {
                    push(&mut expected, &node, property, value);
                }
            }
        }
        let mut shown = Series::new();
        for row in rows(name, &["--all", "--command", "delta"]) {
            assert_eq!(row["command"], "delta");
            let (node, property) =
                (row["node"].as_str().unwrap(), row["property"].as_str().unwrap());
            if let Some(value) = row["value"].as_f64() {
                push(&mut shown, node, property, value as f32);
            }
        }
        assert!(shown.len() >= 3, "{name} {shown:?}");
        let (mut some, mut all) = (0, 0);
        for (key, values) in &shown {
            let whole = expected.get(key).unwrap_or_else(|| panic!("{name} {key:?}"));
            // The first delta after a spawn may have the value from before the first change.
            let rest = if is_part(values, whole) { values } else { &values[1..] };
            assert!(is_part(rest, whole), "{name} {key:?} {values:?} {whole:?}");
            (some, all) = (some + rest.len(), all + whole.len());
        }
        assert!(some * 10 >= all * 9, "{name}: {some} of {all}");
    }
}

#[test]
fn spawned_properties_have_the_values_of_the_game() {
    for name in CAPTURES {
        let shown = rows(name, &["--all", "--command", "spawn"]);
        let mut count = 0;
        for line in truth(name) {
            let (Some(properties), Some(path)) =
                (line["properties"].as_object(), line["path"].as_str())
            else {
                continue;
            };
            for (property, text) in properties {
                let value = gdwire::text::parse(text.as_str().unwrap()).unwrap();
                let Some(number) = value.as_f64().or(value.as_i64().map(|int| int as f64)) else {
                    continue;
                };
                let found = shown.iter().any(|row| {
                    row["node"] == path
                        && row["property"] == **property
                        && row["value"].as_f64().is_some_and(|it| it as f32 == number as f32)
                });
                assert!(found, "{name} {path} {property} {text}");
                count += 1;
            }
        }
        assert!(count >= 3, "{name}");
    }
}

/// Each row differs from the row before of the same property, and all other values repeat it.
#[test]
fn changes_are_the_values_that_differ() {
    for name in CAPTURES {
        let mut last = BTreeMap::new();
        let despawned = truth(name).iter().any(|line| line["kind"] == "despawn");
        let mut expected = Vec::new();
        for row in rows(name, &["--all"]) {
            let key = (row["node"].clone().to_string(), row["property"].clone().to_string());
            if last.insert(key, row["value"].clone()) != Some(row["value"].clone()) {
                expected.push(row);
            }
        }
        let changes = rows(name, &[]);
        assert!(changes.len() >= expected.len() && expected.len() > 50, "{name}");
        assert!(despawned || changes == expected, "{name}");
    }
}

#[test]
fn the_state_at_a_time_has_the_last_values() {
    let name = "godot4-game-enet";
    let changes = rows(name, &["--path", "**/hero10"]);
    let at = rows(name, &["--path", "**/hero10", "--at", "1.5s"]);
    let start = changes[0]["time"].as_str().unwrap();
    let mut last = BTreeMap::new();
    for row in rows(name, &["--path", "**/hero10", "--all", "--to", "1.5s"]) {
        assert!(row["time"].as_str().unwrap() >= start);
        last.insert(row["property"].as_str().unwrap().to_owned(), row);
    }
    assert!(last.len() > 4);
    let shown: Vec<_> =
        at.iter().map(|row| (&row["property"], &row["value"], &row["time"])).collect();
    let expected: Vec<_> =
        last.values().map(|row| (&row["property"], &row["value"], &row["time"])).collect();
    assert_eq!(shown, expected);
    // Before the node was spawned, it has no values.
    assert!(rows(name, &["--path", "**/hero10", "--at", "0s"]).is_empty());
    // A limit would end the input before that time.
    let limited = gdwire(&["states", "--at", "1.5s", "--limit", "4", &capture(name)], b"");
    assert!(
        limited.code == 2 && limited.stderr.contains("cannot be used with"),
        "{}",
        limited.stderr
    );
}

/// A limit is not reached in silence.
#[test]
fn values_that_are_not_kept_are_counted() {
    let run = gdwire(&["states", "--max-memory", "64K", &capture("godot4-rpc")], b"");
    let told = "gdwire: 1 value was not kept because of --max-memory; --at lacks such values";
    assert!(run.code == 1 && run.stderr.contains(told), "{} {}", run.code, run.stderr);
}

/// Two matches of one game on one computer have nodes with the same paths.
#[test]
fn each_server_has_nodes_of_its_own() {
    let names = ["godot4-game-enet", "godot4-game-enet-lossy-client-side"];
    let servers = ["127.0.0.1:7777", "127.0.0.1:7790"];
    let both = names.map(|name| fs::read(capture(name)).unwrap()).concat();
    let run = |options: &[&str]| {
        let run = gdwire(&[&["states", "-"], options].concat(), &both);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    };
    // A long time after the first packet, both games have ended.
    for at in [&[][..], &["--at", "1000000h"]] {
        let shown = parsed_lines(&run(&[&["--format", "ndjson"], at].concat()));
        for (name, server) in names.into_iter().zip(servers) {
            let path = capture(name);
            let alone = gdwire(&[&["states", "--format", "ndjson", &path], at].concat(), b"");
            let row = |row: &Json| ["node", "property", "value", "time"].map(|it| row[it].clone());
            let of_server = shown.iter().filter(|row| row["server"] == server);
            let of_server: Vec<_> = of_server.map(row).collect();
            let alone: Vec<_> = parsed_lines(&alone).iter().map(row).collect();
            assert!(of_server.len() > 10 && of_server == alone, "{name} {at:?}");
        }
    }
    // The table names the server of each node, if there are several.
    let table = run(&["--property", "spawn#0"]);
    let of = |server| table.lines().iter().filter(|it| it.contains(server)).count();
    let [first, second] = servers.map(of);
    assert!(
        first > 0 && second > 0 && first + second == table.lines().len() - 1,
        "{}",
        table.text()
    );
    assert!(!run(&["--port", "7777"]).text().contains(servers[0]));
}

/// The connection of the first client may be older than the capture.
#[test]
fn a_connection_without_its_start_is_one_to_the_server_of_others() {
    let name = "godot4-rpc-three.pcapng";
    let rows = |file: &[u8]| {
        let rows = parsed_lines(&gdwire(&["states", "--format", "ndjson", "-"], file));
        let names = |row: &Json| ["node", "property", "value", "time"].map(|it| row[it].clone());
        let known = rows.iter().filter(|row| row["server"] == "127.0.0.1:7777").count();
        (known, rows.iter().map(names).collect::<Vec<_>>())
    };
    let (known, whole) = rows(&edited::capture(name));
    let (later, rows) = rows(&with_frames(name, |frame| frame > 2));
    assert!(known == whole.len() && later > 10 && later < known, "{later} of {known}");
    assert!(rows == whole, "{} {}", rows.len(), whole.len());
}

#[test]
fn remote_sets_of_godot_3_are_values() {
    for name in ["godot3-rpc", "godot3-rpc-compressed"] {
        let path = capture(name);
        let run = gdwire(&["states", "--command", "set", "--all", "--format", "csv", &path], b"");
        let lines = run.lines();
        assert_eq!(lines[0], "time,frame,node,property,value,server");
        let sets: Vec<_> = truth(name).into_iter().filter(|line| line["kind"] == "rset").collect();
        assert_eq!(lines.len() - 1, sets.len(), "{name}");
        for set in sets {
            let (node, property) = (
                set["path"].as_str().unwrap().trim_start_matches("/root/"),
                set["method"].as_str().unwrap(),
            );
            assert!(lines.iter().any(|line| line.contains(&format!(",{node},{property},"))));
        }
    }
}

/// Whoever sends packets chooses the names in them. A spreadsheet computes cells such as `=SUM(1,2)`.
#[test]
fn names_in_csv_are_no_formulas() {
    let file = fs::read(capture("godot3-rpc")).unwrap();
    let path = directory("formulas").join("game.pcapng");
    for (first, escaped) in
        [('=', "\\u003d"), ('+', "\\u002b"), ('-', "\\u002d"), ('@', "\\u0040"), ('a', "a")]
    {
        let name = format!("{first}SUM(1,2)");
        fs::write(&path, replaced(&file, b"set_score", name.as_bytes())).unwrap();
        let run = gdwire(&["states", "--format", "csv", path.to_str().unwrap()], b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        let has = |cell: &str| run.lines().iter().any(|line| line.contains(cell));
        assert!(has(&format!(",\"{escaped}SUM(1,2)\",")), "{name}");
        assert_eq!(has(&name), first == 'a');
    }
}

/// The bytes with others in place of all those that are the same.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places: Vec<_> =
        bytes.windows(from.len()).enumerate().filter(|it| it.1 == from).map(|it| it.0).collect();
    places.iter().for_each(|at| bytes[*at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn the_table_has_columns_and_values_are_literals() {
    let path = capture("godot3-rpc");
    let options = ["states", "--property", "set_score", "--path", "Game/World", &path];
    let run = gdwire(&[&options[..], &["--time", "relative"]].concat(), b"");
    let lines = run.lines();
    assert!(lines[0].starts_with("time") && lines[0].ends_with("node        property   value"));
    assert!(lines[1].contains("  Game/World  set_score  2856"), "{}", lines[1]);
    let run = gdwire(&[&options[..], &["--at", "1h"]].concat(), b"");
    assert_eq!(run.lines().len(), 2);
    let run = gdwire(&["states", "--property", "nothing", &path], b"");
    assert!(
        run.code == 0 && run.stderr.contains("no selected property got a value"),
        "{}",
        run.stderr
    );
}

#[test]
fn inputs_without_properties_are_not_blamed_on_the_selection() {
    let run = gdwire(&["states", "-"], b"0200000007000000\n");
    let note = "gdwire: no input is a capture, and only captures have properties of nodes\n";
    assert_eq!((run.code, &*run.stderr), (0, note));
    let run = gdwire(&["states", "-"], b"x");
    assert!(run.code == 1 && run.stderr.lines().count() == 1, "{}", run.stderr);
    assert!(run.stderr.contains("this looks like text"), "{}", run.stderr);
}

/// The columns have the same width in all rows, also if later names are longer.
#[test]
fn columns_are_aligned_in_a_pipe() {
    let project = corpus("project/arena");
    let project = ["--project", project.to_str().unwrap()];
    for options in [&["--path", "**/hero10"][..], &["--at", "2s", "--path", "Main/World/**"]] {
        let path = capture(CAPTURES[0]);
        let run = gdwire(&[&["states", &path], &project[..], options].concat(), b"");
        let lines = run.lines();
        let column = lines[0].find("property").unwrap();
        let value = lines[0].find("value").unwrap();
        assert!(lines.len() > 5, "{}", run.text());
        for line in lines {
            let [before, property] = [&line[..column], &line[column..value]];
            assert!(before.ends_with("  ") && property.ends_with("  "), "{line}");
            assert!(!line[value..].starts_with(' ') && !property.starts_with(' '), "{line}");
        }
    }
}
