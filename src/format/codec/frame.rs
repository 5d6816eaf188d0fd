//! A codec for frames of any content.

use super::CodecError;
use crate::write::stream::{DEFAULT_FRAME_LIMIT, Split, append_frame, cut_off, split_frame};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// How many bytes are reserved for a frame before its first bytes arrive.
const FIRST_RESERVE: usize = 64 << 10;

/// Reads and sends frames: bytes after their length, as [`split_frame`] reads them.
///
/// Use it where a frame that is not a value must not end the stream:
///
/// ```
/// # use bytes::BytesMut;
/// # use tokio_util::codec::Decoder;
/// use gdwire::{Dialect, VariantBytes, codec::FrameCodec};
///
/// # let mut received = BytesMut::from(&[4, 0, 0, 0, 99, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0][..]);
/// # let mut codec = FrameCodec::new();
/// # let mut values = Vec::new();
/// while let Some(frame) = codec.decode(&mut received)? {
///     match VariantBytes::parse(Dialect::GODOT_3, frame) {
///         Ok(value) => values.push(value),
///         Err(error) => eprintln!("not a value: {error}"),
///     }
/// }
/// assert_eq!(values.len(), 1);
/// # Ok::<(), gdwire::codec::CodecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrameCodec {
    limit: u32,
    /// How many bytes of the stream have been read, for the offsets of errors.
    passed: usize,
}

impl Default for FrameCodec {
    fn default() -> FrameCodec {
        FrameCodec::new()
    }
}

impl FrameCodec {
    /// Reads and sends frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    #[must_use]
    pub const fn new() -> FrameCodec {
        FrameCodec::with_limit(DEFAULT_FRAME_LIMIT)
    }

    /// Reads and sends frames of up to `limit` bytes. A longer frame is an error as soon as its
    /// length has arrived.
    #[must_use]
    pub const fn with_limit(limit: u32) -> FrameCodec {
        FrameCodec { limit, passed: 0 }
    }

    /// The offset of the next frame in the stream.
    pub(super) const fn passed(&self) -> usize {
        self.passed
    }

    /// The longest frame that is read or sent.
    pub(super) const fn limit(&self) -> u32 {
        self.limit
    }
}

impl Decoder for FrameCodec {
    type Item = Bytes;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, CodecError> {
        let split = split_frame(buffer, self.limit)
            .map_err(|error| CodecError::Frame(error.shifted(self.passed)))?;
        match split {
            Split::Frame { frame, .. } => {
                let length = frame.len();
                let whole = length.saturating_add(4);
                let frame = buffer.split_to(whole).freeze().slice(4..);
                self.passed = self.passed.saturating_add(whole);
                Ok(Some(frame))
            }
            Split::Needed(needed) => {
                // A sender can announce any length, so this reserves no more bytes than
                // have arrived, or 64 KiB.
                buffer.reserve(needed.min(buffer.len().max(FIRST_RESERVE)));
                Ok(None)
            }
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, CodecError> {
        if let Some(frame) = self.decode(buffer)? {
            return Ok(Some(frame));
        }
        let Some(error) = cut_off(buffer, self.limit) else { return Ok(None) };
        let error = error.shifted(self.passed);
        // The error is reported only once.
        self.passed = self.passed.saturating_add(buffer.len());
        buffer.clear();
        Err(CodecError::Frame(error))
    }
}

/// Sends bytes as a frame.
impl<T: AsRef<[u8]>> Encoder<T> for FrameCodec {
    type Error = CodecError;

    fn encode(&mut self, content: T, out: &mut BytesMut) -> Result<(), CodecError> {
        append_frame(out, self.limit, |out| {
            out.extend_from_slice(content.as_ref());
            Ok(())
        })
    }
}
