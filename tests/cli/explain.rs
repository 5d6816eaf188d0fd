//! `gdwire decode --explain`: a hexdump with the meaning of each field.

use crate::cli::run::{directory, frame, gdwire, on_capture, parsed_lines};
use crate::common::{corpus, hex, unhex};
use std::fs;

/// The bytes in the lines of a hexdump, and the offset of the first one.
fn bytes_of(lines: &[&str]) -> (usize, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut start = None;
    for line in lines {
        let Some((offset, rest)) = line.trim_start().split_once("  ") else { continue };
        let Ok(offset) = usize::from_str_radix(offset, 16) else { continue };
        let start = *start.get_or_insert(offset);
        assert_eq!(offset, start + bytes.len(), "{line}");
        let digits: String = rest.chars().take(24).collect();
        bytes.extend(unhex(&digits.replace(' ', "")));
    }
    (start.unwrap(), bytes)
}

#[test]
fn a_frame_is_shown_with_its_headers() {
    let arguments =
        ["decode", "--frames", "74", "--explain", "--methods", "tests/cli/game.methods"];
    let run = on_capture(&arguments, "godot4-rpc.pcapng");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_eq!(
        run.text(),
        "\
frame 74  2026-11-21T07:55:51.349977486Z  127.0.0.1:7778 → 127.0.0.1:7777  enet, channel 0, reliable, peer 2118661955 → 1  Game/Players/P3.set_score(169)
  frame 74: 59 bytes
  0000  00 00 00 00 00 00 00 00  link header: Ethernet
  0008  00 00 00 00 08 00
  000e  45 00 00 2d d7 67 40 00  IP header: 127.0.0.1 → 127.0.0.1
  0016  40 11 65 56 7f 00 00 01
  001e  7f 00 00 01
  0022  1e 62 1e 61 00 19 fe 2c  UDP header: port 7778 → 7777
  002a  80 00                    ENet header: to peer 0, session 0
  002c  01 e8                    sent time: 488 ms
  002e  86                       ENet command: send reliable, to be acknowledged
  002f  00                         channel: 0
  0030  00 12                      sequence number: 18
  0032  00 07                      length: 7 bytes
  0034  00                       command: call, node of 1 byte, method of 1 byte
  0035  02                       node: 2: \"Game/Players/P3\"
  0036  09                       method: 9: \"set_score\"
  0037  01                       argument count: 1
  0038  42                       argument 0: int in short form, 2 bytes
  0039  a9 00                      number: 169
"
    );
}

#[test]
fn the_selection_applies_and_the_same_messages_are_shown() {
    for selection in [
        &["--where", ".value | type == \"object\"", "--limit", "5"][..],
        &["--frames", "10-40"],
        &["--kind", "Packed*", "--threads", "4"],
    ] {
        let explained =
            on_capture(&[&["decode", "--explain"], selection].concat(), "godot4-tcp.pcapng");
        let json = on_capture(
            &[&["decode", "--format", "ndjson"], selection].concat(),
            "godot4-tcp.pcapng",
        );
        let frames =
            parsed_lines(&json).iter().map(|line| line["frame"].to_string()).collect::<Vec<_>>();
        let titles = explained.lines().into_iter().filter(|line| line.starts_with("frame "));
        let titles = titles.map(|line| line.split(' ').nth(1).unwrap()).collect::<Vec<_>>();
        assert!(frames.len() > 2, "{selection:?}");
        assert_eq!(titles, frames, "{selection:?}");
    }
}

#[test]
fn every_message_of_all_captures_ends_with_its_bytes() {
    for name in [
        "godot3-udp.pcapng",
        "godot4-enet.pcapng",
        "godot4-game-enet-compressed.pcapng",
        "godot3-websocket-rpc.pcapng",
        "pandemonium5-rpc.pcapng",
    ] {
        let explained = on_capture(&["decode", "--explain"], name);
        let whole = on_capture(&["decode", "--format", "ndjson", "--hex"], name);
        let messages: Vec<_> = explained.text().split("\n\n").collect();
        let expected = parsed_lines(&whole);
        assert_eq!(messages.len(), expected.len(), "{name}");
        for (message, json) in messages.iter().zip(expected) {
            let lines: Vec<_> = message.lines().collect();
            // The last section has the message, in one piece if no field is cut.
            let section = lines
                .iter()
                .rposition(|line| line.starts_with("  ") && !line.starts_with("  0"))
                .map_or(0, |at| at + 1);
            if message.contains("more bytes") || lines[section..].is_empty() {
                continue;
            }
            let (_, bytes) = bytes_of(&lines[section..]);
            let expected = json["hex"].as_str().unwrap();
            assert!(hex(&bytes).contains(expected), "{name}: {message}");
        }
    }
}

#[test]
fn values_in_files_have_offsets_in_the_file() {
    let int = unhex("0200000007000000");
    let file = directory("explain").join("save.dat");
    fs::write(&file, [frame(&int), frame(&unhex("0400000003000000611b5d00"))].concat()).unwrap();
    let run = gdwire(&["decode", "--dialect", "godot3", "--explain", file.to_str().unwrap()], b"");
    assert_eq!(
        run.text(),
        "\
byte 4: 7
  0000  08 00 00 00              length: 8 bytes
  0004  02 00 00 00              value: int, type 2
  0008  07 00 00 00                number: 7

byte 16: \"a\\u001b]\"
  000c  0c 00 00 00              length: 12 bytes
  0010  04 00 00 00              value: String, type 4
  0014  03 00 00 00                length: 3 bytes
  0018  61 1b 5d                   text: \"a\\u001b]\"
  001b  00                         padding
"
    );
}

#[test]
fn unreadable_messages_are_explained_up_to_the_problem() {
    let arguments = ["decode", "--dialect", "godot3", "--input", "hex", "--explain", "-"];
    let run = gdwire(&arguments, b"13000000010000000200000007\nzz\n");
    assert_eq!(run.code, 1);
    assert_eq!(
        run.text(),
        "\
line 1: error: byte 12: the input ends inside the number of an int: 4 bytes are needed, 1 is left, at /0
  0000  13 00 00 00              value: Array, type 19
  0004  01 00 00 00                count: 1 element
  0008  02 00 00 00                [0]: int, type 2
  000c  07                       not readable: the input ends inside the number of an int: 4 bytes are needed, 1 is left

line 2: error: not a hex string: unexpected character 'z' at column 1
"
    );
    let path = corpus("captures/godot3-file.bin");
    let file = directory("explain-cut").join("cut.dat");
    fs::write(&file, &fs::read(path).unwrap()[..150]).unwrap();
    let run = gdwire(&["decode", "--explain", "--input", "framed", file.to_str().unwrap()], b"");
    assert_eq!(run.code, 1);
    assert!(run.text().contains("  not readable: "), "{}", run.text());
}

#[test]
fn long_messages_have_few_lines() {
    let run = on_capture(&["decode", "--explain"], "godot4-tcp.pcapng");
    let long = run.text().split("\n\n").map(|message| message.lines().count()).max();
    assert!(long < Some(300), "{long:?}");
    assert!(run.text().contains(" elements from 8 on: 625 more, 9292 bytes\n"));
    assert!(run.text().contains("message: 9404 bytes, reassembled from frames 22 to 28\n"));
}

#[test]
fn other_formats_and_hex_are_wrong_usage() {
    for options in [&["--format", "ndjson"][..], &["--format", "hex"], &["--hex"]] {
        let run = on_capture(&[&["decode", "--explain"], options].concat(), "godot3-udp.pcapng");
        assert_eq!((run.code, run.text()), (2, ""), "{options:?}");
        assert!(run.stderr.contains("--explain"), "{}", run.stderr);
    }
}

#[test]
fn lines_fit_the_width_and_have_colours() {
    for width in ["40", "80", "200"] {
        let arguments = ["decode", "--explain", "--width", width, "--limit", "40"];
        for name in ["godot3-rpc.pcapng", "godot3-file.bin", "godot4-game-enet-compressed.pcapng"] {
            let run = on_capture(&arguments, name);
            assert_eq!(run.code, 0, "{}", run.stderr);
            let long =
                run.lines().into_iter().find(|line| line.chars().count() > width.parse().unwrap());
            assert_eq!(long, None, "{name}");
            assert!(run.text().contains("0000  "), "{name}");
        }
    }
    let colored = ["decode", "--explain", "--frames", "51", "--color", "always"];
    let run = on_capture(&colored, "godot3-rpc.pcapng");
    let text = run.text();
    assert!(text.contains("method: \x1b[1m\"any\", then a NUL\x1b[0m\n"), "{text}");
    assert!(text.contains("[0]: \x1b[35m(85, -2.375, -760.28125)\x1b[0m\n"), "{text}");
}

#[test]
fn times_are_shown_as_the_option_says() {
    let first_line = |options: &[&str]| {
        let run = on_capture(&[&["decode", "--explain"], options].concat(), "godot3-rpc.pcapng");
        run.lines()[0].split("  ").take(2).collect::<Vec<_>>().join("  ")
    };
    let frame = ["--frames", "51"];
    let with = |more: &[&'static str]| first_line(&[&frame, more].concat());
    assert_eq!(with(&[]), "frame 51  2026-11-21T07:55:27.863325118Z");
    assert_eq!(with(&["--time", "relative"]), "frame 51  0.372045985");
    assert_eq!(with(&["--time", "relative", "--width", "80"]), "frame 51  0.372");
    assert_eq!(with(&["--width", "120"]), "frame 51  0.372045");
}
