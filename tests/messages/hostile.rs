//! Captures that are designed to use memory: memory stays under the limits, losses are reported,
//! and the messages of other connections in between are all read.

use crate::common::{lines, unhex};
use crate::messages::build::{CLIENT, End, Numbers, PUSH, Packet, SERVER, SYN, fragment, tcp, udp};
use crate::messages::memory::{among, limits, small};

fn client(number: usize) -> End {
    End(2 + number as u32 / 60_000, 1_024 + (number % 60_000) as u16)
}

/// A datagram with one ENet command, whose content follows its number.
fn enet(command: u8, channel: u8, sequence: u16, rest: &[u8]) -> Vec<u8> {
    let [high, low] = sequence.to_be_bytes();
    [&[0x80, 1, 0, 0, command, channel, high, low], rest].concat()
}

fn enet_reliable(channel: u8, sequence: u16, payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(payload.len()).unwrap().to_be_bytes();
    enet(0x86, channel, sequence, &[&len, payload].concat())
}

/// A fragment of a message of `total` bytes, in fragments of equal length.
fn enet_fragment(channel: u8, start: u16, number: u32, total: u32, payload: &[u8]) -> Vec<u8> {
    let len = payload.len() as u32;
    let mut rest = [start, len as u16].map(u16::to_be_bytes).as_flattened().to_vec();
    for number in [total.div_ceil(len), number, total, number * len] {
        rest.extend(number.to_be_bytes());
    }
    rest.extend_from_slice(payload);
    enet(0x88, channel, start.wrapping_add(number as u16), &rest)
}

const FLOWS: usize = 16_384;

/// The limit on connections is reported `reported` times.
fn many_flows(reported: usize, payload: impl Fn(usize) -> Packet) {
    let packets: Vec<_> = (0..FLOWS).map(payload).collect();
    let room = limits(FLOWS + 100, 256 << 10, 38 << 20);
    let taken = among(&packets, room);
    let all = (taken.messages + taken.other, taken.closed, taken.connections);
    assert_eq!(all, (FLOWS, 0, 0), "{taken:?}");
    // An eighth of them is more than the number of flows between two packets of a recording.
    let (packets, flows) = (&packets[..FLOWS / 4], FLOWS / 16);
    let taken = among(packets, limits(flows, 256 << 10, 6 << 20));
    assert_eq!((taken.messages, taken.connections), (packets.len(), reported), "{taken:?}");
    let too_many = packets.len() - flows;
    assert!((too_many..too_many + 8).contains(&taken.closed), "{taken:?}");
}

const VALUE: [u8; 8] = [2, 0, 0, 0, 7, 0, 0, 0];
const FRAMED: [u8; 12] = [8, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0];

#[test]
fn many_flows_of_udp() {
    // Datagrams do not depend on each other, so the limit is not reported.
    many_flows(0, |n| udp(client(n), SERVER, &VALUE));
}

#[test]
fn many_flows_of_enet() {
    many_flows(1, |n| udp(client(n), SERVER, &enet_reliable(n as u8 % 255, 1, &VALUE)));
}

#[test]
fn many_flows_of_tcp() {
    many_flows(1, |n| tcp(client(n), SERVER, 1, PUSH, &FRAMED));
}

#[test]
fn many_flows_of_websocket() {
    many_flows(1, |n| tcp(client(n), SERVER, 1, PUSH, &[&[0x82, 8][..], &VALUE].concat()));
}

/// Many clients, each of which sends the packets that a function makes for it and a number.
fn from_clients(clients: usize, each: usize, make: impl Fn(End, usize) -> Packet) -> Vec<Packet> {
    (0..each)
        .flat_map(|at| (0..clients).map(move |n| (client(n), at)))
        .map(|(end, at)| make(end, at))
        .collect()
}

#[test]
fn holes_that_are_never_filled() {
    let mut random = Numbers(7);
    let bytes = random.bytes(1_000);
    // Every other segment is missing; nothing is acknowledged.
    let packets = from_clients(200, 60, |end, at| match at {
        0 => tcp(end, SERVER, 0, SYN, &[]),
        1 => tcp(end, SERVER, 1, PUSH, &FRAMED),
        _ => tcp(end, SERVER, 2_000 * at as u32, PUSH, &bytes),
    });
    let taken = among(&packets, small());
    assert!(taken.forgotten > 100 && taken.lost > 1_000, "{taken:?}");
}

#[test]
fn frames_that_are_announced_and_never_sent() {
    // Longer than allowed, and exactly as long as allowed.
    for len in [u32::MAX, (64 << 10) - 4] {
        let packets = from_clients(200, 60, |end, at| match at {
            0 => tcp(end, SERVER, 0, SYN, &[]),
            1 => tcp(end, SERVER, 1, PUSH, &[&FRAMED[..], &len.to_le_bytes()].concat()),
            _ => tcp(end, SERVER, 17 + 1_000 * (at as u32 - 2), PUSH, &[at as u8; 1_000]),
        });
        let taken = among(&packets, small());
        assert!(taken.lost + taken.forgotten > 200, "{taken:?}");
    }
}

#[test]
fn segments_of_one_byte() {
    const EACH: usize = 6_000;
    let packets = from_clients(12, EACH, |end, at| {
        // A long message, or one that is too long, after which the next one is searched for.
        let len: u32 = if end.1 % 3 == 0 { 60_000 } else { u32::MAX };
        match (at, end.1 % 3) {
            (0, _) => tcp(end, SERVER, 0, SYN, &[]),
            (1, _) => tcp(end, SERVER, 1, PUSH, &[&FRAMED[..], &len.to_le_bytes()].concat()),
            (_, 0 | 1) => tcp(end, SERVER, 15 + at as u32, PUSH, &[7]),
            // In reverse order.
            _ => tcp(end, SERVER, 17 + (EACH - at) as u32, PUSH, &[7]),
        }
    });
    let taken = among(&packets, small());
    assert!(taken.messages == 12 && taken.lost >= 12, "{taken:?}");
}

#[test]
fn many_messages_after_a_hole_that_is_filled() {
    let empty = [0; 24 << 10];
    let mut packets = vec![tcp(CLIENT, SERVER, 0, SYN, &[])];
    packets.push(tcp(CLIENT, SERVER, 1, PUSH, &FRAMED.repeat(70)));
    let start = 1 + 70 * 12;
    packets.push(tcp(CLIENT, SERVER, start + 4, PUSH, &empty));
    packets.push(tcp(CLIENT, SERVER, start, PUSH, &[0; 4]));
    let taken = among(&packets, limits(100, 256 << 10, 2 << 20));
    let all = taken.messages + taken.other + taken.queue as usize;
    assert_eq!(all, 70 + 1 + (24 << 10) / 4, "{taken:?}");
    assert!(taken.queue > 1_000, "{taken:?}");
}

#[test]
fn messages_with_missing_fragments() {
    let bytes = [7; 1_000];
    let packets = from_clients(20, 400, |end, at| {
        let payload = match at {
            0 => enet_reliable(0, 1, &VALUE),
            // Many messages with one fragment each, or one message with many fragments.
            _ if end.1 % 2 == 0 => {
                enet_fragment(1, at as u16 * 40, at as u32 % 30, 32 << 20, &bytes)
            }
            _ => enet_fragment(1, 1, 2 * at as u32, 32 << 20, &bytes),
        };
        udp(end, SERVER, &payload)
    });
    let taken = among(&packets, small());
    assert!(taken.lost > 1_000, "{taken:?}");
}

#[test]
fn numbers_and_channels_that_jump() {
    let mut random = Numbers(11);
    let mut payload = |at: usize| {
        let (channel, sequence) = (random.below(255) as u8, random.next() as u16);
        let time = [0, 0];
        match at % 4 {
            0 => enet_reliable(channel, sequence, &VALUE),
            1 => enet(
                0x07,
                channel,
                sequence,
                &[&(at as u16).to_be_bytes()[..], &[0, 8], &VALUE].concat(),
            ),
            2 => enet(0x01, channel, 0, &[sequence.to_be_bytes(), time].concat()),
            _ => enet_fragment(channel, sequence, 1, 3_000, &[0; 10]),
        }
    };
    let packets: Vec<_> =
        (0..30_000).map(|at| udp(client(at % 50), SERVER, &payload(at / 50))).collect();
    let taken = among(&packets, small());
    assert!(taken.lost > 1_000 && taken.messages > 1_000 && taken.forgotten > 10, "{taken:?}");
}

#[test]
fn datagrams_that_decompress_to_much() {
    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        compressed_hex: String,
    }
    let cases: Vec<Case> = lines("enet/range_coder.ndjson");
    let zeros = cases.iter().find(|case| case.name == "zeros").unwrap();
    let zeros = [&[0x40, 0][..], &unhex(&zeros.compressed_hex)].concat();
    let packets = from_clients(800, 4, |end, at| {
        udp(end, SERVER, &if at < 3 { enet_reliable(0, at as u16, &VALUE) } else { zeros.clone() })
    });
    let taken = among(&packets, small());
    assert_eq!((taken.messages, taken.other), (2_400, 800), "{taken:?}");
}

#[test]
fn websockets_that_do_not_end() {
    const OPENING: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Version: 13\r\n\r\n";
    // With a mask of zeros.
    let opening = [OPENING, &[0x82, 0x88, 0, 0, 0, 0], &VALUE].concat();
    let text = vec![b'a'; 1_000];
    let part = [&[0x00, 0xfe, 0x03, 0xe8, 0, 0, 0, 0][..], &text].concat();
    let cases = [
        // A handshake without an end.
        (b"GET / HTTP/1.1\r\nUpgrade: ".to_vec(), &text),
        // A frame of 2^62 bytes, and one as long as allowed.
        (vec![0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &text),
        (vec![0x82, 0xff, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0], &text),
        // A message that never ends.
        (vec![0x02, 0x80, 0, 0, 0, 0], &part),
    ];
    for (first, more) in cases {
        let is_head = first.starts_with(b"GET");
        // The other end begins with its handshake.
        let start = if is_head { 0 } else { opening.len() as u32 };
        let packets = from_clients(200, 60, |end, at| {
            let (src, dst) = if is_head && at > 1 { (SERVER, end) } else { (end, SERVER) };
            match at {
                0 => tcp(src, dst, 0, SYN, &[]),
                1 => tcp(src, dst, 1, PUSH, &opening),
                2 if is_head => tcp(src, dst, 0, SYN, &[]),
                2 => tcp(src, dst, 1 + start, PUSH, &[]),
                3 => tcp(src, dst, 1 + start, PUSH, &first),
                _ => {
                    let before = first.len() + (at - 4) * more.len();
                    tcp(src, dst, 1 + start + before as u32, PUSH, more)
                }
            }
        });
        let taken = among(&packets, small());
        assert_eq!(taken.messages, 200, "{taken:?}");
        assert!(taken.lost + taken.forgotten >= 200, "{taken:?}");
    }
}

#[test]
fn ip_packets_with_missing_fragments() {
    let bytes = [7; 1_000];
    let packets: Vec<_> = (0..5_000)
        .flat_map(|n: usize| {
            let part = |offset| fragment(client(n % 7), SERVER, n as u16, offset, &bytes);
            [part(0), part(60_000)]
        })
        .collect();
    let taken = among(&packets, small());
    assert_eq!(taken.lost, 5_000, "{taken:?}");
}

#[test]
fn very_many_announced_names() {
    // Godot 3: the sender, the receiver, the command that announces a path, its id, and the path.
    let name = |id: usize| {
        let id = (id as u32).to_le_bytes();
        [&[1, 0, 0, 0, 0, 0, 0, 0, 2][..], &id, &[b'a'; 200], &[0]].concat()
    };
    let packets = from_clients(50, 300, |end, at| {
        udp(end, SERVER, &enet_reliable(1, at as u16 + 1, &name(at)))
    });
    let taken = among(&packets, small());
    assert_eq!(taken.messages, 15_000, "{taken:?}");
    assert!(taken.names > 1_000, "{taken:?}");
}
