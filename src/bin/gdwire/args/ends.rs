//! Addresses and ports that select messages, packets and flows.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// An address, or all addresses that begin with the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Net {
    /// The address; the bits after the prefix are zero.
    address: IpAddr,
    prefix: u8,
}

impl Net {
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && masked(address, self.prefix) == self.address
    }

    const fn width(address: IpAddr) -> u8 {
        if address.is_ipv4() { 32 } else { 128 }
    }
}

fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    let cleared = u32::from(Net::width(address).saturating_sub(prefix));
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(cleared).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(cleared).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

impl FromStr for Net {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Net, &'static str> {
        const PROBLEM: &str = "not an IPv4 or IPv6 address, such as 10.0.0.2, ::1 or 10.0.0.0/8; \
                               names of hosts are not looked up";
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let bare = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let address: IpAddr = match bare {
            Some(bare) => bare.parse::<Ipv6Addr>().map(IpAddr::from),
            None => address.parse(),
        }
        .map_err(|_| PROBLEM)?;
        let width = Net::width(address);
        let prefix = match prefix {
            Some(prefix) => {
                let is_number = prefix.bytes().all(|byte| byte.is_ascii_digit());
                let number = prefix.parse().ok().filter(|number| is_number && *number <= width);
                number
                    .ok_or("the number after the slash is at most 32 for IPv4 and 128 for IPv6")?
            }
            None => width,
        };
        Ok(Net { address: masked(address, prefix), prefix })
    }
}

/// Shows the address as in a filter of tcpdump, after `host` or `net`.
impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.prefix == Net::width(self.address) {
            write!(f, "host {}", self.address)
        } else {
            write!(f, "net {}/{}", self.address, self.prefix)
        }
    }
}

/// One end of a message: an address, a port, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct End {
    net: Option<Net>,
    port: Option<u16>,
}

impl End {
    pub(crate) fn matches(self, end: SocketAddr) -> bool {
        self.net.is_none_or(|net| net.contains(end.ip()))
            && self.port.is_none_or(|port| port == end.port())
    }
}

impl FromStr for End {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<End, &'static str> {
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let port = text.parse().map_err(|_| "a port is a number up to 65535")?;
            return Ok(End { net: None, port: Some(port) });
        }
        if let Ok(end) = text.parse::<SocketAddr>() {
            let net = Net { address: end.ip(), prefix: Net::width(end.ip()) };
            return Ok(End { net: Some(net), port: Some(end.port()) });
        }
        let net = text.parse().map_err(|problem| match text.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() && !text.starts_with('[') => {
                "write an address and a port as 10.0.0.2:7777 or [::1]:7777"
            }
            _ => problem,
        })?;
        Ok(End { net: Some(net), port: None })
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Net};
    use proptest::prelude::*;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    #[test]
    fn ends_match_addresses_ports_and_both() {
        for (end, address, is_match) in [
            ("7777", "10.0.0.2:7777", true),
            ("7777", "[::1]:7778", false),
            ("10.0.0.2", "10.0.0.2:1", true),
            ("10.0.0.2", "10.0.0.3:1", false),
            ("10.0.0.2:7777", "10.0.0.2:7777", true),
            ("10.0.0.2:7777", "10.0.0.2:7778", false),
            ("[::1]:7777", "[::1]:7777", true),
            ("[::1]", "[::1]:5", true),
            ("::1", "[::1]:5", true),
            ("::1", "[::2]:5", false),
            ("10.0.0.0/8", "10.200.3.4:5", true),
            ("10.1.2.3/8", "10.200.3.4:5", true),
            ("10.0.0.0/8", "11.0.0.0:5", false),
            ("10.0.0.4/30", "10.0.0.7:5", true),
            ("10.0.0.4/30", "10.0.0.8:5", false),
            ("0.0.0.0/0", "1.2.3.4:5", true),
            ("0.0.0.0/0", "[::1]:5", false),
            ("::/0", "[fe80::1]:5", true),
            ("[fe80::]/10", "[febf::1]:5", true),
            ("fe80::/10", "[fec0::1]:5", false),
        ] {
            let parsed: End = end.parse().expect(end);
            assert_eq!(parsed.matches(address.parse().unwrap()), is_match, "{end} {address}");
        }
    }

    #[test]
    fn invalid_ends_are_refused() {
        for text in [
            "",
            "65536",
            "localhost",
            "10.0.0",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "[10.0.0.1]",
            "[::1",
            "::1]",
            "10.0.0.1:",
            "10.0.0.1:x",
            "10.0.0.0/8:7777",
            "-1",
        ] {
            assert!(text.parse::<End>().is_err() || text.is_empty(), "{text}");
            assert!(text.parse::<Net>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_net_has_the_addresses_that_begin_with_its_bits(
            net in any::<u128>(),
            flipped in 0..128_u8,
            prefix in 0..=128_u8,
        ) {
            let address = |bits| IpAddr::from(Ipv6Addr::from_bits(bits));
            let parsed: Net = format!("{}/{prefix}", address(net)).parse().unwrap();
            // The bits are counted from the left, as those of a prefix.
            let other = net ^ 1 << (127 - flipped);
            prop_assert!(parsed.contains(address(net)));
            prop_assert_eq!(parsed.contains(address(other)), flipped >= prefix);
            let [net, other] = [net, other].map(|bits| Ipv4Addr::from_bits((bits >> 96) as u32));
            let prefix = prefix.min(32);
            let parsed: Net = format!("{net}/{prefix}").parse().unwrap();
            let is_in = flipped >= prefix || net == other;
            prop_assert_eq!(parsed.contains(other.into()), is_in);
        }
    }

    #[test]
    fn nets_are_spelled_for_tcpdump() {
        for (text, filter) in [
            ("10.1.2.3/8", "net 10.0.0.0/8"),
            ("10.1.2.3", "host 10.1.2.3"),
            ("[::1]", "host ::1"),
            ("fe80::1/10", "net fe80::/10"),
        ] {
            assert_eq!(text.parse::<Net>().unwrap().to_string(), filter);
        }
    }
}
