//! Counts the parts of a capture that were not decoded, by reason.

use gdwire::capture::{LinkType, Other, Reason, Transport};
use gdwire::net::enet;
use std::fmt;

/// The numbers of packets and messages that were not decoded, by reason.
#[derive(Default)]
pub(super) struct Undecoded {
    datagrams: u64,
    messages: u64,
    enet: u64,
    compressed: u64,
    segments: u64,
    pub(super) unreliable: u64,
    pub(super) cut: u64,
    malformed: u64,
    unknown_links: u64,
    unknown_link: Option<LinkType>,
    others: u64,
    not_asked_for: u64,
}

impl Undecoded {
    pub(super) fn add(&mut self, other: &Other<'_>) {
        let count = match (&other.reason, other.origin.map(|origin| origin.transport)) {
            (Reason::NoValue(_) | Reason::Unlikely, Some(Transport::Udp)) => &mut self.datagrams,
            (Reason::NoValue(_) | Reason::Unlikely | Reason::NoPacket(_), _) => &mut self.messages,
            (Reason::NoEnet(error), _) if error.problem == enet::Problem::UnknownCompression => {
                &mut self.compressed
            }
            (Reason::NoEnet(_), _) => &mut self.enet,
            (Reason::UnknownStream, _) => &mut self.segments,
            (Reason::NotAskedFor, _) => &mut self.not_asked_for,
            (Reason::Malformed, _) => &mut self.malformed,
            (Reason::UnknownLink(link), _) => {
                self.unknown_link = Some(*link);
                &mut self.unknown_links
            }
            // Packets captured only in part are counted at the end, when it is known which of them
            // were lost messages. The id of a peer has nothing to decode.
            (Reason::Cut | Reason::PeerId(_), _) => &mut 0,
            _ => &mut self.others,
        };
        *count += 1;
    }

    /// The count of each sort, and its name in the singular and the plural.
    fn sorts(&self) -> [(u64, &'static str, &'static str); 11] {
        [
            (self.datagrams, "UDP payload that is not a value", "UDP payloads that are not values"),
            (self.messages, "message that is not a value", "messages that are not values"),
            (self.enet, "datagram that is not ENet", "datagrams that are not ENet"),
            (
                self.compressed,
                "ENet datagram with an unknown compression",
                "ENet datagrams with an unknown compression",
            ),
            (self.segments, "TCP segment of another program", "TCP segments of other programs"),
            (
                self.unreliable,
                "unreliable message that is not in the capture",
                "unreliable messages that are not in the capture",
            ),
            (self.cut, "packet captured only in part", "packets captured only in part"),
            (self.malformed, "malformed packet", "malformed packets"),
            (self.others, "packet of another protocol", "packets of other protocols"),
            (
                self.not_asked_for,
                "packet not of the requested transport",
                "packets not of the requested transport",
            ),
            (self.unknown_links, "packet with unknown link type", "packets with unknown link type"),
        ]
    }

    pub(super) fn is_some(&self) -> bool {
        self.sorts().iter().any(|(count, ..)| *count > 0)
    }
}

impl fmt::Display for Undecoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not decoded: ")?;
        let some = self.sorts().into_iter().filter(|(count, ..)| *count > 0);
        for (at, (count, one, several)) in some.enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{count} {}", if count == 1 { one } else { several })?;
        }
        match self.unknown_link {
            Some(LinkType(number)) => write!(f, " {number}"),
            None => Ok(()),
        }
    }
}
