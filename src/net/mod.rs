//! The transports of the engines: bytes in, messages out.
//!
//! Each is usable on its own by whatever has the bytes, a socket or a capture. None knows what a
//! message means.
//!
//! - [`enet`]: what the high-level multiplayer of both engines speaks by default.
//! - [`tcp`]: streams put in order, and messages behind their length in them.
//! - [`websocket`]: the messages of WebSocket connections, and what Godot 3 puts in front of them.

pub mod enet;

mod sync;
pub mod tcp;
pub mod websocket;

/// How many bytes a [`std::collections::BTreeMap`] takes for so many entries, at most, about: its
/// nodes have room for 11, and all but one are half full.
#[cfg(feature = "capture")]
pub(crate) const fn tree_bytes<T>(entries: usize) -> usize {
    let nodes = if entries == 0 { 0 } else { (entries / 5).saturating_add(1) };
    nodes.saturating_mul(11 * size_of::<T>() + 32)
}

/// Which end of a connection sent something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end that is called the first, by whoever has given the bytes. In what is read from a
    /// capture it is the one with the lesser address and port.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}
