//! Constants of the format that compressing and decompressing share.

/// The engines pad shorter content with zeros to this length before they compress it.
pub(super) const LEAST: usize = 16;

/// The longest distance that the 13 bits hold in level 1. In level 2, the highest value of these
/// bits announces two more bytes, so there the distance is one less.
pub(super) const NEAR: usize = 1 << 13;

/// The two formats of long matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    One,
    Two,
}

impl Level {
    /// The longest distance without further bytes.
    pub(super) const fn near(self) -> usize {
        match self {
            Level::One => NEAR,
            Level::Two => NEAR - 1,
        }
    }
}

/// Why bytes are not FastLZ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("the compressed data ends in the middle of an instruction")]
    End,
    #[error("level {0} is unknown")]
    Level(u8),
    #[error("a match repeats bytes from {distance} bytes back, but there are only {len}")]
    Distance { distance: usize, len: usize },
    #[error("the content is longer than the {limit} bytes that were announced")]
    TooLong { limit: usize },
}
