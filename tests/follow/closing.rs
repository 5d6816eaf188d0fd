//! When connections are closed, and that no messages are lost when they are.

use crate::given::Given;
use crate::waiting::ends;
use gdwire::follow::{Closed, Follower, Limits, Options, Place};
use gdwire::net::tcp;
use gdwire::packet::Segment;
use gdwire::{Dialect, encode, variant};
use std::net::SocketAddr;

/// A connection that is opened, carries a value, and is closed by both ends.
fn connection(port: u16, number: u32) -> Vec<(bool, tcp::Segment<'static>, u32, Vec<u8>)> {
    let value = variant!({"port": i64::from(port), "number": 0.5, "list": [1, 2]});
    let value = encode(Dialect::GODOT_4, &value).unwrap();
    let framed = [&(value.len() as u32).to_le_bytes()[..], &value].concat();
    let next = number + 1 + framed.len() as u32;
    let segment = |sequence| tcp::Segment::new(sequence, &[]);
    vec![
        (true, segment(number).with_syn(), 0, Vec::new()),
        (false, segment(500).with_syn(), number + 1, Vec::new()),
        (true, segment(number + 1), 501, framed),
        (true, segment(next).with_fin(), 501, Vec::new()),
        (false, segment(501).with_fin(), next + 1, Vec::new()),
        (true, segment(next + 1), 502, Vec::new()),
    ]
}

fn push(follower: &mut Follower<'_>, port: u16, number: u32, given: &mut Vec<Given>) {
    push_first(6, follower, port, number, given);
}

/// Pushes only the first packets of a connection.
fn push_first(
    packets: usize,
    follower: &mut Follower<'_>,
    port: u16,
    number: u32,
    given: &mut Vec<Given>,
) {
    let (client, server) = ends();
    let client = SocketAddr::new(client.ip(), port);
    let packets = connection(port, number).into_iter().take(packets);
    for (is_client, segment, acknowledgement, payload) in packets {
        let (src, dst) = if is_client { (client, server) } else { (server, client) };
        let mut segment = segment;
        segment.payload = &payload;
        let segment = Segment::new(src, dst, segment).with_acknowledgement(acknowledgement);
        let events = follower.segment(Place::new(1), &segment);
        events.for_each(|event| given.push(Given::of(&event)));
    }
}

/// With any number of connections one after the other, nothing is lost, and connections that their
/// ends have closed are not kept.
#[test]
fn consecutive_connections_lose_nothing() {
    const CONNECTIONS: u32 = 20_000;
    let options = Options::new().limits(Limits::default().with_flows(100));
    let mut follower = Follower::with_options(options);
    let mut given = Vec::new();
    let (mut messages, mut closed, mut most) = (0, 0, 0);
    for at in 0..=CONNECTIONS {
        let port = 1_024 + (at % 30_000) as u16;
        if at < CONNECTIONS {
            push(&mut follower, port, at, &mut given);
        } else {
            assert!(CONNECTIONS - closed < 20, "{closed}");
            follower.finish().for_each(|event| given.push(Given::of(&event)));
        }
        for given in given.drain(..) {
            match given {
                Given::Message { .. } => messages += 1,
                Given::Closed(_, why, packets, _) => {
                    assert_eq!((why == Closed::ByEnds, packets), (at < CONNECTIONS, 6));
                    closed += 1;
                }
                Given::Opened(_) | Given::Recognized(_) => {}
                other => panic!("{other:?}"),
            }
        }
        most = most.max(follower.held_bytes());
    }
    assert_eq!((messages, closed), (CONNECTIONS, CONNECTIONS));
    assert!(most < 100_000, "{most}");
}

/// The FINs may be forged. Only later packets show whether they are.
#[test]
fn a_stream_that_continues_after_the_fins_of_both_ends_is_not_closed() {
    for continues in [false, true] {
        let mut follower = Follower::new();
        let mut given = Vec::new();
        push(&mut follower, 40_000, 100, &mut given);
        if continues {
            let (client, server) = ends();
            let fin = connection(40_000, 100).swap_remove(3).1;
            let more = tcp::Segment::new(fin.sequence, &[8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0]);
            let segment = Segment::new(client, server, more);
            let events = follower.segment(Place::new(1), &segment);
            events.for_each(|event| given.push(Given::of(&event)));
        }
        for port in 1..30 {
            push(&mut follower, port, 100, &mut given);
        }
        let is_closed = |it: &&Given| matches!(it, Given::Closed(1, Closed::ByEnds, ..));
        let messages = given.iter().filter(|it| matches!(it, Given::Message { .. })).count();
        let closed = given.iter().filter(is_closed).count();
        assert_eq!((closed, messages), (usize::from(!continues), 30 + usize::from(continues)));
    }
}

/// The same ports may be used again at once.
#[test]
fn a_new_connection_between_the_same_ends_closes_the_one_before() {
    let mut follower = Follower::new();
    let mut given = Vec::new();
    push(&mut follower, 40_000, 100, &mut given);
    push(&mut follower, 40_000, 1_000_000, &mut given);
    follower.finish().for_each(|event| given.push(Given::of(&event)));
    let closed: Vec<_> = (given.iter())
        .filter_map(|given| match given {
            Given::Closed(number, why, packets, _) => Some((*number, *why, *packets)),
            _ => None,
        })
        .collect();
    assert_eq!(closed, [(1, Closed::Replaced, 6), (2, Closed::Finished, 6)]);
    let opened: Vec<_> = given.iter().filter(|given| matches!(given, Given::Opened(_))).collect();
    assert_eq!(opened, [&Given::Opened(1), &Given::Opened(2)]);
}

/// After the end of the input, a follower starts anew: it reports a limit again.
#[test]
fn a_limit_is_reported_once_for_each_input() {
    let mut follower =
        Follower::with_options(Options::new().limits(Limits::default().with_flows(1)));
    for _ in 0..2 {
        let mut given = Vec::new();
        for port in 1..4 {
            push_first(3, &mut follower, port, 100, &mut given);
        }
        follower.finish().for_each(|event| given.push(Given::of(&event)));
        let lost = given.iter().filter(|given| matches!(given, Given::Lost(..))).count();
        let is_limit = |it: &&Given| matches!(it, Given::Closed(_, Closed::Limit, _, _));
        assert_eq!((lost, given.iter().filter(is_limit).count()), (1, 2), "{given:?}");
    }
}
