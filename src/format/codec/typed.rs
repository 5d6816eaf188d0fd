//! Codecs for your own types, over streams and in datagrams.

use super::{CodecError, FrameCodec};
use crate::format::typed::{from_slice, write};
use crate::value::ReadOptions;
use crate::write::stream::{DEFAULT_FRAME_LIMIT, append_frame};
use bytes::{Bytes, BytesMut};
use core::marker::PhantomData;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::codec::{Decoder, Encoder};

/// Reads frames as the type `T`, and sends any type. For tokio-util's `Framed`.
///
/// ```
/// use futures_util::{SinkExt, StreamExt};
/// use gdwire::{Dialect, codec::{CodecError, TypedCodec}};
/// use serde::{Deserialize, Serialize};
/// use tokio::net::TcpStream;
/// use tokio_util::codec::Framed;
///
/// #[derive(Serialize, Deserialize)]
/// enum Request {
///     Join { name: String },
///     Leave,
/// }
///
/// #[derive(Serialize, Deserialize)]
/// struct Answer {
///     players: u32,
/// }
///
/// async fn serve(stream: TcpStream) -> Result<(), CodecError> {
///     let mut players = 0;
///     let mut requests = Framed::new(stream, TypedCodec::<Request>::new(Dialect::GODOT_4));
///     while let Some(request) = requests.next().await {
///         match request? {
///             Request::Join { name } => println!("{name} joins"),
///             Request::Leave => break,
///         }
///         players += 1;
///         requests.send(Answer { players }).await?;
///     }
///     Ok(())
/// }
/// # async fn check() -> Result<(), Box<dyn std::error::Error>> {
/// #     let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// #     let game = TcpStream::connect(listener.local_addr()?).await?;
/// #     let server = tokio::spawn(serve(listener.accept().await?.0));
/// #     let mut game = Framed::new(game, TypedCodec::<Answer>::new(Dialect::GODOT_4));
/// #     game.send(Request::Join { name: "player_one".into() }).await?;
/// #     assert_eq!(game.next().await.ok_or("no answer")??.players, 1);
/// #     game.send(Request::Leave).await?;
/// #     Ok(server.await??)
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(check()).unwrap();
/// ```
///
/// A frame that is not a `T` is a [`CodecError::Typed`]. The codec has already consumed it, so the
/// next frame can be read. [`ValueCodec`](super::ValueCodec) explains how to continue with
/// `FramedRead`.
#[derive(Clone, Debug)]
pub struct TypedCodec<T> {
    frames: FrameCodec,
    options: ReadOptions,
    item: PhantomData<fn() -> T>,
}

impl<T> TypedCodec<T> {
    /// Reads and sends frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> TypedCodec<T> {
        TypedCodec::with_limit(options, DEFAULT_FRAME_LIMIT)
    }

    /// Reads and sends frames of up to `limit` bytes.
    #[must_use]
    pub fn with_limit(options: impl Into<ReadOptions>, limit: u32) -> TypedCodec<T> {
        let frames = FrameCodec::with_limit(limit);
        TypedCodec { frames, options: options.into(), item: PhantomData }
    }
}

impl<T: DeserializeOwned> TypedCodec<T> {
    fn item(&self, frame: Option<Bytes>) -> Result<Option<T>, CodecError> {
        let Some(frame) = frame else { return Ok(None) };
        let start = self.frames.passed().saturating_sub(frame.len());
        from_slice(self.options, &frame)
            .map(Some)
            .map_err(|error| CodecError::Typed(error.shifted(start)))
    }
}

impl<T: DeserializeOwned> Decoder for TypedCodec<T> {
    type Item = T;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<T>, CodecError> {
        let frame = self.frames.decode(buffer)?;
        self.item(frame)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<T>, CodecError> {
        let frame = self.frames.decode_eof(buffer)?;
        self.item(frame)
    }
}

impl<T, U: Serialize> Encoder<U> for TypedCodec<T> {
    type Error = CodecError;

    fn encode(&mut self, value: U, out: &mut BytesMut) -> Result<(), CodecError> {
        let dialect = self.options.dialect();
        append_frame(out, self.frames.limit(), |out| Ok(write(dialect, &value, out).map(drop)?))
    }
}

/// Reads datagrams as the type `T`, and sends any type. For tokio-util's `UdpFramed`.
///
/// ```
/// # use bytes::BytesMut;
/// # use tokio_util::codec::{Decoder, Encoder};
/// use gdwire::{Dialect, codec::TypedDatagramCodec};
///
/// let mut codec = TypedDatagramCodec::<(String, u32)>::new(Dialect::GODOT_3);
/// let mut datagram = BytesMut::new();
/// codec.encode(("arrow", 20), &mut datagram)?;
/// assert_eq!(codec.decode_eof(&mut datagram)?, Some(("arrow".to_string(), 20)));
/// # Ok::<(), gdwire::codec::CodecError>(())
/// ```
///
/// A datagram that is not a `T` is a [`CodecError::Typed`], and the next one can be read. Empty
/// datagrams are skipped: no engine sends one for a value.
#[derive(Clone, Debug)]
pub struct TypedDatagramCodec<T> {
    options: ReadOptions,
    item: PhantomData<fn() -> T>,
}

impl<T> TypedDatagramCodec<T> {
    /// Reads and sends values of a dialect. With [`ReadOptions`], it also limits the depth of
    /// received values.
    #[must_use]
    pub fn new(options: impl Into<ReadOptions>) -> TypedDatagramCodec<T> {
        TypedDatagramCodec { options: options.into(), item: PhantomData }
    }
}

impl<T: DeserializeOwned> Decoder for TypedDatagramCodec<T> {
    type Item = T;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<T>, CodecError> {
        if buffer.is_empty() {
            return Ok(None);
        }
        let item = from_slice(self.options, buffer);
        buffer.clear();
        Ok(Some(item?))
    }
}

impl<T, U: Serialize> Encoder<U> for TypedDatagramCodec<T> {
    type Error = CodecError;

    fn encode(&mut self, value: U, out: &mut BytesMut) -> Result<(), CodecError> {
        let start = out.len();
        if let Err(error) = write(self.options.dialect(), &value, &mut *out) {
            out.truncate(start);
            return Err(error.into());
        }
        Ok(())
    }
}
