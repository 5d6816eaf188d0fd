//! IP packets in fragments: recorded ones complete, late, twice, and without some fragments.

use crate::capture::assemble::{PAYLOAD, ipv4, udp};
use crate::capture::recorded::read;
use crate::common::{Numbers, Sent, lines, unhex, written_down};
use gdwire::capture::Capture;
use gdwire::packet::{
    CapturedPacket, Defragmenter, IpFragment, LinkType, LostPacket, Payload, Time,
};
use std::net::IpAddr;

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

/// The fragments of two packets in any order. Each is written as its packet, its bytes, and `+` if more
/// follow; after `/` is how much memory is in use.
fn story(seed: u32) -> String {
    let mut numbers = Numbers::new(seed);
    let (src, dst) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
    let limit = numbers.one_of(&[usize::MAX, 600, 500]);
    let (mut defragmenter, mut time, mut line) =
        (Defragmenter::with_limit(limit), 0, String::new());
    let whole = [&udp(&[0; 72])[..8], &(0..72).collect::<Vec<u8>>()].concat();
    let mut other = whole.clone();
    other[17] = 0xff;
    for frame in 1..20 {
        time += numbers.one_of(&[0, 1, 1, 1, 1, 1, 15_000_000_000, 29_999_999_999]);
        let content = if numbers.below(20) > 0 { &whole } else { &other };
        let end = if numbers.below(15) > 0 { 80 } else { numbers.one_of(&[72, 75]) };
        let start = numbers.below(5) as usize * 16;
        let len = numbers.one_of(&[16, 16, 16, 16, 24, 40, 40, 8, 32]);
        let len = if numbers.below(15) > 0 { len } else { numbers.one_of(&[0, 5]) };
        let stop = (start + len).min(end);
        let id = 1 + numbers.below(16) / 12;
        let payload = &content[start.min(stop)..stop];
        let offset = u16::try_from(start).unwrap();
        let fragment = IpFragment::new(src, dst, id, 17, offset, payload);
        let has_more = stop < end;
        let mut fragment = if has_more { fragment.with_more() } else { fragment };
        fragment.missing = usize::from(numbers.below(30) == 0);
        let time = (numbers.below(9) > 0).then_some(Time::from_nanos(time, 9));
        let mut lost = Vec::new();
        let mut tell =
            |packet: LostPacket| lost.push(format!("{} from {}", packet.bytes, packet.frame));
        let found = match defragmenter.push(frame, time, &fragment, &mut tell) {
            Some(Payload::Udp(datagram)) => {
                format!("={}..{:x?}", datagram.payload.len(), datagram.payload.get(9))
            }
            Some(other) => format!("={other:?}"),
            None => String::new(),
        };
        let more = if has_more { "+" } else { "" };
        let lost = if lost.is_empty() { lost.concat() } else { format!("[{}]", lost.join(", ")) };
        let held = defragmenter.held_bytes();
        line += &format!("{id}:{start}-{stop}{more}{found}{lost}/{held} ");
    }
    defragmenter.finish(&mut |lost| line += &format!("[{} from {}] ", lost.bytes, lost.frame));
    line.trim_end().to_owned()
}

#[test]
fn every_order_of_fragments_gives_what_is_written_down() {
    let stories: Vec<_> = (1..160).map(story).collect();
    written_down("tests/capture/fragments.txt", &(stories.join("\n") + "\n"));
}

/// How many incomplete packets are given up when fragments arrive, before the end of the input.
fn given_up<'a>(fragments: impl IntoIterator<Item = (i64, IpFragment<'a>)>) -> Vec<usize> {
    let (mut defragmenter, mut lost) = (Defragmenter::new(), Vec::new());
    for ((time, fragment), frame) in fragments.into_iter().zip(1..) {
        let time = Some(Time::from_nanos(time, 9));
        defragmenter.push(frame, time, &fragment, &mut |packet| lost.push(packet.bytes));
    }
    lost
}

#[test]
fn each_limit_of_an_incomplete_packet_is_exact() {
    let (src, dst) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
    let at = |id, offset, payload| IpFragment::new(src, dst, id, 17, offset, payload);
    let pieces = |count: u16| (0..count).map(|piece| (0, at(1, piece * 16, &[0; 8]).with_more()));
    assert_eq!(given_up(pieces(256)), [0; 0]);
    assert_eq!(given_up(pieces(257)), [257 * 8]);
    let packets = |count| (0..count).map(|id| (0, at(id, 0, &[0; 8]).with_more()));
    assert_eq!(given_up(packets(256)), [0; 0]);
    assert_eq!(given_up(packets(258)), [8, 8]);
    // The longest payload of a packet has 65,535 bytes.
    let [first, last] = [at(1, 0, &[0; 8]).with_more(), at(1, 65_528, &[0; 7])];
    assert_eq!(given_up([(0, first), (0, last)]), [0; 0]);
    assert_eq!(given_up([(0, first), (0, at(1, 65_528, &[0; 8]))]), [8]);
    let second = at(1, 8, &[1; 8]).with_more();
    assert_eq!(given_up([(5, first), (30_000_000_005, second)]), [0; 0]);
    assert_eq!(given_up([(5, first), (30_000_000_006, second)]), [8]);
    // A repeated fragment of a complete packet starts no other packet, as long as it is remembered.
    let payload = udp(PAYLOAD);
    for (others, is_begun) in [(510, false), (511, true)] {
        let [first, last] = [at(1, 0, &payload[..8]).with_more(), at(1, 8, &payload[8..])];
        let mut fragments = vec![(0, first), (0, last)];
        fragments.extend(
            (0..others).map(|id| (0, at(2 + id / 200, 8 * (id % 200) as u16, &[0; 8]).with_more())),
        );
        let contradiction = at(1, 0, &[0xee; 8]).with_more();
        fragments.extend([(0, first), (0, contradiction)]);
        assert_eq!(given_up(fragments), if is_begun { vec![8] } else { vec![] }, "{others}");
    }
}
