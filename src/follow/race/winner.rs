//! The reader of the transport that has won a race.

use crate::follow::readers::{ReadDatagrams, Streams};

/// The reader that goes on after the race.
pub(in crate::follow) enum Winner {
    /// None: each datagram is a message.
    Udp,
    Datagrams(Box<dyn ReadDatagrams>),
    Streams(Box<Streams>),
    /// A stream in which nothing is known.
    Unknown,
}
