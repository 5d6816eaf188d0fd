//! Headers start and end where tshark finds them.
//!
//! This needs Debian's package `tshark`. Without it the test says so and passes, unless
//! `GDWIRE_ENGINE_TESTS=required` is set.

use crate::common::{corpus, merged, wireshark};
use crate::explain::messages::each_message;
use crate::explain::{ALL, collect};
use gdwire::capture::Capture;
use gdwire::explain::message;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The offset and the length of each protocol's header, by the number of the packet.
type Headers = BTreeMap<(u64, &'static str), (usize, usize)>;

/// The output of tshark about some captures, joined in their order; `None` if it is not installed.
fn tshark(captures: &[PathBuf]) -> Option<Headers> {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers.pcapng");
    merged(captures, &all)?;
    let lines = wireshark("tshark", &["-n", "-T", "pdml", "-r", all.to_str().unwrap()])?;
    let mut headers = Headers::new();
    let mut frame = 0;
    for line in lines {
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
    let captures = [
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
    ];
    let captures = captures.map(|name| corpus("captures").join(name));
    let Some(headers) = tshark(&captures) else { return };
    let mut checked: BTreeMap<String, usize> = BTreeMap::new();
    let mut before = 0;
    for path in captures {
        let file = std::fs::read(&path).unwrap();
        each_message(&file, |of, recent| {
            let mut frame = 0;
            for line in collect(|visit| message(of, recent, ALL, visit)) {
                if let Some(number) =
                    line.name.strip_prefix("frame ").filter(|_| line.bytes.is_empty())
                {
                    frame = number.parse().map_or(0, |number: u64| before + number);
                }
                let name = &*line.name;
                let Some(expected) = headers.get(&(frame, name)) else { continue };
                let found = (line.offset, line.bytes.len());
                assert_eq!(found, *expected, "{} {frame} {name}", path.display());
                *checked.entry(name.to_owned()).or_default() += 1;
            }
        });
        before += Capture::new(&file).unwrap().count() as u64;
    }
    assert!(checked.values().all(|count| *count > 100), "{checked:?}");
    assert_eq!(checked.len(), 3);
}
