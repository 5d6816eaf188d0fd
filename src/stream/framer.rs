//! Frames out of a buffer of its own.

#[cfg(feature = "std")]
use super::cut_off;
use super::{DEFAULT_FRAME_LIMIT, Split, split_frame};
use crate::error::Error;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::{self, ErrorKind, Read};

/// How much room there is for one `read`.
#[cfg(feature = "std")]
const SMALLEST_PIECE: usize = 8 << 10;
#[cfg(feature = "std")]
const LARGEST_PIECE: usize = 64 << 10;

/// Puts the pieces of a stream together and gives its frames.
///
/// It holds what was pushed and not yet taken: if every piece is followed by
/// [`Framer::next_frame`] until that gives none, no more than one frame and one piece.
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
    /// What of the buffer has been given.
    taken: usize,
    /// The length of what was given before, for the offsets of errors.
    passed: usize,
    limit: u32,
}

impl Default for Framer {
    fn default() -> Framer {
        Framer::new()
    }
}

impl Framer {
    /// Takes frames of up to [`DEFAULT_FRAME_LIMIT`] bytes.
    #[must_use]
    pub const fn new() -> Framer {
        Framer::with_limit(DEFAULT_FRAME_LIMIT)
    }

    /// Takes frames of up to `limit` bytes; a longer one is an error when its length is there.
    #[must_use]
    pub const fn with_limit(limit: u32) -> Framer {
        Framer { buffer: Vec::new(), taken: 0, passed: 0, limit }
    }

    /// Adds the next piece of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        self.drop_taken();
        self.buffer.extend_from_slice(piece);
    }

    /// Adds what one `read` gives, and says how much that was.
    #[cfg(feature = "std")]
    pub(super) fn read_from(&mut self, mut reader: impl Read) -> io::Result<usize> {
        self.drop_taken();
        let held = self.buffer.len();
        // An announced length costs its sender nothing: no more than the largest piece.
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

    /// What is wrong with the stream if it ends here: it ends within a frame.
    #[cfg(feature = "std")]
    pub(super) fn cut_off(&self) -> Option<Error> {
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

    /// The next whole frame, without its length; none until more is pushed.
    ///
    /// # Errors
    ///
    /// [`crate::Problem::FrameTooLong`], its offset counted from the start of the stream. The
    /// stream cannot be read on after it, and the error comes again.
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

    /// How many more bytes the next frame needs at least; 0 if it is there, or never will be.
    #[must_use]
    pub fn needed(&self) -> usize {
        match split_frame(self.pending(), self.limit) {
            Ok(Split::Needed(needed)) => needed,
            _ => 0,
        }
    }

    /// What has been pushed and not yet taken: at the end of a stream, what was cut off.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.buffer.get(self.taken..).unwrap_or(&[])
    }
}
