//! Decides whether a packet that was captured only in part may have been a message of a game.

use super::event::Other;
use crate::net::enet;
use crate::value::detect::readings;
use crate::value::error::Problem;

/// The longest message over TCP that may be a game's, in bytes.
const LONGEST: u32 = 16 << 20;

/// The length of a value's header, which has its type.
const HEADER: usize = 4;

impl Other<'_> {
    /// Whether the bytes can be the beginning of a message: over UDP of a value or an ENet
    /// datagram, over TCP of a frame with a value. None if there are too few bytes to decide, if
    /// they may be a compressed ENet datagram, or if it is not known whether they were sent over
    /// UDP or TCP.
    ///
    /// [`CutPackets`](super::CutPackets) distinguishes packets of a game from those of other programs
    /// by this if a capture has only the [beginnings of packets](super::Reason::Cut). Over UDP, every
    /// datagram is a message; a TCP segment may also start in the middle of one.
    #[must_use]
    pub fn could_be_message(&self) -> Option<bool> {
        let bytes = self.bytes;
        if self.origin?.flow.is_tcp() {
            let (length, value) = bytes.split_first_chunk()?;
            let is_length = u32::from_le_bytes(*length) <= LONGEST;
            return (value.len() >= HEADER).then(|| is_length && starts_value(value, true));
        }
        if bytes.len() < HEADER {
            return None;
        }
        if starts_value(bytes, false) {
            return Some(true);
        }
        match enet::Datagram::parse_cut(bytes) {
            Ok(_) => Some(true),
            // Any datagram looks like this if one bit of its first byte is set.
            Err(error) if error.problem == enet::Problem::Compressed => None,
            Err(_) => Some(false),
        }
    }
}

/// Whether bytes are a value of any dialect, or the beginning of one, as an engine writes it.
fn starts_value(bytes: &[u8], may_go_on: bool) -> bool {
    // The second and fourth byte of a header: engines ignore them, but write zeros.
    let [_, 0, _, 0, ..] = bytes else { return false };
    readings(bytes).any(|reading| match reading {
        Ok(_) => true,
        Err(error) => match error.problem {
            Problem::UnexpectedEnd { .. } => true,
            Problem::TrailingBytes { .. } => may_go_on,
            _ => false,
        },
    })
}
