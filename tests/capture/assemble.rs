//! Capture files and packets, put together byte by byte.

/// The payload of every packet made here.
pub(crate) const PAYLOAD: &[u8] = b"\x02\0\0\0\x2a\0\0\0";

/// A file or a part of one, in one byte order.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    pub(crate) is_big: bool,
}

pub(crate) const LITTLE: Order = Order { is_big: false };
pub(crate) const BIG: Order = Order { is_big: true };

impl Order {
    pub(crate) fn u16(self, number: u16) -> Vec<u8> {
        if self.is_big { number.to_be_bytes().into() } else { number.to_le_bytes().into() }
    }

    pub(crate) fn u32(self, number: u32) -> Vec<u8> {
        if self.is_big { number.to_be_bytes().into() } else { number.to_le_bytes().into() }
    }

    pub(crate) fn u32s(self, numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|&number| self.u32(number)).collect()
    }

    /// A classic pcap of packets, all of them whole.
    pub(crate) fn pcap(self, magic: u32, link_type: u32, packets: &[&[u8]]) -> Vec<u8> {
        let mut file = self.u32(magic);
        file.extend(self.u16(2));
        file.extend(self.u16(4));
        file.extend(self.u32s(&[0, 0, 65_535, link_type]));
        for packet in packets {
            let len = packet.len().try_into().unwrap();
            file.extend(self.u32s(&[1_000, 7, len, len]));
            file.extend_from_slice(packet);
        }
        file
    }

    pub(crate) fn block(self, block_type: u32, content: &[u8]) -> Vec<u8> {
        let padded = padded(content);
        let length = u32::try_from(padded.len() + 12).unwrap();
        [self.u32(block_type), self.u32(length), padded, self.u32(length)].concat()
    }

    pub(crate) fn section(self) -> Vec<u8> {
        let content = [self.u32(0x1a2b_3c4d), self.u16(1), self.u16(0), vec![0xff; 8]].concat();
        self.block(0x0a0d_0d0a, &content)
    }

    pub(crate) fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let length = value.len().try_into().unwrap();
        [self.u16(code), self.u16(length), padded(value)].concat()
    }

    pub(crate) fn interface(self, link_type: u16, snap_len: u32, options: &[u8]) -> Vec<u8> {
        let content =
            [self.u16(link_type), self.u16(0), self.u32(snap_len), options.to_vec()].concat();
        self.block(1, &content)
    }

    /// An Enhanced Packet Block.
    pub(crate) fn packet(self, interface: u32, ticks: u64, data: &[u8], options: &[u8]) -> Vec<u8> {
        let len = data.len().try_into().unwrap();
        let numbers = [interface, (ticks >> 32) as u32, ticks as u32, len, len];
        self.block(6, &[self.u32s(&numbers), padded(data), options.to_vec()].concat())
    }
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A UDP datagram from port 4242 to 7777.
pub(crate) fn udp(payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(8 + payload.len()).unwrap();
    [BIG.u16(4242), BIG.u16(7777), BIG.u16(length), BIG.u16(0), payload.to_vec()].concat()
}

/// An IPv4 packet from 10.0.0.1 to 10.0.0.2.
pub(crate) fn ipv4(protocol: u8, flags_and_offset: u16, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + content.len()).unwrap();
    let mut packet = vec![0x45, 0];
    packet.extend(BIG.u16(length));
    packet.extend(BIG.u16(1));
    packet.extend(BIG.u16(flags_and_offset));
    packet.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    packet.extend_from_slice(content);
    packet
}

/// An IPv6 packet from ::1 to ::2.
pub(crate) fn ipv6(next_header: u8, content: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend(BIG.u16(content.len().try_into().unwrap()));
    packet.extend([next_header, 64]);
    for last in [1, 2] {
        packet.extend([0; 15]);
        packet.push(last);
    }
    packet.extend_from_slice(content);
    packet
}

/// The IPv4 packet of a UDP datagram of [`PAYLOAD`].
pub(crate) fn udp_packet() -> Vec<u8> {
    ipv4(17, 0, &udp(PAYLOAD))
}
