//! Captures with missing packets, cut packets, or other traffic.

use crate::cli::edited::{capture, cut_to, datagrams, joined, with_frames, without_first};
use crate::cli::run::{Run, directory, gdwire, on_capture, parsed_lines};
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The number of each different line.
fn counted(run: &Run) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in run.lines() {
        *counts.entry(line.to_owned()).or_insert(0) += 1;
    }
    counts
}

/// A missing packet is reported with the frames around the gap, and the messages of all
/// other packets are shown.
#[test]
fn losses_are_reported_and_the_rest_is_shown() {
    for (name, dropped, loss) in [
        ("godot3-enet.pcapng", 38, "a reliable message or fragment on channel 1: not seen"),
        ("godot4-rpc.pcapng", 30, "a reliable message or fragment on channel 0: not seen"),
        ("godot3-tcp.pcapng", 30, "12 bytes at byte 2352 of the stream: not seen"),
        ("godot4-tcp.pcapng", 45, "16 bytes at byte 12476 of the stream: not seen"),
        (
            "godot4-websocket.pcapng",
            30,
            "14 bytes at byte 319 of the stream: 2 not seen, 12 skipped until",
        ),
        ("godot4-udp-ipfrag.pcapng", 20, "IP packet"),
    ] {
        let file = with_frames(name, |frame| frame != dropped);
        let whole = counted(&on_capture(&["decode", "--format", "hex"], name));
        let arguments = ["decode", "--format", "hex", "-"];
        let run = gdwire(&arguments, &file);
        assert_eq!(run.code, 1, "{name}");
        let is_error = |line: &&str| line.starts_with("gdwire: stdin: frame ");
        let (errors, counts): (Vec<_>, Vec<_>) = run.stderr.lines().partition(is_error);
        assert!(!errors.is_empty(), "{name}");
        for line in counts {
            assert!(line.ends_with("unreliable message was not seen"), "{line}");
        }
        assert!(run.stderr.contains(loss), "{name} {}", run.stderr);
        let left = counted(&run);
        assert!(left.iter().all(|(line, count)| whole.get(line) >= Some(count)), "{name}");
        let (left, whole) = (left.values().sum::<usize>(), whole.values().sum::<usize>());
        assert_eq!(left, whole - 1, "{name}");
        // Losses are errors, which `--quiet` does not suppress.
        let quiet = gdwire(&[&["decode", "-q"], &arguments[1..]].concat(), &file);
        assert_eq!((quiet.code, quiet.stderr.lines().collect()), (1, errors));
        for command in ["stats", "convert"] {
            let run = gdwire(&[command, "-"], &file);
            assert!(run.code == 1 && run.stderr.contains(loss), "{name} {command}");
        }
    }
}

#[test]
fn frames_are_those_of_the_file() {
    let file = with_frames("godot3-tcp.pcapng", |frame| frame != 30);
    let run = gdwire(&["decode", "-"], &file);
    let ends = "127.0.0.1:7777 → 127.0.0.1:48604";
    let problem = "12 bytes at byte 2352 of the stream: not seen";
    let sent = "sent between frames 28 and 31";
    assert_eq!(run.stderr, format!("gdwire: stdin: frame 31: {ends}: {problem} ({sent})\n"));
}

/// The server sent the header of a frame, but not its content, when the client's reset arrived.
#[test]
fn a_session_that_ends_within_a_message_is_no_error() {
    let name = "godot4-game-websocket.pcapng";
    for command in ["decode", "stats", "diagnose"] {
        let run = on_capture(&[command], name);
        assert_eq!(run.code, 0, "{command} {}", run.stderr);
        assert!(run.stderr.ends_with("1 stream ended within a message\n"), "{}", run.stderr);
        let run = on_capture(&[command, "--strict"], name);
        assert_eq!(run.code, 1, "{command} {}", run.stderr);
    }
    let run = on_capture(&["decode", "--verbose"], name);
    assert!(run.stderr.contains(": 2 bytes at byte 23685 of the stream: "), "{}", run.stderr);
}

#[test]
fn traffic_of_other_programs_is_an_error_only_with_strict() {
    // A capture of values over UDP, read as ENet: the datagrams are counted.
    let directory = directory("strict");
    let path = directory.join("udp.pcapng");
    fs::write(&path, capture("godot3-udp.pcapng")).unwrap();
    let path = path.to_str().unwrap();
    for (options, code) in [(&[][..], 0), (&["--strict"], 1)] {
        let run = gdwire(&[&["decode", "--transport", "enet", path], options].concat(), b"");
        assert_eq!((run.code, run.stdout.len()), (code, 0));
        assert_eq!(
            run.stderr,
            format!("gdwire: {path}: not decoded: 60 datagrams that are not ENet\n")
        );
    }
    let all = ["decode", "--transport", "enet", "--all", "--plain", path];
    let run = gdwire(&all, b"");
    assert_eq!(run.lines().len(), 60);
    assert!(run.lines().iter().all(|line| line.starts_with("not a value, ")));
}

#[test]
fn captures_of_every_transport_in_directories_and_on_standard_input() {
    let directory = directory("transports");
    let mut expected = Vec::new();
    for (name, file) in [
        ("a/tcp.pcapng", "godot3-tcp.pcapng"),
        ("b.pcap", "godot4-enet-nano.pcap"),
        ("c.pcapng", "godot4-websocket.pcapng"),
        // Files in subdirectories come after the files beside them.
    ] {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, capture(file)).unwrap();
        let from_file = on_capture(&["decode"], file);
        let from_stdin = gdwire(&["decode", "-"], &capture(file));
        assert!(from_file.stdout == from_stdin.stdout && from_file.code == 0, "{file}");
        expected.push(from_file.stdout);
    }
    expected.rotate_left(1);
    let run = gdwire(&["decode", "-r", directory.to_str().unwrap()], b"");
    assert!(run.code == 0 && run.stdout == expected.concat());
    let run = gdwire(&["stats", "-r", "--format", "json", directory.to_str().unwrap()], b"");
    assert_eq!((run.code, run.lines().len()), (0, 3));
}

/// The compressed bytes are changed, so no compression of Godot can produce them.
#[test]
fn datagrams_with_an_unknown_compression_are_counted() {
    let original = capture("godot3-enet-compressed.pcapng");
    let mut file = original.clone();
    let mut count = 0;
    for packet in Capture::new(&original).unwrap().map(Result::unwrap) {
        let Payload::Udp(datagram) = packet.payload() else { continue };
        let start = datagram.payload.as_ptr().addr() - original.as_ptr().addr();
        let payload = &mut file[start..start + datagram.payload.len()];
        let [flags, ..] = *payload else { continue };
        if flags & 0x40 != 0 {
            let header = if flags & 0x80 != 0 { 4 } else { 2 };
            payload[header..].iter_mut().for_each(|byte| *byte ^= 0x5a);
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
    let run = gdwire(&["decode", "--verbose", "-"], &file);
    assert_eq!(run.code, 1);
    assert!(run.stderr.lines().next().unwrap().contains(": enet, "), "{}", run.stderr);
    let counted = format!("not decoded: {count} ENet datagrams with an unknown compression\n");
    assert!(run.stderr.contains(&counted), "{}", run.stderr);
    assert!(!run.stdout.is_empty());
    let stats = gdwire(&["stats", "-q", "-"], &file);
    let row = stats.lines().into_iter().find(|line| line.contains("unknown compression")).unwrap();
    assert!(row.ends_with(&format!("  {count}")), "{row}");
}

/// If a capture begins in the middle of connections, the messages that it contains completely are
/// shown.
#[test]
fn captures_may_begin_in_the_middle() {
    for (name, first) in [
        ("godot3-tcp.pcapng", 21),
        ("godot3-tcp.pcapng", 41),
        ("godot4-tcp.pcapng", 41),
        ("godot3-enet-compressed.pcapng", 41),
        ("godot4-enet.pcapng", 21),
        ("godot3-websocket.pcapng", 21),
        ("godot4-websocket.pcapng", 41),
        ("godot3-websocket-rpc.pcapng", 41),
        ("godot4-rpc-three.pcapng", 21),
    ] {
        let whole = on_capture(&["decode", "--format", "ndjson", "--hex"], name);
        let is_loss = |line: &Value| line.get("lost").is_some();
        let whole: Vec<_> =
            parsed_lines(&whole).into_iter().filter(|line| !is_loss(line)).collect();
        let late = gdwire(
            &["decode", "--format", "ndjson", "--hex", "-"],
            &with_frames(name, |frame| frame >= first),
        );
        let (gaps, seen): (Vec<_>, Vec<_>) = parsed_lines(&late).into_iter().partition(is_loss);
        // Nodes were announced before.
        let other_lines = late.stderr.lines().filter(|line| !line.contains("the path of node #"));
        assert_eq!(gaps.is_empty(), other_lines.count() == 0, "{name} {}", late.stderr);
        let expected: Vec<_> =
            whole.iter().filter(|message| message["frame"].as_u64() >= Some(first)).collect();
        // A message that may be incomplete is reported as lost.
        let lost = late.stderr.lines().filter(|line| line.contains("it is not certain")).count();
        assert_eq!(seen.len() + lost, expected.len(), "{name} {}", late.stderr);
        assert!(lost <= 1, "{}", late.stderr);
        // In the order of each direction: the start of a message may be certain later in one of
        // them.
        let lane = |message: &Value| (message["src"].to_string(), message["dst"].to_string());
        let lanes: BTreeSet<_> = expected.iter().map(|message| lane(message)).collect();
        for of in lanes {
            let is_of = |message: &&Value| lane(message) == of;
            let mut expected = expected.iter().copied().filter(is_of);
            for message in seen.iter().filter(is_of) {
                assert!(expected.any(|it| it["hex"] == message["hex"]), "{name} {message}");
            }
        }
        assert_eq!(late.code, i32::from(late.stderr.contains(": frame ")));
    }
}

/// Packets that were captured only in part are one error that names the first frame, however many
/// they are, and even if hardly anything was captured.
#[test]
fn packets_captured_in_part_are_one_error() {
    for name in [
        "godot3-tcp.pcapng",
        "godot4-tcp.pcapng",
        "godot3-tcp-ipv6.pcapng",
        "godot3-enet.pcapng",
        "godot4-enet.pcapng",
        "godot3-udp.pcapng",
        "godot3-websocket.pcapng",
        "godot4-rpc.pcapng",
        "godot4-game-enet.pcapng",
        "godot4-udp-ipfrag.pcapng",
        "godot4-udp-ipv6frag.pcapng",
    ] {
        for len in [10, 30, 50, 56, 60, 68, 80] {
            let file = cut_to(name, len);
            for threads in ["1", "2"] {
                let run = gdwire(&["decode", "--threads", threads, "-"], &file);
                assert_eq!(run.code, 1, "{name} {len} {}", run.stderr);
                let [line] = run.stderr.lines().collect::<Vec<_>>()[..] else {
                    panic!("{name} {len} {}", run.stderr)
                };
                let (count, rest) =
                    line.strip_prefix("gdwire: stdin: ").unwrap().split_once(' ').unwrap();
                let frames = Capture::new(&file).unwrap().filter_map(Result::ok);
                let cut = frames.filter(|packet| packet.is_cut()).count();
                assert!((1..=cut).contains(&count.parse().unwrap()), "{name} {len} {line}");
                assert!(rest.contains(" captured only in part, from frame "), "{line}");
            }
            let run = gdwire(&["stats", "-q", "--port", "7777", "-"], &file);
            assert_eq!((run.code, &*run.stderr), (1, ""), "{name} {len}");
        }
    }
    let run = gdwire(&["decode", "-"], &cut_to("godot3-tcp.pcapng", 60));
    let problem = "70 packets were captured only in part, from frame 4 on, so messages are lost";
    let advice = "record whole packets, for example with tcpdump -s 0";
    assert_eq!(run.stderr, format!("gdwire: stdin: {problem}; {advice}\n"));
    // --verbose reports each loss.
    let run = gdwire(&["decode", "--verbose", "-"], &cut_to("godot4-enet.pcapng", 80));
    let each = run.stderr.lines().filter(|line| line.contains("end of the datagram was not"));
    assert!(each.count() > 50, "{}", run.stderr);
}

/// Losses before the first packet that was captured in part, and in other flows, have other causes.
#[test]
fn losses_that_do_not_follow_from_cut_packets_are_reported() {
    let directory = directory("cut-and-gap");
    let [gap, cut] = ["gap.pcapng", "cut.pcap"].map(|name| directory.join(name));
    fs::write(&gap, with_frames("godot3-tcp.pcapng", |frame| frame != 30)).unwrap();
    fs::write(&cut, cut_to("godot3-udp.pcapng", 80)).unwrap();
    let [gap, cut] = [&gap, &cut].map(|path| path.to_str().unwrap());
    for files in [[gap, cut], [cut, gap]] {
        let run = gdwire(&[&["decode", "--join"], &files[..]].concat(), b"");
        // One was recorded before the other.
        let lines = run.stderr.lines().filter(|line| !line.contains(" begins before "));
        let [lost, in_part] = lines.collect::<Vec<_>>()[..] else { panic!("{}", run.stderr) };
        assert!(
            lost.contains("12 bytes at byte 2352 of the stream: not seen (sent between "),
            "{lost}"
        );
        assert!(in_part.contains(" packets were captured only in part, from"), "{in_part}");
    }
}

/// Packets of other protocols are counted by their names.
#[test]
fn packets_of_other_protocols_are_named() {
    let int = [2, 0, 0, 0, 7, 0, 0, 0];
    let mut file = datagrams([(0x0a00_0001, 7778, &int[..]); 12]);
    let protocols = [1, 1, 1, 2, 2, 17, 47, 47, 50, 253, 253, 254];
    for (at, protocol) in protocols.into_iter().enumerate() {
        file[24 + at * (16 + 28 + int.len()) + 16 + 9] = protocol;
    }
    let run = gdwire(&["decode", "--plain", "-"], &file);
    let counted = "not decoded: 3 ICMP packets, 2 IGMP packets, 2 GRE packets, \
                   2 IP protocol 253 packets, 2 packets of further protocols";
    assert_eq!((run.code, run.text()), (0, "7\n"));
    assert_eq!(run.stderr, format!("gdwire: stdin: {counted}\n"));
    let stats = gdwire(&["stats", "--format", "json", "-"], &file);
    let stats: Value = serde_json::from_str(stats.text()).unwrap();
    let reasons = stats["errors"].as_array().unwrap().iter();
    let icmp = reasons.filter(|it| it["reason"] == "ICMP" && it["count"] == 3);
    assert_eq!(icmp.count(), 1, "{stats}");

    // Ethernet, with the length of the frame in place of a type.
    let mut file = datagrams([(0x0a00_0001, 7778, &int[..]); 3]);
    file[20] = 1;
    for at in 0..3 {
        let length = 24 + at * (16 + 28 + int.len()) + 16 + 12;
        file[length..length + 2].copy_from_slice(&[0, 30 + at as u8]);
    }
    let run = gdwire(&["decode", "-"], &file);
    assert_eq!(run.stderr, "gdwire: stdin: not decoded: 3 IEEE 802.3 packets\n");
}

#[test]
fn a_capture_without_packets_says_so() {
    let file = datagrams([]);
    for command in ["decode", "stats", "diagnose"] {
        let run = gdwire(&[command, "-"], &file);
        let note = "gdwire: stdin: the capture has no packets\n";
        assert_eq!((run.code, &*run.stderr), (0, note), "{command}");
        assert_eq!(gdwire(&[command, "-q", "-"], &file).stderr, "");
    }
    // A file that is not a capture has an error of its own.
    let run = gdwire(&["decode", "--input", "capture", "-"], &file[..20]);
    assert!(!run.stderr.contains("no packets"), "{}", run.stderr);
}

/// Other traffic that was captured only in part is counted if some packet shows what it is.
#[test]
fn other_traffic_captured_in_part_is_counted() {
    let question = [&[0xee; 12][..], b"example"].concat();
    let mut file = datagrams([(0x0a00_0001, 5353, &question[..]); 4]);
    let record = 16 + 28 + question.len();
    // The last packet is cut.
    let last = 24 + 3 * record;
    let captured = u32::try_from(28 + 9).unwrap();
    file[last + 8..last + 12].copy_from_slice(&captured.to_le_bytes());
    file.truncate(last + 16 + 28 + 9);
    let run = gdwire(&["decode", "-"], &file);
    let counted =
        "not decoded: 3 UDP payloads that are not values, 1 packet captured only in part\n";
    assert_eq!((run.code, run.stderr), (0, format!("gdwire: stdin: {counted}")));
    // A cut header does not show the flow, so the packet counts like the other packets.
    let mut bare = file.clone();
    bare[last + 8..last + 12].copy_from_slice(&22_u32.to_le_bytes());
    bare.truncate(last + 16 + 22);
    let run = gdwire(&["decode", "-"], &bare);
    assert_eq!((run.code, run.stderr), (0, format!("gdwire: stdin: {counted}")));
    let int = [2, 0, 0, 0, 7, 0, 0, 0];
    let game = datagrams([(0x0a00_0002, 7778, &int[..]); 3]);
    let run = gdwire(&["decode", "-"], &joined(&game, &bare));
    let problem = "1 packet was captured only in part, from frame 7 on, so messages are lost; \
                   record whole packets, for example with tcpdump -s 0";
    let counted = "not decoded: 3 UDP payloads that are not values";
    let lines = [problem, counted].map(|line| format!("gdwire: stdin: {line}\n"));
    let stderr = lines.concat();
    assert_eq!((run.code, &run.stderr, run.lines().len()), (1, &stderr, 3));
}

/// The beginnings of TLS segments show that they are not a game's.
#[test]
fn tls_captured_in_part_is_counted() {
    let record = |start: &str, more: usize| {
        let start = start.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
        let mut bytes: Vec<u8> = start.map(|it| u8::from_str_radix(it, 16).unwrap()).collect();
        bytes.resize(bytes.len() + more, 0xa7);
        bytes
    };
    let sent = [
        record("1603010200010001fc03034ef2cf2e1581aa", 499),
        record("1403030001011703030045361ff2cf8b7ede", 62),
        record("170303008899528a90dfe850e3cedde0e012", 123),
    ];
    let numbers = [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65_535, 101];
    let mut file: Vec<u8> = numbers.map(u32::to_le_bytes).concat();
    let mut sequence = 1_000_u32;
    for payload in &sent {
        let len = u16::try_from(40 + payload.len()).unwrap();
        file.extend([1_700_000_000, 0, 58, len.into()].map(u32::to_le_bytes).concat());
        file.extend([0x45, 0, (len >> 8) as u8, len as u8, 0, 0, 0, 0, 64, 6, 0, 0]);
        file.extend([10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0, 0x01, 0xbb]);
        file.extend([sequence.to_be_bytes(), [0; 4]].concat());
        file.extend([0x50, 0x10, 0, 0, 0, 0, 0, 0]);
        file.extend(&payload[..18]);
        sequence += u32::try_from(payload.len()).unwrap();
    }
    let run = gdwire(&["decode", "-"], &file);
    let counted = "gdwire: stdin: not decoded: 3 packets captured only in part\n";
    assert_eq!((run.code, &*run.stderr), (0, counted));
}

/// A flow that announces more names than the limit is reported once.
#[test]
fn names_beyond_the_limit_are_reported_once_for_each_flow() {
    const NAMES: u16 = 3_000;
    let packets: Vec<_> = (1..=NAMES + 1)
        .map(|number| {
            let md5 = [&[b'a'; 32][..], &[0]].concat();
            let path = [&[b'n'; 600][..], &[0]].concat();
            let id = u32::from(number).to_le_bytes();
            let packet = match number {
                ..=NAMES => [&[1][..], &md5, &id, &path].concat(),
                // A call of the last node, whose name was dropped.
                _ => [&[0x60][..], &u32::from(NAMES).to_le_bytes(), &[1, 0, 0]].concat(),
            };
            let len = u16::try_from(packet.len()).unwrap().to_be_bytes();
            let time = number.to_be_bytes();
            // A reliable message of channel 0, to peer 0.
            let head = [0x80, 0, time[0], time[1], 0x86, 0, time[0], time[1], len[0], len[1]];
            [&head[..], &packet].concat()
        })
        .collect();
    let file = datagrams(packets.iter().map(|it| (0x0a00_0001, 7778, &it[..])));
    let run = gdwire(&["decode", "-"], &file);
    assert_eq!((run.code, run.lines().len()), (1, usize::from(NAMES) + 1), "{}", run.stderr);
    // That the call's node has no name needs no other explanation.
    let [first, further] = run.stderr.lines().collect::<Vec<_>>()[..] else {
        panic!("{}", run.stderr)
    };
    assert!(first.contains(
        "10.0.0.1:7778 → 192.168.0.1:7777: node names dropped: the limit for names was reached; "
    ));
    let more = further.strip_prefix("gdwire: stdin: ").unwrap();
    let more = more.strip_suffix(" more messages whose node names were dropped").unwrap();
    let stats = gdwire(&["stats", "-q", "-"], &file);
    let row =
        stats.lines().into_iter().find(|line| line.contains("node names, limit reached")).unwrap();
    let count: u64 = row.split_whitespace().last().unwrap().parse().unwrap();
    assert_eq!(count, more.parse::<u64>().unwrap() + 1);
}

/// Compressed messages that refer to earlier ones cannot be read without these, which is an error.
#[test]
fn compressed_messages_without_those_before_them_are_an_error() {
    const NAME: &str = "official-web-values-deflate.pcap";
    for command in ["decode", "stats", "diagnose"] {
        let whole = on_capture(&[command], NAME);
        assert_eq!(whole.code, 0, "{command} {}", whole.stderr);
        let run = gdwire(&[command, "-"], &without_first(NAME, 19));
        let problem = "gdwire: stdin: not decoded: 197 compressed messages refer to earlier ones \
                       that were not seen\n";
        assert_eq!((run.code, &*run.stderr), (1, problem), "{command}");
        assert!(!run.stdout.is_empty());
    }
}
