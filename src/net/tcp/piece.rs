//! The pieces of a stream, in order.

use crate::net::Between;
use core::fmt;

/// The next piece of a stream, from a [`Reassembler`](super::Reassembler).
///
/// Offsets count from the stream's first byte, or from the first one that was seen if the capture
/// began later. [`Piece::Data`] and [`Piece::Gap`] together cover every byte of the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece<'a, T = ()> {
    /// A SYN was seen: a stream begins here, at offset 0, and the stream before it is over. If the
    /// first piece of all is not a `Start`, the stream is seen from its middle on.
    Start,
    /// Bytes of the stream: one segment, or a part of one.
    Data {
        /// The tag of that segment. It is not always the latest one, because a segment may be held
        /// back.
        tag: T,
        /// Their offset in the stream.
        offset: u64,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Bytes of the stream that were not captured, or were captured too late.
    Gap {
        /// Their offset in the stream.
        offset: u64,
        /// How many bytes.
        bytes: u64,
        /// Why they are no longer waited for.
        reason: GapReason,
        /// The segments with the bytes before and after them.
        between: &'a Between<T>,
    },
    /// Bytes before offset 0, or so far from the stream that they cannot belong to it.
    Late {
        /// How many bytes.
        bytes: u64,
    },
    /// The stream is over, unless more of it follows: its end may be forged.
    End(End),
}

impl<T: fmt::Debug> fmt::Debug for Piece<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Start => f.write_str("Start"),
            Piece::Data { tag, offset, payload } => {
                debug_fields!(f, Data { tag, offset, len = payload.len() })
            }
            Piece::Gap { offset, bytes, reason, between } => {
                debug_fields!(f, Gap { offset, bytes, reason, between })
            }
            Piece::Late { bytes } => f.debug_struct("Late").field("bytes", bytes).finish(),
            Piece::End(end) => f.debug_tuple("End").field(end).finish(),
        }
    }
}

/// Why the bytes of a gap are no longer waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GapReason {
    /// The other end acknowledged them, and they were not seen for some packets after that.
    Acknowledged,
    /// The capture has only the start of their segment, and the other end acknowledged it.
    Cut,
    /// The limit for segments that are held back was reached.
    Limit,
    /// The input ended, or another stream began.
    Finished,
}

/// How a stream ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// With a FIN: the sender had nothing more to send.
    Fin,
    /// With a RST: the sender aborted the connection.
    Reset,
}
