//! The transports of the engines: bytes in, messages out.
//!
//! Each module works on its own, on bytes from a capture or from a socket. None of them interprets
//! the messages.
//!
//! - [`enet`]: the default transport of the high-level multiplayer API.
//! - [`tcp`]: reassembles TCP streams and splits them into length-prefixed messages.
//! - [`conditions`]: what a bad network does to datagrams.
//! - [`websocket`]: reads the messages of WebSocket connections, and the header that Godot 3 puts
//!   in front of them.

#![allow(unreachable_pub, reason = "in a private module, `pub` reaches no further than the module")]

#[cfg(feature = "capture")]
pub mod conditions;
#[cfg(feature = "capture")]
pub mod enet;
#[cfg(feature = "capture")]
pub(crate) mod measure;
#[cfg(feature = "capture")]
mod measures;
#[cfg(feature = "capture")]
pub(crate) mod packet;
pub(crate) mod peer;
#[cfg(feature = "capture")]
mod shared;
#[cfg(feature = "capture")]
mod sync;
#[cfg(feature = "capture")]
pub mod tcp;
#[cfg(feature = "capture")]
pub mod websocket;

#[cfg(feature = "report")]
pub(crate) use measures::{INTERVAL, INTERVALS, over_time};
#[cfg(feature = "capture")]
pub use measures::{Measures, RoundTrips};
#[cfg(feature = "capture")]
pub use shared::{Between, Side, Tag};
#[cfg(feature = "capture")]
pub(crate) use shared::{taken, tree_bytes};
