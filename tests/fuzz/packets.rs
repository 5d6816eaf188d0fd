//! Packets of captures as the inputs of the targets `follower` and `outputs` describe them.

use gdwire::Dialect;
use gdwire::follow::{Limits, Options, Transport};
use gdwire::packet::{CapturedPacket, LinkType, Time};

/// The head of an input, before the packets: the options, the limits, which of its comparisons a
/// target does, and how many bytes are missing at the end of the file.
#[derive(Clone, Copy)]
pub struct Head {
    options: u8,
    limits: u8,
    pub way: u8,
    pub missing: u8,
}

impl Head {
    /// Splits an input into its head and the packets after it.
    pub fn split(input: &[u8]) -> Option<(Head, Vec<Built>)> {
        let (&[options, limits, way, missing], rest) = input.split_first_chunk()?;
        Some((Head { options, limits, way, missing }, packets(rest)))
    }

    pub fn limits(self) -> Limits {
        let choice = |shift: u8, values: [usize; 4]| values[usize::from(self.limits >> shift & 3)];
        let total = choice(2, [256 << 20, 256 << 10, 16 << 10, 1 << 10]);
        Limits::default()
            .with_flows(choice(0, [1 << 16, 5, 2, 1]))
            .with_total_bytes(total)
            .with_flow_bytes(total / 2)
            .with_undecided_messages(choice(4, [64, 5, 1, 0]) as u32)
            .with_undecided_bytes(choice(6, [1 << 20, 1 << 10, 100, 0]))
    }

    pub fn options(self) -> Options<'static> {
        let options = Options::new().with_limits(self.limits());
        let options = match self.options & 7 {
            1 => options.with_transport(Transport::Udp),
            2 => options.with_transport(Transport::Tcp),
            3 => options.with_transport(Transport::Enet),
            4 => options.with_transport(Transport::WebSocket),
            5 => options.with_filter(|src, dst| src.port().min(dst.port()) != 7002),
            _ => options,
        };
        match self.options >> 3 & 7 {
            1 => options.with_dialect(Dialect::GODOT_3),
            2 => options.with_dialect(Dialect::GODOT_4),
            3 => options.with_dialect(Dialect::PANDEMONIUM_4),
            4 => options.with_dialect(Dialect::PANDEMONIUM_5),
            5 => options.with_double_reals(),
            _ => options,
        }
    }
}

/// A packet that owns its bytes.
pub struct Built {
    link_type: LinkType,
    data: Vec<u8>,
    len: u32,
    /// In microseconds.
    pub time: i64,
}

impl Built {
    pub fn packet(&self) -> CapturedPacket<'_> {
        let packet = CapturedPacket::new(self.link_type, &self.data).with_original_len(self.len);
        packet.with_time(Time::from_nanos(self.time * 1_000, 6))
    }
}

/// An IPv4 or IPv6 packet. For a fragment, the identification and the offset are passed.
fn ip(
    is_v6: bool,
    protocol: u8,
    ends: [u8; 2],
    part: Option<([u8; 2], bool)>,
    content: &[u8],
) -> Vec<u8> {
    let len = content.len() as u16;
    let mut packet = Vec::new();
    if is_v6 {
        let part = part.map(|([id, offset], is_last)| {
            [protocol, 0, 0, offset << 3 | u8::from(!is_last), 0, 0, 0, id]
        });
        packet.extend([0x60, 0, 0, 0]);
        packet.extend((len + part.map_or(0, |part| part.len() as u16)).to_be_bytes());
        packet.extend([part.map_or(protocol, |_| 44), 64]);
        for end in ends {
            packet.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end]);
        }
        packet.extend(part.unwrap_or_default().iter().take(if part.is_some() { 8 } else { 0 }));
    } else {
        let ([id, offset], is_last) = part.unwrap_or(([1, 0], true));
        packet.extend([0x45, 0]);
        packet.extend((20 + len).to_be_bytes());
        packet.extend([0, id, if is_last { 0 } else { 0x20 }, offset, 64, protocol, 0, 0]);
        packet.extend([10, 0, 0, ends[0], 10, 0, 0, ends[1]]);
    }
    packet.extend_from_slice(content);
    packet
}

/// Decodes an input into packets. Each consists of:
///
/// - a byte: the kind (2 bits: a datagram, a segment, a fragment or any bytes), whether it is IPv6,
///   whether it is truncated, and flags: for a segment FIN, SYN, RST and ACK; for a fragment
///   whether others follow it and whether it is TCP; for any bytes the link type;
/// - a byte: the client (2 bits), whether the server sent it, the server's port (2 bits);
/// - a signed byte: the time since the previous packet in milliseconds;
/// - a `u16`: the length of the payload;
/// - for a segment a `u16` each for the sequence number and the acknowledgement number, for a
///   fragment a byte each for the identification and the offset;
/// - the payload, which for a fragment includes the UDP or TCP header.
fn packets(mut rest: &[u8]) -> Vec<Built> {
    let mut packets = Vec::new();
    let mut time = 1_000_000_000;
    while let [what, who, when, low, high, after @ ..] = rest {
        let kind = what & 3;
        let head = match kind {
            1 => 4,
            2 => 2,
            _ => 0,
        };
        let (head, after) = after.split_at(after.len().min(head));
        let len = usize::from(u16::from_le_bytes([*low, *high]) & 0x3fff);
        let (payload, after) = after.split_at(len.min(after.len()));
        rest = after;
        time += i64::from(*when as i8) * 1_000;
        let (is_v6, is_cut) = (what & 4 != 0, what & 8 != 0);
        let (client, server) = (2 + (who & 3), 1);
        let ports = [[0x9c, 0x40 + client], [0x1b, 0x58 + (who >> 3 & 3)]];
        let is_client = who & 4 == 0;
        let ends = if is_client { [client, server] } else { [server, client] };
        let [src, dst] = if is_client { ports } else { [ports[1], ports[0]] };
        let [a, b, c, d] = *head.first_chunk().unwrap_or(&[0; 4]);
        let mut content = [src, dst].concat();
        let (mut link_type, mut data) = (LinkType::RAW, Vec::new());
        match kind {
            0 => {
                content.extend((8 + payload.len() as u16).to_be_bytes());
                content.extend([0, 0]);
                content.extend_from_slice(payload);
                data = ip(is_v6, 17, ends, None, &content);
            }
            1 => {
                let flags = what >> 4 & 7 | what >> 7 << 4;
                content.extend([0, 1, a, b, 0, 1, c, d, 0x50, flags, 1, 0, 0, 0, 0, 0]);
                content.extend_from_slice(payload);
                data = ip(is_v6, 6, ends, None, &content);
            }
            2 => {
                let (is_last, is_tcp) = (what & 16 == 0, what & 32 != 0);
                let [id, offset] = *head.first_chunk().unwrap_or(&[0; 2]);
                let protocol = if is_tcp { 6 } else { 17 };
                data = ip(is_v6, protocol, ends, Some(([id, offset], is_last)), payload);
            }
            _ => {
                let links =
                    [LinkType::RAW, LinkType::ETHERNET, LinkType::NULL, LinkType::LINUX_SLL2];
                link_type = links[usize::from(what >> 4 & 3)];
                data.extend_from_slice(payload);
            }
        }
        let len = data.len() as u32;
        if is_cut {
            data.truncate(data.len().saturating_sub(payload.len() / 2 + 1));
        }
        packets.push(Built { link_type, data, len, time });
    }
    packets
}
