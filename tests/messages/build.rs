//! Builds captures packet by packet.

use gdwire::capture::Capture;
use std::net::Ipv4Addr;

/// A packet to be written to a file.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) link_type: u32,
    pub(crate) data: Vec<u8>,
    pub(crate) original_len: u32,
    /// In microseconds.
    pub(crate) time: u64,
}

/// The packets of a file.
pub(crate) fn packets(file: &[u8]) -> Vec<Packet> {
    let packets = Capture::new(file).unwrap().map(Result::unwrap);
    packets
        .map(|packet| Packet {
            link_type: packet.link_type.0,
            data: packet.data.to_vec(),
            original_len: packet.original_len,
            time: packet.time.map_or(0, |time| time.as_nanos() as u64 / 1_000),
        })
        .collect()
}

/// A file of packets: a classic pcap, with the link type of the first.
pub(crate) fn pcap(packets: &[Packet]) -> Vec<u8> {
    let link_type = packets.first().map_or(RAW, |packet| packet.link_type);
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    };
    let mut file = numbers(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 1 << 18, link_type]);
    for packet in packets {
        assert_eq!(packet.link_type, link_type);
        let (seconds, rest) = (packet.time / 1_000_000, packet.time % 1_000_000);
        let len = packet.data.len() as u32;
        file.extend(numbers(&[seconds as u32, rest as u32, len, packet.original_len]));
        file.extend_from_slice(&packet.data);
    }
    file
}

/// The link type of packets that begin with their IP header.
const RAW: u32 = 101;

/// An address and a port: 10.x.x.x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End(pub(crate) u32, pub(crate) u16);

pub(crate) const CLIENT: End = End(2, 40_000);
pub(crate) const SERVER: End = End(1, 7777);

fn ipv4((src, dst): (End, End), protocol: u8, fragment: (u16, u16), content: &[u8]) -> Packet {
    let len = u16::try_from(20 + content.len()).unwrap();
    let address = |end: End| Ipv4Addr::from(0x0a00_0000 + end.0).octets();
    let mut data = vec![0x45, 0];
    for number in [len, fragment.0, fragment.1] {
        data.extend(number.to_be_bytes());
    }
    data.extend([64, protocol, 0, 0]);
    data.extend(address(src));
    data.extend(address(dst));
    data.extend_from_slice(content);
    Packet { link_type: RAW, original_len: len.into(), data, time: 0 }
}

fn udp_content((src, dst): (End, End), payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(8 + payload.len()).unwrap();
    let head = [src.1, dst.1, len, 0].map(u16::to_be_bytes);
    [head.as_flattened(), payload].concat()
}

/// A datagram.
pub(crate) fn udp(src: End, dst: End, payload: &[u8]) -> Packet {
    ipv4((src, dst), 17, (1, 0), &udp_content((src, dst), payload))
}

/// An IP fragment with some bytes of a datagram, at `offset`. More fragments follow.
pub(crate) fn fragment(src: End, dst: End, number: u16, offset: u16, bytes: &[u8]) -> Packet {
    assert!(offset.is_multiple_of(8));
    ipv4((src, dst), 17, (number, 0x2000 | (offset / 8)), bytes)
}

/// A segment; the flags are those of TCP.
pub(crate) fn tcp(src: End, dst: End, sequence: u32, flags: u8, payload: &[u8]) -> Packet {
    let mut content = [src.1, dst.1].map(u16::to_be_bytes).as_flattened().to_vec();
    content.extend(sequence.to_be_bytes());
    content.extend([0, 0, 0, 0, 0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    content.extend_from_slice(payload);
    ipv4((src, dst), 6, (1, 0), &content)
}

pub(crate) const SYN: u8 = 2;
pub(crate) const PUSH: u8 = 8;

/// Numbers that look random but are always the same: xorshift.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}
