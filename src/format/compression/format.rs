//! The formats of compressed streams, and their first bytes.

use core::fmt;
use core::ops::RangeInclusive;

/// A format of compressed streams.
///
/// ```
/// use gdwire::compression::Format;
///
/// assert_eq!(Format::of(&[0x28, 0xb5, 0x2f, 0xfd]), Some(Format::Zstandard));
/// assert_eq!(Format::of(b"plain text"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Gzip, as `gzip` writes it (RFC 1952).
    Gzip,
    /// Zstandard, as `zstd` writes it (RFC 8878).
    Zstandard,
    /// Frames of LZ4, as `lz4` writes them.
    Lz4,
}

/// The first bytes of a frame.
type Start = &'static [RangeInclusive<u8>];

/// Each format with the first bytes of its frames.
const STARTS: [(Format, Start); 4] = [
    // Deflate, the only method there is; the highest bits of the flags are reserved.
    (Format::Gzip, &[0x1f..=0x1f, 0x8b..=0x8b, 8..=8, 0..=0x1f]),
    (Format::Zstandard, &[0x28..=0x28, 0xb5..=0xb5, 0x2f..=0x2f, 0xfd..=0xfd]),
    (Format::Lz4, &[0x04..=0x04, 0x22..=0x22, 0x4d..=0x4d, 0x18..=0x18]),
    (Format::Zstandard, SKIPPABLE),
];

/// The first bytes of a frame without content.
const SKIPPABLE: Start = &[0x50..=0x5f, 0x2a..=0x2a, 0x4d..=0x4d, 0x18..=0x18];

impl Format {
    /// The format of a stream with these first bytes, four of which are enough. A skippable frame,
    /// which Zstandard and LZ4 have in common, counts as Zstandard.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let known = STARTS.iter().find(|(_, start)| begins(bytes, start));
        known.map(|(format, _)| *format)
    }

    /// Whether the format depends on bytes that are not known yet.
    pub(super) fn is_open(bytes: &[u8]) -> bool {
        let is_open = |start: Start| bytes.len() < start.len() && agrees(bytes, start);
        STARTS.iter().any(|(_, start)| is_open(start))
    }
}

/// Whether a frame without content begins here.
pub(super) fn is_skippable(bytes: &[u8]) -> bool {
    begins(bytes, SKIPPABLE)
}

fn begins(bytes: &[u8], start: Start) -> bool {
    bytes.len() >= start.len() && agrees(bytes, start)
}

/// Whether the bytes agree with a start, as far as both go.
fn agrees(bytes: &[u8], start: Start) -> bool {
    bytes.iter().zip(start).all(|(byte, possible)| possible.contains(byte))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gzip => "gzip",
            Format::Zstandard => "Zstandard",
            Format::Lz4 => "LZ4",
        })
    }
}
