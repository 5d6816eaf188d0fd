//! The packets and bytes of each direction are those that tshark counts.
//!
//! This needs Debian's package `tshark`. Without it the test prints a note and passes, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::{corpus, wireshark};
use crate::follow::captures;
use crate::follow::measures::measured;
use gdwire::capture::{Capture, Event, Messages, Payload, Summary};
use gdwire::net::Side;
use std::collections::BTreeMap;
use std::net::SocketAddr;

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

/// A filter for the packets from one address to another, without ICMP packets that quote them.
fn filter((is_tcp, src, dst): (bool, SocketAddr, SocketAddr)) -> String {
    let ip = if src.is_ipv4() { "ip" } else { "ipv6" };
    let protocol = if is_tcp { "tcp" } else { "udp" };
    let (from, to) = (src.ip(), dst.ip());
    let ports = (src.port(), dst.port());
    format!(
        "!icmp && {ip}.src=={from} && {ip}.dst=={to} && {protocol}.srcport=={} && {protocol}.dstport=={}",
        ports.0, ports.1
    )
}

/// The columns after the first one in the row of `-z io,stat`.
fn columns(lines: &[String]) -> Vec<Amount> {
    let row = lines.iter().find(|line| line.contains("<>")).unwrap();
    let numbers = row.split('|').filter_map(|cell| cell.trim().parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The frames of each direction as `-z conv` counts them, and the bytes if it prints them.
fn conversations(lines: &[String]) -> BTreeMap<(bool, SocketAddr, SocketAddr), (u64, u64, u64)> {
    let mut found = BTreeMap::new();
    let mut is_tcp = false;
    for line in lines {
        is_tcp = line.starts_with("TCP") || is_tcp && !line.starts_with("UDP");
        let words: Vec<&str> = line.split_whitespace().collect();
        let [left, "<->", right, amounts @ ..] = &words[..] else { continue };
        let address = |text: &str| {
            let (ip, port) = text.rsplit_once(':').unwrap();
            SocketAddr::new(ip.parse().unwrap(), port.parse().unwrap())
        };
        let amount = |at: usize| {
            let unit = match amounts[at + 2] {
                "bytes" => 1,
                "kB" => 1_000,
                other => panic!("{other}"),
            };
            (amounts[at].parse().unwrap(), amounts[at + 1].parse().unwrap(), unit)
        };
        let (left, right) = (address(left), address(right));
        found.insert((is_tcp, right, left), amount(0));
        found.insert((is_tcp, left, right), amount(3));
    }
    found
}

#[test]
fn packets_and_bytes_are_those_of_tshark() {
    for (name, file) in captures() {
        let connections = closed(&file);
        let counted = counted(&connections);
        let packets: Vec<_> = Capture::new(&file).unwrap().map(Result::unwrap).collect();
        let fragments =
            packets.iter().filter(|it| matches!(it.payload(), Payload::Fragment(_))).count();
        let path = corpus("captures").join(&name);
        let filters: Vec<_> = counted.keys().map(|it| filter(*it)).collect();
        let statistics = format!("io,stat,0,,{}", filters.join(","));
        let path = path.to_str().unwrap();
        let arguments =
            ["-n", "-q", "-r", path, "-z", &statistics, "-z", "conv,udp", "-z", "conv,tcp"];
        let Some(lines) = wireshark("tshark", &arguments) else { return };

        let columns = columns(&lines);
        let sum = counted.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let others = packets.iter().filter(|it| matches!(it.payload(), Payload::Other(_)));
        let all = others.fold(sum, |sum, it| (sum.0 + 1, sum.1 + u64::from(it.original_len)));
        assert_eq!(all, columns[0], "{name}: all frames");
        let conversations = conversations(&lines);
        assert_eq!(conversations.len(), counted.len(), "{name}");
        if fragments > 0 {
            // tshark counts only the last fragment of each packet for its ports.
            assert!(columns[1..].iter().map(|it| it.0).sum::<u64>() < sum.0);
            continue;
        }
        for ((ends, (frames, bytes)), column) in counted.iter().zip(&columns[1..]) {
            assert_eq!((*frames, *bytes), *column, "{name}: {ends:?}");
            let (packets, shown, unit) = conversations[ends];
            assert_eq!((*frames, bytes / unit), (packets, shown), "{name}: {ends:?}");
        }
    }
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
