//! A codec for streams of values.

use super::{CodecError, FrameCodec};
use crate::value::ReadOptions;
use crate::write::encode::{Encode, encode_into};
use crate::write::shared::VariantBytes;
use crate::write::stream::{DEFAULT_FRAME_LIMIT, append_frame};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// Reads and sends values after their length, as `PacketPeerStream` and `StreamPeer.put_var` do.
/// For tokio-util's `Framed`.
///
/// Received values are [`VariantBytes`]. Any type that is [`Encode`] can be sent.
///
/// A frame that is not a value is a [`CodecError::Value`]. The codec has already consumed it, so the
/// next frame can be read: `FramedRead` returns `None` once after an error, and continues if it is
/// polled again. With [`FrameCodec`], such a frame is not an error.
#[derive(Clone, Debug)]
pub struct ValueCodec {
    frames: FrameCodec,
    options: ReadOptions,
}

impl ValueCodec {
    /// Reads and sends frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> ValueCodec {
        ValueCodec::with_limit(options, DEFAULT_FRAME_LIMIT)
    }

    /// Reads and sends frames of up to `limit` bytes.
    #[must_use]
    pub fn with_limit(options: impl Into<ReadOptions>, limit: u32) -> ValueCodec {
        ValueCodec { frames: FrameCodec::with_limit(limit), options: options.into() }
    }

    fn value(&self, frame: Option<Bytes>) -> Result<Option<VariantBytes>, CodecError> {
        let Some(frame) = frame else { return Ok(None) };
        let start = self.frames.passed().saturating_sub(frame.len());
        match VariantBytes::parse(self.options, frame) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(CodecError::Value(error.shifted(start))),
        }
    }
}

impl Decoder for ValueCodec {
    type Item = VariantBytes;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<VariantBytes>, CodecError> {
        let frame = self.frames.decode(buffer)?;
        self.value(frame)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<VariantBytes>, CodecError> {
        let frame = self.frames.decode_eof(buffer)?;
        self.value(frame)
    }
}

impl<T: Encode> Encoder<T> for ValueCodec {
    type Error = CodecError;

    fn encode(&mut self, value: T, out: &mut BytesMut) -> Result<(), CodecError> {
        let dialect = self.options.dialect();
        append_frame(out, self.frames.limit(), |out| {
            encode_into(dialect, &value, out)?;
            Ok(())
        })
    }
}
