//! Reads capture files: their packets, and the messages that games sent in them.
//!
//! Formats: classic pcap (microseconds and nanoseconds) and pcapng, both in either byte order.
//! [`Capture`] and [`Messages`] need the file in memory: map it, or read it as a whole.
//! [`PacketReader`] reads packets from a stream, and [`PacketWriter`] writes them.
//!
//! [`Messages`] returns what the games sent. It reassembles IP fragments, detects the transport and
//! the engine of each flow, and follows TCP, ENet and WebSocket. It returns every value and every
//! packet of the high-level multiplayer API, with the node paths that were announced, in the order
//! of its stream. [`Limits`](crate::follow::Limits) bound its memory. It also reports losses and other traffic:
//!
//! ```
//! use gdwire::capture::Messages;
//! use gdwire::follow::{Content, Event};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot4-tcp.pcapng"))?;
//! let mut messages = Messages::new(&file)?;
//! let mut values = 0;
//! while let Some(event) = messages.next_event() {
//!     match event {
//!         Event::Message(message) => {
//!             if let Content::Value(value) = message.content {
//!                 println!("{} -> {}: {value:?}", message.origin.src(), message.origin.dst());
//!                 values += 1;
//!             }
//!         }
//!         Event::Lost(lost) => eprintln!("frame {}: {}", lost.place.frame, lost.cause),
//!         _ => {}
//!     }
//! }
//! assert_eq!(values, 72);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Capture`] is the layer below: it returns packets, and [`CapturedPacket::payload`](crate::packet::CapturedPacket::payload) returns the
//! datagrams, segments and fragments in them, borrowed from the file. Nothing is copied, and
//! nothing is allocated per packet. The caller interprets the payloads. Example: every value in a
//! capture of `PacketPeerUDP.put_var()`:
//!
//! ```
//! use gdwire::capture::Capture;
//! use gdwire::packet::Payload;
//! use gdwire::{Dialect, parse};
//!
//! # let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/captures/godot3-udp.pcapng"))?;
//! let mut values = 0;
//! for packet in Capture::new(&file)? {
//!     if let Payload::Udp(datagram) = packet?.payload() {
//!         let value = parse(Dialect::GODOT_3, datagram.payload)?;
//!         println!("{} -> {}: {}", datagram.src, datagram.dst, value.kind());
//!         values += 1;
//!     }
//! }
//! assert_eq!(values, 60);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For a file that was cut off or damaged, every packet before the damage is returned, then one
//! [`Error`], and then nothing more.

#![allow(unreachable_pub, reason = "in a private module, `pub` reaches no further than the module")]

pub mod annotate;
mod fields;
pub(crate) mod follow;
mod json;
mod messages;
mod pcap;
mod pcapng;
mod stream;
mod writer;

use crate::net::packet::{CapturedPacket, Error, LinkType, Problem, Time};
use core::iter::FusedIterator;
pub use fields::MessageField;
pub use json::JsonLine;
pub use messages::Messages;
pub use stream::{PacketReader, ReadError};
pub use writer::PacketWriter;

/// A capture file, as an iterator over its packets.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    format: Option<CaptureFormat<'a>>,
    len: u64,
    frames: u64,
    file: u32,
}

impl<'a> Capture<'a> {
    /// Whether [`Capture::new`] can read a file, judged by its first four bytes.
    #[must_use]
    pub fn recognizes(file: &[u8]) -> bool {
        CaptureFormat::recognizes(file)
    }

    /// Starts to read a file, whose whole content is in memory.
    ///
    /// # Errors
    ///
    /// If the file is in another format or ends within its first header.
    pub fn new(file: &'a [u8]) -> Result<Capture<'a>, Error> {
        let len = file.len() as u64;
        match CaptureFormat::begin(file) {
            Ok(format) => Ok(Capture { format: Some(format), len, frames: 0, file: 0 }),
            Err(damage) => Err(damage.at(0, len, None)),
        }
    }

    /// The same file as the next one of a capture in several files. The numbers of its packets
    /// continue those of the file `before`, and so does its own number.
    #[must_use]
    pub fn after(self, before: &Capture<'_>) -> Capture<'a> {
        Capture { frames: before.frames, file: before.file.saturating_add(1), ..self }
    }

    /// How many bytes of the file have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        let rest = self.format.as_ref().map_or(0, |format| format.rest().len());
        self.len.saturating_sub(rest as u64)
    }
}

impl<'a> Iterator for Capture<'a> {
    type Item = Result<CapturedPacket<'a>, Error>;

    fn next(&mut self) -> Option<Result<CapturedPacket<'a>, Error>> {
        let format = self.format.as_mut()?;
        let read = format.next_record();
        self.frames = self.frames.saturating_add(format.take_numbered());
        let frame = self.frames.saturating_add(1);
        match read {
            Ok(Some(record)) => {
                self.frames = frame;
                let from_end = record.data.len().saturating_add(record.rest) as u64;
                Some(Ok(CapturedPacket {
                    frame,
                    file: self.file,
                    offset: self.len.saturating_sub(from_end),
                    time: record.time,
                    link_type: record.link_type,
                    data: record.data,
                    original_len: record.original_len,
                }))
            }
            Ok(None) => {
                self.format = None;
                None
            }
            Err(damage) => {
                self.format = None;
                Some(Err(damage.at(self.file, self.len, Some(frame))))
            }
        }
    }
}

impl FusedIterator for Capture<'_> {}

#[derive(Debug, Clone)]
enum CaptureFormat<'a> {
    Pcap(pcap::PcapReader<'a>),
    Pcapng(pcapng::PcapngReader<'a>),
}

impl<'a> CaptureFormat<'a> {
    /// Whether a file is in one of the formats, judged by its first four bytes.
    fn recognizes(file: &[u8]) -> bool {
        pcap::recognizes(file) || pcapng::recognizes(file)
    }

    /// Reads the first header.
    fn begin(file: &'a [u8]) -> Result<CaptureFormat<'a>, FileDamage> {
        if pcap::recognizes(file) {
            pcap::PcapReader::new(file).map(CaptureFormat::Pcap)
        } else if pcapng::recognizes(file) {
            pcapng::PcapngReader::new(file).map(CaptureFormat::Pcapng)
        } else {
            Err(FileDamage { rest: file.len(), problem: Problem::UnknownFormat })
        }
    }

    /// The bytes that have not been read.
    fn rest(&self) -> &'a [u8] {
        match self {
            CaptureFormat::Pcap(reader) => reader.rest(),
            CaptureFormat::Pcapng(reader) => reader.rest(),
        }
    }

    /// How many blocks without a packet have a number, among those read since the last call.
    const fn take_numbered(&mut self) -> u64 {
        match self {
            CaptureFormat::Pcap(_) => 0,
            CaptureFormat::Pcapng(reader) => reader.take_numbered(),
        }
    }

    #[inline]
    fn next_record(&mut self) -> Result<Option<Record<'a>>, FileDamage> {
        match self {
            CaptureFormat::Pcap(reader) => {
                let mut record = reader.next_record()?;
                while record.is_none() && !reader.rest().is_empty() {
                    *reader = pcap::PcapReader::new(reader.rest())?;
                    record = reader.next_record()?;
                }
                Ok(record)
            }
            CaptureFormat::Pcapng(reader) => reader.next_record(),
        }
    }
}

/// A packet, before its number and its place in the file are known.
struct Record<'a> {
    time: Option<Time>,
    link_type: LinkType,
    data: &'a [u8],
    original_len: u32,
    /// The number of bytes in the file after [`Record::data`].
    rest: usize,
}

/// An error in a capture file, and the number of bytes from there to the end of the file.
struct FileDamage {
    rest: usize,
    problem: Problem,
}

impl FileDamage {
    /// The error with its place, in a file with this number and length.
    fn at(self, file: u32, len: u64, frame: Option<u64>) -> Error {
        Error::new(file, len.saturating_sub(self.rest as u64), frame, self.problem)
    }
}
