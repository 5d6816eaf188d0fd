//! Captures of every transport, against what was sent.

use crate::cli::edited::capture;
use crate::cli::run::{gdwire, on_capture, parsed_lines};
use crate::common::{Sent, hex, lines, unhex, without_path_padding};
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use gdwire::text::Layout;
use gdwire::{Dialect, json, parse};
use serde_json::Value;
use std::fmt::Write;

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

/// A capture, its ground truth, its transport, its engine, and the server's address.
pub(crate) type Recorded = (&'static str, &'static str, &'static str, Dialect, &'static str);

pub(crate) const CAPTURES: [Recorded; 19] = [
    ("godot3-tcp.pcapng", "godot3-tcp", "tcp", GODOT_3, "127.0.0.1:7777"),
    ("godot3-tcp-ipv6.pcapng", "godot3-tcp-ipv6", "tcp", GODOT_3, "[::1]:7777"),
    ("godot3-enet.pcapng", "godot3-enet", "enet", GODOT_3, "127.0.0.1:7777"),
    ("godot3-enet-compressed.pcapng", "godot3-enet-compressed", "enet", GODOT_3, "127.0.0.1:7777"),
    ("godot3-websocket.pcapng", "godot3-websocket", "websocket", GODOT_3, "127.0.0.1:7777"),
    ("godot4-udp.pcapng", "godot4-udp", "udp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-udp-ipfrag.pcapng", "godot4-udp-ipfrag", "udp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-udp-ipv6.pcapng", "godot4-udp-ipv6", "udp", GODOT_4, "[::1]:7777"),
    ("godot4-udp-ipv6frag.pcapng", "godot4-udp-ipv6frag", "udp", GODOT_4, "[::1]:7777"),
    ("godot4-udp-sll.pcapng", "godot4-udp-sll", "udp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-udp-sll2.pcapng", "godot4-udp-sll2", "udp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-tcp.pcapng", "godot4-tcp", "tcp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-tcp-sll2-usec.pcap", "godot4-tcp-sll2-usec", "tcp", GODOT_4, "127.0.0.1:7777"),
    ("godot4-enet.pcapng", "godot4-enet", "enet", GODOT_4, "127.0.0.1:7777"),
    ("godot4-enet-nano.pcap", "godot4-enet-nano", "enet", GODOT_4, "127.0.0.1:7777"),
    ("godot4-enet-ipv6.pcapng", "godot4-enet-ipv6", "enet", GODOT_4, "[::1]:7777"),
    ("godot4-enet-compressed.pcapng", "godot4-enet-compressed", "enet", GODOT_4, "127.0.0.1:7777"),
    ("godot4-websocket.pcapng", "godot4-websocket", "websocket", GODOT_4, "127.0.0.1:7777"),
    ("godot3-udp.pcapng", "godot3-udp", "udp", GODOT_3, "127.0.0.1:7777"),
];

/// The values that arrived: the sender, how they were sent, and their bytes, in an order that
/// depends only on the values.
pub(crate) fn delivered(name: &str) -> Vec<(String, String, String)> {
    let sent = lines::<Sent>(&format!("captures/{name}.ndjson"));
    let delivered = sent.into_iter().filter(|sent| sent.delivered);
    let mut all: Vec<_> = delivered
        .map(|sent| {
            let bytes = sent.wire_hex.unwrap_or(sent.hex);
            // Godot 3's ENet sends every message that needs fragments reliably.
            let is_big = name.starts_with("godot3") && bytes.len() / 2 > 1364;
            let mode = if is_big && !sent.mode.is_empty() { "reliable" } else { &sent.mode };
            (sent.from, mode.to_owned(), bytes)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn ndjson_has_every_value_that_arrived_with_its_fields() {
    for (file, name, transport, dialect, server) in CAPTURES {
        let options = ["decode", "--format", "ndjson", "--values", "native", "--hex"];
        let run = on_capture(&options, file);
        run.assert_good(file);
        let mut seen = Vec::new();
        let mut streams = [0_u64; 2];
        let mut client_id = None;
        for (line, message) in run.lines().into_iter().zip(parsed_lines(&run)) {
            if message.get("lost").is_some() {
                continue;
            }
            let bytes = unhex(message["hex"].as_str().unwrap());
            let value = parse(dialect, &bytes).unwrap();
            let is_server = message["src"] == server;
            let offset = match transport {
                "udp" => 0,
                "tcp" => {
                    let stream = &mut streams[usize::from(is_server)];
                    let offset = *stream + 4;
                    *stream = offset + bytes.len() as u64;
                    offset
                }
                _ => message["offset"].as_u64().unwrap(),
            };
            // The whole line, except the content of the value.
            let mut expected = format!(
                r#"{{"frame":{},"time":{},"transport":"{transport}","src":{},"dst":{},"community_id":{},"#,
                message["frame"],
                message["time"],
                message["src"],
                message["dst"],
                message["community_id"],
            );
            let mode = message["mode"].as_str().unwrap_or_default();
            if transport == "enet" {
                let channel = &message["channel"];
                let (source, target) = (&message["peer"]["source"], &message["peer"]["target"]);
                write!(expected, r#""channel":{channel},"mode":"{mode}","#).unwrap();
                write!(expected, r#""peer":{{"source":{source},"target":{target}}},"#).unwrap();
                let (server_id, other) =
                    if is_server { (source, target) } else { (target, source) };
                assert_eq!(server_id, 1, "{file}");
                assert_eq!(other, client_id.get_or_insert(other.clone()), "{file}");
            }
            write!(
                expected,
                r#""offset":{offset},"len":{},"kind":"{}","value":{},"hex":"{}"}}"#,
                bytes.len(),
                value.kind(),
                // A zero-width joiner is written as an escape, because it is not visible.
                json::to_string(value).replace('\u{200d}', "\\u200d"),
                hex(&bytes),
            )
            .unwrap();
            assert_eq!(line, expected, "{file}");
            let end = if is_server { &message["src"] } else { &message["dst"] };
            assert_eq!(end, server, "{file}");
            let from = if is_server { "server" } else { "client" };
            seen.push((from.to_owned(), mode.to_owned(), hex(&bytes)));
        }
        seen.sort();
        assert_eq!(seen, delivered(name), "{file}");
    }
}

#[test]
fn channels_are_those_that_the_game_chose() {
    let run = on_capture(&["decode", "--format", "ndjson", "--hex"], "godot4-enet.pcapng");
    let sent = lines::<Sent>("captures/godot4-enet.ndjson");
    let mut count = 0;
    for message in parsed_lines(&run) {
        let same = |sent: &&Sent| {
            let bytes = sent.wire_hex.as_ref().unwrap_or(&sent.hex);
            message["hex"] == **bytes && message["mode"] == *sent.mode
        };
        let mut same = sent.iter().filter(same);
        let (Some(sent), None) = (same.next(), same.next()) else { continue };
        // Godot 4 uses two ENet channels for its channel 0, and one for each other channel.
        let channel = match sent.channel.unwrap() {
            0 if sent.mode == "reliable" => 0,
            channel => u64::from(channel) + 1,
        };
        assert_eq!(message["channel"], channel);
        count += 1;
    }
    assert!(count > 40);
}

#[test]
fn with_the_option_transport_no_other_is_read() {
    let capture = |name: &str| format!("godot3-{name}.pcapng");
    for (carried, named, count, stderr) in [
        ("udp", "udp", 60, ""),
        ("tcp", "tcp", 60, ""),
        ("enet", "enet", 59, "1 unreliable message was not seen"),
        ("websocket", "websocket", 60, ""),
        ("udp", "tcp", 0, "60 packets not of the requested transport"),
        ("udp", "enet", 0, "60 datagrams that are not ENet"),
        ("enet", "udp", 0, "114 UDP payloads that are not values"),
        ("rpc", "udp", 0, "266 UDP payloads that are not values"),
        ("enet", "websocket", 0, "114 packets not of the requested transport"),
        ("tcp", "udp", 0, "70 packets not of the requested transport"),
        ("websocket", "enet", 0, "149 packets not of the requested transport"),
    ] {
        for (strict, wrong) in [(&[][..], 0), (&["--strict"], 1)] {
            let arguments = [&["decode", "--transport", named], strict].concat();
            let run = on_capture(&arguments, &capture(carried));
            let code = if stderr.is_empty() { 0 } else { wrong };
            assert_eq!((run.code, run.lines().len()), (code, count), "{carried} as {named}");
            let lines: Vec<_> = run.stderr.lines().collect();
            assert_eq!(lines.len(), usize::from(!stderr.is_empty()), "{lines:?}");
            assert!(run.stderr.trim_end().ends_with(stderr), "{lines:?}");
        }
    }
}

#[test]
fn verbose_explains_the_transport_of_a_flow() {
    for (file, reason) in [
        ("godot3-udp.pcapng", "udp, 5 of 5 datagrams are values; godot3, which reads 5 of 5"),
        ("godot4-tcp.pcapng", "tcp, "),
        ("godot3-enet.pcapng", "datagrams are ENet"),
        ("godot4-websocket.pcapng", "websocket, 2 messages; godot4, which reads 2 of 2"),
        ("godot3-rpc.pcapng", "; packets of the multiplayer API; godot3, which reads "),
    ] {
        let run = on_capture(&["decode", "--verbose"], file);
        assert_eq!(run.code, 0);
        let first = run.stderr.lines().next().unwrap();
        assert!(first.contains(": 127.0.0.1:7777 and 127.0.0.1:"), "{first}");
        assert!(first.contains(reason), "{first}");
    }
}

#[test]
fn values_are_converted_from_every_transport() {
    for (file, name, _, dialect, _) in CAPTURES {
        let run = on_capture(&["convert", "--output", "hex"], file);
        run.assert_good(file);
        let mut converted: Vec<String> = run.lines().into_iter().map(str::to_owned).collect();
        let mut expected: Vec<String> = delivered(name)
            .into_iter()
            .map(|(.., bytes)| hex(&without_path_padding(parse(dialect, &unhex(&bytes)).unwrap())))
            .collect();
        converted.sort();
        expected.sort();
        assert_eq!(converted, expected, "{file}");
    }
    let run = on_capture(&["convert", "--output", "hex"], "godot3-rpc.pcapng");
    assert_eq!((run.code, run.stdout.len()), (1, 0));
    let problem = "gdwire: not converted: 148 multiplayer or debugger messages are not values; there \
                   is nothing else. 'gdwire decode' shows them\n";
    assert_eq!(run.stderr, problem);
}

#[test]
fn filters_pick_flows_of_every_transport() {
    for (file, ..) in CAPTURES {
        let count = |filters: &[&str]| {
            let run = on_capture(&[&["decode", "--plain"], filters].concat(), file);
            assert_eq!(run.code, 0, "{file} {filters:?}");
            run.lines().len()
        };
        let all = count(&[]);
        assert!(all > 50, "{file}");
        assert_eq!((count(&["--port", "7777"]), count(&["--port", "9"])), (all, 0), "{file}");
        assert_eq!(count(&["--host", "127.0.0.1", "--host", "::1"]), all, "{file}");
        let dictionaries = count(&["--kind", "Dictionary"]);
        assert!(dictionaries > 0 && dictionaries < all, "{file}");
    }
}

#[test]
fn text_has_the_same_values_as_hex() {
    for (file, _, _, dialect, _) in CAPTURES {
        let text = on_capture(&["decode", "--plain", "--hex"], file);
        let bytes = on_capture(&["decode", "--format", "hex"], file);
        assert_eq!(text.lines().len(), bytes.lines().len());
        for (line, bytes) in text.lines().into_iter().zip(bytes.lines()) {
            let value = unhex(bytes);
            let value = parse(dialect, &value).unwrap();
            let expected = format!("{}  {bytes}", value.display(Layout::Line));
            assert_eq!(line, expected, "{file}");
        }
    }
}

#[test]
fn native_prints_one_json_document_per_value() {
    let run = on_capture(&["decode", "--format", "native"], "godot4-websocket.pcapng");
    let options = ["decode", "--format", "ndjson", "--values", "native"];
    let objects = on_capture(&options, "godot4-websocket.pcapng");
    assert_eq!(run.lines().len(), 72);
    for (line, object) in run.lines().into_iter().zip(parsed_lines(&objects)) {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), object["value"]);
    }
}

/// The server's port is changed to that of HTTPS, where no game is expected.
#[test]
fn ports_do_not_decide_the_transport() {
    for (file, ..) in CAPTURES {
        let original = capture(file);
        let mut moved = original.clone();
        for packet in Capture::new(&original).unwrap().map(Result::unwrap) {
            let payload = match packet.payload() {
                Payload::Udp(datagram) => datagram.payload,
                Payload::Tcp(segment) => segment.payload,
                // The first one has the ports.
                Payload::Fragment(fragment) => fragment.payload.get(8..).unwrap_or_default(),
                _ => panic!("{file}"),
            };
            let data = packet.data.as_ptr().addr() - original.as_ptr().addr();
            let end = match payload {
                [] => data + packet.data.len(),
                payload => payload.as_ptr().addr() - original.as_ptr().addr(),
            };
            // After the headers of Ethernet or of a cooked capture and of IP come the ports.
            for at in data + 34..end - 1 {
                if moved[at..].starts_with(&7777_u16.to_be_bytes()) {
                    moved[at..at + 2].copy_from_slice(&443_u16.to_be_bytes());
                }
            }
        }
        let run = gdwire(&["decode", "--plain", "--port", "443", "-"], &moved);
        run.assert_good(file);
        assert!(run.stdout == on_capture(&["decode", "--plain"], file).stdout, "{file}");
    }
}
