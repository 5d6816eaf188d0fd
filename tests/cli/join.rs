//! Several files that are read as one capture.

use crate::cli::edited::{capture, with_frames};
use crate::cli::run::{directory, gdwire, on_capture};
use std::fs;

const CAPTURES: [&str; 7] = [
    "godot4-udp-ipfrag.pcapng",
    "godot3-tcp.pcapng",
    "godot4-tcp.pcapng",
    "godot4-enet.pcapng",
    "godot3-websocket.pcapng",
    "godot4-rpc-three.pcapng",
    "godot3-rpc-compressed.pcapng",
];

/// The pieces of a capture give what the whole gives: the same output, reports and exit code.
#[test]
fn joined_pieces_are_the_whole() {
    for name in CAPTURES {
        let folder = directory("join").join(name);
        fs::create_dir_all(&folder).unwrap();
        let pieces: Vec<_> = [0..15, 15..16, 16..40, 40..u64::MAX]
            .into_iter()
            .zip(1..)
            .map(|(frames, number)| {
                let path = folder.join(format!("{number}.pcapng"));
                fs::write(&path, with_frames(name, |frame| frames.contains(&frame))).unwrap();
                path.to_str().unwrap().to_owned()
            })
            .collect();
        let files: Vec<_> = pieces.iter().map(String::as_str).collect();
        for arguments in [
            &["decode", "--verbose", "--format", "ndjson", "--hex"][..],
            &["decode", "--port", "7777"],
            &["stats", "--format", "json"],
            &["convert", "--output", "hex"],
        ] {
            let whole = on_capture(arguments, name);
            let joint = gdwire(&[arguments, &["--join"], &files].concat(), b"");
            let own = format!("{} and 3 more files", files[0]);
            let path = crate::common::corpus("captures").join(name);
            let as_whole = |text: &str| text.replace(&own, path.to_str().unwrap());
            assert_eq!(as_whole(joint.text()), whole.text(), "{name} {arguments:?}");
            let lines = |text: &str| {
                let name = |line: &str| {
                    files.iter().fold(as_whole(line), |line, file| {
                        line.replace(file, path.to_str().unwrap())
                    })
                };
                text.lines().map(name).collect::<Vec<_>>()
            };
            assert_eq!(lines(&joint.stderr), lines(&whole.stderr), "{name} {arguments:?}");
            assert_eq!(joint.code, whole.code, "{name}");
        }
        // The files of a folder are joined in the order of their names.
        let joint = gdwire(&["decode", "--join", "-r", folder.to_str().unwrap()], b"");
        assert_eq!(joint.stdout, on_capture(&["decode"], name).stdout, "{name}");
        // Without --join, each is a capture of its own.
        let apart = gdwire(&[&["stats", "-q", "--format", "json"], &files[..]].concat(), b"");
        assert_eq!(apart.lines().len(), 4);
    }
}

/// A file that cannot be read is reported, and the others are joined.
#[test]
fn an_unreadable_file_is_reported_and_the_others_are_joined() {
    let folder = directory("join-unreadable");
    let (one, other) = (folder.join("1.pcapng"), folder.join("2.pcapng"));
    fs::write(&one, capture("godot4-udp.pcapng")).unwrap();
    fs::write(&other, b"no capture").unwrap();
    let files = [one.to_str().unwrap(), "no/such/file", other.to_str().unwrap()];
    let run = gdwire(&[&["decode", "--join"], &files[..]].concat(), b"");
    assert_eq!((run.code, run.lines().len()), (2, 72), "{}", run.stderr);
    for file in &files[1..] {
        assert!(run.stderr.contains(&format!("gdwire: {file}: ")), "{}", run.stderr);
    }
    let run = gdwire(&["decode", "--join", "--input", "hex", files[0]], b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--join reads captures only"), "{}", run.stderr);
}

/// Shells sort game.pcap10 before game.pcap2, and calls are then read before what they refer to.
#[test]
fn files_in_the_wrong_order_are_reported() {
    let name = "godot3-rpc-compressed.pcapng";
    let folder = directory("join-order");
    // They begin at 0, 1.05 and 2.6 seconds.
    let pieces = [0..141, 141..261, 261..u64::MAX].map(|frames| {
        let path = folder.join(format!("{}.pcapng", frames.start));
        fs::write(&path, with_frames(name, |frame| frames.contains(&frame))).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let [first, second, third] = pieces.each_ref().map(String::as_str);
    let reported = |files: [&str; 3]| {
        let run = gdwire(&[&["stats", "--join"][..], &files].concat(), b"");
        let late =
            |file: &&str| run.stderr.contains(&format!("gdwire: {file}: the file begins before"));
        files.into_iter().filter(late).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(reported([first, second, third]).is_empty());
    assert_eq!(reported([first, third, second]), [second]);
    assert_eq!(reported([third, first, second]), [first, second]);
}
