//! Captures of the engines: every delivered value is returned once, byte for byte.

use super::assemble::{Given, Watched};
use crate::common::{Sent, corpus, lines, unhex};
use gdwire::capture::Capture;
use gdwire::multiplayer::PeerId;
use gdwire::net::Side;
use gdwire::net::enet::godot::{PeerHeader, SystemMessage};
use gdwire::net::enet::{Body, Datagram, DatagramDecompressor, Mode};
use gdwire::packet::Payload;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

pub(crate) const VALUES: [&str; 6] = [
    "godot3-enet.pcapng",
    "godot3-enet-compressed.pcapng",
    "godot4-enet.pcapng",
    "godot4-enet-compressed.pcapng",
    "godot4-enet-ipv6.pcapng",
    "godot4-enet-nano.pcap",
];

pub(crate) const RPC: [&str; 6] = [
    "godot3-rpc.pcapng",
    "godot3-rpc-compressed.pcapng",
    "godot3-rpc-three.pcapng",
    "godot4-rpc.pcapng",
    "godot4-rpc-compressed.pcapng",
    "godot4-rpc-three.pcapng",
];

pub(crate) type Flow = Vec<(Side, Vec<u8>)>;

/// The datagrams of each client, which is the first side.
pub(crate) fn flows(name: &str) -> BTreeMap<SocketAddr, Flow> {
    let file = std::fs::read(corpus("captures").join(name)).unwrap();
    let mut flows = BTreeMap::<_, Flow>::new();
    for packet in Capture::new(&file).unwrap() {
        let Payload::Udp(datagram) = packet.unwrap().payload() else { panic!("{name}") };
        assert_eq!(datagram.missing, 0);
        let (side, client) = match datagram.dst.port() {
            7777 => (Side::First, datagram.src),
            _ => (Side::Second, datagram.dst),
        };
        flows.entry(client).or_default().push((side, datagram.payload.to_vec()));
    }
    flows
}

pub(crate) fn flow(name: &str) -> Flow {
    let mut flows = flows(name);
    assert_eq!(flows.len(), 1, "{name}");
    flows.pop_first().unwrap().1
}

pub(crate) fn watch(flow: &[(Side, Vec<u8>)]) -> Watched {
    let mut watched = Watched::new();
    for (side, datagram) in flow {
        watched.receive(*side, datagram);
    }
    watched.finish();
    watched
}

fn of(given: &[Given], from: Side, channel: u8) -> Vec<(Mode, Vec<u8>)> {
    let given = given.iter().filter(|it| it.from == from && it.channel == channel);
    given.map(|it| (it.mode, it.payload.clone())).collect()
}

/// The values of a sender as they are on an ENet channel.
fn expected(
    sent: &[Sent],
    is_godot_3: bool,
    from: Side,
    channel: u8,
    given: &[(Mode, Vec<u8>)],
) -> Vec<(Mode, Vec<u8>)> {
    let sender = if from == Side::First { "client" } else { "server" };
    let sent = sent.iter().filter(|sent| sent.delivered && sent.from == sender);
    let sent = sent.filter(|sent| {
        let is_reliable = sent.mode == "reliable";
        let expected = match (is_godot_3, sent.channel) {
            (true, _) => {
                if is_reliable {
                    1
                } else {
                    2
                }
            }
            (false, Some(0)) => {
                if is_reliable {
                    0
                } else {
                    1
                }
            }
            (false, channel) => channel.unwrap() + 1,
        };
        expected == channel
    });
    sent.zip(given)
        .map(|(sent, (_, given))| {
            let value = unhex(sent.wire_hex.as_ref().unwrap_or(&sent.hex));
            // The ids of peers differ from run to run.
            let header = if is_godot_3 { given[..8].to_vec() } else { Vec::new() };
            let is_big = value.len() + header.len() > if is_godot_3 { 1_372 } else { 1_364 };
            let mode = match sent.mode.as_str() {
                "reliable" => Mode::Reliable,
                _ if is_godot_3 && is_big => Mode::Reliable,
                "unreliable" if !is_big => Mode::Unsequenced,
                "unreliable" | "unreliable_ordered" => Mode::Unreliable,
                mode => panic!("{mode}"),
            };
            (mode, [header, value].concat())
        })
        .collect()
}

#[test]
fn every_delivered_value_is_returned_once_and_in_order() {
    for name in VALUES {
        let watched = watch(&flow(name));
        assert!(watched.other[0].starts_with("Connected"), "{name}");
        let sent = lines::<Sent>(&format!("captures/{}.ndjson", name.split('.').next().unwrap()));
        let delivered = sent.iter().filter(|sent| sent.delivered).count();
        // ENet dropped some before it sent them.
        assert_eq!(watched.lost.len(), sent.len() - delivered, "{name}");
        assert_eq!(watched.given.len(), delivered, "{name}");
        let mut compared = 0;
        for from in [Side::First, Side::Second] {
            for channel in 0..=255 {
                let given = of(&watched.given, from, channel);
                let is_godot_3 = name.starts_with("godot3");
                let expected = expected(&sent, is_godot_3, from, channel, &given);
                assert!(given == expected, "{name} {from:?} {channel}");
                compared += expected.len();
            }
        }
        assert_eq!(compared, delivered, "{name}");
    }
}

#[test]
fn godot_3_writes_peer_ids_before_messages() {
    for name in [
        "godot3-enet.pcapng",
        "godot3-rpc.pcapng",
        "godot3-rpc-compressed.pcapng",
        "godot3-rpc-three.pcapng",
    ] {
        let mut messages = 0;
        for (client, flow) in flows(name) {
            let watched = watch(&flow);
            let id = watched.other[0].split("data: ").nth(1).unwrap();
            let id: u32 = id.split(',').next().unwrap().parse().unwrap();
            let id = PeerId::new(id.cast_signed());
            for given in &watched.given {
                if given.channel == 0 {
                    let message = SystemMessage::parse(&given.payload).unwrap();
                    assert_eq!(message.to_bytes(), *given.payload);
                    let (SystemMessage::PeerAdded { peer } | SystemMessage::PeerRemoved { peer }) =
                        message
                    else {
                        panic!("{message:?}")
                    };
                    assert_ne!(peer, id);
                    continue;
                }
                let (header, packet) = PeerHeader::split(&given.payload).unwrap();
                assert_eq!([&header.to_bytes(), packet].concat(), given.payload);
                let is_own = given.from == Side::First;
                assert_eq!(header.source == id, is_own, "{name} {client} {header:?}");
                messages += 1;
            }
        }
        assert!(messages >= 55, "{name} {messages}");
    }
}

#[test]
fn every_datagram_of_remote_calls_is_read_to_its_end() {
    let mut decoder = DatagramDecompressor::new();
    let mut buffer = Vec::new();
    let mut again = 0;
    for name in RPC.into_iter().chain(VALUES) {
        let (mut compressed, mut plain) = (0, 0);
        for flow in flows(name).into_values() {
            let mut sends = BTreeSet::new();
            for (side, bytes) in &flow {
                let datagram = Datagram::parse_with(bytes, &mut decoder, &mut buffer).unwrap();
                let is_compressed = datagram.header().is_compressed;
                *(if is_compressed { &mut compressed } else { &mut plain }) += 1;
                assert_eq!(datagram.checksum(), None);
                assert_eq!(Datagram::parse(bytes).is_ok(), !is_compressed);
                for command in datagram.commands() {
                    let number = match command.body {
                        Body::SendReliable { .. } => 0,
                        Body::SendUnreliable { unreliable_sequence, .. } => unreliable_sequence,
                        Body::SendUnsequenced { group, .. } => group,
                        Body::SendFragment(it) if it.number == 0 => 0,
                        Body::SendUnreliableFragment(it) if it.number == 0 => it.start_sequence,
                        _ => continue,
                    };
                    let is_new = sends.insert((
                        *side,
                        command.channel,
                        command.sequence,
                        number,
                        command.is_unsequenced,
                    ));
                    again += usize::from(!is_new);
                }
            }
            let watched = watch(&flow);
            assert_eq!(watched.lost.len(), usize::from(name.starts_with("godot3-enet")), "{name}");
            assert_eq!(watched.given.len(), sends.len(), "{name}");
            assert!(sends.len() > 20, "{name}");
        }
        assert!(plain > 10);
        assert_eq!(compressed > 10, name.contains("compressed"), "{name}");
    }
    // Some acknowledgements arrived late.
    assert!(again > 0);
}
