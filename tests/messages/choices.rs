//! How flows are classified: the kind of their messages, and from which packet on.

use crate::messages::build::{CLIENT, End, Numbers, PUSH, Packet, SERVER, SYN, tcp, udp};
use crate::messages::output::{Output, Returned};
use crate::messages::parts::recordings;
use gdwire::follow::{Cause, Closed, Limits, Options, Reason, Summary, Transport};
use gdwire::math::Vector3;
use gdwire::net::{enet, tcp};
use gdwire::{Dialect, encode, parse, variant};

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

/// Floats, whose first bytes are like those of raw bytes of Godot 4's multiplayer API.
fn floats(dialect: Dialect) -> Vec<Vec<u8>> {
    (1..=30).map(|at| encode(dialect, &variant!(f64::from(at) / 3.0)).unwrap()).collect()
}

#[test]
fn one_invalid_message_does_not_turn_values_into_raw_bytes() {
    let mut messages = floats(Dialect::GODOT_4);
    messages.insert(0, b"\x03 of another kind".to_vec());
    let enet = from_client(
        [connect(7)]
            .into_iter()
            .chain((1..).zip(&messages).map(|(at, message)| reliable(0, at, message))),
    );
    for packets in [enet, websocket(2, &messages)] {
        let output = Output::of(&packets);
        let returned: Vec<_> = output.returned.iter().map(|it| &it.bytes).collect();
        assert!(returned.iter().copied().eq(&messages[1..]), "{returned:?}");
        assert!(matches!(output.other[..], [(_, Reason::NoValue(_))]), "{:?}", output.other);
    }
}

/// The packets of a WebSocket server that sends messages with an opcode.
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
fn messages_that_could_only_be_raw_bytes_are_not_decoded() {
    let messages: Vec<_> = (0..30).map(|at| vec![3, at, 0xff]).collect();
    let output = Output::of(&websocket(2, &messages));
    assert_eq!((output.returned.len(), output.other.len()), (0, 30));
}

/// Godot 3 writes a kind and the ids of sender and receiver before a message. Peers talk to the
/// server, which has the id 1.
#[test]
fn raw_bytes_are_recognized_by_the_id_of_the_server() {
    for (source, target, count) in [(1, 5, 26), (5, 1, 26), (5, 6, 0)] {
        let message = |at| [&[0, source, 0, 0, 0, target, 0, 0, 0, 4, at][..], b"raw"].concat();
        let messages: Vec<_> = (b'A'..=b'Z').map(message).collect();
        let output = Output::of(&websocket(2, &messages));
        assert_eq!(output.returned.len(), count, "from {source} to {target}");
        assert!(output.returned.iter().all(|it| it.dialect == GODOT_3 && it.is_packet));
    }
}

#[test]
fn websocket_text_is_not_a_packet() {
    // Calls with one argument: true.
    let calls: Vec<_> = (0..30).map(|method| vec![0, 2, method, 1, 0x81]).collect();
    let returned = |opcode| Output::of(&websocket(opcode, &calls)).returned.len();
    assert_eq!((returned(2), returned(1)), (30, 0));
    // Values may be sent as if they were text.
    assert_eq!(Output::of(&websocket(1, &floats(Dialect::GODOT_3))).returned.len(), 30);
}

#[test]
fn the_dialect_is_found_while_messages_wait_for_the_first() {
    let value = |number: u32| variant!({"position": [number, number], "name": "пламя"});
    let message = |number: u32| {
        let value = encode(Dialect::GODOT_3, &value(number)).unwrap();
        [&777_777_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &value].concat()
    };
    // The first message, for which all others have to wait, was not captured.
    let rest = (2..40).map(|at| reliable(1, at, &message(at.into())));
    let output = Output::of(&from_client([connect(7)].into_iter().chain(rest)));
    assert_eq!(output.returned.len(), 38);
    assert!(output.returned.iter().all(|it| it.dialect == Dialect::GODOT_3));
    let [lost] = &output.lost[..] else { panic!("{:?}", output.lost) };
    let Cause::Enet(loss) = lost.cause else { panic!("{lost:?}") };
    assert_eq!(loss.reason, enet::LossReason::NotSeen);
}

/// Vectors, which have different type numbers in the dialects.
fn vectors(dialect: Dialect) -> Vec<Vec<u8>> {
    let value = |at: i64| variant!({"at": at, "position": Vector3::new(1.0, 2.0, 3.0)});
    (0..20).map(|at| encode(dialect, &value(at)).unwrap()).collect()
}

fn framed(values: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    values.iter().map(|value| [&(value.len() as u32).to_le_bytes()[..], value].concat())
}

/// The classification of each flow, and the number of messages of each transport and dialect, in
/// their order.
type Found = (Vec<(Option<Transport>, Option<Dialect>)>, Vec<(Transport, Dialect, usize)>);

fn found(packets: &[Packet], limits: Limits) -> Found {
    let output = Output::with(packets, Options::new().with_limits(limits));
    let closed = &output.closed;
    assert!(closed.windows(2).all(|pair| pair[0].last().frame < pair[1].first().frame));
    let of_flows: u64 = closed.iter().map(|it| it.traffic().packets).sum();
    assert_eq!(of_flows, packets.len() as u64);
    let mut given: Vec<(Transport, Dialect, usize)> = Vec::new();
    assert!(output.lost.is_empty(), "{:?}", output.lost);
    for returned in &output.returned {
        let of_connection = closed.iter().find(|it| it.connection() == returned.connection);
        let dialect = of_connection.unwrap().dialect().unwrap_or(returned.dialect);
        assert!(returned.dialect == dialect || !returned.is_decided);
        let returned = Returned { dialect, ..returned.clone() };
        match given.last_mut() {
            Some((transport, dialect, count))
                if (*transport, *dialect) == (returned.transport, returned.dialect) =>
            {
                *count += 1;
            }
            _ => given.push((returned.transport, returned.dialect, 1)),
        }
    }
    (closed.iter().map(|it| (it.transport(), it.dialect())).collect(), given)
}

const GODOT_3: Dialect = Dialect::GODOT_3;
const GODOT_4: Dialect = Dialect::GODOT_4;

#[test]
fn each_tcp_connection_between_the_same_ends_is_classified() {
    let http = stream(1 << 30, [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()]);
    let godot3 = stream(1 << 20, framed(&vectors(GODOT_3)));
    let mut websocket = websocket(2, &vectors(GODOT_4));
    // The SYN of the first connection is sent again, and arrives late.
    websocket.insert(3, websocket[0].clone());
    let packets = [http, websocket, godot3].concat();
    let tcp = |dialect| (Some(Transport::Tcp), Some(dialect));
    let websocket = (Some(Transport::WebSocket), Some(GODOT_4));
    let (flows, given) = found(&packets, Limits::default());
    assert_eq!(flows, [(None, None), websocket, tcp(GODOT_3)]);
    assert_eq!(given, [(Transport::WebSocket, GODOT_4, 20), (Transport::Tcp, GODOT_3, 20)]);
    // Only connections that are open at the same time count towards the limit.
    assert_eq!(found(&packets, Limits::default().with_flows(1)), (flows, given));
}

#[test]
fn each_enet_connection_between_the_same_ends_is_classified() {
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
fn messages_held_by_a_connection_are_returned_before_the_next_one() {
    let values = vectors(GODOT_3);
    let mut packets = stream(1, framed(&values));
    // All segments after the missing one are held back until the end of the connection, which is
    // certain once the next connection continues after its SYN.
    packets.remove(3);
    packets.extend(stream(1 << 20, framed(&values)));
    let output = Output::of(&packets);
    let frames: Vec<_> = output.returned.iter().map(|it| it.frame).collect();
    assert_eq!(frames, (2..=20).chain(22..=41).collect::<Vec<_>>());
    let [lost] = &output.lost[..] else { panic!("{:?}", output.lost) };
    // The missing segment was between those of the third and the fourth packet.
    assert_eq!((lost.after, lost.frame), (Some(3), 4));
    let Cause::Stream { offset, bytes, reason } = lost.cause else { panic!("{lost:?}") };
    assert_eq!((offset, bytes, reason), (2 * 64, 64, tcp::LossReason::Missing));
}

#[test]
fn flows_of_the_engines_are_kept_when_there_are_too_many_flows() {
    for recording in recordings().iter().filter(|it| it.name.starts_with("godot3-rpc")) {
        let mut game = recording.packets.clone();
        for packet in &mut game {
            packet.data.drain(..packet.data.len().min(14));
            packet.original_len -= 14;
            packet.link_type = 101;
        }
        let flows = Output::of(&game).closed.len();
        let other = |at: u16| udp(End(9, at), SERVER, b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a");
        let others: Vec<_> = (1..=3_000).map(other).collect();
        for place in [0, 1_500, 3_000] {
            let (before, after) = others.split_at(place);
            let packets = [before, &game, after].concat();
            let options = Options::new().with_limits(Limits::default().with_flows(64));
            let output = Output::with(&packets, options);
            let bytes =
                |of: &Output| of.returned.iter().map(|it| it.bytes.clone()).collect::<Vec<_>>();
            assert!(bytes(&output) == bytes(&recording.whole), "{} {place}", recording.name);
            // The other flows lose nothing.
            assert!(output.lost.is_empty(), "{:?}", output.lost);
            assert_eq!((output.other.len(), output.closed.len()), (3_000, 3_000 + flows));
            let is_given_up = |it: &&Summary| it.closed() == Some(Closed::Limit);
            let given_up: Vec<_> = output.closed.iter().filter(is_given_up).collect();
            assert!(given_up.iter().all(|it| it.transport().is_none()), "{given_up:?}");
            assert!((3_000 - 64..=3_000 + flows - 64).contains(&given_up.len()));
        }
    }
}

/// More packets of a connection that was given up are not read while there are too many.
#[test]
fn the_connection_that_was_silent_longest_is_given_up() {
    let [value, other] = [&[2, 0, 0, 0, 7, 0, 0, 0][..], b"nothing of the engines"];
    let send = |port: u16, payload: &[u8]| udp(End(2, port), SERVER, payload);
    let packets = [
        send(1, value),
        send(2, other),
        send(3, value),
        send(2, other),
        // Connection 1 is given up.
        send(4, value),
        // Connection 3 is given up.
        send(5, value),
        // Others are not given up for one packet of these.
        send(3, value),
        send(1, value),
        send(6, value),
    ];
    let options = Options::new().with_limits(Limits::default().with_flows(3));
    let output = Output::with(&packets, options);
    let mut returned: Vec<_> = output.returned.iter().map(|it| it.frame).collect();
    returned.sort_unstable();
    assert_eq!(returned, [1, 3, 5, 6, 9]);
    let given_up = output.closed.iter().filter(|it| it.closed() == Some(Closed::Limit));
    let frames: Vec<_> = given_up.map(|it| (it.first().frame, it.last().frame)).collect();
    assert_eq!(frames, [(1, 1), (3, 3), (2, 4)]);
    // Datagrams do not depend on each other, so nothing is lost before the first that is not read.
    let beyond = output.other.iter().filter(|(_, why)| *why == Reason::TooManyConnections);
    assert_eq!(beyond.map(|(frame, _)| *frame).collect::<Vec<_>>(), [7, 8]);
    let [crate::messages::output::Lost { frame: 7, cause: Cause::Connections { limit: 3 }, .. }] =
        output.lost[..]
    else {
        panic!("{:?}", output.lost);
    };
}

/// Values after the datagrams that decide the classification are still read.
#[test]
fn values_after_the_decision_are_read_in_a_flow_without_values() {
    let others = (0..100).map(|at| vec![0xff, at, 1, 2, 3]);
    let (flows, given) = found(&from_client(others.chain(vectors(GODOT_4))), Limits::default());
    assert_eq!(flows, [(Some(Transport::Udp), Some(GODOT_4))]);
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
fn the_commands_distinguish_godot_3_and_pandemonium() {
    // The path begins at byte 18.
    let call =
        |at: u8| [b"\0\x12\0\0\x80hit\0\x01\x02\0\0\0", &[at, 0, 0, 0][..], b"Game\0"].concat();
    let calls: Vec<_> = (0..20).map(call).collect();
    // Without evidence, the calls are read as Godot 3.
    let flows = |packets: &[Packet]| found(packets, Limits::default()).0;
    assert_eq!(flows(&enet(CLIENT, &addressed(&calls))), [(Some(Transport::Enet), Some(GODOT_3))]);
    let godot3: [&[u8]; 3] = [b"\x02\x01\0\0\0Game\0", b"\x03Game\0", b"\x04\xff\xfe\xfd"];
    let pandemonium: [&[u8]; 3] = [b"\x01\x01\0\0\0Game\0", b"\x02Game\0", b"\x03\xff\xfe\xfd"];
    let found = |packets: &[Packet]| found(packets, Limits::default());
    for (others, dialect) in [(godot3, GODOT_3), (pandemonium, Dialect::PANDEMONIUM_5)] {
        // One packet that is not a call decides the engine, even if it is raw bytes.
        for other in others {
            let messages = addressed(&[calls.clone(), vec![other.to_vec()]].concat());
            let (flows, given) = found(&enet(CLIENT, &messages));
            assert_eq!(flows, [(Some(Transport::Enet), Some(dialect))], "{other:?}");
            assert_eq!(given, [(Transport::Enet, dialect, 21)], "{other:?}");
        }
        // A flow without evidence is read like the other flows.
        let (calls, all) = (addressed(&calls), others.map(<[u8]>::to_vec));
        let all = [calls.clone(), addressed(&all)].concat();
        let packets = [enet(CLIENT, &all), enet(End(3, 40_001), &calls)].concat();
        let (flows, given) = found(&packets);
        assert_eq!(flows, [(Some(Transport::Enet), Some(dialect)); 2]);
        assert_eq!(given, [(Transport::Enet, dialect, 43)]);
    }
}

/// Captures with a single packet of a game: a message that can be read in several ways decides
/// nothing.
#[test]
fn a_single_message_decides_only_what_it_shows() {
    let (mut decided, mut undecided) = (0, 0);
    for recording in recordings() {
        for (frame, packet) in (1..).zip(&recording.packets) {
            let output = Output::of(std::slice::from_ref(packet));
            for returned in &output.returned {
                let mut whole = recording.whole.returned.iter();
                let Some(sent) = whole.find(|it| it.frame == frame && it.bytes == returned.bytes)
                else {
                    // It was sent again.
                    assert!(recording.whole.returned.iter().any(|it| it.bytes == returned.bytes));
                    continue;
                };
                let read = |it: &Returned| (it.dialect.engine(), it.is_packet);
                let is_same = read(sent) == read(returned);
                if returned.is_decided {
                    decided += 1;
                    assert!(is_same, "{} {frame} {returned:?}", recording.name);
                } else {
                    undecided += 1;
                    // The most common engine is preferred.
                    let is_preferred = sent.dialect != GODOT_4 || is_same;
                    assert!(is_preferred, "{} {frame} {returned:?}", recording.name);
                }
            }
        }
    }
    assert!(decided > 1_000 && undecided > 500, "{decided} {undecided}");
}

/// A call of Godot 4 that reads as a value of Pandemonium as well.
#[test]
fn a_message_that_two_engines_read_is_that_of_the_other_connections() {
    // Five ints as arguments, or a matrix.
    let ints = [&[0xc2, 1, 2, 3, 4, 5, 6, 7, 8][..]; 3].concat();
    let call = [&[0x10, 0, 0, 0, 5][..], &ints, &[0x42, 1, 2, 0x82, 1, 2, 3, 4]].concat();
    assert!(parse(Dialect::PANDEMONIUM_5, &call).is_ok());
    let one = |client: End, message: &[u8]| udp(client, SERVER, &reliable(0, 1, message));
    let output = Output::of(&[one(CLIENT, &call)]);
    let [returned] = &output.returned[..] else { panic!("{:?}", output.returned) };
    assert_eq!((returned.dialect, returned.is_packet, returned.is_decided), (GODOT_4, true, false));
    // Another connection shows that the game is made with Pandemonium.
    let other = vectors(Dialect::PANDEMONIUM_5).into_iter().map(|it| udp(End(9, 9), SERVER, &it));
    let packets = [vec![one(CLIENT, &call)], other.collect()].concat();
    let output = Output::of(&packets);
    let returned = output.returned.iter().find(|it| it.bytes == call).unwrap();
    assert_eq!((returned.is_packet, returned.is_decided), (false, false));
    assert_eq!(returned.dialect, Dialect::PANDEMONIUM_5);
    // An empty dictionary, which is an empty array of another engine.
    let empty = encode(GODOT_4, &variant!({})).unwrap();
    let output = Output::of(&[one(CLIENT, &empty)]);
    let [returned] = &output.returned[..] else { panic!("{:?}", output.returned) };
    assert_eq!((returned.dialect, returned.is_decided), (GODOT_4, false));
}

/// A binary format of another program with messages of 16 bytes. Those of some kinds happen to be
/// vectors.
#[test]
fn a_few_datagrams_that_read_as_values_are_not_messages() {
    let mut numbers = Numbers(0x5eed);
    for hits in [3, 9, 15] {
        for first in [0, 1, 40, 63] {
            let mut datagram = |at: usize| {
                let is_hit = (at + 64 - first) % 64 * hits / 64
                    != ((at + 63 - first) % 64 * hits) / 64
                    || at % 64 == first;
                let kind = if is_hit { 7 } else { 100 + numbers.below(50) as u32 };
                let mut bytes = kind.to_le_bytes().to_vec();
                (0..3).for_each(|_| bytes.extend((numbers.below(1_000) as f32).to_le_bytes()));
                udp(CLIENT, SERVER, &bytes)
            };
            let packets: Vec<_> = (0..300).map(&mut datagram).collect();
            let output = Output::of(&packets);
            assert!(output.returned.is_empty(), "{hits} {first} {:?}", output.returned.len());
            assert_eq!((output.closed[0].transport(), output.closed[0].dialect()), (None, None));
            let unlikely = |(_, reason): &&(u64, Reason)| matches!(reason, Reason::Unlikely);
            let few = output.other.iter().filter(unlikely).count();
            assert!((hits * 4..hits * 6).contains(&few), "{hits} {first} {few}");
            // The option overrides that.
            let options = Options::new().with_transport(Transport::Udp);
            assert_eq!(Output::with(&packets, options).returned.len(), few);
            // The same over ENet.
            let enet: Vec<_> = (1..)
                .zip(&packets)
                .map(|(at, packet)| udp(CLIENT, SERVER, &reliable(0, at, &packet.data[28..])))
                .collect();
            let output = Output::of(&enet);
            assert!(output.returned.is_empty(), "{hits} {first} {:?}", output.returned.len());
        }
    }
}
