//! The options that select messages: each is compared with a filter of the whole output.

use crate::cli::run::{Run, command, fed, frame, gdwire, on_capture, parsed_lines};
use crate::common::corpus;
use gdwire::capture::Capture;
use gdwire::packet::Time;
use gdwire::{Dialect, encode, variant};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

const CAPTURES: [&str; 6] = [
    "godot4-rpc.pcapng",
    "godot3-rpc-three.pcapng",
    "godot4-game-enet.pcapng",
    "godot4-enet-ipv6.pcapng",
    "godot3-udp.pcapng",
    "godot4-websocket.pcapng",
];

fn methods() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/game.methods");
    path.to_str().unwrap().to_owned()
}

/// All messages of a capture, each as its JSON and as its line of text.
fn whole(name: &str) -> Vec<(String, String)> {
    let methods = methods();
    let print = |options: &[&str]| {
        let decode = ["decode", "--methods", &methods];
        let run = on_capture(&[&decode, options].concat(), name);
        run.lines().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let lines: Vec<_> =
        print(&["--format", "ndjson"]).into_iter().zip(print(&["--plain"])).collect();
    assert!(lines.len() > 50, "{name}");
    lines
}

fn selected(options: &[&str], name: &str, threads: &str) -> Run {
    let methods = methods();
    let decode = ["decode", "--format", "ndjson", "--methods", &methods, "--threads", threads];
    on_capture(&[&decode, options].concat(), name)
}

/// Compares a selection with a filter of the messages, and returns how many there are.
#[track_caller]
fn assert_selects(options: &[&str], name: &str, filter: impl Fn(&Json, &str) -> bool) -> usize {
    let whole = whole(name);
    let expected: Vec<_> = whole
        .iter()
        .filter(|(line, text)| filter(&serde_json::from_str(line).unwrap(), text))
        .map(|(line, _)| line.as_str())
        .collect();
    let threads: &[_] = if name == CAPTURES[0] { &["1", "2"] } else { &["2"] };
    for threads in threads {
        let run = selected(options, name, threads);
        assert_eq!(run.lines(), expected, "{name} {options:?}");
        assert_eq!(run.code, 0, "{name} {options:?} {}", run.stderr);
        let has_note = run.stderr.contains("no message matches the selection; ");
        assert_eq!(has_note, expected.is_empty(), "{name} {options:?} {}", run.stderr);
    }
    // The counts of stats are those of the same messages.
    if !expected.is_empty() {
        let stats = on_capture(&[&["stats", "--format", "json"], options].concat(), name);
        let stats: Json = serde_json::from_str(stats.text()).unwrap();
        let kinds = expected.iter().filter(|line| line.contains("\"kind\":\"")).count();
        let counted = stats["messages"].as_u64().unwrap_or(expected.len() as u64);
        assert!(counted as usize >= kinds, "{name} {options:?} {stats}");
    }
    expected.len()
}

/// The packet of a message. For a relay, this is the relayed packet.
fn packet(message: &Json) -> &Json {
    let rpc = &message["rpc"];
    if rpc["command"] == "relay" { &rpc["rpc"] } else { rpc }
}

/// Every path and name of a node in a packet.
fn paths(message: &Json) -> Vec<&str> {
    let packet = packet(message);
    let states = packet["states"].as_array().into_iter().flatten();
    let mut paths: Vec<_> = states.flat_map(|it| [&it["path"], &it["name"]]).collect();
    paths.extend([&packet["path"], &packet["name"]]);
    paths.into_iter().filter_map(Json::as_str).collect()
}

#[test]
fn paths_match_patterns() {
    let mut count = 0;
    for name in CAPTURES {
        count += assert_selects(&["--path", "Game/Players/*"], name, |message, _| {
            let is_player = |path: &&str| {
                path.strip_prefix("Game/Players/").is_some_and(|name| !name.contains('/'))
            };
            paths(message).iter().any(is_player)
        });
        count += assert_selects(&["--path", "/root/**/Chat"], name, |message, _| {
            paths(message).iter().any(|path| path.rsplit('/').next() == Some("Chat"))
        });
        count += assert_selects(&["--path", "mob_?", "--path", "Main/**"], name, |message, _| {
            let is_mob = |path: &str| path.starts_with("mob_") && path.chars().count() == 5;
            paths(message).iter().any(|path| is_mob(path) || path.starts_with("Main/"))
        });
    }
    assert!(count > 200, "{count}");
}

#[test]
fn methods_match_patterns_by_name_and_number() {
    let mut count = 0;
    for name in CAPTURES {
        count += assert_selects(&["--method", "*e"], name, |message, _| {
            packet(message)["method"].as_str().is_some_and(|method| method.ends_with('e'))
        });
        count += assert_selects(&["--method", "#1", "--method", "any"], name, |message, _| {
            let packet = packet(message);
            packet["method"] == "any" || packet["method"] == 1 && packet["own"] != true
        });
    }
    assert!(count > 50, "{count}");
}

#[test]
fn commands_match_packets_and_relayed_packets() {
    let mut count = 0;
    for name in CAPTURES {
        for of in ["call", "set", "sync", "delta", "spawn", "relay", "raw", "simplify_path"] {
            count += assert_selects(&["--command", of], name, |message, _| {
                message["rpc"]["command"] == of || packet(message)["command"] == of
            });
        }
        let options = ["--command", "value", "--command", "despawn"];
        count += assert_selects(&options, name, |message, _| {
            message["rpc"].is_null() || packet(message)["command"] == "despawn"
        });
    }
    assert!(count > 1_000, "{count}");
    let run = gdwire(&["decode", "--command", "move", "-"], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("possible values: call, set, "), "{}", run.stderr);
}

#[test]
fn ends_are_addresses_networks_and_ports() {
    let mut count = 0;
    for name in CAPTURES {
        count += assert_selects(&["--src", "7777"], name, |message, _| {
            message["src"].as_str().unwrap().ends_with(":7777")
        });
        count += assert_selects(&["--dst", "127.0.0.0/8"], name, |message, _| {
            message["dst"].as_str().unwrap().starts_with("127.")
        });
        count += assert_selects(&["--src", "[::1]", "--src", "127.0.0.1:7778"], name, |it, _| {
            let src = it["src"].as_str().unwrap();
            src.starts_with("[::1]") || src == "127.0.0.1:7778"
        });
        count += assert_selects(&["--src", "10.0.0.0/8", "--dst", "7777"], name, |_, _| false);
        count += assert_selects(&["--host", "::/0"], name, |it, _| {
            it["src"].as_str().unwrap().starts_with('[')
        });
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn frames_and_times_are_ranges() {
    for name in CAPTURES {
        let messages = whole(name);
        let message = |place: usize| serde_json::from_str::<Json>(&messages[place].0).unwrap();
        let frame = |message: &Json| message["frame"].as_u64().unwrap();
        let (first, last) = (frame(&message(5)), frame(&message(20)));
        let range = format!("{first}-{last}");
        let count = assert_selects(&["--frames", &range], name, |message, _| {
            (first..=last).contains(&frame(message))
        });
        assert!(count >= 10, "{name} {count}");
        assert_selects(&["--frames", "3", "--frames", &format!("{last}-")], name, |message, _| {
            frame(message) == 3 || frame(message) >= last
        });
        let time = |message: &Json| message["time"].as_str().unwrap().to_owned();
        let (from, to) = (time(&message(5)), time(&message(20)));
        let count = assert_selects(&["--from", &from, "--to", &to], name, |message, _| {
            time(message) >= from && time(message) < to
        });
        assert!(count >= 5, "{name} {count}");
        // A time without date and zone is on the same day.
        let of_day = &from[11..from.len() - 1];
        assert_selects(&["--from", of_day], name, |message, _| time(message) >= from);
    }
}

/// The first packet of this capture is at 07:55:50.973, and has no message.
#[test]
fn relative_times_start_with_the_first_packet() {
    let name = "godot4-rpc.pcapng";
    let time = |message: &Json| message["time"].as_str().unwrap().to_owned();
    let first = first_packet(name);
    let after =
        |milliseconds: i64| Time::from_nanos(first + milliseconds * 1_000_000, 9).to_string();
    let (from, to) = (after(100), after(1_200));
    let options = ["--from", "100ms", "--to", "+1s200ms"];
    let count = assert_selects(&options, name, |it, _| time(it) >= from && time(it) < to);
    assert!(count > 10, "{count}");
}

/// When the first packet of a capture was captured, in nanoseconds since 1970.
fn first_packet(name: &str) -> i64 {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let packet = Capture::new(&file).unwrap().next().unwrap().unwrap();
    packet.time.unwrap().as_nanos()
}

/// With --join, times are relative to the first packet of the first capture.
#[test]
fn joined_captures_have_one_first_packet() {
    let mut names = ["godot3-udp.pcapng", "godot4-udp.pcapng"];
    names.sort_by_key(|name| first_packet(name));
    let paths = names.map(|name| corpus("captures").join(name).to_str().unwrap().to_owned());
    let apart = first_packet(names[1]) - first_packet(names[0]);
    let from = format!("{apart}ns");
    let decode = ["decode", "--format", "ndjson", &paths[0], &paths[1]];
    let whole = gdwire(&[&decode[..], &["--join"]].concat(), b"");
    let later = Time::from_nanos(first_packet(names[1]), 9).to_string();
    let mut expected = whole.lines();
    expected.retain(|line| {
        let message: Json = serde_json::from_str(line).unwrap();
        message["time"].as_str() >= Some(&later)
    });
    assert!(expected.len() > 10 && expected.len() < whole.lines().len());
    for threads in ["1", "2"] {
        let selected = [&decode[..], &["--from", &from, "--threads", threads]].concat();
        let joined = gdwire(&[&selected[..], &["--join"]].concat(), b"");
        assert_eq!(joined.lines(), expected);
        // Each single capture is shorter than that.
        assert_eq!(gdwire(&selected, b"").text(), "");
    }
}

#[test]
fn grep_searches_the_text_of_a_message() {
    let mut count = 0;
    for name in CAPTURES {
        count += assert_selects(&["--grep", r"Vector3\( ?-?\d"], name, |_, text| {
            text.match_indices("Vector3(").any(|(at, found)| {
                let rest = text[at + found.len()..].trim_start_matches(' ');
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                rest.starts_with(|it: char| it.is_ascii_digit())
            })
        });
        count += assert_selects(&["--grep", "^raw", "--grep", "(?i)CHAT"], name, |_, text| {
            text.starts_with("raw") || text.to_lowercase().contains("chat")
        });
    }
    assert!(count > 100, "{count}");
    let run = gdwire(&["decode", "--grep", "(", "-"], b"");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("unclosed group"), "{}", run.stderr);
}

#[test]
fn conditions_read_the_fields_of_a_message() {
    let mut count = 0;
    for name in CAPTURES {
        for (condition, field, wanted) in [
            (".transport == \"enet\"", "transport", json!("enet")),
            (".kind == \"Dictionary\"", "kind", json!("Dictionary")),
            (".mode == \"reliable\"", "mode", json!("reliable")),
            (".channel == 1", "channel", json!(1)),
            (".src == \"127.0.0.1:7778\"", "src", json!("127.0.0.1:7778")),
            (".offset == 12", "offset", json!(12)),
        ] {
            count += assert_selects(&["--where", condition], name, |it, _| it[field] == wanted);
        }
        count += assert_selects(&["--where", ".len > 100 and .frame < 200"], name, |it, _| {
            it["len"].as_u64() > Some(100) && it["frame"].as_u64() < Some(200)
        });
        count += assert_selects(&["--where", ".rpc.command == \"call\""], name, |it, _| {
            it["rpc"]["command"] == "call"
        });
        count += assert_selects(
            &["--where", ".rpc.path // \"\" | startswith(\"Game/\")"],
            name,
            |it, _| it["rpc"]["path"].as_str().is_some_and(|path| path.starts_with("Game/")),
        );
        count +=
            assert_selects(&["--where", "any(.rpc.states[]?; .changed[]? == 1)"], name, |it, _| {
                let mut states = it["rpc"]["states"].as_array().into_iter().flatten();
                states.any(|state| {
                    state["changed"].as_array().is_some_and(|places| places.contains(&json!(1)))
                })
            });
        count += assert_selects(
            &["--where", ".rpc.rpc.command", "--where", ".peer.target == 0"],
            name,
            |it, _| it["rpc"]["rpc"]["command"].is_string() || it["peer"]["target"] == 0,
        );
        let time = ".time | test(\"^2026-11-2\\\\dT\")";
        count += assert_selects(&["--where", &time.replace("\\\\\\\\", "\\\\")], name, |_, _| true);
    }
    assert!(count > 3_000, "{count}");
}

/// A number as it is in JSON, which has no infinities. No string in the captures looks like one.
fn number(value: &Json) -> Option<f64> {
    if value == "inf" { Some(f64::INFINITY) } else { value.as_f64() }
}

#[test]
fn conditions_read_values_as_plain_json() {
    let (mut values, mut calls) = (0, 0);
    for name in CAPTURES {
        values +=
            assert_selects(&["--where", ".value | type == \"number\" and . > 0"], name, |it, _| {
                number(&it["value"]) > Some(0.0)
            });
        values +=
            assert_selects(&["--where", ".kind == \"Vector2\" and .value.x < 0"], name, |it, _| {
                it["kind"] == "Vector2" && it["value"][0].as_f64() < Some(0.0)
            });
        values += assert_selects(
            &["--where", ".value | type == \"string\" and length > 10"],
            name,
            |it, _| it["value"].as_str().is_some_and(|text| text.chars().count() > 10),
        );
        values += assert_selects(
            &["--where", ".value | type == \"array\" and length == 3"],
            name,
            |it, _| it["value"].as_array().is_some_and(|items| items.len() == 3),
        );
        calls += assert_selects(
            &["--where", ".rpc.args[0]? | type == \"number\" and . > 100"],
            name,
            |it, _| number(&it["rpc"]["args"][0]) > Some(100.0),
        );
        calls += assert_selects(
            &[
                "--where",
                "any(.rpc.args[]?; type == \"object\" and has(\"name\") and has(\"label\"))",
            ],
            name,
            |it, _| {
                let arguments = it["rpc"]["args"].as_array().into_iter().flatten();
                arguments
                    .into_iter()
                    .any(|it| it.get("name").is_some() && it.get("label").is_some())
            },
        );
    }
    assert!(values >= 50 && calls > 20, "{values} {calls}");
}

/// All options have to match, and repeated values of one option are alternatives.
#[test]
fn options_combine() {
    let name = "godot4-rpc.pcapng";
    let options = [
        "--src",
        "7777",
        "--command",
        "call",
        "--command",
        "sync",
        "--where",
        ".len > 10",
        "--grep",
        "Game",
        "--frames",
        "1-200",
    ];
    let count = assert_selects(&options, name, |message, text| {
        message["src"] == "127.0.0.1:7777"
            && ["call", "sync"].map(Json::from).contains(&message["rpc"]["command"])
            && message["len"].as_u64() > Some(10)
            && text.contains("Game")
            && message["frame"].as_u64() <= Some(200)
    });
    assert!(count > 5, "{count}");
}

#[test]
fn a_limit_ends_the_output() {
    for name in CAPTURES {
        let whole = whole(name);
        for threads in ["1", "2"] {
            let run = selected(&["--limit", "7"], name, threads);
            let expected: Vec<_> = whole.iter().take(7).map(|(line, _)| line.as_str()).collect();
            assert_eq!((run.lines(), run.code, &*run.stderr), (expected, 0, ""), "{name}");
        }
        let run = selected(&["--limit", "2", "--where", ".len > 20"], name, "2");
        assert_eq!(run.lines().len(), 2, "{name}");
        let run = selected(&["--limit", "1000000"], name, "2");
        assert_eq!(run.lines().len(), whole.len(), "{name}");
        let stats = on_capture(&["stats", "--format", "json", "--limit", "7"], name);
        assert_eq!(stats.code, 0, "{}", stats.stderr);
        let stats: Json = serde_json::from_str(stats.text()).unwrap();
        assert!(!stats["flows"].as_array().unwrap().is_empty(), "{stats}");
    }
    // The limit counts the messages of all files.
    let path = corpus("captures").join("godot3-udp.pcapng");
    let path = path.to_str().unwrap();
    for join in [&[][..], &["--join"]] {
        let decode = ["decode", "--plain", "--limit", "70", path, path];
        let run = gdwire(&[&decode, join].concat(), b"");
        assert_eq!((run.lines().len(), run.code), (70, 0), "{}", run.stderr);
    }
    assert_eq!(gdwire(&["decode", "--limit", "0", path], b"").code, 2);
}

/// The last message ends the run, even if the pipe stays open.
#[test]
fn a_limit_ends_reading_a_pipe() {
    let file = std::fs::read(corpus("captures").join("godot3-udp.pcapng")).unwrap();
    for (input, stdin) in [("capture", file), ("hex", b"0200000007000000\n".repeat(5_000))] {
        let arguments = ["decode", "--input", input, "--dialect", "godot3", "--limit", "3", "-"];
        let mut child = command(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        // The pipe stays open until the run has ended.
        let feeding = thread::spawn(move || {
            pipe.write_all(&stdin).ok();
            pipe
        });
        let lines: Vec<_> = BufReader::new(child.stdout.take().unwrap()).lines().collect();
        assert_eq!(lines.len(), 3, "{input}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{input}");
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "", "{input}");
        drop(feeding.join().unwrap());
    }
}

#[test]
fn values_of_files_are_selected_by_their_content() {
    let states = [variant!({ "hp": 20 }), variant!({ "hp": 80 }), variant!(7)];
    let bytes: Vec<_> =
        states.iter().map(|state| encode(Dialect::GODOT_4, state).unwrap()).collect();
    let file: Vec<u8> = bytes.iter().flat_map(|state| frame(state)).collect();
    let decode = ["decode", "--input", "framed", "--dialect", "godot4"];
    for (options, expected) in [
        (&["--where", ".value.hp? < 50 and .kind != \"int\""][..], "{ \"hp\": 20 }\n"),
        (&["--where", ".offset > 10 and .len == 8"], "7\n"),
        (&["--grep", "8"], "{ \"hp\": 80 }\n"),
        (&["--limit", "1"], "{ \"hp\": 20 }\n"),
        (&["--command", "value", "--kind", "int"], "7\n"),
        (&["--command", "call"], ""),
        (&["--frames", "1-"], ""),
        (&["--from", "0s"], ""),
        (&["--path", "**"], ""),
    ] {
        let run = fed(&[&decode[..], options, &["-"]].concat(), |input| {
            input.write_all(&file).ok();
            thread::sleep(Duration::from_millis(1));
        });
        assert_eq!((run.text(), run.code), (expected, 0), "{options:?} {}", run.stderr);
        let has_note =
            run.stderr.contains("no message matches the selection; 3 messages were read");
        assert_eq!(has_note, expected.is_empty(), "{options:?} {}", run.stderr);
    }
}

#[test]
fn a_condition_that_fails_is_reported_once() {
    let name = "godot3-udp.pcapng";
    let whole = whole(name);
    let run = selected(&["--where", ".value.x == 1"], name, "1");
    assert_eq!(run.code, 0);
    let (count, rest) =
        run.stderr.split_once(" messages, so they are not selected; the first: ").unwrap();
    let count: usize = count.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(count > 10 && count < whole.len(), "{}", run.stderr);
    assert!(rest.starts_with("frame "), "{rest}");
    assert_eq!(selected(&["--where", ".value.x == 1"], name, "2").stderr, run.stderr);
    let quiet = selected(&["--quiet", "--where", ".value.x == 1"], name, "2");
    assert_eq!(quiet.stderr, "");
}

/// The names in the legends of a terminal, with their addresses.
fn legend(run: &Run) -> Vec<(String, String)> {
    let legends = run.lines().into_iter().filter(|line| line.starts_with("        "));
    let names = legends.flat_map(|line| line.trim().split(", "));
    let pairs = names.map(|pair| pair.split_once(" = ").unwrap());
    pairs.map(|(name, address)| (name.to_owned(), address.to_owned())).collect()
}

#[test]
fn ends_are_selected_by_the_names_that_a_terminal_shows() {
    let mut all = Vec::new();
    for name in ["godot3-rpc-three.pcapng", "godot4-rpc-three.pcapng", "godot3-udp.pcapng"] {
        let shown = on_capture(&["decode", "--width", "200"], name);
        for (end, address) in legend(&shown) {
            for threads in ["1", "2"] {
                for option in ["--src", "--dst"] {
                    let by_name = selected(&[option, &end], name, threads);
                    let by_address = selected(&[option, &address], name, threads);
                    assert_eq!(by_name.stdout, by_address.stdout, "{name} {option} {end}");
                    let field = option.replace("--", ".");
                    let condition = format!("{field} == \"{end}\"");
                    let by_condition = selected(&["--where", &condition], name, threads);
                    assert_eq!(by_condition.stdout, by_address.stdout, "{name} {condition}");
                }
            }
            // A selection does not change the names.
            let options = ["decode", "--width", "200", "--dst", &end];
            let names = legend(&on_capture(&options, name));
            assert!(names.contains(&(end.clone(), address)), "{name} {end} {names:?}");
            all.push(end);
        }
    }
    for end in ["client 1", "client 2", "server", "A", "B"] {
        assert!(all.iter().any(|other| other == end), "{all:?}");
    }
    let run = selected(&["--host", "client 1"], "godot3-udp.pcapng", "1");
    assert!(run.stderr.contains("--src and --dst also take the names"), "{}", run.stderr);
}

/// Every field that messages have is known, and one in a wrong place gets an advice.
#[test]
fn fields_that_no_message_has_are_explained() {
    let note = |name: &str, field: &str| {
        let condition = format!(".{field} == \"nothing\"");
        let run = on_capture(&["decode", "--where", &condition], name);
        run.stderr.lines().nth(1).map(str::to_owned)
    };
    for name in ["godot4-game-enet.pcapng", "godot3-debugger.pcapng", "godot3-udp.pcapng"] {
        let all = parsed_lines(&selected(&[], name, "1"));
        let fields = |pointer: &str| {
            let objects = all.iter().filter_map(|message| message.pointer(pointer)?.as_object());
            objects.flat_map(|object| object.keys()).cloned().collect::<BTreeSet<String>>()
        };
        let message = fields("");
        for field in &message {
            assert_eq!(note(name, field), None, "{name} {field}");
        }
        for place in ["/rpc", "/rpc/states/0", "/debugger"] {
            for field in fields(place).difference(&message) {
                let note = note(name, field).expect(field);
                let start = format!("gdwire: no message has a field '.{field}'; write '.");
                assert!(note.starts_with(&start), "{note}");
                assert!(note.contains("rpc") || place == "/debugger", "{note}");
            }
        }
    }
    let advice = note("godot4-game-enet.pcapng", "hp").unwrap();
    assert!(advice.ends_with("for a field of a value, write '.value.hp'"), "{advice}");
}

#[test]
fn patterns_in_another_case_get_an_advice() {
    for (option, pattern, name) in [
        ("--method", "Respawn", Some("respawn")),
        ("--path", "game/chat", Some("Game/Chat")),
        ("--method", "nothing", None),
    ] {
        for threads in ["1", "2"] {
            let run = selected(&[option, pattern], "godot3-rpc.pcapng", threads);
            let advice = run.stderr.lines().nth(1);
            let expected = name.map(|name| {
                format!("gdwire: {option} is case-sensitive; a name in the messages is '{name}'")
            });
            assert_eq!(advice, expected.as_deref(), "{}", run.stderr);
        }
    }
}

#[test]
fn a_syntax_error_in_a_condition_is_marked() {
    let run = gdwire(&["decode", "--where", ".value.hp <> 50", "-"], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("\n  .value.hp <> 50\n            ^\n"), "{}", run.stderr);
}

#[test]
fn wrong_values_of_options_are_wrong_usage() {
    for options in [
        ["--src", "localhost"],
        ["--host", "10.0.0.0/33"],
        ["--dst", "70000"],
        ["--src", "client"],
        ["--port", "77777"],
        ["--frames", "9-5"],
        ["--from", "yesterday"],
        ["--to", "-5s"],
        ["--path", ""],
        ["--method", ""],
        ["--where", ""],
    ] {
        let [option, value] = options;
        let run = gdwire(&["decode", &format!("{option}={value}"), "-"], b"");
        assert_eq!(run.code, 2, "{options:?}");
        assert!(run.stderr.contains(option), "{options:?} {}", run.stderr);
    }
}

#[test]
fn a_period_without_any_time_is_wrong_usage() {
    for command in ["decode", "stats", "states", "diagnose"] {
        let run = on_capture(&[command, "--from", "5s", "--to", "2s"], "godot4-udp.pcapng");
        let problem = "gdwire: --from is not before --to, so no message can match\n";
        assert_eq!((run.code, &*run.stdout, &*run.stderr), (2, &b""[..], problem), "{command}");
    }
    let run = on_capture(&["decode", "--from", "23:50", "--to", "00:10"], "godot4-udp.pcapng");
    assert!(run.code == 2 && run.stderr.contains("on the day of the first packet"));
}

/// Options for captures have no effect on other files, and `--index` none on captures.
#[test]
fn options_that_were_not_used_are_reported() {
    let capture = std::fs::read(corpus("captures/godot4-udp.pcapng")).unwrap();
    let [hex, capture] = [&b"0200000007000000\n"[..], &capture];
    for (options, input, note) in [
        (&["--port", "7777"][..], hex, "--port was not used, as no input is a capture"),
        (&["--host", "::1"], hex, "--host was not used, as no input is a capture"),
        (&["--transport", "udp"], hex, "--transport was not used, as no input is a capture"),
        (
            &["--node", "7=Game"],
            hex,
            "--project, --methods or --node was not used, as no input is a capture",
        ),
        (&["--time", "utc"], hex, "--time was not used, as no input is a capture"),
        (&["--addresses"], hex, "--addresses was not used, as no input is a capture"),
        (&["--index"], capture, "--index was not used, as it numbers only the values of files"),
        (&["--transport", "udp", "--port", "7777"], capture, ""),
        (&["--time", "utc", "--addresses"], capture, ""),
        (&["--index"], hex, ""),
    ] {
        let decode = [&["decode"][..], options, &["-"]].concat();
        let expected = if note.is_empty() { String::new() } else { format!("gdwire: {note}\n") };
        let run = gdwire(&decode, input);
        assert_eq!((run.code, run.stderr), (0, expected), "{options:?}");
        assert!(!run.stdout.is_empty(), "{options:?}");
        let quiet = gdwire(&[&decode[..], &["--quiet"]].concat(), input);
        assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", run.stdout), "{options:?}");
    }
}

/// The options that apply to losses and other payloads select them.
#[test]
fn losses_and_other_payloads_are_selected_by_their_place() {
    let name = "godot4-game-enet-lossy-server-side.pcapng";
    let decode = ["decode", "--format", "ndjson", "--all", "--verbose"];
    let all = on_capture(&decode, name);
    let lost = |run: &Run| run.stderr.lines().filter(|line| line.contains("→")).count();
    assert!(lost(&all) > 0, "{}", all.stderr);
    let server = on_capture(&[&decode[..], &["--src", "7777"]].concat(), name);
    let clients = on_capture(&[&decode[..], &["--dst", "7777"]].concat(), name);
    let sum = server.lines().len() + clients.lines().len();
    assert_eq!(sum, all.lines().len());
    assert!(lost(&clients) <= lost(&all) && lost(&server) < lost(&all), "{}", server.stderr);
    assert!(
        parsed_lines(&server).iter().all(|line| line["src"].as_str().unwrap().ends_with(":7777"))
    );
    let early = on_capture(&[&decode[..], &["--frames", "1-30"]].concat(), name);
    assert!(lost(&early) < lost(&all), "{}", early.stderr);
}

/// Packets of the other side are still followed, so names that it announced are known.
#[test]
fn selecting_one_side_still_follows_the_other() {
    let name = "godot4-rpc.pcapng";
    let count = assert_selects(&["--src", "7777", "--command", "confirm_path"], name, |it, _| {
        it["src"] == "127.0.0.1:7777" && it["rpc"]["command"] == "confirm_path"
    });
    let run = selected(&["--src", "7777", "--command", "confirm_path"], name, "1");
    assert!(count > 0);
    assert!(parsed_lines(&run).iter().all(|line| line["rpc"]["path"].is_string()));
}

/// `--kind` takes the names of all engines, `--where` compares what JSON has.
#[test]
fn names_of_types_in_other_engines_are_explained_in_conditions() {
    let note = "'.kind' is the name in Godot 4: write 'PackedByteArray', not 'PoolByteArray'";
    let run = on_capture(&["decode", "--where", ".kind == \"PoolByteArray\""], "godot3-udp.pcapng");
    assert_eq!(run.stderr.lines().nth(1), Some(&*format!("gdwire: {note}")));
    let run =
        on_capture(&["decode", "--where", ".value == \"PoolByteArray\""], "godot3-udp.pcapng");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

/// Words and fields that differ only by capital letters are corrected.
#[test]
fn capital_letters_in_conditions_are_explained() {
    for (condition, note) in [
        (".rpc.Method == \"fire\"", "no message has a field '.rpc.Method'; write '.rpc.method'"),
        (".RPC.method == \"fire\"", "no message has a field '.RPC'; write '.rpc'"),
        (".Method == \"fire\"", "no message has a field '.Method'; write '.rpc.method'"),
    ] {
        let run = on_capture(&["decode", "--where", condition], "godot4-game-enet.pcapng");
        assert_eq!(run.stderr.lines().nth(1), Some(&*format!("gdwire: {note}")), "{condition}");
    }
    for (condition, note) in [
        (".len > 3 AND .len < 9", "expected an operator or the end, found 'AND'; write 'and'"),
        (".rpc.valid == True", "unknown function 'True'; write 'true'"),
        (".rpc.valid | Not", "unknown function 'Not'; write 'not'"),
    ] {
        let run = on_capture(&["decode", "--where", condition], "godot4-game-enet.pcapng");
        assert!(run.code == 2 && run.stderr.contains(note), "{}", run.stderr);
    }
    // A value may have such a field.
    let condition = ".value.Method == \"fire\"";
    let run = on_capture(&["decode", "--where", condition], "godot4-game-enet.pcapng");
    assert!(!run.stderr.contains("write"), "{}", run.stderr);
}
