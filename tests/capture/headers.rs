//! The headers before a payload.

use crate::capture::assemble::{BIG, LITTLE, PAYLOAD, ipv4, ipv6, udp, udp_packet};
use crate::common::wireshark;
use gdwire::capture::{Capture, Messages};
use gdwire::follow::{Event, Follower, Place};
use gdwire::packet::{CapturedPacket, LinkType, Payload, UdpDatagram};
use std::collections::BTreeSet;
use std::fs;

/// The content of the only packet in a file with this link type.
fn read<T>(link_type: u32, packet: &[u8], look: impl FnOnce(CapturedPacket<'_>) -> T) -> T {
    let file = LITTLE.pcap(0xa1b2_c3d4, link_type, &[packet]);
    look(Capture::new(&file).unwrap().next().unwrap().unwrap())
}

#[track_caller]
fn assert_udp(link_type: u32, packet: &[u8]) {
    read(link_type, packet, |packet| {
        let Payload::Udp(datagram) = packet.payload() else { panic!("{:?}", packet.payload()) };
        assert_eq!((datagram.payload, datagram.missing), (PAYLOAD, 0));
        assert_eq!((datagram.src.port(), datagram.dst.port()), (4242, 7777));
    });
}

fn ethernet(types: &[u16], content: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 12];
    let (ether_type, tags) = types.split_last().unwrap();
    for tag in tags {
        frame.extend([BIG.u16(*tag), BIG.u16(5)].concat());
    }
    frame.extend(BIG.u16(*ether_type));
    frame.extend_from_slice(content);
    frame
}

#[test]
fn ethernet_may_have_tags_and_padding() {
    for tags in [&[0x0800][..], &[0x8100, 0x0800], &[0x88a8, 0x8100, 0x0800]] {
        assert_udp(1, &ethernet(tags, &udp_packet()));
    }
    let padded = [udp_packet(), vec![0xee; 10]].concat();
    assert_udp(1, &ethernet(&[0x0800], &padded));
    assert_udp(1, &ethernet(&[0x86dd], &ipv6(17, &udp(PAYLOAD))));
}

#[test]
fn raw_ip_has_five_numbers() {
    for link_type in [12, 14, 101, 228] {
        assert_udp(link_type, &udp_packet());
    }
    for link_type in [12, 14, 101, 229] {
        assert_udp(link_type, &ipv6(17, &udp(PAYLOAD)));
    }
}

#[test]
fn loopback_has_the_byte_order_of_some_machine() {
    for order in [LITTLE, BIG] {
        assert_udp(0, &[order.u32(2), udp_packet()].concat());
        for family in [10, 23, 24, 28, 30] {
            assert_udp(0, &[order.u32(family), ipv6(17, &udp(PAYLOAD))].concat());
        }
    }
    assert_udp(108, &[BIG.u32(2), udp_packet()].concat());
}

#[test]
fn cooked_captures_of_any_device_are_read() {
    // Ethernet, loopback, a tunnel without addresses.
    for device in [1, 772, 65_534] {
        let address = vec![0; 10];
        let v1 = [BIG.u16(0), BIG.u16(device), address.clone(), BIG.u16(0x0800), udp_packet()];
        assert_udp(113, &v1.concat());
        let v2 = [BIG.u16(0x0800), BIG.u16(0), BIG.u32(3), BIG.u16(device), address, udp_packet()];
        assert_udp(276, &v2.concat());
    }
}

#[test]
fn extension_headers_are_skipped() {
    let hop_by_hop = [vec![60, 0, 1, 4, 0, 0, 0, 0], vec![17, 0, 1, 4, 0, 0, 0, 0], udp(PAYLOAD)];
    assert_udp(229, &ipv6(0, &hop_by_hop.concat()));
    let atomic_fragment = [vec![17, 0, 0, 0, 0, 0, 0, 9], udp(PAYLOAD)].concat();
    assert_udp(229, &ipv6(44, &atomic_fragment));
}

#[test]
fn fragments_are_distinguished() {
    let first = ipv4(17, 0x2000, &udp(PAYLOAD));
    let last = ipv4(17, 1, PAYLOAD);
    let six = ipv6(44, &[vec![17, 0, 0, 1, 0, 0, 0, 9], udp(PAYLOAD)].concat());
    for packet in [first, last, six] {
        read(101, &packet, |packet| {
            assert!(matches!(packet.payload(), Payload::Fragment(_)), "{packet:?}");
        });
    }
}

#[test]
fn the_payload_is_bounded_by_the_datagrams_own_length() {
    let longer = [udp(PAYLOAD), b"behind".to_vec()].concat();
    assert_udp(101, &ipv4(17, 0, &longer));
}

#[test]
fn datagrams_that_were_captured_in_part_say_how_much_is_missing() {
    let packet = udp_packet();
    let cut = |len: usize| {
        let mut file = LITTLE.pcap(0xa1b2_c3d4, 101, &[]);
        let original = packet.len().try_into().unwrap();
        file.extend(LITTLE.u32s(&[0, 0, len.try_into().unwrap(), original]));
        file.extend_from_slice(&packet[..len]);
        match Capture::new(&file).unwrap().next().unwrap().unwrap().payload() {
            Payload::Udp(datagram) => {
                assert_eq!(datagram.payload, &PAYLOAD[..len - 28]);
                Some(datagram.missing)
            }
            Payload::Cut => None,
            other => panic!("{other:?}"),
        }
    };
    for len in 0..28 {
        assert_eq!(cut(len), None);
    }
    for len in 28..=36 {
        assert_eq!(cut(len), Some(36 - len));
    }
}

#[test]
fn tcp_segments_have_their_place_in_the_stream() {
    let header = [
        BIG.u16(1),
        BIG.u16(2),
        BIG.u32s(&[1_000, 0]),
        vec![0x50, 0x02, 0, 0, 0, 0, 0, 0],
        PAYLOAD.to_vec(),
    ];
    let mut packet = ipv4(6, 0, &header.concat());
    packet.truncate(packet.len() - 3);
    read(101, &packet, |packet| {
        let Payload::Tcp(segment) = packet.payload() else { panic!() };
        assert_eq!((segment.src.port(), segment.dst.port(), segment.sequence), (1, 2, 1_000));
        assert_eq!((segment.is_syn, segment.is_fin, segment.is_reset), (true, false, false));
        assert_eq!((segment.payload, segment.missing), (&PAYLOAD[..5], 3));
    });
}

/// The most common headers are read in a quicker way. Link type 12 means the same as 101, and a tag
/// changes nothing in what follows, but both are rare.
#[test]
fn common_headers_are_read_like_rare_ones() {
    let ports = [BIG.u16(1), BIG.u16(2), BIG.u32s(&[1_000, 77])].concat();
    let segment =
        [ports, vec![0x60, 0x18, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1], PAYLOAD.to_vec()].concat();
    let packets = [
        udp_packet(),
        ipv4(17, 0x4000, &[udp(PAYLOAD), b"behind".to_vec()].concat()),
        [ipv4(6, 0, &segment), vec![0xee; 6]].concat(),
    ];
    for packet in packets {
        for (at, byte) in (0..packet.len()).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte)))
        {
            let mut packet = packet.clone();
            packet[at] = byte;
            for len in [packet.len(), packet.len() - 7, at] {
                let of = |link_type: u32, frame: &[u8]| {
                    let captured = &frame[..frame.len() - (packet.len() - len)];
                    let whole = u32::try_from(frame.len()).unwrap();
                    let packet = CapturedPacket::new(LinkType(link_type), captured);
                    format!("{:?}", packet.with_original_len(whole).payload())
                };
                assert_eq!(of(101, &packet), of(12, &packet), "{packet:02x?}, {len}");
                let tagged = of(1, &ethernet(&[0x8100, 0x0800], &packet));
                assert_eq!(of(1, &ethernet(&[0x0800], &packet)), tagged, "{packet:02x?}, {len}");
            }
        }
    }
}

/// If only the options of a header are missing, everything that a stream needs is known.
#[test]
fn segments_may_be_cut_within_the_options_of_their_headers() {
    let start = [BIG.u16(1), BIG.u16(2), BIG.u32s(&[1_000, 77])].concat();
    let header = [start, vec![0x80, 0x18, 0, 0, 0, 0, 0, 0], vec![1; 12]].concat();
    let packet = ipv4(6, 0, &[&header, PAYLOAD].concat());
    let cut = |link_type: u32, packet: &[u8], len: usize| {
        let mut file = LITTLE.pcap(0xa1b2_c3d4, link_type, &[]);
        let original = packet.len().try_into().unwrap();
        file.extend(LITTLE.u32s(&[0, 0, len.try_into().unwrap(), original]));
        file.extend_from_slice(&packet[..len]);
        match Capture::new(&file).unwrap().next().unwrap().unwrap().payload() {
            Payload::Tcp(segment) => {
                assert_eq!((segment.sequence, segment.acknowledgement), (1_000, Some(77)));
                assert_eq!((segment.src.port(), segment.dst.port()), (1, 2));
                assert_eq!(segment.payload, &PAYLOAD[..len.saturating_sub(52)]);
                Some(segment.missing)
            }
            Payload::Cut => None,
            other => panic!("{other:?}"),
        }
    };
    for len in 0..40 {
        assert_eq!(cut(101, &packet, len), None, "{len}");
    }
    for len in 40..=60 {
        assert_eq!(cut(101, &packet, len), Some(60 - len.max(52)), "{len}");
    }
    // If a cut payload cannot be the start of a message, it belongs to another protocol.
    let arp = ethernet(&[0x0806], &[0, 1, 8, 0, 6, 4, 0, 1, 0, 0, 0, 0]);
    let icmp = ethernet(&[0x0800], &ipv4(1, 0, &[8, 0, 0, 0, 0, 0, 0, 0]));
    for (packet, len) in [(arp, 20), (icmp, 37)] {
        let mut file = LITTLE.pcap(0xa1b2_c3d4, 1, &[]);
        file.extend(LITTLE.u32s(&[0, 0, len, 64]));
        file.extend_from_slice(&packet[..len as usize]);
        let packet = Capture::new(&file).unwrap().next().unwrap().unwrap();
        assert!(matches!(packet.payload(), Payload::Other(_)), "{:?}", packet.payload());
    }
}

#[test]
fn other_traffic_is_not_an_error() {
    let arp = ethernet(&[0x0806], &[0; 28]);
    let icmp = ethernet(&[0x0800], &ipv4(1, 0, &[0; 8]));
    let igmp = ethernet(&[0x8100, 0x0800], &ipv4(2, 0, &[0; 8]));
    let lldp = ethernet(&[0x88cc], &[0; 28]);
    let bridges = ethernet(&[38], &[0; 38]);
    let unknown = ethernet(&[0x88b5], &[0; 28]);
    for (packet, name) in [
        (arp, "ARP"),
        (icmp, "ICMP"),
        (igmp, "IGMP"),
        (lldp, "LLDP"),
        (bridges, "IEEE 802.3"),
        (unknown, "EtherType 0x88b5"),
    ] {
        read(1, &packet, |p| match p.payload() {
            Payload::Other(protocol) => assert_eq!(protocol.to_string(), name),
            other => panic!("{name}: {other:?}"),
        });
    }
    read(105, &udp_packet(), |p| assert!(matches!(p.payload(), Payload::UnknownLink)));
    read(0, &[9; 40], |p| assert!(matches!(p.payload(), Payload::Other(_))));
}

#[test]
fn headers_that_contradict_themselves_are_malformed() {
    let mut short = udp(PAYLOAD);
    short[5] = 7;
    let version = vec![0x75; 40];
    for packet in [ipv4(17, 0, &short), ipv4(17, 0, &[0; 4]), version, Vec::new()] {
        read(101, &packet, |p| {
            assert!(matches!(p.payload(), Payload::Malformed), "{:?}", p.payload());
        });
    }
}

#[test]
fn community_ids_are_those_of_tshark() {
    for name in ["godot3-tcp", "godot4-enet", "godot4-websocket"] {
        let file = format!("{}/corpus/captures/{name}.pcapng", env!("CARGO_MANIFEST_DIR"));
        let mut arguments = vec!["-n", "-r", &file, "--enable-protocol", "communityid"];
        arguments.extend(["-Y", "udp or tcp", "-T", "fields", "-e", "communityid"]);
        let Some(lines) = wireshark("tshark", &arguments) else { return };
        let bytes = fs::read(&file).unwrap();
        let mut messages = Messages::new(&bytes).unwrap();
        let mut ours = BTreeSet::new();
        while let Some(event) = messages.next_event() {
            if let Event::Opened(summary) = event {
                ours.insert(summary.flow().community_id().to_string());
            }
        }
        assert_eq!(ours, lines.into_iter().collect(), "{name}");
    }
    // Addresses of IPv6.
    let [src, dst] = ["[fe80::1]:7777", "[2001:db8::2]:53124"].map(|end| end.parse().unwrap());
    let mut follower = Follower::new();
    let mut events = follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, PAYLOAD));
    let Some(Event::Opened(summary)) = events.next() else { panic!() };
    assert_eq!(summary.flow().community_id().to_string(), "1:FtZslLuQ3ebIRCYavjw5NeziQGM=");
}
