//! Sinks: where encoded bytes go.

use super::{EncodeError, EncodeProblem};

/// Takes encoded bytes, piece by piece.
///
/// `Vec<u8>` is a sink. So are [`SliceSink`] for a slice of fixed size, [`CountSink`], which only
/// counts, and [`WriteSink`] for streams.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Whether the sink has taken all bytes so far. [`Builder::finish`](super::Builder::finish) calls this.
    ///
    /// # Errors
    ///
    /// The problem of the sink, such as [`EncodeProblem::BufferTooSmall`] for a slice.
    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        Ok(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        (**self).put(bytes);
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        (**self).check()
    }
}

#[cfg(feature = "alloc")]
impl Sink for alloc::vec::Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Counts the bytes, and does not keep them.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountSink {
    count: usize,
}

impl CountSink {
    /// The number of bytes that were written.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }
}

impl Sink for CountSink {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.count = self.count.saturating_add(bytes.len());
    }
}

/// Fills a slice. When it is full, further bytes are only counted.
///
/// ```
/// use gdwire::{Dialect, encode::SliceSink, encode_into};
///
/// let mut datagram = [0; 8];
/// let sink = encode_into(Dialect::GODOT_3, &42, SliceSink::new(&mut datagram))?;
/// assert_eq!(sink.needed(), 8);
/// assert_eq!(datagram, [2, 0, 0, 0, 42, 0, 0, 0]);
/// # Ok::<(), gdwire::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct SliceSink<'a> {
    pub(super) slice: &'a mut [u8],
    pub(super) needed: usize,
}

impl<'a> SliceSink<'a> {
    /// Fills `slice` from its start.
    #[must_use]
    pub const fn new(slice: &'a mut [u8]) -> SliceSink<'a> {
        SliceSink { slice, needed: 0 }
    }

    /// The number of bytes that were written, including those for which there was no room.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// Whether all bytes are in the slice.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.needed <= self.slice.len()
    }
}

impl Sink for SliceSink<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let end = self.needed.saturating_add(bytes.len());
        if let Some(place) = self.slice.get_mut(self.needed..end) {
            place.copy_from_slice(bytes);
        }
        self.needed = end;
    }

    #[inline]
    fn check(&self) -> Result<(), EncodeError> {
        let (needed, available) = (self.needed, self.slice.len());
        if needed > available {
            return Err(EncodeProblem::BufferTooSmall { needed, available }.into());
        }
        Ok(())
    }
}

/// Writes to a stream, and keeps the first error.
///
/// ```
/// use gdwire::{Dialect, encode::WriteSink, encode_into};
///
/// let writer = std::io::BufWriter::new(Vec::new());
/// let writer = encode_into(Dialect::GODOT_3, &42, WriteSink::new(writer))?.finish()?;
/// assert_eq!(writer.buffer(), [2, 0, 0, 0, 42, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct WriteSink<W> {
    writer: W,
    result: std::io::Result<()>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> WriteSink<W> {
    /// Writes to `writer`. It should be buffered, because the pieces are small.
    pub const fn new(writer: W) -> WriteSink<W> {
        WriteSink { writer, result: Ok(()) }
    }

    /// Returns the writer if it took everything.
    ///
    /// # Errors
    ///
    /// The first error of the writer. Nothing was written after that error.
    pub fn finish(self) -> std::io::Result<W> {
        self.result.map(|()| self.writer)
    }
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Sink for WriteSink<W> {
    fn put(&mut self, bytes: &[u8]) {
        if self.result.is_ok() {
            self.result = self.writer.write_all(bytes);
        }
    }
}
