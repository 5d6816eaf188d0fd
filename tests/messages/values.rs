//! Captures of values: every delivered value is returned once, byte for byte, in order.

use crate::common::{Sent, lines, unhex};
use crate::messages::read::{Given, Reading, recorded};
use gdwire::Dialect;
use gdwire::follow::{Cause, Reason, Transport};
use gdwire::multiplayer::PeerId;
use gdwire::net::Side;
use gdwire::net::enet::Mode;
use gdwire::net::websocket::Compressed;
use gdwire::parse;

/// A capture, its ground truth and its transport.
pub(crate) const VALUES: [(&str, &str, Transport); 27] = [
    ("godot3-udp.pcapng", "godot3-udp", Transport::Udp),
    ("godot3-udp-usec.pcap", "godot3-udp", Transport::Udp),
    ("godot3-udp-bigendian.pcap", "godot3-udp", Transport::Udp),
    ("godot3-udp-bigendian.pcapng", "godot3-udp", Transport::Udp),
    ("godot3-udp-null.pcap", "godot3-udp", Transport::Udp),
    ("godot3-udp-rawip.pcap", "godot3-udp", Transport::Udp),
    ("godot3-udp-vlan.pcap", "godot3-udp", Transport::Udp),
    ("godot4-udp.pcapng", "godot4-udp", Transport::Udp),
    ("godot4-udp-ipfrag.pcapng", "godot4-udp-ipfrag", Transport::Udp),
    ("godot4-udp-ipv6frag.pcapng", "godot4-udp-ipv6frag", Transport::Udp),
    ("godot4-udp-ipv6.pcapng", "godot4-udp-ipv6", Transport::Udp),
    ("godot4-udp-sll.pcapng", "godot4-udp-sll", Transport::Udp),
    ("godot4-udp-sll2.pcapng", "godot4-udp-sll2", Transport::Udp),
    ("pandemonium5-udp.pcapng", "pandemonium5-udp", Transport::Udp),
    ("godot3-tcp.pcapng", "godot3-tcp", Transport::Tcp),
    ("godot3-tcp-ipv6.pcapng", "godot3-tcp-ipv6", Transport::Tcp),
    ("godot4-tcp.pcapng", "godot4-tcp", Transport::Tcp),
    ("godot4-tcp-sll2-usec.pcap", "godot4-tcp-sll2-usec", Transport::Tcp),
    ("pandemonium5-tcp.pcapng", "pandemonium5-tcp", Transport::Tcp),
    ("godot3-websocket.pcapng", "godot3-websocket", Transport::WebSocket),
    ("godot4-websocket.pcapng", "godot4-websocket", Transport::WebSocket),
    ("godot3-enet.pcapng", "godot3-enet", Transport::Enet),
    ("godot3-enet-compressed.pcapng", "godot3-enet-compressed", Transport::Enet),
    ("godot4-enet.pcapng", "godot4-enet", Transport::Enet),
    ("godot4-enet-compressed.pcapng", "godot4-enet-compressed", Transport::Enet),
    ("godot4-enet-ipv6.pcapng", "godot4-enet-ipv6", Transport::Enet),
    ("godot4-enet-nano.pcap", "godot4-enet-nano", Transport::Enet),
];

/// The port of the server.
const SERVER: u16 = 7777;

pub(crate) fn dialect_of(name: &str) -> Dialect {
    match name.split('-').next().unwrap() {
        "godot3" => Dialect::GODOT_3,
        "godot4" => Dialect::GODOT_4,
        "pandemonium5" => Dialect::PANDEMONIUM_5,
        name => panic!("{name}"),
    }
}

/// The channel of ENet that carries a value, and how it is sent. `len` is that of the value.
fn lane(name: &str, sent: &Sent, len: usize) -> (u8, Mode) {
    let is_godot3 = name.starts_with("godot3");
    // A fragment of a value that does not fit into one packet has this many bytes.
    let is_big = if is_godot3 { len + 8 > 1_372 } else { len > 1_364 };
    let channel = match (is_godot3, sent.channel) {
        (true, _) => 1 + u8::from(sent.mode != "reliable"),
        (false, Some(0)) => (sent.mode != "reliable").into(),
        (false, channel) => channel.unwrap() + 1,
    };
    let mode = match &*sent.mode {
        "reliable" => Mode::Reliable,
        _ if is_godot3 && is_big => Mode::Reliable,
        "unreliable" if !is_big => Mode::Unsequenced,
        "unreliable" | "unreliable_ordered" => Mode::Unreliable,
        mode => panic!("{mode}"),
    };
    (channel, mode)
}

#[test]
fn every_value_is_returned_once_and_in_order() {
    for (name, truth, transport) in VALUES {
        let reading = Reading::of(&recorded(name));
        let dialect = dialect_of(name);
        let sent: Vec<Sent> = lines(&format!("captures/{truth}.ndjson"));
        // ENet dropped one of these before it sent it.
        let is_whole = reading.is_whole() != name.starts_with("godot3-enet");
        assert!(is_whole, "{name} {:?} {:?}", reading.lost, reading.other);
        assert!(reading.lost.len() <= 1, "{name} {:?}", reading.lost);
        // The ground truth of Pandemonium has no field for that: every value was delivered.
        let is_delivered = |sent: &&Sent| sent.delivered || truth.starts_with("pandemonium");
        let mut compared = 0;
        for (sender, is_server) in [("server", true), ("client", false)] {
            let given = reading.given.iter();
            let given: Vec<_> =
                given.filter(|given| (given.src.port() == SERVER) == is_server).collect();
            assert!(given.iter().all(|given| (given.dst.port() == SERVER) != is_server));
            let sent = sent.iter().filter(|sent| is_delivered(sent) && sent.from == sender);
            let expected: Vec<_> = sent
                .map(|sent| {
                    let value = unhex(sent.wire_hex.as_ref().unwrap_or(&sent.hex));
                    let lane =
                        (transport == Transport::Enet).then(|| lane(name, sent, value.len()));
                    (lane, value)
                })
                .collect();
            compared += expected.len();
            // ENet keeps the order only within a channel.
            let channels: Vec<Option<u8>> = if transport == Transport::Enet {
                (0..=255).map(Some).collect()
            } else {
                vec![None]
            };
            for channel in channels {
                let given = given.iter().filter(|it| it.channel == channel);
                let given: Vec<_> =
                    given.map(|it| (it.channel.zip(it.mode), it.bytes.clone())).collect();
                let expected = expected.iter().filter(|(lane, _)| lane.map(|it| it.0) == channel);
                let expected: Vec<_> = expected.cloned().collect();
                assert!(given == expected, "{name} {sender} {channel:?}");
            }
        }
        assert_eq!(reading.given.len(), compared, "{name}");
        assert!(compared >= 50, "{name} {compared}");
        for given in &reading.given {
            assert_eq!(given.transport, transport, "{name}");
            let shown = |dialect| parse(dialect, &given.bytes).unwrap().to_string();
            // Until the dialect is decided, all possible dialects read the message alike.
            let is_same = !given.is_decided && shown(given.dialect) == shown(dialect);
            assert!(given.dialect == dialect || is_same, "{name} {given:?}");
            assert_eq!(given.packet, None, "{name}");
        }
        peers_are_reported(name, transport, &reading.given);
    }
}

/// If a transport names sender and receiver, they are the same for all messages of a direction.
fn peers_are_reported(name: &str, transport: Transport, given: &[Given]) {
    let client = given.iter().find(|given| given.src.port() != SERVER).unwrap().peers.source;
    assert_eq!(client.is_some(), transport == Transport::Enet, "{name}");
    assert!(client.is_none_or(|client| client > PeerId::SERVER));
    for given in given {
        let (source, target) = (given.peers.source, given.peers.target);
        if given.src.port() != SERVER {
            assert_eq!(source, client, "{name}");
            assert!(
                target == client.map(|_| PeerId::SERVER) || target == Some(PeerId::EVERYONE),
                "{name} {target:?}"
            );
        } else {
            assert_eq!(source, client.map(|_| PeerId::SERVER), "{name}");
            assert!(target == client || target == Some(PeerId::EVERYONE), "{name} {target:?}");
        }
    }
}

/// A game in a browser talks to a server that is not Godot.
#[test]
fn compressed_messages_are_those_of_the_capture_without_compression() {
    for name in ["official-web-values", "official-web-rpc"] {
        let readings = ["", "-deflate"].map(|compressed| {
            let reading = Reading::of(&recorded(&format!("{name}{compressed}.pcap")));
            assert!(
                reading.is_whole(),
                "{name}{compressed} {:?} {:?}",
                reading.lost,
                reading.other
            );
            reading
        });
        let [plain, compressed] = readings.each_ref().map(|reading| {
            let client = reading.given[0].src.port().max(reading.given[0].dst.port());
            let shown = reading.given.iter().map(|it| {
                let is_client = it.src.port() == client;
                (is_client, it.transport, it.dialect, &it.bytes, &it.packet, it.peers)
            });
            shown.collect::<Vec<_>>()
        });
        assert!(plain == compressed && plain.len() >= 150, "{name} {}", plain.len());
        assert!(plain.iter().all(|it| it.2 == Dialect::GODOT_4));
        // Only the deflate capture has fewer bytes on the wire, and the same bytes of messages.
        let bytes = readings.each_ref().map(|it| {
            let traffic = it.closed[0].traffic();
            let ends = [Side::First, Side::Second].map(|end| it.closed[0].direction(end));
            (ends.map(|end| end.message_bytes), traffic.bytes)
        });
        assert!(bytes[0].0 == bytes[1].0 && bytes[0].1 > 2 * bytes[1].1, "{bytes:?}");
    }
}

/// Without the start of the connection, compressed messages refer to earlier ones that are unknown.
#[test]
fn a_compressed_connection_is_recognized_without_its_start() {
    for name in ["official-web-values", "official-web-rpc"] {
        let file = recorded(&format!("{name}-deflate.pcap"));
        let all = Reading::of(&file).given;
        let middle = |skip: usize| {
            crate::messages::build::pcap(&crate::messages::build::packets(&file)[skip..])
        };
        for skip in [12, 20, 100] {
            let reading = Reading::of_lossy(&middle(skip));
            let [summary] = &reading.closed[..] else { panic!("{:?}", reading.closed) };
            assert_eq!(summary.transport(), Some(Transport::WebSocket), "{name} {skip}");
            let is_unseen = |it: &Reason| matches!(it, Reason::Compressed(Compressed::Unseen));
            let unseen = reading.other.iter().filter(|(_, _, reason, _)| is_unseen(reason)).count();
            assert!(unseen > 50, "{name} {skip} {unseen}");
            // A message that refers to nothing before it is read.
            for given in &reading.given {
                assert!(all.iter().any(|it| it.bytes == given.bytes), "{name} {skip} {given:?}");
            }
            let lost: u64 = reading
                .lost
                .iter()
                .map(|(_, _, cause)| match cause {
                    Cause::Stream { bytes, .. } => *bytes,
                    other => panic!("{other:?}"),
                })
                .sum();
            assert!(lost < 400, "{name} {skip} {:?}", reading.lost);
        }
    }
}

#[test]
fn a_capture_of_two_interfaces_has_every_datagram_twice() {
    let reading = Reading::of(&recorded("godot3-udp-twice.pcapng"));
    let once = Reading::of(&recorded("godot3-udp.pcapng"));
    assert!(reading.is_whole());
    assert_eq!(reading.given.len(), 2 * once.given.len());
    let values = |reading: &Reading| {
        let mut values: Vec<_> = reading.given.iter().map(|it| it.bytes.clone()).collect();
        values.sort();
        values
    };
    let twice: Vec<_> =
        values(&once).into_iter().flat_map(|value| [value.clone(), value]).collect();
    assert_eq!(values(&reading), twice);
}

#[test]
fn summaries_explain_how_flows_were_classified() {
    for (name, _, transport) in VALUES {
        let file = recorded(name);
        let reading = Reading::of(&file);
        let [flow] = &reading.closed[..] else { panic!("{name}: {:?}", reading.closed) };
        assert_eq!(flow.transport(), Some(transport), "{name}");
        assert_eq!(flow.dialect(), Some(dialect_of(name)), "{name}");
        assert!(!flow.is_multiplayer(), "{name}");
        assert_eq!(flow.flow().is_tcp(), transport.is_over_tcp());
        assert!(reading.given.iter().all(|given| given.flow == flow.flow()));
        assert!(flow.traffic().packets as usize >= reading.given.len().min(50), "{name}");
    }
}
