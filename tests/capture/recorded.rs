//! Captures of the engine: every value that was delivered is read, byte for byte.

use crate::common::{Sent, corpus, lines, unhex};
use gdwire::capture::Capture;
use gdwire::packet::{LinkType, Payload};
use std::fs;
use std::net::SocketAddr;

pub(crate) fn read(name: &str) -> Vec<u8> {
    fs::read(corpus("captures").join(name)).unwrap()
}

/// The sender of each delivered value, and its bytes on the wire.
fn delivered() -> Vec<(String, Vec<u8>)> {
    let sent: Vec<Sent> = lines("captures/godot3-udp.ndjson");
    let delivered = sent.into_iter().filter(|sent| sent.delivered);
    delivered.map(|sent| (sent.from, unhex(sent.wire_hex.as_ref().unwrap_or(&sent.hex)))).collect()
}

fn captured(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let server: SocketAddr = "127.0.0.1:7777".parse().unwrap();
    let client: SocketAddr = "127.0.0.1:7778".parse().unwrap();
    let mut values = Vec::new();
    let mut frame = 0;
    for packet in Capture::new(file).unwrap() {
        let packet = packet.unwrap();
        frame += 1;
        assert_eq!(packet.frame, frame);
        assert!(!packet.is_cut());
        let start = usize::try_from(packet.offset).unwrap();
        assert_eq!(&file[start..start + packet.data.len()], packet.data);
        let year = packet.time.unwrap().as_nanos() / 1_000_000_000 / 31_556_952 + 1970;
        assert!((2025..2030).contains(&year), "{year}");
        let Payload::Udp(datagram) = packet.payload() else { panic!("{packet:?}") };
        assert_eq!(datagram.missing, 0);
        let from = if datagram.src == client { "client" } else { "server" };
        assert!([(client, server), (server, client)].contains(&(datagram.src, datagram.dst)));
        values.push((from.to_owned(), datagram.payload.to_vec()));
    }
    values
}

#[test]
fn every_value_of_every_form_of_the_capture_is_found() {
    for name in [
        "godot3-udp.pcapng",
        "godot3-udp-bigendian.pcapng",
        "godot3-udp-bigendian.pcap",
        "godot3-udp-usec.pcap",
        "godot3-udp-null.pcap",
        "godot3-udp-rawip.pcap",
        "godot3-udp-vlan.pcap",
    ] {
        assert!(captured(&read(name)) == delivered(), "{name}");
    }
}

#[test]
fn two_interfaces_of_two_link_types_give_every_value_twice() {
    let file = read("godot3-udp-twice.pcapng");
    let twice: Vec<_> = delivered().into_iter().flat_map(|value| [value.clone(), value]).collect();
    let mut seen = captured(&file);
    assert_eq!(seen.len(), twice.len());
    let links: Vec<_> =
        Capture::new(&file).unwrap().map(|packet| packet.unwrap().link_type).collect();
    assert!(links.contains(&LinkType::ETHERNET) && links.contains(&LinkType::RAW));
    let mut expected = twice;
    seen.sort();
    expected.sort();
    assert!(seen == expected);
}
