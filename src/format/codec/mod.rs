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

mod datagram;
mod error;
mod frame;
#[cfg(feature = "serde")]
mod typed;
mod value;

pub use datagram::DatagramCodec;
pub use error::CodecError;
pub use frame::FrameCodec;
#[cfg(feature = "serde")]
pub use typed::{TypedCodec, TypedDatagramCodec};
pub use value::ValueCodec;
