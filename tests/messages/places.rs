//! Which packet each message is said to be of: the one that brought the last of its bytes, whatever
//! is missing in front of it.

use crate::build::{CLIENT, Numbers, PUSH, Packet, SERVER, SYN, packets, tcp};
use crate::hearing::{Heard, Hearing, Lane};
use crate::outcome::{Kept, Outcome};
use crate::parts::{Part, Recording, recordings};
use crate::read::recorded;
use gdwire::capture::Transport;
use gdwire::net::enet::{Datagram, Decompressor};
use std::collections::BTreeMap;

/// The first packet that has enough of a part.
fn arrival(part: &Part, kept: &[(usize, usize)]) -> Option<usize> {
    let has_it = |(place, len): &(usize, usize)| part.get(place).is_some_and(|need| len >= need);
    kept.iter().position(has_it)
}

/// The numbers of the packets with which messages became whole, by what they are.
fn arrivals<'r>(
    recording: &'r Recording,
    kept: &[(usize, usize)],
) -> BTreeMap<(Lane, &'r [u8]), Vec<u64>> {
    let mut arrivals: BTreeMap<_, Vec<u64>> = BTreeMap::new();
    for (message, parts) in recording.whole.heard.iter().zip(&recording.parts) {
        let last = parts.iter().map(|part| arrival(part, kept)).collect::<Option<Vec<_>>>();
        if let Some(last) = last.and_then(|arrivals| arrivals.into_iter().max()) {
            let frames = arrivals.entry((message.lane, &message.bytes[..])).or_default();
            frames.push(last as u64 + 1);
        }
    }
    arrivals
}

/// How many messages were given for other packets than those that were read last.
fn check(recording: &Recording, kept: &Kept, what: usize) -> (Outcome, usize) {
    let outcome = recording.with_packets(kept);
    let mut arrivals = arrivals(recording, kept);
    let mut latest = 0;
    let mut waited = 0;
    for heard in &outcome.hearing.heard {
        let name = &recording.name;
        let frames = arrivals.get_mut(&(heard.lane, &heard.bytes[..])).unwrap();
        let place = frames.iter().position(|frame| *frame == heard.frame);
        let place = place.unwrap_or_else(|| panic!("{name} {what}: {heard:?}, not {frames:?}"));
        frames.swap_remove(place);
        let packet = &recording.packets[kept[heard.frame as usize - 1].0];
        let time = heard.time.unwrap().as_nanos();
        assert_eq!(time, packet.time as i64 * 1_000, "{name} {what}");
        waited += usize::from(heard.frame < latest);
        latest = latest.max(heard.frame);
    }
    (outcome, waited)
}

/// The packets but some, those that open a connection kept.
fn without(kept: &Kept, one_in: usize, numbers: &mut Numbers) -> Kept {
    let mut is_kept = |place: usize| place < 4 || numbers.below(one_in) > 0;
    kept.iter().copied().filter(|(place, _)| is_kept(*place)).collect()
}

/// The packets in another order, each near its place.
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
fn messages_are_of_the_packets_that_made_them_whole() {
    for recording in recordings() {
        let all = recording.all();
        let (_, waited) = check(recording, &all, 0);
        let is_parallel =
            recording.whole.heard.iter().any(|it| it.frame > 1 && it.lane.2.is_some());
        assert!(waited == 0 || is_parallel, "{}", recording.name);
    }
}

#[test]
fn behind_what_is_missing_messages_are_of_their_own_packets() {
    let mut waited = BTreeMap::<Transport, usize>::new();
    for recording in recordings() {
        let all = recording.all();
        let transport = recording.whole.heard[0].transport;
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
fn in_another_order_messages_are_of_their_own_packets() {
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
fn packets_that_come_twice_count_once() {
    for recording in recordings() {
        if recording.whole.heard[0].transport == Transport::Udp {
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
fn is_at_its_offset(heard: &Heard, packet: &Packet, decoder: &mut Decompressor) -> bool {
    // Behind the headers of Ethernet, IPv4 and UDP.
    let datagram = &packet.data[42..];
    let mut decompressed = Vec::new();
    let parsed = Datagram::parse_with(datagram, decoder, &mut decompressed).unwrap();
    let bytes = if parsed.header().is_compressed { &decompressed } else { datagram };
    let bytes = &bytes[heard.offset as usize..];
    let part = &bytes[..bytes.len().min(64)];
    bytes.starts_with(&heard.bytes) || heard.bytes.windows(part.len()).any(|it| it == part)
}

#[test]
fn offsets_are_in_the_datagrams_that_the_messages_are_of() {
    for name in ["godot3-enet", "godot4-enet", "godot4-enet-compressed", "godot4-rpc"] {
        let all = packets(&recorded(&format!("{name}.pcapng")));
        let mut numbers = Numbers(5);
        let mut decoder = Decompressor::default();
        let places: Vec<_> = (0..all.len()).map(|place| (place, 0)).collect();
        for kept in [shuffled(&places, 6, &mut numbers), without(&places, 20, &mut numbers)] {
            let kept: Vec<_> = kept.iter().map(|(place, _)| all[*place].clone()).collect();
            for heard in Hearing::of(&kept).heard {
                let packet = &kept[heard.frame as usize - 1];
                assert!(is_at_its_offset(&heard, packet, &mut decoder), "{name}: {heard:?}");
            }
        }
    }
}

/// An int behind its length.
fn message(number: u32) -> Vec<u8> {
    [8, 2, number].map(u32::to_le_bytes).concat()
}

#[test]
fn a_message_of_two_segments_is_of_the_later_one() {
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
    let frames: Vec<_> = Hearing::of(&packets).heard.iter().map(|it| it.frame).collect();
    assert_eq!(frames, [5, 3, 6]);
}

#[test]
fn a_message_found_later_is_of_its_own_packet() {
    // Without its SYN, behind the end of a message: it is searched.
    let mut packets = vec![tcp(CLIENT, SERVER, 100, PUSH, &[7; 5])];
    let mut sequence = 105;
    for number in 0..12 {
        packets.push(tcp(CLIENT, SERVER, sequence, PUSH, &message(number)));
        sequence += 12;
    }
    let frames: Vec<_> = Hearing::of(&packets).heard.iter().map(|it| it.frame).collect();
    assert_eq!(frames, (2..14).collect::<Vec<_>>());
}
