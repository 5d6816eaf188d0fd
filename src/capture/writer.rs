//! Writes captures: of packets that a program sent or received itself, or that were captured.

use crate::net::packet::{CapturedPacket, LinkType, TcpSegment, Time, UdpDatagram};
use etherparse::{PacketBuilder, PacketBuilderStep, TcpHeader};
use nom::number::Endianness;
use pcap_parser::{BOM_MAGIC, EPB_MAGIC, IDB_MAGIC, OptionCode, SHB_MAGIC};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

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
    blocks: BlockWriter<W>,
    packet: Vec<u8>,
}

impl<W: Write> PacketWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn new(out: W) -> io::Result<PacketWriter<W>> {
        let mut writer = PacketWriter { blocks: BlockWriter::new(out)?, packet: Vec::new() };
        writer.flush()?;
        Ok(writer)
    }

    /// Writes a packet as it was captured. A packet without a time gets the time 0.
    ///
    /// # Errors
    ///
    /// If writing fails. [`ErrorKind::Unsupported`] if the link type does not fit into pcapng.
    pub fn captured(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        let CapturedPacket { time, link_type, data, original_len, .. } = *packet;
        self.blocks.packet(link_type, None, time, (data, original_len))?;
        self.blocks.write()
    }

    /// Writes the packet with headers that was made.
    fn write_made(&mut self, time: Time) -> io::Result<()> {
        let len = u32::try_from(self.packet.len()).unwrap_or(u32::MAX);
        self.blocks.packet(LinkType::RAW, None, Some(time), (&self.packet, len))?;
        self.blocks.write()
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
        self.blocks.out.flush()
    }

    /// The writer, which has the whole file.
    pub fn into_inner(self) -> W {
        self.blocks.out
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

/// Writes the blocks of a pcapng file with one section, whose times are in nanoseconds.
#[derive(Debug)]
pub struct BlockWriter<W> {
    pub out: W,
    /// The block that is written next.
    pub block: Vec<u8>,
    /// The link types of the interfaces, in the order of their numbers.
    pub interfaces: Vec<LinkType>,
}

/// How many decimals of a second times have.
const DECIMALS: u8 = 9;

impl<W: Write> BlockWriter<W> {
    /// Writes the section header.
    pub fn new(out: W) -> io::Result<BlockWriter<W>> {
        let mut writer = BlockWriter { out, block: Vec::new(), interfaces: Vec::new() };
        section(&mut writer.block)?;
        writer.write()?;
        Ok(writer)
    }

    /// Writes the block that was made.
    pub fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.block)
    }

    /// The number of the interface with a link type, which is written with this name before its first
    /// packet.
    pub fn interface(&mut self, of: LinkType, name: Option<&str>) -> io::Result<u32> {
        let known = self.interfaces.iter().position(|known| *known == of);
        let number = known.unwrap_or(self.interfaces.len());
        if known.is_none() {
            self.block.clear();
            interface(&mut self.block, link_type(of.0)?, 0, DECIMALS, name)?;
            self.write()?;
            self.interfaces.push(of);
        }
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Makes the block of a packet, with its bytes and its length on the network. Times before 1970, and
    /// those that are not known, become 1970.
    pub fn packet(
        &mut self,
        of: LinkType,
        name: Option<&str>,
        time: Option<Time>,
        data: (&[u8], u32),
    ) -> io::Result<()> {
        let interface = self.interface(of, name)?;
        let ticks = u64::try_from(time.map_or(0, Time::as_nanos)).unwrap_or(0);
        self.block.clear();
        write_packet(&mut self.block, interface, ticks, data, &[])
    }
}

/// The option that ends a list of options: its number and its length are 0.
pub const END: [u8; 4] = [0; 4];

/// The length of a section that is not stated.
pub const NOT_STATED: [u8; 8] = [0xff; 8];

/// The option `if_name`: the name of an interface.
const NAME: OptionCode = OptionCode(2);

/// How many bytes of padding follow `len` bytes, up to a multiple of 4.
pub const fn padding(len: usize) -> usize {
    len.next_multiple_of(4).saturating_sub(len)
}

/// Writes numbers in a byte order.
#[derive(Clone, Copy)]
pub struct ByteOrder(pub Endianness);

impl ByteOrder {
    fn u16(self, out: &mut Vec<u8>, number: u16) {
        match self.0 {
            Endianness::Big => out.extend(number.to_be_bytes()),
            _ => out.extend(number.to_le_bytes()),
        }
    }

    fn u32(self, out: &mut Vec<u8>, number: u32) {
        match self.0 {
            Endianness::Big => out.extend(number.to_be_bytes()),
            _ => out.extend(number.to_le_bytes()),
        }
    }

    /// Adds an option. Its content has to be shorter than 64 KiB.
    pub fn option(self, out: &mut Vec<u8>, code: OptionCode, content: &[u8]) {
        self.u16(out, code.0);
        self.u16(out, u16::try_from(content.len()).unwrap_or(u16::MAX));
        out.extend_from_slice(content);
        out.resize(out.len().saturating_add(padding(content.len())), 0);
    }

    pub fn comment(self, out: &mut Vec<u8>, text: &[u8]) {
        self.option(out, OptionCode::Comment, text);
    }

    /// Adds a block with these parts as its body.
    pub fn block(self, out: &mut Vec<u8>, block_type: u32, parts: &[&[u8]]) -> io::Result<()> {
        let len = parts.iter().fold(12_usize, |len, part| len.saturating_add(part.len()));
        let len = length(len)?;
        self.u32(out, block_type);
        self.u32(out, len);
        parts.iter().for_each(|part| out.extend_from_slice(part));
        self.u32(out, len);
        Ok(())
    }
}

/// The length of a block as a number of 32 bits, or an error if it has more.
fn length(len: usize) -> io::Result<u32> {
    u32::try_from(len).map_err(|error| io::Error::new(ErrorKind::FileTooLarge, error))
}

/// The link type as a field of pcapng, or an error if it does not fit.
pub fn link_type(number: u32) -> io::Result<u16> {
    u16::try_from(number)
        .map_err(|_| io::Error::new(ErrorKind::Unsupported, "pcapng has no room for the link type"))
}

/// Writes a section header that does not state the section's length.
pub fn section(out: &mut Vec<u8>) -> io::Result<()> {
    let order = ByteOrder(Endianness::Little);
    let mut content = Vec::new();
    order.u32(&mut content, BOM_MAGIC);
    order.u16(&mut content, 1);
    order.u16(&mut content, 0);
    content.extend(NOT_STATED);
    order.block(out, SHB_MAGIC, &[&content])
}

/// Writes an interface, whose times have this many decimals of a second. A `snap_len` of 0 sets no
/// limit on the length of packets.
pub fn interface(
    out: &mut Vec<u8>,
    link_type: u16,
    snap_len: u32,
    decimals: u8,
    name: Option<&str>,
) -> io::Result<()> {
    let order = ByteOrder(Endianness::Little);
    let mut content = Vec::new();
    order.u16(&mut content, link_type);
    order.u16(&mut content, 0);
    order.u32(&mut content, snap_len);
    if let Some(name) = name {
        order.option(&mut content, NAME, name.as_bytes());
    }
    order.option(&mut content, OptionCode::IfTsresol, &[decimals]);
    content.extend(END);
    order.block(out, IDB_MAGIC, &[&content])
}

/// Writes a packet of an interface: its bytes, its length on the network, and its options.
pub fn write_packet(
    out: &mut Vec<u8>,
    interface: u32,
    ticks: u64,
    (data, original_len): (&[u8], u32),
    options: &[u8],
) -> io::Result<()> {
    let order = ByteOrder(Endianness::Little);
    let mut head = Vec::with_capacity(20);
    order.u32(&mut head, interface);
    #[expect(clippy::cast_possible_truncation, reason = "this is the lower half")]
    let halves = [(ticks >> 32) as u32, ticks as u32];
    halves.iter().for_each(|half| order.u32(&mut head, *half));
    order.u32(&mut head, length(data.len())?);
    order.u32(&mut head, original_len);
    let padding = END.get(..padding(data.len())).unwrap_or(&[]);
    order.block(out, EPB_MAGIC, &[&head, data, padding, options])
}
