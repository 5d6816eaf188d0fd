//! Takes the UDP datagram, TCP segment or IP fragment out of a captured packet.

use super::link::{LinkType, Unread, read_headers};
use super::{CapturedPacket, Protocol, tunnel};
use crate::net::tcp;
use core::fmt;
use core::net::{IpAddr, SocketAddr};
use etherparse::err::Layer;
use etherparse::{
    IpNumber, Ipv6ExtensionSlice, LaxNetSlice, LaxSlicedPacket, TcpHeader, TcpSlice,
    TransportSlice, UdpHeader, UdpSlice,
};

/// How many tunnels a packet may be inside of.
pub(super) const TUNNELS: usize = 4;

/// The payload of a captured packet, after its link, IP and transport headers.
///
/// If the packet is one of a tunnel (VXLAN, GENEVE, GRE, ERSPAN, or IP in IP), this is the payload of the
/// packet inside, with the addresses of that packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// A UDP datagram.
    Udp(UdpDatagram<'a>),
    /// A TCP segment.
    Tcp(TcpSegment<'a>),
    /// A fragment of an IP packet.
    Fragment(IpFragment<'a>),
    /// A protocol other than UDP and TCP.
    Other(Protocol),
    /// Too little of the packet was captured to read its headers. It may be UDP, TCP or a fragment.
    Cut,
    /// The headers contradict each other.
    Malformed,
    /// The crate cannot read headers of this [`LinkType`](super::LinkType).
    UnknownLink,
}

/// A UDP datagram.
///
/// ```
/// use gdwire::packet::UdpDatagram;
///
/// // Only 4 of its 6 bytes were captured.
/// let (client, server) = (([10, 0, 0, 1], 50_000).into(), ([10, 0, 0, 2], 9_000).into());
/// let datagram = UdpDatagram::new(client, server, &[4, 0, 0, 0]).with_missing(2);
/// assert_eq!(datagram.dst.port(), 9_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UdpDatagram<'a> {
    /// The sender's address and port.
    pub src: SocketAddr,
    /// The receiver's address and port.
    pub dst: SocketAddr,
    /// Its payload, as far as it was captured.
    pub payload: &'a [u8],
    /// How many bytes of the payload were not captured.
    pub missing: usize,
}

/// A TCP segment.
///
/// ```
/// use gdwire::net::tcp;
/// use gdwire::packet::TcpSegment;
///
/// let (client, server) = (([10, 0, 0, 1], 50_000).into(), ([10, 0, 0, 2], 9_000).into());
/// let segment = TcpSegment::new(client, server, tcp::Segment::new(1_000, b"").with_syn());
/// assert!(segment.with_acknowledgement(0).is_syn);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TcpSegment<'a> {
    /// The sender's address and port.
    pub src: SocketAddr,
    /// The receiver's address and port.
    pub dst: SocketAddr,
    /// The sequence number of the payload's first byte, or of the SYN.
    pub sequence: u32,
    /// The sequence number of the next byte that the sender expects from the other end.
    pub acknowledgement: Option<u32>,
    /// Whether it opens the stream.
    pub is_syn: bool,
    /// Whether it ends the stream.
    pub is_fin: bool,
    /// Whether it aborts the connection.
    pub is_reset: bool,
    /// Its payload, as far as it was captured.
    pub payload: &'a [u8],
    /// How many bytes of the payload were not captured.
    pub missing: usize,
}

/// A fragment of an IP packet. A [`Defragmenter`](super::Defragmenter) puts fragments together.
///
/// ```
/// use gdwire::packet::{Defragmenter, IpFragment, Payload};
///
/// // A UDP header and "hello" in two fragments of packet 7.
/// let (src, dst) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
/// let first = IpFragment::new(src, dst, 7, 17, 0, &[0x23, 0x28, 0x23, 0x29, 0, 13, 0, 0]).with_more();
/// let last = IpFragment::new(src, dst, 7, 17, 8, b"hello");
///
/// let mut defragmenter = Defragmenter::new();
/// assert!(defragmenter.push(1, None, &first, &mut |lost| println!("{lost}")).is_none());
/// let whole = defragmenter.push(2, None, &last, &mut |lost| println!("{lost}"));
/// let Some(Payload::Udp(datagram)) = whole else { return Err("not UDP") };
/// assert_eq!(datagram.payload, b"hello");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IpFragment<'a> {
    /// The sender's address.
    pub src: IpAddr,
    /// The receiver's address.
    pub dst: IpAddr,
    /// The identification, which all fragments of a packet share. 16 bits in IPv4.
    pub identification: u32,
    /// The number of the protocol in the whole packet: 17 is UDP.
    pub protocol: u8,
    /// The fragment's offset in the whole packet's payload, in bytes.
    pub offset: u16,
    /// Whether it is the last fragment of the packet.
    pub is_last: bool,
    /// Its payload, as far as it was captured.
    pub payload: &'a [u8],
    /// How many bytes of the payload were not captured.
    pub missing: usize,
}

/// The fields of an IP header.
struct Ip<'a> {
    src: IpAddr,
    dst: IpAddr,
    protocol: u8,
    payload: &'a [u8],
    /// The fragment's place, if the packet is a fragment.
    part: Option<FragmentPlace>,
    /// How many bytes of the packet were not captured.
    missing: usize,
}

/// The place of a fragment in its packet.
struct FragmentPlace {
    identification: u32,
    offset: u16,
    is_last: bool,
}

impl<'a> CapturedPacket<'a> {
    /// The packet's payload, after its link, IP and transport headers.
    #[must_use]
    pub fn payload(&self) -> Payload<'a> {
        read(self)
    }

    /// The sender and the receiver of the tunnel through which the packet was mirrored; none if it is
    /// in no tunnel. If several tunnels are inside each other, this is the outermost.
    #[must_use]
    pub fn tunnel(&self) -> Option<(IpAddr, IpAddr)> {
        if read_any(self, TUNNELS) == read_any(self, 0) {
            return None;
        }
        let ends = |headers: &LaxSlicedPacket<'a>| {
            headers.net.as_ref().and_then(Ip::of).map(|ip| (ip.src, ip.dst))
        };
        read_headers(self.link_type, self.data, ends).ok().flatten()
    }
}

pub fn read<'a>(packet: &CapturedPacket<'a>) -> Payload<'a> {
    if let Some((src, dst, protocol, payload)) = usual(packet.link_type, packet.data) {
        if protocol == IpNumber::UDP.0
            && let Some(datagram) = usual_datagram(src, dst, payload)
        {
            return Payload::Udp(datagram);
        }
        let payload = of_whole(src, dst, protocol, payload);
        if matches!(payload, Payload::Udp(_) | Payload::Tcp(_)) {
            return payload;
        }
    }
    read_any(packet, 0)
}

/// The most common header of a packet, and what follows it: IPv4 without options, and no fragment.
#[inline]
pub fn usual_header(link_type: LinkType, data: &[u8]) -> Option<(&[u8; 20], &[u8])> {
    let packet = match (link_type, data) {
        (LinkType::ETHERNET, [_, _, _, _, _, _, _, _, _, _, _, _, 0x08, 0x00, packet @ ..]) => {
            packet
        }
        (LinkType::RAW | LinkType::IPV4, packet) => packet,
        _ => return None,
    };
    let (header, rest) = packet.split_first_chunk::<20>()?;
    // The flag forbids fragments.
    matches!(header, [0x45, _, _, _, _, _, 0 | 0x40, 0, ..]).then_some((header, rest))
}

/// The sender, the receiver, the protocol and the payload of a packet with the most common header, if
/// it is complete. [`read_any`] reads the others.
#[inline]
fn usual(link_type: LinkType, data: &[u8]) -> Option<(IpAddr, IpAddr, u8, &[u8])> {
    let (header, rest) = usual_header(link_type, data)?;
    let [_, _, long, short, _, _, _, _, _, protocol, _, _, addresses @ ..] = *header;
    let length = usize::from(u16::from_be_bytes([long, short]));
    let payload = rest.get(..length.checked_sub(header.len())?)?;
    let [a, b, c, d, e, f, g, h] = addresses;
    Some(([a, b, c, d].into(), [e, f, g, h].into(), protocol, payload))
}

/// A datagram that is complete, and not to the port of a tunnel. [`of_whole`] reads the others.
#[inline]
fn usual_datagram(src: IpAddr, dst: IpAddr, bytes: &[u8]) -> Option<UdpDatagram<'_>> {
    let (&[a, b, c, d, long, short, _, _], payload) = bytes.split_first_chunk()?;
    let (from, to) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
    let is_whole = usize::from(u16::from_be_bytes([long, short])) == bytes.len();
    (is_whole && !tunnel::has_port(to)).then(|| {
        let (src, dst) = (SocketAddr::new(src, from), SocketAddr::new(dst, to));
        UdpDatagram::new(src, dst, payload)
    })
}

/// The payload of a packet inside this many tunnels.
#[inline(never)]
fn read_any<'a>(packet: &CapturedPacket<'a>, tunnels: usize) -> Payload<'a> {
    let unreadable = if packet.is_cut() { Payload::Cut } else { Payload::Malformed };
    let read = |headers: &LaxSlicedPacket<'a>| after_headers(headers, unreadable, tunnels);
    match read_headers(packet.link_type, packet.data, read) {
        Ok(payload) => payload,
        Err(Unread::UnknownLink) => Payload::UnknownLink,
        Err(Unread::Other(protocol)) => Payload::Other(protocol),
        Err(Unread::Short) => unreadable,
    }
}

/// The payload after the headers of a packet.
fn after_headers<'a>(
    headers: &LaxSlicedPacket<'a>,
    unreadable: Payload<'a>,
    tunnels: usize,
) -> Payload<'a> {
    let Some(ip) = headers.net.as_ref().and_then(Ip::of) else {
        return beside_ip(headers).map_or(unreadable, Payload::Other);
    };
    let Ip { src, dst, protocol, payload, part, missing } = ip;
    match (part, &headers.transport) {
        (Some(FragmentPlace { identification, offset, is_last }), _) => {
            Payload::Fragment(IpFragment {
                src,
                dst,
                identification,
                protocol,
                offset,
                is_last,
                payload,
                missing,
            })
        }
        (None, Some(TransportSlice::Udp(udp))) => {
            in_tunnels_over_udp(datagram(src, dst, missing, udp), tunnels)
        }
        (None, Some(TransportSlice::Tcp(tcp))) => segment(src, dst, missing, tcp),
        _ if headers.stop_err.is_none() => {
            in_tunnels_over_ip(IpNumber(protocol), payload, missing, tunnels)
        }
        _ => match (IpNumber(protocol), unreadable) {
            (IpNumber::TCP, Payload::Cut) => {
                cut_segment(src, dst, payload, missing).unwrap_or(unreadable)
            }
            (IpNumber::ICMP | IpNumber::IPV6_ICMP, _) => Payload::Other(Protocol::Ip(protocol)),
            _ => unreadable,
        },
    }
}

/// The protocol of a packet without an IP header; none if its headers were not captured.
#[cold]
fn beside_ip(headers: &LaxSlicedPacket<'_>) -> Option<Protocol> {
    if headers.net.is_some() || matches!(headers.stop_err, Some((_, Layer::Arp))) {
        return Some(Protocol::ARP);
    }
    if headers.stop_err.is_some() {
        return None;
    }
    // MACsec may hide what is in it.
    Some(headers.ether_payload().map_or(Protocol::MACSEC, |it| Protocol::Ethernet(it.ether_type.0)))
}

/// The payload of an IP packet that is complete, and no fragment.
#[inline(always)]
pub fn of_whole(src: IpAddr, dst: IpAddr, protocol: u8, bytes: &[u8]) -> Payload<'_> {
    match IpNumber(protocol) {
        IpNumber::UDP => UdpSlice::from_slice_lax(bytes)
            .map_or(Payload::Malformed, |udp| in_tunnels_over_udp(datagram(src, dst, 0, &udp), 0)),
        IpNumber::TCP => {
            TcpSlice::from_slice(bytes).map_or(Payload::Malformed, |tcp| segment(src, dst, 0, &tcp))
        }
        protocol => in_tunnels_over_ip(protocol, bytes, 0, 0),
    }
}

/// The payload of the packet in a datagram of a tunnel, or else the datagram. It is inside this many
/// tunnels.
#[inline(always)]
fn in_tunnels_over_udp(outer: Payload<'_>, tunnels: usize) -> Payload<'_> {
    match outer {
        Payload::Udp(UdpDatagram { dst, payload, missing, .. }) if tunnel::has_port(dst.port()) => {
            in_tunnels(outer, tunnel::in_datagram(dst.port(), payload), missing, tunnels)
        }
        outer => outer,
    }
}

#[cold]
fn in_tunnels_over_ip(
    protocol: IpNumber,
    bytes: &[u8],
    missing: usize,
    tunnels: usize,
) -> Payload<'_> {
    let outer = Payload::Other(Protocol::Ip(protocol.0));
    in_tunnels(outer, tunnel::in_ip(protocol, bytes), missing, tunnels)
}

/// The payload of the packet inside of a tunnel's, or else that of the tunnel's packet: other programs
/// use the ports of tunnels, too.
#[cold]
fn in_tunnels<'a>(
    outer: Payload<'a>,
    inside: Option<(LinkType, &'a [u8])>,
    missing: usize,
    tunnels: usize,
) -> Payload<'a> {
    let Some((link_type, data)) = inside.filter(|_| tunnels < TUNNELS) else { return outer };
    let len = u32::try_from(data.len().saturating_add(missing)).unwrap_or(u32::MAX);
    let packet = CapturedPacket::new(link_type, data).with_original_len(len);
    match read_any(&packet, tunnels + 1) {
        inner @ (Payload::Udp(_) | Payload::Tcp(_) | Payload::Fragment(_) | Payload::Cut) => inner,
        inner @ Payload::Other(protocol) if protocol.name().is_some() => inner,
        _ => outer,
    }
}

#[inline(always)]
fn datagram<'a>(src: IpAddr, dst: IpAddr, missing: usize, udp: &UdpSlice<'a>) -> Payload<'a> {
    let length = usize::from(udp.length());
    // The length is zero in large datagrams that were captured before the network card split them.
    let missing = match length {
        0 => missing,
        1..UdpHeader::LEN => return Payload::Malformed,
        _ => length.saturating_sub(udp.slice().len()),
    };
    Payload::Udp(UdpDatagram {
        src: SocketAddr::new(src, udp.source_port()),
        dst: SocketAddr::new(dst, udp.destination_port()),
        payload: udp.payload(),
        missing,
    })
}

#[inline(always)]
fn segment<'a>(src: IpAddr, dst: IpAddr, missing: usize, tcp: &TcpSlice<'a>) -> Payload<'a> {
    Payload::Tcp(TcpSegment {
        src: SocketAddr::new(src, tcp.source_port()),
        dst: SocketAddr::new(dst, tcp.destination_port()),
        sequence: tcp.sequence_number(),
        acknowledgement: tcp.ack().then(|| tcp.acknowledgment_number()),
        is_syn: tcp.syn(),
        is_fin: tcp.fin(),
        is_reset: tcp.rst(),
        payload: tcp.payload(),
        missing,
    })
}

/// A segment that was captured only up to the options of its header.
#[cold]
fn cut_segment<'a>(
    src: IpAddr,
    dst: IpAddr,
    captured: &[u8],
    missing: usize,
) -> Option<Payload<'a>> {
    let mut header: [u8; TcpHeader::MIN_LEN] = *captured.first_chunk()?;
    // The upper half of this byte is the header's length in words of 32 bits. It is set to that of
    // a header without options.
    let words = &mut header[12];
    let header_len = usize::from(*words >> 4).saturating_mul(4);
    *words = *words & 0x0f | 5 << 4;
    let missing = captured.len().saturating_add(missing).checked_sub(header_len)?;
    let tcp = TcpSlice::from_slice(&header).ok()?;
    let Payload::Tcp(segment) = segment(src, dst, missing, &tcp) else { return None };
    Some(Payload::Tcp(TcpSegment { payload: &[], ..segment }))
}

impl<'a> UdpDatagram<'a> {
    /// A datagram that was captured as a whole.
    #[must_use]
    pub const fn new(src: SocketAddr, dst: SocketAddr, payload: &'a [u8]) -> UdpDatagram<'a> {
        UdpDatagram { src, dst, payload, missing: 0 }
    }

    /// This fragment, with the number of bytes after the payload that were not captured.
    #[must_use]
    pub const fn with_missing(self, missing: usize) -> UdpDatagram<'a> {
        UdpDatagram { missing, ..self }
    }
}

impl<'a> TcpSegment<'a> {
    /// A segment of the stream from `src` to `dst`, without an acknowledgement.
    #[must_use]
    pub const fn new(
        src: SocketAddr,
        dst: SocketAddr,
        segment: tcp::Segment<'a>,
    ) -> TcpSegment<'a> {
        let tcp::Segment { sequence, is_syn, is_fin, is_reset, payload, missing, .. } = segment;
        let acknowledgement = None;
        TcpSegment {
            src,
            dst,
            sequence,
            acknowledgement,
            is_syn,
            is_fin,
            is_reset,
            payload,
            missing,
        }
    }

    /// This segment, with the sequence number that its sender expects next from the other end.
    #[must_use]
    pub const fn with_acknowledgement(self, number: u32) -> TcpSegment<'a> {
        TcpSegment { acknowledgement: Some(number), ..self }
    }

    /// The segment without its addresses, for a [`tcp::Reassembler`].
    #[must_use]
    pub const fn in_stream(&self) -> tcp::Segment<'a> {
        let TcpSegment { sequence, is_syn, is_fin, is_reset, payload, missing, .. } = *self;
        tcp::Segment { sequence, is_syn, is_fin, is_reset, payload, missing, tag: () }
    }
}

impl<'a> IpFragment<'a> {
    /// The last fragment of an IP packet, `offset` bytes from the start of the packet's payload.
    /// `identification` is the same in all fragments of the packet; `protocol` is the number of the
    /// protocol in the packet, 17 for UDP.
    #[must_use]
    pub const fn new(
        src: IpAddr,
        dst: IpAddr,
        identification: u32,
        protocol: u8,
        offset: u16,
        payload: &'a [u8],
    ) -> IpFragment<'a> {
        let (is_last, missing) = (true, 0);
        IpFragment { src, dst, identification, protocol, offset, is_last, payload, missing }
    }

    /// This fragment, with others after it.
    #[must_use]
    pub const fn with_more(self) -> IpFragment<'a> {
        IpFragment { is_last: false, ..self }
    }

    /// This fragment, with the number of bytes after the payload that were not captured.
    #[must_use]
    pub const fn with_missing(self, missing: usize) -> IpFragment<'a> {
        IpFragment { missing, ..self }
    }

    /// Whether the whole packet may be UDP or TCP. In IPv6, other headers may precede these.
    pub(crate) const fn is_of_transport(&self) -> bool {
        !matches!(IpNumber(self.protocol), IpNumber::ICMP | IpNumber::IPV6_ICMP | IpNumber::IGMP)
    }
}

impl<'a> Ip<'a> {
    fn of(net: &LaxNetSlice<'a>) -> Option<Ip<'a>> {
        let (src, dst, payload, announced, headers): (IpAddr, IpAddr, _, _, _) = match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let extension = ip.extensions().auth.map_or(0, |auth| auth.slice().len());
                (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                    ip.payload(),
                    header.total_len(),
                    header.slice().len().saturating_add(extension),
                )
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                (
                    header.source_addr().into(),
                    header.destination_addr().into(),
                    ip.payload(),
                    header.payload_length(),
                    ip.extensions().slice().len(),
                )
            }
            LaxNetSlice::Arp(_) => return None,
        };
        let captured = headers.saturating_add(payload.payload.len());
        Some(Ip {
            src,
            dst,
            protocol: payload.ip_number.0,
            payload: payload.payload,
            part: payload.fragmented.then(|| FragmentPlace::of(net)).flatten(),
            // The length is zero if it is too large for its field. Then nothing counts as missing.
            missing: usize::from(announced).saturating_sub(captured),
        })
    }
}

impl FragmentPlace {
    #[cold]
    fn of(net: &LaxNetSlice<'_>) -> Option<FragmentPlace> {
        match net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                Some(FragmentPlace {
                    identification: header.identification().into(),
                    offset: header.fragments_offset().byte_offset(),
                    is_last: !header.more_fragments(),
                })
            }
            LaxNetSlice::Ipv6(ip) => ip.extensions().clone().into_iter().find_map(|extension| {
                let Ipv6ExtensionSlice::Fragment(header) = extension else { return None };
                Some(FragmentPlace {
                    identification: header.identification(),
                    offset: header.fragment_offset().byte_offset(),
                    is_last: !header.more_fragments(),
                })
            }),
            LaxNetSlice::Arp(_) => None,
        }
    }
}

impl fmt::Debug for IpFragment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IpFragment {
            src,
            dst,
            identification,
            protocol,
            offset,
            is_last,
            payload,
            missing,
            ..
        } = self;
        debug_fields!(f, IpFragment {
            src, dst, identification, protocol, offset, is_last, len = payload.len(), missing
        })
    }
}

impl fmt::Debug for UdpDatagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UdpDatagram { src, dst, payload, missing, .. } = self;
        debug_fields!(f, UdpDatagram { src, dst, len = payload.len(), missing })
    }
}

impl fmt::Debug for TcpSegment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TcpSegment { src, dst, sequence, payload, missing, .. } = self;
        debug_fields!(f, TcpSegment { src, dst, sequence, len = payload.len(), missing, .. })
    }
}
