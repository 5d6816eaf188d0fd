//! Names what was lost, and the reasons why something was not decoded.

use crate::capture::follow::{Cause, Reason};
use crate::net::enet::{self, LossReason, Lost, LostMessage, Mode};
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

/// What was lost, and how many times.
pub(crate) fn lost(cause: &Cause) -> (&'static str, u64) {
    match cause {
        Cause::Cut { .. } => ("packets captured only in part", 1),
        Cause::Fragments(_) => ("parts of IP packets", 1),
        Cause::Enet(LostMessage { lost: Lost::Missing { mode, count }, .. })
            if *mode != Mode::Reliable =>
        {
            ("unreliable ENet messages", u64::from(*count))
        }
        Cause::Enet(LostMessage { lost, reason: LossReason::Unacknowledged, .. }) => {
            ("reliable ENet messages that were not delivered", u64::from(lost.count()))
        }
        Cause::Enet(_) => ("ENet messages", 1),
        Cause::Stream { .. } => ("parts of TCP streams", 1),
        Cause::Flow => ("states of flows, limit reached", 1),
        Cause::Connections { .. } => ("the rest of connections, limit reached", 1),
        Cause::Names => ("node names, limit reached", 1),
        Cause::Queue { count } => ("messages beyond the limit of one packet", *count),
    }
}
