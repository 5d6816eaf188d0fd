//! Tests which packets that were captured only in part may have been messages.

use crate::follow::waiting::{distinctive, ends, framed};
use gdwire::Dialect;
use gdwire::follow::{Cause, CutPackets, Event, Follower, Place};
use gdwire::net::tcp;
use gdwire::packet::{TcpSegment, UdpDatagram};
use std::net::SocketAddr;

/// The beginning of a value, of no value, and too few bytes to tell.
const VALUE: &[u8] = &[4, 0, 0, 0, 99, 0, 0, 0, b'x'];
const OTHER: &[u8] = &[1, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255];
const SHORT: &[u8] = &[4, 0, 0];

/// A packet: whether it is a segment, its port, its captured bytes, and how many were not captured.
type Sent<'a> = (bool, u16, &'a [u8], usize);

/// The packets that may have been messages, each with its frame and how many of its flow there are, and
/// how many were not. The frames are numbered from 1.
fn concluded(has_game: bool, packets: &[Sent<'_>]) -> (Vec<(u64, u64)>, u64, Vec<String>) {
    let (mut follower, mut cut) = (Follower::new(), CutPackets::new());
    let mut take = |event: Event<'_>| {
        if let Event::Other(other) = event {
            cut.other(&other);
        }
    };
    let (client, server) = ends();
    let mut next = 1;
    for (&(is_tcp, port, payload, missing), frame) in packets.iter().zip(1..) {
        let client = SocketAddr::new(client.ip(), port);
        if is_tcp {
            let segment = tcp::Segment::new(next, payload).with_missing(missing);
            next += (payload.len() + missing) as u32;
            let segment = TcpSegment::new(client, server, segment);
            follower.segment(Place::new(frame), &segment).for_each(&mut take);
        } else {
            let datagram = UdpDatagram::new(client, server, payload).with_missing(missing);
            follower.datagram(Place::new(frame), &datagram).for_each(&mut take);
        }
    }
    follower.finish().for_each(&mut take);
    let (lost, others) = cut.conclude(has_game);
    let shown = lost.iter().map(ToString::to_string).collect();
    (lost.iter().map(|it| (it.first_frame, it.packets)).collect(), others, shown)
}

#[test]
fn what_was_cut_is_judged_by_its_flow_and_by_the_capture() {
    let framed = &[&[99, 0, 0, 0][..], VALUE].concat()[..];
    let udp = |port, payload| (false, port, payload, 90);
    let tcp = |port, payload| (true, port, payload, 90);
    type Case<'a> = (bool, &'a [Sent<'a>], &'a [(u64, u64)], u64);
    let cases: [Case<'_>; 17] = [
        (false, &[udp(1, VALUE)], &[(1, 1)], 0),
        (false, &[udp(1, OTHER)], &[], 1),
        (true, &[udp(1, OTHER)], &[], 1),
        (false, &[tcp(1, framed)], &[(1, 1)], 0),
        (false, &[tcp(1, OTHER)], &[], 1),
        // No value after a length, and a value after what is no length.
        (false, &[tcp(1, &[99, 0, 0, 0, 1, 2, 3, 4])], &[], 1),
        (false, &[tcp(1, &[1, 0, 0, 1, 2, 0, 0, 0])], &[], 1),
        // Without another flow that is none of a game, what cannot be judged may have been a message.
        (false, &[udp(1, SHORT)], &[(1, 1)], 0),
        (false, &[udp(1, SHORT), udp(2, OTHER)], &[], 2),
        (true, &[udp(1, SHORT), udp(2, OTHER)], &[(1, 1)], 1),
        (false, &[udp(1, SHORT), udp(2, OTHER), udp(3, VALUE)], &[(1, 1), (3, 1)], 1),
        (false, &[tcp(1, SHORT), udp(2, OTHER)], &[], 2),
        // Every datagram is a message, but a segment may start in the middle of one.
        (false, &[udp(1, VALUE), udp(1, OTHER)], &[], 2),
        (false, &[tcp(1, framed), tcp(1, OTHER)], &[(1, 2)], 0),
        (false, &[udp(1, OTHER), udp(2, VALUE), udp(1, OTHER)], &[(2, 1)], 2),
        // Whole packets show what a flow carries, and are not counted.
        (true, &[(false, 1, OTHER, 0), udp(1, SHORT)], &[], 1),
        (true, &[(true, 1, OTHER, 0), tcp(1, SHORT)], &[], 1),
    ];
    for (has_game, packets, lost, others) in cases {
        let found = concluded(has_game, packets);
        assert_eq!((&found.0[..], found.1), (lost, others), "{has_game} {packets:?}");
    }
}

#[test]
fn cut_packets_are_described_by_flow() {
    let ports = [0, 0, 9, 8, 9, 9, 8, 7];
    let packets = ports.map(|port| (false, port, SHORT, usize::from(port) * 10));
    let cut = |port: u16, more: &str| {
        let flow = format!("10.0.0.1:7000 and 10.0.0.2:{port}");
        format!("{flow}: captured only in part and not decoded{more}")
    };
    let expected = [
        format!("frame 3: {}", cut(9, ", like 2 more packets of this flow")),
        format!("frame 4: {}", cut(8, ", like one more packet of this flow")),
        format!("frame 8: {}", cut(7, "")),
    ];
    assert_eq!(concluded(true, &packets).2, expected);
}

/// The missing bytes may be in an earlier packet of the same sender that was captured only in part.
#[test]
fn a_loss_says_whether_packets_of_its_sender_were_cut_before() {
    let (client, server) = ends();
    let framed = framed(&distinctive(Dialect::GODOT_4));
    let len = framed.len() as u32;
    let found = |cut_at: u64, is_client: bool| {
        let (mut follower, mut found) = (Follower::new(), Vec::new());
        let mut take = |event: Event<'_>| {
            if let Event::Lost(loss) = event
                && matches!(loss.cause, Cause::Stream { .. })
                && loss.origin.is_some_and(|it| it.src() == client)
            {
                found.push((loss.place.frame, loss.is_after_cut));
            }
        };
        for frame in 1..8_u64 {
            // Two messages are missing.
            let number = 100 + len * (frame as u32 + u32::from(frame > 2) + u32::from(frame > 5));
            let segment = tcp::Segment::new(number, &framed);
            let segment = TcpSegment::new(client, server, segment);
            follower.segment(Place::new(frame), &segment).for_each(&mut take);
            if frame == cut_at {
                let (src, dst) = if is_client { (client, server) } else { (server, client) };
                let cut = tcp::Segment::new(number + len - 4, b"last").with_missing(4);
                let segment = TcpSegment::new(src, dst, cut);
                follower.segment(Place::new(frame), &segment).for_each(&mut take);
            }
        }
        follower.finish().for_each(&mut take);
        found
    };
    for (cut_at, is_client, expected) in [
        (1, true, [true, true]),
        (3, true, [true, true]),
        (4, true, [false, true]),
        (4, false, [false, false]),
        (7, true, [false, false]),
    ] {
        let [first, second] = expected;
        assert_eq!(found(cut_at, is_client), [(3, first), (6, second)], "{cut_at} {is_client}");
    }
}
