//! Protocols other than UDP and TCP.

use core::fmt;

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
    pub(super) const ARP: Protocol = Protocol::Ethernet(0x0806);
    pub(super) const MACSEC: Protocol = Protocol::Ethernet(0x88e5);

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
