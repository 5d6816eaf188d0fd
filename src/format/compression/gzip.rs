//! Decompresses members of gzip.
//!
//! Only the decompressor of deflate is used, not the readers of `flate2`: if the data is damaged, they
//! do not return all that they decompressed just before. So the window is kept here.

use super::error::{Problem, Stop};
use super::frames::{Frames, Input};
use alloc::boxed::Box;
use flate2::Crc;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::io::Read;

/// The bytes of a header without its optional fields.
const HEADER: usize = 10;

/// The longest header that is read: an extra field has up to 64 KiB.
const LONGEST: usize = 128 << 10;

/// How far back deflated data may refer, in bytes.
const WINDOW: usize = 32 << 10;

/// Decompresses one member after the other.
pub(super) struct Gzip {
    inflate: DecompressorOxide,
    /// The status after the last call of the decompressor.
    status: TINFLStatus,
    checksum: Crc,
    /// The last bytes of the content, in a ring buffer.
    window: Box<[u8]>,
    /// Which bytes of it have not been returned yet.
    start: usize,
    end: usize,
}

impl Default for Gzip {
    fn default() -> Gzip {
        Gzip {
            inflate: DecompressorOxide::new(),
            status: TINFLStatus::NeedsMoreInput,
            checksum: Crc::new(),
            window: vec![0; WINDOW].into(),
            start: 0,
            end: 0,
        }
    }
}

impl Frames for Gzip {
    fn begin(&mut self, source: &mut Input<'_>) -> Result<(), Stop> {
        let len = loop {
            match header(source.unread()) {
                Some(len) => break len,
                None if source.unread().len() > LONGEST => {
                    return Err(Stop::damaged(&"the header is too long"));
                }
                None if source.fill()? => {}
                None => return Err(Stop::Problem(Problem::Cut)),
            }
        };
        source.consume(len);
        self.inflate.init();
        self.status = TINFLStatus::NeedsMoreInput;
        self.checksum.reset();
        (self.start, self.end) = (0, 0);
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, Stop> {
        loop {
            let read = self.window.get(self.start..self.end).unwrap_or(&[]).read(into)?;
            if read > 0 {
                self.start = self.start.saturating_add(read);
                return Ok(read);
            }
            match self.status {
                TINFLStatus::Done => break,
                TINFLStatus::NeedsMoreInput if source.unread().is_empty() => {
                    if !source.fill()? {
                        return Err(Stop::Problem(Problem::Cut));
                    }
                }
                TINFLStatus::NeedsMoreInput | TINFLStatus::HasMoreOutput => {}
                _ => return Err(Stop::damaged(&"not deflated data")),
            }
            self.start = self.end % WINDOW;
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
            return Err(Stop::Problem(Problem::Checksum));
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
