//! Packets inside of tunnels: recorded captures are wrapped as clouds and switches mirror them.

use crate::capture::assemble::{BIG, LITTLE, PAYLOAD, ipv4, ipv6, udp, udp_packet};
use crate::common::{corpus, wireshark};
use gdwire::capture::{Capture, Messages};
use gdwire::follow::Event;
use gdwire::packet::{CapturedPacket, Defragmenter, LinkType, Payload};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The link types, as files have them.
const ETHERNET: u32 = 1;
const RAW: u32 = 101;

/// A way to wrap an Ethernet frame: its name, the link type of the result, and the wrapping.
type Wrapping = (&'static str, u32, fn(&[u8]) -> Vec<u8>);

const WRAPPINGS: [Wrapping; 12] = [
    ("VXLAN", RAW, |frame| over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 42, 0], frame])),
    ("VXLAN over Ethernet", ETHERNET, |frame| {
        let packet = over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 42, 0], frame]);
        [&[0; 12], &[8, 0][..], &packet].concat()
    }),
    ("VXLAN in VXLAN", RAW, |frame| {
        let inner = over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 42, 0], frame]);
        over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 43, 0], &[0; 12], &[8, 0], &inner])
    }),
    ("GENEVE", RAW, |frame| over_udp(6081, &[&[0, 0, 0x65, 0x58, 0, 0, 42, 0], frame])),
    ("GENEVE with options", RAW, |frame| {
        over_udp(6081, &[&[2, 0, 0x65, 0x58, 0, 0, 42, 0], &[1, 2, 0, 1, 5, 6, 7, 8], frame])
    }),
    ("GENEVE with IP", RAW, |frame| over_udp(6081, &[&[0, 0, 8, 0, 0, 0, 42, 0], &frame[14..]])),
    ("GRE", RAW, |frame| ipv4(47, 0, &[&[0, 0, 8, 0], &frame[14..]].concat())),
    ("GRE with all fields", RAW, |frame| {
        ipv4(47, 0, &[&[0xb0, 0, 0x65, 0x58], &[9; 12][..], frame].concat())
    }),
    ("ERSPAN 1", RAW, |frame| ipv4(47, 0, &[&[0, 0, 0x88, 0xbe], frame].concat())),
    ("ERSPAN 2", RAW, |frame| {
        let headers = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 0, 0, 1, 0, 0, 0, 2];
        ipv4(47, 0, &[&headers[..], frame].concat())
    }),
    ("ERSPAN 3", RAW, |frame| {
        let headers = [0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0];
        ipv6(47, &[&headers[..], frame].concat())
    }),
    ("IP in IP", RAW, |frame| ipv4(4, 0, &frame[14..])),
];

/// The IPv4 packet of a datagram to a port.
fn over_udp(port: u16, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u16::try_from(8 + content.len()).unwrap();
    ipv4(17, 0, &[BIG.u16(50_000), BIG.u16(port), BIG.u16(length), BIG.u16(0), content].concat())
}

/// A capture of Ethernet frames whose IP packets are whole, as one file for each wrapping.
fn wrapped(name: &str) -> (Vec<u8>, Vec<(&'static str, Vec<u8>)>) {
    let file = fs::read(corpus("captures").join(name)).unwrap();
    let packets: Vec<_> = Capture::new(&file).unwrap().map(|packet| packet.unwrap().data).collect();
    let whole = LITTLE.pcap(0xa1b2_c3d4, ETHERNET, &packets);
    let wrap = |(name, link_type, wrap): Wrapping| {
        let packets: Vec<_> = packets.iter().map(|packet| wrap(packet)).collect();
        let packets: Vec<_> = packets.iter().map(|packet| &packet[..]).collect();
        (name, LITTLE.pcap(0xa1b2_c3d4, link_type, &packets))
    };
    (whole, WRAPPINGS.into_iter().map(wrap).collect())
}

/// The messages of a file, with frames and addresses.
fn messages(file: &[u8]) -> Vec<String> {
    let mut messages = Messages::new(file).unwrap();
    let mut found = Vec::new();
    while let Some(event) = messages.next_event() {
        if let Event::Message(message) = event {
            let (frame, origin) = (message.place.frame, message.origin);
            found.push(format!("{frame} {} {} {:?}", origin.src(), origin.dst(), message.bytes));
        }
    }
    found
}

#[test]
fn messages_inside_of_tunnels_are_read() {
    for name in ["godot3-udp.pcapng", "godot4-enet.pcapng", "godot4-websocket.pcapng"] {
        let (whole, wrapped) = wrapped(name);
        let expected = messages(&whole);
        assert!(expected.len() > 20, "{name}: {}", expected.len());
        for (wrapping, file) in wrapped {
            assert_eq!(messages(&file), expected, "{name} in {wrapping}");
        }
    }
}

#[test]
fn addresses_inside_of_tunnels_are_those_of_tshark() {
    for (wrapping, file) in wrapped("godot4-enet.pcapng").1 {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tunnel.pcap");
        fs::write(&path, &file).unwrap();
        // The last of several headers is the inner one.
        let mut arguments = vec!["-n", "-r", path.to_str().unwrap(), "-T", "fields"];
        arguments.extend(["-E", "occurrence=l"]);
        for field in ["ip.src", "udp.srcport", "ip.dst", "udp.dstport"] {
            arguments.extend(["-e", field]);
        }
        let Some(lines) = wireshark("tshark", &arguments) else { return };
        let (mut theirs, mut ours) = (BTreeMap::new(), BTreeMap::new());
        for line in lines {
            *theirs.entry(line).or_insert(0) += 1;
        }
        for packet in Capture::new(&file).unwrap() {
            let Payload::Udp(datagram) = packet.unwrap().payload() else { panic!("{wrapping}") };
            let (src, dst) = (datagram.src, datagram.dst);
            let line = format!("{}\t{}\t{}\t{}", src.ip(), src.port(), dst.ip(), dst.port());
            *ours.entry(line).or_insert(0) += 1;
        }
        assert_eq!(ours, theirs, "{wrapping}");
    }
}

#[test]
fn a_connection_has_the_addresses_of_its_tunnel() {
    let tunnels = |file: &[u8]| {
        let mut messages = Messages::new(file).unwrap();
        let mut found = BTreeSet::new();
        while let Some(event) = messages.next_event() {
            if let Event::Opened(summary) | Event::Closed(summary) = event {
                found.insert(summary.tunnel());
            }
        }
        found
    };
    let (whole, wrapped) = wrapped("godot4-enet.pcapng");
    assert_eq!(tunnels(&whole), BTreeSet::from([None]));
    for (wrapping, file) in wrapped {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outer.pcap");
        fs::write(&path, &file).unwrap();
        // The first of several headers is the outer one.
        let mut arguments = vec!["-n", "-r", path.to_str().unwrap(), "-c", "1", "-T", "fields"];
        let version = if wrapping == "ERSPAN 3" { "ipv6" } else { "ip" };
        let fields = [format!("{version}.src"), format!("{version}.dst")];
        arguments.extend(["-E", "occurrence=f", "-e", &fields[0], "-e", &fields[1]]);
        let Some(lines) = wireshark("tshark", &arguments) else { return };
        let (src, dst) = lines[0].split_once('\t').unwrap();
        let outer = (src.parse().unwrap(), dst.parse().unwrap());
        assert_eq!(tunnels(&file), BTreeSet::from([Some(outer)]), "{wrapping}");
    }
}

/// A tunnel over a network that takes smaller packets: the tunnel's packets come in fragments, and what is in
/// them are fragments, too.
#[test]
fn fragments_inside_of_fragments_are_joined() {
    for name in ["godot4-udp-ipfrag.pcapng", "godot4-udp-ipv6frag.pcapng"] {
        let file = fs::read(corpus("captures").join(name)).unwrap();
        let frames = Capture::new(&file).unwrap().map(|packet| packet.unwrap().data);
        let packets: Vec<_> = frames
            .zip(1..)
            .flat_map(|(frame, number)| {
                let whole = over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 42, 0], frame]);
                let (first, rest) = whole[20..].split_at(whole.len() / 16 * 8);
                let offset = u16::try_from(first.len() / 8).unwrap();
                [ipv4(17, 0x2000, first), ipv4(17, offset, rest)].map(|mut fragment| {
                    fragment[4..6].copy_from_slice(&BIG.u16(number));
                    fragment
                })
            })
            .collect();
        let packets: Vec<_> = packets.iter().map(|packet| &packet[..]).collect();
        let without_frames = |file: &[u8]| -> Vec<_> {
            let lines = messages(file).into_iter();
            lines.map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
        };
        let found = without_frames(&LITTLE.pcap(0xa1b2_c3d4, RAW, &packets));
        assert!(found.len() > 60 && found == without_frames(&file), "{name}: {}", found.len());
    }
}

/// Only fragments of datagrams and segments are joined.
#[test]
fn other_fragments_inside_of_fragments_are_returned() {
    let icmp = ipv4(1, 0x2000, &[7; 64]);
    let whole = over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 42, 0], &[0; 12], &[8, 0], &icmp]);
    let (first, rest) = whole[20..].split_at(64);
    let mut defragmenter = Defragmenter::new();
    let found = [ipv4(17, 0x2000, first), ipv4(17, 8, rest)].map(|packet| {
        let packet = CapturedPacket::new(LinkType::RAW, &packet);
        let Payload::Fragment(outer) = packet.payload() else { panic!("{packet:?}") };
        let joined = defragmenter.push(1, None, &outer, &mut |lost| panic!("{lost}"));
        matches!(joined, Some(Payload::Fragment(_)))
    });
    assert_eq!(found, [false, true]);
}

/// Each bit of a tunnel's header: it announces a field, is not read, or means another kind of tunnel.
#[test]
fn every_flag_of_a_tunnel_is_known() {
    let is_found = |packet: &[u8]| {
        let payload = CapturedPacket::new(LinkType::RAW, packet).payload();
        matches!(payload, Payload::Udp(datagram) if datagram.dst.port() == 7777)
    };
    let inner = udp_packet();
    let frame = [&[0; 12], &[8, 0][..], &inner].concat();
    for flags in 0..=255_u8 {
        let fields = [0x80, 0x20, 0x10].iter().filter(|flag| flags & **flag != 0).count() * 4;
        for version in [0, 1, 2, 4, 7, 8, 0x80] {
            let is_known = flags & 0x40 == 0 && version & 7 == 0;
            let gre = |protocol: [u8; 2], more: &[u8], packet: &[u8]| {
                let header = [&[flags, version][..], &protocol, &[0x45; 12][..fields], more];
                is_found(&ipv4(47, 0, &[&header.concat(), packet].concat()))
            };
            assert_eq!(gre([8, 0], &[], &inner), is_known, "{flags:x} {version}");
            let erspan = if flags & 0x10 != 0 { &[0; 8][..] } else { &[] };
            assert_eq!(gre([0x88, 0xbe], erspan, &frame), is_known, "{flags:x} {version}");
            for more in [0, 8] {
                let mut erspan = vec![0; 12 + more];
                erspan[11] = if more > 0 { 0xff } else { 0xfe };
                assert_eq!(gre([0x22, 0xeb], &erspan, &frame), is_known, "{flags:x} {version}");
            }
        }
        let vxlan = over_udp(4789, &[&[flags, 0, 0, 0, 0, 0, 42, 0], &frame]);
        assert_eq!(is_found(&vxlan), matches!(flags, 0x08 | 0x88), "{flags:x}");
        let options = vec![0; usize::from(flags) * 4];
        let geneve = over_udp(6081, &[&[flags, 0xc0, 8, 0, 0, 0, 42, 0], &options, &inner]);
        assert_eq!(is_found(&geneve), flags < 0x40, "{flags:x}");
        let geneve = over_udp(6081, &[&[0, flags, 0x65, 0x58, 0, 0, 42, 0], &frame]);
        assert_eq!(is_found(&geneve), flags & 0x3f == 0, "{flags:x}");
    }
}

/// A packet that looks like a tunnel may be something else, end early, or be too deep.
#[test]
fn other_packets_stay_what_they_are() {
    let payload = |packet: &[u8]| match CapturedPacket::new(LinkType::RAW, packet).payload() {
        Payload::Udp(datagram) => format!("{} {}", datagram.dst.port(), datagram.payload.len()),
        Payload::Other(protocol) => protocol.to_string(),
        other => panic!("{other:?}"),
    };
    // A value on the port of a tunnel.
    assert_eq!(payload(&over_udp(4789, &[PAYLOAD])), "4789 8");
    assert_eq!(payload(&over_udp(6081, &[PAYLOAD, PAYLOAD])), "6081 16");
    // A header of VXLAN, and no frame after it.
    assert_eq!(payload(&over_udp(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0], PAYLOAD])), "4789 16");
    assert_eq!(payload(&ipv4(47, 0, &[0xb0, 0, 8, 0, 1])), "GRE");
    assert_eq!(payload(&ipv4(4, 0, b"")), "IP in IP");
    // A frame of an unknown protocol.
    let unknown = [&[8, 0, 0, 0, 0, 0, 1, 0][..], &[0; 12], &[0x12, 0x34], PAYLOAD];
    assert_eq!(payload(&over_udp(4789, &unknown)), "4789 30");
    // Addresses are asked for in tunnels, too.
    let arp =
        [&[8, 0, 0, 0, 0, 0, 1, 0][..], &[0; 12], &[8, 6], &[0, 1, 8, 0, 6, 4, 0, 1], &[0; 20]];
    assert_eq!(payload(&over_udp(4789, &arp)), "ARP");
    // Four tunnels may be inside each other.
    let nested = |depth: usize| (0..depth).fold(udp_packet(), |packet, _| ipv4(4, 0, &packet));
    assert_eq!(payload(&nested(4)), "7777 8");
    assert_eq!(payload(&nested(5)), "IP in IP");
    assert_eq!(payload(&nested(500)), "IP in IP");
}

#[test]
fn packets_of_ipv6_are_read_inside_of_both_versions() {
    let inner = ipv6(17, &udp(PAYLOAD));
    for packet in [ipv4(41, 0, &inner), ipv6(41, &inner)] {
        let Payload::Udp(datagram) = CapturedPacket::new(LinkType::RAW, &packet).payload() else {
            panic!("{packet:?}");
        };
        assert!(datagram.src.is_ipv6() && datagram.payload == PAYLOAD, "{datagram:?}");
    }
}

#[test]
fn what_a_cut_packet_lacks_is_missing_inside_of_its_tunnel() {
    let packet = ipv4(4, 0, &udp_packet());
    let read = |len: usize| {
        let cut = CapturedPacket::new(LinkType::RAW, &packet[..len]);
        cut.with_original_len(packet.len().try_into().unwrap()).payload()
    };
    let Payload::Udp(datagram) = read(packet.len() - 3) else { panic!() };
    assert_eq!((datagram.payload.len(), datagram.missing), (PAYLOAD.len() - 3, 3));
    assert_eq!(read(25), Payload::Cut);
}
