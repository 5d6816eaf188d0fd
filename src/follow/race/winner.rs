//! The reader of the transport that has won a race.

use crate::follow::readers::{Enet, Frames, Streams, WebSocket};

/// The reader that goes on after the race.
pub(in crate::follow) enum Winner {
    Udp,
    Enet(Box<Enet>),
    /// ENet, of which nothing has been seen.
    NewEnet,
    Tcp(Box<Streams<Frames>>),
    WebSocket(Box<Streams<WebSocket>>),
    /// A stream in which nothing is known.
    Unknown,
}
