//! Counts the parts of a capture that were not decoded, by reason.

use crate::terminal::several;
use gdwire::follow::{Other, Reason, Transport};
use gdwire::net::enet;
use gdwire::net::websocket::Compressed;
use gdwire::packet::{LinkType, Protocol};
use gdwire::{Dialect, parse};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

/// How many other protocols are named, those with the most packets.
const NAMED: usize = 4;

/// Fewer payloads may be values of another engine by chance.
const FEW: u64 = 4;

/// The numbers of packets and messages that were not decoded, by reason.
#[derive(Default)]
pub struct Undecoded {
    datagrams: u64,
    chance: u64,
    messages: u64,
    /// How many messages are not values in the dialect of their connection, and how many of these are
    /// values in each of [`Dialect::ALL`].
    no_values: u64,
    other_values: [u64; Dialect::ALL.len()],
    enet: u64,
    compressed: u64,
    unseen: u64,
    undecompressed: u64,
    pub segments: u64,
    pub cut: u64,
    malformed: u64,
    exported: u64,
    unknown_links: u64,
    unknown_link: Option<LinkType>,
    not_asked_for: u64,
    beyond_limit: u64,
    others: u64,
    protocols: BTreeMap<Protocol, u64>,
}

impl Undecoded {
    pub fn add(&mut self, other: &Other<'_>) {
        let count = match (&other.reason, other.origin.map(|origin| origin.transport)) {
            (Reason::Unlikely, Some(Transport::Udp)) => &mut self.chance,
            (Reason::NoValue(_), Some(Transport::Udp)) => &mut self.datagrams,
            (Reason::NoValue(_) | Reason::Unlikely | Reason::NoPacket(_), _) => &mut self.messages,
            (Reason::NoEnet(error), _) if error.problem == enet::Problem::UnknownCompression => {
                &mut self.compressed
            }
            (Reason::NoEnet(_), _) => &mut self.enet,
            (Reason::Compressed(Compressed::Unseen), _) => &mut self.unseen,
            (Reason::Compressed(_), _) => &mut self.undecompressed,
            (Reason::UnknownStream, _) => &mut self.segments,
            (Reason::NotAskedFor, _) => &mut self.not_asked_for,
            (Reason::TooManyConnections, _) => &mut self.beyond_limit,
            (Reason::Malformed, _) => &mut self.malformed,
            (Reason::UnknownLink(LinkType::WIRESHARK_UPPER_PDU), _) => &mut self.exported,
            (Reason::UnknownLink(link), _) => {
                self.unknown_link = Some(*link);
                &mut self.unknown_links
            }
            (Reason::OtherProtocol(protocol), _) => self.protocols.entry(*protocol).or_default(),
            // Packets captured only in part are counted at the end, when it is known which of them
            // were lost messages. The id of a peer has nothing to decode.
            (Reason::Cut | Reason::PeerId(_), _) => &mut 0,
            _ => &mut self.others,
        };
        *count += 1;
        if matches!(other.reason, Reason::NoValue(_)) {
            self.no_values += 1;
            for (count, dialect) in self.other_values.iter_mut().zip(Dialect::ALL) {
                *count += u64::from(parse(*dialect, other.bytes).is_ok());
            }
        }
    }

    /// Says which other engine may have sent the messages that are not values, if it reads most of them.
    pub fn advice(&self) -> Option<String> {
        let dialects = self.other_values.iter().zip(Dialect::ALL).rev();
        let (count, dialect) = dialects.max_by_key(|(count, _)| **count)?;
        let is_likely = *count >= FEW && *count > self.no_values / 2;
        is_likely.then(|| {
            let no_values = self.no_values;
            format!(
                "{count} of {no_values} payloads that are not values are values of {dialect}; '--dialect \
                 {dialect}' reads them, and --from, --to and --frames select a part of the capture"
            )
        })
    }

    /// The count of each sort, and its name in the singular and the plural.
    fn sorts(&self) -> [(u64, &'static str, &'static str); 13] {
        [
            (self.datagrams, "UDP payload that is not a value", "UDP payloads that are not values"),
            (
                self.chance,
                "UDP payload that looks like a value (--transport udp shows it)",
                "UDP payloads that look like values (--transport udp shows them)",
            ),
            (self.messages, "message that is not a value", "messages that are not values"),
            (self.enet, "datagram that is not ENet", "datagrams that are not ENet"),
            (
                self.compressed,
                "ENet datagram with an unknown compression",
                "ENet datagrams with an unknown compression",
            ),
            (self.segments, "TCP segment of another program", "TCP segments of other programs"),
            (self.cut, "packet captured only in part", "packets captured only in part"),
            (self.malformed, "malformed packet", "malformed packets"),
            (
                self.not_asked_for,
                "packet not of the requested transport",
                "packets not of the requested transport",
            ),
            (
                self.beyond_limit,
                "packet of a connection beyond --max-connections",
                "packets of connections beyond --max-connections",
            ),
            (self.others, "other packet", "other packets"),
            (
                self.exported,
                "exported PDU (read the capture that it was made from)",
                "exported PDUs (read the capture that they were made from)",
            ),
            (self.unknown_links, "packet with unknown link type", "packets with unknown link type"),
        ]
    }

    /// A line for each reason why messages of games cannot be read.
    pub fn problems(&self) -> Vec<String> {
        let sorts = [
            (
                self.unseen,
                "refers to earlier ones that were not seen",
                "refer to earlier ones that were not seen",
            ),
            (self.undecompressed, "cannot be decompressed", "cannot be decompressed"),
        ];
        let sorts = sorts.into_iter().filter(|(count, ..)| *count > 0);
        let sorts = sorts.map(|(count, one, several)| match count {
            1 => format!("not decoded: 1 compressed message {one}"),
            count => format!("not decoded: {count} compressed messages {several}"),
        });
        sorts.collect()
    }

    /// Whether connections have messages that were not decoded.
    pub const fn has_messages(&self) -> bool {
        self.messages > 0 || self.unseen > 0 || self.undecompressed > 0
    }

    pub fn is_some(&self) -> bool {
        !self.protocols.is_empty() || self.sorts().iter().any(|(count, ..)| *count > 0)
    }
}

impl fmt::Display for Undecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not decoded: ")?;
        let mut separator = "";
        let mut add = |count: u64, one: &str, many: &str| {
            write!(f, "{separator}{}", several(count, one, many))?;
            separator = ", ";
            Ok(())
        };
        let mut protocols: Vec<(String, u64)> = Vec::new();
        for (protocol, count) in &self.protocols {
            let name = protocol.to_string();
            // Some protocols have several numbers in a row.
            match protocols.last_mut().filter(|(last, _)| *last == name) {
                Some((_, sum)) => *sum = sum.saturating_add(*count),
                None => protocols.push((name, *count)),
            }
        }
        protocols.sort_by_key(|(_, count)| Reverse(*count));
        for (protocol, count) in protocols.iter().take(NAMED) {
            add(*count, &format!("{protocol} packet"), &format!("{protocol} packets"))?;
        }
        if let Some(more @ [_, ..]) = protocols.get(NAMED..) {
            let count = more.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
            add(count, "packet of further protocols", "packets of further protocols")?;
        }
        for (count, one, many) in self.sorts().into_iter().filter(|(count, ..)| *count > 0) {
            add(count, one, many)?;
        }
        match self.unknown_link {
            Some(LinkType(number)) => write!(f, " {number}"),
            None => Ok(()),
        }
    }
}
