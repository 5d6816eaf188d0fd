//! Writes captures: of packets that a program sent or received itself, or that were captured.

use crate::net::packet::{CapturedPacket, LinkType, TcpSegment, Time, UdpDatagram};
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use pcap_parser::{EPB_MAGIC, IDB_MAGIC, SHB_MAGIC};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The option of an interface that states the resolution of its times, and nanoseconds.
const IF_TSRESOL: u32 = 9;
const NANOSECONDS: u32 = 9;
const HOPS: u8 = 64;
const WINDOW: u16 = u16::MAX;

/// Writes packets as a pcapng file: what a program's own sockets sent and received, without the
/// permission to capture.
///
/// Each packet gets IP and UDP or TCP headers with correct checksums, unless it was
/// [captured](PacketWriter::captured). Each block is written with one call of the writer, so what was
/// written can be read at any time.
///
/// ```
/// use gdwire::capture::{Messages, PacketWriter};
/// use gdwire::follow::Event;
/// use gdwire::packet::{Time, UdpDatagram};
/// use gdwire::{Dialect, encode, variant};
///
/// let mut writer = PacketWriter::new(Vec::new())?;
/// let (client, server) = ("10.0.0.2:5000".parse()?, "10.0.0.1:7777".parse()?);
/// let packet = encode(Dialect::GODOT_4, &variant!({"hp": 87, "speed": 1.5}))?;
/// writer.datagram(Time::now(), &UdpDatagram::new(client, server, &packet))?;
///
/// let file = writer.into_inner();
/// let mut messages = Messages::new(&file)?;
/// let mut values = 0;
/// while let Some(event) = messages.next_event() {
///     values += i32::from(matches!(event, Event::Message(_)));
/// }
/// assert_eq!(values, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PacketWriter<W> {
    out: W,
    /// The block that is being written, kept for its memory.
    block: Vec<u8>,
    packet: Vec<u8>,
    /// The link types of the interfaces, in the order of their numbers.
    interfaces: Vec<LinkType>,
}

impl<W: Write> PacketWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn new(out: W) -> io::Result<PacketWriter<W>> {
        let (block, packet, interfaces) = (Vec::new(), Vec::new(), Vec::new());
        let mut writer = PacketWriter { out, block, packet, interfaces };
        // The byte-order mark, version 1.0, and a section length that is not known.
        writer.write_block(SHB_MAGIC, &[0x1a2b_3c4d, 1, u32::MAX, u32::MAX], &[])?;
        writer.flush()?;
        Ok(writer)
    }

    /// Writes a packet as it was captured. A packet without a time gets the time 0.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn captured(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        let CapturedPacket { time, link_type, data, original_len, .. } = *packet;
        self.write_packet(time.unwrap_or(Time::from_nanos(0, 9)), link_type, data, original_len)
    }

    /// The number of the interface with a link type, which is described before its first packet.
    fn interface(&mut self, link_type: LinkType) -> io::Result<u32> {
        let known = self.interfaces.iter().position(|known| *known == link_type);
        let number = known.unwrap_or(self.interfaces.len());
        if known.is_none() {
            // No limit on the length of packets, one option, and the end of the options.
            let words = [link_type.0, 0, 1 << 16 | IF_TSRESOL, NANOSECONDS, 0];
            self.write_block(IDB_MAGIC, &words, &[])?;
            self.interfaces.push(link_type);
        }
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Writes the packet with headers that was made.
    fn write_made(&mut self, time: Time) -> io::Result<()> {
        let packet = std::mem::take(&mut self.packet);
        let len = u32::try_from(packet.len()).unwrap_or(u32::MAX);
        let result = self.write_packet(time, LinkType::RAW, &packet, len);
        self.packet = packet;
        result
    }

    /// Writes a UDP datagram. If only one of the addresses is IPv6, the other one is mapped to it.
    ///
    /// # Errors
    ///
    /// If writing fails, or if the datagram is longer than UDP allows.
    pub fn datagram(&mut self, time: Time, datagram: &UdpDatagram<'_>) -> io::Result<()> {
        let UdpDatagram { src, dst, payload, .. } = *datagram;
        self.packet.clear();
        let built = match addresses(src, dst) {
            Addresses::V4(src_ip, dst_ip) => PacketBuilder::ipv4(src_ip, dst_ip, HOPS),
            Addresses::V6(src_ip, dst_ip) => PacketBuilder::ipv6(src_ip, dst_ip, HOPS),
        };
        let built = built.udp(src.port(), dst.port());
        built.write(&mut self.packet, payload).map_err(too_long)?;
        self.write_made(time)
    }

    /// Writes a TCP segment. If only one of the addresses is IPv6, the other one is mapped to it.
    ///
    /// # Errors
    ///
    /// If writing fails, or if the segment is longer than IP allows.
    pub fn segment(&mut self, time: Time, segment: &TcpSegment<'_>) -> io::Result<()> {
        let TcpSegment { src, dst, sequence, acknowledgement, payload, .. } = *segment;
        self.packet.clear();
        let built = match addresses(src, dst) {
            Addresses::V4(src_ip, dst_ip) => PacketBuilder::ipv4(src_ip, dst_ip, HOPS),
            Addresses::V6(src_ip, dst_ip) => PacketBuilder::ipv6(src_ip, dst_ip, HOPS),
        };
        let mut built: PacketBuilderStep<TcpHeader> =
            built.tcp(src.port(), dst.port(), sequence, WINDOW);
        if let Some(number) = acknowledgement {
            built = built.ack(number);
        }
        if segment.is_syn {
            built = built.syn();
        }
        if segment.is_fin {
            built = built.fin();
        }
        if segment.is_reset {
            built = built.rst();
        }
        built.write(&mut self.packet, payload).map_err(too_long)?;
        self.write_made(time)
    }

    /// Passes everything on that the writer still holds.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// The writer, which has the whole file.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn write_packet(
        &mut self,
        time: Time,
        link_type: LinkType,
        data: &[u8],
        original_len: u32,
    ) -> io::Result<()> {
        let interface = self.interface(link_type)?;
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(0);
        let [high, low] = [nanoseconds >> 32, nanoseconds & 0xffff_ffff];
        let [high, low] = [high, low].map(|half| u32::try_from(half).unwrap_or(u32::MAX));
        let len = u32::try_from(data.len()).unwrap_or(u32::MAX);
        self.write_block(EPB_MAGIC, &[interface, high, low, len, original_len], data)
    }

    /// Writes a block of words and bytes, which are padded to whole words.
    fn write_block(&mut self, block_type: u32, words: &[u32], bytes: &[u8]) -> io::Result<()> {
        let content = words.len().saturating_mul(4).saturating_add(bytes.len().next_multiple_of(4));
        let len = u32::try_from(content.saturating_add(12)).unwrap_or(u32::MAX);
        self.block.clear();
        for word in [block_type, len].iter().chain(words) {
            self.block.extend_from_slice(&word.to_le_bytes());
        }
        self.block.extend_from_slice(bytes);
        self.block.resize(content.saturating_add(8), 0);
        self.block.extend_from_slice(&len.to_le_bytes());
        self.out.write_all(&self.block)
    }
}

/// The addresses of both ends, in one version of IP.
enum Addresses {
    V4([u8; 4], [u8; 4]),
    V6([u8; 16], [u8; 16]),
}

fn addresses(src: SocketAddr, dst: SocketAddr) -> Addresses {
    let mapped = |ip: IpAddr| -> Ipv6Addr {
        match ip {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        }
    };
    match (src.ip().to_canonical(), dst.ip().to_canonical()) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => Addresses::V4(src.octets(), dst.octets()),
        (src, dst) => Addresses::V6(mapped(src).octets(), mapped(dst).octets()),
    }
}

fn too_long(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, error)
}
