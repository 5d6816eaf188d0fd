//! The packet of each message is the one that carried the last of its bytes, whatever is missing
//! before it.

use crate::messages::build::{CLIENT, Numbers, PUSH, Packet, SERVER, SYN, packets, tcp};
use crate::messages::outcome::{Kept, Outcome};
use crate::messages::output::{Lane, Output, Returned};
use crate::messages::parts::{Part, Recording, recordings};
use crate::messages::read::recorded;
use gdwire::follow::Transport;
use gdwire::net::enet::{Datagram, DatagramDecompressor};
use std::collections::BTreeMap;

/// The first packet that has enough of a part.
fn arrival(part: &Part, kept: &[(usize, usize)]) -> Option<usize> {
    let has_it = |(place, len): &(usize, usize)| part.get(place).is_some_and(|need| len >= need);
    kept.iter().position(has_it)
}

/// The numbers of the packets that completed each message.
fn arrivals<'r>(
    recording: &'r Recording,
    kept: &[(usize, usize)],
) -> BTreeMap<(Lane, &'r [u8]), Vec<u64>> {
    let mut arrivals: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for (message, parts) in recording.whole.returned.iter().zip(&recording.parts) {
        let last = parts.iter().map(|part| arrival(part, kept)).collect::<Option<Vec<_>>>();
        if let Some(last) = last.and_then(|arrivals| arrivals.into_iter().max()) {
            let frames = arrivals.entry((message.lane, &message.bytes[..])).or_default();
            frames.push(last as u64 + 1);
        }
    }
    arrivals
}

/// Checks the packet of each message. Returns how many messages belong to an earlier packet than
/// one before them.
fn check(recording: &Recording, kept: &Kept, what: usize) -> (Outcome, usize) {
    let outcome = recording.with_packets(kept);
    let mut arrivals = arrivals(recording, kept);
    let mut latest = 0;
    let mut waited = 0;
    for returned in &outcome.output.returned {
        let name = &recording.name;
        let frames = arrivals.get_mut(&(returned.lane, &returned.bytes[..])).unwrap();
        let place = frames.iter().position(|frame| *frame == returned.frame);
        let place = place.unwrap_or_else(|| panic!("{name} {what}: {returned:?}, not {frames:?}"));
        frames.swap_remove(place);
        let packet = &recording.packets[kept[returned.frame as usize - 1].0];
        let time = returned.time.unwrap().as_nanos();
        assert_eq!(time, packet.time as i64 * 1_000, "{name} {what}");
        waited += usize::from(returned.frame < latest);
        latest = latest.max(returned.frame);
    }
    (outcome, waited)
}

/// Removes some packets, but none of those that open a connection.
fn without(kept: &Kept, one_in: usize, numbers: &mut Numbers) -> Kept {
    let mut is_kept = |place: usize| place < 4 || numbers.below(one_in) > 0;
    kept.iter().copied().filter(|(place, _)| is_kept(*place)).collect()
}

/// Reorders packets, each near its place.
fn shuffled(kept: &Kept, window: usize, numbers: &mut Numbers) -> Kept {
    let mut kept = kept.clone();
    for packets in kept[4..].chunks_mut(window) {
        for last in (1..packets.len()).rev() {
            packets.swap(last, numbers.below(last + 1));
        }
    }
    kept
}

#[test]
fn messages_belong_to_the_packets_that_completed_them() {
    for recording in recordings() {
        let all = recording.all();
        let (_, waited) = check(recording, &all, 0);
        let is_parallel =
            recording.whole.returned.iter().any(|it| it.frame > 1 && it.lane.2.is_some());
        assert!(waited == 0 || is_parallel, "{}", recording.name);
    }
}

#[test]
fn after_missing_packets_messages_belong_to_their_own_packets() {
    let mut waited = BTreeMap::<Transport, usize>::new();
    for recording in recordings() {
        let all = recording.all();
        let transport = recording.whole.returned[0].transport;
        for one_in in [60, 20, 7] {
            let mut numbers = Numbers(one_in as u64);
            let (_, late) = check(recording, &without(&all, one_in, &mut numbers), one_in);
            *waited.entry(transport).or_default() += late;
        }
    }
    for transport in [Transport::Enet, Transport::Tcp, Transport::WebSocket] {
        assert!(waited[&transport] > 10, "{waited:?}");
    }
}

#[test]
fn reordered_messages_belong_to_their_own_packets() {
    for recording in recordings() {
        let all = recording.all();
        for window in [2, 5, 16] {
            let mut numbers = Numbers(window as u64 + 1);
            let kept = shuffled(&all, window, &mut numbers);
            check(recording, &kept, window);
            check(recording, &without(&kept, 12, &mut numbers), window);
        }
    }
}

#[test]
fn duplicate_packets_count_once() {
    for recording in recordings() {
        if recording.whole.returned[0].transport == Transport::Udp {
            continue;
        }
        let all = recording.all();
        let delayed = all[..3].iter().chain(&all);
        check(
            recording,
            &all.iter().zip(delayed).flat_map(|(one, other)| [*one, *other]).collect(),
            1,
        );
    }
}

/// Whether the bytes at its offset in its datagram are the message's, or the start of a part of it.
fn is_at_its_offset(
    returned: &Returned,
    packet: &Packet,
    decoder: &mut DatagramDecompressor,
) -> bool {
    // After the headers of Ethernet, IPv4 and UDP.
    let datagram = &packet.data[42..];
    let mut decompressed = Vec::new();
    let parsed = Datagram::parse_with(datagram, decoder, &mut decompressed).unwrap();
    let bytes = if parsed.header().is_compressed { &decompressed } else { datagram };
    let bytes = &bytes[returned.offset as usize..];
    let part = &bytes[..bytes.len().min(64)];
    bytes.starts_with(&returned.bytes) || returned.bytes.windows(part.len()).any(|it| it == part)
}

#[test]
fn offsets_are_in_the_datagrams_of_the_messages() {
    for name in ["godot3-enet", "godot4-enet", "godot4-enet-compressed", "godot4-rpc"] {
        let all = packets(&recorded(&format!("{name}.pcapng")));
        let mut numbers = Numbers(5);
        let mut decoder = DatagramDecompressor::default();
        let places: Vec<_> = (0..all.len()).map(|place| (place, 0)).collect();
        for kept in [shuffled(&places, 6, &mut numbers), without(&places, 20, &mut numbers)] {
            let kept: Vec<_> = kept.iter().map(|(place, _)| all[*place].clone()).collect();
            for returned in Output::of(&kept).returned {
                let packet = &kept[returned.frame as usize - 1];
                assert!(is_at_its_offset(&returned, packet, &mut decoder), "{name}: {returned:?}");
            }
        }
    }
}

/// An int after its length.
fn message(number: u32) -> Vec<u8> {
    [8, 2, number].map(u32::to_le_bytes).concat()
}

#[test]
fn a_message_in_two_segments_belongs_to_the_later_one() {
    let first = message(1);
    let segments: [(u32, u8, &[u8]); 5] = [
        (99, SYN, &[]),
        (108, PUSH, &first[8..]),
        (112, PUSH, &message(2)),
        (124, PUSH, &message(3)[..5]),
        (100, PUSH, &first[..8]),
    ];
    let mut packets: Vec<_> = segments
        .iter()
        .map(|(sequence, flags, bytes)| tcp(CLIENT, SERVER, *sequence, *flags, bytes))
        .collect();
    packets.push(tcp(CLIENT, SERVER, 129, PUSH, &message(3)[5..]));
    let frames: Vec<_> = Output::of(&packets).returned.iter().map(|it| it.frame).collect();
    assert_eq!(frames, [5, 3, 6]);
}

#[test]
fn a_message_found_by_a_search_belongs_to_its_own_packet() {
    // A stream without its SYN, which begins with the end of a message, so the next message is
    // searched for.
    let mut packets = vec![tcp(CLIENT, SERVER, 100, PUSH, &[7; 5])];
    let mut sequence = 105;
    for number in 0..12 {
        packets.push(tcp(CLIENT, SERVER, sequence, PUSH, &message(number)));
        sequence += 12;
    }
    let frames: Vec<_> = Output::of(&packets).returned.iter().map(|it| it.frame).collect();
    assert_eq!(frames, (2..14).collect::<Vec<_>>());
}
