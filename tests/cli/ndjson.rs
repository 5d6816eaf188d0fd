//! Lines of JSON for what is not a message: losses, damage, and bytes that are not a value.

use crate::cli::edited::{with_edits, with_frames};
use crate::cli::run::{directory, gdwire, on_capture, parsed_lines};
use crate::common::corpus;
use gdwire::text::disturbs_line;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const DECODE: [&str; 3] = ["decode", "--format", "ndjson"];

fn on_file(arguments: &[&str], file: &[u8]) -> Vec<Value> {
    parsed_lines(&gdwire(&[&DECODE, arguments, &["-"]].concat(), file))
}

/// Each missing packet has a line where the loss is certain, with everything that is known about it.
#[test]
fn a_loss_is_a_line_between_the_messages() {
    let file = with_frames("godot3-tcp.pcapng", |frame| frame != 30);
    let lines = on_file(&[], &file);
    let at = lines.iter().position(|line| line.get("lost").is_some()).unwrap();
    // It is between the messages before and after it in the stream. That a packet is missing is
    // only certain at the end of this capture.
    let stream = |line: &&Value| line["src"] == lines[at]["src"];
    let before = lines[..at].iter().rev().find(stream).unwrap();
    let after = lines[at + 1..].iter().find(stream).unwrap();
    assert!(before["offset"].as_u64() < Some(2352) && after["offset"].as_u64() > Some(2352));
    assert_eq!(
        lines[at],
        json!({
            "frame": after["frame"],
            "time": after["time"],
            "after_frame": before["frame"],
            "after_time": before["time"],
            "transport": "tcp",
            "src": after["src"],
            "dst": after["dst"],
            "community_id": after["community_id"],
            "offset": 2352,
            "bytes": 12,
            "lost": "12 bytes at byte 2352 of the stream: not seen",
        })
    );
    assert_eq!(lines.iter().filter(|line| line.get("lost").is_some()).count(), 1);
}

/// The counts of the lines add up to what `stats` counts, for the captures of a lossy network.
#[test]
fn losses_add_up_to_the_counts() {
    for side in ["client", "server"] {
        let name = format!("godot4-game-enet-lossy-{side}-side.pcapng");
        let lines = parsed_lines(&on_capture(&DECODE, &name));
        let mut lost = BTreeMap::new();
        for line in lines.iter().filter(|line| line.get("lost").is_some()) {
            let mode = line["mode"].as_str().unwrap();
            *lost.entry(mode != "reliable").or_insert(0) += line["messages"].as_u64().unwrap();
        }
        let stats = parsed_lines(&on_capture(&["stats", "--format", "json"], &name));
        let counted = |what: &str| {
            let losses = stats[0]["losses"].as_array().unwrap();
            losses.iter().find(|loss| loss["what"] == what)?["count"].as_u64()
        };
        assert_eq!(lost.get(&true).copied(), counted("unreliable ENet messages"), "{name}");
        assert!(lost.contains_key(&true), "{name}");
        let messages = lines.iter().filter(|line| line.get("lost").is_none()).count();
        assert_eq!(stats[0]["messages"], messages, "{name}");
    }
}

/// Losses are spread over the whole capture, each between two packets. So a selection by times has
/// those of its time, and every loss is in one of two halves.
#[test]
fn losses_belong_to_the_time_when_they_happened() {
    const LOSSY: &str = "godot4-game-enet-lossy-client-side.pcapng";
    let lost = |arguments: &[&str]| {
        let lines = parsed_lines(&on_capture(&[&DECODE, arguments].concat(), LOSSY));
        let lost = lines.into_iter().filter(|line| line.get("lost").is_some());
        lost.collect::<Vec<_>>()
    };
    let count =
        |lost: &[Value]| lost.iter().map(|it| it["messages"].as_u64().unwrap()).sum::<u64>();
    let all = lost(&[]);
    assert_eq!(count(&all), 19);
    for loss in &all {
        assert!(loss["after_frame"].as_u64() < loss["frame"].as_u64(), "{loss}");
        assert!(loss["after_time"].as_str() < loss["time"].as_str(), "{loss}");
    }
    let [first, second] = [&["--to", "5s"], &["--from", "5s"]].map(|half| count(&lost(half)));
    assert!(first > 5 && second > 5 && first + second == 19, "{first} {second}");

    let stats = on_capture(&["stats", "--interval", "1s", "--format", "json"], LOSSY);
    let stats = parsed_lines(&stats).remove(0);
    let intervals = stats["intervals"].as_array().unwrap();
    let each = intervals.iter().map(|it| it["lost"].as_u64().unwrap());
    assert_eq!(each.clone().sum::<u64>(), 19);
    assert!(each.filter(|lost| *lost > 0).count() > 5, "{intervals:?}");
    let text = on_capture(&["stats", "--interval", "1s"], LOSSY);
    assert!(text.text().contains("  messages       bytes  lost"), "{}", text.text());
}

/// A selection by frames applies to losses, too.
#[test]
fn losses_are_selected_by_their_frames() {
    let file = with_frames("godot3-tcp.pcapng", |frame| frame != 30);
    let all = on_file(&[], &file);
    let loss = all.iter().find(|line| line.get("lost").is_some()).unwrap();
    let frame = loss["frame"].as_u64().unwrap();
    let before = on_file(&["--frames", &format!("1-{}", frame - 1)], &file);
    assert!(before.len() > 1 && before.iter().all(|line| line.get("lost").is_none()));
    let from = on_file(&["--frames", &format!("{frame}-{frame}")], &file);
    assert!(from.contains(loss), "{from:?}");
    // A loss has no content that could be selected.
    for selection in [["--where", "true"], ["--command", "value"], ["--grep", "."]] {
        let lines = on_file(&selection, &file);
        assert_eq!(lines.len(), all.len() - 1, "{selection:?}");
    }
}

#[test]
fn damage_is_a_line() {
    let mut file = fs::read(corpus("captures").join("godot3-udp-usec.pcap")).unwrap();
    file.truncate(file.len() - 3);
    let lines = on_file(&[], &file);
    let line = lines.last().unwrap();
    let fields: Vec<_> = line.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["damaged", "frame", "offset"]);
    assert!(line["damaged"].as_str().unwrap().starts_with("the file is cut off"), "{line}");
    assert!(lines[..lines.len() - 1].iter().all(|line| line.get("value").is_some()));
}

/// In files that are not captures, the line of an error has its place.
#[test]
fn errors_have_their_place() {
    let run = gdwire(&[&DECODE[..], &["--input", "hex", "-"]].concat(), b"0200000007000000\nzz\n");
    assert_eq!(run.code, 1);
    let lines = parsed_lines(&run);
    assert_eq!((&lines[0]["line"], &lines[0]["offset"]), (&json!(1), &json!(0)));
    let error = "not a hex string: unexpected character 'z' at column 1";
    assert_eq!(lines[1], json!({"line": 2, "offset": 0, "error": error}));
    // Two frames, the second with a type that no engine has.
    let framed = b"\x08\0\0\0\x02\0\0\0\x07\0\0\0\x04\0\0\0\x63\0\0\0";
    let lines = on_file(&["--input", "framed", "--dialect", "godot3"], framed);
    assert_eq!((lines.len(), &lines[1]["offset"]), (2, &json!(12)), "{lines:?}");
    assert!(lines[1]["error"].as_str().unwrap().contains("type 99"), "{lines:?}");
}

/// With several files, each line names its file, by its real name.
#[test]
fn several_files_are_named() {
    let folder = directory("ndjson-files");
    let capture = corpus("captures").join("godot3-udp.pcapng");
    let names = ["a \"quoted\" name.pcapng", "colour \u{1b}[31m.pcapng"];
    let files = names.map(|name| folder.join(name).to_str().unwrap().to_owned());
    for file in &files {
        fs::copy(&capture, file).unwrap();
    }
    let files = files.each_ref().map(String::as_str);
    let one = parsed_lines(&gdwire(&[&DECODE, &files[..1]].concat(), b""));
    assert!(one.iter().all(|line| line.get("file").is_none()));
    for threads in ["1", "2"] {
        let several = [&DECODE, &["--threads", threads][..], &files].concat();
        let run = gdwire(&several, b"");
        assert!(!run.text().contains('\u{1b}'));
        let mut lines = parsed_lines(&run);
        let seen: Vec<_> = lines
            .iter_mut()
            .map(|line| line.as_object_mut().unwrap().remove("file").unwrap())
            .collect();
        let expected = files.iter().flat_map(|file| vec![json!(file); one.len()]);
        assert_eq!(seen, expected.collect::<Vec<_>>());
        assert_eq!(lines, [&one[..], &one].concat());
    }
    let joined = parsed_lines(&gdwire(&[&DECODE, &["--join"][..], &files].concat(), b""));
    assert!(joined.iter().all(|line| line.get("file").is_none()));
}

/// Values and arguments have the notation that `--values` sets, in every part of a packet.
#[test]
fn values_are_plain_or_native() {
    let value = |options: &[&str]| {
        let run = gdwire(&[&DECODE, options, &["-"]].concat(), b"0200000007000000");
        (run.code, parsed_lines(&run).pop().map(|mut line| line["value"].take()))
    };
    assert_eq!(value(&[]), (0, Some(json!(7))));
    assert_eq!(value(&["--values", "plain"]), (0, Some(json!(7))));
    assert_eq!(value(&["--values", "native"]), (0, Some(json!("i:7"))));
    for format in ["text", "native", "hex"] {
        let run = gdwire(&["decode", "--format", format, "--values", "plain", "-"], b"");
        assert_eq!((run.code, &*run.stderr), (2, "gdwire: --values needs --format ndjson\n"));
    }
    let has = |text: &str, options: &[&str]| {
        let run = on_capture(&[&DECODE, options].concat(), "godot4-game-enet.pcapng");
        run.lines().iter().filter(|line| line.contains(text)).count()
    };
    let native = ["--values", "native"];
    for text in ["\"i:", "{\"type\":\""] {
        assert_eq!(has(text, &[]), 0, "{text}");
        assert!(has(text, &native) > 50, "{text}");
    }
}

/// Captures with edited payloads: each line is a JSON object, no text disturbs a line, and all
/// subcommands count the same messages.
#[test]
fn edited_payloads_are_described_alike() {
    const NAMES: [&str; 12] = [
        "godot3-debugger",
        "godot3-enet",
        "godot3-rpc-compressed",
        "godot3-tcp",
        "godot3-udp",
        "godot3-websocket-rpc",
        "godot4-game-enet",
        "godot4-game-websocket",
        "godot4-rpc-three",
        "godot4-tcp",
        "godot4-udp-ipfrag",
        "pandemonium5-rpc",
    ];
    let folder = directory("ndjson-edited");
    let mut names = Vec::new();
    for (number, name) in (0..180).zip(NAMES.into_iter().cycle()) {
        names.push(folder.join(format!("{number}-{name}.pcapng")).to_str().unwrap().to_owned());
        fs::write(&names[names.len() - 1], with_edits(&format!("{name}.pcapng"), number)).unwrap();
    }
    let files: Vec<_> = names.iter().map(String::as_str).collect();
    let run = |arguments: &[&str]| {
        let run = gdwire(&[arguments, &files].concat(), b"");
        assert!(run.code == 0 || run.code == 1, "{arguments:?} {}", run.stderr);
        let lines = run.lines().into_iter().chain(run.stderr.lines());
        let disturbed = lines.filter(|line| line.contains(disturbs_line));
        assert_eq!(disturbed.collect::<Vec<_>>(), [""; 0], "{arguments:?}");
        run
    };
    let count = |lines: &[Value]| {
        let mut counts = BTreeMap::<_, u64>::new();
        let kinds = ["value", "rpc", "debugger"];
        for line in lines.iter().filter(|line| kinds.iter().any(|kind| line.get(kind).is_some())) {
            *counts.entry(line["file"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        counts
    };
    let lines = parsed_lines(&run(&[&DECODE[..], &["--all", "--hex", "--threads", "1"]].concat()));
    let counts = count(&lines);
    assert!(counts.len() > 150 && lines.iter().any(|line| line.get("error").is_some()));
    let native = [&DECODE[..], &["--values", "native", "--threads", "2"]].concat();
    assert_eq!(count(&parsed_lines(&run(&native))), counts);
    let text = run(&["decode", "--plain"]);
    assert_eq!(text.lines().len() as u64, counts.values().sum::<u64>());
    run(&["decode", "--all"]);
    let stats = parsed_lines(&run(&["stats", "--format", "json"]));
    let diagnoses = parsed_lines(&run(&["diagnose", "--format", "json"]));
    assert_eq!((stats.len(), diagnoses.len()), (names.len(), names.len()));
    for (of_file, diagnosis) in stats.iter().zip(&diagnoses) {
        let file = of_file["file"].as_str().unwrap();
        assert_eq!(diagnosis["file"], file);
        assert_eq!(of_file["messages"], counts.get(file).copied().unwrap_or(0), "{file}");
    }
}
