//! Decompresses frames of Zstandard.

use super::error::{Problem, Stop};
use super::frames::{Frames, Input};
use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::Read;

/// The largest window, which is the largest that `zstd -d` accepts by default.
const WINDOW: u64 = 128 << 20;

/// A last block without content.
const LAST: &[u8] = &[1, 0, 0];

/// Decompresses one frame after the other.
#[derive(Default)]
pub(super) struct Zstandard {
    decoder: FrameDecoder,
    has_checksum: bool,
    /// The error in the next block. The content before the block is returned first.
    problem: Option<Problem>,
}

impl Frames for Zstandard {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), Stop> {
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
        self.decoder.set_max_window_size(WINDOW);
        match self.decoder.reset(source.need(len)?) {
            Ok(()) => {}
            Err(
                FrameDecoderError::WindowSizeTooBig { requested: needed, .. }
                | FrameDecoderError::FrameHeaderError(FrameHeaderError::WindowTooBig { got: needed }),
            ) => return Err(Stop::Problem(Problem::Window { needed, limit: WINDOW })),
            Err(error) => return Err(Stop::damaged(&error)),
        }
        source.consume(len);
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, Stop> {
        loop {
            let read = self.decoder.read(into)?;
            if read > 0 {
                return Ok(read);
            }
            if let Some(problem) = self.problem.take() {
                return Err(Stop::Problem(problem));
            }
            if self.decoder.is_finished() {
                let expected = self.decoder.get_checksum_from_data();
                let is_right =
                    expected.is_none() || expected == self.decoder.get_calculated_checksum();
                return if is_right { Ok(0) } else { Err(Stop::Problem(Problem::Checksum)) };
            }
            match self.block(source) {
                Err(Stop::Problem(problem)) => {
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

impl Zstandard {
    /// Decompresses the next block.
    fn block(&mut self, source: &mut Input<'_>) -> Result<(), Stop> {
        let [a, b, c] = source.need_array()?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        // A block that repeats one byte has only that byte.
        let len = if header >> 1 & 3 == 1 { 1 } else { header >> 3 };
        let checksum = if header & 1 == 1 && self.has_checksum { 4 } else { 0 };
        let len = usize::try_from(len).unwrap_or(usize::MAX).saturating_add(3);
        match source.need(len.saturating_add(checksum)) {
            Ok(block) => self.decode(block).map_err(|error| Stop::damaged(&error))?,
            Err(Stop::Problem(problem)) => {
                // Only the checksum may be missing.
                if let Some(block) = source.unread().get(..len) {
                    self.decode(block).ok();
                }
                return Err(Stop::Problem(problem));
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
