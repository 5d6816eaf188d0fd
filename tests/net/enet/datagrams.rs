//! Tests which bytes are an ENet datagram, and which are not.

use super::assemble::*;
use crate::common::recorded_values;
use gdwire::net::Side::First;
use gdwire::net::enet::{
    Body, Datagram, LossReason, Lost, Mode, Problem, RangeDecoder, Session, SessionEvent,
    SessionLimits,
};

fn problem(bytes: &[u8]) -> Problem {
    Datagram::parse(bytes).unwrap_err().problem
}

#[test]
fn every_field_is_parsed() {
    let bytes = [&[0xb1, 0x23, 0, 9][..], &acknowledge(4, 0x1234), &ping(7)].concat();
    let datagram = Datagram::parse(&bytes).unwrap();
    let header = datagram.header();
    assert_eq!((header.peer, header.session, header.sent_time), (0x123, 3, Some(9)));
    // A command has at least 4 bytes.
    assert_eq!(datagram.commands().size_hint(), (1, Some(3)));
    let commands: Vec<_> = datagram.commands().collect();
    assert_eq!(commands[0].body, Body::Acknowledge { received: 0x1234, sent_time: 0x1234 });
    assert_eq!((commands[0].channel, commands[0].sequence), (4, 0x1234));
    assert_eq!(commands[1].body, Body::Ping);
    assert!(commands[1].needs_acknowledgement && !commands[1].is_unsequenced);
    let bytes = CONNECTING.connect();
    let command = Datagram::parse(&bytes).unwrap().commands().next().unwrap();
    let Body::Connect(connect) = command.body else { panic!("{command:?}") };
    assert_eq!((connect.data, connect.parameters.connect_id), (99, 7));
    assert_eq!((connect.parameters.mtu, connect.parameters.window_size), (1_392, 32_768));
    assert_eq!((connect.parameters.channels, connect.parameters.outgoing_peer), (255, 3));
    let throttle = connect.parameters.throttle;
    assert_eq!((throttle.interval, throttle.acceleration, throttle.deceleration), (5_000, 2, 2));
}

#[test]
fn numbers_that_enet_does_not_send_are_refused() {
    let field = |bytes: &[u8]| match problem(bytes) {
        Problem::Field { name, .. } => name,
        problem => panic!("{problem:?}"),
    };
    assert_eq!(field(&Connecting { mtu: 575, ..CONNECTING }.connect()), "MTU");
    assert_eq!(field(&Connecting { mtu: 4_097, ..CONNECTING }.verify()), "MTU");
    assert_eq!(field(&Connecting { window: 4_095, ..CONNECTING }.connect()), "window size");
    assert_eq!(field(&Connecting { channels: 0, ..CONNECTING }.connect()), "number of channels");
    assert_eq!(field(&Connecting { channels: 256, ..CONNECTING }.connect()), "number of channels");
    for (mtu, window, channels) in [(576, 4_096, 1), (4_096, 65_536, 255)] {
        let connecting = Connecting { mtu, window, channels, ..CONNECTING };
        assert!(Datagram::parse(&connecting.connect()).is_ok(), "{mtu}");
        assert!(Datagram::parse(&connecting.verify()).is_ok(), "{mtu}");
    }
    assert_eq!(field(&Connecting { window: 65_537, ..CONNECTING }.verify()), "window size");
    let mut contradiction = one(acknowledge(0, 5));
    contradiction[9] = 6;
    assert_eq!(field(&contradiction), "acknowledged number");
    assert_eq!(problem(&one(reliable(0xff, 1, b""))), Problem::Channel { channel: 0xff });
    assert_eq!(problem(&one(vec![0x85, 0, 0, 1])), Problem::Channel { channel: 0 });
    assert_eq!(problem(&one(vec![0x06, 0, 0, 1, 0, 0])), Problem::UnknownCommand { byte: 6 });
    assert_eq!(problem(&one(vec![0x8d, 0, 0, 1])), Problem::UnknownCommand { byte: 0x8d });
    assert_eq!(problem(&[[0, 1].to_vec(), ping(1)].concat()), Problem::NoSentTime);
    assert_eq!(problem(&[vec![0x8f, 0xff, 0, 0], ping(1)].concat()), Problem::Unassigned);
    let connect = CONNECTING.connect();
    assert_eq!(problem(&one(connect[4..].to_vec())), Problem::Unassigned);
    let ended = [&[0x8f, 0xff, 0, 0][..], &disconnect(1, 0)].concat();
    assert!(Datagram::parse(&ended).is_ok());
    assert_eq!(problem(&[&ended, &connect[4..]].concat()), Problem::Unassigned);
    assert!(Datagram::parse(&[ended, ping(1)].concat()).is_ok());
    assert_eq!(problem(&[0x80, 1, 0, 0]), Problem::Empty);
    assert_eq!(problem(&[0x80, 1, 0]), Problem::UnexpectedEnd);
    assert_eq!(problem(&vec![0; 4_097]), Problem::TooLong { len: 4_097 });
    assert_eq!(problem(&[0xc0, 1, 0, 0, 1, 2, 3]), Problem::Compressed);
}

#[test]
fn inconsistent_fragments_are_refused() {
    let payload = [1; 100];
    let sound = Part { start: 9, count: 3, number: 1, total: 250, offset: 100, payload: &payload };
    assert!(Datagram::parse(&one(sound.reliable(0))).is_ok());
    for wrong in [
        Part { count: 1, ..sound },
        Part { count: 4, ..sound },
        Part { count: 2, ..sound },
        Part { number: 3, ..sound },
        Part { total: 200, ..sound },
        Part { total: 301, ..sound },
        Part { offset: 99, ..sound },
        Part { offset: u32::MAX, ..sound },
        Part { payload: &[], ..sound },
        Part { payload: &[1; 99], ..sound },
        Part { count: 2_000_000, total: 200_000_000, ..sound },
        Part { number: 2, offset: 200, ..sound },
    ] {
        assert_eq!(problem(&one(wrong.unreliable(0, 1))), Problem::Fragment, "{:?}", wrong.count);
    }
    let mut other_number = one(sound.reliable(0));
    other_number[7] += 1;
    assert_eq!(problem(&other_number), Problem::Fragment);
}

#[test]
fn a_checksum_is_skipped() {
    let commands = [reliable(0, 1, b"hi"), ping(2)].concat();
    let bytes = [&[0x80, 1, 0, 9, 0xde, 0xad, 0xbe, 0xef][..], &commands].concat();
    let datagram = Datagram::parse(&bytes).unwrap();
    assert_eq!(datagram.checksum(), Some(0xdead_beef));
    assert_eq!((datagram.commands().offset(), datagram.commands().count()), (8, 2));
    let mut watched = Watched::new();
    watched.receive(First, &bytes);
    assert_eq!(watched.texts(), ["hi"]);
}

#[test]
fn other_protocols_are_not_mistaken_for_enet() {
    let dns = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01";
    let mdns = b"\0\0\0\0\0\x01\0\0\0\0\0\0\x05_http\x04_tcp\x05local\0\0\x0c\0\x01";
    let rtp = [&[0x80, 0x60, 0x12, 0x34, 0, 0, 3, 0xe8, 0xca, 0xfe, 0xba, 0xbe][..], &[0x55; 160]];
    let quic =
        [&[0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x44, 0x9e][..], &[0x6a; 1_182]];
    let stun = b"\0\x01\0\0\x21\x12\xa4\x42abcdefghijkl";
    let ntp = [&[0x23, 0, 6, 0xec][..], &[0; 44]];
    for packet in
        [&dns[..], mdns, stun, &rtp.concat(), &quic.concat(), &ntp.concat(), b"hello", b""]
    {
        let mut watched = Watched::new();
        let result = watched.run(|session, sink| session.receive(First, packet, sink));
        assert!(result.is_err(), "{packet:?}");
    }
    let values = recorded_values();
    for (_, value) in &values {
        let bytes = crate::common::unhex(&value.hex);
        let mut watched = Watched::new();
        assert!(watched.run(|session, sink| session.receive(First, &bytes, sink)).is_err());
    }
    assert!(values.len() > 400);
}

#[test]
fn a_part_of_a_datagram_is_not_a_datagram() {
    let bytes = datagram(&[acknowledge(0, 1), reliable(0, 1, b"hello"), unsequenced(1, 9, b"you")]);
    // The datagram may end where a command ends.
    let ends = [12, 23];
    for len in 0..bytes.len() {
        assert_eq!(Datagram::parse(&bytes[..len]).is_ok(), ends.contains(&len), "{len}");
        let mut watched = Watched::new();
        let cut = &bytes[..len];
        watched
            .run(|session, sink| session.receive_cut(First, cut, bytes.len() - len, sink))
            .unwrap();
        assert_eq!(watched.texts().len(), usize::from(len >= 23), "{len}");
        let start = if len < 4 { 0 } else { *[4, 12, 23].iter().rfind(|at| **at <= len).unwrap() };
        assert_eq!(watched.lost[0].lost, Lost::Rest { len: bytes.len() - start }, "{len}");
        assert_eq!(watched.lost[0].reason, LossReason::Cut);
    }
}

/// Payloads may be long: `Debug` shows how many bytes they have.
#[test]
fn debug_shows_lengths_in_place_of_bytes() {
    let part = Part { start: 2, count: 1, number: 0, total: 3, offset: 0, payload: b"xyz" };
    let bytes = datagram(&[reliable(0, 1, b"12345"), part.reliable(0)]);
    let parsed = Datagram::parse(&bytes).unwrap();
    let length = bytes.len() - 4;
    assert!(format!("{parsed:?}").ends_with(&format!("commands: {length}, cut: 0 }}")));
    let shown = format!("{:?}", parsed.commands());
    assert_eq!(shown, format!("Commands {{ offset: 4, rest: {length} }}"));
    let bodies: Vec<_> = parsed.commands().map(|command| format!("{:?}", command.body)).collect();
    assert_eq!(bodies[0], "SendReliable { payload: 5 bytes }");
    assert!(bodies[1].starts_with("SendFragment(Fragment { start_sequence: 2, count: 1"));
    assert!(bodies[1].ends_with("payload: 3 bytes })"));
    let mut messages = Vec::new();
    let mut session = Session::new(SessionLimits::default());
    let sink = &mut |event: SessionEvent<'_>| {
        if let SessionEvent::Message(message) = event {
            messages.push(format!("{message:?}"));
        }
    };
    session.receive(First, &bytes, sink).unwrap();
    assert!(
        messages[0]
            .starts_with("SessionMessage { from: First, channel: 0, mode: Reliable, tag: ()")
    );
    assert!(messages[0].ends_with("len: 5 }"), "{messages:?}");
    assert!(format!("{:?}", RangeDecoder::new()).starts_with("RangeDecoder { symbols: "));
}

#[test]
fn modes_have_the_names_of_enet_and_of_godot() {
    let names = [Mode::Reliable, Mode::Unreliable, Mode::Unsequenced]
        .map(|mode| (mode.name(), mode.godot_name()));
    let expected = [
        ("reliable", "reliable"),
        ("unreliable", "unreliable_ordered"),
        ("unsequenced", "unreliable"),
    ];
    assert_eq!(names, expected);
}

#[test]
fn errors_name_the_problem_and_its_place() {
    let error = Datagram::parse(&one(vec![0x06, 0, 0, 1, 0, 0])).unwrap_err();
    assert!(error.to_string().contains("no command starts with byte 0x06"), "{error}");
    assert_eq!(error.offset, 4);
}
