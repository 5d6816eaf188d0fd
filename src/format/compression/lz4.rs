//! Decompresses frames of LZ4.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | 0x184D2204 |
//! | 1 | flags: version, independent blocks, checksums, size, dictionary |
//! | 1 | the largest size of a block |
//! | 8, 4 | the size of the content, the number of a dictionary, if the flags say so |
//! | 1 | a checksum of the header |
//! | | blocks: each with 4 bytes for its length and, if the flags say so, a checksum |
//! | 4 | the length 0, which ends the blocks |
//! | 4 | a checksum of the content, if the flags say so |
//!
//! All numbers are little-endian. The highest bit of a length says that the block is not compressed.

use super::error::{Problem, Stop};
use super::frames::{Frames, Input};
use alloc::vec::Vec;
use core::hash::Hasher;
use lz4_flex::block::decompress_into_with_dict;
use std::io::Read;
use twox_hash::XxHash32;

/// How far back a block may refer, in bytes.
const WINDOW: usize = 64 << 10;

/// Decompresses one frame after the other.
#[derive(Default)]
pub(super) struct Lz4 {
    flags: Flags,
    /// The largest size of a block, in bytes.
    largest: usize,
    /// The size of the content in bytes, and how much of it has been decompressed.
    size: Option<u64>,
    made: u64,
    checksum: XxHash32,
    /// The last blocks, decompressed.
    content: Vec<u8>,
    /// Which bytes of them have not been returned yet.
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Default)]
struct Flags(u8);

impl Flags {
    const fn has(self, bit: u8) -> bool {
        self.0 & 1 << bit != 0
    }

    const fn is_independent(self) -> bool {
        self.has(5)
    }

    const fn has_block_checksums(self) -> bool {
        self.has(4)
    }

    const fn has_size(self) -> bool {
        self.has(3)
    }

    const fn has_checksum(self) -> bool {
        self.has(2)
    }

    const fn has_dictionary(self) -> bool {
        self.has(0)
    }
}

impl Frames for Lz4 {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), Stop> {
        let [.., flags, sizes] = source.need_array::<6>()?;
        let flags = Flags(flags);
        let size = if flags.has_size() { 8 } else { 0 };
        let dictionary = if flags.has_dictionary() { 4 } else { 0 };
        let len = 7 + size + dictionary;
        let header = source.need(len)?;
        let Some((checksum, fields)) = header.get(4..).and_then(<[u8]>::split_last) else {
            return Err(Stop::Problem(Problem::Cut));
        };
        if checksum_of(fields) >> 8 & 0xff != u32::from(*checksum) {
            return Err(Stop::damaged(&"the checksum of the header is wrong"));
        }
        if flags.0 >> 6 != 1 || !(4..8).contains(&(sizes >> 4)) {
            return Err(Stop::damaged(&"the header is not one of version 1"));
        }
        if flags.has_dictionary() {
            return Err(Stop::damaged(&"it was compressed with a dictionary"));
        }
        self.size = if flags.has_size() {
            fields.get(2..).and_then(<[u8]>::first_chunk).map(|size| u64::from_le_bytes(*size))
        } else {
            None
        };
        self.flags = flags;
        // From 64 KiB to 4 MiB.
        self.largest = 1 << (8 + 2 * (sizes >> 4));
        (self.made, self.start, self.end) = (0, 0, 0);
        self.checksum = XxHash32::with_seed(0);
        source.consume(len);
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, Stop> {
        while self.start == self.end {
            if !self.block(source)? {
                return Ok(0);
            }
        }
        let read = self.content.get(self.start..self.end).unwrap_or(&[]).read(into)?;
        self.start = self.start.saturating_add(read);
        Ok(read)
    }
}

impl Lz4 {
    /// Decompresses the next block, and returns whether there was one.
    fn block(&mut self, source: &mut Input<'_>) -> Result<bool, Stop> {
        let word = u32::from_le_bytes(source.need_array()?);
        if word == 0 {
            return self.end(source).map(|()| false);
        }
        let len = usize::try_from(word & !(1 << 31)).unwrap_or(usize::MAX);
        if len > self.largest {
            return Err(Stop::damaged(&"a block is larger than the header allows"));
        }
        let checksum = if self.flags.has_block_checksums() { 4 } else { 0 };
        let all = len.saturating_add(4 + checksum);
        let block = source.need(all)?.get(4..).and_then(|block| block.split_at_checked(len));
        let Some((block, checksum)) = block else {
            return Err(Stop::Problem(Problem::Cut));
        };
        if checksum.first_chunk().is_some_and(|it| u32::from_le_bytes(*it) != checksum_of(block)) {
            return Err(Stop::damaged(&"the checksum of a block is wrong"));
        }
        self.make_room();
        let Some((before, room)) = self.content.split_at_mut_checked(self.end) else {
            return Ok(false);
        };
        let room = room.get_mut(..self.largest).unwrap_or(&mut []);
        let made = if word >> 31 == 1 {
            room.get_mut(..len).unwrap_or(&mut []).copy_from_slice(block);
            len
        } else {
            let window = if self.flags.is_independent() { 0 } else { WINDOW };
            let window = before.get(before.len().saturating_sub(window)..).unwrap_or(&[]);
            decompress_into_with_dict(block, room, window).map_err(|error| Stop::damaged(&error))?
        };
        source.consume(all);
        if self.flags.has_checksum() {
            self.checksum.write(room.get(..made).unwrap_or(&[]));
        }
        self.end = self.end.saturating_add(made);
        self.made = self.made.saturating_add(made as u64);
        Ok(true)
    }

    /// Makes room for a block after those that it may refer to.
    fn make_room(&mut self) {
        if self.content.len().saturating_sub(self.end) < self.largest {
            let kept = self.end.saturating_sub(WINDOW);
            self.content.copy_within(kept..self.end, 0);
            self.end = self.end.saturating_sub(kept);
            // This reserves room for two blocks, so that the content is not moved for each block.
            let len = self.largest.saturating_mul(2).saturating_add(WINDOW);
            self.content.resize(len.max(self.content.len()), 0);
        }
        self.start = self.end;
    }

    /// Reads what follows the last block.
    fn end(&mut self, source: &mut Input<'_>) -> Result<(), Stop> {
        if self.size.is_some_and(|size| size != self.made) {
            return Err(Stop::damaged(&"the size of the content is not that in the header"));
        }
        if self.flags.has_checksum() {
            let [.., a, b, c, d] = source.need_array::<8>()?;
            if u32::from_le_bytes([a, b, c, d]) != self.checksum.finish_32() {
                return Err(Stop::Problem(Problem::Checksum));
            }
            source.consume(4);
        }
        source.consume(4);
        Ok(())
    }
}

fn checksum_of(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}
