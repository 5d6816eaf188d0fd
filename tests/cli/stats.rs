//! `gdwire stats`, against what was sent and what is in the captures.

use crate::cli::edited::{capture, datagrams, with_frames};
use crate::cli::rpc::METHODS;
use crate::cli::run::{Run, command, directory, frame, gdwire, on_capture, parsed_lines};
use crate::cli::transports::{CAPTURES, delivered};
use crate::common::{Sent, corpus, crowd, lines, unhex};
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use gdwire::{Kind, parse};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// The counts of the one file that a run read.
pub(crate) fn counts(run: &Run) -> Value {
    let mut counts = parsed_lines(run);
    assert_eq!(counts.len(), 1);
    counts.remove(0)
}

pub(crate) fn of_file(arguments: &[&str], name: &str) -> Value {
    let run = on_capture(&[&["stats", "--format", "json"], arguments].concat(), name);
    run.assert_good(name);
    counts(&run)
}

pub(crate) fn of_bytes(arguments: &[&str], bytes: &[u8]) -> Value {
    counts(&gdwire(&[&["stats", "--format", "json"], arguments, &["-"]].concat(), bytes))
}

/// The entries of a list, by the field that names them.
pub(crate) fn by(field: &str, list: &Value) -> BTreeMap<String, (u64, u64)> {
    let number = |entry: &Value, field: &str| entry[field].as_u64().unwrap();
    let entries = list.as_array().unwrap().iter();
    entries
        .map(|it| {
            let name = it[field].as_str().unwrap().to_owned();
            (name, (number(it, "count"), number(it, "bytes")))
        })
        .collect()
}

/// Sorted by count, the largest first.
fn assert_sorted(list: &Value) {
    let list = list.as_array().unwrap();
    assert!(list.is_sorted_by_key(|it| std::cmp::Reverse(it["count"].as_u64())), "{list:?}");
}

#[test]
fn flows_and_kinds_are_those_that_were_sent() {
    for (file, name, transport, dialect, server) in CAPTURES {
        let stats = of_file(&[], file);
        let mut kinds: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let sent = delivered(name);
        for (.., hex) in &sent {
            let bytes = unhex(hex);
            let kind = parse(dialect, &bytes).unwrap().kind();
            let (count, sum) = kinds.entry(kind.name().to_owned()).or_default();
            *count += 1;
            *sum += bytes.len() as u64;
        }
        assert_eq!(by("kind", &stats["kinds"]), kinds, "{file}");
        assert_sorted(&stats["kinds"]);
        for empty in ["commands", "calls"] {
            assert_eq!(stats[empty], json!([]), "{file}");
        }
        let missing = lines::<Sent>(&format!("captures/{name}.ndjson")).len() - sent.len();
        let losses = match (transport, missing) {
            ("enet", 1..) => json!([{ "what": "unreliable ENet messages", "count": missing }]),
            _ => json!([]),
        };
        assert_eq!((&stats["losses"], &stats["errors"]), (&losses, &json!([])), "{file}");
        assert_eq!(stats["messages"], sent.len());
        assert_eq!(stats.get("intervals"), None);

        let [flow] = &stats["flows"].as_array().unwrap()[..] else { panic!("{stats}") };
        assert_eq!(
            (&flow["transport"], &flow["dialect"]),
            (&json!(transport), &json!(dialect.name()))
        );
        assert_eq!((&flow["messages"], &flow["multiplayer"]), (&json!(sent.len()), &json!(false)));
        assert!([&flow["first_end"], &flow["second_end"]].contains(&&json!(server)));
        if file.contains("frag") {
            continue;
        }
        let bytes = capture(file);
        let (mut packets, mut sum, mut times) = (0, 0, Vec::new());
        for packet in Capture::new(&bytes).unwrap().map(Result::unwrap) {
            sum += match packet.payload() {
                Payload::Udp(datagram) => datagram.payload.len(),
                Payload::Tcp(segment) => segment.payload.len(),
                _ => continue,
            };
            packets += 1;
            times.push(packet.time.unwrap().as_nanos());
        }
        assert_eq!((&flow["packets"], &flow["bytes"]), (&json!(packets), &json!(sum)), "{file}");
        let seconds = (times[times.len() - 1] - times[0]) as f64 / 1e9;
        let rate = flow["bytes_per_second"].as_f64().unwrap();
        assert!((rate - sum as f64 / seconds).abs() < 0.001, "{rate}");
        let decoded = on_capture(&["decode", "--format", "ndjson"], file);
        let decoded = parsed_lines(&decoded);
        let time = |message: &Value| message["time"].as_str().unwrap().to_owned();
        assert!(flow["first"].as_str().unwrap() <= &*time(&decoded[0]), "{file}");
        assert!(flow["last"].as_str().unwrap() >= &*time(decoded.last().unwrap()), "{file}");
    }
}

/// The method or property of an entry, and its command.
fn callee(call: &Value) -> String {
    let [command, path, method] =
        ["command", "path", "method"].map(|field| call[field].as_str().unwrap());
    format!("{command} {path}.{method}")
}

#[test]
fn calls_are_counted_by_node_and_method() {
    for (name, flows) in [
        ("godot3-rpc", 1),
        ("godot3-rpc-three", 2),
        ("godot4-rpc", 1),
        ("godot4-rpc-compressed", 1),
        ("godot4-rpc-three", 2),
    ] {
        let file = format!("{name}.pcapng");
        let options = ["--methods", METHODS];
        let stats = of_file(&options, &file);
        let decode = [&["decode", "--format", "ndjson"], &options[..]].concat();
        let (mut calls, mut commands) = (BTreeMap::new(), BTreeMap::new());
        let add = |to: &mut BTreeMap<String, (u64, u64)>, key: &str, len: u64| {
            let entry = to.entry(key.to_owned()).or_default();
            *entry = (entry.0 + 1, entry.1 + len);
        };
        let messages = parsed_lines(&on_capture(&decode, &file));
        for message in &messages {
            let (mut rpc, len) = (&message["rpc"], message["len"].as_u64().unwrap());
            add(&mut commands, rpc["command"].as_str().unwrap(), len);
            if rpc["command"] == "relay" {
                rpc = &rpc["rpc"];
            }
            if rpc["command"] == "call" || rpc["command"] == "set" {
                add(&mut calls, &callee(rpc), len);
            }
        }
        assert_eq!(by("command", &stats["commands"]), commands, "{name}");
        let counted = stats["calls"].as_array().unwrap().iter();
        let counted: BTreeMap<_, _> = counted
            .map(|it| (callee(it), (it["count"].as_u64().unwrap(), it["bytes"].as_u64().unwrap())))
            .collect();
        assert_eq!(counted, calls, "{name}");
        assert_sorted(&stats["calls"]);
        assert_sorted(&stats["commands"]);
        assert_eq!(stats["further_calls"], json!({"count": 0, "bytes": 0}));
        assert_eq!(stats["messages"], messages.len());
        let found = stats["flows"].as_array().unwrap();
        assert_eq!(found.len(), flows);
        assert!(found.iter().all(|flow| flow["multiplayer"] == true));
    }
    // Without the names, methods have numbers.
    let stats = of_file(&[], "godot4-rpc.pcapng");
    assert!(stats["calls"].as_array().unwrap().iter().all(|call| call["method"].is_u64()));
    let table = on_capture(&["stats"], "godot4-rpc.pcapng");
    assert!(
        table
            .lines()
            .iter()
            .any(|line| line.starts_with("  Game/World  ") && line.contains("  #0  "))
    );
}

/// The cells of the table under a heading.
pub(crate) fn rows<'t>(table: &'t str, heading: &str) -> Vec<Vec<&'t str>> {
    let lines = table.lines().skip_while(|line| !line.trim_start().starts_with(heading)).skip(1);
    let rows = lines.take_while(|line| !line.is_empty());
    rows.map(|row| row.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect()).collect()
}

/// The entries of a list, those with the most bytes first.
fn by_bytes(list: &Value) -> Vec<&Value> {
    let mut list: Vec<_> = list.as_array().unwrap().iter().collect();
    list.sort_by_key(|entry| std::cmp::Reverse(entry["bytes"].as_u64()));
    list
}

/// The bytes of an entry, spelled as in a table.
fn bytes(entry: &Value) -> String {
    match entry["bytes"].as_u64().unwrap() {
        bytes @ 0..1000 => format!("{bytes} B"),
        bytes => format!("{:.2} kB", bytes as f64 / 1e3),
    }
}

/// With a selection, the table says of what its shares are, and they add up to the whole.
#[test]
fn shares_are_of_the_selected_messages() {
    let name = "godot3-rpc-three.pcapng";
    let note = "\n  share: 100% is the 43.00 kB of the selected messages\n";
    let whole = on_capture(&["stats"], name);
    assert!(!whole.text().contains("selected"), "{}", whole.text());
    let some = on_capture(&["stats", "--method", "any"], name);
    assert!(some.text().contains(note), "{}", some.text());
    assert!(some.text().lines().nth(1).unwrap().contains(" selected messages ("));
    let (_, table) = some.text().split_once("method or property").unwrap();
    let shares = table.split_whitespace().filter_map(|cell| cell.strip_suffix('%'));
    let sum: f64 = shares.map(|share| share.parse::<f64>().unwrap()).sum();
    assert!((99.0..101.0).contains(&sum), "{sum} {}", some.text());
}

#[test]
fn the_table_has_the_same_counts() {
    for file in ["godot3-rpc.pcapng", "godot4-rpc-three.pcapng", "godot4-websocket.pcapng"] {
        let stats = of_file(&[], file);
        let run = on_capture(&["stats"], file);
        assert_eq!((run.code, &*run.stderr), (0, ""));
        for (heading, list, name) in
            [("kind ", "kinds", "kind"), ("command ", "commands", "command")]
        {
            let list = by_bytes(&stats[list]);
            let rows = rows(run.text(), heading);
            assert_eq!(rows.len(), list.len(), "{file}");
            for row in &rows {
                // The table has the engine's names of kinds, JSON those of Godot 4.
                let kind = Kind::from_name(row[0]).filter(|_| name == "kind");
                let named = kind.map_or(row[0], |kind| kind.name());
                let entry = list.iter().find(|entry| entry[name] == named).unwrap();
                assert_eq!(row[1..3], [entry["count"].to_string(), bytes(entry)]);
            }
            let shown: Vec<_> = rows.iter().map(|row| row[2]).collect();
            assert_eq!(shown, list.iter().map(|entry| bytes(entry)).collect::<Vec<_>>());
        }
        let calls = by_bytes(&stats["calls"]);
        let heading = run.lines().into_iter().find(|line| line.contains("method or property"));
        let rows_of_calls = heading.map_or(vec![], |it| rows(run.text(), it.trim()));
        assert_eq!(rows_of_calls.len(), calls.len().min(100), "{file}");
        for row in &rows_of_calls {
            let is_of = |call: &&&Value| {
                let method = call["method"].as_str().map(str::to_owned);
                let method = method.unwrap_or_else(|| format!("#{}", call["method"]));
                row[..3]
                    == [call["path"].as_str().unwrap(), &method, call["command"].as_str().unwrap()]
            };
            let call = calls.iter().find(is_of).unwrap();
            assert_eq!(row[3..5], [call["count"].to_string(), bytes(call)]);
            let share = call["share"].as_f64().unwrap() * 100.0;
            assert_eq!(row[5], format!("{share:.1}%"));
            let ends = ["from_server", "from_clients"].map(|from| call[from]["count"] != 0);
            let from = match ends {
                [true, true] => "both",
                [true, false] => "server",
                [false, true] => "clients",
                [false, false] => "-",
            };
            assert_eq!(row[7], from);
        }
        let flows = stats["flows"].as_array().unwrap();
        let flow_rows = rows(run.text(), "source ");
        assert_eq!(flow_rows.len(), 2 * flows.len());
        for flow in flows {
            for direction in flow["directions"].as_array().unwrap() {
                let ends = [&direction["src"], &direction["dst"]].map(|end| end.as_str().unwrap());
                let row = flow_rows.iter().find(|row| row[..2] == ends).unwrap();
                assert_eq!(row[2], flow["transport"]);
                let counts = ["packets", "messages"].map(|count| direction[count].to_string());
                assert_eq!(row[4..6], counts);
                let first = flow["first"].as_str().unwrap();
                assert_eq!(row[11], format!("{}Z", &first[..23]));
            }
        }
        let heading = format!("{} messages", stats["messages"]);
        assert!(run.lines()[..2].concat().contains(&heading), "{:?}", &run.lines()[..2]);
    }
}

#[test]
fn no_line_is_wrapped_cut_or_coloured() {
    let path = corpus("captures/godot4-enet-ipv6.pcapng");
    let plain = gdwire(&["stats", path.to_str().unwrap()], b"");
    let row = plain.lines().into_iter().find(|line| line.contains("[::1]:7777")).unwrap();
    assert!(row.starts_with("  [::1]:7777  [::1]:7778   enet "), "{row}");
    assert!(row.ends_with('Z'), "{row}");
    for (variable, value) in [("COLUMNS", "20"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")] {
        let output = command(&["stats"]).arg(&path).env(variable, value).output().unwrap();
        assert!(output.stdout == plain.stdout, "{variable}");
    }
}

#[test]
fn text_shows_the_busiest_flows_and_json_has_all() {
    let int = unhex("020000002a000000");
    let array = unhex("1c0000000100000000000000");
    // One flow has a longer packet than the others.
    let sent = (0..7_000).map(|at| {
        let payload = if at == 4_000 { &array } else { &int };
        (0x0a00_0000 + (at >> 10), 1024 + (at & 1023) as u16, &payload[..])
    });
    let file = datagrams(sent);
    let path = directory("many-flows").join("many.pcap");
    fs::write(&path, &file).unwrap();
    let path = path.to_str().unwrap();
    let run = gdwire(&["stats", "--max-connections", "6500", path], b"");
    // More connections than may be open at once, but no datagram depends on another one.
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(run.lines().len() < 120);
    let flows = rows(run.text(), "source ");
    assert_eq!((flows.len(), flows[0][0]), (101, "10.0.0.3:1952"));
    let more = "\n  and 6900 more flows, 55.20 kB (--top shows more; --format json lists all)\n";
    assert!(run.text().contains(more));
    let json = ["stats", "--format", "json", "--max-connections", "6500", path];
    let stats = counts(&gdwire(&json, b""));
    assert_eq!(stats["flows"].as_array().unwrap().len(), 7_000);
    assert_eq!(stats["errors"], json!([]));
    assert_eq!(stats["further_flows"], json!({"count": 0, "bytes": 0}));
}

/// Connections beyond the limit are counted together, so memory is bounded.
#[test]
fn flows_beyond_the_limit_are_counted_together() {
    let int = unhex("020000002a000000");
    let sent =
        (0..131_172).map(|at| (0x0a00_0000 + (at >> 10), 1024 + (at & 1023) as u16, &int[..]));
    let file = datagrams(sent);
    let path = directory("more-flows").join("more.pcap");
    fs::write(&path, &file).unwrap();
    let run = gdwire(&["stats", path.to_str().unwrap()], b"");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert!(
        run.lines()[..2]
            .concat()
            .contains(" 131172 flows, 131172 packets (1.05 MB payload), 131172 messages (1.05 MB)")
    );
    assert!(run.text().contains("\n  and 100 flows, not listed because of the limit, 800 B\n"));
}

#[test]
fn values_in_files_and_errors_are_counted() {
    let stats = of_file(&[], "godot3-file.bin");
    let values = parsed_lines(&on_capture(&["decode", "--format", "ndjson"], "godot3-file.bin"));
    let sum: u64 = by("kind", &stats["kinds"]).values().map(|(count, _)| count).sum();
    assert_eq!((sum, &stats["messages"]), (values.len() as u64, &json!(values.len())));
    let table = on_capture(&["stats"], "godot3-file.bin");
    assert!(table.lines()[0].ends_with("godot3-file.bin: 60 messages, 40.19 kB"));

    let nil = [0; 4];
    let frames = [frame(&nil), frame(&[0x77; 4]), frame(&nil)].concat();
    let cut = [&nil[..], &[2, 0, 0, 0]].concat();
    for (input, bytes, messages, reason) in [
        ("framed", &frames[..], 2, "not a value: unknown type"),
        ("raw", &cut, 1, "not a value: ends too early"),
        ("hex", b"00000000\nzz\n", 1, "line that is not hex or base64"),
        ("hex", b"00000000\n0200\n", 1, "not a value: ends too early"),
    ] {
        let arguments = ["stats", "--format", "json", "--input", input, "-"];
        let run = gdwire(&arguments, bytes);
        let stats = counts(&run);
        assert_eq!((run.code, &stats["messages"]), (1, &json!(messages)), "{input}");
        assert_eq!(stats["errors"], json!([{"reason": reason, "count": 1}]), "{input}");
    }
}

#[test]
fn errors_are_counted_by_their_reason() {
    let reasons = |run: &Run| by_reason(&counts(run));
    let file = with_frames("godot3-tcp.pcapng", |frame| frame != 30);
    let lost = gdwire(&["stats", "--format", "json", "-"], &file);
    assert_eq!((lost.code, reasons(&lost)), (1, vec![]));
    assert_eq!(counts(&lost)["losses"], json!([{ "what": "parts of TCP streams", "count": 1 }]));
    let table = gdwire(&["stats", "-"], &file);
    assert!(
        table
            .text()
            .ends_with("\n\n  lost                  count\n  parts of TCP streams      1\n"),
        "{}",
        table.text()
    );
    let file = capture("godot3-udp-usec.pcap");
    let cut = gdwire(&["stats", "--format", "json", "-"], &file[..file.len() - 10]);
    assert_eq!((cut.code, reasons(&cut)), (1, vec![("damaged file".into(), 1)]));
    let other =
        on_capture(&["stats", "--format", "json", "--transport", "udp"], "godot3-enet.pcapng");
    assert_eq!(other.code, 0);
    let other = reasons(&other);
    assert_eq!(other.iter().map(|(_, count)| count).sum::<u64>(), 114, "{other:?}");
    assert!(other.iter().all(|(reason, _)| reason.starts_with("not a value: ")), "{other:?}");
}

fn by_reason(stats: &Value) -> Vec<(String, u64)> {
    let errors = stats["errors"].as_array().unwrap().iter();
    errors
        .map(|it| (it["reason"].as_str().unwrap().to_owned(), it["count"].as_u64().unwrap()))
        .collect()
}

#[test]
fn filters_decide_what_is_counted() {
    let file = "godot4-rpc-three.pcapng";
    let all = of_file(&[], file);
    let one = of_file(&["--port", "7779"], file);
    assert_eq!(one["flows"].as_array().unwrap().len(), 1);
    assert_eq!(one["flows"][0]["messages"], one["messages"]);
    let dictionaries = of_file(&["--kind", "Dictionary"], file);
    let count = |stats: &Value| by("kind", &stats["kinds"])["Dictionary"];
    assert_eq!(count(&dictionaries), count(&all));
    assert!(dictionaries["messages"].as_u64() < all["messages"].as_u64());
}

#[test]
fn each_file_is_counted_by_itself() {
    let path = |name: &str| corpus("captures").join(name).to_str().unwrap().to_owned();
    let files = [path("godot3-tcp.pcapng"), "no/such/file".to_owned(), path("godot4-udp.pcapng")];
    let files: Vec<&str> = files.iter().map(|file| &**file).collect();
    let run = gdwire(&[&["stats", "--format", "json"], &files[..]].concat(), b"");
    assert_eq!(run.code, 2);
    let stats = parsed_lines(&run);
    assert_eq!(stats.len(), 2);
    assert_eq!(stats[0], of_file(&[], "godot3-tcp.pcapng"));
    assert_eq!(stats[1], of_file(&[], "godot4-udp.pcapng"));
    let table = gdwire(&[&["stats"], &files[..]].concat(), b"");
    assert!(table.text().contains(&format!("\n\n{}:", files[2])));
}

/// The ground truth of the arena game, and a list of the methods of two of its nodes.
const GAME: &str = "godot4-game-enet";
const GAME_METHODS: &str = "Main/World: reload, take_hit\nMain/Chat: fire, respawn, +wave\n";

fn of_game(arguments: &[&str]) -> Value {
    let list = directory("stats-of-game").join("game.methods");
    fs::write(&list, GAME_METHODS).unwrap();
    let methods = ["--methods", list.to_str().unwrap()];
    of_file(&[&methods[..], arguments].concat(), &format!("{GAME}.pcapng"))
}

#[test]
fn calls_and_spawns_are_those_of_the_game() {
    let truth = lines::<Value>(&format!("captures/{GAME}.ndjson"));
    let of_kind = |kind: &'static str| truth.iter().filter(move |it| it["kind"] == kind);
    let stats = of_game(&[]);
    let calls = stats["calls"].as_array().unwrap();
    for (path, method) in [
        ("Main/World", "reload"),
        ("Main/World", "take_hit"),
        ("Main/Chat", "fire"),
        ("Main/Chat", "respawn"),
    ] {
        let made = |from: &str| {
            let is_it = |it: &&Value| it["path"] == path && it["method"] == method;
            of_kind("call").filter(is_it).filter(|it| it["from"] == from).count()
        };
        let is_it = |it: &&Value| it["path"] == path && it["method"] == method;
        let counted = calls.iter().find(is_it);
        let [server, client] = ["from_server", "from_clients"]
            .map(|from| counted.map_or(0, |it| it[from]["count"].as_u64().unwrap()));
        assert_eq!([server, client], [made("server"), made("client")].map(|it| it as u64));
    }
    let sum: u64 = calls.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(sum, of_kind("call").count() as u64);

    let decoded =
        parsed_lines(&on_capture(&["decode", "--format", "ndjson"], &format!("{GAME}.pcapng")));
    let mut lens: Vec<_> = decoded.iter().map(|it| it["len"].as_u64().unwrap()).collect();
    lens.sort_unstable();
    let [min, p50, p95, max] =
        ["min", "p50", "p95", "max"].map(|it| stats["sizes"][it].as_u64().unwrap());
    assert_eq!([min, max], [lens[0], lens[lens.len() - 1]]);
    for (counted, exact) in [(p50, lens[lens.len() / 2 - 1]), (p95, lens[lens.len() * 95 / 100])] {
        assert!(counted.abs_diff(exact) * 30 <= exact, "{counted}, {exact}");
    }
    for direction in stats["flows"][0]["directions"].as_array().unwrap() {
        let lens = decoded.iter().filter(|it| it["src"] == direction["src"]);
        let lens: Vec<_> = lens.map(|it| it["len"].as_u64().unwrap()).collect();
        let sizes = ["min", "max"].map(|it| direction["sizes"][it].as_u64());
        assert_eq!(sizes, [lens.iter().min().copied(), lens.iter().max().copied()]);
    }
    let server = &stats["flows"][0]["directions"][0];
    // The client sent 98 reliable commands. The last one closed the connection without an answer.
    assert_eq!([&server["resent"], &server["acknowledgements"]], [&json!(0), &json!(97)]);

    // Every property of every spawn is counted once for each node that was spawned.
    let spawned = of_kind("spawn").map(|it| it["properties"].as_object().unwrap().len());
    let properties = stats["properties"].as_array().unwrap();
    let in_spawns = properties.iter().filter(|it| it["command"] == "spawn");
    let counted: u64 = in_spawns.map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!(counted, spawned.sum::<usize>() as u64);
}

/// The counts of properties and nodes are those of the decoded packets.
#[test]
fn properties_are_counted_by_node_and_place() {
    let stats = of_file(&[], &format!("{GAME}.pcapng"));
    let mut expected: BTreeMap<(String, String, u64), u64> = BTreeMap::new();
    let decode = ["decode", "--format", "ndjson"];
    for message in parsed_lines(&on_capture(&decode, &format!("{GAME}.pcapng"))) {
        let rpc = &message["rpc"];
        let command = rpc["command"].as_str().unwrap().to_owned();
        for state in rpc["states"].as_array().unwrap_or(&vec![]) {
            let places: Vec<u64> = match state["changed"].as_array() {
                Some(changed) => changed.iter().map(|it| it.as_u64().unwrap()).collect(),
                None => (0..state["args"].as_array().unwrap().len() as u64).collect(),
            };
            let name = state["name"].as_str().unwrap().to_owned();
            for place in places {
                *expected.entry((command.clone(), name.clone(), place)).or_default() += 1;
            }
        }
    }
    let counted = stats["properties"].as_array().unwrap().iter();
    let counted: BTreeMap<_, _> = counted
        .filter(|it| it["command"] != "spawn")
        .map(|it| {
            let [command, name] =
                ["command", "name"].map(|it_| it[it_].as_str().unwrap().to_owned());
            let count = it["count"].as_u64().unwrap();
            ((command, name, it["property"].as_u64().unwrap()), count)
        })
        .collect();
    assert_eq!(counted, expected);

    // A Vector2 takes 12 bytes, a float 8.
    let hero = |property: u64| {
        let is_it = |it: &&Value| {
            it["command"] == "sync" && it["name"] == "hero10" && it["property"] == property
        };
        stats["properties"].as_array().unwrap().iter().find(is_it).unwrap()
    };
    for (property, size) in [(0, 12), (1, 8)] {
        let entry = hero(property);
        assert_eq!(entry["bytes"], entry["count"].as_u64().unwrap() * size);
        assert_eq!(entry["from_server"]["count"], entry["count"]);
    }
    let nodes = stats["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|it| it["name"] == "hero10").unwrap();
    assert!(node["bytes"].as_u64().unwrap() > 177 * (8 + 20));
    let rate = node["count"].as_f64().unwrap() / stats["seconds"].as_f64().unwrap();
    assert!((node["per_second"].as_f64().unwrap() - rate).abs() < 0.001);
}

#[test]
fn tables_are_sorted_and_cut_as_the_options_say() {
    let file = format!("{GAME}.pcapng");
    for (sort, column) in [("bytes", 2), ("count", 1), ("rate", 2), ("name", 0)] {
        let run = on_capture(&["stats", "--nodes", "--sort", sort, "--top", "5"], &file);
        let nodes = rows(run.text(), "node ");
        assert_eq!(nodes.len(), 6, "{sort}");
        assert!(nodes[5][0].starts_with("and 12 more nodes, "), "{:?}", nodes[5]);
        if column == 0 {
            assert!(nodes[..5].is_sorted_by_key(|row| row[0]), "{nodes:?}");
        } else {
            let number = |row: &Vec<&str>| {
                let (number, unit) = row[column].split_once(' ').unwrap_or((row[column], ""));
                let number: f64 = number.parse().unwrap();
                if unit == "kB" { number * 1e3 } else { number }
            };
            assert!(nodes[..5].is_sorted_by(|a, b| number(a) >= number(b)), "{nodes:?}");
        }
    }
    let run = on_capture(&["stats", "--sort", "size"], &file);
    assert_eq!(run.code, 2);
}

#[test]
fn the_total_of_files_is_their_sum() {
    let path = |name: &str| corpus("captures").join(name).to_str().unwrap().to_owned();
    let files = ["godot4-game-enet.pcapng", "godot4-game-websocket.pcapng"].map(path);
    let files: Vec<&str> = files.iter().map(|file| &**file).collect();
    let json = ["stats", "--total", "--format", "json"];
    let total = counts(&gdwire(&[&json[..], &files[..]].concat(), b""));
    let each = parsed_lines(&gdwire(&[&["stats", "--format", "json"], &files[..]].concat(), b""));
    assert_eq!(total["file"], "total of 2 files");
    let sum = |field: &str| each.iter().map(|it| it[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(total["messages"], sum("messages"));
    assert_eq!(total["message_bytes"], sum("message_bytes"));
    let flows: Vec<_> = each.iter().flat_map(|it| it["flows"].as_array().unwrap()).collect();
    assert_eq!(total["flows"].as_array().unwrap().iter().collect::<Vec<_>>(), flows);
    let table = gdwire(&[&["stats", "--total"], &files[..]].concat(), b"");
    assert!(table.lines()[0].starts_with("total of 2 files: 2 flows, "), "{}", table.lines()[0]);
}

/// On a terminal, no line is longer than the terminal is wide.
#[cfg(target_os = "linux")]
#[test]
fn tables_fit_the_terminal() {
    let path = corpus("captures/godot4-game-enet.pcapng");
    let program = command(&["stats"]).get_program().to_str().unwrap().to_owned();
    for width in [80, 100, 200] {
        let script =
            format!("stty rows 50 cols {width}; {program} stats --nodes {}", path.display());
        let arguments = ["-qec", &script, "/dev/null"];
        let Ok(output) = std::process::Command::new("script").args(arguments).output() else {
            return;
        };
        let text = String::from_utf8(output.stdout).unwrap();
        let tables: Vec<&str> = text.lines().skip(1).collect();
        assert!(tables.len() > 40, "{text}");
        for line in &tables {
            assert!(line.trim_end().chars().count() <= width, "{line}");
        }
        // Numbers are not cut.
        assert!(text.contains("177  2.12 kB") && text.contains("46.47 kB"), "{text}");
        assert_eq!(text.contains("first packet"), width == 200, "{text}");
    }
}

/// If the clock was set back, no length of time is negative.
#[test]
fn times_that_go_back_give_no_negative_length() {
    let file = fs::read(corpus("captures/godot3-udp-usec.pcap")).unwrap();
    let (header, mut rest) = file.split_at(24);
    let mut changed = header.to_vec();
    for number in 0_u32.. {
        let Some((head, after)) = rest.split_at_checked(16) else { break };
        let [second, captured] =
            [0, 8].map(|at| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()));
        let (data, after) = after.split_at(captured as usize);
        let second = if number < 20 { second } else { second - 300_000_000 };
        changed.extend([&second.to_le_bytes()[..], &head[4..], data].concat());
        rest = after;
    }
    let path = directory("back").join("back.pcap");
    fs::write(&path, changed).unwrap();
    for command in [&["stats"][..], &["stats", "--interval", "1m"], &["diagnose"]] {
        let run = gdwire(&[command, &[path.to_str().unwrap()]].concat(), b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            run.text().contains("60 messages") && !run.text().contains(" ago"),
            "{}",
            run.text()
        );
    }
}

/// Each of many clients is one flow, although the last packets of one come long after the others
/// have closed their connections.
#[test]
fn a_hundred_clients_are_a_hundred_flows() {
    const CLIENTS: usize = 100;
    for name in ["godot4-rpc.pcapng", "godot4-tcp.pcapng", "godot4-websocket.pcapng"] {
        let file = crowd(&capture(name), CLIENTS as u16);
        let stats = of_bytes(&[], &file);
        let one = of_file(&[], name);
        assert_eq!(stats["flows"].as_array().unwrap().len(), CLIENTS, "{name}");
        let messages = one["messages"].as_u64().unwrap();
        assert_eq!(stats["messages"], messages * CLIENTS as u64, "{name}");
        let diagnosis = gdwire(&["diagnose", "--format", "json", "-"], &file);
        let connections = parsed_lines(&diagnosis)[0]["connections"].clone();
        assert_eq!(connections.as_array().unwrap().len(), CLIENTS, "{name}");
    }
}

/// Nodes of one scene share a row, whose numbers are their sums.
#[test]
fn nodes_that_are_alike_share_a_row() {
    let (file, project) = (format!("{GAME}.pcapng"), corpus("project/arena"));
    let project = ["--project", project.to_str().unwrap()];
    let run = |options: &[&str]| on_capture(&[&["stats"], options].concat(), &file);
    let each = run(&[&project[..], &["--nodes"]].concat());
    let together = run(&project);
    let (each, together) = (rows(each.text(), "node "), rows(together.text(), "node "));
    let is_hero = |row: &&Vec<&str>| row[0].starts_with("Main/World/Actors/hero");
    let heroes: Vec<_> = each.iter().filter(is_hero).collect();
    let [row] = &together.iter().filter(is_hero).collect::<Vec<_>>()[..] else {
        panic!("{together:?}")
    };
    assert_eq!((heroes.len(), row[0]), (2, "Main/World/Actors/hero* (2 nodes of player.tscn)"));
    let count = |row: &Vec<&str>| row[1].parse::<u64>().unwrap();
    assert_eq!(heroes.iter().map(|row| count(row)).sum::<u64>(), count(row));
    let all = |rows: &[Vec<&str>]| rows.iter().map(count).sum::<u64>();
    assert_eq!(all(&each), all(&together));
    assert!(each.iter().all(|row| !row[0].contains(" nodes of ")), "{each:?}");

    // JSON has each node.
    let stats = counts(&run(&[&project[..], &["--format", "json"]].concat()));
    let nodes = stats["nodes"].as_array().unwrap();
    let scene = |path: &str| &nodes.iter().find(|it| it["path"] == path).unwrap()["scene"];
    assert_eq!(scene("Main/World/Actors/hero10"), "res://actors/player.tscn");
    assert_eq!(scene("Main/World/Actors/mob20"), "res://actors/wisp.tscn");
    assert_eq!(*scene("Main/World"), Value::Null);

    // Without a project, the numbers in the names and the methods decide.
    let run = run(&[]);
    let without = rows(run.text(), "node ");
    let names: Vec<_> = without.iter().map(|row| row[0]).collect();
    assert!(names.contains(&"Main/World/Actors/hero* (2 nodes)"), "{names:?}");
    assert!(names.contains(&"Main/World/Actors/mob20"), "{names:?}");
}

/// A script makes the players, and adds them below a node of a level that has none of them.
#[test]
fn nodes_that_are_added_to_a_scene_are_not_of_it() {
    let project = corpus("project/made");
    let options = ["stats", "--format", "json", "--project", project.to_str().unwrap(), "-"];
    let stats = counts(&gdwire(&options, &fs::read(corpus("project/made.pcap")).unwrap()));
    let nodes = stats["nodes"].as_array().unwrap();
    let scene = |path: &str| &nodes.iter().find(|it| it["path"] == path).unwrap()["scene"];
    assert_eq!(scene("Main/Levels/Cave/Boss"), "res://levels/level1.tscn");
    for added in ["Main/Levels/Field/Players/1", "Main/Levels/Field/Players/1/Sync"] {
        assert_eq!(*scene(added), Value::Null, "{added}");
    }
}

/// 1,752 bytes in 3.534 seconds are 495.7 bytes per second.
#[test]
fn rates_are_rounded() {
    let text = on_capture(&["stats"], "godot4-rpc-three.pcapng");
    let row = text.text().lines().find(|row| row.contains("127.0.0.1:7779  127.0.0.1:7777"));
    assert!(row.is_some_and(|row| row.contains("  496 B/s  ")), "{}", text.text());
}

#[test]
fn kinds_have_the_names_that_the_text_of_their_values_has() {
    let names = |run: &Run| -> Vec<String> {
        rows(run.text(), "kind ").iter().map(|row| row[0].to_owned()).collect()
    };
    let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
    let of_3 = names(&on_capture(&["stats"], "godot3-udp.pcapng"));
    assert!(has(&of_3, "PoolByteArray") && has(&of_3, "Transform"), "{of_3:?}");
    assert!(!of_3.iter().any(|name| name.starts_with("Packed")), "{of_3:?}");
    let file = corpus("captures/godot3-file.bin");
    let of_file = names(&gdwire(&["stats", file.to_str().unwrap()], b""));
    assert!(has(&of_file, "PoolByteArray"), "{of_file:?}");
    let [of_3, of_4] = ["godot3-udp.pcapng", "godot4-udp.pcapng"]
        .map(|name| corpus(&format!("captures/{name}")).to_str().unwrap().to_owned());
    for threads in ["1", "2"] {
        let total = ["stats", "--total", "--threads", threads, &of_3, &of_4];
        let of_both = names(&gdwire(&total, b""));
        assert!(has(&of_both, "PackedByteArray"), "{of_both:?}");
        assert!(!of_both.iter().any(|name| name.starts_with("Pool")), "{of_both:?}");
    }
}
