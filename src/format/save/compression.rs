//! The compression modes of save files.

use crate::format::compression::fastlz;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{self, Read, Write};

/// A compression mode of Godot's `FileAccess.open_compressed`: one of `FileAccess.CompressionMode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Compression {
    /// FastLZ, the default of the engines.
    FastLz,
    /// Deflate, in the zlib format.
    Deflate,
    /// Zstandard.
    Zstandard,
    /// Deflate, in the gzip format.
    Gzip,
    /// Brotli, which the engines read but do not write.
    Brotli,
}

impl Compression {
    /// All modes, in the order of their numbers.
    pub const ALL: &'static [Compression] = &[
        Compression::FastLz,
        Compression::Deflate,
        Compression::Zstandard,
        Compression::Gzip,
        Compression::Brotli,
    ];

    /// Its number in the header of a compressed file.
    pub(super) fn number(self) -> u32 {
        let place = Compression::ALL.iter().position(|it| *it == self);
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
    }

    /// The compression with a number.
    pub(super) fn of_number(number: u32) -> Option<Compression> {
        Compression::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Its name, such as `zstd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Compression::FastLz => "fastlz",
            Compression::Deflate => "deflate",
            Compression::Zstandard => "zstd",
            Compression::Gzip => "gzip",
            Compression::Brotli => "brotli",
        }
    }
}

/// Decompresses to the end of `out`, at most `limit` bytes.
///
/// # Errors
///
/// The problem in the compressed bytes. `out` keeps the content before it.
pub(super) fn decompress(
    compression: Compression,
    input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    match compression {
        Compression::FastLz => fastlz::decompress(input, limit, out)
            .map_err(|(at, problem)| format!("{problem} (at byte {at} of the block)")),
        Compression::Deflate => read(ZlibDecoder::new(input), limit, out),
        Compression::Gzip => read(MultiGzDecoder::new(input), limit, out),
        Compression::Brotli => {
            read(brotli_decompressor::Decompressor::new(input, 4096), limit, out)
        }
        Compression::Zstandard => match ruzstd::decoding::StreamingDecoder::new(input) {
            Ok(decoder) => read(decoder, limit, out),
            Err(error) => Err(error.to_string()),
        },
    }
}

fn read(decoder: impl Read, limit: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    // One byte more shows that the content is too long.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    decoder.take(most).read_to_end(out).map_err(|error| error.to_string())?;
    let end = start.saturating_add(limit);
    if out.len() > end {
        out.truncate(end);
        return Err(fastlz::Problem::TooLong { limit }.to_string());
    }
    Ok(())
}

/// Compresses to the end of `out`. Brotli is not written.
pub(super) fn compress(
    compression: Compression,
    content: &[u8],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    match compression {
        Compression::FastLz => fastlz::compress(content, out),
        Compression::Deflate => {
            let mut encoder = ZlibEncoder::new(out, flate2::Compression::default());
            encoder.write_all(content)?;
            encoder.finish()?;
        }
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(out, flate2::Compression::default());
            encoder.write_all(content)?;
            encoder.finish()?;
        }
        Compression::Zstandard => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            ruzstd::encoding::compress(content, out, level);
        }
        Compression::Brotli => return Err(io::ErrorKind::Unsupported.into()),
    }
    Ok(())
}
