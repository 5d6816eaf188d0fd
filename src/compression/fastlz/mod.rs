//! FastLZ, the compression that Godot uses by default for files and packets.
//!
//! Compressed bytes are a row of instructions. The top three bits of an instruction's first byte
//! say what it is:
//!
//! | top bits | instruction |
//! |---|---|
//! | 0 | literals: as many bytes follow as the other five bits say, plus 1 |
//! | 1 to 6 | a match of 3 to 8 bytes: repeats bytes that were written before |
//! | 7 | a longer match |
//!
//! A match has 13 bits for its distance. Two levels differ in long matches: level 1 has one byte
//! for the length, and level 2 any number; level 2 also has a form for distances up to 73,726. The
//! top bits of the very first byte, which begins literals, name the level instead.

#[cfg(feature = "save")]
mod compress;
mod decompress;

#[cfg(feature = "save")]
pub(crate) use compress::compress;
pub(crate) use decompress::decompress;

/// The engines pad shorter content with zeros to this length before they compress it.
const LEAST: usize = 16;

/// The longest distance that the 13 bits hold in level 1. In level 2, the highest value of these
/// bits announces two more bytes, so there the distance is one less.
const NEAR: usize = 1 << 13;

/// The two formats of long matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    One,
    Two,
}

impl Level {
    /// The longest distance without further bytes.
    const fn near(self) -> usize {
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
