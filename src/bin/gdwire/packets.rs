//! Reads captures: hands their messages to the sink, and reports and counts everything else.

use crate::losses::Losses;
use crate::reading::{Failure, PacketPlace, Place, Reading, Trouble};
use gdwire::capture::{
    Content, Event, LinkType, Message, Messages, Options, Other, Peers, Problem, Reason, Transport,
};
use gdwire::net::enet;
use std::fmt;

/// How much of a capture was not decoded, by the reason.
#[derive(Default)]
struct Undecoded {
    datagrams: u64,
    messages: u64,
    enet: u64,
    compressed: u64,
    segments: u64,
    cut: u64,
    malformed: u64,
    unknown_links: u64,
    unknown_link: Option<LinkType>,
    others: u64,
    not_asked_for: u64,
}

pub(crate) fn read(reading: &mut Reading<'_>, file: &[u8]) -> Result<(), Failure> {
    let filters = reading.filters;
    let mut options = Options::new();
    if filters.names_ends() {
        options = options.filter(|src, dst| filters.admits(src, dst));
    }
    if !reading.is_auto {
        options = options.dialect(reading.dialect);
    } else if reading.is_double {
        options = options.with_double_reals();
    }
    if let Some(transport) = filters.transport.named() {
        options = options.transport(transport);
    }
    reading.diagnostics.progress.begin(file.len() as u64);
    let mut messages = match Messages::with_options(file, options) {
        Ok(messages) => messages,
        Err(error) if error.problem == Problem::UnknownFormat => {
            let problem = match file {
                [] => "the input is empty, not a capture".to_owned(),
                _ => reading.with_hint(error.problem.to_string()),
            };
            reading.diagnostics.unreadable(&reading.name, &problem);
            return Ok(());
        }
        Err(error) => {
            reading.sink.trouble(Trouble::Damaged);
            reading.diagnostics.failure(&reading.name, &error);
            return Ok(());
        }
    };
    let mut has_game = false;
    let mut undecoded = Undecoded::default();
    let mut losses = Losses::default();
    loop {
        reading.diagnostics.progress.step(messages.position());
        let Some(event) = messages.next_event() else { break };
        match event {
            Event::Message(message) => {
                has_game = true;
                read_message(reading, &message)?;
            }
            Event::Other(other) => {
                losses.other(&other);
                read_other(reading, &other, &mut undecoded)?;
            }
            Event::Lost(lost) => losses.lost(reading, &lost),
            Event::Opened(summary) => reading.sink.connection(summary),
            Event::Recognized(summary) => {
                has_game |= summary.transport() != Some(Transport::Udp);
                reading.diagnostics.detail(&reading.name, &summary);
            }
            Event::Closed(summary) => {
                if summary.transport().is_none() {
                    reading.diagnostics.detail(&reading.name, &summary);
                }
                reading.sink.connection(summary);
            }
            Event::Damaged(error) => {
                reading.sink.trouble(Trouble::Damaged);
                reading.diagnostics.failure(&reading.name, &error);
            }
            _ => {}
        }
    }
    undecoded.cut = losses.conclude(reading, has_game);
    if undecoded.is_some() {
        if reading.is_strict {
            reading.diagnostics.failure(&reading.name, &undecoded);
        } else {
            reading.diagnostics.warning(&reading.name, &undecoded);
        }
    }
    Ok(())
}

fn read_message(reading: &mut Reading<'_>, message: &Message<'_>) -> Result<(), Failure> {
    let place = PacketPlace {
        frame: message.place.frame,
        time: message.place.time,
        origin: message.origin,
        offset: message.offset,
        channel: message.channel,
        mode: message.mode,
        peers: message.peers,
    };
    match message.content {
        Content::Value(value) => reading.value(Place::Packet(place), value),
        Content::Packet(packet) => reading.packet(place, message, &packet),
        _ => Ok(()),
    }
}

fn read_other(
    reading: &mut Reading<'_>,
    other: &Other<'_>,
    undecoded: &mut Undecoded,
) -> Result<(), Failure> {
    let count = match (&other.reason, other.origin.map(|origin| origin.transport)) {
        (Reason::NoValue(_) | Reason::Unlikely, Some(Transport::Udp)) => &mut undecoded.datagrams,
        (Reason::NoValue(_) | Reason::Unlikely | Reason::NoPacket(_), _) => &mut undecoded.messages,
        (Reason::NoEnet(error), _) if error.problem == enet::Problem::UnknownCompression => {
            &mut undecoded.compressed
        }
        (Reason::NoEnet(_), _) => &mut undecoded.enet,
        (Reason::UnknownStream, _) => &mut undecoded.segments,
        (Reason::NotAskedFor, _) => &mut undecoded.not_asked_for,
        (Reason::Malformed, _) => &mut undecoded.malformed,
        (Reason::UnknownLink(link), _) => {
            undecoded.unknown_link = Some(*link);
            &mut undecoded.unknown_links
        }
        // Cut packets are counted at the end, when all is known. The id of a peer has nothing to
        // decode.
        (Reason::Cut | Reason::PeerId(_), _) => &mut 0,
        _ => &mut undecoded.others,
    };
    *count += 1;
    let place = other.origin.map(|origin| PacketPlace {
        frame: other.place.frame,
        time: other.place.time,
        origin,
        offset: 0,
        channel: None,
        mode: None,
        peers: Peers::default(),
    });
    reading.other(place, other)
}

impl Undecoded {
    /// The count of each sort, and its name in the singular and the plural.
    fn sorts(&self) -> [(u64, &'static str, &'static str); 10] {
        [
            (self.datagrams, "UDP payload that is not a value", "UDP payloads that are not values"),
            (self.messages, "message that is not a value", "messages that are not values"),
            (self.enet, "datagram that is not ENet", "datagrams that are not ENet"),
            (
                self.compressed,
                "datagram with a compression other than ENet's range coder",
                "datagrams with a compression other than ENet's range coder",
            ),
            (self.segments, "TCP segment of another program", "TCP segments of other programs"),
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

    fn is_some(&self) -> bool {
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
