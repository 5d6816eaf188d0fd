//! Collects the pieces of a stream in a buffer and returns the frames; reads a blocking stream so.

#[cfg(feature = "std")]
use super::cut_off;
use super::{DEFAULT_FRAME_LIMIT, Split, split_frame};
use crate::value::Error;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::{self, ErrorKind, Read};

/// The least and the most bytes that one `read` may return.
#[cfg(feature = "std")]
const SMALLEST_PIECE: usize = 8 << 10;
#[cfg(feature = "std")]
const LARGEST_PIECE: usize = 64 << 10;

/// Puts the pieces of a stream together and returns its frames.
///
/// It holds the bytes that were pushed and not yet returned. If you call [`Framer::next_frame`]
/// after each piece until it returns none, it holds at most one frame and one piece.
///
/// ```
/// use gdwire::stream::Framer;
///
/// let mut framer = Framer::with_limit(1024);
/// framer.push(&[2, 0, 0, 0, b'h']);
/// assert_eq!(framer.next_frame()?, None);
/// assert_eq!(framer.needed(), 1);
/// framer.push(b"i");
/// assert_eq!(framer.next_frame()?, Some(&b"hi"[..]));
/// # Ok::<(), gdwire::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// How many bytes of the buffer have been returned.
    taken: usize,
    /// How many bytes have been returned and removed before, for the offsets of errors.
    passed: usize,
    limit: u32,
}

impl Default for Framer {
    fn default() -> Framer {
        Framer::new()
    }
}

impl Framer {
    /// Accepts frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    #[must_use]
    pub const fn new() -> Framer {
        Framer::with_limit(DEFAULT_FRAME_LIMIT)
    }

    /// Accepts frames of up to `limit` bytes. A longer frame is an error as soon as its length has
    /// arrived.
    #[must_use]
    pub const fn with_limit(limit: u32) -> Framer {
        Framer { buffer: Vec::new(), taken: 0, passed: 0, limit }
    }

    /// Adds the next piece of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        self.drop_taken();
        self.buffer.extend_from_slice(piece);
    }

    /// Adds the bytes of one `read`, and returns how many there were.
    #[cfg(feature = "std")]
    fn read_from(&mut self, mut reader: impl Read) -> io::Result<usize> {
        self.drop_taken();
        let held = self.buffer.len();
        // A sender can announce any length at no cost. So reserve no more than the largest piece.
        let piece = self.needed().clamp(SMALLEST_PIECE, LARGEST_PIECE);
        self.buffer.resize(held.saturating_add(piece), 0);
        let read = loop {
            match reader.read(self.buffer.get_mut(held..).unwrap_or(&mut [])) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let count = *read.as_ref().unwrap_or(&0);
        self.buffer.truncate(held.saturating_add(count));
        read
    }

    /// The error if the stream ends here within a frame.
    #[cfg(feature = "std")]
    fn cut_off(&self) -> Option<Error> {
        let start = self.passed.saturating_add(self.taken);
        cut_off(self.pending(), self.limit).map(|error| error.shifted(start))
    }

    fn drop_taken(&mut self) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.passed = self.passed.saturating_add(self.taken);
            self.taken = 0;
        }
    }

    /// Returns the next whole frame, without its length, or `None` until more bytes are pushed.
    ///
    /// # Errors
    ///
    /// [`crate::Problem::FrameTooLong`] if the frame is longer than the limit. The offset counts from
    /// the start of the stream. Nothing after it can be read, so each further call returns the same
    /// error.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, Error> {
        let rest = self.buffer.get(self.taken..).unwrap_or(&[]);
        let start = self.passed.saturating_add(self.taken);
        match split_frame(rest, self.limit).map_err(|error| error.shifted(start))? {
            Split::Frame { frame, .. } => {
                self.taken = self.taken.saturating_add(4).saturating_add(frame.len());
                Ok(Some(frame))
            }
            Split::Needed(_) => Ok(None),
        }
    }

    /// The minimum number of bytes that the next frame still needs. 0 if the frame is complete, or
    /// after an error.
    #[must_use]
    pub fn needed(&self) -> usize {
        match split_frame(self.pending(), self.limit) {
            Ok(Split::Needed(needed)) => needed,
            _ => 0,
        }
    }

    /// The bytes that were pushed and not yet returned. At the end of a stream, this is the start of
    /// a frame that was cut off.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.buffer.get(self.taken..).unwrap_or(&[])
    }
}

/// Reads frames from a stream, such as a `TcpStream` or a file that `store_var` wrote.
///
/// ```
/// use gdwire::{Dialect, parse, stream::FrameReader};
///
/// let stream = &[8, 0, 0, 0, 2, 0, 0, 0, 42, 0, 0, 0][..];
/// let mut frames = FrameReader::new(stream);
/// while let Some(frame) = frames.next_frame()? {
///     assert_eq!(parse(Dialect::GODOT_3, frame)?.as_i64(), Some(42));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It has its own buffer, and returns a frame as soon as all its bytes have arrived: it never waits
/// for bytes after the frame.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct FrameReader<R> {
    reader: R,
    framer: Framer,
}

#[cfg(feature = "std")]
impl<R: Read> FrameReader<R> {
    /// Accepts frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    pub const fn new(reader: R) -> FrameReader<R> {
        FrameReader::with_limit(reader, DEFAULT_FRAME_LIMIT)
    }

    /// Accepts frames of up to `limit` bytes.
    pub const fn with_limit(reader: R, limit: u32) -> FrameReader<R> {
        FrameReader { reader, framer: Framer::with_limit(limit) }
    }

    /// Returns the next frame, without its length, or `None` at the end of the stream.
    ///
    /// # Errors
    ///
    /// - The errors of the stream. You can call the function again afterwards: a `WouldBlock` loses
    ///   nothing.
    /// - The kind `UnexpectedEof` if the stream ends within a frame, and `InvalidData` if a frame is
    ///   longer than the limit. Both contain an [`Error`](crate::Error), which names the place.
    pub fn next_frame(&mut self) -> io::Result<Option<&[u8]>> {
        while self.framer.needed() > 0 {
            if self.framer.read_from(&mut self.reader)? > 0 {
                continue;
            }
            return match self.framer.cut_off() {
                Some(error) => Err(io::Error::new(ErrorKind::UnexpectedEof, error)),
                None => Ok(None),
            };
        }
        self.framer.next_frame().map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
    }

    /// The stream.
    pub const fn get_ref(&self) -> &R {
        &self.reader
    }
}
