//! Reads frames from a blocking stream.

use super::{DEFAULT_FRAME_LIMIT, Framer};
use std::io::{self, ErrorKind, Read};

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
#[derive(Debug)]
pub struct FrameReader<R> {
    reader: R,
    framer: Framer,
}

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
