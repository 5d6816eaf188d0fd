//! IP packets in fragments: recorded ones complete, late, twice, and without some fragments.

use crate::capture::assemble::{PAYLOAD, ipv4, udp};
use crate::capture::recorded::read;
use crate::common::{Sent, lines, unhex};
use gdwire::capture::Capture;
use gdwire::packet::{CapturedPacket, Defragmenter, LinkType, LostPacket, Payload};

/// The payloads that were captured whole or could be put together, and the incomplete packets.
fn payloads<'a>(
    packets: impl IntoIterator<Item = CapturedPacket<'a>>,
) -> (Vec<Vec<u8>>, Vec<LostPacket>) {
    let mut defragmenter = Defragmenter::new();
    let (mut payloads, mut lost) = (Vec::new(), Vec::new());
    for packet in packets {
        let payload = match packet.payload() {
            Payload::Fragment(fragment) => {
                let mut tell = |packet| lost.push(packet);
                defragmenter.push(packet.frame, packet.time, &fragment, &mut tell)
            }
            payload => Some(payload),
        };
        match payload {
            Some(Payload::Udp(datagram)) => payloads.push(datagram.payload.to_vec()),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
    }
    defragmenter.finish(&mut |packet| lost.push(packet));
    (payloads, lost)
}

fn packets(file: &[u8]) -> Vec<CapturedPacket<'_>> {
    Capture::new(file).unwrap().map(Result::unwrap).collect()
}

fn sent(name: &str) -> Vec<Vec<u8>> {
    let sent: Vec<Sent> = lines(&format!("captures/{name}.ndjson"));
    let delivered = sent.into_iter().filter(|sent| sent.delivered);
    delivered.map(|sent| unhex(sent.wire_hex.as_ref().unwrap_or(&sent.hex))).collect()
}

const CAPTURES: [&str; 2] = ["godot4-udp-ipfrag", "godot4-udp-ipv6frag"];

#[test]
fn every_value_in_fragments_is_put_together() {
    for name in CAPTURES {
        let file = read(&format!("{name}.pcapng"));
        let packets = packets(&file);
        let is_fragment =
            |packet: &&CapturedPacket<'_>| matches!(packet.payload(), Payload::Fragment(_));
        assert!(packets.iter().filter(is_fragment).count() > 4, "{name}");
        let (payloads, lost) = payloads(packets);
        assert!(payloads == sent(name), "{name}");
        assert!(lost.is_empty(), "{name}");
    }
}

#[test]
fn fragments_may_arrive_in_any_order_and_twice() {
    for name in CAPTURES {
        let file = read(&format!("{name}.pcapng"));
        let mut backwards = packets(&file);
        backwards.reverse();
        let (mut found, lost) = payloads(backwards.clone());
        found.reverse();
        assert!(found == sent(name) && lost.is_empty(), "{name}");

        let twice = backwards.into_iter().rev().flat_map(|packet| [packet, packet]);
        let (mut found, lost) = payloads(twice);
        found.dedup();
        assert!(found == sent(name) && lost.is_empty(), "{name}: {lost:?}");
    }
}

#[test]
fn without_a_fragment_only_its_packet_is_lost_and_reported() {
    for name in CAPTURES {
        let file = read(&format!("{name}.pcapng"));
        let packets = packets(&file);
        let sent = sent(name);
        for (at, dropped) in packets.iter().enumerate() {
            if !matches!(dropped.payload(), Payload::Fragment(_)) {
                continue;
            }
            let mut left = packets.clone();
            left.remove(at);
            let (payloads, lost) = payloads(left);
            assert_eq!(payloads.len(), sent.len() - 1, "{name} {at}");
            assert!(payloads.iter().all(|payload| sent.contains(payload)), "{name} {at}");
            let [LostPacket { frame, .. }] = lost[..] else { panic!("{lost:?}") };
            assert!(frame.abs_diff(dropped.frame) < 30, "{frame} {}", dropped.frame);
        }
    }
}

/// A file of IPv4 packets: offset and flag of each as in its header, and its content.
fn file(parts: &[(u16, &[u8])]) -> Vec<u8> {
    let parts: Vec<_> = parts.iter().map(|(offset, content)| ipv4(17, *offset, content)).collect();
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    crate::capture::assemble::LITTLE.pcap(0xa1b2_c3d4, LinkType::RAW.0, &parts)
}

const MORE: u16 = 0x2000;

#[test]
fn contradictory_fragments_are_not_mixed() {
    let whole = udp(PAYLOAD);
    let (first, last) = whole.split_at(8);
    let (found, lost) = payloads(packets(&file(&[(MORE, first), (1, last)])));
    assert!(found == [PAYLOAD] && lost.is_empty());

    // The identification is used again for another packet, whose first fragment was lost.
    let other = [first, &[7; 8], last].concat();
    let parts = [(MORE, first), (MORE | 1, &[9; 8][..]), (MORE | 1, &other[8..16]), (2, last)];
    let (found, lost) = payloads(packets(&file(&parts)));
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(lost.len(), 2, "{lost:?}");
    assert_eq!(
        lost[0].to_string(),
        "incomplete IP packet: 16 bytes of its fragments, from frame 1 on"
    );
}

#[test]
fn memory_for_incomplete_packets_is_bounded() {
    // A packet in very many fragments with gaps between them.
    let parts: Vec<(u16, &[u8])> = (1..600).map(|at| (MORE | (at * 2), &[0; 8][..])).collect();
    let (found, lost) = payloads(packets(&file(&parts)));
    assert!(found.is_empty());
    assert_eq!(lost.len(), 3);

    // Very many packets of which only the first fragment arrives.
    let mut many = Vec::new();
    for identification in 0..1000_u16 {
        let mut packet = ipv4(17, MORE, &udp(PAYLOAD));
        packet[4..6].copy_from_slice(&identification.to_be_bytes());
        many.push(packet);
    }
    let many: Vec<&[u8]> = many.iter().map(Vec::as_slice).collect();
    let file = crate::capture::assemble::LITTLE.pcap(0xa1b2_c3d4, LinkType::RAW.0, &many);
    for limit in [usize::MAX, 1 << 20, 16 << 10, 0] {
        let mut defragmenter = Defragmenter::with_limit(limit);
        let mut lost = 0;
        for packet in packets(&file) {
            let Payload::Fragment(fragment) = packet.payload() else { panic!() };
            let whole = defragmenter.push(packet.frame, packet.time, &fragment, &mut |_| lost += 1);
            assert!(whole.is_none());
            assert!(defragmenter.held_bytes() <= limit);
        }
        match limit {
            0 => assert_eq!(lost, 1000),
            // Each takes a little memory.
            0x4000 => assert!((1000 - 100..1000).contains(&lost), "{lost}"),
            _ => assert_eq!(lost, 1000 - 256),
        }
        defragmenter.finish(&mut |_| lost += 1);
        assert_eq!((lost, defragmenter.held_bytes()), (1000, 0));
    }
}
