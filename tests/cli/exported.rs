//! `annotate --as messages` and `--as both`: messages as packets of their own, as Wireshark reads them.
//!
//! Some of these tests need Debian's package `tshark`. Without it they print a note and pass,
//! unless `GDWIRE_ENGINE_TESTS=required` is set.

use crate::cli::annotate::captures;
use crate::cli::rpc::METHODS;
use crate::cli::run::{directory, fed, gdwire, on_capture, parsed_lines};
use crate::common::{corpus, merged, wireshark};
use gdwire::capture::Capture;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Runs `annotate` and returns the file that it writes. Some of the captures lack packets.
fn annotate(options: &[&str], file: &str) -> Vec<u8> {
    let run = gdwire(&[&["annotate", "-o", "-", file], options].concat(), b"");
    assert!(run.code < 2, "{file}: {}", run.stderr);
    run.stdout
}

fn capture(name: &str) -> String {
    corpus("captures").join(name).to_str().unwrap().to_owned()
}

/// The tags of an exported PDU, and its content.
fn pdu(packet: &[u8]) -> (BTreeMap<u16, Vec<u8>>, &[u8]) {
    let (mut tags, mut rest) = (BTreeMap::new(), packet);
    loop {
        let number = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
        let (tag, len) = (number(0), usize::from(number(2)));
        assert_eq!(len % 4, 0);
        if tag == 0 {
            return (tags, &rest[4..]);
        }
        tags.insert(tag, rest[4..4 + len].to_vec());
        rest = &rest[4 + len..];
    }
}

fn text(padded: &[u8]) -> &str {
    std::str::from_utf8(padded).unwrap().trim_end_matches('\0')
}

/// Each packet is a line of `decode --format ndjson`, and states what the line says.
#[test]
fn every_message_is_a_packet() {
    let mut messages = 0;
    for name in captures() {
        let file = annotate(&["--as", "messages", "--methods", METHODS], &capture(&name));
        let options = ["decode", "--methods", METHODS, "--format"];
        let lines = on_capture(&[&options[..], &["ndjson"]].concat(), &name);
        let texts = on_capture(&[&options[..], &["text", "--plain"]].concat(), &name);
        let (mut lines, mut texts) = (lines.lines().into_iter(), texts.lines().into_iter());
        for packet in Capture::new(&file).unwrap() {
            let packet = packet.unwrap();
            let line = lines.next().unwrap();
            let is_long = line.len() > 250_000;
            assert_eq!((packet.link_type.0, packet.is_cut()), (252, is_long));
            let (tags, content) = pdu(packet.data);
            let is_whole = content == line.as_bytes();
            assert!(is_whole || is_long && line.as_bytes().starts_with(content), "{name}");
            let json: Value = serde_json::from_str(line).unwrap();
            let time = packet.time.unwrap().as_nanos();
            let stated: jiff::Timestamp = json["time"].as_str().unwrap().parse().unwrap();
            assert_eq!(i128::from(time), stated.as_nanosecond(), "{name}");
            let number = |tag: u16| u32::from_be_bytes(tags[&tag][..].try_into().unwrap());
            assert_eq!(
                (text(&tags[&12]), u64::from(number(30))),
                ("json", json["frame"].as_u64().unwrap())
            );
            let is_pandemonium = name.starts_with("pandemonium");
            if json["lost"].is_null() {
                assert!(is_pandemonium || text(&tags[&33]) == "Godot", "{name}");
                let (shown, whole) = (text(&tags[&36]), texts.next().unwrap());
                let start = shown.strip_suffix('…').filter(|_| shown.len() > 4_000);
                assert!(start.map_or(shown == whole, |start| whole.starts_with(start)), "{whole}");
                messages += 1;
            } else {
                assert!(text(&tags[&36]).starts_with("lost: "));
            }
            for (address, port, end) in [(20, 25, "src"), (21, 26, "dst")] {
                let end: std::net::SocketAddr = json[end].as_str().unwrap().parse().unwrap();
                let ip = match end.ip() {
                    std::net::IpAddr::V4(ip) => ip.octets().to_vec(),
                    std::net::IpAddr::V6(ip) => ip.octets().to_vec(),
                };
                let address = if end.is_ipv4() { address } else { address + 2 };
                assert_eq!((&tags[&address], number(port)), (&ip, u32::from(end.port())));
            }
            let is_tcp = !matches!(json["transport"].as_str().unwrap(), "udp" | "enet");
            assert_eq!(number(24), if is_tcp { 2 } else { 3 });
        }
        assert_eq!((lines.next(), texts.next()), (None, None), "{name}");
    }
    assert!(messages > 5_000, "{messages}");
}

/// The display filter for what `--method` selects: calls, also in relays, and properties.
fn filter(method: &str) -> String {
    format!("json.path_with_value matches \"^(/rpc)+/(method|property):{method}$\"")
}

/// Whether a message calls a method or sets a property.
fn member(line: &Value) -> Option<&str> {
    let (rpc, relayed) = (&line["rpc"], &line["rpc"]["rpc"]);
    [rpc, relayed].iter().find_map(|it| it["method"].as_str().or(it["property"].as_str()))
}

#[test]
fn tshark_finds_the_messages_of_each_method() {
    let directory = directory("exported-tshark");
    let (mut files, mut methods) = (Vec::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for name in captures() {
        let lines = on_capture(&["decode", "--methods", METHODS, "--format", "ndjson"], &name);
        let lines = parsed_lines(&lines);
        let of_file: Vec<_> = lines.iter().filter_map(member).collect();
        if of_file.is_empty() {
            continue;
        }
        for method in of_file {
            methods.entry(method.to_owned()).or_default().insert(capture(&name));
        }
        let file = directory.join(&name).with_extension("pcapng");
        let written = annotate(&["--as", "messages", "--methods", METHODS], &capture(&name));
        fs::write(&file, written).unwrap();
        files.push(file);
    }
    assert!(methods.len() > 15, "{}", methods.len());
    let all = directory.join("all.pcapng");
    let Some(()) = merged(&files, &all) else { return };
    // One run adds up the frames of the messages of each method.
    let columns = methods.keys().map(|method| {
        format!("SUM(exported_pdu.orig_fno)exported_pdu.orig_fno && {}", filter(method))
    });
    let statistics = format!("io,stat,0,{}", columns.collect::<Vec<_>>().join(","));
    let arguments = ["-n", "-q", "-r", all.to_str().unwrap(), "-z", &statistics];
    let Some(lines) = wireshark("tshark", &arguments) else { return };
    let row = lines.iter().find(|line| line.contains("<>")).unwrap();
    let found = row.split('|').filter_map(|cell| cell.trim().parse::<u64>().ok());

    let expected = methods.iter().map(|(method, files)| {
        let options = ["decode", "--quiet", "--format", "ndjson", "--methods", METHODS, "--method"];
        let files: Vec<_> = files.iter().map(String::as_str).collect();
        let run = gdwire(&[&options[..], &[method], &files].concat(), b"");
        let lines = parsed_lines(&run);
        lines.iter().map(|line| line["frame"].as_u64().unwrap()).sum::<u64>()
    });
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{methods:?}");
}

/// The packets of a file: their link types, bytes and times.
fn packets(file: &[u8]) -> Vec<(u32, Vec<u8>, Option<i64>)> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    packets.map(|it| (it.link_type.0, it.data.to_vec(), it.time.map(|it| it.as_nanos()))).collect()
}

#[test]
fn packets_and_messages_are_in_the_order_of_time() {
    for name in captures() {
        let original = fs::read(capture(&name)).unwrap();
        let both = annotate(&["--as", "both"], &capture(&name));
        let messages = packets(&annotate(&["--as", "messages"], &capture(&name)));
        let (of_messages, of_packets): (Vec<_>, Vec<_>) =
            packets(&both).into_iter().partition(|(link_type, ..)| *link_type == 252);
        assert!(of_packets == packets(&original), "{name}");
        let sorted = |mut packets: Vec<_>| {
            packets.sort();
            packets
        };
        assert!(sorted(of_messages) == sorted(messages), "{name}");
        // Each message stands after its packet and before the next one.
        let mut frame = 0;
        for packet in Capture::new(&both).unwrap() {
            let packet = packet.unwrap();
            if packet.link_type.0 != 252 {
                frame += 1;
                continue;
            }
            let (tags, _) = pdu(packet.data);
            assert_eq!(u32::from_be_bytes(tags[&30][..].try_into().unwrap()), frame, "{name}");
        }
    }
}

#[test]
fn tshark_reads_both_interfaces() {
    let file = directory("exported-both").join("both.pcapng");
    fs::write(&file, annotate(&["--as", "both"], &capture("godot4-game-enet.pcapng"))).unwrap();
    let arguments = ["-n", "-r", file.to_str().unwrap(), "-T", "fields"];
    let fields = ["-e", "frame.interface_name", "-e", "_ws.col.Protocol", "-e", "udp.port"];
    let Some(lines) = wireshark("tshark", &[&arguments[..], &fields].concat()) else { return };
    let of = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
    let original = fs::read(capture("godot4-game-enet.pcapng")).unwrap();
    assert_eq!(of("packets\t"), Capture::new(&original).unwrap().count());
    let messages = on_capture(&["decode"], "godot4-game-enet.pcapng").lines().len();
    assert_eq!(of("messages\tGodot"), messages);
}

/// A selection, names of a project, other traffic, pipes.
#[test]
fn options_work_as_in_decode() {
    let count = |options: &[&str], name: &str| packets(&annotate(options, &capture(name))).len();
    let project = corpus("project/arena");
    let named = ["--as", "messages", "--project", project.to_str().unwrap()];
    let file = annotate(&named, &capture("godot4-game-enet.pcapng"));
    let packets_of_file = packets(&file);
    assert!(packets_of_file.iter().any(|(_, data, _)| {
        let (tags, content) = pdu(data);
        text(&tags[&36]).contains("take_hit") && text(content).contains("\"method\":\"take_hit\"")
    }));
    let chosen = [&named[..], &["--method", "take_hit", "--limit", "3"]].concat();
    assert_eq!(count(&chosen, "godot4-game-enet.pcapng"), 3);
    let others = ["--as", "messages", "--all", "--transport", "tcp"];
    assert!(count(&others, "godot4-udp.pcapng") > 50);
    assert_eq!(count(&others[..2], "godot4-udp.pcapng"), 72);

    let from_file = annotate(&["--as", "both"], &capture("godot4-game-enet.pcapng"));
    let bytes = fs::read(capture("godot4-game-enet.pcapng")).unwrap();
    let piped = gdwire(&["annotate", "--as", "both", "-", "-o", "-"], &bytes);
    assert_eq!(piped.code, 0, "{}", piped.stderr);
    assert!(piped.stdout == from_file);
}

/// Messages are written before the pipe ends.
#[test]
fn a_pipe_is_annotated_as_it_comes() {
    let directory = directory("exported-pipe");
    let output = directory.join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&output).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    for form in ["messages", "both"] {
        let bytes = fs::read(capture("godot3-udp.pcapng")).unwrap();
        let expected = annotate(&["--as", form], &capture("godot3-udp.pcapng"));
        let path = output.clone();
        let (sender, received) = std::sync::mpsc::channel();
        let reading = std::thread::spawn(move || {
            let mut file = fs::File::open(path).unwrap();
            let mut all = Vec::new();
            loop {
                let mut piece = [0; 4096];
                match std::io::Read::read(&mut file, &mut piece).unwrap() {
                    0 => return all,
                    read => all.extend_from_slice(&piece[..read]),
                }
                sender.send(all.len()).ok();
            }
        });
        let arguments =
            ["annotate", "--as", form, "--dialect", "godot3", "-", "-o", output.to_str().unwrap()];
        let most = expected.len() * 9 / 10;
        let run = fed(&arguments, move |input| {
            // All but the end of the last packet.
            input.write_all(&bytes[..bytes.len() - 60]).unwrap();
            input.flush().unwrap();
            while received.recv_timeout(Duration::from_secs(60)).expect("messages") < most {}
            input.write_all(&bytes[bytes.len() - 60..]).unwrap();
        });
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(reading.join().unwrap() == expected, "{form}");
    }
}

#[test]
fn json_that_wireshark_could_not_read_is_cut() {
    let long = gdwire::variant!(["x".repeat(300_000)]);
    let bytes = gdwire::encode(gdwire::Dialect::GODOT_4, &long).unwrap();
    let input = directory("exported-long").join("long.pcapng");
    let mut writer = gdwire::capture::PacketWriter::new(Vec::new()).unwrap();
    let ends = ("127.0.0.1:5000".parse().unwrap(), "127.0.0.1:6000".parse().unwrap());
    let (mut sequence, now) = (1_u32, gdwire::packet::Time::now());
    let framed = crate::cli::run::frame(&bytes);
    for payload in framed.chunks(60_000) {
        let segment = gdwire::net::tcp::Segment::new(sequence, payload);
        let segment = gdwire::packet::TcpSegment::new(ends.0, ends.1, segment);
        writer.segment(now, &segment).unwrap();
        sequence += u32::try_from(payload.len()).unwrap();
    }
    fs::write(&input, writer.into_inner()).unwrap();
    let options = ["--as", "messages", "--transport", "tcp", "--dialect", "godot4"];
    let file = annotate(&options, input.to_str().unwrap());
    let packet = Capture::new(&file).unwrap().next().unwrap().unwrap();
    assert_eq!(packet.data.len(), 256 << 10);
    assert!(packet.original_len > 300_000 && packet.is_cut());
    let path = input.with_extension("messages");
    fs::write(&path, &file).unwrap();
    let arguments = ["-n", "-r", path.to_str().unwrap(), "-Y", "json"];
    let Some(lines) = wireshark("tshark", &arguments) else { return };
    assert_eq!(lines.len(), 1);
}

#[test]
fn comments_need_a_file() {
    for arguments in [&["-"][..], &["--interface", "lo"], &["--follow", "growing"]] {
        let run = gdwire(&[&["annotate", "-o", "-"], arguments].concat(), b"");
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("add '--as messages' or '--as both'"), "{}", run.stderr);
    }
    let refused = gdwire(&["annotate", "--as", "messages", "-o", "-", "/nowhere"], b"");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(!Path::new("-").exists());
}

/// The messages are not read again, and the reason says what to read instead.
#[test]
fn messages_as_packets_are_not_decoded() {
    let messages = annotate(&["--as", "messages"], &capture("godot3-udp.pcapng"));
    let run = gdwire(&["decode", "-"], &messages);
    let problem = "gdwire: stdin: not decoded: 60 exported PDUs (read the capture that they were made \
                   from)\n";
    assert_eq!((run.code, run.stdout.len(), &*run.stderr), (0, 0, problem));
}
