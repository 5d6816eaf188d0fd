//! Captures from pipes: the messages of a packet are printed before the next packet arrives, and
//! damage is reported as for a file.

use crate::cli::edited::capture;
use crate::cli::run::{command, gdwire, on_capture};
use gdwire::capture::Capture;
use gdwire::follow::{Event, Follower};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

const CAPTURES: [&str; 8] = [
    "godot3-udp-bigendian.pcap",
    "godot4-udp.pcapng",
    "godot4-udp-ipfrag.pcapng",
    "godot4-tcp.pcapng",
    "godot4-enet.pcapng",
    "godot4-websocket.pcapng",
    "godot4-rpc-three.pcapng",
    "godot3-rpc.pcapng",
];

/// The end of each packet in the file, and how many messages are printed once it was read.
fn steps(file: &[u8]) -> Vec<(usize, usize)> {
    let mut follower = Follower::new();
    let mut count = 0;
    let mut steps = Vec::new();
    let mut capture = Capture::new(file).unwrap();
    while let Some(packet) = capture.next() {
        follower.packet(&packet.unwrap()).for_each(|event| {
            count += usize::from(matches!(event, Event::Message(_)));
        });
        steps.push((capture.position() as usize, count));
    }
    steps
}

/// Every line is printed before the next packet is sent.
#[test]
fn a_pipe_is_decoded_as_packets_arrive() {
    for name in CAPTURES {
        let file = capture(name);
        let mut child = command(&["decode", "--format", "ndjson", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in output.lines() {
                send.send(line.unwrap()).unwrap();
            }
        });
        let (mut start, mut printed) = (0, Vec::new());
        let steps = steps(&file);
        let given = steps.last().unwrap().1;
        for (end, count) in steps {
            input.write_all(&file[start..end]).unwrap();
            input.flush().unwrap();
            start = end;
            while printed.len() < count {
                let line = lines.recv_timeout(Duration::from_secs(20));
                printed.push(line.unwrap_or_else(|_| panic!("{name} {end}: {}", printed.len())));
            }
        }
        assert!(given > 0, "{name}");
        drop(input);
        reader.join().unwrap();
        printed.extend(lines);
        assert!(child.wait().unwrap().success(), "{name}");
        let whole = on_capture(&["decode", "--format", "ndjson"], name);
        assert_eq!(printed, whole.lines(), "{name}");
    }
}

/// A capture that is cut off, and data that is not a capture, are reported as for a file.
#[test]
fn a_damaged_pipe_is_reported_like_a_damaged_file() {
    for name in ["godot4-udp.pcapng", "godot3-udp-usec.pcap"] {
        let file = capture(name);
        for len in [0, 3, 20, 30, file.len() / 2, file.len() - 1] {
            let path = crate::cli::run::directory("cut-pipe").join("cut.pcap");
            std::fs::write(&path, &file[..len]).unwrap();
            let arguments = |input| ["decode", "--input", "capture", input];
            let of_file = gdwire(&arguments(path.to_str().unwrap()), b"");
            let of_pipe = gdwire(&arguments("-"), &file[..len]);
            assert_eq!((of_pipe.code, &of_pipe.stdout), (of_file.code, &of_file.stdout), "{len}");
            let stderr = of_file.stderr.replace(path.to_str().unwrap(), "stdin");
            assert_eq!(of_pipe.stderr, stderr, "{name} {len}");
            assert_ne!(of_pipe.code, 0, "{name} {len}");
        }
    }
}
