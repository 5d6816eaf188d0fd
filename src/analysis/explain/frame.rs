//! Explains the link, IP, UDP and TCP headers of a captured packet.

use super::out::{Explained, FieldWriter};
use super::text::ByteCount;
use crate::net::packet::{Datagram, Fragment, HeaderLengths, LinkType, Packet, Payload, Segment};
use core::fmt::{self, Display, Formatter};

/// Explains the headers of a packet. Returns what it carries.
pub(super) fn headers<'a>(
    out: &mut FieldWriter<'_, '_>,
    packet: &Packet<'a>,
) -> Result<Payload<'a>, super::out::Stopped> {
    let HeaderLengths { link, ip, transport, payload } = HeaderLengths::of(packet);
    out.field(link, 0, "link header", LinkName(packet.link_type))?;
    internet(out, ip, &payload)?;
    match &payload {
        Payload::Udp(Datagram { src, dst, .. }) => {
            let ports = format_args!("port {} → {}", src.port(), dst.port());
            out.field(transport, 0, "UDP header", ports)?;
        }
        Payload::Tcp(segment) => {
            out.field(transport, 0, "TCP header", Tcp(segment))?;
        }
        _ => {}
    }
    Ok(payload)
}

/// Explains the IP headers.
fn internet(out: &mut FieldWriter<'_, '_>, len: usize, payload: &Payload<'_>) -> Explained {
    let name = "IP header";
    match payload {
        Payload::Udp(Datagram { src, dst, .. }) | Payload::Tcp(Segment { src, dst, .. }) => {
            out.field(len, 0, name, format_args!("{} → {}", src.ip(), dst.ip()))
        }
        Payload::Fragment(Fragment { src, dst, offset, .. }) => {
            out.field(len, 0, name, format_args!("{src} → {dst}, fragment from byte {offset} on"))
        }
        _ => out.field(len, 0, name, ByteCount(len)),
    }
}

/// The name of a link type.
struct LinkName(LinkType);

impl Display for LinkName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            LinkType::NULL | LinkType::LOOP => "loopback",
            LinkType::ETHERNET => "Ethernet",
            LinkType::LINUX_SLL => "Linux cooked capture",
            LinkType::LINUX_SLL2 => "Linux cooked capture, version 2",
            LinkType(number) => return write!(f, "link type {number}"),
        })
    }
}

/// The fields of a TCP header.
struct Tcp<'s, 'a>(&'s Segment<'a>);

impl Display for Tcp<'_, '_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Segment { src, dst, sequence, acknowledgement, .. } = self.0;
        write!(f, "port {} → {}, sequence number {sequence}", src.port(), dst.port())?;
        match acknowledgement {
            Some(number) => write!(f, ", acknowledges {number}"),
            None => Ok(()),
        }
    }
}
