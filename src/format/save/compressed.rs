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

use super::bytes::Bytes;
use super::compression::{self, Compression};
use super::error::{Error, Problem};
use alloc::vec::Vec;
use std::io;

/// The first and the last bytes.
pub(super) const MAGIC: &[u8] = b"GCPF";

/// The size of a block that the engines write.
const BLOCK: usize = 4096;

/// Decompresses a file whose content has at most `limit` bytes.
pub(super) fn read(file: &[u8], limit: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Bytes::new(file);
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
            compression::decompress(compression, input, most, &mut content).map_err(|reason| {
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
    Ok(content)
}

/// Compresses content.
pub(super) fn write(content: &[u8], compression: Compression) -> io::Result<Vec<u8>> {
    let too_long = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let total = u32::try_from(content.len()).map_err(too_long)?;
    let (full, last) = content.split_at(content.len() / BLOCK * BLOCK);
    let (mut lengths, mut blocks) = (Vec::new(), Vec::new());
    for block in full.chunks(BLOCK).chain([last]) {
        let start = blocks.len();
        compression::compress(compression, block, &mut blocks)?;
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
