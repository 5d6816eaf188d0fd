//! Traffic that is made to cost time or memory, for each transport, next to benign traffic.
//!
//! Each case makes about as many bytes of packets as it is asked for.

use crate::wire::{
    ACK, End, FIN, Numbers, PUSH, Packet, RST, SERVER, SYN, Sender, client, enet, enet_connect,
    enet_disconnect, enet_fragment, enet_reliable, fragment, fragments, tcp, udp, websocket,
};
use gdwire::follow::Transport;
use gdwire::{Dialect, Variant, encode, variant};

/// A kind of traffic.
pub struct Case {
    /// The transport or other carrier. The first case of each is benign.
    pub carrier: &'static str,
    pub name: &'static str,
    /// Makes about as many bytes of packets.
    pub make: fn(usize) -> Vec<Packet>,
}

const fn case(carrier: &'static str, name: &'static str, make: fn(usize) -> Vec<Packet>) -> Case {
    Case { carrier, name, make }
}

pub const CASES: &[Case] = &[
    case("udp", "benign", |size| benign(Transport::Udp, size)),
    case("udp", "deep", |size| each_message(Transport::Udp, size, &deep(120))),
    case("udp", "wide", |size| each_message(Transport::Udp, size, &wide(300))),
    case("udp", "unfinished", udp_unfinished),
    case("udp", "bombs", |size| each_message(Transport::Udp, size, &bomb())),
    case("udp", "forged", |size| {
        among(Transport::Udp, size, |at| vec![udp(CLIENT, SERVER, &enet_connect(at, 1))])
    }),
    case("udp", "flood", |size| {
        repeat(size, |at| vec![udp(client(at as usize), SERVER, &message(at))])
    }),
    case("tcp", "benign", |size| benign(Transport::Tcp, size)),
    case("tcp", "deep", |size| each_message(Transport::Tcp, size, &deep(1_000))),
    case("tcp", "wide", |size| each_message(Transport::Tcp, size, &wide(30_000))),
    case("tcp", "small", |size| each_message(Transport::Tcp, size, &[0; 4])),
    case("tcp", "empty", |size| each_message(Transport::Tcp, size, &[])),
    case("tcp", "reversed", |size| reversed(benign(Transport::Tcp, size))),
    case("tcp", "overlapping", tcp_overlapping),
    case("tcp", "holes", |size| holes(benign(Transport::Tcp, size * 2))),
    case("tcp", "forged", |size| among(Transport::Tcp, size, forged_segments)),
    case("tcp", "unfinished", |size| {
        stream(size, &[&15_000_000_u32.to_le_bytes()[..], &[7; 60]].concat())
    }),
    case("tcp", "searched", |size| stream(size, &searched())),
    case("tcp", "lengths", |size| stream(size, &[8, 0, 0, 0])),
    case("tcp", "arrays", |size| stream(size, &[28, 0, 0, 0])),
    case("tcp", "waiting", |size| stream(size, &[28, 64, 0, 0])),
    case("tcp", "bytes", |size| single_bytes(Transport::Tcp, size)),
    case("tcp", "flood", |size| {
        repeat(size, |at| vec![tcp((client(at as usize), SERVER), at, None, SYN, &[])])
    }),
    case("enet", "benign", |size| benign(Transport::Enet, size)),
    case("enet", "deep", |size| each_message(Transport::Enet, size, &deep(120))),
    case("enet", "wide", |size| each_message(Transport::Enet, size, &wide(300))),
    case("enet", "small", |size| each_message(Transport::Enet, size, &[0; 4])),
    case("enet", "reversed", |size| reversed(benign(Transport::Enet, size))),
    case("enet", "overlapping", |size| {
        each_enet(size, |at| enet_fragment(1, at as u16, at % 3, (4, 4_000), &[7; 1_000]))
    }),
    case("enet", "forged", |size| {
        among(Transport::Enet, size, |at| {
            let forged = [enet_connect(at + 1_000, 1), enet_disconnect(0)];
            forged.iter().map(|it| udp(CLIENT, SERVER, it)).collect()
        })
    }),
    case("enet", "unfinished", |size| {
        each_enet(size, |at| {
            enet_fragment(1, (at as u16).wrapping_mul(40), at % 30, (31, 31 * 100), &[7; 100])
        })
    }),
    case("enet", "holes", |size| {
        each_enet(size, |at| enet_reliable(0, at as u8 % 200, (at / 100) as u16, &message(at)))
    }),
    case("enet", "acknowledged", |size| {
        each_enet(size, |at| match at {
            0..510 => enet_fragment((at / 2) as u8, 7, at % 2, (3, 300), &[7; 100]),
            _ => {
                let number = (at as u16).to_be_bytes();
                enet(0, 1, (at % 255) as u8, at as u16, &[number, [0; 2]].concat())
            }
        })
    }),
    case("enet", "names", long_names),
    case("enet", "connections", |size| {
        repeat(size, |at| {
            let end = client(at as usize);
            let mut commands = enet_reliable(0, 1, 1, &[0; 12]);
            for number in 2..50_u16 {
                let message = [1, 0, number, 0, 0, 0].map(u16::to_le_bytes);
                let command = enet_reliable(0, 1, number, message.as_flattened());
                commands.extend_from_slice(&command[4..]);
            }
            vec![udp(end, SERVER, &enet_connect(at, 1)), udp(end, SERVER, &commands)]
        })
    }),
    case("enet", "flood", |size| {
        repeat(size, |at| {
            vec![udp(client(at as usize), SERVER, &enet_reliable(0, at as u8, 1, &message(at)))]
        })
    }),
    case("compressed", "benign", |size| each_enet(size, |_| COMPRESSED.to_vec())),
    case("compressed", "bombs", |size| each_enet(size, |_| [&[0x40, 0][..], &ZEROS].concat())),
    case("websocket", "benign", |size| benign(Transport::WebSocket, size)),
    case("websocket", "deep", |size| each_message(Transport::WebSocket, size, &deep(1_000))),
    case("websocket", "wide", |size| each_message(Transport::WebSocket, size, &wide(30_000))),
    case("websocket", "small", |size| each_message(Transport::WebSocket, size, &[0; 4])),
    case("websocket", "empty", |size| each_message(Transport::WebSocket, size, &[])),
    case("websocket", "reversed", |size| reversed(benign(Transport::WebSocket, size))),
    case("websocket", "holes", |size| holes(benign(Transport::WebSocket, size * 2))),
    case("websocket", "forged", |size| among(Transport::WebSocket, size, forged_segments)),
    case("websocket", "unfinished", |size| {
        in_websocket(size, &websocket(0, &[7; 1]), &websocket(2, &[7]))
    }),
    case("websocket", "pings", |size| in_websocket(size, &websocket(0x89, &[]), &[])),
    case("websocket", "searched", |size| in_websocket(size, &[0x82, 0x04, 0x82, 0x01], &[0xff; 2])),
    case("websocket", "bytes", |size| single_bytes(Transport::WebSocket, size)),
    case("websocket", "flood", |size| {
        repeat(size, |at| {
            let ends = (client(at as usize), SERVER);
            vec![tcp(ends, 9, None, SYN, &[]), tcp(ends, 10, None, PUSH, b"GET / HTTP/1.1\r\n")]
        })
    }),
    case("fragments", "benign", |size| {
        repeat(size, |at| {
            let message = [message(at), vec![0; 3]].concat();
            fragments((CLIENT, SERVER), at as u16, &message, 40)
        })
    }),
    case("fragments", "reversed", |size| {
        repeat(size, |at| {
            let mut parts = fragments((CLIENT, SERVER), at as u16, &[7; 8_000], 80);
            parts.reverse();
            parts
        })
    }),
    case("fragments", "overlapping", |size| {
        repeat(size, |at| {
            let part = |offset| fragment((CLIENT, SERVER), at as u16, offset, true, &[7; 64]);
            (0..40).map(|place| part(8 * (place * 7 % 40))).collect()
        })
    }),
    case("fragments", "small", |size| {
        repeat(size, |at| fragments((CLIENT, SERVER), at as u16, &[7; 8_000], 8))
    }),
    case("fragments", "unfinished", |size| {
        repeat(size, |at| {
            let ends = (client(at as usize / 60_000), SERVER);
            vec![fragment(ends, at as u16, 60_000, false, &[7; 8])]
        })
    }),
];

const CLIENT: End = End(2, 40_000);

/// A datagram of a game in Godot 4, with a reliable message.
const COMPRESSED: [u8; 57] = [
    0x40, 0x00, 0x49, 0xb8, 0x40, 0xd6, 0x09, 0x32, 0x72, 0x85, 0xdf, 0xc9, 0x7e, 0xdb, 0xbe, 0x1e,
    0x1f, 0x39, 0x65, 0xb3, 0xf8, 0x95, 0x40, 0x53, 0x94, 0x52, 0x15, 0xa7, 0x40, 0x0c, 0xda, 0x4f,
    0x11, 0xcc, 0x2f, 0x61, 0x42, 0x10, 0xc7, 0xf9, 0xa1, 0x5a, 0xdc, 0xcb, 0x98, 0x48, 0xf2, 0x02,
    0xdf, 0x7c, 0x3c, 0x09, 0x4e, 0x5f, 0x4c, 0x3b, 0xc1,
];

/// ENet's range coder decompresses these bytes to 4,000 zeros, which are not commands.
const ZEROS: [u8; 11] = [1, 3, 0xe8, 0x61, 0xfe, 0x9c, 0x47, 0xc2, 0x28, 0x7d, 0xfd];

fn size_of(packets: &[Packet]) -> usize {
    packets.iter().map(Vec::len).sum()
}

/// Repeats packets until they have this many bytes.
fn repeat(size: usize, mut make: impl FnMut(u32) -> Vec<Packet>) -> Vec<Packet> {
    let mut packets = Vec::new();
    let (mut at, mut made) = (0, 0);
    while made < size {
        let more = make(at);
        made += size_of(&more);
        packets.extend(more);
        at += 1;
    }
    packets
}

/// The state of a game's object.
fn message(number: u32) -> Vec<u8> {
    let value = variant!({"number": i64::from(number), "hp": 87, "position": [0.5, 1.5, 2.5]});
    encode(Dialect::GODOT_4, &value).unwrap()
}

/// A connection to which a function adds packets, number by number.
fn connection(
    transport: Transport,
    size: usize,
    mut more: impl FnMut(u32, &mut Sender, &mut Vec<Packet>),
) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut sender = Sender::new(transport, (CLIENT, SERVER), 1_000);
    sender.open(&mut packets);
    let (mut at, mut made, mut counted) = (0, 0, 0);
    while made < size {
        more(at, &mut sender, &mut packets);
        at += 1;
        made += size_of(&packets[counted..]);
        counted = packets.len();
    }
    sender.flush(&mut packets);
    packets
}

fn benign(transport: Transport, size: usize) -> Vec<Packet> {
    connection(transport, size, |at, sender, packets| sender.send(&message(at), packets))
}

fn each_message(transport: Transport, size: usize, hostile: &[u8]) -> Vec<Packet> {
    connection(transport, size, |at, sender, packets| match at {
        0 => sender.send(&message(0), packets),
        _ => sender.send(hostile, packets),
    })
}

/// A benign connection with other packets between its own.
fn among(transport: Transport, size: usize, forged: impl Fn(u32) -> Vec<Packet>) -> Vec<Packet> {
    connection(transport, size, |at, sender, packets| {
        sender.send(&message(at), packets);
        packets.extend(forged(at));
    })
}

fn each_enet(size: usize, make: impl Fn(u32) -> Vec<u8>) -> Vec<Packet> {
    connection(Transport::Enet, size, |at, sender, packets| match at {
        0 => sender.send(&message(0), packets),
        _ => packets.push(udp(CLIENT, SERVER, &make(at - 1))),
    })
}

/// Nested arrays.
fn deep(depth: usize) -> Vec<u8> {
    let mut value = [28_u32, 1].repeat(depth);
    value.push(0);
    value.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// An array of nulls.
fn wide(elements: usize) -> Vec<u8> {
    let nulls = Variant::from(vec![Variant::Nil; elements]);
    encode(Dialect::GODOT_4, &nulls).unwrap()
}

/// An array that announces more elements than there are bytes.
fn bomb() -> Vec<u8> {
    [28_u32, 0x7fff_ffff, 0].into_iter().flat_map(u32::to_le_bytes).collect()
}

fn udp_unfinished(size: usize) -> Vec<Packet> {
    repeat(size, |at| {
        let message = message(at);
        vec![udp(CLIENT, SERVER, &message[..message.len() - 4 * (at as usize % 9)])]
    })
}

/// The packets in reverse order, except those that open the connection.
fn reversed(mut packets: Vec<Packet>) -> Vec<Packet> {
    packets[3..].reverse();
    packets
}

fn holes(packets: Vec<Packet>) -> Vec<Packet> {
    let kept = packets.into_iter().enumerate();
    kept.filter(|(at, _)| *at < 4 || at % 2 == 0).map(|(_, packet)| packet).collect()
}

/// Each segment repeats some of the bytes before it, and is sent twice.
fn tcp_overlapping(size: usize) -> Vec<Packet> {
    let mut sent: Vec<u8> = Vec::new();
    connection(Transport::Tcp, size, |at, sender, packets| {
        let message = message(at);
        let framed = [&(message.len() as u32).to_le_bytes()[..], &message].concat();
        let start = sender.sequence.wrapping_sub(sent.len() as u32);
        sent.extend_from_slice(&framed);
        for from in [0, sent.len() / 2, sent.len() / 3] {
            let sequence = start.wrapping_add(from as u32);
            packets.push(tcp((CLIENT, SERVER), sequence, None, PUSH, &sent[from..]));
        }
        sender.sequence = sender.sequence.wrapping_add(framed.len() as u32);
        if sent.len() > 1_000 {
            sent.clear();
        }
    })
}

fn forged_segments(at: u32) -> Vec<Packet> {
    let random = Numbers(u64::from(at) + 1).next() as u32;
    let ends = [(CLIENT, SERVER), (SERVER, CLIENT)];
    let flags = [SYN, RST, FIN, RST | ACK];
    let both = ends.iter().flat_map(|ends| flags.map(|flags| (*ends, flags)));
    both.map(|(ends, flags)| tcp(ends, random, None, flags, &[])).collect()
}

/// A stream of one message, and then the same bytes again and again.
fn stream(size: usize, bytes: &[u8]) -> Vec<Packet> {
    connection(Transport::Tcp, size, |at, sender, packets| match at {
        0 => sender.send(&message(0), packets),
        1 => sender.stream(&u32::MAX.to_le_bytes(), packets),
        _ => sender.stream(bytes, packets),
    })
}

/// Integers in nested arrays. Each integer could be the length of a message that reaches to the
/// end, where a type is unknown.
fn searched() -> Vec<u8> {
    let mut value: Vec<u32> = (0..500).flat_map(|at| [16 * (500 - at), 28, 2, 2]).collect();
    value.push(60);
    value.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn in_websocket(size: usize, bytes: &[u8], first: &[u8]) -> Vec<Packet> {
    connection(Transport::WebSocket, size, |at, sender, packets| match at {
        0 => sender.send(&message(0), packets),
        1 => sender.stream(first, packets),
        _ => sender.stream(bytes, packets),
    })
}

/// Every byte in its own segment, the last byte of each message first.
fn single_bytes(transport: Transport, size: usize) -> Vec<Packet> {
    connection(transport, size, |at, sender, packets| {
        let (start, before) = (sender.sequence, packets.len());
        sender.send(&message(at), packets);
        sender.flush(packets);
        let whole = packets.split_off(before);
        let bytes: Vec<u8> = whole.iter().flat_map(|packet| packet[40..].to_vec()).collect();
        for (place, byte) in bytes.iter().enumerate().rev() {
            let sequence = start.wrapping_add(place as u32);
            packets.push(tcp((CLIENT, SERVER), sequence, None, PUSH, &[*byte]));
        }
    })
}

/// Godot 4: a path of 60,000 bytes, and calls of the node by its id.
fn long_names(size: usize) -> Vec<Packet> {
    let path = [&[1][..], &[b'0'; 32], &[0], &7_u32.to_le_bytes(), &[b'a'; 60_000], &[0]].concat();
    let parts: Vec<&[u8]> = path.chunks(1_000).collect();
    let total = (parts.len() as u32, path.len() as u32);
    connection(Transport::Enet, size, |at, sender, packets| {
        let at = at as usize;
        let datagram = if at < parts.len() {
            enet_fragment(0, 1, at as u32, total, parts[at])
        } else {
            let sequence = (at + 1) as u16;
            // A call of method 1 without arguments.
            enet_reliable(0, 0, sequence, &[0, 7, 1, 0])
        };
        packets.push(udp(CLIENT, SERVER, &datagram));
        sender.sequence = 0;
    })
}
