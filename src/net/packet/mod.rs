//! Reads the headers of packets. `lib.rs` has the documentation of this module, which is public as
//! `gdwire::packet`.

mod fragments;
mod link;
mod payload;
mod time;
mod tunnel;

pub(crate) use fragments::ReassembledPacket;
pub use fragments::{Defragmenter, LostPacket};
pub use link::LinkType;
pub(crate) use payload::usual_header;
pub use payload::{IpFragment, Payload, TcpSegment, UdpDatagram};
pub(crate) use time::Clock;
pub use time::Time;
pub(crate) use tunnel::has_port as is_tunnel_port;

use core::fmt;
use etherparse::{LaxNetSlice, LaxSlicedPacket};
use payload::of_whole;

/// A packet as it was captured.
///
/// ```
/// use gdwire::packet::{LinkType, CapturedPacket, Payload};
///
/// // IPv4 and UDP headers, and the payload "hi".
/// let bytes = b"\x45\0\0\x1e\0\0\0\0\x40\x11\0\0\x0a\0\0\x01\x0a\0\0\x02\x23\x28\x23\x29\0\x0a\0\0hi";
/// let packet = CapturedPacket::new(LinkType::RAW, bytes).with_frame(1);
/// let Payload::Udp(datagram) = packet.payload() else { return Err("not UDP") };
/// assert_eq!((datagram.src.to_string(), datagram.payload), ("10.0.0.1:9000".into(), &b"hi"[..]));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CapturedPacket<'a> {
    /// Its number in the capture, counted from 1, as Wireshark's `frame.number`.
    pub frame: u64,
    /// The number of its file, from 0, if several files are read as one capture.
    pub file: u32,
    /// The offset of [`CapturedPacket::data`] in the file, in bytes.
    pub offset: u64,
    /// When it was captured. A pcapng file may have packets without a time.
    pub time: Option<Time>,
    /// The type of its first header.
    pub link_type: LinkType,
    /// The captured bytes, from the first header on.
    pub data: &'a [u8],
    /// How many bytes it had on the network, from the first header on.
    pub original_len: u32,
}

impl<'a> CapturedPacket<'a> {
    /// A packet that was captured as a whole. Its frame number is 0, and it has no time.
    #[must_use]
    pub const fn new(link_type: LinkType, data: &'a [u8]) -> CapturedPacket<'a> {
        let original_len =
            if data.len() > u32::MAX as usize { u32::MAX } else { data.len() as u32 };
        CapturedPacket { frame: 0, file: 0, offset: 0, time: None, link_type, data, original_len }
    }

    /// The same packet with a frame number.
    #[must_use]
    pub const fn with_frame(self, frame: u64) -> CapturedPacket<'a> {
        CapturedPacket { frame, ..self }
    }

    /// The same packet with the number of its file.
    #[must_use]
    pub const fn with_file(self, file: u32) -> CapturedPacket<'a> {
        CapturedPacket { file, ..self }
    }

    /// The same packet with the time at which it was captured.
    #[must_use]
    pub const fn with_time(self, time: Time) -> CapturedPacket<'a> {
        CapturedPacket { time: Some(time), ..self }
    }

    /// The same packet with the number of bytes that it had on the network. It is larger than the
    /// length of [`CapturedPacket::data`] if the rest was not captured.
    #[must_use]
    pub const fn with_original_len(self, original_len: u32) -> CapturedPacket<'a> {
        CapturedPacket { original_len, ..self }
    }

    /// Whether the packet had more bytes on the network than were captured.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        (self.data.len() as u64) < self.original_len as u64
    }
}

impl fmt::Debug for CapturedPacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CapturedPacket { frame, file, offset, time, link_type, data, original_len, .. } = self;
        debug_fields!(f, CapturedPacket {
            frame, file, offset, time, link_type, len = data.len(), original_len
        })
    }
}

/// The layers of a captured packet. Each starts where the one before it ends.
pub(crate) struct HeaderLengths<'a> {
    /// The lengths of the link header, of the IP headers, and of the UDP or TCP header, in bytes.
    pub link: usize,
    pub ip: usize,
    pub transport: usize,
    pub payload: Payload<'a>,
}

impl<'a> HeaderLengths<'a> {
    /// Finds the layers of a packet. Without IP headers, all bytes count as the link header.
    pub fn of(packet: &CapturedPacket<'a>) -> HeaderLengths<'a> {
        let data = packet.data;
        let offset = |part: &[u8]| part.as_ptr().addr().saturating_sub(data.as_ptr().addr());
        let ip = |headers: &LaxSlicedPacket<'a>| match headers.net.as_ref()? {
            LaxNetSlice::Ipv4(ip) => {
                Some((offset(ip.header().slice()), offset(ip.payload().payload)))
            }
            LaxNetSlice::Ipv6(ip) => {
                Some((offset(ip.header().slice()), offset(ip.payload().payload)))
            }
            LaxNetSlice::Arp(_) => None,
        };
        let ip = link::read_headers(packet.link_type, data, ip).ok().flatten();
        let (link, ip_end) = ip.unwrap_or((data.len(), data.len()));
        let payload = payload::read(packet);
        let start = match &payload {
            Payload::Udp(datagram) => offset(datagram.payload),
            Payload::Tcp(segment) if !segment.payload.is_empty() => offset(segment.payload),
            _ => ip_end,
        };
        let (ip, transport) = (ip_end.saturating_sub(link), start.saturating_sub(ip_end));
        HeaderLengths { link, ip, transport, payload }
    }
}

/// A protocol other than UDP and TCP, by the number in the header before it. `Display` names it,
/// such as `ICMP` or `IP protocol 253`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// A protocol in IP packets, by its number there.
    Ip(u8),
    /// A protocol in Ethernet frames, by its EtherType. Numbers below 1536 are the length of a frame
    /// of IEEE 802.3.
    Ethernet(u16),
    /// A protocol in frames of a BSD loopback interface, by its address family.
    Loopback(u32),
}

impl Protocol {
    const ARP: Protocol = Protocol::Ethernet(0x0806);
    const MACSEC: Protocol = Protocol::Ethernet(0x88e5);

    /// The name of the protocol, if it is a common one.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Protocol::Ip(1) => "ICMP",
            Protocol::Ip(2) => "IGMP",
            Protocol::Ip(4 | 41) => "IP in IP",
            Protocol::Ip(47) => "GRE",
            Protocol::Ip(50 | 51) => "IPsec",
            Protocol::Ip(58) => "ICMPv6",
            Protocol::Ip(89) => "OSPF",
            Protocol::Ip(103) => "PIM",
            Protocol::Ip(112) => "VRRP",
            Protocol::Ip(132) => "SCTP",
            Protocol::Ip(136) => "UDP-Lite",
            Protocol::Ethernet(0x0806) => "ARP",
            Protocol::Ethernet(0x8035) => "RARP",
            Protocol::Ethernet(0x8863 | 0x8864) => "PPPoE",
            Protocol::Ethernet(0x8847 | 0x8848) => "MPLS",
            Protocol::Ethernet(0x888e) => "EAPOL",
            Protocol::Ethernet(0x88cc) => "LLDP",
            Protocol::Ethernet(0x88e5) => "MACsec",
            Protocol::Ethernet(0x88f7) => "PTP",
            Protocol::Ethernet(0..1536) => "IEEE 802.3",
            _ => return None,
        })
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name(), self) {
            (Some(name), _) => f.write_str(name),
            (None, Protocol::Ip(number)) => write!(f, "IP protocol {number}"),
            (None, Protocol::Ethernet(number)) => write!(f, "EtherType {number:#06x}"),
            (None, Protocol::Loopback(number)) => write!(f, "address family {number}"),
        }
    }
}

/// The error for a capture file: the problem and its place. Nothing after that place can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("byte {offset}{}: {problem}", InFrame(*.frame))]
#[non_exhaustive]
pub struct Error {
    /// The number of the file, from 0, if several files are read as one capture.
    pub file: u32,
    /// The offset of the damaged part in the file, in bytes.
    pub offset: u64,
    /// The number that the damaged packet would have had; none if the file's first header is wrong.
    pub frame: Option<u64>,
    /// The kind of damage at that offset.
    pub problem: Problem,
}

impl Error {
    pub(crate) const fn new(file: u32, offset: u64, frame: Option<u64>, problem: Problem) -> Error {
        Error { file, offset, frame, problem }
    }
}

/// A problem in a capture file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The file starts like neither a pcap nor a pcapng file.
    UnknownFormat,
    /// The file ends within a packet or block.
    Cut {
        /// How many bytes are missing, at least.
        missing: usize,
        /// How many bytes the file has from the offset on.
        available: usize,
    },
    /// The lengths at the start and at the end of a block are impossible or differ.
    BlockLength {
        /// The length at the start, in bytes.
        len: u32,
    },
    /// A section header has an unknown byte-order mark.
    SectionHeader,
    /// A block is too short for its type.
    BlockTooShort {
        /// The number of its type.
        block_type: u32,
        /// Its length, in bytes.
        len: u32,
    },
    /// A packet is longer than its block.
    PacketTooLong {
        /// The packet's length, in bytes.
        len: u32,
        /// How many bytes the block has for it.
        available: usize,
    },
    /// A packet or block of a stream is longer than the limit of what is read into memory.
    TooLong {
        /// Its length, in bytes, at least.
        len: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A packet refers to an interface that the file does not describe.
    UnknownInterface {
        /// The interface's number.
        interface: u32,
    },
}

struct InFrame(Option<u64>);

impl fmt::Display for InFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(frame) => write!(f, " (frame {frame})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UnknownFormat => f.write_str("neither a pcap nor a pcapng file"),
            Problem::Cut { missing, available } => {
                write!(
                    f,
                    "the file is cut off: {available} bytes are left, {missing} more are needed"
                )
            }
            Problem::BlockLength { len } => {
                write!(f, "a block has an impossible length of {len} bytes")
            }
            Problem::SectionHeader => {
                f.write_str("a section header has an unknown byte-order mark")
            }
            Problem::BlockTooShort { block_type, len } => {
                write!(f, "{len} bytes are too short for a block of type {block_type}")
            }
            Problem::PacketTooLong { len, available } => {
                write!(f, "a packet of {len} bytes is in a block with room for {available}")
            }
            Problem::TooLong { len, limit } => {
                write!(f, "a packet or block of {len} bytes; the limit is {limit}")
            }
            Problem::UnknownInterface { interface } => {
                write!(
                    f,
                    "a packet refers to interface {interface}, which the file does not describe"
                )
            }
        }
    }
}
