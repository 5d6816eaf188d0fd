//! Reads the frames of a compressed stream one after the other: gzip, Zstandard and LZ4.

use super::{FrameStop, PackedInput, Problem};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::Hasher;
use flate2::Crc;
use lz4_flex::block::decompress_into_with_dict;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::Read;
use twox_hash::XxHash32;

/// The stream that frames are read from.
type Input<'s> = PackedInput<dyn Read + 's>;

/// Decompresses one frame after the other.
pub(super) trait CompressedFrames {
    /// Reads the header of a frame.
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop>;

    /// Reads content. Returns 0 at the end of the frame.
    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, FrameStop>;
}

/// The bytes of a header without its optional fields.
const HEADER: usize = 10;

/// The reasons that several formats have for damage.
const WITH_DICTIONARY: &str = "it was compressed with a dictionary";
const WRONG_BLOCK: &str = "a block cannot be decompressed";

/// The longest header that is read: an extra field has up to 64 KiB.
const LONGEST: usize = 128 << 10;

/// How far back deflated data may refer, in bytes.
const GZIP_WINDOW: usize = 32 << 10;

/// Decompresses one member after the other.
pub(super) struct GzipFrames {
    inflate: DecompressorOxide,
    /// The status after the last call of the decompressor.
    status: TINFLStatus,
    checksum: Crc,
    /// The last bytes of the content, in a ring buffer.
    window: Box<[u8]>,
    /// The range of it that has not been returned yet.
    start: usize,
    end: usize,
}

impl Default for GzipFrames {
    fn default() -> GzipFrames {
        GzipFrames {
            inflate: DecompressorOxide::new(),
            status: TINFLStatus::NeedsMoreInput,
            checksum: Crc::new(),
            window: vec![0; GZIP_WINDOW].into(),
            start: 0,
            end: 0,
        }
    }
}

impl CompressedFrames for GzipFrames {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop> {
        let len = loop {
            match header(source.unread()) {
                Some(len) => break len,
                None if source.unread().len() > LONGEST => {
                    return Err(FrameStop::damaged("the header is too long"));
                }
                None if source.fill()? => {}
                None => return Err(FrameStop::Problem(Problem::Cut)),
            }
        };
        source.consume(len);
        self.inflate.init();
        self.status = TINFLStatus::NeedsMoreInput;
        self.checksum.reset();
        (self.start, self.end) = (0, 0);
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, FrameStop> {
        loop {
            let read = self.window.get(self.start..self.end).unwrap_or(&[]).read(into)?;
            if read > 0 {
                self.start += read;
                return Ok(read);
            }
            match self.status {
                TINFLStatus::Done => break,
                TINFLStatus::NeedsMoreInput if source.unread().is_empty() => {
                    if !source.fill()? {
                        return Err(FrameStop::Problem(Problem::Cut));
                    }
                }
                TINFLStatus::NeedsMoreInput | TINFLStatus::HasMoreOutput => {}
                _ => return Err(FrameStop::damaged("not deflated data")),
            }
            self.start = self.end % GZIP_WINDOW;
            let input = source.unread();
            let window = &mut self.window;
            let (status, used, made) =
                decompress(&mut self.inflate, input, window, self.start, TINFL_FLAG_HAS_MORE_INPUT);
            source.consume(used);
            self.status = status;
            self.end = self.start.saturating_add(made);
            self.checksum.update(self.window.get(self.start..self.end).unwrap_or(&[]));
        }
        let trailer = [self.checksum.sum(), self.checksum.amount()].map(u32::to_le_bytes);
        if source.need_array::<8>()? != *trailer.as_flattened() {
            return Err(FrameStop::Problem(Problem::Checksum));
        }
        source.consume(8);
        Ok(0)
    }
}

/// The length of a header, if the header is complete.
fn header(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    let has = |bit: u8| flags & 1 << bit != 0;
    let mut rest = bytes.get(HEADER..)?;
    if has(2) {
        let (len, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    // The name of the file and a comment, each up to a zero.
    for bit in [3, 4] {
        if has(bit) {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = rest.get(end.saturating_add(1)..)?;
        }
    }
    // A checksum of the header.
    rest = rest.get(if has(1) { 2 } else { 0 }..)?;
    Some(bytes.len().saturating_sub(rest.len()))
}

/// The largest window, which is the largest that `zstd -d` accepts by default.
const ZSTANDARD_WINDOW: u64 = 128 << 20;

/// A last block without content.
const LAST: &[u8] = &[1, 0, 0];

/// Decompresses one frame after the other.
#[derive(Default)]
pub(super) struct ZstandardFrames {
    decoder: FrameDecoder,
    has_checksum: bool,
    /// The error in the next block. The content before the block is returned first.
    problem: Option<Problem>,
}

impl CompressedFrames for ZstandardFrames {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop> {
        let [.., descriptor] = source.need_array::<5>()?;
        let is_single_segment = descriptor & 1 << 5 != 0;
        let size = match descriptor >> 6 {
            0 => usize::from(is_single_segment),
            size => 1 << size,
        };
        let dictionary = match descriptor & 3 {
            3 => 4,
            len => usize::from(len),
        };
        let len = 5 + usize::from(!is_single_segment) + dictionary + size;
        self.has_checksum = descriptor & 1 << 2 != 0;
        self.decoder.set_max_window_size(ZSTANDARD_WINDOW);
        match self.decoder.reset(source.need(len)?) {
            Ok(()) => {}
            Err(
                FrameDecoderError::WindowSizeTooBig { requested: needed, .. }
                | FrameDecoderError::FrameHeaderError(FrameHeaderError::WindowTooBig { got: needed }),
            ) => {
                return Err(FrameStop::Problem(Problem::Window {
                    needed,
                    limit: ZSTANDARD_WINDOW,
                }));
            }
            Err(FrameDecoderError::DictNotProvided { .. }) => {
                return Err(FrameStop::damaged(WITH_DICTIONARY));
            }
            Err(_) => return Err(FrameStop::damaged("the header is wrong")),
        }
        source.consume(len);
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, FrameStop> {
        loop {
            let read = self.decoder.read(into)?;
            if read > 0 {
                return Ok(read);
            }
            if let Some(problem) = self.problem.take() {
                return Err(FrameStop::Problem(problem));
            }
            if self.decoder.is_finished() {
                let expected = self.decoder.get_checksum_from_data();
                let is_right =
                    expected.is_none() || expected == self.decoder.get_calculated_checksum();
                return if is_right { Ok(0) } else { Err(FrameStop::Problem(Problem::Checksum)) };
            }
            match self.block(source) {
                Err(FrameStop::Problem(problem)) => {
                    self.problem = Some(problem);
                    // The decoder keeps a window of content until it has decoded the last block. An
                    // error here says that no checksum follows that block.
                    self.decode(LAST).ok();
                }
                result => result?,
            }
        }
    }
}

impl ZstandardFrames {
    /// Decompresses the next block.
    fn block(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop> {
        let [a, b, c] = source.need_array()?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        // A block that repeats one byte has only that byte.
        let len = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
        let checksum = if header & 1 == 1 && self.has_checksum { 4 } else { 0 };
        let len = usize::try_from(len).unwrap_or(usize::MAX).saturating_add(3);
        match source.need(len.saturating_add(checksum)) {
            Ok(block) => self.decode(block).map_err(|_| FrameStop::damaged(WRONG_BLOCK))?,
            Err(FrameStop::Problem(problem)) => {
                // Only the checksum may be missing.
                if let Some(block) = source.unread().get(..len) {
                    self.decode(block).ok();
                }
                return Err(FrameStop::Problem(problem));
            }
            Err(stop) => return Err(stop),
        }
        source.consume(len.saturating_add(checksum));
        Ok(())
    }

    fn decode(&mut self, block: &[u8]) -> Result<(), FrameDecoderError> {
        self.decoder.decode_blocks(block, BlockDecodingStrategy::UptoBlocks(1)).map(drop)
    }
}

/// How far back a block may refer, in bytes.
const LZ4_WINDOW: usize = 64 << 10;

/// Decompresses one frame after the other.
#[derive(Default)]
pub(super) struct Lz4Frames {
    flags: Flags,
    /// The largest size of a block, in bytes.
    largest: usize,
    /// The size of the content in bytes, and how much of it has been decompressed.
    size: Option<u64>,
    made: u64,
    checksum: XxHash32,
    /// The last blocks, decompressed.
    content: Vec<u8>,
    /// The range of them that has not been returned yet.
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

impl CompressedFrames for Lz4Frames {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop> {
        let [.., flags, sizes] = source.need_array::<6>()?;
        let flags = Flags(flags);
        let size = if flags.has_size() { 8 } else { 0 };
        let dictionary = if flags.has_dictionary() { 4 } else { 0 };
        let len = 7 + size + dictionary;
        let header = source.need(len)?;
        let Some((checksum, fields)) = header.get(4..).and_then(<[u8]>::split_last) else {
            return Err(FrameStop::Problem(Problem::Cut));
        };
        if checksum_of(fields) >> 8 & 0xff != u32::from(*checksum) {
            return Err(FrameStop::damaged("the checksum of the header is wrong"));
        }
        if flags.0 >> 6 != 1 || !(4..8).contains(&(sizes >> 4)) {
            return Err(FrameStop::damaged("the header is not one of version 1"));
        }
        if flags.has_dictionary() {
            return Err(FrameStop::damaged(WITH_DICTIONARY));
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

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, FrameStop> {
        while self.start == self.end {
            if !self.block(source)? {
                return Ok(0);
            }
        }
        let read = self.content.get(self.start..self.end).unwrap_or(&[]).read(into)?;
        self.start += read;
        Ok(read)
    }
}

impl Lz4Frames {
    /// Decompresses the next block, and returns whether there was one.
    fn block(&mut self, source: &mut Input<'_>) -> Result<bool, FrameStop> {
        let word = u32::from_le_bytes(source.need_array()?);
        if word == 0 {
            return self.end(source).map(|()| false);
        }
        let len = usize::try_from(word & !(1 << 31)).unwrap_or(usize::MAX);
        if len > self.largest {
            return Err(FrameStop::damaged("a block is larger than the header allows"));
        }
        let checksum = if self.flags.has_block_checksums() { 4 } else { 0 };
        let all = len.saturating_add(4 + checksum);
        let block = source.need(all)?.get(4..).and_then(|block| block.split_at_checked(len));
        let Some((block, checksum)) = block else {
            return Err(FrameStop::Problem(Problem::Cut));
        };
        if checksum.first_chunk().is_some_and(|it| u32::from_le_bytes(*it) != checksum_of(block)) {
            return Err(FrameStop::damaged("the checksum of a block is wrong"));
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
            let window = if self.flags.is_independent() { 0 } else { LZ4_WINDOW };
            let window = before.get(before.len().saturating_sub(window)..).unwrap_or(&[]);
            decompress_into_with_dict(block, room, window)
                .map_err(|_| FrameStop::damaged(WRONG_BLOCK))?
        };
        source.consume(all);
        if self.flags.has_checksum() {
            self.checksum.write(room.get(..made).unwrap_or(&[]));
        }
        self.end += made;
        self.made += made as u64;
        Ok(true)
    }

    /// Makes room for a block after those that it may refer to.
    fn make_room(&mut self) {
        if self.content.len().saturating_sub(self.end) < self.largest {
            let kept = self.end.saturating_sub(LZ4_WINDOW);
            self.content.copy_within(kept..self.end, 0);
            self.end = self.end.saturating_sub(kept);
            // This reserves room for two blocks, so that the content is not moved for each block.
            let len = self.largest.saturating_mul(2).saturating_add(LZ4_WINDOW);
            self.content.resize(len.max(self.content.len()), 0);
        }
        self.start = self.end;
    }

    /// Reads what follows the last block.
    fn end(&mut self, source: &mut Input<'_>) -> Result<(), FrameStop> {
        if self.size.is_some_and(|size| size != self.made) {
            return Err(FrameStop::damaged("the size of the content is not that in the header"));
        }
        if self.flags.has_checksum() {
            let [.., a, b, c, d] = source.need_array::<8>()?;
            if u32::from_le_bytes([a, b, c, d]) != self.checksum.finish_32() {
                return Err(FrameStop::Problem(Problem::Checksum));
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
