//! Sinks for serde, which learns the lengths of containers after their elements.

use super::{Sink, SliceSink};

/// A sink whose bytes can be read and changed after they were written.
pub(crate) trait Patch: Sink {
    /// The number of bytes that were written.
    fn position(&self) -> usize;

    /// The bytes that were written, as far as there was room for them.
    fn written(&self) -> &[u8];

    /// Replaces the word at an offset.
    fn patch(&mut self, offset: usize, word: u32);
}

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

/// Replaces the word at an offset, if it exists.
fn patch(bytes: &mut [u8], offset: usize, word: u32) {
    if let Some(place) = bytes.get_mut(offset..).and_then(<[u8]>::first_chunk_mut) {
        *place = word.to_le_bytes();
    }
}

macro_rules! growing {
    ($($(#[$attribute:meta])* $type:ty;)*) => {$(
        $(#[$attribute])*
        impl Patch for $type {
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
    )*};
}

growing! {
    #[cfg(feature = "alloc")]
    alloc::vec::Vec<u8>;
    #[cfg(feature = "bytes")]
    bytes::BytesMut;
}

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
