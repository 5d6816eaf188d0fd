//! Codecs for tokio-util: values over streams and in datagrams.
//!
//! A TCP server for games with `PacketPeerStream`, or with `StreamPeer.put_var` and `get_var`:
//!
//! ```
//! use futures_util::{SinkExt, StreamExt};
//! use gdwire::{Dialect, codec::{CodecError, ValueCodec}, variant};
//! use tokio::net::TcpStream;
//! use tokio_util::codec::Framed;
//!
//! async fn serve(stream: TcpStream) -> Result<(), CodecError> {
//!     let mut values = Framed::new(stream, ValueCodec::new(Dialect::GODOT_3));
//!     while let Some(value) = values.next().await {
//!         let value = value?;
//!         let name = value.view().get("name").and_then(|name| name.as_str()).unwrap_or("you");
//!         values.send(variant!({ "hello": name })).await?;
//!     }
//!     Ok(())
//! }
//! # async fn check() -> Result<(), Box<dyn std::error::Error>> {
//! #     let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! #     let game = TcpStream::connect(listener.local_addr()?).await?;
//! #     let server = tokio::spawn(serve(listener.accept().await?.0));
//! #     let mut game = Framed::new(game, ValueCodec::new(Dialect::GODOT_3));
//! #     game.send(variant!({ "name": "player_one" })).await?;
//! #     let answer = game.next().await.ok_or("no answer")??;
//! #     assert_eq!(answer.view().get("hello").and_then(|name| name.as_str()), Some("player_one"));
//! #     drop(game);
//! #     Ok(server.await??)
//! # }
//! # tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(check()).unwrap();
//! ```
//!
//! | codec | one item is | for |
//! |---|---|---|
//! | [`ValueCodec`] | a value after its length | `Framed` over TCP |
//! | [`DatagramCodec`] | a value | `UdpFramed` |
//! | [`FrameCodec`] | the bytes of a frame, which you parse yourself | `Framed` over TCP |
#![cfg_attr(
    feature = "serde",
    doc = "| [`TypedCodec`] | a type of your own after its length | `Framed` over TCP |\n\
           | [`TypedDatagramCodec`] | a type of your own | `UdpFramed` |"
)]
#![cfg_attr(
    not(feature = "serde"),
    doc = "| `TypedCodec`, `TypedDatagramCodec` | a type of your own | the same, with the feature `serde` |"
)]
//!
//! A frame that is not a value is an error. `FramedRead` returns `None` after an error, which ends
//! a `while let` loop. [`FrameCodec`] lets you continue after such a frame.
//!
//! Received values and frames share the buffer of the stream and are not copied.

#[cfg(feature = "serde")]
mod typed;

#[cfg(feature = "serde")]
pub use typed::{TypedCodec, TypedDatagramCodec};

use crate::value::{Error, ReadOptions};
use crate::write::encode::{Encode, EncodeError, encode_into};
use crate::write::shared::VariantBytes;
use crate::write::stream::{DEFAULT_FRAME_LIMIT, Split, append_frame, cut_off, split_frame};
use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// Reads and sends datagrams of one value each, as `PacketPeerUDP.put_var` does: for tokio-util's
/// `UdpFramed`.
///
/// ```
/// # use bytes::BytesMut;
/// # use tokio_util::codec::{Decoder, Encoder};
/// use gdwire::{Dialect, codec::DatagramCodec};
///
/// let mut codec = DatagramCodec::new(Dialect::GODOT_3);
/// let mut datagram = BytesMut::new();
/// codec.encode("hi", &mut datagram)?;
/// let value = codec.decode_eof(&mut datagram)?;
/// assert_eq!(value.as_ref().and_then(|value| value.view().as_str()), Some("hi"));
/// # Ok::<(), gdwire::codec::CodecError>(())
/// ```
///
/// A datagram that is not a value is a [`CodecError::Value`], and the next one can be read. Empty
/// datagrams are skipped: no engine sends one for a value. A received value is a copy. Otherwise it
/// would keep the buffer of 64 KiB in memory that `UdpFramed` receives in.
#[derive(Clone, Debug)]
pub struct DatagramCodec {
    options: ReadOptions,
}

impl DatagramCodec {
    /// Reads and sends values of a dialect. With [`ReadOptions`], it also limits the depth of
    /// received values.
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> DatagramCodec {
        DatagramCodec { options: options.into() }
    }
}

impl Decoder for DatagramCodec {
    type Item = VariantBytes;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<VariantBytes>, CodecError> {
        if buffer.is_empty() {
            return Ok(None);
        }
        let datagram = Bytes::copy_from_slice(buffer);
        buffer.clear();
        VariantBytes::parse(self.options, datagram).map(Some).map_err(CodecError::Value)
    }
}

impl<T: Encode> Encoder<T> for DatagramCodec {
    type Error = CodecError;

    fn encode(&mut self, value: T, out: &mut BytesMut) -> Result<(), CodecError> {
        let start = out.len();
        if let Err(error) = encode_into(self.options.dialect(), &value, &mut *out) {
            out.truncate(start);
            return Err(error.into());
        }
        Ok(())
    }
}

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
    const fn passed(&self) -> usize {
        self.passed
    }

    /// The longest frame that is read or sent.
    const fn limit(&self) -> u32 {
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
