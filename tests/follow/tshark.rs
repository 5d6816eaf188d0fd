//! The packets and bytes of each direction are those that tshark counts.
//!
//! This needs Debian's package `tshark`. Without it the test prints a note and passes, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::{corpus, merged, wireshark};
use crate::follow::captures;
use crate::follow::measures::measured;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Event, Summary};
use gdwire::net::Side;
use gdwire::packet::Payload;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

/// Frames and bytes.
type Amount = (u64, u64);

/// The connections of a capture as they were when they were closed.
fn closed(file: &[u8]) -> Vec<Summary> {
    let mut messages = Messages::new(file).unwrap();
    let mut closed = Vec::new();
    while let Some(event) = messages.next_event() {
        if let Event::Closed(summary) = event {
            closed.push(summary.clone());
        }
    }
    closed
}

/// The traffic of each end over each protocol, as the library counts it.
fn counted(connections: &[Summary]) -> BTreeMap<(bool, SocketAddr, SocketAddr), Amount> {
    let mut counted = BTreeMap::new();
    for summary in connections {
        let (low, high) = summary.flow().ends();
        for (from, src, dst) in [(Side::First, low, high), (Side::Second, high, low)] {
            let direction = summary.direction(from);
            let wire = direction.wire.unwrap();
            let sum: &mut Amount = counted.entry((summary.flow().is_tcp(), src, dst)).or_default();
            *sum = (sum.0 + wire.frames, sum.1 + wire.bytes);
        }
        let (traffic, ends) = (summary.traffic(), [Side::First, Side::Second]);
        let [first, second] = ends.map(|from| summary.direction(from));
        assert_eq!(traffic.packets, first.packets + second.packets);
        assert_eq!(traffic.bytes, first.payload_bytes + second.payload_bytes);
        assert_eq!(summary.messages(), first.messages + second.messages);
    }
    counted
}

/// The fields that tshark prints for each frame. Fields that a frame lacks are empty.
const FIELDS: [&str; 10] = [
    "frame.len",
    "icmp.type",
    "tcp.srcport",
    "tcp.dstport",
    "udp.srcport",
    "udp.dstport",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
];

#[test]
fn packets_and_bytes_are_those_of_tshark() {
    let captures = captures();
    let paths: Vec<_> = captures.iter().map(|(name, _)| corpus("captures").join(name)).collect();
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tshark.pcapng");
    let Some(()) = merged(&paths, &all) else { return };
    let mut arguments = vec!["-n", "-r", all.to_str().unwrap(), "-T", "fields"];
    FIELDS.iter().for_each(|field| arguments.extend(["-e", field]));
    let Some(lines) = wireshark("tshark", &arguments) else { return };
    let mut frames = lines.iter().map(|line| line.split('\t').collect::<Vec<_>>());
    for (name, file) in captures {
        let counted = counted(&closed(&file));
        let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
        let mut found: BTreeMap<(bool, SocketAddr, SocketAddr), Amount> = BTreeMap::new();
        let mut total = (0, 0);
        for cells in frames.by_ref().take(packets.len()) {
            let [len, icmp, tcp_from, tcp_to, udp_from, udp_to, from, to, from6, to6] = cells[..]
            else {
                panic!("{cells:?}")
            };
            let len: u64 = len.parse().unwrap();
            total = (total.0 + 1, total.1 + len);
            let is_tcp = !tcp_from.is_empty();
            let ports = if is_tcp { [tcp_from, tcp_to] } else { [udp_from, udp_to] };
            if ports[0].is_empty() || !icmp.is_empty() {
                continue;
            }
            let addresses = if from.is_empty() { [from6, to6] } else { [from, to] };
            let [src, dst] = [0, 1].map(|at| {
                SocketAddr::new(addresses[at].parse().unwrap(), ports[at].parse().unwrap())
            });
            let sum = found.entry((is_tcp, src, dst)).or_default();
            *sum = (sum.0 + 1, sum.1 + len);
        }
        let sum = counted.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let others = packets.iter().filter(|it| matches!(it.payload(), Payload::Other(_)));
        let all = others.fold(sum, |sum, it| (sum.0 + 1, sum.1 + u64::from(it.original_len)));
        assert_eq!(all, total, "{name}: all frames");
        if packets.iter().any(|it| matches!(it.payload(), Payload::Fragment(_))) {
            // tshark counts only the last fragment of each packet for its ports.
            assert!(found.values().map(|it| it.0).sum::<u64>() < sum.0);
            continue;
        }
        let counted = counted.into_iter().filter(|(_, amount)| amount.0 > 0);
        assert_eq!(counted.collect::<BTreeMap<_, _>>(), found, "{name}");
    }
    assert_eq!(frames.next(), None);
}

/// For the port of each sender: round trips in microseconds, and how many segments were sent again.
type Analysis = BTreeMap<u16, (Vec<u64>, u64)>;

/// The analysis of TCP connections by tshark.
fn analysis(name: &str) -> Option<Analysis> {
    let path = corpus("captures").join(name);
    let fields =
        ["tcp.srcport", "tcp.dstport", "tcp.analysis.ack_rtt", "tcp.analysis.retransmission"];
    let mut arguments = vec!["-n", "-r", path.to_str().unwrap(), "-Y", "tcp", "-T", "fields"];
    fields.iter().for_each(|field| arguments.extend(["-e", field]));
    let mut found = Analysis::new();
    for line in wireshark("tshark", &arguments)? {
        let cells: Vec<&str> = line.split('\t').collect();
        let [from, to] = [cells[0], cells[1]].map(|port| port.parse::<u16>().unwrap());
        if let Ok(seconds) = cells[2].parse::<f64>() {
            found.entry(to).or_default().0.push((seconds * 1e6 + 1e-6) as u64);
        }
        found.entry(from).or_default().1 += u64::from(!cells[3].is_empty());
    }
    Some(found)
}

#[test]
fn round_trips_and_retransmissions_of_tcp_are_those_of_tshark() {
    let names = captures().into_iter().map(|(name, _)| name);
    let mut resends = 0;
    for name in names.filter(|name| name.contains("tcp") || name.contains("websocket")) {
        let Some(found) = analysis(&name) else { return };
        for summary in measured(&name) {
            let (low, high) = summary.flow().ends();
            for (from, port) in [(Side::First, low.port()), (Side::Second, high.port())] {
                let measures = summary.direction(from).measures().unwrap();
                let (theirs, resent) = &found[&port];
                assert_eq!(measures.resent, *resent, "{name} {port}");
                let ours = &measures.round_trips.times;
                let missing = theirs.len() as u64 - ours.count();
                assert_eq!(ours.min(), theirs.iter().min().copied(), "{name} {port}");
                if measures.resent == 0 {
                    assert_eq!((missing, ours.max()), (0, theirs.iter().max().copied()), "{name}");
                } else {
                    // tshark also measures segments that were sent again.
                    assert!(missing <= 2 * measures.resent, "{name} {port} {missing}");
                }
                resends += measures.resent;
            }
        }
    }
    assert!(resends > 5);
}
