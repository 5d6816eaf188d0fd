//! More clients than connections may be open: the flows beyond the limit are left out.

use crate::common::{corpus, crowd_at, unhex};
use crate::follow::addressed::reliable;
use crate::follow::given::{Given, of_messages};
use crate::follow::refused::CONNECT;
use crate::follow::waiting::{self, Pushed, distinctive, ends};
use gdwire::capture::Messages;
use gdwire::follow::{Closed, Limits, Options, Place};
use gdwire::math::Vector2;
use gdwire::net::tcp;
use gdwire::packet::TcpSegment;
use gdwire::{Dialect, encode, variant};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

const CLIENTS: u16 = 200;
const LIMIT: usize = 50;

/// When a client sends a packet of the recording.
type When = fn(u16, usize, i64) -> i64;

const SECOND: i64 = 1_000_000_000;

/// As recorded, in turn, and in bursts of 20 packets.
const ORDERS: [(&str, When); 3] = [
    ("at once", |client, _, time| time + i64::from(client) * 1_000_000),
    ("in turn", |client, number, _| number as i64 * SECOND + i64::from(client) * 1_000_000),
    ("in bursts", |client, number, _| {
        let (burst, at) = (number as i64 / 20, number as i64 % 20);
        // Another order of the clients in each round.
        let turn = (i64::from(client) * 7 + 1).pow(2) * (burst + 1) % 997;
        burst * SECOND + turn * 1_000_000 + at
    }),
];

/// A message: whether the server sent it, its bytes, and its text.
type Message = (bool, Vec<u8>, String);

/// The messages of each client, by its address.
fn messages(given: &[Given]) -> BTreeMap<IpAddr, Vec<Message>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for given in given {
        if let Given::Message { ends: (src, dst), bytes, shown, .. } = given {
            let is_of_server = src.ip().is_loopback();
            let client = if is_of_server { dst.ip() } else { src.ip() };
            // A client alone may not show the dialect, which is the first word.
            let shown = shown.split_once(' ').map_or(&shown[..], |(_, rest)| rest);
            let message = (is_of_server, bytes.clone(), shown.to_owned());
            all.entry(client).or_default().push(message);
        }
    }
    all
}

fn read(file: &[u8], limits: Limits) -> Vec<Given> {
    let options = Options::new().with_limits(limits);
    of_messages(&mut Messages::with_options(file, options).unwrap())
}

fn count(given: &[Given], is_counted: impl Fn(&Given) -> bool) -> usize {
    given.iter().filter(|given| is_counted(given)).count()
}

/// Every message is one of the client's, is shown once, and with names as if there were no limit or
/// with ids. As many clients are read as the limit allows.
#[test]
fn a_limit_on_connections_invents_no_messages() {
    let resumed = resumed_in(
        CLIENTS,
        LIMIT,
        &[
            "godot3-tcp.pcapng",
            "godot4-tcp.pcapng",
            "pandemonium5-tcp.pcapng",
            "godot3-debugger.pcapng",
            "godot3-enet.pcapng",
            "godot4-game-enet.pcapng",
            "godot3-websocket.pcapng",
            "godot4-udp.pcapng",
        ],
    );
    assert!(resumed > 500, "{resumed}");
}

/// The same with few clients.
#[test]
fn a_limit_of_few_connections_invents_no_messages() {
    let names = ["pandemonium5-tcp.pcapng", "pandemonium5-udp.pcapng", "pandemonium5-rpc.pcapng"];
    let resumed = resumed_in(16, 4, &names);
    assert!(resumed > 5, "{resumed}");
}

/// Reads recordings with this many clients and a limit. Returns how many connections were followed again.
fn resumed_in(clients: u16, limit: usize, names: &[&str]) -> usize {
    let mut resumed = 0;
    for name in names {
        let recorded = std::fs::read(corpus("captures").join(name)).unwrap();
        let alone = messages(&read(&crowd_at(&recorded, 1, ORDERS[0].1), Limits::default()));
        let [alone] = &alone.into_values().collect::<Vec<_>>()[..] else { panic!("{name}") };
        let mut expected: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (is_of_server, bytes, shown) in alone {
            expected.entry((*is_of_server, &bytes[..])).or_default().push(&shown[..]);
        }
        for (order, when) in ORDERS {
            let file = crowd_at(&recorded, clients, when);
            let given = read(&file, Limits::default().with_flows(limit));
            let mut shown = 0;
            for (client, messages) in messages(&given) {
                let mut expected = expected.clone();
                for (is_of_server, bytes, text) in &messages {
                    let left = expected.get_mut(&(*is_of_server, &bytes[..]));
                    let same = left.as_ref().and_then(|it| it.iter().position(|it| it == text));
                    let Some(left) = left.filter(|it| !it.is_empty()) else {
                        panic!("{name} {order}: {client} did not send {text}");
                    };
                    assert!(
                        same.is_some() || text.contains('#'),
                        "{name} {order}: {text} {left:?}"
                    );
                    left.swap_remove(same.unwrap_or(0));
                }
                shown += messages.len();
            }
            assert!(shown >= limit * alone.len(), "{name} {order}: {shown}");

            let opened = count(&given, |it| matches!(it, Given::Opened(_)));
            assert!(opened <= 4 * usize::from(clients), "{name} {order}: {opened}");
            resumed += opened - usize::from(clients);
            // The limit is reported once; the packets beyond it are counted.
            let is_limit = |reason: &str| reason.contains("connections were open");
            let lost = count(&given, |it| matches!(it, Given::Lost(_, why) if is_limit(why)));
            assert_eq!(lost, 1, "{name} {order}");
            assert!(beyond_limit(&given) > 25 * usize::from(clients), "{name} {order}");
        }
    }
    resumed
}

/// How many packets were left out.
fn beyond_limit(given: &[Given]) -> usize {
    count(given, |it| matches!(it, Given::Other(_, why) if why.contains("than the limit allows")))
}

/// At most eight connections.
fn limited() -> Pushed {
    Pushed::new(Options::new().with_limits(Limits::default().with_flows(8)))
}

/// Pushes datagrams of other flows, which are enough to recognize them.
fn push_others(pushed: &mut Pushed, ports: RangeInclusive<u16>) {
    for port in ports {
        (0..8).for_each(|_| pushed.datagram(port, &distinctive(Dialect::GODOT_4)));
    }
}

/// The connections that were given up.
fn given_up(pushed: &Pushed) -> Vec<u64> {
    let closed = pushed.given.iter().filter_map(|given| match given {
        Given::Closed(number, Closed::Limit, ..) => Some(*number),
        _ => None,
    });
    closed.collect()
}

/// The numbers that were received, alone or in a dictionary.
fn numbers(pushed: &Pushed) -> Vec<i64> {
    let numbers = pushed.shown().into_iter().filter_map(|text| {
        let number = match text.split_once("\"number\": ") {
            Some((_, after)) => after.split_once(',')?.0,
            None => text.split_once(' ')?.1,
        };
        number.parse().ok()
    });
    numbers.collect()
}

/// A value that only Godot 4 writes.
fn numbered(number: u8) -> Vec<u8> {
    let cells = vec![1_i32, 2, 3];
    let value =
        variant!({"number": i64::from(number), "position": Vector2::new(1.0, 2.0), "cells": cells});
    encode(Dialect::GODOT_4, &value).unwrap()
}

fn framed(number: u8) -> Vec<u8> {
    let value = numbered(number);
    [&(value.len() as u32).to_le_bytes()[..], &value].concat()
}

/// A flow that was given up is followed again after 64 packets if a followed one sends none
/// meanwhile, but not if all send. Messages that it repeats are not delivered again.
#[test]
fn a_flow_is_followed_again_if_another_one_is_silent() {
    for is_silent in [true, false] {
        let mut pushed = limited();
        push_others(&mut pushed, 2..=8);
        pushed.datagram(1, &unhex(CONNECT));
        (1..=9).for_each(|number| pushed.datagram(1, &reliable(number, &numbered(number))));
        assert_eq!(numbers(&pushed), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        push_others(&mut pushed, 2..=9);
        assert_eq!(given_up(&pushed), [8]);
        for number in 10..=73 {
            pushed.datagram(1, &reliable(number, &numbered(number)));
            if !is_silent && number == 40 {
                push_others(&mut pushed, 2..=9);
            }
        }
        assert_eq!(beyond_limit(&pushed.given), 64);
        for number in [8, 74, 9, 75, 10, 76] {
            pushed.datagram(1, &reliable(number, &numbered(number)));
        }
        let expected: &[u64] = if is_silent { &[8, 1] } else { &[8] };
        assert_eq!(given_up(&pushed), expected);
        pushed.finish();
        let more: &[i64] = if is_silent { &[74, 75, 10, 76] } else { &[] };
        assert_eq!(numbers(&pushed)[9..], *more);
    }
}

/// The same if the flow is given up before its dialect is known.
#[test]
fn an_undecided_flow_that_is_followed_again_repeats_nothing() {
    let mut pushed = limited();
    push_others(&mut pushed, 2..=7);
    pushed.datagram(1, &unhex(CONNECT));
    let int = |number: u8| encode(Dialect::GODOT_4, &i64::from(number)).unwrap();
    (1..=9).for_each(|number| pushed.datagram(1, &reliable(number, &int(number))));
    // The older of two such flows is given up.
    pushed.datagram(8, b"no value");
    push_others(&mut pushed, 9..=9);
    assert_eq!(given_up(&pushed), [7]);
    for number in (10..=73).chain([8, 74, 9, 75]) {
        pushed.datagram(1, &reliable(number, &int(number)));
    }
    pushed.finish();
    assert_eq!(numbers(&pushed), [1, 2, 3, 4, 5, 6, 7, 8, 9, 74, 75]);
}

/// A flow may be recognized only when it is followed again.
#[test]
fn a_flow_that_was_not_recognized_is_followed_again() {
    // After what was not recognized, a few values may be a coincidence.
    for (last, read) in [(68, 0), (80, 16)] {
        let mut pushed = limited();
        push_others(&mut pushed, 2..=7);
        [1, 8].into_iter().for_each(|port| pushed.datagram(port, b"no value"));
        push_others(&mut pushed, 2..=9);
        (1..=last).for_each(|number| pushed.datagram(1, &numbered(number)));
        pushed.finish();
        assert_eq!(numbers(&pushed), (65..65 + read).collect::<Vec<_>>(), "{last}");
    }
}

/// Likewise over TCP, where the rest of a stream begins within a message.
#[test]
fn the_rest_of_a_stream_needs_evidence() {
    let mut pushed = limited();
    push_others(&mut pushed, 2..=8);
    let stream: Vec<u8> = (0..120).flat_map(framed).collect();
    let len = framed(0).len();
    let segment = |from: usize, to: usize| (100 + from as u32, &stream[from..to]);
    let push = |pushed: &mut Pushed, (sequence, payload)| pushed.segment(sequence, payload);
    pushed.open(99);
    for number in 0..9 {
        push(&mut pushed, segment(number * len, (number + 1) * len));
    }
    push_others(&mut pushed, 2..=9);
    for number in 9..73 {
        push(&mut pushed, segment(number * len, (number + 1) * len));
    }
    assert_eq!(beyond_limit(&pushed.given), 64);
    // Two messages again, and the rest of another one, after most of it was left out.
    push(&mut pushed, segment(7 * len, 9 * len));
    push(&mut pushed, segment(73 * len + 8, 74 * len));
    for number in 74..90 {
        push(&mut pushed, segment(number * len, (number + 1) * len));
    }
    pushed.finish();
    let expected: Vec<_> = (0..9).chain(74..90).collect();
    assert_eq!(given_up(&pushed), [8, 1]);
    assert_eq!(numbers(&pushed), expected);
}

/// A packet that opens a connection does so at once.
#[test]
fn a_new_connection_between_the_ends_of_one_that_was_given_up_is_followed() {
    let mut pushed = limited();
    push_others(&mut pushed, 2..=8);
    for number in [99, 5_000_000] {
        pushed.open(number);
        for at in 0..3 {
            pushed.segment(number + 1 + u32::from(at) * framed(at).len() as u32, &framed(at));
        }
        push_others(&mut pushed, 2..=9);
    }
    // The first of the two was given up, and for the second one another flow.
    assert_eq!(given_up(&pushed), [8, 1]);
    pushed.finish();
    assert_eq!(numbers(&pushed), [0, 1, 2, 0, 1, 2]);

    let mut pushed = limited();
    push_others(&mut pushed, 2..=8);
    for _ in 0..2 {
        pushed.datagram(1, &unhex(CONNECT));
        (1..=3).for_each(|number| pushed.datagram(1, &reliable(number, &numbered(number))));
        push_others(&mut pushed, 2..=9);
    }
    pushed.finish();
    assert_eq!(numbers(&pushed), [1, 2, 3, 1, 2, 3]);
}

/// The memory for flows that were given up is bounded, and counted.
#[test]
fn the_memory_for_flows_beyond_the_limit_is_bounded() {
    const TOTAL: usize = 1 << 20;
    let limits = Limits::default().with_flows(4).with_total_bytes(TOTAL);
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    let (client, server) = ends();
    let (framed, mut most) = (framed(7), 0);
    for at in 0..20_000_u32 {
        let client = SocketAddr::new(client.ip(), (at % 60_000) as u16);
        let segment = TcpSegment::new(client, server, tcp::Segment::new(100, &framed));
        pushed.follower.segment(Place::new(1), &segment);
        most = most.max(pushed.follower.held_bytes());
    }
    assert!(most > TOTAL / 20 && most < TOTAL / 10, "{most}");
    pushed.finish();
    assert_eq!(pushed.follower.held_bytes(), 0);
}

/// A connection over ENet that is not read any more keeps the place of each channel.
#[test]
fn channels_of_connections_beyond_the_limit_count_as_memory() {
    let [few, many] = [1_u8, 101].map(|channels| {
        let mut pushed = limited();
        push_others(&mut pushed, 2..=8);
        pushed.datagram(1, &unhex(CONNECT));
        for channel in 0..channels {
            let mut datagram = reliable(1, &numbered(channel));
            datagram[5] = channel;
            pushed.datagram(1, &datagram);
        }
        push_others(&mut pushed, 2..=9);
        assert_eq!(given_up(&pushed), [8]);
        pushed.follower.held_bytes()
    });
    // The number of the next message has two bytes.
    assert!((200..1_000).contains(&(many - few)), "{few} {many}");
}

/// A flow whose packets follow each other is not silent, also if it is the only one.
#[test]
fn flows_that_send_in_turn_do_not_replace_each_other() {
    let mut pushed = Pushed::new(Options::new().with_limits(Limits::default().with_flows(1)));
    let value = distinctive(Dialect::GODOT_4);
    for _ in 0..10 {
        pushed.datagram(1, &value);
    }
    for _ in 0..300 {
        pushed.datagram(2, &value);
        pushed.datagram(1, &value);
    }
    let opened = count(&pushed.given, |it| matches!(it, Given::Opened(_)));
    assert_eq!((opened, given_up(&pushed), beyond_limit(&pushed.given)), (2, vec![1], 300));
    // Only then is the other one silent.
    (0..100).for_each(|_| pushed.datagram(1, &value));
    assert_eq!(given_up(&pushed), [1, 2]);
}

/// The first fragments of a message may have been sent while its connection was not followed, which is
/// normal.
#[test]
fn fragments_of_a_message_whose_start_was_left_out_are_no_error() {
    let fragment = |sequence: u8, start: u8, number: u8| {
        let head = [0x80, 1, 0x12, 0x34, 0x88, 1, 0, sequence, 0, start, 0, 100, 0, 0, 0, 3];
        [&head[..], &[0, 0, 0, number, 0, 0, 1, 44, 0, 0, 0, number * 100], &[7; 100]].concat()
    };
    for has_first in [false, true] {
        let mut pushed = limited();
        push_others(&mut pushed, 2..=8);
        pushed.datagram(1, &unhex(CONNECT));
        (1..=9).for_each(|number| pushed.datagram(1, &reliable(number, &numbered(number))));
        push_others(&mut pushed, 2..=9);
        for number in 10..=73 {
            pushed.datagram(1, &reliable(number, &numbered(number)));
        }
        if has_first {
            pushed.datagram(1, &fragment(74, 74, 0));
        }
        pushed.datagram(1, &fragment(75, 74, 1));
        for number in 77..=120 {
            pushed.datagram(1, &reliable(number, &numbered(number)));
        }
        pushed.finish();
        let end = if has_first { "not seen" } else { "the first packet that was seen" };
        let is_lost = |text: &str| text.contains("fragment") && text.ends_with(end);
        assert_eq!(count(&pushed.given, |it| matches!(it, Given::Lost(_, why) if is_lost(why))), 1);
        assert_eq!(numbers(&pushed)[9..], (77..=120).collect::<Vec<_>>());
    }
}

/// A message of the debugger of Godot 3 has several frames, so its connection cannot be read from the middle.
#[test]
fn a_debugger_that_was_given_up_is_not_followed_again() {
    let frames = [variant!("output"), variant!(1), variant!([["text", 0]])];
    let frames = frames.map(|frame| encode(Dialect::GODOT_3, &frame).unwrap());
    let message: Vec<u8> = frames.iter().flat_map(|frame| waiting::framed(frame)).collect();
    let mut pushed = limited();
    push_others(&mut pushed, 2..=8);
    pushed.open(99);
    let mut next = 100;
    let mut push = |pushed: &mut Pushed, count: usize| {
        for _ in 0..count {
            pushed.segment(next, &message);
            next += message.len() as u32;
        }
    };
    push(&mut pushed, 40);
    push_others(&mut pushed, 2..=9);
    push(&mut pushed, 80);
    assert_eq!((given_up(&pushed), beyond_limit(&pushed.given)), (vec![8], 80));
}
