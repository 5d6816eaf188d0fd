//! The header of a datagram.

/// The peer id that stands for a receiver whose peer id is not known yet.
pub const UNASSIGNED_PEER: u16 = 0xfff;

/// The header of a datagram, before its commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// The sender's index among the receiver's peers, 12 bits, or [`UNASSIGNED_PEER`].
    pub peer: u16,
    /// The number of the session between the two peers, 2 bits.
    pub session: u8,
    /// Whether the commands were compressed.
    pub is_compressed: bool,
    /// The low 16 bits of the sender's clock, in milliseconds.
    pub sent_time: Option<u16>,
}
