//! Values in captures.

use crate::args::Filters;
use crate::flows::Flows;
use crate::reading::{Failure, PacketPlace, Place, Reading};
use gdwire::capture::{Capture, Datagram, LinkType, Packet, Payload, Problem};
use gdwire::{Dialect, parse};
use std::fmt;

/// What a capture has that was not decoded, in packets.
#[derive(Default)]
struct Undecoded {
    datagrams: u64,
    segments: u64,
    fragments: u64,
    cut: u64,
    malformed: u64,
    unknown_links: u64,
    unknown_link: Option<LinkType>,
    others: u64,
}

pub(crate) fn read(reading: &mut Reading<'_>, file: &[u8]) -> Result<(), Failure> {
    let mut capture = match Capture::new(file) {
        Ok(capture) => capture,
        Err(error) if error.problem == Problem::UnknownFormat => {
            reading.diagnostics.unreadable(&reading.name, &error.problem);
            return Ok(());
        }
        Err(error) => {
            reading.diagnostics.failure(&reading.name, &error);
            return Ok(());
        }
    };
    let flows = reading.is_auto.then(|| Flows::of(file, reading.filters, reading.is_double));
    for reason in flows.iter().flat_map(Flows::reasons) {
        reading.diagnostics.detail(&reading.name, &reason);
    }
    let mut undecoded = Undecoded::default();
    reading.diagnostics.progress.begin(file.len() as u64);
    while let Some(packet) = capture.next() {
        reading.diagnostics.progress.step(capture.position());
        match packet {
            Ok(packet) => read_packet(reading, &packet, flows.as_ref(), &mut undecoded)?,
            Err(error) => reading.diagnostics.failure(&reading.name, &error),
        }
    }
    if undecoded.is_some() {
        if reading.is_strict {
            reading.diagnostics.failure(&reading.name, &undecoded);
        } else {
            reading.diagnostics.warning(&reading.name, &undecoded);
        }
    }
    Ok(())
}

fn read_packet(
    reading: &mut Reading<'_>,
    packet: &Packet<'_>,
    flows: Option<&Flows>,
    undecoded: &mut Undecoded,
) -> Result<(), Failure> {
    let transport = packet.payload();
    if !admits(reading.filters, &transport) {
        return Ok(());
    }
    let place = |transport, src, dst| PacketPlace {
        frame: packet.frame,
        time: packet.time,
        transport,
        src,
        dst,
    };
    match transport {
        Payload::Udp(datagram) => {
            let place = place("udp", datagram.src, datagram.dst);
            let dialect = match flows {
                Some(flows) => flows.dialect(&datagram),
                None => reading.dialect,
            };
            read_datagram(reading, place, dialect, &datagram, undecoded)?;
        }
        Payload::Tcp(segment) if segment.payload.is_empty() => {}
        Payload::Tcp(segment) => {
            undecoded.segments += 1;
            let place = place("tcp", segment.src, segment.dst);
            reading.other(place, segment.payload, &"TCP is not decoded")?;
        }
        Payload::Fragment(_) => undecoded.fragments += 1,
        Payload::Cut => undecoded.cut += 1,
        Payload::Malformed => undecoded.malformed += 1,
        Payload::UnknownLink => {
            undecoded.unknown_links += 1;
            undecoded.unknown_link = Some(packet.link_type);
        }
        _ => undecoded.others += 1,
    }
    Ok(())
}

/// Whether a packet is from or to where the filters say. That none is of a link type that is
/// known is always worth knowing.
fn admits(filters: &Filters, transport: &Payload<'_>) -> bool {
    match transport {
        Payload::Udp(datagram) => filters.admits(datagram.src, datagram.dst),
        Payload::Tcp(segment) => filters.admits(segment.src, segment.dst),
        Payload::Fragment(fragment) => {
            filters.port.is_empty() && filters.admits_hosts(fragment.src, fragment.dst)
        }
        Payload::UnknownLink => true,
        _ => filters.port.is_empty() && filters.host.is_empty(),
    }
}

fn read_datagram(
    reading: &mut Reading<'_>,
    place: PacketPlace,
    dialect: Dialect,
    datagram: &Datagram<'_>,
    undecoded: &mut Undecoded,
) -> Result<(), Failure> {
    if datagram.missing > 0 {
        undecoded.cut += 1;
        let reason = format!("{} more bytes were not captured", datagram.missing);
        return reading.other(place, datagram.payload, &reason);
    }
    match parse(dialect, datagram.payload) {
        Ok(value) => reading.value(Place::Packet(place), value),
        Err(error) => {
            undecoded.datagrams += 1;
            reading.other(place, datagram.payload, &error)
        }
    }
}

impl Undecoded {
    /// How many packets there are of each sort, and what one and several are called.
    fn sorts(&self) -> [(u64, &'static str, &'static str); 7] {
        [
            (self.datagrams, "UDP payload that is no value", "UDP payloads that are no values"),
            (self.segments, "TCP segment", "TCP segments"),
            (self.fragments, "IP fragment", "IP fragments"),
            (self.cut, "packet captured in part", "packets captured in part"),
            (self.malformed, "malformed packet", "malformed packets"),
            (self.others, "packet of another protocol", "packets of other protocols"),
            (self.unknown_links, "packet of unknown link type", "packets of unknown link type"),
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
