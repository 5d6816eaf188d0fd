//! Datagrams that are designed to be expensive: memory and work stay in proportion to their length.

use super::assemble::*;
use crate::common::unhex;
use gdwire::net::Side::{First, Second};
use gdwire::net::enet::{LossReason, Lost, Mode, Problem, Session, SessionLimits};
use proptest::prelude::*;

/// A message of 1,380 and one of 4,000 zeros, as ENet compresses them with their commands.
const ZEROS: &str = "c000000949b7496cec4d4b85f9ea8d1e32cdd5b7";
const MORE_ZEROS: &str = "c000000949b7496d446c1675f67ae9b0437b41876e747752c9";

/// 4,000 bytes, one in three of which is at the end of a tree of 140 nodes.
const DEEP: &str = "c000000949b7496d4473f6b9329fca9e8151098950a58b50dab6282d08e14d7a5122beb0a6c0de5da0195e74675c0a1c6edb1a0bf796db49e64d4116a59efb38de2d80ac6404b8065c58e0e40125d025b17a10f68fb10d205fdc10b9d1b591340b727839199bce6c385f14bb0dfe57d15fb8846e7b07bde298edf056377698f1ea73bf791f90d9ee639c316b8e7288dafb4ee7dcd44764b8362d40818730cdde7e7f54ccf02e141ff592c485ff5358b18814ca854e1f067f01f82ca7368daf45f7cb20a7f11b9e859824b812c169cf476c749c5830bfd754895612fa01e65170be1ff5ff0de742ebb7f7ae4a51c7351eb1643f8ce89fa8d9d4b4c07156df23c975988a63db685d2b9945dab7d17572e9b52203e59cf79a0e932e40fd2c8446235d90587c87171f1cc42fbfe3a1862f9d623021c003898bf55726802f9abd3b79de833366b5abbf1163592ec2c3d7a5cc4c49bd27d0b07fd58cf69144d784834563719c261fa3356b541b3cb952f51560f0281d28c890daf853b9d1d99f33af202d56d225dad80b17f02e7742c3d9895b096b37aa9f1d40559fa8c1482a594efd4422b7467b41782c";

/// How many of these datagrams in a row a new session accepts, after some others.
fn accepted(hex: &str, others: usize) -> usize {
    let (datagram, mut session) = (unhex(hex), Session::new(SessionLimits::default()));
    for _ in 0..others {
        session.receive(First, &one(ping(1)), &mut |_| {}).unwrap();
    }
    let result = |_: &usize| match session.receive(First, &datagram, &mut |_| {}) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.problem, Problem::TooMuchWork);
            false
        }
    };
    (0..1_000).take_while(result).count()
}

#[test]
fn datagrams_that_take_too_much_work_to_decompress_are_refused() {
    assert_eq!(accepted(ZEROS, 0), 1_000);
    assert_eq!((accepted(MORE_ZEROS, 0), accepted(DEEP, 0)), (0, 0));
    // Work that earlier datagrams did not need is available later, but only up to a limit.
    let (some, many) = (accepted(MORE_ZEROS, 10), accepted(MORE_ZEROS, 10_000));
    assert!((3..15).contains(&some), "{some}");
    assert!((30..60).contains(&many), "{many}");
    let deep = accepted(DEEP, 10_000);
    assert!((1..40).contains(&deep), "{deep}");
}

#[test]
fn acknowledgements_of_all_channels_take_memory_in_proportion() {
    let mut watched = Watched::with_limits(SessionLimits::default().with_patience(2_000));
    watched.receive(First, &CONNECTING.connect());
    let mut sent = 0;
    let message = [0; 4_000];
    let parts = parts(&message, 4, 1);
    let sides = [(First, Second), (Second, First)];
    for channel in 0..255 {
        for (side, other) in sides {
            let fragments: Vec<_> =
                parts[..100].iter().map(|part| part.reliable(channel)).collect();
            let acknowledgements: Vec<_> = (1..400).map(|at| acknowledge(channel, at)).collect();
            for (side, commands) in [(side, fragments), (other, acknowledgements)] {
                let datagram = datagram(&commands);
                sent += datagram.len();
                watched.receive(side, &datagram);
            }
        }
    }
    let held = watched.session.heap_bytes();
    assert!(held < 4 * sent, "{held} of {sent}");
    assert!(watched.session.held_bytes() > 0);
    // Fragments that were acknowledged but did not arrive are given up, on every channel.
    assert_eq!(watched.lost, []);
    for number in 0..2_100 {
        watched.receive(First, &one(ping(number)));
    }
    assert_eq!(watched.lost.len(), 510);
    let lost = Lost::Fragments { mode: Mode::Reliable, seen: 100, count: 1_000, len: 4_000 };
    assert!(watched.lost.iter().all(|it| it.lost == lost && it.reason == LossReason::NotSeen));
    assert_eq!(watched.session.held_bytes(), 0);
}

#[test]
fn repeated_acknowledgements_do_not_give_up_fragments_that_arrived() {
    let mut watched = Watched::with_limits(SessionLimits::default().with_patience(10));
    watched.receive(First, &CONNECTING.connect());
    let message: Vec<u8> = (0..40).collect();
    let parts = parts(&message, 4, 1);
    for at in [4, 1, 8, 0] {
        watched.receive(First, &one(parts[at].reliable(0)));
        watched.receive(Second, &one(acknowledge(0, 1 + at as u16)));
    }
    for number in 0..100 {
        watched.receive(Second, &one(ping(number)));
    }
    assert_eq!(watched.lost, []);
    // One fragment is acknowledged that did not arrive.
    watched.receive(Second, &one(acknowledge(0, 3)));
    for number in 0..8 {
        watched.receive(Second, &one(ping(number)));
    }
    assert_eq!(watched.lost, []);
    for number in 0..8 {
        watched.receive(Second, &one(ping(number)));
    }
    let lost = Lost::Fragments { mode: Mode::Reliable, seen: 4, count: 10, len: 40 };
    assert_eq!(watched.lost.iter().map(|it| it.lost).collect::<Vec<_>>(), [lost]);
}

#[test]
fn the_channel_that_waits_longest_is_given_up() {
    let limits = SessionLimits::default().with_held_bytes(10_000);
    let mut watched = Watched::with_limits(limits);
    for channel in (0..100).rev() {
        watched.receive(First, &one(reliable(channel, 1, b"first")));
        watched.receive(First, &one(reliable(channel, 3, &[channel])));
    }
    assert_eq!((watched.given.len(), watched.lost.len()), (100, 0));
    // Each takes as much memory as 16 of the others.
    for number in 5..10 {
        watched.receive(First, &one(reliable(0, number, &[0; 1_000])));
    }
    let given: Vec<u8> = watched.given[100..].iter().map(|it| it.channel).collect();
    let expected: Vec<u8> = (0..100).rev().take(given.len()).collect();
    assert_eq!(given, expected);
    assert!(watched.lost.iter().map(|it| it.channel).eq(expected.iter().map(|it| Some(*it))));
    assert!((20..=48).contains(&given.len()), "{}", given.len());
}

#[test]
fn channels_are_distinguished_in_any_order() {
    let mut watched = Watched::new();
    let order = || (0..255_u32).map(|at| (at * 101 % 255) as u8);
    for number in [2, 1] {
        for channel in order() {
            watched.receive(First, &one(reliable(channel, number, &[channel])));
        }
    }
    // A channel begins with the first number that is seen; the number before it arrives late.
    let given: Vec<u8> = watched.given.iter().map(|it| it.payload[0]).collect();
    assert!(given.into_iter().eq(order().chain(order())));
    assert!(watched.given.iter().all(|it| it.payload == [it.channel]));
    assert_eq!(watched.lost, []);
    for channel in order() {
        watched.receive(First, &one(reliable(channel, 4, b"")));
    }
    watched.finish();
    assert!(watched.lost.iter().map(|it| it.channel).eq((0..255).map(Some)));
}

/// Whether each unsequenced message is new. They are passed one group at a time.
fn are_new(groups: &[u16]) -> Vec<bool> {
    let mut seen = [false; 1_024];
    let mut end = groups[0].wrapping_add(1);
    let insert = |group: &u16| {
        let next = group.wrapping_add(1);
        let ahead = next.wrapping_sub(end);
        if ahead != 0 && end.wrapping_sub(next) >= 1_024 {
            for skipped in 0..ahead {
                seen[usize::from(end.wrapping_add(skipped) % 1_024)] = false;
            }
            end = next;
        }
        !std::mem::replace(&mut seen[usize::from(group % 1_024)], true)
    };
    groups.iter().map(insert).collect()
}

proptest! {
    #[test]
    fn unsequenced_messages_are_distinguished_after_jumps(
        jumps in prop::collection::vec(
            prop_oneof![-70..70_i32, -1_100..1_100_i32, any::<i16>().prop_map(i32::from)],
            1..60,
        ),
        start in any::<u16>(),
    ) {
        let jump = |group: &mut u16, jump: &i32| {
            *group = group.wrapping_add(*jump as u16);
            Some(*group)
        };
        let groups: Vec<u16> = jumps.iter().scan(start, jump).collect();
        let mut watched = Watched::new();
        let mut is_given = |group: &u16| {
            let before = watched.given.len();
            watched.receive(First, &one(unsequenced(1, *group, b"x")));
            watched.given.len() > before
        };
        let given: Vec<bool> = groups.iter().map(&mut is_given).collect();
        prop_assert_eq!(given, are_new(&groups));
    }
}
