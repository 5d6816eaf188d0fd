//! Names the reasons why something was not decoded.

use crate::capture::follow::Reason;
use crate::net::enet;
use crate::net::websocket::Compressed;
use crate::value::{Error, Problem};

/// Why bytes are not a value.
pub(super) fn no_value(error: &Error) -> &'static str {
    match error.problem {
        Problem::UnexpectedEnd { .. } => "not a value: ends too early",
        Problem::UnknownType { .. } => "not a value: unknown type",
        Problem::InvalidUtf8 => "not a value: text is not UTF-8",
        Problem::TooLong { .. } => "not a value: impossible count or length",
        Problem::TooDeep { .. } => "not a value: nested too deeply",
        Problem::TrailingBytes { .. } => "not a value: followed by more bytes",
        _ => "not a value",
    }
}

/// Why a packet or message was not decoded; none if there is nothing to decode in it.
pub(crate) fn other(reason: &Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::NoValue(error) => no_value(error),
        Reason::Unlikely => "not a value: reads as one by chance",
        Reason::NoPacket(_) => "not a packet of the multiplayer API",
        Reason::NoEnet(error) if error.problem == enet::Problem::UnknownCompression => {
            "an ENet datagram with an unknown compression"
        }
        Reason::NoEnet(_) => "not an ENet datagram",
        Reason::Compressed(Compressed::Unseen) => "compressed, without the messages before it",
        Reason::Compressed(_) => "compressed, and damaged",
        Reason::UnknownStream => "TCP of other programs",
        Reason::NotAskedFor => "not the requested transport",
        Reason::TooManyConnections => "beyond the limit on connections",
        Reason::PeerId(_) => return None,
        Reason::Cut => "captured only in part",
        Reason::Malformed => "malformed packet",
        Reason::UnknownLink(_) => "unknown link type",
        Reason::OtherProtocol(protocol) => protocol.name().unwrap_or("another protocol"),
    })
}
