//! Decompresses members of gzip.
//!
//! Only the deflate of `flate2` is used, not its reader of gzip: if the data is damaged, that
//! reader does not return what it decompressed just before.

use super::error::{Problem, Stop};
use super::frames::{Frames, Input};
use flate2::{Crc, Decompress, FlushDecompress, Status};

/// The bytes of a header without its optional fields.
const HEADER: usize = 10;

/// The longest header that is read: an extra field has up to 64 KiB.
const LONGEST: usize = 128 << 10;

/// Decompresses one member after the other.
pub(super) struct Gzip {
    inflate: Decompress,
    checksum: Crc,
    /// Whether the content of the member has been decompressed.
    is_over: bool,
    is_damaged: bool,
}

impl Default for Gzip {
    fn default() -> Gzip {
        let inflate = Decompress::new(false);
        Gzip { inflate, checksum: Crc::new(), is_over: false, is_damaged: false }
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
        self.inflate.reset(false);
        self.checksum.reset();
        self.is_over = false;
        Ok(())
    }

    fn read(&mut self, source: &mut Input<'_>, into: &mut [u8]) -> Result<usize, Stop> {
        while !self.is_over {
            if self.is_damaged {
                return Err(Stop::damaged(&"not deflated data"));
            }
            let (before, after) = (self.inflate.total_in(), self.inflate.total_out());
            let result = self.inflate.decompress(source.unread(), into, FlushDecompress::None);
            let used = self.inflate.total_in().saturating_sub(before);
            source.consume(usize::try_from(used).unwrap_or(usize::MAX));
            let made = self.inflate.total_out().saturating_sub(after);
            let made = usize::try_from(made).unwrap_or(usize::MAX);
            match result {
                Ok(status) => self.is_over = status == Status::StreamEnd,
                Err(_) => self.is_damaged = true,
            }
            if made > 0 {
                self.checksum.update(into.get(..made).unwrap_or(&[]));
                return Ok(made);
            }
            let is_stuck = used == 0 && !self.is_over && !self.is_damaged;
            if is_stuck && !source.fill()? {
                return Err(Stop::Problem(Problem::Cut));
            }
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
