//! Values over tokio's streams and datagrams.
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
//! - [`ValueCodec`]: a stream of values behind their length. A frame that is no value is an
//!   error, after which `FramedRead` ends, as `while let` sees it.
//! - [`FrameCodec`]: a stream of frames, to be parsed by the caller, who can go on behind a frame
//!   that is no value.
//! - [`DatagramCodec`]: for `UdpFramed`, one value a datagram.
//!
//! Types of your own, with the feature `serde`, are the contents of frames: [`FrameCodec`] sends
//! what `gdwire::to_vec` gives, and `gdwire::from_slice` reads what it receives.
//!
//! What is received shares the buffer that it was received in, without a copy.

mod datagram;
mod error;
mod frame;
mod value;

pub use datagram::DatagramCodec;
pub use error::CodecError;
pub use frame::FrameCodec;
pub use value::ValueCodec;
