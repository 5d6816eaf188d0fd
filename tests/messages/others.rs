//! Packets of other protocols, alone and among the engines' packets, are not mistaken for messages.

use crate::messages::build::{CLIENT, End, Numbers, PUSH, Packet, SERVER, SYN, pcap, tcp, udp};
use crate::messages::output::{Output, Returned};
use crate::messages::parts::recordings;
use gdwire::capture::Capture;
use gdwire::follow::{Options, Reason, Transport};
use gdwire::packet::Payload;

/// Datagrams of a protocol, with some of the numbers in them at random.
type Datagrams = fn(&mut Numbers) -> Vec<u8>;

const DATAGRAMS: [(&str, Datagrams); 14] = [
    ("DNS query", |numbers| {
        let name = numbers.below(20) + 1;
        [&numbers.bytes(2)[..], &[1, 0, 0, 1, 0, 0, 0, 0, 0, 0], &name_of(name), &[0, 1, 0, 1]]
            .concat()
    }),
    ("DNS response", |numbers| {
        let name = numbers.below(20) + 1;
        let answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4];
        let head = [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
        let question = [&name_of(name)[..], &[0, 1, 0, 1]].concat();
        [&numbers.bytes(2)[..], &head, &question, &answer, &numbers.bytes(4)].concat()
    }),
    ("mDNS", |numbers| {
        let name = numbers.below(20) + 1;
        [&[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], &name_of(name), &[0, 12, 0, 1]].concat()
    }),
    ("QUIC initial", |numbers| {
        [&[0xc0 | numbers.below(16) as u8, 0, 0, 0, 1, 8][..], &numbers.bytes(1_194)].concat()
    }),
    ("QUIC", |numbers| {
        let len = 24 + numbers.below(1_300);
        [&[0x40 | numbers.below(64) as u8][..], &numbers.bytes(len)].concat()
    }),
    ("RTP", |numbers| {
        let len = 10 + numbers.below(300);
        [&[0x80, 111 | (numbers.below(2) as u8) << 7][..], &numbers.bytes(10), &numbers.bytes(len)]
            .concat()
    }),
    ("RTCP", |numbers| [&[0x80, 200, 0, 6][..], &numbers.bytes(24)].concat()),
    ("DTLS", |numbers| {
        let kind = 0x14 + numbers.below(4) as u8;
        let len = 13 + numbers.below(1_200);
        let head = [kind, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, numbers.below(256) as u8];
        [&head[..], &(len as u16).to_be_bytes(), &numbers.bytes(len)].concat()
    }),
    ("STUN", |numbers| {
        let kind = [0, 1][numbers.below(2)];
        [&[kind, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42][..], &numbers.bytes(20)].concat()
    }),
    ("NTP", |numbers| [&[0x23, 2, 6, 0xe9, 0, 0, 0, 0][..], &numbers.bytes(40)].concat()),
    ("WireGuard", |numbers| {
        let len = numbers.below(80) * 16 + 28;
        [&[4, 0, 0, 0][..], &numbers.bytes(len)].concat()
    }),
    ("DHCP", |numbers| {
        [&[1, 1, 6, 0][..], &numbers.bytes(4), &[0; 232], b"\x63\x82\x53\x63\xff"].concat()
    }),
    ("SSDP", |_| b"M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMX: 1\r\n\r\n".to_vec()),
    ("random", |numbers| {
        let len = 1 + numbers.below(1_400);
        numbers.bytes(len)
    }),
];

fn name_of(len: usize) -> Vec<u8> {
    [&[len as u8][..], &b"abcdefghijklmnopqrst"[..len], b"\x03com\x00"].concat()
}

/// The messages of both ends of a connection.
type Streams = fn(&mut Numbers) -> [Vec<Vec<u8>>; 2];

const STREAMS: [(&str, Streams); 8] = [
    ("TLS", |numbers| {
        let mut side = |hello: u8| {
            let mut records =
                vec![record(0x16, &[&[hello, 0, 1, 0, 3, 3][..], &numbers.bytes(250)].concat())];
            for _ in 0..60 {
                let len = 20 + numbers.below(1_400);
                records.push(record(0x17, &numbers.bytes(len)));
            }
            records
        };
        [side(1), side(2)]
    }),
    ("HTTP", |numbers| {
        let request = b"GET /a HTTP/1.1\r\nHost: example.org\r\n\r\n".to_vec();
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n".to_vec();
        let mut body = numbers.bytes(20_000);
        body.extend([0; 10_000]);
        body.extend(b"<p>And so on, and so on.</p>".iter().cycle().take(20_000));
        [vec![request], [vec![head], body.chunks(1_400).map(<[u8]>::to_vec).collect()].concat()]
    }),
    ("SSH", |numbers| {
        let mut side = || {
            let mut sent = vec![b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()];
            for _ in 0..80 {
                let len = 16 * (1 + numbers.below(40));
                sent.push([&(len as u32).to_be_bytes()[..], &numbers.bytes(len + 16)].concat());
            }
            sent
        };
        [side(), side()]
    }),
    ("SMTP", |_| {
        let says = |line: &str| format!("{line}\r\n").into_bytes();
        let client = ["EHLO a.example", "MAIL FROM:<a@a.example>", "DATA", "Hello.", ".", "QUIT"];
        let server = ["220 b.example", "250 OK", "354 Go on", "250 OK", "221 Bye"];
        [client.map(says).to_vec(), server.map(says).to_vec()]
    }),
    ("Postgres", |numbers| {
        let query = |n: usize| {
            let text = format!("select {n} from a where b = {n}\0");
            [b"Q", &(text.len() as u32 + 4).to_be_bytes()[..], text.as_bytes()].concat()
        };
        let client = (0..60).map(query).collect();
        let row = |numbers: &mut Numbers| {
            [b"D\0\0\0\x0e\0\x01\0\0\0\x04", &numbers.bytes(4)[..]].concat()
        };
        [client, (0..60).map(|_| row(numbers)).collect()]
    }),
    // Messages after a length as the engines write it, but with other content.
    ("lengths", |numbers| {
        let mut side = || -> Vec<Vec<u8>> {
            let mut message = || {
                let text = format!("{{\"id\": {}}}", numbers.below(1 << 20));
                [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
            };
            (0..80).map(|_| message()).collect()
        };
        [side(), side()]
    }),
    ("zeros", |_| [vec![vec![0; 1_400]; 20], vec![vec![0; 4]; 50]]),
    ("random", |numbers| {
        let mut side = || {
            let mut segment = || {
                let len = 1 + numbers.below(1_400);
                numbers.bytes(len)
            };
            (0..80).map(|_| segment()).collect::<Vec<_>>()
        };
        [side(), side()]
    }),
];

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3][..], &(content.len() as u16).to_be_bytes(), content].concat()
}

/// A connection whose ends take turns, the client first.
fn conversation(server: End, has_syn: bool, sent: &[Vec<Vec<u8>>; 2]) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut next = [1_000_u32; 2];
    if has_syn {
        packets.push(tcp(CLIENT, server, 999, SYN, &[]));
        packets.push(tcp(server, CLIENT, 999, SYN, &[]));
    }
    let [client, of_server] = sent;
    for turn in 0..client.len().max(of_server.len()) {
        let sides = [(CLIENT, server, client), (server, CLIENT, of_server)];
        for ((src, dst, sent), next) in sides.into_iter().zip(&mut next) {
            let Some(payload) = sent.get(turn) else { continue };
            packets.push(tcp(src, dst, *next, PUSH, payload));
            *next += payload.len() as u32;
        }
    }
    packets
}

/// Asserts that nothing is a message, and that every packet with a payload is reported.
fn is_all_other(name: &str, packets: &[Packet], with_payload: usize) {
    let output = Output::of(packets);
    assert!(output.returned.is_empty(), "{name}: {:?}", output.returned);
    assert!(output.lost.is_empty(), "{name}: {:?}", output.lost);
    assert_eq!(output.other.len(), with_payload, "{name}");
}

#[test]
fn datagrams_of_other_protocols_are_not_mistaken_for_messages() {
    let mut numbers = Numbers(0x5eed);
    let elsewhere = End(1, 443);
    for (name, datagram) in DATAGRAMS {
        for server in [SERVER, elsewhere] {
            let packets: Vec<_> = (0..200)
                .map(|n| {
                    let (src, dst) = if n % 2 == 0 { (CLIENT, server) } else { (server, CLIENT) };
                    udp(src, dst, &datagram(&mut numbers))
                })
                .collect();
            is_all_other(name, &packets, packets.len());
            let summary = &Output::of(&packets).closed[0];
            assert_eq!((summary.transport(), summary.dialect()), (None, None), "{name}");
            // Even if the options choose ENet.
            let options = Options::new().with_transport(Transport::Enet);
            let output = Output::with(&packets, options);
            assert!(output.returned.is_empty(), "{name}: {:?}", output.returned);
            let is_no_enet = |reason: &Reason| matches!(reason, Reason::NoEnet(_));
            assert!(output.other.iter().all(|(_, reason)| is_no_enet(reason)), "{name}");
            assert_eq!(output.other.len(), packets.len(), "{name}");
        }
    }
}

#[test]
fn streams_of_other_protocols_are_not_mistaken_for_messages() {
    let mut numbers = Numbers(0x5eed);
    for (name, streams) in STREAMS {
        for (server, has_syn) in [(SERVER, true), (End(1, 443), true), (SERVER, false)] {
            let sent = streams(&mut numbers);
            let packets = conversation(server, has_syn, &sent);
            let name = format!("{name} {} {has_syn}", server.1);
            is_all_other(&name, &packets, sent.iter().flatten().count());
        }
    }
}

#[test]
fn other_datagrams_do_not_disturb_the_engines_own() {
    for recording in recordings().iter().filter(|it| it.whole.returned[0].lane.2.is_some()) {
        let mut numbers = Numbers(0x5eed);
        let file = pcap(&recording.packets);
        let (mut packets, mut others) = (Vec::new(), 0);
        for packet in Capture::new(&file).unwrap() {
            let packet = packet.unwrap();
            let Payload::Udp(datagram) = packet.payload() else { panic!("{packet:?}") };
            let (src, dst) = (End(1, datagram.src.port()), End(1, datagram.dst.port()));
            packets.push(udp(src, dst, datagram.payload));
            // Between the same ends, fewer than half as many as the engine's datagrams.
            if packets.len() % 4 == 3 {
                let (_, other) = DATAGRAMS[numbers.below(DATAGRAMS.len())];
                packets.push(udp(src, dst, &other(&mut numbers)));
                others += 1;
            }
        }
        let output = Output::of(&packets);
        // The messages of each connection are in order. When it is recognized depends on the
        // others.
        let in_order = |returned: &[Returned]| {
            let port = |it: &Returned| it.lane.0.port().max(it.lane.1.port());
            let mut returned: Vec<_> =
                returned.iter().map(|it| (port(it), it.lane.2, it.bytes.clone())).collect();
            returned.sort_by_key(|(port, ..)| *port);
            returned
        };
        let is_same = in_order(&recording.whole.returned) == in_order(&output.returned);
        assert!(is_same, "{}", recording.name);
        assert!(output.lost.is_empty(), "{} {:?}", recording.name, output.lost);
        assert_eq!(output.other.len(), others, "{}", recording.name);
        let is_no_enet = |reason: &Reason| matches!(reason, Reason::NoEnet(_));
        assert!(output.other.iter().all(|(_, reason)| is_no_enet(reason)));
    }
}

/// Engines ignore bits that they never set. Bytes with such bits are a value in a flow of values,
/// but a coincidence among other datagrams.
#[test]
fn values_that_no_engine_writes_are_values_in_a_flow_of_values() {
    let value = |number: u32| [0xba02_u32, number].map(u32::to_le_bytes).as_flattened().to_vec();
    let flow = |values: u32, others: u32| -> Vec<Packet> {
        let others = (0..others).map(|number| [value(number), vec![0; 4]].concat());
        let all = (0..values).map(value).chain(others);
        all.map(|payload| udp(CLIENT, SERVER, &payload)).collect()
    };
    let given = |output: &Output| {
        let is_unlikely = |(_, reason): &&(u64, Reason)| matches!(reason, Reason::Unlikely);
        (output.returned.len(), output.other.iter().filter(is_unlikely).count())
    };
    assert_eq!(given(&Output::of(&flow(8, 0))), (8, 0));
    assert_eq!(given(&Output::of(&flow(8, 8))), (8, 0));
    assert_eq!(given(&Output::of(&flow(8, 9))), (0, 8));
    assert_eq!(given(&Output::of(&flow(3, 0))), (0, 3));
    let options = || Options::new().with_transport(Transport::Udp);
    assert_eq!(given(&Output::with(&flow(3, 9), options())), (3, 0));
}

/// Texts of another program over WebSocket are not values.
#[test]
fn a_websocket_of_another_program_has_no_messages() {
    let request =
        b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let response =
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    let frame = |number: usize| {
        let text = format!("{{\"id\":{number}}}");
        [&[0x81, text.len() as u8], text.as_bytes()].concat()
    };
    let mut server = vec![response.to_vec()];
    server.extend((0..30).map(frame));
    let output = Output::of(&conversation(SERVER, true, &[vec![request.to_vec()], server]));
    assert!(output.returned.is_empty(), "{:?}", output.returned);
    assert!(output.lost.is_empty(), "{:?}", output.lost);
    let is_no_value = |(_, reason): &(u64, Reason)| matches!(reason, Reason::NoValue(_));
    assert!(output.other.len() == 30 && output.other.iter().all(is_no_value));
}

/// Other games use ENet too.
#[test]
fn enet_of_another_engine_has_no_messages() {
    let mut numbers = Numbers(0x5eed);
    let packets: Vec<_> = (1..=200_u16)
        .map(|sequence| {
            let len = 1 + numbers.below(100);
            let payload = numbers.bytes(len);
            let head = [&[0x80, 1, 0, 0, 0x86, 1][..], &sequence.to_be_bytes()].concat();
            let len = (payload.len() as u16).to_be_bytes();
            udp(CLIENT, SERVER, &[&head[..], &len, &payload].concat())
        })
        .collect();
    let output = Output::of(&packets);
    assert!(output.returned.is_empty(), "{:?}", output.returned);
    assert!(output.lost.is_empty(), "{:?}", output.lost);
    let is_no_value =
        |(_, reason): &(u64, Reason)| matches!(reason, Reason::NoValue(_) | Reason::Unlikely);
    assert!(output.other.len() == 200 && output.other.iter().all(is_no_value));
}
