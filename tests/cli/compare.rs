//! `gdwire compare`: the two sides of one session, two builds, and a repetition.

use crate::cli::edited::{capture, cut_to, with_frames};
use crate::cli::run::{Run, command, directory, fed, gdwire, parsed_lines};
use crate::common::corpus;
use gdwire::capture::{Capture, PacketWriter};
use gdwire::packet::{Payload, Time, UdpDatagram};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const CLIENT: &str = "godot4-game-enet-lossy-client-side.pcapng";
const SERVER: &str = "godot4-game-enet-lossy-server-side.pcapng";
const GAME: &str = "godot4-game-enet.pcapng";

fn path(name: &str) -> String {
    corpus("captures").join(name).display().to_string()
}

fn written(directory: &Path, name: &str, file: &[u8]) -> String {
    let path = directory.join(name);
    fs::write(&path, file).unwrap();
    path.display().to_string()
}

fn compare(options: &[&str], first: &str, second: &str) -> Run {
    gdwire(&[&["compare", "--quiet"], options, &[first, second]].concat(), b"")
}

fn json(options: &[&str], first: &str, second: &str) -> Value {
    let run = compare(&[&["--format", "json"], options].concat(), first, second);
    assert!(matches!(run.code, 0 | 1), "{}", run.stderr);
    parsed_lines(&run).remove(0)
}

/// The datagrams of a capture: frame, time in nanoseconds, sender, receiver, payload.
fn datagrams(file: &[u8]) -> Vec<(u64, i64, SocketAddr, SocketAddr, Vec<u8>)> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    let datagrams = packets.filter_map(|packet| match packet.payload() {
        Payload::Udp(it) => {
            let time = packet.time.unwrap().as_nanos();
            Some((packet.frame, time, it.src, it.dst, it.payload.to_vec()))
        }
        _ => None,
    });
    datagrams.collect()
}

/// The messages that the network between both captures lost: those in datagrams that one capture has
/// and the other lacks, without those that ENet sends again.
fn truly_lost() -> Vec<Value> {
    let sides = [(CLIENT, 7790), (SERVER, 7777)].map(|(name, port)| (name, port, capture(name)));
    let mut lost = Vec::new();
    for (at, (name, port, file)) in sides.iter().enumerate() {
        let (_, _, other) = &sides[1 - at];
        let is_client = at == 0;
        let mut arrived: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (.., payload) in datagrams(other) {
            *arrived.entry(payload).or_default() += 1;
        }
        let arguments = ["decode", "--quiet", "--format", "ndjson", &path(name)];
        let messages = parsed_lines(&gdwire(&arguments, b""));
        for (frame, _, _, dst, payload) in datagrams(file) {
            if (dst.port() == *port) != is_client {
                continue;
            }
            match arrived.get_mut(&payload) {
                Some(count @ 1..) => *count -= 1,
                _ => lost.extend(
                    messages
                        .iter()
                        .filter(|it| it["frame"] == frame && it["rpc"].is_object())
                        .filter(|it| it["mode"] != "reliable")
                        .cloned(),
                ),
            }
        }
    }
    lost.sort_by_key(|message| message["time"].as_str().unwrap().to_owned());
    assert_eq!(lost.len(), 22);
    lost
}

#[test]
fn the_messages_that_the_network_lost_never_arrived() {
    let truth = truly_lost();
    for [first, second] in [[CLIENT, SERVER], [SERVER, CLIENT]] {
        let compared = json(&[], &path(first), &path(second));
        assert_eq!(compared["same_session"], true);
        let lost = compared["never_arrived"].as_array().unwrap();
        assert_eq!(lost.len(), truth.len());
        for (lost, message) in lost.iter().zip(&truth) {
            for field in ["frame", "time", "transport", "channel", "mode", "rpc"] {
                assert_eq!(lost[field], message[field], "{lost}");
            }
            assert_eq!((&lost["from"], &lost["to"]), (&message["src"], &message["dst"]));
            assert_eq!(lost["reliable"], false);
        }
        let ways = compared["ways"].as_array().unwrap();
        let counts =
            |key: &str| -> Vec<u64> { ways.iter().map(|way| way[key].as_u64().unwrap()).collect() };
        assert_eq!(counts("never_arrived"), vec![3, 19]);
        assert_eq!(counts("undecided"), vec![0, 0]);
        assert_eq!(counts("not_captured"), vec![0, 0]);
        let resent: Vec<u64> = counts("resent");
        assert!(resent.iter().all(|count| *count > 20), "{resent:?}");
        // The relay took 15 to 40 milliseconds each way, and both captures have one clock.
        for way in ways {
            let delay = |name: &str| way["delay_ms"][name].as_f64().unwrap();
            assert!((15.0..16.0).contains(&delay("min")), "{way}");
            assert!((25.0..35.0).contains(&delay("p50")), "{way}");
            assert!((39.0..45.0).contains(&delay("p95")), "{way}");
        }
        assert_eq!(compared["clocks"]["is_estimated"], false);
        assert_eq!(compared["clocks"]["offset_ms"], 0.0);
    }
    let run = compare(&[], &path(CLIENT), &path(SERVER));
    assert_eq!(run.code, 0, "losses of unreliable messages are normal");
    assert!(run.text().contains("\n22 messages never arrived, all of them unreliable\n"));
    assert_eq!(compare(&["--strict"], &path(CLIENT), &path(SERVER)).code, 1);
}

/// The senders and times of the messages that never arrived.
fn never_arrived(compared: &Value) -> Vec<[Value; 2]> {
    let lost = compared["never_arrived"].as_array().unwrap().iter();
    lost.map(|it| [it["from"].clone(), it["time"].clone()]).collect()
}

/// Messages that were sent before a capture began may be in it, because they were sent again.
#[test]
fn a_capture_that_begins_late_has_the_same_clock() {
    let directory = directory("compare-late");
    let truth = never_arrived(&json(&[], &path(CLIENT), &path(SERVER)));
    for begin in [100, 300, 600, 700] {
        let late = written(&directory, "late.pcapng", &with_frames(SERVER, |it| it > begin));
        for [first, second] in [[&path(CLIENT), &late], [&late, &path(CLIENT)]] {
            let compared = json(&[], first, second);
            assert_eq!(compared["same_session"], true, "after frame {begin}");
            assert_eq!(compared["clocks"]["offset_ms"], 0.0, "after frame {begin}");
            assert!(truth.ends_with(&never_arrived(&compared)), "after frame {begin}");
            for way in compared["ways"].as_array().unwrap() {
                let least = way["delay_ms"]["min"].as_f64().unwrap();
                assert!((15.0..25.0).contains(&least), "after frame {begin}: {way}");
                assert_eq!(way["not_captured"], 0, "after frame {begin}: {way}");
            }
        }
    }
}

/// A reliable message may be lost at first and arrive when it is sent again, after the capture has ended.
#[test]
fn what_may_arrive_outside_of_a_capture_is_not_lost() {
    let directory = directory("compare-outside");
    let truth = never_arrived(&json(&[], &path(CLIENT), &path(SERVER)));
    let cut = |name, frames: std::ops::Range<u64>| {
        let file = with_frames(name, |frame| frames.contains(&frame));
        written(&directory, &format!("{}-{}.pcapng", frames.start, frames.end), &file)
    };
    for [first, second] in [
        [path(CLIENT), cut(SERVER, 1..161)],
        [path(CLIENT), cut(SERVER, 1..296)],
        [path(CLIENT), cut(SERVER, 971..9999)],
        [cut(CLIENT, 1..71), path(SERVER)],
    ] {
        let compared = json(&[], &first, &second);
        assert_eq!(compared["same_session"], true);
        let lost = never_arrived(&compared);
        assert!(lost.iter().all(|it| truth.contains(it)), "{lost:?}");
    }
}

/// A copy of a capture whose datagrams are changed by a function, and left out if it returns false.
fn rewritten(
    name: &str,
    change: impl Fn(&mut i64, &mut SocketAddr, &mut SocketAddr) -> bool,
) -> Vec<u8> {
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    for (_, mut time, mut src, mut dst, payload) in datagrams(&capture(name)) {
        if change(&mut time, &mut src, &mut dst) {
            let time = Time::from_nanos(time, 9);
            writer.datagram(time, &UdpDatagram::new(src, dst, &payload)).unwrap();
        }
    }
    writer.into_inner()
}

#[test]
fn clocks_that_differ_are_set_by_both_directions() {
    const AHEAD: i64 = 3_600_500_000_000;
    let directory = directory("compare-clocks");
    let late = rewritten(SERVER, |time, _, _| {
        *time += AHEAD;
        true
    });
    let server = written(&directory, "server.pcapng", &late);
    let truth = json(&[], &path(CLIENT), &path(SERVER));
    let compared = json(&[], &path(CLIENT), &server);
    assert_eq!(compared["same_session"], true);
    assert_eq!(compared["clocks"]["is_estimated"], true);
    // The fastest datagrams took 15.2 and 15.6 ms.
    let offset = compared["clocks"]["offset_ms"].as_f64().unwrap();
    assert!((offset - AHEAD as f64 / 1e6).abs() < 1.0, "{offset}");
    let methods = |compared: &Value| -> Vec<Value> {
        let lost = compared["never_arrived"].as_array().unwrap();
        lost.iter().map(|it| it["rpc"].clone()).collect()
    };
    assert_eq!(methods(&compared), methods(&truth));
    let text = compare(&[], &path(CLIENT), &server);
    assert!(text.text().contains("the second is 1h 500ms ahead, estimated"), "{}", text.text());
}

#[test]
fn addresses_may_differ_and_captures_may_begin_late() {
    let directory = directory("compare-nat");
    let address = |text: &str| -> SocketAddr { text.parse().unwrap() };
    // The client's router gave it another address, which is higher than that of the server.
    let outside = rewritten(SERVER, |_, src, dst| {
        for end in [src, dst] {
            *end = address(if end.port() == 7777 { "10.0.0.1:7777" } else { "203.0.113.9:1024" });
        }
        true
    });
    let server = written(&directory, "server.pcapng", &outside);
    let truth = json(&[], &path(CLIENT), &path(SERVER));
    let compared = json(&[], &path(CLIENT), &server);
    assert_eq!(compared["never_arrived"].as_array().unwrap().len(), 22);
    // Without its beginning, a connection has no number that distinguishes it.
    let late = with_frames(SERVER, |frame| frame > 400);
    let late = written(&directory, "late.pcapng", &late);
    for arguments in [[&path(CLIENT), &late], [&late, &path(CLIENT)]] {
        let compared = json(&[], arguments[0], arguments[1]);
        assert_eq!(compared["same_session"], true);
        let of = |compared: &Value| -> Vec<Value> {
            compared["never_arrived"].as_array().unwrap().clone()
        };
        let some = of(&compared);
        assert!(some.len() > 3 && some.len() < 22, "{}", some.len());
        // They are the last ones of all, and no message before the capture is among them.
        let times = |list: Vec<Value>| -> Vec<Value> {
            list.into_iter().map(|it| it["time"].clone()).collect()
        };
        let all = times(of(&truth));
        assert!(all.ends_with(&times(some)), "{compared}");
    }
}

#[test]
fn the_same_capture_lacks_nothing() {
    let directory = directory("compare-same");
    for name in [GAME, CLIENT, "godot4-udp.pcapng", "godot4-game-websocket.pcapng"] {
        let compared = json(&[], &path(name), &path(name));
        assert_eq!(compared["same_session"], true, "{name}");
        assert_eq!(compared["never_arrived"].as_array().unwrap().len(), 0, "{name}");
        assert_eq!(compared["clocks"]["offset_ms"], 0.0);
    }
    // A part of it ends and begins within the whole.
    for name in [GAME, CLIENT, "godot4-udp.pcapng"] {
        let part = with_frames(name, |frame| (40..90).contains(&frame));
        let part = written(&directory, "part.pcapng", &part);
        let compared = json(&["--same-session"], &path(name), &part);
        assert_eq!(compared["never_arrived"].as_array().unwrap().len(), 0, "{name}");
        let ways = compared["ways"].as_array().unwrap();
        assert!(ways.iter().any(|way| way["undecided"].as_u64() > Some(0)), "{name}");
    }
}

/// Two captures at the same place, one of which lacks some packets.
#[test]
fn reliable_messages_that_never_arrived_are_a_failure() {
    let directory = directory("compare-reliable");
    let sent = parsed_lines(&gdwire(&["decode", "-q", "--format", "ndjson", &path(GAME)], b""));
    let reliable = sent.iter().filter(|it| it["mode"] == "reliable" && it["rpc"]["method"] != 0);
    let frame = reliable.clone().nth(50).unwrap()["frame"].as_u64().unwrap();
    let lacking = written(&directory, "lacking.pcapng", &with_frames(GAME, |it| it != frame));
    let run = compare(&["--format", "json"], &path(GAME), &lacking);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let compared = parsed_lines(&run).remove(0);
    let lost = compared["never_arrived"].as_array().unwrap();
    let frames: Vec<_> = lost.iter().map(|it| it["frame"].as_u64().unwrap()).collect();
    assert!(!frames.is_empty() && frames.iter().all(|it| *it == frame), "{frames:?}");
    assert!(lost.iter().any(|it| it["reliable"] == true), "{lost:?}");
}

#[test]
fn sessions_that_have_nothing_in_common_are_two() {
    for other in ["godot4-rpc.pcapng", "godot3-rpc.pcapng", "godot4-udp.pcapng"] {
        let compared = json(&[], &path(GAME), &path(other));
        assert_eq!(compared["same_session"], false, "{other}");
        assert_eq!(compared["never_arrived"].as_array().unwrap().len(), 0);
    }
    // The same game, played twice.
    let compared = json(&[], &path(GAME), &path("godot4-game-enet-zlib.pcapng"));
    assert_eq!(compared["same_session"], false);
    let run = compare(&["--same-session"], &path(GAME), &path("godot3-udp.pcapng"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no message in common"), "{}", run.stderr);
}

/// Each client sends one datagram, so its connection is over before the datagram arrives.
#[test]
fn short_connections_are_compared() {
    const LATE: i64 = 30_000_000;
    let directory = directory("compare-short");
    let sides = [(0, 40), (LATE, 37)].map(|(late, count)| {
        let all = clients(count, 1, 1_000, 5_000_000_000 + late);
        written(&directory, &format!("{count}.pcapng"), &all)
    });
    let compared = json(&[], &sides[0], &sides[1]);
    assert_eq!(compared["same_session"], true);
    assert_eq!(compared["ways"].as_array().unwrap().len(), 37);
    assert_eq!(compared["only_in_first"], 3);
}

#[test]
fn selections_apply_to_what_is_listed() {
    let project = corpus("project/arena");
    let project = ["--project", project.to_str().unwrap()];
    let all = json(&project, &path(CLIENT), &path(SERVER));
    let all = all["never_arrived"].as_array().unwrap();
    let of = |options: &[&str]| {
        let options = [&project, options].concat();
        let compared = json(&options, &path(CLIENT), &path(SERVER));
        compared["never_arrived"].as_array().unwrap().clone()
    };
    let trades: Vec<_> = all.iter().filter(|it| it["rpc"]["method"] == "trade").cloned().collect();
    assert!(!trades.is_empty());
    assert_eq!(of(&["--method", "trade"]), trades);
    assert_eq!(of(&["--where", ".rpc.method == \"trade\""]), trades);
    let (from, to) = (&all[3]["time"], &all[9]["time"]);
    let period = ["--from", from.as_str().unwrap(), "--to", to.as_str().unwrap()];
    assert_eq!(of(&period), all[3..9]);
    let run = compare(&["--limit", "3"], &path(CLIENT), &path(SERVER));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--top limits"), "{}", run.stderr);
    let run = compare(&["--top", "2"], &path(CLIENT), &path(SERVER));
    assert!(
        run.text()
            .ends_with("  and 20 more messages (--top shows more; --format json lists all)\n")
    );
}

#[test]
fn one_capture_may_come_from_a_pipe() {
    let truth = json(&[], &path(CLIENT), &path(SERVER));
    for (arguments, stdin) in [([&path(CLIENT), "-"], SERVER), (["-", &path(SERVER)], CLIENT)] {
        let arguments = [&["compare", "--quiet", "--format", "json"], &arguments[..]].concat();
        let compared = parsed_lines(&gdwire(&arguments, &capture(stdin))).remove(0);
        assert_eq!(compared["never_arrived"], truth["never_arrived"]);
        assert!([&compared["first"], &compared["second"]].contains(&&Value::from("stdin")));
    }
    let run = compare(&[], "-", "-");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("only one of the two"), "{}", run.stderr);
}

/// A pipe without an end, such as `/dev/zero`, would fill the disk.
#[test]
fn a_pipe_that_is_not_a_capture_is_not_kept() {
    let mut is_closed = false;
    let run = fed(&["compare", &path(GAME), "-"], |input| {
        let zeros = vec![0; 1 << 20];
        is_closed = (0..64).any(|_| input.write_all(&zeros).is_err());
    });
    assert!(is_closed && run.code == 2, "{} {}", run.code, run.stderr);
    assert!(run.stderr.contains("neither a pcap nor a pcapng file"), "{}", run.stderr);
}

#[test]
fn files_that_cannot_be_compared_are_refused() {
    let directory = directory("compare-refused");
    let empty = written(&directory, "empty", b"");
    let folder = directory.display().to_string();
    for (other, problem) in [(&folder, "directory"), (&"nowhere.pcapng".to_owned(), "No such")] {
        for [first, second] in [[&path(GAME), other], [other, &path(GAME)]] {
            let run = compare(&[], first, second);
            assert_eq!((run.code, run.text()), (2, ""), "{}", run.stderr);
            assert!(run.stderr.contains(problem), "{}", run.stderr);
        }
    }
    let run = compare(&[], &path(GAME), &empty);
    assert_eq!((run.code, run.text()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("the input is empty"), "{}", run.stderr);
    let run = compare(&[], &path(GAME), "");
    assert_eq!(run.code, 2);
    assert_eq!(gdwire(&["compare", &path(GAME)], b"").code, 2);
    // A reader that closes its pipe is no error.
    let mut child = command(&["compare", "--quiet", &path(CLIENT), &path(SERVER)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn captures_without_their_ends_are_compared() {
    let directory = directory("compare-cut");
    let (client, server) = (capture(CLIENT), capture(SERVER));
    for share in 1..8 {
        let cut = written(&directory, "cut.pcapng", &client[..client.len() / 8 * share + 3]);
        let run = compare(&["--format", "json"], &cut, &path(SERVER));
        assert_ne!(run.code, 2, "{}", run.stderr);
        let cut = written(&directory, "cut.pcapng", &server[..server.len() / 8 * share + 3]);
        let run = compare(&["--format", "json"], &path(CLIENT), &cut);
        let compared = parsed_lines(&run).remove(0);
        assert!(compared["never_arrived"].as_array().unwrap().len() <= 22);
    }
    // Packets of which only the beginning was captured.
    let part = written(&directory, "part.pcap", &cut_to(CLIENT, 60));
    assert_ne!(compare(&[], &part, &path(SERVER)).code, 2);
}

/// A capture of clients that send values to a server for some seconds, every few milliseconds. Some of
/// the values are larger than others.
fn clients(count: u16, seconds: u64, every: u64, start: i64) -> Vec<u8> {
    let server: SocketAddr = "10.0.0.1:7777".parse().unwrap();
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    for tick in 0..seconds * 1_000 / every {
        for client in 0..count {
            let size = 10 + (tick * 7 + u64::from(client) * 3) % 20;
            let text = "x".repeat(size as usize);
            let value = gdwire::variant!({ "tick": tick as i64, "text": text });
            let bytes = gdwire::encode(gdwire::Dialect::GODOT_4, &value).unwrap();
            let time = start + tick as i64 * every as i64 * 1_000_000 + i64::from(client);
            let client = SocketAddr::from(([10, 0, 1, client as u8], 5000 + client));
            let datagram = UdpDatagram::new(client, server, &bytes);
            writer.datagram(Time::from_nanos(time, 9), &datagram).unwrap();
        }
    }
    writer.into_inner()
}

fn row<'c>(compared: &'c Value, kind: &str, name: &str, member: Option<&str>) -> &'c Value {
    let rows = compared["changes"].as_array().unwrap();
    let is_row = |row: &&Value| {
        row["kind"] == kind && row["name"] == name && row["member"].as_str() == member
    };
    rows.iter().find(is_row).unwrap_or_else(|| panic!("{kind} {name} {member:?}"))
}

const RATE: &str = "bytes_per_second_and_client";

#[test]
fn rates_are_those_of_each_client_and_second() {
    const LATER: i64 = 1_000_000_000_000;
    let directory = directory("compare-builds");
    let before = written(&directory, "before.pcapng", &clients(2, 20, 50, 0));
    // Twice as many clients for half of the time, which do the same.
    let more = written(&directory, "more.pcapng", &clients(4, 10, 50, LATER));
    let compared = json(&[], &before, &more);
    assert_eq!(compared["same_session"], false);
    assert_eq!(compared["before"]["connections"], 2);
    assert!((compared["after"]["clients"].as_f64().unwrap() - 4.0).abs() < 0.01);
    for (kind, name) in
        [("total", "all messages"), ("value", "Dictionary"), ("transport", "udp"), ("wire", "udp")]
    {
        let row = row(&compared, kind, name, None);
        assert_eq!(row["is_beyond_noise"], false, "{row}");
        let [before, after] = ["before", "after"].map(|it| row[it][RATE].as_f64().unwrap());
        assert!((before / after - 1.0).abs() < 0.02, "{row}");
        let per_second = row["before"]["per_second_and_client"].as_f64().unwrap();
        assert!((per_second - 20.0).abs() < 0.1, "{row}");
    }
    // Half of the messages.
    let less = written(&directory, "less.pcapng", &clients(3, 20, 100, LATER));
    let compared = json(&[], &before, &less);
    for (kind, name) in [("total", "all messages"), ("value", "Dictionary"), ("wire", "udp")] {
        let row = row(&compared, kind, name, None);
        assert_eq!(row["is_beyond_noise"], true, "{row}");
        let [before, after] = ["before", "after"].map(|it| row[it][RATE].as_f64().unwrap());
        assert!((before / after - 2.0).abs() < 0.05, "{row}");
    }
    let run = compare(&[], &before, &less);
    let line = run.lines().into_iter().find(|line| line.contains("all messages")).unwrap();
    assert!(line.contains("-49.9%") && line.ends_with("more than noise"), "{line}");
    // A part of both recordings has the same rates.
    let part = json(&["--from", "2s", "--to", "6s"], &before, &less);
    let whole = row(&compared, "total", "all messages", None);
    let part = row(&part, "total", "all messages", None);
    for it in ["before", "after"] {
        let [whole, part] = [whole, part].map(|row| row[it][RATE].as_f64().unwrap());
        assert!((whole / part - 1.0).abs() < 0.05, "{whole} {part}");
    }
    // Without times there are counts, but no rates.
    let first = written(&directory, "untimed.pcap", &cut_to(GAME, 2_000));
    let compared = json(&[], &first, &less);
    let row = row(&compared, "total", "all messages", None);
    assert!(row["before"][RATE].is_null() && row["is_beyond_noise"].is_null(), "{row}");
    assert!(row["before"]["count"].as_u64() > Some(300), "{row}");
}

/// The frames with a call of a method.
fn calls_of(name: &str, method: &str) -> Vec<u64> {
    let project = corpus("project/arena");
    let options = ["decode", "-q", "--format", "ndjson", "--method", method, "--project"];
    let run = gdwire(&[&options[..], &[project.to_str().unwrap(), &path(name)]].concat(), b"");
    parsed_lines(&run).iter().map(|it| it["frame"].as_u64().unwrap()).collect()
}

#[test]
fn methods_that_are_new_or_gone_are_found() {
    const OTHER: &str = "godot4-game-enet-zlib.pcapng";
    let directory = directory("compare-gone");
    let project = corpus("project/arena");
    let project = ["--project", project.to_str().unwrap()];
    let compared = json(&project, &path(GAME), &path(OTHER));
    // The same game, once compressed, which is less than what changes within each of the recordings.
    for row in compared["changes"].as_array().unwrap() {
        assert_eq!(row["is_beyond_noise"], false, "{row}");
    }
    let wire = row(&compared, "wire", "enet", None);
    assert!(wire["difference"].as_f64().unwrap() < -500.0, "{wire}");
    let frames = calls_of(OTHER, "take_hit");
    assert!(frames.len() > 20);
    let lacking = with_frames(OTHER, |frame| !frames.contains(&frame));
    let lacking = written(&directory, "lacking.pcapng", &lacking);
    let gone = json(&project, &path(GAME), &lacking);
    let take_hit = row(&gone, "method", "Main/World", Some("take_hit"));
    assert_eq!((&take_hit["is_gone"], &take_hit["is_new"]), (&true.into(), &false.into()));
    assert_eq!(take_hit["is_beyond_noise"], true);
    // It is what changed most among methods.
    let members = gone["changes"].as_array().unwrap().iter().filter(|it| it["member"].is_string());
    assert_eq!(members.clone().next().unwrap()["member"], "take_hit");
    let new = json(&project, &lacking, &path(GAME));
    assert_eq!(row(&new, "method", "Main/World", Some("take_hit"))["is_new"], true);
    // A selection compares what is selected; packets are not selected.
    let selected = json(&[&project[..], &["--method", "reload"]].concat(), &path(GAME), &lacking);
    let kinds: Vec<_> = selected["changes"].as_array().unwrap().iter().collect();
    assert!(kinds.iter().all(|it| it["member"].is_null() || it["member"] == "reload"));
    assert!(kinds.iter().all(|it| it["kind"] != "wire"));
}

#[test]
fn a_repetition_is_the_same_whatever_the_transport() {
    let directory = directory("compare-replayed");
    let project = corpus("project/arena");
    for options in [&["--project", project.to_str().unwrap()][..], &[]] {
        for other in ["enet", "enet-zlib", "enet-fastlz", "websocket"] {
            let other = format!("godot4-game-{other}.pcapng");
            let options = [&["--replayed"], options].concat();
            let run = compare(&options, &path(GAME), &path(&other));
            assert_eq!(run.code, 0, "{other} {}", run.text());
            assert!(run.text().contains("  the same: "), "{}", run.text());
        }
    }
    // One call is missing.
    let frame = calls_of("godot4-game-enet-zlib.pcapng", "reload")[5];
    let lacking = with_frames("godot4-game-enet-zlib.pcapng", |it| it != frame);
    let lacking = written(&directory, "lacking.pcapng", &lacking);
    let options = ["--replayed", "--project", project.to_str().unwrap(), "--method", "reload"];
    for (files, more_in) in
        [([&path(GAME), &lacking], "first"), ([&lacking, &path(GAME)], "second")]
    {
        let run = compare(&[&options[..], &["--format", "json"]].concat(), files[0], files[1]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        let compared = parsed_lines(&run).remove(0);
        assert_eq!(compared["same"], false);
        let [difference] = &compared["differences"].as_array().unwrap()[..] else {
            panic!("{compared}")
        };
        assert_eq!(difference["more_in"], more_in);
        assert!(difference["text"].as_str().unwrap().starts_with("Main/World.reload("));
        let counts = ["first_count", "second_count"].map(|it| difference[it].as_u64().unwrap());
        assert_eq!(counts[0].abs_diff(counts[1]), 1);
    }
    assert_eq!(compare(&["--replayed"], &path(GAME), &path("godot4-rpc.pcapng")).code, 1);
}

/// A capture of datagrams between a client and a server: time in milliseconds, whether the client
/// sent it, and a number.
fn numbers(sent: &[(i64, bool, i64)]) -> Vec<u8> {
    let server: SocketAddr = "10.0.0.1:7777".parse().unwrap();
    let client: SocketAddr = "10.0.0.2:50000".parse().unwrap();
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    for (time, is_client, value) in sent {
        let value = gdwire::variant!({ "number": *value });
        let bytes = gdwire::encode(gdwire::Dialect::GODOT_4, &value).unwrap();
        let time = Time::from_nanos(time * 1_000_000, 9);
        let [src, dst] = if *is_client { [client, server] } else { [server, client] };
        writer.datagram(time, &UdpDatagram::new(src, dst, &bytes)).unwrap();
    }
    writer.into_inner()
}

/// Writes what was sent and what arrived, and a message back in both, which tells the sides apart.
fn sent_and_arrived(
    name: &str,
    sent: &[(i64, i64)],
    arrived: &[(i64, i64)],
) -> (PathBuf, [String; 2]) {
    let directory = directory(name);
    let files = [("sent", sent, [21, 996]), ("arrived", arrived, [11, 986])];
    let files = files.map(|(name, values, back)| {
        let mut all: Vec<_> = values.iter().map(|(time, value)| (*time, true, *value)).collect();
        all.extend(back.iter().zip([-1, -2]).map(|(time, value)| (*time, false, value)));
        all.sort_by_key(|(time, ..)| *time);
        written(&directory, &format!("{name}.pcapng"), &numbers(&all))
    });
    (directory, files)
}

fn from_client(compared: &Value) -> Value {
    let ways = compared["ways"].as_array().unwrap();
    ways.iter().find(|way| way["dst"] == "10.0.0.1:7777").unwrap().clone()
}

#[test]
fn overtaken_messages_are_those_that_arrive_after_later_ones() {
    let sent: Vec<_> = (0..40).map(|at| (50 + at * 20, at)).collect();
    // Each fifth message arrives after the four that follow it.
    let late = |at: i64| if at % 5 == 0 { 95 } else { 10 };
    let arrived: Vec<_> = sent.iter().map(|(time, at)| (time + late(*at), *at)).collect();
    let (_directory, [sent, arrived]) = sent_and_arrived("compare-order", &sent, &arrived);
    for files in [[&sent, &arrived], [&arrived, &sent]] {
        let way = from_client(&json(&["--same-session"], files[0], files[1]));
        assert_eq!((&way["common"], &way["never_arrived"]), (&40.into(), &0.into()), "{way}");
        assert_eq!(way["overtaken"], 8, "{way}");
    }
}

#[test]
fn copies_of_datagrams_are_doubled() {
    let sent: Vec<_> = (0..40).map(|at| (50 + at * 20, at)).collect();
    let mut arrived: Vec<_> = sent.iter().map(|(time, at)| (time + 10, *at)).collect();
    // Three copies, and one that the sender's capture lacks.
    arrived.extend([(275, 10), (277, 10), (475, 20), (500, 99)]);
    let (_directory, [sent, arrived]) = sent_and_arrived("compare-doubled", &sent, &arrived);
    for files in [[&sent, &arrived], [&arrived, &sent]] {
        let way = from_client(&json(&["--same-session"], files[0], files[1]));
        let counts = ["common", "doubled", "not_captured"].map(|key| way[key].as_u64().unwrap());
        assert_eq!(counts, [40, 3, 1], "{way}");
    }
}

#[test]
fn what_was_not_compared_is_said() {
    let options = ["--replayed", "--path", "Nope"];
    for format in ["text", "json"] {
        let options = [&options[..], &["--format", format]].concat();
        let run = compare(&options, &path(GAME), &path("godot4-game-enet-zlib.pcapng"));
        assert_eq!((run.code, run.text()), (2, ""), "{}", run.stderr);
        let problem = "nothing was compared: no message matches the selection";
        assert!(run.stderr.contains(problem), "{}", run.stderr);
    }
    let run = compare(&["--from", "99h"], &path(GAME), &path("godot4-game-enet-zlib.pcapng"));
    assert!(run.text().contains("  before: no message was selected\n"), "{}", run.text());
    let run = compare(&["--from", "99h"], &path(CLIENT), &path(SERVER));
    assert!(run.text().ends_with("\nno message was selected\n"), "{}", run.text());
    // The messages before and after the other capture are undecided.
    let directory = directory("compare-undecided");
    let part = with_frames(GAME, |frame| (40..90).contains(&frame));
    let part = written(&directory, "part.pcapng", &part);
    let run = compare(&["--same-session"], &path(GAME), &part);
    assert!(!run.text().contains("every message arrived"), "{}", run.text());
    assert!(run.text().contains("no message is known to be lost; "), "{}", run.text());
}
