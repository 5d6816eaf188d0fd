//! Reads captures: hands their messages to the sink, and reports and counts everything else.

use crate::losses::Losses;
use crate::reading::{Failure, PacketPlace, Place, Reading, Trouble};
use gdwire::capture::{
    Content, Error, Event, LinkType, Message, Messages, Options, Other, PacketReader, Peers,
    Problem, ReadError, Reason, Transport,
};
use gdwire::follow::{self, Follower};
use gdwire::net::enet;
use std::fmt;
use std::io::BufRead;

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

/// Reads a capture that is in memory.
pub(crate) fn read(reading: &mut Reading<'_>, file: &[u8]) -> Result<(), Failure> {
    reading.diagnostics.progress.begin(file.len() as u64);
    let mut messages = match Messages::with_options(file, options(reading)) {
        Ok(messages) => messages,
        Err(error) => {
            damaged(reading, &error, file.is_empty());
            return Ok(());
        }
    };
    let mut events = Events::default();
    loop {
        reading.diagnostics.progress.step(messages.position());
        let Some(event) = messages.next_event() else { break };
        events.take(reading, event)?;
    }
    events.conclude(reading);
    Ok(())
}

/// Reads a capture that comes in pieces: what follows from a packet is handed on before the next one
/// is read.
pub(crate) fn read_stream(
    reading: &mut Reading<'_>,
    stream: &mut dyn BufRead,
) -> Result<(), Failure> {
    let is_empty = stream.fill_buf().map_err(Failure::Input)?.is_empty();
    let mut packets = PacketReader::new(stream);
    let mut follower = Follower::with_options(options(reading));
    let mut events = Events::default();
    loop {
        match packets.next_packet() {
            Ok(Some(packet)) => {
                events.all(reading, follower.packet(&packet))?;
            }
            Ok(None) => break,
            Err(ReadError::Damaged(error)) if error.frame.is_none() => {
                damaged(reading, &error, is_empty);
                return Ok(());
            }
            Err(ReadError::Damaged(error)) => {
                events.take(reading, Event::Damaged(error))?;
                break;
            }
            Err(ReadError::Io(error)) => {
                events.all(reading, follower.finish())?;
                events.conclude(reading);
                return Err(Failure::Input(error));
            }
            Err(_) => break,
        }
    }
    events.all(reading, follower.finish())?;
    events.conclude(reading);
    Ok(())
}

/// How the packets are to be read.
fn options<'r>(reading: &Reading<'r>) -> Options<'r> {
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
    match filters.transport.named() {
        Some(transport) => options.transport(transport),
        None => options,
    }
}

/// Reports that a capture cannot be read from its start.
fn damaged(reading: &mut Reading<'_>, error: &Error, is_empty: bool) {
    if error.problem == Problem::UnknownFormat {
        let problem = if is_empty {
            "the input is empty, not a capture".to_owned()
        } else {
            reading.with_hint(error.problem.to_string())
        };
        reading.diagnostics.unreadable(&reading.name, &problem);
    } else {
        reading.sink.trouble(Trouble::Damaged);
        reading.diagnostics.failure(&reading.name, error);
    }
}

/// What is done with the events of a capture.
#[derive(Default)]
struct Events {
    /// Whether the capture has messages, or a connection that only games have.
    has_game: bool,
    undecoded: Undecoded,
    losses: Losses,
}

impl Events {
    fn all(
        &mut self,
        reading: &mut Reading<'_>,
        mut events: follow::Events<'_, '_>,
    ) -> Result<(), Failure> {
        while let Some(event) = events.next() {
            self.take(reading, event)?;
        }
        Ok(())
    }

    fn take(&mut self, reading: &mut Reading<'_>, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Message(message) => {
                self.has_game = true;
                read_message(reading, &message)?;
            }
            Event::Other(other) => {
                self.losses.other(&other);
                read_other(reading, &other, &mut self.undecoded)?;
            }
            Event::Lost(lost) => self.losses.lost(reading, &lost),
            Event::Opened(summary) => reading.sink.connection(summary),
            Event::Recognized(summary) => {
                self.has_game |= summary.transport() != Some(Transport::Udp);
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
        Ok(())
    }

    /// Reports what was lost or not decoded.
    fn conclude(mut self, reading: &mut Reading<'_>) {
        self.undecoded.cut = self.losses.conclude(reading, self.has_game);
        if !self.undecoded.is_some() {
            return;
        }
        if reading.is_strict {
            reading.diagnostics.failure(&reading.name, &self.undecoded);
        } else {
            reading.diagnostics.warning(&reading.name, &self.undecoded);
        }
    }
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
