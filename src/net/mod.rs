//! The transports of the engines: bytes in, messages out.
//!
//! Each module works on its own, on bytes from a capture or from a socket. None of them interprets
//! the messages.
//!
//! - [`enet`]: the default transport of the high-level multiplayer API.
//! - [`tcp`]: reassembles TCP streams and splits them into length-prefixed messages.
//! - [`websocket`]: reads the messages of WebSocket connections, and the header that Godot 3 puts
//!   in front of them.

pub mod enet;
mod heap;
mod measures;
mod side;
mod sync;
mod tag;
pub mod tcp;
pub mod websocket;

pub(crate) use heap::{taken, tree_bytes};
#[cfg(feature = "report")]
pub(crate) use measures::over_time;
pub use measures::{Measures, RoundTrips};
pub use side::Side;
pub use tag::{Between, Tag};
