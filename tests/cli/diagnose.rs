//! `gdwire diagnose`: sentences, JSON and exit codes.

use crate::cli::edited::{cut_to, with_frames};
use crate::cli::run::{gdwire, on_capture, parsed_lines};
use crate::common::corpus;
use serde_json::{Value, json};

const GAME: &str = "godot4-game-enet.pcapng";
const LOSSY: &str = "godot4-game-enet-lossy-client-side.pcapng";

fn json_of(arguments: &[&str], file: &str) -> Value {
    let run = on_capture(&[&["diagnose", "--format", "json"], arguments].concat(), file);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut objects = parsed_lines(&run);
    assert_eq!(objects.len(), 1);
    objects.remove(0)
}

#[test]
fn json_has_connections_and_findings() {
    let diagnosis = json_of(&[], LOSSY);
    let [connection] = &diagnosis["connections"].as_array().unwrap()[..] else {
        panic!("{diagnosis}")
    };
    assert_eq!(connection["transport"], "enet");
    let directions = connection["directions"].as_array().unwrap();
    assert_eq!(directions.len(), 2);
    for direction in directions {
        for field in ["resent", "missing_unreliable", "out_of_order"] {
            assert!(direction[field].is_u64(), "{direction}");
        }
        let [min, p50, p95, max] =
            ["min", "p50", "p95", "max"].map(|it| direction["rtt_ms"][it].as_f64().unwrap());
        assert!(0.0 <= min && min <= p50 && p50 <= p95 && p95 <= max, "{direction}");
        assert!(direction["src"].is_string() && direction["dst"].is_string());
        // The round trips over time are the same, second by second.
        let points = direction["rtt_over_time"].as_array().unwrap();
        let of = |key: &'static str| points.iter().map(move |it| it[key].as_f64().unwrap());
        assert!(points.len() > 5 && points.is_sorted_by_key(|it| it["from"].as_str()));
        assert_eq!(of("min_ms").fold(f64::MAX, f64::min), min, "{direction}");
        assert_eq!(of("max_ms").fold(0.0, f64::max), max, "{direction}");
    }
    assert_eq!(directions[0]["src"], directions[1]["dst"]);

    let findings = diagnosis["findings"].as_array().unwrap();
    for finding in findings {
        assert!(["error", "warning", "info"].contains(&finding["severity"].as_str().unwrap()));
        assert!(finding["first_frame"].as_u64() <= finding["last_frame"].as_u64(), "{finding}");
        assert!(finding["count"].as_u64() > Some(0) && finding["text"].is_string(), "{finding}");
        for field in ["kind", "path", "method"] {
            assert!(finding.get(field).is_some(), "{finding}");
        }
    }
    let missing = findings.iter().find(|it| it["kind"] == "unreliable_missing").unwrap();
    let sum: u64 = directions.iter().map(|it| it["missing_unreliable"].as_u64().unwrap()).sum();
    assert_eq!(missing["count"], sum);
    // The worst findings are first.
    let rank = |finding: &Value| ["error", "warning", "info"].map(|it| finding["severity"] == it);
    assert!(findings.is_sorted_by(|one, other| rank(one) >= rank(other)), "{findings:?}");
}

#[test]
fn messages_are_as_many_as_in_the_statistics() {
    // The peer id that a server gives a client is no message of the game.
    for file in [
        "godot4-game-websocket.pcapng",
        "godot3-websocket-rpc.pcapng",
        "official-web-rpc.pcap",
        "official-web-rpc-deflate.pcap",
        GAME,
    ] {
        let diagnosis = json_of(&[], file);
        let connections = diagnosis["connections"].as_array().unwrap();
        let directions = connections.iter().flat_map(|it| it["directions"].as_array().unwrap());
        let sum: u64 = directions.map(|it| it["messages"].as_u64().unwrap()).sum();
        let run = on_capture(&["stats", "--format", "json"], file);
        assert_eq!(parsed_lines(&run)[0]["messages"], sum, "{file}");
    }
}

#[test]
fn text_and_json_report_the_same() {
    for file in [GAME, LOSSY, "godot4-udp.pcapng", "godot4-rpc-three.pcapng"] {
        let diagnosis = json_of(&[], file);
        let run = on_capture(&["diagnose"], file);
        let text = run.text();
        for finding in diagnosis["findings"].as_array().unwrap() {
            let [severity, sentence, kind] =
                ["severity", "text", "kind"].map(|it| finding[it].as_str().unwrap());
            let line = text.lines().find(|line| line.contains(sentence)).unwrap();
            assert!(line.starts_with(severity) && line.ends_with(&format!("[{kind}]")), "{line}");
        }
        let messages = run.lines()[0].to_owned();
        assert_eq!(messages.contains(" missing, "), file != "godot4-udp.pcapng", "{messages}");
    }
    let run = on_capture(&["diagnose"], GAME);
    assert!(run.lines()[0].ends_with(": 1 connection, 478 messages, 0 missing, 3 notes"));
}

#[test]
fn an_error_gives_exit_code_1() {
    // The answer to the first announcement, in a session that differs from the recorded one.
    let mut file = crate::cli::edited::capture(GAME);
    let valid = [2, 1, 1, 0, 0, 0];
    let at = file.windows(6).position(|bytes| bytes == valid).unwrap();
    file[at + 1] = 0;
    let run = gdwire(&["diagnose", "-"], &file);
    assert_eq!(run.code, 1, "{}", run.text());
    assert!(run.text().contains("\nerror: 1 confirmation of Main/World/Spawner"), "{}", run.text());
    let run = gdwire(&["diagnose", "--format", "json", "-"], &file);
    let finding = &parsed_lines(&run)[0]["findings"][0];
    assert_eq!(
        [&finding["kind"], &finding["path"], &finding["count"]],
        [&json!("methods_differ"), &json!("Main/World/Spawner"), &json!(1)]
    );
}

/// Announcements that are not selected are still noted, so their absence is not a finding.
#[test]
fn a_selection_makes_no_findings() {
    for kind in ["String", "Vector3"] {
        let run = on_capture(&["diagnose", "--kind", kind, "--format", "json"], GAME);
        assert_eq!(run.code, 0, "{}", run.text());
        let findings = parsed_lines(&run)[0]["findings"].clone();
        let findings = findings.as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["severity"] == "info"), "{findings:?}");
    }
    let none = json_of(&["--port", "9"], GAME);
    assert_eq!([&none["connections"], &none["findings"]], [&json!([]), &json!([])]);
}

#[test]
fn files_are_diagnosed_one_by_one_and_values_are_not_diagnosed() {
    let path =
        |name: &str| crate::common::corpus("captures").join(name).to_str().unwrap().to_owned();
    let files = [path(GAME), path("godot3-file.bin"), path(LOSSY)];
    let files: Vec<&str> = files.iter().map(|file| &**file).collect();
    let run = gdwire(&[&["diagnose", "--format", "json"], &files[..]].concat(), b"");
    assert_eq!((run.code, parsed_lines(&run).len()), (0, 3));
    assert!(run.stderr.contains("60 values in files that are not captures"), "{}", run.stderr);
    assert_eq!(parsed_lines(&run)[2], json_of(&[], LOSSY));
}

/// A lossy network, and a recording that stops while reliable messages are lost and not sent again
/// yet: they were not delivered, but nothing is wrong with the recording. If the recording lacks
/// them, the acknowledgements show that.
#[test]
fn what_the_network_lost_at_the_end_is_no_fault_of_the_recording() {
    let mut not_delivered = 0;
    for (side, all) in [("client", 1_061), ("server", 1_081)] {
        let name = format!("godot4-game-enet-lossy-{side}-side.pcapng");
        for end in (100..1_000).step_by(41) {
            // The last packets end the connection.
            let file = with_frames(&name, |frame| frame <= end || frame > all - 3);
            let run = gdwire(&["diagnose", "--format", "json", "-"], &file);
            let findings = parsed_lines(&run)[0]["findings"].clone();
            let kinds = findings.as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap());
            let kinds: Vec<_> = kinds.collect();
            assert!(!kinds.contains(&"reliable_missing"), "{name} {end} {findings}");
            let decoded = gdwire(&["decode", "-"], &file);
            assert_eq!((run.code, decoded.code), (0, 0), "{name} {end} {}", decoded.stderr);
            let is_counted = decoded.stderr.contains("delivered before the end");
            assert_eq!(kinds.contains(&"not_delivered"), is_counted, "{}", decoded.stderr);
            not_delivered += u32::from(is_counted);
        }
    }
    assert!(not_delivered > 10, "{not_delivered}");
    // Without its acknowledgement, too, a message was delivered if its sender went on for seconds
    // without sending it again.
    let mut not_captured = 0;
    for first in (20..320).step_by(13) {
        let file = with_frames(GAME, |frame| !(first..first + 2).contains(&frame));
        let run = gdwire(&["diagnose", "--format", "json", "-"], &file);
        let findings = parsed_lines(&run)[0]["findings"].clone();
        let kinds = findings.as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap());
        let kinds: Vec<_> = kinds.collect();
        assert!(!kinds.contains(&"not_delivered"), "{first} {findings}");
        let decoded = gdwire(&["decode", "-"], &file);
        assert_eq!(kinds.contains(&"reliable_missing"), decoded.code == 1, "{first} {findings}");
        not_captured += u32::from(decoded.code == 1);
    }
    assert!(not_captured > 5, "{not_captured}");
    let lacks = with_frames(GAME, |frame| frame != 300);
    let run = gdwire(&["decode", "-"], &lacks);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("not seen"), "{}", run.stderr);
}

#[test]
fn the_top_of_each_kind_is_shown() {
    let run = on_capture(&["diagnose", "--top", "1"], GAME);
    assert!(run.text().contains("\n  and 1 more finding of this kind\n"), "{}", run.text());
    let cut = with_frames(GAME, |frame| frame > 300);
    let late = gdwire(&["diagnose", "-"], &cut);
    assert!(!late.text().contains("error:"), "{}", late.text());
}

/// Bytes that are missing because packets were captured only in part are not packets that the
/// capture lost.
#[test]
fn what_is_missing_from_packets_captured_in_part_is_not_lost_by_the_capture() {
    let found = |file: &[u8]| {
        let run = gdwire(&["diagnose", "-q", "--format", "json", "-"], file);
        let findings = parsed_lines(&run)[0]["findings"].as_array().unwrap().clone();
        let of = |kind: &str| findings.iter().find(|it| it["kind"] == kind).cloned();
        (of("reliable_missing"), of("unreliable_missing"), of("captured_in_part"))
    };
    for name in [GAME, "godot4-enet.pcapng", "godot3-tcp.pcapng", "godot3-websocket.pcapng"] {
        let (reliable, unreliable, in_part) = found(&cut_to(name, 80));
        assert_eq!((reliable, unreliable), (None, None), "{name}");
        let in_part = in_part.unwrap_or_else(|| panic!("{name}"));
        assert!(in_part["count"].as_u64() >= Some(55), "{name} {in_part}");
        assert_eq!(
            (&in_part["severity"], in_part["first_frame"].as_u64() < Some(30)),
            (&json!("warning"), true)
        );
    }
    let (reliable, _, in_part) = found(&with_frames("godot3-tcp.pcapng", |frame| frame != 30));
    assert_eq!((&reliable.unwrap()["count"], in_part), (&json!(1), None));
}

/// The recorded games ran Godot 4.6-dev. A confirmation with a path is one of Godot 4.2.
#[test]
fn versions_of_the_engine_fit_the_bytes() {
    let path = corpus("captures/godot4-rpc.pcapng");
    let run = gdwire(&["diagnose", "--format", "json", path.to_str().unwrap()], b"");
    let found: serde_json::Value = serde_json::from_str(run.text()).unwrap();
    for direction in found["connections"][0]["directions"].as_array().unwrap() {
        let engine = direction["engine"].as_str().unwrap();
        assert!(matches!(engine, "Godot 4.4 to 4.6.2" | "Godot 4.3 to 4.6.2"), "{engine}");
    }
    let run = gdwire(&["diagnose", path.to_str().unwrap()], b"");
    assert!(run.text().contains("to 4.6.2: 127.0.0.1:"), "{}", run.text());
    assert!(!run.text().contains("engines_differ"));
}
