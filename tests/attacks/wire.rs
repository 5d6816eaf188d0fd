//! Packets of games, put together by hand: each begins with its IP header.

use gdwire::follow::Transport;
use std::net::Ipv4Addr;

/// A packet that begins with its IP header.
pub type Packet = Vec<u8>;

/// An address, 10.x.x.x, and a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End(pub u32, pub u16);

pub const SERVER: End = End(1, 7777);

pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const PUSH: u8 = 8;
pub const ACK: u8 = 16;

/// The payload of a full segment on Ethernet.
const SEGMENT: usize = 1_460;

/// A client with a number.
pub fn client(number: usize) -> End {
    End(2 + number as u32 / 60_000, 1_024 + (number % 60_000) as u16)
}

fn ipv4((src, dst): (End, End), protocol: u8, fragment: (u16, u16), content: &[u8]) -> Packet {
    let len = u16::try_from(20 + content.len()).unwrap();
    let mut packet = vec![0x45, 0];
    for number in [len, fragment.0, fragment.1] {
        packet.extend(number.to_be_bytes());
    }
    packet.extend([64, protocol, 0, 0]);
    for end in [src, dst] {
        packet.extend(Ipv4Addr::from(0x0a00_0000 + end.0).octets());
    }
    packet.extend_from_slice(content);
    packet
}

fn udp_content((src, dst): (End, End), payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(8 + payload.len()).unwrap();
    let head = [src.1, dst.1, len, 0].map(u16::to_be_bytes);
    [head.as_flattened(), payload].concat()
}

/// A datagram.
pub fn udp(src: End, dst: End, payload: &[u8]) -> Packet {
    ipv4((src, dst), 17, (1, 0), &udp_content((src, dst), payload))
}

/// A fragment of an IP packet with UDP: `bytes` stand at `offset`, and more follow if `is_more`.
pub fn fragment(ends: (End, End), id: u16, offset: u16, is_more: bool, bytes: &[u8]) -> Packet {
    assert!(offset.is_multiple_of(8));
    ipv4(ends, 17, (id, (u16::from(is_more) << 13) | (offset / 8)), bytes)
}

/// A datagram in fragments of `len` bytes.
pub fn fragments(ends: (End, End), id: u16, payload: &[u8], len: usize) -> Vec<Packet> {
    let content = udp_content(ends, payload);
    let parts = content.chunks(len).enumerate();
    parts
        .map(|(at, part)| {
            let offset = at * len;
            fragment(ends, id, offset as u16, offset + part.len() < content.len(), part)
        })
        .collect()
}

/// A segment; `acknowledged` is its acknowledgement number.
pub fn tcp(
    (src, dst): (End, End),
    sequence: u32,
    acknowledged: Option<u32>,
    flags: u8,
    payload: &[u8],
) -> Packet {
    let flags = flags | acknowledged.map_or(0, |_| ACK);
    let mut content = [src.1, dst.1].map(u16::to_be_bytes).as_flattened().to_vec();
    content.extend(sequence.to_be_bytes());
    content.extend(acknowledged.unwrap_or(0).to_be_bytes());
    content.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    content.extend_from_slice(payload);
    ipv4((src, dst), 6, (1, 0), &content)
}

/// One ENet command in a datagram.
pub fn enet(peer: u16, command: u8, channel: u8, sequence: u16, rest: &[u8]) -> Vec<u8> {
    let [high, low] = sequence.to_be_bytes();
    let peer = (0x8000 | peer).to_be_bytes();
    [&peer[..], &[0, 1, command, channel, high, low], rest].concat()
}

pub fn enet_reliable(peer: u16, channel: u8, sequence: u16, payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(payload.len()).unwrap().to_be_bytes();
    enet(peer, 0x86, channel, sequence, &[&len, payload].concat())
}

/// A fragment of a message that has `total` bytes, all in fragments as long as this one.
pub fn enet_fragment(
    channel: u8,
    start: u16,
    number: u32,
    (count, total): (u32, u32),
    payload: &[u8],
) -> Vec<u8> {
    let len = payload.len() as u32;
    let mut rest = [start, len as u16].map(u16::to_be_bytes).as_flattened().to_vec();
    for number in [count, number, total, number.wrapping_mul(len)] {
        rest.extend(number.to_be_bytes());
    }
    rest.extend_from_slice(payload);
    enet(0, 0x88, channel, start.wrapping_add(number as u16), &rest)
}

/// The parameters that a connect command and its answer share.
pub fn enet_parameters(id: u32) -> Vec<u8> {
    let mut parameters = vec![0, 0, 0xff, 0xff];
    for number in [1_400_u32, 65_536, 4, 0, 0, 5_000, 2, 2, id] {
        parameters.extend(number.to_be_bytes());
    }
    parameters
}

/// A connect command with the client's id as a multiplayer peer.
pub fn enet_connect(id: u32, client: u32) -> Vec<u8> {
    let rest = [&enet_parameters(id)[..], &client.to_be_bytes()].concat();
    enet(0x0fff, 0x82, 0xff, 1, &rest)
}

pub fn enet_disconnect(peer: u16) -> Vec<u8> {
    enet(peer, 0x84, 0xff, 2, &[0; 4])
}

/// A WebSocket frame with a mask, as clients send it.
pub fn websocket(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];
    let mut frame = vec![first];
    match payload.len() {
        len @ ..126 => frame.push(0x80 | len as u8),
        len @ ..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((len as u16).to_be_bytes());
        }
        len => {
            frame.push(0x80 | 127);
            frame.extend((len as u64).to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

pub const UPGRADE: &[u8] = b"GET / HTTP/1.1\r\nHost: game\r\nUpgrade: websocket\r\n\
    Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Version: 13\r\n\r\n";

/// The messages of one client to the server, in the packets of a transport.
#[derive(Clone)]
pub struct Sender {
    pub transport: Transport,
    pub ends: (End, End),
    /// The number of the next byte, or of the last ENet command.
    pub sequence: u32,
    /// The sequence number of the server's next byte.
    pub acknowledged: Option<u32>,
    pending: Vec<u8>,
}

impl Sender {
    pub fn new(transport: Transport, ends: (End, End), initial: u32) -> Sender {
        let sequence = if transport == Transport::Enet { 0 } else { initial };
        Sender { transport, ends, sequence, acknowledged: None, pending: Vec::new() }
    }

    /// Opens the connection, without the server's answer.
    pub fn open(&mut self, packets: &mut Vec<Packet>) {
        let (src, dst) = self.ends;
        match self.transport {
            Transport::Enet => packets.push(udp(src, dst, &enet_connect(self.sequence + 77, 5))),
            Transport::Tcp | Transport::WebSocket => {
                packets.push(tcp(self.ends, self.sequence, None, SYN, &[]));
                self.sequence = self.sequence.wrapping_add(1);
            }
            _ => {}
        }
        if self.transport == Transport::WebSocket {
            self.stream(UPGRADE, packets);
            self.flush(packets);
        }
    }

    pub fn send(&mut self, message: &[u8], packets: &mut Vec<Packet>) {
        let (src, dst) = self.ends;
        match self.transport {
            Transport::Enet => {
                self.sequence += 1;
                packets.push(udp(src, dst, &enet_reliable(0, 0, self.sequence as u16, message)));
            }
            Transport::Tcp => {
                let length = (message.len() as u32).to_le_bytes();
                self.stream(&[&length, message].concat(), packets);
            }
            Transport::WebSocket => self.stream(&websocket(0x82, message), packets),
            _ => packets.push(udp(src, dst, message)),
        }
    }

    /// Sends bytes of a stream as soon as they fill a segment.
    pub fn stream(&mut self, bytes: &[u8], packets: &mut Vec<Packet>) {
        self.pending.extend_from_slice(bytes);
        while self.pending.len() >= SEGMENT {
            let rest = self.pending.split_off(SEGMENT);
            self.flush(packets);
            self.pending = rest;
        }
    }

    /// Sends what has not filled a segment yet.
    pub fn flush(&mut self, packets: &mut Vec<Packet>) {
        if !self.pending.is_empty() {
            let payload = std::mem::take(&mut self.pending);
            packets.push(tcp(self.ends, self.sequence, self.acknowledged, PUSH, &payload));
            self.sequence = self.sequence.wrapping_add(payload.len() as u32);
        }
    }
}

/// Numbers that look random but are always the same: xorshift.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
