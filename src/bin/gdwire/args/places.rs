//! The addresses, names of ends, frame numbers and times by which options select messages.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::mem;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// An address, or all addresses that begin with the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Net {
    /// The address; the bits after the prefix are zero.
    address: IpAddr,
    prefix: u8,
}

impl Net {
    pub fn contains(self, address: IpAddr) -> bool {
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
                               names of hosts are not looked up, and --src and --dst also take \
                               the names on the terminal, such as 'client 1'";
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

/// The role of an end in its connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndRole {
    Client,
    Server,
    Unknown,
}

/// The short name of an end, as a terminal shows it: `client 1`, `server`, or `A` if its role is
/// unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EndName {
    pub role: EndRole,
    /// Counted from 1, for each role.
    pub number: usize,
}

impl EndName {
    /// The name that a text is; none if it is something else.
    pub fn of(text: &str) -> Option<EndName> {
        let numbered = |role, number: &str| {
            let number = number.parse().ok().filter(|number| *number > 0)?;
            Some(EndName { role, number })
        };
        match text.split_once(' ') {
            Some(("client", number)) => numbered(EndRole::Client, number),
            Some(("server", number)) => numbered(EndRole::Server, number),
            None if text == "server" => Some(EndName { role: EndRole::Server, number: 1 }),
            None if matches!(text.len(), 1..=2) => {
                let number = text.bytes().try_fold(0_usize, |number, letter| {
                    let digit = letter.is_ascii_uppercase().then(|| letter.saturating_sub(b'A'))?;
                    Some(number.saturating_mul(26).saturating_add(digit.into()).saturating_add(1))
                });
                number.map(|number| EndName { role: EndRole::Unknown, number })
            }
            _ => None,
        }
    }
}

impl fmt::Display for EndName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.role, self.number) {
            (EndRole::Client, number) => write!(f, "client {number}"),
            (EndRole::Server, 1) => f.write_str("server"),
            (EndRole::Server, number) => write!(f, "server {number}"),
            (EndRole::Unknown, number) => f.write_str(&letters(number)),
        }
    }
}

/// A, B, …, Z, AA, AB, …
fn letters(number: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = number;
    while let Some(place) = rest.checked_sub(1) {
        letters.push(char::from(b'A' + (place % 26) as u8));
        rest = place / 26;
    }
    letters.iter().rev().collect()
}

/// One end of a message: an address, a port, or both, or its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndFilter {
    At { net: Option<Net>, port: Option<u16> },
    Named(EndName),
}

impl EndFilter {
    /// Whether it is the end with this address, which may have a name.
    pub fn matches(self, end: SocketAddr, name: Option<EndName>) -> bool {
        match self {
            EndFilter::At { net, port } => {
                net.is_none_or(|net| net.contains(end.ip()))
                    && port.is_none_or(|port| port == end.port())
            }
            EndFilter::Named(named) => Some(named) == name,
        }
    }

    pub const fn is_named(&self) -> bool {
        matches!(self, EndFilter::Named(_))
    }
}

impl FromStr for EndFilter {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<EndFilter, &'static str> {
        if let Some(name) = EndName::of(text) {
            return Ok(EndFilter::Named(name));
        }
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(EndFilter::At { net: None, port: Some(port(text)?) });
        }
        if let Ok(end) = text.parse::<SocketAddr>() {
            let net = Net { address: end.ip(), prefix: Net::width(end.ip()) };
            return Ok(EndFilter::At { net: Some(net), port: Some(end.port()) });
        }
        let net = text.parse().map_err(|problem| match text.rsplit_once(':') {
            Some((_, port)) if port.parse::<u16>().is_ok() && !text.starts_with('[') => {
                "write an address and a port as 10.0.0.2:7777 or [::1]:7777"
            }
            _ => problem,
        })?;
        Ok(EndFilter::At { net: Some(net), port: None })
    }
}

/// Parses the number of a port.
pub fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "a port is a number from 0 to 65535")
}

/// A range of frame numbers, with both ends: `5`, `5-9` or `5-`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameRange {
    first: u64,
    last: u64,
}

impl FrameRange {
    pub fn contains(self, frame: u64) -> bool {
        (self.first..=self.last).contains(&frame)
    }
}

impl FromStr for FrameRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<FrameRange, &'static str> {
        const PROBLEM: &str = "write one frame as 5, or a range as 5-9 or 5-";
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number).ok_or(PROBLEM)
        };
        let (first, last) = match text.split_once('-') {
            Some((first, "")) => (number(first)?, u64::MAX),
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(text)?, number(text)?),
        };
        if first > last {
            return Err("the first frame of the range is after the last");
        }
        Ok(FrameRange { first, last })
    }
}

/// A point in time, absolute or relative to the first packet of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Nanoseconds since the start of 1970, UTC.
    At(i64),
    /// Nanoseconds after the first packet.
    After(i64),
    /// A time on the day of the first packet, in UTC.
    TimeOfDay(Time),
}

impl Moment {
    /// Nanoseconds since the start of 1970, UTC; none if it depends on the first packet and its
    /// time is not known.
    pub fn nanoseconds(self, first: Option<i64>) -> Option<i64> {
        match self {
            Moment::At(nanoseconds) => Some(nanoseconds),
            Moment::After(length) => Some(first?.saturating_add(length)),
            Moment::TimeOfDay(time) => {
                let first = Timestamp::from_nanosecond(first?.into()).ok()?;
                let day = TimeZone::UTC.to_datetime(first).date();
                nanoseconds(in_utc(day.to_datetime(time))?)
            }
        }
    }
}

impl Moment {
    /// Whether it is before another; none if that depends on the first packet.
    pub fn is_before(self, other: Moment) -> Option<bool> {
        let is_same_form = mem::discriminant(&self) == mem::discriminant(&other);
        is_same_form.then(|| self.nanoseconds(Some(0)) < other.nanoseconds(Some(0)))
    }
}

fn in_utc(time: DateTime) -> Option<Timestamp> {
    TimeZone::UTC.to_timestamp(time).ok()
}

fn nanoseconds(time: Timestamp) -> Option<i64> {
    i64::try_from(time.as_nanosecond()).ok()
}

impl FromStr for Moment {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Moment, &'static str> {
        const BEYOND: &str = "a time between 1678 and 2261 is needed";
        // Without a sign, 07:55:51 is a time of the day, and not nearly eight hours.
        let length = text.strip_prefix('+').or_else(|| (!text.contains(':')).then_some(text));
        if let Some(Ok(length)) = length.map(str::parse::<SignedDuration>) {
            if length.is_negative() {
                return Err("a time before the first packet selects nothing");
            }
            return i64::try_from(length.as_nanos()).map(Moment::After).map_err(|_| BEYOND);
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            return nanoseconds(time).map(Moment::At).ok_or(BEYOND);
        }
        // Without a zone, a time is in UTC, like all times in the output.
        let midnight = |date: Date| date.to_datetime(Time::midnight());
        if let Ok(time) = text.parse::<DateTime>().or_else(|_| text.parse().map(midnight)) {
            return in_utc(time).and_then(nanoseconds).map(Moment::At).ok_or(BEYOND);
        }
        // Without a colon, it would not be clear whether hours or seconds are meant.
        let time_of_day = text.contains(':').then(|| text.parse().ok()).flatten();
        time_of_day.map(Moment::TimeOfDay).ok_or(
            "write a time as 2026-11-21T07:55:51Z, 07:55:51, or relative to the first packet as 5s \
             or 1m30s",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{EndFilter, EndName, FrameRange, Moment, Net, letters};
    use gdwire::packet::Time;
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
            let parsed: EndFilter = end.parse().expect(end);
            let address = address.parse().unwrap();
            assert_eq!(parsed.matches(address, None), is_match, "{end} {address}");
        }
    }

    #[test]
    fn names_of_ends_are_read_as_they_are_shown() {
        let address = "10.0.0.2:7777".parse().unwrap();
        for name in ["client 1", "client 12", "server", "server 2", "A", "Z", "AA", "BL"] {
            let read = EndName::of(name).expect(name);
            assert_eq!(read.to_string(), name);
            let end: EndFilter = name.parse().unwrap();
            assert!(end.matches(address, Some(read)) && !end.matches(address, None), "{name}");
        }
        for text in ["", "client", "client 0", "client -1", "servers", "a", "AAA", "7", "Client 1"]
        {
            assert_eq!(EndName::of(text), None, "{text}");
        }
        assert_eq!([1, 2, 26, 27, 53, 703].map(letters), ["A", "B", "Z", "AA", "BA", "AAA"]);
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
            assert!(text.parse::<EndFilter>().is_err(), "{text}");
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

    #[test]
    fn ranges_include_their_ends() {
        for (text, frame, is_in) in [
            ("5", 5, true),
            ("5", 6, false),
            ("5-9", 4, false),
            ("5-9", 5, true),
            ("5-9", 9, true),
            ("5-9", 10, false),
            ("5-", u64::MAX, true),
            ("5-", 4, false),
        ] {
            assert_eq!(
                text.parse::<FrameRange>().unwrap().contains(frame),
                is_in,
                "{text} {frame}"
            );
        }
        for text in ["", "-", "-5", "9-5", "a", "5-b", "+5", "5--9", "18446744073709551616"] {
            assert!(text.parse::<FrameRange>().is_err(), "{text}");
        }
    }

    /// 2026-11-21T07:55:51Z.
    const FIRST: i64 = 1_795_247_751_000_000_000;

    #[test]
    fn times_are_absolute_or_relative() {
        for (text, seconds) in [
            ("2026-11-21T07:55:51Z", 0),
            ("2026-11-21T08:55:52+01:00", 1),
            ("2026-11-21T07:55:53", 2),
            ("2026-11-21 07:56", 9),
            ("2026-11-21", -28_551),
            ("07:55:50", -1),
            ("07:56", 9),
            ("5s", 5),
            ("+1m30s", 90),
            ("1h", 3_600),
            ("0s", 0),
            ("2 minutes", 120),
            ("+00:01:30", 90),
        ] {
            let moment: Moment = text.parse().expect(text);
            let expected = FIRST + seconds * 1_000_000_000;
            assert_eq!(moment.nanoseconds(Some(FIRST)), Some(expected), "{text}");
        }
        let fraction: Moment = "1.5ms".parse().unwrap();
        assert_eq!(fraction.nanoseconds(Some(FIRST)), Some(FIRST + 1_500_000));
    }

    proptest! {
        #[test]
        fn shown_times_are_read(nanoseconds in any::<i64>(), first in any::<i64>()) {
            let shown = Time::from_nanos(nanoseconds, 9).to_string();
            let moment: Moment = shown.parse().unwrap();
            prop_assert_eq!(moment, Moment::At(nanoseconds));
            let without_zone: Moment = shown.trim_end_matches('Z').parse().unwrap();
            prop_assert_eq!(without_zone, moment);
            let length = nanoseconds.unsigned_abs() >> 1;
            let after: Moment = format!("{length}ns").parse().unwrap();
            let expected = first.saturating_add_unsigned(length);
            prop_assert_eq!(after.nanoseconds(Some(first)), Some(expected));
        }

        #[test]
        fn no_text_panics(text in ".{0,20}", first in any::<i64>()) {
            let moment: Result<Moment, _> = text.parse();
            let _ = moment.map(|moment| moment.nanoseconds(Some(first)));
        }
    }

    #[test]
    fn times_of_the_same_form_are_ordered_before_the_first_packet_is_known() {
        for (first, second, is_before) in [
            ("2s", "5s", Some(true)),
            ("5s", "5s", Some(false)),
            ("5s", "2s", Some(false)),
            ("07:55", "07:56", Some(true)),
            ("23:50", "00:10", Some(false)),
            ("2026-11-21", "2026-11-22T00:00Z", Some(true)),
            ("2026-11-22", "2026-11-21T23:59Z", Some(false)),
            ("5s", "07:55", None),
            ("07:55", "2026-11-21", None),
        ] {
            let [first, second]: [Moment; 2] = [first, second].map(|text| text.parse().unwrap());
            assert_eq!(first.is_before(second), is_before, "{first:?} {second:?}");
        }
    }

    #[test]
    fn a_relative_time_needs_a_first_packet() {
        for (text, has_time) in [("5s", false), ("07:55", false), ("2026-11-21T00:00Z", true)] {
            let moment: Moment = text.parse().unwrap();
            assert_eq!(moment.nanoseconds(None).is_some(), has_time, "{text}");
        }
    }

    #[test]
    fn invalid_times_are_refused() {
        for text in [
            "",
            "5",
            "-5s",
            "yesterday",
            "2026-13-01",
            "25:00",
            "+",
            "1677-01-01",
            "9999-01-01T00:00Z",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
