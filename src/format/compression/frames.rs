//! Reads the frames of a compressed stream one after the other, in every format.

use super::error::Stop;
use super::source::Source;
use std::io::Read;

/// The stream that frames are read from.
pub(super) type Input<'s> = Source<dyn Read + 's>;

/// Decompresses one frame after the other.
pub(super) trait Frames {
    /// Reads the header of a frame.
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), Stop>;

    /// Reads content. Returns 0 at the end of the frame.
    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, Stop>;
}
