//! Limits on memory, set by options.

use crate::cli::edited::{capture, datagrams};
use crate::cli::run::{gdwire, on_capture};
use crate::common::crowd;
use gdwire::capture::Capture;
use gdwire::packet::Payload;
use std::collections::HashSet;

/// Losses because of a limit are reported once, with the first loss, and make the exit code 1.
#[test]
fn a_limit_is_reported_once() {
    // The first datagram of a connection over ENet, from each of many hosts.
    let recorded = capture("godot4-enet.pcapng");
    let mut packets = Capture::new(&recorded).unwrap();
    let Payload::Udp(connect) = packets.next().unwrap().unwrap().payload() else { panic!() };
    let file = datagrams((0..100).map(|host| (0x0a00_0000 + host, 7778, connect.payload)));
    let whole = gdwire(&["stats", "-q", "-"], &file);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let run = gdwire(&["stats", "--max-connections", "8", "-"], &file);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let lines: Vec<_> = run.stderr.lines().filter(|line| line.contains("--max-")).collect();
    assert_eq!(lines.len(), 1, "{}", run.stderr);
    assert!(lines[0].contains("more than 8 connections"), "{lines:?}");
    let few = datagrams([(0x0a00_0001, 7778, connect.payload); 3]);
    let run = gdwire(&["stats", "-q", "--max-connections", "8", "-"], &few);
    assert_eq!((run.code, &*run.stderr), (0, ""));
}

/// Packets of connections beyond the limit are counted. The others are shown as without a limit.
#[test]
fn clients_beyond_the_limit_are_counted() {
    let file = crowd(&capture("godot4-tcp.pcapng"), 40);
    let whole = gdwire(&["decode", "-q", "-"], &file);
    let run = gdwire(&["decode", "--max-connections", "10", "-"], &file);
    assert_eq!((whole.code, run.code), (0, 1), "{}", run.stderr);
    assert!(
        run.stderr.contains(" packets of connections beyond --max-connections"),
        "{}",
        run.stderr
    );
    let lines: Vec<_> = run.stderr.lines().filter(|line| line.contains("sets the limit")).collect();
    assert!(lines.len() == 1 && lines[0].contains("not read to their end"), "{}", run.stderr);
    let all: HashSet<_> = whole.lines().into_iter().collect();
    let shown = run.lines();
    assert!(shown.iter().all(|line| all.contains(line)), "{shown:?}");
    assert!((all.len() / 4..all.len() / 2).contains(&shown.len()), "{}", shown.len());
}

#[test]
fn a_message_may_be_too_long_for_a_connection() {
    let name = "godot4-tcp.pcapng";
    let whole = on_capture(&["decode"], name);
    let run = on_capture(&["decode", "--max-connection-memory", "64K", "--max-memory", "1G"], name);
    // The longest message has less than a quarter of this limit.
    assert_eq!((run.code, &run.stdout), (0, &whole.stdout), "{}", run.stderr);
}

/// All engines read these values alike, so the limits decide.
#[test]
fn limits_decide_how_long_a_connection_is_undecided() {
    let text = [&[4, 0, 0, 0, 0xa0, 0x0f, 0, 0][..], &[b'x'; 4_000]].concat();
    let file = datagrams((0..100).map(|_| (0x0a00_0001, 7778, &text[..])));
    for (options, count) in [
        (&[][..], 64),
        (&["--max-undecided-messages", "10"], 10),
        (&["--max-undecided-bytes", "64K"], 17),
        (&["--max-undecided-messages", "90", "--max-undecided-bytes", "1G"], 90),
    ] {
        let run = gdwire(&[&["decode", "--verbose"], options, &["-"]].concat(), &file);
        assert_eq!((run.code, run.lines().len()), (0, 100), "{}", run.stderr);
        let expected = format!("udp, {count} of {count} datagrams are values; ");
        assert!(run.stderr.contains(&expected), "{options:?} {}", run.stderr);
    }
}

#[test]
fn sizes_are_checked() {
    for (size, hint) in [
        ("1", "the least size is 64K"),
        ("64X", "write a size such as 512K, 64M or 2G"),
        ("", "write a size"),
        ("M", "write a size"),
        ("99999999999G", "more than can be addressed"),
    ] {
        let run = gdwire(&["decode", "--max-memory", size, "-"], b"");
        assert_eq!((run.code, run.stdout.len()), (2, 0), "{size}");
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
    for option in ["--max-connections", "--max-undecided-messages", "--max-undecided-time"] {
        assert_eq!(gdwire(&["decode", option, "0", "-"], b"").code, 2, "{option}");
    }
}
