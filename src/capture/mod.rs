//! Reads capture files: their packets, and the messages that games sent in them.
//!
//! Formats: classic pcap (microseconds and nanoseconds) and pcapng, both in either byte order.
//! [`Capture`] and [`Messages`] need the file in memory: map it, or read it as a whole.
//! [`PacketReader`] reads packets from a stream.
//!
//! [`Messages`] returns what the games sent. It reassembles IP fragments, detects the transport and
//! the engine of each flow, and follows TCP, ENet and WebSocket. It returns every value and every
//! packet of the high-level multiplayer API, with the node paths that were announced, in the order
//! of its stream. [`Limits`] bound its memory. It also reports losses and other traffic:
//!
//! ```
//! use gdwire::capture::{Content, Event, Messages};
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
//! [`Capture`] is the layer below: it returns packets, and [`Packet::payload`] returns the
//! datagrams, segments and fragments in them, borrowed from the file. Nothing is copied, and
//! nothing is allocated per packet. The caller interprets the payloads. Example: every value in a
//! capture of `PacketPeerUDP.put_var()`:
//!
//! ```
//! use gdwire::capture::{Capture, Payload};
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

pub mod annotate;
mod file;
#[doc(hidden)]
pub mod follow;
mod format;
mod messages;
mod pcap;
mod pcapng;
mod record;
mod stream;

pub use crate::capture::follow::{
    Cause, Closed, Content, Direction, Event, Flow, Limits, Loss, Message, Missing, Options,
    Origin, Other, Peers, Place, Reason, Summary, Traffic, Transport, Wire,
};
pub use crate::net::packet::{
    Datagram, Defragmenter, Error, Fragment, LinkType, LostPacket, Packet, Payload, Problem,
    Protocol, Segment, Time,
};
pub use file::Capture;
pub use messages::Messages;
pub use stream::{PacketReader, ReadError};
