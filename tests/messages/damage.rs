//! Recorded captures in which packets are missing, doubled, reordered or cut.

use crate::messages::build::{CLIENT, Numbers, PUSH, SERVER, SYN, tcp};
use crate::messages::outcome::{Kept, Outcome};
use crate::messages::output::{Output, Returned};
use crate::messages::parts::{Recording, recordings};
use crate::messages::read::{Reading, recorded};
use gdwire::capture::Capture;
use gdwire::follow::Transport;
use gdwire::math::{Vector2, Vector3};
use gdwire::{Dialect, encode, variant};
use std::collections::BTreeSet;

/// Each change is made to this many packets of each recording, one at a time. An optimized build
/// changes each packet.
const SAMPLES: usize = 6;

/// Decompression takes time.
fn is_slow(recording: &Recording) -> bool {
    cfg!(debug_assertions) && recording.name.contains("compressed")
}

/// Places in a recording, evenly spread. They differ from recording to recording.
fn places(recording: &Recording) -> impl Iterator<Item = usize> + use<> {
    let count = recording.packets.len();
    let samples = if is_slow(recording) { SAMPLES / 3 } else { SAMPLES };
    let step = if cfg!(debug_assertions) { (count / samples).max(1) } else { 1 };
    let first = recording.name.bytes().map(usize::from).sum::<usize>() % step;
    (first..count).step_by(step)
}

/// Whether every complete message is returned. In two captures, there is a gap after which a frame
/// is not found: one has only one frame after some gaps, because its last frame is cut. In the
/// other, a small frame follows the rest of a message in the same segment, and it might be a part
/// of that message.
fn is_complete(outcome: &Outcome, recording: &Recording) -> bool {
    let has_such_a_gap =
        ["godot3-websocket-rpc.pcapng", "pandemonium5-tcp.pcapng"].contains(&&*recording.name);
    outcome.not_given.is_empty()
        || has_such_a_gap && outcome.not_given.len() == 1 && outcome.reports_a_loss()
}

#[test]
fn without_a_packet_only_what_it_carried_is_lost() {
    for recording in recordings() {
        let all = recording.all();
        assert!(recording.with_packets(&all).broken.is_empty());
        for place in places(recording) {
            let mut kept = all.clone();
            kept.remove(place);
            let outcome = recording.with_packets(&kept);
            assert!(is_complete(&outcome, recording), "{} {place}", recording.name);
            let is_noticed = outcome.reports_a_loss() || !outcome.has_hole(recording);
            assert!(is_noticed, "{} {place}", recording.name);
            for lost in outcome.new_losses(recording, place) {
                let is_around = outcome.is_around(recording, place, lost);
                assert!(is_around, "{} {place} {lost:?}", recording.name);
            }
            let (reported, missing) = outcome.unreliable(recording);
            assert_eq!(reported, missing, "{} {place}", recording.name);
        }
    }
}

/// The packets at the start, which open connections, and at the end, which acknowledge earlier
/// ones, are kept.
fn middle(recording: &Recording) -> std::ops::Range<usize> {
    4..recording.packets.len() - 16
}

#[test]
fn without_many_packets_the_rest_is_returned_or_reported_as_lost() {
    for recording in recordings() {
        let all = recording.all();
        let middle = middle(recording);
        let mut numbers = Numbers(7);
        for place in places(recording).filter(|place| middle.contains(place)) {
            let end = (place + 2 + numbers.below(8)).min(middle.end);
            let mut without_burst = all.clone();
            without_burst.drain(place..end);
            let mut is_kept =
                |(place, _): &(usize, usize)| !middle.contains(place) || numbers.below(10) > 0;
            let thinned: Kept = all.iter().copied().filter(|it| is_kept(it)).collect();
            for kept in [without_burst, thinned] {
                let outcome = recording.with_packets(&kept);
                assert!(outcome.reports_all_losses(recording), "{} {place}", recording.name);
                let is_noticed = outcome.reports_a_loss() || !outcome.has_hole(recording);
                assert!(is_noticed, "{} {place}", recording.name);
                let given = recording.parts.len() - outcome.broken.len();
                assert!(outcome.not_given.len() * 8 <= given + 8, "{} {place}", recording.name);
            }
        }
    }
}

#[test]
fn duplicate_packets_change_nothing() {
    for recording in recordings() {
        let all = recording.all();
        let check = |kept: &Kept, what: usize| {
            let outcome = recording.with_packets(kept);
            assert!(is_complete(&outcome, recording), "{} {what}", recording.name);
            let lost = &outcome.output.lost;
            assert_eq!(
                lost.len(),
                recording.whole.lost.len(),
                "{} {what} {lost:?}",
                recording.name
            );
            let (before, after) = (&recording.whole.other, &outcome.output.other);
            assert_eq!(before.len(), after.len(), "{} {what} {after:?}", recording.name);
        };
        for place in places(recording) {
            let later = [1, 2, 7, 40][place % 4];
            let mut kept = all.clone();
            kept.insert((place + later).min(all.len()), all[place]);
            check(&kept, place);
        }
        check(&all.iter().flat_map(|it| [*it, *it]).collect(), 0);
        let delayed = all[..3].iter().chain(&all);
        check(&all.iter().zip(delayed).flat_map(|(one, other)| [*one, *other]).collect(), 1);
        let is_counted = recording.whole.returned[0].transport != Transport::Udp;
        if is_counted {
            check(&all.iter().chain(&all).copied().collect(), 2);
        }
    }
}

#[test]
fn packets_in_another_order_change_nothing() {
    for recording in recordings() {
        let all = recording.all();
        let check = |kept: &Kept, what: usize| {
            let outcome = recording.with_packets(kept);
            assert!(is_complete(&outcome, recording), "{} {what}", recording.name);
            let lost = outcome.output.lost.len();
            assert_eq!(
                lost,
                recording.whole.lost.len(),
                "{} {what} {:?}",
                recording.name,
                outcome.output.lost
            );
        };
        for place in places(recording).filter(|place| *place > 0) {
            let mut kept = all.clone();
            kept.swap(place - 1, place);
            check(&kept, place);
        }
        let mut numbers = Numbers(9);
        let windows: &[usize] = if is_slow(recording) { &[8] } else { &[3, 5, 8, 16] };
        for &window in windows {
            let mut kept = all.clone();
            // The packets that open a connection keep their order, because one waits for the other.
            for packets in kept[4..].chunks_mut(window) {
                for last in (1..packets.len()).rev() {
                    packets.swap(last, numbers.below(last + 1));
                }
            }
            check(&kept, window);
        }
    }
}

#[test]
fn complete_messages_of_cut_packets_are_returned() {
    for recording in recordings() {
        let all = recording.all();
        for snaplen in [0, 20, 60, 72, 76, 90, 96, 128, 200, 400, 800, 1200] {
            let cut: Kept = all.iter().map(|(at, len)| (*at, snaplen.min(*len))).collect();
            let outcome = recording.with_packets(&cut);
            assert!(outcome.reports_all_losses(recording), "{} {snaplen}", recording.name);
            assert!(
                outcome.reports_a_loss() || outcome.broken.is_empty(),
                "{} {snaplen}",
                recording.name
            );
        }
        for place in places(recording) {
            let mut cut = all.clone();
            let (_, len) = &mut cut[place];
            *len = (*len).min(70);
            let outcome = recording.with_packets(&cut);
            assert!(is_complete(&outcome, recording), "{} {place}", recording.name);
            assert!(
                outcome.reports_a_loss() || outcome.broken.is_empty(),
                "{} {place}",
                recording.name
            );
        }
    }
}

#[test]
fn captures_may_begin_and_end_anywhere() {
    for recording in recordings() {
        let all = recording.all();
        for place in places(recording) {
            let (before, after) = all.split_at(place);
            for (part, kept) in [before, after].into_iter().enumerate() {
                let outcome = recording.with_packets(kept);
                assert!(is_complete(&outcome, recording), "{} {place} {part}", recording.name);
            }
        }
    }
}

#[test]
fn complete_messages_of_a_cut_file_are_returned() {
    for recording in recordings() {
        let file = recorded(&recording.name);
        let samples = if is_slow(recording) { 1 } else { SAMPLES };
        for sample in 1..=samples {
            let cut = &file[..file.len() * sample / (samples + 1)];
            let packets: Vec<_> = Capture::new(cut).unwrap().collect();
            let whole = packets.iter().filter(|packet| packet.is_ok()).count();
            let reading = Reading::of(cut);
            assert_eq!(reading.damaged, packets.len() - whole, "{}", recording.name);
            let of_packets = Output::of(&recording.packets[..whole]);
            let given = reading.given.iter().map(|it| (it.frame, &it.bytes));
            let expected = of_packets.returned.iter().map(|it| (it.frame, &it.bytes));
            assert!(given.eq(expected), "{} {sample}", recording.name);
        }
    }
}

#[test]
fn a_connect_command_may_arrive_after_the_first_messages() {
    for recording in recordings() {
        if recording.whole.returned[0].transport != Transport::Enet {
            continue;
        }
        for after in [4, 8, 12] {
            let mut kept = recording.all();
            // The connect command and the answer move back.
            kept[..=after].rotate_left(2);
            let outcome = recording.with_packets(&kept);
            assert!(outcome.not_given.is_empty(), "{} {after}", recording.name);
            let lost = &outcome.output.lost;
            assert_eq!(
                lost.len(),
                recording.whole.lost.len(),
                "{} {after} {lost:?}",
                recording.name
            );
        }
    }
}

/// After a gap in a stream, the rest of a message may look like a message. Every returned message
/// was sent at that place of the stream.
#[test]
fn no_message_is_invented_after_a_gap() {
    let seeds = if cfg!(debug_assertions) { 20 } else { 300 };
    for recording in recordings().iter().filter(|it| it.whole.returned[0].transport.is_over_tcp()) {
        let place = |it: &Returned| (it.lane, it.offset, it.bytes.clone());
        let sent: BTreeSet<_> = recording.whole.returned.iter().map(place).collect();
        for seed in 1..=seeds {
            let mut numbers = Numbers(0x9e37_79b9 * seed);
            // The packets that open the connection are kept, so that offsets are the same.
            let kept = recording.packets.iter().enumerate();
            let kept = kept.filter(|(at, _)| *at < 3 || numbers.below(10) > 0);
            let output = Output::of(&kept.map(|(_, it)| it.clone()).collect::<Vec<_>>());
            for returned in &output.returned {
                assert!(sent.contains(&place(returned)), "{} {seed} {returned:?}", recording.name);
            }
        }
    }
}

/// The engines send the length of a message in a segment of its own. Without it, the vector
/// (2, -5) reads as the frame of an int: its type number, 8, is the length of -5.
#[test]
fn a_message_without_its_length_is_not_mistaken_for_a_frame() {
    let value = |value| encode(Dialect::PANDEMONIUM_5, &value).unwrap();
    let vectors =
        [value(variant!(Vector2::<i32>::new(2, -5))), value(variant!(Vector3::new(1.0, 2.0, 5.0)))];
    let others = [
        value(variant!({"hp": 85, "at": Vector2::<i32>::new(4, 5), "name": "P2"})),
        value(variant!([1, "two"])),
    ];
    let length = |value: &[u8]| (value.len() as u32).to_le_bytes().to_vec();
    let mut segments = Vec::new();
    for value in others.iter().chain(&vectors).chain(&others) {
        segments.extend([length(value), value.clone()]);
    }
    // The length of the vector of floats follows the vector of ints in its segment.
    let rest = segments.drain(5..8).flatten().collect();
    segments.insert(5, rest);
    let all = |without: usize| {
        let mut packets = vec![tcp(CLIENT, SERVER, 0, SYN, &[])];
        let mut next = 1;
        for (at, segment) in segments.iter().enumerate() {
            if at != without {
                packets.push(tcp(CLIENT, SERVER, next, PUSH, segment));
            }
            next += segment.len() as u32;
        }
        Output::of(&packets)
    };
    let bytes = |output: &Output| -> Vec<_> {
        output.returned.iter().map(|it| (it.offset, it.bytes.clone())).collect()
    };
    let whole = bytes(&all(usize::MAX));
    assert_eq!(whole.len(), 6);
    let without = bytes(&all(4));
    let expected: Vec<_> =
        whole.iter().filter(|(_, bytes)| *bytes != vectors[0]).cloned().collect();
    assert_eq!(without, expected);
}
