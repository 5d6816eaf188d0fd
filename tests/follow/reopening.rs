//! Several TCP connections between the same ends, and which segments belong to each.

use crate::follow::given::Given;
use crate::follow::waiting::{Pushed, distinctive, framed};
use gdwire::Dialect;
use gdwire::follow::Options;
use gdwire::net::tcp;

/// If the capture lacks segments, the sequence numbers of a stream may jump at most this far.
const FAR: u32 = 1 << 20;

/// A connection that has sent a message; the number of the next byte is `next`.
fn connected(next: u32) -> Pushed {
    let mut pushed = Pushed::new(Options::new());
    let message = framed(&distinctive(Dialect::GODOT_4));
    let first = next.wrapping_sub(message.len() as u32);
    pushed.open(first.wrapping_sub(1));
    pushed.segment(first, &message);
    pushed
}

/// Pushes a SYN and the segments after it, and returns the number of connections.
fn opened_after_syn(pushed: Pushed, sequence: u32) -> usize {
    opened_with_gap(pushed, sequence, 0)
}

/// Like [`opened_after_syn`], if some bytes are missing between the SYN and the segments.
fn opened_with_gap(mut pushed: Pushed, sequence: u32, missing: u32) -> usize {
    pushed.tcp(tcp::Segment::new(sequence, &[]).with_syn());
    pushed.segment(sequence.wrapping_add(1 + missing), b"goes on");
    pushed.given.iter().filter(|given| matches!(given, Given::Opened(_))).count()
}

#[test]
fn a_segment_far_from_the_others_does_not_hide_a_connection_with_such_numbers() {
    const ELSEWHERE: u32 = 3_000_000_000;
    assert_eq!(opened_after_syn(connected(1_000), ELSEWHERE), 2);
    let mut pushed = connected(1_000);
    pushed.segment(ELSEWHERE, b"stray");
    assert_eq!(opened_after_syn(pushed, ELSEWHERE), 2);
}

/// The next sequence number moves with the segments: a SYN with that number is forged.
#[test]
fn segments_that_continue_a_stream_do_not_confirm_a_syn() {
    let mut pushed = connected(1_000);
    let mut next = 1_000_u32;
    for _ in 0..3 {
        pushed.segment(next.wrapping_add(FAR).wrapping_sub(4), b"jump");
        next = next.wrapping_add(FAR);
    }
    assert_eq!(opened_after_syn(pushed, next - 1), 1);
    let mut pushed = connected(1_000);
    pushed.segment(1_000 + FAR - 3, b"jump");
    assert_eq!(opened_after_syn(pushed, 1_000 + FAR), 2);
}

#[test]
fn a_held_syn_counts_as_memory_with_its_payload() {
    let mut pushed = connected(1_000);
    let before = pushed.follower.held_bytes();
    pushed.tcp(tcp::Segment::new(3_000_000_000, &[7; 500]).with_syn());
    let held = pushed.follower.held_bytes() - before;
    assert!((600..3_000).contains(&held), "{held}");
}

#[test]
fn a_syn_is_confirmed_by_segments_within_64_kib() {
    let opened = |missing| opened_with_gap(connected(1_000), 3_000_000_000, missing);
    assert_eq!([0, 1, 65_535, 65_536].map(opened), [2, 2, 2, 1]);
}
