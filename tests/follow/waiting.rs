//! When messages are returned: at once if all possible dialects read them alike, otherwise when
//! there is enough evidence, or after a time.

use crate::common::unhex;
use crate::follow::addressed::reliable;
use crate::follow::given::Given;
use crate::follow::refused::CONNECT;
use gdwire::follow::{Event, Follower, Limits, Options, Place, Transport};
use gdwire::math::{Color, Vector2};
use gdwire::net::tcp;
use gdwire::packet::{TcpSegment, Time, UdpDatagram};
use gdwire::{Dialect, Packed, encode, parse, variant};
use std::net::SocketAddr;
use std::time::Duration;

pub(crate) fn ends() -> (SocketAddr, SocketAddr) {
    ("10.0.0.2:40000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap())
}

/// Pushes datagrams from a port and keeps the events.
pub(crate) struct Pushed {
    pub(crate) follower: Follower<'static>,
    pub(crate) given: Vec<Given>,
}

impl Pushed {
    pub(crate) fn new(options: Options<'static>) -> Pushed {
        Pushed { follower: Follower::with_options(options), given: Vec::new() }
    }

    pub(crate) fn datagram(&mut self, port: u16, payload: &[u8]) {
        let (src, dst) = ends();
        let datagram = UdpDatagram::new(SocketAddr::new(src.ip(), port), dst, payload);
        let events = self.follower.datagram(Place::new(port.into()), &datagram);
        events.for_each(|event| self.given.push(Given::of(&event)));
    }

    /// Pushes the SYN of a stream.
    pub(crate) fn open(&mut self, sequence: u32) {
        self.tcp(tcp::Segment::new(sequence, &[]).with_syn());
    }

    pub(crate) fn segment(&mut self, sequence: u32, payload: &[u8]) {
        self.tcp(tcp::Segment::new(sequence, payload));
    }

    pub(crate) fn tcp(&mut self, segment: tcp::Segment<'_>) {
        let (src, dst) = ends();
        let segment = TcpSegment::new(src, dst, segment);
        let events = self.follower.segment(Place::new(1), &segment);
        events.for_each(|event| self.given.push(Given::of(&event)));
    }

    fn tick(&mut self, passed: Duration) {
        self.follower.tick(at(passed)).for_each(|event| self.given.push(Given::of(&event)));
    }

    pub(crate) fn finish(&mut self) {
        self.follower.finish().for_each(|event| self.given.push(Given::of(&event)));
    }

    /// How many messages were returned so far.
    fn count(&self) -> usize {
        self.given.iter().filter(|given| matches!(given, Given::Message { .. })).count()
    }

    /// The messages so far, each as its dialect and its text.
    pub(crate) fn shown(&self) -> Vec<&str> {
        let shown = self.given.iter().filter_map(|given| match given {
            Given::Message { shown, .. } => Some(&shown[..]),
            _ => None,
        });
        shown.collect()
    }

    /// The transports and dialects that connections were recognized as.
    fn recognized(&self) -> Vec<&str> {
        let recognized = self.given.iter().filter_map(|given| match given {
            Given::Recognized(summary) => summary.split_once("values; "),
            _ => None,
        });
        recognized.map(|(_, dialect)| dialect.split([',', ' ']).next().unwrap()).collect()
    }
}

/// How many messages have been returned after each datagram, and at the end.
fn after_each(options: Options<'static>, datagrams: &[Vec<u8>]) -> Vec<usize> {
    let mut pushed = Pushed::new(options);
    let mut counts = Vec::new();
    for payload in datagrams {
        pushed.datagram(40_000, payload);
        counts.push(pushed.count());
    }
    pushed.finish();
    counts.push(pushed.count());
    counts
}

/// A value that only one dialect reads.
pub(crate) fn distinctive(dialect: Dialect) -> Vec<u8> {
    let cells = Packed([1_i32, 2, 3]);
    let value = variant!({"position": Vector2::new(1.0, 2.0), "cells": cells, "name": "three"});
    let value = encode(dialect, &value).unwrap();
    for other in Dialect::ALL.iter().filter(|other| **other != dialect) {
        assert!(parse(*other, &value).is_err(), "{other} also reads the value for only {dialect}");
    }
    value
}

/// An int, which every dialect writes like this.
pub(crate) fn int() -> Vec<u8> {
    encode(Dialect::GODOT_4, &7_i64).unwrap()
}

/// A colour of Godot 3, which Godot 4 reads as a plane.
pub(crate) fn color() -> Vec<u8> {
    encode(Dialect::GODOT_3, &Color::new(0.25, 0.5, 0.75, 1.0)).unwrap()
}

pub(crate) fn framed(value: &[u8]) -> Vec<u8> {
    [&(value.len() as u32).to_le_bytes()[..], value].concat()
}

#[test]
fn a_value_that_only_one_dialect_reads_is_returned_at_once() {
    for dialect in [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5] {
        let datagrams = [distinctive(dialect), int(), distinctive(dialect)];
        assert_eq!(after_each(Options::new(), &datagrams), [1, 2, 3, 3], "{dialect}");
    }
    // Earlier messages are returned with it.
    let datagrams = [color(), color(), distinctive(Dialect::GODOT_3), color()];
    assert_eq!(after_each(Options::new(), &datagrams), [0, 0, 3, 4, 4]);
    let mut stream = Pushed::new(Options::new());
    stream.open(99);
    stream.segment(100, &framed(&distinctive(Dialect::GODOT_3)));
    assert_eq!((stream.count(), stream.recognized()), (1, vec!["godot3"]));
}

#[test]
fn values_that_all_dialects_read_alike_are_returned_at_once() {
    let values = [variant!(null), variant!(true), variant!(7), variant!(0.1), variant!("пламя")];
    let values = values.map(|value| encode(Dialect::GODOT_4, &value).unwrap());
    let udp = || Options::new().with_transport(Transport::Udp);
    assert_eq!(after_each(udp(), &values), [1, 2, 3, 4, 5, 5]);
    // Short datagrams may be values by chance, so some are needed, or a long one.
    assert_eq!(after_each(Options::new(), &values), [0, 0, 0, 0, 0, 5]);
    let eight = [&values[..], &values[..3]].concat();
    assert_eq!(after_each(Options::new(), &eight), [0, 0, 0, 0, 0, 0, 0, 8, 8]);
    let long = encode(Dialect::GODOT_4, &variant!("a text of so many bytes")).unwrap();
    assert_eq!(after_each(Options::new(), &[int(), long, int()]), [0, 2, 3, 3]);
    let mut stream = Pushed::new(Options::new());
    stream.open(99);
    for (value, (sequence, count)) in values.iter().zip([(100, 1), (108, 2), (120, 3), (132, 4)]) {
        stream.segment(sequence, &framed(value));
        assert_eq!(stream.count(), count);
    }
    // Messages of more than 4,096 bytes are not compared.
    let text = |len| [encode(Dialect::GODOT_4, &"x".repeat(len)).unwrap()];
    assert_eq!(after_each(Options::new(), &text(4_096 - 8)), [1, 1]);
    assert_eq!(after_each(Options::new(), &text(4_096 - 7)), [0, 1]);
    // Both versions of Pandemonium, and both widths of reals.
    let dictionaries = vec![encode(Dialect::PANDEMONIUM_4, &variant!({"hp": [87]})).unwrap(); 3];
    assert_eq!(after_each(Options::new(), &dictionaries), [1, 2, 3, 3]);
}

/// Once the dialect is known, it is reported for the connection, also for earlier messages.
#[test]
fn the_dialect_of_messages_returned_at_once_is_reported_later() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &int());
    pushed.datagram(1, &int());
    assert!(pushed.recognized().is_empty());
    pushed.datagram(1, &distinctive(Dialect::GODOT_3));
    assert_eq!((pushed.recognized(), pushed.count()), (vec!["godot3"], 3));
    pushed.datagram(1, &int());
    assert_eq!(pushed.shown()[3], "godot3 7");
    // Another connection is read as the same.
    pushed.datagram(2, &int());
    pushed.finish();
    assert_eq!(pushed.shown()[4], "godot3 7");
}

/// Messages of one connection stay in order: if one waits, all later ones wait.
#[test]
fn ambiguous_values_wait_and_so_do_later_ones() {
    let datagrams = [int(), color(), int(), distinctive(Dialect::GODOT_3)];
    let udp = Options::new().with_transport(Transport::Udp);
    assert_eq!(after_each(udp, &datagrams), [1, 1, 1, 4, 4]);
    // A dialect that cannot read a message is no longer possible, and the others agree.
    let matrix = encode(Dialect::GODOT_3, &variant!({"color": 1})).unwrap();
    assert_eq!(after_each(Options::new(), &[color(), matrix, int()]), [0, 2, 3, 3]);
    // The first bytes of values are not taken for the ids of peers.
    let values = [int(), color(), int(), distinctive(Dialect::GODOT_4)];
    let sent = values.iter().zip(1..).map(|(value, number)| reliable(number, value));
    let datagrams: Vec<_> = [unhex(CONNECT)].into_iter().chain(sent).collect();
    let enet = Options::new().with_transport(Transport::Enet);
    assert_eq!(after_each(enet, &datagrams), [0, 1, 1, 1, 4, 4]);
}

#[test]
fn with_a_transport_or_a_dialect_no_datagram_waits() {
    let dialect = Options::new().with_dialect(Dialect::GODOT_3);
    assert_eq!(after_each(dialect, &[color(), int(), color()]), [1, 2, 3, 3]);
    let transport = || Options::new().with_transport(Transport::Udp);
    assert_eq!(after_each(transport(), &[int(), int(), int()]), [1, 2, 3, 3]);
    // The transport does not decide the dialect.
    assert_eq!(after_each(transport(), &[color(), int(), color()]), [0, 0, 0, 3]);
    let both = || transport().with_dialect(Dialect::GODOT_4);
    assert_eq!(after_each(both(), &[color(), int(), color()]), [1, 2, 3, 3]);
    let mut pushed = Pushed::new(both());
    pushed.datagram(1, b"not a value");
    assert!(matches!(pushed.given.last(), Some(Given::Other(..))), "{:?}", pushed.given);
}

#[test]
fn ambiguous_messages_are_returned_with_the_64th() {
    let datagrams = vec![color(); 70];
    let counts = after_each(Options::new(), &datagrams);
    assert_eq!((counts[62], counts[63], counts[64]), (0, 64, 65));
}

/// A client that opens a connection over ENet, and sends only values, does not hold them back for longer.
#[test]
fn ambiguous_messages_after_a_connect_command_are_returned_with_the_64th_datagram() {
    let datagrams = [vec![unhex(CONNECT)], vec![color(); 70]].concat();
    let counts = after_each(Options::new(), &datagrams);
    assert_eq!((counts[62], counts[63], counts[64]), (0, 63, 64));
}

#[test]
fn limits_set_the_messages_and_bytes_before_the_decision() {
    let after = |limits| after_each(Options::new().with_limits(limits), &vec![color(); 5]);
    let limits = Limits::default();
    assert_eq!(after(limits.with_undecided_messages(3)), [0, 0, 3, 4, 5, 5]);
    assert_eq!(after(limits.with_undecided_messages(0)), [1, 2, 3, 4, 5, 5]);
    // Each has 20 bytes.
    assert_eq!(after(limits.with_undecided_bytes(61)), [0, 0, 0, 4, 5, 5]);
    assert_eq!(after(limits.with_undecided_bytes(60)), [0, 0, 3, 4, 5, 5]);
}

/// A stream of colours is undecided until another connection is recognized.
#[test]
fn ambiguous_connections_are_read_like_the_others() {
    let mut pushed = Pushed::new(Options::new());
    for (port, payload) in [(1, &color()), (2, &distinctive(Dialect::GODOT_3)), (3, &color())] {
        pushed.datagram(port, payload);
    }
    pushed.segment(100, &framed(&color()));
    pushed.finish();
    let dialects: Vec<_> = pushed.shown().iter().map(|it| it.split_once(' ').unwrap().0).collect();
    assert_eq!(dialects, ["godot3"; 4]);
}

/// The other connections decide only between dialects that can read the messages.
#[test]
fn other_connections_do_not_outweigh_the_messages() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &distinctive(Dialect::GODOT_4));
    // Both versions of Pandemonium read it, and no version of Godot.
    pushed.datagram(2, &encode(Dialect::PANDEMONIUM_4, &variant!({"hp": [87]})).unwrap());
    pushed.finish();
    assert!(pushed.shown()[1].starts_with("pandemonium5 "), "{:?}", pushed.shown());
    assert_eq!(pushed.recognized(), ["godot4", "pandemonium5"]);
}

const TIME: Duration = Duration::from_millis(500);

/// The time so long after the first tick.
fn at(passed: Duration) -> Time {
    Time::from_nanos(1_790_000_000_000_000_000 + i64::try_from(passed.as_nanos()).unwrap(), 6)
}

/// Once a message has waited long enough, neither it nor later ones wait any more. They are read by
/// the best guess, which later messages correct.
#[test]
fn in_live_traffic_messages_wait_for_a_limited_time() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &color());
    pushed.tick(Duration::ZERO);
    pushed.tick(TIME * 7 / 8);
    assert_eq!((pushed.count(), pushed.recognized().len()), (0, 0));
    pushed.tick(TIME);
    assert_eq!(pushed.shown(), ["godot4 Plane(0.25, 0.5, 0.75, 1)"]);
    assert_eq!(pushed.recognized(), ["godot4"]);
    pushed.datagram(1, &color());
    assert_eq!(pushed.count(), 2);
    // Now the dialect is known, and later messages are read correctly.
    pushed.datagram(1, &distinctive(Dialect::GODOT_3));
    pushed.datagram(1, &color());
    assert_eq!((pushed.count(), pushed.recognized()), (4, vec!["godot4", "godot3"]));
    assert_eq!(pushed.shown()[3], "godot3 Color( 0.25, 0.5, 0.75, 1 )");
    pushed.finish();
    assert_eq!((pushed.count(), pushed.recognized().len()), (4, 2));
}

/// The guess is the dialect of the other connections.
#[test]
fn after_the_time_messages_are_read_like_those_of_other_connections() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &distinctive(Dialect::GODOT_3));
    pushed.datagram(2, &color());
    pushed.datagram(3, &color());
    pushed.tick(Duration::ZERO);
    assert_eq!(pushed.count(), 1);
    pushed.tick(TIME);
    assert_eq!(pushed.shown()[1..], ["godot3 Color( 0.25, 0.5, 0.75, 1 )"; 2]);
    // In the order of their connections.
    let frames = pushed.given.iter().filter_map(|given| match given {
        Given::Message { frame, .. } => Some(*frame),
        _ => None,
    });
    assert!(frames.eq([1, 2, 3]));
}

/// Time that passes while nothing waits does not count.
#[test]
fn the_time_begins_with_the_first_waiting_message() {
    let mut pushed = Pushed::new(Options::new().with_transport(Transport::Udp));
    pushed.datagram(1, &int());
    pushed.tick(Duration::ZERO);
    pushed.datagram(1, &color());
    pushed.tick(2 * TIME);
    assert_eq!(pushed.count(), 1);
    pushed.tick(3 * TIME);
    assert_eq!(pushed.count(), 2);
    // The same time again is none that passes.
    let mut pushed = Pushed::new(Options::new());
    pushed.tick(Duration::ZERO);
    pushed.datagram(1, &color());
    pushed.tick(Duration::ZERO);
    pushed.tick(TIME);
    assert_eq!(pushed.count(), 0);
    pushed.tick(2 * TIME);
    assert_eq!(pushed.count(), 1);
    // Once a dialect is excluded, the waiting messages are returned, and the next ones wait anew.
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &color());
    pushed.tick(Duration::ZERO);
    pushed.datagram(1, &encode(Dialect::GODOT_4, &variant!({"color": 1})).unwrap());
    assert_eq!(pushed.shown()[0], "godot4 Plane(0.25, 0.5, 0.75, 1)");
    pushed.tick(2 * TIME);
    assert_eq!(pushed.count(), 2);
}

#[test]
fn limits_set_how_long_messages_wait() {
    let limits = Limits::default().with_undecided_time(Duration::from_secs(3));
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    pushed.datagram(1, &color());
    pushed.tick(Duration::ZERO);
    pushed.tick(TIME);
    assert_eq!(pushed.count(), 0);
    pushed.tick(Duration::from_secs(3));
    assert_eq!(pushed.count(), 1);

    let limits = Limits::default().with_undecided_time(Duration::ZERO);
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    pushed.datagram(1, &color());
    assert_eq!(pushed.count(), 0);
    pushed.tick(Duration::ZERO);
    assert_eq!(pushed.count(), 1);
}

/// A clock that is set back does not make messages wait longer.
#[test]
fn a_clock_may_be_set_back() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &color());
    pushed.tick(100 * TIME);
    pushed.tick(Duration::ZERO);
    assert_eq!(pushed.count(), 0);
    pushed.tick(TIME);
    assert_eq!(pushed.count(), 1);
}

/// A tick checks all connections, which takes time, so a tick soon after another is ignored.
#[test]
fn a_tick_soon_after_another_does_nothing() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, &color());
    for at in 0..=16 {
        pushed.tick(TIME * at / 15);
        // Every second tick counts, so the 16th is the last that does.
        assert_eq!(pushed.count(), usize::from(at == 16), "{at}");
    }
}

/// Bytes that no dialect can read do not become a value after the time to wait.
#[test]
fn unreadable_bytes_wait_for_readable_ones() {
    let mut pushed = Pushed::new(Options::new());
    pushed.datagram(1, b"not a value");
    pushed.tick(Duration::ZERO);
    pushed.tick(TIME);
    let none = [Given::Opened(1)];
    assert_eq!(pushed.given, none);
    pushed.datagram(1, &color());
    assert_eq!(pushed.count(), 1);
    assert!(matches!(pushed.given[2], Given::Other(1, _)), "{:?}", pushed.given);
}

/// A flow that was not recognized is examined again when a datagram may be a message. Eight values are
/// enough.
#[test]
fn values_after_many_other_datagrams_are_messages() {
    for (values, expected) in [(7, 0), (8, 8), (9, 9)] {
        let mut pushed = Pushed::new(Options::new());
        for _ in 0..4_096 {
            pushed.datagram(1, b"nothing of the engines");
        }
        for _ in 0..values {
            pushed.datagram(1, &distinctive(Dialect::GODOT_4));
        }
        pushed.finish();
        assert_eq!(pushed.count(), expected, "{values}");
    }
}

/// The start of the stream is missing, so a debugger may still be recognized. All dialects that are left
/// read each message alike.
#[test]
fn messages_of_a_stream_without_its_start_are_returned_at_once() {
    for dialect in [Dialect::GODOT_3, Dialect::GODOT_4, Dialect::PANDEMONIUM_5] {
        let mut pushed = Pushed::new(Options::new());
        let mut next = 100;
        for number in 1..=40 {
            let message = framed(&distinctive(dialect));
            pushed.segment(next, &message);
            next += message.len() as u32;
            // Before the fourth segment, the first ones may still be captured.
            let expected = if number < 4 { 0 } else { number };
            assert_eq!(pushed.count(), expected, "{dialect} {number}");
        }
    }
}

/// A few of the messages of a game that names its transport may be values. Without the name, they are
/// values by chance.
#[test]
fn few_values_among_other_messages_are_read_if_the_transport_is_named() {
    let noise: Vec<_> = (0..7_u8).map(|at| vec![0xf0 | at; 12]).collect();
    let messages: Vec<_> = noise.into_iter().chain([int()]).collect();
    let named = |transport: Option<Transport>| match transport {
        Some(transport) => Options::new().with_transport(transport),
        None => Options::new(),
    };
    let reads = |pushed: &Pushed| {
        let recognized = pushed.given.iter().find_map(|given| match given {
            Given::Recognized(text) => Some(text),
            _ => None,
        });
        !recognized.unwrap().ends_with("; none of its messages can be read")
    };
    for (transport, expected) in [(None, 0), (Some(Transport::Enet), 1)] {
        let mut pushed = Pushed::new(named(transport));
        for (sequence, message) in (1..).zip(&messages) {
            pushed.datagram(1, &reliable(sequence, message));
        }
        pushed.finish();
        assert_eq!((pushed.count(), reads(&pushed)), (expected, expected > 0), "{transport:?}");
    }
    for (transport, expected) in [(None, 0), (Some(Transport::WebSocket), 1)] {
        let mut pushed = Pushed::new(named(transport));
        let response = b"HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nsec-websocket-accept: y\r\n\r\n";
        let frames = messages.iter().flat_map(|it| [&[0x82, it.len() as u8][..], it].concat());
        let stream: Vec<u8> = response.iter().copied().chain(frames).collect();
        pushed.open(99);
        pushed.segment(100, &stream);
        pushed.finish();
        assert_eq!((pushed.count(), reads(&pushed)), (expected, expected > 0), "{transport:?}");
    }
}

/// A stream whose first messages are values, but which then continues as something else.
#[test]
fn a_stream_of_another_program_is_given_up_after_values_by_chance() {
    let mut pushed = Pushed::new(Options::new());
    pushed.open(99);
    pushed.segment(100, &framed(&int()));
    assert_eq!(pushed.count(), 1);
    for at in 0..80 {
        pushed.segment(112 + at * 12, &framed(b"whatever"));
    }
    pushed.finish();
    let others = pushed.given.iter().filter(|given| matches!(given, Given::Other(..))).count();
    assert_eq!((pushed.count(), others, pushed.recognized().len()), (1, 80, 0));
}

/// Other bytes may look like frames of WebSocket. Without the handshake, one of them has to be a message.
#[test]
fn frames_without_a_handshake_need_a_message() {
    for (last, expected) in [(vec![0xf7; 12], 0), (int(), 1)] {
        let messages = (0..7_u8).map(|at| vec![0xf0 | at; 12]).chain([last]);
        let frames = messages.flat_map(|it| [&[0x82, it.len() as u8][..], &it].concat());
        let mut pushed = Pushed::new(Options::new());
        pushed.segment(100, &frames.collect::<Vec<_>>());
        pushed.finish();
        let recognized = pushed.given.iter().filter(|it| matches!(it, Given::Recognized(_)));
        assert_eq!(recognized.count(), expected, "{:?}", pushed.given);
    }
}

#[test]
fn each_limit_has_a_setter() {
    let limits = Limits::default()
        .with_flows(1)
        .with_flow_bytes(2)
        .with_total_bytes(3)
        .with_undecided_messages(4)
        .with_undecided_bytes(5)
        .with_undecided_time(Duration::from_secs(6));
    assert_eq!((limits.flows, limits.flow_bytes, limits.total_bytes), (1, 2, 3));
    assert_eq!((limits.undecided_messages, limits.undecided_bytes), (4, 5));
    assert_eq!(limits.undecided_time, Duration::from_secs(6));
    let Limits { flows, flow_bytes, total_bytes, .. } = Limits::default();
    assert_eq!((flows, flow_bytes, total_bytes), (65_536, 64 << 20, 256 << 20));
}

/// A segment with a message that must wait and one that need not.
#[test]
fn waiting_messages_of_a_segment_are_returned_once() {
    let mut pushed = Pushed::new(Options::new());
    pushed.open(99);
    pushed.segment(100, &[framed(&int()), framed(&color()), framed(&int())].concat());
    assert_eq!(pushed.shown(), ["godot4 7"]);
    pushed.finish();
    assert_eq!(pushed.count(), 3, "{:?}", pushed.given);
}

#[test]
fn limits_set_how_many_bytes_of_a_stream_wait() {
    let limits = Limits::default().with_undecided_bytes(40);
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    pushed.open(99);
    let framed = framed(&color());
    for at in 0..4_u32 {
        pushed.segment(100 + at * framed.len() as u32, &framed);
        let count = pushed.count();
        assert_eq!(count > 0, (at as usize + 1) * color().len() >= 40, "{at} {count}");
    }
    // Bytes without a message do not count: a stream that was captured from the middle may have
    // some.
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    pushed.segment(100, &[b'x'; 100]);
    pushed.segment(200, &crate::follow::waiting::framed(&distinctive(Dialect::GODOT_4)));
    pushed.finish();
    assert_eq!(pushed.count(), 1, "{:?}", pushed.given);
    // Nor do those of ENet that contain no message.
    let mut pushed = Pushed::new(Options::new().with_limits(limits));
    let ping = [0x80, 1, 0x12, 0x34, 0x85, 0xff, 0, 1];
    (0..8).for_each(|_| pushed.datagram(1, &ping));
    pushed.datagram(1, &reliable(1, &distinctive(Dialect::GODOT_3)));
    pushed.finish();
    assert!(pushed.shown()[0].starts_with("godot3 "), "{:?}", pushed.given);
}

/// Packets that were captured only in part are other traffic, unless the connection is known to
/// have messages.
#[test]
fn cut_packets_are_other_traffic_unless_messages_are_known() {
    let mut pushed = Pushed::new(Options::new());
    let reasons = |pushed: &Pushed| -> Vec<String> {
        let others = pushed.given.iter().filter_map(|given| match given {
            Given::Other(_, reason) => Some(reason.clone()),
            Given::Lost(..) | Given::Message { .. } => panic!("{given:?}"),
            _ => None,
        });
        others.collect()
    };
    pushed.open(99);
    pushed.segment(100, b"SSH-2.0-OpenSSH");
    pushed.tcp(tcp::Segment::new(115, b"some").with_missing(5));
    pushed.tcp(tcp::Segment::new(124, &[]).with_missing(5));
    pushed.tcp(tcp::Segment::new(129, &[]));
    pushed.finish();
    let cut = "too little of the packet was captured";
    let unknown = "no message was recognized in this TCP flow";
    assert_eq!(reasons(&pushed), [unknown, cut, cut]);

    // The same after the follower decided that the connection has no messages.
    let mut pushed = Pushed::new(Options::new());
    pushed.open(99);
    let payload = b"SSH-2.0-OpenSSH ".repeat(1 << 10);
    for at in 0..20 {
        pushed.segment(100 + (at << 14), &payload);
    }
    assert_eq!(reasons(&pushed), [unknown; 20]);
    let next = 100 + (20 << 14);
    pushed.tcp(tcp::Segment::new(next, &[]));
    pushed.tcp(tcp::Segment::new(next, b"some").with_missing(5));
    pushed.tcp(tcp::Segment::new(next + 9, &[]).with_missing(5));
    assert_eq!(reasons(&pushed)[20..], [cut, cut]);
    pushed.finish();

    let mut pushed = Pushed::new(Options::new().with_transport(Transport::Udp));
    let (src, dst) = ends();
    let datagram = UdpDatagram::new(src, dst, b"some").with_missing(5);
    let events = pushed.follower.datagram(Place::new(1), &datagram);
    events.for_each(|event| pushed.given.push(Given::of(&event)));
    pushed.finish();
    assert_eq!(reasons(&pushed), [cut]);

    // They are losses if messages were recognized.
    let mut pushed = Pushed::new(Options::new().with_transport(Transport::Udp));
    pushed.datagram(src.port(), &distinctive(Dialect::GODOT_4));
    let events = pushed.follower.datagram(Place::new(1), &datagram);
    events.for_each(|event| pushed.given.push(Given::of(&event)));
    pushed.finish();
    let is_lost = pushed.given.iter().any(|given| matches!(given, Given::Lost(..)));
    assert!(is_lost, "{:?}", pushed.given);
}

/// A stream without a SYN that has a single message: only its end shows that it is one.
#[test]
fn a_single_message_is_found_at_the_end() {
    let mut stream = Pushed::new(Options::new());
    stream.segment(100, &framed(&distinctive(Dialect::GODOT_4)));
    stream.finish();
    assert_eq!(stream.count(), 1, "{:?}", stream.given);
}

#[test]
fn a_message_returned_after_the_time_is_not_decided() {
    let limits = Limits::default().with_undecided_time(Duration::ZERO);
    let (src, dst) = ends();
    for (message, expected) in [(color(), false), (distinctive(Dialect::GODOT_4), true)] {
        let mut follower = Follower::with_options(Options::new().with_limits(limits));
        let mut decided = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Message(message) = event {
                decided.push(message.is_decided);
            }
        };
        follower.datagram(Place::new(1), &UdpDatagram::new(src, dst, &message)).for_each(&mut take);
        follower.tick(at(Duration::ZERO)).for_each(&mut take);
        assert_eq!(decided, [expected]);
    }
}

/// Godot 4 reads this dictionary of Godot 3 as a transform, which is fewer values. That decides only among
/// many messages.
#[test]
fn more_values_in_few_messages_do_not_decide() {
    let value = variant!({"name": "a text with 24 letters.."});
    let value = encode(Dialect::GODOT_3, &value).unwrap();
    for (count, expected) in [(7, false), (8, true)] {
        let mut pushed = Pushed::new(Options::new());
        (0..count).for_each(|_| pushed.datagram(1, &value));
        pushed.finish();
        assert!(pushed.count() == count && pushed.shown()[0].starts_with("godot3 "));
        let is_decided = |given: &Given| match given {
            Given::Message { how, .. } => how.is_decided == expected,
            _ => true,
        };
        assert!(pushed.given.iter().all(is_decided), "{count} {:?}", pushed.given);
    }
}
