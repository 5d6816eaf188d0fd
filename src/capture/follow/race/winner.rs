//! The reader of the transport that has won a race.

use crate::capture::follow::readers::{ReadDatagrams, Streams};

/// The reader that continues after the race.
pub(crate) enum Winner {
    /// None: each datagram is a message.
    Udp,
    Datagrams(Box<dyn ReadDatagrams>),
    Streams(Box<Streams>),
    /// None: the TCP connection carries nothing known.
    Unknown,
}
