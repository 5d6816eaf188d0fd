//! Following connections by pushing packets, datagrams and segments: whoever pushes them, and in
//! whatever form, the messages are those of the capture file.

mod batches;
mod closing;
#[path = "../common/mod.rs"]
mod common;
mod given;
mod joined;
mod named;
mod refused;
mod waiting;

use common::corpus;
use given::{Given, of_file, pushed};

/// Every recorded capture.
fn captures() -> Vec<(String, Vec<u8>)> {
    let folder = corpus("captures");
    let mut captures = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".pcap") || name.ends_with(".pcapng") {
            captures.push((name, std::fs::read(path).unwrap()));
        }
    }
    captures.sort();
    assert!(captures.len() > 40, "{}", captures.len());
    captures
}

#[test]
fn whatever_is_pushed_the_messages_are_the_same() {
    for (name, file) in captures() {
        let expected = of_file(&file);
        assert!(expected.iter().any(|given| matches!(given, Given::Message { .. })), "{name}");
        for how in [given::packets, given::ip_packets, given::datagrams_and_segments] {
            assert!(pushed(&file, how) == expected, "{name}");
        }
    }
}
