//! The first header of a captured packet, and the headers after it.

use super::Protocol;
use etherparse::{EtherType, LaxSlicedPacket};

/// The type of a packet's first header, by its number in the tcpdump group's registry of link
/// types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkType(
    /// The number in the registry.
    pub u32,
);

impl LinkType {
    /// BSD loopback: the address family, in the byte order of the capturing machine.
    pub const NULL: LinkType = LinkType(0);
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// An IPv4 or IPv6 header. Old files use the numbers 12 and 14 for it.
    pub const RAW: LinkType = LinkType(101);
    /// OpenBSD loopback: the address family, big-endian.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux cooked capture, version 1: older versions of `tcpdump -i any` write it.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// An IPv4 header.
    pub const IPV4: LinkType = LinkType(228);
    /// An IPv6 header.
    pub const IPV6: LinkType = LinkType(229);
    /// Exported PDUs: messages of an application without the packets that carried them, as Wireshark and
    /// `gdwire annotate --as messages` write them.
    pub const WIRESHARK_UPPER_PDU: LinkType = LinkType(252);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
}

/// The form of a packet's first header, which decides how to find the next one.
enum FirstHeader {
    Ethernet,
    Ip,
    /// An address family in four bytes.
    Loopback,
    /// A header of a fixed size that has the EtherType of the next protocol at an offset.
    Cooked {
        size: usize,
        protocol: usize,
    },
}

impl FirstHeader {
    fn of(link_type: LinkType) -> Option<FirstHeader> {
        Some(match link_type {
            LinkType::ETHERNET => FirstHeader::Ethernet,
            LinkType(12 | 14) | LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => FirstHeader::Ip,
            LinkType::NULL | LinkType::LOOP => FirstHeader::Loopback,
            LinkType::LINUX_SLL => FirstHeader::Cooked { size: 16, protocol: 14 },
            LinkType::LINUX_SLL2 => FirstHeader::Cooked { size: 20, protocol: 0 },
            _ => return None,
        })
    }
}

/// Why the headers after the first one cannot be read.
pub enum Unread {
    UnknownLink,
    Other(Protocol),
    Short,
}

/// Passes the headers of a packet, as far as they were captured, to `read` and returns its result.
/// A callback, because returning the headers would move them twice.
#[inline]
pub fn read_headers<'a, T>(
    link_type: LinkType,
    data: &'a [u8],
    read: impl FnOnce(&LaxSlicedPacket<'a>) -> T,
) -> Result<T, Unread> {
    let link = FirstHeader::of(link_type).ok_or(Unread::UnknownLink)?;
    let packet = match link {
        FirstHeader::Ethernet => {
            return match LaxSlicedPacket::from_ethernet(data) {
                Ok(headers) => Ok(read(&headers)),
                Err(_) => Err(Unread::Short),
            };
        }
        FirstHeader::Ip => data,
        FirstHeader::Loopback => {
            let (family, packet) = data.split_first_chunk().ok_or(Unread::Short)?;
            let family = u32::from_le_bytes(*family);
            if !is_ip_family(family) && !is_ip_family(family.swap_bytes()) {
                return Err(Unread::Other(Protocol::Loopback(family)));
            }
            packet
        }
        // etherparse has no header of version 2, and its header of version 1 refuses what was
        // captured on a loopback interface.
        FirstHeader::Cooked { size, protocol } => {
            let (header, packet) = data.split_at_checked(size).ok_or(Unread::Short)?;
            let protocol = header.get(protocol..).and_then(|rest| rest.first_chunk());
            let protocol = u16::from_be_bytes(*protocol.ok_or(Unread::Short)?);
            return Ok(read(&LaxSlicedPacket::from_ether_type(EtherType(protocol), packet)));
        }
    };
    match LaxSlicedPacket::from_ip(packet) {
        Ok(headers) => Ok(read(&headers)),
        Err(_) => Err(Unread::Short),
    }
}

/// `AF_INET` is 2 everywhere; `AF_INET6` is 24 on NetBSD and OpenBSD, 28 on FreeBSD, 30 on macOS,
/// 10 on Linux and 23 on Windows.
fn is_ip_family(family: u32) -> bool {
    matches!(family, 2 | 10 | 23 | 24 | 28 | 30)
}
