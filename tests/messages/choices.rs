//! What flows are taken for: what their messages are, and since when.

use crate::build::{CLIENT, End, PUSH, Packet, SERVER, SYN, tcp, udp};
use crate::hearing::{Heard, Hearing};
use crate::parts::recordings;
use gdwire::capture::{Cause, Closed, Limits, Options, Reason, Summary, Transport};
use gdwire::math::Vector3;
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

/// Godot 3 puts a kind and the ids of sender and receiver in front. Peers talk to the server, 1.
#[test]
fn raw_bytes_are_known_by_the_id_of_the_server() {
    for (source, target, count) in [(1, 5, 26), (5, 1, 26), (5, 6, 0)] {
        let message = |at| [&[0, source, 0, 0, 0, target, 0, 0, 0, 4, at][..], b"raw"].concat();
        let messages: Vec<_> = (b'A'..=b'Z').map(message).collect();
        let hearing = Hearing::of(&websocket(2, &messages));
        assert_eq!(hearing.heard.len(), count, "from {source} to {target}");
        assert!(hearing.heard.iter().all(|it| it.dialect == GODOT_3 && it.is_packet));
    }
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
    let Cause::Enet(loss) = lost.cause else { panic!("{lost:?}") };
    assert_eq!(loss.reason, enet::LossReason::NotSeen);
}

/// The dialects give vectors other numbers.
fn vectors(dialect: Dialect) -> Vec<Vec<u8>> {
    let value = |at: i64| variant!({"at": at, "position": Vector3::new(1.0, 2.0, 3.0)});
    (0..20).map(|at| encode(dialect, &value(at)).unwrap()).collect()
}

fn framed(values: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    values.iter().map(|value| [&(value.len() as u32).to_le_bytes()[..], value].concat())
}

/// What each flow is found to be, and how many messages of each transport and dialect there are,
/// in their order.
type Found = (Vec<(Option<Transport>, Option<Dialect>)>, Vec<(Transport, Dialect, usize)>);

fn found(packets: &[Packet], limits: Limits) -> Found {
    let hearing = Hearing::with(packets, Options::new().limits(limits));
    let closed = &hearing.closed;
    assert!(closed.windows(2).all(|pair| pair[0].last().frame < pair[1].first().frame));
    let of_flows: u64 = closed.iter().map(|it| it.traffic().packets).sum();
    assert_eq!(of_flows, packets.len() as u64);
    let mut given: Vec<(Transport, Dialect, usize)> = Vec::new();
    assert!(hearing.lost.is_empty(), "{:?}", hearing.lost);
    for heard in &hearing.heard {
        let of_connection = closed.iter().find(|it| it.connection() == heard.connection);
        let dialect = of_connection.unwrap().dialect().unwrap_or(heard.dialect);
        assert!(heard.dialect == dialect || !heard.is_decided);
        let heard = Heard { dialect, ..heard.clone() };
        match given.last_mut() {
            Some((transport, dialect, count))
                if (*transport, *dialect) == (heard.transport, heard.dialect) =>
            {
                *count += 1;
            }
            _ => given.push((heard.transport, heard.dialect, 1)),
        }
    }
    (closed.iter().map(|it| (it.transport(), it.dialect())).collect(), given)
}

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

#[test]
fn each_connection_between_the_same_ends_is_looked_at() {
    let http = stream(1 << 30, [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()]);
    let godot3 = stream(1 << 20, framed(&vectors(GODOT_3)));
    let mut websocket = websocket(2, &vectors(GODOT_4));
    // Of the first packet the SYN is sent again, and comes late.
    websocket.insert(3, websocket[0].clone());
    let packets = [http, websocket, godot3].concat();
    let tcp = |dialect| (Some(Transport::Tcp), Some(dialect));
    let websocket = (Some(Transport::WebSocket), Some(GODOT_4));
    let (flows, given) = found(&packets, Limits::default());
    assert_eq!(flows, [(None, None), websocket, tcp(GODOT_3)]);
    assert_eq!(given, [(Transport::WebSocket, GODOT_4, 20), (Transport::Tcp, GODOT_3, 20)]);
    // To the limit, only those count that are open at the same time.
    assert_eq!(found(&packets, Limits::default().with_flows(1)), (flows, given));
}

#[test]
fn each_connection_of_enet_is_looked_at() {
    let reliably = |id: u32, messages: &[Vec<u8>]| -> Vec<Vec<u8>> {
        let messages = (1..).zip(messages).map(|(at, message)| reliable(0, at, message));
        // The first datagram is sent twice.
        [connect(id), connect(id)].into_iter().chain(messages).collect()
    };
    let (first, second) = (vectors(GODOT_3), vectors(GODOT_4));
    let packets = [reliably(7, &first), reliably(8, &second)].concat();
    let (flows, given) = found(&from_client(packets), Limits::default());
    let enet = |dialect| (Some(Transport::Enet), Some(dialect));
    assert_eq!(flows, [enet(GODOT_3), enet(GODOT_4)]);
    assert_eq!(given, [(Transport::Enet, GODOT_3, 20), (Transport::Enet, GODOT_4, 20)]);
}

#[test]
fn what_an_older_connection_holds_is_given_before_the_next_one() {
    let values = vectors(GODOT_3);
    let mut packets = stream(1, framed(&values));
    // All behind it is held back until the end of its connection. That is certain once the next
    // connection goes on after its SYN.
    packets.remove(3);
    packets.extend(stream(1 << 20, framed(&values)));
    let hearing = Hearing::of(&packets);
    let frames: Vec<_> = hearing.heard.iter().map(|it| it.frame).collect();
    assert_eq!(frames, (2..=20).chain(22..=41).collect::<Vec<_>>());
    assert!(matches!(hearing.lost[..], [crate::hearing::Lost { frame: 22, .. }]));
}

#[test]
fn among_more_flows_than_may_be_the_engines_are_not_forgotten() {
    for recording in recordings().iter().filter(|it| it.name.starts_with("godot3-rpc")) {
        let mut game = recording.packets.clone();
        for packet in &mut game {
            packet.data.drain(..packet.data.len().min(14));
            packet.original_len -= 14;
            packet.link_type = 101;
        }
        let flows = Hearing::of(&game).closed.len();
        let other = |at: u16| udp(End(9, at), SERVER, b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a");
        let others: Vec<_> = (1..=3_000).map(other).collect();
        for place in [0, 1_500, 3_000] {
            let (before, behind) = others.split_at(place);
            let packets = [before, &game, behind].concat();
            let options = Options::new().limits(Limits::default().with_flows(64));
            let hearing = Hearing::with(&packets, options);
            let bytes =
                |of: &Hearing| of.heard.iter().map(|it| it.bytes.clone()).collect::<Vec<_>>();
            assert!(bytes(&hearing) == bytes(&recording.whole), "{} {place}", recording.name);
            // Nothing is lost with the others.
            assert!(hearing.lost.is_empty(), "{:?}", hearing.lost);
            assert_eq!((hearing.other.len(), hearing.closed.len()), (3_000, 3_000 + flows));
            let is_given_up = |it: &&Summary| it.closed() == Some(Closed::Limit);
            let given_up: Vec<_> = hearing.closed.iter().filter(is_given_up).collect();
            assert!(given_up.iter().all(|it| it.transport().is_none()), "{given_up:?}");
            assert!((3_000 - 64..=3_000 + flows - 64).contains(&given_up.len()));
        }
    }
}

/// A connection that was given up and comes again is another one.
#[test]
fn the_connection_that_was_silent_longest_is_given_up() {
    let [value, other] = [&[2, 0, 0, 0, 7, 0, 0, 0][..], b"nothing of the engines"];
    let send = |port: u16, payload: &[u8]| udp(End(2, port), SERVER, payload);
    let packets = [
        send(1, value),
        send(2, other),
        send(3, value),
        send(2, other),
        // Instead of 1.
        send(4, value),
        // Instead of 3, which then comes again, instead of 2.
        send(5, value),
        send(3, value),
        // Instead of 4.
        send(1, value),
    ];
    let options = Options::new().limits(Limits::default().with_flows(3));
    let hearing = Hearing::with(&packets, options);
    let mut heard: Vec<_> = hearing.heard.iter().map(|it| it.frame).collect();
    heard.sort_unstable();
    assert_eq!(heard, [1, 3, 5, 6, 7, 8]);
    let given_up = hearing.closed.iter().filter(|it| it.closed() == Some(Closed::Limit));
    let frames: Vec<_> = given_up.map(|it| (it.first().frame, it.last().frame)).collect();
    assert_eq!(frames, [(1, 1), (3, 3), (2, 4), (5, 5)]);
    // Datagrams have nothing to do with each other.
    assert!(hearing.lost.is_empty(), "{:?}", hearing.lost);
}

/// Of more datagrams than are looked at, what comes later is read all the same.
#[test]
fn of_a_flow_without_a_value_nothing_is_said_but_all_is_read() {
    let others = (0..100).map(|at| vec![0xff, at, 1, 2, 3]);
    let (flows, given) = found(&from_client(others.chain(vectors(GODOT_4))), Limits::default());
    assert_eq!(flows, [(None, None)]);
    assert_eq!(given, [(Transport::Udp, GODOT_4, 20)]);
}

/// Packets after the ids of a client and the server.
fn addressed(packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let ids = [&777_777_u32.to_le_bytes()[..], &1_u32.to_le_bytes()].concat();
    packets.iter().map(|packet| [&ids, &packet[..]].concat()).collect()
}

fn enet(client: End, messages: &[Vec<u8>]) -> Vec<Packet> {
    let messages = (1..).zip(messages).map(|(at, message)| reliable(1, at, message));
    let datagrams = [connect(777_777)].into_iter().chain(messages);
    datagrams.map(|datagram| udp(client, SERVER, &datagram)).collect()
}

/// Godot 3 and Pandemonium frame their packets alike and write ints alike.
#[test]
fn the_commands_say_whether_it_is_godot_3_or_pandemonium() {
    // The path stands at byte 18.
    let call =
        |at: u8| [b"\0\x12\0\0\x80hit\0\x01\x02\0\0\0", &[at, 0, 0, 0][..], b"Game\0"].concat();
    let calls: Vec<_> = (0..20).map(call).collect();
    // Without evidence, calls are given all the same.
    let flows = |packets: &[Packet]| found(packets, Limits::default()).0;
    assert_eq!(flows(&enet(CLIENT, &addressed(&calls))), [(Some(Transport::Enet), Some(GODOT_3))]);
    let godot3: [&[u8]; 3] = [b"\x02\x01\0\0\0Game\0", b"\x03Game\0", b"\x04\xff\xfe\xfd"];
    let pandemonium: [&[u8]; 3] = [b"\x01\x01\0\0\0Game\0", b"\x02Game\0", b"\x03\xff\xfe\xfd"];
    let found = |packets: &[Packet]| found(packets, Limits::default());
    for (others, dialect) in [(godot3, GODOT_3), (pandemonium, Dialect::PANDEMONIUM_5)] {
        // One packet that is not a call says it, even if it is raw bytes.
        for other in others {
            let messages = addressed(&[calls.clone(), vec![other.to_vec()]].concat());
            let (flows, given) = found(&enet(CLIENT, &messages));
            assert_eq!(flows, [(Some(Transport::Enet), Some(dialect))], "{other:?}");
            assert_eq!(given, [(Transport::Enet, dialect, 21)], "{other:?}");
        }
        // A flow that does not say it is of the engine of the others.
        let (calls, all) = (addressed(&calls), others.map(<[u8]>::to_vec));
        let all = [calls.clone(), addressed(&all)].concat();
        let packets = [enet(CLIENT, &all), enet(End(3, 40_001), &calls)].concat();
        let (flows, given) = found(&packets);
        assert_eq!(flows, [(Some(Transport::Enet), Some(dialect)); 2]);
        assert_eq!(given, [(Transport::Enet, dialect, 43)]);
    }
}
