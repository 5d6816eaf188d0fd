//! The transports of the engines: bytes in, messages out.
//!
//! Each module works on its own, on bytes from a capture or from a socket. None of them interprets
//! the messages.
//!
//! - [`enet`]: the default transport of the high-level multiplayer API.
//! - [`tcp`]: reassembles TCP streams and splits them into length-prefixed messages.
//! - [`websocket`]: reads the messages of WebSocket connections, and the header that Godot 3 puts
//!   in front of them.

#[cfg(feature = "net")]
pub mod enet;
#[cfg(feature = "net")]
mod heap;
#[cfg(feature = "net")]
#[doc(hidden)]
pub mod measure;
#[cfg(feature = "net")]
mod measures;
#[cfg(feature = "capture")]
#[doc(hidden)]
pub mod packet;
pub(crate) mod peer;
#[cfg(feature = "net")]
mod side;
#[cfg(feature = "net")]
mod sync;
#[cfg(feature = "net")]
mod tag;
#[cfg(feature = "net")]
pub mod tcp;
#[cfg(feature = "net")]
pub mod websocket;

#[cfg(feature = "net")]
pub(crate) use heap::{taken, tree_bytes};
#[cfg(feature = "report")]
pub(crate) use measures::over_time;
#[cfg(feature = "net")]
pub use measures::{Measures, RoundTrips};
#[cfg(feature = "net")]
pub use side::Side;
#[cfg(feature = "net")]
pub use tag::{Between, Tag};
