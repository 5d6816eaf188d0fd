//! What can go wrong with a stream of values.

use crate::encode::EncodeError;
use crate::error::Error;

/// Why a value could not be received or sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The stream itself failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A frame is longer than the limit, or the stream ends within one. The offset is counted
    /// from the start of the stream. It cannot be read on.
    #[error("{0}")]
    Frame(Error),
    /// A frame, or a datagram, is not a value. The offset is counted from the start of the stream,
    /// or of the datagram. The next one can be read.
    #[error("{0}")]
    Value(Error),
    /// The dialect cannot express a value that was to be sent, or it is longer than the limit for
    /// a frame. Nothing of it was sent.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A value was received that is not of the type, or is no value at all; the next one can be
    /// read. Or a type could not be sent, and no part of it was. The offset counts from the start
    /// of the stream, or of the datagram.
    #[cfg(feature = "serde")]
    #[error(transparent)]
    Typed(#[from] crate::typed::Error),
}
