//! Sinks: where encoded bytes go.

#[cfg(doc)]
use super::Builder;
use super::{EncodeError, EncodeProblem};

/// Takes encoded bytes, piece by piece.
///
/// Implemented for what grows (`Vec<u8>`), for a slice of fixed size ([`SliceSink`]), for what
/// only counts ([`CountSink`]) and for streams ([`WriteSink`]).
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);

    /// Whether the sink took everything so far. [`Builder::finish`] asks this.
    ///
    /// # Errors
    ///
    /// What the sink lacks: [`EncodeProblem::BufferTooSmall`] for a slice.
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

/// Counts bytes and forgets them.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountSink {
    count: usize,
}

impl CountSink {
    /// How many bytes came.
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

/// Fills a slice, and counts on when it is full.
#[derive(Debug)]
pub struct SliceSink<'a> {
    slice: &'a mut [u8],
    needed: usize,
}

impl<'a> SliceSink<'a> {
    /// Fills `slice` from its start.
    #[must_use]
    pub const fn new(slice: &'a mut [u8]) -> SliceSink<'a> {
        SliceSink { slice, needed: 0 }
    }

    /// How many bytes came, whether the slice could hold them or not.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// Whether all of them are in the slice.
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

/// Writes to a stream, and keeps its first error.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct WriteSink<W> {
    writer: W,
    result: std::io::Result<()>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> WriteSink<W> {
    /// Writes to `writer`, which should be buffered: the pieces are small.
    pub const fn new(writer: W) -> WriteSink<W> {
        WriteSink { writer, result: Ok(()) }
    }

    /// The writer, if it took everything.
    ///
    /// # Errors
    ///
    /// The first error of the writer. Nothing was written after it.
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

/// A sink whose bytes can be looked at and changed after they came.
#[cfg(feature = "serde")]
pub(crate) trait Patch: Sink {
    /// How many bytes came.
    fn position(&self) -> usize;

    /// Those bytes, as far as there was room for them.
    fn written(&self) -> &[u8];

    /// Replaces the word at an offset.
    fn patch(&mut self, offset: usize, word: u32);
}

#[cfg(feature = "serde")]
impl<S: Patch + ?Sized> Patch for &mut S {
    fn position(&self) -> usize {
        (**self).position()
    }

    fn written(&self) -> &[u8] {
        (**self).written()
    }

    fn patch(&mut self, offset: usize, word: u32) {
        (**self).patch(offset, word);
    }
}

/// Replaces the word at an offset, if it is there.
#[cfg(feature = "serde")]
fn patch(bytes: &mut [u8], offset: usize, word: u32) {
    if let Some(place) = bytes.get_mut(offset..).and_then(<[u8]>::first_chunk_mut) {
        *place = word.to_le_bytes();
    }
}

#[cfg(all(feature = "serde", feature = "alloc"))]
impl Patch for alloc::vec::Vec<u8> {
    fn position(&self) -> usize {
        self.len()
    }

    fn written(&self) -> &[u8] {
        self
    }

    fn patch(&mut self, offset: usize, word: u32) {
        patch(self, offset, word);
    }
}

#[cfg(feature = "serde")]
impl Patch for SliceSink<'_> {
    fn position(&self) -> usize {
        self.needed
    }

    fn written(&self) -> &[u8] {
        self.slice.get(..self.needed).unwrap_or(self.slice)
    }

    fn patch(&mut self, offset: usize, word: u32) {
        patch(self.slice, offset, word);
    }
}

#[cfg(all(feature = "serde", feature = "bytes"))]
impl Patch for bytes::BytesMut {
    fn position(&self) -> usize {
        self.len()
    }

    fn written(&self) -> &[u8] {
        self
    }

    fn patch(&mut self, offset: usize, word: u32) {
        patch(self, offset, word);
    }
}
