//! The errors in compressed data.

use super::format::Format;
use alloc::string::{String, ToString};
use core::fmt;
use std::io;

/// Why compressed data cannot be decompressed, and where.
///
/// [`Decompressor`](super::Decompressor) returns it inside an [`io::Error`] of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData); [`io::Error::get_ref`] gets it back.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[error("{format} data: {problem} (at byte {offset}, after {decompressed} decompressed bytes)")]
pub struct Error {
    /// The format of the data.
    pub format: Format,
    /// The offset in bytes in the compressed stream. For Zstandard and LZ4, the damaged block begins
    /// there.
    pub offset: u64,
    /// The number of bytes that were decompressed before the error.
    pub decompressed: u64,
    /// The error at this place.
    pub problem: Problem,
}

/// An error in compressed data.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The stream ends too early.
    #[error("cut off")]
    Cut,
    /// The data cannot be decompressed; the text says why.
    #[error("damaged: {0}")]
    Damaged(String),
    /// The content is not the one that was compressed.
    #[error("the checksum of the content is wrong")]
    Checksum,
    /// Decompressing needs more memory than is allowed.
    #[error("decompressing needs a window of {needed} bytes, more than the limit of {limit}")]
    Window {
        /// The size of the window, in bytes.
        needed: u64,
        /// The largest size that is allowed, in bytes.
        limit: u64,
    },
    /// Other data follows the compressed data.
    #[error("what follows is not compressed")]
    Trailing,
}

/// Why decompressing stops.
pub(super) enum Stop {
    /// The stream cannot be read now. The decompressor can go on later.
    Io(io::Error),
    Problem(Problem),
}

impl Stop {
    pub(super) fn damaged(reason: &impl fmt::Display) -> Stop {
        Stop::Problem(Problem::Damaged(reason.to_string()))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}
