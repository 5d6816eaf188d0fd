//! Headers start and end where tshark finds them.
//!
//! This needs Debian's package `tshark`. Without it the test says so and passes, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::corpus;
use crate::explain::messages::each_message;
use crate::explain::{ALL, collect};
use gdwire::explain::message;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::process::Command;

/// The offset and the length of each protocol's header, by the number of the packet.
type Headers = BTreeMap<(u64, &'static str), (usize, usize)>;

/// The output of tshark; `None` if it is not installed.
fn tshark(path: &std::path::Path) -> Option<Headers> {
    let run = match Command::new("tshark").args(["-T", "pdml", "-r"]).arg(path).output() {
        Ok(run) => run,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required =
                std::env::var("GDWIRE_ENGINE_TESTS").is_ok_and(|value| value == "required");
            assert!(!required, "tshark is not installed");
            eprintln!("skipped: tshark is not installed (apt install tshark)");
            return None;
        }
        Err(error) => panic!("tshark: {error}"),
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut headers = Headers::new();
    let mut frame = 0;
    for line in String::from_utf8(run.stdout).unwrap().lines() {
        let attribute = |name: &str| {
            let (_, value) = line.split_once(&format!(" {name}=\"")).unwrap();
            value.split_once('"').unwrap().0.to_string()
        };
        let line = line.trim_start();
        if line.starts_with("<packet>") {
            frame += 1;
        } else if line.starts_with("<proto ") {
            let name = match line.split('"').nth(1).unwrap() {
                "ip" | "ipv6" => "IP header",
                "udp" => "UDP header",
                "tcp" => "TCP header",
                _ => continue,
            };
            let number = |name: &str| attribute(name).parse::<usize>().unwrap();
            headers.entry((frame, name)).or_insert((number("pos"), number("size")));
        }
    }
    Some(headers)
}

#[test]
fn headers_are_where_tshark_finds_them() {
    let mut checked: BTreeMap<&'static str, usize> = BTreeMap::new();
    for name in [
        "godot3-udp.pcapng",
        "godot3-udp-vlan.pcap",
        "godot3-udp-null.pcap",
        "godot3-udp-rawip.pcap",
        "godot4-udp-ipv6.pcapng",
        "godot4-udp-sll.pcapng",
        "godot4-udp-sll2.pcapng",
        "godot4-tcp.pcapng",
        "godot4-tcp-sll2-usec.pcap",
        "godot3-tcp-ipv6.pcapng",
        "godot4-enet.pcapng",
        "godot3-websocket-rpc.pcapng",
    ] {
        let path = corpus("captures").join(name);
        let Some(headers) = tshark(&path) else { return };
        each_message(&std::fs::read(path).unwrap(), |of, recent| {
            let mut frame = 0;
            for line in collect(|visit| message(of, recent, ALL, visit)) {
                if let Some(number) =
                    line.name.strip_prefix("frame ").filter(|_| line.bytes.is_empty())
                {
                    frame = number.parse().unwrap_or(0);
                }
                let found =
                    headers.iter().find(|((of, name), _)| (*of, *name) == (frame, &*line.name));
                let Some(((_, header), (offset, len))) = found else { continue };
                let found = (line.offset, line.bytes.len());
                assert_eq!(found, (*offset, *len), "{name} {frame} {header}");
                *checked.entry(header).or_default() += 1;
            }
        });
    }
    assert!(checked.values().all(|count| *count > 100), "{checked:?}");
    assert_eq!(checked.len(), 3);
}
