//! Following connections by pushing packets, datagrams and segments. In every form, the messages
//! are those of the capture file.

mod addressed;
mod asked;
mod batches;
mod closing;
mod crowded;
mod cut;
mod damaged;
mod debugger;
mod directions;
mod first_frame;
mod given;
mod held;
mod joined;
mod limits;
mod measures;
mod named;
mod reconnecting;
mod refused;
mod reopening;
mod shares;
mod shown;
mod stories;
mod tshark;
mod waiting;
mod ways;

use crate::common::corpus;

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
