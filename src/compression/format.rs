//! The formats of compressed streams, and their first bytes.

use core::fmt;

/// A format of compressed streams.
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

impl Format {
    /// The format of a stream with these first bytes, four of which are enough. A skippable frame,
    /// which Zstandard and LZ4 have in common, counts as Zstandard.
    #[must_use]
    pub fn of(start: &[u8]) -> Option<Format> {
        match start {
            // Deflate, the only method there is; the highest bits of the flags are reserved.
            [0x1f, 0x8b, 8, 0..0x20, ..] => Some(Format::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Format::Zstandard),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Format::Lz4),
            start if is_skippable(start) => Some(Format::Zstandard),
            _ => None,
        }
    }

    /// Whether bytes that are not known yet decide about the format.
    pub(super) const fn is_open(start: &[u8]) -> bool {
        matches!(
            start,
            [] | [0x1f]
                | [0x1f, 0x8b]
                | [0x1f, 0x8b, 8]
                | [0x28]
                | [0x28, 0xb5]
                | [0x28, 0xb5, 0x2f]
                | [0x04]
                | [0x04, 0x22]
                | [0x04, 0x22, 0x4d]
                | [0x50..0x60]
                | [0x50..0x60, 0x2a]
                | [0x50..0x60, 0x2a, 0x4d]
        )
    }
}

/// Whether a frame without content begins here.
pub(super) const fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..0x60, 0x2a, 0x4d, 0x18, ..])
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
