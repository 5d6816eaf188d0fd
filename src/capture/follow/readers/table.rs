//! The transports that have readers, in the order of preference.

use super::datagrams::InDatagrams;
use super::streams::{InStreams, Streams};
use super::{enet, frames, websocket};
use crate::capture::follow::{Options, Transport};

/// The transports over TCP. A transport wins against the later ones only if it finds more messages
/// than they do.
const IN_STREAMS: [InStreams; 2] = [
    InStreams { transport: Transport::WebSocket, reader: websocket::reader },
    InStreams { transport: Transport::Tcp, reader: frames::reader },
];

/// The transports over UDP, apart from the one that needs no reader: [`Transport::Udp`].
const IN_DATAGRAMS: [InDatagrams; 1] =
    [InDatagrams { transport: Transport::Enet, check: enet::check, reader: enet::reader }];

/// The transports over TCP that a connection may have.
pub(crate) fn in_streams(options: &Options<'_>) -> impl Iterator<Item = InStreams> {
    IN_STREAMS.into_iter().filter(|it| options.admits_transport(it.transport))
}

/// The two streams of a connection, with the readers of all transports that it may have.
pub(crate) fn streams(options: &Options<'_>) -> Streams {
    Streams::new(&options.limits, || in_streams(options))
}

/// The transports over UDP that a connection may have.
pub(crate) fn in_datagrams(options: &Options<'_>) -> impl Iterator<Item = InDatagrams> {
    IN_DATAGRAMS.into_iter().filter(|it| options.admits_transport(it.transport))
}
