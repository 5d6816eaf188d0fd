//! Packets: from link, IP, UDP and TCP headers to datagrams and segments.
//!
//! A [`Packet`] is what a capture file, a libpcap callback or a packet socket gives.
//! [`Packet::payload`] reads its headers and lends the datagram, segment or IP fragment in it.
//! A [`Defragmenter`] puts fragments together. Only fragments are copied, and only they need
//! allocated memory.

mod captured;
mod error;
mod fragments;
mod layers;
mod link;
mod payload;
mod pieces;
mod protocol;
mod time;

pub use captured::Packet;
pub use error::{Error, Problem};
pub(crate) use fragments::Whole;
pub use fragments::{Defragmenter, LostPacket};
pub(crate) use layers::Layers;
pub use link::LinkType;
pub use payload::{Datagram, Fragment, Payload, Segment};
pub use protocol::Protocol;
pub(crate) use time::Clock;
pub use time::Time;
