//! Held messages are bounded, and dropped messages are reported.

use super::assemble::*;
use gdwire::net::Side::First;
use gdwire::net::enet::{LossReason, Lost, Mode, SessionLimits};

fn small() -> SessionLimits {
    SessionLimits::default().with_held_bytes(2_000).with_message_len(5_000).with_unfinished(4)
}

#[test]
fn a_gap_is_given_up_when_memory_is_full() {
    let mut watched = Watched::with_limits(small());
    watched.receive(First, &one(reliable(0, 1, b"first")));
    for number in 3..300 {
        watched.receive(First, &one(reliable(0, number, b"some bytes")));
    }
    assert_eq!(watched.given.len(), 298);
    assert_eq!(watched.lost.len(), 1);
    assert_eq!(
        (watched.lost[0].lost, watched.lost[0].reason),
        (Lost::Missing { mode: Mode::Reliable, count: 1 }, LossReason::Limit)
    );
}

#[test]
fn the_oldest_unfinished_messages_are_dropped() {
    for is_reliable in [false, true] {
        let mut watched = Watched::with_limits(small());
        let messages = 50_u16;
        for number in 1..=messages {
            let message = [number as u8; 900];
            let part = parts(&message, 300, number)[0];
            let command =
                if is_reliable { part.reliable(number as u8) } else { part.unreliable(0, 0) };
            watched.receive(First, &one(command));
        }
        watched.finish();
        assert_eq!(watched.given, []);
        assert_eq!(watched.lost.len(), usize::from(messages));
        let mode = if is_reliable { Mode::Reliable } else { Mode::Unreliable };
        let lost = Lost::Fragments { mode, seen: 1, count: 3, len: 900 };
        assert!(watched.lost.iter().all(|loss| loss.lost == lost));
        let dropped = watched.lost.iter().filter(|loss| loss.reason == LossReason::Limit).count();
        assert!((45..50).contains(&dropped), "{dropped}");
    }
}

#[test]
fn a_message_that_is_too_long_is_lost_once_and_nothing_waits_for_it() {
    for len in [3_000, 6_000] {
        for is_reliable in [false, true] {
            let mut watched = Watched::with_limits(small());
            watched.receive(First, &one(reliable(0, 1, b"before")));
            let message = vec![1; len];
            let parts = parts(&message, 500, 2);
            for part in parts.iter().chain(&parts) {
                let command = if is_reliable { part.reliable(0) } else { part.unreliable(0, 1) };
                watched.receive(First, &one(command));
            }
            let next = if is_reliable { 2 + parts.len() as u16 } else { 2 };
            watched.receive(First, &one(reliable(0, next, b"behind")));
            assert_eq!(watched.texts(), ["before", "behind"], "{len} {is_reliable}");
            watched.finish();
            assert_eq!(watched.lost.len(), 1, "{len} {is_reliable} {:?}", watched.lost);
            assert_eq!(watched.lost[0].reason, LossReason::Limit);
        }
    }
}

#[test]
fn the_longest_message_may_come_in_fragments() {
    for (len, lost) in [(5_000, 0), (5_001, 1)] {
        for is_reliable in [false, true] {
            let mut watched = Watched::with_limits(small().with_held_bytes(20_000));
            watched.receive(First, &one(reliable(0, 1, b"before")));
            for part in parts(&vec![1; len], 500, 2) {
                let command = if is_reliable { part.reliable(0) } else { part.unreliable(0, 1) };
                watched.receive(First, &one(command));
            }
            watched.finish();
            assert_eq!(watched.lost.len(), lost, "{len} {is_reliable}");
        }
    }
}

#[test]
fn with_a_limit_of_zero_nothing_is_held() {
    let mut watched = Watched::with_limits(small().with_held_bytes(0));
    watched.receive(First, &one(reliable(0, 1, b"1")));
    watched.receive(First, &one(reliable(0, 3, b"3")));
    watched.receive(First, &one(unreliable(0, 5, 1, b"5.1")));
    watched.receive(First, &one(parts(&[0; 600], 300, 6)[1].reliable(0)));
    watched.receive(First, &one(parts(&[0; 600], 300, 6)[0].unreliable(1, 0)));
    watched.receive(First, &one(reliable(0, 8, b"8")));
    watched.receive(First, &one(reliable(0, 2, b"2")));
    assert_eq!(watched.texts(), ["1", "3", "5.1", "8", "2"]);
    // The second, the fourth, the fifth, and the two in fragments.
    assert_eq!(watched.lost.len(), 4);
}

#[test]
fn messages_may_fill_the_memory() {
    for (room, lost) in [(238, 0), (237, 1)] {
        let mut watched = Watched::with_limits(small().with_held_bytes(room));
        watched.receive(First, &CONNECTING.connect());
        watched.receive(First, &one(reliable(0, 3, &[3; 100])));
        watched.receive(First, &one(unreliable(0, 3, 1, &[3; 10])));
        assert_eq!(watched.lost.len(), lost, "{room}");
    }
}

#[test]
fn the_oldest_held_messages_are_given_up() {
    // A fragment that nothing waits for, and a message that waits: the older one is given up.
    for is_fragment_first in [true, false] {
        let mut watched = Watched::with_limits(small());
        watched.receive(First, &one(reliable(0, 1, b"1")));
        let fragment = one(parts(&[0; 900], 300, 5)[0].unreliable(0, 1));
        let message = one(reliable(0, 3, &[3; 300]));
        let [first, second] =
            if is_fragment_first { [fragment, message] } else { [message, fragment] };
        watched.receive(First, &first);
        watched.receive(First, &second);
        assert_eq!(watched.lost, []);
        // 620 and 364 of 2,000 bytes are in use.
        watched.receive(First, &one(reliable(1, 1, b"1")));
        watched.receive(First, &one(reliable(1, 3, &[4; 1_000])));
        let lost: Vec<Lost> = watched.lost.iter().map(|it| it.lost).collect();
        let expected = if is_fragment_first {
            Lost::Fragments { mode: Mode::Unreliable, seen: 1, count: 3, len: 900 }
        } else {
            Lost::Missing { mode: Mode::Reliable, count: 1 }
        };
        assert_eq!(lost, [expected], "{is_fragment_first}");
    }
}

/// A held message counts with its content, and a message that was dropped counts until its turn.
#[test]
fn what_is_held_is_counted() {
    let mut watched = Watched::with_limits(small());
    watched.receive(First, &CONNECTING.connect());
    let mut held = |command| {
        watched.receive(First, &one(command));
        watched.session.held_bytes()
    };
    assert_eq!(held(reliable(0, 3, &[3; 100])), 164);
    assert_eq!(held(unreliable(0, 3, 1, &[3; 10])), 164 + 74);
    // It is too long.
    assert_eq!(held(parts(&[0; 6_000], 300, 5)[0].reliable(0)), 164 + 74 + 64);
    let before = held(parts(&[0; 600], 300, 40)[0].reliable(0));
    assert_eq!(held(parts(&[0; 600], 300, 40)[0].reliable(0)), before);
    assert_eq!(held(parts(&[0; 600], 300, 40)[1].reliable(0)), 164 + 74 + 64 + 664);
    assert_eq!(held(reliable(0, 1, b"")), 164 + 74 + 64 + 664);
    assert_eq!(held(reliable(0, 2, b"")), 64 + 664);
    assert_eq!(held(reliable(0, 4, b"")), 664);
    watched.finish();
    assert_eq!(watched.given.len(), 6);
}

/// A late message is returned if it belongs to one of the last 16 gaps of its channel.
#[test]
fn late_messages_fill_the_last_gaps() {
    for (gaps, is_given) in [(16, true), (17, false)] {
        let mut watched = Watched::with_limits(small().with_held_bytes(0));
        watched.receive(First, &CONNECTING.connect());
        for number in 0..=gaps {
            watched.receive(First, &one(reliable(0, 2 * number + 1, b"")));
        }
        watched.given.clear();
        watched.receive(First, &one(reliable(0, 2, b"late")));
        assert_eq!(watched.given.len(), usize::from(is_given), "{gaps}");
    }
}

#[test]
fn fragments_are_dropped_exactly_after_the_limit_of_patience() {
    let mut watched = Watched::with_limits(small().with_patience(8));
    let wait = |watched: &mut Watched, datagrams| {
        for _ in 0..datagrams {
            watched.receive(First, &one(ping(1)));
        }
    };
    wait(&mut watched, 8);
    watched.receive(First, &one(parts(&[0; 600], 300, 1)[0].unreliable(0, 0)));
    wait(&mut watched, 7);
    assert_eq!(watched.lost, []);
    wait(&mut watched, 8);
    assert_eq!(watched.lost.len(), 1);
}

/// A message that is too long has the number of a fragment of an earlier message.
#[test]
fn a_long_message_in_the_place_of_a_fragment_skips_nothing() {
    let mut watched = Watched::with_limits(small());
    watched.receive(First, &CONNECTING.connect());
    watched.receive(First, &one(parts(&[0; 6_000], 300, 3)[0].reliable(0)));
    for part in parts(b"abcdefghij", 2, 1) {
        watched.receive(First, &one(part.reliable(0)));
    }
    watched.receive(First, &one(reliable(0, 6, b"next")));
    assert_eq!(watched.texts(), ["abcdefghij", "next"]);
    assert_eq!(watched.lost.len(), 1);
}

#[test]
fn each_limit_has_a_setter() {
    let limits = SessionLimits::default()
        .with_held_bytes(1)
        .with_message_len(2)
        .with_unfinished(3)
        .with_patience(4);
    assert_eq!((limits.held_bytes, limits.message_len), (1, 2));
    assert_eq!((limits.unfinished, limits.patience), (3, 4));
    let usual = SessionLimits::default();
    assert_eq!((usual.held_bytes, usual.message_len), (33_554_432, 33_554_432));
    assert_eq!((usual.unfinished, usual.patience), (64, 64));
}
