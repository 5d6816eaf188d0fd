//! Errors of the codecs.

use crate::value::Error;
use crate::write::encode::EncodeError;

/// The reason why a value could not be received or sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The stream or socket failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A frame is longer than the limit, or the stream ends inside a frame. The offset counts from
    /// the start of the stream. Nothing more can be read from the stream.
    #[error("{0}")]
    Frame(Error),
    /// A frame or a datagram is not a value. The offset counts from the start of the stream or of
    /// the datagram. The next one can be read.
    #[error("{0}")]
    Value(Error),
    /// A value cannot be sent: the dialect cannot express it, or it is longer than the limit for a
    /// frame. No part of it was sent.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A received frame or datagram does not fit the type; the next one can be read. Or a type
    /// cannot be sent; no part of it was sent. The offset counts from the start of the stream or of
    /// the datagram.
    #[cfg(feature = "serde")]
    #[error(transparent)]
    Typed(#[from] crate::format::typed::Error),
}
