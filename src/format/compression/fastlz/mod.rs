//! FastLZ, the compression that Godot uses by default for files and packets.
//!
//! Compressed data is a sequence of instructions. The top three bits of an instruction's first byte
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
mod format;

#[cfg(feature = "save")]
pub(crate) use compress::compress;
pub(crate) use decompress::decompress;
#[cfg(feature = "save")]
pub(crate) use format::Problem;
