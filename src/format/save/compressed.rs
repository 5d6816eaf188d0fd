//! Compressed files, as `FileAccess.open_compressed` writes them.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `GCPF` |
//! | 4 | the compression: 0 FastLZ, 1 deflate, 2 Zstandard, 3 gzip, 4 Brotli |
//! | 4 | the size of a block, in bytes of content: 4096 |
//! | 4 | the size of the content |
//! | 4 for each block | the compressed size of each block |
//! | | the blocks |
//! | 4 | `GCPF` |
//!
//! All numbers are little-endian. The last block has what is left of the content, which may be
//! nothing.

use super::{Error, FileBytes, Problem};
use crate::format::compression::fastlz;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::{self, Read, Write};

/// The first and the last bytes.
pub(super) const MAGIC: &[u8] = b"GCPF";

/// The size of a block that the engines write.
const BLOCK: usize = 4096;

/// Decompresses a file whose content has at most `limit` bytes.
pub(super) fn read(file: &[u8], limit: usize) -> Result<(Vec<u8>, Compression), Error> {
    let mut bytes = FileBytes::new(file);
    bytes.take(MAGIC.len())?;
    let at = bytes.at;
    let number = bytes.u32()?;
    let compression = Compression::of_number(number)
        .ok_or_else(|| Error::at(at, Problem::UnknownCompression(number)))?;
    let at = bytes.at;
    let size = u64::from(bytes.u32()?);
    let total = u64::from(bytes.u32()?);
    let count = total.checked_div(size).ok_or_else(|| Error::at(at, Problem::NoBlocks))?;
    let blocks = count.saturating_add(1);
    if total > limit as u64 {
        let problem = Problem::TooLong { len: total, limit: limit as u64 };
        return Err(Error::at(at.saturating_add(4), problem));
    }
    let table = bytes.take(usize::try_from(blocks).unwrap_or(usize::MAX).saturating_mul(4))?;
    let mut content = Vec::new();
    for (block, len) in (1..).zip(table.chunks_exact(4)) {
        let len = len.first_chunk().map_or(0, |len| u32::from_le_bytes(*len));
        let (at, before) = (bytes.at, content.len() as u64);
        let input = bytes.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        let expected = size.min(total.saturating_sub(before));
        let most = usize::try_from(expected).unwrap_or(usize::MAX);
        // After content that fills its blocks, the engines write one more block, which is empty and
        // which they do not read.
        if most > 0 {
            decompress(compression, input, most, &mut content).map_err(|reason| {
                let compression = compression.name();
                Error::at(at, Problem::Block { block, blocks, compression, reason })
            })?;
        }
        let len = (content.len() as u64).saturating_sub(before);
        if len < expected {
            return Err(Error::at(at, Problem::ShortBlock { block, blocks, len, expected }));
        }
    }
    let at = bytes.at;
    if bytes.take(MAGIC.len())? != MAGIC {
        return Err(Error::at(at, Problem::NoEnd));
    }
    Ok((content, compression))
}

/// Compresses content.
pub(super) fn write(content: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let total = u32::try_from(content.len()).map_err(too_long)?;
    let (full, last) = content.split_at(content.len() / BLOCK * BLOCK);
    let (mut lengths, mut blocks) = (Vec::new(), Vec::new());
    for block in full.chunks(BLOCK).chain([last]) {
        let start = blocks.len();
        compress(compression, block, &mut blocks)?;
        let len = u32::try_from(blocks.len().saturating_sub(start)).map_err(too_long)?;
        lengths.extend_from_slice(&len.to_le_bytes());
    }
    let mut file = MAGIC.to_vec();
    for number in [compression.number(), BLOCK as u32, total] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    file.extend(lengths);
    file.extend(blocks);
    file.extend_from_slice(MAGIC);
    Ok(file)
}

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
    fn number(self) -> u32 {
        let place = Compression::ALL.iter().position(|it| *it == self);
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(u32::MAX)
    }

    /// The compression with a number.
    fn of_number(number: u32) -> Option<Compression> {
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
fn decompress(
    compression: Compression,
    input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    match compression {
        Compression::FastLz => fastlz::decompress(input, limit, out)
            .map_err(|(at, problem)| format!("{problem} (at byte {at} of the block)")),
        Compression::Deflate => read_limited(ZlibDecoder::new(input), limit, out),
        Compression::Gzip => read_limited(MultiGzDecoder::new(input), limit, out),
        Compression::Brotli => {
            read_limited(brotli_decompressor::Decompressor::new(input, 4096), limit, out)
        }
        Compression::Zstandard => match ruzstd::decoding::StreamingDecoder::new(input) {
            Ok(decoder) => read_limited(decoder, limit, out),
            Err(_) => Err(UNREADABLE.to_owned()),
        },
    }
}

/// Is shown in place of the messages of the crates that decompress, which name parts of their code.
const UNREADABLE: &str = "its data is cut off or damaged";

fn read_limited(decoder: impl Read, limit: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    // One byte more shows that the content is too long.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    decoder.take(most).read_to_end(out).map_err(|_| UNREADABLE.to_owned())?;
    let end = start.saturating_add(limit);
    if out.len() > end {
        out.truncate(end);
        return Err(fastlz::FastLzProblem::TooLong { limit }.to_string());
    }
    Ok(())
}

/// Compresses to the end of `out`. Brotli is not written.
fn compress(compression: Compression, content: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
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
