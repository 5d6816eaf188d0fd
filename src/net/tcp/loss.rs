//! Why bytes of a stream are lost.

use core::fmt;

/// Why bytes of a stream are not delivered as a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum LossReason {
    /// The capture does not have them: a [`Piece::Gap`](super::Piece::Gap).
    Missing,
    /// Another part of their message is missing.
    Broken,
    /// The stream, or the capture, ended within their message.
    Unfinished,
    /// They follow a gap, and it is not certain where the next message starts.
    Unsynchronized,
    /// The length of a message exceeds the limit. The next message is searched for after it.
    TooLong {
        /// The length, in bytes. A compressed message is decompressed up to the limit, so it may be
        /// longer.
        len: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A header is invalid. The next message is searched for after it.
    Malformed,
    /// They were captured too late: a [`Piece::Late`](super::Piece::Late). They no longer have a
    /// place in the stream, so their offset is given as 0.
    Late,
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossReason::Missing => f.write_str("not in the capture"),
            LossReason::Broken => f.write_str("another part of their message is missing"),
            LossReason::Unfinished => f.write_str("an incomplete message at the end of the stream"),
            LossReason::Unsynchronized => {
                f.write_str("skipped, because it is not certain where the next message starts")
            }
            LossReason::TooLong { len, limit } => {
                write!(f, "a message of {len} bytes exceeds the limit of {limit}")
            }
            LossReason::Malformed => f.write_str("the header is invalid"),
            LossReason::Late => f.write_str("captured too late"),
        }
    }
}
