//! What flows are taken for: what their messages are, and since when.

use crate::build::{CLIENT, PUSH, Packet, SERVER, SYN, tcp, udp};
use crate::hearing::Hearing;
use gdwire::capture::{Loss, Reason};
use gdwire::net::enet;
use gdwire::{Dialect, encode, variant};

/// ENet's command that opens a connection.
fn connect(id: u32) -> Vec<u8> {
    let mut datagram = vec![0x8f, 0xff, 0, 1, 0x82, 0xff, 0, 1, 0, 0, 0xff, 0xff];
    for number in [1_392, 65_536, 2, 0, 0, 5_000, 2, 2, id, 0_u32] {
        datagram.extend(number.to_be_bytes());
    }
    datagram
}

/// A datagram with a reliable message.
fn reliable(channel: u8, sequence: u16, message: &[u8]) -> Vec<u8> {
    let len = message.len() as u16;
    let [head, tail] = [sequence, len].map(u16::to_be_bytes);
    [&[0x80, 1, 0, 0, 0x86, channel][..], &head, &tail, message].concat()
}

fn from_client(datagrams: impl IntoIterator<Item = Vec<u8>>) -> Vec<Packet> {
    datagrams.into_iter().map(|datagram| udp(CLIENT, SERVER, &datagram)).collect()
}

/// Floats, which begin as raw bytes of Godot 4's multiplayer API do.
fn floats(dialect: Dialect) -> Vec<Vec<u8>> {
    (1..=30).map(|at| encode(dialect, &variant!(f64::from(at) / 3.0)).unwrap()).collect()
}

#[test]
fn values_are_not_raw_bytes_because_of_a_message_that_is_none() {
    let mut messages = floats(Dialect::GODOT_4);
    messages.insert(0, b"\x03 of another kind".to_vec());
    let enet = from_client(
        [connect(7)]
            .into_iter()
            .chain((1..).zip(&messages).map(|(at, message)| reliable(0, at, message))),
    );
    for packets in [enet, websocket(2, &messages)] {
        let hearing = Hearing::of(&packets);
        let heard: Vec<_> = hearing.heard.iter().map(|it| &it.bytes).collect();
        assert!(heard.iter().copied().eq(&messages[1..]), "{heard:?}");
        assert!(matches!(hearing.other[..], [(_, Reason::NoValue(_))]), "{:?}", hearing.other);
    }
}

/// What a WebSocket server sends: messages with an opcode.
fn websocket(opcode: u8, messages: &[Vec<u8>]) -> Vec<Packet> {
    let response =
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    let frame = |message: &Vec<u8>| [&[0x80 | opcode, message.len() as u8], &message[..]].concat();
    stream(1, [response.to_vec()].into_iter().chain(messages.iter().map(frame)))
}

/// The segments of a server, from its SYN with a sequence number on.
fn stream(initial: u32, segments: impl IntoIterator<Item = Vec<u8>>) -> Vec<Packet> {
    let mut packets = vec![tcp(SERVER, CLIENT, initial, SYN, &[])];
    let mut next = initial.wrapping_add(1);
    for segment in segments {
        packets.push(tcp(SERVER, CLIENT, next, PUSH, &segment));
        next = next.wrapping_add(segment.len() as u32);
    }
    packets
}

#[test]
fn what_could_only_be_raw_bytes_is_nothing() {
    let messages: Vec<_> = (0..30).map(|at| vec![3, at, 0xff]).collect();
    let hearing = Hearing::of(&websocket(2, &messages));
    assert_eq!((hearing.heard.len(), hearing.other.len()), (0, 30));
}

#[test]
fn text_is_no_packet() {
    // Calls with one argument: true.
    let calls: Vec<_> = (0..30).map(|method| vec![0, 2, method, 1, 0x81]).collect();
    let heard = |opcode| Hearing::of(&websocket(opcode, &calls)).heard.len();
    assert_eq!((heard(2), heard(1)), (30, 0));
    // Values may be sent as if they were text.
    assert_eq!(Hearing::of(&websocket(1, &floats(Dialect::GODOT_3))).heard.len(), 30);
}

#[test]
fn of_what_waits_for_the_first_message_the_dialect_is_told() {
    let value = |number: u32| variant!({"position": [number, number], "name": "пламя"});
    let message = |number: u32| {
        let value = encode(Dialect::GODOT_3, &value(number)).unwrap();
        [&777_777_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &value].concat()
    };
    // The first message, which all others have to wait for, was not captured.
    let rest = (2..40).map(|at| reliable(1, at, &message(at.into())));
    let hearing = Hearing::of(&from_client([connect(7)].into_iter().chain(rest)));
    assert_eq!(hearing.heard.len(), 38);
    assert!(hearing.heard.iter().all(|it| it.dialect == Dialect::GODOT_3));
    let [lost] = &hearing.lost[..] else { panic!("{:?}", hearing.lost) };
    let Loss::Enet(loss) = lost.loss else { panic!("{lost:?}") };
    assert_eq!(loss.reason, enet::Reason::NotSeen);
}
