//! The transports of the engines: bytes in, messages out.
//!
//! Each is usable on its own by whatever has the bytes, a socket or a capture. None knows what a
//! message means.
//!
//! - [`enet`]: what the high-level multiplayer of both engines speaks by default.

pub mod enet;

mod sync;
pub mod tcp;
pub mod websocket;

/// Which end of a connection sent something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end that is called the first: in a capture, who is seen to send first.
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
