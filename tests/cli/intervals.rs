//! `gdwire stats --interval`: messages over time.

use crate::cli::edited::datagrams;
use crate::cli::run::{gdwire, on_capture, parsed_lines};
use crate::cli::stats::{by, of_bytes, of_file, rows};
use crate::common::unhex;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn intervals_have_every_message_in_its_time() {
    for (length, seconds, decimals) in [
        ("1h", 3600.0, 0),
        ("1m", 60.0, 0),
        ("2s", 2.0, 0),
        ("250ms", 0.25, 3),
        ("10ms", 0.01, 3),
        ("1us", 0.000_001, 6),
    ] {
        let stats = of_file(&["--interval", length], "godot4-enet.pcapng");
        assert_eq!(stats["interval_seconds"].as_f64(), Some(seconds));
        let decoded = on_capture(&["decode", "--format", "ndjson"], "godot4-enet.pcapng");
        let mut expected: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let intervals = by("from", &stats["intervals"]);
        for message in parsed_lines(&decoded) {
            // The last interval that begins before the message has it.
            let time = message["time"].as_str().unwrap().trim_end_matches('Z');
            let is_before = |from: &&String| from.trim_end_matches('Z') <= time;
            let from = intervals.keys().rev().find(is_before).unwrap();
            let entry = expected.entry(from.clone()).or_default();
            *entry = (entry.0 + 1, entry.1 + message["len"].as_u64().unwrap());
        }
        assert_eq!(intervals, expected, "{length}");
        assert_eq!(intervals.len() == 1, seconds > 1.0, "{length}");
        assert_eq!(stats["without_time"], json!({"count": 0, "bytes": 0}));
        for from in intervals.keys() {
            let (_, fraction) = from.trim_end_matches('Z').split_once('.').unwrap_or_default();
            assert_eq!(fraction.len(), decimals, "{from}");
        }
    }
}

#[test]
fn bars_show_the_bytes() {
    let run = on_capture(&["stats", "--interval", "1s"], "godot3-rpc-three.pcapng");
    let stats = of_file(&["--interval", "1s"], "godot3-rpc-three.pcapng");
    let intervals = stats["intervals"].as_array().unwrap();
    let bytes: Vec<_> = intervals.iter().map(|it| it["bytes"].as_u64().unwrap()).collect();
    let most = *bytes.iter().max().unwrap();
    let (_, table) = run.text().split_once("messages       bytes\n").unwrap();
    let bars = table.lines().take_while(|line| !line.is_empty());
    let bars: Vec<u64> = bars.map(|line| line.matches('#').count() as u64).collect();
    let expected: Vec<_> = bytes.iter().map(|it| (it * 40).div_ceil(most)).collect();
    assert_eq!(bars, expected);
}

#[test]
fn too_many_intervals_are_merged() {
    let value = unhex("00000000");
    let file = datagrams((0..100_100).map(|_| (0x0a00_0001, 7778, &value[..])));
    let stats = of_bytes(&["--interval", "1us"], &file);
    let intervals = stats["intervals"].as_array().unwrap();
    assert_eq!(stats["interval_seconds"], 0.001024);
    let sum: u64 = intervals.iter().map(|it| it["count"].as_u64().unwrap()).sum();
    assert_eq!((intervals.len(), sum), (97_753, 100_100));
    let run = gdwire(&["stats", "--interval", "1us", "-"], &file);
    let note = "\n  steps of 1ms 24µs: steps of 1µs would be more than 100,000\n";
    assert!(run.text().contains(note));
}

#[test]
fn a_gap_is_shown_as_one_line() {
    let value = unhex("00000000");
    // At 0, 1 and 4 seconds of an hour; an hour later.
    let mut file = datagrams((0..4).map(|_| (0x0a00_0001, 7778, &value[..])));
    let record = 16 + 28 + value.len();
    for (at, seconds) in [0, 1, 4, 3_600_u32].into_iter().enumerate() {
        let at = 24 + at * record;
        file[at..at + 4].copy_from_slice(&(1_700_000_000 + seconds).to_le_bytes());
        file[at + 4..at + 8].fill(0);
    }
    let run = gdwire(&["stats", "--interval", "1s", "-"], &file);
    let shown = rows(run.text(), "from ");
    let starts: Vec<_> = shown.iter().map(|row| row[0]).collect();
    assert_eq!(
        starts,
        [
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:21Z",
            "2023-11-14T22:13:22Z",
            "2023-11-14T22:13:23Z",
            "2023-11-14T22:13:24Z",
            "… 3595 empty",
            "2023-11-14T23:13:20Z",
        ]
    );
    assert_eq!(shown[2][1..], ["0", "0 B"]);
    assert_eq!(shown[5][1..], ["0", "0 B"]);
    assert_eq!(shown[4][1..], ["1", "4 B", &"#".repeat(40)]);
    let stats = of_bytes(&["--interval", "1s"], &file);
    assert_eq!(stats["intervals"].as_array().unwrap().len(), 4);
}

/// Simple Packet Blocks and files of values have no times.
#[test]
fn messages_without_a_time_are_counted_separately() {
    let block = |number: u32, content: &[u8]| {
        let length = u32::try_from(content.len() + 12).unwrap().to_le_bytes();
        [&number.to_le_bytes(), &length, content, &length].concat()
    };
    let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let mut file = [block(0x0a0d_0d0a, &section), block(1, &[101, 0, 0, 0, 0, 0, 0, 0])].concat();
    let value = unhex("00000000");
    let classic = datagrams([(0x0a00_0001, 7778, &value[..])]);
    let packet = &classic[24 + 16..];
    for _ in 0..3 {
        file.extend(block(3, &[&(packet.len() as u32).to_le_bytes(), packet].concat()));
    }
    let stats = of_bytes(&["--interval", "1s"], &file);
    let flow = &stats["flows"][0];
    assert_eq!(
        [&flow["packets"], &flow["first"], &flow["last"], &flow["bytes_per_second"]],
        [&json!(3), &Value::Null, &Value::Null, &Value::Null]
    );
    assert_eq!(stats["intervals"], json!([]));
    assert_eq!(stats["without_time"], json!({"count": 3, "bytes": 12}));
    let run = gdwire(&["stats", "--interval", "1s", "-"], &file);
    assert_eq!(rows(run.text(), "from "), [["without a time", "3", "12 B"]]);
    assert_eq!(run.lines()[0], "stdin: 1 flow, 3 packets (12 B payload), 3 messages (12 B)");

    let stats = of_file(&["--interval", "1s"], "godot3-file.bin");
    assert_eq!((&stats["flows"], &stats["without_time"]["count"]), (&json!([]), &json!(60)));
}

#[test]
fn an_invalid_length_is_explained() {
    for (length, hint) in [
        ("5", "expected a number and its unit, such as 1s, 500ms or 1m"),
        ("fast", "1s, 500ms or 1m"),
        ("", "1s, 500ms or 1m"),
        ("0s", "the shortest time is one microsecond, 1us"),
        ("10ns", "the shortest time is one microsecond"),
    ] {
        let run = gdwire(&["stats", "--interval", length, "-"], b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{length}");
        assert!(run.stderr.contains(hint) && run.stderr.contains("--interval"), "{}", run.stderr);
    }
    let run = gdwire(&["stats", "--interval=-1s", "-"], b"");
    assert!(run.code == 2 && run.stderr.contains("the shortest time is"), "{}", run.stderr);
}

/// The calls of each method in each interval, as the lines of `decode` have them.
#[test]
fn methods_have_their_calls_in_each_interval() {
    for (name, length, seconds) in [
        ("godot3-rpc-three.pcapng", "200ms", 0.2),
        ("godot4-game-enet.pcapng", "1s", 1.0),
        ("godot3-rpc.pcapng", "1h", 3600.0),
    ] {
        let project = crate::common::corpus("project/arena");
        let options = ["--project", project.to_str().unwrap()];
        let stats = of_file(&[&["--interval", length][..], &options].concat(), name);
        assert_eq!(stats["interval_seconds"].as_f64(), Some(seconds));
        let decoded = on_capture(&[&["decode", "--format", "ndjson"][..], &options].concat(), name);
        let mut expected: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
        let starts: Vec<&str> = stats["intervals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["from"].as_str().unwrap())
            .collect();
        for message in parsed_lines(&decoded) {
            let rpc = match message["rpc"]["command"].as_str() {
                Some("relay") => &message["rpc"]["rpc"],
                _ => &message["rpc"],
            };
            if !matches!(rpc["command"].as_str(), Some("call" | "set")) {
                continue;
            }
            let method = rpc["method"].as_str().expect("all methods have names").to_owned();
            let time = message["time"].as_str().unwrap().trim_end_matches('Z');
            let is_before = |from: &&&str| from.trim_end_matches('Z') <= time;
            let from = starts.iter().rev().find(is_before).unwrap();
            let entry = expected.entry((method, (*from).to_owned())).or_default();
            *entry = (entry.0 + 1, entry.1 + message["len"].as_u64().unwrap());
        }
        let mut found = BTreeMap::new();
        for method in stats["method_intervals"].as_array().unwrap() {
            let mut sum = 0;
            for cell in method["intervals"].as_array().unwrap() {
                let count = cell["count"].as_u64().unwrap();
                sum += count;
                let key = (method["method"].as_str().unwrap(), cell["from"].as_str().unwrap());
                let key = (key.0.to_owned(), key.1.to_owned());
                let entry: &mut (u64, u64) = found.entry(key).or_default();
                *entry = (entry.0 + count, entry.1 + cell["bytes"].as_u64().unwrap());
            }
            assert_eq!(method["count"], sum);
        }
        assert!(found == expected && found.len() > 5, "{name} {found:?} {expected:?}");
        assert_eq!(stats["further_methods"]["count"], 0);
    }
}

#[test]
fn the_table_of_methods_has_numbers_or_characters() {
    let run = on_capture(&["stats", "--interval", "1s"], "godot3-rpc.pcapng");
    let (_, table) = run.text().split_once("calls by method, from ").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[2].contains("method") && lines[2].contains("+1s"), "{table}");
    let row = lines.iter().find(|line| line.trim_start().starts_with("set_score ")).unwrap();
    let numbers: Vec<u64> = row.split_whitespace().skip(2).map(|it| it.parse().unwrap()).collect();
    assert_eq!(numbers[0], numbers[1..].iter().sum::<u64>());

    let run = on_capture(&["stats", "--interval", "20ms"], "godot3-rpc.pcapng");
    let (_, table) = run.text().split_once("calls by method, from ").unwrap();
    let row = table.lines().find(|line| line.trim_start().starts_with("set_score ")).unwrap();
    assert!(row.contains('#') && row.ends_with('|'), "{row}");
}
