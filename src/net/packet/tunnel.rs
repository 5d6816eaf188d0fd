//! Finds the packet inside a packet of a tunnel.

use super::LinkType;
use etherparse::{EtherType, IpNumber};

/// The UDP ports to which VXLAN and GENEVE send.
const VXLAN: u16 = 4789;
const GENEVE: u16 = 6081;

/// Protocols in GRE that are no EtherTypes of IEEE.
const ETHERNET: EtherType = EtherType(0x6558);
const ERSPAN: EtherType = EtherType(0x88be);
const ERSPAN_3: EtherType = EtherType(0x22eb);

/// Whether datagrams to this port may belong to a tunnel.
#[inline(always)]
pub const fn has_port(port: u16) -> bool {
    matches!(port, VXLAN | GENEVE)
}

/// The packet in the payload of a datagram to this port, with the type of its first header.
pub fn in_datagram(port: u16, payload: &[u8]) -> Option<(LinkType, &[u8])> {
    let (header, rest) = payload.split_first_chunk::<8>()?;
    match (port, *header) {
        // The flag that says that the header has the number of a network, and that of group policies.
        (VXLAN, [0x08 | 0x88, ..]) => Some((LinkType::ETHERNET, rest)),
        // The version, and the number of words in the options. The lower six bits of the second byte are
        // reserved.
        (GENEVE, [options @ 0..0x40, flags, high, low, ..]) if flags & 0x3f == 0 => {
            let rest = rest.get(usize::from(options) * 4..)?;
            of_protocol(EtherType(u16::from_be_bytes([high, low])), rest)
        }
        _ => None,
    }
}

/// The packet in the payload of an IP packet, with the type of its first header.
pub fn in_ip(protocol: IpNumber, payload: &[u8]) -> Option<(LinkType, &[u8])> {
    match protocol {
        IpNumber::IPV4 => Some((LinkType::IPV4, payload)),
        IpNumber::IPV6 => Some((LinkType::IPV6, payload)),
        IpNumber::GRE => in_gre(payload),
        _ => None,
    }
}

fn in_gre(payload: &[u8]) -> Option<(LinkType, &[u8])> {
    let (&[flags, version, high, low], rest) = payload.split_first_chunk()?;
    // Version 1 is PPTP, and the flag 0x40 announces routing, which nobody uses.
    if version & 0x07 != 0 || flags & 0x40 != 0 {
        return None;
    }
    // A checksum, a key and a sequence number, where their flags are set.
    let fields = [0x80, 0x20, 0x10].into_iter().filter(|flag| flags & flag != 0).count();
    let rest = rest.get(fields * 4..)?;
    let has_sequence_number = flags & 0x10 != 0;
    match EtherType(u16::from_be_bytes([high, low])) {
        // The first version has no header of its own and no sequence number.
        ERSPAN if !has_sequence_number => Some((LinkType::ETHERNET, rest)),
        ERSPAN => Some((LinkType::ETHERNET, rest.get(8..)?)),
        ERSPAN_3 => {
            let (header, rest) = rest.split_first_chunk::<12>()?;
            // The last bit announces eight more bytes.
            let more = usize::from(header[11] & 1) * 8;
            Some((LinkType::ETHERNET, rest.get(more..)?))
        }
        protocol => of_protocol(protocol, rest),
    }
}

/// A packet of this protocol, with the type of its first header.
fn of_protocol(protocol: EtherType, packet: &[u8]) -> Option<(LinkType, &[u8])> {
    match protocol {
        ETHERNET => Some((LinkType::ETHERNET, packet)),
        EtherType::IPV4 => Some((LinkType::IPV4, packet)),
        EtherType::IPV6 => Some((LinkType::IPV6, packet)),
        _ => None,
    }
}
