//! A capture file that is in memory.

use super::format::Format;
use crate::net::packet::{Error, Packet};
use core::iter::FusedIterator;

/// A capture file, as an iterator over its packets.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    format: Option<Format<'a>>,
    len: u64,
    frames: u64,
    pub(super) file: u32,
}

impl<'a> Capture<'a> {
    /// Whether [`Capture::new`] can read a file, judged by its first four bytes.
    #[must_use]
    pub fn recognizes(file: &[u8]) -> bool {
        Format::recognizes(file)
    }

    /// Starts to read a file, whose whole content is in memory.
    ///
    /// # Errors
    ///
    /// If the file is in another format or ends within its first header.
    pub fn new(file: &'a [u8]) -> Result<Capture<'a>, Error> {
        let len = file.len() as u64;
        match Format::begin(file) {
            Ok(format) => Ok(Capture { format: Some(format), len, frames: 0, file: 0 }),
            Err(damage) => Err(damage.at(0, len, None)),
        }
    }

    /// The same file as the next one of a capture in several files. The numbers of its packets
    /// continue those of the file `before`, and so does its own number.
    #[must_use]
    pub fn after(self, before: &Capture<'_>) -> Capture<'a> {
        Capture { frames: before.frames, file: before.file.saturating_add(1), ..self }
    }

    /// The same file with this number instead of its own.
    pub(super) fn numbered(self, file: u32) -> Capture<'a> {
        Capture { file, ..self }
    }

    /// How many bytes of the file have been read.
    #[must_use]
    pub fn position(&self) -> u64 {
        let rest = self.format.as_ref().map_or(0, |format| format.rest().len());
        self.len.saturating_sub(rest as u64)
    }
}

impl<'a> Iterator for Capture<'a> {
    type Item = Result<Packet<'a>, Error>;

    fn next(&mut self) -> Option<Result<Packet<'a>, Error>> {
        let read = self.format.as_mut()?.next_record();
        let frame = self.frames.saturating_add(1);
        match read {
            Ok(Some(record)) => {
                self.frames = frame;
                let from_end = record.data.len().saturating_add(record.rest) as u64;
                Some(Ok(Packet {
                    frame,
                    file: self.file,
                    offset: self.len.saturating_sub(from_end),
                    time: record.time,
                    link_type: record.link_type,
                    data: record.data,
                    original_len: record.original_len,
                }))
            }
            Ok(None) => {
                self.format = None;
                None
            }
            Err(damage) => {
                self.format = None;
                Some(Err(damage.at(self.file, self.len, Some(frame))))
            }
        }
    }
}

impl FusedIterator for Capture<'_> {}
