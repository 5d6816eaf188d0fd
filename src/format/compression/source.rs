//! The compressed stream, with the bytes that were read and not used yet.

use super::error::{Problem, Stop};
use alloc::vec::Vec;
use std::io::{self, ErrorKind, Read};

/// How many bytes are requested from the stream at once.
const CHUNK: usize = 64 << 10;

/// A stream whose next bytes can be looked at before they are used.
pub(super) struct Source<R: ?Sized> {
    buffer: Vec<u8>,
    /// Which bytes of the buffer were read and not used yet.
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    pub(super) position: u64,
    stream: R,
}

impl<R> Source<R> {
    pub(super) const fn new(stream: R) -> Source<R> {
        Source { buffer: Vec::new(), start: 0, end: 0, position: 0, stream }
    }
}

impl<R: ?Sized> Source<R> {
    /// The bytes that were read and not used yet.
    pub(super) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or(&[])
    }

    /// Removes up to `len` bytes that were used, and returns how many it removed.
    pub(super) fn consume(&mut self, len: usize) -> usize {
        let len = len.min(self.unread().len());
        self.start = self.start.saturating_add(len);
        self.position = self.position.saturating_add(len as u64);
        len
    }
}

impl<R: Read + ?Sized> Source<R> {
    /// Reads more bytes, and returns whether there are any.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end.saturating_sub(self.start));
        }
        if self.buffer.len().saturating_sub(self.end) < CHUNK {
            self.buffer.resize(self.end.saturating_add(CHUNK), 0);
        }
        let read = read(&mut self.stream, self.buffer.get_mut(self.end..).unwrap_or(&mut []))?;
        self.end = self.end.saturating_add(read);
        Ok(read > 0)
    }

    /// Reads until this many bytes are there, and returns them.
    pub(super) fn need(&mut self, len: usize) -> Result<&[u8], Stop> {
        while self.unread().len() < len {
            if !self.fill()? {
                return Err(Stop::Problem(Problem::Cut));
            }
        }
        Ok(self.unread().get(..len).unwrap_or(&[]))
    }

    /// Like [`Source::need`], for a fixed length.
    pub(super) fn need_array<const LEN: usize>(&mut self) -> Result<[u8; LEN], Stop> {
        Ok(self.need(LEN)?.first_chunk().copied().unwrap_or([0; LEN]))
    }

    /// Reads bytes that are not compressed.
    pub(super) fn read_plain(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.unread().is_empty() {
            return read(&mut self.stream, into);
        }
        let read = self.unread().read(into)?;
        self.consume(read);
        Ok(read)
    }
}

fn read(stream: &mut (impl Read + ?Sized), into: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(into) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
