//! What a packet carries behind its headers.

use super::Packet;
use super::link::{self, Unread};
use crate::net::tcp;
use core::fmt;
use core::net::{IpAddr, SocketAddr};
use etherparse::{LaxNetSlice, TransportSlice, UdpHeader};

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Transport<'a> {
    /// UDP.
    Udp(Datagram<'a>),
    /// TCP.
    Tcp(Segment<'a>),
    /// A part of an IP packet that was sent in several.
    Fragment(Fragment),
    /// Another protocol.
    Other,
    /// The capture has so little of the packet that its headers are not whole.
    Cut,
    /// The headers contradict themselves.
    Malformed,
    /// The first header is of a type that this crate does not read.
    UnknownLink,
}

/// A UDP datagram.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Datagram<'a> {
    /// Who sent it.
    pub src: SocketAddr,
    /// To whom.
    pub dst: SocketAddr,
    /// Its payload, as far as it was captured.
    pub payload: &'a [u8],
    /// How many bytes of the payload were not captured.
    pub missing: usize,
}

/// A TCP segment.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Segment<'a> {
    /// Who sent it.
    pub src: SocketAddr,
    /// To whom.
    pub dst: SocketAddr,
    /// The sequence number of the payload's first byte, or of the SYN.
    pub sequence: u32,
    /// The number of the byte that the sender wants next from the other end, if it says one.
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

/// A part of an IP packet.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Fragment {
    /// Who sent it.
    pub src: IpAddr,
    /// To whom.
    pub dst: IpAddr,
}

impl<'a> From<Segment<'a>> for tcp::Segment<'a> {
    fn from(segment: Segment<'a>) -> tcp::Segment<'a> {
        tcp::Segment {
            sequence: segment.sequence,
            is_syn: segment.is_syn,
            is_fin: segment.is_fin,
            is_reset: segment.is_reset,
            payload: segment.payload,
            missing: segment.missing,
        }
    }
}

/// What an IP header says.
struct Ip {
    src: IpAddr,
    dst: IpAddr,
    is_fragment: bool,
    /// How many bytes the packet has beyond those that were captured.
    missing: usize,
}

pub(super) fn read<'a>(packet: &Packet<'a>) -> Transport<'a> {
    let unreadable = if packet.is_cut() { Transport::Cut } else { Transport::Malformed };
    let headers = match link::headers(packet.link_type, packet.data) {
        Ok(headers) => headers,
        Err(Unread::UnknownLink) => return Transport::UnknownLink,
        Err(Unread::OtherProtocol) => return Transport::Other,
        Err(Unread::Short) => return unreadable,
    };
    let ip = headers.net.as_ref().and_then(Ip::of);
    match (ip, headers.transport) {
        (Some(ip), _) if ip.is_fragment => {
            Transport::Fragment(Fragment { src: ip.src, dst: ip.dst })
        }
        (Some(ip), Some(TransportSlice::Udp(udp))) => {
            let length = usize::from(udp.length());
            // Zero is what a network card that cuts big datagrams to size gets to see.
            let missing = match length {
                0 => ip.missing,
                1..UdpHeader::LEN => return Transport::Malformed,
                _ => length.saturating_sub(udp.slice().len()),
            };
            Transport::Udp(Datagram {
                src: SocketAddr::new(ip.src, udp.source_port()),
                dst: SocketAddr::new(ip.dst, udp.destination_port()),
                payload: udp.payload(),
                missing,
            })
        }
        (Some(ip), Some(TransportSlice::Tcp(tcp))) => Transport::Tcp(Segment {
            src: SocketAddr::new(ip.src, tcp.source_port()),
            dst: SocketAddr::new(ip.dst, tcp.destination_port()),
            sequence: tcp.sequence_number(),
            acknowledgement: tcp.ack().then(|| tcp.acknowledgment_number()),
            is_syn: tcp.syn(),
            is_fin: tcp.fin(),
            is_reset: tcp.rst(),
            payload: tcp.payload(),
            missing: ip.missing,
        }),
        _ if headers.stop_err.is_some() => unreadable,
        _ => Transport::Other,
    }
}

impl Ip {
    fn of(net: &LaxNetSlice<'_>) -> Option<Ip> {
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
            is_fragment: payload.fragmented,
            // A length of zero stands for one that has no room in its field.
            missing: usize::from(announced).saturating_sub(captured),
        })
    }
}

impl fmt::Debug for Datagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Datagram")
            .field("src", &self.src)
            .field("dst", &self.dst)
            .field("len", &self.payload.len())
            .field("missing", &self.missing)
            .finish()
    }
}

impl fmt::Debug for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment")
            .field("src", &self.src)
            .field("dst", &self.dst)
            .field("sequence", &self.sequence)
            .field("acknowledgement", &self.acknowledgement)
            .field("len", &self.payload.len())
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}
