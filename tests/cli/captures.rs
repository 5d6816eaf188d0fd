//! Captures as input.

use crate::cli::edited::with_frames;
use crate::cli::run::{directory, gdwire, on_capture};
use crate::common::{Sent, corpus, lines, unhex};
use gdwire::capture::Capture;
use gdwire::{Dialect, json, parse};
use serde_json::Value;
use std::fs;

/// The values that were delivered, as the bytes on the wire in hex.
fn delivered() -> Vec<Sent> {
    let sent: Vec<Sent> = lines("captures/godot3-udp.ndjson");
    sent.into_iter().filter(|sent| sent.delivered).collect()
}

fn wire_hex(sent: &Sent) -> &str {
    sent.wire_hex.as_ref().unwrap_or(&sent.hex)
}

fn endpoint(name: &str) -> &'static str {
    if name == "client" { "127.0.0.1:7778" } else { "127.0.0.1:7777" }
}

#[test]
fn ndjson_has_every_delivered_value_of_every_form_of_the_capture() {
    let sent = delivered();
    for name in [
        "godot3-udp.pcapng",
        "godot3-udp-bigendian.pcapng",
        "godot3-udp-bigendian.pcap",
        "godot3-udp-usec.pcap",
        "godot3-udp-null.pcap",
        "godot3-udp-rawip.pcap",
        "godot3-udp-vlan.pcap",
    ] {
        let run = on_capture(&["decode", "--format", "ndjson", "--hex"], name);
        assert_eq!((run.code, &*run.stderr), (0, ""), "{name}");
        assert_eq!(run.lines().len(), sent.len(), "{name}");
        for ((line, sent), frame) in run.lines().into_iter().zip(&sent).zip(1..) {
            let bytes = unhex(wire_hex(sent));
            let value = parse(Dialect::GODOT_3, &bytes).unwrap();
            let message: Value = serde_json::from_str(line).unwrap();
            let time = message["time"].as_str().unwrap();
            let digits = if name.ends_with("ng") { 9 } else { 6 };
            assert!(time.starts_with("2026-") && time.len() == 21 + digits, "{time}");
            let (to, from) = (if sent.from == "client" { "server" } else { "client" }, &*sent.from);
            let expected = format!(
                r#"{{"frame":{frame},"time":"{time}","transport":"udp","src":"{}","dst":"{}","community_id":{},"offset":0,"len":{},"kind":"{}","value":{},"hex":"{}"}}"#,
                endpoint(from),
                endpoint(to),
                message["community_id"],
                bytes.len(),
                value.kind(),
                json::to_plain_string(value),
                wire_hex(sent),
            );
            assert_eq!(line, expected);
        }
    }
}

#[test]
fn two_interfaces_give_every_value_twice() {
    let run = on_capture(&["decode", "--format", "hex"], "godot3-udp-twice.pcapng");
    let mut seen = run.lines();
    let mut expected: Vec<_> = delivered().iter().map(|s| wire_hex(s).to_owned()).collect();
    expected.extend_from_within(..);
    seen.sort_unstable();
    expected.sort_unstable();
    assert_eq!((run.code, seen), (0, expected.iter().map(String::as_str).collect()));
}

#[test]
fn text_has_columns_that_plain_leaves_out() {
    let run = on_capture(&["decode"], "godot3-udp-usec.pcap");
    let plain = on_capture(&["decode", "--plain"], "godot3-udp-usec.pcap");
    assert_eq!(run.lines().len(), plain.lines().len());
    for (line, plain) in run.lines().into_iter().zip(plain.lines()) {
        let columns: Vec<_> = line.trim_start().splitn(4, "  ").collect();
        assert_eq!(columns[3], plain);
        assert!(columns[2].contains(" → "));
    }
    assert_eq!(plain.lines()[3], "-2759948307134785687");
}

#[test]
fn filters_pick_kinds_ports_and_hosts() {
    let count = |filters: &[&str]| {
        let run = on_capture(&[&["decode", "--plain"], filters].concat(), "godot3-udp.pcapng");
        let is_empty = run.stderr.starts_with("gdwire: no message matches the selection");
        assert_eq!((run.code, is_empty), (0, run.stdout.is_empty()), "{}", run.stderr);
        run.lines().len()
    };
    let all = count(&[]);
    let dictionaries = count(&["--kind", "dictionary"]);
    assert!(dictionaries > 0 && dictionaries < all);
    assert_eq!(count(&["--kind", "PoolByteArray"]), count(&["--kind", "PackedByteArray"]));
    let both = count(&["--kind", "Dictionary", "--kind", "Array"]);
    assert_eq!(both, dictionaries + count(&["--kind", "Array"]));
    assert_eq!((count(&["--port", "7777"]), count(&["--port", "9"])), (all, 0));
    assert_eq!((count(&["--host", "127.0.0.1"]), count(&["--host", "::1"])), (all, 0));
    assert_eq!(count(&["--port", "9", "--port", "7778"]), all);
}

/// A classic pcap in which the last datagrams are not values.
fn with_other_traffic() -> Vec<u8> {
    let mut file = fs::read(corpus("captures/godot3-udp-rawip.pcap")).unwrap();
    let packet = Capture::new(&file).unwrap().next().unwrap().unwrap();
    let start = usize::try_from(packet.offset).unwrap();
    let record = file[start - 16..start + packet.data.len()].to_vec();
    for broken in [0x77, 0x78] {
        let mut record = record.clone();
        record[16 + 28] = broken;
        file.extend(record);
    }
    file
}

#[test]
fn other_traffic_is_counted_and_an_error_only_with_strict() {
    let file = with_other_traffic();
    let values = delivered().len();
    let line = "gdwire: stdin: not decoded: 2 UDP payloads that are not values\n";
    let nothing = "gdwire: no message matches the selection; 0 messages were read\n";
    for (arguments, code, count, stderr) in [
        (&["decode", "-"][..], 0, values, line),
        (&["decode", "-q", "-"], 0, values, ""),
        (&["decode", "--strict", "-"], 1, values, line),
        (&["decode", "--all", "-"], 0, values + 2, line),
        (&["decode", "--all", "--format", "ndjson", "-"], 0, values + 2, line),
        (&["decode", "--port", "1", "-"], 0, 0, nothing),
    ] {
        let run = gdwire(arguments, &file);
        assert_eq!((run.code, run.lines().len(), &*run.stderr), (code, count, stderr));
    }
    let all = gdwire(&["decode", "--all", "--plain", "-"], &file);
    let expected = "not a value, 20 bytes: byte 0: the header of a value has type 120, which the \
                    dialect does not know";
    assert_eq!(all.lines().last(), Some(&expected));
    let all = gdwire(&["decode", "--all", "--format", "ndjson", "--hex", "-"], &file);
    let message: Value = serde_json::from_str(all.lines().last().unwrap()).unwrap();
    assert_eq!(message["len"], 20);
    assert!(message["error"].as_str().unwrap().contains("type 120"));
    assert!(message["hex"].as_str().unwrap().starts_with("78"));
    assert_eq!(message.get("value"), None);
}

#[test]
fn connections_without_messages_are_reported() {
    let handshake = with_frames("godot4-enet.pcapng", |frame| frame <= 3);
    for command in ["decode", "states"] {
        let run = gdwire(&[command, "-"], &handshake);
        assert_eq!((run.code, &*run.stdout), (0, &b""[..]));
        assert!(run.stderr.starts_with("gdwire: stdin: no messages, but 1 connection of enet\n"));
    }
    let run = gdwire(&["decode", "-"], &with_frames("godot4-enet.pcapng", |_| true));
    assert!(!run.stderr.contains("no messages"), "{}", run.stderr);
    let run = on_capture(&["decode", "--dialect", "godot3"], "godot4-rpc.pcapng");
    assert!(run.stderr.contains("253 messages that are not values"), "{}", run.stderr);
    assert!(run.stderr.contains("leave it out to find out which engine"), "{}", run.stderr);
    assert!(!run.stderr.contains("no messages"), "{}", run.stderr);
}

#[test]
fn a_cut_capture_gives_everything_before_the_cut_and_is_reported() {
    for name in ["godot3-udp-usec.pcap", "godot3-udp.pcapng"] {
        let file = fs::read(corpus("captures").join(name)).unwrap();
        let whole = gdwire(&["decode", "-"], &file);
        let path = directory("cut").join(name);
        for len in (4..2_000).step_by(37).chain((2_000..file.len()).step_by(1_777)) {
            fs::write(&path, &file[..len]).unwrap();
            let run = gdwire(&["decode", path.to_str().unwrap()], b"");
            let packets = Capture::new(&file[..len]).map(|capture| {
                let (packets, errors): (Vec<_>, Vec<_>) = capture.partition(Result::is_ok);
                (packets.len(), errors.len())
            });
            let (packets, errors) = packets.unwrap_or((0, 1));
            assert_eq!(run.lines(), whole.lines()[..packets], "{name} {len}");
            assert_eq!((run.code, run.stderr.is_empty()), (errors as i32, errors == 0));
            assert!(errors == 0 || run.stderr.contains(": byte "), "{}", run.stderr);
        }
    }
}

#[test]
fn directories_are_replaced_by_their_captures_with_recursive() {
    let directory = directory("recursive");
    fs::create_dir_all(directory.join("b/c")).unwrap();
    let capture = corpus("captures/godot3-udp-null.pcap");
    fs::copy(&capture, directory.join("a.cap")).unwrap();
    fs::copy(&capture, directory.join("b/c/d")).unwrap();
    fs::write(directory.join("notes.txt"), "00000000\n").unwrap();
    fs::write(directory.join("empty"), "").unwrap();
    let path = directory.to_str().unwrap();
    let run = gdwire(&["decode", "--recursive", path], b"");
    assert_eq!((run.code, run.lines().len()), (0, 2 * delivered().len()));
    let run = gdwire(&["decode", path], b"");
    assert_eq!((run.code, run.lines().len()), (2, 0));
    assert!(run.stderr.contains("--recursive"));
}
