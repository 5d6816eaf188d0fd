//! Tests which connections are dropped at the limits on flows and memory.

use crate::common::unhex;
use crate::follow::addressed::reliable;
use crate::follow::given::Given;
use crate::follow::refused::CONNECT;
use crate::follow::waiting::{Pushed, color, distinctive, ends, framed, int};
use gdwire::Dialect;
use gdwire::follow::{Closed, Follower, Limits, Options, Place, Share, Transport};
use gdwire::packet::UdpDatagram;
use std::net::SocketAddr;
use std::num::NonZero;

/// Pushes a datagram from each port, and keeps the events.
fn push(limits: Limits, datagrams: &[(u16, &[u8])]) -> (Follower<'static>, Vec<Given>) {
    let mut follower = Follower::with_options(Options::new().with_limits(limits));
    let mut given = Vec::new();
    let (src, dst) = ends();
    for (port, payload) in datagrams {
        let datagram = UdpDatagram::new(SocketAddr::new(src.ip(), *port), dst, payload);
        let events = follower.datagram(Place::new(1), &datagram);
        events.for_each(|event| given.push(Given::of(&event)));
    }
    (follower, given)
}

/// The connections that were given up, in this order.
fn given_up(given: &[Given]) -> Vec<u64> {
    let closed = given.iter().filter_map(|given| match given {
        Given::Closed(number, Closed::Limit, ..) => Some(*number),
        _ => None,
    });
    closed.collect()
}

#[test]
fn a_connection_may_hold_as_much_as_its_limit() {
    let value = distinctive(Dialect::GODOT_4);
    let held = push(Limits::default(), &[(1, &value)]).0.held_bytes();
    let limit = |limit| {
        let limits = Limits::default().with_flow_bytes(limit);
        given_up(&push(limits, &[(1, &value)]).1)
    };
    assert_eq!((limit(held), limit(held - 1)), (vec![], vec![1]));
}

/// A connection that holds more than its share is given up before the others.
#[test]
fn a_connection_may_hold_its_share_before_it_is_given_up_first() {
    let value = distinctive(Dialect::GODOT_4);
    let held = |limits| push(limits, &[(1, &value)]).0.held_bytes();
    let place = held(Limits::default());
    // With seven connections, the share is an eighth of the total.
    let with_share = |share| held(Limits::default().with_flows(7).with_total_bytes(8 * share));
    assert_eq!(with_share(place), place);
    assert!(with_share(place - 1) > place);
}

/// All connections together, too, may hold as much as their limit.
#[test]
fn a_follower_with_a_share_may_hold_as_much_as_its_limit() {
    let value = distinctive(Dialect::GODOT_4);
    let (src, dst) = ends();
    let follower = |total| {
        let limits = Limits::default().with_total_bytes(total);
        let share = Share::divide(NonZero::<usize>::MIN).remove(0);
        let options = Options::new().with_limits(limits).with_share(share);
        let mut follower = Follower::with_options(options);
        follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, &value));
        follower
    };
    // With so little, the connection holds more than its share, which takes memory, too.
    let held = follower(1_000).held_bytes();
    let exceeds = |total| follower(total).exceeds_share().is_some();
    assert_eq!((exceeds(held), exceeds(held - 1)), (false, true));
}

/// The held messages of a connection take more memory as events, which is beyond its limit.
#[test]
fn all_held_messages_are_returned_at_once() {
    const MESSAGES: u32 = 1_000;
    let value = color();
    let mut datagrams = vec![(1, &value[..]); MESSAGES as usize - 1];
    let limits = Limits::default().with_undecided_messages(MESSAGES);
    let (follower, given) = push(limits, &datagrams);
    assert_eq!(given, [Given::Opened(1)]);
    let limits = limits.with_flow_bytes(follower.held_bytes() + 100);
    assert_eq!(push(limits, &datagrams).1, given);
    datagrams.push((1, &value));
    let given = push(limits, &datagrams).1;
    let messages = given.iter().filter(|given| matches!(given, Given::Message { .. })).count();
    assert_eq!((messages, given.len()), (MESSAGES as usize, MESSAGES as usize + 2));
}

/// ENet messages that wait for an earlier one may take half of a connection's limit.
#[test]
fn messages_that_wait_are_lost_before_their_connection_is_given_up() {
    let datagrams: Vec<_> = (2..=255).map(|sequence| reliable(sequence, &[7; 250])).collect();
    let connect = unhex(CONNECT);
    let datagrams: Vec<_> =
        [&connect].into_iter().chain(&datagrams).map(|datagram| (1, &datagram[..])).collect();
    let given = push(Limits::default().with_flow_bytes(100_000), &datagrams).1;
    assert!(given.iter().any(|given| matches!(given, Given::Lost(..))));
    assert!(given_up(&given).is_empty());
}

/// Up to an eighth of the connections may be without a message of the engines. Beyond that, these
/// are given up first.
#[test]
fn connections_without_messages_are_given_up_first() {
    let value = distinctive(Dialect::GODOT_4);
    let mut datagrams: Vec<_> = (1..=8).map(|port| (port, &value[..])).collect();
    datagrams.extend([(9, &b"nothing of the engines"[..]), (10, b"nothing of the engines")]);
    let given = push(Limits::default().with_flows(8), &datagrams).1;
    assert_eq!(given_up(&given), [1, 9]);
}

#[test]
fn a_connection_without_room_is_dropped_at_once() {
    let value = distinctive(Dialect::GODOT_4);
    let datagrams = [(1, &value[..]), (2, b"nothing of the engines")];
    let given = push(Limits::default().with_flows(0), &datagrams).1;
    assert_eq!(given_up(&given), [1, 2]);
}

/// Pushes this many ambiguous values, which wait, from a port.
fn waiting(port: u16, values: usize) -> impl Iterator<Item = (u16, Vec<u8>)> {
    std::iter::repeat_n((port, color()), values)
}

/// The connections that were given up, and the most bytes that were held, with a limit of 64 KiB.
fn heavy(flows: usize, datagrams: impl Iterator<Item = (u16, Vec<u8>)>) -> (Vec<u64>, usize) {
    let limits = Limits::default().with_undecided_messages(10_000).with_undecided_bytes(1 << 20);
    let limits = limits.with_flows(flows).with_total_bytes(64 << 10);
    let mut follower = Follower::with_options(Options::new().with_limits(limits));
    let (src, dst) = ends();
    let (mut given, mut most) = (Vec::new(), 0);
    for (port, payload) in datagrams {
        let datagram = UdpDatagram::new(SocketAddr::new(src.ip(), port), dst, &payload);
        let events = follower.datagram(Place::new(1), &datagram);
        events.for_each(|event| given.push(Given::of(&event)));
        most = most.max(follower.held_bytes());
    }
    (decided(&given), most)
}

/// The connections whose messages were returned because of the limit, in this order.
fn decided(given: &[Given]) -> Vec<u64> {
    let mut decided: Vec<u64> = Vec::new();
    for event in given {
        if let Given::Message { how, .. } = event
            && !decided.contains(&how.connection)
        {
            decided.push(how.connection);
        }
    }
    decided
}

/// Among the connections that hold much, the one that was not used for the longest time decides first, which
/// frees what it holds. A connection that is gone does not stand in the way.
#[test]
fn connections_that_hold_much_are_decided_in_the_order_of_their_use() {
    // They hold about as much. The first one is used again.
    let equal =
        (1..=7).flat_map(|port| waiting(port, 33).chain(waiting(1, usize::from(port == 3))));
    let (order, most) = heavy(8, equal);
    assert_eq!(order[..2], [2, 3], "{order:?}");
    assert!(most <= 64 << 10, "{most}");
    // The first one makes room for others, and the limit still holds.
    let others = (10..18).flat_map(|port| waiting(port, 1));
    let later = (20..24).flat_map(|port| waiting(port, 66));
    let (order, most) = heavy(8, waiting(1, 66).chain(others).chain(later));
    assert!(order.contains(&1) && most <= 64 << 10, "{order:?} {most}");
}

fn lost(given: &[Given]) -> Vec<&str> {
    let lost = given.iter().filter_map(|given| match given {
        Given::Lost(_, text) => Some(&text[..]),
        _ => None,
    });
    lost.collect()
}

/// If one packet has more messages than the limit allows, the others are reported as one loss with their
/// number.
#[test]
fn messages_beyond_the_limit_of_a_packet_are_one_loss() {
    let limits = Limits::default().with_flow_bytes(20_000);
    let options = Options::new().with_limits(limits).with_transport(Transport::Tcp);
    let mut pushed = Pushed::new(options.with_dialect(Dialect::GODOT_4));
    pushed.open(99);
    let framed = framed(&int());
    pushed.segment(100, &framed);
    assert_eq!((pushed.shown().len(), lost(&pushed.given)), (1, vec![]));
    pushed.segment(112, &framed.repeat(1_000));
    let messages = pushed.shown().len();
    assert!((20..500).contains(&messages), "{messages}");
    let left = 1_001 - messages;
    let expected = format!("{left} messages or losses: one packet held more than the limit");
    assert_eq!(lost(&pushed.given), [expected]);
    // The next packet has room again.
    pushed.segment(112 + 12_000, &framed);
    assert_eq!(pushed.shown().len(), messages + 1);
}

/// The same with messages that cannot be unpacked.
#[test]
fn broken_messages_beyond_the_limit_of_a_packet_are_one_loss() {
    let limits = Limits::default().with_flow_bytes(20_000);
    let options = Options::new().with_limits(limits).with_transport(Transport::WebSocket);
    let mut pushed = Pushed::new(options.with_dialect(Dialect::GODOT_4));
    let request = "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    pushed.open(99);
    let value = int();
    let message = [&[0x82, 0x80 | value.len() as u8, 0, 0, 0, 0][..], &value].concat();
    let first = [request.as_bytes(), &message].concat();
    pushed.segment(100, &first);
    let broken = [0xc2, 0x82, 0, 0, 0, 0, 7, 7];
    pushed.segment(100 + first.len() as u32, &broken.repeat(1_000));
    let others = pushed.given.iter().filter(|given| matches!(given, Given::Other(..))).count();
    assert!((20..500).contains(&others), "{others}");
    let expected = format!("{} messages or losses: ", 1_000 - others);
    assert!(lost(&pushed.given)[0].starts_with(&expected), "{others} {:?}", lost(&pushed.given));
}

/// Many connections have only a few segments without payload, which take little memory.
#[test]
fn readers_are_made_with_the_fifth_segment_without_payload() {
    let mut pushed = Pushed::new(Options::new());
    pushed.open(99);
    let mut before = pushed.follower.held_bytes();
    let mut more = || {
        pushed.segment(100, &[]);
        let held = pushed.follower.held_bytes();
        held - std::mem::replace(&mut before, held)
    };
    let more = [more(), more(), more(), more(), more()];
    assert!(more.map(|it| it > 1_000) == [false, false, false, true, false], "{more:?}");
}
