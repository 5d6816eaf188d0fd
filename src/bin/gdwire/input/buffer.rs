//! A stream with a buffer for the bytes that were read from it and not used yet.

use super::InputFailure;
use super::live::Live;
use crate::interrupt;
use std::io::{self, ErrorKind, Read};

/// How many bytes are requested from a stream at once.
const CHUNK: usize = 64 << 10;

/// Buffers a stream until a format can be recognized, or a frame or line is complete.
pub struct InputBuffer {
    stream: ByteStream,
    bytes: Vec<u8>,
    /// The offset of the first byte that is not used yet.
    start: usize,
    is_at_end: bool,
}

/// The source of the bytes.
pub enum ByteStream {
    /// All bytes have been read.
    Whole,
    /// A regular file, decompressed if it is compressed.
    File(Box<dyn Read + Send>),
    Live(Live),
}

/// Called repeatedly while a live stream is silent. Returns whether to keep waiting.
pub type Idle<'i> = &'i mut dyn FnMut() -> Result<bool, InputFailure>;

impl InputBuffer {
    pub const fn new(stream: ByteStream) -> InputBuffer {
        InputBuffer { stream, bytes: Vec::new(), start: 0, is_at_end: false }
    }

    /// A stream that was read to its end.
    pub const fn whole(bytes: Vec<u8>) -> InputBuffer {
        InputBuffer { stream: ByteStream::Whole, bytes, start: 0, is_at_end: true }
    }

    /// The bytes that were read and not used yet.
    pub fn unread(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or(&[])
    }

    /// Whether the stream has no more than [`unread`](InputBuffer::unread). It is false if reading ended
    /// for another reason.
    pub const fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether all bytes were in memory from the start.
    pub const fn is_whole(&self) -> bool {
        matches!(self.stream, ByteStream::Whole)
    }

    /// Whether the stream is live: more bytes may arrive while it is read.
    pub const fn is_live(&self) -> bool {
        matches!(self.stream, ByteStream::Live(_))
    }

    /// Whether to stop reading because the user pressed Ctrl-C. From a live stream, the bytes that
    /// have arrived are still read.
    pub fn is_interrupted(&self) -> bool {
        !self.is_live() && interrupt::is_requested()
    }

    /// The bytes that were read and not used yet, without the stream.
    pub fn into_unread(mut self) -> Vec<u8> {
        self.bytes.drain(..self.start);
        self.bytes
    }

    /// Reads until [`unread`](InputBuffer::unread) has at least this many bytes, and returns whether it
    /// has.
    pub fn reach(&mut self, len: usize, idle: Idle<'_>) -> Result<bool, InputFailure> {
        while self.unread().len() < len {
            if !self.read_more(idle)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads until `byte` is found at the offset `from` or later. Returns the number of bytes up to
    /// and including it: at most `limit`, and all bytes if the stream ends first.
    pub fn reach_byte(
        &mut self,
        byte: u8,
        from: usize,
        limit: usize,
        idle: Idle<'_>,
    ) -> Result<usize, InputFailure> {
        let mut searched = from;
        loop {
            let bytes = self.unread();
            let bytes = bytes.get(..limit).unwrap_or(bytes);
            let found = bytes.get(searched..).and_then(|new| new.iter().position(|it| *it == byte));
            if let Some(found) = found {
                return Ok(searched.saturating_add(found).saturating_add(1));
            }
            searched = bytes.len();
            if searched == limit || !self.read_more(idle)? {
                return Ok(searched);
            }
        }
    }

    /// Reads up to the end, or until there are more than `limit` bytes.
    pub fn reach_end(&mut self, limit: usize, idle: Idle<'_>) -> Result<(), InputFailure> {
        while self.unread().len() <= limit && self.read_more(idle)? {}
        Ok(())
    }

    /// Removes bytes that were used.
    pub fn consume(&mut self, len: usize) {
        self.start = self.start.saturating_add(len).min(self.bytes.len());
    }

    /// Skips this many bytes, or all that remain, and returns how many were skipped.
    pub fn skip(&mut self, len: u64, idle: Idle<'_>) -> Result<u64, InputFailure> {
        let mut rest = len;
        while rest > 0 && self.reach(1, idle)? {
            let len = self.unread().len().min(usize::try_from(rest).unwrap_or(usize::MAX));
            self.consume(len);
            rest = rest.saturating_sub(len as u64);
        }
        Ok(len.saturating_sub(rest))
    }

    /// Waits briefly for more of a live stream. Returns false if there is nothing to wait for.
    pub fn wait(&mut self) -> bool {
        match &mut self.stream {
            ByteStream::Live(live) => live.wait(),
            ByteStream::Whole | ByteStream::File(_) => false,
        }
    }

    /// Continues with the new content of a file that was replaced or shortened. Returns false if
    /// there is none.
    pub fn restart(&mut self) -> bool {
        let ByteStream::Live(live) = &mut self.stream else { return false };
        let is_restarted = live.restart();
        if is_restarted {
            (self.start, self.is_at_end) = (self.bytes.len(), false);
        }
        is_restarted
    }

    /// Reads once. Returns false if no more bytes will be read: the stream has ended, the user
    /// pressed Ctrl-C, or `idle` refused to wait.
    fn read_more(&mut self, idle: Idle<'_>) -> Result<bool, InputFailure> {
        if self.is_at_end {
            return Ok(false);
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        let len = self.bytes.len();
        self.bytes.resize(len.saturating_add(CHUNK), 0);
        let read = loop {
            match self.stream.read(self.bytes.get_mut(len..).unwrap_or(&mut [])) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => break read,
            }
            match idle() {
                Ok(true) if self.wait() => {}
                result => {
                    self.bytes.truncate(len);
                    return result.map(|_| false);
                }
            }
        };
        self.bytes.truncate(len.saturating_add(*read.as_ref().unwrap_or(&0)));
        let read = read.map_err(InputFailure::Input)?;
        self.is_at_end = read == 0;
        Ok(read > 0)
    }
}

impl Read for ByteStream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            ByteStream::Whole => Ok(0),
            ByteStream::File(_) if interrupt::is_requested() => Err(ErrorKind::WouldBlock.into()),
            ByteStream::File(file) => loop {
                match file.read(into) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => return read,
                }
            },
            ByteStream::Live(live) => live.read(into),
        }
    }
}

impl Read for InputBuffer {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.unread().is_empty() {
            let read = self.unread().read(into)?;
            self.consume(read);
            return Ok(read);
        }
        if self.is_at_end {
            return Ok(0);
        }
        let read = self.stream.read(into)?;
        self.is_at_end = read == 0;
        Ok(read)
    }
}
