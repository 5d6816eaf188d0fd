//! The lengths of the headers of a captured packet.

use super::captured::Packet;
use super::link;
use super::payload::{self, Payload};
use etherparse::{LaxNetSlice, LaxSlicedPacket};

/// The layers of a captured packet. Each starts where the one before it ends.
pub(crate) struct Layers<'a> {
    /// The lengths of the link header, of the IP headers, and of the UDP or TCP header, in bytes.
    pub(crate) link: usize,
    pub(crate) ip: usize,
    pub(crate) transport: usize,
    pub(crate) payload: Payload<'a>,
}

impl<'a> Layers<'a> {
    /// Finds the layers of a packet. Without IP headers, all bytes count as the link header.
    pub(crate) fn of(packet: &Packet<'a>) -> Layers<'a> {
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
        Layers { link, ip, transport, payload }
    }
}
