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
mod measures;
mod sync;
pub mod tcp;
pub mod websocket;

#[cfg(feature = "report")]
pub(crate) use measures::over_time;
pub use measures::{Measures, RoundTrips};

/// A tag that the caller gives to each segment or datagram, such as the number of its packet. A
/// message that arrived in several of them has a tag that joins theirs.
///
/// For types that can be compared, the greater tag is kept: the number of the last packet, if tags
/// are numbers of packets. A type of your own can keep more:
///
/// ```
/// use gdwire::net::Tag;
///
/// #[derive(Clone, Copy, PartialEq, Debug)]
/// struct Packets {
///     first: u64,
///     last: u64,
/// }
///
/// impl Tag for Packets {
///     fn join(self, other: Packets) -> Packets {
///         Packets { first: self.first.min(other.first), last: self.last.max(other.last) }
///     }
/// }
///
/// let [third, ninth] = [3, 9].map(|number| Packets { first: number, last: number });
/// assert_eq!(third.join(ninth), Packets { first: 3, last: 9 });
/// assert_eq!(3.join(9), 9);
/// ```
pub trait Tag: Copy + PartialEq {
    /// The tag of a message whose parts have these two tags.
    #[must_use]
    fn join(self, other: Self) -> Self;
}

impl<T: Copy + Ord> Tag for T {
    fn join(self, other: T) -> T {
        self.max(other)
    }
}

/// About how many bytes a [`std::collections::BTreeMap`] with this many entries takes at most: its
/// nodes have room for 11 entries, and all but one are at least half full.
pub(crate) const fn tree_bytes<T>(entries: usize) -> usize {
    let nodes = if entries == 0 { 0 } else { (entries / 5).saturating_add(1) };
    nodes.saturating_mul(11 * size_of::<T>() + 32)
}

/// One of the two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end that the caller calls the first. In flows of a capture it is the end with the lower
    /// address and port.
    First,
    /// The other end.
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
