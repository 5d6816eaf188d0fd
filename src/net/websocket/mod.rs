//! Reads the messages of WebSocket connections (RFC 6455), one direction at a time.
//!
//! ```
//! use gdwire::net::tcp::Piece;
//! use gdwire::net::websocket::{StreamEvent, Stream};
//!
//! let mut stream = Stream::new(1 << 20);
//! let mut messages = 0;
//! let request = b"GET /game HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
//!     Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
//! // A binary message from a client: its payload is masked.
//! let frame = [0x82, 0x82, 1, 2, 3, 4, 0x64, 0x66];
//! let after_request = request.len() as u64;
//! for piece in [
//!     Piece::Start,
//!     Piece::Data { tag: (), offset: 0, payload: request },
//!     Piece::Data { tag: (), offset: after_request, payload: &frame },
//! ] {
//!     stream.push(piece, &mut |event| match event {
//!         StreamEvent::Handshake(handshake) => println!("{handshake:?}"),
//!         StreamEvent::Message { payload, .. } => {
//!             assert_eq!(payload, b"ed");
//!             messages += 1;
//!         }
//!         other => println!("{other:?}"),
//!     });
//! }
//! assert_eq!(messages, 1);
//! ```
//!
//! Fragmented messages are reassembled, and compressed ones are decompressed (RFC 7692).

pub mod godot;
mod inflate;
mod stream;
mod wire;

pub use inflate::Compressed;
pub(crate) use stream::TakeStreamEvents;
pub use stream::{Control, Stream, StreamEvent, are_frames};
pub(crate) use wire::{FrameHeader, HeaderRead, Opcode, unmask};
pub use wire::{Handshake, is_handshake};

use inflate::{InflateFailure, MessageInflate};
use wire::{CONTROL, LONGEST_HEAD, copy_unmasked, head_end};
