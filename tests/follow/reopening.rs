//! Several TCP connections between the same ends, and which segments belong to each.

use crate::follow::given::Given;
use crate::follow::waiting::{Pushed, distinctive, ends, framed, int};
use gdwire::Dialect;
use gdwire::follow::{Event, Follower, Options, Place};
use gdwire::net::{Side, tcp};
use gdwire::packet::{CapturedPacket, LinkType, TcpSegment, Time};

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
    opened(&pushed)
}

/// How many connections were opened.
fn opened(pushed: &Pushed) -> usize {
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

/// Four packets are held back. A fifth one takes the place of the oldest.
#[test]
fn the_last_four_syns_may_open_a_connection() {
    for (syns, expected) in [(4, 2), (5, 1)] {
        let mut pushed = connected(1_000);
        let number = |at: u32| 1_000_000_000 + at * 100_000_000;
        for at in 0..syns {
            pushed.tcp(tcp::Segment::new(number(at), &[]).with_syn());
        }
        assert_eq!(opened(&pushed), 1);
        // Bytes after the first of them confirm it if it is held.
        pushed.segment(number(0) + 1, b"goes on");
        assert_eq!(opened(&pushed), expected, "{syns}");
    }
}

/// A connection without messages has nothing to lose, so a SYN is believed at once.
#[test]
fn a_syn_after_bytes_of_another_program_opens_a_connection_at_once() {
    for is_known in [false, true] {
        let mut pushed = Pushed::new(Options::new());
        pushed.open(99);
        let payload = if is_known { framed(&int()) } else { b"SSH-2.0-OpenSSH ".repeat(1 << 10) };
        for at in 0..40 {
            pushed.segment(100 + at * payload.len() as u32, &payload);
        }
        pushed.tcp(tcp::Segment::new(3_000_000_000, &[]).with_syn());
        assert_eq!(opened(&pushed), if is_known { 1 } else { 2 });
        // It is that of the new connection, also if it is sent again.
        pushed.tcp(tcp::Segment::new(3_000_000_000, &[]).with_syn());
        pushed.segment(3_000_000_001, &framed(&int()));
        assert_eq!(opened(&pushed), 2);
    }
}

/// A client that gets no answer tries again, with another number.
#[test]
fn a_syn_after_a_connection_without_bytes_continues_it() {
    for (bytes, expected) in [(&b""[..], 1), (b"SSH-2.0", 2)] {
        let mut pushed = Pushed::new(Options::new());
        pushed.open(99);
        pushed.segment(100, bytes);
        pushed.open(3_000_000_000);
        pushed.segment(3_000_000_001, &framed(&distinctive(Dialect::GODOT_4)));
        assert_eq!((opened(&pushed), pushed.shown().len()), (expected, 1));
    }
}

/// Pushes a segment of either end with what it acknowledges, and returns the number of connections.
pub(crate) fn push_of(
    pushed: &mut Pushed,
    is_client: bool,
    segment: tcp::Segment<'_>,
    next: u32,
) -> usize {
    let (client, server) = ends();
    let (src, dst) = if is_client { (client, server) } else { (server, client) };
    let mut segment = TcpSegment::new(src, dst, segment);
    segment.acknowledgement = Some(next).filter(|next| *next > 0);
    let events = pushed.follower.segment(Place::new(1), &segment);
    events.for_each(|event| pushed.given.push(Given::of(&event)));
    opened(pushed)
}

fn syn(number: u32) -> tcp::Segment<'static> {
    tcp::Segment::new(number, &[]).with_syn()
}

/// A packet that confirms a connection belongs to it: the answer of the server has the server's
/// number.
#[test]
fn the_answer_to_a_syn_is_that_of_the_new_connection() {
    let mut pushed = connected(1_000);
    let first = [
        push_of(&mut pushed, true, syn(2_000_000_000), 0),
        push_of(&mut pushed, false, syn(7_000), 2_000_000_001),
    ];
    pushed.segment(2_000_000_001, &framed(&int()));
    // The server opens another one, which the client answers.
    let second = [
        push_of(&mut pushed, false, syn(900_000_000), 0),
        push_of(&mut pushed, true, syn(3_000_000_000), 900_000_001),
    ];
    assert_eq!((first, second), ([1, 2], [2, 3]));
}

/// A SYN and its answer may be captured in either order.
#[test]
fn an_answer_that_was_captured_before_its_syn_confirms_it() {
    for (acknowledged, expected) in [(3_000_000_000, 1), (3_000_000_001, 2), (3_000_000_002, 1)] {
        let mut pushed = connected(1_000);
        push_of(&mut pushed, false, syn(7_000), 1_000);
        assert_eq!(push_of(&mut pushed, false, syn(900_000_000), acknowledged), 1);
        assert_eq!(push_of(&mut pushed, true, syn(3_000_000_000), 0), expected, "{acknowledged}");
    }
}

/// A segment of the other end confirms a SYN if it acknowledges what comes after it, and nothing that may
/// be of the open connection. A RST refuses the new connection, which is then opened by nothing else.
#[test]
fn the_other_end_confirms_or_refuses_a_syn_by_its_acknowledgement() {
    const SYN: u32 = 3_000_000_000;
    let after = |number: u32, acknowledged: u32, is_reset: bool| {
        let mut pushed = connected(1_000);
        pushed.tcp(syn(number));
        let answer = tcp::Segment::new(7_000, &[]);
        let answer = if is_reset { answer.with_reset() } else { answer };
        let answered = push_of(&mut pushed, false, answer, acknowledged);
        pushed.segment(number.wrapping_add(1), b"goes on");
        [answered, opened(&pushed)]
    };
    for (acknowledged, is_reset, expected) in [
        (SYN, false, [1, 2]),
        (SYN + 1, false, [2, 2]),
        (SYN + 65_536, false, [2, 2]),
        (SYN + 65_537, false, [1, 2]),
        (SYN, true, [1, 2]),
        (SYN + 1, true, [1, 1]),
    ] {
        assert_eq!(after(SYN, acknowledged, is_reset), expected, "{acknowledged} {is_reset}");
    }
    let near = [1_000 + FAR, 1_001 + FAR, 1_000_u32.wrapping_sub(FAR), 999_u32.wrapping_sub(FAR)];
    assert_eq!(near.map(|next| after(next.wrapping_sub(1), next, false)[0]), [1, 2, 1, 2]);
}

/// The packets of two connections, each with its frame, add up to those of the capture.
#[test]
fn a_held_syn_is_counted_once() {
    let ip = |port: u16, sequence: u32, flags: u8, payload: &[u8]| {
        let ports = [port, 7_000].map(u16::to_be_bytes).concat();
        let numbers = [sequence, 1].map(u32::to_be_bytes).concat();
        let rest = [0x50, flags, 0xff, 0xff, 0, 0, 0, 0];
        let length = (40 + payload.len() as u16).to_be_bytes();
        let head = [64, 6, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1];
        [&[0x45, 0][..], &length, &[0; 4], &head, &ports, &numbers, &rest, payload].concat()
    };
    let message = framed(&distinctive(Dialect::GODOT_4));
    let syn = 3_000_000_000;
    let packets = [
        ip(5, 99, 0x02, &[]),
        ip(5, 100, 0x10, &message),
        ip(5, syn, 0x02, b"held"),
        ip(5, 100 + message.len() as u32, 0x10, &message),
        ip(5, syn + 5, 0x10, &message),
    ];
    let mut follower = Follower::with_options(Options::new().with_measures());
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Closed(summary) = event {
            let sent = summary.direction(Side::Second);
            let wire = sent.wire.unwrap();
            let measured = sent.measures().unwrap().packets_over_time.iter();
            let measured = measured.map(|(_, point)| point.count).sum::<u64>();
            found.push([sent.packets, sent.payload_bytes, wire.frames, wire.bytes, measured]);
        }
    };
    for (number, packet) in (1..).zip(&packets) {
        let packet = CapturedPacket::new(LinkType::RAW, packet).with_frame(number);
        let packet = packet.with_time(Time::from_nanos(number as i64 * 1_000_000_000, 9));
        follower.packet(&packet).for_each(&mut take);
    }
    follower.finish().for_each(&mut take);
    let len = message.len() as u64;
    let expected = [[3, 2 * len, 3, 3 * 40 + 2 * len, 3], [2, len + 4, 2, 2 * 40 + 4 + len, 2]];
    assert_eq!(found, expected);
}

/// A handshake that is captured after the first message belongs to its connection.
#[test]
fn a_handshake_may_be_captured_after_the_first_message() {
    let mut pushed = Pushed::new(Options::new());
    pushed.segment(1_000, &framed(&distinctive(Dialect::GODOT_4)));
    push_of(&mut pushed, true, syn(999), 0);
    push_of(&mut pushed, false, syn(7_000), 1_000);
    assert_eq!(push_of(&mut pushed, true, tcp::Segment::new(1_000, &[]), 7_001), 1);
}

/// An answer with another number than that which the client has acknowledged is of the open connection
/// only if the client's SYN shows that.
#[test]
fn an_answer_with_another_number_belongs_to_the_syn_that_was_seen() {
    for (has_syn, expected) in [(true, 1), (false, 2)] {
        let mut pushed = Pushed::new(Options::new());
        if has_syn {
            pushed.open(999);
        }
        push_of(&mut pushed, true, tcp::Segment::new(1_000, &framed(&int())), 7_001);
        push_of(&mut pushed, false, syn(3_000_000_000), 1_000);
        let next = tcp::Segment::new(3_000_000_001, b"goes on");
        assert_eq!(push_of(&mut pushed, false, next, 1_000), expected, "{has_syn}");
    }
}
